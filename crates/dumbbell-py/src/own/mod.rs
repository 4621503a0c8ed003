//! Algorithms of the user's own, written in Python: classes behind the traits of the simulator.
mod aqm;
mod cc;
mod class;
mod connection;
mod seen;
mod verdict;

use class::Class;
use dumbbell_core::foreign::Makers;
use dumbbell_lab::bring::Bring;
use dumbbell_lab::problem::Diagnostic;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Classes that came with a call, and files that `dumbbell.own.load` reads.
pub struct Own {
    given: Makers,
}

impl Own {
    /// From what `dumbbell.own.describe` returned for each class.
    pub fn read(classes: &[Bound<'_, PyAny>]) -> PyResult<Own> {
        makers(classes).map(|given| Own { given })
    }
    /// Those that came with the call.
    pub fn makers(&self) -> &Makers {
        &self.given
    }
}

fn makers(classes: &[Bound<'_, PyAny>]) -> PyResult<Makers> {
    let mut makers = Makers::default();
    for described in classes {
        match Class::read(described)? {
            (kind, class) if kind == "aqm" => makers.aqm.push(Arc::new(aqm::AqmClass(class))),
            (kind, class) if kind == "cc" => makers.cc.push(Arc::new(cc::CcClass(class))),
            (kind, _) => return Err(PyValueError::new_err(format!("there is no kind `{kind}`"))),
        }
    }
    Ok(makers)
}

impl Bring for Own {
    fn given(&self) -> Makers {
        self.given.clone()
    }
    /// A thread that keeps its place in the interpreter enters it faster: a run has one for all its calls.
    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        Python::attach(|py| py.detach(work));
    }
    fn file(&self, path: &Path) -> Result<Makers, Diagnostic> {
        Python::attach(|py| {
            let loaded = py
                .import("dumbbell.own.load")
                .and_then(|m| m.call_method1("described", (path.display().to_string(),)))
                .and_then(|classes| classes.extract::<Vec<Bound<'_, PyAny>>>())
                .and_then(|classes| makers(&classes));
            loaded.map_err(|error| {
                // A refusal of ours has two parts, cause and fix.
                let parts = error.value(py).getattr("parts").and_then(|p| p.extract::<(String, String)>());
                match parts {
                    Ok((cause, fix)) => Diagnostic::new(cause).fix(fix),
                    Err(_) => {
                        Diagnostic::new(format!("{} cannot be used: {}", path.display(), class::told(py, &error).0))
                    }
                }
            })
        })
    }
}

/// Adds what algorithms see and answer to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    verdict::register(m)?;
    m.add_class::<seen::Rng>()?;
    m.add_class::<seen::Link>()?;
    m.add_class::<seen::Flows>()?;
    m.add_class::<seen::Cx>()?;
    m.add_class::<seen::Packet>()?;
    m.add_class::<seen::Queue>()?;
    m.add_class::<connection::Path>()?;
    m.add_class::<connection::Ack>()?;
    m.add_class::<connection::Congestion>()?;
    m.add_class::<connection::Sent>()?;
    m.add_class::<connection::Orders>()
}
