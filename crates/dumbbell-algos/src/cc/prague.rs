//! Prague: DCTCP made fit for the Internet (draft-briscoe-iccrg-prague-congestion-control, RFC
//! 9331): accurate ECN on ECT(1), pacing, less dependence on the round-trip time, and Reno's answer
//! to a loss.
use crate::cc::parts::mark_fraction::MarkFraction;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, Phase, TcpOverrides,
};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_macros::config;

/// Parameters of [`Prague`].
#[config]
pub struct PragueConfig {
    /// Estimation gain: the weight of the last round's share of marks.
    #[schemars(
        range(min = 0.001, max = 1.0),
        extend("x-source" = "Prague draft section 2.3.2: 1/16"),
    )]
    #[config(default = 1.0 / 16.0)]
    pub g: f64,
    /// alpha before the first mark.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Prague draft section 2.3.2: 1"))]
    #[config(default = 1.0)]
    pub alpha_on_init: f64,
    /// Round-trip time below which a flow behaves as if it had this one (virtual RTT); `0 s`:
    /// never.
    #[schemars(extend("x-source" = "Prague draft section 2.4.4: 25 ms"))]
    #[config(default = Span::from_ms(25))]
    pub rtt_virt: Span,
    /// The share of the window that a loss leaves.
    #[schemars(
        extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1),
        extend("x-source" = "Prague draft section 2.4.1: Reno, 0.5; CUBIC has 0.7")
    )]
    #[config(default = 0.5)]
    pub beta_loss: f64,
}

impl Config for PragueConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.rtt_virt > Span::from_secs(1) {
            return Err(Fault::at(
                "rtt_virt",
                format!("{} is not a valid virtual round trip", self.rtt_virt),
            )
            .fix(
                "write \
                    \"25 ms\"",
            ));
        }
        Ok(())
    }
}

/// Windows are kept to a fraction of a byte: a tenth of a segment matters where a few segments are
/// the window.
#[derive(Clone, Debug)]
pub struct Prague {
    cwnd: f64,
    ssthresh: f64,
    mss: f64,
    /// Bytes that one acknowledgment may add in slow start.
    limit: f64,
    config: PragueConfig,
    extent: MarkFraction,
    srtt: Option<Span>,
    now: Time,
    /// The times of alpha's last update and of the window's last reduction for marks: neither comes
    /// again within a virtual round trip.
    updated: Time,
    reduced: Option<Time>,
    /// (cwnd, ssthresh) before the last reduction.
    prior: (f64, f64),
}

impl Algorithm for Prague {
    type Config = PragueConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "prague",
        title: "TCP Prague",
        idea: "A scalable control for low latency: paced, with frequent small cuts by the share of \
            marks and less dependence on the RTT.",
        equations: "Rv = max(SRTT, `rtt_virt`);  per Rv:  alpha += g (marked / acknowledged - \
            alpha)\nACK of n unmarked bytes:  cwnd += n SMSS / cwnd (SRTT / Rv)^2;  until the \
            first mark n\nmarks, once per Rv:       cwnd = ssthresh = cwnd (1 - alpha / \
            2)\nloss:                     cwnd = ssthresh = `beta_loss` cwnd\npaced at cwnd / SRTT \
            (twice that below half of ssthresh), one segment at a time; data is ECT(1)",
        sources: &[
            "draft-briscoe-iccrg-prague-congestion-control-04",
            "RFC 9331 (the requirements), RFC 9768 (accurate ECN)",
        ],
        provenance: Provenance::Recollection,
        rule: "the share of marked bytes, paced",
        needs: "AccECN, ECT(1), pacing",
        family: "marks",
        ..About::PLAIN
    };
    fn new(config: &PragueConfig, path: &Path) -> Self {
        let cwnd = path.initial_window.max(path.mss) as f64;
        Prague {
            cwnd,
            ssthresh: path.initial_ssthresh as f64,
            mss: path.mss as f64,
            limit: (path.growth_limit.max(1) * path.mss) as f64,
            extent: MarkFraction::new(config.g, config.alpha_on_init),
            config: config.clone(),
            srtt: None,
            now: Time::ZERO,
            updated: Time::ZERO,
            reduced: None,
            prior: (cwnd, f64::MAX),
        }
    }
}

impl Prague {
    /// The virtual round-trip time.
    fn virtual_rtt(&self) -> Span {
        self.srtt.unwrap_or_default().max(self.config.rtt_virt)
    }

    /// (SRTT / Rv)^2: what a flow of the virtual round-trip time would add in a real one.
    fn scale(&self) -> f64 {
        let Some(srtt) = self.srtt.filter(|srtt| *srtt < self.config.rtt_virt) else { return 1.0 };
        let ratio = srtt.seconds() / self.config.rtt_virt.seconds();
        ratio * ratio
    }

    fn grow(&mut self, ack: &Ack) {
        let clean = (ack.acked + ack.sacked).saturating_sub(ack.marked) as f64;
        if clean == 0.0 || !ack.window_limited || ack.phase == Phase::Recovery {
            return;
        }
        if self.cwnd < self.ssthresh {
            if ack.marked == 0 {
                self.cwnd += (ack.acked as f64).min(self.limit);
            }
        } else {
            // An acknowledgment of more than a window adds no more than a window would.
            self.cwnd += clean.min(self.cwnd) * self.mss / self.cwnd * self.scale();
        }
    }

    /// Marks, once per virtual round trip. They are reported once per real one, so the nearest of
    /// these counts.
    fn cut(&mut self, now: Time) {
        let half = Span::from_ps(self.srtt.unwrap_or_default().ps() / 2);
        if self.reduced.is_some_and(|then| now.since(then) + half < self.virtual_rtt()) {
            return;
        }
        self.reduced = Some(now);
        self.prior = (self.cwnd, self.ssthresh);
        self.cwnd =
            (self.cwnd * (1.0 - self.extent.alpha() / 2.0)).max(2.0 * self.mss).min(self.cwnd);
        self.ssthresh = self.cwnd.max(2.0 * self.mss);
    }

    /// The threshold after a loss.
    fn lose(&mut self, in_flight: u64) {
        self.prior = (self.cwnd, self.ssthresh);
        self.ssthresh = (in_flight as f64 * self.config.beta_loss).max(2.0 * self.mss);
    }
}

impl CongestionControl for Prague {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides { ecn: Some("l4s"), timestamps: false, ..TcpOverrides::NOTHING }
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, paces: true, ..Capabilities::WINDOW }
    }
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        (self.now, self.srtt) = (ack.now, ack.srtt.or(ack.rtt).or(self.srtt));
        let due = ack.now.since(self.updated) >= self.virtual_rtt();
        if self.extent.on_ack(ack, due) {
            self.updated = ack.now;
        }
        self.grow(ack);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        match event.cause {
            Cause::Ecn => self.cut(event.now),
            Cause::Loss => {
                self.lose(event.in_flight);
                self.cwnd = self.cwnd.min(self.ssthresh);
            }
            Cause::Timeout { first } => {
                if first {
                    self.lose(event.in_flight);
                }
                self.cwnd = self.mss;
            }
            Cause::Spurious => {
                (self.cwnd, self.ssthresh) =
                    (self.cwnd.max(self.prior.0), self.ssthresh.max(self.prior.1));
            }
            Cause::Further => {}
        }
    }
    fn on_recovered(&mut self, _now: Time, bound: u64) {
        self.cwnd = self.cwnd.min((bound as f64).max(self.mss));
    }
    fn on_idle(&mut self, restart_window: u64) {
        self.cwnd = self.cwnd.min((restart_window as f64).max(self.mss));
    }
    fn on_mss(&mut self, mss: u64) {
        self.limit *= mss as f64 / self.mss;
        self.mss = mss as f64;
        (self.cwnd, self.ssthresh) = (self.cwnd.max(self.mss), self.ssthresh.max(2.0 * self.mss));
    }
    fn cwnd(&self) -> u64 {
        self.cwnd as u64
    }
    fn ssthresh(&self) -> Option<u64> {
        Some(self.ssthresh as u64)
    }
    fn pacing(&self) -> Option<Rate> {
        let srtt = self.srtt.filter(|srtt| *srtt > Span::ZERO)?;
        let gain = if self.cwnd < self.ssthresh / 2.0 { 2.0 } else { 1.0 };
        Some(Rate::from_bps(((gain * self.cwnd * 8.0 / srtt.seconds()) as u64).max(1)))
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("cwnd", self.cwnd);
        out.gauge("ssthresh", self.ssthresh);
        out.gauge("alpha", self.extent.alpha());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: Path = Path {
        mss: 1000,
        initial_window: 10_000,
        initial_ssthresh: 1000,
        growth_limit: 1,
        ..Path::PLAIN
    };

    /// Growth of a round trip at this SRTT, segments.
    fn growth(rtt: Span, config: PragueConfig) -> f64 {
        let mut p = Prague::new(&config, &PATH);
        let before = p.cwnd;
        for _ in 0..10 {
            let mut ack = Ack::default();
            (ack.acked, ack.window_limited, ack.srtt) = (1000, true, Some(rtt));
            p.on_ack(&ack, &mut Commands::default());
        }
        (p.cwnd - before) / 1000.0
    }

    /// The end of a recovery leaves at most its bound, and at least a segment.
    #[test]
    fn a_recovery_ends_at_its_bound() {
        for (bound, left) in [(u64::MAX, 10_000), (4000, 4000), (0, 1000)] {
            let mut p = Prague::new(&PragueConfig::default(), &PATH);
            p.on_recovered(Time::ZERO, bound);
            assert_eq!(p.cwnd(), left);
        }
    }

    /// So does a pause.
    #[test]
    fn a_pause_leaves_the_restart_window() {
        for (window, left) in [(u64::MAX, 10_000), (4000, 4000), (0, 1000)] {
            let mut p = Prague::new(&PragueConfig::default(), &PATH);
            p.on_idle(window);
            assert_eq!(p.cwnd(), left);
        }
    }

    /// Slow start adds what is acknowledged, at most `growth_limit` segments, and nothing beside a
    /// mark; nothing grows that is not used, or while a loss is repaired.
    #[test]
    fn slow_start_stops_at_a_mark() {
        let slow = Path { initial_ssthresh: u64::MAX, growth_limit: 2, ..PATH };
        let after = |mss, edit: fn(&mut Ack)| {
            let mut p = Prague::new(&PragueConfig::default(), &slow);
            p.on_mss(mss);
            let mut ack = Ack::default();
            (ack.acked, ack.window_limited) = (3000, true);
            edit(&mut ack);
            p.on_ack(&ack, &mut Commands::default());
            p.cwnd()
        };
        assert_eq!([after(1000, |_| ()), after(500, |_| ())], [12_000, 11_000]);
        assert_eq!(after(1000, |ack| ack.acked = 700), 10_700);
        assert_eq!(after(1000, |ack| ack.marked = 1), 10_000);
        assert_eq!(after(1000, |ack| ack.window_limited = false), 10_000);
        assert_eq!(after(1000, |ack| ack.phase = Phase::Recovery), 10_000);
    }

    /// In avoidance what is not marked counts, selectively acknowledged or not, and no more than a
    /// window of it.
    #[test]
    fn avoidance_counts_what_is_not_marked() {
        for (acked, sacked, marked, grown) in [
            (1000, 0, 0, 100.0),
            (1000, 1000, 0, 200.0),
            (1000, 0, 400, 60.0),
            (1000, 0, 1000, 0.0),
            (50_000, 0, 0, 1000.0),
        ] {
            let mut p = Prague::new(&PragueConfig::default(), &PATH);
            let mut ack = Ack::default();
            (ack.acked, ack.sacked, ack.marked, ack.window_limited) = (acked, sacked, marked, true);
            ack.srtt = Some(Span::from_ms(25));
            p.on_ack(&ack, &mut Commands::default());
            assert!((p.cwnd - 10_000.0 - grown).abs() < 1e-9, "{acked} {sacked} {marked}");
        }
    }

    /// The rate is a window in a round trip, twice that in slow start; none before a sample.
    #[test]
    fn the_pacing_rate() {
        let mut p = Prague::new(&PragueConfig::default(), &PATH);
        assert_eq!(p.pacing(), None);
        p.srtt = Some(Span::from_ms(10));
        assert_eq!(p.pacing(), Some(Rate::from_mbps(8)));
        p.ssthresh = 20_000.0;
        assert_eq!(p.pacing(), Some(Rate::from_mbps(8)));
        p.ssthresh = 20_001.0;
        assert_eq!(p.pacing(), Some(Rate::from_mbps(16)));
    }

    /// A segment per round trip from 25 ms on; at 5 ms a twenty-fifth of it, so that per second of
    /// both flows the same rate is added: W / R per R is 1 / 25 ms^2 everywhere.
    #[test]
    fn short_round_trips_add_no_more_than_the_virtual_one() {
        let usual = |rtt| growth(rtt, PragueConfig::default());
        for (ms, expected) in [(100, 1.0), (25, 1.0), (5, 0.04), (1, 0.0016)] {
            assert!(
                (usual(Span::from_ms(ms)) / expected - 1.0).abs() < 0.05,
                "{ms} ms: {}",
                usual(Span::from_ms(ms))
            );
        }
        let never = PragueConfig { rtt_virt: Span::ZERO, ..PragueConfig::default() };
        assert!((growth(Span::from_ms(5), never) - 1.0).abs() < 0.05);
    }

    /// Marks cut once per virtual round trip, a loss at once.
    #[test]
    fn cuts_come_once_per_virtual_round_trip() {
        let mut p =
            Prague::new(&PragueConfig { alpha_on_init: 0.2, ..PragueConfig::default() }, &PATH);
        let mut commands = Commands::default();
        let mut at = |ms: u64, cause| {
            p.srtt = Some(Span::from_ms(10));
            p.on_congestion(
                &Congestion::new(Time::ZERO + Span::from_ms(ms), cause, 8000, &[]),
                &mut commands,
            );
            p.cwnd()
        };
        // Rounds of 10 ms: of 10, 20 and 30 ms the second is nearest to the virtual 25.
        let seen = [0, 10, 20, 30].map(|ms| at(ms, Cause::Ecn));
        assert_eq!((seen, at(31, Cause::Loss)), ([9000, 9000, 8100, 8100], 4000));
    }
}
