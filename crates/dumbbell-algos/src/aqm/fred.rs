//! FRED, Flow Random Early Drop (Lin, Morris: Dynamics of Random Early Detection, SIGCOMM 1997).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | avg | RED's average | low-pass filtered queue length, sampled at departures as well |
//! | qlen_i, strike_i | [`Account`] | packets of flow i that wait (in byte mode typical ones); how often it was found to have too many |
//! | Nactive | `active` | flows with packets that wait |
//! | avgcq | the same | avg / Nactive, at least 1: the fair share of the queue |
//! | minq | `minq` | a flow may always have so many |
//! | maxq | min_th, or 2 | a flow may never have so many |
//! | min_th, max_th, max_p | the same | RED's curve |
//!
//! State is kept for flows that have packets in the queue, and forgotten with the last one. Flows
//! are numbered densely, so the state is a list by number: the same at every run, and no search.
//! Packets of a flow that has too many, and those above `max_th`, are dropped for the reason
//! `forced`.
#[cfg(test)]
mod tests;

use super::red::average::{IdleFraction, IdleStyle};
use super::red::config::check_thresholds;
use super::red::curve::{Curve, Region};
use super::red::spacing::SpacingLaw;
use super::red::{Dropper, RedConfig, RedState};
use crate::aqm::parts::packet_size::{ByteDrop, check_sizes};
use dumbbell_core::aqm::{
    Aqm, Backlog, Cx, Decision, Gone, Limit, LinkInfo, Needs, QueueView, Reason, Verdict,
};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::{FlowId, Meta};
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Bytes, Packets, Span};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to a packet of a flow with fewer than two others, at an average of `max_th` or
/// more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Above {
    /// It is dropped: the paper's drop-tail mode.
    #[default]
    Drop,
    /// It goes in, so that each of many flows may have two packets: the paper's extension for many
    /// flows.
    TwoPackets,
}

/// Parameters of [`Fred`]. Thresholds are in packets.
#[config]
pub struct FredConfig {
    /// Average queue length at which signals begin, and the most that a flow may have in the queue;
    /// at least 1.
    #[schemars(
        extend("x-source" = "Floyd, Jacobson 1993: 5 packets; Lin, Morris 1997: a quarter of the \
            buffer"),
    )]
    #[config(default = Packets(5.0))]
    pub min_th: Packets,
    /// Average queue length from which on `above` holds.
    #[schemars(extend("x-source" = "Lin, Morris 1997: 2 min_th"))]
    #[config(default = Packets(10.0))]
    pub max_th: Packets,
    /// RED's probability at `max_th`.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Lin, Morris 1997: 0.02"))]
    #[config(default = 0.02)]
    pub max_p: f64,
    /// Weight of the newest sample in the average queue length.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "Lin, Morris 1997: 0.002"),
    )]
    #[config(default = 0.002)]
    pub w_q: f64,
    /// Size of a typical packet: the decay of the average while idle, the unit of `byte_mode` and
    /// of `byte_drop`.
    #[schemars(extend("x-source" = "ns-2 mean_pktsize_ 500"))]
    #[config(default = Bytes(500))]
    pub mean_packet_size: Bytes,
    /// Whether the queue, and what a flow has of it, is measured in bytes over `mean_packet_size`.
    #[schemars(extend("x-source" = "Lin, Morris 1997: packets"))]
    pub byte_mode: bool,
    /// Whether larger packets are signaled more often. RFC 7141 section 2.2 advises against it.
    #[schemars(extend("x-source" = "Lin, Morris 1997: as RED"))]
    #[config(default = ByteDrop::Off)]
    pub byte_drop: ByteDrop,
    /// A flow with fewer packets in the queue than this gets no signal between the thresholds.
    #[schemars(extend("x-source" = "Lin, Morris 1997: 2 for small buffers, 4 for large ones"))]
    #[config(default = Packets(2.0))]
    pub minq: Packets,
    /// What happens to packets of small flows at an average of `max_th` or more. (Reconstructed:
    /// how the paper's drop-tail mode and its mode for many flows go together.)
    #[schemars(extend("x-source" = "Lin, Morris 1997: drop-tail mode"))]
    #[config(default = Above::Drop)]
    pub above: Above,
    /// Whether ECN-capable packets are marked between the thresholds rather than dropped.
    #[schemars(extend("x-source" = "Lin, Morris 1997: drops"))]
    pub ecn: bool,
    /// How signals are spaced.
    #[schemars(extend("x-source" = "Lin, Morris 1997: as RED"))]
    #[config(default = SpacingLaw::Uniform)]
    pub spacing: SpacingLaw,
}

impl FredConfig {
    /// RED's part.
    fn red(&self) -> RedConfig {
        let &FredConfig { min_th, max_th, max_p, w_q, mean_packet_size, .. } = self;
        let &FredConfig { byte_mode, byte_drop, ecn, spacing, .. } = self;
        RedConfig {
            min_th,
            max_th,
            max_p,
            w_q,
            mean_packet_size,
            byte_mode,
            byte_drop,
            ecn,
            spacing,
            idle_style: IdleStyle::Paper,
            // Whole packets alone would forget the rest at each drop on an idle link: small packets
            // that come often enough would keep the average up, and themselves out, for ever.
            idle_fraction: IdleFraction::Real,
            min_q_for_drop: Packets(0.0),
            ..RedConfig::default()
        }
    }
}

impl Config for FredConfig {
    fn check(&self) -> Result<(), Fault> {
        check_thresholds(self.min_th, self.max_th, self.w_q, self.mean_packet_size)?;
        check_sizes(self.mean_packet_size, self.byte_drop, Some(self.spacing))?;
        if self.min_th.0 < 1.0 {
            let cause = format!(
                "min_th = {} is the most that a flow may have in the queue: none would get \
                    in",
                self.min_th
            );
            return Err(Fault::at("min_th", cause).fix("write \"5 pkt\""));
        }
        Ok(())
    }
}

/// The account of a flow that has packets in the queue; other flows have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Account {
    has: Backlog,
    strike: u32,
}

/// RED that knows who waits.
#[derive(Clone, Debug)]
pub struct Fred {
    config: FredConfig,
    body: RedState,
    dropper: Dropper,
    accounts: Vec<Account>,
    active: u32,
    avgcq: f64,
    /// The account of the flow of the last decision.
    saw: Account,
}

impl Algorithm for Fred {
    type Config = FredConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "fred",
        title: "Flow Random Early Drop (FRED)",
        idea: "RED that spares flows with few packets in the queue and limits those that have more \
            than their share.",
        equations: "avgcq = max(1, avg / Nactive);   maxq = min_th,  from avg = max_th on 2\n\
                    drop, strike_i <- strike_i + 1   if  qlen_i >= maxq\n\
                    \x20                                or  avg >= max_th and qlen_i > 2 avgcq\n\
                    \x20                                or  qlen_i >= avgcq and strike_i > 1\n\
                    min_th <= avg < max_th:  RED's signal with p_a, if qlen_i >= max(minq, avgcq)\n\
                    avg >= max_th:           drop",
        sources: &["Lin, Morris: Dynamics of Random Early Detection, ACM SIGCOMM 1997, section 5"],
        provenance: Provenance::Reconstruction,
        rule: "RED's, and how many packets of the flow wait compared with its share",
        family: "RED with an eye on flows",
        look: Some(Look::new(PlotColor::Orange, 'P', 0)),
        kernel: Kernel::Lacks { why: "no kernel has it", fix: "" },
        size: Size {
            measures: "average length, and what a flow has of it, packets",
            byte_mode: "bytes",
            signals: SizeLaw::Constant,
        },
        law: Law::None("it depends on what each flow has in the queue"),
        explained: Explained::as_story("fred", ""),
        ..About::PLAIN
    };

    fn new(config: &FredConfig, _: &LinkInfo) -> Self {
        let red = config.red();
        Fred {
            body: RedState::new(&red),
            dropper: Dropper::new(&red),
            accounts: Vec::new(),
            active: 0,
            avgcq: 1.0,
            saw: Account::default(),
            config: config.clone(),
        }
    }
}

impl Fred {
    /// The account of a flow; an empty one if it has none yet.
    #[inline]
    fn account(&mut self, flow: FlowId) -> &mut Account {
        let i = flow.0 as usize;
        if i >= self.accounts.len() {
            self.accounts.resize(i + 1, Account::default());
        }
        &mut self.accounts[i]
    }

    /// The average sees a queue that `active` flows have.
    #[inline]
    fn sample(&mut self, cx: &Cx<'_>, queue: Backlog, active: u32) {
        let avg = self.body.observe(cx, queue);
        self.avgcq = (avg / f64::from(active.max(1))).max(1.0);
    }

    /// True if the flow has more than it may.
    fn is_greedy(&self, has: Account) -> bool {
        let qlen = self.body.length(has.has);
        let Curve { min_th, max_th, .. } = self.dropper.curve;
        let above = self.body.avg() >= max_th;
        let maxq = if above { 2.0 } else { min_th };
        qlen >= maxq || (above && qlen > 2.0 * self.avgcq) || (qlen >= self.avgcq && has.strike > 1)
    }

    fn decide(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, has: Account, p: &Meta) -> Verdict {
        let mut region = self.dropper.region(&self.body, self.body.avg(), q);
        if let Region::Random(p_b) = &mut region
            && self.body.length(has.has) < self.config.minq.0.max(self.avgcq)
        {
            *p_b = 0.0; // a packet of a small flow is counted, and gets no signal
        }
        let verdict = self.dropper.signal(region, 1.0, &self.body, cx, q, p);
        if region == Region::Forced && self.config.above == Above::TwoPackets {
            self.dropper.p_b = 0.0;
            return Verdict::Pass;
        }
        verdict
    }
}

impl Aqm for Fred {
    fn needs(&self) -> Needs {
        Needs::Held
    }

    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        let found = q.backlog();
        if self.body.is_idle() {
            self.sample(cx, found, self.active);
        }
        let has = *self.account(p.flow);
        self.saw = has;
        if self.is_greedy(has) {
            self.account(p.flow).strike = has.strike.saturating_add(1);
            self.dropper.p_b = 1.0;
            return Verdict::Drop(Reason::Forced);
        }
        let verdict = self.decide(cx, q, has, p);
        // The average of a packet that goes in is taken here and not in `admitted`, so that a mark
        // is recorded with it.
        if found.packets > 0 && matches!(verdict.decide(p.ecn, fits), Decision::Admit(_)) {
            self.sample(cx, found, self.active + u32::from(has.has.packets == 0));
        }
        verdict
    }

    fn overflowed(&mut self, cx: &mut Cx<'_>, limit: Limit) {
        if limit == Limit::Own {
            self.dropper.overflowed(cx.rng);
        }
    }

    fn admitted(&mut self, p: &Meta) {
        self.body.admitted();
        let account = self.account(p.flow);
        account.has = account.has.and(Backlog::one(p.ip_len, None));
        let first = account.has.packets == 1;
        self.active += u32::from(first);
    }

    fn refused(&mut self, cx: &mut Cx<'_>, _: &Meta, _: Reason) {
        self.body.refused(cx.now);
    }

    #[inline]
    fn depart(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, _: &Meta, _: Span) -> Verdict {
        self.sample(cx, q.backlog(), self.active);
        Verdict::Pass
    }

    fn gone(&mut self, p: &Meta, _: Gone) {
        let account = self.account(p.flow);
        if account.has.packets > 0 {
            account.has = account.has.without(Backlog::one(p.ip_len, None));
        }
        if account.has.packets == 0 {
            account.strike = 0;
            self.active = self.active.saturating_sub(1);
        }
    }

    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.body.idle_from(cx.now);
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("avg", self.body.avg());
        out.gauge("avgcq", self.avgcq);
        out.gauge("active", f64::from(self.active));
        out.gauge("qlen", self.body.length(self.saw.has));
        out.gauge("strike", f64::from(self.saw.strike));
        self.dropper.probe_signal(out);
    }
}
