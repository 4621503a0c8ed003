//! Converts `tc ... sfb` options to and from Dumbbell's `sfb`. Manual: tc-sfb(8).
use super::leaf::{fixed, packets, reject_child};
use crate::tc::Kind;
use crate::tc::args::Args;
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part, table};
use dumbbell_algos::aqm::sfb::SfbConfig;
use dumbbell_core::units::{Packets, Span};
use serde_json::json;

/// Stochastic Fair BLUE.
pub const SFB: Kind = Kind { name: "sfb", import, exports: &["sfb"], export };

const KNOWN: &[&str] = &[
    "rehash",
    "db",
    "limit",
    "max",
    "target",
    "increment",
    "decrement",
    "penalty_rate",
    "penalty_burst",
];
/// Linux's bins: 8 levels of 16 (tc-sfb(8)).
const BINS: (u32, u32) = (8, 16);
/// A device's txqueuelen, unless it was set.
const TXQUEUELEN: u32 = 1000;

/// The options of a line, with the defaults of tc 6.1.
struct Parsed {
    rehash_ms: u32,
    db_ms: u32,
    limit: Option<u32>,
    max: u32,
    target: u32,
    increment: f64,
    decrement: f64,
    penalty_rate: u32,
    penalty_burst: u32,
}

fn read(args: &mut Args<'_, '_>) -> Parsed {
    let mut s = Parsed {
        rehash_ms: 600_000,
        db_ms: 60_000,
        limit: None,
        max: 25,
        target: 20,
        increment: 0.0005,
        decrement: 0.00005,
        penalty_rate: 10,
        penalty_burst: 20,
    };
    while let Some(arg) = args.next() {
        match arg.text {
            "rehash" => s.rehash_ms = args.whole(arg, "600000").unwrap_or(s.rehash_ms),
            "db" => s.db_ms = args.whole(arg, "60000").unwrap_or(s.db_ms),
            "limit" => s.limit = args.whole(arg, "1000"),
            "max" => s.max = args.whole(arg, "25").unwrap_or(s.max),
            "target" => s.target = args.whole(arg, "20").unwrap_or(s.target),
            "increment" => s.increment = args.probability(arg, "0.0005").unwrap_or(s.increment),
            "decrement" => s.decrement = args.probability(arg, "0.00005").unwrap_or(s.decrement),
            "penalty_rate" => s.penalty_rate = args.whole(arg, "10").unwrap_or(s.penalty_rate),
            "penalty_burst" => s.penalty_burst = args.whole(arg, "20").unwrap_or(s.penalty_burst),
            _ => args.unknown(arg, KNOWN, &[]),
        }
    }
    s
}

fn import(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let mut part = Part::default();
    reject_child(args, context);
    let s = read(args);
    let limit = s.limit.filter(|n| *n > 0).unwrap_or(TXQUEUELEN);
    let own = if s.limit.is_none() {
        " (the device's txqueuelen unless it was set, as none is \
        written)"
    } else {
        ""
    };
    part.explain(format!(
        "limit {limit}{own}: at most {limit} packets wait, the one in transmission \
        apart"
    ));
    part.explain(format!(
        "max {} and target {}: packets of a flow's bins; increment {} and decrement {} of their \
            probability, which tc rounds to 1/65535",
        s.max, s.target, s.increment, s.decrement
    ));
    part.explain(format!(
        "rehash {} and db {}: milliseconds; 0 of rehash is never",
        s.rehash_ms, s.db_ms
    ));
    part.explain(format!(
        "Linux has {} levels of {} bins, and always marks ECN-capable packets (ecn = true)",
        BINS.0, BINS.1
    ));
    let ms = |n: u32| Span::from_ms(u64::from(n));
    part.queue = Some(table([
        ("kind", json!("sfb")),
        ("limit", json!(Packets(f64::from(limit)))),
        ("levels", json!(BINS.0)),
        ("bins", json!(BINS.1)),
        ("target", json!(Packets(f64::from(s.target)))),
        ("max", json!(Packets(f64::from(s.max)))),
        ("increment", json!(s.increment)),
        ("decrement", json!(s.decrement)),
        ("rehash", json!(ms(s.rehash_ms))),
        ("db", json!(ms(s.db_ms))),
        ("penalty_rate", json!(f64::from(s.penalty_rate))),
        ("penalty_burst", json!(Packets(f64::from(s.penalty_burst)))),
        ("ecn", json!(true)),
    ]));
    part
}

fn export(site: &ExportContext<'_>, log: &mut ExportLog) -> Option<String> {
    let c: SfbConfig = serde_json::from_value(site.aqm.config.clone()).ok()?;
    if (c.levels, c.bins) != BINS {
        log.refuse("tc's sfb has 8 levels of 16 bins", "write levels = 8 and bins = 16");
        return None;
    }
    fixed(&[(!c.ecn, "ecn = false", "ECN-capable packets are marked")], log);
    let ms = |name: &str, time: Span, log: &mut ExportLog| {
        let ms = (time.ps() + 500_000_000) / 1_000_000_000;
        if Span::from_ms(ms) != time {
            log.explain(format!("{name} {ms}: tc has milliseconds, instead of {time}"));
        }
        ms
    };
    let (rehash, db) = (ms("rehash", c.rehash, log), ms("db", c.db, log));
    let numbers = [("target", c.target.0), ("max", c.max.0), ("penalty_rate", c.penalty_rate)];
    for (name, n) in [numbers.as_slice(), &[("penalty_burst", c.penalty_burst.0)]].concat() {
        if n.fract() != 0.0 {
            log.explain(format!(
                "{name}: tc's sfb has whole numbers, {} instead of {n}",
                n.round()
            ));
        }
    }
    Some(format!(
        "sfb rehash {rehash} db {db} limit {} max {} target {} increment {} decrement {} \
            penalty_rate {} penalty_burst {}",
        packets(site, log),
        c.max.0.round(),
        c.target.0.round(),
        c.increment,
        c.decrement,
        c.penalty_rate.round(),
        c.penalty_burst.0.round()
    ))
}
