use super::super::reno::Reno;
use super::*;
use crate::cc::parts::self_marking::{IN, OUT};
use crate::cc::parts::test_connection::{MSS, TestConnection, near, path};

/// 1 Mbps in packets of 1000 + 40 bytes: 8.32 ms each. R at 100 ms is 12 500 bytes of packets, 12
/// 019 of payload.
fn rate() -> Option<Rate> {
    Some(Rate::from_mbps(1))
}
const R: f64 = 12.019;

fn config() -> TimedTransmissionConfig {
    TimedTransmissionConfig { rate: rate(), ..TimedTransmissionConfig::default() }
}

fn at(w: f64, config: &TimedTransmissionConfig) -> TestConnection<TimedTransmission> {
    TestConnection::on(&Path { rtt: Some(Span::from_ms(100)), ..path(w, false) }, config)
}

fn sent(d: &TestConnection<TimedTransmission>, now: Time) -> Sent {
    Sent::new(now, 1, MSS, false, d.cc.cwnd())
}

/// The card's check: r = 0 is Reno, whatever happens; and so is a flow without a reservation.
#[test]
fn without_a_reservation_it_is_reno() {
    for rate in [None, Some(Rate::from_bps(0))] {
        let config = TimedTransmissionConfig { rate, ..TimedTransmissionConfig::default() };
        let (mut d, mut reno) =
            (at(20.0, &config), TestConnection::<Reno>::at(20.0, &Default::default()));
        assert_eq!(d.cc.capabilities(), reno.cc.capabilities());
        for i in 0..600 {
            d.ack(1 + i % 2);
            reno.ack(1 + i % 2);
            let cause = match i {
                _ if i % 97 == 96 => Cause::Loss,
                _ if i % 150 == 149 => Cause::Ecn,
                _ if i % 190 == 189 => Cause::Timeout { first: i % 380 == 189 },
                _ if i == 300 => Cause::Spurious,
                _ => Cause::Further,
            };
            d.congest(cause);
            reno.congest(cause);
            assert_eq!(
                (d.cc.cwnd(), d.cc.ssthresh()),
                (reno.cc.cwnd(), reno.cc.ssthresh()),
                "{i} \
                {cause:?}"
            );
        }
        let now = d.now;
        let sent = sent(&d, now);
        assert_eq!((d.cc.on_sent(&sent), d.cc.next_timer()), (Tag(0), Time::NEVER));
    }
}

/// R is part of the window as soon as a round-trip time is known; E = 20 segments grows by one in a
/// round trip of 32.
#[test]
fn the_window_is_what_is_reserved_and_an_excess() {
    let mut d = at(20.0, &config());
    d.ack(1);
    near(d.gauge("reserved_window") / 1e3, R, 0.001);
    near(d.gauge("excess_window") / 1e3, 20.0 + 1.0 / 32.0, 0.01);
    d.round();
    near(d.w(), 21.0 + R, 0.1);
    // R follows the round-trip time, and takes cwnd and ssthresh with it; E stays.
    let (excess, ssthresh) = (d.gauge("excess_window"), d.ssthresh());
    d.rtt = Span::from_ms(200);
    d.ack(1);
    near(d.gauge("reserved_window") / 1e3, 2.0 * R, 0.001);
    near(d.gauge("excess_window"), excess, 40.0);
    near(d.ssthresh() - ssthresh, R, 0.001);
}

/// At R + 20: a loss leaves R + 10, another R + 5; E never goes below nothing, and R stays.
#[test]
fn a_loss_takes_half_of_the_excess() {
    let mut d = at(20.0, &config());
    d.ack(1);
    for excess in [10.0, 5.0, 2.5] {
        d.lose();
        near(d.w(), R + excess, 0.03);
        assert_eq!(d.w(), d.ssthresh());
    }
    // With less than R on its way a loss takes nothing; all of Reno's half without the split.
    d.cc.on_congestion(
        &Congestion::new(d.now, Cause::Loss, 5 * MSS, &[]),
        &mut Commands::default(),
    );
    near(d.w(), R, 0.001);
    let mut whole = at(20.0, &TimedTransmissionConfig { split: false, ..config() });
    whole.ack(1);
    whole.lose();
    near(whole.w(), 10.0, 0.03);
}

/// A timeout leaves a segment, and slow start leads back to R + E/2; R joins no window that is
/// smaller than it.
#[test]
fn a_timeout_leaves_a_segment() {
    let mut d = at(20.0, &config());
    d.ack(1);
    d.congest(Cause::Timeout { first: true });
    assert_eq!(d.w(), 1.0);
    near(d.ssthresh(), R + 10.0, 0.03);
    for n in 2..20 {
        d.ack(1);
        assert_eq!(d.w(), f64::from(n));
    }
    d.congest(Cause::Timeout { first: false });
    near(d.ssthresh(), R + 10.0, 0.03);
}

/// B = 12 500 bytes hold 12 packets of 1040; then one each 8.32 ms. In any time t IN is at most B +
/// r t.
#[test]
fn segments_that_find_their_tokens_are_in() {
    let mut d = at(20.0, &config());
    let colors: Vec<Tag> = (0..14).map(|_| d.cc.on_sent(&sent(&d, Time::ZERO))).collect();
    assert_eq!((&colors[..12], &colors[12..]), (&[IN; 12][..], &[OUT; 2][..]));
    let (mut bytes, mut now) = (12 * 1040, Time::ZERO);
    for i in 1..500u64 {
        now += Span::from_us(i * 37 % 9000);
        let s = sent(&d, now);
        bytes += if d.cc.on_sent(&s) == IN { 1040 } else { 0 };
        assert!(bytes <= 12_500 + Rate::from_mbps(1).bytes_in(now.since(Time::ZERO)));
    }
    // They found none unused for long.
    assert!(bytes + 13_540 > Rate::from_mbps(1).bytes_in(now.since(Time::ZERO)));
    assert_eq!(
        [IN, OUT, Tag(0)].map(|t| d.cc.codepoint(t)),
        [Some(Dscp(10)), Some(Dscp(12)), None]
    );
}

/// It looks each packet's time, at most each 20 ms; sends what there are tokens for; and rests when
/// nothing stirs.
#[test]
fn the_timer_sends_what_the_tokens_allow() {
    for (kbps, us) in [(1000, 8_320), (10_000, 832), (100, 20_000)] {
        let config =
            TimedTransmissionConfig { rate: Some(Rate::from_bps(1000 * kbps)), ..config() };
        let mut d = at(2.0, &config);
        assert_eq!(d.cc.next_timer(), Time::NEVER);
        d.cc.on_sent(&sent(&d, Time::ZERO));
        assert_eq!(d.cc.next_timer(), Time::ZERO + Span::from_us(us), "{kbps}");
    }
    let mut d = at(2.0, &config());
    (0..12).for_each(|_| assert_eq!(d.cc.on_sent(&sent(&d, Time::ZERO)), IN));
    let look = |d: &mut TestConnection<TimedTransmission>| {
        let (now, mut commands) = (d.cc.next_timer(), Commands::default());
        d.cc.on_timer(now, &mut commands);
        (now, commands.ahead)
    };
    // 20 bytes are left, and a look brings 1040: one segment, unless it went by itself.
    let (now, ahead) = look(&mut d);
    assert_eq!((ahead, d.cc.next_timer()), (1, now + Span::from_us(8320)));
    d.cc.on_sent(&sent(&d, now));
    let (now, ahead) = look(&mut d);
    assert_eq!(ahead, 1);
    // The sender had nothing to send: the next look finds two, and is the last one, until something
    // stirs.
    assert_eq!((look(&mut d).1, d.cc.next_timer()), (2, Time::NEVER));
    d.now = now + Span::from_secs(1);
    d.ack(1);
    assert_eq!(d.cc.next_timer(), d.now + Span::from_us(8320));
    assert_eq!(look(&mut d).1, 12, "a full bucket and no more");
    let mut untimed = at(2.0, &TimedTransmissionConfig { timed: false, ..config() });
    untimed.ack(1);
    assert_eq!((untimed.cc.next_timer(), untimed.cc.capabilities().timer), (Time::NEVER, false));
}

#[test]
fn a_period_or_a_codepoint_that_is_none_is_refused() {
    let wrong = |config: TimedTransmissionConfig| config.check().unwrap_err().at;
    let looks_after = |us| TimedTransmissionConfig { period: Some(Span::from_us(us)), ..config() };
    assert_eq!((wrong(looks_after(9)), looks_after(10).check().is_ok()), ("period".into(), true));
    assert_eq!(wrong(TimedTransmissionConfig { inside: "af14".into(), ..config() }), "in");
    assert_eq!(wrong(TimedTransmissionConfig { burst: Limit::Bdp(0.0), ..config() }), "burst");
}
