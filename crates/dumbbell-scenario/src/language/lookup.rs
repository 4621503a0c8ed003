//! An algorithm as a scenario names it, into an algorithm of the catalogue with every default
//! written out.
pub mod algorithm;
use crate::language::deser;
use crate::language::lookup::algorithm::KnownAlgorithm;
use crate::language::node::{Entry as NodeEntry, Kind, Node, Path, below, fault_path};
use crate::language::problem::{Check, Diagnostic};
use dumbbell_algos::{aqm, cc, conditioner, impairment, meter, qdisc, service, source};
use dumbbell_core::catalogue::{Entry, Fault, nearest};
use dumbbell_core::plugin::Plugins;
use dumbbell_core::rng::distribution;
use dumbbell_plan::Spec;
use serde_json::{Map, Value};

/// Keys of a queue beside `kind` and the algorithm's own parameters.
const QUEUE_KEYS: [&str; 5] = ["limit", "limit_rule", "count_in_service", "watch_above", "report"];

/// Keys of an edge beside `kind` and the algorithm's own parameters.
const EDGE_KEYS: [&str; 8] = ["per", "flows", "dscp", "green", "yellow", "red", "in", "out"];

/// A kind of algorithm that a scenario can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// An AQM: decides when a queue signals.
    Aqm,
    /// A queueing discipline: decides which of several queues sends.
    Qdisc,
    /// Congestion control.
    Cc,
    /// Traffic.
    Source,
    /// An impairment of a wire.
    Impairment,
    /// A meter: decides which color a packet has.
    Meter,
    /// A conditioner before a queue: a shaper, or a marker that holds packets.
    Conditioner,
    /// The service by which a transmitter uses the wire.
    Service,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 8] = [
        Family::Aqm,
        Family::Qdisc,
        Family::Cc,
        Family::Source,
        Family::Impairment,
        Family::Meter,
        Family::Conditioner,
        Family::Service,
    ];
    /// Its name in lists.
    pub fn name(self) -> &'static str {
        ["aqm", "qdisc", "cc", "source", "impairment", "meter", "conditioner", "service"]
            [self as usize]
    }
    /// Its algorithms.
    pub fn catalogue(self) -> &'static [Entry] {
        match self {
            Family::Aqm => aqm::CATALOGUE,
            Family::Qdisc => qdisc::CATALOGUE,
            Family::Cc => cc::CATALOGUE,
            Family::Source => source::CATALOGUE,
            Family::Impairment => impairment::CATALOGUE,
            Family::Meter => meter::CATALOGUE,
            Family::Conditioner => conditioner::CATALOGUE,
            Family::Service => service::CATALOGUE,
        }
    }
    /// The algorithm `name`.
    pub fn find(self, name: &str) -> Option<&'static Entry> {
        self.catalogue().iter().find(|e| e.about.name == name)
    }
    /// Keys beside `kind` that are not the algorithm's: those of the port or of the edge around it.
    pub fn port_keys(self) -> &'static [&'static str] {
        match self {
            _ if self.is_queue() => &QUEUE_KEYS,
            _ if self.is_edge() => &EDGE_KEYS,
            _ => &[],
        }
    }
    /// True if a scenario may name it as `queue`.
    pub fn is_queue(self) -> bool {
        matches!(self, Family::Aqm | Family::Qdisc)
    }
    /// True if a scenario may name it as `conditioner`.
    pub fn is_edge(self) -> bool {
        matches!(self, Family::Meter | Family::Conditioner)
    }
    /// The kinds that may stand where this one does.
    pub fn alike(self) -> impl Iterator<Item = Family> {
        let place = (self.is_queue(), self.is_edge());
        let same = move |f: &Family| {
            *f == self || (place != (false, false) && (f.is_queue(), f.is_edge()) == place)
        };
        Family::ALL.into_iter().filter(same)
    }
    /// The name of such a place in prose.
    pub fn place_name(self) -> &'static str {
        match self {
            _ if self.is_queue() => "queue",
            _ if self.is_edge() => "meter or conditioner",
            _ => self.name(),
        }
    }
    /// The kind of edge that `node` names. An unknown name counts as a conditioner's.
    pub fn of_conditioner(node: &Node) -> Self {
        let kind = node.as_str().or_else(|| node.get("kind").and_then(Node::as_str));
        if kind.is_some_and(|name| Family::Meter.find(name).is_some()) {
            Family::Meter
        } else {
            Family::Conditioner
        }
    }
    /// The kind of queue that `node` names. An unknown name counts as an AQM's.
    pub fn of_queue(node: &Node) -> Self {
        let kind = node.as_str().or_else(|| node.get("kind").and_then(Node::as_str));
        if kind.is_some_and(|name| Family::Qdisc.find(name).is_some()) {
            Family::Qdisc
        } else {
            Family::Aqm
        }
    }
    /// Returns the algorithms of the catalogue and of `plugins`.
    pub fn all(self, plugins: &Plugins) -> Vec<KnownAlgorithm> {
        let own = self.catalogue().iter().map(KnownAlgorithm::Catalogue);
        match self {
            Family::Aqm => {
                own.chain(plugins.aqm.iter().cloned().map(KnownAlgorithm::Aqm)).collect()
            }
            Family::Cc => own.chain(plugins.cc.iter().cloned().map(KnownAlgorithm::Cc)).collect(),
            _ => own.collect(),
        }
    }
    /// The algorithm `name`, of the catalogue or of `makers`.
    pub fn known(self, name: &str, plugins: &Plugins) -> Option<KnownAlgorithm> {
        let plugin = match self {
            Family::Aqm => plugins.aqm(name).cloned().map(KnownAlgorithm::Aqm),
            Family::Cc => plugins.cc(name).cloned().map(KnownAlgorithm::Cc),
            _ => None,
        };
        self.find(name).map(KnownAlgorithm::Catalogue).or(plugin)
    }
    /// True if any algorithm of this kind has the parameter `key`.
    fn knows(self, key: &str, plugins: &Plugins) -> bool {
        let has = |e: KnownAlgorithm| !e.schema()["properties"][key].is_null();
        self.alike().any(|f| f.all(plugins).into_iter().any(has))
    }
}

/// The queue of a link that has no other.
pub(crate) fn drop_tail() -> Spec {
    let config =
        Family::Aqm.find("drop_tail").map_or_else(|| Value::Object(Map::new()), |e| (e.defaults)());
    Spec { kind: "drop_tail".into(), config, source_hash: None }
}

/// A tree as a dictionary, without what was left over from another `kind` and does not apply: it
/// says the same when it is read again.
pub fn settled(node: &Node, plugins: &Plugins) -> Value {
    let kind = node.get("kind").and_then(Node::as_str).unwrap_or_default();
    let applies = |e: &NodeEntry| {
        let has = |f: &Family| {
            let parameter = |a: &KnownAlgorithm| !a.schema()["properties"][&e.key].is_null();
            f.known(kind, plugins)
                .is_some_and(|a| f.port_keys().contains(&e.key.as_str()) || parameter(&a))
        };
        let of_law = distribution::takes(kind, &e.key) == Some(true);
        !e.left_over || e.key == "kind" || of_law || Family::ALL.iter().any(has)
    };
    match &node.kind {
        Kind::Leaf(v) => v.clone(),
        Kind::List(items) => items.iter().map(|item| settled(item, plugins)).collect(),
        Kind::Table(entries) => entries
            .iter()
            .filter(|e| applies(e))
            .map(|e| (e.key.clone(), settled(&e.node, plugins)))
            .collect(),
    }
}

/// Errors that one algorithm may show at once.
const AT_ONCE: usize = 8;

/// Resolves the algorithm at `node`, which stands at `at`. `limit` is the queue's limit in packets,
/// for thresholds that are written in terms of it.
pub fn resolve(
    family: Family,
    node: &Node,
    at: &[String],
    limit: Option<f64>,
    check: &mut Check,
) -> Option<Spec> {
    let entry = named(family, node, at, check)?;
    let schema = entry.schema();
    let before = check.found.len();
    let mine = parameters(family, &entry, node, at, check);
    let sound = check.found.len() == before;
    let mut config = Map::new();
    for e in mine {
        match of_limit(&e.node, &schema["properties"][&e.key], schema, limit) {
            Ok(v) => drop(config.insert(e.key.clone(), v.unwrap_or_else(|| e.node.to_json()))),
            Err(d) => check.error(d.at(e.node.place)),
        }
    }
    let config = judge(&|c| entry.resolve(c), config, node, at, check)?;
    sound.then(|| Spec { kind: entry.name().into(), config, source_hash: entry.source_hash() })
}

/// Checks the names at `node`: that of the algorithm and those of its parameters, not their values.
pub fn names(family: Family, node: &Node, at: &[String], check: &mut Check) {
    if let Some(entry) = named(family, node, at, check) {
        parameters(family, &entry, node, at, check);
    }
}

/// The entries of `node` that are parameters of `entry`. Others are an error, or a note if they
/// were left over from another algorithm.
fn parameters<'a>(
    family: Family,
    entry: &KnownAlgorithm,
    node: &'a Node,
    at: &[String],
    check: &mut Check,
) -> Vec<&'a NodeEntry> {
    let schema = entry.schema();
    let around = |e: &&NodeEntry| e.key == "kind" || family.port_keys().contains(&e.key.as_str());
    let mut found = Vec::new();
    for e in node.entries().iter().filter(|e| !around(e)) {
        if !schema["properties"][&e.key].is_null() {
            found.push(e);
        } else if e.left_over && family.knows(&e.key, &check.plugins) {
            check.note(format!(
                "`{}.{}` does not apply to {}: left out",
                at.join("."),
                e.key,
                entry.name()
            ));
        } else {
            let d = unknown_parameter(&e.key, family, entry.name(), schema);
            check.error(d.at(e.place).key(&below(at, &e.key)));
        }
    }
    found
}

/// `limitt` may have been meant for the port around the algorithm.
fn unknown_parameter(key: &str, family: Family, algorithm: &str, schema: &Value) -> Diagnostic {
    let own = schema["properties"].as_object().into_iter().flatten().map(|(k, _)| k.as_str());
    let known: Vec<&str> = family.port_keys().iter().copied().chain(own).collect();
    let d = Diagnostic::new(format!("there is no parameter `{key}` in {algorithm}"));
    if known.is_empty() {
        d.fix(format!("{algorithm} takes no parameters"))
    } else {
        deser::suggest(d, key, &known)
    }
}

/// The error about a `node` that names no algorithm. `kind` is the value of its key `kind`, if it
/// has one.
fn unnamed(family: Family, kind: Option<&Node>, node: &Node) -> Diagnostic {
    let place = family.place_name();
    let cause = match (&node.kind, kind) {
        (Kind::Table(_), None) => format!("this table names no {place}: it has no `kind`"),
        (Kind::Table(_), Some(_)) => format!("a table names no {place}"),
        (Kind::List(_), _) => format!("a list names no {place}"),
        (Kind::Leaf(value), _) => format!("{value} names no {place}"),
    };
    let known = |name: &&str| family.alike().any(|f| f.find(name).is_some());
    let meant = node.items().iter().find_map(|item| item.as_str().filter(known));
    let first = || family.catalogue().first().map_or("name", |e| e.about.name);
    let example = meant.unwrap_or_else(|| if family.is_queue() { "drop_tail" } else { first() });
    Diagnostic::new(cause).at(node.place).fix(format!("write kind = \"{example}\""))
}

/// The catalogue's entry that `node` names.
pub fn named(
    family: Family,
    node: &Node,
    at: &[String],
    check: &mut Check,
) -> Option<KnownAlgorithm> {
    let kind = if node.as_str().is_some() { Some(node) } else { node.get("kind") };
    let name = match kind {
        Some(k) => k.as_str(),
        None if family == Family::Aqm && !node.entries().is_empty() => Some("drop_tail"),
        None => None,
    };
    let Some(name) = name else {
        check.error(unnamed(family, kind, kind.unwrap_or(node)).key(at));
        return None;
    };
    let found = family.known(name, &check.plugins);
    if found.is_none() {
        let place = kind.unwrap_or(node).place;
        check.error(diagnose(unknown(family, name, &check.plugins), node, at).at(place));
    }
    found
}

/// Reads a configuration by its own rules; after a fault the rest is read without it, so that
/// independent faults are reported together. A fault at a key that is no longer there only follows
/// from the first.
pub fn judge<T>(
    read: &dyn Fn(&Value) -> Result<T, Fault>,
    mut config: Map<String, Value>,
    node: &Node,
    at: &[String],
    check: &mut Check,
) -> Option<T> {
    for round in 0..AT_ONCE {
        let fault = match read(&Value::Object(config.clone())) {
            Ok(t) => return (round == 0).then_some(t),
            Err(fault) => fault,
        };
        let taken = fault_path(&fault.at).first().and_then(|key| config.shift_remove(key));
        if round == 0 || taken.is_some() {
            check.error(diagnose(fault, node, at));
        }
        taken?;
    }
    None
}

/// A fault of a configuration as a diagnostic: the path is relative to `node`, which stands at
/// `at`.
pub fn diagnose(fault: Fault, node: &Node, at: &[String]) -> Diagnostic {
    let inner = fault_path(&fault.at);
    let full: Path = at.iter().chain(&inner).cloned().collect();
    let place = if fault.cause.starts_with("there is no field") {
        node.key_place(&inner)
    } else {
        node.nearest_place(&inner)
    };
    let mut d = deser::plain(&fault.cause).at(place).key(&full);
    d.fix = fault.fix.or(d.fix);
    d
}

/// `"limit / 3"`, `"limit * 0.5"`, `"0.5 limit"`: a threshold that follows the buffer. `None`: not
/// of this form.
fn of_limit(
    node: &Node,
    property: &Value,
    schema: &Value,
    limit: Option<f64>,
) -> Result<Option<Value>, Diagnostic> {
    let Some((times, over)) = node.as_str().and_then(limit_factor) else { return Ok(None) };
    let unit = unit_of(property, schema);
    if !matches!(unit, "number of packets" | "buffer limit") {
        return Err(Diagnostic::new("only a number of packets can be written in terms of `limit`"));
    }
    match limit {
        Some(packets) => Ok(Some(format!("{} pkt", packets * times / over).into())),
        None => Err(Diagnostic::new("the queue has no limit that this could follow")
            .fix("write limit = \"36 pkt\" in the queue, or this threshold in packets")),
    }
}

/// The factor and the divisor of `limit`, if the text has one of the three forms.
pub fn limit_factor(text: &str) -> Option<(f64, f64)> {
    let text = text.trim();
    let number = |s: &str| s.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
    if let Some(rest) = text.strip_prefix("limit") {
        let rest = rest.trim();
        return match rest.chars().next() {
            None => Some((1.0, 1.0)),
            Some('/') => number(&rest[1..]).map(|x| (1.0, x)),
            Some('*') => number(&rest[1..]).map(|x| (x, 1.0)),
            _ => None,
        };
    }
    number(text.strip_suffix("limit")?.trim().trim_end_matches('*')).map(|x| (x, 1.0))
}

/// The `x-unit` of a property, through a reference if need be.
pub fn unit_of<'a>(property: &'a Value, schema: &'a Value) -> &'a str {
    let own = property["x-unit"].as_str();
    let options = property["anyOf"].as_array().map_or(&[][..], Vec::as_slice);
    let referred = std::iter::once(property).chain(options).find_map(|p| {
        let name = p["$ref"].as_str()?.strip_prefix("#/$defs/")?;
        schema["$defs"][name]["x-unit"].as_str()
    });
    own.or(referred).unwrap_or("")
}

/// The fault of a name that nobody has.
fn unknown(family: Family, name: &str, plugins: &Plugins) -> Fault {
    // A queue may be one that signals, or one of several: whoever misspells it meant either.
    let known: Vec<KnownAlgorithm> = family.alike().flat_map(|f| f.all(plugins)).collect();
    let names: Vec<&str> = known.iter().map(KnownAlgorithm::name).collect();
    let fault = Fault::at("kind", format!("there is no {} named `{name}`", family.place_name()));
    match nearest(name, &names) {
        Some(known) => fault.fix(format!("did you mean `{known}`?")),
        None => fault.fix(format!("known are {}", names.join(", "))),
    }
}
