use super::*;
use crate::qdisc::parts::classes::ClassView;
use crate::qdisc::parts::test_qdisc::{TestQdisc, numbers};
use dumbbell_core::aqm::{Aqm, QueueView, Reason, Verdict};
use dumbbell_core::catalogue::read;
use dumbbell_core::packet::Ecn;
use dumbbell_core::packet::flow::{FlowInfo, FlowTable};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
use dumbbell_core::units::{Capacity, Span};
use serde_json::json;

const WEIGHTS: [f64; 4] = [1.0, 2.0, 0.5, 3.25];

fn table() -> FlowTable {
    FlowTable::new(WEIGHTS.iter().map(|w| FlowInfo { weight: Some(*w), ..FlowInfo::default() }))
}

fn deck(config: serde_json::Value) -> TestQdisc<Wfq<Numbered>> {
    let mut deck =
        TestQdisc::new(|site| Wfq::new(&read(&config).unwrap(), site), link(Capacity::Unlimited));
    deck.flows = table();
    deck
}

/// An arrival: when (s), whose, how many bytes.
type Came = (f64, usize, f64);

/// The times at which packets leave the fluid (s), computed from rates alone: from instant to
/// instant, each flow that has something left gets its weight's share of 125 000 B/s. No virtual
/// time.
fn fluid(arrivals: &[Came]) -> Vec<f64> {
    let (mut now, mut next) = (0.0, 0);
    let mut out = vec![0.0; arrivals.len()];
    let mut lines: [VecDeque<(usize, f64)>; 4] = Default::default();
    loop {
        let sum: f64 = (0..4).filter(|i| !lines[*i].is_empty()).map(|i| WEIGHTS[i]).sum();
        let rate = move |i: usize| 125_000.0 * WEIGHTS[i] / sum;
        let end = (0..4).filter_map(|i| lines[i].front().map(|(_, left)| (left / rate(i), i)));
        let first = end.min_by(|a, b| a.0.total_cmp(&b.0));
        let until_arrival = arrivals.get(next).map(|(at, _, _)| at - now);
        let step = match (first, until_arrival) {
            (None, None) => return out,
            (Some((span, _)), None) => span,
            (None, Some(span)) => span,
            (Some((a, _)), Some(b)) => a.min(b),
        };
        for (i, line) in lines.iter_mut().enumerate() {
            if let Some((_, left)) = line.front_mut() {
                *left -= rate(i) * step;
            }
        }
        now += step;
        match (first, until_arrival) {
            (Some((span, i)), arrival) if arrival.is_none_or(|a| span <= a) => {
                out[lines[i].pop_front().unwrap().0] = now;
            }
            _ => {
                let (at, flow, bytes) = arrivals[next];
                now = at;
                lines[flow].push_back((next, bytes));
                next += 1;
            }
        }
    }
}

/// Bursts and pauses of four flows, so that each is alone at times and all are backlogged at
/// others.
fn traffic(seed: u64) -> Vec<Came> {
    let mut rng = Stream::named(seed, "fluid");
    let mut now = Span::ZERO;
    let mut one = |_| {
        now = now
            + Span::from_us(u64::from(if rng.below(30) == 0 { 100_000 } else { rng.below(9000) }));
        (now.seconds(), rng.below(4) as usize, f64::from(40 + rng.below(1461)))
    };
    (0..600).map(&mut one).collect()
}

/// Parekh and Gallager's theorem 1: no packet leaves later than the fluid would have ended it, plus
/// the time of the largest packet.
#[test]
fn no_packet_is_later_than_the_fluid_by_more_than_one() {
    for seed in 0..30 {
        let arrivals = traffic(seed);
        let site = link(Capacity::Unlimited);
        let qdisc: Wfq<Numbered> = Wfq::new(&WfqConfig::default(), &site);
        let mut bench = Bench::new(qdisc, site, seed, false).knowing(table());
        for (at, flow, bytes) in &arrivals {
            bench.arrive(
                Time::ZERO + Span::from_secs_f64(*at),
                packet(*flow as u32, *bytes as u32, Ecn::NotEct),
            );
        }
        bench.drain();
        let ends = fluid(&arrivals);
        let mut later = f64::NEG_INFINITY;
        for event in &bench.journal.0 {
            let Event::Sent(id, at) = event else { panic!("{event:?}") };
            later = later.max(at.seconds() - ends[*id as usize]);
        }
        assert!(later <= 1500.0 / 125_000.0 + 1e-9, "{later} s");
        assert!(later > 0.0, "packets are whole: some end after the fluid");
    }
}

/// While all are backlogged from the start, S_i / w_i of two flows differ by at most L / w_i + L /
/// w_j, with either clock (Golestani 1994, theorem 1).
#[test]
fn bytes_are_shared_by_weight() {
    for clock in ["gps", "self_clocked"] {
        let mut d = deck(json!({ "clock": clock }));
        let mut rng = Stream::named(1, "sizes");
        for _ in 0..1500 {
            for flow in 0..4 {
                d.put(flow, 0, 40 + rng.below([100, 1461, 1461, 700][flow as usize]));
            }
        }
        let mut served = [0.0f64; 4];
        while d.qdisc.classes().busy().len() == 4 {
            let p = d.take().unwrap();
            served[p.meta.flow.0 as usize] += f64::from(p.meta.ip_len);
            for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                let apart = (served[i] / WEIGHTS[i] - served[j] / WEIGHTS[j]).abs();
                assert!(apart <= 1500.0 / WEIGHTS[i] + 1500.0 / WEIGHTS[j], "{clock}: {served:?}");
            }
        }
        assert!(served[0] > 100_000.0, "{served:?}");
    }
}

/// Ten packets of 1000 B wait for flow 0 (weight 1), with tags of 1000, 2000 and so on; one of flow
/// 1 (weight 2) comes to V = 0 with the tag 500 and is the next.
#[test]
fn tags_by_hand() {
    let mut d = deck(json!({}));
    for flow in [0, 0, 0, 1, 1, 1, 1, 2] {
        d.put(flow, 0, 1000);
    }
    // Tags: 1000 2000 3000 | 500 1000 1500 2000 | 2000. Of equal ones the lower class goes first.
    assert_eq!(numbers(&mut d), [3, 0, 4, 5, 1, 6, 7, 2]);
}

/// One that was silent has saved nothing: its packet is tagged from the virtual time of its
/// arrival.
#[test]
fn silence_saves_nothing() {
    for clock in ["gps", "self_clocked"] {
        let mut d = deck(json!({ "clock": clock }));
        for _ in 0..20 {
            d.put(0, 0, 1000);
        }
        for n in 1..=10 {
            d.take();
            d.now = Time::ZERO + Span::from_ms(8 * n);
        }
        // V is 10 000: ten packets of flow 3 (weight 3.25) and one of flow 0 take their turns by
        // weight from here.
        for _ in 0..10 {
            d.put(3, 0, 1000);
        }
        let next: Vec<u32> = (0..8).map(|_| d.take().unwrap().meta.flow.0).collect();
        assert_eq!(next.iter().filter(|f| **f == 0).count(), 2, "{clock}: {next:?}");
    }
}

/// Drops every third packet when its turn comes.
struct Third(u32);

impl Aqm for Third {
    fn arrive(&mut self, _: &mut Cx<'_>, _: &impl QueueView, _: &Meta, _: bool) -> Verdict {
        Verdict::Pass
    }
    fn depart(&mut self, _: &mut Cx<'_>, _: &impl QueueView, _: &Meta, _: Span) -> Verdict {
        self.0 += 1;
        if self.0.is_multiple_of(3) { Verdict::Drop(Reason::Head) } else { Verdict::Pass }
    }
}

/// A head that its algorithm drops leaves its turn to the flow's next packet, and what is sent pays
/// for itself: shares are as before, within one packet more.
#[test]
fn dropped_heads_do_not_disturb_the_shares() {
    for clock in [Clock::Gps, Clock::SelfClocked] {
        let make = |site: &LinkInfo| {
            Scheduled::of(Tags::new(clock, 4), Classes::new(4, site, |_| Third(0)))
        };
        let mut d: TestQdisc<Scheduled<Tags, Third, Numbered>> =
            TestQdisc::new(make, link(Capacity::Unlimited));
        let mut rng = Stream::named(1, "sizes");
        for _ in 0..1000 {
            for flow in 0..2 {
                d.put(flow, 0, 40 + rng.below([100, 1461][flow as usize]));
            }
        }
        let mut served = [0.0f64; 2];
        while d.qdisc.classes().busy().len() == 2 {
            let p = d.take().unwrap();
            served[p.meta.flow.0 as usize] += f64::from(p.meta.ip_len);
            assert!((served[0] - served[1]).abs() <= 3.0 * 1500.0, "{served:?}");
        }
        assert!(served[0] > 40_000.0 && d.dropped().len() > 300, "{served:?}");
    }
}

/// A head that is pushed out by an arrival of its own flow, where the next one has another length
/// and so another tag.
#[test]
fn a_pushed_out_head_is_tagged_anew() {
    let config = json!({"aqm": {"kind": "drop_tail", "victim": "front"}});
    let mut d: TestQdisc<Wfq<Numbered>> =
        TestQdisc::new(|site| Wfq::new(&read(&config).unwrap(), site), link(Capacity::Packets(4)));
    for (flow, bytes) in [(0, 1000), (0, 100), (1, 500), (1, 500), (0, 100)] {
        d.put(flow, 0, bytes);
    }
    assert_eq!(d.dropped(), [(0, "evicted")]);
    // Tags: 100, 200 | 500, 1000; before the push they were 1000, 1100 | 500, 1000.
    assert_eq!(numbers(&mut d), [1, 4, 2, 3]);
}

#[test]
fn what_cannot_be_is_said() {
    for (config, at) in [
        (json!({"flows": 0}), "flows"),
        (json!({"clock": "wall"}), "clock"),
        (json!({"aqm": {"kind": "red", "max_p": 3}}), "aqm.max_p"),
    ] {
        let fault = read::<WfqConfig>(&config).unwrap_err();
        assert_eq!(fault.at, at, "{fault:?}");
    }
}
