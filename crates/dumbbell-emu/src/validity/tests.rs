//! A sound run is valid; each fault alone makes it invalid, with a reason that has the number.
use super::*;
use crate::router::measures::NicLosses;
use crate::router::measures::counts::Counts;

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
        losses: vec![NicLosses::default(); 2],
        lateness_us: Percentiles { p50: 4.0, p99: 15.0, p999: 200.0, max: 900.0, mean: 5.0 },
        door_wait_us: Percentiles { p50: 3.0, p99: 20.0, p999: 300.0, max: 1000.0, mean: 4.0 },
        gap_error_us: Percentiles { p50: 0.5, p99: 12.0, p999: 100.0, max: 800.0, mean: 1.0 },
        gaps: 800,
        rate_error: Some(0.0001),
        stalls: Default::default(),
        rests: 0,
        cpu: Default::default(),
        privilege: Default::default(),
    };
    let retransmissions = Retransmissions {
        router_drops: 90,
        retransmits: 84,
        needless: 0,
        resized: 0,
        in_flight: 4,
        flows: 1,
    };
    let facts = Facts {
        required: Class::Exact,
        warmup_s: 0.0,
        load: Some(load()),
        datapath: "tun".into(),
        calibration: None,
        retransmissions: Some(retransmissions),
        replay: Some(Replay { packets: 1000, mismatches: 0 }),
        traffic: Traffic::default(),
        open_ended: false,
    };
    (measured, facts)
}

/// A link of 100 Mbps that is busy for 95 % of the time, and 6 ms of packets in its queue.
fn load() -> Load {
    Load {
        link: "up".into(),
        packet_time_us: 123.04,
        utilization: 0.95,
        wait_us: 6_000.0,
        base_rtt_us: 20_000.0,
    }
}

/// Stalls of `count` times `each_ms` in the ten seconds of a sound run, which is to reach no class
/// at least.
fn stalled(m: &mut Measured, count: u32, each_ms: f64) {
    let share = f64::from(count) * each_ms / 1e4;
    let over_packet = each_ms * 1e3 > m.packet_time_us.unwrap_or(0.0);
    m.stalls.over_packet_time = if over_packet { count.into() } else { 0 };
    m.stalls.over_packet_share = if over_packet { share } else { 0.0 };
    m.stalls.longest_ms = each_ms;
    m.stalls.mean_wait_us = share * each_ms * 1e3 / 2.0;
}

/// The judgment of a sound run after a change, with the class `loose` required.
fn judged(change: impl FnOnce(&mut Measured, &mut Facts)) -> Validity {
    let (mut measured, mut facts) = sound();
    facts.required = Class::Loose;
    change(&mut measured, &mut facts);
    judge(&measured, &facts)
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
fn at_the_bound(
    change: impl Fn(&mut Measured, &mut Facts, f64),
    within: f64,
    beyond: f64,
    words: &[&str],
) {
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
        "warnings",
        "required",
        "bound_percent",
        "missed",
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
    at_the_bound(
        late,
        123.0,
        123.1,
        &["123.1 us", "123.0 us", "`exact`", "1 packet time ", "`good`", "lower the rate"],
    );
    let of = |us| judged(|m, _| m.lateness_us.p99 = us).class;
    assert_eq!([123.0, 246.0, 615.0].map(of), Class::ALL.map(Some));
    assert_eq!(of(616.0), None);
    // If no class is reached, none is offered.
    assert!(!reason(|m, _| m.lateness_us.p99 = 700.0).contains("require only"));
}

#[test]
fn a_run_has_the_best_class_whose_bounds_it_keeps_and_says_what_the_better_ones_lack() {
    // 2 x 0.3 % of the time in stalls: 0.6 % of goodput; the wait: 2 x 5 us, the mean lateness, of
    // 6 ms.
    let good = judged(|m, _| stalled(m, 15, 2.0));
    assert_eq!((good.valid, good.class, good.required), (true, Some(Class::Good), Class::Loose));
    assert!((0.6..0.65).contains(&good.bound_percent.goodput), "{:?}", good.bound_percent);
    assert!((0.16..0.17).contains(&good.bound_percent.wait), "{:?}", good.bound_percent);
    let [missed] = &good.missed[..] else { panic!("{:?}", good.missed) };
    assert_eq!(missed.class, Class::Exact);
    let text = &missed.reasons[0];
    for word in [
        "0.2 %",
        "0.30 % of the time",
        "15 stalls",
        "123 us",
        "2.0 ms",
        "`up` was idle \
        for 5.00 %",
    ] {
        assert!(text.contains(word), "no `{word}` in: {text}");
    }
    let loose = judged(|m, _| stalled(m, 75, 2.0));
    assert_eq!((loose.class, loose.missed.len()), (Some(Class::Loose), 2));
    let none = judged(|m, _| stalled(m, 20, 20.0));
    assert_eq!((none.valid, none.class, none.missed.len()), (false, None, 3));
    assert!(none.reasons.last().unwrap().ends_with(
        "free the machine, lower the rate, give the router real-time priority, give the router a \
            core of its own (`[testbed] core`)"
    ));
}

#[test]
fn stalls_count_against_the_link() {
    // 0.5 % of the time in stalls of 1.2 ms: at 5 Mbps, where a packet takes 2.4 ms, they change
    // nothing.
    let slow = judged(|m, f| {
        m.packet_time_us = Some(2_461.0);
        f.load = Some(Load { packet_time_us: 2_461.0, wait_us: 40_000.0, ..load() });
        stalled(m, 42, 1.2);
    });
    assert_eq!(slow.class, Some(Class::Exact), "{:?}", slow.missed);
    assert_eq!(
        judged(|m, _| stalled(m, 42, 1.2)).class,
        Some(Class::Loose),
        "at 100 Mbps a queue \
        of that may run dry"
    );
    // A link that was never idle lost nothing, whatever stood still.
    let full = judged(|m, f| {
        stalled(m, 42, 1.2);
        f.load = Some(Load { utilization: 0.9995, ..load() });
    });
    assert_eq!(full.class, Some(Class::Exact), "{:?}", full.missed);
    assert!(full.bound_percent.goodput < 0.06);
    // The same stalls move a shorter wait more.
    let short = judged(|m, f| {
        stalled(m, 42, 1.2);
        f.load = Some(Load { utilization: 0.9995, wait_us: 300.0, ..load() });
    });
    assert_eq!(short.class, Some(Class::Loose), "{:?}", short.bound_percent);
    // Repeated transmissions took their share of the link, if a stall can have caused it: 406
    // packets of 123 us are 0.5 % of 10 s.
    let repeated = |longest_ms| {
        let bound = judged(|m, f| {
            stalled(m, 42, 1.2);
            m.stalls.longest_ms = longest_ms;
            f.load = Some(Load { utilization: 0.9995, ..load() });
            f.retransmissions = Some(Retransmissions {
                needless: 406,
                retransmits: 496,
                ..f.retransmissions.unwrap()
            });
        });
        bound.bound_percent.goodput
    };
    assert!(repeated(19.0) < 0.06 && (0.54..0.56).contains(&repeated(21.0)), "{}", repeated(21.0));
    // A warm-up does not thin them out.
    let late = judged(|m, f| {
        stalled(m, 15, 2.0);
        f.warmup_s = 5.0;
    });
    assert!((1.2..1.3).contains(&late.bound_percent.goodput), "{:?}", late.bound_percent);
}

#[test]
fn a_rule_that_is_broken_leaves_no_class_and_the_required_one_decides() {
    let lost = judged(|m, _| m.losses[0].sent = 1);
    assert_eq!((lost.valid, lost.class), (false, None));
    let missed = judged(|m, f| {
        f.required = Class::Good;
        stalled(m, 75, 2.0);
        m.cpu.steal_share = Some(0.0025);
        m.stalls.throttled = 3;
    });
    assert_eq!((missed.valid, missed.class), (false, Some(Class::Loose)));
    for word in [
        "class `good` permits 1.0 %",
        "3 of the stalls",
        "0.25 % of its time to others",
        "require only the class `loose`",
    ] {
        assert!(missed.reasons.concat().contains(word), "no `{word}` in: {:?}", missed.reasons);
    }
}

#[test]
fn hosts_that_wait_for_a_processor_are_named_and_bound_the_goodput() {
    let starved = judged(|_, f| f.traffic.starved_share = 0.4);
    assert_eq!(starved.class, None, "5 % of the link was idle, and hosts may be why");
    assert!(
        starved.reasons[0].contains("a host without a processor may have cost 40.00 %"),
        "{:?}",
        starved.reasons
    );
    let full = judged(|_, f| {
        f.traffic.starved_share = 0.4;
        f.load = Some(Load { utilization: 0.9995, ..load() });
    });
    assert_eq!((full.class, full.warnings.len()), (Some(Class::Exact), 1));
    let limited = judged(|_, f| {
        (f.traffic.window_limited_share, f.traffic.buffer_limited_share) = (0.3, 0.2)
    });
    let said = limited.warnings.join(" ");
    assert!(limited.valid && said.contains("30.0 %") && said.contains("20.0 %"), "{said}");
    assert!(judged(|_, _| {}).warnings.is_empty());
}

#[test]
fn no_packet_may_get_lost_at_a_nic() {
    at_the_bound(
        |m, _, n| m.losses[1].sent = n as u64,
        0.0,
        1.0,
        &[
            "1 packets",
            "between a host \
        and the router",
        ],
    );
    let written = |m: &mut Measured, _: &mut Facts, n| {
        m.losses[0].written = n as u64;
        m.counts.first_refusal = Some("no buffer space".into());
    };
    at_the_bound(
        written,
        0.0,
        3.0,
        &[
            "3 packets",
            "between the router and a host",
            "no buffer \
        space",
        ],
    );
}

#[test]
fn the_rate_may_be_wrong_by_half_a_percent() {
    at_the_bound(|m, _, e| m.rate_error = Some(e), 0.005, 0.0051, &["0.510 %", "0.5 %"]);
    assert_eq!(
        reason(|m, _| m.rate_error = None),
        "",
        "a bottleneck that was never busy had no \
        rate"
    );
}

#[test]
fn packets_are_conserved_exactly() {
    at_the_bound(|m, _, n| m.inside = n as u64, 10.0, 11.0, &["1000 came in", "11 are inside"]);
    at_the_bound(
        |m, _, n| m.counts.orphans = n as u64,
        0.0,
        1.0,
        &["1 came out that had not come \
        in"],
    );
}

#[test]
fn frames_above_the_mtu_and_wrong_checksums_are_named() {
    let oversized = |m: &mut Measured, _: &mut Facts, n| {
        m.counts.oversized = n as u64;
        m.counts.first_complaint = Some("a packet of 4000 bytes".into());
    };
    at_the_bound(oversized, 0.0, 2.0, &["2 packets", "MTU", "a packet of 4000 bytes", "tso"]);
    at_the_bound(
        |m, _, n| m.counts.bad_checksums = n as u64,
        0.0,
        1.0,
        &[
            "1 packets",
            "checksum",
            "tx \
        checksumming",
        ],
    );
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
    at_the_bound(
        repeated,
        84.0,
        83.0,
        &[
            "lost 90",
            "sent 83 again",
            "7 apart, and 6",
            "not \
        repaired",
        ],
    );
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
    let broken = |_: &mut Measured, f: &mut Facts, n: f64| {
        f.traffic.troubles = vec!["flow 3: reset".into(); n as usize]
    };
    at_the_bound(broken, 0.0, 2.0, &["2 connections", "flow 3: reset"]);
    at_the_bound(|_, f, n| f.traffic.no_room = n as u64, 0.0, 1.0, &["1 datagrams", "no room"]);
    at_the_bound(
        |_, f, us| f.traffic.late_mean_us = us,
        1000.0,
        1001.0,
        &["1001.0 us late", "1000.0 us are permitted"],
    );
    let told = |f: &mut Facts| {
        (f.traffic.missed_samples, f.traffic.refused, f.traffic.late_max_us) = (9, 9, 9e6)
    };
    assert_eq!(reason(|_, f| told(f)), "", "these are told");
}

#[test]
fn log_replay_memory_and_machine_have_their_rules() {
    at_the_bound(|m, _, n| m.counts.log_overflow = n as u64, 0.0, 5.0, &["5 records"]);
    let replay = |_: &mut Measured, f: &mut Facts, n| {
        f.replay = Some(Replay { packets: 1000, mismatches: n as u64 })
    };
    at_the_bound(replay, 0.0, 1.0, &["1 of the 1000 packets"]);
    at_the_bound(|m, _, n| m.counts.no_room = n as u64, 0.0, 1.0, &["no memory for 1 packets"]);
    at_the_bound(|m, _, share| m.cpu.steal_share = Some(share), 0.05, 0.06, &["6.0 %", "5 %"]);
    at_the_bound(|m, _, n| m.rests = n as u64, 0.0, 2.0, &["2 times"]);
    at_the_bound(|m, _, s| m.seconds = s, 10.0, 9.0, &["9.000 s of 10.000 s"]);
    let with_its_programs =
        |m: &mut Measured, f: &mut Facts| (m.seconds, f.open_ended) = (3.0, true);
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
