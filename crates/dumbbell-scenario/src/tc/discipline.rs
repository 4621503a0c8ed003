//! The meaning of disciplines in a scenario, one by one and together.
use crate::language::lookup::{Family, resolve};
use crate::language::node::path;
use crate::language::problem::{Check, Diagnostic, Texts};
use crate::language::read;
use dumbbell_core::units::{Bytes, Capacity, Rate, Span};
use dumbbell_plan::Spec;
use serde_json::{Map, Value, json};

/// A table of a scenario.
pub type Table = Map<String, Value>;

/// The meaning of one discipline of tc in a scenario.
#[derive(Default)]
pub struct Part {
    /// The queue, if it is one.
    pub queue: Option<Table>,
    /// The conditioner before the queue.
    pub conditioner: Option<Table>,
    /// The impairments of the wire.
    pub impairment: Vec<Table>,
    /// The rate of the link.
    pub rate: Option<Rate>,
    /// The delay of the link.
    pub delay: Option<Span>,
    /// Sentences.
    pub explained: Vec<String>,
}

impl Part {
    /// Adds a sentence to the explanation.
    pub fn explain(&mut self, sentence: impl Into<String>) {
        self.explained.push(sentence.into());
    }
}

/// A table from its keys and values.
pub fn table<const N: usize>(entries: [(&str, Value); N]) -> Table {
    entries.into_iter().map(|(k, v)| (k.to_string(), v)).collect()
}

/// The parents and children of a discipline that is imported.
#[derive(Default)]
pub struct ImportContext {
    /// True if it has a child discipline.
    pub child: bool,
    /// The rate of the link, if a parent discipline sets it.
    pub rate: Option<Rate>,
}

/// The queue that a discipline exports, and its surroundings.
pub struct ExportContext<'a> {
    /// The queue's algorithm.
    pub aqm: &'a Spec,
    /// Its limit.
    pub capacity: Capacity,
    /// Largest packet, bytes.
    pub mtu: u32,
    /// The link's rate.
    pub rate: Rate,
    /// The link's delay.
    pub delay: Span,
}

/// Collects what is said about lines for tc, and what cannot be said in them.
#[derive(Default)]
pub struct ExportLog {
    /// Sentences.
    pub explained: Vec<String>,
    /// Properties that tc cannot express.
    pub check: Check,
}

impl ExportLog {
    /// Adds a sentence to the explanation.
    pub fn explain(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !self.explained.contains(&sentence) {
            self.explained.push(sentence);
        }
    }
    /// One more error.
    pub fn refuse(&mut self, cause: impl Into<String>, fix: impl Into<String>) {
        self.check.error(Diagnostic::new(cause).fix(fix));
    }
}

/// All disciplines of a device together.
pub struct DeviceModel(Part);

impl DeviceModel {
    /// Lays the parts together and has the catalogue judge them.
    pub fn of(parts: Vec<Part>, texts: &mut Texts, check: &mut Check) -> DeviceModel {
        let mut whole = Part::default();
        let several = parts.len() > 1;
        for part in parts {
            if part.rate.is_some() && whole.rate.is_some() {
                let d = Diagnostic::new(
                    "two of these disciplines shape, and a link here has one \
                    rate",
                );
                check.error(d.fix("keep the slower one"));
            }
            let clash = part.delay.is_some() && whole.delay.is_some();
            if clash || (part.conditioner.is_some() && whole.conditioner.is_some()) {
                check.error(Diagnostic::new("two of these disciplines delay").fix(
                    "keep one of \
                    them",
                ));
            }
            whole.queue = part.queue.or(whole.queue);
            whole.conditioner = part.conditioner.or(whole.conditioner);
            whole.impairment.extend(part.impairment);
            whole.rate = part.rate.or(whole.rate);
            whole.delay = part.delay.or(whole.delay);
            whole.explained.extend(part.explained);
        }
        if several
            && (whole.delay.is_some() || !whole.impairment.is_empty())
            && whole.queue.is_some()
        {
            let order = "in tc each packet passes the disciplines from the root down; a link here \
                has its queue first, then its transmitter, then loss and delay on the wire";
            whole.explain(order);
        }
        judge(&whole, texts, check);
        DeviceModel(whole)
    }

    /// The document of [`super::import`].
    pub fn json(&self) -> Value {
        let p = &self.0;
        json!({
            "queue": p.queue,
            "conditioner": p.conditioner,
            "impairment": p.impairment,
            "link": self.link(),
            "toml": self.toml(),
            "explained": p.explained,
        })
    }

    fn link(&self) -> Table {
        let rate = self.0.rate.map(|r| ("rate".to_string(), json!(r)));
        rate.into_iter().chain(self.0.delay.map(|d| ("delay".to_string(), json!(d)))).collect()
    }

    /// The tables as they stand in a scenario with a dumbbell.
    fn toml(&self) -> String {
        let mut out = String::new();
        if let Some(queue) = &self.0.queue {
            out.push_str("[queue]\n");
            push(&mut out, queue);
        }
        let mut wire = self.link();
        wire.extend(self.0.conditioner.iter().map(|c| ("conditioner".to_string(), json!(c))));
        if !self.0.impairment.is_empty() {
            wire.insert("impairment".into(), json!(self.0.impairment));
        }
        if !wire.is_empty() {
            out.push_str(if out.is_empty() { "" } else { "\n" });
            out.push_str("[dumbbell.bottleneck]\n");
            push(&mut out, &wire);
        }
        out
    }
}

fn push(out: &mut String, table: &Table) {
    for (key, value) in table {
        out.push_str(&format!("{key} = {}\n", inline(value)));
    }
}

/// A value in TOML; strings here have nothing in them that TOML escapes otherwise than JSON.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let entries: Vec<String> =
                table.iter().map(|(k, v)| format!("{k} = {}", inline(v))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        leaf => leaf.to_string(),
    }
}

/// Reads what was made as a scenario would, so that nothing is given out that a scenario refuses.
fn judge(whole: &Part, texts: &mut Texts, check: &mut Check) {
    if !check.ok() {
        return;
    }
    let queue = whole.queue.iter().map(|t| (Family::Qdisc, "queue", t));
    let conditioner = whole.conditioner.iter().map(|t| (Family::Conditioner, "conditioner", t));
    let impairment = whole.impairment.iter().map(|t| (Family::Impairment, "impairment", t));
    for (family, name, table) in queue.chain(conditioner).chain(impairment) {
        let node = read::json(texts, name, &json!(table));
        let family = if family.is_queue() { Family::of_queue(&node) } else { family };
        resolve(family, &node, &path(&[name]), None, check);
    }
}

/// A number of bytes as a sentence needs it.
pub fn in_packets(bytes: Bytes, size: Bytes) -> f64 {
    bytes.0 as f64 / size.0 as f64
}
