//! The lines of Linux's `tc`, both ways: `tc qdisc add dev eth0 root red limit 30000 ...` as tables
//! of a scenario, and a link of a plan as lines of `tc`. Each conversion is explained in a
//! sentence; what one side cannot say is refused or noted by name.
//!
//! Written from the manual pages tc(8), tc-red(8), tc-codel(8) and the others named in each file,
//! and from what tc 6.1 sends to the kernel for given lines (the vectors of `tests/tc/sent.rs` in
//! the lab).
//!
//! A discipline of tc is one file and one line in [`KINDS`].
mod args;
mod discipline;
mod export_link;
mod line;
mod message;
pub mod qdisc;
mod units;
mod unsupported;

pub use message::{Message, message};

use crate::language::problem::{Check, Problem, Texts, code};
use args::Args;
use discipline::{ExportContext, ExportLog, ImportContext, Part};
use dumbbell_core::plugin::Plugins;
use dumbbell_plan::{Link, SharedBuffer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// A discipline of tc.
pub struct Kind {
    /// Its name in tc.
    name: &'static str,
    /// Converts its options to scenario tables. Errors go to the `check` of the arguments.
    import: fn(&mut Args<'_, '_>, &ImportContext) -> Part,
    /// The queue algorithms that it can express; none if it is not a queue.
    exports: &'static [&'static str],
    /// Its name and options for a queue of one of these algorithms, or `None` after an error.
    export: fn(&ExportContext<'_>, &mut ExportLog) -> Option<String>,
}

/// Every discipline that can be read or written: a new one is a file and a line here.
const KINDS: &[Kind] = &[
    qdisc::fifo::PFIFO,
    qdisc::fifo::BFIFO,
    qdisc::fifo::PFIFO_HEAD_DROP,
    qdisc::fifo::PFIFO_FAST,
    qdisc::red::RED,
    qdisc::codel::CODEL,
    qdisc::pie::PIE,
    qdisc::choke::CHOKE,
    qdisc::sfb::SFB,
    qdisc::sfq::SFQ,
    qdisc::fq_codel::FQ_CODEL,
    qdisc::fq_pie::FQ_PIE,
    qdisc::dualpi2::DUALPI2,
    qdisc::cake::CAKE,
    qdisc::tbf::TBF,
    qdisc::netem::NETEM,
];

/// Reads one line of tc, or several that hang below each other:
/// `{"queue", "conditioner", "impairment", "link", "toml", "explained"}`. The first four are tables
/// of a scenario (or null, an empty list, an empty table), `toml` is the same as text for a
/// dumbbell, `explained` a list of sentences.
///
/// # Errors
/// Code 2: every word that is unknown, misplaced or means what cannot be said here, with its
/// position.
pub fn import(text: &str) -> Result<Value, Problem> {
    let (mut texts, mut check) = (Texts::default(), Check::default());
    let id = texts.add("tc", text);
    let parts = line::read(text, id, &mut check);
    let whole = discipline::DeviceModel::of(parts, &mut texts, &mut check);
    if !check.ok() {
        return Err(Problem::new(code::SCENARIO, &check.found, &texts));
    }
    Ok(whole.json())
}

/// Lines of tc.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportRequest {
    /// The lines.
    pub text: String,
}

/// A link to write as lines of tc.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    /// A link of a plan.
    #[schemars(with = "Value")]
    link: Link,
    /// The device.
    #[serde(default = "eth0")]
    dev: String,
    /// Only the queue: the device itself has the link's rate and delay.
    #[serde(default)]
    queue_only: bool,
    /// The buffer of a plan that the queue shares with others.
    #[serde(default)]
    #[schemars(with = "Option<Value>")]
    shared_buffer: Option<SharedBuffer>,
}

fn eth0() -> String {
    "eth0".into()
}

/// Writes a link of a plan, `{"link", "dev", "queue_only", "shared_buffer"}`, as `{"lines",
/// "explained"}`. Plugins are asked for the reason why tc has no words for them.
///
/// # Errors
/// Code 2: the request, or what tc has no words for, by name.
pub fn export(request: &Value, plugins: &Plugins) -> Result<Value, Problem> {
    let texts = Texts::default();
    let mut log = ExportLog::default();
    if let Some(kind) = request["link"]["service"]["kind"].as_str() {
        log.refuse(
            format!("tc has no rate that changes as `{kind}` does"),
            "take the service of \
            the link out",
        );
    }
    let lines = match serde_json::from_value::<ExportRequest>(request.clone()) {
        Ok(r) if export_link::plain(&r.dev) => {
            if let Some(buffer) = &r.shared_buffer {
                export_link::refuse_sharing(&r.link, buffer, &mut log);
            }
            export_link::lines(&r.link, &r.dev, r.queue_only, plugins, &mut log)
        }
        Ok(r) => {
            log.refuse(
                format!("`{}` is not a device name", r.dev),
                "write one word, such as \
                eth0",
            );
            Vec::new()
        }
        Err(e) => {
            log.refuse(
                format!("this is not a link of a plan: {e}"),
                "take one of `dumbbell show \
                --json`",
            );
            Vec::new()
        }
    };
    if !log.check.ok() {
        return Err(Problem::new(code::SCENARIO, &log.check.found, &texts));
    }
    Ok(json!({ "lines": lines, "explained": log.explained }))
}

/// The queue of a link for the kernel, from the root down, with the sentences that explain it. The
/// device behind it is to send at the link's rate.
///
/// # Errors
/// Code 2: what tc has no words for, by name.
pub fn messages(link: &Link, plugins: &Plugins) -> Result<(Vec<Message>, Vec<String>), Problem> {
    let mut log = ExportLog::default();
    let chain = export_link::chain(link, true, plugins, &mut log);
    let made: Vec<Option<Message>> = chain.iter().map(|words| message(words)).collect();
    if let Some(place) = made.iter().position(Option::is_none).filter(|_| log.check.ok()) {
        let kind = chain[place].split(' ').next().unwrap_or_default();
        log.refuse(
            format!("no message to the kernel is known for tc's {kind}"),
            "choose another queue",
        );
    }
    if !log.check.ok() {
        return Err(Problem::new(code::SCENARIO, &log.check.found, &Texts::default()));
    }
    Ok((made.into_iter().flatten().collect(), log.explained))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::lookup::Family;
    use dumbbell_core::catalogue::Kernel;

    /// The page of a queue names the discipline of tc that writes it, and says so of no other.
    #[test]
    fn a_queue_is_written_as_the_discipline_that_its_page_names() {
        for entry in Family::Aqm.alike().flat_map(Family::catalogue) {
            let written = KINDS.iter().find(|k| k.exports.contains(&entry.about.name));
            let said = match entry.about.kernel {
                Kernel::Has { name, .. } => Some(name),
                _ => None,
            };
            assert_eq!(written.map(|k| k.name), said, "{}", entry.about.name);
        }
    }
}
