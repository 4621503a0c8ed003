//! BBR, version 3 (draft-ietf-ccwg-bbr-04): version 1's model, bounded by what losses and marks say
//! that the path holds. Windows are in bytes, rates in bytes per second.
use crate::cc::parts::path_model::{
    Aggregation, Boxed, FullPipe, HeldBack, LastGood, MinRtt, Rounds, pacing_rate,
};
use crate::cc::parts::windowed_filter::WindowedMax;
use dumbbell_core::catalogue::{About, Algorithm, Kernel, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, RateSample, Sent, Tag,
    TcpOverrides,
};
use dumbbell_core::units::{Rate, Span, Time};

mod bounds;
mod config;
mod control;
mod cycle;
mod marks;
use bounds::Bounds;
pub use config::Bbr3Config;
use cycle::{Probing, State};
use marks::Marks;

/// See the module's page.
pub type Bbr3 = Boxed<Model>;

/// Its state.
#[derive(Clone, Debug)]
pub struct Model {
    config: Bbr3Config,
    mss: u64,
    initial_window: u64,
    chance: Stream,
    state: State,
    cwnd: u64,
    /// Bytes per second; `None` until there is a round-trip time.
    pacing: Option<f64>,
    pacing_gain: f64,
    cwnd_gain: f64,
    rounds: Rounds,
    pipe: FullPipe,
    /// `full_bw_reached`.
    reached: bool,
    /// The round in which Drain began.
    drain_start_round: u64,
    /// Delivery rates by the number of their cycle.
    filter: WindowedMax<u64, f64>,
    cycle_count: u64,
    max_bw: f64,
    bw: f64,
    bounds: Bounds,
    probing: Probing,
    aggregation: Aggregation,
    marks: Marks,
    min_rtt: MinRtt,
    /// `probe_rtt_min_delay` and its stamp.
    probe_rtt_min: MinRtt,
    probe_rtt_done: Option<Time>,
    probe_rtt_round: bool,
    held: HeldBack,
    good: LastGood,
    /// The round in which the repair at hand began.
    repair_round: u64,
    idle_restart: bool,
    delivered: u64,
}

impl Algorithm for Model {
    type Config = Bbr3Config;
    type Site = Path;
    const ABOUT: About = About {
        name: "bbr3",
        title: "BBR, version 3",
        idea: "BBR that probes more rarely, leaves headroom, and stays below the level that lost \
            more than 2 % in its last probe.",
        equations: "max_bw = max of delivery rates of two cycles;  bw = min(max_bw, bw_lo);  BDP = \
            bw min_rtt\nrate = pacing_gain bw 0.99;  cwnd = cwnd_gain BDP + extra_acked, within \
            the bounds\nStartup: 2.77, 2   until the rate grew by less than 25 % in 3 \
            rounds,\n.                  or > 2 % and 6 ranges were lost in a round of \
            recovery\nDrain:   0.5,  2   until inflight <= BDP, or for 3 rounds\nDOWN:    \
            0.9,  2   until inflight <= min(BDP, 0.85 inflight_hi)\nCRUISE:  1, 2      until \
            2..3 s or min(BDP, cwnd, 63 segments) rounds are over\nREFILL:  1, 2      a round, \
            without bw_lo and inflight_lo\nUP:      1.25, 2.25 until the rate grew by less than \
            25 % in 3 rounds, or \
            lost > 2 %;\n.                  inflight_hi grows by 1, 2, 4, ... segments in a round \
            where it is the limit\nProbeRTT: 1, 0.5   every 5 s, 200 ms and a round;  min_rtt over \
            10 s\nlost > 2 % of a flight while probing: inflight_hi = max(that flight, 0.7 \
            min(BDP, cwnd))\na loss in another round: bw_lo = max(bw_latest, 0.7 bw_lo), and so \
            inflight_lo\nextra_acked = max over 10 rounds of what is acknowledged beyond bw \
            t\nmarks: as a loss; with min_rtt <= 5 ms by their share alpha:\n.      alpha += \
            (share - alpha) / 16 per round, inflight_lo *= 1 - alpha / 3",
        sources: &[
            "draft-ietf-ccwg-bbr-04, 2025; Drain from -06, section 5.3.2",
            "Cardwell et al.: BBRv3: algorithm bug fixes and public Internet deployment, IETF 117, \
                2023 (ECN)",
        ],
        provenance: Provenance::TwoReadings,
        rule: "the same, within bounds that losses and marks set",
        needs: "pacing, rates",
        family: "what arrives",
        kernel: Kernel::Lacks {
            why: "version 3 of BBR is in no released kernel",
            fix: "write cc = \"bbr\"",
        },
        ..About::PLAIN
    };
    fn new(config: &Bbr3Config, path: &Path) -> Self {
        Model {
            mss: path.mss,
            initial_window: path.initial_window.max(path.mss),
            chance: Stream::named(0, "bbr3"),
            state: State::Startup,
            cwnd: path.initial_window.max(path.mss),
            pacing: None,
            pacing_gain: config.startup_pacing_gain,
            cwnd_gain: config.cwnd_gain,
            rounds: Rounds::default(),
            pipe: FullPipe::default(),
            reached: false,
            drain_start_round: 0,
            filter: WindowedMax::default(),
            cycle_count: 0,
            max_bw: 0.0,
            bw: 0.0,
            bounds: Bounds::default(),
            probing: Probing::default(),
            aggregation: Aggregation::default(),
            marks: Marks::default(),
            min_rtt: MinRtt::NONE,
            probe_rtt_min: MinRtt::NONE,
            probe_rtt_done: None,
            probe_rtt_round: false,
            held: HeldBack::default(),
            good: LastGood::default(),
            repair_round: 0,
            idle_restart: false,
            delivered: 0,
            config: config.clone(),
        }
    }
}

impl Model {
    /// `BBRUpdateMaxBw`.
    #[inline]
    fn update_max_bw(&mut self, rs: &RateSample) {
        self.rounds.update(rs);
        self.probing.rounds += u64::from(self.rounds.start);
        match rs.bytes_per_second() {
            Some(bw) if bw >= self.max_bw || !self.held.limits(rs) => {
                let oldest = self.cycle_count.saturating_sub(1);
                self.max_bw = self.filter.push(self.cycle_count, oldest, bw);
            }
            _ => {}
        }
    }

    /// A repair ended, or was not due.
    fn recovered(&mut self) {
        self.good.repairing = false;
        if self.state != State::ProbeRtt {
            self.cwnd = self.good.restore(self.cwnd);
        }
    }
}

impl CongestionControl for Model {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides { meters: true, ..TcpOverrides::NOTHING }
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            paces: true,
            segments: true,
            samples: true,
            rates: true,
            discriminates: true,
            ..Capabilities::WINDOW
        }
    }
    fn seed(&mut self, seed: u64) {
        self.chance = Stream::named(seed, "bbr3");
    }

    /// `BBROnInit`: the round-trip time of the handshake is the first sample.
    fn on_open(&mut self, now: Time, rtt: Option<Span>, _: u64, _: &mut Commands) {
        if let Some(rtt) = rtt {
            self.init_pacing(rtt);
            self.min_rtt = MinRtt { value: rtt, stamp: now };
            self.probe_rtt_min = self.min_rtt;
        }
    }

    /// `BBRUpdateOnACK`, after the losses that were found since the acknowledgment before.
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        if self.good.is_over(ack) {
            self.recovered();
        }
        let Some(rs) = &ack.rate else { return };
        let newly = rs.total_delivered.saturating_sub(self.delivered);
        self.delivered = rs.total_delivered;
        if rs.newly_lost > 0 {
            self.handle_loss(ack.now, rs);
        }
        self.probing.see_limit(rs.pipe + newly + self.mss > self.cwnd);
        self.bounds.update_latest(rs);
        self.update_max_bw(rs);
        self.update_marks(ack, rs, newly);
        self.adapt_short_term(rs);
        let round = (self.rounds.count, self.reached);
        self.aggregation.update(ack.now, newly, (self.bw, self.cwnd), round);
        self.check_full_bw(rs);
        self.check_startup_done();
        self.check_drain_done(ack.now, rs);
        self.update_cycle(ack.now, rs, newly);
        let expired = self.update_min_rtt(ack.now, rs);
        self.check_probe_rtt(ack.now, rs, expired);
        self.bounds.advance_latest(rs);
        self.bw = self.max_bw.min(self.bounds.bw_lo);
        self.set_pacing(self.pacing_gain);
        self.set_cwnd(newly);
        self.probing.next_round(self.rounds.start);
    }

    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        match event.cause {
            Cause::Loss | Cause::Timeout { .. } => {
                self.good.save(self.cwnd, self.state == State::ProbeRtt);
                if !self.good.repairing {
                    (self.good.repairing, self.repair_round) = (true, self.rounds.count);
                }
                if let Cause::Timeout { .. } = event.cause {
                    // One segment, whatever is still believed to be on its way.
                    self.cwnd = self.mss;
                }
            }
            Cause::Spurious => self.recovered(),
            Cause::Ecn => self.handle_echo(event.now, event.in_flight),
            Cause::Further => {}
        }
    }

    /// The bound is against bursts, and pacing lets none go.
    fn on_recovered(&mut self, _now: Time, _bound: u64) {
        self.recovered();
    }

    /// `BBRHandleRestartFromIdle`.
    #[inline]
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        if sent.in_flight == 0 && !sent.retransmit {
            self.idle_restart = true;
            self.aggregation.restart(sent.now);
            if self.state.probes_bw() {
                self.set_pacing(1.0);
            } else if self.state == State::ProbeRtt {
                self.check_probe_rtt_done(sent.now);
            }
        }
        Tag(0)
    }

    /// A pause takes nothing from the window; a lost SYN does, while the path is unknown.
    fn on_idle(&mut self, restart_window: u64) {
        if self.max_bw == 0.0 {
            self.cwnd = self.cwnd.min(restart_window).max(self.mss);
        }
    }
    fn on_mss(&mut self, mss: u64) {
        self.mss = mss;
        self.cwnd = self.cwnd.max(mss);
    }

    #[inline]
    fn cwnd(&self) -> u64 {
        self.cwnd
    }
    #[inline]
    fn pacing(&self) -> Option<Rate> {
        self.pacing.map(pacing_rate)
    }

    /// `max_bw`, `bw_lo` (the draft's bw_shortterm), `full_bw`, `pacing_rate` in bits per second;
    /// `min_rtt` in seconds; `cwnd`, `inflight_hi` (inflight_longterm), `inflight_lo`
    /// (inflight_shortterm), `extra_acked` in bytes, bounds 0 if there are none; `mode`: 0 Startup,
    /// 1 Drain, 2 DOWN, 3 CRUISE, 4 REFILL, 5 UP, 6 ProbeRTT.
    fn probe(&self, out: &mut dyn Probe) {
        let bound = |bytes: u64| if bytes == u64::MAX { 0.0 } else { bytes as f64 };
        out.gauge("cwnd", self.cwnd as f64);
        out.gauge("max_bw", self.max_bw * 8.0);
        out.gauge(
            "bw_lo",
            if self.bounds.bw_lo.is_finite() { self.bounds.bw_lo * 8.0 } else { 0.0 },
        );
        out.gauge("min_rtt", self.min_rtt.seconds().unwrap_or(0.0));
        out.gauge("mode", f64::from(self.state as u8));
        out.gauge("pacing_gain", self.pacing_gain);
        out.gauge("cwnd_gain", self.cwnd_gain);
        out.gauge("pacing_rate", self.pacing.unwrap_or(0.0) * 8.0);
        out.gauge("inflight_hi", bound(self.bounds.inflight_hi));
        out.gauge("inflight_lo", bound(self.bounds.inflight_lo));
        out.gauge("extra_acked", self.aggregation.extra as f64);
        out.gauge("full_bw", self.pipe.bw * 8.0);
        out.gauge("full_bw_count", f64::from(self.pipe.count));
        out.gauge("ecn_alpha", self.marks.alpha);
        out.gauge("round_count", self.rounds.count as f64);
    }
}

#[cfg(test)]
mod tests;
