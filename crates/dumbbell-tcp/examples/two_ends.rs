//! A sender and a receiver over a wire that delays by 10 ms: `cargo run --example two_ends`. TCP
//! reads no clock and opens no socket; each call has the time, and segments go to an `Outbox`.
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::transport::segment::{Extra, Outbox, Segment};
use dumbbell_core::units::{Span, Time};
use dumbbell_tcp::{Sender, TcpConfig};
use serde_json::json;
use std::sync::Arc;

#[derive(Default)]
struct Wire(Vec<(Segment, Option<Extra>)>);

impl Outbox for Wire {
    fn send(&mut self, segment: Segment, extra: Option<Extra>) {
        self.0.push((segment, extra));
    }
}

fn main() {
    let mut sender = Sender::new(Arc::new(TcpConfig::linux()), |path| {
        AnyCc::build("cubic", &json!({}), path).expect("CUBIC is in the catalogue")
    });
    let mut receiver = sender.receiver();
    let (mut there, mut back) = (Wire::default(), Wire::default());
    let mut now = Time::ZERO;
    sender.open(now, &mut there);
    sender.write(now, 1_000_000, &mut there);
    let mut round_trips = 0;
    while !sender.all_acknowledged() {
        round_trips += 1;
        now += Span::from_ms(10);
        for (segment, extra) in std::mem::take(&mut there.0) {
            receiver.on_segment(now, &segment, extra.as_ref(), &mut back);
        }
        if receiver.deadline() <= now {
            receiver.on_deadline(now, &mut back);
        }
        now += Span::from_ms(10);
        for (segment, extra) in std::mem::take(&mut back.0) {
            sender.on_segment(now, &segment, extra.as_ref(), &mut there);
        }
        while sender.deadline() <= now {
            sender.on_deadline(now, &mut there);
        }
    }
    // Slow start from ten segments: 10 + 20 + 40 + ... reach a megabyte in seven round trips, and a
    // handshake and delayed acknowledgments take some more.
    assert!((7..20).contains(&round_trips), "{round_trips} round trips");
}
