//! Floor 5 of Dumbbell: the door to Python. JSON text in, JSON text out; everything else is `dumbbell_lab`'s.
//!
//! The interpreter's lock is released while a scenario runs. A run asks Python for pending signals now and
//! then, so that Ctrl-C ends it within a fraction of a second.
use dumbbell_lab::door;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use serde_json::Value;
use std::sync::Mutex;

create_exception!(_native, Problem, PyException, "What the laboratory refuses: (exit code, text for people, JSON).");

fn problem(p: door::Problem) -> PyErr {
    Problem::new_err((p.code, p.rendered, p.json.to_string()))
}

fn read(request: &str) -> PyResult<Value> {
    serde_json::from_str(request).map_err(|e| PyValueError::new_err(format!("the request is not JSON: {e}")))
}

/// Every algorithm by kind, with its page, parameters and defaults.
#[pyfunction]
fn catalogue() -> String {
    door::catalogue().to_string()
}

/// JSON Schema of a scenario file.
#[pyfunction]
fn schema() -> String {
    door::schema().to_string()
}

/// The points of a scenario with every default resolved.
#[pyfunction]
fn plan(py: Python<'_>, request: &str) -> PyResult<String> {
    let request = read(request)?;
    py.detach(|| door::plan(&request)).map(|v| v.to_string()).map_err(problem)
}

/// Runs a scenario. `progress(done, total)` is called after each run, from the thread that ended it.
#[pyfunction]
#[pyo3(signature = (request, progress=None))]
fn run(py: Python<'_>, request: &str, progress: Option<Py<PyAny>>) -> PyResult<String> {
    let request = read(request)?;
    let raised = Mutex::new(None);
    let report = |done: u64, total: u64| -> bool {
        let heard = Python::attach(|py| {
            py.check_signals()?;
            progress.as_ref().map_or(Ok(()), |call| call.call1(py, (done, total)).map(drop))
        });
        let go_on = heard.is_ok();
        if let Err(e) = heard {
            raised.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(e);
        }
        go_on
    };
    let result = py.detach(|| door::run(&request, &report));
    if let Some(e) = raised.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        return Err(e);
    }
    result.map(|v| v.to_string()).map_err(problem)
}

#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("Problem", m.py().get_type::<Problem>())?;
    m.add_function(wrap_pyfunction!(catalogue, m)?)?;
    m.add_function(wrap_pyfunction!(schema, m)?)?;
    m.add_function(wrap_pyfunction!(plan, m)?)?;
    m.add_function(wrap_pyfunction!(run, m)?)
}
