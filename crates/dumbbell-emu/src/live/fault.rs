//! Why there is no run between real hosts.
use crate::calibrate::{OutOfReach, TooMuch};
use crate::traffic::Refusal;
use crate::trouble::Trouble;
use dumbbell_core::catalogue::Fault;

/// Why there is no run.
#[derive(Debug)]
pub enum LiveFault {
    /// The plan asks for what the kernel has not.
    Refused(Vec<Refusal>),
    /// This machine lacks something.
    Trouble(Trouble),
    /// This machine cannot keep up with it.
    TooMuch(TooMuch),
    /// This machine is too busy for the class that the plan requires.
    OutOfReach(OutOfReach),
    /// The network cannot be built.
    Plan(Fault),
    /// Its log could not be written.
    Unkept(String),
    /// Something broke while it ran.
    Broke(String),
    /// It was stopped.
    Stopped,
}

impl From<Trouble> for LiveFault {
    fn from(trouble: Trouble) -> Self {
        LiveFault::Trouble(trouble)
    }
}
