//! A table of results for Python by the Arrow PyCapsule protocol: whoever speaks it (polars,
//! pyarrow, pandas, DuckDB) takes the columns as they lie in memory, without a copy.
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, StringArray, UInt64Array,
};
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::ffi::FFI_ArrowSchema;
use dumbbell_lab::formats::arrow_table::ArrowTable;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

/// Columns by name. Any library that speaks the Arrow PyCapsule protocol takes it.
#[pyclass(frozen, module = "dumbbell._native")]
pub struct Table(pub ArrowTable);

#[pymethods]
impl Table {
    /// The table as a stream of batches, in a capsule. A wish for another schema is not fulfilled,
    /// which the protocol allows: the consumer casts.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let rows = RecordBatchIterator::new(
            self.0.batches.clone().into_iter().map(Ok),
            self.0.schema.clone(),
        );
        PyCapsule::new_with_value(
            py,
            FFI_ArrowArrayStream::new(Box::new(rows)),
            c"arrow_array_stream",
        )
    }

    /// Names and types of the columns, in a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.0.schema.as_ref());
        let schema = schema.map_err(|e| PyValueError::new_err(e.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    fn __len__(&self) -> usize {
        self.0.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.schema.fields().iter().map(|f| f.name().clone()).collect()
    }

    /// The values of a column as Python's own; at most `limit` of them.
    #[pyo3(signature = (name, limit = None))]
    fn column<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        limit: Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let index = self.0.schema.index_of(name).map_err(|_| {
            let all = self.columns().join(", ");
            PyKeyError::new_err(format!("there is no column `{name}`; there are {all}"))
        })?;
        let mut left = limit.unwrap_or(usize::MAX);
        let out = PyList::empty(py);
        for batch in &self.0.batches {
            let take = left.min(batch.num_rows());
            left -= take;
            append(&out, &batch.column(index).slice(0, take))?;
        }
        Ok(out)
    }
}

/// The values of an array at the end of a list. These are the types that results have.
fn append(out: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()> {
    let any = array.as_any();
    if let Some(a) = any.downcast_ref::<Float64Array>() {
        return a.iter().try_for_each(|x| out.append(x));
    }
    if let Some(a) = any.downcast_ref::<UInt64Array>() {
        return a.iter().try_for_each(|x| out.append(x));
    }
    if let Some(a) = any.downcast_ref::<BooleanArray>() {
        return a.iter().try_for_each(|x| out.append(x));
    }
    if let Some(a) = any.downcast_ref::<StringArray>() {
        return a.iter().try_for_each(|x| out.append(x));
    }
    let words = any
        .downcast_ref::<DictionaryArray<Int32Type>>()
        .and_then(|a| a.downcast_dict::<StringArray>());
    match words {
        Some(words) => words.into_iter().try_for_each(|x| out.append(x)),
        None => Err(PyTypeError::new_err(format!(
            "a column of {} has no list: ask an Arrow library",
            array.data_type()
        ))),
    }
}
