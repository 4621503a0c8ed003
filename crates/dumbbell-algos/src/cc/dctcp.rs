//! DCTCP: the window falls by the extent of congestion, not by its mere existence (RFC 8257).
use crate::cc::parts::mark_fraction::{MarkFraction, Parts};
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Config, Kernel, Provenance, Setting};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, TcpOverrides,
};
use dumbbell_macros::{config, delegate};

/// Parameters of [`Dctcp`].
#[config]
pub struct DctcpConfig {
    /// Estimation gain: the weight of the last window's share of marks.
    #[schemars(range(min = 0.001, max = 1.0), extend("x-source" = "RFC 8257 section 4.2: 1/16"))]
    #[config(default = 1.0 / 16.0)]
    pub g: f64,
    /// alpha before the first window: 1 answers the first mark as RFC 3168 does.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "RFC 8257 section 3.3: 1"))]
    #[config(default = 1.0)]
    pub alpha_on_init: f64,
    /// Whether alpha is a whole number of 1/1024, rounded down at each step: below 16 of them it
    /// falls to 0 in a window.
    #[schemars(extend("x-source" = "Linux by its `TCP_CC_INFO`; RFC 8257 has real numbers"))]
    pub fixed_point: bool,
}

impl Config for DctcpConfig {}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Dctcp {
    window: Box<Window>,
    extent: MarkFraction<Parts>,
}

impl Algorithm for Dctcp {
    type Config = DctcpConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "dctcp",
        title: "Data Center TCP (DCTCP)",
        idea: "The share of marked bytes says how much congestion there is: the window falls by \
            half of that share.",
        equations: "per window of data:  M = marked bytes / acknowledged bytes;  alpha = (1 - g) \
            alpha + g M\nECN echo, once per window:  cwnd = ssthresh = cwnd (1 - alpha / \
            2)\ngrowth and losses as RFC 5681; the receiver acknowledges marked and unmarked data \
            apart\nwith a step of K packets in the queue: K > C RTT / 7 keeps the link busy",
        sources: &["RFC 8257", "Alizadeh et al.: Data center TCP (DCTCP), SIGCOMM 2010"],
        provenance: Provenance::Vectors,
        rule: "the share of marked bytes",
        needs: "ECN of RFC 8257",
        family: "marks",
        kernel: Kernel::Has {
            name: "dctcp",
            note: "falls back to Reno where the other end does \
            not do ECN",
        },
        linux: &[("fixed_point", Setting::Flag(true))],
        ..About::PLAIN
    };
    fn new(config: &DctcpConfig, path: &Path) -> Self {
        let numbers = Parts(config.fixed_point.then_some(1024));
        Dctcp {
            window: Window::taking_whole(path),
            extent: MarkFraction::of(numbers, config.g, config.alpha_on_init),
        }
    }
}

#[delegate(self.window: on_recovered, on_idle, on_mss, cwnd, ssthresh)]
impl CongestionControl for Dctcp {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides { ecn: Some("dctcp"), ..TcpOverrides::NOTHING }
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, ..Capabilities::WINDOW }
    }
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        self.extent.on_ack(ack, true);
        self.window.grow(ack);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        if event.cause == Cause::Ecn {
            self.window.cut_by(self.extent.alpha() / 2.0);
        }
        self.window.shrink(event, None);
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        out.gauge("alpha", self.extent.alpha());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::units::Time;

    const PATH: Path = Path {
        mss: 1000,
        initial_window: 100_000,
        initial_ssthresh: 1000,
        growth_limit: 1,
        ..Path::PLAIN
    };

    fn dctcp(alpha: f64) -> Dctcp {
        Dctcp::new(&DctcpConfig { alpha_on_init: alpha, ..DctcpConfig::default() }, &PATH)
    }
    fn event(cause: Cause) -> Congestion<'static> {
        Congestion::new(Time::ZERO, cause, 100_000, &[])
    }

    /// cwnd (1 - alpha / 2): as RFC 3168 where everything is marked, next to nothing where next to
    /// nothing is.
    #[test]
    fn the_cut_is_half_of_alpha() {
        for (alpha, left) in [(1.0, 50_000), (0.5, 75_000), (0.1, 95_000), (0.0, 100_000)] {
            let mut d = dctcp(alpha);
            d.on_congestion(&event(Cause::Ecn), &mut Commands::default());
            assert_eq!((d.cwnd(), d.ssthresh()), (left, Some(left)), "{alpha}");
            // A loss is a loss (RFC 8257 section 3.5).
            let mut d = dctcp(alpha);
            d.on_congestion(&event(Cause::Loss), &mut Commands::default());
            assert_eq!(d.cwnd(), 50_000);
        }
    }
}
