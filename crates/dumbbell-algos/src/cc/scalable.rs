//! Scalable TCP (Kelly 2003): steps in proportion to the window, so that it recovers in the same
//! time at every rate.
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Kernel, Provenance, Setting};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{Ack, Capabilities, Commands, Congestion, CongestionControl, Path};
use dumbbell_core::units::Packets;
use dumbbell_macros::{config, delegate};

/// Parameters of [`Scalable`].
#[config]
pub struct ScalableConfig {
    /// Increase: segments per segment acknowledged.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0, "x-source" = "Kelly 2003, section 2", "x-unit" = "segments"),
    )]
    #[config(default = 0.01)]
    pub a: f64,
    /// Decrease: the share of the window that a congestion event takes.
    #[schemars(
        extend(
            "exclusiveMinimum" = 0, "exclusiveMaximum" = 1, "x-source" = "Kelly 2003, section 2"
        ),
    )]
    #[config(default = 0.125)]
    pub b: f64,
    /// Up to this window it behaves as Reno (the legacy window `lwnd`); 0: never.
    #[schemars(extend("x-source" = "Kelly 2003, section 2"))]
    #[config(default = Packets(16.0))]
    pub low_window: Packets,
    /// Whether it never grows by less than Reno's segment per round trip (a segment per min(cwnd, 1
    /// / a) segments acknowledged).
    #[schemars(extend("x-source" = "Linux has it; Kelly 2003 has not"))]
    pub at_least_reno: bool,
}

impl Config for ScalableConfig {
    fn check(&self) -> Result<(), Fault> {
        if !(self.a.is_finite() && self.b.is_finite()) {
            return Err(Fault::at("a", "a and b must be numbers").fix("write a = 0.01, b = 0.125"));
        }
        if !(self.low_window.0.is_finite() && self.low_window.0 >= 0.0) {
            return Err(Fault::at("low_window", "low_window must not be negative").fix(
                "write \
                low_window = \"16 pkt\"",
            ));
        }
        Ok(())
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Scalable {
    window: Box<Window>,
    /// The legacy window, bytes.
    low: u64,
    /// The window, bytes, up to which it grows as Reno.
    reno: u64,
    /// Segments per round trip and byte of the window.
    slope: f64,
    b: f64,
}

impl Algorithm for Scalable {
    type Config = ScalableConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "scalable",
        title: "Scalable TCP",
        idea: "Grow by a share of the window and give back a share: the time to recover does not \
            depend on the rate.",
        equations: "w: cwnd in segments\navoidance:          w += a  per segment \
            acknowledged\nloss, ECN echo:     ssthresh = max((1 - b) min(FlightSize, cwnd), 2);  \
            cwnd = ssthresh\ntimeout:            ssthresh as for a loss;  cwnd = 1\nw <= \
            low_window:    as reno\nwith at_least_reno: w += max(a, 1 / w)  per segment \
            acknowledged\nrecovery takes ln(1 / (1 - b)) / ln(1 + a) = 13.4 round trips, whatever \
            w",
        sources: &[
            "T. Kelly: Scalable TCP: improving performance in highspeed wide area networks, ACM \
                CCR 33(2), 2003",
        ],
        provenance: Provenance::Vectors,
        rule: "losses; shares of the window both ways",
        family: "large windows",
        kernel: Kernel::Has { name: "scalable", note: "below 100 segments it grows as Reno does" },
        linux: &[("at_least_reno", Setting::Flag(true)), ("low_window", Setting::Word("0 pkt"))],
        ..About::PLAIN
    };
    fn new(config: &ScalableConfig, path: &Path) -> Self {
        let bytes = |w: f64| libm::round(w * path.mss as f64) as u64;
        let low = bytes(config.low_window.0);
        Scalable {
            window: Window::taking_whole(path),
            low,
            reno: if config.at_least_reno { low.max(bytes(1.0 / config.a)) } else { low },
            slope: config.a / path.mss as f64,
            b: config.b,
        }
    }
}

#[delegate(self.window: on_recovered, on_idle, cwnd, ssthresh)]
impl CongestionControl for Scalable {
    fn capabilities(&self) -> Capabilities {
        Capabilities::WINDOW
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        let cwnd = self.window.cwnd();
        self.window.set_increase(if cwnd <= self.reno { 1.0 } else { self.slope * cwnd as f64 });
        self.window.grow(ack);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.window.set_decrease(if self.window.cwnd() <= self.low { 0.5 } else { self.b });
        self.window.shrink(event, None);
    }
    fn on_mss(&mut self, mss: u64) {
        let share = mss as f64 / self.window.mss() as f64;
        let bytes = |before: u64| libm::round(before as f64 * share) as u64;
        (self.low, self.reno, self.slope) = (bytes(self.low), bytes(self.reno), self.slope / share);
        self.window.set_mss(mss);
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::newreno::Newreno;
    use super::*;
    use crate::cc::parts::test_connection::{TestConnection, near};

    #[test]
    fn a_hundred_acknowledgements_add_a_segment() {
        let mut d = TestConnection::<Scalable>::at(500.0, &ScalableConfig::default());
        (0..100).for_each(|_| d.ack(1));
        near(d.w(), 501.0, 0.01);
        d.lose();
        near(d.w(), 501.0 * 0.875, 0.01);
        assert_eq!(d.w(), d.ssthresh());
    }

    /// ln(1 / 0.875) / ln(1.01) = 13.42 round trips at every window.
    #[test]
    fn the_time_to_recover_does_not_depend_on_the_window() {
        for w in [100.0, 1000.0, 10_000.0] {
            let mut d = TestConnection::<Scalable>::at(w, &ScalableConfig::default());
            d.lose();
            d.rounds(13, 100);
            // Within a round trip the increase compounds: (1 + 0.01 / w')^w' = e^0.01 at most.
            assert!(d.w() < w, "{w}: {}", d.w());
            d.rounds(1, 100);
            assert!(d.w() > w, "{w}: {}", d.w());
        }
    }

    /// Up to the legacy window NewReno, to the byte.
    #[test]
    fn small_windows_are_renos() {
        let mut d = TestConnection::<Scalable>::at(8.0, &ScalableConfig::default());
        let mut reno = TestConnection::<Newreno>::at(8.0, &Default::default());
        for i in 0..300 {
            d.ack(1);
            reno.ack(1);
            assert_eq!(d.cc.cwnd(), reno.cc.cwnd(), "{i}");
            if i % 60 == 59 {
                d.lose();
                reno.lose();
            }
        }
        let mut never = TestConnection::<Scalable>::at(
            8.0,
            &ScalableConfig { low_window: Packets(0.0), ..Default::default() },
        );
        (0..100).for_each(|_| never.ack(1));
        near(never.w(), 9.0, 0.01);
        never.lose();
        near(never.w(), 9.0 * 0.875, 0.01);
    }

    /// Linux: a segment per min(cwnd, 100) acknowledgments.
    #[test]
    fn at_least_renos_growth() {
        for (at_least_reno, left) in [(false, 40.4), (true, 41.0)] {
            let mut d = TestConnection::<Scalable>::at(
                40.0,
                &ScalableConfig { at_least_reno, ..Default::default() },
            );
            d.round();
            near(d.w(), left, 0.02);
            d.lose();
            near(d.w(), left * 0.875, 0.02);
        }
    }
}
