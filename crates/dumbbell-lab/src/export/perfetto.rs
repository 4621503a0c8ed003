//! A run as a trace for Perfetto: its series as counters, the stay of each packet in a queue as a
//! slice, drops, marks, reactions and repetitions as instants, and an arrow from a drop to the
//! packet that repeats its bytes.
mod decisions;
mod draft;
mod packets;
mod series;
mod trace;
mod tracks;

use super::Options;
use crate::export::output::Output;
use crate::export::packet_rows::Names;
use crate::export::record_reader::{Record, usage};
use crate::export::result_dir::Run;
use crate::formats::perfetto::{Kind, Value};
use crate::language::deser::suggest;
use crate::language::problem::{Diagnostic, Problem};
use draft::Draft;
use dumbbell_plan::Plan;
use serde_json::{Value as Json, json};

/// The records that a trace has, as far as they were made.
const RECORDS: [&str; 4] = ["flows", "queues", "signals", "packets"];
/// What each file says of its run, which the trace repeats.
const ABOUT: [&str; 5] = ["scenario", "seed", "overrides", "fingerprint", "version"];

/// Writes a trace of what was recorded.
///
/// # Errors
/// Code 2: nothing was recorded, or there is no such flow; 3: a record is damaged; 1: the file
/// cannot be written.
pub fn write(run: &Run, options: &Options, out: &mut Output) -> Result<Json, Problem> {
    let [flows, queues, signals, packets] = RECORDS.map(|name| run.optional(name));
    let (flows, queues, signals, packets) = (flows?, queues?, signals?, packets?);
    let Some(about) = [&flows, &queues, &signals, &packets].into_iter().flatten().next() else {
        return Err(run.record(RECORDS[0]).err().unwrap_or_else(|| nothing(run)));
    };
    let about = ABOUT.map(|key| (key, about.about(&format!("dumbbell.{key}")).to_string()));
    let plan = packets.as_ref().map(Record::plan).transpose()?;
    let only = options.flow.as_deref();
    let mut draft = Draft::new(plan.as_ref());
    let fail = |e| out.failed(&e);
    head(&mut draft, about);
    let mut known = Vec::new();
    if let Some(record) = flows {
        known = series::flows(record, only, &mut draft, &fail)?;
    }
    if let Some(record) = queues {
        series::queues(record, plan.as_ref(), &mut draft, &fail)?;
    }
    if let Some(record) = signals {
        decisions::signals(record, (plan.as_ref(), only), &mut draft, &fail)?;
    }
    if let Some(record) = run.optional("reactions")? {
        decisions::reactions(record, only, &mut draft, &fail)?;
    }
    let mut notes = Vec::new();
    match (packets, &plan) {
        (Some(record), Some(plan)) => {
            known.extend(plan.flows.iter().map(|f| f.name.clone()));
            let names = wanted(plan, only);
            packets::packets(record, run.optional("hops")?, (plan, names), &mut draft, &fail)?;
        }
        _ => notes.push("packets were not recorded: the trace has no slices and no arrows"),
    }
    if let Some(name) = only.filter(|name| !known.iter().any(|k| k == name)) {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let d = Diagnostic::new(format!("there is no flow `{name}`"));
        return Err(usage(suggest(d, name, &known)));
    }
    let (events, tracks) = trace::write(draft, out).map_err(|e| out.failed(&e))?;
    Ok(json!({ "events": events, "tracks": tracks, "notes": notes }))
}

fn nothing(run: &Run) -> Problem {
    usage(Diagnostic::new(format!("{} has no records", run.path().display())))
}

/// The names of a plan, where only recorded flows are wanted, or one of them.
fn wanted(plan: &Plan, only: Option<&str>) -> Names {
    let chosen = |(i, flow): (usize, &dumbbell_plan::Flow)| {
        plan.record.packets.contains(&i) && only.is_none_or(|name| name == flow.name)
    };
    Names::new(plan, plan.flows.iter().enumerate().map(chosen).collect())
}

/// The group of the run, with an instant at its start that says which run it is.
fn head(draft: &mut Draft<'_>, about: [(&str, String); 5]) {
    let track = draft.tracks.run(&about[0].1);
    let mut start = draft.names.event(Kind::Instant, "start");
    start.track_uuid = Some(track);
    start.debug_annotations = about
        .into_iter()
        .map(|(key, text)| draft.names.annotation(key, Value::Text(text)))
        .collect();
    draft.start.push(start);
}
