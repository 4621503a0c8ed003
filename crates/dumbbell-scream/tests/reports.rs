//! What the receiver reports, and when (RFC 8298 section 4.2, RFC 8888).
use crate::harness::{HEADER, Net, mark, mbps, ms};
use dumbbell_core::transport::segment::flag;
use dumbbell_core::units::{Bytes, Span};
use dumbbell_scream::wire::{LONGEST, Report};
use dumbbell_scream::{Ecn, ScreamConfig};

/// Intervals between reports of the last seconds.
fn intervals(net: &Net) -> Vec<f64> {
    let last: Vec<f64> =
        net.reports.iter().map(|(at, ..)| at.seconds()).filter(|at| *at > 20.0).collect();
    last.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// Section 4.2.2: 1 / min(50, max(2.5, rate / 10000)). At 150 kbps 15 reports a second; above 500
/// kbps 50 while packets come.
#[test]
fn the_interval_of_reports_follows_the_media_rate() {
    let slow = ScreamConfig { ramp_up: mbps(1e-6), ..ScreamConfig::default() };
    let mut net = Net::new(slow, mbps(10.0), ms(30_000));
    net.run(ms(30_000));
    // A packet of 750 B and 12 B every 40 ms: 152.4 kbps, so 65.6 ms, and the next packet's arrival
    // after that does not wait: two packets a report at the most.
    let between = intervals(&net);
    assert!(between.iter().all(|s| (0.0655..0.0810).contains(s)), "{between:?}");
    let mut net = Net::new(ScreamConfig::default(), mbps(4.0), ms(30_000));
    net.run(ms(30_000));
    let between = intervals(&net);
    assert!(between.iter().all(|s| *s >= 0.02 - 1e-9), "{between:?}");
    let mean = between.iter().sum::<f64>() / between.len() as f64;
    assert!(mean < 0.025, "{mean}");
}

/// Every report is of RFC 8888's size, ends at the highest number, and tells of each packet that
/// arrived; a packet is in two reports.
#[test]
fn reports_tell_of_every_packet_twice() {
    let mut net =
        Net::new(ScreamConfig::default(), mbps(2.0), ms(10_000)).fate(|number, _| number % 7 != 3);
    net.run(ms(10_000));
    let mut told = vec![0; net.media.len()];
    for (_, segment, extra) in &net.reports {
        let report = Report::read(segment, extra.as_ref().unwrap(), 1 << 20).unwrap();
        assert_eq!(u64::from(segment.ip_len), HEADER + report.size());
        assert!(report.has(report.end - 1) && report.end - report.from <= LONGEST);
        for number in report.from..report.end {
            assert_eq!(report.has(number), number % 7 != 3, "{number}");
            told[number as usize] += 1;
        }
    }
    let settled = told.len() - 60;
    assert!(told[..settled].iter().all(|times| *times >= 2), "{told:?}");
}

/// A frame is complete with its last packet, in time or late; one of which a packet was lost never
/// is.
#[test]
fn frames_are_in_time_late_or_lost() {
    let slow = ScreamConfig { ramp_up: mbps(1e-6), mss: Bytes(400), ..ScreamConfig::default() };
    // 750 B a frame in two packets; the link is fast, so a frame takes 20 ms and its transmission.
    let mut net = Net::new(slow, mbps(10.0), ms(10_000)).fate(|number, _| number != 50);
    net.run(ms(10_000));
    let media = net.media();
    assert_eq!(media.frames, (10_000 - 200) / 40);
    assert_eq!((media.late, media.lost), (0, 1));
    // The second packet is paced: it leaves by the first one's share of the window in a round trip.
    let view = net.sender.view();
    assert_eq!(view.cwnd, 3000);
    let paced = view.srtt.unwrap().seconds() * 400.0 / 3000.0;
    let second = mbps(10.0).span_of(750 - 388 + 12 + HEADER).seconds();
    let mean = media.frame_delay_s[0].unwrap();
    assert!((mean - (0.020 + paced + second)).abs() < 5e-4, "{mean} {paced}");
    let flags = |i: usize| net.media[i].1.flags & (flag::PSH | flag::FIN);
    assert_eq!((flags(0), flags(1)), (flag::PSH, flag::FIN));
}

/// The count of Congestion Experienced comes back, and answers once a round trip: with `ect0` only
/// does a packet carry the mark.
#[test]
fn marks_are_counted_and_answered() {
    let config = ScreamConfig { ecn: Ecn::Ect0, ..ScreamConfig::default() };
    let mut net = Net::new(config, mbps(4.0), ms(6000)).fate(|number, segment| {
        if (100..110).contains(&number) {
            mark(segment);
        }
        true
    });
    net.run(ms(6000));
    assert_eq!(net.receiver.stats().ce_packets, 10);
    let stats = net.media().stats;
    // Two packets a frame at that time: 200 ms, and a round trip is more than 40 ms.
    assert!((1..=5).contains(&stats.ecn_events), "{stats:?}");
    assert_eq!((stats.loss_events, stats.lost_packets), (0, 0));
}

/// A report that arrives twice, or late, changes nothing.
#[test]
fn the_first_report_goes_at_once() {
    let mut net = Net::new(ScreamConfig::default(), mbps(10.0), ms(1000));
    net.run(ms(1000));
    let (at, ..) = net.reports[0];
    let wire = mbps(10.0).span_of(u64::from(net.media[0].1.ip_len));
    assert_eq!(at, ms(20) + wire);
    assert!(net.reports[1].0.since(at) >= Span::from_ms(20));
}

/// RFC 8298 section 4.2.2, to the nanosecond: 400 ms at 6.3 kbps, 125 ms at 80 kbps, 20 ms above
/// 500 kbps.
#[test]
fn intervals_of_a_steady_coder_are_exact() {
    for (bytes, fps, expected) in [(250, 3, 0.4), (488, 20, 0.125), (988, 100, 0.02)] {
        let end = ms(8000);
        let mut net = Net::steady(bytes, fps, Span::from_ms(20), end);
        net.run(end);
        let [.., before, last] = &net.reports[..] else { panic!() };
        let between = last.0.since(before.0).seconds();
        assert!((between - expected).abs() < 1e-9, "{fps}: {between}");
    }
}

/// Section 4.1.2.6: the second packet of a frame leaves size x s_rtt / cwnd after the first. The
/// first report goes at once, the next one 20 ms later: s_rtt is the first sample and an eighth of
/// those 20 ms.
#[test]
fn packets_of_a_frame_are_paced() {
    let end = ms(1000);
    let mut net = Net::steady(1500, 25, Span::from_ms(5), end);
    net.run(end);
    let wire = |bytes| mbps(10.0).span_of(bytes).seconds();
    // The harness has no transmission time on the reverse path.
    let srtt = wire(1000 + HEADER) + 0.010 + 0.020 / 8.0;
    let at = net.media[3].0.seconds();
    assert!((at - (0.040 + 1000.0 / 3000.0 * srtt)).abs() < 1e-9, "{at}");
    let sizes: Vec<u16> = net.reports.iter().take(2).map(|(_, s, _)| s.ip_len).collect();
    assert_eq!(sizes, [52, 52], "of one packet, and of two");
}
