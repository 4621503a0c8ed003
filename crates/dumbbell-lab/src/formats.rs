//! Files of other programs, read and written.
pub mod mahimahi;
