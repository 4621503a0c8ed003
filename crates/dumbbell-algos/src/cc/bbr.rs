//! BBR, version 1 (draft-cardwell-iccrg-bbr-congestion-control-00; Cardwell et al. 2016): a model
//! of the path in place of losses. Windows are in bytes, rates in bytes per second.
use crate::cc::parts::path_model::{
    Aggregation, Boxed, FullPipe, HeldBack, LastGood, MinRtt, Rounds, pacing_rate,
};
use crate::cc::parts::windowed_filter::WindowedMax;
use dumbbell_core::catalogue::{About, Algorithm, Kernel, Look, PlotColor, Provenance, Setting};
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, RateSample, Sent, Tag,
    TcpOverrides,
};
use dumbbell_core::units::{Rate, Span, Time};

mod config;
mod states;
pub use config::BbrConfig;
use states::Mode;

/// Time of the rate that the window has beyond the model at most, seconds.
const MOST_AGGREGATED_S: f64 = 0.1;

/// See the module's page.
pub type Bbr = Boxed<Model>;

/// Its state.
#[derive(Clone, Debug)]
pub struct Model {
    config: BbrConfig,
    mss: u64,
    initial_window: u64,
    chance: Stream,
    mode: Mode,
    cwnd: u64,
    /// Bytes per second; `None` until there is a round-trip time.
    pacing: Option<f64>,
    pacing_gain: f64,
    cwnd_gain: f64,
    filter: WindowedMax<u64, f64>,
    /// `BtlBw`.
    bw: f64,
    min_rtt: MinRtt,
    rounds: Rounds,
    pipe: FullPipe,
    filled: bool,
    held: HeldBack,
    good: LastGood,
    /// `packet_conservation`: the first round of a recovery, until so much is delivered.
    conserving: Option<u64>,
    /// The end of the last recovery, and what it had: the window, and `conserving`.
    ended: Option<(Time, u64, Option<u64>)>,
    idle_restart: bool,
    aggregation: Aggregation,
    cycle: usize,
    cycle_stamp: Time,
    /// The time until which PROBE_RTT holds the window down, once it is down; and true if a round
    /// of it is over.
    probe_rtt_done: Option<Time>,
    probe_rtt_round: bool,
    /// The bytes delivered, and in flight, after the last acknowledgment.
    delivered: u64,
    in_flight: u64,
}

impl Algorithm for Model {
    type Config = BbrConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "bbr",
        title: "BBR, version 1",
        idea: "Pace at the largest delivery rate seen lately and keep about two bandwidth-delay \
            products in flight at most.",
        equations: "BtlBw = max of delivery rates over 10 round trips;  RTprop = min RTT over 10 \
            s\nrate  = pacing_gain BtlBw (1 - margin);  BDP = BtlBw RTprop\ncwnd  = min(cwnd + \
            delivered, cwnd_gain BDP + 3 quanta + aggregation), at least 4 \
            segments\nSTARTUP:   both gains 2/ln \
            2, until BtlBw grew by less than 25 % in 3 rounds\nDRAIN:     pacing_gain ln 2 / 2, \
            until inflight <= BDP + 3 quanta\nPROBE_BW:  cwnd_gain 2, pacing_gain 1.25, 0.75, 1, \
            1, 1, 1, 1, 1, each for RTprop;\n.          starts in a random phase, but not at \
            0.75;\n.          1.25 until inflight >= 1.25 BDP or a loss, 0.75 until inflight <= \
            BDP\nPROBE_RTT: when RTprop is 10 s old: cwnd 4 segments for 200 ms and a \
            round\nsamples limited by the application count only if they are >= BtlBw\nrecovery:  \
            cwnd = inflight + delivered for a round, then as above; at its end as \
            before\ntimeout:   cwnd = 1 segment, and growth by what is delivered\nquantum:   1 \
            segment below 1.2 Mbps, 2 below 24 Mbps, else 1 ms, at most 64 KB",
        sources: &[
            "Cardwell, Cheng, Gunn, Yeganeh, Jacobson: BBR: congestion-based congestion control, \
                ACM Queue 14(5), 2016",
            "draft-cardwell-iccrg-bbr-congestion-control-00, 2017",
            "draft-cheng-iccrg-delivery-rate-estimation-00, 2017",
        ],
        provenance: Provenance::TwoReadings,
        rule: "a model: delivery rate and least round-trip time",
        needs: "pacing, rates",
        family: "what arrives",
        look: Some(Look::new(PlotColor::Green, 'D', 4)),
        linux: &[("aggregation", Setting::Flag(true))],
        kernel: Kernel::Has { name: "bbr", note: "version 1; paced by the socket itself" },
        ..About::PLAIN
    };
    fn new(config: &BbrConfig, path: &Path) -> Self {
        Model {
            mss: path.mss,
            initial_window: path.initial_window.max(path.mss),
            chance: Stream::named(0, "bbr"),
            mode: Mode::Startup,
            cwnd: path.initial_window.max(path.mss),
            pacing: None,
            pacing_gain: config.high_gain,
            cwnd_gain: config.high_gain,
            filter: WindowedMax::default(),
            bw: 0.0,
            min_rtt: MinRtt::NONE,
            rounds: Rounds::default(),
            pipe: FullPipe::default(),
            filled: false,
            held: HeldBack::default(),
            good: LastGood::default(),
            conserving: None,
            ended: None,
            idle_restart: false,
            aggregation: Aggregation::default(),
            cycle: 0,
            cycle_stamp: Time::ZERO,
            probe_rtt_done: None,
            probe_rtt_round: false,
            delivered: 0,
            in_flight: 0,
            config: config.clone(),
        }
    }
}

impl Model {
    fn min_window(&self) -> u64 {
        ((self.config.min_cwnd.0 * self.mss as f64) as u64).max(self.mss)
    }

    /// `BBRInflight`: so many bandwidth-delay products and three quanta.
    #[inline]
    fn inflight(&self, gain: f64) -> u64 {
        match self.min_rtt.seconds() {
            Some(rtt) if self.bw > 0.0 => (gain * self.bw * rtt) as u64 + 3 * self.quantum(),
            _ => self.initial_window,
        }
    }

    /// What the window has beyond the model, because acknowledgments come in bunches.
    #[inline]
    fn allowance(&self) -> u64 {
        if !self.config.aggregation || !self.filled {
            return 0;
        }
        self.aggregation.extra.min((self.bw * MOST_AGGREGATED_S) as u64)
    }

    /// `BBRSetSendQuantum`.
    #[inline]
    fn quantum(&self) -> u64 {
        let bits = self.pacing.unwrap_or(0.0) * 8.0;
        if bits < 1.2e6 {
            self.mss
        } else if bits < 24e6 {
            2 * self.mss
        } else {
            ((bits / 8e3) as u64).min(64_000).max(2 * self.mss)
        }
    }

    /// `BBRUpdateBtlBw`.
    #[inline]
    fn update_bw(&mut self, rs: &RateSample) {
        self.rounds.update(rs);
        let oldest = self.rounds.count.saturating_sub(u64::from(self.config.bw_rounds) - 1);
        match rs.bytes_per_second() {
            Some(bw) if bw >= self.bw || !self.held.limits(rs) => {
                self.bw = self.filter.push(self.rounds.count, oldest, bw);
            }
            _ => {}
        }
    }

    /// `BBRUpdateRTprop`; whether it had expired.
    #[inline]
    fn update_rtt(&mut self, now: Time, rs: &RateSample) -> bool {
        let expired = self.min_rtt.expired(now, self.config.min_rtt_window);
        if let Some(rtt) = rs.rtt
            && (rtt <= self.min_rtt.value || expired)
        {
            self.init_pacing(rtt);
            self.min_rtt = MinRtt { value: rtt, stamp: now };
        }
        expired
    }

    /// `BBRInitPacingRate`, once there is a round-trip time.
    fn init_pacing(&mut self, rtt: Span) {
        if self.pacing.is_none() {
            let nominal = self.initial_window as f64 / rtt.seconds().max(1e-9);
            self.pacing = Some(self.config.high_gain * nominal);
        }
    }

    /// `BBRSetPacingRateWithGain`.
    #[inline]
    fn set_pacing(&mut self, gain: f64) {
        let rate = gain * self.bw * (1.0 - self.config.pacing_margin);
        if rate > 0.0 && (self.filled || self.pacing.is_none_or(|now| rate > now)) {
            self.pacing = Some(rate);
        }
    }

    /// `BBRSetCwnd`; `newly`: bytes that the acknowledgment delivered.
    #[inline]
    fn set_cwnd(&mut self, rs: &RateSample, newly: u64) {
        if self.good.repairing && rs.newly_lost > 0 {
            self.cwnd = self.cwnd.saturating_sub(rs.newly_lost).max(self.mss);
        }
        if self.conserving.is_some() {
            self.cwnd = self.cwnd.max(rs.pipe + newly);
        } else {
            let target = self.inflight(self.cwnd_gain) + self.allowance();
            if self.filled {
                self.cwnd = (self.cwnd + newly).min(target);
            } else if self.cwnd < target || self.delivered < self.initial_window {
                self.cwnd += newly;
            }
            self.cwnd = self.cwnd.max(self.min_window());
        }
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(self.min_window());
        }
    }

    /// Goes on with the recovery that the acknowledgment at hand has ended, if there is one. Where
    /// losses are so many that the next recovery begins with the last one's end, they are one, and
    /// only its first round conserves packets: so the window of a Linux kernel shows.
    fn resumes(&mut self, now: Time) -> bool {
        let Some((_, cwnd, conserving)) = self.ended.take().filter(|(at, ..)| *at == now) else {
            return false;
        };
        (self.cwnd, self.conserving, self.good.repairing) = (cwnd, conserving, true);
        true
    }

    fn recovered(&mut self) {
        self.conserving = None;
        self.good.repairing = false;
        if self.mode != Mode::ProbeRtt {
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
        self.chance = Stream::named(seed, "bbr");
    }

    /// `BBRInit`: the round-trip time of the handshake is the first sample.
    fn on_open(&mut self, now: Time, rtt: Option<Span>, _: u64, _: &mut Commands) {
        if let Some(rtt) = rtt {
            self.init_pacing(rtt);
            self.min_rtt = MinRtt { value: rtt, stamp: now };
        }
    }
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        if self.good.is_over(ack) {
            self.recovered();
        }
        let Some(rs) = &ack.rate else { return };
        let newly = rs.total_delivered.saturating_sub(self.delivered);
        (self.delivered, self.in_flight) = (rs.total_delivered, rs.pipe);
        self.update_bw(rs);
        if self.config.aggregation {
            let round = (self.rounds.count, self.filled);
            self.aggregation.update(ack.now, newly, (self.bw, self.cwnd), round);
        }
        if self.conserving.is_some_and(|until| rs.prior_delivered >= until) {
            self.conserving = None;
        }
        self.check_cycle(ack.now, rs, rs.pipe + newly);
        self.check_full_pipe(rs);
        self.check_drain(ack.now, rs.pipe);
        let expired = self.update_rtt(ack.now, rs);
        self.check_probe_rtt(ack.now, rs, expired);
        self.set_pacing(self.pacing_gain);
        self.set_cwnd(rs, newly);
    }

    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        match event.cause {
            Cause::Loss if self.good.repairing => {}
            Cause::Loss if self.resumes(event.now) => {}
            Cause::Loss => {
                self.good.save(self.cwnd, self.mode == Mode::ProbeRtt);
                self.good.repairing = true;
                self.conserving = Some(self.delivered);
                self.cwnd = self.cwnd.min(self.in_flight + self.mss).max(self.mss);
            }
            Cause::Timeout { .. } => {
                self.good.save(self.cwnd, self.mode == Mode::ProbeRtt);
                self.good.repairing = true;
                self.conserving = None;
                self.cwnd = self.mss;
            }
            Cause::Spurious => self.recovered(),
            // Version 1 does not answer ECN, and its model takes losses as they come.
            Cause::Ecn | Cause::Further => {}
        }
    }

    /// The bound is against bursts, and pacing lets none go.
    fn on_recovered(&mut self, now: Time, _bound: u64) {
        self.ended = Some((now, self.cwnd, self.conserving));
        self.recovered();
    }

    /// `BBRHandleRestartFromIdle`: data after a pause goes at the rate of the path, and the pause
    /// let the queue drain.
    #[inline]
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        if sent.in_flight == 0 && !sent.retransmit {
            self.idle_restart = true;
            self.aggregation.restart(sent.now);
            if let Mode::ProbeBw = self.mode {
                self.set_pacing(1.0);
            }
        }
        Tag(0)
    }

    /// A pause takes nothing from the window; a lost SYN does, while the path is unknown.
    fn on_idle(&mut self, restart_window: u64) {
        if self.bw == 0.0 {
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

    /// `btl_bw`, `full_bw` and `pacing_rate` in bits per second; `rt_prop` in seconds; `cwnd`,
    /// `target_cwnd` in bytes; `mode`: 0 STARTUP, 1 DRAIN, 2 PROBE_BW, 3 PROBE_RTT.
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("cwnd", self.cwnd as f64);
        out.gauge("btl_bw", self.bw * 8.0);
        out.gauge("rt_prop", self.min_rtt.seconds().unwrap_or(0.0));
        out.gauge("mode", f64::from(self.mode as u8));
        out.gauge("pacing_gain", self.pacing_gain);
        out.gauge("cwnd_gain", self.cwnd_gain);
        out.gauge("pacing_rate", self.pacing.unwrap_or(0.0) * 8.0);
        out.gauge("target_cwnd", self.inflight(self.cwnd_gain) as f64);
        out.gauge("full_bw", self.pipe.bw * 8.0);
        out.gauge("full_bw_count", f64::from(self.pipe.count));
        out.gauge("round_count", self.rounds.count as f64);
    }
}

#[cfg(test)]
mod tests;
