//! Floor 8 of Dumbbell: the Python module. It takes a verb and its request as JSON text, and
//! returns JSON text or an Arrow table; `dumbbell_lab::api` has the table of verbs. Columns of
//! packets, contents of files and paths that are not UTF-8 do not fit into JSON and have functions
//! of their own. Users write algorithms as Python classes ([`plugin`]).
//!
//! A call releases the interpreter's lock. Each call of a user's class takes it.
mod columns;
mod plugin;
mod worlds;

use columns::Table;
use dumbbell_lab::api::{self, Answer, Caller, Progress};
use dumbbell_lab::files::durable;
use dumbbell_lab::language::problem::{Problem as Refusal, leave_unwrapped};
use dumbbell_lab::results::manifest;
use dumbbell_lab::run::single_link::{self, Arrivals};
use dumbbell_lab::verb::Interrupt;
use plugin::PythonPlugins;
use pyo3::IntoPyObjectExt;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

create_exception!(
    _native,
    Problem,
    PyException,
    "What the laboratory refuses: (exit code, text \
    for people, JSON)."
);

fn problem(p: Refusal) -> PyErr {
    Problem::new_err((p.code, p.rendered, p.json.to_string()))
}

/// Calls a verb: JSON text or a table. `own`: described classes that the request may name. A verb
/// that can be interrupted calls `progress(finished, runs, fraction)` about ten times a second, and
/// goes on as long as that returns true. `watch` gets what is new of runs that the request watches,
/// as JSON text.
#[pyfunction]
#[pyo3(signature = (verb, request, own = vec![], progress = None, watch = None))]
fn call<'py>(
    py: Python<'py>,
    verb: &str,
    request: &str,
    own: Vec<Bound<'py, PyAny>>,
    progress: Option<Py<PyAny>>,
    watch: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let own = PythonPlugins::read(&own)?;
    let goes_on = |now: Progress| -> bool {
        progress.as_ref().is_none_or(|progress| {
            Python::attach(|py| {
                let heard = progress.call1(py, (now.finished, now.runs, now.fraction));
                heard.and_then(|go_on| go_on.is_truthy(py)).unwrap_or(false)
            })
        })
    };
    let tell = |news: &str| {
        if let Some(watch) = &watch {
            Python::attach(|py| {
                if let Err(error) = watch.call1(py, (news,)) {
                    error.write_unraisable(py, None); // Whoever watches does not end a run.
                }
            });
        }
    };
    let answer = py.detach(|| {
        let caller = Caller { plugins: &own, progress: &goes_on, watch: &tell };
        api::call_text(verb, request, &caller)
    });
    match answer.map_err(problem)? {
        Answer::Document(document) => document.to_string().into_bound_py_any(py),
        Answer::Text(text) => text.into_bound_py_any(py),
        Answer::Table(table) => Table(table).into_bound_py_any(py),
    }
}

/// The table of verbs, with the schemas of their requests.
#[pyfunction]
#[pyo3(name = "verbs")]
fn verbs_document() -> String {
    api::verbs().to_string()
}

/// Columns of arrivals: `time_ps`, `bytes`, `ecn`, `flow`, `dscp`.
type Columns = (Vec<u64>, Vec<u32>, Vec<u8>, Vec<u32>, Vec<u8>);

/// Sends packets, in columns, through one link: see `dumbbell_lab::run::single_link`.
#[pyfunction]
#[pyo3(signature = (request, arrivals, own = vec![]))]
fn drive_link(
    py: Python<'_>,
    request: &str,
    arrivals: Columns,
    own: Vec<Bound<'_, PyAny>>,
) -> PyResult<Table> {
    let (time_ps, bytes, ecn, flow, dscp) = arrivals;
    let own = PythonPlugins::read(&own)?;
    let arrivals = Arrivals { time_ps, bytes, ecn, flow, dscp };
    py.detach(|| single_link::drive(&api::read(request)?, &arrivals, &own))
        .map(Table)
        .map_err(problem)
}

/// The text of a result's `summary.json`, which was checked.
#[pyfunction]
fn summary(py: Python<'_>, file: PathBuf) -> PyResult<String> {
    py.detach(|| manifest::text(&file)).map_err(problem)
}

/// Checks a file of a result directory; false: it was not written.
#[pyfunction]
fn check_file(py: Python<'_>, file: PathBuf) -> PyResult<bool> {
    py.detach(|| manifest::check(&file)).map_err(problem)
}

/// Writes a file whole or leaves it as it was; makes its folder. `new`: there must be no such file.
#[pyfunction]
fn write_file(py: Python<'_>, file: PathBuf, data: &[u8], new: bool) -> PyResult<()> {
    py.detach(|| durable::write_file(&file, data, new)).map_err(problem)
}

#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    leave_unwrapped(); // The command line wraps what it prints; exceptions and documents are not.
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("Problem", m.py().get_type::<Problem>())?;
    m.add_class::<Table>()?;
    m.add_class::<worlds::Worlds>()?;
    plugin::register(m)?;
    // The verbs by name: true if an interrupt stops a call.
    let verbs = PyDict::new(m.py());
    for verb in api::VERBS.iter() {
        verbs.set_item(verb.name, verb.interrupt == Interrupt::Stops)?;
    }
    m.add("VERBS", verbs)?;
    m.add_function(wrap_pyfunction!(call, m)?)?;
    m.add_function(wrap_pyfunction!(verbs_document, m)?)?;
    m.add_function(wrap_pyfunction!(drive_link, m)?)?;
    m.add_function(wrap_pyfunction!(summary, m)?)?;
    m.add_function(wrap_pyfunction!(check_file, m)?)?;
    m.add_function(wrap_pyfunction!(write_file, m)?)?;
    Ok(())
}
