//! A Parquet file that grows during a run: columns with units in their names, memory bounded by a
//! row group.
use arrow_array::builder::{
    BooleanBuilder, Float64Builder, StringBuilder, StringDictionaryBuilder, UInt64Builder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
pub use dumbbell_results::series::cells::{Cell, Type};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::thread::JoinHandle;

/// Rows that are gathered before they are encoded.
const BATCH: usize = 1 << 10;
/// Batches that may wait for their scribe: beyond that the run waits.
const WAITING: usize = 8;
/// Rows of a row group: what a file keeps in memory.
const GROUP: usize = 1 << 18;

enum Column {
    Real(Vec<f64>),
    MaybeReal(Float64Builder),
    Count(Vec<u64>),
    MaybeCount(UInt64Builder),
    Truth(BooleanBuilder),
    Word(StringDictionaryBuilder<Int32Type>),
    Text(StringBuilder),
}

fn field(kind: Type, name: &str) -> Field {
    let data = match kind {
        Type::Real | Type::MaybeReal => DataType::Float64,
        Type::Count | Type::MaybeCount => DataType::UInt64,
        Type::Truth => DataType::Boolean,
        Type::Text => DataType::Utf8,
        Type::Word => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
    };
    Field::new(name, data, !matches!(kind, Type::Real | Type::Count | Type::Truth))
}

impl Column {
    fn new(t: Type) -> Self {
        match t {
            Type::Real => Column::Real(Vec::with_capacity(BATCH)),
            Type::MaybeReal => Column::MaybeReal(Float64Builder::with_capacity(BATCH)),
            Type::Count => Column::Count(Vec::with_capacity(BATCH)),
            Type::MaybeCount => Column::MaybeCount(UInt64Builder::with_capacity(BATCH)),
            Type::Truth => Column::Truth(BooleanBuilder::with_capacity(BATCH)),
            Type::Word => Column::Word(StringDictionaryBuilder::new()),
            Type::Text => Column::Text(StringBuilder::new()),
        }
    }
    /// True if the cell is of the column's type.
    #[inline]
    fn push(&mut self, cell: Cell<'_>) -> bool {
        match (self, cell) {
            (Column::Real(b), Cell::Real(x)) => b.push(x),
            (Column::Count(b), Cell::Count(x)) => b.push(x),
            (Column::MaybeReal(b), Cell::Real(x)) => b.append_value(x),
            (Column::MaybeReal(b), Cell::Nothing) => b.append_null(),
            (Column::MaybeCount(b), Cell::Count(x)) => b.append_value(x),
            (Column::MaybeCount(b), Cell::Nothing) => b.append_null(),
            (Column::Truth(b), Cell::Truth(x)) => b.append_value(x),
            (Column::Word(b), Cell::Word(x)) => b.append_value(x),
            (Column::Word(b), Cell::Nothing) => b.append_null(),
            (Column::Text(b), Cell::Text(x)) => b.append_value(x),
            (Column::Text(b), Cell::Nothing) => b.append_null(),
            _ => return false,
        }
        true
    }
    fn finish(&mut self) -> ArrayRef {
        match self {
            Column::Real(b) => {
                Arc::new(Float64Array::from(std::mem::replace(b, Vec::with_capacity(BATCH))))
            }
            Column::Count(b) => {
                Arc::new(UInt64Array::from(std::mem::replace(b, Vec::with_capacity(BATCH))))
            }
            Column::MaybeReal(b) => Arc::new(b.finish()),
            Column::MaybeCount(b) => Arc::new(b.finish()),
            Column::Truth(b) => Arc::new(b.finish()),
            Column::Word(b) => Arc::new(b.finish()),
            Column::Text(b) => Arc::new(b.finish()),
        }
    }
}

/// A table on its way into a file. A thread of its own encodes and writes, so that the run need not
/// wait for it.
pub struct Table {
    schema: Arc<Schema>,
    columns: Vec<Column>,
    rows: usize,
    batches: SyncSender<RecordBatch>,
    scribe: Option<JoinHandle<Result<ArrowWriter<File>, ParquetError>>>,
}

impl Table {
    /// A table with these columns in a new file.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn create(file: &Path, columns: &[(String, Type)]) -> Result<Table, ParquetError> {
        let schema =
            Arc::new(Schema::new(columns.iter().map(|(n, t)| field(*t, n)).collect::<Vec<_>>()));
        let mut writer =
            ArrowWriter::try_new(File::create(file)?, schema.clone(), Some(properties(columns)))?;
        let columns = columns.iter().map(|(_, t)| Column::new(*t)).collect();
        let (batches, waiting) = mpsc::sync_channel::<RecordBatch>(WAITING);
        let scribe =
            std::thread::Builder::new().name("dumbbell-scribe".into()).spawn(move || {
                for batch in waiting {
                    writer.write(&batch)?;
                }
                Ok(writer)
            })?;
        Ok(Table { schema, columns, rows: 0, batches, scribe: Some(scribe) })
    }

    /// One more row, a cell for each column.
    ///
    /// # Errors
    /// The disk is full, the file is gone, or a cell is not of its column's type.
    pub fn row<'a>(
        &mut self,
        cells: impl IntoIterator<Item = Cell<'a>>,
    ) -> Result<(), ParquetError> {
        let mut cells = cells.into_iter();
        for (i, column) in self.columns.iter_mut().enumerate() {
            let cell = cells.next().unwrap_or(Cell::Nothing);
            if !column.push(cell) {
                let name = self.schema.field(i).name();
                return Err(ParquetError::General(format!(
                    "{cell:?} is not a value for the column \
                    `{name}`"
                )));
            }
        }
        self.rows += 1;
        if self.rows == BATCH { self.hand_over() } else { Ok(()) }
    }

    /// Gives what was gathered to the scribe; one that has given up says why when it is joined.
    fn hand_over(&mut self) -> Result<(), ParquetError> {
        self.rows = 0;
        let arrays = self.columns.iter_mut().map(Column::finish).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), arrays)?;
        self.batches.send(batch).or_else(|_| self.outcome().and(Err(gone())))
    }

    /// Waits for the writer thread and returns its outcome.
    fn outcome(&mut self) -> Result<ArrowWriter<File>, ParquetError> {
        let scribe = self.scribe.take().ok_or_else(gone)?;
        scribe.join().unwrap_or_else(|_| Err(gone()))
    }

    /// Writes what is left and the metadata.
    ///
    /// # Errors
    /// The disk is full, or the file is gone.
    pub fn close(mut self, metadata: &[(String, String)]) -> Result<(), ParquetError> {
        if self.rows > 0 {
            self.hand_over()?;
        }
        self.batches = mpsc::sync_channel(0).0; // The last sender goes: the scribe ends.
        let mut writer = self.outcome()?;
        for (key, value) in metadata {
            writer.append_key_value_metadata(KeyValue::new(key.clone(), value.clone()));
        }
        writer.close().map(drop)
    }
}

/// The scribe ended without a word.
fn gone() -> ParquetError {
    ParquetError::General("the thread that writes records is gone".into())
}

/// A dictionary only where values repeat: for measurements it costs more than the whole rest.
fn properties(columns: &[(String, Type)]) -> WriterProperties {
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(GROUP))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_dictionary_enabled(false);
    for (name, t) in columns {
        if *t == Type::Word {
            builder = builder.set_column_dictionary_enabled(ColumnPath::from(name.as_str()), true);
        }
    }
    builder.build()
}
