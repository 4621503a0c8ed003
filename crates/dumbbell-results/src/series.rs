//! The rows of the series of flows and queues: their columns, their cells, and a way out of a run
//! for those that somebody watches.
pub mod cells;
pub mod columns;
pub mod gauges;
pub mod tap;
