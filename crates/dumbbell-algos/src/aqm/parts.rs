//! Building blocks that several AQM algorithms share.
pub mod packet_size;
