//! The keys of a result that are no measurements of the registry.
use serde_json::{Value, json};

/// A key of the document that is not a measurement of the registry: its name, unit, meaning and
/// type.
pub(super) struct Key(
    pub(super) &'static str,
    pub(super) &'static str,
    pub(super) &'static str,
    pub(super) Type,
);

/// The type of a key's value.
#[derive(Clone, Copy)]
pub(super) enum Type {
    Text,
    MaybeText,
    Truth,
    Integer,
    Count,
    Real,
    MaybeReal,
    Texts,
    Integers,
    /// A table whose keys depend on the scenario or on the machine.
    Object,
    /// Such a table, or null.
    MaybeObject,
    /// A table of a definition.
    Of(&'static str),
    /// A list of these.
    Each(&'static str),
}

impl Type {
    /// Its rule.
    pub(super) fn schema(self) -> Value {
        match self {
            Type::Text => json!({ "type": "string" }),
            Type::MaybeText => json!({ "type": ["string", "null"] }),
            Type::Truth => json!({ "type": "boolean" }),
            Type::Integer => json!({ "type": "integer" }),
            Type::Count => reference("count"),
            Type::Real => reference("real"),
            Type::MaybeReal => reference("maybe_real"),
            Type::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Type::Integers => json!({ "type": "array", "items": { "type": "integer" } }),
            Type::Object => json!({ "type": "object" }),
            Type::MaybeObject => json!({ "type": ["object", "null"] }),
            Type::Of(name) => reference(name),
            Type::Each(name) => json!({ "type": "array", "items": reference(name) }),
        }
    }
}

/// The keys of a single run.
pub(super) const RUN: &[Key] = &[
    Key("seed", "", "Of a single run: its seed.", Type::Integer),
    Key(
        "fingerprint",
        "",
        "16 hexadecimal digits that hash every packet that left a socket or a port: its time, its \
         bytes that matter, and its fate. Two runs with the same fingerprint are the same, packet \
         for packet. Of several runs, a hash of theirs.",
        Type::Text,
    ),
    Key("valid", "", "False if a run failed its own checks; the exit code is then 5.", Type::Truth),
    Key(
        "wall_s",
        "s",
        "Time that the run took. Only this number and, with several threads, `events` differ from \
            one time to the next. A run from a store has the time that it took originally.",
        Type::Real,
    ),
    Key("packet_hops", "pkt", "Packets times links, data and acknowledgments.", Type::Count),
    Key("events", "", "Entries that the simulator's agenda processed.", Type::Count),
    Key("flows", "", "Flows that belong to no session.", Type::Each("flow")),
    Key(
        "jain",
        "",
        "Jain's fairness index of the goodput of `flows`: (Σx)² / (N Σx²), from 1/N (one has \
         everything) to 1 (all have the same). Flows that got nothing count; null if nobody got \
         anything.",
        Type::MaybeReal,
    ),
    Key("totals", "", "All flows together, those of sessions included.", Type::Of("totals")),
    Key("queues", "", "Reported queues.", Type::Each("queue")),
    Key(
        "conservation",
        "pkt",
        "The account of all packets. Every queue's own account must close as well, and of every \
         marker that of its tokens.",
        Type::Of("conservation"),
    ),
    Key("markers", "", "With a `conditioner`: each place of an edge.", Type::Each("marker")),
    Key("hosts", "", "With a `cpu`: each processor in each direction.", Type::Each("host")),
    Key(
        "shared_buffers",
        "",
        "With a `shared_buffer`: that of each switch.",
        Type::Each("shared_buffer"),
    ),
    Key(
        "fragmentation",
        "",
        "Where packets were, or could have been, too large for a link.",
        Type::Of("fragmentation"),
    ),
    Key("sessions", "", "With sessions: their transfers.", Type::Each("session")),
    Key(
        "on",
        "",
        "Of a run on this machine's kernel: `kernel`; on user-mode kernels: `linux`.",
        Type::Text,
    ),
    Key(
        "validity",
        "",
        "Of a run on real kernels: whether it is valid, the reasons if not, and the figures behind \
            them.",
        Type::Object,
    ),
    Key("program", "", "The end of a user's program on the testbed.", Type::Object),
    Key("server", "", "The end of the server of a user's program, if any.", Type::MaybeObject),
    Key(
        "error",
        "",
        "Of a run or a point that has no result or is not valid: `code`, `message`.",
        Type::Of("error"),
    ),
    Key(
        "plan_hash",
        "",
        "Hash of the plan, which has every default resolved: equal plans give equal runs with one \
         version of Dumbbell.",
        Type::Text,
    ),
    Key("duration_s", "s", "Simulated time.", Type::Real),
];

/// Further keys of a point.
pub(super) const POINT: &[Key] = &[
    Key("warmup_s", "s", "The part of it that is left out of the measurements.", Type::Real),
    Key("seeds", "", "With replications: the seeds of the runs.", Type::Integers),
    Key("runs", "", "With replications: each run by itself.", Type::Each("run")),
    Key(
        "stop",
        "",
        "With a rule: `rule`, `runs` (how many it took), `most`, `reached`, `relative_half_width` \
         (what is compared with the bound).",
        Type::Of("stop"),
    ),
    Key("overrides", "", "Of a point of a sweep: what it changes.", Type::Object),
    Key("versus", "", "With `--baseline`, of a point of a sweep: its differences.", Type::Object),
];

/// Further keys of the document.
pub(super) const DOCUMENT: &[Key] = &[
    Key("name", "", "The scenario's name.", Type::Text),
    Key("title", "", "The scenario's title.", Type::MaybeText),
    Key("version", "", "Dumbbell's version.", Type::Text),
    Key("points", "", "Of a sweep: its points.", Type::Each("point")),
    Key(
        "failures",
        "",
        "Runs that failed, if some did: `point`, `overrides`, `seed`, `code`, `message`.",
        Type::Each("failure"),
    ),
    Key("code", "", "The exit code.", Type::Integer),
    Key("notes", "", "Remarks, such as a parameter that does not apply.", Type::Texts),
    Key("warnings", "", "What is unusual in the scenario, if anything is.", Type::Each("warning")),
    Key("from_store", "", "With a store: how many runs were in it already.", Type::Integer),
    Key("out", "", "With `--out`: the directory.", Type::Text),
    Key("files", "", "With `--out`: the records in it.", Type::Texts),
    Key("overrides_given", "", "In `summary.json`: overrides of the command.", Type::Object),
    Key("scenario", "", "In `summary.json`: the whole scenario.", Type::Object),
    Key("digests", "", "In `summary.json`: size and digest of each file.", Type::Object),
    Key("blake3", "", "In `summary.json`: digest of the document.", Type::Text),
];

/// A reference to a definition.
pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}
