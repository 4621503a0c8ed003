//! Files of other programs as bytes, and tables as Arrow: pure functions, rows in and bytes out, or
//! bytes in and rows out. [`crate::export`] opens the files.
pub mod address;
pub mod arrow_table;
pub mod capture;
pub mod connections;
pub mod csv;
pub mod flent;
pub mod headers;
pub mod ns2;
pub mod pcapng;
pub mod perfetto;
pub mod qlog;

/// The position at which a file stops making sense, and the reason. Everything before it is good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Byte of the file.
    pub offset: usize,
    /// Why.
    pub cause: String,
}

impl Damage {
    /// At `offset`, for `cause`.
    pub fn new(offset: usize, cause: impl Into<String>) -> Self {
        Damage { offset, cause: cause.into() }
    }
}
