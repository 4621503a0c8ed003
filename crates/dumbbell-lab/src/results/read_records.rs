//! Records read back from their Parquet files, which are checked first.
use crate::files::regular;
use crate::language::problem::Problem;
use crate::results::manifest;
use crate::results::manifest::damaged;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Once;

/// A file of records that is being read, a batch of rows at a time.
pub struct Records {
    file: PathBuf,
    reader: ParquetRecordBatchReader,
    /// Names and types of the columns of the batches.
    pub schema: SchemaRef,
    /// Texts that the file says of itself.
    pub metadata: Vec<(String, String)>,
}

impl Records {
    /// Opens `file`; `None` if it was not recorded. A batch has at most `rows` rows.
    ///
    /// # Errors
    /// Code 3: it is damaged; 2: it cannot be read.
    pub fn open(file: &Path, rows: usize) -> Result<Option<Records>, Problem> {
        Records::open_columns(file, rows, |_| true)
    }

    /// [`Self::open`] with the columns whose names are wanted.
    ///
    /// # Errors
    /// As of [`Self::open`].
    pub fn open_columns(
        file: &Path,
        rows: usize,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Option<Records>, Problem> {
        if !manifest::check(file)? {
            return Ok(None);
        }
        guarded(file, || {
            let builder = ParquetRecordBatchReaderBuilder::try_new(regular::open(file)?)?;
            let pairs =
                builder.metadata().file_metadata().key_value_metadata().into_iter().flatten();
            let metadata =
                pairs.map(|p| (p.key.clone(), p.value.clone().unwrap_or_default())).collect();
            let named = builder.schema().fields().iter().enumerate();
            let places = named.filter(|(_, field)| wanted(field.name())).map(|(place, _)| place);
            let columns = ProjectionMask::roots(builder.parquet_schema(), places);
            let reader = builder.with_batch_size(rows).with_projection(columns).build()?;
            // The schema of the reader, not of the file: it names the types that the batches have.
            let schema = arrow_array::RecordBatchReader::schema(&reader);
            Ok(Some(Records { file: file.into(), reader, schema, metadata }))
        })
    }
}

impl Iterator for Records {
    type Item = Result<RecordBatch, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        let Records { file, reader, .. } = self;
        guarded(file, || Ok(reader.next().transpose()?)).transpose()
    }
}

thread_local! {
    /// True if a panic of this thread is damage of a file, which is told elsewhere.
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// Calls the Parquet library. It panics at some damaged files of earlier releases, which have no
/// digests.
fn guarded<T>(file: &Path, read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, Problem> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !READING.get() {
                before(panic);
            }
        }));
    });
    READING.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(read));
    READING.set(false);
    match outcome {
        Ok(read) => read.map_err(|e| damaged(file, e)),
        Err(_) => Err(damaged(file, "its values cannot be decoded")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_library_is_a_damaged_file() {
        let caught = guarded::<()>(Path::new("a.parquet"), || {
            panic!(
                "Decoder for dict should have \
            been set"
            )
        });
        let problem = caught.unwrap_err();
        assert_eq!(problem.code, crate::language::problem::code::CHECK);
        assert!(problem.message().starts_with("a.parquet is damaged"), "{}", problem.rendered);
        assert!(!READING.get());
    }
}
