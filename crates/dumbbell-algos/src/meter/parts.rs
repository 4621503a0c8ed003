//! Building blocks that several meters share.
pub mod tsw;
