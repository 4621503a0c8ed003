//! Floor 7 of Dumbbell: the door to Python. JSON text in, JSON text or an Arrow table out;
//! everything else is `dumbbell_lab`'s, but for algorithms of a user's own, which are Python
//! classes ([`plugin`]).
//!
//! The interpreter's lock is released while a scenario runs and while records are read; each call
//! of such a class takes it for its time.
mod columns;
mod plugin;

use columns::Table;
use dumbbell_lab::language::problem::Problem as Refusal;
use dumbbell_lab::run::single_link::Arrivals;

use dumbbell_lab::api;
use dumbbell_lab::run::conformance;
use plugin::PythonPlugins;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use serde_json::Value;
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

fn read(request: &str) -> PyResult<Value> {
    serde_json::from_str(request).map_err(|e| problem(api::not_json(&e)))
}

/// Every algorithm by kind, with its page, parameters and defaults.
#[pyfunction]
#[pyo3(signature = (own = vec![]))]
fn catalogue(own: Vec<Bound<'_, PyAny>>) -> PyResult<String> {
    Ok(api::catalogue_with(PythonPlugins::read(&own)?.plugins()).to_string())
}

/// JSON Schema of a scenario file.
#[pyfunction]
#[pyo3(signature = (own = vec![]))]
fn schema(own: Vec<Bound<'_, PyAny>>) -> PyResult<String> {
    Ok(api::schema_with(PythonPlugins::read(&own)?.plugins()).to_string())
}

/// The points of a scenario with every default resolved. `own`: described classes that it may name.
#[pyfunction]
#[pyo3(signature = (request, own = vec![]))]
fn plan(py: Python<'_>, request: &str, own: Vec<Bound<'_, PyAny>>) -> PyResult<String> {
    let (request, own) = (read(request)?, PythonPlugins::read(&own)?);
    py.detach(|| api::plan_text(&request, &own)).map_err(problem)
}

/// Checks the syntax and the names of a scenario that may still lack something.
#[pyfunction]
#[pyo3(signature = (request, own = vec![]))]
fn draft(py: Python<'_>, request: &str, own: Vec<Bound<'_, PyAny>>) -> PyResult<String> {
    let (request, own) = (read(request)?, PythonPlugins::read(&own)?);
    py.detach(|| api::draft(&request, &own)).map(|()| "null".into()).map_err(problem)
}

/// How much of each flow's way others take, too.
#[pyfunction]
#[pyo3(signature = (request, own = vec![]))]
fn sharing(py: Python<'_>, request: &str, own: Vec<Bound<'_, PyAny>>) -> PyResult<String> {
    let (request, own) = (read(request)?, PythonPlugins::read(&own)?);
    py.detach(|| api::sharing(&request, &own)).map(|v| v.to_string()).map_err(problem)
}

/// Runs a scenario. About ten times a second, and at the end, `progress(finished, runs, fraction)`
/// is called; the runs go on as long as that returns true.
#[pyfunction]
#[pyo3(signature = (request, progress, own = vec![]))]
fn run(
    py: Python<'_>,
    request: &str,
    progress: Py<PyAny>,
    own: Vec<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (request, own) = (read(request)?, PythonPlugins::read(&own)?);
    let report = |p: api::Progress| -> bool {
        Python::attach(|py| {
            let heard = progress.call1(py, (p.finished, p.runs, p.fraction));
            heard.and_then(|go_on| go_on.is_truthy(py)).unwrap_or(false)
        })
    };
    py.detach(|| api::run_with(&request, &report, &own)).map(|v| v.to_string()).map_err(problem)
}

/// Makes one run and says what it costs.
#[pyfunction]
#[pyo3(name = "bench")] // `bench` is a word of the compiler's, too.
fn measure(py: Python<'_>, order: &str) -> PyResult<String> {
    let order = read(order)?;
    py.detach(|| api::bench(&order)).map(|v| v.to_string()).map_err(problem)
}

/// The known name that a word was probably meant to be.
#[pyfunction]
fn nearest(written: &str, known: Vec<String>) -> Option<String> {
    api::nearest(written, &known).map(str::to_string)
}

/// The conformance suite, applied to described classes.
#[pyfunction]
fn test(py: Python<'_>, own: Vec<Bound<'_, PyAny>>) -> PyResult<String> {
    let own = PythonPlugins::read(&own)?;
    Ok(py.detach(|| conformance::test(own.plugins())).to_string())
}

/// Sends a trace of packets through a queue, or takes a congestion control through a trace of
/// events.
#[pyfunction]
#[pyo3(signature = (request, own = vec![]))]
fn drive(py: Python<'_>, request: &str, own: Vec<Bound<'_, PyAny>>) -> PyResult<String> {
    let (request, own) = (read(request)?, PythonPlugins::read(&own)?);
    let drive = if request["cc"].is_null() {
        conformance::drive_queue
    } else {
        conformance::drive_connection
    };
    py.detach(|| drive(&request, &own)).map(|v| v.to_string()).map_err(problem)
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
    let (request, own) = (read(request)?, PythonPlugins::read(&own)?);
    let arrivals = Arrivals { time_ps, bytes, ecn, flow, dscp };
    py.detach(|| dumbbell_lab::run::single_link::drive(&request, &arrivals, &own))
        .map(Table)
        .map_err(problem)
}

/// RED's RTL beside its model. `progress(fraction)` is called some ten times a second; it goes on
/// as long as that returns true.
#[pyfunction]
fn rtl_lockstep(py: Python<'_>, request: &str, progress: Py<PyAny>) -> PyResult<String> {
    let request = read(request)?;
    let goes_on = |share: f64| -> bool {
        Python::attach(|py| {
            progress.call1(py, (share,)).and_then(|answer| answer.is_truthy(py)).unwrap_or(false)
        })
    };
    py.detach(|| api::rtl_lockstep(&request, &goes_on)).map(|v| v.to_string()).map_err(problem)
}

/// Writes stimulus and expectation of RED's RTL as plain hex.
#[pyfunction]
fn rtl_vectors(py: Python<'_>, request: &str) -> PyResult<String> {
    let request = read(request)?;
    py.detach(|| api::rtl_vectors(&request)).map(|v| v.to_string()).map_err(problem)
}

/// What this machine can do for the testbed, and why not.
#[pyfunction]
fn doctor(py: Python<'_>) -> String {
    py.detach(|| dumbbell_lab::run::testbed::doctor().to_string())
}

/// What a gigabyte costs two real hosts. It goes on as long as `going()`, which is asked some
/// twenty times a second, is true.
#[pyfunction]
fn gigabyte(py: Python<'_>, request: &str, going: Py<PyAny>) -> PyResult<String> {
    let request = read(request)?;
    let goes_on = || -> bool {
        Python::attach(|py| {
            going.call0(py).and_then(|answer| answer.is_truthy(py)).unwrap_or(false)
        })
    };
    py.detach(|| dumbbell_lab::run::testbed::cpu_cost(&request, &goes_on))
        .map(|v| v.to_string())
        .map_err(problem)
}

/// Runs a program in a host of a network. An interrupt is the program's to answer; the run ends
/// when it does.
#[pyfunction]
fn shell(py: Python<'_>, request: &str) -> PyResult<String> {
    let request = read(request)?;
    py.detach(|| dumbbell_lab::run::shell::shell(&request, &|_| true))
        .map(|v| v.to_string())
        .map_err(problem)
}

/// Runs a command where it may make hosts without being root; its exit code.
#[pyfunction]
fn enclose(py: Python<'_>, argv: &str) -> PyResult<String> {
    let argv = read(argv)?;
    py.detach(|| dumbbell_lab::run::testbed::enclose(&argv))
        .map(|code| code.to_string())
        .map_err(problem)
}

/// Makes a live run again from its log.
#[pyfunction]
fn replay(py: Python<'_>, request: &str) -> PyResult<String> {
    let request = read(request)?;
    py.detach(|| dumbbell_lab::run::testbed::replay(&request))
        .map(|v| v.to_string())
        .map_err(problem)
}

/// Looks after a store: check, list, repair, gc.
#[pyfunction]
fn store(py: Python<'_>, request: &str) -> PyResult<String> {
    let request = read(request)?;
    py.detach(|| api::store(&request)).map(|v| v.to_string()).map_err(problem)
}

/// The runs of a request that its store has not, for workers.
#[pyfunction]
fn jobs(py: Python<'_>, request: &str) -> PyResult<String> {
    let request = read(request)?;
    py.detach(|| api::jobs(&request)).map(|v| v.to_string()).map_err(problem)
}

/// Makes runs for another machine.
#[pyfunction]
fn work(py: Python<'_>, order: &str) -> PyResult<String> {
    let order = read(order)?;
    py.detach(|| api::work(&order)).map(|v| v.to_string()).map_err(problem)
}

/// Keeps rows that workers sent.
#[pyfunction]
fn keep(py: Python<'_>, request: &str) -> PyResult<String> {
    let request = read(request)?;
    py.detach(|| api::keep(&request)).map(|v| v.to_string()).map_err(problem)
}

/// The text of a result's `summary.json`, which was checked.
#[pyfunction]
fn summary(py: Python<'_>, file: PathBuf) -> PyResult<String> {
    py.detach(|| api::summary(&file)).map_err(problem)
}

/// Checks a file of a result directory; false: it was not written.
#[pyfunction]
fn check_file(py: Python<'_>, file: PathBuf) -> PyResult<bool> {
    py.detach(|| api::check_file(&file)).map_err(problem)
}

/// Writes a file whole or leaves it as it was; makes its folder. `new`: there must be no such file.
#[pyfunction]
fn write_file(py: Python<'_>, file: PathBuf, data: &[u8], new: bool) -> PyResult<()> {
    py.detach(|| api::write_file(&file, data, new)).map_err(problem)
}

/// One table of several runs, in tidy form: see `dumbbell_lab::api::table`.
#[pyfunction]
fn table(py: Python<'_>, request: &str) -> PyResult<Table> {
    let request = read(request)?;
    py.detach(|| api::table(&request)).map(Table).map_err(problem)
}

/// Runs a script that tests one end of a TCP; `name` is what messages call it.
#[pyfunction]
fn script(py: Python<'_>, text: &str, name: &str) -> PyResult<String> {
    py.detach(|| api::script(text, name)).map(|v| v.to_string()).map_err(problem)
}

/// Lines of Linux's `tc` as tables of a scenario.
#[pyfunction]
fn import_tc(text: &str) -> PyResult<String> {
    api::import_tc(text).map(|v| v.to_string()).map_err(problem)
}

/// A link of a plan as lines for Linux's `tc`.
#[pyfunction]
fn export_tc(request: &str) -> PyResult<String> {
    api::export_tc(&read(request)?).map(|v| v.to_string()).map_err(problem)
}

/// What packets cost a host.
#[pyfunction]
fn host_cost(request: &str) -> PyResult<String> {
    api::host_cost(&read(request)?).map(|v| v.to_string()).map_err(problem)
}

/// How much one draw of the hardware's shift register says of a later one.
#[pyfunction]
fn rtl_lags(py: Python<'_>, request: &str) -> PyResult<String> {
    let request = read(request)?;
    py.detach(|| api::rtl_lags(&request)).map(|v| v.to_string()).map_err(problem)
}

/// Writes a run's records in a format of other programs.
#[pyfunction]
fn export(py: Python<'_>, request: &str) -> PyResult<String> {
    let request = read(request)?;
    py.detach(|| api::export(&request)).map(|v| v.to_string()).map_err(problem)
}

/// Reads a capture or a trace.
#[pyfunction]
fn read_capture(py: Python<'_>, request: &str) -> PyResult<String> {
    let request = read(request)?;
    py.detach(|| api::read_capture(&request)).map(|v| v.to_string()).map_err(problem)
}

#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("Problem", m.py().get_type::<Problem>())?;
    m.add_class::<Table>()?;
    plugin::register(m)?;
    m.add_function(wrap_pyfunction!(catalogue, m)?)?;
    m.add_function(wrap_pyfunction!(schema, m)?)?;
    m.add_function(wrap_pyfunction!(plan, m)?)?;
    m.add_function(wrap_pyfunction!(draft, m)?)?;
    m.add_function(wrap_pyfunction!(sharing, m)?)?;
    m.add_function(wrap_pyfunction!(run, m)?)?;
    m.add_function(wrap_pyfunction!(measure, m)?)?;
    m.add_function(wrap_pyfunction!(store, m)?)?;
    m.add_function(wrap_pyfunction!(jobs, m)?)?;
    m.add_function(wrap_pyfunction!(work, m)?)?;
    m.add_function(wrap_pyfunction!(keep, m)?)?;
    m.add_function(wrap_pyfunction!(doctor, m)?)?;
    m.add_function(wrap_pyfunction!(replay, m)?)?;
    m.add_function(wrap_pyfunction!(gigabyte, m)?)?;
    m.add_function(wrap_pyfunction!(shell, m)?)?;
    m.add_function(wrap_pyfunction!(enclose, m)?)?;
    m.add_function(wrap_pyfunction!(summary, m)?)?;
    m.add_function(wrap_pyfunction!(check_file, m)?)?;
    m.add_function(wrap_pyfunction!(write_file, m)?)?;
    m.add_function(wrap_pyfunction!(table, m)?)?;
    m.add_function(wrap_pyfunction!(script, m)?)?;
    m.add_function(wrap_pyfunction!(import_tc, m)?)?;
    m.add_function(wrap_pyfunction!(export_tc, m)?)?;
    m.add_function(wrap_pyfunction!(host_cost, m)?)?;
    m.add_function(wrap_pyfunction!(rtl_lags, m)?)?;
    m.add_function(wrap_pyfunction!(export, m)?)?;
    m.add_function(wrap_pyfunction!(read_capture, m)?)?;
    m.add_function(wrap_pyfunction!(nearest, m)?)?;
    m.add_function(wrap_pyfunction!(rtl_lockstep, m)?)?;
    m.add_function(wrap_pyfunction!(rtl_vectors, m)?)?;
    m.add_function(wrap_pyfunction!(test, m)?)?;
    m.add_function(wrap_pyfunction!(drive, m)?)?;
    m.add_function(wrap_pyfunction!(drive_link, m)?)?;
    Ok(())
}
