//! The extent of congestion: the share of bytes that came marked, per observation window, smoothed
//! (RFC 8257 section 3.3).
use dumbbell_core::transport::Ack;

/// The numbers in which alpha is kept.
pub trait Numbers {
    /// alpha after a window of which this share came marked.
    fn next(&self, alpha: f64, gain: f64, share: f64) -> f64;
}

/// Real numbers, as in the RFC.
#[derive(Clone, Debug)]
pub struct Real;

impl Numbers for Real {
    fn next(&self, alpha: f64, gain: f64, share: f64) -> f64 {
        alpha + gain * (share - alpha)
    }
}

/// Whole parts, so many to 1, each step rounded down: a decay of less than a part takes all that is
/// left. None: real numbers.
#[derive(Clone, Debug)]
pub struct Parts(pub Option<u32>);

impl Numbers for Parts {
    fn next(&self, alpha: f64, gain: f64, share: f64) -> f64 {
        let Some(parts) = self.0.map(f64::from) else { return Real.next(alpha, gain, share) };
        let before = (alpha * parts).floor();
        let decay = Some((before * gain).floor()).filter(|decay| *decay > 0.0);
        let after = before - decay.unwrap_or(before) + (share * parts * gain).floor();
        after.min(parts) / parts
    }
}

/// DCTCP.Alpha and what it is made of.
#[derive(Clone, Debug)]
pub struct MarkFraction<N = Real> {
    numbers: N,
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
        MarkFraction::of(Real, gain, alpha)
    }
}

impl<N: Numbers> MarkFraction<N> {
    /// The same in other numbers.
    pub fn of(numbers: N, gain: f64, alpha: f64) -> Self {
        MarkFraction { numbers, alpha, gain, acked: 0, marked: 0, end: 0 }
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
        if self.acked > 0 {
            let share = (self.marked as f64 / self.acked as f64).min(1.0);
            self.alpha = self.numbers.next(self.alpha, self.gain, share);
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

    /// A window ends with the acknowledgment of more than was sent when it began, the first one
    /// with the first acknowledgment (WindowEnd begins as SND.UNA): all of it was marked. Of the
    /// four of the next window one was: 5001 after 4001.
    #[test]
    fn alpha_is_made_of_whole_windows() {
        let mut e = MarkFraction::new(0.25, 0.0);
        let acks = [
            (1001, 4001, 1000),
            (2001, 5001, 1000),
            (3001, 6001, 0),
            (4001, 7001, 0),
            (5001, 8001, 0),
        ];
        let seen: Vec<f64> = acks
            .map(|(una, nxt, marked)| {
                e.on_ack(&ack(una, nxt, marked), true);
                e.alpha()
            })
            .into();
        assert_eq!(seen, [0.25, 0.25, 0.25, 0.25, 0.25]);
        let seen = [(8001, 9001, 0), (8002, 9001, 0)].map(|(una, nxt, marked)| {
            e.on_ack(&ack(una, nxt, marked), true);
            e.alpha()
        });
        assert_eq!(seen, [0.25, 0.1875]);
    }

    /// What `TCP_CC_INFO` of a kernel shows: 1024 parts, of which unmarked windows leave 960, 900,
    /// 844, ..., 18, 17, 16, 15, 0. A mark in 64 bytes is a part, fewer are none.
    #[test]
    fn parts_are_lost_below_one() {
        let mut e = MarkFraction::of(Parts(Some(1024)), 1.0 / 16.0, 1.0);
        let mut parts = |marked: u64| {
            let una = e.end + 1;
            e.acked = 63_000;
            e.on_ack(&ack(una, una, marked), true);
            (e.alpha() * 1024.0).round() as u64
        };
        let mut seen = vec![];
        while *seen.last().unwrap_or(&1024) > 0 {
            seen.push(parts(0));
        }
        assert_eq!(seen[..7], [960, 900, 844, 792, 743, 697, 654]);
        assert_eq!(seen[seen.len() - 5..], [18, 17, 16, 15, 0]);
        assert_eq!([parts(1000), parts(999), parts(2000), parts(64_000)], [1, 0, 2, 64]);
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
