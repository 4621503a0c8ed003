//! A verilated core, clock by clock: its inputs before a rising edge, and its outputs at the edge.
use crate::signals::{In, Out};
use crate::sys;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A device under test that is run clock by clock.
pub trait Clocked {
    /// One clock.
    ///
    /// # Errors
    /// Why it stopped; it has no further clocks then.
    fn clock(&mut self, inputs: &In) -> Result<Out, String>;
}

/// A library of cores that are all made with the same parameters.
#[derive(Clone, Debug)]
pub struct Verilated(pub(crate) Arc<sys::Library>);

impl Verilated {
    /// One more core, as it is when power comes on: it wants a reset.
    ///
    /// # Errors
    /// There is no memory.
    pub fn core(&self) -> io::Result<RtlCore> {
        sys::Core::new(&self.0).map(RtlCore)
    }
}

/// A verilated core.
#[derive(Debug)]
pub struct RtlCore(sys::Core);

impl RtlCore {
    /// Writes what was covered so far, for `verilator_coverage`; of a library made with coverage.
    ///
    /// # Errors
    /// It was not, or the file cannot be written.
    pub fn coverage(&mut self, path: &Path) -> io::Result<()> {
        self.0.coverage(path)
    }
}

impl Clocked for RtlCore {
    #[inline]
    fn clock(&mut self, inputs: &In) -> Result<Out, String> {
        self.0.clock(inputs)
    }
}
