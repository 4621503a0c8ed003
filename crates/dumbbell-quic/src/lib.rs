//! Floor 2 of Dumbbell: QUIC without I/O. `now` is passed in, packets and deadlines come out.
//!
//! A connection carries one stream, one way: a [`Sender`] sends packets (RFC 9000), detects losses
//! and controls congestion (RFC 9002); a [`Receiver`] acknowledges packets and reassembles the
//! stream. What bulk data does not need is left out: encryption (its bytes are counted), further
//! streams, migration, key updates, idle timeouts. [`wire`] documents how a packet is carried.
#![forbid(unsafe_code)]

mod config;
mod receiver;
mod rtt;
mod sender;
pub mod wire;

pub use config::{Ecn, Handshake, QuicConfig};
pub use receiver::{Receiver, ReceiverStats};
pub use rtt::Estimator;
pub use sender::{Sender, SenderStats, SenderView};
