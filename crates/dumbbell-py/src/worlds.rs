//! Stepped simulations for `dumbbell.gym`: many in one call, orders in and observations out as
//! bytes of doubles.
use crate::problem;
use dumbbell_core::units::{Rate, Span};
use dumbbell_lab::run::stepping::{Order, SEEN, Stepping};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::Value;
use std::sync::{Mutex, PoisonError};

/// Simulations side by side, each with the same number of agents, in steps of one length.
#[pyclass(frozen, module = "dumbbell._native")]
pub struct Worlds {
    worlds: Mutex<Vec<Stepping>>,
    agents: usize,
    step: Span,
}

fn world(scenario: &str, agents: usize, step: Span) -> PyResult<Stepping> {
    let scenario: Value =
        serde_json::from_str(scenario).map_err(|e| PyValueError::new_err(e.to_string()))?;
    Stepping::new(scenario, agents, step).map_err(problem)
}

/// Orders as doubles: window [bytes] and pacing [bit/s] of each agent, NaN: as it is.
fn orders(bytes: &[u8]) -> impl Iterator<Item = Order> + '_ {
    let doubles = bytes.as_chunks::<8>().0;
    doubles.as_chunks::<2>().0.iter().map(|pair| {
        let [window, pacing] = pair.map(f64::from_ne_bytes);
        Order {
            window: (window > 0.0).then_some(window as u64),
            pacing: (pacing >= 1.0).then(|| Rate::from_bps(pacing as u64)),
        }
    })
}

#[pymethods]
impl Worlds {
    /// Simulations at their start. scenarios: as JSON. agents: flows of each that are decided from
    /// outside.
    #[new]
    fn new(scenarios: Vec<String>, agents: usize, step_s: f64) -> PyResult<Worlds> {
        let step = Span::from_secs_f64(step_s);
        let worlds: PyResult<Vec<Stepping>> =
            scenarios.iter().map(|scenario| world(scenario, agents, step)).collect();
        Ok(Worlds { worlds: Mutex::new(worlds?), agents, step })
    }

    /// The names of what is seen of an agent, in order.
    #[staticmethod]
    fn seen() -> Vec<&'static str> {
        SEEN.to_vec()
    }

    /// Puts another simulation in the place of one.
    fn replace(&self, place: usize, scenario: &str) -> PyResult<()> {
        let made = world(scenario, self.agents, self.step)?;
        let mut worlds = self.worlds.lock().unwrap_or_else(PoisonError::into_inner);
        *worlds.get_mut(place).ok_or_else(|| PyIndexError::new_err("no such simulation"))? = made;
        Ok(())
    }

    /// What each agent of a simulation saw since the last look, as doubles.
    fn look<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyBytes>> {
        let mut worlds = self.worlds.lock().unwrap_or_else(PoisonError::into_inner);
        let world =
            worlds.get_mut(place).ok_or_else(|| PyIndexError::new_err("no such simulation"))?;
        let seen: Vec<u8> = (0..self.agents)
            .flat_map(|agent| world.take(agent).into_iter().flat_map(f64::to_ne_bytes))
            .collect();
        Ok(PyBytes::new(py, &seen))
    }

    /// Gives orders, and takes every simulation a step on. Returns what each agent saw, as doubles,
    /// and for each simulation a byte: 1 if its scenario has ended.
    fn step<'py>(
        &self,
        py: Python<'py>,
        given: &[u8],
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let (seen, ended) = py.detach(|| {
            let mut worlds = self.worlds.lock().unwrap_or_else(PoisonError::into_inner);
            if given.len() != worlds.len() * self.agents * 16 {
                return Err(PyValueError::new_err("two doubles for each agent"));
            }
            let mut seen = Vec::with_capacity(worlds.len() * self.agents * SEEN.len() * 8);
            let mut ended = Vec::with_capacity(worlds.len());
            let mut given = orders(given);
            for world in worlds.iter_mut() {
                for (agent, order) in given.by_ref().take(self.agents).enumerate() {
                    world.order(agent, order);
                }
                ended.push(u8::from(world.advance()));
                for agent in 0..self.agents {
                    seen.extend(world.take(agent).into_iter().flat_map(f64::to_ne_bytes));
                }
            }
            Ok((seen, ended))
        })?;
        Ok((PyBytes::new(py, &seen), PyBytes::new(py, &ended)))
    }
}
