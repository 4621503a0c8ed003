//! Every congestion control of the catalogue under every profile: the receiver's application stops
//! reading, the window closes, and opens again unheard. Nothing is lost of it but time.
use crate::harness::*;
use dumbbell_algos::cc;
use dumbbell_core::units::{Bytes, Limit, Rate};
use dumbbell_tcp::TcpConfig;
use std::cell::Cell;
use std::rc::Rc;

const SEGMENTS: u64 = 400;
const WINDOW: u64 = 30 * MSS;
/// The times at which the application stops reading and reads on, milliseconds.
const PAUSES: [(u64, u64); 3] = [(250, 4_000), (4_600, 4_900), (20_000, 50_000)];

/// A transfer over 8 Mbps, 100 ms there and back, by an application that pauses. Every other window
/// update is lost: only a probe can find out.
fn pausing(control: &str, config: &TcpConfig) -> Net<cc::AnyCc> {
    let deaf = Rc::new(Cell::new(false));
    let ear = deaf.clone();
    let mut net = Net::new(control, config).with_fate(move |way, _, _| {
        if way == Way::Back && ear.replace(false) { lose() } else { pass() }
    });
    net.rate = Some(Rate::from_mbps(8));
    net.act(|s, now, out| s.open(now, out));
    net.act(|s, now, out| s.write(now, SEGMENTS / 2 * MSS + 1, out));
    let segment = config.segment_bytes();
    for t in 1..120_000 {
        net.run(at_ms(t));
        let cwnd = net.sender.cwnd();
        assert!(cwnd >= segment, "a window of {cwnd} bytes at {t} ms");
        for (i, (stop, go)) in PAUSES.into_iter().enumerate() {
            if t == stop {
                net.answer(|r, now, out| r.offer(now, 0, out));
            }
            if t == go {
                deaf.set(i % 2 == 0);
                net.answer(|r, now, out| r.offer(now, WINDOW, out));
            }
        }
        // The second half comes while the window is closed, after an idle time.
        if t == 30_000 {
            net.act(|s, now, out| s.write(now, SEGMENTS / 2 * MSS, out));
            net.act(|s, now, out| s.close(now, out));
        }
    }
    net
}

#[test]
fn every_control_survives_a_window_that_closes() {
    for entry in cc::CATALOGUE {
        for name in TcpConfig::PROFILES {
            let config = TcpConfig {
                mss: Some(Bytes(MSS)),
                receive_window: Limit::Bytes(Bytes(WINDOW)),
                ..TcpConfig::profile(name).unwrap()
            };
            let net = pausing(entry.about.name, &config);
            let case = format!("{} under {name}: {:?}", entry.about.name, net.sender.stats());
            assert_eq!(net.receiver.stats().delivered_bytes, SEGMENTS * MSS + 1, "{case}");
            // Without a handshake there is no FIN either.
            assert!(net.sender.finished() && net.receiver.finished() == config.handshake, "{case}");
            assert!(net.sender.stats().probes >= 2, "nothing had to be probed: {case}");
        }
    }
}
