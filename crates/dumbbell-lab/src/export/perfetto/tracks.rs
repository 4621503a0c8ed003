//! The tracks of a trace: a group for the run, for each host and for each queue; a flow is a thread
//! of its sender's host.
use crate::formats::perfetto::{self, TrackDescriptor, Unit};
use dumbbell_plan::Plan;
use std::collections::HashMap;

/// The group of flows whose hosts are not known.
const FLOWS: &str = "flows";

/// Tracks by their names; one is made when it is first asked for.
pub struct Tracks<'p> {
    plan: Option<&'p Plan>,
    groups: HashMap<String, (u64, i32)>,
    below: HashMap<(u64, String), u64>,
    ranks: HashMap<u64, i32>,
    last: u64,
    threads: i32,
    /// All that were made, parents first.
    pub made: Vec<TrackDescriptor>,
}

impl<'p> Tracks<'p> {
    /// None yet. plan: the network, if it is known.
    pub fn new(plan: Option<&'p Plan>) -> Self {
        Tracks {
            plan,
            groups: HashMap::new(),
            below: HashMap::new(),
            ranks: HashMap::new(),
            last: 0,
            threads: 0,
            made: Vec::new(),
        }
    }

    /// The track of the run itself.
    pub fn run(&mut self, scenario: &str) -> u64 {
        let (group, _) = self.group(&format!("run {scenario}"));
        self.below(group, "run", None)
    }

    /// The track of a flow.
    pub fn flow(&mut self, name: &str) -> u64 {
        let host = self.plan.and_then(|plan| {
            let flow = plan.flows.iter().find(|f| f.name == name)?;
            Some(format!("host {}", plan.nodes.get(flow.from)?.name))
        });
        let (group, pid) = self.group(host.as_deref().unwrap_or(FLOWS));
        if let Some(uuid) = self.below.get(&(group, name.into())) {
            return *uuid;
        }
        let uuid = self.next();
        self.threads += 1;
        // Beside the processes, so that no thread is the main one of its process.
        let tid = (1 << 20) + self.threads;
        self.made.push(perfetto::thread(uuid, pid, tid, name));
        self.below.insert((group, name.into()), uuid);
        uuid
    }

    /// The group of a queue.
    pub fn queue(&mut self, link: &str) -> u64 {
        self.group(&format!("queue {link}")).0
    }

    /// A track below another; with a unit, a counter.
    pub fn below(&mut self, parent: u64, name: &str, unit: Option<Unit>) -> u64 {
        if let Some(uuid) = self.below.get(&(parent, name.into())) {
            return *uuid;
        }
        let (uuid, descriptor) = self.another(parent, name, unit);
        self.made.push(descriptor);
        self.below.insert((parent, name.into()), uuid);
        uuid
    }

    /// A track below another beside those of the same name, which Perfetto shows as one.
    pub fn another(
        &mut self,
        parent: u64,
        name: &str,
        unit: Option<Unit>,
    ) -> (u64, TrackDescriptor) {
        let uuid = self.next();
        let rank = self.ranks.entry(parent).or_default();
        *rank += 1;
        (uuid, perfetto::track(uuid, parent, *rank, name, unit))
    }

    /// The number of tracks.
    pub fn len(&self) -> u64 {
        self.last
    }

    fn group(&mut self, name: &str) -> (u64, i32) {
        if let Some(found) = self.groups.get(name) {
            return *found;
        }
        let made = (self.next(), self.groups.len() as i32 + 1); // Process 0 is the idle one.
        self.made.push(perfetto::process(made.0, made.1, name));
        self.groups.insert(name.into(), made);
        made
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}
