//! The levels of a meter state over time within a window: tokens in its bucket, packets in its
//! buffer. Both are sampled before anything happens to them, so that between two samples a bucket
//! only fills and a buffer does not change.
use dumbbell_core::meter::Tokens;
use dumbbell_core::units::{Span, Time};

/// Integrals of the levels over time.
pub struct Levels {
    from: Time,
    to: Time,
    /// The last look within the window, if there was one.
    at: Option<Time>,
    /// The bucket's account when the window began, and at the last look.
    tokens: Option<(Tokens, Tokens)>,
    /// Token units times picoseconds.
    level: f64,
    /// Packets times picoseconds.
    held: u128,
}

/// The tokens that came into a bucket within a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenIncome {
    /// True if a token stands for a packet, not for a byte.
    pub packets: bool,
    /// Tokens that came.
    pub made: f64,
    /// Of those, how many found the bucket full.
    pub lost: f64,
    /// Tokens in the bucket, in the mean over time.
    pub mean: f64,
}

impl Levels {
    /// Nothing was seen yet of a window from `from` to `to`.
    pub fn new(from: Time, to: Time) -> Self {
        Levels { from, to, at: None, tokens: None, level: 0.0, held: 0 }
    }

    /// Looks at a place before anything happens to it at `now`: `tokens` gives its bucket's
    /// account, `held` packets are in its buffer.
    pub fn look(&mut self, now: Time, mut tokens: impl FnMut(Time) -> Option<Tokens>, held: u64) {
        if now < self.from {
            return;
        }
        let since = self.at.unwrap_or_else(|| {
            self.tokens = tokens(self.from).map(|t| (t, t));
            self.from
        });
        let now = now.min(self.to);
        if self.at.is_some_and(|at| at == now) {
            return;
        }
        self.at = Some(now);
        let span = now.since(since);
        self.held += u128::from(held) * u128::from(span.ps());
        if let Some((_, last)) = &mut self.tokens
            && let Some(tokens) = tokens(now)
        {
            self.level += area(last, &tokens, span);
            *last = tokens;
        }
    }

    /// Packets in the buffer, in the mean over the window until the last look.
    pub fn mean_held(&self) -> f64 {
        let ps = self.looked();
        if ps == 0.0 { 0.0 } else { self.held as f64 / ps }
    }

    /// The tokens that came into the bucket within the window until the last look; `None` without a
    /// bucket.
    pub fn income(&self) -> Option<TokenIncome> {
        let (first, last) = self.tokens?;
        let ps = self.looked();
        let level = if ps == 0.0 { last.level as f64 } else { self.level / ps };
        Some(TokenIncome {
            packets: last.packets,
            made: last.tokens(last.made - first.made),
            lost: last.tokens(last.lost - first.lost),
            mean: level / last.unit.max(1) as f64,
        })
    }

    /// The part of the window that was observed, picoseconds.
    fn looked(&self) -> f64 {
        self.at.map_or(0.0, |at| at.since(self.from).ps() as f64)
    }
}

/// Token units times picoseconds in a bucket that had the account `last` and now, after `span` in
/// which nothing was taken, has `now`: it filled steadily, and was full from when tokens were lost.
/// Tokens that are made whole are taken as if they flowed, which is right in the mean to less than
/// one.
fn area(last: &Tokens, now: &Tokens, span: Span) -> f64 {
    let (made, lost) = ((now.made - last.made) as f64, (now.lost - last.lost) as f64);
    let (end, span) = (now.level as f64, span.ps() as f64);
    let begin = end + lost - made;
    let filling = if made > 0.0 { span * (made - lost) / made } else { span };
    0.5 * (begin + end) * filling + end * (span - filling)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bucket::TokenBucket;
    use dumbbell_core::units::{Bytes, Rate};

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// 1000 bytes a second into a bucket of 2000, of which packets of 1000 take theirs at 0, 0 and
    /// 3 s. It has 0 at 0, is full at 2 s, has 1000 left at 3 s and is full at 4 s. From 1 s to 5
    /// s: 1500 in the mean of the first second, 2000 in the second, 1500 in the third, 2000 in the
    /// last.
    #[test]
    fn a_bucket_by_hand() {
        let mut bucket = TokenBucket::new(Rate::from_bps(8000), Bytes(2000));
        let mut standing = Levels::new(at(1000), at(5000));
        for (ms, held) in [(0, 0), (0, 1), (3000, 2), (5000, 4)] {
            standing.look(at(ms), |t| Some(bucket.account(t)), held);
            assert!(ms == 5000 || bucket.take(at(ms), 1000));
        }
        let income = standing.income().unwrap();
        assert_eq!((income.packets, income.made, income.lost), (false, 4000.0, 2000.0));
        assert!((income.mean - 1750.0).abs() < 1e-6, "{}", income.mean);
        assert_eq!(standing.mean_held(), (2.0 * 2.0 + 4.0 * 2.0) / 4.0);
    }

    /// Without anything that happens in it, a window is one look at its end.
    #[test]
    fn a_window_in_which_nothing_happens() {
        let mut bucket = TokenBucket::of_packets(Rate::from_bps(8000), 2, 1000);
        let mut standing = Levels::new(at(1000), at(5000));
        standing.look(at(0), |t| Some(bucket.account(t)), 0);
        assert_eq!((standing.income(), standing.mean_held()), (None, 0.0));
        standing.look(at(9000), |t| Some(bucket.account(t)), 3);
        let income = standing.income().unwrap();
        assert_eq!(income, TokenIncome { packets: true, made: 4.0, lost: 4.0, mean: 2.0 });
        assert_eq!(standing.mean_held(), 3.0);
    }

    #[test]
    fn what_has_no_bucket_has_no_income() {
        let mut standing = Levels::new(at(0), at(10));
        standing.look(at(5), |_| None, 1);
        standing.look(at(10), |_| None, 0);
        assert_eq!((standing.income(), standing.mean_held()), (None, 0.5));
    }
}
