//! Paths of a flow that has more than one: several of equal cost, or others while links are down.
use crate::LinkId;
use dumbbell_core::units::Span;
use serde::{Deserialize, Serialize};

/// The paths of a flow over time. A packet takes the path that is chosen when it leaves its socket,
/// to the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Multipath {
    /// How often a socket chooses.
    pub by: Spread,
    /// The seed of its choices; `None`: the plan's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Paths of the data, in the order of time; the first from the start.
    pub forward: Vec<PathSet>,
    /// Paths of the acknowledgments; empty for UDP.
    pub back: Vec<PathSet>,
}

impl Multipath {
    /// The paths of the data (`end` 0) or of the acknowledgments (1), with the times from which
    /// they are taken.
    pub fn of_end(&self, end: usize) -> &[PathSet] {
        if end == 0 { &self.forward } else { &self.back }
    }
}

/// How often a socket chooses among its paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spread {
    /// Never: there is one at each time.
    Flow,
    /// For every packet.
    Packet,
    /// For every flowlet: packets that follow one another within this time.
    Flowlet(Span),
}

/// Paths that a socket chooses among from a time on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathSet {
    /// From when.
    pub from: Span,
    /// The paths, at least one.
    pub paths: Vec<Path>,
}

/// One path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// The probability of its choice; those of a set add up to 1.
    pub share: f64,
    /// Its links.
    pub links: Vec<LinkId>,
}
