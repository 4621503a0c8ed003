//! Converts `tc ... choke` options to and from Dumbbell's `choke`. They are RED's options, but
//! count packets. Manual: tc-choke(8).
use super::burst;
use super::leaf::{fixed, packets, reject_child};
use crate::tc::Kind;
use crate::tc::args::Args;
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part, table};
use dumbbell_algos::aqm::choke::{Candidate, ChokeConfig};
use dumbbell_algos::aqm::red::spacing::SpacingLaw;
use dumbbell_core::units::{Bytes, Packets, Rate};
use serde_json::json;

/// CHOose and Keep, CHOose and Kill.
pub const CHOKE: Kind = Kind { name: "choke", import, exports: &["choke"], export };

const KNOWN: &[&str] =
    &["limit", "min", "max", "avpkt", "burst", "bandwidth", "probability", "ecn"];

/// The options of a line.
#[derive(Default)]
struct Parsed {
    limit: Option<u32>,
    min: Option<u32>,
    max: Option<u32>,
    avpkt: Option<Bytes>,
    burst: Option<u32>,
    bandwidth: Option<Rate>,
    probability: Option<f64>,
    ecn: bool,
}

fn read(args: &mut Args<'_, '_>) -> Parsed {
    let mut s = Parsed::default();
    while let Some(arg) = args.next() {
        match arg.text {
            "limit" => s.limit = args.whole(arg, "1000"),
            "min" => s.min = args.whole(arg, "83"),
            "max" => s.max = args.whole(arg, "250"),
            "avpkt" => s.avpkt = args.size(arg, "1000"),
            "burst" => s.burst = args.whole(arg, "120"),
            "bandwidth" => s.bandwidth = args.rate(arg, "10mbit"),
            "probability" => s.probability = args.probability(arg, "0.02"),
            "ecn" => s.ecn = true,
            _ => args.unknown(arg, KNOWN, &[]),
        }
    }
    s
}

fn import(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let mut part = Part::default();
    reject_child(args, context);
    let s = read(args);
    let (limit, rate) =
        (args.needed(s.limit, "limit", "1000"), args.needed(s.bandwidth, "bandwidth", "10mbit"));
    let (Some(limit), Some(rate), true) = (limit, rate, args.check.ok()) else { return part };
    part.explain(format!(
        "limit {limit}: at most {limit} packets wait, the one in transmission apart"
    ));
    part.explain(format!(
        "bandwidth {rate}: the average decays at this rate while idle; here at the link's own, so \
            give the link this rate"
    ));
    let max = s.max.unwrap_or(limit / 4);
    let min = s.min.unwrap_or(max / 3);
    let own = |parsed: Option<u32>, rule: &str| {
        if parsed.is_none() { format!(" ({rule})") } else { String::new() }
    };
    part.explain(format!(
        "min {min}{} and max {max}{}, in packets",
        own(s.min, "max / 3"),
        own(
            s.max,
            "limit \
        / 4"
        )
    ));
    let kind = args.kind;
    if max <= min || limit == 0 {
        args.error(
            kind,
            format!("limit {limit}, max {max} and min {min} do not go down"),
            "write max as three times min",
        );
        return part;
    }
    let burst = s.burst.unwrap_or(((2 * u64::from(min) + u64::from(max)) / 3) as u32);
    let Some(k) = burst::exponent(f64::from(min), burst) else {
        let cause = format!(
            "with min {min} no weight of the average suits a burst of {burst}, and \
            tc refuses it"
        );
        args.error(kind, cause, format!("write burst {}", u64::from(min) + 1));
        return part;
    };
    let w_q = 0.5f64.powi(k as i32);
    part.explain(format!("burst {burst}: w_q = 2^-{k} = {w_q}, as tc-red(8) has it"));
    if s.ecn {
        part.explain(
            "ecn: ECN-capable packets are marked, above max too (ecn_hard = false); matches \
            are dropped",
        );
    }
    part.explain("Linux draws one random number for each signal (spacing = \"uniform_stored\")");
    part.queue = Some(table([
        ("kind", json!("choke")),
        ("limit", json!(Packets(f64::from(limit)))),
        ("min_th", json!(Packets(f64::from(min)))),
        ("max_th", json!(Packets(f64::from(max)))),
        ("max_p", json!(s.probability.unwrap_or(0.02))),
        ("w_q", json!(w_q)),
        ("mean_packet_size", json!(s.avpkt.unwrap_or(Bytes(1000)))),
        ("ecn", json!(s.ecn)),
        ("ecn_hard", json!(false)),
        ("spacing", json!(SpacingLaw::UniformStored)),
    ]));
    part
}

fn export(site: &ExportContext<'_>, log: &mut ExportLog) -> Option<String> {
    let c: ChokeConfig = serde_json::from_value(site.aqm.config.clone()).ok()?;
    if c.candidate != Candidate::Random {
        log.refuse(
            "tc's choke compares with a packet drawn at random",
            "write candidate = \
            \"random\"",
        );
    }
    if c.draws != 1 {
        log.refuse("tc's choke compares with one packet", "write draws = 1");
    }
    let limit = packets(site, log);
    let (min, max) = (whole("min_th", c.min_th, log), whole("max_th", c.max_th, log));
    if max <= min || c.max_p <= 0.0 {
        log.refuse(
            "tc's choke needs max_th above min_th and max_p above zero",
            "raise max_th or \
            max_p",
        );
        return None;
    }
    let burst = burst::of_weight(c.w_q, f64::from(min), log)?;
    fixed(
        &[
            (
                c.spacing != SpacingLaw::UniformStored,
                "spacing",
                "signals are spaced as by \
                \"uniform_stored\"",
            ),
            (c.ecn && c.ecn_hard, "ecn_hard", "ECN-capable packets are marked above max too"),
        ],
        log,
    );
    let ecn = if c.ecn { " ecn" } else { "" };
    Some(format!(
        "choke limit {limit} bandwidth {} min {min} max {max} avpkt {} burst {burst} probability \
            {}{ecn}",
        crate::tc::units::show_rate(site.rate),
        c.mean_packet_size.0,
        c.max_p
    ))
}

fn whole(name: &str, packets: Packets, log: &mut ExportLog) -> u32 {
    let n = packets.0.round();
    if n != packets.0 {
        log.explain(format!("{name}: tc's choke has whole packets, {n} instead of {}", packets.0));
    }
    n as u32
}
