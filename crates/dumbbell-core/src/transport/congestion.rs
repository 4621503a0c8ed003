//! Congestion control: the window and the pacing rate of a sender. Windows are in bytes.
mod ack;
mod capabilities;
mod commands;
mod event;
mod sent;

use crate::packet::Dscp;
use crate::probe::Probe;
use crate::units::{Rate, Span, Time};
pub use ack::{Ack, LossSample, Phase, RateSample};
pub use capabilities::{Capabilities, TcpOverrides};
pub use commands::{Commands, RtoCommand, Uncounted};
use dumbbell_macros::delegate;
pub use event::{Cause, Congestion, HostSignal};
pub use sent::{Sent, Tag};

/// The parameters of a connection, given to a congestion control when it is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Sender's maximum segment size, bytes of payload.
    pub mss: u64,
    /// Initial window, bytes (RFC 6928, RFC 3390).
    pub initial_window: u64,
    /// Initial slow-start threshold, bytes; `u64::MAX`: none.
    pub initial_ssthresh: u64,
    /// Segments that one acknowledgment may add in slow start (L of RFC 3465; 1: RFC 5681).
    pub growth_limit: u64,
    /// True if the window is whole segments, as far as the control can.
    pub whole_segments: bool,
    /// Bytes of IP and TCP headers, options too, of a data segment: a reservation counts whole
    /// packets.
    pub header: u64,
    /// The rate that was reserved for the flow, IP bytes; `None`: best effort.
    pub reserved: Option<Rate>,
    /// The round-trip time of its route without queues, if that is known.
    pub rtt: Option<Span>,
}

impl Path {
    /// A path without any information, and a connection that begins with one segment of 1460 bytes.
    pub const PLAIN: Path = Path {
        mss: 1460,
        initial_window: 1460,
        initial_ssthresh: u64::MAX,
        growth_limit: 1,
        whole_segments: false,
        header: 40,
        reserved: None,
        rtt: None,
    };
}

/// A congestion control: how many bytes may be in flight, and at which rate they leave.
#[delegate(names = crate::{transport::*, packet::Dscp, probe::Probe, units::{Rate, Span, Time}})]
pub trait CongestionControl {
    /// The settings of the surrounding TCP that its name implies.
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides::NOTHING
    }

    /// Its capabilities beside setting a window; asked once. The sender never uses the others.
    fn capabilities(&self) -> Capabilities {
        Capabilities::ALL
    }

    /// The connection is open: the round-trip time of its handshake, if there was one, and the
    /// receiver's window, bytes.
    fn on_open(&mut self, _now: Time, _rtt: Option<Span>, _window: u64, _commands: &mut Commands) {}
    /// An acknowledgment arrived: each one, duplicates too, before the sender acts on it.
    fn on_ack(&mut self, ack: &Ack, commands: &mut Commands);
    /// The common case of [`Self::on_ack`]: `acked` bytes, cumulatively, while no loss is being
    /// repaired and no congestion echoed. Only where [`Capabilities::samples`] is false, and it
    /// does then what `on_ack` does. The window after it.
    #[inline(always)]
    fn on_expected(&mut self, acked: u64, window_limited: bool) -> u64 {
        let ack = Ack { acked, window_limited, ..Ack::default() };
        self.on_ack(&ack, &mut Commands::default());
        self.cwnd()
    }
    /// Seeds the random numbers of this connection, from the run's seed and the flow's name. Called
    /// once, before all else; the default seed is 0.
    fn seed(&mut self, _seed: u64) {}
    /// A congestion event.
    fn on_congestion(&mut self, event: &Congestion<'_>, commands: &mut Commands);
    /// Recovery ended. The window may be at most `bound` (RFC 6582: max(FlightSize, SMSS) + SMSS,
    /// lest a burst follow); [`u64::MAX`]: no bound.
    fn on_recovered(&mut self, _now: Time, _bound: u64) {}
    /// A segment is about to be sent; returns the tag to write on it.
    fn on_sent(&mut self, _sent: &Sent) -> Tag {
        Tag(0)
    }
    /// The DiffServ codepoint of a segment with this tag, which is not 0; `None`: the flow's. A
    /// control that colors its segments tags them, and learns from [`Congestion::tags`] which
    /// colors were lost; the tag of a colored segment does not come back with its acknowledgment,
    /// so that the receiver need not answer each of them at once.
    fn codepoint(&self, _tag: Tag) -> Option<Dscp> {
        None
    }
    /// The connection was idle for longer than a retransmission timeout (RFC 5681 section 4.1), or
    /// its SYN was lost (section 3.1): the window may be at most this.
    fn on_idle(&mut self, _restart_window: u64) {}
    /// The path MTU changed: from now on a segment carries at most `mss` bytes, never more than
    /// [`Path::mss`]. That is not congestion: window and threshold stay as many bytes (the window
    /// is at least a segment), and what is counted in segments goes by the new size.
    fn on_mss(&mut self, _mss: u64) {}
    /// Its own timer expired.
    fn on_timer(&mut self, _now: Time, _commands: &mut Commands) {}
    /// The expiry of its own timer; [`Time::NEVER`] if none is set.
    #[inline]
    fn next_timer(&self) -> Time {
        Time::NEVER
    }
    /// A signal from the host.
    fn on_host_signal(&mut self, _signal: HostSignal, _commands: &mut Commands) {}

    /// The congestion window, bytes.
    #[inline]
    fn cwnd(&self) -> u64;
    /// The slow-start threshold, bytes; `None` if it has none.
    fn ssthresh(&self) -> Option<u64> {
        None
    }
    /// The rate at which segments leave, headers counted, or of payload if it reads delivery rates
    /// ([`Capabilities::rates`]); `None`: as fast as the window lets them.
    #[inline]
    fn pacing(&self) -> Option<Rate> {
        None
    }
    /// Reports its inner values.
    fn probe(&self, _out: &mut dyn Probe) {}
}
