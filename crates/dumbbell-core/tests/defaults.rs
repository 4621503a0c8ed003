//! What the traits say for one who says nothing: the least of their kind. Doubles with nothing but
//! the methods that every implementation has.
use dumbbell_core::aqm::{Aqm, Cx, Gone, Hears, Limit, Needs, QueueView, Reason, Slot, Verdict};
use dumbbell_core::conditioner::{Conditioner, Emit};
use dumbbell_core::impairment::{Impairment, WireEffect};
use dumbbell_core::meter::{Color, Meter};
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::packet::{Ecn, Meta, Packet};
use dumbbell_core::probe::Gauges;
use dumbbell_core::rng::Stream;
use dumbbell_core::service::Service;
use dumbbell_core::source::{Burst, Source};
use dumbbell_core::testing::{Numbered, link, packet};
use dumbbell_core::transport::{
    Ack, Arrival, Capabilities, Commands, Congestion, CongestionControl, Detect, Evidence, Finding,
    Flight, HostSignal, Pick, Receive, Recover, Reply, Scoreboard, Sent, Step, Tag, TcpOverrides,
};
use dumbbell_core::units::{Backlog, Capacity, Rate, Span, Time, Transmitter};

/// Runs `f` in the midst of a run, on a link of 1 Mbps.
fn within<T>(f: impl FnOnce(&mut Cx<'_>) -> T) -> T {
    let (site, flows, mut rng) =
        (link(Capacity::Unlimited), FlowTable::default(), Stream::named(1, "defaults"));
    f(&mut Cx { now: Time::ZERO, rng: &mut rng, link: &site, flows: &flows })
}

struct Empty;

impl QueueView for Empty {
    fn backlog(&self) -> Backlog {
        Backlog::default()
    }
    fn meta(&self, _: Slot) -> Option<Meta> {
        None
    }
}

struct Passes;

impl Aqm for Passes {
    fn arrive(&mut self, _: &mut Cx<'_>, _: &impl QueueView, _: &Meta, _: bool) -> Verdict {
        Verdict::Pass
    }
}

#[test]
fn an_algorithm_that_only_answers_arrivals() {
    let (mut aqm, meta) = (Passes, packet(0, 500, Ecn::NotEct));
    assert_eq!((aqm.needs(), aqm.hears(), aqm.ticks()), (Needs::Arrival, Hears::ALL, false));
    within(|cx| {
        assert_eq!(aqm.make_room(cx, &Empty, &meta), None);
        assert_eq!(aqm.depart(cx, &Empty, &meta, Span::from_secs(1)), Verdict::Pass);
        assert_eq!(aqm.tick(cx, &Empty), None);
        aqm.overflowed(cx, Limit::Own);
        aqm.refused(cx, &meta, Reason::Overflow);
        aqm.gone(&meta, Gone::Sent);
        aqm.idle(cx);
    });
    let mut seen = Gauges::default();
    aqm.probe(&mut seen);
    assert!(seen.0.is_empty());
}

struct Once;

impl Source for Once {
    fn next(&mut self, _: Time, _: &mut Stream) -> Option<Burst> {
        None
    }
}

#[test]
fn a_source_is_for_tcp_and_waits_for_nothing() {
    let mut source = Once;
    assert_eq!(
        (source.datagrams(), source.awaits(), source.hears_delivery()),
        (false, false, false)
    );
    assert!(source.largest().is_none() && source.voice().is_none() && source.coder().is_none());
    source.delivered(Time::ZERO);
    source.follow(Rate::from_mbps(1));
}

#[test]
fn a_transmitter_is_a_service() {
    let mut service = Transmitter::new(Rate::from_mbps(1));
    assert_eq!(Service::rate(&service), Rate::from_mbps(1));
    let done = service.finish(Time::ZERO, Time::from_ps(7), 125).done;
    assert_eq!(done, Time::from_ps(7) + Span::from_ms(1));
    assert_eq!((Service::ps_per_byte(&service), service.reorders()), (None, false));
    service.watch(Time::ZERO, Time::NEVER);
    assert!(service.outages(Time::NEVER).is_empty());
    assert!(service.utilization().is_none() && service.cpu_cost().is_none());
}

struct Wire;

impl Impairment for Wire {
    fn effect(&mut self, _: Time, _: &mut Stream, _: &Meta) -> WireEffect {
        WireEffect::Arrives
    }
}

struct Greens;

impl Meter for Greens {
    fn color(&mut self, _: &mut Cx<'_>, _: &Meta, _: Color) -> Color {
        Color::Green
    }
}

struct Passage;

impl<P: Packet> Conditioner<P> for Passage {
    fn arrive(&mut self, _: &mut Cx<'_>, p: P, out: &mut impl Emit<P>) {
        out.emit(p);
    }
    fn next_wakeup(&self) -> Time {
        Time::NEVER
    }
    fn wake(&mut self, _: &mut Cx<'_>, _: &mut impl Emit<P>) {}
    fn held(&self) -> u64 {
        0
    }
}

#[derive(Default)]
struct Released(Vec<(u64, Option<Color>, Span)>);

impl Emit<Numbered> for Released {
    fn release(&mut self, p: Numbered, color: Option<Color>, held: Span) {
        self.0.push((p.id, color, held));
    }
    fn drop(&mut self, _: Numbered, _: Reason) {}
}

#[test]
fn a_stage_before_a_port_or_on_a_wire() {
    assert!(!Wire.reorders());
    assert!(!Greens.tells_sender() && Greens.worst() == Color::Yellow);
    assert_eq!(Greens.tokens(Time::ZERO), None);
    assert_eq!(Conditioner::<Numbered>::tokens(&mut Passage, Time::ZERO), None);
    let mut out = Released::default();
    let p = Numbered { id: 3, meta: packet(0, 500, Ecn::NotEct) };
    assert_eq!(p.pure_ack(), None);
    within(|cx| Passage.arrive(cx, p, &mut out));
    assert_eq!(out.0, [(3, None, Span::ZERO)], "what only passes has no color and was not held");
}

struct Fixed(u64);

impl CongestionControl for Fixed {
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        self.0 += if ack.window_limited { ack.acked } else { 1 };
    }
    fn on_congestion(&mut self, _: &Congestion<'_>, _: &mut Commands) {}
    fn cwnd(&self) -> u64 {
        self.0
    }
}

#[test]
fn a_control_with_nothing_but_a_window() {
    let mut cc = Fixed(1000);
    assert_eq!((cc.tcp_overrides(), cc.capabilities()), (TcpOverrides::NOTHING, Capabilities::ALL));
    assert_eq!([cc.on_expected(500, true), cc.on_expected(500, false)], [1500, 1501]);
    let sent = Sent::new(Time::ZERO, 1, 1000, false, 0);
    assert_eq!((cc.on_sent(&sent), cc.codepoint(Tag(7))), (Tag(0), None));
    let mut commands = Commands::default();
    cc.on_open(Time::ZERO, None, 9000, &mut commands);
    cc.on_timer(Time::ZERO, &mut commands);
    cc.on_host_signal(HostSignal::PathDown, &mut commands);
    cc.seed(9);
    cc.on_recovered(Time::ZERO, 1);
    cc.on_idle(1);
    cc.on_mss(1);
    assert!(commands.is_empty() && cc.cwnd() == 1501);
    assert_eq!((cc.ssthresh(), cc.pacing(), cc.next_timer()), (None, None, Time::NEVER));
}

/// Everything below an offset is lost.
struct Below(u64);

impl Detect for Below {
    fn on_ack(&mut self, _: &Evidence, _: &Scoreboard) -> Finding {
        Finding::Nothing
    }
    fn lost_below(&self, _: &Scoreboard) -> u64 {
        self.0
    }
}

/// RFC 6675's account of what is lost and what is in the network: [0, 100) is outstanding, [10, 20)
/// and [40, 50) are selectively acknowledged, and what lies below 40 is lost.
#[test]
fn a_detector_that_finds_what_is_lost_by_its_place() {
    let mut detect = Below(40);
    let mut board = Scoreboard::default();
    assert_eq!((board.insert(10, 20), board.insert(40, 50)), (10, 10));
    assert_eq!(
        (detect.wants_every_ack(), detect.by_segment(), detect.has_timer(), detect.repairs()),
        (false, false, true, false)
    );
    assert!(!detect.on_sent_new(Time::ZERO, 0, 10));
    assert!(!detect.on_expected(Time::ZERO, 0, None, None));
    assert_eq!((detect.answered(10), detect.last_segment()), (None, None));
    assert_eq!(
        (detect.deadline(), detect.lost_again(), detect.losses(&board)),
        (Time::NEVER, 0, 40)
    );
    assert_eq!(detect.on_deadline(Time::ZERO, &board), Finding::Nothing);
    for (from, hole) in [
        (0, Some((0, 10))),
        (5, Some((5, 10))),
        (10, Some((20, 40))),
        (39, Some((39, 40))),
        (40, None),
    ] {
        assert_eq!(detect.next_lost(&board, from), hole, "{from}");
    }
    for (una, expected) in [(0, vec![(0, 10), (20, 40)]), (30, vec![(30, 40)]), (60, vec![])] {
        let mut lost = Vec::new();
        detect.lost_ranges(&board, una, &mut lost);
        assert_eq!(lost, expected, "{una}");
    }
    // Above 40 there are 50 that were not acknowledged; of what was sent again, all that was not.
    for (una, repaired, pipe) in
        [(0, 0, 50), (0, 5, 55), (0, 15, 60), (0, 30, 70), (0, 45, 80), (5, 15, 55), (60, 60, 40)]
    {
        assert_eq!(detect.pipe(&board, una, 100, repaired), pipe, "{una} {repaired}");
    }
    assert_eq!(detect.pipe(&board, 0, 100, 200), 50 + 80, "no more than was sent");
}

struct Again;

impl Recover for Again {
    fn may_enter(&self, _: u64, _: u64) -> bool {
        true
    }
    fn enter(&mut self, _: &Flight<'_>, _: u32) -> Step {
        Step::default()
    }
    fn on_ack(&mut self, _: &Flight<'_>, _: u64, _: u64) -> Step {
        Step::default()
    }
    fn room(&self, _: &Flight<'_>, _: &impl Detect) -> u64 {
        0
    }
}

#[test]
fn a_recovery_sends_new_data() {
    let board = Scoreboard::default();
    let flight = Flight::new(10, 0, 100, 50, 100, 0, &board);
    assert_eq!((Again.next(&flight, &Below(0)), flight.size()), (Some(Pick::New), 100));
}

struct Answers;

impl Receive for Answers {
    fn on_data(&mut self, _: &Arrival) -> Reply {
        Reply::Now
    }
    fn echo(&mut self, _: bool) -> u8 {
        0
    }
}

#[test]
fn a_receiver_offers_what_it_has() {
    let mut policy = Answers;
    assert_eq!((policy.is_plain(), policy.counters(), policy.window(77)), (false, None, 77));
    assert_eq!(policy.on_host_signal(Time::ZERO, HostSignal::PathUp), 0);
}
