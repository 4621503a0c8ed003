//! RED's parameters.
use super::automatic::{AutoWeight, lower_threshold};
pub(crate) use super::average::{IdleFraction, IdleStyle};
pub(crate) use super::curve::CurveShape;
pub(crate) use super::spacing::SpacingLaw;
pub(crate) use crate::aqm::drop_tail::Victim;
pub use crate::aqm::parts::packet_size::ByteDrop;
use crate::aqm::parts::packet_size::check_sizes;
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::Span;
pub(crate) use dumbbell_core::units::{Bytes, Packets};
use dumbbell_macros::config;

/// What the RED family has in common.
#[config(shared = crate::aqm::red::config::*)]
pub struct RedOptions {
    /// Weight of the newest sample in the average queue length.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "Floyd, Jacobson 1993, section 6: \
            0.002")
    )]
    #[config(default = 0.002)]
    pub w_q: f64,
    /// Size of a typical packet: the decay while idle, the unit of `byte_mode` and of
    /// `byte_drop`.
    #[schemars(extend("x-source" = "ns-2 mean_pktsize_ 500"))]
    #[config(default = Bytes(500))]
    pub mean_packet_size: Bytes,
    /// Whether the queue is measured in bytes: thresholds then mean `th * mean_packet_size`
    /// bytes.
    #[schemars(extend("x-source" = "Floyd, Jacobson 1993: packets"))]
    pub byte_mode: bool,
    /// Whether larger packets are signaled more often.
    #[schemars(
        extend("x-source" = "RFC 7141 section 2.2, RFC 7567 section 4.4: no dependence on \
            packet size"),
    )]
    #[config(default = ByteDrop::Off)]
    pub byte_drop: ByteDrop,
    /// Whether the probability rises from `max_p` at `max_th` to 1 at twice `max_th`, not
    /// at once.
    #[schemars(
        extend("x-source" = "Floyd, Jacobson 1993; ns-2 and ns-3 have it since 2001"),
    )]
    pub gentle: bool,
    /// Whether ECN-capable packets are marked rather than dropped.
    #[schemars(extend("x-source" = "ns-2 setbit_ false, ns-3 UseEcn false"))]
    pub ecn: bool,
    /// Whether ECN-capable packets too are dropped where every packet is signaled
    /// (`max_th`, gentle: twice that).
    #[schemars(extend("x-source" = "RFC 3168 section 7; ns-3 UseHardDrop true"))]
    #[config(default = true)]
    pub ecn_hard: bool,
    /// How signals are spaced.
    #[schemars(extend("x-source" = "Floyd, Jacobson 1993, section 7, method 2"))]
    #[config(default = SpacingLaw::Uniform)]
    pub spacing: SpacingLaw,
    /// The probability between the thresholds.
    #[schemars(extend("x-source" = "Floyd, Jacobson 1993, Fig. 2"))]
    #[config(default = CurveShape::Linear)]
    pub curve: CurveShape,
    /// What the first arrival after an idle period does to the average.
    #[schemars(
        extend("x-source" = "ns-2; the 1993 paper's form makes no update for a short idle \
            period"),
    )]
    #[config(default = IdleStyle::Ns2)]
    pub idle_style: IdleStyle,
    /// How many typical packets an idle time counts for.
    #[schemars(extend("x-source" = "ns-2: whole packets"))]
    #[config(default = IdleFraction::Floor)]
    pub idle_fraction: IdleFraction,
    /// A packet that finds at most this many in the queue is not signaled; `"0 pkt"`: no such rule
    /// (the 1993 paper).
    #[schemars(extend("x-source" = "ns-2: q > 1"))]
    #[config(default = Packets(1.0))]
    pub min_q_for_drop: Packets,
    /// Which packet is dropped beyond the upper threshold, or when one does not fit.
    #[schemars(extend("x-source" = "Floyd, Jacobson 1993; ns-2 drop_tail_ true"))]
    #[config(default = Victim::Tail)]
    pub victim: Victim,
}

impl RedOptions {
    /// RED's parameters with these thresholds, packets, and this `max_p`.
    pub fn with(self, min_th: f64, max_th: f64, max_p: f64) -> RedConfig {
        let (min_th, max_th) = (Packets(min_th), Packets(max_th));
        RedConfig { min_th, max_th, max_p, ..RedConfig::from(self) }
    }
}

/// Parameters of [`Red`](super::Red). Thresholds are in packets.
#[config]
pub struct RedConfig {
    /// Average queue length at which signaling begins.
    #[schemars(extend("x-source" = "Floyd, Jacobson 1993: 5 packets"))]
    #[config(default = Packets(5.0))]
    pub min_th: Packets,
    /// Average queue length at which the probability has reached `max_p`; above `min_th`.
    #[schemars(
        extend("x-source" = "Floyd 1997, RED: discussions of setting parameters: 3 min_th"),
    )]
    #[config(default = Packets(15.0))]
    pub max_th: Packets,
    /// Probability `p_b` at `max_th`. The 1993 paper has 0.02.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Floyd 1997, RED: discussions of setting parameters"),
    )]
    #[config(default = 0.1)]
    pub max_p: f64,
    /// Whether the thresholds follow from the link: `min_th = max(5, target_delay C / 2)`,
    /// `max_th = 3 min_th`, with `C` the typical packets that the link sends in a second.
    #[schemars(
        extend("x-source" = "Floyd, Jacobson 1993: thresholds are given; true: ns-2 thresh_ 0, \
            maxthresh_ 0"),
    )]
    pub auto_th: bool,
    /// Delay in the queue from which automatic thresholds follow.
    #[schemars(extend("x-source" = "ns-2 targetdelay_ 0.005"))]
    #[config(default = Span::from_ms(5))]
    pub target_delay: Span,
    /// How the weight is computed from the link; `"off"`: it is `w_q`.
    #[schemars(
        extend("x-source" = "Floyd, Jacobson 1993: the weight is given; \"ten_rtt\": ns-2 \
            q_weight_ -1"),
    )]
    #[config(default = AutoWeight::Off)]
    pub auto_w_q: AutoWeight,
    /// What the RED family has in common.
    #[config(flatten)]
    pub red: RedOptions,
}

impl RedConfig {
    /// The same with what follows from the link written out.
    pub fn on(&self, link: &LinkInfo) -> RedConfig {
        let size = self.mean_packet_size;
        let w_q = self.auto_w_q.on(link, size, self.w_q);
        let (min_th, max_th) = match self.auto_th {
            true => {
                let min_th = lower_threshold(link, size, self.target_delay);
                (Packets(min_th), Packets(3.0 * min_th))
            }
            false => (self.min_th, self.max_th),
        };
        RedConfig { min_th, max_th, w_q, auto_th: false, auto_w_q: AutoWeight::Off, ..self.clone() }
    }
}

/// Thresholds in order and packets of some size: what all that have RED's average and curve ask
/// for. The same threshold twice is a step; that of the queue itself (`w_q` 1) is how DCTCP's
/// routers mark.
pub(crate) fn check_thresholds(
    min_th: Packets,
    max_th: Packets,
    w_q: f64,
    mean_packet_size: Bytes,
) -> Result<(), Fault> {
    let step = max_th.0 == min_th.0;
    if max_th.0 < min_th.0 || (step && w_q < 1.0) {
        let usual = if min_th.0 > 0.0 { 3.0 * min_th.0 } else { 15.0 };
        let fix = format!("three times min_th is usual: write \"{usual} pkt\"");
        let or = if step {
            "; a step of the queue itself, not of its average, has w_q = 1 too"
        } else {
            ""
        };
        let cause = format!("max_th = {max_th} is not above min_th = {min_th}");
        return Err(Fault::at("max_th", cause).fix(fix + or));
    }
    if mean_packet_size.0 == 0 {
        return Err(Fault::at("mean_packet_size", "a packet has at least one byte").fix(
            "write \
            \"500 B\"",
        ));
    }
    Ok(())
}

/// A number that would not be used, because another says that it follows from the link.
fn unused(config: &RedConfig) -> Result<(), Fault> {
    let own = RedConfig::default();
    let follows = |at, by| {
        Err(Fault::at(
            at,
            format!(
                "{at} follows from the link, so that this one would not \
            be used"
            ),
        )
        .fix(by))
    };
    if config.auto_th && config.min_th != own.min_th {
        return follows("min_th", "leave it out, or write auto_th = false");
    }
    if config.auto_th && config.max_th != own.max_th {
        return follows("max_th", "leave it out, or write auto_th = false");
    }
    if config.auto_w_q != AutoWeight::Off && config.w_q != own.w_q {
        return follows("w_q", "write auto_w_q = \"off\"");
    }
    if !config.auto_th && config.target_delay != own.target_delay {
        let cause = "only automatic thresholds follow from a target delay";
        return Err(Fault::at("target_delay", cause).fix("write auto_th = true, or leave it out"));
    }
    Ok(())
}

impl Config for RedConfig {
    fn check(&self) -> Result<(), Fault> {
        unused(self)?;
        check_thresholds(self.min_th, self.max_th, self.w_q, self.mean_packet_size)?;
        check_sizes(self.mean_packet_size, self.byte_drop, Some(self.spacing))
    }
}
