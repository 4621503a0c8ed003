//! Queueing disciplines that keep several queues: which packet leaves next. Each of their queues
//! has an [`aqm`](crate::aqm).
use dumbbell_core::registry;

pub mod parts;
pub mod sharing;
#[cfg(test)]
mod tests;

registry! { qdisc AnyQdisc, suite qdisc_suite {
    cake::Cake,
    drr::Drr,
    dualpi2::DualPi2,
    fq::Fq,
    fq_cobalt::FqCobalt,
    fq_codel::FqCodel,
    fq_pie::FqPie,
    prio::Prio,
    sfq::Sfq,
    wfq::Wfq,
} }
