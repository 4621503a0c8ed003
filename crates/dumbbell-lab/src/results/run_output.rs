//! A run that was made: the simulator's report, or the testbed's, with what the machine adds to it.
use dumbbell_core::units::Span;
use dumbbell_emu::live::user_program::ProgramOutcome;
use dumbbell_emu::validity::Validity;
use dumbbell_sim::Report;

/// A run that was made.
pub struct RunOutput {
    /// The report.
    pub report: Report,
    /// Wall time, seconds.
    pub wall_s: f64,
    /// The validity of a run between real hosts.
    pub validity: Option<Validity>,
    /// The end of a user's programs, and its instant.
    pub visit: Option<(ProgramOutcome, Span)>,
    /// True if user-mode kernels were at the ends.
    pub linux: bool,
}
