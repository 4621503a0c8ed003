//! The conformance suite can fail: algorithms that break one promise each, and the check that says
//! so.
use dumbbell_algos::suite::under_test::{AqmUnderTest, CcUnderTest};
use dumbbell_algos::suite::{aqm, cc};
use dumbbell_core::aqm::{Aqm, Cx, DynAqm, LinkInfo, QueueView, Reason, Verdict};
use dumbbell_core::catalogue::Fault;
use dumbbell_core::packet::Meta;
use dumbbell_core::plugin::{Alarm, Page, PluginFactory};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Commands, Congestion, CongestionControl, Path, Sent, Tag,
};
use dumbbell_core::units::{Rate, Span, Time};
use serde_json::{Value, json};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Brings what a function makes, without parameters.
struct Brought<F>(Page, F);

fn plugin<F>(make: F) -> Brought<F> {
    let text = |s: &str| s.to_string();
    let page = Page {
        name: text("mine"),
        title: text("Mine"),
        idea: text("An idea."),
        equations: text("p"),
        sources: vec![text("here")],
        language: text("Rust"),
        file: text("mine.rs"),
        source_hash: text("00"),
        schema: json!({"type": "object", "properties": {}}),
    };
    Brought(page, make)
}

impl<A: ?Sized, Site, F: Fn() -> Box<A> + Send + Sync> PluginFactory<A, Site> for Brought<F> {
    fn page(&self) -> &Page {
        &self.0
    }
    fn check(&self, _: &Value) -> Result<(), Fault> {
        Ok(())
    }
    fn make(&self, _: &Value, _: &Site, _: &Alarm) -> Result<Box<A>, Fault> {
        Ok((self.1)())
    }
}

/// What a queue does wrong.
#[derive(Clone)]
enum Wrong {
    /// Nothing.
    Nothing,
    /// It says that a queue without a limit overflows.
    Overflows,
    /// All instances count together.
    Shares(Arc<AtomicU64>),
    /// It changes when it is examined.
    Blushes,
}

struct Queue {
    wrong: Wrong,
    seen: Cell<u64>,
}

impl Aqm for Queue {
    fn arrive(&mut self, _: &mut Cx<'_>, q: &impl QueueView, _: &Meta, _: bool) -> Verdict {
        let count = match &self.wrong {
            Wrong::Nothing => 1,
            Wrong::Overflows if q.backlog().packets > 2 => return Verdict::Drop(Reason::Overflow),
            Wrong::Overflows => 1,
            Wrong::Shares(count) => count.fetch_add(1, Ordering::Relaxed),
            Wrong::Blushes => self.seen.get(),
        };
        if count.is_multiple_of(5) { Verdict::Drop(Reason::Early) } else { Verdict::Pass }
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.seen.set(self.seen.get() + 1);
        out.gauge("one", 1.0);
    }
}

fn queue(wrong: Wrong) -> AqmUnderTest {
    let make =
        move || -> Box<dyn DynAqm> { Box::new(Queue { wrong: wrong.clone(), seen: Cell::new(1) }) };
    AqmUnderTest::plugin(&(Arc::new(plugin(make)) as Arc<dyn PluginFactory<dyn DynAqm, LinkInfo>>))
}

#[test]
fn a_queue_without_a_limit_does_not_overflow() {
    assert_eq!(aqm::keeps_the_limit(&queue(Wrong::Nothing)), Ok(()));
    let found = aqm::keeps_the_limit(&queue(Wrong::Overflows)).unwrap_err();
    assert!(found.contains("of a queue without a limit"), "{found}");
}

#[test]
fn an_algorithm_is_what_its_log_says() {
    assert_eq!(aqm::is_what_its_log_says(&queue(Wrong::Nothing)), Ok(()));
    for wrong in [Wrong::Shares(Arc::default()), Wrong::Blushes] {
        let found = aqm::is_what_its_log_says(&queue(wrong)).unwrap_err();
        assert!(found.contains("from the log"), "{found}");
    }
}

/// A congestion control that does what its capabilities deny.
#[derive(Clone, Copy, PartialEq)]
enum Lie {
    None,
    Paces,
    Wakes,
    Tags,
    CountsSegments,
    GivesOrders,
    ReadsSamples,
    ExpectsMore,
    Admits,
    NeverFalls,
    DeafToEcn,
}

struct Control {
    lie: Lie,
    cwnd: u64,
    acks: u64,
}

impl CongestionControl for Control {
    fn capabilities(&self) -> Capabilities {
        Capabilities { timer: self.lie == Lie::Admits && self.acks > 3, ..Capabilities::WINDOW }
    }
    fn on_ack(&mut self, ack: &Ack, orders: &mut Commands) {
        self.acks += 1;
        let late = self.lie == Lie::ReadsSamples && ack.srtt > Some(Span::from_ms(1));
        if ack.acked > 0 && ack.window_limited && !ack.ece && !late {
            self.cwnd += ack.acked.min(1000);
        }
        orders.retransmit = self.lie == Lie::GivesOrders && self.acks.is_multiple_of(9);
    }
    fn on_expected(&mut self, acked: u64, window_limited: bool) -> u64 {
        let most = if self.lie == Lie::ExpectsMore { 2000 } else { 1000 };
        if window_limited {
            self.cwnd += acked.min(most);
        }
        self.cwnd
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        use dumbbell_core::transport::Cause;
        self.cwnd = match event.cause {
            Cause::Timeout { .. } => 1000,
            Cause::Loss if self.lie == Lie::NeverFalls => self.cwnd,
            Cause::Ecn if self.lie == Lie::DeafToEcn => self.cwnd,
            Cause::Loss | Cause::Ecn => (self.cwnd / 2).max(1000),
            _ => self.cwnd,
        };
    }
    fn on_sent(&mut self, _: &Sent) -> Tag {
        self.cwnd += u64::from(self.lie == Lie::CountsSegments);
        Tag(u32::from(self.lie == Lie::Tags))
    }
    fn next_timer(&self) -> Time {
        if self.lie == Lie::Wakes { Time::from_ps(u64::MAX / 2) } else { Time::NEVER }
    }
    fn pacing(&self) -> Option<Rate> {
        (self.lie == Lie::Paces && self.acks > 3).then(|| Rate::from_mbps(1))
    }
    fn cwnd(&self) -> u64 {
        self.cwnd
    }
}

fn control(lie: Lie) -> CcUnderTest {
    let make = move || -> Box<dyn CongestionControl + Send> {
        Box::new(Control { lie, cwnd: 10_000, acks: 0 })
    };
    CcUnderTest::plugin(
        &(Arc::new(plugin(make)) as Arc<dyn PluginFactory<dyn CongestionControl + Send, Path>>),
    )
}

#[test]
fn what_habits_deny_is_not_done() {
    assert_eq!(cc::keeps_its_habits(&control(Lie::None)), Ok(()));
    for (lie, says) in [
        (Lie::Paces, "has a pacing rate"),
        (Lie::Wakes, "lack `timer`"),
        (Lie::Tags, "writes a tag"),
        (Lie::CountsSegments, "a segment changes it"),
        (Lie::GivesOrders, "lack `commands`"),
        (Lie::ReadsSamples, "with other samples"),
        (Lie::ExpectsMore, "by on_expected"),
        (Lie::Admits, "grow after the start"),
    ] {
        let found = cc::keeps_its_habits(&control(lie)).unwrap_err();
        assert!(found.contains(says), "{says}: {found}");
    }
}

#[test]
fn a_window_falls_on_congestion() {
    assert_eq!(cc::falls_on_congestion(&control(Lie::None)), Ok(()));
    for (lie, says) in [(Lie::NeverFalls, "1 times Loss"), (Lie::DeafToEcn, "20 times Ecn")] {
        assert_eq!(cc::keeps_the_rules(&control(lie)), Ok(()), "no rule of old is broken");
        let found = cc::falls_on_congestion(&control(lie)).unwrap_err();
        assert!(found.contains(says), "{found}");
    }
}
