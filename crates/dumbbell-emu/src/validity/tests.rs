//! A sound run is valid; each fault alone makes it invalid, with a reason that has the number.
use super::*;
use crate::router::counts::Counts;
use crate::router::meters::DoorLosses;

/// Ten sound seconds at 100 Mbps.
fn sound() -> (Measured, Facts) {
    let counts = Counts {
        incoming: 1000,
        incoming_bytes: 1_500_000,
        delivered: 900,
        delivered_bytes: 1_350_000,
        dropped: 90,
        written: 900,
        strangers: 4,
        ..Counts::default()
    };
    let measured = Measured {
        seconds: 10.0,
        planned_seconds: 10.0,
        packet_time_us: Some(123.04),
        counts,
        inside: 10,
        losses: vec![DoorLosses::default(); 2],
        lateness_us: Percentiles { p50: 4.0, p99: 15.0, p999: 200.0, max: 900.0 },
        door_wait_us: Percentiles { p50: 3.0, p99: 20.0, p999: 300.0, max: 1000.0 },
        gap_error_us: Percentiles { p50: 0.5, p99: 12.0, p999: 100.0, max: 800.0 },
        gaps: 800,
        rate_error: Some(0.0001),
        stalls: Default::default(),
        rests: 0,
        cpu: Default::default(),
        privilege: Default::default(),
    };
    let retransmissions =
        Retransmissions { router_drops: 90, retransmits: 84, needless: 0, resized: 0, in_flight: 4, flows: 1 };
    let facts = Facts {
        class: Class::Exact,
        datapath: "tun".into(),
        calibration: None,
        retransmissions: Some(retransmissions),
        replay: Some(Replay { packets: 1000, mismatches: 0 }),
        traffic: Traffic::default(),
        open_ended: false,
    };
    (measured, facts)
}

/// The reason that a change makes, which is to be the only one.
fn reason(change: impl FnOnce(&mut Measured, &mut Facts)) -> String {
    let (mut measured, mut facts) = sound();
    change(&mut measured, &mut facts);
    let validity = judge(&measured, &facts);
    assert_eq!(validity.valid, validity.reasons.is_empty());
    assert!(validity.reasons.len() <= 1, "{:#?}", validity.reasons);
    validity.reasons.into_iter().next().unwrap_or_default()
}

/// Just within a bound there is no reason; just beyond it there is one, which says all of `words`.
fn at_the_bound(change: impl Fn(&mut Measured, &mut Facts, f64), within: f64, beyond: f64, words: &[&str]) {
    assert_eq!(reason(|m, f| change(m, f, within)), "", "{within} is within the bound");
    let text = reason(|m, f| change(m, f, beyond));
    assert!(!text.is_empty(), "{beyond} is beyond the bound");
    words.iter().for_each(|word| assert!(text.contains(word), "no `{word}` in: {text}"));
}

#[test]
fn a_sound_run_is_valid_and_says_so_as_documents_have_it() {
    let (measured, facts) = sound();
    let json = serde_json::to_value(judge(&measured, &facts)).expect("plain data");
    assert_eq!(json["valid"], true);
    assert_eq!(json["class"], "exact");
    assert_eq!(
        json["conservation"],
        serde_json::json!({"ok": true, "in": 1000, "out": 900, "dropped": 90, "inside": 10})
    );
    for key in [
        "reasons",
        "datapath",
        "realtime",
        "calibration",
        "lateness_us",
        "gap_error_us",
        "stalls",
        "rate_error",
        "port_drops",
        "oversized_frames",
        "bad_checksums",
        "retransmissions",
        "traffic",
        "cpu",
        "replay",
    ] {
        assert!(json.get(key).is_some(), "no `{key}`");
    }
}

#[test]
fn packets_may_be_late_by_the_time_of_one() {
    let late = |m: &mut Measured, _: &mut Facts, us| m.lateness_us.p99 = us;
    at_the_bound(late, 123.0, 123.1, &["123.1 us", "123.0 us", "`exact`", "1 packet ", "`loose`", "lower the rate"]);
    let loose = |m: &mut Measured, f: &mut Facts, us| {
        f.class = Class::Loose;
        m.lateness_us.p99 = us;
    };
    at_the_bound(loose, 615.0, 616.0, &["616.0 us", "`loose`", "5 packets"]);
    // What is too late for the loose class is not sent there.
    assert!(!reason(|m, _| m.lateness_us.p99 = 700.0).contains("ask for"));
}

#[test]
fn the_router_may_stand_still_for_a_thousandth() {
    let stalled = |m: &mut Measured, _: &mut Facts, share| {
        m.stalls.share_of_time = share;
        m.stalls.over_1ms = 7;
        m.stalls.longest_ms = 3.5;
        m.cpu.steal_share = Some(0.0025);
    };
    at_the_bound(stalled, 0.001, 0.0012, &["0.12 %", "7 stalls", "3.5 ms", "0.1 %", "0.25 % to others"]);
}

#[test]
fn no_packet_may_get_lost_at_a_door() {
    at_the_bound(|m, _, n| m.losses[1].sent = n as u64, 0.0, 1.0, &["1 packets", "between a host and the router"]);
    let written = |m: &mut Measured, _: &mut Facts, n| {
        m.losses[0].written = n as u64;
        m.counts.first_refusal = Some("no buffer space".into());
    };
    at_the_bound(written, 0.0, 3.0, &["3 packets", "between the router and a host", "no buffer space"]);
}

#[test]
fn the_rate_may_be_wrong_by_half_a_percent() {
    at_the_bound(|m, _, e| m.rate_error = Some(e), 0.005, 0.0051, &["0.510 %", "0.5 %"]);
    assert_eq!(reason(|m, _| m.rate_error = None), "", "a bottleneck that was never busy had no rate");
}

#[test]
fn packets_are_conserved_exactly() {
    at_the_bound(|m, _, n| m.inside = n as u64, 10.0, 11.0, &["1000 came in", "11 are inside"]);
    at_the_bound(|m, _, n| m.counts.orphans = n as u64, 0.0, 1.0, &["1 came out that had not come in"]);
}

#[test]
fn frames_above_the_mtu_and_wrong_checksums_are_named() {
    let oversized = |m: &mut Measured, _: &mut Facts, n| {
        m.counts.oversized = n as u64;
        m.counts.first_complaint = Some("a packet of 4000 bytes".into());
    };
    at_the_bound(oversized, 0.0, 2.0, &["2 packets", "MTU", "a packet of 4000 bytes", "tso"]);
    at_the_bound(|m, _, n| m.counts.bad_checksums = n as u64, 0.0, 1.0, &["1 packets", "checksum", "tx checksumming"]);
    at_the_bound(|m, _, n| m.counts.malformed = n as u64, 0.0, 1.0, &["1 packets", "header"]);
}

#[test]
fn losses_and_repetitions_may_be_apart_by_what_explains_them() {
    // 4 on their way, 2 for the flow: 6 fewer repetitions than losses are explained, and 6 more.
    let repeated = |_: &mut Measured, f: &mut Facts, n: f64| {
        if let Some(r) = &mut f.retransmissions {
            r.retransmits = n as u64;
        }
    };
    at_the_bound(repeated, 84.0, 83.0, &["lost 90", "sent 83 again", "7 apart, and 6", "not repaired"]);
    at_the_bound(repeated, 96.0, 97.0, &["sent 97 again", "does not see"]);
    // Those that receivers saw twice explain as many.
    let twice = |m: &mut Measured, f: &mut Facts, n: f64| {
        repeated(m, f, 110.0);
        if let Some(r) = &mut f.retransmissions {
            r.needless = n as u64;
        }
    };
    at_the_bound(twice, 14.0, 13.0, &["13 of them in vain"]);
    assert_eq!(reason(|_, f| f.retransmissions = None), "", "datagrams are not sent again");
    let many = Retransmissions { router_drops: 1000, ..Retransmissions::default() };
    assert_eq!(many.tolerance(), 10, "1 % of the losses");
}

#[test]
fn traffic_that_broke_or_was_late_is_a_reason() {
    let broken =
        |_: &mut Measured, f: &mut Facts, n: f64| f.traffic.troubles = vec!["flow 3: reset".into(); n as usize];
    at_the_bound(broken, 0.0, 2.0, &["2 connections", "flow 3: reset"]);
    at_the_bound(|_, f, n| f.traffic.no_room = n as u64, 0.0, 1.0, &["1 datagrams", "no room"]);
    at_the_bound(
        |_, f, us| f.traffic.late_mean_us = us,
        1000.0,
        1001.0,
        &["1001.0 us late", "1000.0 us are permitted"],
    );
    let told = |f: &mut Facts| (f.traffic.missed_samples, f.traffic.refused, f.traffic.late_max_us) = (9, 9, 9e6);
    assert_eq!(reason(|_, f| told(f)), "", "these are told");
}

#[test]
fn log_replay_memory_and_machine_have_their_rules() {
    at_the_bound(|m, _, n| m.counts.log_overflow = n as u64, 0.0, 5.0, &["5 records"]);
    let replay = |_: &mut Measured, f: &mut Facts, n| f.replay = Some(Replay { packets: 1000, mismatches: n as u64 });
    at_the_bound(replay, 0.0, 1.0, &["1 of the 1000 packets"]);
    at_the_bound(|m, _, n| m.counts.no_room = n as u64, 0.0, 1.0, &["no memory for 1 packets"]);
    at_the_bound(|m, _, share| m.cpu.steal_share = Some(share), 0.05, 0.06, &["6.0 %", "5 %"]);
    at_the_bound(|m, _, n| m.rests = n as u64, 0.0, 2.0, &["2 times"]);
    at_the_bound(|m, _, s| m.seconds = s, 10.0, 9.0, &["9.000 s of 10.000 s"]);
    let with_its_programs = |m: &mut Measured, f: &mut Facts| (m.seconds, f.open_ended) = (3.0, true);
    assert_eq!(reason(with_its_programs), "", "it ended with its programs");
}

#[test]
fn a_run_in_which_nothing_was_sent_says_nothing() {
    let text = reason(|m, _| {
        (m.counts.incoming, m.counts.delivered, m.counts.dropped, m.inside) = (0, 0, 0, 0);
        m.counts.strangers = 7;
    });
    assert!(text.contains("no packet came") && text.contains("(7 came"), "{text}");
}

#[test]
fn reasons_add_up() {
    let (mut measured, facts) = sound();
    measured.lateness_us.p99 = 1e6;
    measured.rate_error = Some(0.5);
    measured.losses[0].sent = 9;
    assert_eq!(judge(&measured, &facts).reasons.len(), 3);
}
