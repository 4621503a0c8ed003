//! Notes about plans that are valid and yet may surprise. Nothing here refuses a plan.
pub(crate) mod ack_path;
pub(crate) mod reservations;
