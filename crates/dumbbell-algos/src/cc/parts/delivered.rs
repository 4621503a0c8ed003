//! The number of bytes that an acknowledgment reports as delivered, for controls that estimate a
//! bandwidth from that (Westwood, Jersey).
use dumbbell_core::transport::Ack;

/// Counts what arrived: a duplicate reports one segment, which the acknowledgment that follows them
/// reports again.
#[derive(Clone, Debug, Default)]
pub struct DeliveredCounter {
    /// Bytes that duplicates have told of.
    accounted: u64,
    /// SND.UNA after the acknowledgment before; 0: there was none.
    una: u64,
}

impl DeliveredCounter {
    /// Bytes that `ack` tells to have arrived, in segments of `mss`.
    #[inline]
    pub fn count(&mut self, ack: &Ack, mss: u64) -> u64 {
        let advance = self.advance(ack);
        self.count_once(ack, advance, mss)
    }

    /// The same, but an acknowledgment that reports no gap counts all that it acknowledges, even
    /// what duplicates have told of.
    #[inline]
    pub fn count_again(&mut self, ack: &Ack, mss: u64) -> u64 {
        let advance = self.advance(ack);
        if advance > 0 && !ack.gaps {
            return advance;
        }
        self.count_once(ack, advance, mss)
    }

    /// What it acknowledges cumulatively. Where windows grow by what is delivered, `acked` is
    /// without the data that duplicates have told of.
    #[inline]
    fn advance(&mut self, ack: &Ack) -> u64 {
        let before = std::mem::replace(&mut self.una, ack.una);
        if before > 0 { ack.una - before } else { ack.acked }
    }

    #[inline]
    fn count_once(&mut self, ack: &Ack, advance: u64, mss: u64) -> u64 {
        match advance {
            0 if ack.in_flight == 0 => 0,
            0 => {
                self.accounted += mss;
                mss
            }
            acked if acked <= mss || self.accounted == 0 => acked,
            acked if self.accounted >= acked => {
                self.accounted -= acked;
                mss
            }
            acked => acked - std::mem::take(&mut self.accounted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn ack(acked: u64) -> Ack {
        let mut a = Ack::default();
        (a.acked, a.in_flight) = (acked * MSS, 20 * MSS);
        a
    }

    fn at(una: u64, segments: u64, gaps: bool) -> Ack {
        let mut a = ack(segments);
        (a.una, a.gaps) = (una, gaps);
        a
    }

    /// Three duplicates, then what they told of within an acknowledgment of five: two are new.
    #[test]
    fn duplicates_count_once() {
        let counted = |acks: &[u64]| {
            let mut counter = DeliveredCounter::default();
            acks.iter().map(|n| counter.count(&ack(*n), MSS) / MSS).collect::<Vec<_>>()
        };
        assert_eq!(counted(&[1, 2, 1]), [1, 2, 1], "delayed acknowledgments");
        assert_eq!(counted(&[0, 0, 0, 5, 2]), [1, 1, 1, 2, 2]);
        assert_eq!(
            counted(&[0, 0, 0, 0, 0, 3, 4]),
            [1, 1, 1, 1, 1, 1, 2],
            "a partial one, then \
            the rest"
        );
        assert_eq!(counted(&[0, 0, 0, 4]), [1, 1, 1, 1]);
        assert_eq!(counted(&[0, 1, 2]), [1, 1, 1], "one segment is new by itself");
        // The same with the number of what is delivered beside SND.UNA.
        let mut counter = DeliveredCounter::default();
        let mut una = 0;
        let counted: Vec<_> = [(1, 1), (0, 0), (0, 0), (0, 0), (5, 2), (2, 2), (2, 2)]
            .map(|(advance, delivered)| {
                una += advance * MSS;
                counter.count(&at(una, delivered, false), MSS) / MSS
            })
            .into();
        assert_eq!(counted, [1, 1, 1, 1, 2, 2, 2]);
        // Three duplicates; a partial acknowledgment, which reports a gap; one that does not.
        let mut counter = DeliveredCounter::default();
        let mut una = 0;
        let counted: Vec<_> =
            [(1, false), (0, true), (0, true), (0, true), (2, true), (4, false), (2, false)]
                .map(|(advance, gaps)| {
                    una += advance * MSS;
                    counter.count_again(&at(una, advance, gaps), MSS) / MSS
                })
                .into();
        assert_eq!(counted, [1, 1, 1, 1, 1, 4, 2]);
        let mut idle = ack(0);
        idle.in_flight = 0;
        assert_eq!(DeliveredCounter::default().count(&idle, MSS), 0, "a window update");
    }
}
