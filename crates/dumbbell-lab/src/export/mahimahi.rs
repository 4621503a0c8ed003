//! A link's departures as a trace of Mahimahi.
use super::Options;
use crate::export::capture_point::View;
use crate::export::output::Output;
use crate::export::packet_hops::PacketHops;
use crate::export::record_reader::usage;
use crate::export::result_dir::Run;
use crate::language::problem::{Diagnostic, Problem};
use crate::language::traces::mahimahi;
use dumbbell_core::units::Time;
use serde_json::{Value, json};
use std::io::Write;

/// Writes the trace of one link, counted from the start of the run. In memory are 16 bytes for each
/// packet.
///
/// # Errors
/// Code 2: there are no packets, no such flow or link, or fewer than 1500 bytes left; 3: a record
/// is damaged; 1: the file cannot be written.
pub fn write(run: &Run, options: &Options, out: &mut Output) -> Result<Value, Problem> {
    let packets = run.packets()?;
    let plan = packets.plan()?;
    let names = run.names(&plan, options.flow.as_deref())?;
    let all = names.wanted.iter().all(|w| *w);
    let Some(at) = &options.at else {
        let d = Diagnostic::new("a trace of Mahimahi is of one link: name the link");
        return Err(usage(d.fix("--at bottleneck")));
    };
    let View::Arrivals(link) = View::named(&plan, at, false)? else {
        return Err(super::no_link(&plan, at));
    };
    let mut journeys = PacketHops::new(&plan, names, packets, Some(run.hops()?), None);
    let mut departures: Vec<(Time, u32)> = Vec::new();
    while let Some(j) = journeys.next()? {
        let left = j.hops.iter().find(|h| h.link == link).and_then(|h| h.departed);
        let size = u32::try_from(j.packet.ip_len).unwrap_or(u32::MAX);
        departures.extend(left.map(|ps| (Time::from_ps(ps), size)));
    }
    departures.sort_by_key(|(t, _)| *t);
    let trace = mahimahi::from_departures(departures, Time::ZERO)
        .map_err(|e| usage(Diagnostic::new(format!("link `{at}`: {}", e.cause)).fix(e.fix)))?;
    let text = mahimahi::write(&trace);
    out.write_all(text.as_bytes()).map_err(|e| out.failed(&e))?;
    let notes: Vec<&str> = if all {
        Vec::new()
    } else {
        vec![
            "the trace is of the recorded flows \
        alone, not of all",
        ]
    };
    Ok(json!({ "opportunities": text.matches('\n').count(), "notes": notes }))
}
