//! The signals of a core at one rising edge, by the names of `SPEC.md`.

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
