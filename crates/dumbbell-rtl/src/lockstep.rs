//! Model and RTL side by side: random packets into both, each decision compared in every bit.
//!
//! [`mode`] says what the cores are made with, [`stimulus`] what they are shown, [`bench`] shows it clock by clock and compares,
//! [`shrink`] finds a short stimulus that fails, [`trace`] shows why, [`study`] puts it together.
pub mod campaign;
pub mod model;
pub mod parameter_sets;
pub mod shrink;
pub mod stimulus;
pub mod testbench;
pub mod trace;
