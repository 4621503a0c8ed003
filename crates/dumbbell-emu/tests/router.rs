//! The router between real hosts: nothing is lost but what the network dropped, marks are on real
//! headers, and the log gives the same run again.
mod net;

use dumbbell_core::plugin::Plugins;
use dumbbell_core::units::{Rate, Span};
use dumbbell_emu::calibrate::{ProbeHosts, measure};
use dumbbell_emu::host::testing::namespaces;
use dumbbell_emu::log::{Entry, Header, Reader, Record, Writer};
use dumbbell_emu::router::wait::WaitMode;
use dumbbell_emu::router::{Finished, Router};
use dumbbell_emu::validity::{Facts, Replay};
use dumbbell_net::{Outgoing, Relay};
use dumbbell_plan::Plan;
use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The output of a run with all its records.
struct Run {
    finished: Finished<
        dumbbell_emu::router::network::ObservedRelay<()>,
        dumbbell_emu::router::ip_codec::IpCodec,
    >,
    entries: Vec<Entry>,
    received: Vec<Vec<u8>>,
}

/// Runs `plan` while host 0 does `send`; what host 1 received.
fn run(plan: &Plan, mtu: u32, send: impl Fn(&UdpSocket) + Send) -> Run {
    let (hosts, nics) = net::hosts(mtu);
    let [near, far] = net::sockets(&hosts);
    far.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let (network, headers) = net::network(plan);
    let (log, mut records) = rtrb::RingBuffer::new(1 << 16);
    let mut setup = net::setup(plan);
    setup.max_ip_len = mtu as u16;
    let router = Router::new(setup, nics, network, headers, Some(log)).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let receiving = scope.spawn(|| {
            let (mut packets, mut bytes) = (vec![], [0; 65_535]);
            loop {
                match far.recv(&mut bytes) {
                    Ok(len) => packets.push(bytes[..len].to_vec()),
                    Err(_) if done.load(Ordering::Relaxed) => return packets,
                    Err(_) => {}
                }
            }
        });
        let sending = scope.spawn(move || send(&near));
        let finished = router.run(&AtomicBool::new(false));
        done.store(true, Ordering::Relaxed);
        let finished = finished.unwrap();
        sending.join().unwrap();
        let entries = std::iter::from_fn(|| records.pop().ok()).collect();
        Run { finished, entries, received: receiving.join().unwrap() }
    })
}

/// The log as bytes, read back, and given to another relay: what both let out.
fn replayed(plan: &Plan, entries: &[Entry]) -> (Vec<Outgoing>, Vec<Outgoing>, u64) {
    let header = Header {
        made_by: env!("CARGO_PKG_VERSION").into(),
        plan: plan.clone(),
        epoch_ns: 1,
        hosts: vec!["a".into(), "b".into()],
        capture: None,
    };
    let mut writer = Writer::new(vec![], &header).unwrap();
    entries.iter().for_each(|entry| writer.push(entry).unwrap());
    let (bytes, _) = writer.finish(0).unwrap();
    let mut reader = Reader::new(&bytes[..]).unwrap();
    assert_eq!(reader.header, header);
    let mut relay = Relay::new(&reader.header.plan, &Plugins::default()).unwrap();
    let (mut live, mut again, mut packets) = (vec![], vec![], 0);
    while let Some(record) = reader.next_record().unwrap() {
        match record {
            Record::In { t, packet } => {
                relay.send(t, packet, &mut ());
                packets += 1;
            }
            Record::Out { out, refused, .. } => {
                assert!(!refused);
                live.push(out);
            }
        }
    }
    let end = dumbbell_core::units::Time::ZERO + plan.duration;
    relay.run_until(end, &mut ());
    again.extend(relay.outgoing().filter(|out| out.at < end));
    let order = |out: &Outgoing| (out.at, out.number, out.fragment.map(|fragment| fragment.from));
    live.sort_by_key(order);
    again.sort_by_key(order);
    (live, again, packets)
}

#[test]
fn packets_are_conserved_and_the_log_gives_the_run_again() {
    if !namespaces() {
        return;
    }
    // A burst of 200 packets into a queue of 36 at 20 Mbps, twice.
    let plan = net::plan(Rate::from_mbps(20), Span::from_ms(2), Span::from_ms(250), 1500);
    let run = run(&plan, 1500, |socket| {
        for _ in 0..2 {
            (0..200u32)
                .for_each(|i| drop(socket.send(&[&i.to_le_bytes()[..], &[7; 996]].concat())));
            thread::park_timeout(Duration::from_millis(50));
        }
    });
    let measured = run.finished.measured().clone();
    let counts = &measured.counts;
    assert_eq!(counts.incoming, 400, "{counts:?}");
    assert_eq!(counts.incoming, counts.delivered + counts.dropped + measured.inside);
    assert_eq!(run.received.len() as u64, counts.delivered, "{:?}", measured.losses);
    assert!(counts.dropped > 0 && measured.inside == 0 && measured.gaps > 30, "{measured:?}");
    let (live, again, packets) = replayed(&plan, &run.entries);
    assert_eq!(packets, 400);
    assert_eq!(live, again);
    let replay = Some(Replay { packets, mismatches: 0 });
    let (_, validity) =
        run.finished.judge(&Facts { datapath: "tun".into(), replay, ..Facts::default() });
    assert!(
        validity.conservation.ok && validity.bad_checksums == 0 && validity.oversized_frames == 0,
        "{validity:?}"
    );
}

#[test]
fn a_router_cuts_what_is_too_large_and_damages_what_the_plan_says() {
    if !namespaces() {
        return;
    }
    // The link carries 1500 bytes, and the hosts do not know.
    let mut plan = net::plan(Rate::from_mbps(100), Span::from_ms(1), Span::from_ms(120), 1500);
    plan.links[0].impairments = vec![net::spec("corrupt", serde_json::json!({"rate": 0.1}))];
    plan.flows[0].source =
        net::spec("cbr", serde_json::json!({"rate": "1 Mbps", "packet": "3000 B", "jitter": 0.0}));
    let run = run(&plan, 4000, |socket| {
        (0..10u8).for_each(|i| drop(socket.send(&[i; 3000])));
    });
    let measured = run.finished.measured();
    assert_eq!((measured.counts.incoming, measured.counts.written), (10, 30), "{measured:?}");
    let (live, again, _) = replayed(&plan, &run.entries);
    assert_eq!(live, again);
    assert!(live.iter().all(|out| out.fragment.is_some()));
    // The kernel puts together those of which every piece is sound, and no other.
    let mut damaged: Vec<u64> =
        live.iter().filter(|out| out.damaged).map(|out| out.number).collect();
    damaged.dedup();
    assert!(!damaged.is_empty());
    assert_eq!(run.received.len(), 10 - damaged.len());
    assert!(
        run.received
            .iter()
            .all(|bytes| bytes.len() == 3000 && bytes.iter().all(|b| *b == bytes[0]))
    );
}

#[test]
fn the_machine_is_measured_and_the_nics_come_back() {
    if !namespaces() {
        return;
    }
    let (hosts, nics) = net::hosts(1500);
    let ends = ProbeHosts { sockets: net::sockets(&hosts), nics: [0, 1], mtu: 1500, largest: 1500 };
    let (found, nics) = measure(nics, &ends, WaitMode::Hybrid, false, None).unwrap();
    assert_eq!(nics.len(), 2);
    assert!(
        found.ceiling_packets_per_s > 0
            && found.ceiling_bps == found.ceiling_packets_per_s * 12_000,
        "{found:?}"
    );
    assert!(found.rtt_p50_us > 0.0 && found.rtt_p50_us <= found.rtt_p99_us, "{found:?}");
}
