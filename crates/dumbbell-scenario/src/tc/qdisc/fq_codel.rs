//! Converts `tc ... fq_codel` options to and from Dumbbell's `fq_codel`. Manual: tc-fq_codel(8).
//!
//! `quantum` and `memory_limit` keep their numbers in both directions, although Linux counts
//! differently; the explanation of an import says how.
use super::codel;
use super::leaf::{bytes, limit, packets, reject_child};
use crate::tc::Kind;
use crate::tc::args::{Arg, Args, Refused};
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part, Table, table};
use dumbbell_algos::aqm::codel::CodelConfig;
use dumbbell_algos::qdisc::fq_codel::FqCodelConfig;
use dumbbell_core::units::Bytes;
use serde_json::json;

/// Flow queueing with CoDel.
pub const FQ_CODEL: Kind = Kind { name: "fq_codel", import, exports: &["fq_codel"], export };

/// The options of `tc ... fq_codel` that can be converted.
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
/// Options that tc has and Dumbbell cannot convert: name, reason, and what to do instead.
const REFUSED: &[Refused] = &[(
    "ce_threshold_selector",
    "ce_threshold here is for all packets, whatever their codepoint",
    "take `ce_threshold_selector` out",
)];
/// Default `limit` of fq_codel and fq_pie in packets (tc-fq_codel(8), tc-fq_pie(8)).
pub const LIMIT: u32 = 10_240;

/// The options for flow queues, which fq_codel and fq_pie share. `None`: the option is not given,
/// and its default applies.
#[derive(Default)]
pub struct FlowQueueArgs {
    limit: Option<u32>,
    flows: Option<u32>,
    quantum: Option<Bytes>,
    memory_limit: Option<Bytes>,
}

impl FlowQueueArgs {
    /// If `arg` is one of these options, reads its value from `args` and returns true. Otherwise
    /// reads nothing and returns false.
    pub fn take<'t>(&mut self, arg: Arg<'t>, args: &mut Args<'t, '_>) -> bool {
        match arg.text {
            "limit" => self.limit = args.whole(arg, "10240"),
            "flows" => self.flows = args.whole(arg, "1024"),
            "quantum" => self.quantum = args.size(arg, "1514"),
            "memory_limit" => self.memory_limit = args.size(arg, "32mb"),
            _ => return false,
        }
        true
    }

    /// The scenario keys for these options, with an explanation in `part`. The defaults are the
    /// same for both disciplines.
    pub fn to_table(&self, args: &mut Args<'_, '_>, part: &mut Part) -> Table {
        let own = FqCodelConfig::default();
        let limit = limit(self.limit, LIMIT, args, part);
        let (flows, quantum) =
            (self.flows.unwrap_or(own.flows), self.quantum.unwrap_or(own.quantum));
        let memory = self.memory_limit.unwrap_or(own.memory_limit);
        part.explain(format!(
            "flows {flows}, quantum {}: so many queues, and bytes of a turn; Linux counts 14 bytes \
                of Ethernet with each packet",
            quantum.0
        ));
        part.explain(format!(
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

/// The tc options for flow queues. `None` after an error in `log`: tc keeps both sizes in 32 bits.
pub fn flow_queue_options(
    flows: u32,
    quantum: Bytes,
    memory_limit: Bytes,
    log: &mut ExportLog,
) -> Option<String> {
    let (quantum, memory) =
        (bytes("quantum", quantum, log)?, bytes("memory_limit", memory_limit, log)?);
    Some(format!(" flows {flows} quantum {quantum} memory_limit {memory}"))
}

fn import(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let mut part = Part::default();
    reject_child(args, context);
    let (mut flow_queue_args, mut parsed, mut batch) =
        (FlowQueueArgs::default(), codel::Parsed::default(), None);
    while let Some(arg) = args.next() {
        match arg.text {
            "drop_batch" => batch = args.whole(arg, "64"),
            _ if flow_queue_args.take(arg, args) || parsed.take(arg, args) => {}
            _ => args.unknown(arg, KNOWN, REFUSED),
        }
    }
    let mut queue = table([("kind", json!("fq_codel"))]);
    queue.extend(flow_queue_args.to_table(args, &mut part));
    queue.extend(parsed.to_table(true, args, &mut part));
    let batch = batch.unwrap_or(FqCodelConfig::default().drop_batch);
    part.explain(format!(
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
    let (limit, flow_queues) =
        (packets(site, log), flow_queue_options(c.flows, c.quantum, c.memory_limit, log)?);
    log.explain(
        "Linux takes the inverse square root of CoDel's law by steps of Newton's, with 16 \
            bits; here it is exact",
    );
    let batch = if c.drop_batch == FqCodelConfig::default().drop_batch {
        String::new()
    } else {
        format!(" drop_batch {}", c.drop_batch)
    };
    Some(format!(
        "fq_codel limit {limit}{flow_queues}{}{batch}",
        codel::options(&codel, true, log)?
    ))
}
