//! Loss recovery: which segments are sent between the detection of a loss and its repair.
use super::{Detect, Scoreboard};
use dumbbell_macros::delegate;

/// The sender's outstanding data, as a recovery sees it. Offsets and windows in bytes.
#[non_exhaustive]
pub struct Flight<'a> {
    /// Maximum segment size.
    pub mss: u64,
    /// SND.UNA.
    pub una: u64,
    /// SND.NXT.
    pub nxt: u64,
    /// The congestion window; inside recovery the congestion control holds it at its target.
    pub cwnd: u64,
    /// Highest byte sent when recovery began, plus one (`recover`, `RecoveryPoint`).
    pub recover: u64,
    /// Bytes never sent that the application and the receiver's window allow.
    pub unsent: u64,
    /// The selectively acknowledged ranges.
    pub board: &'a Scoreboard,
}

impl<'a> Flight<'a> {
    /// The outstanding data.
    pub fn new(
        mss: u64,
        una: u64,
        nxt: u64,
        cwnd: u64,
        recover: u64,
        unsent: u64,
        board: &'a Scoreboard,
    ) -> Self {
        Flight { mss, una, nxt, cwnd, recover, unsent, board }
    }
    /// FlightSize: bytes sent and not acknowledged cumulatively.
    pub fn size(&self) -> u64 {
        self.nxt - self.una
    }
}

/// The actions of a sender at an acknowledgment during recovery, or at its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Send the first unacknowledged segment again, whatever the window.
    pub resend: bool,
    /// Go back: everything outstanding is sent again in slow start; recovery is over.
    pub go_back: bool,
    /// Restart the retransmission timer.
    pub restart_timer: bool,
    /// Recovery is over; the window may be at most this ([`u64::MAX`]: no bound).
    pub exit: Option<u64>,
}

/// The next data to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Data never sent.
    New,
    /// Bytes `[from, to)` again; at most a segment of them goes.
    Again(u64, u64),
    /// Bytes `[from, to)` again as a rescue retransmission, once in a recovery (RFC 6675 NextSeg
    /// rule 4).
    Rescue(u64, u64),
}

/// Repairs losses. Windows that it inflates are its own: a congestion control never sees them.
#[delegate(names = crate::transport::*)]
pub trait Recover {
    /// The peer does not do SACK: a recovery that needs it turns into one that does not.
    fn sack_refused(&mut self) {}
    /// True if a loss found at `una` may begin a recovery, when the last one (or a timeout) ended
    /// at `recover`.
    fn may_enter(&self, una: u64, recover: u64) -> bool;
    /// A loss was found; the congestion control has set its window.
    fn enter(&mut self, f: &Flight<'_>, dupacks: u32) -> Step;
    /// An acknowledgment in recovery: `acked` bytes cumulatively (0: a duplicate), `sacked`
    /// selectively.
    fn on_ack(&mut self, f: &Flight<'_>, acked: u64, sacked: u64) -> Step;
    /// After [`Self::enter`] and [`Self::on_ack`]: how much of what an acknowledgment newly
    /// delivered, cumulatively and selectively, may be answered with data (DeliveredData of RFC
    /// 9937; 0 when a timer found losses).
    fn meter(&mut self, _f: &Flight<'_>, _detect: &impl Detect, _acked: u64, _delivered: u64) {}
    /// The number of bytes that may be sent now.
    fn room(&self, f: &Flight<'_>, detect: &impl Detect) -> u64;
    /// The next data to send, if any.
    fn next(&self, _f: &Flight<'_>, _detect: &impl Detect) -> Option<Pick> {
        Some(Pick::New)
    }
    /// `[from, to)` went out.
    fn on_sent(&mut self, _pick: Pick, _from: u64, _to: u64) {}
}
