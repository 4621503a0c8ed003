//! Model and RTL side by side: random packets into both, each decision compared in every bit.
//!
//! [`parameter_sets`] names the parameters of the cores, [`stimulus`] makes the inputs,
//! [`testbench`] applies them clock by clock and compares, [`shrink`] finds a short stimulus that
//! fails, [`trace`] shows why, [`campaign`] runs it all in parts.
pub mod campaign;
pub mod model;
pub mod parameter_sets;
pub mod shrink;
pub mod stimulus;
pub mod testbench;
pub mod trace;
