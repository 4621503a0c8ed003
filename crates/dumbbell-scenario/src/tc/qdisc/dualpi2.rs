//! tc-dualpi2(8), of kernels since 6.17: our `dualpi2` with a step.
use super::leaf::{fixed, limit, micros, packets, reject_child};
use crate::tc::Kind;
use crate::tc::args::{Args, Refused};
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part, table};
use crate::tc::units::{micros as time, percent, show_percent};
use dumbbell_algos::qdisc::dualpi2::config::{
    Chance, DelayOf, DualPi2Config, LAqm, Overload, Scheduler,
};
use dumbbell_core::units::Span;
use serde_json::json;

/// Dual queue with PI2.
pub const DUALPI2: Kind = Kind { name: "dualpi2", import, exports: &["dualpi2"], export };

const KNOWN: &[&str] = &[
    "limit",
    "coupling_factor",
    "step_thresh",
    "min_qlen_step",
    "drop_on_overload",
    "overflow",
    "classic_protection",
    "target",
    "tupdate",
    "alpha",
    "beta",
];
const REFUSED: &[Refused] = &[
    ("memlimit", "the queue here has one limit", "take `memlimit` out"),
    ("drop_enqueue", "dualpi2 here decides at departure", "take `drop_enqueue` out"),
    ("any_ect", "L takes ECT(1) and CE here", "take `any_ect` out"),
    (
        "max_rtt",
        "tc derives the gains from it",
        "write target, tupdate, alpha and beta as `tc \
        qdisc show` prints them",
    ),
    (
        "typical_rtt",
        "tc derives the gains from it",
        "write target, tupdate, alpha and beta as `tc qdisc show` prints them",
    ),
];
/// Args that say what is so here.
const SO: &[&str] = &["drop_dequeue", "l4s_ect", "split_gso", "no_split_gso"];
/// tc-dualpi2(8): packets.
const LIMIT: u32 = 10_000;

fn import(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let mut part = Part::default();
    reject_child(args, context);
    let mut c = linux();
    let mut most = None;
    while let Some(arg) = args.next() {
        match arg.text {
            "limit" => most = args.whole(arg, "10000"),
            "coupling_factor" => {
                c.coupling_factor = args.whole(arg, "2").map_or(c.coupling_factor, f64::from)
            }
            "step_thresh" => {
                if let Some(value) = args.next() {
                    let fix = "write it as a time, such as step_thresh 1ms: a step in packets is \
                        not known here";
                    c.step_thresh = args.read(value, fix, time).unwrap_or(c.step_thresh);
                }
            }
            "min_qlen_step" => c.th_len = args.whole(arg, "0").unwrap_or(c.th_len),
            "drop_on_overload" => c.overload = Overload::Drop,
            "overflow" => c.overload = Overload::Mark,
            "classic_protection" => {
                if let Some(value) = args.next() {
                    c.c_protection = args
                        .read(value, "write classic_protection 10", percent)
                        .unwrap_or(c.c_protection);
                }
            }
            "target" => c.target = args.micros(arg, "15ms").unwrap_or(c.target),
            "tupdate" => c.tupdate = args.micros(arg, "16ms").unwrap_or(c.tupdate),
            "alpha" => c.alpha = args.real(arg, "0.16").unwrap_or(c.alpha),
            "beta" => c.beta = args.real(arg, "3.2").unwrap_or(c.beta),
            so if SO.contains(&so) => {}
            _ => args.unknown(arg, KNOWN, REFUSED),
        }
    }
    part.explain(format!(
        "target {}, tupdate {}, alpha {} and beta {}: the controller, gains in 1/s as they are",
        c.target, c.tupdate, c.alpha, c.beta
    ));
    part.explain(format!(
        "step_thresh {}: L marks what waited longer; Linux has no ramp (l_aqm = \"step\")",
        c.step_thresh
    ));
    let limit = limit(most, LIMIT, args, &mut part);
    part.queue = Some(table([
        ("kind", json!("dualpi2")),
        ("limit", limit),
        ("target", json!(c.target)),
        ("tupdate", json!(c.tupdate)),
        ("alpha", json!(c.alpha)),
        ("beta", json!(c.beta)),
        ("coupling_factor", json!(c.coupling_factor)),
        ("l_aqm", json!(c.l_aqm)),
        ("step_thresh", json!(c.step_thresh)),
        ("th_len", json!(c.th_len)),
        ("c_protection", json!(c.c_protection)),
        ("overload", json!(c.overload)),
    ]));
    part
}

/// The values of Linux for arguments that are not written.
fn linux() -> DualPi2Config {
    DualPi2Config { l_aqm: LAqm::Step, th_len: 0, ..DualPi2Config::default() }
}

fn export(site: &ExportContext<'_>, log: &mut ExportLog) -> Option<String> {
    let c: DualPi2Config = serde_json::from_value(site.aqm.config.clone()).ok()?;
    if c.l_aqm != LAqm::Step {
        let fix = "write l_aqm = \"step\"";
        log.refuse("tc's dualpi2 marks by a step of the delay, not by a ramp", fix);
    }
    if c.scheduler != Scheduler::Wrr {
        log.refuse("tc's dualpi2 shares out by weights", "write scheduler = \"wrr\"");
    }
    if c.coupling_factor.fract() != 0.0 {
        log.refuse(
            format!("coupling_factor = {} is not a whole number", c.coupling_factor),
            "write \
                coupling_factor = 2",
        );
    }
    fixed(
        &[
            (c.chance != Chance::Random, "chance", "a number is drawn for each packet"),
            (c.delay_of != DelayOf::Both, "delay_of", "the larger delay of both queues counts"),
        ],
        log,
    );
    log.explain("dualpi2 is in kernels since 6.17");
    let overload = if c.overload == Overload::Mark { "overflow" } else { "drop_on_overload" };
    let step = if c.step_thresh == Span::ZERO {
        "0us".into()
    } else {
        micros("step_thresh", c.step_thresh, log)?
    };
    Some(format!(
        "dualpi2 limit {} coupling_factor {} step_thresh {step} min_qlen_step {} {overload} \
            classic_protection {} target {} tupdate {} alpha {} beta {}",
        packets(site, log),
        c.coupling_factor,
        c.th_len,
        show_percent(c.c_protection).trim_end_matches('%'),
        micros("target", c.target, log)?,
        micros("tupdate", c.tupdate, log)?,
        c.alpha,
        c.beta
    ))
}
