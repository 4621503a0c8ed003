//! A scenario's text as a tree with places, and the tree as typed structs.
pub mod catalogue;
pub(crate) mod codepoint;
pub mod deser;
pub(crate) mod draft;
pub mod environment;
pub mod load;
pub mod lookup;
pub mod node;
pub mod overrides;
pub mod plugins;
pub mod problem;
pub mod read;
pub mod scenario;
pub mod schema;
pub mod stop_rule;
pub mod sweep;
pub mod traces;
