//! Columns of a Parquet file as Arrow arrays: the types that records have.
use crate::formats::arrow_table::word;
use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, RecordBatch, RecordBatchOptions, StringArray, UInt64Array,
};
use arrow_schema::{DataType, Field, SchemaRef};
use parquet::basic::{Repetition, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{self, ByteArray};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use std::sync::Arc;

fn wrong(what: impl std::fmt::Display) -> ParquetError {
    ParquetError::General(what.to_string())
}

/// The name and type of the column at `place`. Texts that the file stores once are words.
pub(super) fn field(file: &ParquetMetaData, place: usize) -> Result<Field, ParquetError> {
    let column = file.file_metadata().schema_descr().column(place);
    let (name, info) = (column.name(), column.self_type().get_basic_info());
    if column.path().parts().len() != 1 || info.repetition() == Repetition::REPEATED {
        return Err(wrong(format!("the column `{}` is nested", column.path())));
    }
    let stored_once =
        || file.row_groups().iter().any(|g| g.column(place).dictionary_page_offset().is_some());
    let kind = match column.physical_type() {
        Type::BOOLEAN => DataType::Boolean,
        Type::DOUBLE => DataType::Float64,
        Type::INT64 => DataType::UInt64,
        Type::BYTE_ARRAY if stored_once() => word(),
        Type::BYTE_ARRAY => DataType::Utf8,
        other => return Err(wrong(format!("the column `{name}` is of type {other}"))),
    };
    Ok(Field::new(name, kind, info.repetition() == Repetition::OPTIONAL))
}

/// The next `rows` values of a column.
pub(super) fn read(
    column: &mut ColumnReader,
    rows: usize,
    field: &Field,
) -> Result<ArrayRef, ParquetError> {
    let nullable = field.is_nullable();
    Ok(match column {
        ColumnReader::BoolColumnReader(c) => {
            let (values, levels) = values(c, rows, nullable)?;
            match levels {
                None => Arc::new(BooleanArray::from(values)),
                Some(levels) => Arc::new(BooleanArray::from_iter(spaced(values, &levels))),
            }
        }
        ColumnReader::DoubleColumnReader(c) => {
            let (values, levels) = values(c, rows, nullable)?;
            match levels {
                None => Arc::new(Float64Array::from(values)),
                Some(levels) => Arc::new(Float64Array::from_iter(spaced(values, &levels))),
            }
        }
        ColumnReader::Int64ColumnReader(c) => {
            let (values, levels) = values(c, rows, nullable)?;
            let values = values.into_iter().map(i64::cast_unsigned);
            match levels {
                None => Arc::new(UInt64Array::from_iter_values(values)),
                Some(levels) => Arc::new(UInt64Array::from_iter(spaced(values, &levels))),
            }
        }
        ColumnReader::ByteArrayColumnReader(c) => {
            let (values, levels) = values(c, rows, nullable)?;
            let levels = levels.unwrap_or_else(|| vec![1; rows]);
            texts(&values, &levels, field.data_type() == &word())?
        }
        _ => return Err(wrong(format!("the column `{}` has another type", field.name()))),
    })
}

/// Values, and of a column that may have nulls for each row whether it has one.
type Values<T> = (Vec<T>, Option<Vec<i16>>);

/// The values of `rows` rows.
fn values<T: data_type::DataType>(
    column: &mut ColumnReaderImpl<T>,
    rows: usize,
    nullable: bool,
) -> Result<Values<T::T>, ParquetError> {
    let (mut values, mut levels) = (Vec::with_capacity(rows), nullable.then(Vec::new));
    let (read, ..) = column.read_records(rows, levels.as_mut(), None, &mut values)?;
    if read != rows {
        return Err(wrong(format!("a column ends after {read} of {rows} rows")));
    }
    Ok((values, levels))
}

/// A value for each row that has one.
fn spaced<T>(
    values: impl IntoIterator<Item = T>,
    levels: &[i16],
) -> impl Iterator<Item = Option<T>> {
    let mut values = values.into_iter();
    levels.iter().map(move |level| if *level > 0 { values.next() } else { None })
}

fn texts(values: &[ByteArray], levels: &[i16], words: bool) -> Result<ArrayRef, ParquetError> {
    let texts = values.iter().map(ByteArray::as_utf8).collect::<Result<Vec<&str>, _>>()?;
    let rows = spaced(texts, levels);
    if !words {
        return Ok(Arc::new(StringArray::from_iter(rows)));
    }
    let mut array = StringDictionaryBuilder::<Int32Type>::new();
    rows.for_each(|text| array.append_option(text));
    Ok(Arc::new(array.finish()))
}

/// A batch of `rows` rows, which may be of no column.
pub(super) fn batch(
    schema: &SchemaRef,
    arrays: Vec<ArrayRef>,
    rows: usize,
) -> Result<RecordBatch, ParquetError> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema.clone(), arrays, &options).map_err(wrong)
}
