//! Plugins in Python: the user's classes behind the traits of the simulator.
mod aqm;
mod cc;
mod class;
mod connection;
mod verdict;
mod views;

use class::Class;
use dumbbell_core::plugin::Plugins;
use dumbbell_lab::language::plugins::PluginLoader;
use dumbbell_lab::language::problem::Diagnostic;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Classes that came with a call, and files that `dumbbell.plugins.load` reads.
pub struct PythonPlugins {
    given: Plugins,
}

impl PythonPlugins {
    /// From what `dumbbell.plugins.describe` returned for each class.
    pub fn read(classes: &[Bound<'_, PyAny>]) -> PyResult<PythonPlugins> {
        plugins(classes).map(|given| PythonPlugins { given })
    }
}

fn plugins(classes: &[Bound<'_, PyAny>]) -> PyResult<Plugins> {
    let mut plugins = Plugins::default();
    for described in classes {
        match Class::read(described)? {
            (kind, class) if kind == "aqm" => plugins.aqm.push(Arc::new(aqm::AqmClass(class))),
            (kind, class) if kind == "cc" => plugins.cc.push(Arc::new(cc::CcClass(class))),
            (kind, _) => return Err(PyValueError::new_err(format!("there is no kind `{kind}`"))),
        }
    }
    Ok(plugins)
}

impl PluginLoader for PythonPlugins {
    fn given(&self) -> Plugins {
        self.given.clone()
    }
    /// A thread that keeps its place in the interpreter enters it faster: a run has one for all its
    /// calls.
    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        Python::attach(|py| py.detach(work));
    }
    fn file(&self, path: &Path) -> Result<Plugins, Diagnostic> {
        Python::attach(|py| {
            let loaded = py
                .import("dumbbell.plugins.load")
                .and_then(|m| m.call_method1("described", (path.display().to_string(),)))
                .and_then(|classes| classes.extract::<Vec<Bound<'_, PyAny>>>())
                .and_then(|classes| plugins(&classes));
            loaded.map_err(|error| {
                // A refusal of ours has two parts, cause and fix.
                let parts =
                    error.value(py).getattr("parts").and_then(|p| p.extract::<(String, String)>());
                match parts {
                    Ok((cause, fix)) => Diagnostic::new(cause).fix(fix),
                    Err(_) => Diagnostic::new(format!(
                        "{} cannot be used: {}",
                        path.display(),
                        class::describe_exception(py, &error).0
                    )),
                }
            })
        })
    }
}

/// Adds what algorithms see and answer to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    verdict::register(m)?;
    m.add_class::<views::Rng>()?;
    m.add_class::<views::Link>()?;
    m.add_class::<views::Flows>()?;
    m.add_class::<views::Cx>()?;
    m.add_class::<views::Packet>()?;
    m.add_class::<views::Queue>()?;
    m.add_class::<connection::Path>()?;
    m.add_class::<connection::Ack>()?;
    m.add_class::<connection::Congestion>()?;
    m.add_class::<connection::Sent>()?;
    m.add_class::<connection::Orders>()
}
