//! The filter of acknowledgments.
use super::*;
use dumbbell_core::aqm::{Cx, Reason};
use dumbbell_core::packet::{Packet, PureAck};
use dumbbell_core::probe::{Gauges, Probe};
use dumbbell_core::qdisc::Sink;
use dumbbell_core::rng::Stream;
use dumbbell_core::transport::segment::flag;

/// A packet of flow `flow`, with what it acknowledges.
#[derive(Clone, Copy, Debug)]
struct Segment {
    flow: u32,
    ack: Option<PureAck>,
    ecn: Ecn,
    dscp: Dscp,
}

impl Packet for Segment {
    fn meta(&self) -> Meta {
        let Segment { flow, ecn, dscp, .. } = *self;
        Meta { dscp, back: self.ack.is_some(), ..packet(flow, 40, ecn) }
    }
    fn pure_ack(&self) -> Option<PureAck> {
        self.ack
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn set_dscp(&mut self, dscp: Dscp) {
        self.dscp = dscp;
    }
}

const DATA: Segment = Segment { flow: 0, ack: None, ecn: Ecn::NotEct, dscp: Dscp(0) };

fn ack(next: u32) -> Segment {
    Segment { ack: Some(PureAck { next, echo: 0, more: false }), ..DATA }
}

fn echo(next: u32, echo: u8) -> Segment {
    Segment { ack: Some(PureAck { next, echo, more: false }), ..DATA }
}

fn sack(next: u32) -> Segment {
    Segment { ack: Some(PureAck { next, echo: 0, more: true }), ..DATA }
}

/// What the filter dropped.
#[derive(Default)]
struct Dropped(Vec<Segment>);

impl Sink<Segment> for Dropped {
    fn dropped(&mut self, p: Segment, _: Option<Time>, why: Reason, _: &dyn Fn(&mut dyn Probe)) {
        assert_eq!(why, Reason::Evicted);
        self.0.push(p);
    }
    fn marked(&mut self, _: &Segment, _: Reason, _: &dyn Fn(&mut dyn Probe)) {}
}

/// Passes `segments` through the queue of one host, while nothing is sent: what is left, in the
/// order in which it leaves, and what was dropped.
fn through(json: &Value, segments: &[Segment]) -> (Vec<Segment>, Vec<Segment>) {
    let site = link(Capacity::Unlimited);
    let mut cake: Cake<Segment> = Cake::new(&config(json), &site);
    let (mut rng, flows, mut sink) =
        (Stream::named(1, "acks"), FlowTable::default(), Dropped::default());
    let cx = &mut Cx { now: Time::ZERO, rng: &mut rng, link: &site, flows: &flows };
    segments.iter().for_each(|segment| cake.enqueue(cx, *segment, &mut sink));
    let mut gauges = Gauges::default();
    cake.probe(&mut gauges);
    let counted = gauges.0.iter().find(|(name, _)| *name == "acks_filtered").map(|(_, n)| *n);
    assert_eq!(counted, cake.reads_acks().then_some(sink.0.len() as f64));
    let left = std::iter::from_fn(|| cake.dequeue(cx, &mut sink).map(|w| w.packet)).collect();
    (left, sink.0)
}

/// The numbers that are left under a filter; data have none.
fn left(filter: &str, segments: &[Segment]) -> Vec<Option<u32>> {
    let json = json!({"ack_filter": filter, "isolation": "flowblind"});
    through(&json, segments).0.iter().map(|p| p.ack.map(|ack| ack.next)).collect()
}

fn numbers(next: &[u32]) -> Vec<Option<u32>> {
    next.iter().map(|next| Some(*next)).collect()
}

/// Of ten in a row the newest stays, or the two newest.
#[test]
fn newer_acknowledgments_replace_older_ones() {
    let ten: Vec<Segment> = (1..=10).map(|n| ack(1000 * n)).collect();
    assert_eq!(left("none", &ten).len(), 10);
    assert_eq!(left("conservative", &ten), numbers(&[9000, 10_000]));
    assert_eq!(left("aggressive", &ten), numbers(&[10_000]));
}

/// Three of one number ask for a retransmission: none of them is dropped for another, only for the
/// acknowledgment that comes after the retransmission.
#[test]
fn duplicates_stay() {
    let duplicates = [ack(1000), ack(2000), ack(2000), ack(2000)];
    assert_eq!(left("aggressive", &duplicates), numbers(&[2000, 2000, 2000]));
    let after = [&duplicates[..], &[ack(9000)]].concat();
    // Each arrival drops one at most.
    assert_eq!(left("aggressive", &after), numbers(&[2000, 2000, 9000]));
}

/// The sender learns of a hole only from the acknowledgments that have its blocks.
#[test]
fn blocks_and_other_options_stay() {
    let mixed = [ack(1000), sack(2000), sack(2000), ack(3000), ack(4000)];
    assert_eq!(left("aggressive", &mixed), numbers(&[2000, 2000, 4000]));
    assert_eq!(left("conservative", &mixed), numbers(&[2000, 2000, 3000, 4000]));
}

/// An echo of congestion is told, and which bytes it covers.
#[test]
fn an_echo_stays_with_what_it_covers() {
    for mark in [flag::ECE, flag::CWR, flag::AE] {
        let marked = [ack(1000), echo(2000, mark), echo(3000, mark), ack(4000), ack(5000)];
        // The first of each run is gone for the second; no run is for another.
        assert_eq!(left("aggressive", &marked), numbers(&[1000, 3000, 5000]));
    }
}

/// Data and other flows in the same queue are not looked at.
#[test]
fn only_acknowledgments_of_the_flow_count() {
    let other = |next| Segment { flow: 1, ..ack(next) };
    let mixed = [ack(1000), DATA, other(500), ack(2000), other(400), ack(3000)];
    let found = left("aggressive", &mixed);
    assert_eq!(found, [None, Some(500), Some(400), Some(3000)]);
    let marked = Segment { ecn: Ecn::Ce, ..ack(1000) };
    let colored = Segment { dscp: Dscp(8), ..ack(1000) };
    assert_eq!(left("aggressive", &[marked, ack(2000)]), numbers(&[1000, 2000]));
    let json = json!({
        "ack_filter": "aggressive", "isolation": "flowblind", "diffserv": "besteffort",
    });
    assert_eq!(through(&json, &[colored, ack(2000)]).0.len(), 2);
}

/// Numbers have 32 bits.
#[test]
fn numbers_wrap() {
    let wrapped = [ack(u32::MAX - 1000), ack(500), ack(u32::MAX)];
    assert_eq!(left("aggressive", &wrapped), numbers(&[500, u32::MAX]));
}

/// Whatever comes in whatever order: the greatest number stays, data stay, and what was dropped had
/// no options, and before the next other echo of its flow a greater number with the same echo came
/// after it.
#[test]
fn what_is_dropped_is_told_by_what_stays() {
    for seed in 0..200 {
        let mut rng = Stream::named(seed, "mix");
        let mut draw = |below: u32| (rng.unit() * f64::from(below)) as u32;
        let all: Vec<Segment> = (0..60)
            .map(|_| match draw(6) {
                0 => DATA,
                1 => sack(draw(40)),
                2 => echo(draw(40), flag::ECE),
                _ => ack(draw(40)),
            })
            .collect();
        for (filter, keeps) in [("conservative", 2), ("aggressive", 1)] {
            let json = json!({"ack_filter": filter, "isolation": "flowblind"});
            let (left, dropped) = through(&json, &all);
            assert_eq!(left.len() + dropped.len(), all.len());
            assert!(dropped.iter().all(|p| p.ack.is_some_and(|ack| !ack.more)));
            let acks = |segments: &[Segment]| -> Vec<PureAck> {
                segments.iter().filter_map(|p| p.ack).collect()
            };
            let (before, after) = (acks(&all), acks(&left));
            assert!(after.len() >= keeps);
            let top = |acks: &[PureAck], echo: u8| {
                acks.iter().filter(|a| a.echo == echo).map(|a| a.next).max()
            };
            for echo in [0, flag::ECE] {
                assert_eq!(top(&before, echo), top(&after, echo), "seed {seed}");
            }
        }
    }
}

/// A washed packet was still sorted by its codepoint.
#[test]
fn washing_takes_the_codepoint_after_the_choice_of_the_tin() {
    let (voice, rest) = (Segment { dscp: Dscp(46), flow: 1, ..DATA }, DATA);
    for (wash, expected) in [(false, [46, 0, 0]), (true, [0, 0, 0])] {
        let (left, _) = through(&json!({"wash": wash}), &[rest, voice, rest]);
        assert_eq!(left.iter().map(|p| p.flow).collect::<Vec<_>>(), [1, 0, 0]);
        assert_eq!(left.iter().map(|p| p.dscp.0).collect::<Vec<_>>(), expected);
    }
}
