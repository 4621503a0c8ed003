//! The places where TCP's algorithms plug in.
mod congestion;
pub use congestion::*;
