//! Results as the files of other programs, and captures read back: here files are opened, in
//! [`crate::formats`] they are made and understood.
mod capture_point;
mod csv;
mod external_sort;
mod flent;
pub mod import;
mod live_pcap;
mod mahimahi;
mod ns2;
mod output;
mod outstanding;
mod packet_bytes;
mod packet_hops;
mod packet_rows;
mod pcap;
mod perfetto;
mod qlog;
mod record_reader;
mod result_dir;

use crate::language::deser::suggest;
use crate::language::problem::{Diagnostic, Problem};
use crate::verb::Asked;
use dumbbell_plan::Plan;
use output::Output;
use record_reader::usage;
use result_dir::Run;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Formats that [`export`] writes.
pub const FORMATS: [&str; 8] =
    ["csv", "flent", "mahimahi", "ns2", "pcap", "pcapng", "perfetto", "qlog"];

/// The request of an export.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// One of [`FORMATS`].
    pub format: String,
    /// A directory that `--out` has made, of one run.
    pub result: PathBuf,
    /// Only this flow.
    pub flow: Option<String>,
    /// The capture point: `sender`, `receiver`, a host, a link.
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

impl Asked for Options {}

/// Writes a run's records in a format of [`FORMATS`]: the answer has `format`, `out`, `bytes`,
/// `notes`, and what was counted: `packets` and `interfaces`, `lines`, `rows`, `series`, `events`
/// and `tracks`. A file appears whole or not at all.
///
/// # Errors
/// Code 2: no such format, result, flow, place or table, or nothing recorded for it; 3: a record is
/// damaged; 1: the file cannot be written.
pub fn export(options: &Options) -> Result<Value, Problem> {
    if !FORMATS.contains(&options.format.as_str()) {
        let d = Diagnostic::new(format!("there is no export format `{}`", options.format));
        return Err(usage(suggest(d, &options.format, &FORMATS)));
    }
    applies(options)?;
    let run = Run::open(&options.result)?;
    let mut out = Output::open(options.out.as_deref())?;
    let mut done = match options.format.as_str() {
        "csv" => csv::write(&run, options, &mut out),
        "flent" => flent::write(&run, options, &mut out),
        "mahimahi" => mahimahi::write(&run, options, &mut out),
        "ns2" => ns2::write(&run, options, &mut out),
        "perfetto" => perfetto::write(&run, options, &mut out),
        "qlog" => qlog::write(&run, options, &mut out),
        format => {
            let classic = format == "pcap";
            match run.log() {
                Some(log) => live_pcap::write(&run, &log, options, classic, &mut out),
                None => pcap::write(&run, options, classic, &mut out),
            }
        }
    }?;
    done["format"] = json!(options.format);
    done["out"] = json!(options.out);
    done["bytes"] = json!(out.close()?);
    Ok(done)
}

/// An option that the format does not know is an error, not a silence.
fn applies(options: &Options) -> Result<(), Problem> {
    let captures = ["pcap", "pcapng"];
    let of = |given: bool, option: &str, formats: &[&str]| {
        if !given || formats.contains(&options.format.as_str()) {
            return Ok(());
        }
        let d =
            Diagnostic::new(format!("{option} does not apply to the format `{}`", options.format));
        Err(usage(d.fix(format!("leave it out; it is for {}", formats.join(", ")))))
    };
    of(options.at.is_some(), "--at", &["pcap", "pcapng", "ns2", "mahimahi"])?;
    of(options.departed, "--departed", &captures)?;
    of(options.snaplen.is_some(), "--snaplen", &captures)?;
    of(options.table.is_some(), "--table", &["csv"])
}

/// A name that is not a link's.
fn no_link(plan: &Plan, at: &str) -> Problem {
    let known: Vec<&str> = plan.links.iter().map(|l| l.name.as_str()).collect();
    usage(capture_point::named(Diagnostic::new(format!("there is no link `{at}`")), at, &known))
}
