//! tc-red(8): our `red` in byte mode, and `adaptive_red`.
//!
//! Linux's behavior beyond the manual is set too: no gentle region, one random number for each
//! signal, no least queue, and an average that only decays after an idle time.
use super::burst;
use super::leaf::{fixed, reject_child};
use crate::tc::Kind;
use crate::tc::args::Args;
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part, in_packets, table};
use crate::tc::qdisc::adaptive_red;
use dumbbell_algos::aqm::drop_tail::Victim;
use dumbbell_algos::aqm::red::average::{IdleFraction, IdleStyle};
use dumbbell_algos::aqm::red::spacing::SpacingLaw;
use dumbbell_algos::aqm::red::{ByteDrop, RedConfig};
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::units::{Bytes, Capacity, Packets, Rate};
use serde_json::json;

/// Random Early Detection.
pub const RED: Kind = Kind { name: "red", import, exports: &["red", "adaptive_red"], export };

const KNOWN: &[&str] = &[
    "limit",
    "min",
    "max",
    "avpkt",
    "burst",
    "bandwidth",
    "probability",
    "ecn",
    "harddrop",
    "adaptive",
];
const REFUSED: &[crate::tc::args::Refused] = &[
    (
        "nodrop",
        "red here drops early what cannot be marked, and `nodrop` lets it in",
        "take \
        `nodrop` out",
    ),
    ("qevent", "a scenario has no blocks of filters", "take `qevent` and what belongs to it out"),
];

/// The options of a line.
#[derive(Default)]
struct Parsed {
    limit: Option<Bytes>,
    min: Option<Bytes>,
    max: Option<Bytes>,
    avpkt: Option<Bytes>,
    burst: Option<u32>,
    bandwidth: Option<Rate>,
    probability: Option<f64>,
    ecn: bool,
    harddrop: bool,
    adaptive: bool,
}

fn read(args: &mut Args<'_, '_>) -> Parsed {
    let mut s = Parsed::default();
    while let Some(arg) = args.next() {
        match arg.text {
            "limit" => s.limit = args.size(arg, "60000"),
            "min" => s.min = args.size(arg, "5000"),
            "max" => s.max = args.size(arg, "15000"),
            "avpkt" => s.avpkt = args.size(arg, "1000"),
            "burst" => s.burst = args.count(arg, "20"),
            "bandwidth" => s.bandwidth = args.rate(arg, "10mbit"),
            "probability" => s.probability = args.probability(arg, "0.02"),
            "ecn" => s.ecn = true,
            "harddrop" => s.harddrop = true,
            "adaptive" => s.adaptive = true,
            _ => args.unknown(arg, KNOWN, REFUSED),
        }
    }
    s
}

fn import(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let mut part = Part::default();
    let kind = args.kind;
    reject_child(args, context);
    let s = read(args);
    let limit = args.needed(s.limit, "limit", "60000");
    let avpkt = args.needed(s.avpkt, "avpkt", "1000");
    let (Some(limit), Some(avpkt), true) = (limit, avpkt, args.check.ok()) else { return part };
    if avpkt.0 == 0 || limit.0 == 0 {
        args.error(kind, "`limit` and `avpkt` are above zero", "write limit 60000 avpkt 1000");
        return part;
    }
    part.explain(format!(
        "limit {}: at most so many bytes wait, {} packets of avpkt {}; Linux counts 14 bytes of \
            Ethernet with each",
        limit.0,
        in_packets(limit, avpkt),
        avpkt.0
    ));
    let max = s.max.unwrap_or_else(|| default(&mut part, "max", "limit / 4", Bytes(limit.0 / 4)));
    let min = s.min.unwrap_or_else(|| default(&mut part, "min", "max / 3", Bytes(max.0 / 3)));
    let (min_th, max_th) = (in_packets(min, avpkt), in_packets(max, avpkt));
    part.explain(format!(
        "min {} and max {}: bytes over avpkt {} are min_th = {min_th} pkt and max_th = {max_th} \
            pkt, and byte_mode = true keeps them bytes of the queue",
        min.0, max.0, avpkt.0
    ));
    if max.0 <= min.0 {
        args.error(
            kind,
            format!("max {} is not above min {}", max.0, min.0),
            "write max as three \
            times min",
        );
        return part;
    }
    let Some(w_q) = weight(s.burst, min, max, avpkt, args, &mut part) else { return part };
    let Some(max_p) = chance(s.probability, min, max, args, &mut part) else { return part };
    remarks(&s, &mut part);
    let mut queue = table([
        ("kind", json!("red")),
        ("limit", json!(limit)),
        ("min_th", json!(Packets(min_th))),
        ("max_th", json!(Packets(max_th))),
        ("max_p", json!(max_p)),
        ("w_q", json!(w_q)),
        ("mean_packet_size", json!(avpkt)),
        ("byte_mode", json!(true)),
        ("gentle", json!(false)),
        ("ecn", json!(s.ecn)),
        ("ecn_hard", json!(s.ecn && s.harddrop)),
        ("spacing", json!(SpacingLaw::UniformStored)),
        ("idle_style", json!(IdleStyle::Paper)),
        ("idle_fraction", json!(IdleFraction::Real)),
        ("min_q_for_drop", json!(Packets(0.0))),
    ]);
    if s.adaptive {
        adaptive_red::import(&mut queue, &mut part);
    }
    part.queue = Some(queue);
    part
}

fn default(part: &mut Part, name: &str, rule: &str, value: Bytes) -> Bytes {
    part.explain(format!("{name} is not written: {rule} = {} (tc-red(8))", value.0));
    value
}

/// `w_q` from the burst, explained.
fn weight(
    written: Option<u32>,
    min: Bytes,
    max: Bytes,
    avpkt: Bytes,
    args: &mut Args<'_, '_>,
    part: &mut Part,
) -> Option<f64> {
    let burst = written.unwrap_or_else(|| {
        let rule = ((2 * min.0 + max.0) / (3 * avpkt.0)).min(u64::from(u32::MAX)) as u32;
        part.explain(format!(
            "burst is not written: (min + min + max) / (3 avpkt) = {rule} (tc-red(8))"
        ));
        rule
    });
    let min_th = in_packets(min, avpkt);
    let Some(k) = burst::exponent(min_th, burst) else {
        let kind = args.kind;
        let cause = format!(
            "with min {min_th} packets of avpkt no weight of the average suits a burst of {burst}, \
                and tc refuses it"
        );
        args.error(kind, cause, format!("write burst {}", min_th.ceil().max(1.0) as u64 + 1));
        return None;
    };
    let w_q = 0.5f64.powi(k as i32);
    part.explain(format!(
        "burst {burst}: w_q = 2^-{k} = {w_q}, the largest power of two that keeps the average of a \
            burst of {burst} packets below min: burst + 1 - min/avpkt <= (1 - (1 - w_q)^burst) / \
            w_q (Floyd, Jacobson 1993, inequality 3)"
    ));
    Some(w_q)
}

/// `max_p`, explained.
fn chance(
    written: Option<f64>,
    min: Bytes,
    max: Bytes,
    args: &mut Args<'_, '_>,
    part: &mut Part,
) -> Option<f64> {
    let p = written.unwrap_or_else(|| {
        part.explain("probability is not written: 0.02 (tc-red(8))");
        0.02
    });
    let Some(k) = burst::slope(min.0, max.0, p) else {
        let kind = args.kind;
        args.error(
            kind,
            format!("a probability of {p} is too small for tc"),
            "write probability \
            0.02",
        );
        return None;
    };
    let old = (max.0 - min.0) as f64 / f64::from(k).exp2();
    part.explain(format!(
        "probability {p}: max_p = {p}; kernels before 3.3 keep (max - min) / probability as a \
            power of two, 2^{k}, and mark with at most {old:.4}"
    ));
    Some(p)
}

fn remarks(s: &Parsed, part: &mut Part) {
    if let Some(rate) = s.bandwidth {
        part.explain(format!(
            "bandwidth {rate}: the average decays at this rate while idle; here at \
            the link's own, so give the link this rate"
        ));
    } else {
        part.explain(
            "bandwidth is not written: tc takes 10 Mbps for the decay of the average while \
            idle; here it is the link's rate",
        );
    }
    match (s.ecn, s.harddrop) {
        (true, true) => part.explain(
            "ecn harddrop: ECN-capable packets are marked, and dropped where the average \
                is above max",
        ),
        (true, false) => part.explain(
            "ecn: ECN-capable packets are marked, above max too (ecn_hard = \
            false)",
        ),
        (false, true) => part.explain("harddrop says nothing without ecn: left out"),
        (false, false) => {}
    }
    part.explain(
        "Linux's red has no gentle region, draws one random number for each signal (spacing = \
            \"uniform_stored\"), spares no short queue (min_q_for_drop = \"0 pkt\"), and lets the \
            average only decay after an idle time",
    );
}

fn export(site: &ExportContext<'_>, log: &mut ExportLog) -> Option<String> {
    let adapts = site.aqm.kind == "adaptive_red";
    let c: RedConfig = match adapts {
        true => adaptive_red::export(site, log)?,
        false => written(serde_json::from_value(site.aqm.config.clone()).ok()?, site, log),
    };
    refusals(&c, log);
    let avpkt = if c.byte_mode { c.mean_packet_size } else { Bytes(u64::from(site.mtu)) };
    if !c.byte_mode {
        log.explain(format!(
            "tc's red counts bytes: thresholds in packets are written for packets of the MTU, {} \
                bytes",
            avpkt.0
        ));
    }
    let bytes = |th: Packets| (th.0 * avpkt.0 as f64).round();
    let (min, max) = (bytes(c.min_th), bytes(c.max_th));
    let limit = match site.capacity {
        Capacity::Bytes(n) => n as f64,
        Capacity::Packets(n) => {
            log.explain(format!(
                "limit: {n} packets of {0} bytes are {1} bytes",
                avpkt.0,
                u64::from(n) * avpkt.0
            ));
            f64::from(n) * avpkt.0 as f64
        }
        Capacity::Buffers { .. } | Capacity::Reached(_) => return None, // refused before
        Capacity::Unlimited => {
            log.explain("tc has no unlimited queue: 4294967295 bytes are the most that it can say");
            f64::from(u32::MAX)
        }
    };
    if [min, max, limit].iter().any(|n| *n > f64::from(u32::MAX)) {
        log.refuse("a limit or a threshold is too large for tc's 32 bits", "lower it");
        return None;
    }
    if max <= min || burst::slope(min as u64, max as u64, c.max_p).is_none() {
        log.refuse(
            "tc's red needs max_th above min_th and max_p above zero",
            "raise max_th or \
            max_p",
        );
        return None;
    }
    let burst = burst::of_weight(c.w_q, min / avpkt.0 as f64, log)?;
    habits(&c, log);
    let flags = match (c.ecn, c.ecn_hard) {
        (true, true) => " ecn harddrop",
        (true, false) => " ecn",
        (false, _) => "",
    };
    let flags = format!("{flags}{}", if adapts { " adaptive" } else { "" });
    let bandwidth = crate::tc::units::show_rate(site.rate);
    Some(format!(
        "red limit {limit} min {min} max {max} avpkt {} burst {burst} bandwidth {bandwidth} \
            probability {}{flags}",
        avpkt.0, c.max_p
    ))
}

/// Writes out the values that follow from the link: tc has numbers only.
fn written(c: RedConfig, site: &ExportContext<'_>, log: &mut ExportLog) -> RedConfig {
    let link =
        LinkInfo { rate: site.rate, capacity: site.capacity, mtu: site.mtu, delay: site.delay };
    let on = c.on(&link);
    if c.auto_th {
        log.explain(format!(
            "min_th and max_th follow from the link: {:.4} and {:.4} packets",
            on.min_th.0, on.max_th.0
        ));
    }
    if on.w_q != c.w_q {
        log.explain(format!("w_q follows from the link: {:.6}", on.w_q));
    }
    on
}

/// Settings that tc's red does not have.
fn refusals(c: &RedConfig, log: &mut ExportLog) {
    if c.gentle {
        log.refuse("tc's red has no gentle region", "write gentle = false");
    }
    if c.byte_drop != ByteDrop::Off {
        log.refuse(
            "tc's red does not signal larger packets more often",
            "write byte_drop = \
            \"off\"",
        );
    }
    if c.victim != Victim::Tail {
        log.refuse("tc's red drops the arriving packet", "write victim = \"tail\"");
    }
    if c.curve != RedConfig::default().curve {
        log.refuse(
            "tc's red has a straight curve between its thresholds",
            "write curve = \
            \"linear\"",
        );
    }
}

/// Reports parameters that Linux fixes to other values and no argument can change.
fn habits(c: &RedConfig, log: &mut ExportLog) {
    let own = [
        (
            c.spacing != SpacingLaw::UniformStored,
            "spacing",
            "signals are spaced as by \
            \"uniform_stored\"",
        ),
        (c.min_q_for_drop.0 > 0.0, "min_q_for_drop", "no short queue is spared"),
        (
            c.idle_style != IdleStyle::Paper,
            "idle_style",
            "the average only decays after an idle \
            time",
        ),
        (
            c.idle_fraction != IdleFraction::Real,
            "idle_fraction",
            "fractions of a packet's time \
            count while idle",
        ),
    ];
    fixed(&own, log);
}
