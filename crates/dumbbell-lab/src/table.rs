//! A Parquet file that grows while a run goes on: columns with units in their names, memory bounded by a row group.
use arrow_array::builder::{BooleanBuilder, Float64Builder, StringBuilder, StringDictionaryBuilder, UInt64Builder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Rows that are gathered before they are encoded.
const BATCH: usize = 1 << 14;
/// Rows of a row group: what a file keeps in memory.
const GROUP: usize = 1 << 18;

/// What a column holds. All may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A number.
    Real,
    /// A count.
    Count,
    /// A truth value.
    Truth,
    /// A name, stored once.
    Word,
    /// A text of its own in each row.
    Text,
}

/// One value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// For [`Type::Real`].
    Real(Option<f64>),
    /// For [`Type::Count`].
    Count(Option<u64>),
    /// For [`Type::Truth`].
    Truth(bool),
    /// For [`Type::Word`].
    Word(&'a str),
    /// For [`Type::Text`]; an empty one is null.
    Text(&'a str),
    /// Null, in any column.
    Nothing,
}

enum Column {
    Real(Float64Builder),
    Count(UInt64Builder),
    Truth(BooleanBuilder),
    Word(StringDictionaryBuilder<Int32Type>),
    Text(StringBuilder),
}

impl Column {
    fn new(t: Type) -> Self {
        match t {
            Type::Real => Column::Real(Float64Builder::with_capacity(BATCH)),
            Type::Count => Column::Count(UInt64Builder::with_capacity(BATCH)),
            Type::Truth => Column::Truth(BooleanBuilder::with_capacity(BATCH)),
            Type::Word => Column::Word(StringDictionaryBuilder::new()),
            Type::Text => Column::Text(StringBuilder::new()),
        }
    }
    /// A cell of another type than the column's is null.
    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Column::Real(b), Cell::Real(x)) => b.append_option(x),
            (Column::Count(b), Cell::Count(x)) => b.append_option(x),
            (Column::Truth(b), Cell::Truth(x)) => b.append_value(x),
            (Column::Word(b), Cell::Word(x)) => b.append_value(x),
            (Column::Text(b), Cell::Text(x)) if !x.is_empty() => b.append_value(x),
            (Column::Real(b), _) => b.append_null(),
            (Column::Count(b), _) => b.append_null(),
            (Column::Truth(b), _) => b.append_null(),
            (Column::Word(b), _) => b.append_null(),
            (Column::Text(b), _) => b.append_null(),
        }
    }
    fn finish(&mut self) -> ArrayRef {
        match self {
            Column::Real(b) => Arc::new(b.finish()),
            Column::Count(b) => Arc::new(b.finish()),
            Column::Truth(b) => Arc::new(b.finish()),
            Column::Word(b) => Arc::new(b.finish()),
            Column::Text(b) => Arc::new(b.finish()),
        }
    }
}

/// A table on its way into a file.
pub struct Table {
    schema: Arc<Schema>,
    columns: Vec<Column>,
    rows: usize,
    writer: ArrowWriter<File>,
}

impl Table {
    /// A table with these columns in a new file.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn create(file: &Path, columns: &[(String, Type)]) -> Result<Table, ParquetError> {
        let field = |(name, t): &(String, Type)| {
            let data = match t {
                Type::Real => DataType::Float64,
                Type::Count => DataType::UInt64,
                Type::Truth => DataType::Boolean,
                Type::Text => DataType::Utf8,
                Type::Word => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            };
            Field::new(name, data, true)
        };
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(GROUP))
            .build();
        let writer = ArrowWriter::try_new(File::create(file)?, schema.clone(), Some(properties))?;
        let columns = columns.iter().map(|(_, t)| Column::new(*t)).collect();
        Ok(Table { schema, columns, rows: 0, writer })
    }

    /// One more row, a cell for each column; columns without a cell are null.
    ///
    /// # Errors
    /// The disk is full, or the file is gone.
    pub fn row<'a>(&mut self, cells: impl IntoIterator<Item = Cell<'a>>) -> Result<(), ParquetError> {
        let mut cells = cells.into_iter();
        for column in &mut self.columns {
            column.push(cells.next().unwrap_or(Cell::Real(None)));
        }
        self.rows += 1;
        if self.rows == BATCH { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        self.rows = 0;
        let arrays = self.columns.iter_mut().map(Column::finish).collect();
        self.writer.write(&RecordBatch::try_new(self.schema.clone(), arrays)?)
    }

    /// Writes what is left and the metadata.
    ///
    /// # Errors
    /// The disk is full, or the file is gone.
    pub fn close(mut self, metadata: &[(String, String)]) -> Result<(), ParquetError> {
        if self.rows > 0 {
            self.flush()?;
        }
        for (key, value) in metadata {
            self.writer.append_key_value_metadata(KeyValue::new(key.clone(), value.clone()));
        }
        self.writer.close().map(drop)
    }
}
