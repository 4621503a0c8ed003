//! What a watched slow start is told.

/// The reaction of slow start to an acknowledgment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Grow by so many bytes.
    Grow(u64),
    /// Grow by so many bytes; after that slow start is over: ssthresh = cwnd.
    Leave(u64),
}
