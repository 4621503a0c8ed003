//! `.flent.gz` of a run's series.
use super::Options;
use crate::export::output::Output;
use crate::export::record_reader::usage;
use crate::export::result_dir::Run;
use crate::formats::flent::{self, About, Point};
use crate::language::deser::suggest;
use crate::language::problem::{Diagnostic, Problem};
use arrow_array::{Array, Float64Array};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Writes a flent data file.
///
/// # Errors
/// Code 2: there is no series, no such flow, no TCP flow; 3: the series is damaged; 1: the file
/// cannot be written.
pub fn write(run: &Run, options: &Options, out: &mut Output) -> Result<Value, Problem> {
    let mut record = run.record("flows")?;
    let about = About {
        title: format!(
            "{}, seed {}",
            record.about("dumbbell.scenario"),
            record.about("dumbbell.seed")
        ),
        note: format!("a simulation; fingerprint {}", record.about("dumbbell.fingerprint")),
        version: record.about("dumbbell.version").into(),
    };
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut flows: Vec<(String, Vec<Point>)> = Vec::new();
    while let Some(rows) = record.next()? {
        let (names, time) = (rows.words("flow")?, rows.reals("time_s")?);
        let (goodput, srtt, cwnd) =
            (rows.reals("goodput_bps")?, rows.reals("srtt_us")?, rows.reals("cwnd_packets")?);
        let real = |a: &Float64Array, row: usize| a.is_valid(row).then(|| a.value(row));
        for row in 0..rows.len() {
            let name = names.get(row).unwrap_or_default();
            let i = places.get(name).copied().unwrap_or_else(|| {
                places.insert(name.into(), flows.len());
                flows.push((name.into(), Vec::new()));
                flows.len() - 1
            });
            flows[i].1.push(Point {
                time_s: time.value(row),
                goodput_bps: real(goodput, row),
                srtt_us: real(srtt, row),
                cwnd_packets: real(cwnd, row).unwrap_or(0.0),
            });
        }
    }
    if let Some(name) = &options.flow {
        let known: Vec<&str> = flows.iter().map(|(n, _)| n.as_str()).collect();
        if !known.contains(&name.as_str()) {
            return Err(usage(suggest(
                Diagnostic::new(format!("there is no flow `{name}`")),
                name,
                &known,
            )));
        }
        flows.retain(|(n, _)| n == name);
    }
    let before = flows.len();
    // A datagram sender has no window, ever; flent's test is one of TCP.
    flows.retain(|(_, points)| points.iter().any(|p| p.cwnd_packets > 0.0));
    if flows.is_empty() {
        let d = Diagnostic::new("there is no TCP flow to export");
        return Err(usage(d.fix("flent's test `tcp_nup` is of TCP; export UDP flows with `csv`")));
    }
    let written = flent::compress(&flent::document(&about, &flows), &mut *out);
    written.map_err(|e| out.failed(&e))?;
    let left = before - flows.len();
    let notes: Vec<String> = (left > 0)
        .then(|| format!("{left} of the flows are UDP and left out"))
        .into_iter()
        .collect();
    Ok(json!({ "series": flows.len(), "notes": notes }))
}
