//! Shared by disciplines without children: the check for a child, a limit in packets, times in
//! microseconds.
use crate::tc::args::Args;
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part};
use dumbbell_core::units::{Bytes, Capacity, Packets, Span};
use serde_json::{Value, json};

/// Reports an error if the line has a child discipline: this one cannot have any here.
pub fn reject_child(args: &mut Args<'_, '_>, context: &ImportContext) {
    if context.child {
        let kind = args.kind;
        let cause = format!("a queue below {} has no counterpart here", kind.text);
        args.error(kind, cause, "take the line below it out");
    }
}

/// The scenario value of a limit in packets, with an explanation in `part`. `None`: the limit is
/// not given, and `default` applies.
pub fn limit(
    written: Option<u32>,
    default: u32,
    args: &mut Args<'_, '_>,
    part: &mut Part,
) -> Value {
    let limit = written.unwrap_or(default);
    if limit == 0 {
        let kind = args.kind;
        args.error(kind, "a limit of 0 does not hold one packet", "raise it, as in limit 1000");
    }
    let own = if written.is_none() {
        format!(" ({}'s own, as none is written)", args.kind.text)
    } else {
        String::new()
    };
    part.explain(format!(
        "limit {limit}{own}: at most {limit} packets wait, the one in transmission \
        apart"
    ));
    json!(Packets(f64::from(limit)))
}

/// A queue's limit in packets, for a discipline whose `limit` tc counts in packets.
pub fn packets(site: &ExportContext<'_>, log: &mut ExportLog) -> u32 {
    match site.capacity {
        Capacity::Packets(n) => n,
        Capacity::Bytes(bytes) => {
            let mtu = u64::from(site.mtu.max(1));
            let n = u32::try_from((bytes / mtu).max(1)).unwrap_or(u32::MAX);
            log.explain(format!(
                "limit: tc has it in packets; {bytes} bytes hold {n} of the MTU, {mtu} \
                bytes"
            ));
            n
        }
        // refused before, or turned into bytes
        limit @ (Capacity::Buffers { .. } | Capacity::Reached(_)) => {
            limit.in_packets(site.mtu).map_or(1, |n| n as u32)
        }
        Capacity::Unlimited => {
            log.explain(format!(
                "tc has no unlimited queue: {} packets are the most that it can say",
                u32::MAX
            ));
            u32::MAX
        }
    }
}

/// A time as tc writes it, in whole microseconds; `None` after an error.
pub fn micros(name: &str, time: Span, log: &mut ExportLog) -> Option<String> {
    let us = (time.ps() + 500_000) / 1_000_000;
    if us == 0 || us > u64::from(u32::MAX) {
        log.refuse(
            format!("{name} = {time} is not a time that tc can express, from 1 us to 4294 s"),
            "write \
            another",
        );
        return None;
    }
    let kept = Span::from_us(us);
    if kept != time {
        log.explain(format!("{name} {kept}: tc keeps whole microseconds, instead of {time}"));
    }
    Some(crate::tc::units::show_time(kept))
}

/// A number of bytes that tc keeps in 32 bits; `None` after an error.
pub fn bytes(name: &str, bytes: Bytes, log: &mut ExportLog) -> Option<u32> {
    let kept = u32::try_from(bytes.0).ok();
    if kept.is_none() {
        log.refuse(format!("{name} = {bytes} is too large for tc's 32 bits"), "lower it");
    }
    kept
}

/// Says for each parameter that Linux fixes and that is another here what Linux does.
pub fn fixed(differs: &[(bool, &str, &str)], log: &mut ExportLog) {
    for (_, key, habit) in differs.iter().filter(|(differs, ..)| *differs) {
        log.explain(format!("{key} cannot be said: in Linux {habit}"));
    }
}
