//! Why there is no verilated core.
use std::fmt;

/// Why a core cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The machine lacks a program.
    Missing {
        /// The attempt and its outcome.
        cause: String,
        /// The package that provides it.
        fix: String,
    },
    /// The RTL is wrong: it cannot be read, does not elaborate, or lacks the ports of `SPEC.md`.
    Rtl {
        /// The cause.
        cause: String,
        /// The tool's line, as it printed it.
        line: String,
        /// The suggested fix.
        fix: String,
    },
    /// It lacks the parameters that were asked for, and they are not at their defaults.
    Parameters(Vec<String>),
    /// Something else: a full disk, a compiler that broke down.
    Broke(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Missing { cause, fix } => write!(out, "{cause}; to fix it: {fix}"),
            Fault::Rtl { cause, line, .. } => write!(out, "{cause}: {line}"),
            Fault::Parameters(names) => {
                write!(out, "the core has no parameter {}", names.join(", "))
            }
            Fault::Broke(cause) => out.write_str(cause),
        }
    }
}

impl std::error::Error for Fault {}

/// `what` did not work.
pub fn broke(what: impl fmt::Display) -> impl FnOnce(std::io::Error) -> Fault {
    move |error| Fault::Broke(format!("{what}: {error}"))
}
