//! One queue of the kernel's own under a table of arrivals: the words of a scenario's link in, or
//! tc's, and a table of fates out, as in [`super::single_link`].
use crate::formats::arrow_table::ArrowTable;
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::run::engine::Stop;
use crate::run::logged::refusal;
use crate::run::packet_columns::{common_columns, moments, words_of};
use crate::tc;
use arrow_array::ArrayRef;
use dumbbell_core::plugin::Plugins;
use dumbbell_linux::qdisc::{
    self, Discipline, Fate, KernelFates, LEAST_BYTES, MOST_BYTES, MOST_FLOWS, QueueOptions,
};
use dumbbell_plan::{Link, Plan};
use dumbbell_sim::Arrival;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A kernel, and what it has at the link.
pub(super) struct Asked<'a> {
    /// The program.
    pub kernel: &'a Path,
    /// tc's words for its queues, from the root down; `None`: the counterpart of the link's queue.
    pub tc: Option<&'a [String]>,
    /// Algorithms of the user's own, to name what the kernel lacks.
    pub plugins: &'a Plugins,
}

/// Sends arrivals through the kernel's counterpart of a link's queue. A row for each arrival:
/// `time_ps`, `bytes`, `ecn`, `flow`, `dscp`, `verdict`, `entered_ps`, `left_ps`, `arrived_ps`.
///
/// # Errors
/// Code 2: the kernel has no such queue, or takes no such packets; 3: there is no kernel; 1: it
/// broke.
pub(super) fn drive(
    plan: &Plan,
    link: &Link,
    arrivals: &[Arrival],
    Asked { kernel, tc: words, plugins }: Asked<'_>,
) -> Result<ArrowTable, Problem> {
    possible(link, arrivals)?;
    let messages = match words {
        Some(words) => words.iter().map(|words| message(words)).collect::<Result<_, _>>()?,
        None => tc::messages(link, plugins)?.0,
    };
    let disciplines: Vec<Discipline> = messages
        .into_iter()
        .map(|tc::Message { class, kind, options }| Discipline { class, kind, options })
        .collect();
    let stop = AtomicBool::new(false);
    let options =
        QueueOptions { plan, link, disciplines: &disciplines, arrivals, kernel, stop: &stop };
    let made = qdisc::drive(&options).map_err(|fault| match refusal(fault) {
        Stop::Failed(problem) | Stop::Broken(problem) => problem,
        Stop::Interrupted => Problem::failure("the run was interrupted", None),
    })?;
    agrees(&made)?;
    Ok(table(arrivals, &made.fates))
}

/// The message to the kernel for tc's words.
fn message(words: &str) -> Result<tc::Message, Problem> {
    tc::message(words).ok_or_else(|| {
        let cause = format!("no message to the kernel is known for `{words}`");
        refused(cause, "write a queue of docs/explanation/kernel-queues.md with all of its options")
    })
}

fn refused(cause: String, fix: &str) -> Problem {
    Problem::new(code::SCENARIO, &[Diagnostic::new(cause).fix(fix)], &Texts::default())
}

/// What the kernel's link is not.
fn possible(link: &Link, arrivals: &[Arrival]) -> Result<(), Problem> {
    if let Some(service) = &link.service {
        let cause = format!("on the kernel a link has a constant rate, and not `{}`", service.kind);
        return Err(refused(cause, "take `service` out"));
    }
    if let Some(first) = link.impairments.first() {
        let cause = format!("on the kernel a link has no impairments, and not `{}`", first.kind);
        return Err(refused(cause, "take `impairment` out"));
    }
    for (i, arrival) in arrivals.iter().enumerate() {
        if !(LEAST_BYTES..=MOST_BYTES).contains(&u32::from(arrival.ip_len)) {
            let cause = format!("arrival {i}: the kernel gets no packet of {} B", arrival.ip_len);
            return Err(refused(cause, &format!("write {LEAST_BYTES} to {MOST_BYTES} bytes")));
        }
        if arrival.flow >= MOST_FLOWS {
            let cause = format!("arrival {i}: {} is not a flow number here", arrival.flow);
            return Err(refused(cause, &format!("write a number below {MOST_FLOWS}")));
        }
    }
    Ok(())
}

/// The kernel's own counts say the same as what was seen of it.
fn agrees(made: &KernelFates) -> Result<(), Problem> {
    let lost = made.fates.iter().filter(|fate| fate.left.is_none()).count();
    if made.held > 0 {
        let cause = format!("the kernel still held {} packets at the end", made.held);
        return Err(Problem::failure(cause, None));
    }
    if lost != made.dropped as usize {
        let cause =
            format!("{lost} packets did not leave, and the kernel counts {} drops", made.dropped);
        return Err(Problem::failure(cause, None));
    }
    Ok(())
}

fn table(arrivals: &[Arrival], fates: &[Fate]) -> ArrowTable {
    let verdict = |fate: &Fate| match (fate.left, fate.marked) {
        (None, _) => "drop",
        (_, true) => "mark",
        (_, false) => "pass",
    };
    let mut columns = common_columns(arrivals);
    let own: [(&str, ArrayRef); 4] = [
        ("verdict", words_of(fates.iter().map(|fate| Some(verdict(fate))))),
        ("entered_ps", moments(fates.iter().map(|fate| Some(fate.entered)))),
        ("left_ps", moments(fates.iter().map(|fate| fate.left))),
        ("arrived_ps", moments(fates.iter().map(|fate| fate.arrived))),
    ];
    columns.extend(own.map(|(name, array)| (name.to_string(), array)));
    ArrowTable::of_columns(columns)
}
