//! What a session comes to: at a link of a fixed rate, at one that falls, after losses and without
//! reports.
use crate::harness::{Net, mbps, ms};
use dumbbell_core::units::Span;
use dumbbell_scream::ScreamConfig;

fn fixed_target() -> ScreamConfig {
    ScreamConfig { competing: false, ..ScreamConfig::default() }
}

/// The link is nearly full, the queue delay stays at the target or below, and few packets wait in
/// the RTP queue.
#[test]
fn a_link_of_a_fixed_rate_is_filled_with_a_queue_about_the_target() {
    // The increase of a fifth of RAMP_UP_SPEED has to be less than a twentieth of the rate.
    for (rate, ramp_up) in [(0.5, 0.05), (1.0, 0.1), (2.0, 0.2), (4.0, 0.2)] {
        let end = ms(60_000);
        let config = ScreamConfig { ramp_up: mbps(ramp_up), ..fixed_target() };
        let mut net = Net::new(config, mbps(rate), end);
        net.run(end);
        let (sent, queued) = (net.sent_bps(ms(30_000), end), net.queued(ms(30_000), end));
        let media = net.media();
        assert!(sent > 0.9 * rate * 1e6 && sent < 1.01 * rate * 1e6, "{rate}: {sent}");
        assert!(queued < 0.12, "{rate}: {queued}");
        assert!(media.rtp_queue_s[0].unwrap() < 0.06, "{rate}: {media:?}");
        // Nothing is lost; a frame may be on its way at the end.
        assert!(media.lost <= 1, "{rate}: {media:?}");
    }
}

/// RFC 8298 section 4.1.3 at a low rate r, where RAMP_UP_SPEED does not hold the increase: it
/// equals the decrease to 0.95 when scale x (r - queue) = r / 19, so that the RTP queue stands at
/// r (1 - 1 / (19 scale)), with a scale of 0.2 to 1: 0.74 s to 0.95 s.
#[test]
fn the_rfcs_constants_leave_a_queue_of_rtp_packets_at_low_rates() {
    let end = ms(120_000);
    let mut net = Net::new(fixed_target(), mbps(0.5), end);
    net.run(end);
    let mean = net.media().rtp_queue_s[0].unwrap();
    assert!((0.70..0.97).contains(&mean), "{mean}");
}

/// A coder that needs less than the link has no queue, and reaches its highest rate.
#[test]
fn a_fast_link_carries_the_highest_rate_without_a_queue() {
    let end = ms(60_000);
    let mut net = Net::new(fixed_target(), mbps(20.0), end);
    net.run(end);
    let sent = net.sent_bps(ms(40_000), end);
    let headers = 1028.0 / 1000.0;
    assert!((sent / 5e6 / headers - 1.0).abs() < 0.02, "{sent}");
    assert!(net.queued(ms(40_000), end) < 0.01);
    assert_eq!(net.media().late, 0);
}

/// The link falls to a third: the queue is back below twice the target after two seconds, and the
/// rate follows.
#[test]
fn the_queue_recovers_from_a_fall_of_the_rate() {
    let end = ms(60_000);
    let mut net = Net::new(fixed_target(), mbps(3.0), end);
    net.run(ms(30_000));
    net.rate = mbps(1.0);
    net.run(end);
    let at_once = net.queued(ms(30_000), ms(31_000));
    let later = net.queued(ms(34_000), ms(40_000));
    assert!(at_once > 0.05 && later < 0.12, "{at_once} {later}");
    assert!((0.75e6..1.01e6).contains(&net.sent_bps(ms(40_000), end)));
}

/// RFC 8298 section 4.1.2.1: one loss takes a fifth of the window and a tenth of the target.
#[test]
fn a_loss_is_answered_by_window_and_rate() {
    let end = ms(20_000);
    let mut net = Net::new(fixed_target(), mbps(20.0), end).fate(|number, _| number != 300);
    let mut before = (0, 0);
    while net.media().stats.loss_events == 0 {
        before = (net.sender.cwnd(), net.sender.media_rate().bps());
        let next = net.now + Span::from_ms(1);
        net.run(next);
    }
    let after = (net.sender.cwnd(), net.sender.media_rate().bps());
    assert!((after.0 as f64 / before.0 as f64 - 0.8).abs() < 1e-3, "{before:?} {after:?}");
    assert!((after.1 as f64 / before.1 as f64 - 0.9).abs() < 0.03, "{before:?} {after:?}");
}

/// Without reports, packets leave at the probe's interval, and old frames are discarded.
#[test]
fn without_reports_a_packet_goes_each_half_second() {
    let end = ms(20_000);
    let mut net = Net::new(fixed_target(), mbps(20.0), end);
    net.run(ms(10_000));
    let sent = net.media.len();
    net.fate = Box::new(|_, _| false);
    net.run(end);
    let late: Vec<f64> =
        net.media[sent..].iter().map(|(at, ..)| at.seconds()).filter(|at| *at > 12.0).collect();
    assert!(late.windows(2).all(|pair| pair[1] - pair[0] >= 0.5 - 1e-9), "{late:?}");
    assert!((14..=17).contains(&late.len()), "{}", late.len());
    assert!(net.media().stats.discarded_frames > 150);
}
