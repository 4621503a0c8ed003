//! A user's Python class with its page, and the conversion of its exceptions.
use dumbbell_core::catalogue::Fault;
use dumbbell_core::plugin::{Alarm, Failure, Page};
use dumbbell_core::units::Time;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// A class and its page.
pub struct Class {
    /// Its page.
    pub page: Page,
    class: Py<PyAny>,
    hooks: Vec<String>,
}

impl Class {
    /// From what `dumbbell.plugins.describe` returns: (kind, page as JSON, class, the hooks that it
    /// defines).
    pub fn read(described: &Bound<'_, PyAny>) -> PyResult<(String, Class)> {
        let (kind, page, class, hooks): (String, String, Py<PyAny>, Vec<String>) =
            described.extract()?;
        let page = serde_json::from_str(&page).map_err(|e| {
            pyo3::exceptions::PyValueError::new_err(format!("a page that is none: {e}"))
        })?;
        Ok((kind, Class { page, class, hooks }))
    }

    /// A fresh instance with a resolved configuration.
    pub fn instance<'py>(&self, py: Python<'py>, config: &Value) -> PyResult<Bound<'py, PyAny>> {
        let parameters = PyDict::new(py);
        for (key, value) in self.page.plain(config).as_object().into_iter().flatten() {
            match value {
                Value::Bool(b) => parameters.set_item(key, b)?,
                Value::Number(n) if n.is_f64() => parameters.set_item(key, n.as_f64())?,
                Value::Number(n) => parameters.set_item(key, n.as_i64())?,
                other => parameters.set_item(key, other.as_str())?,
            }
        }
        self.class.bind(py).call((), Some(&parameters))
    }

    /// The bound method `name`, if the class defines it.
    pub fn hook(&self, instance: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Py<PyAny>>> {
        if !self.hooks.iter().any(|h| h == name) {
            return Ok(None);
        }
        instance.getattr(name).map(|method| Some(method.unbind()))
    }

    /// Calls the class's own check of a configuration: an exception is a fault, at a parameter if
    /// it is a `ValueError(parameter, cause)`.
    pub fn check(&self, config: &Value) -> Result<(), Fault> {
        Python::attach(|py| {
            let judged =
                self.instance(py, config).and_then(|instance| instance.call_method0("check"));
            let Err(error) = judged else { return Ok(()) };
            let words = error
                .value(py)
                .getattr("args")
                .and_then(|a| a.extract::<Vec<String>>())
                .unwrap_or_default();
            Err(match &words[..] {
                [parameter, cause] => Fault::at(parameter, cause.as_str()),
                [parameter, cause, fix] => Fault::at(parameter, cause.as_str()).fix(fix.as_str()),
                _ => Fault::at("", describe_exception(py, &error).0),
            })
        })
    }
}

/// An exception as its line and its traceback, which begins in the user's file.
pub fn describe_exception(py: Python<'_>, error: &PyErr) -> (String, Option<String>) {
    let explained = py
        .import("dumbbell.plugins.failure")
        .and_then(|m| m.call_method1("told", (error.clone_ref(py).into_value(py),)))
        .and_then(|t| t.extract::<(String, String)>());
    explained.map_or_else(|_| (error.to_string(), None), |(cause, trace)| (cause, Some(trace)))
}

/// The identity of a plugin in an alarm: its name, and its source file.
#[derive(Clone)]
pub struct PluginId {
    pub name: String,
    pub file: String,
}

impl PluginId {
    pub fn of(page: &Page) -> Self {
        PluginId { name: page.name.clone(), file: page.file.clone() }
    }

    /// Raises the alarm for an exception.
    pub fn raise(&self, py: Python<'_>, alarm: &Alarm, at: Time, error: &PyErr) {
        let (cause, trace) = describe_exception(py, error);
        match trace {
            Some(trace) if !trace.is_empty() => self.alarm(alarm, at, cause, Some(trace)),
            _ => self.alarm(alarm, at, format!("{cause} ({})", self.file), None),
        }
    }

    /// Raises the alarm.
    pub fn alarm(&self, alarm: &Alarm, at: Time, cause: String, trace: Option<String>) {
        alarm.raise(Failure { algorithm: self.name.clone(), at, cause, trace });
    }
}

/// Interns the names that algorithms give to their numbers; they live as long as the program.
pub fn intern_name(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let name: &'static str = Box::leak(name.to_string().into_boxed_str());
    names.insert(name);
    name
}

/// A tuple that is used for many calls.
pub fn arguments<'py>(py: Python<'py>, items: &[&Bound<'py, PyAny>]) -> PyResult<Py<PyTuple>> {
    PyTuple::new(py, items).map(Bound::unbind)
}
