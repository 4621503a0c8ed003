//! The window arithmetic of the classics (RFC 5681, RFC 3465): slow start, additive or binomial
//! increase, decrease on congestion. Windows are in bytes; `w` is cwnd in segments.
//!
//! Controls that steer how much it grows and shrinks (HighSpeed, H-TCP, Illinois, ...) own one and
//! say so by [`Window::set_increase`] and [`Window::set_decrease`]; they leave the rest to it.
use super::advice::Advice;
use super::slow_start::Watch;
use crate::cc::parts::classic_config::ClassicConfig;
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, Phase,
};
use dumbbell_core::units::Time;

/// The growth and reduction of a window: per segment acknowledged w += a / w^(k+1), per congestion
/// w -= b w^l.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// Increase, segments per round trip (k = 0).
    pub a: f64,
    /// Decrease, a share of the window (l = 1).
    pub b: f64,
    /// Exponent of the increase.
    pub k: f64,
    /// Exponent of the decrease.
    pub l: f64,
}

/// RFC 5681: one segment per round trip, half on congestion.
pub const STANDARD: Law = Law { a: 1.0, b: 0.5, k: 0.0, l: 1.0 };

/// The unit of fixed-point increases.
const FIXED: u64 = 1 << 16;

/// A congestion window that follows a [`Law`]; what an acknowledgment touches comes first.
#[repr(C)]
#[derive(Clone, Debug)]
pub struct Window {
    cwnd: u64,
    ssthresh: u64,
    mss: u64,
    /// Bytes that one acknowledgment may add in slow start.
    limit: u64,
    /// True if every acknowledged byte counts in congestion avoidance (RFC 3465), or a segment per
    /// ACK (RFC 5681).
    count_bytes: bool,
    /// What watches the first slow start, until it is over.
    hystart: Option<Box<Watch>>,
    /// The remainder of the last increase: a part of a byte, times cwnd, in units of 2^-16.
    remainder: u64,
    /// a SMSS in units of 2^-16.
    increase: u64,
    /// The window grows by this many bytes at once: one, or a segment.
    step: u64,
    law: Law,
    /// (cwnd, ssthresh) before the last reduction.
    prior: (u64, u64),
    /// The share that an ECN echo takes, if that is not the law's (RFC 8511).
    ecn_cut: Option<f64>,
    /// True if whole segments are taken, instead of left, where the window is whole segments.
    takes_whole: bool,
}

impl Window {
    /// The window at the start of a connection.
    pub fn new(law: Law, path: &Path) -> Self {
        Window {
            cwnd: path.initial_window.max(path.mss),
            ssthresh: path.initial_ssthresh,
            mss: path.mss,
            limit: path.growth_limit.max(1) * path.mss,
            count_bytes: path.growth_limit > 1,
            hystart: None,
            remainder: 0,
            increase: (law.a * path.mss as f64 * FIXED as f64) as u64,
            step: if path.whole_segments { path.mss } else { 1 },
            law,
            prior: (0, 0),
            ecn_cut: None,
            takes_whole: false,
        }
    }

    /// The standard's, to be steered. In a box, because those who steer have a state of their own,
    /// and every flow has room for the largest control.
    pub fn boxed(path: &Path) -> Box<Self> {
        Box::new(Window::new(STANDARD, path))
    }

    /// The same, of which a reduction takes whole segments if it counts segments at all; of others
    /// it leaves whole ones.
    pub fn taking_whole(path: &Path) -> Box<Self> {
        Box::new(Window { takes_whole: true, ..Window::new(STANDARD, path) })
    }

    /// The standard's window with the options of `config`.
    pub fn classic(config: &ClassicConfig, path: &Path) -> Self {
        Window {
            hystart: Watch::new(config.hystart, path.mss),
            ecn_cut: config.abe.then_some(1.0 - config.beta_ecn),
            ..Window::new(STANDARD, path)
        }
    }

    /// The slow-start threshold, bytes.
    #[inline]
    pub fn threshold(&self) -> u64 {
        self.ssthresh
    }
    /// The congestion window in segments.
    #[inline]
    pub fn segments(&self) -> f64 {
        self.cwnd as f64 / self.mss as f64
    }
    /// Bytes of payload in a segment.
    #[inline]
    pub fn mss(&self) -> u64 {
        self.mss
    }
    /// Segments have `mss` bytes from now on. Window and threshold stay, but are at least one and
    /// two segments; growth goes by the new size.
    pub fn set_mss(&mut self, mss: u64) {
        self.limit = self.limit / self.mss * mss;
        if self.step > 1 {
            self.step = mss;
        }
        self.mss = mss;
        self.set_cwnd(self.cwnd);
        self.set_ssthresh(self.ssthresh);
        self.set_increase(self.law.a);
        if let Some(hystart) = &mut self.hystart {
            hystart.set_mss(mss);
        }
    }
    /// True if it grows exponentially.
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }
    /// Bytes that count of an acknowledgment of `acked` in slow start: L segments (RFC 3465).
    pub fn slow_start_credit(&self, acked: u64) -> u64 {
        acked.min(self.limit)
    }

    /// From now on `a` segments more in a round trip (k = 0).
    #[inline]
    pub fn set_increase(&mut self, a: f64) {
        self.law.a = a;
        self.increase = (a * self.mss as f64 * FIXED as f64) as u64;
    }
    /// From now on a congestion event takes the share `b` of the window (l = 1).
    pub fn set_decrease(&mut self, b: f64) {
        self.law.b = b;
    }
    /// Another window, at least a segment; what was left over of an increase is forgotten.
    pub fn set_cwnd(&mut self, cwnd: u64) {
        (self.cwnd, self.remainder) = (self.whole(cwnd).max(self.mss), 0);
    }
    /// Another threshold, at least two segments; `u64::MAX`: none.
    pub fn set_ssthresh(&mut self, ssthresh: u64) {
        let none = ssthresh == u64::MAX;
        self.ssthresh = if none { ssthresh } else { self.whole(ssthresh).max(2 * self.mss) };
    }
    /// As much of `bytes` as a window may have: whole segments, or all.
    fn whole(&self, bytes: u64) -> u64 {
        bytes - bytes % self.step
    }

    /// True if an acknowledgment may make it grow.
    #[inline]
    pub fn may_grow(ack: &Ack) -> bool {
        ack.acked > 0 && ack.phase != Phase::Recovery && ack.window_limited && !ack.ece
    }

    /// Grows for newly acknowledged bytes, if the window was what limited the sender (RFC 5681
    /// section 3.1), and the ACK echoes no congestion (RFC 3168 section 6.1.2).
    #[inline]
    pub fn grow(&mut self, ack: &Ack) {
        if self.hystart.is_some() {
            return self.grow_watched(ack);
        }
        if Window::may_grow(ack) {
            self.add(ack.acked);
        }
    }

    /// The bytes for which slow start grows: a segment that is not full counts as one where the
    /// window is whole segments.
    #[inline]
    fn counted(&self, acked: u64) -> u64 {
        if self.step > 1 { acked.next_multiple_of(self.step) } else { acked }
    }

    /// Grows for `acked` bytes.
    #[inline]
    pub fn add(&mut self, acked: u64) {
        if self.cwnd < self.ssthresh {
            self.cwnd += self.counted(acked).min(self.limit);
            return;
        }
        let credit = if self.count_bytes { acked } else { acked.min(self.mss) };
        let increase = if self.law.k == 0.0 { self.increase } else { self.binomial_increase() };
        if self.step > 1 {
            return self.add_whole(credit, increase);
        }
        // Integers, whose remainder is carried: exact in the long run, on every machine.
        let (work, unit) =
            (credit.saturating_mul(increase).saturating_add(self.remainder), self.cwnd * FIXED);
        // The law is per round trip; an acknowledgment of more than a window adds no more than its
        // increase.
        let whole = (work / unit).min(increase / FIXED + 1);
        self.remainder = work % unit;
        self.cwnd += whole;
    }

    /// The same in whole segments.
    #[inline(never)]
    fn add_whole(&mut self, credit: u64, increase: u64) {
        let work = credit.saturating_mul(increase).saturating_add(self.remainder);
        let unit = self.cwnd * FIXED * self.step;
        if work < unit {
            self.remainder = work;
            return;
        }
        let most = self.whole(increase / FIXED + self.step);
        self.remainder = work % unit;
        self.cwnd += (work / unit * self.step).min(most);
    }

    /// The first slow start with HyStart or HyStart++, which want every sample.
    #[cold]
    fn grow_watched(&mut self, ack: &Ack) {
        if ack.acked == 0 || ack.phase == Phase::Recovery {
            return;
        }
        let below = self.cwnd < self.ssthresh;
        let Some(hystart) = self.hystart.as_mut().filter(|_| below) else {
            self.hystart = None;
            return self.grow(ack);
        };
        let advice = hystart.on_ack(ack, self.cwnd);
        let (Advice::Grow(bytes) | Advice::Leave(bytes)) = advice;
        if ack.window_limited && !ack.ece {
            self.cwnd += bytes + self.counted(ack.acked) - ack.acked;
        }
        if let Advice::Leave(_) = advice {
            (self.ssthresh, self.hystart) = (self.cwnd, None);
        }
    }

    /// a SMSS / w^k in units of 2^-16.
    fn binomial_increase(&self) -> u64 {
        let w = self.cwnd as f64 / self.mss as f64;
        (self.increase as f64 * libm::pow(w, -self.law.k)) as u64
    }

    /// Answers a congestion event. `loss_window`: the window after a loss found by duplicate ACKs;
    /// `None`: ssthresh.
    pub fn shrink(&mut self, event: &Congestion<'_>, loss_window: Option<u64>) {
        match event.cause {
            Cause::Loss => {
                self.reduce(event.in_flight, None);
                self.cwnd = self.cwnd.min(loss_window.unwrap_or(self.ssthresh)).max(self.mss);
            }
            Cause::Ecn => {
                self.reduce(self.cwnd, self.ecn_cut);
                self.cwnd = self.cwnd.min(self.ssthresh);
            }
            Cause::Timeout { first } => {
                if first {
                    self.reduce(event.in_flight, None);
                }
                self.cwnd = self.mss;
            }
            Cause::Spurious => {
                self.cwnd = self.cwnd.max(self.prior.0);
                self.ssthresh = self.ssthresh.max(self.prior.1);
            }
            Cause::Further => return,
        }
        (self.remainder, self.hystart) = (0, None);
    }

    /// Answers a congestion event where the threshold is not a share of the window, but one of
    /// `bytes` that is found otherwise (an estimate of the path's bandwidth): a window that is
    /// smaller stays.
    pub fn shrink_to(&mut self, event: &Congestion<'_>, bytes: u64) {
        let first = match event.cause {
            Cause::Spurious | Cause::Further => return self.shrink(event, None),
            Cause::Timeout { first } => first,
            Cause::Loss | Cause::Ecn => true,
        };
        if first {
            self.prior = (self.cwnd, self.ssthresh);
            self.set_ssthresh(bytes);
        }
        let timeout = matches!(event.cause, Cause::Timeout { .. });
        self.cwnd = if timeout { self.mss } else { self.cwnd.min(self.ssthresh) };
        (self.remainder, self.hystart) = (0, None);
    }

    /// Window and threshold become `bytes`, at least two segments.
    pub fn settle(&mut self, bytes: u64) {
        self.set_ssthresh(bytes);
        (self.cwnd, self.remainder) = (self.ssthresh, 0);
    }

    /// ssthresh = max(decreased `from`, 2 SMSS); `share`: what goes, if that is not for the law to
    /// say.
    fn reduce(&mut self, from: u64, share: Option<f64>) {
        self.prior = (self.cwnd, self.ssthresh);
        let (mss, from) = (self.mss as f64, self.whole(from) as f64);
        let cut = match share {
            Some(share) => share * from,
            None if self.law.l == 1.0 => self.law.b * from,
            None => self.law.b * libm::pow(from / mss, self.law.l) * mss,
        };
        let left = if self.takes_whole && self.step > 1 {
            from as u64 - self.whole(cut as u64)
        } else {
            self.whole((from - cut).max(0.0) as u64)
        };
        self.ssthresh = left.max(2 * self.mss);
    }

    /// The share of the window that the next ECN echoes take.
    pub fn cut_by(&mut self, share: f64) {
        self.ecn_cut = Some(share);
    }

    /// The part of the window that no congestion takes becomes `to` bytes instead of `from`: window
    /// and threshold follow, as far as they hold that part.
    pub fn rebase(&mut self, from: u64, to: u64) {
        if self.cwnd >= from {
            self.cwnd = (self.cwnd - from + to).max(self.mss);
        }
        if self.ssthresh >= from && self.ssthresh != u64::MAX {
            self.ssthresh = (self.ssthresh - from + to).max(2 * self.mss);
        }
    }

    /// Raises the window by `bytes`, whatever the law.
    pub fn raise(&mut self, bytes: u64) {
        self.cwnd += bytes;
    }

    /// Lowers the window to `bound`, but not below a segment.
    pub fn bound(&mut self, bound: u64) {
        self.cwnd = self.cwnd.min(bound.max(self.mss));
    }
}

/// The window by itself, which answers every loss as RFC 5681 does. Controls that own one hand on
/// to it what they do not do themselves.
impl CongestionControl for Window {
    /// HyStart and HyStart++ want samples; the law does not.
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: self.hystart.is_some(), ..Capabilities::WINDOW }
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        self.grow(ack);
    }
    #[inline]
    fn on_expected(&mut self, acked: u64, window_limited: bool) -> u64 {
        if window_limited {
            self.add(acked);
        }
        self.cwnd
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.shrink(event, None);
    }
    fn on_recovered(&mut self, _now: Time, bound: u64) {
        self.bound(bound);
    }
    fn on_idle(&mut self, restart_window: u64) {
        self.bound(restart_window);
    }
    fn on_mss(&mut self, mss: u64) {
        self.set_mss(mss);
    }
    #[inline]
    fn cwnd(&self) -> u64 {
        self.cwnd
    }
    fn ssthresh(&self) -> Option<u64> {
        Some(self.ssthresh)
    }
    /// `cwnd` and `ssthresh`, in bytes.
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("cwnd", self.cwnd as f64);
        out.gauge("ssthresh", self.ssthresh as f64);
        if let Some(hystart) = &self.hystart {
            hystart.probe(out);
        }
    }
}

#[cfg(test)]
mod tests;
