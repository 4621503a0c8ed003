//! The extent of congestion: the share of bytes that came marked, per observation window, smoothed
//! (RFC 8257 section 3.3).
use dumbbell_core::transport::Ack;

/// DCTCP.Alpha and what it is made of.
#[derive(Clone, Debug)]
pub struct MarkFraction {
    alpha: f64,
    gain: f64,
    acked: u64,
    marked: u64,
    /// DCTCP.WindowEnd.
    end: u64,
}

impl MarkFraction {
    /// With the estimation gain g, beginning at `alpha`.
    pub fn new(gain: f64, alpha: f64) -> Self {
        MarkFraction { alpha, gain, acked: 0, marked: 0, end: 0 }
    }
    /// DCTCP.Alpha.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }
    /// Takes an acknowledgment in; whether it ends an observation window, if `may_end`.
    #[inline]
    pub fn on_ack(&mut self, ack: &Ack, may_end: bool) -> bool {
        self.acked += ack.acked + ack.sacked;
        self.marked += ack.marked;
        if ack.una <= self.end || !may_end {
            return false;
        }
        self.turn(ack.nxt);
        true
    }
    fn turn(&mut self, next_end: u64) {
        // The first window has no beginning: there is nothing to learn of it.
        if self.acked > 0 && self.end > 0 {
            let share = (self.marked as f64 / self.acked as f64).min(1.0);
            self.alpha += self.gain * (share - self.alpha);
        }
        (self.acked, self.marked, self.end) = (0, 0, next_end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(una: u64, nxt: u64, marked: u64) -> Ack {
        let mut ack = Ack::default();
        (ack.acked, ack.una, ack.nxt, ack.marked) = (1000, una, nxt, marked);
        ack
    }

    /// A window ends with the acknowledgment of more than was sent when it began: 5001 after 4001.
    /// Of its four two came marked: alpha = 0.25 x 2 / 4. What came before the first window counts
    /// for nothing.
    #[test]
    fn alpha_is_made_of_whole_windows() {
        let mut e = MarkFraction::new(0.25, 0.0);
        let acks = [
            (1001, 4001, 1000),
            (2001, 5001, 1000),
            (3001, 6001, 0),
            (4001, 7001, 1000),
            (5001, 8001, 0),
        ];
        let seen: Vec<f64> = acks
            .map(|(una, nxt, marked)| {
                e.on_ack(&ack(una, nxt, marked), true);
                e.alpha()
            })
            .into();
        assert_eq!(seen, [0.0, 0.0, 0.0, 0.0, 0.125]);
    }

    /// One of five bytes marked in every window: alpha = 0.2 + 0.8 (1 - g)^n after n windows.
    #[test]
    fn alpha_comes_to_the_share_of_marks() {
        let mut e = MarkFraction::new(1.0 / 16.0, 1.0);
        e.on_ack(&ack(1, 5001, 0), true);
        for n in 1..=120u64 {
            // Each acknowledgment frees a segment: five to a window.
            for i in 0..5 {
                let una = 5000 * (n - 1) + 1000 * (i + 1) + 1;
                let end = e.end;
                e.on_ack(&ack(una, una + 5000, if i == 0 { 1000 } else { 0 }), true);
                assert_eq!(e.end != end, una > end);
            }
        }
        assert!((e.alpha() - 0.2).abs() < 0.03, "{}", e.alpha());
    }
}
