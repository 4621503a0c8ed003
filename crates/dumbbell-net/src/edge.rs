//! The edge of a DiffServ domain before a port: made from the plan's rules, and reported per
//! marker.
pub(crate) mod report;
pub(crate) mod rules;
