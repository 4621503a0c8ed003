//! tc-netem(8): delay and rate of a link, and our impairments `jitter`, `bernoulli` and `gilbert_elliott`.
use super::Kind;
use super::part::{Above, Outlet, Part, Table, table};
use super::tbf::no_queue;
use super::units::{show_percent, show_time};
use super::words::{Refused, Word, Words};
use dumbbell_algos::impairment::bernoulli::BernoulliConfig;
use dumbbell_algos::impairment::gilbert_elliott::GilbertElliottConfig;
use dumbbell_algos::impairment::jitter::JitterConfig;
use dumbbell_core::units::{Packets, Rate, Span};
use dumbbell_plan::Link;
use serde_json::json;

/// The network emulator. It is no queue of an algorithm: [`wire`] writes it.
pub const NETEM: Kind = Kind { name: "netem", import, exports: &[], export: no_queue };

const KNOWN: &[&str] = &["limit", "delay", "latency", "distribution", "loss", "rate"];
const REFUSED: &[Refused] = &[
    ("duplicate", "no impairment here duplicates packets", "take `duplicate` out"),
    ("reorder", "no impairment here sends a packet ahead of time", "write a jitter, which reorders: delay 10ms 5ms"),
    ("gap", "no impairment here sends a packet ahead of time", "take `gap` out"),
    ("corrupt", "no impairment here delivers a packet with a wrong bit", "its receiver drops it: write loss instead"),
    ("slot", "no link here sends in slots", "take `slot` out"),
    ("ecn", "a loss here is a loss, never a mark", "take `ecn` out"),
    ("seed", "the seed is the scenario's", "take `seed` out"),
];
const CORRELATED: &str = "take the correlation out: it is deprecated (tc-netem(8))";
/// netem's own limit where none is written.
const LIMIT: u32 = 1000;

/// The words of a line.
#[derive(Default)]
struct Said {
    limit: Option<u32>,
    delay: Option<Span>,
    jitter: Span,
    loss: Option<Table>,
    rate: Option<Rate>,
}

fn read<'t>(words: &mut Words<'t, '_>, part: &mut Part) -> Said {
    let mut s = Said::default();
    while let Some(word) = words.next() {
        match word.text {
            "limit" => s.limit = words.count(word, "1000"),
            "delay" | "latency" => delay(word, words, &mut s),
            "distribution" => distribution(word, words),
            "loss" | "drop" => s.loss = loss(word, words, part),
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

fn delay<'t>(word: Word<'t>, words: &mut Words<'t, '_>, s: &mut Said) {
    s.delay = words.time(word, "100ms");
    let Some(jitter) = words.next_number() else { return };
    s.jitter = words.read(jitter, "write delay 100ms 10ms", super::units::time).unwrap_or_default();
    if s.delay.is_some_and(|d| d < s.jitter) {
        words.error(jitter, "a jitter larger than the delay would bring packets before they were sent", "lower it");
    }
    correlation(words);
}

/// A correlation of zero says nothing; another one is refused.
fn correlation(words: &mut Words<'_, '_>) {
    if let Some(word) = words.next_number()
        && super::units::percent(word.text) != Ok(0.0)
    {
        words.error(word, "impairments here are independent from packet to packet", CORRELATED);
    }
}

fn distribution(word: Word<'_>, words: &mut Words<'_, '_>) {
    match words.next() {
        Some(name) if name.text == "uniform" => {}
        Some(name) => {
            words.error(name, format!("jitter here is uniform, not {}", name.text), "write distribution uniform")
        }
        None => words.error(word, "`distribution` needs a name", "write distribution uniform"),
    }
}

fn loss<'t>(word: Word<'t>, words: &mut Words<'t, '_>, part: &mut Part) -> Option<Table> {
    let model = words.peek();
    match model.map(|w| w.text) {
        Some("gemodel") => {
            words.next();
            gemodel(words, part)
        }
        Some("state") => {
            let state = words.next()?;
            words.error(state, "no impairment here has netem's four states", "write loss gemodel, which has two");
            while words.next_number().is_some() {}
            None
        }
        first => {
            if first == Some("random") {
                words.next();
            }
            let p = words.percent(word, "1%")?;
            correlation(words);
            part.say(format!("loss {}: each packet is lost with probability {p}, independently", show_percent(p)));
            Some(table([("kind", json!("bernoulli")), ("loss", json!(p))]))
        }
    }
}

/// `gemodel p [r [1-h [1-k]]]`.
fn gemodel(words: &mut Words<'_, '_>, part: &mut Part) -> Option<Table> {
    let kind = words.kind;
    let mut given = Vec::new();
    while given.len() < 4
        && let Some(word) = words.next_number()
    {
        given.push(words.read(word, "write loss gemodel 1% 10%", super::units::percent)?);
    }
    let Some(p) = given.first().copied() else {
        words.error(kind, "`loss gemodel` needs p", "write loss gemodel 1% 10%");
        return None;
    };
    let r = given.get(1).copied().unwrap_or(1.0 - p);
    let (bad, good) = (given.get(2).copied().unwrap_or(1.0), given.get(3).copied().unwrap_or(0.0));
    part.say(format!(
        "loss gemodel: p = to_bad = {p}, r = to_good = {r}, 1-h = loss_bad = {bad}, 1-k = loss_good = {good}; what is not \
         written is r = 1 - p, 1-h = 100%, 1-k = 0 (tc-netem(8))"
    ));
    let state = [("to_bad", json!(p)), ("to_good", json!(r)), ("loss_bad", json!(bad)), ("loss_good", json!(good))];
    let mut out = table([("kind", json!("gilbert_elliott"))]);
    out.extend(table(state));
    Some(out)
}

fn import(words: &mut Words<'_, '_>, above: &Above) -> Part {
    let mut part = Part::default();
    let s = read(words, &mut part);
    if let Some(delay) = s.delay {
        part.delay = Some(delay.saturating_sub(s.jitter));
        if s.jitter > Span::ZERO {
            let (least, spread) = (delay.saturating_sub(s.jitter), s.jitter * 2);
            part.say(format!(
                "delay {} {}: Linux draws it uniformly from delay - jitter to delay + jitter (older manuals say normal): \
                 the link has {least}, and jitter adds up to {spread}; packets may overtake each other in both",
                show_time(delay),
                show_time(s.jitter)
            ));
            part.impairment.push(table([("kind", json!("jitter")), ("max", json!(spread))]));
        } else {
            part.say(format!("delay {}: the propagation delay of the link, one way", show_time(delay)));
        }
    }
    part.impairment.extend(s.loss);
    if let Some(rate) = s.rate {
        part.say(format!("rate {}: the rate of the link, {} bits a second", super::units::show_rate(rate), rate.bps()));
        part.rate = Some(rate);
    }
    limit(s.limit, s.rate.or(above.rate).is_some() && !above.child, words, &mut part);
    part
}

/// netem's limit is a queue's where packets wait for a rate.
fn limit(written: Option<u32>, waits: bool, words: &mut Words<'_, '_>, part: &mut Part) {
    let limit = written.unwrap_or(LIMIT);
    let default = if written.is_none() { " (netem's own, as none is written)" } else { "" };
    if limit == 0 {
        let kind = words.kind;
        words.error(kind, "a limit of 0 does not hold one packet", "raise it, as in limit 1000");
    } else if waits {
        part.say(format!(
            "limit {limit}{default}: so many packets wait at most; netem counts those under way in its delay too"
        ));
        part.queue = Some(table([("kind", json!("drop_tail")), ("limit", json!(Packets(f64::from(limit))))]));
    } else {
        part.say(format!(
            "limit {limit}{default}: so many packets may be under way in netem's delay; here that has no limit"
        ));
    }
}

/// The words for delay and impairments of a link; `None` if there are none, or after an error.
pub fn wire(link: &Link, outlet: &mut Outlet) -> Option<String> {
    let (mut loss, mut jitter) = (None, Span::ZERO);
    for spec in &link.impairments {
        let said = match spec.kind.as_str() {
            "jitter" if jitter == Span::ZERO => {
                jitter = serde_json::from_value::<JitterConfig>(spec.config.clone()).ok()?.max;
                true
            }
            "bernoulli" if loss.is_none() => {
                let c: BernoulliConfig = serde_json::from_value(spec.config.clone()).ok()?;
                loss = Some(format!(" loss {}", show_percent(c.loss)));
                true
            }
            "gilbert_elliott" if loss.is_none() => {
                let c: GilbertElliottConfig = serde_json::from_value(spec.config.clone()).ok()?;
                let all = [c.to_bad, c.to_good, c.loss_bad, c.loss_good].map(show_percent);
                loss = Some(format!(" loss gemodel {}", all.join(" ")));
                true
            }
            _ => false,
        };
        if !said {
            let cause = format!("netem cannot say the impairment `{}` of {}", spec.kind, link.name);
            outlet.refuse(cause, "it knows one jitter, and one of bernoulli and gilbert_elliott");
        }
    }
    let half = Span::from_ps(jitter.ps() / 2);
    let mut words = String::new();
    if link.delay + half > Span::ZERO {
        words = format!(" delay {}", show_time(link.delay + half));
        if half > Span::ZERO {
            words.push_str(&format!(" {}", show_time(half)));
            outlet.say(format!(
                "delay {} and jitter up to {jitter}: netem writes the middle and what may be added or taken",
                link.delay
            ));
        }
    }
    words.push_str(&loss.unwrap_or_default());
    if words.is_empty() {
        return None;
    }
    let limit = under_way(link);
    outlet.say(format!(
        "netem limit {limit}: twice what can be under way in {}, so that nothing is dropped there",
        link.delay + jitter
    ));
    outlet.say("in tc the delay and the losses come before the queue, on a link here after it");
    Some(format!("netem limit {limit}{words}"))
}

/// Twice the packets of 64 bytes that the longest delay holds.
fn under_way(link: &Link) -> u64 {
    let longest = link.impairments.iter().filter_map(|i| i.config["max"].as_str()?.parse::<Span>().ok());
    let longest = longest.fold(link.delay, |sum, more| sum + more);
    (link.rate.bytes_in(longest) / 64 * 2).clamp(u64::from(LIMIT), u64::from(u32::MAX))
}
