//! Packets followed one by one tell the same story as the report, however the network is run.
mod plans;

use dumbbell_core::packet::Ecn;
use dumbbell_core::transport::segment::{Extra, Segment};
use dumbbell_core::units::{Capacity, Rate, Span, Time};
use dumbbell_plan::Plan;
use dumbbell_sim::{Cause, Observer, Options, PacketId, Reaction, Report, Signal, World};
use plans::{dumbbell, spec};
use serde_json::json;

/// Everything that was seen, as sentences that can be sorted.
#[derive(Default)]
struct Diary {
    counters: std::collections::BTreeMap<(usize, bool), u64>,
    end: Time,
    sent: Vec<(Time, PacketId, u16)>,
    entered: Vec<(Time, PacketId, usize, u32)>,
    left: Vec<(PacketId, usize, Time, Time)>,
    delivered: Vec<(Time, PacketId)>,
    signals: Vec<(Time, PacketId, usize, bool)>,
    reactions: Vec<(Time, usize, &'static str, u64, u64)>,
}

impl Observer for Diary {
    const FOLLOWS: bool = true;

    fn follow(&mut self, flow: usize, data: bool) -> u64 {
        let n = self.counters.entry((flow, data)).or_default();
        *n += 1;
        *n
    }
    fn sent(&mut self, t: Time, who: PacketId, segment: &Segment, _: Option<&Extra>) {
        self.sent.push((t, who, segment.ip_len));
    }
    fn entered(&mut self, t: Time, who: PacketId, link: usize, backlog: u32) {
        if t <= self.end {
            self.entered.push((t, who, link, backlog));
        }
    }
    fn left(&mut self, who: PacketId, link: usize, done: Time, arrives: Time) {
        if done <= self.end {
            self.left.push((who, link, done, arrives));
        }
    }
    fn delivered(&mut self, t: Time, who: PacketId, _: Ecn) {
        self.delivered.push((t, who));
    }
    fn signal(&mut self, s: &Signal) {
        self.signals.push((
            s.t,
            PacketId { flow: s.flow, data: s.data, number: s.number },
            s.link,
            s.marked,
        ));
    }
    fn wants_reactions(&self) -> bool {
        true
    }
    fn reacted(&mut self, r: &Reaction) {
        self.reactions.push((r.t, r.flow, r.cause.name(), r.before.view.cwnd, r.after.view.cwnd));
        assert_eq!(Cause::between(&r.before, &r.after), Some(r.cause));
    }
}

impl Diary {
    fn sorted(mut self) -> Self {
        self.sent.sort_unstable();
        self.entered.sort_unstable();
        self.left.sort_unstable();
        self.delivered.sort_unstable();
        self.signals.sort_unstable();
        self.reactions.sort_unstable();
        self
    }
}

fn plan(queue: &str) -> Plan {
    let config = match queue {
        "red" => json!({"min_th": "6 pkt", "max_th": "18 pkt", "w_q": 0.02, "max_p": 0.1}),
        _ => json!({}),
    };
    let duration = Span::from_secs(4);
    let mut plan =
        dumbbell(5, 4, Rate::from_mbps(5), spec(queue, config), Capacity::Packets(25), duration);
    plan.record.drops = true;
    plan.links[1].impairments = vec![
        spec("bernoulli", json!({"loss": 0.01})),
        spec(
            "jitter",
            json!({"max": "3 \
        ms"}),
        ),
    ];
    plan
}

fn run(plan: &Plan, options: Options) -> (Diary, Report) {
    let mut diary = Diary { end: Time::ZERO + plan.duration, ..Diary::default() };
    let mut world = World::new(plan, Options { audit: true, ..options }).unwrap();
    while !world.run(&mut diary, 10_000) {}
    let report = world.finish(&mut diary);
    (diary.sorted(), report)
}

#[test]
fn the_story_is_the_same_run_ahead_or_not_and_held_or_not() {
    for queue in ["drop_tail", "red"] {
        let plan = plan(queue);
        let (one, report) = run(&plan, Options::default());
        for options in [
            Options { fold: false, ..Options::default() },
            Options { hold: true, ..Options::default() },
            Options { hold: true, fold: false, ..Options::default() },
        ] {
            let (other, _) = run(&plan, options);
            assert_eq!(one.sent, other.sent, "{queue} {options:?}");
            assert_eq!(one.entered, other.entered, "{queue} {options:?}");
            assert_eq!(one.left, other.left, "{queue} {options:?}");
            assert_eq!(one.delivered, other.delivered, "{queue} {options:?}");
            assert_eq!(one.signals, other.signals, "{queue} {options:?}");
            assert_eq!(one.reactions, other.reactions, "{queue} {options:?}");
        }
        // Nobody who looks changes anything.
        let mut world = World::new(&plan, Options::default()).unwrap();
        while !world.run(&mut (), 10_000) {}
        assert_eq!(world.finish(&mut ()).fingerprint, report.fingerprint);
    }
}

#[test]
fn packets_that_are_followed_add_up_to_the_report() {
    let plan = plan("red");
    let (diary, report) = run(&plan, Options::default());
    let c = &report.conservation;
    assert!(c.ok, "{c:?}");
    assert_eq!((diary.sent.len() as u64, diary.delivered.len() as u64), (c.sent, c.delivered));
    let drops = diary.signals.iter().filter(|s| !s.3).count() as u64;
    assert!(drops > 20 && drops == c.dropped, "{drops} {c:?}");
    let at = |link: usize| diary.entered.iter().filter(|e| e.2 == link).count() as u64;
    let through = |link: usize| diary.left.iter().filter(|e| e.1 == link).count() as u64;
    let queue = &report.queues[0].counters;
    assert_eq!((at(0), through(0)), (queue.arrivals, queue.departures));
    let retransmits: u64 = report.flows.iter().map(|f| f.retransmits).sum();
    let losses =
        diary.reactions.iter().filter(|r| ["loss", "timeout"].contains(&r.2)).count() as u64;
    assert!(losses > 5 && retransmits >= losses, "{losses} {retransmits}");
    let rtos: u64 = report.flows.iter().map(|f| f.rtos).sum();
    assert_eq!(diary.reactions.iter().filter(|r| r.2 == "timeout").count() as u64, rtos);
}
