//! The state of a connection that several threads of a run share.
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// The sender's socket, and how far it is.
pub struct ConnectionState {
    /// It stays open until the run has ended: its account can be read to the last.
    pub sender: Arc<OwnedFd>,
    /// True if it has rows in the series.
    pub rows: bool,
    stage: AtomicU8,
}

const OPENED: u8 = 1;
const FINISHED: u8 = 2;

impl ConnectionState {
    /// Not opened yet.
    pub fn new(sender: Arc<OwnedFd>, rows: bool) -> ConnectionState {
        ConnectionState { sender, rows, stage: AtomicU8::new(0) }
    }
    /// The connection was opened.
    pub fn opened(&self) {
        self.stage.fetch_max(OPENED, Ordering::Relaxed);
    }
    /// Marks the connection as over: its account stands still.
    pub fn finished(&self) {
        self.stage.fetch_max(FINISHED, Ordering::Relaxed);
    }
    /// True if it was ever opened.
    pub fn is_opened(&self) -> bool {
        self.stage.load(Ordering::Relaxed) >= OPENED
    }
    /// True if it is over.
    pub fn is_finished(&self) -> bool {
        self.stage.load(Ordering::Relaxed) >= FINISHED
    }
}
