//! qlog (draft-ietf-quic-qlog-main-schema, version 0.3, as qvis reads it) of TCP senders. The
//! events are those of QUIC that TCP has, too; a packet's number is its place among what its end
//! sent. What only TCP has is below `tcp`, what only a simulation knows below `dumbbell`: readers
//! skip fields that they do not know.
use serde_json::{Map, Value, json};

/// The version of the format.
pub const VERSION: &str = "0.3";
/// Picoseconds in a millisecond, the unit of all times.
const PS_PER_MS: f64 = 1e9;
/// QUIC's type of a packet, which TCP has not.
const PACKET_TYPE: &str = "unknown";

/// A packet, sent or received by the end that the log is of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packet<'a> {
    /// Its number.
    pub number: u64,
    /// Bytes with headers.
    pub length: u64,
    /// Bytes without.
    pub payload: u64,
    /// TCP's flags as tcpdump writes them.
    pub flags: &'a str,
    /// Offset of its first byte; a stream's data begin at 1.
    pub seq: Option<u64>,
    /// The byte that it expects next.
    pub ack: Option<u64>,
    /// The window that it offers, bytes.
    pub window: u64,
    /// Options as tcpdump writes them.
    pub options: &'a str,
    /// True if its bytes were sent before.
    pub retransmit: bool,
}

/// What a sender knows of its path, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Metrics {
    /// Bytes.
    pub cwnd: Option<u64>,
    /// Bytes.
    pub ssthresh: Option<u64>,
    /// Bytes.
    pub in_flight: Option<u64>,
    /// Microseconds.
    pub srtt_us: Option<f64>,
}

/// The beginning of a file, up to its first trace.
pub fn begin(title: &str, description: &str) -> String {
    let head = json!({
        "qlog_version": VERSION,
        "qlog_format": "JSON",
        "title": title,
        "description": description,
    });
    open(&head, "traces")
}

/// The beginning of a flow's trace, up to its first event.
pub fn trace(flow: &str, host: &str) -> String {
    let head = json!({
        "title": flow,
        "vantage_point": { "name": host, "type": "client" },
        "common_fields": {
            "time_format": "relative",
            "reference_time": 0,
            "protocol_type": ["TCP"],
        },
    });
    open(&head, "events")
}

/// The end of a trace.
pub const TRACE_END: &str = "\n]}";
/// The end of a file.
pub const END: &str = "\n]}\n";

/// An object without its end, in a list of which it stands.
fn open(head: &Value, list: &str) -> String {
    let mut text = head.to_string();
    text.pop();
    text + &format!(",\"{list}\":[")
}

/// An event.
pub fn event(ps: u64, name: &str, data: &Value) -> String {
    json!({ "time": ms(ps), "name": name, "data": data }).to_string()
}

/// An instant, ms.
pub fn ms(ps: u64) -> f64 {
    ps as f64 / PS_PER_MS
}

/// The header of a packet.
pub fn header(number: u64) -> Value {
    json!({ "packet_type": PACKET_TYPE, "packet_number": number })
}

/// `packet_sent` of data.
pub fn sent(ps: u64, packet: &Packet<'_>) -> String {
    let mut data = about(packet);
    if let Some(seq) = packet.seq.filter(|_| packet.payload > 0) {
        data["frames"] = json!([{
            "frame_type": "stream",
            "stream_id": 0,
            "offset": seq.saturating_sub(1),
            "length": packet.payload,
        }]);
    }
    event(ps, "transport:packet_sent", &data)
}

/// `packet_received`, without its end: [`acknowledges`] follows.
pub fn received(ps: u64, packet: &Packet<'_>) -> String {
    let mut text = event(ps, "transport:packet_received", &about(packet));
    text.truncate(text.len() - 2);
    text
}

/// The end of `packet_received`: the packets that it is the first to acknowledge, in order.
pub fn acknowledges(numbers: &[u64]) -> String {
    if numbers.is_empty() {
        return "}}".into();
    }
    let mut ranges: Vec<[u64; 2]> = Vec::new();
    for number in numbers {
        match ranges.last_mut().filter(|r| r[1] + 1 == *number) {
            Some(range) => range[1] = *number,
            None => ranges.push([*number; 2]),
        }
    }
    format!(",\"frames\":{}}}}}", json!([{ "frame_type": "ack", "acked_ranges": ranges }]))
}

fn about(packet: &Packet<'_>) -> Value {
    let tcp = [
        ("flags", Some(json!(packet.flags))),
        ("seq", packet.seq.map(|n| json!(n))),
        ("ack", packet.ack.map(|n| json!(n))),
        ("window_bytes", Some(json!(packet.window))),
        ("options", (!packet.options.is_empty()).then(|| json!(packet.options))),
        ("retransmit", packet.retransmit.then(|| json!(true))),
    ];
    let tcp: Map<String, Value> =
        tcp.into_iter().filter_map(|(key, value)| Some((key.to_string(), value?))).collect();
    json!({
        "header": header(packet.number),
        "raw": { "length": packet.length, "payload_length": packet.payload },
        "tcp": tcp,
    })
}

/// `packet_lost`: the sender sends the bytes of packet `number` again. what: what the network did
/// with it. timeout: the sender's timer had expired.
pub fn lost(ps: u64, number: u64, timeout: bool, what: &Value) -> String {
    let mut data = json!({ "header": header(number) });
    if timeout {
        data["trigger"] = json!("pto_expired");
    }
    data["dumbbell"] = what.clone();
    event(ps, "recovery:packet_lost", &data)
}

/// `metrics_updated`.
pub fn metrics(ps: u64, m: &Metrics) -> String {
    let values = [
        ("congestion_window", m.cwnd.map(|n| json!(n))),
        ("ssthresh", m.ssthresh.map(|n| json!(n))),
        ("bytes_in_flight", m.in_flight.map(|n| json!(n))),
        ("smoothed_rtt", m.srtt_us.map(|us| json!(us / 1e3))),
    ];
    let data: Map<String, Value> =
        values.into_iter().filter_map(|(key, value)| Some((key.to_string(), value?))).collect();
    event(ps, "recovery:metrics_updated", &Value::Object(data))
}

/// `congestion_state_updated`: `open`, `recovery` or `loss`. cause: of the change, if it is known.
pub fn state(ps: u64, old: Option<&str>, new: &str, cause: Option<&str>) -> String {
    let mut data = Map::new();
    if let Some(old) = old {
        data.insert("old".into(), json!(old));
    }
    data.insert("new".into(), json!(new));
    if let Some(cause) = cause {
        data.insert("trigger".into(), json!(cause));
    }
    event(ps, "recovery:congestion_state_updated", &Value::Object(data))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acknowledged_packets_are_ranges() {
        assert_eq!(acknowledges(&[]), "}}");
        let text = acknowledges(&[1, 2, 3, 5, 8, 9]);
        assert!(text.contains("[[1,3],[5,5],[8,9]]"), "{text}");
    }

    #[test]
    fn an_event_is_a_whole_object() {
        let packet = Packet { number: 7, flags: ".", ack: Some(9), ..Packet::default() };
        let text = received(1_500_000_000, &packet) + &acknowledges(&[4]);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["time"], 1.5);
        assert_eq!(value["data"]["header"]["packet_number"], 7);
        assert_eq!(value["data"]["frames"][0]["acked_ranges"], json!([[4, 4]]));
        let file = begin("a", "b") + &trace("f", "h") + &text + TRACE_END + END;
        let file: Value = serde_json::from_str(&file).unwrap();
        assert_eq!(file["traces"][0]["events"][0], value);
    }
}
