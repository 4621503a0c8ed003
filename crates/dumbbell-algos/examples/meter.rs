//! Cost of a meter or conditioner: `meter NAME N [JSON]` colors N packets; without a name,
//! `meter - N`, only the traffic passes.
//!
//! Packets of 1000 bytes and bursts of four, 12 us apart, 1.3 times a reservation of 1 Mbps over
//! 100 ms. Under `valgrind --tool=cachegrind --cache-sim=no` the instructions for 2 N less those
//! for N, less the same of `-`, by N are exact.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]
use dumbbell_algos::conditioner::AnyConditioner;
use dumbbell_algos::meter::AnyMeter;
use dumbbell_core::aqm::{Cx, Reason};
use dumbbell_core::conditioner::{Conditioner, Emit};
use dumbbell_core::meter::{Color, Contract, Meter};
use dumbbell_core::packet::Ecn;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Numbered, contract, packet};
use dumbbell_core::units::{Rate, Span, Time};
use std::hint::black_box;

/// How many packets had each color.
#[derive(Default)]
struct Count([u64; 3]);

impl Emit<Numbered> for Count {
    fn release(&mut self, p: Numbered, color: Option<Color>, held: Span) {
        black_box((p.id, held));
        self.0[color.unwrap_or_default().index()] += 1;
    }
    fn drop(&mut self, _: Numbered, _: Reason) {}
}

/// What is measured.
#[allow(clippy::large_enum_variant)]
enum Part {
    Nothing,
    Meter(AnyMeter),
    Conditioner(AnyConditioner<Numbered>),
}

/// The part of that name.
fn part(name: &str, config: &serde_json::Value, site: &Contract) -> Part {
    if name == "-" {
        return Part::Nothing;
    }
    if let Ok(meter) = AnyMeter::build(name, config, site) {
        return Part::Meter(meter);
    }
    Part::Conditioner(AnyConditioner::build(name, config, site).unwrap())
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let n: u64 = args[1].parse().unwrap();
    let config = args.get(2).map_or(serde_json::json!({}), |c| serde_json::from_str(c).unwrap());
    let site = Contract { reserved: Some(Rate::from_mbps(1)), ..contract() };
    let mut part = part(&args[0], &config, &site);
    // The gaps are drawn before, so that the loop is nearly nothing.
    let mut draws = Stream::named(1, "gaps");
    let gaps: Vec<Span> = (0..4096)
        .map(|i| {
            if i % 4 == 0 {
                Span::from_secs_f64(4.0 * draws.exponential(0.008 / 1.3))
            } else {
                Span::from_us(12)
            }
        })
        .collect();
    let (mut now, mut rng, flows, mut out) =
        (Time::ZERO, Stream::named(1, "meter"), FlowTable::default(), Count::default());
    for id in 0..n {
        now += gaps[(id % 4096) as usize];
        let meta = black_box(packet(0, 1000, Ecn::NotEct));
        match &mut part {
            Part::Nothing => out.release(Numbered { id, meta }, Some(Color::Green), Span::ZERO),
            Part::Meter(meter) => {
                let mut cx = Cx { now, rng: &mut rng, link: &site.link, flows: &flows };
                let color = meter.color(&mut cx, &meta, Color::Green);
                out.release(Numbered { id, meta }, Some(color), Span::ZERO);
            }
            Part::Conditioner(conditioner) => {
                while conditioner.next_wakeup() <= now {
                    let mut cx = Cx {
                        now: conditioner.next_wakeup(),
                        rng: &mut rng,
                        link: &site.link,
                        flows: &flows,
                    };
                    conditioner.wake(&mut cx, &mut out);
                }
                let mut cx = Cx { now, rng: &mut rng, link: &site.link, flows: &flows };
                conditioner.arrive(&mut cx, Numbered { id, meta }, &mut out);
            }
        }
    }
    println!("green {} yellow {} red {}", out.0[0], out.0[1], out.0[2]);
}
