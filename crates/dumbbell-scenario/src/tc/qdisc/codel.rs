//! tc-codel(8): our `codel`; what fq_codel has of it too.
use super::leaf::{alone, fixed, limit, micros, packets};
use crate::tc::Kind;
use crate::tc::args::{Arg, Args};
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part, Table, table};
use dumbbell_algos::aqm::codel::CodelConfig;
use dumbbell_algos::aqm::codel::law::InverseRoot;
use dumbbell_core::units::Span;
use serde_json::json;

/// Controlled Delay.
pub const CODEL: Kind = Kind { name: "codel", import, exports: &["codel"], export };

const KNOWN: &[&str] = &["limit", "target", "interval", "ecn", "noecn", "ce_threshold"];
/// tc-codel(8): packets.
const LIMIT: u32 = 1000;

/// The words that codel and fq_codel have in common.
#[derive(Default)]
pub struct Parsed {
    target: Option<Span>,
    interval: Option<Span>,
    ecn: Option<bool>,
    ce_threshold: Option<Span>,
}

impl Parsed {
    /// Takes `word` with its value; whether it is one of them.
    pub fn take<'t>(&mut self, word: Arg<'t>, words: &mut Args<'t, '_>) -> bool {
        match word.text {
            "target" => self.target = words.micros(word, "5ms"),
            "interval" => self.interval = words.micros(word, "100ms"),
            "ecn" => self.ecn = Some(true),
            "noecn" => self.ecn = Some(false),
            "ce_threshold" => self.ce_threshold = words.micros(word, "1ms"),
            _ => return false,
        }
        true
    }

    /// Converts the arguments into a table, with explanations; `ecn` is the default.
    pub fn mean(&self, ecn: bool, words: &mut Args<'_, '_>, part: &mut Part) -> Table {
        let default = CodelConfig::default();
        let (target, interval) =
            (self.target.unwrap_or(default.target), self.interval.unwrap_or(default.interval));
        let own = |parsed: Option<Span>| if parsed.is_none() { " (not written)" } else { "" };
        part.say(format!(
            "target {target}{} and interval {interval}{}: RFC 8289's TARGET and INTERVAL; Linux \
                counts both in units of 1024 ns",
            own(self.target),
            own(self.interval)
        ));
        let on = self.ecn.unwrap_or(ecn);
        part.say(match (on, self.ecn) {
            (true, Some(_)) => "ecn: ECN-capable packets are marked",
            (true, None) => "neither ecn nor noecn is written: ECN-capable packets are marked",
            (false, Some(_)) => "noecn: ECN-capable packets are dropped as others are",
            (false, None) => {
                "neither ecn nor noecn is written: ECN-capable packets are dropped as \
                others are"
            }
        });
        let mut out =
            table([("target", json!(target)), ("interval", json!(interval)), ("ecn", json!(on))]);
        if let Some(threshold) = self.ce_threshold {
            if !on {
                let kind = words.kind;
                words.error(
                    kind,
                    "ce_threshold marks packets, and ecn is off: here it asks for \
                    ecn",
                    "write \
                    ecn too",
                );
            }
            part.say(format!("ce_threshold {threshold}: what waited longer is marked"));
            out.insert("ce_threshold".into(), json!(threshold));
        }
        out
    }
}

fn import(words: &mut Args<'_, '_>, above: &ImportContext) -> Part {
    let mut part = Part::default();
    alone(words, above);
    let (mut parsed, mut most) = (Parsed::default(), None);
    while let Some(word) = words.next() {
        match word.text {
            "limit" => most = words.whole(word, "1000"),
            _ if parsed.take(word, words) => {}
            _ => words.unknown(word, KNOWN, &[]),
        }
    }
    let mut queue =
        table([("kind", json!("codel")), ("limit", limit(most, LIMIT, words, &mut part))]);
    queue.extend(parsed.mean(false, words, &mut part));
    part.say(
        "Linux takes the inverse square root of the control law by steps of Newton's (inverse_root \
            = \"newton16\")",
    );
    queue.insert("inverse_root".into(), json!(InverseRoot::Newton16));
    part.queue = Some(queue);
    part
}

/// The words of `c` that codel and fq_codel have in common; `ecn` is whether tc marks where nothing
/// is parsed.
pub fn options(c: &CodelConfig, ecn: bool, log: &mut ExportLog) -> Option<String> {
    let mut words = format!(
        " target {} interval {}",
        micros("target", c.target, log)?,
        micros("interval", c.interval, log)?
    );
    if c.ecn != ecn {
        words.push_str(if c.ecn { " ecn" } else { " noecn" });
    }
    if c.ce_threshold > Span::ZERO {
        words.push_str(&format!(" ce_threshold {}", micros("ce_threshold", c.ce_threshold, log)?));
    }
    Some(words)
}

fn export(site: &ExportContext<'_>, log: &mut ExportLog) -> Option<String> {
    let c: CodelConfig = serde_json::from_value(site.aqm.config.clone()).ok()?;
    fixed(
        &[
            (
                c.inverse_root != InverseRoot::Newton16,
                "inverse_root",
                "the inverse square root is taken by steps of Newton's, with 16 bits",
            ),
            (c.mtu != CodelConfig::default().mtu, "mtu", "it is the device's MTU"),
        ],
        log,
    );
    let limit = packets(site, log);
    Some(format!("codel limit {limit}{}", options(&c, false, log)?))
}
