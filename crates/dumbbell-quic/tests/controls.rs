//! Every congestion control of the catalogue that QUIC does not refuse brings a stream over a lossy
//! path with a rate, and the contract of delivery rates holds.
use crate::harness::{DATAGRAM, Net, Way, lose, ms, pass, plain};
use dumbbell_algos::cc::{self, AnyCc};
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, RateSample, Sent, Tag,
};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_quic::{Ecn, QuicConfig};

fn overrides(name: &str) -> dumbbell_core::transport::TcpOverrides {
    let path = dumbbell_core::transport::Path::PLAIN;
    AnyCc::build(name, &serde_json::json!({}), &path).unwrap().tcp_overrides()
}

#[test]
fn each_control_brings_a_stream_over() {
    let mut ran = 0;
    for name in cc::CATALOGUE.iter().map(|entry| entry.about.name) {
        if QuicConfig::refusal(name, overrides(name)).is_some() {
            continue;
        }
        ran += 1;
        let config = QuicConfig { pacing: true, ..plain() };
        let mut net = Net::new(name, config);
        net.rate = Some(Rate::from_mbps(10));
        net.fate = Box::new(|_, number, _| if number % 97 == 50 { lose() } else { pass() });
        net.open();
        net.write(2_000_000);
        net.close();
        net.run(Time::ZERO + Span::from_secs(600));
        assert!(net.receiver.finished() && net.sender.finished(), "{name}");
        assert_eq!(net.receiver.stats().delivered_bytes, 2_000_000, "{name}");
        assert_eq!(net.sender.view().in_flight, 0, "{name}");
    }
    assert!(ran >= 20, "only {ran} controls run over QUIC");
}

#[test]
fn refusals_have_their_reasons() {
    let refused = |name: &str| QuicConfig::refusal(name, overrides(name)).is_some();
    for name in ["tahoe", "reno", "dcr", "freeze", "peach", "cae", "new_jersey"] {
        assert!(refused(name), "{name}");
    }
    for name in
        ["bbr", "bbr3", "cubic", "newreno", "sack", "prague", "dctcp", "copa", "vegas", "ledbat"]
    {
        assert!(!refused(name), "{name}");
    }
    assert_eq!(QuicConfig::default().with_overrides(overrides("prague")).ecn, Ecn::L4s);
    assert_eq!(QuicConfig::default().with_overrides(overrides("dctcp")).ecn, Ecn::Ect0);
}

/// A window of ten packets that counts those that it hears of.
struct Counts {
    segments: bool,
    sent: u64,
}

impl CongestionControl for Counts {
    fn capabilities(&self) -> Capabilities {
        Capabilities { segments: self.segments, ..Capabilities::WINDOW }
    }
    fn on_ack(&mut self, _: &Ack, _: &mut Commands) {}
    fn on_congestion(&mut self, _: &Congestion<'_>, _: &mut Commands) {}
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        assert_eq!((sent.bytes, sent.in_flight), (DATAGRAM, self.sent * DATAGRAM));
        self.sent += 1;
        Tag(0)
    }
    fn cwnd(&self) -> u64 {
        10 * DATAGRAM
    }
}

#[test]
fn packets_are_told_to_who_wants_to_hear_of_them() {
    for segments in [false, true] {
        let mut net = Net::with(plain(), |_| Counts { segments, sent: 0 });
        net.send(7, ms(10));
        assert_eq!(net.sender.cc().sent, if segments { 7 } else { 0 });
    }
}

/// A window of ten packets that notes what begins and what ends.
#[derive(Default)]
struct Notes(Vec<&'static str>);

impl CongestionControl for Notes {
    fn on_ack(&mut self, _: &Ack, _: &mut Commands) {}
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        assert_eq!(event.cause, Cause::Loss);
        self.0.push("loss");
    }
    fn on_recovered(&mut self, _: Time, _: u64) {
        self.0.push("recovered");
    }
    fn cwnd(&self) -> u64 {
        10 * DATAGRAM
    }
}

/// RFC 9002 section 7.3.2: a recovery ends once, with what was sent after it began, and so does the
/// next one.
#[test]
fn a_recovery_ends_once() {
    let mut net = Net::with(plain(), |_| Notes::default()).drops(|n| [20, 22, 70].contains(&n));
    net.send(100, ms(5000));
    assert_eq!(net.sender.cc().0, ["loss", "recovered", "loss", "recovered"]);
}

/// A window of ten packets that tags each of them with its number, and notes the tags of those that
/// are lost.
#[derive(Default)]
struct Tags {
    sent: u32,
    lost: Vec<(Cause, Vec<u32>)>,
}

impl CongestionControl for Tags {
    fn on_ack(&mut self, _: &Ack, _: &mut Commands) {}
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.lost.push((event.cause, event.tags.iter().map(|tag| tag.0).collect()));
    }
    fn on_sent(&mut self, _: &Sent) -> Tag {
        self.sent += 1;
        Tag(self.sent)
    }
    fn cwnd(&self) -> u64 {
        10 * DATAGRAM
    }
}

/// The first loss of a round trip is an event; those that follow in it only give their tags back.
#[test]
fn lost_tags_come_back() {
    let mut net = Net::with(plain(), |_| Tags::default()).drops(|n| [20, 23, 60].contains(&n));
    net.send(100, ms(5000));
    let expected = [(Cause::Loss, vec![21]), (Cause::Further, vec![24]), (Cause::Loss, vec![61])];
    assert_eq!(net.sender.cc().lost, expected);
}

/// Keeps every rate sample.
#[derive(Debug, Default)]
struct Listens {
    samples: Vec<(Time, RateSample)>,
    acked: u64,
    marked: u64,
}

impl CongestionControl for Listens {
    fn capabilities(&self) -> Capabilities {
        Capabilities { rates: true, ..Capabilities::ALL }
    }
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        self.acked += ack.acked + ack.sacked;
        self.marked += ack.marked;
        assert_eq!(ack.una, self.acked, "una counts what was delivered");
        self.samples.extend(ack.rate.map(|sample| (ack.now, sample)));
    }
    fn on_congestion(&mut self, _: &Congestion<'_>, _: &mut Commands) {}
    fn cwnd(&self) -> u64 {
        40 * DATAGRAM
    }
    fn pacing(&self) -> Option<Rate> {
        Some(Rate::from_mbps(8))
    }
}

/// The rate of the wire, in bytes of UDP payload, is what samples say once the pipe is full; what
/// is found lost is counted once.
#[test]
fn delivery_rates_are_those_of_the_wire() {
    let mut net = Net::with(plain(), |_| Listens::default());
    net.rate = Some(Rate::from_mbps(4));
    net.fate = Box::new(
        |way, number, _| {
            if way == Way::Forward && number % 50 == 49 { lose() } else { pass() }
        },
    );
    net.open();
    net.write(u64::MAX);
    net.run(ms(5000));
    let stats = *net.sender.stats();
    let listens = net.sender.cc();
    let wire = 4e6 / 8.0 * DATAGRAM as f64 / (DATAGRAM + 28) as f64;
    let late: Vec<f64> = listens
        .samples
        .iter()
        .filter(|(at, s)| *at > ms(1000) && s.lost == 0)
        .filter_map(|(_, s)| s.bytes_per_second())
        .collect();
    assert!(late.len() > 100);
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    assert!((mean / wire - 1.0).abs() < 0.03, "{mean} of {wire}");
    let lost: u64 = listens.samples.iter().map(|(_, s)| s.newly_lost).sum();
    assert!(stats.lost_packets * DATAGRAM - lost <= 2 * DATAGRAM, "the last ones follow later");
    let last = listens.samples.last().unwrap().1;
    assert_eq!(last.total_delivered, listens.acked);
}
