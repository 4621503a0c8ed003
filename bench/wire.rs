//! What the router does with the headers of a packet of a real host: reads them, finds whose it is,
//! changes them, sums all of it. Of many connections, in a random order, so that no branch is
//! learned by heart.
use criterion::{BenchmarkId, Criterion, Throughput};
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::rng::Stream;
use dumbbell_emu::packet::classify::Classifier;
use dumbbell_wire::address::Address;
use dumbbell_wire::checksum;
use dumbbell_wire::five_tuple::FiveTuple;
use dumbbell_wire::rewrite::{set_dscp, set_ecn};
use dumbbell_wire::verify::verify;
use dumbbell_wire::view::PacketView;
use std::hint::black_box;

const A: [u8; 4] = [10, 77, 0, 1];
const B: [u8; 4] = [10, 77, 0, 2];

/// A TCP segment of the connection from port `port`, sound in all its checksums.
fn packet(port: u16, ip_len: u16) -> Vec<u8> {
    let mut p = vec![0; usize::from(ip_len)];
    p[0] = 0x45;
    p[1] = 2;
    p[2..4].copy_from_slice(&ip_len.to_be_bytes());
    p[6] = 0x40;
    (p[8], p[9]) = (64, 6);
    p[12..16].copy_from_slice(&A);
    p[16..20].copy_from_slice(&B);
    p[20..22].copy_from_slice(&port.to_be_bytes());
    p[22..24].copy_from_slice(&5001u16.to_be_bytes());
    (p[32], p[33]) = (0x80, 0x10);
    let pseudo = checksum::sum(&p[12..20], 6 + u64::from(ip_len) - 20);
    let sum = !checksum::fold(checksum::sum(&p[20..], pseudo));
    p[36..38].copy_from_slice(&sum.to_be_bytes());
    let sum = checksum::of(&p[..20]);
    p[10..12].copy_from_slice(&sum.to_be_bytes());
    p
}

fn classifier(flows: u16) -> Classifier {
    let mut classifier = Classifier::new([(Address::v4(A), 0), (Address::v4(B), 1)]);
    for flow in 0..flows {
        let tuple = FiveTuple {
            source: Address::v4(A),
            destination: Address::v4(B),
            ports: (10_000 + flow, 5001),
            protocol: 6,
        };
        assert!(classifier.bind(tuple, flow.into()));
    }
    classifier
}

fn main() {
    let mut criterion = dumbbell_bench::criterion();
    steps(&mut criterion);
    sums(&mut criterion);
    criterion.final_summary();
}

fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("wire");
    for flows in [3u16, 100, 10_000] {
        let mut rng = Stream::named(1, "wire");
        let order: Vec<u16> =
            (0..1 << 12).map(|_| (rng.unit() * f64::from(flows)) as u16).collect();
        let mut packets: Vec<Vec<u8>> = order.iter().map(|f| packet(10_000 + f, 100)).collect();
        let mut classifier = classifier(flows);
        let mut at = 0;
        let mut next = || {
            at = (at + 1) % (1 << 12);
            at
        };
        group.bench_function(BenchmarkId::new("parse", flows), |b| {
            b.iter(|| PacketView::of(&packets[next()]))
        });
        group.bench_function(BenchmarkId::new("parse+classify", flows), |b| {
            b.iter(|| {
                let packet = &packets[next()];
                let view = PacketView::of(packet).expect("a packet");
                classifier.classify(&view, packet, 0)
            });
        });
        group.bench_function(BenchmarkId::new("parse+classify+rewrite", flows), |b| {
            b.iter(|| {
                let packet = &mut packets[next()];
                let view = PacketView::of(packet).expect("a packet");
                set_ecn(packet, if view.ecn == Ecn::Ce { Ecn::Ect0 } else { Ecn::Ce });
                set_dscp(packet, Dscp(view.dscp.0 ^ 10));
                classifier.classify(&view, packet, 0)
            });
        });
    }
}

fn sums(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("verify");
    for ip_len in [52u16, 1500, 9000] {
        let packet = packet(10_000, ip_len);
        let view = PacketView::of(&packet).expect("a packet");
        group.throughput(Throughput::Bytes(ip_len.into()));
        group.bench_function(BenchmarkId::from_parameter(ip_len), |b| {
            b.iter(|| verify(black_box(&packet), &view));
        });
    }
}
