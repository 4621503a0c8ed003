//! tc-netem(8): delay and rate of a link, and our impairments `jitter`, `reorder`, `bernoulli`,
//! `gilbert_elliott`, `duplicate` and `corrupt`.
mod delay;
mod wire;

use super::tbf::no_queue;
use crate::tc::Kind;
use crate::tc::args::{Arg, Args, Refused};
use crate::tc::discipline::{ImportContext, Part, Table, table};
use crate::tc::units::show_percent;
use delay::Delay;
use dumbbell_core::units::{Packets, Rate};
use serde_json::json;
pub use wire::wire;

/// The network emulator. It is not a queue of an algorithm: [`wire`] writes it.
pub const NETEM: Kind = Kind { name: "netem", import, exports: &[], export: no_queue };

const KNOWN: &[&str] = &[
    "limit",
    "delay",
    "latency",
    "distribution",
    "loss",
    "duplicate",
    "corrupt",
    "reorder",
    "gap",
    "rate",
];
const REFUSED: &[Refused] = &[
    ("slot", "no link here sends in slots", "take `slot` out"),
    ("ecn", "a loss here is a loss, never a mark", "take `ecn` out"),
    ("seed", "the seed is the scenario's", "take `seed` out"),
];
const CORRELATED: &str = "take the correlation out: it is deprecated (tc-netem(8))";
/// netem's own limit where none is written.
const LIMIT: u32 = 1000;

/// The options of a line.
#[derive(Default)]
struct Parsed<'t> {
    limit: Option<u32>,
    delay: Delay<'t>,
    loss: Option<Table>,
    duplicate: Option<f64>,
    corrupt: Option<f64>,
    rate: Option<Rate>,
}

fn read<'t>(args: &mut Args<'t, '_>, part: &mut Part) -> Parsed<'t> {
    let mut s = Parsed::default();
    while let Some(arg) = args.next() {
        match arg.text {
            "limit" => s.limit = args.count(arg, "1000"),
            "delay" | "latency" => s.delay.times(arg, args),
            "distribution" => s.delay.distribution(arg, args),
            "reorder" => s.delay.reorder(arg, args),
            "gap" => s.delay.gap(arg, args),
            "loss" | "drop" => s.loss = loss(arg, args, part),
            "duplicate" => s.duplicate = share(arg, args),
            "corrupt" => s.corrupt = share(arg, args),
            "rate" => {
                s.rate = args.rate(arg, "10mbit");
                if let Some(overhead) = args.next_number() {
                    let fix = "take overhead and cells out, or write framing at the link";
                    args.error(overhead, "a link here adds bytes to a packet by its framing", fix);
                    while args.next_number().is_some() {}
                }
            }
            _ => args.unknown(arg, KNOWN, REFUSED),
        }
    }
    s
}

/// A share of packets, independent from packet to packet.
fn share<'t>(arg: Arg<'t>, args: &mut Args<'t, '_>) -> Option<f64> {
    let share = args.percent(arg, "1%");
    correlation(args);
    share
}

/// A correlation of zero says nothing; another one is refused.
fn correlation(args: &mut Args<'_, '_>) {
    if let Some(arg) = args.next_number()
        && crate::tc::units::percent(arg.text) != Ok(0.0)
    {
        args.error(arg, "impairments here are independent from packet to packet", CORRELATED);
    }
}

fn loss<'t>(arg: Arg<'t>, args: &mut Args<'t, '_>, part: &mut Part) -> Option<Table> {
    let model = args.peek();
    match model.map(|w| w.text) {
        Some("gemodel") => {
            args.next();
            gemodel(args, part)
        }
        Some("state") => {
            let state = args.next()?;
            args.error(
                state,
                "no impairment here has netem's four states",
                "write loss gemodel, \
                which has two",
            );
            while args.next_number().is_some() {}
            None
        }
        first => {
            if first == Some("random") {
                args.next();
            }
            let p = args.percent(arg, "1%")?;
            correlation(args);
            part.explain(format!(
                "loss {}: each packet is lost with probability {p}, independently",
                show_percent(p)
            ));
            Some(table([("kind", json!("bernoulli")), ("loss", json!(p))]))
        }
    }
}

/// `gemodel p [r [1-h [1-k]]]`.
fn gemodel(args: &mut Args<'_, '_>, part: &mut Part) -> Option<Table> {
    let kind = args.kind;
    let mut given = Vec::new();
    while given.len() < 4
        && let Some(arg) = args.next_number()
    {
        given.push(args.read(arg, "write loss gemodel 1% 10%", crate::tc::units::percent)?);
    }
    let Some(p) = given.first().copied() else {
        args.error(kind, "`loss gemodel` needs p", "write loss gemodel 1% 10%");
        return None;
    };
    let r = given.get(1).copied().unwrap_or(1.0 - p);
    let (bad, good) = (given.get(2).copied().unwrap_or(1.0), given.get(3).copied().unwrap_or(0.0));
    part.explain(format!(
        "loss gemodel: p = to_bad = {p}, r = to_good = {r}, 1-h = loss_bad = {bad}, 1-k = \
            loss_good = {good}; what is not written is r = 1 - p, 1-h = 100%, 1-k = 0 \
            (tc-netem(8))"
    ));
    let state = [
        ("to_bad", json!(p)),
        ("to_good", json!(r)),
        ("loss_bad", json!(bad)),
        ("loss_good", json!(good)),
    ];
    let mut out = table([("kind", json!("gilbert_elliott"))]);
    out.extend(table(state));
    Some(out)
}

fn import(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let mut part = Part::default();
    let s = read(args, &mut part);
    if let Some(p) = s.duplicate {
        let shown = show_percent(p);
        part.explain(format!(
            "duplicate {shown}: so many packets arrive twice; what follows is done to \
            each of both"
        ));
        part.impairment.push(table([("kind", json!("duplicate")), ("share", json!(p))]));
    }
    s.delay.convert(args, &mut part);
    part.impairment.extend(s.loss);
    if let Some(p) = s.corrupt {
        let shown = show_percent(p);
        part.explain(format!(
            "corrupt {shown}: so many packets get a wrong bit, and their receiver \
            discards them"
        ));
        part.impairment.push(table([("kind", json!("corrupt")), ("rate", json!(p))]));
    }
    if let Some(rate) = s.rate {
        part.explain(format!(
            "rate {}: the rate of the link, {} bits a second",
            crate::tc::units::show_rate(rate),
            rate.bps()
        ));
        part.rate = Some(rate);
    }
    limit(s.limit, s.rate.or(context.rate).is_some() && !context.child, args, &mut part);
    part
}

/// netem's limit is a queue's where packets wait for a rate.
fn limit(written: Option<u32>, waits: bool, args: &mut Args<'_, '_>, part: &mut Part) {
    let limit = written.unwrap_or(LIMIT);
    let default = if written.is_none() { " (netem's own, as none is written)" } else { "" };
    if limit == 0 {
        let kind = args.kind;
        args.error(kind, "a limit of 0 does not hold one packet", "raise it, as in limit 1000");
    } else if waits {
        part.explain(format!(
            "limit {limit}{default}: so many packets wait at most; netem counts those under way in \
                its delay too"
        ));
        part.queue = Some(table([
            ("kind", json!("drop_tail")),
            ("limit", json!(Packets(f64::from(limit)))),
        ]));
    } else {
        part.explain(format!(
            "limit {limit}{default}: so many packets may be under way in netem's delay; here that \
                has no limit"
        ));
    }
}
