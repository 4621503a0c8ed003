//! Samples worked out by hand, and a plain transcription of the draft.
use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

const MSS: u64 = 1000;

fn ms(t: u64) -> Time {
    Time::ZERO + Span::from_ms(t)
}

/// Sends the `n`-th segment of 1000 bytes, from 0 on.
fn send(rates: &mut Rates, at: u64, n: u64) {
    rates.on_sent(ms(at), n * MSS, (n + 1) * MSS, true);
}

/// Everything below the `n`-th segment arrives.
fn ack(rates: &mut Rates, at: u64, n: u64) -> Option<RateSample> {
    rates.on_acked(ms(at), n * MSS);
    rates.sample(ms(at))
}

fn sack(rates: &mut Rates, at: u64, n: u64) -> Option<RateSample> {
    rates.on_sacked(ms(at), n * MSS, (n + 1) * MSS);
    rates.sample(ms(at))
}

/// (delivered, interval in ms, prior delivered), of a valid sample.
fn brief(sample: Option<RateSample>) -> Option<(u64, u64, u64)> {
    sample.map(|s| (s.delivered, s.interval.ps() / 1_000_000_000, s.prior_delivered))
}

/// A segment each 10 ms over a path of 100 ms: from the second round on each sample is 1000 bytes
/// per 10 ms.
#[test]
fn a_constant_rate() {
    let mut rates = Rates::new(0);
    let (mut sent, mut acked) = (0, 0);
    for t in (0..1000).step_by(10) {
        if t >= 100 {
            let s = ack(&mut rates, t, acked + 1).unwrap();
            acked += 1;
            let round = t / 100;
            if round >= 2 {
                // Sent in the instant of an acknowledgment, and before it: ten segments were on
                // their way.
                assert_eq!((s.delivered, s.interval), (10 * MSS, Span::from_ms(100)), "at {t}");
                assert_eq!(s.bytes_per_second(), Some(1e5));
            } else {
                // Of the first flight: sent in 10 ms each, but the interval lasts until the
                // acknowledgment.
                assert_eq!(
                    (s.delivered, s.interval.ps() / 1_000_000_000),
                    (acked * MSS, t),
                    "at \
                    {t}"
                );
            }
            assert_eq!((s.rtt, s.total_delivered), (Some(Span::from_ms(100)), acked * MSS));
        }
        send(&mut rates, t, sent);
        sent += 1;
    }
}

/// Ten segments sent over 90 ms are acknowledged by one acknowledgment soon after: the sending
/// rate caps the estimate (section 4.1.1.2.4).
#[test]
fn aggregated_acknowledgements_do_not_exaggerate() {
    let mut rates = Rates::new(0);
    for n in 0..10 {
        send(&mut rates, 10 * n, n);
    }
    assert_eq!(brief(ack(&mut rates, 100, 1)), Some((1000, 100, 0)));
    // P = the tenth: C.delivered_time was 0 when it left, and so was C.first_send_time: 190 ms.
    assert_eq!(brief(ack(&mut rates, 190, 10)), Some((10_000, 190, 0)));
    // A new flight from 200 ms on, a segment each 10 ms, held back on the way and acknowledged at
    // once at 400 ms.
    for n in 10..20 {
        send(&mut rates, 200 + 10 * (n - 10), n);
    }
    assert_eq!(brief(ack(&mut rates, 400, 20)), Some((10_000, 200, 10_000)));
    // Compressed: sent evenly while acknowledgments of the flight before come in a burst at the
    // end.
    let mut rates = Rates::new(0);
    (0..4).for_each(|n| send(&mut rates, 30 * n, n));
    assert_eq!(brief(ack(&mut rates, 120, 1)), Some((1000, 120, 0)));
    send(&mut rates, 120, 4);
    assert_eq!(brief(ack(&mut rates, 150, 2)), Some((2000, 150, 0)));
    send(&mut rates, 150, 5);
    assert_eq!(brief(ack(&mut rates, 240, 4)), Some((4000, 240, 0)));
    // Segment 4: sent 120 after 0 (send 120 - 0), acknowledged 241 - 120 = 121 after the last
    // delivery at its sending.
    assert_eq!(brief(ack(&mut rates, 241, 5)), Some((4000, 121, 1000)));
    // Segment 5: send 150 - 30 = 120, ack 242 - 150 = 92, which is less than the least round trip,
    // too.
    assert_eq!(brief(ack(&mut rates, 242, 6)), Some((4000, 120, 2000)));
}

/// The samples of what is sent while the application has too little, and of the round trip after
/// it, say so; then no more.
#[test]
fn application_limited() {
    let mut rates = Rates::new(0);
    (0..4).for_each(|n| send(&mut rates, 0, n));
    assert!(!ack(&mut rates, 100, 2).unwrap().app_limited);
    // Two segments fly, the window has room, nothing waits: limited until 4000 bytes are delivered.
    rates.short_of_data(10 * MSS);
    assert_eq!(rates.limited_until, 4000);
    send(&mut rates, 110, 4);
    assert!(!ack(&mut rates, 120, 4).unwrap().app_limited, "sent before");
    send(&mut rates, 130, 5);
    let s = ack(&mut rates, 210, 5).unwrap();
    assert!(s.app_limited && s.total_delivered == 5000);
    // More than 4000 are delivered: what goes now is limited no more; the sixth still was.
    send(&mut rates, 220, 6);
    assert!(ack(&mut rates, 230, 6).unwrap().app_limited);
    assert!(!ack(&mut rates, 320, 7).unwrap().app_limited);
    // A full window, or a loss to repair, is no lack of data.
    send(&mut rates, 400, 7);
    rates.short_of_data(MSS);
    assert_eq!(rates.limited_until, 0);
    rates.on_lost(7000, 8000, true);
    rates.short_of_data(10 * MSS);
    assert_eq!(rates.limited_until, 0);
}

/// After silence the interval begins at the next sending, not at the last acknowledgment (section
/// 4.1.2.2).
#[test]
fn silence_is_not_counted() {
    let mut rates = Rates::new(0);
    send(&mut rates, 0, 0);
    assert_eq!(brief(ack(&mut rates, 100, 1)), Some((1000, 100, 0)));
    send(&mut rates, 5000, 1);
    assert_eq!(brief(ack(&mut rates, 5100, 2)), Some((1000, 100, 1000)));
}

/// A segment that was sent again counts from its last sending; a sample shorter than the least
/// round trip is none.
#[test]
fn retransmissions() {
    let mut rates = Rates::new(0);
    (0..5).for_each(|n| send(&mut rates, 0, n));
    for n in 1..4 {
        assert_eq!(brief(sack(&mut rates, 100, n)), Some((n * 1000, 100, 0)));
    }
    rates.on_lost(0, 1000, true);
    assert_eq!((rates.flying, rates.unrepaired, rates.lost), (1000, 1000, 1000));
    send(&mut rates, 100, 0);
    assert_eq!((rates.flying, rates.unrepaired), (2000, 0));
    // The fifth arrives late; one segment was lost since it was sent, found before this
    // acknowledgment.
    let s = sack(&mut rates, 120, 4).unwrap();
    assert_eq!((s.lost, s.newly_lost, s.in_flight, s.pipe), (1000, 1000, 5000, 1000));
    assert_eq!(s.loss, LossSample { in_flight: 1000, lost: 1000, app_limited: false, ranges: 1 });
    assert_eq!(
        (s.rtt, s.delivered, s.interval),
        (Some(Span::from_ms(120)), 4000, Span::from_ms(120))
    );
    // The repetition: from its own sending, 100 ms, when 3000 were delivered.
    let s = ack(&mut rates, 200, 5).unwrap();
    assert_eq!(
        (s.delivered, s.interval, s.prior_delivered, s.rtt),
        (2000, Span::from_ms(100), 3000, None)
    );
    assert_eq!((s.lost, s.newly_lost, s.total_delivered, s.pipe), (0, 0, 5000, 0));
    // A repetition after a needless timeout, whose original arrives: 20 ms is no round trip of this
    // path.
    (5..7).for_each(|n| send(&mut rates, 300, n));
    assert_eq!(brief(ack(&mut rates, 400, 6)), Some((1000, 100, 5000)));
    rates.lose_all();
    send(&mut rates, 410, 6);
    let s = ack(&mut rates, 430, 7).unwrap();
    assert_eq!((s.delivered, s.interval), (1000, Span::ZERO));
    assert_eq!(s.bytes_per_second(), None);
}

/// A timeout loses what flies, once; what it was wrong about flies again.
#[test]
fn timeouts() {
    let mut rates = Rates::new(0);
    (0..4).for_each(|n| send(&mut rates, 0, n));
    sack(&mut rates, 100, 2);
    rates.lose_all();
    assert_eq!((rates.flying, rates.unrepaired, rates.lost), (0, 3000, 3000));
    rates.forgive();
    assert_eq!((rates.flying, rates.unrepaired, rates.lost), (3000, 0, 3000));
    rates.lose_all();
    send(&mut rates, 500, 0);
    assert_eq!((rates.flying, rates.unrepaired, rates.lost), (1000, 2000, 6000));
    let s = ack(&mut rates, 600, 4).unwrap();
    // The newest is the repetition, though it is the lowest: sent at 500, when 1000 bytes were
    // delivered.
    assert_eq!(
        (s.delivered, s.prior_delivered, s.interval, s.pipe),
        (3000, 1000, Span::from_ms(100), 0)
    );
    assert_eq!((s.newly_lost, s.loss.ranges), (6000, 4), "0 and 1, and 3; both times");
}

/// Ranges that do not fit segments are cut; a segment acknowledged in parts counts in parts.
#[test]
fn odd_boundaries() {
    let mut rates = Rates::new(0);
    (0..3).for_each(|n| send(&mut rates, 0, n));
    rates.on_acked(ms(100), 500);
    assert_eq!(brief(rates.sample(ms(100))), Some((500, 100, 0)));
    rates.on_sacked(ms(110), 1200, 2300);
    assert_eq!(brief(rates.sample(ms(110))), Some((1600, 110, 0)));
    assert_eq!(rates.flying, 3000 - 1600);
    rates.on_sent(ms(120), 500, 1500, true);
    assert_eq!((rates.flying, rates.lost), (1400, 700));
    // Sent 120 ms after the segment that was delivered last, which left at 0; acknowledged 110 ms
    // after that delivery.
    assert_eq!(brief(ack(&mut rates, 220, 4)), Some((1400, 120, 1600)));
    assert!(rates.segments.is_empty() && rates.flying == 0);
}

/// The draft, as it is written: a table of packets, looked through from end to end.
#[derive(Default)]
struct Plain {
    packets: BTreeMap<u64, Packet>,
    delivered: u64,
    delivered_time: u64,
    first_send_time: u64,
    inflight: u64,
    min_rtt: u64,
}

#[derive(Clone, Copy, PartialEq)]
struct Packet {
    delivered: u64,
    delivered_time: u64,
    first_send_time: u64,
    send_time: u64,
    again: bool,
    acked: bool,
}

impl Plain {
    fn on_sent(&mut self, now: u64, n: u64) {
        let again = self.packets.contains_key(&n);
        if self.inflight == 0 {
            (self.first_send_time, self.delivered_time) = (now, now);
        }
        self.inflight += u64::from(!again);
        let (delivered, delivered_time, first_send_time) =
            (self.delivered, self.delivered_time, self.first_send_time);
        let packet = Packet {
            delivered,
            delivered_time,
            first_send_time,
            send_time: now,
            again,
            acked: false,
        };
        self.packets.insert(n, packet);
    }
    /// (delivered, interval, prior delivered); 0 where it is not valid.
    fn on_ack(&mut self, now: u64, numbers: &[u64]) -> Option<(u64, u64, u64)> {
        let mut newest: Option<(u64, Packet)> = None;
        for n in numbers {
            let p = self.packets.get_mut(n).filter(|p| !p.acked)?;
            p.acked = true;
            (self.delivered, self.delivered_time, self.inflight) =
                (self.delivered + MSS, now, self.inflight - 1);
            if newest.is_none_or(|(m, q)| (p.send_time, *n) > (q.send_time, m)) {
                newest = Some((*n, *p));
                self.first_send_time = p.send_time;
            }
        }
        let (_, p) = newest?;
        if !p.again {
            self.min_rtt = self.min_rtt.min(now - p.send_time);
        }
        let interval = (p.send_time - p.first_send_time).max(now - p.delivered_time);
        Some((
            self.delivered - p.delivered,
            if interval < self.min_rtt { 0 } else { interval },
            p.delivered,
        ))
    }
}

proptest! {
    /// Sendings, repetitions, cumulative and selective acknowledgments in any order: as the
    /// transcription; and all that is acknowledged is delivered, once.
    #[test]
    fn agrees_with_the_draft(steps in prop::collection::vec((0u8..5, 0u64..8, 0u64..30), 1..150)) {
        let mut rates = Rates::new(0);
        let mut plain = Plain { min_rtt: u64::MAX, ..Plain::default() };
        let (mut now, mut next, mut una) = (1, 0, 0);
        for (kind, which, pause) in steps {
            now += pause;
            let outstanding: Vec<u64> = (una..next).filter(|n| !plain.packets[n].acked).collect();
            let one = outstanding.get(which as usize % outstanding.len().max(1)).copied();
            match (kind, one) {
                (0 | 1, _) | (_, None) => {
                    plain.on_sent(now, next);
                    send(&mut rates, now, next);
                    next += 1;
                }
                (2, Some(n)) => {
                    plain.on_sent(now, n);
                    send(&mut rates, now, n);
                }
                (3, Some(n)) => {
                    prop_assert_eq!(brief(sack(&mut rates, now, n)), plain.on_ack(now, &[n]))
                }
                (_, Some(n)) => {
                    let numbers: Vec<u64> =
                        outstanding.iter().copied().filter(|m| *m <= n).collect();
                    una = (n + 1..next).find(|m| !plain.packets[m].acked).unwrap_or(next);
                    prop_assert_eq!(brief(ack(&mut rates, now, una)), plain.on_ack(now, &numbers));
                }
            }
            prop_assert_eq!(
                (rates.delivered, rates.flying),
                (plain.delivered, plain.inflight * MSS)
            );
        }
        ack(&mut rates, now + 1, next);
        prop_assert_eq!((rates.delivered, rates.flying, rates.unrepaired), (next * MSS, 0, 0));
    }
}
