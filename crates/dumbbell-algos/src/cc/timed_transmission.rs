//! Timed transmissions and a split window (Feng, Kandlur, Saha and Shin 1999): TCP that keeps up
//! with what was reserved for it. The sender has the marker's token bucket itself.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | r | `rate` | the reserved rate, of whole IP packets |
//! | B | `burst` | the depth of the bucket |
//! | T_tt | `period` | time between two checks of the tokens |
//! | R | `reserved_window` | the part of cwnd that no loss takes: r SRTT |
//! | E | `excess_window` | the rest, which behaves as Reno's window does |
//!
//! Reconstructed where the sources are silent, each as an option or said here: R is of the smoothed
//! round-trip time, queues included; all growth is E's; after a timeout cwnd is one segment, what
//! is due of R is sent by the timer, and slow start leads back to R + E/2; the window counts
//! segments sent by the timer like all others.
use crate::cc::parts::self_marking as colors;
use crate::cc::parts::self_marking::{MarkingCodepoints, Profile};
use crate::cc::parts::window::{STANDARD, Window};
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::packet::Dscp;
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, Phase, Sent, Tag,
    TcpOverrides,
};
use dumbbell_core::units::{Limit, Rate, Span, Time};
use dumbbell_macros::{config, delegate};

/// The longest period (Feng and others 1999).
const LONGEST: Span = Span::from_ms(20);

/// Parameters of [`TimedTransmission`].
#[config]
pub struct TimedTransmissionConfig {
    /// The reserved rate (r), of whole IP packets; default what is `reserved` for the flow. Without
    /// either, or with 0, it is Reno, and the flow keeps its own codepoint.
    #[schemars(extend("x-source" = "Feng and others 1999, section III"))]
    pub rate: Option<Rate>,
    /// Depth of the token bucket (B), full at the start and at least a packet; a BDP refers to
    /// `rate` and the route's round-trip time without queues.
    #[schemars(extend("x-source" = "Choi and Kim 2001, section 4: reserved rate x RTT"))]
    #[config(default = Limit::Bdp(1.0))]
    pub burst: Limit,
    /// Time between two checks of the tokens (T_tt); default a packet's time at `rate`, at most 20
    /// ms.
    #[schemars(
        extend("x-source" = "Feng and others 1999, section IV: 20 ms; a packet's time, if that is \
            less: reconstructed"),
    )]
    pub period: Option<Span>,
    /// Whether tokens that acknowledgments leave unused send segments by the timer, whatever the
    /// window.
    #[schemars(extend("x-source" = "Feng and others 1999, section IV"))]
    #[config(default = true)]
    pub timed: bool,
    /// Whether a loss spares the reserved part of the window.
    #[schemars(extend("x-source" = "Feng and others 1999, section IV"))]
    #[config(default = true)]
    pub split: bool,
    /// The codepoint of a segment that finds its tokens.
    #[serde(rename = "in")]
    #[schemars(extend("x-source" = "RFC 2597: AF11; Clark and Fang 1998: IN"))]
    #[config(default = "af11".into())]
    pub inside: String,
    /// The codepoint of one that does not.
    #[serde(rename = "out")]
    #[schemars(extend("x-source" = "RFC 2597: AF12; Clark and Fang 1998: OUT"))]
    #[config(default = "af12".into())]
    pub outside: String,
}

impl Config for TimedTransmissionConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.period.is_some_and(|p| p < Span::from_us(10)) {
            let cause = "the timer would run more often than every 10 us";
            return Err(Fault::at("period", cause).fix("write period = \"20 ms\""));
        }
        crate::bucket::config::check(self.burst, None)?;
        colors::check(&self.inside, &self.outside)
    }
}

/// The state of a flow with a reservation, beside its window.
#[derive(Clone, Debug)]
struct Reservation {
    profile: Profile,
    colors: MarkingCodepoints,
    /// True if a loss spares R.
    split: bool,
    /// R, bytes, and what a picosecond of round-trip time adds to it.
    reserved: u64,
    per_ps: f64,
    /// The timer; [`Time::NEVER`] where it is not wanted, or nothing happened for a period.
    period: Option<Span>,
    timer: Time,
    /// True if anything went or was acknowledged since the last look.
    stirred: bool,
}

impl Reservation {
    fn new(config: &TimedTransmissionConfig, rate: Rate, path: &Path) -> Self {
        let packet = path.mss + path.header;
        let period =
            config.period.unwrap_or(rate.span_of(packet).min(LONGEST)).max(Span::from_us(10));
        Reservation {
            profile: Profile::new(rate, config.burst, path),
            colors: MarkingCodepoints::of(&config.inside, &config.outside),
            split: config.split,
            reserved: 0,
            per_ps: rate.bps() as f64 / 8e12 * path.mss as f64 / packet as f64,
            period: config.timed.then_some(period),
            timer: Time::NEVER,
            stirred: false,
        }
    }

    /// Something happens: the timer runs from now on.
    fn stir(&mut self, now: Time) {
        self.stirred = true;
        if let Some(period) = self.period.filter(|_| self.timer == Time::NEVER) {
            self.timer = now + period;
        }
    }

    /// The round-trip time is this: R, and with it the window.
    fn follow(&mut self, rtt: Span, window: &mut Window) {
        if self.split {
            let reserved = (rtt.ps() as f64 * self.per_ps) as u64;
            window.rebase(self.reserved, reserved);
            self.reserved = reserved;
        }
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct TimedTransmission {
    window: Box<Window>,
    reservation: Option<Box<Reservation>>,
}

impl Algorithm for TimedTransmission {
    type Config = TimedTransmissionConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "timed_transmission",
        title: "Timed transmissions with a split window",
        idea: "A window whose reserved part no loss reduces, and a timer that sends what the \
            tokens allow.",
        equations: "a segment goes:   IN if it finds its tokens (rate r, depth B), else OUT\neach \
            T_tt:        while there are tokens: the next segment goes as IN, whatever cwnd \
            is,\nunless the receiver has no room;  T_tt = min(20 ms, packet / r)\ncwnd = R + \
            E:     R = r SRTT;  slow start E += SMSS per ACK, then E += SMSS^2 / cwnd\nloss, ECN \
            echo:   E = (FlightSize - R) / 2;  ssthresh = cwnd = R + E\ntimeout:          ssthresh \
            = R + E / 2;  cwnd = SMSS;  what is due of R goes by the timer\nr = 0:            reno",
        sources: &[
            "Feng, Kandlur, Saha, Shin: Understanding and improving TCP performance over networks \
                with minimum rate guarantees, IEEE/ACM Transactions on Networking 7(2), 1999; \
                growth of E and the way out of a timeout are reconstructed",
            "S. Choi, C. Kim, TCP throughput guarantee using packet buffering, KISS 28(2), 2001 \
                (what becomes of it)",
        ],
        provenance: Provenance::Reconstruction,
        rule: "losses of what exceeds the reservation; tokens, and a timer that uses them",
        needs: "`reserved`, a queue that knows IN from OUT",
        family: "assured rates",
        ..About::PLAIN
    };
    fn new(config: &TimedTransmissionConfig, path: &Path) -> Self {
        let rate = config.rate.or(path.reserved).filter(|r| r.bps() > 0);
        TimedTransmission {
            window: Box::new(Window::new(STANDARD, path)),
            reservation: rate.map(|rate| Box::new(Reservation::new(config, rate, path))),
        }
    }
}

#[delegate(self.window: on_expected, on_recovered, on_idle, on_mss, cwnd, ssthresh)]
impl CongestionControl for TimedTransmission {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides::recovery("reno")
    }
    fn capabilities(&self) -> Capabilities {
        match &self.reservation {
            None => Capabilities::WINDOW,
            Some(r) => {
                let timed = r.period.is_some();
                let discriminates = r.split;
                Capabilities {
                    timer: timed,
                    commands: timed,
                    segments: true,
                    samples: true,
                    discriminates,
                    ..Capabilities::WINDOW
                }
            }
        }
    }
    fn on_open(&mut self, _: Time, rtt: Option<Span>, _: u64, _: &mut Commands) {
        if let (Some(r), Some(rtt)) = (&mut self.reservation, rtt) {
            r.follow(rtt, &mut self.window);
        }
    }
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        if let Some(r) = &mut self.reservation {
            r.stir(ack.now);
            if let Some(rtt) = ack.srtt.or(ack.rtt).filter(|_| ack.phase == Phase::Open) {
                r.follow(rtt, &mut self.window);
            }
        }
        self.window.grow(ack);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        let from = if event.cause == Cause::Ecn { self.window.cwnd() } else { event.in_flight };
        let reserved = self.reservation.as_ref().map_or(0, |r| r.reserved);
        self.window.shrink_to(event, reserved + from.saturating_sub(reserved) / 2);
    }
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        let Some(r) = &mut self.reservation else { return Tag(0) };
        r.stir(sent.now);
        r.profile.color(sent)
    }
    fn codepoint(&self, tag: Tag) -> Option<Dscp> {
        self.reservation.as_ref().and_then(|r| r.colors.codepoint(tag))
    }
    fn on_timer(&mut self, now: Time, commands: &mut Commands) {
        let Some(r) = &mut self.reservation else { return };
        commands.ahead = r.profile.segments(now);
        // While nothing is sent and nothing comes, there is nothing to send or no room for it. The
        // event that ends this sets `stirred`.
        r.timer = match r.period.filter(|_| r.stirred) {
            Some(period) => now + period,
            None => Time::NEVER,
        };
        r.stirred = false;
    }
    fn next_timer(&self) -> Time {
        self.reservation.as_ref().map_or(Time::NEVER, |r| r.timer)
    }
    /// `reserved_window` (R) and `excess_window` (E) in bytes, `tokens` in bytes.
    fn probe(&self, out: &mut dyn Probe) {
        let reserved = self.reservation.as_ref().map_or(0, |r| r.reserved);
        self.window.probe(out);
        out.gauge("reserved_window", reserved as f64);
        out.gauge("excess_window", self.window.cwnd().saturating_sub(reserved) as f64);
        out.gauge("tokens", self.reservation.as_ref().map_or(0.0, |r| r.profile.level()));
    }
}

#[cfg(test)]
mod tests;
