//! The features without a counterpart on the other side, each with the reason.
use crate::language::lookup::Family;
use dumbbell_core::catalogue::Kernel;
use dumbbell_core::plugin::Plugins;

/// Disciplines that tc knows and cannot be read here, with the reason where there is more to say
/// than that.
const OF_TC: &[(&str, &str)] = &[
    ("cbq", ""),
    ("cbs", ""),
    ("clsact", ""),
    (
        "drr",
        "its classes are lines of their own, and its filters are not read: write `drr` in the \
        scenario",
    ),
    ("etf", ""),
    ("ets", ""),
    (
        "fq",
        "it paces the flows of a host; `fq` here is the scheduler of RFC 8290, which tc has in \
        fq_codel",
    ),
    ("gred", "its virtual queues are lines of their own: write `gred` in the scenario"),
    ("hfsc", ""),
    ("hhf", ""),
    ("htb", ""),
    ("ingress", ""),
    ("mq", ""),
    ("mqprio", ""),
    ("multiq", ""),
    ("noqueue", ""),
    ("plug", ""),
    (
        "prio",
        "its bands go by the priority of a host's packets: write `prio` in the scenario, whose \
            bands go by codepoint",
    ),
    ("qfq", ""),
    ("skbprio", ""),
    ("taprio", ""),
];

/// Why tc's discipline `name` cannot be read; `None` if tc knows no such one.
pub fn of_tc(name: &str) -> Option<String> {
    let (_, why) = OF_TC.iter().find(|(known, _)| *known == name)?;
    let because = if why.is_empty() { String::new() } else { format!(": {why}") };
    Some(format!("tc's {name} has no counterpart in this release{because}"))
}

/// Why the queue `name` cannot be written: what its page says of the kernel.
pub fn ours(name: &str, plugins: &Plugins) -> String {
    let mut kinds = Family::Aqm.alike();
    let about = kinds.find_map(|kind| kind.known(name, plugins)).and_then(|known| known.about());
    match about.map(|about| about.kernel) {
        Some(Kernel::Lacks { why, .. }) => format!("tc cannot say the queue `{name}`: {why}"),
        _ => format!("tc's counterpart of the queue `{name}` is not known here"),
    }
}
