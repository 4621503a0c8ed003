//! Errors of live runs.
use crate::calibrate::{OutOfReach, Overload};
use crate::error::EnvError;
use crate::traffic::Unsupported;
use dumbbell_core::catalogue::Fault;

/// The reason for which there is no run.
#[derive(Debug)]
pub enum LiveFault {
    /// The plan asks for what the kernel lacks.
    Unsupported(Vec<Unsupported>),
    /// This machine lacks something.
    EnvError(EnvError),
    /// This machine cannot keep up with it.
    Overload(Overload),
    /// This machine is too busy for the class that the plan requires.
    OutOfReach(OutOfReach),
    /// The network cannot be built.
    Plan(Fault),
    /// The log could not be written.
    LogWrite(String),
    /// A program of the user's cannot go on.
    Program(EnvError),
    /// Something broke while it ran.
    Failed(String),
    /// It was stopped.
    Stopped,
}

impl From<EnvError> for LiveFault {
    fn from(failure: EnvError) -> Self {
        LiveFault::EnvError(failure)
    }
}
