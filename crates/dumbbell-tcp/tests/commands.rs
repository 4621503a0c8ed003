//! The commands of a congestion control and the other plug points, each tested with a double.
use crate::harness::*;
use dumbbell_core::transport::segment::{PacketTooBig, flag};
use dumbbell_core::transport::{
    Ack, Arrival, Cause, Commands, Congestion, CongestionControl, Detect, Evidence, Finding,
    HostSignal, Receive, Reply, RtoCommand, Scoreboard, Tag, TcpOverrides,
};
use dumbbell_core::units::{Span, Time};
use dumbbell_tcp::{AnyRecover, DupAcks, Receiver, Sender, TcpConfig};

type OnAck = Box<dyn FnMut(&Ack, &mut Commands)>;

/// A fixed window that does what its script says at each call, and notes what it hears.
struct Double {
    window: u64,
    clock: bool,
    on_ack: OnAck,
    on_loss: Box<dyn FnMut(&mut Commands)>,
    lost_tags: Vec<(Cause, Vec<u32>)>,
    acked_tags: Vec<u32>,
    timer: Time,
}

impl Double {
    fn new(window: u64) -> Self {
        Double {
            window: window * MSS,
            clock: false,
            on_ack: Box::new(|_, _| {}),
            on_loss: Box::new(|_| {}),
            lost_tags: Vec::new(),
            acked_tags: Vec::new(),
            timer: Time::NEVER,
        }
    }
}

impl CongestionControl for Double {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides { timestamps: self.clock, ..TcpOverrides::NOTHING }
    }
    fn on_ack(&mut self, ack: &Ack, commands: &mut Commands) {
        if ack.tag != Tag(0) {
            self.acked_tags.push(ack.tag.0);
        }
        (self.on_ack)(ack, commands);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, commands: &mut Commands) {
        self.lost_tags.push((event.cause, event.tags.iter().map(|t| t.0).collect()));
        (self.on_loss)(commands);
    }
    fn on_timer(&mut self, _: Time, commands: &mut Commands) {
        self.timer = Time::NEVER;
        commands.retransmit = true;
    }
    fn next_timer(&self) -> Time {
        self.timer
    }
    fn on_host_signal(&mut self, signal: HostSignal, commands: &mut Commands) {
        commands.freeze = Some(signal == HostSignal::PathDown);
    }
    fn cwnd(&self) -> u64 {
        self.window
    }
}

fn net(config: &TcpConfig, double: Double) -> Net<Double> {
    Net::of(Sender::new(config, |_| double), Receiver::new(config))
}

/// TCP CAE: spacing at arrival twice that at the receiver doubles the RTO once, whatever follows;
/// the spacing restored resets the estimator to the next sample.
#[test]
fn a_control_backs_the_timeout_off_and_resets_it() {
    let config =
        TcpConfig { timestamps: true, mss: Some(dumbbell_core::units::Bytes(1012)), ..plain() };
    let mut double = Double::new(1);
    double.clock = true;
    let (mut last, mut alarmed) = (None, false);
    double.on_ack = Box::new(move |ack, commands| {
        let peer = ack.peer_clock.expect("every ACK carries the receiver's clock");
        if let Some((r, t)) = last {
            let slow = peer.since(r).seconds() / ack.now.since(t).seconds() < 0.75;
            match (slow, alarmed) {
                (true, false) => commands.rto = Some(RtoCommand::BACK_OFF),
                (false, true) => commands.rto = Some(RtoCommand::Reset),
                _ => {}
            }
            alarmed = slow;
        }
        last = Some((peer, ack.now));
    });
    // One segment a round trip. ACKs 4, 5, 6 take 100, 200, 300 ms longer; later ones as long as
    // the sixth.
    let mut net = net(&config, double).with_fate(|way, n, _| {
        let late = if way == Way::Back { n.saturating_sub(3).min(3) * 100 } else { 0 };
        vec![Span::from_ms(late)]
    });
    net = net.start(u64::MAX);
    let mut rtos = Vec::new();
    for at in [350, 500, 1200, 1900] {
        net.run(at_ms(at));
        rtos.push(net.sender.view().rto.seconds());
    }
    // 300 ms: min_rto. 500 ms: the fourth ACK came 200 ms after the third, the receiver's spacing
    // was 100: doubled.
    assert_eq!(rtos[..2], [1.0, 2.0]);
    // The receiver's spacing follows the sender's from then on: 200 / 300 and so on until they
    // agree.
    assert_eq!(rtos[3], 1.0, "{rtos:?}");
    let view = net.sender.view();
    assert_eq!((net.sender.stats().rtos, view.in_flight), (0, MSS));
    assert!(
        (view.srtt.unwrap().seconds() - 0.4).abs() < 0.001,
        "the first sample after the reset: \
        {view:?}"
    );
}

/// The receiver puts its clock on every acknowledgment only where timestamps are in use and the
/// control goes by them.
#[test]
fn the_peers_clock_is_for_who_asks() {
    for (timestamps, clock, wanted) in
        [(false, false, false), (true, false, false), (true, true, true)]
    {
        let mut double = Double::new(2);
        double.clock = clock;
        let config = TcpConfig { timestamps, ..plain() };
        let sender = Sender::new(&config, |_| double);
        assert_eq!(sender.wants_peer_clock(), wanted, "{timestamps} {clock}");
    }
}

/// A doubled timeout holds the running timer too: expiry is start + 2 RTO.
#[test]
fn a_backoff_extends_the_running_timer() {
    let mut double = Double::new(3);
    double.on_ack = Box::new(|ack, commands| {
        if ack.una == 1 {
            commands.rto = Some(RtoCommand::BACK_OFF);
        }
    });
    let mut net = net(&TcpConfig { limited_transmit: false, ..plain() }, double)
        .lose_first(&[1])
        .start(2 * MSS);
    net.run(at_ms(10_000));
    // One duplicate, from segment 2, at 100 ms: the timer started at 0 with 1 s and fires at 2 s.
    assert_eq!(net.data().into_iter().filter(|d| d.2).map(|d| d.0).collect::<Vec<_>>()[0], 2000);
}

/// No dummies go while the sender is frozen, or into a closed window.
#[test]
fn dummies_need_an_open_way() {
    for (freeze, dummies) in [(None, 1), (Some(true), 0)] {
        let mut double = Double::new(4);
        let mut once = false;
        double.on_ack = Box::new(move |_, commands| {
            if !std::mem::replace(&mut once, true) {
                commands.freeze = freeze;
                commands.dummy(Tag(5));
            }
        });
        let mut net = net(&plain(), double).start(u64::MAX);
        net.run(at_ms(150));
        assert_eq!(net.sender.stats().dummies, dummies);
    }
    let mut double = Double::new(4);
    double.on_ack = Box::new(|ack, commands| {
        if ack.window == 0 {
            commands.dummy(Tag(5));
        }
    });
    let sender = Sender::new(plain(), |_| double);
    let mut net = Net::of(sender, Receiver::with(plain(), Mobile { down: false })).start(u64::MAX);
    net.run(at_ms(110));
    net.answer(|r, now, out| r.local(now, HostSignal::PathDown, out));
    net.run(at_ms(300));
    assert_eq!(net.sender.stats().dummies, 0);
}

/// A local signal freezes everything, timers too; another one thaws it at the full window.
#[test]
fn freezing_stops_the_timers() {
    let mut net = net(&plain(), Double::new(8)).start(u64::MAX);
    net.run(at_ms(220));
    net.act(|s, now, out| s.local(now, HostSignal::PathDown, out));
    net.fate = Box::new(|_, _, _| lose());
    net.run(at_ms(60_000));
    assert_eq!((net.sender.deadline(), net.sender.stats().rtos), (Time::NEVER, 0));
    assert!(net.data().iter().all(|d| d.0 < 250));
    net.fate = Box::new(|_, _, _| pass());
    net.act(|s, now, out| s.local(now, HostSignal::PathUp, out));
    net.run(at_ms(62_000));
    assert!(net.receiver.stats().delivered_bytes > 40 * MSS);
}

/// A congestion control's own timer requests a retransmission of the first unacknowledged segment.
#[test]
fn a_control_retransmits_on_its_own_clock() {
    let mut double = Double::new(2);
    double.timer = at_ms(400);
    let mut net = net(&plain(), double).lose_first(&[1, 2]).start(2 * MSS);
    net.run(at_ms(450));
    assert_eq!(
        net.data().into_iter().filter(|d| d.2).map(|d| (d.0, d.1)).collect::<Vec<_>>(),
        [(400, 1)]
    );
}

/// A control that orders three extras, with tags 7 to 9, at the first acknowledgment.
fn three_extras() -> Double {
    let mut double = Double::new(6);
    let mut once = false;
    double.on_ack = Box::new(move |_, commands| {
        if !std::mem::replace(&mut once, true) {
            [7, 8, 9].into_iter().for_each(|tag| commands.extra(Tag(tag)));
        }
    });
    double
}

/// TCP Peach: extra tagged segments beyond the window. 7 is lost, and comes back as a tag; 8
/// arrives, and its tag comes with its acknowledgment. The window never counts them.
#[test]
fn extra_segments_go_beyond_the_window_and_their_tags_return() {
    for recovery in ["newreno", "sack"] {
        let double = three_extras();
        let config = plain().with_overrides(TcpOverrides::recovery(recovery));
        // Segments 1 to 6 go, and at the first ACK extras 7, 8, 9; then data 10 ... The first extra
        // is lost.
        let mut net = net(&config, double).lose_first(&[7]).start(u64::MAX);
        net.run(at_ms(110));
        let data = net.data();
        assert_eq!(
            burst(&data, 100),
            [7, 8, 9, 10, 11, 12, 13, 14, 15],
            "{recovery}: 6 in the \
            window beside 3 extra"
        );
        net.run(at_ms(1000));
        assert_eq!(net.sender.cc().lost_tags, [(Cause::Loss, vec![7])], "{recovery}");
        assert_eq!(net.sender.cc().acked_tags, [8, 9], "{recovery}");
    }
}

/// A path that becomes narrower while three extras are outstanding: everything goes again in
/// smaller segments, and the window counts all of it.
#[test]
fn extras_count_when_they_go_again() {
    for recovery in ["newreno", "sack"] {
        let double = three_extras();
        let config = plain().with_overrides(TcpOverrides::recovery(recovery));
        let mut net = net(&config, double).start(u64::MAX);
        net.run(at_ms(110));
        let seq = net.sender.view().una as u32;
        net.act(|s, now, out| s.on_packet_too_big(now, PacketTooBig { mtu: 540, seq }, out));
        let again: Vec<_> = net.log.iter().filter(|s| s.at == at_ms(110)).collect();
        assert!(again.iter().all(|s| s.segment.ip_len == 540 && s.again()), "{recovery}");
        assert_eq!(again.len() as u64, 6 * MSS / 500, "{recovery}");
    }
}

/// Tags of everything outstanding come back with a timeout; without new data an extra repeats the
/// first segment.
#[test]
fn a_timeout_returns_every_tag() {
    let mut double = Double::new(4);
    double.on_ack = Box::new(|ack, commands| {
        if ack.una == 1 + 2 * MSS {
            [5, 6].into_iter().for_each(|tag| commands.extra(Tag(tag)));
        }
    });
    let mut net = net(&plain(), double).with_fate(|way, n, s| {
        if way == Way::Forward && (n == 3 || s.flags & flag::RETRANSMIT != 0 && n < 6) {
            lose()
        } else {
            pass()
        }
    });
    net = net.start(3 * MSS);
    net.run(at_ms(10_000));
    assert!(net.sender.finished());
    assert_eq!(net.sender.cc().lost_tags, [(Cause::Timeout { first: true }, vec![5, 6])]);
}

/// TCP-DCR: a loss is believed one srtt after the first duplicate; new data goes meanwhile for each
/// duplicate.
struct Patient {
    inner: DupAcks,
    due: Time,
}
impl Detect for Patient {
    fn on_ack(&mut self, e: &Evidence, _: &Scoreboard) -> Finding {
        if e.acked > 0 {
            self.due = Time::NEVER;
        } else if self.due == Time::NEVER {
            self.due = e.now + e.srtt.unwrap_or(e.rto);
        }
        Finding::Suspicion(u64::from(e.dupacks) * MSS)
    }
    fn deadline(&self) -> Time {
        self.due
    }
    fn on_deadline(&mut self, _: Time, _: &Scoreboard) -> Finding {
        self.due = Time::NEVER;
        Finding::Loss
    }
    fn settled(&mut self) {
        self.due = Time::NEVER;
    }
    fn lost_below(&self, board: &Scoreboard) -> u64 {
        self.inner.lost_below(board)
    }
}

#[test]
fn a_detector_may_wait() {
    let run = |patient: bool, lost: bool| {
        let config = plain().with_overrides(TcpOverrides::recovery("newreno"));
        let fate = move |way: Way, n: u64, _: &mut _| match (way, n) {
            (Way::Forward, 12) if lost => lose(),
            (Way::Forward, 12) => vec![Span::from_ms(80)],
            _ => pass(),
        };
        let make = || cc("newreno", &Sender::<dumbbell_algos::cc::AnyCc>::path(&config));
        if patient {
            let inner = DupAcks::new(3, true, MSS);
            let detect = Patient { inner, due: Time::NEVER };
            let sender = Sender::with(&config, make(), detect, AnyRecover::new(&config));
            let mut net = Net::of(sender, Receiver::new(&config)).with_fate(fate).start(200 * MSS);
            net.run(at_ms(10_000));
            let again: Vec<u64> = net.data().into_iter().filter(|d| d.2).map(|d| d.0).collect();
            (net.sender.finished(), net.sender.stats().recoveries, again)
        } else {
            let mut net =
                Net::of(Sender::new(&config, |_| make()), Receiver::new(&config)).with_fate(fate);
            net = net.start(200 * MSS);
            net.run(at_ms(10_000));
            let again: Vec<u64> = net.data().into_iter().filter(|d| d.2).map(|d| d.0).collect();
            (net.sender.finished(), net.sender.stats().recoveries, again)
        }
    };
    // Segment 12 goes at 100 ms; the duplicates come at 200 ms, the late segment's ACK at 280 ms.
    let (finished, recoveries, again) = run(false, false);
    assert_eq!((finished, recoveries, again[0]), (true, 1, 200));
    assert_eq!(run(true, false), (true, 0, vec![]));
    // Lost indeed: one reduction, one round trip later.
    assert_eq!(run(false, true), (true, 1, vec![200]));
    assert_eq!(run(true, true), (true, 1, vec![300]));
}

/// Freeze-TCP: the receiver closes the window before the path vanishes, and sends three ACKs when
/// it is back.
struct Mobile {
    down: bool,
}
impl Receive for Mobile {
    fn on_data(&mut self, _: &Arrival) -> Reply {
        Reply::Now
    }
    fn echo(&mut self, _: bool) -> u8 {
        0
    }
    fn window(&self, free: u64) -> u64 {
        if self.down { 0 } else { free }
    }
    fn on_host_signal(&mut self, _: Time, signal: HostSignal) -> u32 {
        self.down = signal == HostSignal::PathDown;
        if self.down { 1 } else { 3 }
    }
}

#[test]
fn a_receiver_may_close_the_window_ahead_of_a_disconnection() {
    let mut double = Double::new(20);
    double.on_ack = Box::new(|ack, commands| commands.freeze = Some(ack.window == 0));
    let sender = Sender::new(plain(), |_| double);
    let mut net = Net::of(sender, Receiver::with(plain(), Mobile { down: false })).start(u64::MAX);
    net.run(at_ms(510));
    net.answer(|r, now, out| r.local(now, HostSignal::PathDown, out));
    net.run(at_ms(620));
    net.fate = Box::new(|_, _, _| lose());
    net.run(at_ms(30_000));
    assert_eq!((net.sender.stats().rtos, net.sender.cc().lost_tags.len()), (0, 0));
    net.fate = Box::new(|_, _, _| pass());
    net.answer(|r, now, out| r.local(now, HostSignal::PathUp, out));
    let before = net.receiver.stats().delivered_bytes;
    net.run(at_ms(33_000));
    assert!(net.receiver.stats().delivered_bytes >= before + 100 * MSS, "{:?}", net.sender.view());
}

/// DCTCP's receiver: when the mark changes, what came before is acknowledged first, with its own
/// mark.
#[derive(Default)]
struct DctcpReceiver {
    ece: bool,
    previous_ece: bool,
}
impl Receive for DctcpReceiver {
    fn on_data(&mut self, a: &Arrival) -> Reply {
        (self.previous_ece, self.ece) = (self.ece, a.ce());
        if self.previous_ece != self.ece {
            Reply::PendingThenNow
        } else if a.pending >= 2 * a.mss {
            Reply::Now
        } else {
            Reply::Within(Span::from_ms(40))
        }
    }
    fn echo(&mut self, pending_only: bool) -> u8 {
        let ece = if pending_only { self.previous_ece } else { self.ece };
        if ece { flag::ECE } else { 0 }
    }
}

#[test]
fn an_echo_may_follow_each_change_of_the_mark() {
    let config = TcpConfig { ecn: dumbbell_tcp::Ecn::Rfc3168, ..plain() };
    let sender = Sender::new(&config, |_| Double::new(6));
    let mut net =
        Net::of(sender, Receiver::with(&config, DctcpReceiver::default())).with_fate(|_, n, s| {
            if s.ecn.capable() && (4..=5).contains(&n) {
                s.ecn = dumbbell_core::packet::Ecn::Ce;
            }
            pass()
        });
    net = net.start(6 * MSS);
    net.run(at_ms(140));
    let back: Vec<_> = net.log.iter().filter(|s| s.way == Way::Back).collect();
    let acks: Vec<_> = back
        .iter()
        .map(|s| (u64::from(s.segment.seq - 1) / MSS, s.segment.flags & flag::ECE != 0))
        .collect();
    // 2 together; 3 alone, for 4 is marked, which is told at once; 5 before 6, which is not.
    assert_eq!(acks, [(2, false), (3, false), (4, true), (5, true), (6, false)]);
}
