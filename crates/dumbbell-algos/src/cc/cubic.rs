//! CUBIC (RFC 9438). Windows are in bytes outside and in segments, with fractions, inside.
mod config;
mod linux;

use crate::cc::parts::advice::Advice;
use crate::cc::parts::slow_start::{SlowStart, Watch};
pub use config::{CubicConfig, Growth};
use dumbbell_core::catalogue::{About, Algorithm, Kernel, Look, PlotColor, Provenance, Setting};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, Phase, Sent, Tag,
};
use dumbbell_core::units::{Span, Time};

/// One stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// Its begin (`t_epoch`), moved on by the time in which the application left the window unused.
    start: Time,
    /// Seconds until the cubic is back at W_max.
    k: f64,
    /// `W_est`, segments.
    w_est: f64,
}

/// The state that the undo of a reduction restores.
#[derive(Clone, Debug)]
struct Saved {
    cwnd: u64,
    ssthresh: u64,
    window: f64,
    prior: f64,
    w_max: f64,
    epoch: Option<Epoch>,
    hystart: Option<Box<Watch>>,
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Cubic {
    cwnd: u64,
    ssthresh: u64,
    mss: u64,
    /// Bytes that one acknowledgment may add in a later slow start.
    limit: u64,
    /// cwnd in segments with its fraction; holds within an epoch.
    window: f64,
    epoch: Option<Epoch>,
    /// The time of the last acknowledgment of this epoch.
    seen: Time,
    w_max: f64,
    /// `cwnd_prior`, segments.
    prior: f64,
    /// `alpha_cubic`.
    alpha: f64,
    /// True if the next epoch is the first after a timeout.
    timed_out: bool,
    /// True if W_max is where a loss was, and none of `growth = "linux"` before the first loss or
    /// after a timeout.
    known: bool,
    /// True if windows are whole segments; with `growth = "linux"`.
    whole: bool,
    /// Only in the first slow start, and `saved` only after a reduction: neither takes room in
    /// every flow.
    hystart: Option<Box<Watch>>,
    saved: Option<Box<Saved>>,
    config: CubicConfig,
}

impl Algorithm for Cubic {
    type Config = CubicConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "cubic",
        title: "CUBIC",
        idea: "After a loss grow along a cubic of time, flat where the loss was, so that the rate \
            hardly depends on the RTT.",
        equations: "w: cwnd in segments;  t: time since congestion avoidance began, without \
            application-limited time\nloss:        W_max = w, or w (1 + beta) / 2 if w < W_max \
            (fast convergence);  cwnd_prior = w\nand then:    ssthresh = max(beta min(FlightSize, \
            cwnd), 2);  cwnd = ssthresh\navoidance:   W(t) = C (t - K)^3 + W_max,  K = cbrt((W_max \
            - w(0)) / C)\ngoal:        target = W(t + SRTT), within [w, 1.5 w]\nas Reno:     \
            W_est(0) = w(0),  W_est += alpha n / w  per ACK of n segments\nwith:        alpha = 3 \
            (1 - beta) / (1 + beta), and 1 once W_est >= cwnd_prior\ngrowth:      w = max(w, \
            W_est) if W(t) < W_est, else w += n (target - w) / w\nECN echo:    as a loss (abe: \
            beta_ecn instead of beta);  cwnd may fall to 1\ntimeout:     W_max, ssthresh as for a \
            loss, cwnd = 1;  then K = 0, W_max = w(0)\nno loss yet: K = 0, W_max = w(0), and so \
            wherever w(0) >= W_max\nspurious:    all of this as it was, if cwnd < cwnd_prior\nslow \
            start:  the first with HyStart++ (RFC 9406), later ones as RFC 5681\n\nLinux's \
            growth, and before its first loss:\ngoal:        target = floor(W(t + RTT_min)), \
            within [w + 1/100, 1.5 w];  first: at least 1.05 w\nas Reno:     W_est += alpha n / \
            w;  w grows by the larger of target and W_est\n\
            timeout:     W_max = 0, as before the first loss",
        sources: &[
            "RFC 9438",
            "Ha, Rhee and Xu: CUBIC: a new TCP-friendly high-speed TCP variant, ACM SIGOPS 42(5), \
                2008",
            "RFC 9406 (HyStart++)",
            "Ha and Rhee: Taming the elephants: new TCP slow start, Computer Networks 55(9), 2011 \
                (HyStart)",
            "RFC 8312 (the growth of Linux)",
            "RFC 8511 (alternative backoff with ECN)",
        ],
        provenance: Provenance::Vectors,
        rule: "losses; a cubic of the time since the last",
        family: "large windows",
        look: Some(Look::new(PlotColor::Vermillion, '^', 3)),
        kernel: Kernel::Has {
            name: "cubic",
            note: "with the profile `linux`, `hystart` and `growth` are \
            Linux's",
        },
        linux: &[("hystart", Setting::Word("hystart")), ("growth", Setting::Word("linux"))],
        ..About::PLAIN
    };
    fn new(config: &CubicConfig, path: &Path) -> Self {
        Cubic {
            cwnd: path.initial_window.max(path.mss),
            ssthresh: path.initial_ssthresh,
            mss: path.mss,
            limit: path.growth_limit.max(1) * path.mss,
            window: 0.0,
            epoch: None,
            seen: Time::ZERO,
            w_max: 0.0,
            prior: 0.0,
            alpha: 3.0 * (1.0 - config.beta) / (1.0 + config.beta),
            timed_out: false,
            known: config.growth != Growth::Linux,
            whole: path.whole_segments && config.growth == Growth::Linux,
            hystart: Watch::new(config.hystart, path.mss),
            saved: None,
            config: config.clone(),
        }
    }
}

impl Cubic {
    /// cwnd in segments.
    fn segments(&self) -> f64 {
        self.cwnd as f64 / self.mss as f64
    }

    /// W(t): figure 1 of RFC 9438.
    fn cubic(&self, t: f64, k: f64) -> f64 {
        let d = t - k;
        self.config.c * d * d * d + self.w_max
    }

    fn slow_start(&mut self, ack: &Ack, may_grow: bool) {
        self.epoch = None;
        let advice = match &mut self.hystart {
            Some(hystart) => hystart.on_ack(ack, self.cwnd),
            None => Advice::Grow(ack.acked.min(self.limit)),
        };
        let (Advice::Grow(bytes) | Advice::Leave(bytes)) = advice;
        if may_grow {
            // A segment that is not full counts as one where the window is whole segments.
            let rest = ack.acked.next_multiple_of(self.mss) - ack.acked;
            self.cwnd += bytes + if self.whole { rest } else { 0 };
        }
        if let Advice::Leave(_) = advice {
            self.ssthresh = self.cwnd;
            self.hystart = None;
        }
    }

    /// Section 4.2, and 4.8, 4.10 where K is 0.
    fn begin_epoch(&mut self, now: Time) -> Epoch {
        self.window = self.segments();
        if !self.known {
            self.w_max = 0.0;
        }
        let first = self.w_max == 0.0;
        let k = if self.timed_out || self.window >= self.w_max {
            self.w_max = self.window;
            0.0
        } else {
            libm::cbrt((self.w_max - self.window) / self.config.c)
        };
        if first {
            self.prior = self.window;
        }
        self.timed_out = false;
        self.seen = now;
        Epoch { start: now, k, w_est: self.window }
    }

    #[inline]
    fn avoid(&mut self, ack: &Ack, may_grow: bool) {
        let mut epoch = match self.epoch {
            Some(epoch) => epoch,
            None => self.begin_epoch(ack.now),
        };
        if !ack.window_limited {
            epoch.start += ack.now.since(self.seen);
        }
        self.seen = ack.now;
        if may_grow {
            let (n, w) = (ack.acked as f64 / self.mss as f64, self.window);
            let t = ack.now.since(epoch.start).seconds();
            if self.config.growth == Growth::Linux {
                self.grow_as_linux(&mut epoch, t, n, ack.min_rtt);
                self.epoch = Some(epoch);
                return;
            }
            let alpha = if epoch.w_est >= self.prior { 1.0 } else { self.alpha };
            epoch.w_est += alpha * n / w;
            if self.config.tcp_friendliness && self.cubic(t, epoch.k) < epoch.w_est {
                // An acknowledgment never takes from the window: W(t + SRTT) may have led it
                // beyond W_est.
                self.window = w.max(epoch.w_est);
            } else {
                let rtt = ack.srtt.unwrap_or(Span::ZERO).seconds();
                let target = self.cubic(t + rtt, epoch.k).clamp(w, 1.5 * w);
                self.window = (w + n * (target - w) / w).min(target);
            }
            self.cwnd = (self.window * self.mss as f64) as u64;
        }
        self.epoch = Some(epoch);
    }

    /// Sections 4.6 and 4.7, where `beta` of FlightSize remains; returns that, in bytes.
    fn reduce(&mut self, in_flight: u64, beta: f64) -> u64 {
        let (w, in_flight) = if self.whole {
            (libm::floor(self.segments()), in_flight - in_flight % self.mss)
        } else {
            (self.segments(), in_flight)
        };
        self.saved = Some(Box::new(Saved {
            cwnd: self.cwnd,
            ssthresh: self.ssthresh,
            window: self.window,
            prior: self.prior,
            w_max: self.w_max,
            epoch: self.epoch,
            hystart: self.hystart.take(),
        }));
        let further = self.config.fast_convergence && self.known && w < self.w_max;
        self.w_max = if further { w * (1.0 + self.config.beta) / 2.0 } else { w };
        (self.prior, self.epoch, self.known) = (w, None, true);
        let mut remains = (in_flight as f64 * beta) as u64;
        if self.whole {
            remains -= remains % self.mss;
        }
        self.ssthresh = remains.max(2 * self.mss);
        remains
    }

    /// Section 4.9.2.
    fn undo(&mut self, now: Time) {
        let Some(saved) = self.saved.take() else { return };
        if self.cwnd >= saved.cwnd {
            return;
        }
        (self.cwnd, self.ssthresh, self.window) = (saved.cwnd, saved.ssthresh, saved.window);
        (self.prior, self.w_max) = (saved.prior, saved.w_max);
        // HyStart that began anew at a timeout goes on: it has forgotten the shortest round trip.
        (self.epoch, self.hystart) = (saved.epoch, self.hystart.take().or(saved.hystart));
        (self.seen, self.timed_out) = (now, false);
    }

    /// Lowers the window to `bound`, but not below a segment.
    fn bound(&mut self, bound: u64) {
        if bound < self.cwnd {
            self.cwnd = bound.max(self.mss);
            self.epoch = None;
        }
    }
}

impl CongestionControl for Cubic {
    fn capabilities(&self) -> Capabilities {
        Capabilities { segments: true, samples: true, ..Capabilities::WINDOW }
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        if ack.acked == 0 || ack.phase == Phase::Recovery {
            return;
        }
        let may_grow = ack.window_limited && !ack.ece;
        if self.cwnd < self.ssthresh {
            self.slow_start(ack, may_grow);
        } else {
            self.avoid(ack, may_grow);
        }
    }

    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        match event.cause {
            Cause::Loss => {
                self.reduce(event.in_flight, self.config.beta);
                self.cwnd = self.cwnd.min(self.ssthresh);
            }
            Cause::Ecn => {
                let beta = if self.config.abe { self.config.beta_ecn } else { self.config.beta };
                let remains = self.reduce(event.in_flight, beta);
                self.cwnd = self.cwnd.min(remains.max(self.mss));
            }
            Cause::Timeout { first } => {
                if first {
                    self.reduce(event.in_flight, self.config.beta);
                }
                (self.cwnd, self.epoch, self.timed_out) = (self.mss, None, true);
                self.known = self.config.growth != Growth::Linux;
                if self.config.hystart == SlowStart::HyStart {
                    self.hystart = Watch::new(SlowStart::HyStart, self.mss);
                }
            }
            Cause::Spurious => self.undo(event.now),
            Cause::Further => {}
        }
    }

    fn on_recovered(&mut self, _now: Time, bound: u64) {
        self.bound(bound);
    }

    /// Data after a pause: the pause is no time of the cubic's (section 4.2).
    #[inline]
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        if sent.in_flight == 0
            && let Some(epoch) = &mut self.epoch
        {
            epoch.start += sent.now.since(self.seen);
            self.seen = sent.now;
        }
        Tag(0)
    }

    fn on_idle(&mut self, restart_window: u64) {
        self.bound(restart_window);
    }
    fn on_mss(&mut self, mss: u64) {
        let share = self.mss as f64 / mss as f64;
        (self.w_max, self.prior) = (self.w_max * share, self.prior * share);
        (self.limit, self.mss) = (self.limit / self.mss * mss, mss);
        (self.cwnd, self.ssthresh) = (self.cwnd.max(mss), self.ssthresh.max(2 * mss));
        if let Some(hystart) = &mut self.hystart {
            hystart.set_mss(mss);
        }
        // The cubic begins anew from the window as it is, toward the same maximum; what was before
        // is undone no more.
        (self.epoch, self.saved) = (None, None);
    }

    #[inline]
    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> Option<u64> {
        Some(self.ssthresh)
    }

    /// `cwnd` and `ssthresh` in bytes; `w_max`, `w_est`, `cwnd_prior` in segments; `k` in seconds.
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("cwnd", self.cwnd as f64);
        out.gauge("ssthresh", self.ssthresh as f64);
        out.gauge("w_max", self.w_max);
        out.gauge("k", self.epoch.map_or(0.0, |e| e.k));
        out.gauge("w_est", self.epoch.map_or(0.0, |e| e.w_est));
        out.gauge("cwnd_prior", self.prior);
        if let Some(hystart) = &self.hystart {
            hystart.probe(out);
        }
    }
}

#[cfg(test)]
mod tests;
