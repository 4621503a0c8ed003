//! The parser: it reads a tree, because keys come and go with versions, and some appear twice.
use super::{Amount, Cpu, Interval, Outcome, ParseError, Stream};
use serde_json::{Deserializer, Value};

/// Microseconds, in which it counts round trips.
const MICRO: f64 = 1e-6;

pub(crate) fn outcome(text: &str) -> Result<Outcome, ParseError> {
    let mut documents = Deserializer::from_str(text).into_iter::<Value>();
    let document = match documents.next() {
        None => return Err(ParseError::Empty),
        Some(Err(e)) => return Err(ParseError::Syntax { line: e.line(), cause: e.to_string() }),
        Some(Ok(document)) => document,
    };
    if document.get("event").is_some() {
        return Err(ParseError::Events);
    }
    match documents.next() {
        None => {}
        Some(Ok(_)) => return Err(ParseError::Several),
        Some(Err(e)) => return Err(ParseError::Syntax { line: e.line(), cause: e.to_string() }),
    }
    let (start, end) = (&document["start"], &document["end"]);
    if !start.is_object() || !end.is_object() {
        return Err(ParseError::Foreign);
    }
    let word = |value: &Value| value.as_str().map(str::to_owned);
    let version = word(&start["version"]).unwrap_or_default();
    Ok(Outcome {
        version: version.trim_start_matches("iperf ").to_owned(),
        protocol: word(&start["test_start"]["protocol"]).unwrap_or_default(),
        congestion_control: word(&end["sender_tcp_congestion"]),
        error: word(&document["error"]),
        streams: items(&end["streams"])
            .iter()
            .map(|s| stream(s, start, &document["intervals"]))
            .collect(),
        cpu: cpu(&end["cpu_utilization_percent"]),
    })
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A count. Some versions write counts as floating-point numbers.
fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|v| *v >= 0.0).map(|v| v as u64))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

fn cpu(value: &Value) -> Option<Cpu> {
    let local_percent = value["host_total"].as_f64()?;
    Some(Cpu { local_percent, remote_percent: value["remote_total"].as_f64().filter(|p| *p > 0.0) })
}

fn amount(value: &Value) -> Option<Amount> {
    // `seconds` of the other end is this end's time; its own is from start to end.
    let seconds = number(&value["end"]) - number(&value["start"]);
    Some(Amount { bytes: count(&value["bytes"])?, seconds, bps: number(&value["bits_per_second"]) })
}

/// The other end's amount; `None` if it is 0 while this end has something: it was not told.
fn if_known(other: Option<Amount>, own: Option<Amount>) -> Option<Amount> {
    other.filter(|o| o.bytes > 0 || own.is_none_or(|own| own.bytes == 0))
}

fn stream(value: &Value, start: &Value, intervals: &Value) -> Stream {
    match value.get("udp") {
        Some(udp) => datagrams(udp, start, intervals),
        None => connection(&value["sender"], &value["receiver"], start, intervals),
    }
}

/// A stream without its figures.
fn blank(socket: u64, sends: bool, start: &Value, intervals: &Value) -> Stream {
    let connected = items(&start["connected"]).iter().find(|c| count(&c["socket"]) == Some(socket));
    let port = |key: &str| {
        connected.and_then(|c| count(&c[key])).and_then(|p| u16::try_from(p).ok()).unwrap_or(0)
    };
    let own = |i: &&Value| count(&i["socket"]) == Some(socket);
    let intervals = items(intervals)
        .iter()
        .flat_map(|i| items(&i["streams"]))
        .filter(own)
        .map(interval)
        .collect();
    Stream {
        socket,
        local_port: port("local_port"),
        remote_port: port("remote_port"),
        sends,
        sent: None,
        received: None,
        retransmits: None,
        cwnd_max_bytes: None,
        rtt_mean_s: None,
        rtt_min_s: None,
        rtt_max_s: None,
        packets: None,
        lost_packets: None,
        jitter_s: None,
        intervals,
    }
}

fn interval(value: &Value) -> Interval {
    Interval {
        start_s: number(&value["start"]),
        end_s: number(&value["end"]),
        bytes: count(&value["bytes"]).unwrap_or(0),
        bps: number(&value["bits_per_second"]),
        retransmits: count(&value["retransmits"]),
        cwnd_bytes: count(&value["snd_cwnd"]),
        rtt_s: value["rtt"].as_f64().map(|us| us * MICRO),
        lost_packets: count(&value["lost_packets"]),
        omitted: value["omitted"].as_bool().unwrap_or(false),
    }
}

fn connection(sender: &Value, receiver: &Value, start: &Value, intervals: &Value) -> Stream {
    let socket = count(&sender["socket"]).unwrap_or(0);
    let sends = sender["sender"].as_bool().unwrap_or(true);
    let (sent, received) = (amount(sender), amount(receiver));
    let (sent, received) =
        if sends { (sent, if_known(received, sent)) } else { (if_known(sent, received), received) };
    // Of the sender's kernel, so of this end alone: the other's are 0, or what this end's socket
    // says.
    let own = |key: &str| if sends { sender[key].as_f64() } else { None };
    Stream {
        sent,
        received,
        retransmits: sent.and(count(&sender["retransmits"])),
        cwnd_max_bytes: own("max_snd_cwnd").map(|v| v as u64),
        rtt_mean_s: own("mean_rtt").map(|us| us * MICRO),
        rtt_min_s: own("min_rtt").map(|us| us * MICRO),
        rtt_max_s: own("max_rtt").map(|us| us * MICRO),
        ..blank(socket, sends, start, intervals)
    }
}

fn datagrams(udp: &Value, start: &Value, intervals: &Value) -> Stream {
    let sends = udp["sender"].as_bool().unwrap_or(true);
    let stream = blank(count(&udp["socket"]).unwrap_or(0), sends, start, intervals);
    let (packets, lost_packets) = (count(&udp["packets"]), count(&udp["lost_packets"]));
    // Its bytes are those that were sent, also where it receives; 0 where it does not know.
    let sent = amount(udp).filter(|a| sends || a.bytes > 0);
    let received =
        if sends { arrived(sent, packets, lost_packets) } else { reported(&stream.intervals) };
    let jitter_s = udp["jitter_ms"].as_f64().map(|ms| ms * 1e-3);
    // A sender that was told nothing says 0 of jitter too, which no run has.
    let if_known = !sends || jitter_s.is_some_and(|j| j > 0.0);
    Stream {
        sent,
        received: received.filter(|_| if_known),
        packets,
        lost_packets: lost_packets.filter(|_| if_known),
        jitter_s: jitter_s.filter(|_| if_known),
        ..stream
    }
}

/// The amount that the other end received, of datagrams of one size.
fn arrived(sent: Option<Amount>, packets: Option<u64>, lost: Option<u64>) -> Option<Amount> {
    let (sent, packets, lost) = (sent?, packets?, lost?);
    let share = packets.saturating_sub(lost) as f64 / packets.max(1) as f64;
    let bytes = (sent.bytes as f64 * share).round() as u64;
    Some(Amount { bytes, seconds: sent.seconds, bps: sent.bps * share })
}

/// The sum of the interval reports.
fn reported(intervals: &[Interval]) -> Option<Amount> {
    let counted: Vec<&Interval> = intervals.iter().filter(|i| !i.omitted).collect();
    let seconds = counted.last()?.end_s - counted.first()?.start_s;
    let bytes = counted.iter().map(|i| i.bytes).sum();
    Some(Amount {
        bytes,
        seconds,
        bps: if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 },
    })
}
