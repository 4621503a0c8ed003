//! Converts `tc ... pie` options to and from Dumbbell's `pie`. fq_pie uses the shared part.
//! Manual: tc-pie(8).
use super::leaf::{fixed, limit, micros, packets, reject_child};
use crate::tc::Kind;
use crate::tc::args::{Arg, Args};
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part, Table, table};
use dumbbell_algos::aqm::pie::PieConfig;
use dumbbell_algos::aqm::pie::delay::DelayEstimate;
use dumbbell_core::units::Span;
use serde_json::json;

/// Proportional Integral controller Enhanced.
pub const PIE: Kind = Kind { name: "pie", import, exports: &["pie"], export };

/// The options that pie and fq_pie share.
pub const KNOWN: &[&str] = &[
    "limit",
    "target",
    "tupdate",
    "alpha",
    "beta",
    "ecn",
    "noecn",
    "bytemode",
    "nobytemode",
    "dq_rate_estimator",
    "no_dq_rate_estimator",
];
/// Default `limit` in packets (tc-pie(8)).
const LIMIT: u32 = 1000;
/// tc's alpha and beta are the gains of RFC 8033 in sixteenths: its 1/8 and 1 1/4 are tc's 2 and
/// 20.
const PARTS: f64 = 16.0;
/// tc-pie(8): "in the range between 0 and 32".
const MOST: u32 = 32;

/// The options that pie and fq_pie share. `None`: the option is not given.
#[derive(Default)]
pub struct Parsed {
    target: Option<Span>,
    tupdate: Option<Span>,
    alpha: Option<u32>,
    beta: Option<u32>,
    ecn: bool,
    bytemode: bool,
    dequeue_rate: bool,
}

impl Parsed {
    /// If `arg` is one of these options, reads its value from `args` and returns true. Otherwise
    /// reads nothing and returns false.
    pub fn take<'t>(&mut self, arg: Arg<'t>, args: &mut Args<'t, '_>) -> bool {
        match arg.text {
            "target" => self.target = args.micros(arg, "15ms"),
            "tupdate" => self.tupdate = args.micros(arg, "15ms"),
            "alpha" => self.alpha = gain(arg, args, "2"),
            "beta" => self.beta = gain(arg, args, "20"),
            "ecn" => self.ecn = true,
            "noecn" => self.ecn = false,
            "bytemode" => self.bytemode = true,
            "nobytemode" => self.bytemode = false,
            "dq_rate_estimator" => self.dequeue_rate = true,
            "no_dq_rate_estimator" => self.dequeue_rate = false,
            _ => return false,
        }
        true
    }

    /// The scenario keys for these options, with an explanation in `part`.
    pub fn to_table(&self, part: &mut Part) -> Table {
        let default = PieConfig::default();
        let (target, tupdate) =
            (self.target.unwrap_or(default.target), self.tupdate.unwrap_or(default.tupdate));
        part.explain(format!(
            "target {target} and tupdate {tupdate}: RFC 8033's QDELAY_REF and T_UPDATE; Linux \
                rounds tupdate up to its timer's ticks"
        ));
        let real =
            |parsed: Option<u32>, default: f64| parsed.map_or(default, |n| f64::from(n) / PARTS);
        let (alpha, beta) = (real(self.alpha, default.alpha), real(self.beta, default.beta));
        part.explain(format!(
            "alpha {} and beta {}: tc has sixteenths, the gains are {alpha} and {beta} in 1/s",
            alpha * PARTS,
            beta * PARTS
        ));
        if self.ecn {
            part.explain(
                "ecn: ECN-capable packets are marked while the probability is below \
                mark_ecnth = 10 %",
            );
        }
        if self.bytemode {
            part.explain("bytemode: the probability goes with the packet's size over the MTU");
        }
        let delay =
            if self.dequeue_rate { DelayEstimate::DequeueRate } else { DelayEstimate::Timestamp };
        part.explain(if self.dequeue_rate {
            "dq_rate_estimator: the delay is what waits over the measured rate of departures"
        } else {
            "no dq_rate_estimator: the delay is how long the packet that left last had waited"
        });
        part.explain(
            "Linux adds 2 % to the probability beyond a delay of 250 ms, which pie here does \
            not",
        );
        table([
            ("target", json!(target)),
            ("tupdate", json!(tupdate)),
            ("alpha", json!(alpha)),
            ("beta", json!(beta)),
            ("ecn", json!(self.ecn)),
            ("bytemode", json!(self.bytemode)),
            ("delay", json!(delay)),
        ])
    }
}

fn gain<'t>(arg: Arg<'t>, args: &mut Args<'t, '_>, example: &str) -> Option<u32> {
    let gain = args.whole(arg, example)?;
    if gain > MOST {
        args.error(
            arg,
            format!("{} {gain} is not in tc's range, 0 to {MOST}", arg.text),
            format!("write {example}"),
        );
    }
    Some(gain)
}

fn import(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let mut part = Part::default();
    reject_child(args, context);
    let (mut parsed, mut most) = (Parsed::default(), None);
    while let Some(arg) = args.next() {
        match arg.text {
            "limit" => most = args.whole(arg, "1000"),
            _ if parsed.take(arg, args) => {}
            _ => args.unknown(arg, KNOWN, &[]),
        }
    }
    let mut queue = table([("kind", json!("pie")), ("limit", limit(most, LIMIT, args, &mut part))]);
    queue.extend(parsed.to_table(&mut part));
    part.queue = Some(queue);
    part
}

/// The tc options that pie and fq_pie share. `None` after an error in `log`.
pub fn options(c: &PieConfig, log: &mut ExportLog) -> Option<String> {
    let mut options = format!(
        " target {} tupdate {} alpha {} beta {}",
        micros("target", c.target, log)?,
        micros("tupdate", c.tupdate, log)?,
        sixteenths("alpha", c.alpha, log)?,
        sixteenths("beta", c.beta, log)?
    );
    let flags = [(c.ecn, " ecn"), (c.bytemode, " bytemode")];
    flags.iter().filter(|(set, _)| *set).for_each(|(_, arg)| options.push_str(arg));
    if c.delay == DelayEstimate::DequeueRate {
        options.push_str(" dq_rate_estimator");
    }
    habits(c, log);
    Some(options)
}

fn sixteenths(name: &str, gain: f64, log: &mut ExportLog) -> Option<u32> {
    let parts = (gain * PARTS).round();
    if !(0.0..=f64::from(MOST)).contains(&parts) || (parts == 0.0 && gain > 0.0) {
        log.refuse(
            format!("{name} = {gain} is not a gain that tc can express: it has sixteenths up to 2"),
            "write \
                another",
        );
        return None;
    }
    if parts / PARTS != gain {
        log.explain(format!(
            "{name} {parts}: tc has sixteenths, {} instead of {gain}",
            parts / PARTS
        ));
    }
    Some(parts as u32)
}

/// Reports parameters that Linux fixes and no argument can change.
fn habits(c: &PieConfig, log: &mut ExportLog) {
    let own = PieConfig::default();
    fixed(
        &[
            (
                c.delay == DelayEstimate::LinkRate,
                "delay",
                "it is measured by time stamps, not by \
                the link's rate",
            ),
            (c.max_burst != own.max_burst, "max_burst", "bursts of 150 ms pass"),
            (
                c.mean_packet_size != own.mean_packet_size,
                "mean_packet_size",
                "it is the device's \
                MTU",
            ),
            (c.dq_threshold != own.dq_threshold, "dq_threshold", "it is 16384 bytes"),
            (c.decay != own.decay, "decay", "the probability decays while both delays are zero"),
            (c.ecn && c.mark_ecnth != own.mark_ecnth, "mark_ecnth", "it is 10 %"),
            (c.derandomize != own.derandomize, "derandomize", "signals are spaced"),
            (
                c.cap_drop_adjustment != own.cap_drop_adjustment,
                "cap_drop_adjustment",
                "a step is \
                at most 2 %",
            ),
            (c.activate != own.activate, "activate", "the algorithm always runs"),
        ],
        log,
    );
}

fn export(site: &ExportContext<'_>, log: &mut ExportLog) -> Option<String> {
    let c: PieConfig = serde_json::from_value(site.aqm.config.clone()).ok()?;
    let limit = packets(site, log);
    Some(format!("pie limit {limit}{}", options(&c, log)?))
}
