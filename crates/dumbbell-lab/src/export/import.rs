//! Captures and traces of any origin, in numbers.
use crate::export::record_reader::usage;
use crate::files::regular;
use crate::formats::capture;
use crate::formats::connections::Connections;
use crate::formats::ns2::{self, Counts, Trace};
use crate::language::problem::{Diagnostic, Problem};
use crate::verb::Asked;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::io::{BufReader, Read};
use std::path::PathBuf;

/// A capture or a trace to be read.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaptureRequest {
    file: PathBuf,
}

impl Asked for CaptureRequest {}

/// First bytes of pcapng, and of pcap with micro- and nanoseconds in both orders.
const MAGIC: [[u8; 4]; 5] = [
    [0x0a, 0x0d, 0x0d, 0x0a],
    [0xd4, 0xc3, 0xb2, 0xa1],
    [0xa1, 0xb2, 0xc3, 0xd4],
    [0x4d, 0x3c, 0xb2, 0xa1],
    [0xa1, 0xb2, 0x3c, 0x4d],
];

/// Reads a capture (pcapng, pcap) or a trace of ns-2: TCP connections with packets, bytes,
/// repetitions, round-trip times and losses, or flows with packets and drops. A file that is cut or
/// damaged has `code` 1 and `damage`, with what stands before that place.
///
/// # Errors
/// Code 2: there is no such file.
pub fn read(options: &CaptureRequest) -> Result<Value, Problem> {
    let name = options.file.display().to_string();
    let cannot = |e: std::io::Error| {
        let d = Diagnostic::new(format!("{name} cannot be read: {e}"));
        usage(d.fix("name a capture (.pcapng, .pcap) or a trace of ns-2 (.tr)"))
    };
    let mut file = regular::open(&options.file).map_err(cannot)?;
    let mut head = Vec::new();
    file.by_ref().take(4).read_to_end(&mut head).map_err(cannot)?;
    let file = regular::open(&options.file).map_err(cannot)?;
    let (mut document, damage) = if matches!(head.first(), Some(b'+' | b'-' | b'r' | b'd' | b'#')) {
        let mut text = Vec::new();
        BufReader::new(file).read_to_end(&mut text).map_err(cannot)?;
        let (trace, damage) = ns2::read(&text);
        if trace.lines == 0 && damage.is_some() {
            return Err(neither(&name, "its first line is none of ns-2's"));
        }
        (trace_json(&trace), damage)
    } else if MAGIC.iter().any(|m| head == m) {
        let mut all = Connections::default();
        let damage = capture::read(BufReader::new(file), |p| all.take(p));
        (all.json(), damage)
    } else {
        let cause = if head.is_empty() { "it is empty" } else { "none begins like this" };
        return Err(neither(&name, cause));
    };
    document["file"] = json!(name);
    document["damage"] = damage.as_ref().map_or(Value::Null, |d| {
        let text = format!(
            "{name} is damaged at byte {}: {}; what stands before it was read",
            d.offset, d.cause
        );
        json!({ "offset_bytes": d.offset, "cause": d.cause, "text": text })
    });
    document["code"] = json!(i32::from(damage.is_some()));
    Ok(document)
}

/// A file that is something else.
fn neither(name: &str, cause: &str) -> Problem {
    let d = Diagnostic::new(format!("{name} is neither a capture nor a trace: {cause}"));
    usage(d.fix(
        "name a capture (pcapng, pcap) or a trace of ns-2; `dumbbell export` makes each of \
        a result",
    ))
}

fn trace_json(trace: &Trace) -> Value {
    let flows: Vec<Value> = trace
        .flows
        .iter()
        .map(|(fid, f)| {
            let some = |count: fn(&Counts) -> u64| -> Value {
                let counted = f.kinds.iter().map(|(kind, counts)| (kind.clone(), count(counts)));
                counted
                    .filter(|(_, n)| *n > 0)
                    .map(|(kind, n)| (kind, json!(n)))
                    .collect::<Map<_, _>>()
                    .into()
            };
            json!({
                "fid": fid,
                "sent_packets": some(|c| c.sent),
                "received_packets": some(|c| c.received),
                "received_bytes": some(|c| c.received_bytes),
                "dropped_packets": some(|c| c.dropped),
                "whole_way": f.kinds.values().all(|c| c.whole_way),
                "first_s": f.span.map(|s| s.0),
                "last_s": f.span.map(|s| s.1),
            })
        })
        .collect();
    json!({ "lines": trace.lines, "flows": flows })
}
