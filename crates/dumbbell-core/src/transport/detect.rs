//! Loss detection: which segments are lost, and from when on.
use super::{Phase, Scoreboard, Sent};
use crate::units::{Span, Time};
use dumbbell_macros::delegate;

/// The information that a detector gets from an acknowledgment.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence {
    /// The arrival time.
    pub now: Time,
    /// Bytes newly acknowledged, cumulatively.
    pub acked: u64,
    /// Bytes newly acknowledged, selectively.
    pub sacked: u64,
    /// Duplicate acknowledgments since SND.UNA last moved, this one included (with SACK: those that
    /// told something new, RFC 6675 section 2). 0 if this is not a duplicate.
    pub dupacks: u32,
    /// SND.UNA after it.
    pub una: u64,
    /// Highest byte sent, plus one.
    pub high: u64,
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// True if the window is below ssthresh.
    pub slow_start: bool,
    /// Smoothed round-trip time.
    pub srtt: Option<Span>,
    /// Smallest round-trip time.
    pub min_rtt: Option<Span>,
    /// The retransmission timeout in force.
    pub rto: Span,
    /// The phase of the sender.
    pub phase: Phase,
    /// The end of the current recovery (`RecoveryPoint`); outside recovery, of the last one.
    pub recover: u64,
    /// The timestamp that it echoes, if there is one: the time at which the acknowledged segment
    /// was sent.
    pub echo: Option<Time>,
}

/// The conclusion of a detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// No loss.
    Nothing,
    /// Perhaps a loss: so many bytes of new data may go beyond the window meanwhile (limited
    /// transmit).
    Suspicion(u64),
    /// A loss: recovery begins.
    Loss,
}

/// Decides which segments are lost. The sender asks at each acknowledgment, and when the
/// detector's own timer is due.
#[delegate(names = crate::{transport::*, units::{Span, Time}})]
pub trait Detect {
    /// A segment is sent (RACK keeps the time).
    #[inline]
    fn on_sent(&mut self, _sent: &Sent) {}
    /// The ordinary case of [`Self::on_sent`]: `[from, to)` is new data, without a FIN. False if
    /// nothing was done, and `on_sent` is to be called.
    #[inline]
    fn on_sent_new(&mut self, _now: Time, _from: u64, _to: u64) -> bool {
        false
    }
    /// True if it wants every acknowledgment, not only those that are duplicates, follow
    /// duplicates or come during recovery.
    #[inline]
    fn wants_every_ack(&self) -> bool {
        false
    }
    /// The peer does not do SACK: a detector that needs it turns into one that does not.
    fn sack_refused(&mut self) {}
    /// True if it knows single segments: then nothing is sent again but what it finds lost, after a
    /// timeout too, and it is asked at every acknowledgment in every phase.
    #[inline]
    fn by_segment(&self) -> bool {
        false
    }
    /// True if it may ever set a timer.
    #[inline]
    fn has_timer(&self) -> bool {
        true
    }
    /// `[from, to)` is selectively acknowledged, for the first time; before [`Self::on_ack`] of the
    /// same acknowledgment. Only if it knows single segments.
    fn on_sacked(&mut self, _now: Time, _from: u64, _to: u64) {}
    /// When the first and the last left of the segments that the acknowledgment at hand answers for
    /// the first time, up to `una` or selectively, and that were sent once; `None` if there is no
    /// such segment. After [`Self::on_sacked`], before [`Self::on_ack`] or [`Self::on_expected`].
    /// Only if it knows single segments.
    #[inline(always)]
    fn answered(&self, _una: u64) -> Option<(Time, Time)> {
        None
    }
    /// The acknowledgment at hand reports a duplicate (RFC 2883); SND.UNA and SND.NXT after it.
    /// Likewise.
    fn on_duplicate_report(&mut self, _una: u64, _nxt: u64) {}
    /// The retransmission timer expired: decides which segments are lost. `board` is empty if the
    /// receiver reneged.
    fn on_timeout(&mut self, _now: Time, _una: u64, _board: &Scoreboard) {}
    /// The path was gone: nothing of what was on its way will arrive.
    fn on_cut(&mut self, now: Time, una: u64, board: &Scoreboard) {
        self.on_timeout(now, una, board);
    }
    /// Segments have at most `mss` bytes from now on.
    fn on_mss(&mut self, _mss: u64) {}
    /// Segments of more than `mss` bytes are too large for the path, which is no loss that the
    /// network decided on: what is on its way in such awaits repair. Only if it knows single
    /// segments.
    fn withdraw(&mut self, _mss: u64) {}
    /// The last congestion event was none: what it held lost and has not sent again is on its way.
    /// `reordered`: a late segment was taken for a lost one; otherwise the timer was too early.
    fn forgive(&mut self, _reordered: bool) {}
    /// The segment with the highest bytes that were sent, if it knows single segments.
    fn last_segment(&self) -> Option<(u64, u64)> {
        None
    }
    /// A counter that grows whenever more is found lost.
    fn losses(&self, board: &Scoreboard) -> u64 {
        self.lost_below(board)
    }
    /// The number of retransmissions that were found lost.
    fn lost_again(&self) -> u64 {
        0
    }
    /// True if a segment that was found lost is on its way again or awaits that, if it knows single
    /// segments.
    fn repairs(&self) -> bool {
        false
    }
    /// An acknowledgment; `board` has taken it in.
    fn on_ack(&mut self, e: &Evidence, board: &Scoreboard) -> Finding;
    /// The ordinary case of [`Self::on_ack`], for a detector that knows single segments: everything
    /// below `una` arrived, nothing is selectively acknowledged, and the sender repairs nothing.
    /// True if it had nothing to find, and did what `on_ack` does; false if `on_ack` is to be
    /// asked.
    #[inline(always)]
    fn on_expected(
        &mut self,
        _now: Time,
        _una: u64,
        _srtt: Option<Span>,
        _echo: Option<Time>,
    ) -> bool {
        false
    }
    /// The expiry of its timer; [`Time::NEVER`] if none is set.
    #[inline]
    fn deadline(&self) -> Time {
        Time::NEVER
    }
    /// Its timer is due.
    fn on_deadline(&mut self, _now: Time, _board: &Scoreboard) -> Finding {
        Finding::Nothing
    }
    /// Recovery began or the retransmission timer expired: what was suspected is settled.
    fn settled(&mut self) {}

    /// Everything below this that is not selectively acknowledged is lost (RFC 6675 `IsLost`, which
    /// is monotone).
    fn lost_below(&self, board: &Scoreboard) -> u64;
    /// The first lost range at or above `from` that awaits repair. A detector that knows single
    /// segments (RACK, which also finds lost repairs) answers from its own list and may ignore
    /// `from`.
    fn next_lost(&self, board: &Scoreboard, from: u64) -> Option<(u64, u64)> {
        let below = self.lost_below(board);
        board.hole(from).filter(|hole| hole.0 < below)
    }
    /// Adds every lost range at or above `una` to `out`; those that were sent again meanwhile may
    /// be among them, unless it knows single segments.
    fn lost_ranges(&self, board: &Scoreboard, una: u64, out: &mut Vec<(u64, u64)>) {
        let below = self.lost_below(board);
        board.missing(una, below.max(una), out);
    }
    /// Bytes of `[una, nxt)` that are believed to be in the network, when everything below
    /// `repaired` was sent again (RFC 6675 `SetPipe`).
    fn pipe(&self, board: &Scoreboard, una: u64, nxt: u64, repaired: u64) -> u64 {
        let unsacked =
            |from: u64, to: u64| to.saturating_sub(from) - board.bytes_within(from, to.max(from));
        unsacked(self.lost_below(board).max(una), nxt) + unsacked(una, repaired.min(nxt))
    }
}
