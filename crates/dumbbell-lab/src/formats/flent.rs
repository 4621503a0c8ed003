//! Flent's data files (`.flent.gz`, format version 4): goodput of TCP flows as uploads of the test
//! `tcp_nup`, with their round-trip times and windows as the raw values that flent's own plots ask
//! for.
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The instant that simulated time is counted from, in flent's absolute times: 2000-01-01 00:00
/// UTC.
pub const T0: f64 = 946_684_800.0;
/// [`T0`] in flent's notation.
const T0_TEXT: &str = "2000-01-01T00:00:00.000000Z";

/// A row of a flow's series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Since the start, s.
    pub time_s: f64,
    /// Goodput since the row before.
    pub goodput_bps: Option<f64>,
    /// Smoothed round-trip time.
    pub srtt_us: Option<f64>,
    /// Congestion window.
    pub cwnd_packets: f64,
}

/// Properties of the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// The scenario and seed.
    pub title: String,
    /// Remarks: where the data come from.
    pub note: String,
    /// Dumbbell's version.
    pub version: String,
}

/// The document of flows, each with its name and points.
pub fn document(about: &About, flows: &[(String, Vec<Point>)]) -> Value {
    // Rows of one instant belong together; times are equal to the bit, as all flows are sampled by
    // one clock.
    let instants: BTreeMap<u64, f64> = flows
        .iter()
        .flat_map(|(_, points)| points)
        .map(|p| (p.time_s.to_bits(), p.time_s))
        .collect();
    let x: Vec<f64> = instants.values().copied().collect();
    let place: BTreeMap<u64, usize> = instants.keys().enumerate().map(|(i, t)| (*t, i)).collect();
    let mbit = |p: &Point| p.goodput_bps.map(|bps| bps / 1e6);
    let (mut results, mut raw, mut meta) = (Map::new(), Map::new(), Map::new());
    let mut columns: Vec<Vec<Option<f64>>> = Vec::new();
    for (i, (name, points)) in flows.iter().enumerate() {
        let mut column = vec![None; x.len()];
        points.iter().for_each(|p| column[place[&p.time_s.to_bits()]] = mbit(p));
        let series = format!("TCP upload::{}", i + 1);
        results.insert(series.clone(), json!(column));
        raw.insert(series.clone(), points.iter().map(|p| raw_value(p, mbit(p))).collect());
        let mean = mean(column.iter().flatten());
        meta.insert(series, json!({ "UNITS": "Mbits/s", "MEAN_VALUE": mean, "FLOW": name }));
        columns.push(column);
    }
    for (name, of) in
        [("sum", total as fn(&[f64]) -> f64), ("avg", average), ("fairness", fairness)]
    {
        let at = |i: usize| {
            let values: Vec<f64> = columns.iter().filter_map(|c| c[i]).collect();
            (!values.is_empty()).then(|| of(&values))
        };
        let series = format!("TCP upload {name}");
        results.insert(series.clone(), (0..x.len()).map(at).collect());
        meta.insert(series, json!({ "UNITS": if name == "fairness" { "Idx" } else { "Mbits/s" } }));
    }
    json!({
        "version": 4,
        "metadata": metadata(about, &x, flows.len(), meta),
        "x_values": x,
        "results": results,
        "raw_values": raw,
    })
}

fn raw_value(p: &Point, val: Option<f64>) -> Value {
    let mut value = json!({ "t": T0 + p.time_s, "tcp_cwnd": p.cwnd_packets });
    if let Some(val) = val {
        value["val"] = json!(val);
    }
    if let Some(us) = p.srtt_us {
        value["tcp_rtt"] = json!(us / 1e3);
    }
    value
}

fn metadata(about: &About, x: &[f64], streams: usize, series: Map<String, Value>) -> Value {
    let step = x.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min);
    let length = x.last().copied().unwrap_or(0.0);
    json!({
        "NAME": "tcp_nup",
        "TITLE": about.title,
        "NOTE": about.note,
        "HOST": "simulated",
        "HOSTS": ["simulated"],
        "LOCAL_HOST": "simulated",
        "REMOTE_HOSTS": {},
        "TIME": T0_TEXT,
        "T0": T0_TEXT,
        "LENGTH": length,
        "TOTAL_LENGTH": length,
        "STEP_SIZE": if step.is_finite() { step } else { length },
        "TEST_PARAMETERS": { "upload_streams": streams.to_string() },
        "FLENT_VERSION": format!("Dumbbell {}", about.version),
        "IP_VERSION": 4,
        "SERIES_META": series,
    })
}

fn total(values: &[f64]) -> f64 {
    values.iter().sum()
}
fn average(values: &[f64]) -> f64 {
    total(values) / values.len() as f64
}
/// Jain's index (R. Jain, D. Chiu, W. Hawe, DEC-TR-301, 1984); of nothing at all it is 1.
fn fairness(values: &[f64]) -> f64 {
    let squares: f64 = values.iter().map(|v| v * v).sum();
    if squares > 0.0 { total(values).powi(2) / (values.len() as f64 * squares) } else { 1.0 }
}
fn mean<'a>(values: impl Iterator<Item = &'a f64>) -> Option<f64> {
    let (n, sum) = values.fold((0u32, 0.0), |(n, sum), v| (n + 1, sum + v));
    (n > 0).then(|| sum / f64::from(n))
}

/// The document as a file: JSON, compressed, without the instant of its making, so that equal runs
/// give equal files.
///
/// # Errors
/// `out` cannot be written.
pub fn compress(document: &Value, out: impl Write) -> io::Result<()> {
    let mut gzip = flate2::GzBuilder::new().mtime(0).write(out, flate2::Compression::default());
    serde_json::to_writer(&mut gzip, document)?;
    gzip.finish().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_stand_side_by_side() {
        let p = |time_s: f64, mbps: f64| Point {
            time_s,
            goodput_bps: Some(mbps * 1e6),
            srtt_us: Some(40_000.0),
            cwnd_packets: 10.0,
        };
        let flows = [("a".into(), vec![p(0.5, 6.0), p(1.0, 2.0)]), ("b".into(), vec![p(1.0, 2.0)])];
        let d = document(&About::default(), &flows);
        assert_eq!(d["x_values"], json!([0.5, 1.0]));
        assert_eq!(d["results"]["TCP upload::2"], json!([null, 2.0]));
        assert_eq!(d["results"]["TCP upload sum"], json!([6.0, 4.0]));
        assert_eq!(d["results"]["TCP upload fairness"], json!([1.0, 1.0]));
        assert_eq!(d["raw_values"]["TCP upload::1"][0]["t"], json!(T0 + 0.5));
        assert_eq!(d["raw_values"]["TCP upload::1"][0]["tcp_rtt"], json!(40.0));
        assert_eq!(d["metadata"]["STEP_SIZE"], json!(0.5));
        assert_eq!(fairness(&[1.0, 3.0]), 0.8);
    }
}
