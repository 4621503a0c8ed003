//! Results as the files of other programs, and captures read back: here files are opened, in [`crate::formats`] they
//! are made and understood.
mod captures;
mod flents;
mod joined;
mod links;
mod live;
mod packets;
pub mod read;
mod records;
mod run;
mod sorter;
mod tables;
mod target;
mod traces;
mod view;
mod wire;

use crate::problem::{Check, Diagnostic, Problem, Texts, code};
use crate::typed::suggest;
use crate::{read as json_read, typed};
use dumbbell_plan::Plan;
use records::usage;
use run::Run;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use target::Target;

/// Formats that [`export`] writes.
pub const FORMATS: [&str; 6] = ["csv", "flent", "mahimahi", "ns2", "pcap", "pcapng"];

/// What is to be exported: `{"format", "result", "flow", "at", "departed", "snaplen", "table", "out"}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// One of [`FORMATS`].
    pub format: String,
    /// A directory that `--out` has made, of one run.
    pub result: PathBuf,
    /// Only this flow.
    pub flow: Option<String>,
    /// Where to look: `sender`, `receiver`, a host, a link.
    pub at: Option<String>,
    /// Of a link: what leaves it, not what comes to it.
    #[serde(default)]
    pub departed: bool,
    /// Bytes kept of each packet; everything without.
    pub snaplen: Option<u32>,
    /// Of `csv`: which table.
    pub table: Option<String>,
    /// The file; standard output without.
    pub out: Option<PathBuf>,
}

/// Reads a request of a door.
pub(crate) fn request<T: for<'d> Deserialize<'d>>(request: &Value) -> Result<T, Problem> {
    let (mut texts, mut check) = (Texts::default(), Check::default());
    let node = json_read::json(&mut texts, "<request>", request);
    typed::read(&node, &[], &mut check).ok_or_else(|| Problem::new(code::SCENARIO, &check.found, &texts))
}

/// Exports a run; see [`crate::door::export`].
pub fn export(asked: &Value) -> Result<Value, Problem> {
    let wish: Wish = request(asked)?;
    if !FORMATS.contains(&wish.format.as_str()) {
        let d = Diagnostic::new(format!("there is no export format `{}`", wish.format));
        return Err(usage(suggest(d, &wish.format, &FORMATS)));
    }
    applies(&wish)?;
    let run = Run::open(&wish.result)?;
    let mut out = Target::open(wish.out.as_deref())?;
    let mut done = match wish.format.as_str() {
        "csv" => tables::write(&run, &wish, &mut out),
        "flent" => flents::write(&run, &wish, &mut out),
        "mahimahi" => links::write(&run, &wish, &mut out),
        "ns2" => traces::write(&run, &wish, &mut out),
        "pcap" => captures::write(&run, &wish, true, &mut out),
        _ => captures::write(&run, &wish, false, &mut out),
    }?;
    done["format"] = json!(wish.format);
    done["out"] = json!(wish.out);
    done["bytes"] = json!(out.close()?);
    Ok(done)
}

/// An option that the format does not know is an error, not a silence.
fn applies(wish: &Wish) -> Result<(), Problem> {
    let captures = ["pcap", "pcapng"];
    let of = |given: bool, option: &str, formats: &[&str]| {
        if !given || formats.contains(&wish.format.as_str()) {
            return Ok(());
        }
        let d = Diagnostic::new(format!("{option} is of no use to the format `{}`", wish.format));
        Err(usage(d.fix(format!("leave it out; it is for {}", formats.join(", ")))))
    };
    of(wish.at.is_some(), "--at", &["pcap", "pcapng", "ns2", "mahimahi"])?;
    of(wish.departed, "--departed", &captures)?;
    of(wish.snaplen.is_some(), "--snaplen", &captures)?;
    of(wish.table.is_some(), "--table", &["csv"])
}

/// A name that is not a link's.
fn no_link(plan: &Plan, at: &str) -> Problem {
    let known: Vec<&str> = plan.links.iter().map(|l| l.name.as_str()).collect();
    usage(view::named(Diagnostic::new(format!("there is no link `{at}`")), at, &known))
}
