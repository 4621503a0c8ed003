//! Timers: retransmission, delayed acknowledgment, persist, idle, pacing.
use crate::harness::*;
use dumbbell_core::transport::segment::flag;
use dumbbell_core::transport::{Ack, Commands, Congestion, CongestionControl};
use dumbbell_core::units::{Bytes, Limit, Packets, Rate, Span, Time};
use dumbbell_tcp::{DelayedAck, Receiver, Samples, Sender, TcpConfig};

/// Nothing gets through: the timer backs off 1, 2, 4 ... 60, 60 s (RFC 6298 (5.5), (2.5)), one
/// segment each.
#[test]
fn the_timer_backs_off_to_its_maximum() {
    let mut net = Net::new("newreno", &plain()).with_fate(|_, _, _| lose()).start(u64::MAX);
    net.run(at_ms(250_000));
    let times: Vec<u64> = net.data().iter().filter(|d| d.2).map(|d| d.0 / 1000).collect();
    assert_eq!(times, [1, 3, 7, 15, 31, 63, 123, 183, 243]);
    assert_eq!(net.sender.stats().rtos, 9);
    assert_eq!(net.sender.view().ssthresh, Some(5 * MSS), "half of the first flight, once");
}

/// A window of ten segments that keeps what each acknowledgment tells it.
#[derive(Default)]
struct Told(Vec<Answered>);

/// Segments answered cumulatively and selectively, and the round-trip time in milliseconds.
type Answered = (u64, u64, Option<u64>);

impl CongestionControl for Told {
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        let rtt = ack.rtt.map(|rtt| (rtt.seconds() * 1e3).round() as u64);
        self.0.push((ack.acked / MSS, ack.sacked / MSS, rtt));
    }
    fn on_congestion(&mut self, _: &Congestion<'_>, _: &mut Commands) {}
    fn cwnd(&self) -> u64 {
        10 * MSS
    }
}

fn told(rtt_samples: Samples, lost: &[u64]) -> (Net<Told>, Vec<Answered>) {
    let config = TcpConfig {
        timestamps: true,
        mss: Some(Bytes(MSS + 12)),
        delayed_ack: DelayedAck::Second,
        delayed_ack_timeout: Span::from_ms(400),
        rtt_samples,
        ..modern()
    };
    let sender = Sender::new(&config, |_| Told::default());
    let receiver = sender.receiver();
    let mut net = Net::of(sender, receiver);
    let lost = lost.to_vec();
    let mut n = 0;
    net = net.with_fate(move |way, _, s| {
        n += u64::from(way == Way::Forward && s.ip_len > 60);
        if way == Way::Forward && lost.contains(&n) { lose() } else { pass() }
    });
    net.act(|s, now, out| s.open(now, out));
    for _ in 0..4 {
        net.act(|s, now, out| s.write(now, MSS, out));
        let at = ms(net.now) + 30;
        net.run(at_ms(at));
    }
    net.run(at_ms(1000));
    let all = net.sender.cc().0.clone();
    (net, all)
}

/// Segments at 0, 30, 60 and 90 ms over a path of 100 ms, two to an acknowledgment. The timeout
/// goes by the first of them (RFC 7323 section 4.3), the congestion control by the last, if
/// segments are measured.
#[test]
fn a_delayed_acknowledgment_has_two_samples() {
    for (samples, rtt) in [(Samples::Echo, 130), (Samples::Segments, 100)] {
        let (net, acks) = told(samples, &[]);
        assert_eq!(acks, [(2, 0, Some(rtt)), (2, 0, Some(rtt))], "{samples:?}");
        let srtt = net.sender.view().srtt.unwrap();
        assert_eq!((srtt.seconds() * 1e3).round(), 130.0, "{samples:?}");
        assert_eq!(net.sender.stats().rtt_samples, 2);
    }
}

/// The first of four is lost: each of the others is a sample, though SND.UNA stays. Its repetition
/// is none (RFC 6298 section 3) for a congestion control; the timeout has its echo.
#[test]
fn selective_acknowledgments_are_samples_of_segments() {
    let (net, acks) = told(Samples::Segments, &[1]);
    let selective = (0, 1, Some(100));
    assert_eq!(acks, [selective, selective, selective, (4, 0, None)]);
    assert_eq!(net.sender.stats().rtt_samples, 4);
    let (net, acks) = told(Samples::Echo, &[1]);
    assert_eq!(acks[..3], [(0, 1, None); 3]);
    assert_eq!((acks[3].0, net.sender.stats().rtt_samples), (4, 1));
}

/// ns-2's coarse timer fires on its ticks.
#[test]
fn a_coarse_timer_fires_on_a_tick() {
    let config = TcpConfig { timer_tick: Span::from_ms(300), ..plain() };
    let mut net = Net::new("newreno", &config).with_fate(|_, _, _| lose()).start(MSS);
    net.run(at_ms(1500));
    assert_eq!(net.data().iter().map(|d| d.0).collect::<Vec<_>>(), [0, 1200]);
}

/// After a timeout slow start sends everything again; what SACK reported is skipped.
#[test]
fn going_back_skips_what_is_sacked() {
    // 1 and 2 of 4 are lost: two duplicates are too few for fast retransmit, without limited
    // transmit.
    let sent_again = |name| {
        let config = TcpConfig { limited_transmit: false, ..plain() };
        let mut net = Net::new(name, &config).lose_first(&[1, 2]).start(4 * MSS);
        net.run(at_ms(10_000));
        assert!(net.sender.finished());
        (
            net.data().into_iter().filter(|d| d.2).map(|d| (d.0, d.1)).collect::<Vec<_>>(),
            net.sender.stats().rtos,
        )
    };
    assert_eq!(sent_again("newreno"), (vec![(1000, 1), (1100, 2), (1100, 3)], 1));
    assert_eq!(sent_again("sack"), (vec![(1000, 1), (1100, 2)], 1));
}

/// Segments that the receiver holds do not count against cwnd, and retransmitted ones do: 1, 3, 5,
/// 7, 9 of 12 are lost, and no number of duplicates starts a recovery. ssthresh is 6; one segment,
/// then two for each ACK, up to six.
#[test]
fn slow_start_over_sacked_data() {
    let config = TcpConfig {
        dupack_threshold: 100,
        limited_transmit: false,
        initial_window: Packets(12.0),
        initial_window_bytes: Limit::Unlimited,
        ..plain()
    };
    let mut net = Net::new("sack", &config).lose_first(&[1, 3, 5, 7, 9]).start(u64::MAX);
    net.run(at_ms(1350));
    let data = net.data();
    let bursts: Vec<_> = [1000, 1100, 1200, 1300].map(|at| burst(&data, at)).into();
    assert_eq!(
        bursts,
        [vec![-1], vec![-3, -5], vec![-7, -9, 13, 14], vec![15, 16, 17, 18, 19, 20]]
    );
}

/// RFC 5681 section 4.2: one segment alone is acknowledged when the timer expires; two at once.
#[test]
fn a_delayed_ack_waits_for_a_second_segment_or_the_timer() {
    let config = TcpConfig {
        delayed_ack: DelayedAck::Second,
        delayed_ack_timeout: Span::from_ms(200),
        ..plain()
    };
    let acks = |bytes| {
        let mut net = Net::new("newreno", &config).start(bytes);
        net.run(at_ms(2000));
        let back = net.log.iter().filter(|s| s.way == Way::Back);
        back.map(|s| (ms(s.at), u64::from(s.segment.seq - 1) / MSS)).collect::<Vec<_>>()
    };
    assert_eq!(acks(MSS), [(250, 1)]);
    assert_eq!(acks(3 * MSS), [(50, 2), (250, 3)]);
    assert_eq!(acks(4 * MSS), [(50, 2), (50, 4)]);
}

/// The first segments are acknowledged one by one, those after them in pairs.
#[test]
fn quick_acks_at_the_start() {
    let config = TcpConfig { delayed_ack: DelayedAck::Second, quick_acks: 3, ..plain() };
    let mut net = Net::new("newreno", &config).start(7 * MSS);
    net.run(at_ms(60));
    let back = net.log.iter().filter(|s| s.way == Way::Back);
    assert_eq!(
        back.map(|s| u64::from(s.segment.seq - 1) / MSS).collect::<Vec<_>>(),
        [1, 2, 3, 5, 7]
    );
}

/// The last of each burst has PSH and is acknowledged at once; a segment alone is no burst, and the
/// end of the data has PSH, too. As observed in Linux 6.12: a burst at such a rate has two
/// segments.
#[test]
fn the_end_of_a_burst_is_acknowledged_at_once() {
    let config = TcpConfig {
        delayed_ack: DelayedAck::Second,
        push: true,
        initial_window: Packets(5.0),
        initial_window_bytes: Limit::Unlimited,
        ..plain()
    };
    let mut net = Net::new("newreno", &config).start(20 * MSS);
    net.run(at_ms(60));
    let forward = net.log.iter().filter(|s| s.way == Way::Forward);
    let pushed: Vec<_> = forward.map(|s| s.segment.flags & flag::PSH != 0).collect();
    assert_eq!(pushed, [false, true, false, true, false]);
    net.run(at_ms(5000));
    let last = net.log.iter().rfind(|s| s.way == Way::Forward);
    assert!(last.is_some_and(|s| s.segment.flags & flag::PSH != 0));
    let acks = |push| {
        let config = TcpConfig { push, ..config.clone() };
        let mut net = Net::new("newreno", &config).start(20 * MSS);
        net.run(at_ms(5000));
        let back = net.log.iter().filter(|s| s.way == Way::Back);
        back.map(|s| u64::from(s.segment.seq - 1) / MSS).collect::<Vec<_>>()
    };
    assert_eq!(acks(false)[..5], [2, 4, 6, 8, 10]);
    // The fifth segment waits for the next burst, 6 and 7: its first completes a pair, its second
    // has PSH.
    assert_eq!(acks(true)[..5], [2, 4, 6, 7, 9]);
}

/// Each acknowledgment of slow start makes room for two segments. A burst at this rate has three or
/// more, the more the faster it goes, and waits for room for all of it, as observed in Linux 6.12
/// at 100 Mbit/s. The end of the data does not wait.
#[test]
fn a_burst_waits_until_it_is_whole() {
    let sizes = |push| {
        let config = TcpConfig {
            push,
            initial_window: Packets(200.0),
            initial_window_bytes: Limit::Unlimited,
            ..plain()
        };
        let mut net = Net::new("newreno", &config);
        net.rate = Some(Rate::from_mbps(80));
        net = net.start(601 * MSS);
        net.run(at_ms(1000));
        assert!(net.sender.finished());
        let mut sizes = std::collections::BTreeMap::<_, u64>::new();
        for sent in net.log.iter().filter(|s| s.way == Way::Forward && s.at > at_ms(50)) {
            *sizes.entry(sent.at).or_default() += 1;
        }
        sizes.into_values().collect::<Vec<_>>()
    };
    assert!(sizes(false).iter().rev().skip(1).all(|n| *n == 2));
    let bursts = sizes(true);
    let (last, others) = bursts.split_last().unwrap();
    assert!(others.is_sorted() && others[0] == 3 && *others.last().unwrap() > 4, "{bursts:?}");
    assert_eq!(others.iter().sum::<u64>() + last, 401, "{bursts:?}");
}

/// Three selective acknowledgments go at once. Those after them wait for 5 % of the round trip and
/// the timer's slack, and one answers all that came meanwhile; what fills the gap is answered at
/// once. As documented and observed in Linux 6.12.
#[test]
fn selective_acknowledgments_share() {
    let config = TcpConfig {
        delayed_ack: DelayedAck::Second,
        compressed_sacks: true,
        handshake: true,
        initial_window: Packets(12.0),
        initial_window_bytes: Limit::Unlimited,
        ..plain()
    };
    // The first segment comes last; the others 0.4 ms apart. The handshake's round trip is 100 ms,
    // and 5 % of it more than the longest wait.
    let mut net = Net::new("sack", &config).with_fate(|way, n, _| match (way, n) {
        (Way::Forward, 2) => vec![Span::from_ms(9)],
        (Way::Forward, n) => vec![Span::from_us(400 * n)],
        _ => pass(),
    });
    net = net.start(11 * MSS);
    net.run(at_ms(400));
    let back = net.log.iter().filter(|s| s.way == Way::Back).skip(1);
    let blocks =
        |s: &Sent| s.extra.as_ref().map_or(0, |x| u64::from(x.sack[0].1 - x.sack[0].0) / MSS);
    let seen: Vec<_> = back.map(|s| (blocks(s), u64::from(s.segment.seq - 1) / MSS)).collect();
    assert_eq!(seen[..3], [(1, 0), (2, 0), (3, 0)]);
    assert_eq!(seen[3..7], [(6, 0), (9, 0), (10, 0), (0, 11)]);
    // What was sent again needlessly had arrived before: a report of each duplicate, at once.
    assert_eq!(seen[7..], [(1, 11), (1, 11)]);
}

/// RFC 9293 section 3.7.4: what does not fill a segment waits until all is acknowledged, and goes
/// at once without Nagle.
#[test]
fn nagle_holds_small_segments_back() {
    let sent = |nagle| {
        let mut net = Net::new("newreno", &TcpConfig { nagle, ..plain() });
        net.act(|s, now, out| s.open(now, out));
        for t in [0, 10, 20, 30] {
            net.run(at_ms(t));
            net.act(|s, now, out| s.write(now, 300, out));
        }
        net.run(at_ms(500));
        assert_eq!(net.receiver.stats().delivered_bytes, 1200);
        let data = net.log.iter().filter(|s| s.way == Way::Forward);
        data.map(|s| (ms(s.at), u64::from(s.segment.ip_len) - 40)).collect::<Vec<_>>()
    };
    assert_eq!(sent(false), [(0, 300), (10, 300), (20, 300), (30, 300)]);
    assert_eq!(sent(true), [(0, 300), (100, 900)]);
}

/// Out of order, filling a gap, and a duplicate: acknowledged at once.
#[test]
fn trouble_is_acknowledged_at_once() {
    let config = TcpConfig { delayed_ack: DelayedAck::Second, ..plain() };
    let mut net = Net::new("newreno", &config).with_fate(|way, n, _| match (way, n) {
        (Way::Forward, 1) => vec![Span::from_ms(10)],
        (Way::Forward, 3) => vec![Span::from_ms(20), Span::from_ms(30)],
        _ => pass(),
    });
    net = net.start(3 * MSS);
    net.run(at_ms(90));
    let back: Vec<_> =
        net.log.iter().filter(|s| s.way == Way::Back).map(|s| (ms(s.at), s.segment.seq)).collect();
    // 2 comes first, 1 fills the gap, 3 alone is delayed; its duplicate is not.
    assert_eq!(back, [(50, 1), (60, 2001), (80, 3001)]);
}

/// The application stops reading: probes at RTO, doubling; the window opens and data flows at once.
#[test]
fn zero_window_probes() {
    // A buffer of one segment, which the application leaves full.
    let config = TcpConfig { receive_window: Limit::Bytes(Bytes(MSS)), ..plain() };
    let mut net = Net::new("newreno", &config);
    net.answer(|r, now, out| r.offer(now, 0, out));
    net = net.start(MSS);
    net.run(at_ms(60));
    net.act(|s, now, out| s.write(now, 20 * MSS, out));
    net.run(at_ms(10_000));
    // The window closes at 100 ms; the RTO is 1 s. Each probe is one byte of segment 2, and is
    // refused.
    let probes: Vec<_> = net
        .log
        .iter()
        .filter(|s| s.way == Way::Forward && s.segment.ip_len == 41)
        .map(|s| ms(s.at))
        .collect();
    assert_eq!(probes, [1100, 3100, 7100]);
    assert_eq!(net.receiver.stats().delivered_bytes, MSS);
    assert_eq!((net.sender.stats().probes, net.sender.stats().rtos), (3, 0));
    net.answer(|r, now, out| r.offer(now, 5 * MSS, out));
    net.run(at_ms(11_000));
    assert!(net.receiver.stats().delivered_bytes > 10 * MSS);
    let flights = net.log.iter().filter(|s| s.way == Way::Forward && ms(s.at) == 10_050).count();
    assert_eq!(flights, 5, "the window allows five segments");
}

/// A receiver without window scaling holds the sender to 65,535 bytes.
#[test]
fn without_scaling_the_window_is_65535() {
    let config = TcpConfig { window_scaling: false, handshake: true, ..plain() };
    let mut net = Net::new("newreno", &config).start(u64::MAX);
    net.run(at_ms(2030));
    assert_eq!(net.sender.view().in_flight, 65 * MSS);
    let before = net.sender.view().cwnd;
    net.run(at_ms(3000));
    assert_eq!(net.sender.view().cwnd, before, "a window that does not limit does not grow");
}

/// RFC 5681 section 4.1: after more than an RTO without sending, min(IW, cwnd).
#[test]
fn idle_restarts_from_the_initial_window() {
    let first_burst = |restart_after_idle, idle_ms: u64| {
        let config = TcpConfig { restart_after_idle, ..plain() };
        let mut net = Net::new("newreno", &config);
        net.act(|s, now, out| s.open(now, out));
        net.act(|s, now, out| s.write(now, 70 * MSS, out));
        net.run(at_ms(350));
        assert!(net.sender.view().in_flight == 0 && net.sender.view().cwnd >= 40 * MSS);
        net.run(at_ms(350 + idle_ms));
        net.act(|s, now, out| s.write(now, 70 * MSS, out));
        burst(&net.data(), 350 + idle_ms).len()
    };
    assert_eq!(first_burst(true, 2000), 10);
    assert!(first_burst(true, 500) >= 40);
    assert!(first_burst(false, 2000) >= 40);
}

/// A fixed window, sent at a rate.
struct Paced;
impl CongestionControl for Paced {
    fn on_ack(&mut self, _: &Ack, _: &mut Commands) {}
    fn on_congestion(&mut self, _: &Congestion<'_>, _: &mut Commands) {}
    fn cwnd(&self) -> u64 {
        100 * MSS
    }
    fn pacing(&self) -> Option<Rate> {
        Some(Rate::from_bps(8 * 1040 * 100))
    }
}

#[test]
fn pacing_spaces_segments_by_their_length() {
    let mut net = Net::of(Sender::new(plain(), |_| Paced), Receiver::new(plain())).start(u64::MAX);
    net.run(at_ms(995));
    let times: Vec<Time> = net.log.iter().filter(|s| s.way == Way::Forward).map(|s| s.at).collect();
    assert_eq!(times.len(), 100);
    assert!(times.windows(2).all(|w| w[1].since(w[0]) == Span::from_ms(10)));
}

/// The FIN is repeated like data, and finishes both ends.
#[test]
fn a_lost_fin_is_sent_again() {
    let config = TcpConfig { handshake: true, ..plain() };
    let mut net = Net::new("newreno", &config).with_fate(|way, _, s| {
        let first_fin =
            way == Way::Forward && s.flags & flag::FIN != 0 && s.flags & flag::RETRANSMIT == 0;
        if first_fin { lose() } else { pass() }
    });
    net = net.start(2 * MSS);
    net.run(at_ms(150));
    net.act(|s, now, out| s.close(now, out));
    net.run(at_ms(10_000));
    assert!(net.sender.finished() && net.receiver.finished());
    assert_eq!((net.sender.stats().rtos, net.receiver.stats().delivered_bytes), (1, 2 * MSS));
}

/// RFC 2018 section 8: a receiver may drop what it has reported. All of it goes again after a
/// timeout.
#[test]
fn what_a_receiver_forgets_is_sent_again() {
    let config = TcpConfig { initial_window: Packets(10.0), ..plain() };
    for (name, config) in [("dupack", config.clone()), ("rack", modern())] {
        let mut net = Net::new("sack", &config).lose_first(&[1]).start(10 * MSS);
        net.run(at_ms(120));
        assert!(net.sender.stats().retransmits > 0, "{name}: the hole is known");
        net.receiver = net.sender.receiver();
        net.run(at_ms(60_000));
        assert!(net.sender.finished(), "{name}");
        assert_eq!(net.receiver.stats().delivered_bytes, 10 * MSS, "{name}");
    }
}
