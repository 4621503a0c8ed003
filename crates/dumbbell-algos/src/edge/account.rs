//! What passed one place of an edge within a window (a run less its warm-up).
use dumbbell_core::meter::Colour;
use dumbbell_core::units::{Span, Time};

/// Packets, bytes and holding times.
#[derive(Clone, Debug)]
pub struct Account {
    from: Time,
    to: Time,
    packets: [u64; 3],
    bytes: [u64; 3],
    dropped: u64,
    held: u64,
    holding: u128,
    longest: Span,
}

impl Account {
    /// An empty one, which counts what happens from `from` to `to`.
    pub fn new(from: Time, to: Time) -> Self {
        let (packets, bytes) = ([0; 3], [0; 3]);
        Account { from, to, packets, bytes, dropped: 0, held: 0, holding: 0, longest: Span::ZERO }
    }

    /// Whether `now` counts.
    fn counts(&self, now: Time) -> bool {
        self.from <= now && now <= self.to
    }

    /// A packet of `bytes` went on at `now` after it was held; a packet without a colour counts as green.
    #[inline]
    pub fn passed(&mut self, now: Time, colour: Option<Colour>, bytes: u32, held: Span) {
        if !self.counts(now) {
            return;
        }
        let i = colour.unwrap_or_default().index();
        self.packets[i] += 1;
        self.bytes[i] += u64::from(bytes);
        if held > Span::ZERO {
            self.held += 1;
            self.holding += u128::from(held.ps());
            self.longest = self.longest.max(held);
        }
    }

    /// A packet was dropped at `now`.
    pub fn dropped(&mut self, now: Time) {
        self.dropped += u64::from(self.counts(now));
    }

    /// Packets of a colour.
    pub fn packets(&self, colour: Colour) -> u64 {
        self.packets[colour.index()]
    }
    /// Bytes of IP length of a colour.
    pub fn bytes(&self, colour: Colour) -> u64 {
        self.bytes[colour.index()]
    }
    /// Packets dropped.
    pub fn drops(&self) -> u64 {
        self.dropped
    }
    /// Packets that were held before they went on.
    pub fn held(&self) -> u64 {
        self.held
    }
    /// Mean time for which those were held; zero if none was.
    pub fn mean_holding(&self) -> Span {
        self.holding.checked_div(u128::from(self.held)).map_or(Span::ZERO, |ps| Span::from_ps(ps as u64))
    }
    /// Packets in the buffer, in the mean over the window (Little's law: what each was held, over the window).
    pub fn mean_held(&self) -> f64 {
        let window = self.to.since(self.from);
        if window == Span::ZERO { 0.0 } else { self.holding as f64 / window.ps() as f64 }
    }
    /// The longest time for which one was held.
    pub fn longest_holding(&self) -> Span {
        self.longest
    }
}
