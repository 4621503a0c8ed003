//! HighSpeed TCP (RFC 3649): Reno whose steps grow, and whose cuts shrink, with the window.
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Kernel, Provenance, Setting};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{Ack, Capabilities, Commands, Congestion, CongestionControl, Path};
use dumbbell_core::units::Packets;
use dumbbell_macros::{config, delegate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod table;

/// Parameters of [`Highspeed`].
#[config]
pub struct HighspeedConfig {
    /// Up to this window it behaves as Reno (Low_Window).
    #[schemars(extend("x-source" = "RFC 3649 section 5"))]
    #[config(default = Packets(38.0))]
    pub low_window: Packets,
    /// The window for which `high_decrease` is meant (High_Window).
    #[schemars(extend("x-source" = "RFC 3649 section 5"))]
    #[config(default = Packets(83_000.0))]
    pub high_window: Packets,
    /// The share of a window of `high_window` that a loss takes (High_Decrease).
    #[schemars(range(max = 0.5), extend("exclusiveMinimum" = 0, "x-source" = "RFC 3649 section 5"))]
    #[config(default = 0.1)]
    pub high_decrease: f64,
    /// Whether a(w) and b(w) come from the table of appendix B instead of their equations: from the
    /// first row whose window is not below the flow's.
    #[schemars(extend("x-source" = "RFC 3649 appendix B; Linux has the table"))]
    pub table: bool,
    /// What lets the window grow above slow start: each segment that is acknowledged, or each
    /// acknowledgment.
    #[schemars(extend("x-source" = "RFC 3649 section 5: per ACK; observed in Linux: acks"))]
    #[config(default = Counting::Segments)]
    pub counting: Counting,
}

/// What lets a window grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "HighspeedCounting")]
pub enum Counting {
    /// Each segment that is acknowledged (RFC 3465).
    #[default]
    Segments,
    /// Each acknowledgment, as the RFC writes it, so that delayed ones halve the growth.
    Acks,
}

impl Config for HighspeedConfig {
    fn check(&self) -> Result<(), Fault> {
        let (low, high) = (self.low_window.0, self.high_window.0);
        if !(low.is_finite() && high.is_finite() && low >= 1.0 && self.high_decrease.is_finite()) {
            return Err(Fault::at(
                "low_window",
                "low_window must be a window of at least a packet, and all be numbers",
            )
            .fix("write low_window = \"38 pkt\""));
        }
        if high <= low {
            return Err(Fault::at("high_window", "high_window must be above low_window")
                .fix("write high_window = \"83000 pkt\""));
        }
        let rfc =
            HighspeedConfig { table: true, counting: self.counting, ..HighspeedConfig::default() };
        if self.table && *self != rfc {
            return Err(Fault::at(
                "table",
                "the table is that of the RFC's windows and its \
                high_decrease",
            )
            .fix("leave low_window, high_window and high_decrease out, or write table = false"));
        }
        Ok(())
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Highspeed {
    window: Box<Window>,
    /// a(w) and b(w) are not asked for again while cwnd is within, bytes.
    holds: (u64, u64),
    a: f64,
    b: f64,
    config: HighspeedConfig,
}

impl Algorithm for Highspeed {
    type Config = HighspeedConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "highspeed",
        title: "HighSpeed TCP",
        idea: "Grow faster and shrink less the larger the window is, so that a large window does \
            not need extremely rare losses.",
        equations: "w: cwnd in segments\np(w) = 0.078 / w^1.2\nb(w) = 0.5 + (high_decrease - 0.5) \
            (ln w - ln low_window) / (ln high_window - ln low_window)\na(w) = max(1, 2 w^2 p(w) \
            b(w) / (2 - b(w)))\nw <= low_window:   a = 1, b = 0.5\navoidance:         w += a(w) / \
            w  per segment acknowledged (counting = acks: per ACK)\nloss, ECN echo:    ssthresh = \
            max((1 - b(w)) min(FlightSize, cwnd), 2);  cwnd = ssthresh\ntimeout:           \
            ssthresh as for a loss;  cwnd = 1\notherwise as reno; a and b are computed again when \
            w has changed by a segment; b is at least 0.01",
        sources: &["RFC 3649 sections 5 to 7 and appendix B"],
        provenance: Provenance::Vectors,
        rule: "losses; larger steps with a larger window",
        family: "large windows",
        kernel: Kernel::Has {
            name: "highspeed",
            note: "with the profile `linux` it counts acknowledgments",
        },
        linux: &[("counting", Setting::Word("acks"))],
        ..About::PLAIN
    };
    fn new(config: &HighspeedConfig, path: &Path) -> Self {
        Highspeed {
            window: Window::taking_whole(path),
            holds: (0, 0),
            a: 1.0,
            b: 0.5,
            config: config.clone(),
        }
    }
}

impl HighspeedConfig {
    /// (a(w), b(w)).
    fn law(&self, w: f64) -> (f64, f64) {
        let low = self.low_window.0;
        if w <= low {
            return (1.0, 0.5);
        }
        if self.table {
            return table::row(w);
        }
        let slope = (self.high_decrease - 0.5) / (libm::log(self.high_window.0) - libm::log(low));
        let b = (0.5 + slope * (libm::log(w) - libm::log(low))).max(0.01);
        // w^2 p(w) = 0.078 w^0.8.
        let a = 2.0 * 0.078 * libm::pow(w, 0.8) * b / (2.0 - b);
        (a.max(1.0), b)
    }
}

impl Highspeed {
    /// a(w) and b(w) for the window as it is.
    fn look_up(&mut self) {
        let (cwnd, mss) = (self.window.cwnd(), self.window.mss());
        (self.a, self.b) = self.config.law(self.window.segments());
        self.holds = (cwnd, cwnd + mss);
        self.window.set_increase(self.a);
        self.window.set_decrease(self.b);
    }
}

#[delegate(self.window: on_recovered, on_idle, cwnd, ssthresh)]
impl CongestionControl for Highspeed {
    fn capabilities(&self) -> Capabilities {
        Capabilities::WINDOW
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        let cwnd = self.window.cwnd();
        if (cwnd < self.holds.0 || cwnd >= self.holds.1) && !self.window.in_slow_start() {
            self.look_up();
        }
        if self.config.counting == Counting::Segments || self.window.in_slow_start() {
            self.window.grow(ack);
        } else if Window::may_grow(ack) {
            self.window.add(ack.acked.min(self.window.mss()));
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.look_up();
        self.window.shrink(event, None);
    }
    fn on_mss(&mut self, mss: u64) {
        self.holds = (0, 0);
        self.window.set_mss(mss);
    }
    /// `a` in segments per round trip, and `b`.
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        out.gauge("a", self.a);
        out.gauge("b", self.b);
    }
}

#[cfg(test)]
mod tests {
    use super::super::newreno::Newreno;
    use super::*;
    use crate::cc::parts::test_connection::{TestConnection, near};
    use dumbbell_core::transport::Cause;

    fn tabled() -> HighspeedConfig {
        HighspeedConfig { table: true, ..HighspeedConfig::default() }
    }

    /// Section 5: at 83000 segments a tenth goes, and p = 10^-7 gives that window; at 38 it is
    /// Reno.
    #[test]
    fn the_points_that_the_rfc_fixes() {
        let config = HighspeedConfig::default();
        assert_eq!(config.law(38.0), (1.0, 0.5));
        let (a, b) = config.law(83_000.0);
        near(b, 0.1, 1e-12);
        near(a, 72.0, 1.5);
        near(0.078 / libm::pow(83_000.0, 1.2), 1e-7, 0.03e-7);
        near(0.078 / libm::pow(38.0, 1.2), 1e-3, 0.01e-3);
    }

    /// The equations' a(w) has grown by the row's number, and b(w) is the row's, where the table of
    /// appendix B has them.
    #[test]
    fn the_equations_give_the_table() {
        for (i, (w, b)) in table::ROWS.iter().enumerate().skip(1) {
            let (a, exact) = HighspeedConfig::default().law(f64::from(*w));
            near(exact, f64::from(*b) / 100.0, 0.005 + 1e-9);
            near(a, (i + 1) as f64, 1.0);
        }
    }

    /// A round trip at w = 1000 adds a(1000), worked out apart: b = 0.5 - 0.4 ln(1000 / 38) /
    /// ln(83000 / 38) = 0.32988, a = 0.156 * 1000^0.8 * b / (2 - b) = 7.738.
    #[test]
    fn a_round_trip_adds_a_and_a_loss_takes_b() {
        let mut d = TestConnection::<Highspeed>::at(1000.0, &HighspeedConfig::default());
        d.round();
        near(d.w(), 1007.738, 0.05);
        d.lose();
        near(d.w(), 1007.738 * (1.0 - 0.3295), 0.1);
        let mut d = TestConnection::<Highspeed>::at(1000.0, &tabled());
        d.round();
        near(d.w(), 1008.0, 0.05);
        d.lose();
        near(d.w(), 1008.0 * 0.67, 0.1);
    }

    /// Acknowledgments of two segments: a step of a(w) / w for each ACK is half of the growth.
    #[test]
    fn growth_by_acknowledgments_halves_with_delayed_ones() {
        let grown = |counting| {
            let config = HighspeedConfig { counting, ..tabled() };
            let mut d = TestConnection::<Highspeed>::at(1000.0, &config);
            (0..500).for_each(|_| d.ack(2));
            d.w() - 1000.0
        };
        near(grown(Counting::Segments), 8.0, 0.05);
        near(grown(Counting::Acks), 4.0, 0.05);
    }

    /// Rounds back to the window before a loss at 10661 segments: less than a tenth of Reno's W /
    /// 2.
    #[test]
    fn a_large_window_comes_back() {
        let mut d = TestConnection::<Highspeed>::at(10_661.0, &HighspeedConfig::default());
        d.lose();
        let mut rounds = 0;
        while d.w() < 10_661.0 {
            d.round();
            rounds += 1;
        }
        // b w / a(w), with a between its values at both ends: 0.2068 * 10661 / (28.2 .. 30.3).
        assert!((72..=79).contains(&rounds), "{rounds}");
    }

    /// A window that never leaves the low range is NewReno's to the byte.
    #[test]
    fn small_windows_are_renos() {
        let mut d = TestConnection::<Highspeed>::at(20.0, &HighspeedConfig::default());
        let mut reno = TestConnection::<Newreno>::at(20.0, &Default::default());
        for i in 0..400 {
            d.ack(1);
            reno.ack(1);
            assert_eq!((d.cc.cwnd(), d.cc.ssthresh()), (reno.cc.cwnd(), reno.cc.ssthresh()), "{i}");
            if i % 97 == 96 {
                d.lose();
                reno.lose();
            }
        }
        d.congest(Cause::Timeout { first: true });
        reno.congest(Cause::Timeout { first: true });
        assert_eq!((d.cc.cwnd(), d.cc.ssthresh()), (reno.cc.cwnd(), reno.cc.ssthresh()));
    }

    #[test]
    fn what_is_refused() {
        let narrow = HighspeedConfig { high_window: Packets(38.0), ..Default::default() };
        assert_eq!(narrow.check().unwrap_err().at, "high_window");
        let other = HighspeedConfig { high_decrease: 0.2, ..tabled() };
        assert_eq!(other.check().unwrap_err().at, "table");
        assert!(tabled().check().is_ok());
    }
}
