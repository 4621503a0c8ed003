//! The marker under ten thousand random traces: what holds for every one, whatever comes when.
use super::*;
use crate::bucket::TokenUnit;
use crate::suite::conditioner::Station;
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::Numbered;
use dumbbell_core::units::{Bytes, Rate};

const TRACES: u64 = 10_000;
/// Sizes of the buffer, packets.
const SIZES: u32 = 8;

/// Bursts and pauses around one reservation.
struct Trace {
    config: DataBufferConfig,
    arrivals: Vec<(Time, u32)>,
}

impl Trace {
    /// Packets of 1000 bytes, or `mixed`: of 40 to 1500.
    fn random(seed: u64, mixed: bool) -> Self {
        let mut rng = Stream::named(seed, "trace");
        let tokens = if mixed || rng.coin(0.5) { TokenUnit::Byte } else { TokenUnit::Packet };
        let burst = match tokens {
            TokenUnit::Byte => Limit::Bytes(Bytes(u64::from(1500 + rng.below(4000)))),
            TokenUnit::Packet => Limit::Packets(Packets(f64::from(1 + rng.below(5)))),
        };
        // A token for 1000 bytes takes about 8 ms; the load is from a third of that to three times
        // as much.
        let rate = Some(Rate::from_bps(900_000 + u64::from(rng.below(200_000))));
        let mean = 2_700_000.0 + 21_300_000.0 * rng.unit();
        let bursts = rng.unit();
        let config = DataBufferConfig {
            rate,
            burst,
            tokens,
            packet_size: Some(Bytes(1000)),
            ..Default::default()
        };
        let mut now = Time::ZERO;
        let arrivals = (0..60)
            .map(|_| {
                if !rng.coin(bursts) {
                    now += Span::from_ps(rng.exponential(mean * 1000.0) as u64);
                }
                (now, if mixed { 40 + rng.below(1461) } else { 1000 })
            })
            .collect();
        Trace { config, arrivals }
    }

    /// The marker with a buffer of `size` packets, after the trace and until the buffer is empty,
    /// then until `end`; `watch` looks after each arrival.
    fn run(
        &self,
        size: u32,
        end: Time,
        mut watch: impl FnMut(&mut DataBuffer<Numbered>, Time),
    ) -> Station<DataBuffer<Numbered>> {
        let config = DataBufferConfig {
            size: Limit::Packets(Packets(f64::from(size))),
            ..self.config.clone()
        };
        let mut s = Station::new(|site| DataBuffer::new(&config, site));
        for (at, bytes) in &self.arrivals {
            s.arrive(*at, *bytes);
            watch(&mut s.inner, *at);
        }
        s.drain();
        s.run_to(end);
        assert_eq!(s.inner.held(), 0);
        s
    }

    /// Long enough for the largest buffer to drain.
    fn end(&self) -> Time {
        self.arrivals.last().unwrap().0 + Span::from_secs(1)
    }
}

fn green(s: &Station<DataBuffer<Numbered>>) -> usize {
    s.colors.iter().filter(|(_, color)| *color == Some(Color::Green)).count()
}

/// With packets of one size a larger buffer never sends less IN and never loses more tokens, and no
/// token is unaccounted for.
#[test]
fn a_larger_buffer_never_sends_less_in_nor_loses_more_tokens() {
    let mut gained = 0;
    for seed in 0..TRACES {
        let trace = Trace::random(seed, false);
        let mut before: Option<(usize, u128)> = None;
        for size in 0..SIZES {
            let mut s = trace.run(size, trace.end(), |_, _| ());
            let end = s.inner.tokens(trace.end()).unwrap();
            assert!(end.balanced(), "{seed} {size}: {end:?}");
            let per_packet = if end.packets { end.unit } else { 1000 * end.unit };
            assert_eq!(
                end.taken,
                green(&s) as u128 * per_packet,
                "{seed} {size}: only what is IN \
                takes tokens"
            );
            let now = (green(&s), end.lost);
            if let Some((last, lost)) = before {
                assert!(
                    now.0 >= last && now.1 <= lost,
                    "{seed}: {now:?} with {size} packets, {last}, {lost} with one less"
                );
                gained += usize::from(now.0 > last);
            }
            before = Some(now);
        }
    }
    assert!(gained > 10_000, "the traces ask something of the buffer: {gained}");
}

/// Packets of several sizes may lose by a larger buffer: what waits at the front may be a large
/// one, for which small ones are displaced that would have found their tokens. How often, of these
/// traces: docs/reference/diffserv.md says the same.
#[test]
fn packets_of_several_sizes_may_lose_by_a_larger_buffer() {
    let (mut fewer, mut lost) = (0, 0);
    for seed in 0..TRACES {
        let trace = Trace::random(seed, true);
        let ends: Vec<(usize, u128)> = (0..SIZES)
            .map(|size| {
                let mut s = trace.run(size, trace.end(), |_, _| ());
                let end = s.inner.tokens(trace.end()).unwrap();
                assert!(end.balanced());
                (green(&s), end.lost)
            })
            .collect();
        fewer += usize::from(ends.windows(2).any(|w| w[1].0 < w[0].0));
        lost += usize::from(ends.windows(2).any(|w| w[1].1 > w[0].1));
    }
    assert_eq!((fewer, lost), (3214, 1969), "fewer IN, more tokens lost");
}

/// Order is kept; nobody waits while there is a token for the front; what leaves IN waited no
/// longer than the buffer's packets take at the reserved rate; what conforms to the bucket is all
/// that is IN.
#[test]
fn it_keeps_order_idles_never_and_holds_nobody_longer_than_it_must() {
    for seed in 0..TRACES / 10 {
        let trace = Trace::random(seed, seed % 2 == 1);
        for size in [0, 1, 3, 7] {
            let mut clock = Time::ZERO;
            let s = trace.run(size, trace.end(), |marker, now| {
                let Some(front) = marker.waiting.front().map(|h| h.bytes) else { return };
                assert!(!marker.bucket.has(now, front), "{seed} {size}: a token, and packets wait");
                assert!(marker.next > now && marker.next != Time::NEVER);
            });
            let order: Vec<u64> = s.colors.iter().map(|(id, _)| *id).collect();
            assert_eq!(order, (0..60).collect::<Vec<u64>>(), "{seed} {size}");
            let rate = trace.config.rate.unwrap();
            let largest = trace.arrivals.iter().map(|(_, bytes)| *bytes).max().unwrap();
            for ((id, color), held) in s.colors.iter().zip(&s.spans) {
                let came = trace.arrivals[*id as usize].0;
                assert!(came + *held >= clock, "{seed} {size}: out of order in time");
                clock = came + *held;
                let most = rate.span_of(u64::from(size) * u64::from(largest));
                let least = Span::from_ps(most.ps() + 1);
                assert!(
                    *color != Some(Color::Green) || *held <= least,
                    "{seed} {size}: {id} \
                    waited {held}"
                );
            }
        }
    }
}

/// In any time t at most `burst + rate t` is IN, in whole numbers, with a buffer as without one.
#[test]
fn what_is_in_conforms_to_the_bucket() {
    const BYTE: u128 = 8_000_000_000_000;
    for seed in 0..TRACES / 10 {
        let trace = Trace::random(seed, true);
        let Limit::Bytes(burst) = trace.config.burst else {
            unreachable!(
                "mixed traces have tokens \
            in bytes"
            )
        };
        let rate = u128::from(trace.config.rate.unwrap().bps());
        for size in [0, 3] {
            let s = trace.run(size, trace.end(), |_, _| ());
            let sent: Vec<(Time, u128)> = s
                .colors
                .iter()
                .zip(&s.spans)
                .filter(|((_, color), _)| *color == Some(Color::Green))
                .map(|((id, _), held)| (trace.arrivals[*id as usize].0 + *held, *id as usize))
                .map(|(at, id)| (at, u128::from(trace.arrivals[id].1) * BYTE))
                .collect();
            for (first, (from, _)) in sent.iter().enumerate() {
                let mut took = 0;
                for (to, cost) in &sent[first..] {
                    took += cost;
                    let most = u128::from(burst.0) * BYTE + u128::from(to.since(*from).ps()) * rate;
                    assert!(took <= most, "{seed} {size}: {from:?} to {to:?}");
                }
            }
        }
    }
}
