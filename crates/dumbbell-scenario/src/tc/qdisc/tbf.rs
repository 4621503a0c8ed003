//! tc-tbf(8): our conditioner `tbf`; with a queue below it, the rate of a link.
use crate::tc::Kind;
use crate::tc::args::{Args, Refused};
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part, table};
use crate::tc::units::show_rate;
use dumbbell_algos::conditioner::tbf::TbfConfig;
use dumbbell_core::units::{Bytes, Limit, Rate, Span};
use dumbbell_plan::{Link, Spec};
use serde_json::json;

/// The token bucket filter. It is not a queue of an algorithm: [`shaper`] and [`conditioner`] write
/// it.
pub const TBF: Kind = Kind { name: "tbf", import, exports: &[], export: no_queue };

const KNOWN: &[&str] = &["rate", "burst", "buffer", "maxburst", "latency", "limit"];
const ONE_BUCKET: &str = "tbf here has one bucket: a peak rate would be a second one";
const REFUSED: &[Refused] = &[
    ("peakrate", ONE_BUCKET, "take `peakrate` and `minburst` out"),
    ("mtu", ONE_BUCKET, "take `mtu` out, or write it as the mtu of the link"),
    ("minburst", ONE_BUCKET, "take `minburst` out"),
    ("mpu", "a packet here takes tokens for its own length, however short", "take `mpu` out"),
    (
        "overhead",
        "a packet here takes tokens for its IP length",
        "take `overhead` out, or write \
        framing at the link",
    ),
    (
        "linklayer",
        "a packet here takes tokens for its IP length",
        "take `linklayer` out, or write \
        framing at the link",
    ),
];

pub(crate) fn no_queue(_: &ExportContext<'_>, _: &mut ExportLog) -> Option<String> {
    None
}

/// The options of a line.
#[derive(Default)]
struct Parsed {
    rate: Option<Rate>,
    burst: Option<Bytes>,
    latency: Option<Span>,
    limit: Option<Bytes>,
}

fn read(args: &mut Args<'_, '_>) -> Parsed {
    let mut s = Parsed::default();
    while let Some(arg) = args.next() {
        match arg.text {
            "rate" => s.rate = args.rate(arg, "10mbit"),
            "burst" | "buffer" | "maxburst" => s.burst = args.size(arg, "15000"),
            "latency" => s.latency = args.time(arg, "50ms"),
            "limit" => s.limit = args.size(arg, "60000"),
            _ => args.unknown(arg, KNOWN, REFUSED),
        }
        if s.latency.is_some() && s.limit.is_some() {
            args.error(
                arg,
                "`latency` and `limit` say the same in two ways",
                "keep one of the \
                two",
            );
            s.latency = None;
        }
    }
    s
}

fn import(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let mut part = Part::default();
    let s = read(args);
    let (rate, burst) =
        (args.needed(s.rate, "rate", "10mbit"), args.needed(s.burst, "burst", "15000"));
    let held = s.limit.map(|_| ()).or(s.latency.map(|_| ()));
    let held = args.needed(held, "latency", "50ms");
    let (Some(rate), Some(burst), Some(()), true) = (rate, burst, held, args.check.ok()) else {
        return part;
    };
    if burst.0 == 0 {
        let kind = args.kind;
        args.error(kind, "no packet fits into a burst of 0", "write burst 15000");
        return part;
    }
    part.explain(format!("rate {}: {} bits a second", show_rate(rate), rate.bps()));
    if context.child {
        part.explain(
            "a queue hangs below it: the link has this rate, and sends each packet at it instead \
                of bursts at the device's speed; burst and limit (or latency) have no effect here",
        );
        part.rate = Some(rate);
        return part;
    }
    part.explain(format!(
        "burst {0}: the bucket holds {0} bytes; Linux takes 14 bytes of Ethernet with each packet",
        burst.0
    ));
    let limit = match (s.limit, s.latency) {
        (_, Some(latency)) => {
            let limit = rate.bytes_in(latency).saturating_add(burst.0);
            part.explain(format!(
                "latency {latency}: rate times latency and the bucket are a limit of {limit} bytes \
                    (tc-tbf(8))"
            ));
            Bytes(limit)
        }
        (limit, None) => limit.unwrap_or_default(),
    };
    if limit.0 > u64::from(u32::MAX) {
        let kind = args.kind;
        args.error(
            kind,
            format!("a limit of {} bytes is too large: tc keeps it in 32 bits", limit.0),
            "lower latency",
        );
    }
    part.explain(format!("limit {}: at most so many bytes wait for tokens", limit.0));
    part.conditioner = Some(table([
        ("kind", json!("tbf")),
        ("rate", json!(rate)),
        ("burst", json!(burst)),
        ("limit", json!(limit)),
    ]));
    part
}

/// The tc options for a conditioner.
pub fn conditioner(spec: &Spec, log: &mut ExportLog) -> Option<String> {
    let c: TbfConfig = serde_json::from_value(spec.config.clone()).ok()?;
    let limit = match c.limit {
        Limit::Bytes(b) => b.0,
        Limit::Time(t) => {
            let bytes = c.rate.bytes_in(t);
            log.explain(format!("limit {t}: {bytes} bytes at {}", c.rate));
            bytes
        }
        Limit::Packets(_) | Limit::Buffers(..) | Limit::Unlimited | Limit::Bdp(_) => {
            log.refuse(
                "tc's tbf has a limit in bytes",
                "write it in bytes or as a time, such as \
                limit = \"70 ms\"",
            );
            return None;
        }
    };
    if limit.max(c.burst.0) > u64::from(u32::MAX) {
        log.refuse("burst or limit is too large for tc's 32 bits", "lower it");
        return None;
    }
    Some(format!("tbf rate {} burst {} limit {limit}", show_rate(c.rate), c.burst.0))
}

/// Timer ticks a second that a bucket must bridge: the slowest that distributions build their
/// kernels with.
const HZ: u64 = 100;

/// The tc options that shape a device to the rate of a link, for a child queue.
pub fn shaper(link: &Link, log: &mut ExportLog) -> String {
    let burst = (link.rate.bps() / 8 / HZ).max(u64::from(link.mtu) + 14).min(u64::from(u32::MAX));
    log.explain(format!(
        "tbf gives the device the link's rate, {}; burst {burst} is what passes in one tick of the \
            slowest timer, 1/{HZ} s (tc-tbf(8): at least rate / HZ), and at least a packet; its \
            limit has no effect with a queue below",
        link.rate
    ));
    if link.framing > 0 {
        log.explain(format!(
            "the link adds {} bytes to each packet; Linux counts 14 bytes of Ethernet",
            link.framing
        ));
    }
    format!("tbf rate {} burst {burst} limit {burst}", show_rate(link.rate))
}
