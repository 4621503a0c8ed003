//! Per acknowledgment: each congestion control of the catalogue, with its defaults, in the life of
//! a long flow: one segment for each acknowledgment, a round-trip time around 100 ms, a loss in
//! 2000.
use criterion::Criterion;
use dumbbell_algos::cc::{AnyCc, CATALOGUE};
use dumbbell_core::transport::{Ack, Cause, Commands, Congestion, CongestionControl, Path, Phase};
use dumbbell_core::units::{Span, Time};
use std::hint::black_box;

const MSS: u64 = 1000;
const PATH: Path = Path { mss: MSS, initial_window: 10 * MSS, ..Path::PLAIN };
const SEGMENTS_BETWEEN_LOSSES: u64 = 2000;

/// A connection that goes on.
struct Life {
    cc: AnyCc,
    now: Time,
    una: u64,
    until_loss: u64,
    commands: Commands,
}

impl Life {
    fn acknowledge(&mut self) {
        self.now += Span::from_us(100);
        self.una += MSS;
        self.until_loss -= 1;
        let window = self.cc.cwnd();
        let mut ack = Ack::default();
        (ack.now, ack.acked, ack.una) = (self.now, MSS, self.una);
        (ack.nxt, ack.in_flight, ack.window_limited) = (self.una + window, window, true);
        ack.phase = Phase::Open;
        ack.rtt = Some(Span::from_us(100_000 + self.until_loss % 128));
        (ack.srtt, ack.min_rtt) = (Some(Span::from_ms(100)), Some(Span::from_us(100_000)));
        (ack.peer_clock, ack.reverse_delay) = (Some(self.now), Some(Span::from_ms(50)));
        self.cc.on_ack(black_box(&ack), &mut self.commands);
        if self.until_loss == 0 {
            self.until_loss = SEGMENTS_BETWEEN_LOSSES;
            self.cc.on_congestion(
                &Congestion::new(self.now, Cause::Loss, window, &[]),
                &mut self.commands,
            );
            self.cc.on_recovered(self.now, self.cc.ssthresh().unwrap_or(window));
        }
        if self.cc.next_timer() <= self.now {
            self.cc.on_timer(self.now, &mut self.commands);
        }
        black_box(self.cc.cwnd());
    }
}

fn main() {
    let mut criterion = dumbbell_bench::criterion();
    each(&mut criterion);
    criterion.final_summary();
}

fn each(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cc");
    for entry in CATALOGUE {
        let name = entry.about.name;
        let cc = AnyCc::build(name, &(entry.defaults)(), &PATH).expect("the defaults are accepted");
        let mut life = Life {
            cc,
            now: Time::ZERO,
            una: 1,
            until_loss: SEGMENTS_BETWEEN_LOSSES,
            commands: Commands::default(),
        };
        (0..10_000).for_each(|_| life.acknowledge());
        assert!(life.cc.cwnd() < 1 << 40, "{name} knows no losses");
        group.bench_function(name, |b| b.iter(|| life.acknowledge()));
    }
}
