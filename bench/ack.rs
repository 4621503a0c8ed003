//! TCP's two ends: a segment through the receiver, its acknowledgment through the sender, the
//! segments that this lets go; for each profile, over a path that holds 64 of them. `loss`: every
//! 500th segment is lost, and repaired.
use criterion::Criterion;
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::catalogue::Fault;
use dumbbell_core::transport::segment::{Extra, Outbox, Segment};
use dumbbell_core::units::{Bytes, Limit, Packets, Span, Time};
use dumbbell_tcp::{DelayedAck, Receiver, Sender, TcpConfig};
use std::collections::VecDeque;

/// What an endpoint sent.
#[derive(Default)]
struct Sent(VecDeque<(Segment, Option<Extra>)>);

impl Outbox for Sent {
    fn send(&mut self, segment: Segment, extra: Option<Extra>) {
        self.0.push_back((segment, extra));
    }
}

/// A connection over a path that delivers a segment each 100 us.
struct Connection {
    sender: Sender<AnyCc>,
    receiver: Receiver,
    data: Sent,
    acks: Sent,
    now: Time,
    number: u64,
    lose_each: u64,
}

impl Connection {
    fn new(profile: &str, cc: &str, lose_each: u64) -> Self {
        let config = TcpConfig {
            mss: Some(Bytes(1000)),
            initial_window: Packets(10.0),
            receive_window: Limit::Packets(Packets(64.0)),
            delayed_ack: DelayedAck::Each,
            handshake: false,
            ..TcpConfig::profile(profile).expect("a profile")
        };
        let make = |path: &_| -> Result<AnyCc, Fault> { AnyCc::build(cc, &defaults(cc), path) };
        let sender = Sender::new(&config, |path| make(path).expect("the defaults are accepted"));
        let receiver = sender.receiver();
        let mut new = Connection {
            sender,
            receiver,
            data: Sent::default(),
            acks: Sent::default(),
            now: Time::ZERO,
            number: 0,
            lose_each,
        };
        new.sender.open(new.now, &mut new.data);
        new.sender.write(new.now, u64::MAX, &mut new.data);
        new
    }

    /// One segment arrives, and so does what it makes the receiver say.
    fn segment(&mut self) {
        self.now += Span::from_us(100);
        self.number += 1;
        let Some((segment, extra)) = self.data.0.pop_front() else {
            self.now = self.sender.deadline();
            assert!(self.now < Time::NEVER, "the connection stands still");
            return self.sender.on_deadline(self.now, &mut self.data);
        };
        if self.lose_each > 0 && self.number.is_multiple_of(self.lose_each) {
            return;
        }
        self.receiver.on_segment(self.now, &segment, extra.as_ref(), &mut self.acks);
        while let Some((ack, extra)) = self.acks.0.pop_front() {
            self.sender.on_segment(self.now, &ack, extra.as_ref(), &mut self.data);
        }
        while self.sender.deadline() <= self.now {
            self.sender.on_deadline(self.now, &mut self.data);
        }
    }
}

fn defaults(cc: &str) -> serde_json::Value {
    let known = dumbbell_algos::cc::CATALOGUE.iter().find(|entry| entry.about.name == cc);
    (known.expect("a congestion control").defaults)()
}

fn main() {
    let mut criterion = dumbbell_bench::criterion();
    each(&mut criterion);
    criterion.final_summary();
}

fn each(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ack");
    for (profile, cc) in
        [("ns2", "newreno"), ("rfc", "sack"), ("linux", "sack"), ("linux", "cubic")]
    {
        for (word, lose_each) in [("", 0), (" with loss", 500)] {
            let mut connection = Connection::new(profile, cc, lose_each);
            (0..100_000).for_each(|_| connection.segment());
            assert!(
                connection.receiver.stats().delivered_bytes > 50_000_000,
                "{profile} {cc} \
                delivers nothing"
            );
            assert_eq!(
                connection.sender.stats().retransmits > 0,
                lose_each > 0,
                "{:?}",
                connection.sender.stats()
            );
            group.bench_function(format!("{profile} {cc}{word}"), |b| {
                b.iter(|| connection.segment())
            });
        }
    }
}
