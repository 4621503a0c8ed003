//! tc-pfifo(8), tc-bfifo(8), tc-pfifo_fast(8): our `drop_tail`.
use crate::tc::Kind;
use crate::tc::args::{Arg, Args};
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part, table};
use dumbbell_algos::aqm::drop_tail::{DropTailConfig, Victim};
use dumbbell_core::units::{Bytes, Capacity, Packets};
use serde_json::json;

/// A limit in packets.
pub const PFIFO: Kind = Kind { name: "pfifo", import: packets, exports: &["drop_tail"], export };
/// A limit in bytes.
pub const BFIFO: Kind = Kind { name: "bfifo", import: bytes, exports: &[], export };
/// A limit in packets, and the head goes when it is reached.
pub const PFIFO_HEAD_DROP: Kind =
    Kind { name: "pfifo_head_drop", import: packets, exports: &[], export };
/// Three queues by type of service.
pub const PFIFO_FAST: Kind = Kind { name: "pfifo_fast", import: fast, exports: &[], export };

/// txqueuelen of an Ethernet device, and its MTU.
const TXQUEUELEN: u32 = 1000;
const MTU: u64 = 1500;

fn packets(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let mut part = Part::default();
    let limit = options(args, context, |w, arg| w.count(arg, "100"));
    let limit = limit.unwrap_or_else(|| {
        part.explain(format!(
            "no limit is written: it is the device's txqueuelen, {TXQUEUELEN} packets \
            unless it was set"
        ));
        TXQUEUELEN
    });
    holds_one(args, u64::from(limit));
    part.explain(format!(
        "limit {limit}: at most {limit} packets wait, the one in transmission apart"
    ));
    let mut queue =
        table([("kind", json!("drop_tail")), ("limit", json!(Packets(f64::from(limit))))]);
    if args.kind.text == "pfifo_head_drop" {
        queue.insert("victim".into(), json!(Victim::Front));
    }
    part.queue = Some(queue);
    part
}

fn bytes(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let mut part = Part::default();
    let limit = options(args, context, |w, arg| w.size(arg, "150000"));
    let limit = limit.unwrap_or_else(|| {
        let default = Bytes(u64::from(TXQUEUELEN) * MTU);
        part.explain(format!(
            "no limit is written: it is txqueuelen times the MTU, {} bytes on \
            Ethernet",
            default.0
        ));
        default
    });
    holds_one(args, limit.0);
    part.explain(format!(
        "limit {0}: at most {0} bytes wait; Linux counts 14 bytes of Ethernet with \
        each packet",
        limit.0
    ));
    part.queue = Some(table([("kind", json!("drop_tail")), ("limit", json!(limit))]));
    part
}

fn fast(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let mut part = Part::default();
    options::<u32>(args, context, |w, arg| {
        w.error(
            arg,
            "pfifo_fast takes no words",
            "its length is the device's txqueuelen: write \
            pfifo limit 1000",
        );
        None
    });
    part.explain(
        "pfifo_fast has three queues by type of service; packets here have one type, so one \
        of them is used",
    );
    part.explain(format!(
        "its limit is the device's txqueuelen, {TXQUEUELEN} packets unless it was set"
    ));
    part.queue = Some(table([
        ("kind", json!("drop_tail")),
        ("limit", json!(Packets(f64::from(TXQUEUELEN)))),
    ]));
    part
}

/// The one option, `limit`; like tc, the last one counts.
fn options<'t, T>(
    args: &mut Args<'t, '_>,
    context: &ImportContext,
    limit: fn(&mut Args<'t, '_>, Arg<'t>) -> Option<T>,
) -> Option<T> {
    if context.child {
        let kind = args.kind;
        args.error(
            kind,
            format!("nothing hangs below a {}", kind.text),
            "take the line below it \
            out",
        );
    }
    let mut found = None;
    while let Some(arg) = args.next() {
        match arg.text {
            "limit" => found = limit(args, arg),
            _ => args.unknown(arg, &["limit"], &[]),
        }
    }
    found
}

fn holds_one(args: &mut Args<'_, '_>, limit: u64) {
    if limit == 0 && args.check.ok() {
        let kind = args.kind;
        args.error(kind, "a limit of 0 does not hold one packet", "raise it, as in limit 100");
    }
}

fn export(site: &ExportContext<'_>, log: &mut ExportLog) -> Option<String> {
    let config: DropTailConfig = serde_json::from_value(site.aqm.config.clone()).ok()?;
    match (config.victim, site.capacity) {
        (Victim::Random, _) => {
            log.refuse(
                "tc has no queue that drops at random when it is full",
                "write victim = \
                \"tail\"",
            );
            None
        }
        (Victim::Front, Capacity::Packets(n)) => Some(format!("pfifo_head_drop limit {n}")),
        (Victim::Front, _) => {
            log.refuse(
                "tc drops from the front only with a limit in packets",
                "write limit = \
                \"100 pkt\"",
            );
            None
        }
        (Victim::Tail, Capacity::Packets(n)) => Some(format!("pfifo limit {n}")),
        (Victim::Tail, Capacity::Bytes(n)) if n <= u64::from(u32::MAX) => {
            log.explain(
                "bfifo counts 14 bytes of Ethernet with each packet; a limit here is in bytes \
                of IP",
            );
            Some(format!("bfifo limit {n}"))
        }
        (Victim::Tail, Capacity::Bytes(n)) => {
            log.refuse(
                format!("a limit of {n} bytes is too large for tc's 32 bits"),
                "lower the \
                limit",
            );
            None
        }
        (Victim::Tail, Capacity::Buffers { .. } | Capacity::Reached(_)) => None, // refused before
        (Victim::Tail, Capacity::Unlimited) => {
            log.explain(format!(
                "tc has no unlimited queue: {} packets are the most that it can say",
                u32::MAX
            ));
            Some(format!("pfifo limit {}", u32::MAX))
        }
    }
}
