//! TCP Jersey in a sender: a loss without a congestion warning is repaired by NewReno, and takes
//! nothing from the window.
use crate::harness::*;
use dumbbell_core::packet::Ecn;
use dumbbell_core::transport::{CongestionControl, Phase};
use dumbbell_core::units::{Limit, Packets};
use dumbbell_tcp::TcpConfig;

/// Slow start ends at 16 segments.
fn config() -> TcpConfig {
    TcpConfig { initial_ssthresh: Limit::Packets(Packets(16.0)), ..plain() }
}

/// Segments 60, and with `several` 62 and 65, are lost from a window of sixteen. With `warned`
/// those from 40 to 80 carry a mark. The windows before the repair and after it and the threshold
/// then, in segments, and what was sent again.
fn repaired(several: bool, warned: bool) -> (f64, f64, f64, Vec<u64>) {
    let mut lost = if several { vec![60, 62, 65] } else { vec![60] };
    let mut net = Net::new("jersey", &config()).with_fate(move |way, _, s| {
        let number = u64::from(s.seq.wrapping_sub(1)) / MSS + 1;
        if way == Way::Forward && warned && (40..80).contains(&number) {
            s.ecn = Ecn::Ce;
        }
        match lost.iter().position(|n| way == Way::Forward && *n == number) {
            Some(i) => {
                lost.remove(i);
                lose()
            }
            None => pass(),
        }
    });
    net = net.start(400 * MSS);
    let mut before = 0.0;
    while net.sender.stats().recoveries == 0 {
        before = net.sender.cwnd() as f64 / MSS as f64;
        net.run(net.now + dumbbell_core::units::Span::from_ms(1));
    }
    while net.sender.view().phase != Phase::Open {
        net.run(net.now + dumbbell_core::units::Span::from_ms(1));
    }
    let after = net.sender.cwnd() as f64 / MSS as f64;
    let ssthresh = net.sender.view().ssthresh.unwrap() as f64 / MSS as f64;
    net.run(at_ms(60_000));
    assert!(net.sender.finished());
    assert_eq!((net.sender.stats().rtos, net.sender.stats().recoveries), (0, 1));
    (before, after, ssthresh, net.data().into_iter().filter(|d| d.2).map(|d| d.1).collect())
}

#[test]
fn a_loss_without_a_warning_leaves_the_window() {
    for several in [false, true] {
        let (before, after, ssthresh, again) = repaired(several, false);
        assert!(before > 16.0 && after >= before && after < before + 1.5, "{before} {after}");
        assert_eq!(ssthresh, 16.0);
        assert_eq!(
            again,
            if several { vec![60, 62, 65] } else { vec![60] },
            "each partial \
            acknowledgment one"
        );
    }
}

/// With one the estimate becomes the threshold: about a window in a round trip, which is all that
/// the sender let the path carry.
#[test]
fn a_loss_with_a_warning_asks_the_estimate() {
    let (before, after, ssthresh, again) = repaired(false, true);
    assert!(
        ssthresh != 16.0 && (0.7 * before..1.7 * before).contains(&ssthresh),
        "{before} \
        {ssthresh}"
    );
    assert!(after < before + 2.0, "{before} {after}");
    assert_eq!(again, [60]);
}

/// The echo that Jersey wants is each packet's own: its sender asks for that, and for NewReno.
#[test]
fn it_implies_its_echo() {
    let net = Net::new("jersey", &config());
    let implied = net.sender.cc().tcp_overrides();
    assert_eq!((implied.ecn, implied.recovery), (Some("per_packet"), Some("newreno")));
}
