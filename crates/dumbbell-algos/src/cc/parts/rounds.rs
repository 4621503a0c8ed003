//! Round trips: from a byte that is sent to its acknowledgment, with the samples of the round-trip
//! time in between.
//!
//! A round is over when a byte is acknowledged that was sent after it began. The acknowledgment of
//! all that was in flight at its beginning is too early: where segments travel in a burst, it comes
//! at the end of the burst that began the round. Linux does the same: `TCP_CC_INFO` of its Vegas
//! shows a round that ends with the first acknowledgment of each burst.
//!
//! Vegas, Veno, Illinois, YeAH and Compound judge once in each round trip. There is no policy here:
//! each control interprets the samples by itself.
use dumbbell_core::transport::Ack;
use dumbbell_core::units::Span;

/// No sample yet.
const NONE: Span = Span::MAX;
/// The end of a round that the next acknowledgment begins.
const NOT_BEGUN: u64 = u64::MAX;

/// The samples of one round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// The smallest sample; [`Span::MAX`] if there was none.
    pub min: Span,
    /// The number of samples.
    pub samples: u32,
    /// The sum of the samples.
    pub sum: Span,
}

impl Round {
    const EMPTY: Round = Round { min: NONE, samples: 0, sum: Span::ZERO };

    /// The mean of the samples; [`Span::MAX`] if there was none.
    pub fn mean(&self) -> Span {
        if self.samples == 0 {
            NONE
        } else {
            Span::from_ps(self.sum.ps() / u64::from(self.samples))
        }
    }
}

/// Tells round trips apart by what is acknowledged.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// The round is over when more than the bytes before this one are acknowledged; or
    /// [`NOT_BEGUN`].
    end: u64,
    /// The smallest sample of the connection (`baseRTT`).
    base: Span,
    current: Round,
}

impl Default for Rounds {
    fn default() -> Self {
        Rounds { end: 0, base: NONE, current: Round::EMPTY }
    }
}

impl Rounds {
    /// An acknowledgment: takes its sample, and returns the round that it ends, its own sample
    /// included. The first round begins with the connection, the next at the end of each.
    #[inline]
    pub fn on_ack(&mut self, ack: &Ack) -> Option<Round> {
        if let Some(rtt) = ack.rtt {
            self.base = self.base.min(rtt);
            let current = &mut self.current;
            current.min = current.min.min(rtt);
            current.samples += 1;
            current.sum = current.sum + rtt;
        }
        if self.end == NOT_BEGUN {
            self.end = ack.nxt;
        }
        if ack.acked == 0 || ack.una <= self.end {
            return None;
        }
        self.end = ack.nxt;
        Some(std::mem::replace(&mut self.current, Round::EMPTY))
    }

    /// The round at hand is void; the next acknowledgment begins another.
    pub fn restart(&mut self) {
        (self.end, self.current) = (NOT_BEGUN, Round::EMPTY);
    }

    /// The smallest sample of the connection, or since [`Self::forget_base`].
    pub fn base(&self) -> Option<Span> {
        (self.base != NONE).then_some(self.base)
    }

    /// The path is another one: the smallest sample is to be measured again.
    pub fn forget_base(&mut self) {
        self.base = NONE;
    }

    /// The current round, so far.
    #[cfg(test)]
    pub fn current(&self) -> Round {
        self.current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(una: u64, nxt: u64, rtt_ms: Option<u64>) -> Ack {
        let mut a = Ack::default();
        (a.acked, a.una, a.nxt, a.rtt) = (1, una, nxt, rtt_ms.map(Span::from_ms));
        a
    }

    /// The first acknowledgment ends the connection's first round. Ten bytes are out then (1..11):
    /// the next round lasts until a byte beyond 11 is acknowledged.
    #[test]
    fn a_round_lasts_until_a_byte_that_was_sent_in_it_is_acknowledged() {
        let mut rounds = Rounds::default();
        let first = rounds.on_ack(&ack(2, 11, Some(100))).unwrap();
        assert_eq!((first.min, first.samples), (Span::from_ms(100), 1));
        assert_eq!(rounds.on_ack(&ack(6, 15, Some(104))), None);
        assert_eq!(rounds.on_ack(&ack(10, 19, None)), None);
        assert_eq!(rounds.on_ack(&ack(11, 20, Some(112))), None, "all that was out, and no more");
        let second = rounds.on_ack(&ack(12, 21, Some(108))).unwrap();
        assert_eq!(
            (second.min, second.samples, second.mean()),
            (Span::from_ms(104), 3, Span::from_ms(108))
        );
        assert_eq!(rounds.on_ack(&ack(21, 28, Some(120))), None);
        let third = rounds.on_ack(&ack(22, 29, Some(130))).unwrap();
        assert_eq!((third.min, third.samples), (Span::from_ms(120), 2));
        assert_eq!(rounds.base(), Some(Span::from_ms(100)));
    }

    #[test]
    fn duplicates_end_no_round() {
        let mut rounds = Rounds::default();
        rounds.on_ack(&ack(2, 11, None));
        let mut duplicate = ack(12, 12, None);
        duplicate.acked = 0;
        assert_eq!(rounds.on_ack(&duplicate), None);
        let over = rounds.on_ack(&ack(12, 12, None)).unwrap();
        assert_eq!((over.samples, over.min, over.mean()), (0, Span::MAX, Span::MAX));
    }

    #[test]
    fn a_restart_voids_the_round_and_not_the_base() {
        let mut rounds = Rounds::default();
        rounds.on_ack(&ack(2, 11, Some(50)));
        rounds.restart();
        assert_eq!(rounds.on_ack(&ack(12, 31, Some(70))), None);
        assert_eq!((rounds.current().samples, rounds.base()), (1, Some(Span::from_ms(50))));
        assert_eq!(rounds.on_ack(&ack(31, 32, None)), None);
        assert!(rounds.on_ack(&ack(32, 32, None)).is_some());
        rounds.forget_base();
        assert_eq!(rounds.base(), None);
    }
}
