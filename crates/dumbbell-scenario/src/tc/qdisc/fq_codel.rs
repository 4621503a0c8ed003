//! tc-fq_codel(8): our `fq_codel`.
use super::codel;
use super::leaf::{alone, bytes, limit, packets};
use crate::tc::Kind;
use crate::tc::args::{Arg, Args, Refused};
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part, Table, table};
use dumbbell_algos::aqm::codel::CodelConfig;
use dumbbell_algos::qdisc::fq_codel::FqCodelConfig;
use dumbbell_core::units::Bytes;
use serde_json::json;

/// Flow queueing with CoDel.
pub const FQ_CODEL: Kind = Kind { name: "fq_codel", import, exports: &["fq_codel"], export };

const KNOWN: &[&str] = &[
    "limit",
    "flows",
    "target",
    "interval",
    "quantum",
    "ecn",
    "noecn",
    "ce_threshold",
    "memory_limit",
    "drop_batch",
];
const REFUSED: &[Refused] = &[(
    "ce_threshold_selector",
    "ce_threshold here is for all packets, whatever their codepoint",
    "take `ce_threshold_selector` out",
)];
/// tc-fq_codel(8), tc-fq_pie(8): packets.
pub const LIMIT: u32 = 10_240;

/// The words of the queues, which fq_codel and fq_pie have in common.
#[derive(Default)]
pub struct FlowQueueArgs {
    limit: Option<u32>,
    flows: Option<u32>,
    quantum: Option<Bytes>,
    memory_limit: Option<Bytes>,
}

impl FlowQueueArgs {
    /// Takes `word` with its value; whether it is one of them.
    pub fn take<'t>(&mut self, word: Arg<'t>, words: &mut Args<'t, '_>) -> bool {
        match word.text {
            "limit" => self.limit = words.whole(word, "10240"),
            "flows" => self.flows = words.whole(word, "1024"),
            "quantum" => self.quantum = words.size(word, "1514"),
            "memory_limit" => self.memory_limit = words.size(word, "32mb"),
            _ => return false,
        }
        true
    }

    /// Converts the arguments into a table, with explanations; both disciplines have the same
    /// defaults.
    pub fn mean(&self, words: &mut Args<'_, '_>, part: &mut Part) -> Table {
        let own = FqCodelConfig::default();
        let limit = limit(self.limit, LIMIT, words, part);
        let (flows, quantum) =
            (self.flows.unwrap_or(own.flows), self.quantum.unwrap_or(own.quantum));
        let memory = self.memory_limit.unwrap_or(own.memory_limit);
        part.say(format!(
            "flows {flows}, quantum {}: so many queues, and bytes of a turn; Linux counts 14 bytes \
                of Ethernet with each packet",
            quantum.0
        ));
        part.say(format!(
            "memory_limit {}: bytes of packets here; Linux counts the memory that holds them, \
                about twice as much",
            memory.0
        ));
        table([
            ("limit", limit),
            ("flows", json!(flows)),
            ("quantum", json!(quantum)),
            ("memory_limit", json!(memory)),
        ])
    }
}

/// The words for the queues.
pub fn lot(flows: u32, quantum: Bytes, memory_limit: Bytes, log: &mut ExportLog) -> Option<String> {
    let (quantum, memory) =
        (bytes("quantum", quantum, log)?, bytes("memory_limit", memory_limit, log)?);
    Some(format!(" flows {flows} quantum {quantum} memory_limit {memory}"))
}

fn import(words: &mut Args<'_, '_>, above: &ImportContext) -> Part {
    let mut part = Part::default();
    alone(words, above);
    let (mut lot, mut parsed, mut batch) =
        (FlowQueueArgs::default(), codel::Parsed::default(), None);
    while let Some(word) = words.next() {
        match word.text {
            "drop_batch" => batch = words.whole(word, "64"),
            _ if lot.take(word, words) || parsed.take(word, words) => {}
            _ => words.unknown(word, KNOWN, REFUSED),
        }
    }
    let mut queue = table([("kind", json!("fq_codel"))]);
    queue.extend(lot.mean(words, &mut part));
    queue.extend(parsed.mean(true, words, &mut part));
    let batch = batch.unwrap_or(FqCodelConfig::default().drop_batch);
    part.say(format!(
        "drop_batch {batch}: dropped at once from the longest queue when the buffer \
        is full"
    ));
    queue.insert("drop_batch".into(), json!(batch));
    part.queue = Some(queue);
    part
}

fn export(site: &ExportContext<'_>, log: &mut ExportLog) -> Option<String> {
    let c: FqCodelConfig = serde_json::from_value(site.aqm.config.clone()).ok()?;
    let (target, interval, ecn, ce_threshold) = (c.target, c.interval, c.ecn, c.ce_threshold);
    let codel = CodelConfig { target, interval, ecn, ce_threshold, ..CodelConfig::default() };
    let (limit, lot) = (packets(site, log), lot(c.flows, c.quantum, c.memory_limit, log)?);
    log.say(
        "Linux takes the inverse square root of CoDel's law by steps of Newton's, with 16 \
            bits; here it is exact",
    );
    let batch = if c.drop_batch == FqCodelConfig::default().drop_batch {
        String::new()
    } else {
        format!(" drop_batch {}", c.drop_batch)
    };
    Some(format!("fq_codel limit {limit}{lot}{}{batch}", codel::options(&codel, true, log)?))
}
