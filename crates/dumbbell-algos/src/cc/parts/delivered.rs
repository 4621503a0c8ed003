//! The number of bytes that an acknowledgment reports as delivered, for controls that estimate a
//! bandwidth from that (Westwood, Jersey).
use dumbbell_core::transport::Ack;

/// Counts what arrived: a duplicate reports one segment, which the acknowledgment that follows them
/// reports again.
#[derive(Clone, Debug, Default)]
pub struct DeliveredCounter {
    /// Bytes that duplicates have told of.
    accounted: u64,
}

impl DeliveredCounter {
    /// Bytes that `ack` tells to have arrived, in segments of `mss`.
    #[inline]
    pub fn count(&mut self, ack: &Ack, mss: u64) -> u64 {
        match ack.acked {
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
        let mut idle = ack(0);
        idle.in_flight = 0;
        assert_eq!(DeliveredCounter::default().count(&idle, MSS), 0, "a window update");
    }
}
