//! The features without a counterpart on the other side, each with the reason.

/// Disciplines that tc knows and cannot be read here, with the reason where there is more to say
/// than that.
const OF_TC: &[(&str, &str)] = &[
    (
        "cake",
        "it shapes, isolates hosts and drops acknowledgements besides; what is left of it is \
        fq_cobalt",
    ),
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

/// Queues of ours that Linux has in another form or within another, by what to do instead.
const OURS: &[(&str, &str)] = &[
    ("avq", "no kernel has it"),
    ("blue", "Linux has BLUE only within sfb and cake"),
    ("cobalt", "Linux has COBALT only within cake"),
    ("drio", "no kernel has it"),
    ("drr", "tc's drr needs a line for each class and filters"),
    ("ered", "no kernel has it"),
    (
        "fq",
        "tc's fq is another thing: it paces the flows of a host; fq_codel is this scheduler \
        with CoDel",
    ),
    ("fq_cobalt", "Linux has COBALT only within cake"),
    ("fred", "no kernel has it"),
    ("gred", "tc's gred needs a line for each virtual queue and filters"),
    ("pi", "no kernel has it: pie is its successor"),
    ("pi2", "Linux has PI2 only within dualpi2, where Classic traffic alone meets it"),
    ("prio", "tc's prio goes by the priority of a host's packets, and by filters"),
    ("r_rtt_adaptive", "no kernel has it"),
    ("rate_proportional", "no kernel has it"),
    ("red_hw", "it is what a circuit computes; tc's red is `red`"),
    ("red_rtl", "it is a circuit; tc's red is `red`"),
    ("rem", "no kernel has it"),
    ("rio", "tc has it as gred with grio, a line for each virtual queue"),
    ("wfq", "no kernel has it"),
    ("wred", "tc has it as gred, a line for each virtual queue"),
];

fn find(table: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, why)| *why)
}

/// Why tc's discipline `name` cannot be read; `None` if tc knows no such one.
pub fn of_tc(name: &str) -> Option<String> {
    let why = find(OF_TC, name)?;
    let because = if why.is_empty() { String::new() } else { format!(": {why}") };
    Some(format!("tc's {name} has no counterpart in this release{because}"))
}

/// Why the queue `name` cannot be written.
pub fn ours(name: &str) -> String {
    match find(OURS, name) {
        Some(why) => format!("tc cannot say the queue `{name}`: {why}"),
        None => format!("tc's counterpart of the queue `{name}` is not known here"),
    }
}
