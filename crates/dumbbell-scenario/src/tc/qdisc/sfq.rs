//! Converts `tc ... sfq` options to and from Dumbbell's `sfq`. Manual: tc-sfq(8).
use super::leaf::{bytes, limit, reject_child};
use crate::tc::Kind;
use crate::tc::args::{Args, Refused};
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part, table};
use dumbbell_algos::aqm::drop_tail::DropTail;
use dumbbell_algos::qdisc::parts::child_aqm::Child;
use dumbbell_algos::qdisc::sfq::SfqConfig;
use dumbbell_core::units::{Bytes, Span};
use serde_json::json;

/// Stochastic Fairness Queueing.
pub const SFQ: Kind = Kind { name: "sfq", import, exports: &["sfq"], export };

const KNOWN: &[&str] = &["limit", "perturb", "quantum", "divisor", "flows", "depth", "headdrop"];
const RED: &str = "RED in the queues of sfq is read from a scenario: queue = { kind = \"sfq\", aqm \
    = \"red\" }";
const OUT: &str = "take `redflowlimit` and RED's words out";
const REFUSED: &[Refused] = &[
    ("redflowlimit", RED, OUT),
    ("min", RED, OUT),
    ("max", RED, OUT),
    ("avpkt", RED, OUT),
    ("burst", RED, OUT),
    ("probability", RED, OUT),
    ("ecn", RED, OUT),
    ("harddrop", RED, OUT),
];
/// tc-sfq(8): packets of all queues, and queues that may hold packets at a time.
const LIMIT: u32 = 127;
/// tc-sfq(8): "maximum length of SFQ is 65535 packets".
const MOST: u32 = 65_535;
/// Queues that Linux lets hold packets at a time, at most.
const MOST_FLOWS: u32 = 65_408;

fn import(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let mut part = Part::default();
    reject_child(args, context);
    let own = SfqConfig::default();
    let (mut most, mut perturb, mut flows, mut headdrop) = (None, 0, None, false);
    let (mut quantum, mut divisor, mut depth) = (own.quantum, own.divisor, own.depth);
    while let Some(arg) = args.next() {
        match arg.text {
            "limit" => most = args.whole(arg, "1000"),
            "perturb" => perturb = args.whole(arg, "60").unwrap_or(perturb),
            "quantum" => quantum = args.size(arg, "1500").unwrap_or(quantum),
            "divisor" => divisor = args.whole(arg, "1024").unwrap_or(divisor),
            "depth" => depth = args.whole(arg, "127").unwrap_or(depth),
            "flows" => flows = args.whole(arg, "127"),
            "headdrop" => headdrop = true,
            _ => args.unknown(arg, KNOWN, REFUSED),
        }
    }
    if !divisor.is_power_of_two() {
        let kind = args.kind;
        args.error(
            kind,
            format!("divisor {divisor} is not a power of two, and the kernel refuses it"),
            "write divisor 1024",
        );
    }
    let limit = limit(most, LIMIT, args, &mut part);
    part.explain(format!(
        "divisor {divisor}, depth {depth}, quantum {}: queues, packets of one, bytes of a turn",
        quantum.0
    ));
    part.explain(match perturb {
        0 => "perturb is 0: the hash stays as it is".to_string(),
        s => format!("perturb {s}: the hash is drawn again every {s} s"),
    });
    let flows = flows.unwrap_or(LIMIT);
    part.explain(format!(
        "flows {flows}: Linux lets so many queues hold packets at a time; here all \
        {divisor} may"
    ));
    part.queue = Some(table([
        ("kind", json!("sfq")),
        ("limit", limit),
        ("divisor", json!(divisor)),
        ("depth", json!(depth)),
        ("quantum", json!(Bytes(quantum.0))),
        ("perturb", json!(Span::from_secs(u64::from(perturb)))),
        ("headdrop", json!(headdrop)),
    ]));
    part
}

fn export(site: &ExportContext<'_>, log: &mut ExportLog) -> Option<String> {
    let c: SfqConfig = serde_json::from_value(site.aqm.config.clone()).ok()?;
    if c.aqm.resolved().ok() != Child::of::<DropTail>().resolved().ok() || c.aqm.kind != "drop_tail"
    {
        log.refuse(
            format!("the queues of tc's sfq are not `{}`", c.aqm.kind),
            "write aqm = \
            \"drop_tail\"",
        );
    }
    if !c.divisor.is_power_of_two() {
        log.refuse(
            format!("divisor = {} is not a power of two", c.divisor),
            "write divisor = 1024",
        );
    }
    let limit = super::leaf::packets(site, log);
    if limit > MOST {
        log.refuse(
            format!("tc's sfq holds at most {MOST} packets, and this one {limit}"),
            "lower \
            the limit",
        );
    }
    let flows = c.divisor.min(MOST_FLOWS);
    let perturb = (c.perturb.ps() + 500_000_000_000) / 1_000_000_000_000;
    if Span::from_secs(perturb) != c.perturb {
        log.explain(format!("perturb {perturb}: tc has whole seconds, instead of {}", c.perturb));
    }
    let quantum = bytes("quantum", c.quantum, log)?;
    let head = if c.headdrop { " headdrop" } else { "" };
    Some(format!(
        "sfq limit {limit} flows {flows} depth {} divisor {} quantum {quantum} perturb \
            {perturb}{head}",
        c.depth, c.divisor
    ))
}
