//! Floor 2 of Dumbbell: SCReAM (RFC 8298) without I/O. `now` is passed in, packets and deadlines
//! come out.
//!
//! A [`Sender`] takes frames of a coder, keeps their RTP packets in a queue, sends what its window
//! allows, and tells the coder which rate to follow. A [`Receiver`] reports what has arrived (RFC
//! 8888) and which frames are complete within their delay budget. [`wire`] documents how a packet
//! is carried. Left out: several streams, forward error correction, retransmission, RTCP beside the
//! reports.
#![forbid(unsafe_code)]

mod config;
mod measures;
mod media;
mod receiver;
mod sender;
pub mod wire;

pub use config::{Ecn, ScreamConfig};
pub use measures::{Measures, Window};
pub use media::Media;
pub use receiver::{Receiver, ReceiverStats};
pub use sender::{GAUGES, Sender, SenderStats, SenderView};
