//! Whole connections, segment by segment, against the fingerprints that the folder `frozen` keeps
//! of them: each profile with some controls, over paths that lose, reorder, mark and shrink. They
//! tell that something moved, not whether it was right; a change that should not move results moves
//! none. `DUMBBELL_FREEZE=1` writes them anew.
#[path = "../../../dumbbell-core/tests/support/keep.rs"]
mod keep;
#[path = "../../../dumbbell-core/tests/support/seen.rs"]
mod seen;

use crate::harness::*;
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::packet::Ecn as Codepoint;
use dumbbell_core::rng::Stream;
use dumbbell_core::transport::HostSignal;
use dumbbell_core::units::{Bytes, Rate, Span, Time};
use dumbbell_tcp::{Discovery, Ecn, TcpConfig};
use seen::Seen;

const CONTROLS: [&str; 14] = [
    "tahoe", "reno", "newreno", "sack", "cubic", "bbr", "bbr3", "dctcp", "prague", "dcr", "freeze",
    "cae", "peach", "lp",
];

fn profiles() -> [(&'static str, TcpConfig); 8] {
    let mss = Some(Bytes(MSS));
    let rfc = TcpConfig { mss, ..TcpConfig::rfc() };
    [
        ("rfc", rfc.clone()),
        ("linux", TcpConfig { mss, ..TcpConfig::linux() }),
        ("ns2", TcpConfig { receive_window: "70 pkt".parse().unwrap(), ..TcpConfig::ns2() }),
        ("plain", plain()),
        ("ecn", TcpConfig { ecn: Ecn::Rfc3168, nagle: true, ..rfc.clone() }),
        ("accecn", TcpConfig { ecn: Ecn::Accecn, pacing: true, ..rfc }),
        (
            "probe",
            TcpConfig { mss: Some(Bytes(8960)), pmtu_discovery: Discovery::Probe, ..modern() },
        ),
        ("small", TcpConfig { receive_window: "9100 B".parse().unwrap(), eifel: true, ..modern() }),
    ]
}

/// A connection of 400 segments, a pause, and 60 more, on the path of this number.
fn connection(name: &str, config: &TcpConfig, path: u64) -> Net<AnyCc> {
    let mut chance = Stream::named(path, "frozen");
    let (loss, back, late, marks) = [
        (0.0, 0.0, 0.0, 0.0),
        (0.01, 0.0, 0.0, 0.01),
        (0.05, 0.05, 0.02, 0.0),
        (0.0, 0.0, 0.05, 0.03),
    ][path as usize];
    let mut net = Net::new(name, config).with_fate(move |way, _, segment| {
        if chance.coin(if way == Way::Forward { loss } else { back }) {
            return lose();
        }
        if segment.ecn.capable() && chance.coin(marks) {
            segment.ecn = Codepoint::Ce;
        }
        let after = if chance.coin(late) { 15.0 + 50.0 * chance.unit() } else { 0.0 };
        let copy = late > 0.0 && chance.coin(0.01);
        vec![Span::from_secs_f64(after / 1e3); if copy { 2 } else { 1 }]
    });
    net.rate = Some(Rate::from_mbps([8, 20, 2, 60][path as usize]));
    if path > 1 {
        net.mtus = vec![(at_ms(if path == 2 { 0 } else { 700 }), 700)];
        net.tells = (path == 3).then_some((Span::from_ms(20), true));
    }
    net.act(|s, now, out| s.open(now, out));
    net.act(|s, now, out| s.write(now, 400 * MSS - 300, out));
    net.run(at_ms(3_000));
    for signal in [HostSignal::PathDown, HostSignal::PathUp] {
        net.answer(|r, now, out| r.local(now, signal, out));
        net.run(net.now + Span::from_ms(400));
    }
    net.run(at_ms(30_000));
    net.act(|s, now, out| s.write(now, 60 * MSS, out));
    net.act(|s, now, out| s.close(now, out));
    net.run(Time::ZERO + Span::from_secs(20_000));
    net
}

#[test]
fn connections_keep_their_fingerprints() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/frozen/connections.txt");
    let mut text = String::from("# profile  control  segments  fingerprint\n");
    for (profile, config) in profiles() {
        for name in CONTROLS {
            let (mut seen, mut segments) = (Seen::default(), 0);
            for path in 0..4 {
                let net = connection(name, &config, path);
                let (sender, receiver) = (&net.sender, &net.receiver);
                let counts = (sender.stats(), sender.path_stats(), sender.view(), receiver.stats());
                net.log.iter().for_each(|sent| seen.see(sent));
                seen.see(&counts);
                segments += net.log.len();
            }
            text += &format!("{profile} {name} {segments} {:016x}\n", seen.0.value());
        }
    }
    keep::keeps(file, &text);
}
