//! Simulations that stop every few milliseconds, for controls that decide from outside: what a flow
//! saw in a step, and the window and the rate for the next one. `dumbbell.gym` is the user.
mod agent;

use crate::files::environment::ThisMachine;
use crate::language::load::Source;
use crate::language::plugins::PluginLoader;
use crate::language::problem::{Diagnostic, Problem};
use crate::resolve::study::{Study, StudyInput};
use agent::{Agents, Exchange, Exchanges};
pub use agent::{Order, SEEN, Seen};
use dumbbell_core::plugin::Plugins;
use dumbbell_core::units::{Span, Time};
use dumbbell_net::Options;
use dumbbell_plan::Plan;
use dumbbell_sim::World;
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::{Arc, MutexGuard};

/// A simulation in steps of one length. Flows whose control is `agent` are decided from outside;
/// their `number` counts from 0.
pub struct Stepping {
    world: World,
    exchanges: Exchanges,
    step: Span,
    steps: u64,
    ended: bool,
}

impl Stepping {
    /// A simulation of the scenario for its first seed, at the end of the first step in which every
    /// agent knows a round-trip time. It has `agents` flows whose control is `agent`.
    ///
    /// # Errors
    /// Code 2: a scenario that cannot be read, or a step that is not longer than nothing.
    pub fn new(scenario: Value, agents: usize, step: Span) -> Result<Stepping, Problem> {
        if step <= agent::PAUSE.scaled(2.0) {
            return Err(Problem::failure("a step is longer than 4 us", None));
        }
        let exchanges: Exchanges = (0..agents).map(|_| Arc::default()).collect();
        let loader = Brings(Agents::new(Arc::clone(&exchanges), step));
        let input = StudyInput {
            source: Source::Value { value: scenario, name: "<gym>".into() },
            overrides: vec![],
            also: Map::new(),
            uses: vec![],
        };
        let study = Study::with(&input, &ThisMachine, &loader, false)?;
        let point = &study.points[0];
        let plan = study.plan(point, point.seed())?;
        near(&plan)?;
        // Without it, acknowledgments come to their senders half a round-trip time ahead.
        let options = Options { fold: false, ..Options::default() };
        let world = World::with(&plan, options, &study.plugins)
            .map_err(|fault| Problem::failure(fault.cause, fault.fix))?;
        exchanges.iter().for_each(|exchange| *agent::lock(exchange) = Exchange::default());
        let mut stepping = Stepping { world, exchanges, step, steps: 0, ended: false };
        while !stepping.is_open() && !stepping.advance() {}
        // If nothing happened for some steps, the world is in the midst of a later one.
        let begun = (stepping.world.now().ps() + agent::PAUSE.ps()) / step.ps();
        if begun > stepping.steps {
            stepping.steps = begun;
            stepping.advance();
        }
        Ok(stepping)
    }

    fn is_open(&self) -> bool {
        self.exchanges.iter().all(|exchange| agent::lock(exchange).is_open())
    }

    /// The number of flows that are decided from outside.
    pub fn agents(&self) -> usize {
        self.exchanges.len()
    }

    /// Decides for an agent, from the beginning of the next step on.
    pub fn order(&mut self, agent: usize, order: Order) {
        self.exchange(agent).order = order;
    }

    /// Goes to the end of the next step. True if the scenario has ended.
    pub fn advance(&mut self) -> bool {
        self.steps += 1;
        let until = agent::stop_before(Time::from_ps(self.steps * self.step.ps()));
        while !self.ended && self.world.now() < until {
            self.ended = self.world.run_unobserved(1);
        }
        self.ended
    }

    /// What an agent saw since it was last asked.
    pub fn take(&mut self, agent: usize) -> Seen {
        self.exchange(agent).take()
    }

    fn exchange(&self, agent: usize) -> MutexGuard<'_, Exchange> {
        agent::lock(&self.exchanges[agent])
    }
}

/// Bytes of the longest acknowledgment in its frame.
const ACKNOWLEDGMENT: u64 = 200;

/// Refuses a plan in which an acknowledgment is at its sender long before its time has come.
fn near(plan: &Plan) -> Result<(), Problem> {
    for flow in plan.flows.iter().filter(|flow| !flow.back.is_empty()) {
        let link = &plan.links[flow.back[flow.back.len() - 1]];
        if link.delay + link.rate.span_of(ACKNOWLEDGMENT) >= agent::PAUSE {
            let cause = format!("the last link to the sender of {} takes too long", flow.name);
            let fix = "give it no delay and at least 1 Gbps, and the delay to another link";
            return Err(Problem::failure(cause, Some(fix.into())));
        }
    }
    Ok(())
}

/// Brings the agents to a scenario, and nothing else.
struct Brings(Agents);

impl PluginLoader for Brings {
    fn given(&self) -> Plugins {
        Plugins { aqm: vec![], cc: vec![Arc::new(self.0.clone())] }
    }
    fn file(&self, path: &Path) -> Result<Plugins, Diagnostic> {
        Err(Diagnostic::new(format!("{} cannot be used here", path.display()))
            .fix("take `use` out: a stepped simulation knows the catalogue only"))
    }
}
