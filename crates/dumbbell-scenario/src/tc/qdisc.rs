//! Disciplines of tc, one to a file: their arguments as tables of a scenario, and back.
pub(crate) mod adaptive_red;
pub(crate) mod burst;
pub(crate) mod cake;
pub(crate) mod choke;
pub(crate) mod codel;
pub(crate) mod dualpi2;
pub(crate) mod fifo;
pub(crate) mod fq_codel;
pub(crate) mod fq_pie;
pub(crate) mod leaf;
pub(crate) mod netem;
pub(crate) mod pie;
pub(crate) mod red;
pub(crate) mod sfb;
pub(crate) mod sfq;
pub(crate) mod tbf;
