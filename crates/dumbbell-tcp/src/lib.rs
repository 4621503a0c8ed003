//! Floor 2 of Dumbbell: TCP without I/O. `now` is passed in, segments and deadlines come out.
//!
//! A connection carries data one way: a [`Sender`] sends segments, a [`Receiver`] acknowledges
//! them. The stream's offsets are 64 bits wide inside; offset 0 is the SYN's, data begins at 1,
//! with or without a handshake.
#![forbid(unsafe_code)]

mod config;
mod detect;
mod receiver;
mod recover;
mod rtt;
mod sender;

pub use config::{
    DelayedAck, Detection, Discovery, Ecn, Exit, PartialAck, Recovery, Reduction, Reentry, Samples,
    TcpConfig,
};
pub use detect::{AnyDetect, Dcr, DupAcks, Rack};
pub use receiver::{Receiver, ReceiverPolicy, ReceiverStats};
pub use recover::{AnyRecover, Guard, Meter, PlainPrr, Prr, Reno, Sack, Tahoe};
pub use rtt::{Clock, Estimator};
pub use sender::{PathStats, Sender, SenderStats, SenderView};
