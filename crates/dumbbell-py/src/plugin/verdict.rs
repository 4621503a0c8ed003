//! The verdicts that an AQM in Python returns.
use dumbbell_core::aqm::{Reason, Slot, Verdict as CoreVerdict};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What to do with a packet: `PASS`, `MARK`, `SIGNAL`, or what `drop`, `mark`, `signal` and `evict`
/// return.
#[pyclass(frozen, eq, module = "dumbbell")]
#[derive(Clone, Copy, PartialEq)]
pub struct Verdict(pub CoreVerdict);

#[pymethods]
impl Verdict {
    fn __repr__(&self) -> String {
        match self.0 {
            CoreVerdict::Pass => "PASS".into(),
            CoreVerdict::Mark(why) => format!("mark(\"{}\")", why.name()),
            CoreVerdict::Signal(why) => format!("signal(\"{}\")", why.name()),
            CoreVerdict::Drop(why) => format!("drop(\"{}\")", why.name()),
            CoreVerdict::Evict { slot, reason, arrival_too } => {
                let too = if arrival_too { ", arrival_too=True" } else { "" };
                format!("evict({slot}, \"{}\"{too})", reason.name())
            }
        }
    }
}

fn reason(name: &str) -> PyResult<Reason> {
    // A wire's and a policer's losses are theirs.
    let mine = [Reason::Overflow, Reason::Early, Reason::Forced, Reason::Head, Reason::Evicted];
    mine.into_iter().find(|r| r.name() == name).ok_or_else(|| {
        let names = mine.map(Reason::name).join(", ");
        PyValueError::new_err(format!("`{name}` is not a reason of a queue: there are {names}"))
    })
}

/// Drop the packet, ECN-capable or not.
#[pyfunction]
#[pyo3(name = "drop", signature = (why = "early"))]
pub fn drop_packet(why: &str) -> PyResult<Verdict> {
    reason(why).map(|r| Verdict(CoreVerdict::Drop(r)))
}

/// Set Congestion Experienced if the packet can carry it, else let it pass.
#[pyfunction]
#[pyo3(signature = (why = "early"))]
pub fn mark(why: &str) -> PyResult<Verdict> {
    reason(why).map(|r| Verdict(CoreVerdict::Mark(r)))
}

/// Set Congestion Experienced if the packet can carry it, else drop it.
#[pyfunction]
#[pyo3(signature = (why = "early"))]
pub fn signal(why: &str) -> PyResult<Verdict> {
    reason(why).map(|r| Verdict(CoreVerdict::Signal(r)))
}

/// Drop the waiting packet at `slot` (0: the head), and the arriving one as well if `arrival_too`.
/// Needs `needs = "held"`.
#[pyfunction]
#[pyo3(signature = (slot, why = "evicted", arrival_too = false))]
pub fn evict(slot: Slot, why: &str, arrival_too: bool) -> PyResult<Verdict> {
    let reason = reason(why)?;
    Ok(Verdict(CoreVerdict::Evict { slot, reason, arrival_too }))
}

/// Adds the verdicts to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Verdict>()?;
    m.add("PASS", Verdict(CoreVerdict::Pass))?;
    m.add("MARK", Verdict(CoreVerdict::Mark(Reason::Early)))?;
    m.add("SIGNAL", Verdict(CoreVerdict::Signal(Reason::Early)))?;
    m.add_function(wrap_pyfunction!(drop_packet, m)?)?;
    m.add_function(wrap_pyfunction!(mark, m)?)?;
    m.add_function(wrap_pyfunction!(signal, m)?)?;
    m.add_function(wrap_pyfunction!(evict, m)?)
}
