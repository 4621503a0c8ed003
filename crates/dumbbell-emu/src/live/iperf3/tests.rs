//! Tests with recordings of iperf3 3.12 over a loopback device.
use super::*;
use proptest::prelude::*;
use serde_json::Value;

macro_rules! recording {
    ($name:literal) => {
        include_str!(concat!("../../../tests/iperf3/", $name, ".json"))
    };
}

const ALL: [&str; 10] = [
    recording!("tcp-client"),
    recording!("tcp-server"),
    recording!("tcp-reverse-client"),
    recording!("bidir-client"),
    recording!("udp-client"),
    recording!("udp-server"),
    recording!("udp-reverse-client"),
    recording!("interrupted-client"),
    recording!("killed-server"),
    recording!("refused-client"),
];

/// A total that iperf3 made itself.
fn total(text: &str, key: &str) -> u64 {
    serde_json::from_str::<Value>(text).unwrap()["end"][key]["bytes"].as_u64().unwrap()
}

fn sum(outcome: &Outcome, of: impl Fn(&Stream) -> Option<Amount>) -> u64 {
    outcome.streams.iter().map(|s| of(s).unwrap().bytes).sum()
}

#[test]
fn a_client_of_two_streams() {
    let text = recording!("tcp-client");
    let run = read(text).unwrap();
    assert_eq!((run.version.as_str(), run.protocol.as_str()), ("3.12", "TCP"));
    assert_eq!((run.congestion_control.as_deref(), &run.error), (Some("reno"), &None));
    assert_eq!(run.streams.len(), 2);
    assert_eq!(sum(&run, |s| s.sent), total(text, "sum_sent"));
    assert_eq!(sum(&run, |s| s.received), total(text, "sum_received"));
    for s in &run.streams {
        assert!(s.sends);
        assert_eq!(s.intervals.iter().map(|i| i.bytes).sum::<u64>(), s.sent.unwrap().bytes);
        let of = s.sent.unwrap();
        assert!((of.bytes as f64 * 8.0 / of.seconds / of.bps - 1.0).abs() < 1e-6, "{of:?}");
        let of = s.received.unwrap();
        assert!((of.bytes as f64 * 8.0 / of.seconds / of.bps - 1.0).abs() < 1e-6, "{of:?}");
    }
    let first = &run.streams[0];
    assert_eq!((first.socket, first.local_port, first.remote_port), (5, 60502, 25201));
    assert_eq!((first.retransmits, first.cwnd_max_bytes), (Some(0), Some(720_313)));
    assert_eq!(
        (first.rtt_mean_s, first.rtt_min_s, first.rtt_max_s),
        (Some(54e-6), Some(47e-6), Some(61e-6))
    );
    let mean = first.intervals.iter().map(|i| i.rtt_s.unwrap()).sum::<f64>() / 2.0;
    assert!((mean - 54e-6).abs() < 1e-9);
    assert_eq!(
        run.cpu,
        Some(Cpu { local_percent: 0.652621068397404, remote_percent: Some(0.0851689984845516) })
    );
}

#[test]
fn each_end_knows_its_half() {
    let server = read(recording!("tcp-server")).unwrap();
    for s in &server.streams {
        assert!(!s.sends);
        assert_eq!(
            (s.sent, s.retransmits, s.cwnd_max_bytes, s.rtt_mean_s),
            (None, None, None, None)
        );
        assert_eq!(s.received.unwrap().bytes, 2_621_440);
    }
    assert_eq!(server.cpu.unwrap().remote_percent, None);
    let reverse = read(recording!("tcp-reverse-client")).unwrap();
    let s = &reverse.streams[0];
    assert!(!s.sends);
    assert_eq!((s.sent.unwrap().bytes, s.received.unwrap().bytes), (2_621_440, 2_621_440));
    assert_eq!(
        (s.retransmits, s.cwnd_max_bytes, s.rtt_mean_s),
        (Some(0), None, None),
        "it was \
        told the first only"
    );
}

#[test]
fn both_directions_at_once() {
    let text = recording!("bidir-client");
    let run = read(text).unwrap();
    assert_eq!(run.streams.iter().map(|s| s.sends).collect::<Vec<_>>(), [true, false]);
    assert_eq!(run.streams[0].sent.unwrap().bytes, total(text, "sum_sent"));
    assert_eq!(run.streams[1].received.unwrap().bytes, total(text, "sum_received_bidir_reverse"));
    assert_eq!(
        (run.streams[0].cwnd_max_bytes, run.streams[1].cwnd_max_bytes),
        (Some(1_178_694), None)
    );
}

#[test]
fn datagrams_are_counted() {
    for (text, sends, knows_sent) in [
        (recording!("udp-client"), true, true),
        (recording!("udp-server"), false, false),
        (recording!("udp-reverse-client"), false, true),
    ] {
        let run = read(text).unwrap();
        assert_eq!((run.protocol.as_str(), run.congestion_control.as_deref()), ("UDP", None));
        let s = &run.streams[0];
        assert_eq!((s.sends, s.sent.is_some()), (sends, knows_sent));
        assert_eq!(s.received.unwrap().bytes, total(text, "sum_received"));
        assert_eq!((s.packets, s.lost_packets, s.retransmits), (Some(20), Some(0), None));
        assert!(s.jitter_s.unwrap() > 1e-6);
    }
}

#[test]
fn lost_datagrams_were_not_received() {
    let text = recording!("udp-client").replace("\"lost_packets\":\t0", "\"lost_packets\":\t5");
    let s = &read(&text).unwrap().streams[0];
    assert_eq!((s.lost_packets, s.received.unwrap().bytes), (Some(5), 655_360 * 15 / 20));
}

#[test]
fn what_went_wrong_is_said() {
    let interrupted = read(recording!("interrupted-client")).unwrap();
    assert_eq!(interrupted.error.as_deref(), Some("interrupt - the client has terminated"));
    let s = &interrupted.streams[0];
    assert_eq!((s.sent.unwrap().bytes, s.received), (786_432, None), "nobody told it");
    let killed = read(recording!("killed-server")).unwrap();
    assert_eq!(killed.error.as_deref(), Some("the client has unexpectedly closed the connection"));
    assert_eq!(killed.streams, []);
    let refused = read(recording!("refused-client")).unwrap();
    assert_eq!(refused.error.as_deref(), Some("unable to connect to server: Connection refused"));
    assert_eq!((refused.protocol.as_str(), refused.cpu), ("", None));
}

#[test]
fn what_is_no_outcome_has_a_reason() {
    let one = recording!("refused-client");
    let twice = format!("{one}\n{one}");
    let cut = &recording!("tcp-client")[..2000];
    assert_eq!(read(""), Err(ParseError::Empty));
    assert_eq!(read(" \n"), Err(ParseError::Empty));
    assert_eq!(read(&twice), Err(ParseError::Several));
    assert_eq!(
        read("{\"event\":\"start\",\"data\":{}}\n{\"event\":\"end\"}"),
        Err(ParseError::Events)
    );
    assert_eq!(read("{}"), Err(ParseError::Foreign));
    assert_eq!(read("[]"), Err(ParseError::Foreign));
    assert!(
        matches!(read(cut), Err(ParseError::Syntax { line, .. }) if line == cut.lines().count())
    );
    assert!(matches!(read("Connecting to host"), Err(ParseError::Syntax { line: 1, .. })));
}

#[test]
fn figures_that_are_none_are_none() {
    // cJSON writes null for what is not a number.
    let text = recording!("tcp-client")
        .replace("\"mean_rtt\":\t54", "\"mean_rtt\":\tnull")
        .replace("20970177.908613846", "null");
    let s = &read(&text).unwrap().streams[0];
    assert_eq!((s.rtt_mean_s, s.sent.unwrap().bps), (None, 0.0));
}

proptest! {
    #[test]
    fn a_damaged_recording_is_read_or_refused(
        which in 0..ALL.len(),
        at: prop::sample::Index,
        byte in 32u8..127,
        cut: prop::sample::Index,
    ) {
        let mut bytes = ALL[which].as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        bytes.truncate(cut.index(2 * bytes.len()).max(1));
        if let Err(why) = read(&String::from_utf8(bytes).unwrap()) {
            prop_assert!(!why.to_string().is_empty());
        }
    }
}
