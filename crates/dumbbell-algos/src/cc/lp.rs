//! TCP-LP (Kuzmanovic and Knightly 2003): gives way at the first sign of a queue.
use crate::cc::parts::delay_history::one_way;
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Kernel, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Commands, Congestion, CongestionControl, Path, Phase, TcpOverrides,
};
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::{config, delegate};

/// Parameters of [`Lp`].
#[config]
pub struct LpConfig {
    /// Point between the smallest and the largest one-way delay at which congestion begins (delta).
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0, "x-source" = "Kuzmanovic and Knightly 2003, section III"),
    )]
    #[config(default = 0.15)]
    pub delta: f64,
    /// Weight of a delay in their moving average (gamma).
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0, "x-source" = "Kuzmanovic and Knightly 2003, section III: \
            1/8"),
    )]
    #[config(default = 0.125)]
    pub gamma: f64,
    /// Length of the inference phase, in which it watches the effect of a reduction, in smoothed
    /// round-trip times. Reconstructed: the phase begins with the acknowledgment of the first byte
    /// that was sent after the reduction, since earlier delays do not show its effect.
    #[schemars(
        range(min = 0.0, max = 100.0),
        extend(
            "x-source" = "Kuzmanovic and Knightly 2003, section III; Linux: 3",
            "x-unit" = "round trips"
        ),
    )]
    #[config(default = 1.0)]
    pub inference: f64,
}

impl Config for LpConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.delta.is_finite() && self.gamma.is_finite() && self.inference.is_finite() {
            return Ok(());
        }
        Err(Fault::at("delta", "delta, gamma and inference must be numbers").fix(
            "write delta = \
            0.15, gamma = 0.125",
        ))
    }
}

/// The event that ends the wait after an early indication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inference {
    /// Nothing: there is no wait.
    Over,
    /// The acknowledgment of data sent after the reduction, from this byte on: until then delays
    /// are those of before.
    Blind(u64),
    /// This instant.
    Until(Time),
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Lp {
    window: Box<Window>,
    /// The extreme delays and their moving average, picoseconds, with the unknown constant of the
    /// two clocks.
    least: i64,
    most: i64,
    average: f64,
    inference: Inference,
    config: LpConfig,
}

impl Algorithm for Lp {
    type Config = LpConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "lp",
        title: "TCP-LP (low priority)",
        idea: "Take growing one-way delays as congestion, long before a loss, and leave the link \
            to others.",
        equations: "owd: receiver's clock - sender's, of each ACK (timestamps; what the clocks \
            differ by cancels)\nsowd = (1 - gamma) sowd + gamma owd\nearly indication:  sowd > \
            owd_min + delta (owd_max - owd_min), extremes of the connection\nslow start:        as \
            reno; all are ignored, the extremes are learnt\nat one:            cwnd = max(cwnd / \
            2, \
            1);  ssthresh = cwnd\nthen:              cwnd stays until data that was sent \
            afterward is acknowledged,\nand for the inference phase of `inference` SRTT\nat its \
            end:        cwnd = 1 if there is an indication;  else it grows \
            again\notherwise:         as reno",
        sources: &[
            "Kuzmanovic and Knightly: TCP-LP: a distributed algorithm for low priority data \
                transfer, INFOCOM 2003",
        ],
        provenance: Provenance::Recollection,
        rule: "one-way delay as an early sign",
        needs: "timestamps",
        family: "giving way",
        kernel: Kernel::Has { name: "lp", note: "" },
        ..About::PLAIN
    };
    fn new(config: &LpConfig, path: &Path) -> Self {
        let window = Window::boxed(path);
        Lp {
            window,
            least: i64::MAX,
            most: i64::MIN,
            average: 0.0,
            inference: Inference::Over,
            config: config.clone(),
        }
    }
}

impl Lp {
    fn sample(&mut self, delay: i64) {
        let first = self.least == i64::MAX;
        (self.least, self.most) = (self.least.min(delay), self.most.max(delay));
        let excess = delay as f64 - self.average;
        self.average = if first { delay as f64 } else { self.average + self.config.gamma * excess };
    }

    /// True if the delays indicate congestion.
    fn indicated(&self) -> bool {
        self.least < self.most && self.average > self.threshold()
    }

    fn threshold(&self) -> f64 {
        self.least as f64 + self.config.delta * (self.most as f64 - self.least as f64)
    }

    /// Gives up all but `cwnd` bytes.
    fn give_way(&mut self, cwnd: u64) {
        self.window.set_cwnd(cwnd);
        self.window.set_ssthresh(self.window.cwnd());
    }

    /// Acts on an early indication, or on its absence; true if the window stays as it is.
    fn infer(&mut self, ack: &Ack) -> bool {
        let indicated = self.indicated();
        match self.inference {
            Inference::Over if indicated => {
                self.give_way(self.window.cwnd() / 2);
                self.inference = Inference::Blind(ack.nxt);
                true
            }
            Inference::Over => false,
            Inference::Blind(end) if ack.una > end => {
                let rtt = ack.srtt.or(ack.rtt).unwrap_or(Span::ZERO);
                self.inference = Inference::Until(ack.now + rtt.scaled(self.config.inference));
                true
            }
            Inference::Until(end) if ack.now >= end => {
                self.inference = Inference::Over;
                if indicated {
                    self.give_way(0);
                }
                indicated
            }
            Inference::Blind(_) | Inference::Until(_) => true,
        }
    }
}

#[delegate(self.window: on_recovered, on_idle, on_mss, cwnd, ssthresh)]
impl CongestionControl for Lp {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides { timestamps: true, ..TcpOverrides::NOTHING }
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, ..Capabilities::WINDOW }
    }
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        if let Some(delay) = one_way(ack) {
            self.sample(delay);
        }
        let heeds = ack.acked > 0 && ack.phase == Phase::Open && !self.window.in_slow_start();
        if !(heeds && self.infer(ack)) {
            self.window.grow(ack);
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.window.shrink(event, None);
    }
    /// `sowd`, `owd_min`, `owd_max` and `threshold` in seconds, with what the clocks differ by;
    /// `inference`: 1 in that phase.
    fn probe(&self, out: &mut dyn Probe) {
        let known = self.least <= self.most;
        let seconds = |ps: f64| if known { ps / 1e12 } else { 0.0 };
        self.window.probe(out);
        out.gauge("sowd", seconds(self.average));
        out.gauge("owd_min", seconds(self.least as f64));
        out.gauge("owd_max", seconds(self.most as f64));
        out.gauge("threshold", if known { seconds(self.threshold()) } else { 0.0 });
        out.gauge("inference", f64::from(u8::from(self.inference != Inference::Over)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::newreno::Newreno;
    use super::*;
    use crate::cc::parts::test_connection::{TestConnection, near, path};
    use dumbbell_core::transport::Cause;

    /// 100 segments on a path of 20 ms whose longest delay was 120 ms: congestion begins at 35 ms.
    fn lp(inference: f64) -> TestConnection<Lp> {
        let mut d = TestConnection::<Lp>::at(100.0, &LpConfig { inference, ..Default::default() });
        d.rtt = Span::from_ms(20);
        d.ack(1);
        d.cc.most = d.cc.least + Span::from_ms(100).ps() as i64;
        d
    }

    /// It compares clocks, so that it needs the receiver's.
    #[test]
    fn it_asks_for_timestamps() {
        assert!(lp(1.0).cc.tcp_overrides().timestamps);
    }

    /// The moving average crosses 35 ms when 1 - (7/8)^n of the way from 20 to 50 ms is half: at
    /// the sixth ACK.
    #[test]
    fn an_indication_halves_the_window() {
        let mut d = lp(1.0);
        near(d.gauge("threshold"), 0.035, 1e-12);
        d.rtt = Span::from_ms(50);
        for n in 1..=6 {
            let w = d.w();
            d.ack(1);
            near(d.gauge("sowd"), 0.02 + 0.03 * (1.0 - libm::pow(0.875, f64::from(n))), 1e-9);
            assert_eq!(d.w() < w, n == 6, "{n}");
        }
        near(d.w(), 50.0, 0.1);
        assert_eq!((d.ssthresh(), d.gauge("inference")), (d.w(), 1.0));
    }

    /// After the reduction 100 segments are on their way that knew nothing of it. Then it waits for
    /// a round trip, and goes down to a segment if the delay is still there, or grows again.
    #[test]
    fn the_inference_phase() {
        for (inference, then) in [(1.0, 50), (1.0, 20), (3.0, 20), (0.0, 50)] {
            let mut d = lp(inference);
            d.rtt = Span::from_ms(50);
            (0..6).for_each(|_| d.ack(1));
            let (w, rtt) = (d.w(), Span::from_ms(then));
            d.rtt = rtt;
            let mut stays = |n: u32| {
                for _ in 0..n {
                    d.ack(1);
                    assert_eq!((d.w(), d.gauge("inference")), (w, 1.0));
                }
            };
            // The drill's SND.NXT is what its window lets it be: 99 segments beyond, when the
            // window was still 100.
            stays(100);
            d.now += rtt.scaled(0.99 * inference);
            if inference > 0.0 {
                d.ack(1);
                assert_eq!((d.w(), d.gauge("inference")), (w, 1.0));
            }
            d.now += rtt.scaled(0.01 * inference) + Span::from_us(1);
            d.ack(1);
            near(d.w(), if then == 50 { 1.0 } else { w }, 0.1);
            assert_eq!((d.w() > w, d.gauge("inference")), (then == 20, 0.0));
        }
    }

    /// Slow start learns what the largest delay is; only then is there something to compare with.
    #[test]
    fn slow_start_heeds_no_indication() {
        let mut d = TestConnection::<Lp>::on(&path(10.0, true), &LpConfig::default());
        for ms in 20..80 {
            d.rtt = Span::from_ms(ms);
            d.ack(1);
        }
        assert_eq!((d.w(), d.gauge("inference"), d.gauge("owd_max")), (70.0, 0.0, 0.079));
        d.lose();
        d.ack(1);
        assert_eq!((d.w(), d.gauge("inference")), (17.5, 1.0));
    }

    /// Delays that never change, or a threshold at the largest: NewReno to the byte.
    #[test]
    fn without_indications_it_is_newreno() {
        for delta in [0.15, 1.0] {
            let mut d = TestConnection::<Lp>::at(20.0, &LpConfig { delta, ..Default::default() });
            let mut reno = TestConnection::<Newreno>::at(20.0, &Default::default());
            for i in 0..400 {
                d.rtt = Span::from_ms(if delta == 1.0 { 100 + i % 50 } else { 100 });
                d.ack(1);
                reno.ack(1);
                assert_eq!(
                    (d.cc.cwnd(), d.cc.ssthresh()),
                    (reno.cc.cwnd(), reno.cc.ssthresh()),
                    "{i}"
                );
                if i % 97 == 96 {
                    d.lose();
                    reno.lose();
                }
            }
            d.congest(Cause::Timeout { first: true });
            reno.congest(Cause::Timeout { first: true });
            assert_eq!(d.cc.cwnd(), reno.cc.cwnd());
        }
    }
}
