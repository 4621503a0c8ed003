//! Records read back from their Parquet files, which are checked first.
mod columns;
use crate::files::regular;
use crate::language::problem::Problem;
use crate::results::manifest;
use crate::results::manifest::damaged;
use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use std::cell::Cell;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

/// A file of records that is being read, a batch of rows at a time.
pub struct Records {
    file: PathBuf,
    reader: SerializedFileReader<File>,
    /// Places in the file of the columns that are read.
    places: Vec<usize>,
    /// Rows of a batch, at most.
    rows: usize,
    /// The row group that is opened next.
    next_group: usize,
    /// The columns of the open row group, and its rows that were not read.
    open: Vec<ColumnReader>,
    left: usize,
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
            let reader = SerializedFileReader::new(regular::open(file)?)?;
            let about = reader.metadata();
            let pairs = about.file_metadata().key_value_metadata().into_iter().flatten();
            let metadata =
                pairs.map(|p| (p.key.clone(), p.value.clone().unwrap_or_default())).collect();
            let count = about.file_metadata().schema_descr().num_columns();
            let fields = (0..count).map(|place| columns::field(about, place));
            let fields = fields.collect::<Result<Vec<_>, _>>()?;
            let places: Vec<usize> =
                (0..count).filter(|place| wanted(fields[*place].name())).collect();
            let read = places.iter().map(|place| fields[*place].clone()).collect::<Vec<_>>();
            Ok(Some(Records {
                file: file.into(),
                reader,
                places,
                rows,
                next_group: 0,
                open: Vec::new(),
                left: 0,
                schema: Arc::new(Schema::new(read)),
                metadata,
            }))
        })
    }

    /// The next rows; `None` at the end.
    fn read(&mut self) -> Result<Option<RecordBatch>, ParquetError> {
        while self.left == 0 {
            if self.next_group == self.reader.num_row_groups() {
                return Ok(None);
            }
            let group = self.reader.get_row_group(self.next_group)?;
            let open = self.places.iter().map(|place| group.get_column_reader(*place));
            self.open = open.collect::<Result<_, _>>()?;
            self.left = usize::try_from(group.metadata().num_rows())?;
            self.next_group += 1;
        }
        let rows = self.rows.min(self.left);
        let columns = self.open.iter_mut().zip(self.schema.fields());
        let arrays = columns.map(|(column, field)| columns::read(column, rows, field));
        let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
        self.left -= rows;
        columns::batch(&self.schema, arrays, rows).map(Some)
    }
}

impl Iterator for Records {
    type Item = Result<RecordBatch, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        let file = self.file.clone();
        guarded(&file, || self.read()).transpose()
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
