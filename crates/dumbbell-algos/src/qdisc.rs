//! Queueing disciplines that keep several queues: which packet leaves next. Each of their queues has an [`aqm`](crate::aqm).
use dumbbell_core::registry;

pub mod child;
pub mod classes;
pub mod codepoints;
#[cfg(test)]
mod deck;
pub mod hash;
pub mod scheduled;
#[cfg(test)]
mod tests;

registry! { qdisc AnyQdisc, suite qdisc_suite {
    drr::Drr,
    prio::Prio,
} }
