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

/// The network emulator. It is no queue of an algorithm: [`wire`] writes it.
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

/// The words of a line.
#[derive(Default)]
struct Parsed<'t> {
    limit: Option<u32>,
    delay: Delay<'t>,
    loss: Option<Table>,
    duplicate: Option<f64>,
    corrupt: Option<f64>,
    rate: Option<Rate>,
}

fn read<'t>(words: &mut Args<'t, '_>, part: &mut Part) -> Parsed<'t> {
    let mut s = Parsed::default();
    while let Some(word) = words.next() {
        match word.text {
            "limit" => s.limit = words.count(word, "1000"),
            "delay" | "latency" => s.delay.times(word, words),
            "distribution" => s.delay.distribution(word, words),
            "reorder" => s.delay.reorder(word, words),
            "gap" => s.delay.gap(word, words),
            "loss" | "drop" => s.loss = loss(word, words, part),
            "duplicate" => s.duplicate = share(word, words),
            "corrupt" => s.corrupt = share(word, words),
            "rate" => {
                s.rate = words.rate(word, "10mbit");
                if let Some(overhead) = words.next_number() {
                    let fix = "take overhead and cells out, or write framing at the link";
                    words.error(overhead, "a link here adds bytes to a packet by its framing", fix);
                    while words.next_number().is_some() {}
                }
            }
            _ => words.unknown(word, KNOWN, REFUSED),
        }
    }
    s
}

/// A share of packets, independent from packet to packet.
fn share<'t>(word: Arg<'t>, words: &mut Args<'t, '_>) -> Option<f64> {
    let share = words.percent(word, "1%");
    correlation(words);
    share
}

/// A correlation of zero says nothing; another one is refused.
fn correlation(words: &mut Args<'_, '_>) {
    if let Some(word) = words.next_number()
        && crate::tc::units::percent(word.text) != Ok(0.0)
    {
        words.error(word, "impairments here are independent from packet to packet", CORRELATED);
    }
}

fn loss<'t>(word: Arg<'t>, words: &mut Args<'t, '_>, part: &mut Part) -> Option<Table> {
    let model = words.peek();
    match model.map(|w| w.text) {
        Some("gemodel") => {
            words.next();
            gemodel(words, part)
        }
        Some("state") => {
            let state = words.next()?;
            words.error(
                state,
                "no impairment here has netem's four states",
                "write loss gemodel, \
                which has two",
            );
            while words.next_number().is_some() {}
            None
        }
        first => {
            if first == Some("random") {
                words.next();
            }
            let p = words.percent(word, "1%")?;
            correlation(words);
            part.say(format!(
                "loss {}: each packet is lost with probability {p}, independently",
                show_percent(p)
            ));
            Some(table([("kind", json!("bernoulli")), ("loss", json!(p))]))
        }
    }
}

/// `gemodel p [r [1-h [1-k]]]`.
fn gemodel(words: &mut Args<'_, '_>, part: &mut Part) -> Option<Table> {
    let kind = words.kind;
    let mut given = Vec::new();
    while given.len() < 4
        && let Some(word) = words.next_number()
    {
        given.push(words.read(word, "write loss gemodel 1% 10%", crate::tc::units::percent)?);
    }
    let Some(p) = given.first().copied() else {
        words.error(kind, "`loss gemodel` needs p", "write loss gemodel 1% 10%");
        return None;
    };
    let r = given.get(1).copied().unwrap_or(1.0 - p);
    let (bad, good) = (given.get(2).copied().unwrap_or(1.0), given.get(3).copied().unwrap_or(0.0));
    part.say(format!(
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

fn import(words: &mut Args<'_, '_>, above: &ImportContext) -> Part {
    let mut part = Part::default();
    let s = read(words, &mut part);
    if let Some(p) = s.duplicate {
        let shown = show_percent(p);
        part.say(format!(
            "duplicate {shown}: so many packets arrive twice; what follows is done to \
            each of both"
        ));
        part.impairment.push(table([("kind", json!("duplicate")), ("share", json!(p))]));
    }
    s.delay.means(words, &mut part);
    part.impairment.extend(s.loss);
    if let Some(p) = s.corrupt {
        let shown = show_percent(p);
        part.say(format!(
            "corrupt {shown}: so many packets get a wrong bit, and their receiver \
            discards them"
        ));
        part.impairment.push(table([("kind", json!("corrupt")), ("rate", json!(p))]));
    }
    if let Some(rate) = s.rate {
        part.say(format!(
            "rate {}: the rate of the link, {} bits a second",
            crate::tc::units::show_rate(rate),
            rate.bps()
        ));
        part.rate = Some(rate);
    }
    limit(s.limit, s.rate.or(above.rate).is_some() && !above.child, words, &mut part);
    part
}

/// netem's limit is a queue's where packets wait for a rate.
fn limit(written: Option<u32>, waits: bool, words: &mut Args<'_, '_>, part: &mut Part) {
    let limit = written.unwrap_or(LIMIT);
    let default = if written.is_none() { " (netem's own, as none is written)" } else { "" };
    if limit == 0 {
        let kind = words.kind;
        words.error(kind, "a limit of 0 does not hold one packet", "raise it, as in limit 1000");
    } else if waits {
        part.say(format!(
            "limit {limit}{default}: so many packets wait at most; netem counts those under way in \
                its delay too"
        ));
        part.queue = Some(table([
            ("kind", json!("drop_tail")),
            ("limit", json!(Packets(f64::from(limit)))),
        ]));
    } else {
        part.say(format!(
            "limit {limit}{default}: so many packets may be under way in netem's delay; here that \
                has no limit"
        ));
    }
}
