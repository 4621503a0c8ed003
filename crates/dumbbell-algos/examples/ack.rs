//! Cost of an acknowledgment in a congestion control alone: `ack NAME THOUSANDS`, a loss every
//! thousand.
//!
//! Under `valgrind --tool=cachegrind` the difference of two instruction counts by that of the
//! acknowledgments is exact.
#![allow(clippy::print_stdout)]
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::transport::{Ack, Cause, Commands, Congestion, CongestionControl, Path};
use dumbbell_core::units::{Span, Time};
use serde_json::json;

const MSS: u64 = 1000;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let name = args.first().map_or("newreno", String::as_str);
    let thousands: u64 = args.get(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    let path = Path {
        mss: MSS,
        initial_window: 10 * MSS,
        initial_ssthresh: 10 * MSS,
        growth_limit: 1,
        ..Path::PLAIN
    };
    let mut cc =
        AnyCc::build(name, &json!({}), &path).unwrap_or_else(|fault| panic!("{}", fault.cause));
    let (mut now, mut una, mut orders) = (Time::ZERO, 1, Commands::default());
    let rtt = Some(Span::from_ms(50));
    for _ in 0..thousands {
        for _ in 0..1000 {
            (now, una) = (now + Span::from_us(500), una + MSS);
            let mut ack = Ack::default();
            (ack.now, ack.acked, ack.una, ack.nxt) = (now, MSS, una, una + cc.cwnd());
            (ack.rtt, ack.srtt, ack.min_rtt, ack.window_limited) = (rtt, rtt, rtt, true);
            cc.on_ack(&ack, &mut orders);
        }
        cc.on_congestion(&Congestion::new(now, Cause::Loss, cc.cwnd(), &[]), &mut orders);
    }
    println!("{name} {} segments", cc.cwnd() / MSS);
}
