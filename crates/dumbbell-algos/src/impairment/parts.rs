//! Building blocks that several impairments share.
pub mod error_unit;
pub mod loss_list;
