//! A verilated core, clock by clock: its inputs before a rising edge, and its outputs at the edge.
use crate::sys;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The inputs at a rising edge, by the names of `SPEC.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct In {
    /// `rst`.
    pub rst: bool,
    /// `valid_i`.
    pub valid: bool,
    /// `qid_i`.
    pub qid: u8,
    /// `qlen_i`.
    pub qlen: u16,
    /// `class_i`.
    pub class: u8,
    /// `idle_i`.
    pub idle: u8,
    /// `tick_i`.
    pub tick: bool,
    /// `cfg_we_i`.
    pub cfg_we: bool,
    /// `cfg_addr_i`.
    pub cfg_addr: u8,
    /// `cfg_data_i`.
    pub cfg_data: u32,
}

/// The outputs at the same edge, as a flip-flop outside would take them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Out {
    /// `ready_o`.
    pub ready: bool,
    /// `valid_o`.
    pub valid: bool,
    /// `qid_o`.
    pub qid: u8,
    /// `drop_o`.
    pub drop: bool,
    /// `region_o`.
    pub region: u8,
    /// `avg_o`.
    pub avg: u32,
    /// `draw_o`.
    pub draw: u32,
}

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
