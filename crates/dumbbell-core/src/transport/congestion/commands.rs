//! What a congestion control asks of its sender, apart from the window.
use super::sent::Tag;

/// The requests of a congestion control to its sender, apart from the window; carried out after
/// each call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands {
    /// The retransmission timer.
    pub rto: Option<RtoCommand>,
    /// Stop (true) or resume (false) sending, timers included.
    pub freeze: Option<bool>,
    /// Send the first unacknowledged segment again, now.
    pub retransmit: bool,
    /// Segments to send that the window does not count, in this order: see [`Commands::extra`],
    /// [`Commands::dummy`].
    pub uncounted: Vec<Uncounted>,
    /// Segments to send now whatever the congestion window: as many as this, each the one that
    /// would go next if the window had room. It counts them like all others. None beyond the
    /// receiver's window, and none if nothing waits.
    pub ahead: u32,
}

/// A segment that a congestion control asks for and that its window does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncounted {
    /// See [`Commands::extra`].
    Extra(Tag),
    /// See [`Commands::dummy`].
    Dummy(Tag),
}

/// A request about the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoCommand {
    /// Double it now, as Karn's rule would after an expiry.
    BackOff {
        /// True if it stays doubled until `Reset`, whatever samples come; else the next valid one
        /// ends it (Karn's rule).
        held: bool,
        /// True if the timer that runs is to expire one such timeout from now; else one from its
        /// start.
        from_now: bool,
    },
    /// Forget srtt, rttvar and the backoff: the next sample starts afresh.
    Reset,
}

impl RtoCommand {
    /// A backoff that stays until `Reset`, and counts from the start of the timer that runs.
    pub const BACK_OFF: RtoCommand = RtoCommand::BackOff { held: true, from_now: false };
}

impl Commands {
    /// True if there is no request.
    pub fn is_empty(&self) -> bool {
        self.rto.is_none()
            && self.freeze.is_none()
            && !self.retransmit
            && self.uncounted.is_empty()
            && self.ahead == 0
    }
    /// Sends a segment beyond the window, with its tag: new data, or a retransmission if there is
    /// none.
    pub fn extra(&mut self, tag: Tag) {
        self.uncounted.push(Uncounted::Extra(tag));
    }
    /// Sends a dummy segment with its tag, outside the window: it carries no new data, has low
    /// priority, is never retransmitted and not counted as lost. If it arrives, the tag comes back
    /// as [`super::Ack::tag`].
    pub fn dummy(&mut self, tag: Tag) {
        self.uncounted.push(Uncounted::Dummy(tag));
    }
}
