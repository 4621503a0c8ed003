//! A congestion control that colors its segments, and one that sends ahead of its window: each by a
//! double.
use crate::harness::*;
use dumbbell_core::packet::Dscp;
use dumbbell_core::transport::{
    Ack, Cause, Commands, Congestion, CongestionControl, Sent, Tag, TcpOverrides,
};
use dumbbell_core::units::{Limit, Packets, Time};
use dumbbell_tcp::{DelayedAck, Receiver, Sender, TcpConfig};

const IN: Tag = Tag(1);
const OUT: Tag = Tag(2);

/// A fixed window. It tags its segments, of which IN is a color, and at `due` sends `ahead`
/// segments.
struct Double {
    window: u64,
    due: Vec<Time>,
    ahead: u32,
    sent: u32,
    /// The tags that it writes on segments, in turn.
    tags: [Tag; 3],
    lost: Vec<(Cause, Vec<Tag>)>,
    answered: Vec<Tag>,
}

impl Double {
    fn of(window: u64) -> Self {
        Double {
            window,
            due: vec![],
            ahead: 0,
            sent: 0,
            tags: [OUT, IN, Tag(0)],
            lost: vec![],
            answered: vec![],
        }
    }
}

impl CongestionControl for Double {
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        self.answered.extend((ack.tag != Tag(0)).then_some(ack.tag));
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.lost.push((event.cause, event.tags.into()));
    }
    fn on_sent(&mut self, _: &Sent) -> Tag {
        self.sent += 1;
        self.tags[self.sent as usize % 3]
    }
    fn codepoint(&self, tag: Tag) -> Option<Dscp> {
        (tag == IN).then_some(Dscp(10))
    }
    fn on_timer(&mut self, _: Time, commands: &mut Commands) {
        self.due.remove(0);
        commands.ahead = self.ahead;
    }
    fn next_timer(&self) -> Time {
        self.due.first().copied().unwrap_or(Time::NEVER)
    }
    fn cwnd(&self) -> u64 {
        self.window * MSS
    }
}

fn net(config: &TcpConfig, window: u64, due: &[u64], ahead: u32) -> Net<Double> {
    let due = due.iter().map(|ms| at_ms(*ms)).collect();
    let double = Double { due, ahead, ..Double::of(window) };
    Net::of(Sender::new(config, |_| double), Receiver::new(config))
}

/// The color is on the segment, and its tag is not; one that is no color is, and is answered.
#[test]
fn segments_carry_the_colour_of_their_tag() {
    let mut net = net(&plain(), 6, &[], 0).start(6 * MSS);
    net.run(at_ms(60));
    let carried: Vec<_> = net
        .log
        .iter()
        .filter(|s| s.way == Way::Forward)
        .map(|s| s.extra.map(|x| (x.tag, x.color())))
        .collect();
    let (green, other) = (Some((0, Some(Dscp(10)))), Some((2, None)));
    assert_eq!(carried, [green, None, other, green, None, other]);
    net.run(at_ms(200));
    assert_eq!(net.sender.cc().answered, [OUT, OUT]);
}

/// A receiver that answers each second segment does so whatever colors they have: six segments,
/// three answers.
#[test]
fn a_colour_is_nothing_to_answer() {
    let config = TcpConfig { delayed_ack: DelayedAck::Second, ..plain() };
    for (tags, acks) in [([IN; 3], 3), ([Tag(0); 3], 3), ([OUT; 3], 6)] {
        let double = Double { tags, ..Double::of(6) };
        let mut net =
            Net::of(Sender::new(&config, |_| double), Receiver::new(&config)).start(6 * MSS);
        net.run(at_ms(500));
        assert_eq!(net.log.iter().filter(|s| s.way == Way::Back).count(), acks, "{tags:?}");
    }
}

/// Segments 1 (IN), 3 (OUT) and 4 (IN) are lost; what is sent again has the color of its own
/// sending. The loss that begins the recovery identifies the first, each partial acknowledgment of
/// the next: IN from OUT.
#[test]
fn what_was_lost_tells_its_colour() {
    let config = plain().with_overrides(TcpOverrides::recovery("newreno"));
    let mut net = net(&config, 9, &[], 0).lose_first(&[1, 3, 4]).start(9 * MSS);
    net.run(at_ms(2000));
    assert!(net.sender.finished());
    let told = &net.sender.cc().lost;
    assert_eq!(
        *told,
        [(Cause::Loss, vec![IN]), (Cause::Further, vec![OUT]), (Cause::Further, vec![IN])]
    );
    // With SACK a recovery begins with all that is known by then.
    let config = plain().with_overrides(TcpOverrides::recovery("sack"));
    let mut net = self::net(&config, 9, &[], 0).lose_first(&[1, 3, 4]).start(9 * MSS);
    net.run(at_ms(2000));
    let all: Vec<Tag> = net.sender.cc().lost.iter().flat_map(|(_, tags)| tags.clone()).collect();
    assert_eq!((net.sender.finished(), all), (true, vec![IN, OUT, IN]));
}

/// A window of 2, and three ahead at 20 ms: 3, 4 and 5 go then. The window counts them, so that
/// nothing goes at the first three acknowledgments, which leave four, three and two of five
/// outstanding.
#[test]
fn what_goes_ahead_of_the_window_is_counted_by_it() {
    let mut net = net(&plain(), 2, &[20], 3).start(u64::MAX);
    net.run(at_ms(125));
    let data = net.data();
    let at = |ms| data.iter().filter(|d| d.0 == ms).map(|d| d.1).collect::<Vec<_>>();
    assert_eq!((at(0), at(20), at(100)), (vec![1, 2], vec![3, 4, 5], vec![]));
    assert_eq!(at(120), [6, 7], "3 acknowledged leaves two, 4 one, 5 none");
}

/// The receiver's window is a limit, and so is the end of the data: nothing is repeated to use up
/// the order.
#[test]
fn what_goes_ahead_is_new_and_has_room_at_the_receiver() {
    let config = TcpConfig { receive_window: Limit::Packets(Packets(4.0)), ..plain() };
    for (config, bytes, expected) in
        [(config, u64::MAX, 4), (plain(), 3 * MSS, 3), (plain(), u64::MAX, 12)]
    {
        let mut net = net(&config, 2, &[20], 10).start(bytes);
        net.run(at_ms(50));
        let data = net.data();
        assert_eq!(data.len(), expected);
        assert!(data.iter().zip(1..).all(|(d, n)| d.1 == n && !d.2), "{data:?}");
    }
}

/// In a recovery new data goes ahead; after a timeout, what is to be sent again, in order and each
/// once: the first at the expiry, the next two ahead.
#[test]
fn what_goes_ahead_follows_the_repair() {
    let mut net = net(&plain().with_overrides(TcpOverrides::recovery("newreno")), 6, &[110], 2)
        .lose_first(&[1])
        .start(u64::MAX);
    net.run(at_ms(115));
    assert_eq!(net.sender.stats().recoveries, 1);
    let data = net.data();
    let at = |ms| data.iter().filter(|d| d.0 == ms).map(|d| d.1).collect::<Vec<_>>();
    assert_eq!(at(100).first(), Some(&7), "limited transmit, then the repair: {:?}", at(100));
    let last = *at(100).iter().max().unwrap();
    assert_eq!(at(110), [last + 1, last + 2]);

    for config in [plain(), TcpConfig { frto: false, tail_loss_probe: false, ..modern() }] {
        let mut net = self::net(&config, 1, &[20, 1200], 2)
            .with_fate(move |_, n, _| if n <= 3 { lose() } else { pass() });
        net = net.start(3 * MSS);
        net.run(at_ms(1250));
        let again: Vec<_> = net.data().into_iter().filter(|d| d.2).map(|d| d.1).collect();
        assert_eq!(again, [1, 2, 3], "{:?}", net.data());
        assert_eq!(net.sender.stats().rtos, 1);
    }
}
