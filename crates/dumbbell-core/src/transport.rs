//! The four places where TCP's algorithms plug in, each a trait with a default:
//!
//! | trait | decides | defaults | others |
//! |---|---|---|---|
//! | [`CongestionControl`] | how many bytes may be in flight | AIMD | windows, rates, estimators |
//! | [`Detect`] | what is lost | duplicate ACKs, RFC 6675 `IsLost` | RACK (send times, a timer), DCR (delay) |
//! | [`Recover`] | how losses are repaired | tahoe, reno, newreno, sack | PRR |
//! | [`Receive`] | when a receiver acknowledges, and what it echoes | delayed ACK, RFC 3168 echo | DCTCP, AccECN, Freeze's window |
mod congestion;
mod detect;
mod receive;
mod recover;
mod scoreboard;
pub mod segment;
pub use congestion::*;
pub use detect::*;
pub use receive::*;
pub use recover::*;
pub use scoreboard::*;
