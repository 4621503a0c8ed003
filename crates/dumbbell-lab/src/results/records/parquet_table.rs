//! A Parquet file that grows during a run: columns with units in their names, memory bounded by a
//! row group.
use super::arrow_schema;
pub use dumbbell_results::series::cells::{Cell, Type};
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type as SchemaType};
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::thread::JoinHandle;

/// Rows of a row group. Two groups are in memory: one is gathered while the other is encoded.
const GROUP: usize = 1 << 15;

/// The values of a column that are gathered.
enum Column {
    Real(Values<f64>),
    Count(Values<i64>),
    Truth(Values<bool>),
    Word(Values<ByteArray>, HashMap<String, ByteArray>),
    Text(Values<ByteArray>),
}

/// Values, and of a column that may have nulls for each row whether it has a value.
struct Values<T> {
    values: Vec<T>,
    levels: Option<Vec<i16>>,
}

impl<T> Values<T> {
    fn new(nullable: bool) -> Self {
        Values { values: Vec::new(), levels: nullable.then(Vec::new) }
    }
    #[inline]
    fn push(&mut self, value: T) {
        self.values.push(value);
        if let Some(levels) = &mut self.levels {
            levels.push(1);
        }
    }
    /// False if the column has no nulls.
    #[inline]
    fn push_null(&mut self) -> bool {
        let Some(levels) = &mut self.levels else { return false };
        levels.push(0);
        true
    }
    /// What was gathered; the place stays, as large as before.
    fn take(&mut self) -> Self {
        let (rows, room) = (self.values.len(), self.levels.as_ref().map(Vec::len));
        let fresh =
            Values { values: Vec::with_capacity(rows), levels: room.map(Vec::with_capacity) };
        std::mem::replace(self, fresh)
    }
    fn write<D: DataType<T = T>>(
        &self,
        out: &mut SerializedColumnWriter<'_>,
    ) -> Result<(), ParquetError> {
        out.typed::<D>().write_batch(&self.values, self.levels.as_deref(), None).map(drop)
    }
}

impl Column {
    fn new(kind: Type) -> Self {
        let nullable = kind.is_nullable();
        match kind {
            Type::Real | Type::MaybeReal => Column::Real(Values::new(nullable)),
            Type::Count | Type::MaybeCount => Column::Count(Values::new(nullable)),
            Type::Truth => Column::Truth(Values::new(nullable)),
            Type::Word => Column::Word(Values::new(nullable), HashMap::new()),
            Type::Text => Column::Text(Values::new(nullable)),
        }
    }
    /// True if the cell is of the column's type.
    #[inline]
    fn push(&mut self, cell: Cell<'_>) -> bool {
        match (self, cell) {
            (Column::Real(c), Cell::Real(x)) => c.push(x),
            (Column::Count(c), Cell::Count(x)) => c.push(x.cast_signed()),
            (Column::Truth(c), Cell::Truth(x)) => c.push(x),
            (Column::Word(c, known), Cell::Word(x)) => match known.get(x) {
                Some(word) => c.push(word.clone()),
                None => {
                    let word = ByteArray::from(x);
                    known.insert(x.to_owned(), word.clone());
                    c.push(word);
                }
            },
            (Column::Text(c), Cell::Text(x)) => c.push(ByteArray::from(x)),
            (Column::Real(c), Cell::Nothing) => return c.push_null(),
            (Column::Count(c), Cell::Nothing) => return c.push_null(),
            (Column::Word(c, _) | Column::Text(c), Cell::Nothing) => return c.push_null(),
            _ => return false,
        }
        true
    }
    fn take(&mut self) -> Self {
        match self {
            Column::Real(c) => Column::Real(c.take()),
            Column::Count(c) => Column::Count(c.take()),
            Column::Truth(c) => Column::Truth(c.take()),
            Column::Word(c, _) => Column::Word(c.take(), HashMap::new()),
            Column::Text(c) => Column::Text(c.take()),
        }
    }
    fn write(&self, out: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        match self {
            Column::Real(c) => c.write::<DoubleType>(out),
            Column::Count(c) => c.write::<Int64Type>(out),
            Column::Truth(c) => c.write::<BoolType>(out),
            Column::Word(c, _) | Column::Text(c) => c.write::<ByteArrayType>(out),
        }
    }
}

/// The columns of a row group.
type Group = Vec<Column>;
type Writer = SerializedFileWriter<File>;

/// A table on its way into a file. A thread of its own encodes and writes, so that the run need not
/// wait for it.
pub struct Table {
    names: Vec<String>,
    columns: Group,
    rows: usize,
    groups: SyncSender<Group>,
    scribe: Option<JoinHandle<Result<Writer, ParquetError>>>,
}

impl Table {
    /// A table with these columns in a new file.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn create(file: &Path, columns: &[(String, Type)]) -> Result<Table, ParquetError> {
        let mut writer = SerializedFileWriter::new(
            File::create(file)?,
            schema(columns)?,
            Arc::new(properties(columns)),
        )?;
        // No group waits: the run does not get farther ahead of its scribe than the one it gathers.
        let (groups, waiting) = mpsc::sync_channel::<Group>(0);
        let scribe =
            std::thread::Builder::new().name("dumbbell-scribe".into()).spawn(move || {
                for group in waiting {
                    write(&mut writer, &group)?;
                }
                Ok(writer)
            })?;
        let names = columns.iter().map(|(name, _)| name.clone()).collect();
        let columns = columns.iter().map(|(_, kind)| Column::new(*kind)).collect();
        Ok(Table { names, columns, rows: 0, groups, scribe: Some(scribe) })
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
                return Err(ParquetError::General(format!(
                    "{cell:?} is not a value for the column `{}`",
                    self.names[i]
                )));
            }
        }
        self.rows += 1;
        if self.rows == GROUP { self.hand_over() } else { Ok(()) }
    }

    /// Gives what was gathered to the scribe; one that has given up says why when it is joined.
    fn hand_over(&mut self) -> Result<(), ParquetError> {
        self.rows = 0;
        let group = self.columns.iter_mut().map(Column::take).collect();
        self.groups.send(group).or_else(|_| self.outcome().and(Err(gone())))
    }

    /// Waits for the writer thread and returns its outcome.
    fn outcome(&mut self) -> Result<Writer, ParquetError> {
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
        self.groups = mpsc::sync_channel(0).0; // The last sender goes: the scribe ends.
        let mut writer = self.outcome()?;
        for (key, value) in metadata {
            writer.append_key_value_metadata(KeyValue::new(key.clone(), value.clone()));
        }
        writer.close().map(drop)
    }
}

/// Writes a row group.
fn write(writer: &mut Writer, columns: &[Column]) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for column in columns {
        let mut out = group.next_column()?.ok_or_else(gone)?;
        column.write(&mut out)?;
        out.close()?;
    }
    group.close().map(drop)
}

/// The scribe ended without a word.
fn gone() -> ParquetError {
    ParquetError::General("the thread that writes records is gone".into())
}

/// The columns in Parquet's types.
fn schema(columns: &[(String, Type)]) -> Result<Arc<SchemaType>, ParquetError> {
    let fields = columns.iter().map(|(name, kind)| {
        let (physical, logical) = match kind {
            Type::Real | Type::MaybeReal => (PhysicalType::DOUBLE, None),
            Type::Count | Type::MaybeCount => {
                (PhysicalType::INT64, Some(LogicalType::integer(64, false)))
            }
            Type::Truth => (PhysicalType::BOOLEAN, None),
            Type::Word | Type::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition =
            if kind.is_nullable() { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        SchemaType::primitive_type_builder(name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    });
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    SchemaType::group_type_builder("schema").with_fields(fields).build().map(Arc::new)
}

/// A dictionary only where values repeat: for measurements it costs more than the whole rest.
fn properties(columns: &[(String, Type)]) -> WriterProperties {
    let schema = KeyValue::new(arrow_schema::KEY.into(), arrow_schema::text(columns));
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_key_value_metadata(Some(vec![schema]))
        .set_dictionary_enabled(false);
    for (name, kind) in columns {
        if *kind == Type::Word {
            builder = builder.set_column_dictionary_enabled(ColumnPath::from(name.as_str()), true);
        }
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::read_records::Records;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
    use arrow_array::{Array, RecordBatch};

    const KINDS: [(&str, Type); 8] = [
        ("real", Type::Real),
        ("maybe_real", Type::MaybeReal),
        ("count", Type::Count),
        ("maybe_count", Type::MaybeCount),
        ("truth", Type::Truth),
        ("word", Type::Word),
        ("nobody", Type::Word),
        ("text", Type::Text),
    ];

    fn cells(i: usize, text: &str) -> [Cell<'_>; 8] {
        let or_null = |cell| if i.is_multiple_of(3) { Cell::Nothing } else { cell };
        [
            Cell::Real(i as f64 / 4.0),
            or_null(Cell::Real(i as f64)),
            Cell::Count(u64::MAX - i as u64),
            or_null(Cell::Count(i as u64)),
            Cell::Truth(i.is_multiple_of(2)),
            or_null(Cell::Word(["one", "two"][i % 2])),
            Cell::Nothing,
            or_null(Cell::Text(text)),
        ]
    }

    fn check(batch: &RecordBatch, row: usize, i: usize) {
        let null = i.is_multiple_of(3);
        let column = |k: usize| batch.column(k);
        let nulls: Vec<bool> = batch.columns().iter().map(|c| c.is_null(row)).collect();
        assert_eq!(nulls, [false, null, false, null, false, null, true, null]);
        assert_eq!(column(0).as_primitive::<Float64Type>().value(row), i as f64 / 4.0);
        assert_eq!(column(2).as_primitive::<UInt64Type>().value(row), u64::MAX - i as u64);
        assert_eq!(column(4).as_boolean().value(row), i.is_multiple_of(2));
        if !null {
            assert_eq!(column(1).as_primitive::<Float64Type>().value(row), i as f64);
            assert_eq!(column(3).as_primitive::<UInt64Type>().value(row), i as u64);
            let words = column(5).as_dictionary::<Int32Type>();
            let word = words.values().as_string::<i32>().value(words.keys().value(row) as usize);
            assert_eq!(word, ["one", "two"][i % 2]);
            assert_eq!(column(7).as_string::<i32>().value(row), format!("text {i}"));
        }
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let columns = KINDS.map(|(name, kind)| (name.to_string(), kind));
        let mut table = Table::create(file.path(), &columns).unwrap();
        let rows = 2 * GROUP + 7;
        for i in 0..rows {
            table.row(cells(i, &format!("text {i}"))).unwrap();
        }
        table.close(&[("key".into(), "value".into())]).unwrap();
        let mut read = Records::open(file.path(), 1000).unwrap().unwrap();
        assert!(read.metadata.contains(&("key".into(), "value".into())));
        let mut i = 0;
        for batch in read.by_ref() {
            let batch = batch.unwrap();
            (0..batch.num_rows()).for_each(|row| check(&batch, row, i + row));
            i += batch.num_rows();
        }
        assert_eq!(i, rows);
        let some = Records::open_columns(file.path(), 1000, |name| name == "truth").unwrap();
        let batch = some.unwrap().next().unwrap().unwrap();
        assert_eq!((batch.num_columns(), batch.num_rows()), (1, 1000));
    }

    #[test]
    fn a_cell_of_another_type_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut table = Table::create(file.path(), &[("n".into(), Type::Count)]).unwrap();
        let refused = table.row([Cell::Nothing]).unwrap_err();
        assert_eq!(refused.to_string(), "Parquet error: Nothing is not a value for the column `n`");
    }
}
