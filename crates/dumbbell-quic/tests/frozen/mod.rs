//! Whole connections, packet by packet, against the fingerprints that the folder `frozen` keeps of
//! them, over paths that lose, reorder and mark. They tell that something moved, not whether it was
//! right; a change that should not move results moves none. `DUMBBELL_FREEZE=1` writes them anew.
#[path = "../../../dumbbell-core/tests/support/keep.rs"]
mod keep;
#[path = "../../../dumbbell-core/tests/support/seen.rs"]
mod seen;

use crate::harness::{Net, PAYLOAD, Way, lose, ms, plain};
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::packet::Ecn as Codepoint;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Bytes, Rate, Span};
use dumbbell_quic::{Ecn, Handshake, QuicConfig};
use seen::Seen;

const CONTROLS: [&str; 7] = ["newreno", "cubic", "bbr", "bbr3", "dctcp", "prague", "copa"];

fn configs() -> [(&'static str, QuicConfig); 4] {
    [
        ("default", QuicConfig::default()),
        ("plain", QuicConfig { ecn: Ecn::Ect0, ..plain() }),
        ("stretched", QuicConfig { ack_every: 5, handshake: Handshake::ZeroRtt, ..plain() }),
        ("narrow", QuicConfig { window: Bytes(20_000), probes: 1, pacing: true, ..plain() }),
    ]
}

/// A connection of 500 packets, a pause, and some more, on the path of this number.
fn connection(name: &str, config: &QuicConfig, path: u64) -> Net<AnyCc> {
    let mut chance = Stream::named(path, "frozen");
    let (loss, back, late, marks) =
        [(0.0, 0.0, 0.0, 0.02), (0.02, 0.0, 0.0, 0.0), (0.06, 0.06, 0.03, 0.0)][path as usize];
    let mut net = Net::new(name, config.clone());
    net.fate = Box::new(move |way, _, segment| {
        if chance.coin(if way == Way::Forward { loss } else { back }) {
            return lose();
        }
        if segment.ecn.capable() && chance.coin(marks) {
            segment.ecn = Codepoint::Ce;
        }
        let after = if chance.coin(late) { 5.0 + 50.0 * chance.unit() } else { 0.0 };
        let copy = late > 0.0 && chance.coin(0.01);
        vec![Span::from_secs_f64(after / 1e3); if copy { 2 } else { 1 }]
    });
    net.rate = Some(Rate::from_mbps([30, 10, 3][path as usize]));
    net.open();
    net.write(500 * PAYLOAD - 300);
    net.run(ms(20_000));
    net.write(50 * PAYLOAD);
    // Nothing gets through for a while.
    let fate = std::mem::replace(&mut net.fate, Box::new(|_, _, _| lose()));
    net.run(ms(22_500));
    net.fate = fate;
    net.close();
    net.run(ms(200_000));
    net
}

#[test]
fn connections_keep_their_fingerprints() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/frozen/connections.txt");
    let mut text = String::from("# configuration  control  packets  fingerprint\n");
    for (configuration, config) in configs() {
        for name in CONTROLS {
            let (mut seen, mut packets) = (Seen::default(), 0);
            for path in 0..3 {
                let net = connection(name, &config, path);
                let (sender, receiver) = (&net.sender, &net.receiver);
                let counts = (sender.stats(), sender.view(), receiver.stats());
                net.log.iter().for_each(|sent| seen.see(sent));
                seen.see(&counts);
                packets += net.log.len();
            }
            text += &format!("{configuration} {name} {packets} {:016x}\n", seen.0.value());
        }
    }
    keep::keeps(file, &text);
}
