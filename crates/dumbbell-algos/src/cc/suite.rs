//! What holds for every congestion control, whatever its idea.
use dumbbell_core::transport::{Ack, Cause, Congestion, CongestionControl, LocalSignal, Orders, Path, Phase, Sent};
use dumbbell_core::units::{Span, Time};
use proptest::prelude::*;

/// One event of a connection's life.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    Ack { segments: u64, sacked: u64, ece: bool, limited: bool, recovery: bool, rtt_us: u64 },
    Loss,
    Ecn,
    Timeout { first: bool },
    Spurious,
    Recovered { segments: u64 },
    Sent,
    Idle,
    Local(LocalSignal),
}

pub const PATH: Path = Path { mss: 1000, initial_window: 10_000, initial_ssthresh: u64::MAX, growth_limit: 2 };

pub fn events() -> impl Strategy<Value = Vec<Event>> {
    let ack = (0u64..8, 0u64..3, any::<bool>(), any::<bool>(), any::<bool>(), 100u64..400_000).prop_map(
        |(segments, sacked, ece, limited, recovery, rtt_us)| Event::Ack {
            segments,
            sacked,
            ece,
            limited,
            recovery,
            rtt_us,
        },
    );
    let event = prop_oneof![
        20 => ack,
        2 => Just(Event::Loss),
        1 => Just(Event::Ecn),
        1 => any::<bool>().prop_map(|first| Event::Timeout { first }),
        1 => Just(Event::Spurious),
        2 => (0u64..50).prop_map(|segments| Event::Recovered { segments }),
        8 => Just(Event::Sent),
        1 => Just(Event::Idle),
        1 => prop_oneof![Just(LocalSignal::MarkedOut), Just(LocalSignal::PathDown), Just(LocalSignal::PathUp)]
            .prop_map(Event::Local),
    ];
    prop::collection::vec(event, 1..300)
}

/// Drives a congestion control, checks what must always hold, and returns its windows.
pub fn drive(cc: &mut impl CongestionControl, events: &[Event]) -> Vec<u64> {
    let (mut now, mut una, mut orders) = (Time::ZERO, 1u64, Orders::default());
    let mut windows = Vec::new();
    for event in events {
        now += Span::from_us(700);
        while cc.next_timer() <= now {
            let due = cc.next_timer();
            cc.on_timer(due, &mut orders);
            assert!(cc.next_timer() > due, "a timer that does not move on");
        }
        let before = cc.cwnd();
        let congested = |cause| Congestion::new(now, cause, before, &[]);
        match *event {
            Event::Ack { segments, sacked, ece, limited, recovery, rtt_us } => {
                let mut ack = Ack::default();
                una += segments * PATH.mss;
                (ack.now, ack.acked, ack.sacked, ack.una) = (now, segments * PATH.mss, sacked * PATH.mss, una);
                (ack.nxt, ack.in_flight, ack.ece, ack.window_limited) = (una + before, before, ece, limited);
                ack.phase = if recovery { Phase::Recovery } else { Phase::Open };
                ack.rtt = (segments > 0).then(|| Span::from_us(rtt_us));
                (ack.srtt, ack.min_rtt) = (Some(Span::from_ms(100)), Some(Span::from_us(100)));
                (ack.peer_clock, ack.reverse_delay) = (Some(now), Some(Span::ZERO));
                cc.on_ack(&ack, &mut orders);
                assert!(cc.cwnd() <= 3 * before + 100 * PATH.mss, "one ACK took cwnd from {before} to {}", cc.cwnd());
            }
            Event::Loss => cc.on_congestion(&congested(Cause::Loss), &mut orders),
            Event::Ecn => cc.on_congestion(&congested(Cause::Ecn), &mut orders),
            Event::Timeout { first } => {
                cc.on_congestion(&congested(Cause::Timeout { first }), &mut orders);
                assert_eq!(cc.cwnd(), PATH.mss, "the loss window is one segment");
            }
            Event::Spurious => cc.on_congestion(&congested(Cause::Spurious), &mut orders),
            Event::Recovered { segments } => cc.on_recovered(now, segments * PATH.mss),
            Event::Sent => {
                cc.on_sent(&Sent::new(now, una, PATH.mss, false, before));
            }
            Event::Idle => cc.on_idle(PATH.initial_window),
            Event::Local(signal) => cc.on_local(signal, &mut orders),
        }
        if matches!(event, Event::Loss | Event::Ecn | Event::Idle) {
            assert!(cc.cwnd() <= before, "{event:?} raised cwnd from {before} to {}", cc.cwnd());
        }
        assert!(cc.cwnd() >= PATH.mss, "{event:?} left {} bytes", cc.cwnd());
        assert!(cc.ssthresh().is_none_or(|s| s >= PATH.mss));
        assert!(cc.pacing().is_none_or(|r| r.bps() > 0));
        windows.push(cc.cwnd());
        orders = Orders::default();
    }
    windows
}

/// The conformance suite of one congestion control.
macro_rules! cc_suite {
    ($Type:path) => {
        use crate::cc::suite;
        use dumbbell_core::catalogue::{Algorithm, Config, Entry};
        use dumbbell_core::transport::CongestionControl;
        type Cc = $Type;

        fn fresh() -> Cc {
            Cc::new(&Default::default(), &suite::PATH)
        }

        #[test]
        fn defaults_pass_their_own_check() {
            <Cc as Algorithm>::Config::default().check().unwrap();
            let entry = Entry::of::<Cc>();
            assert_eq!((entry.resolve)(&(entry.defaults)()).unwrap(), (entry.defaults)());
        }

        #[test]
        fn its_page_is_whole() {
            let about = <Cc as Algorithm>::ABOUT;
            assert!(about.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
            assert!(!about.title.is_empty() && !about.idea.is_empty() && !about.sources.is_empty());
            assert!(about.equations.lines().all(|l| l.chars().count() <= 100));
        }

        #[test]
        fn every_parameter_says_what_it_is_and_whence() {
            let schema = (Entry::of::<Cc>().schema)();
            for (name, rule) in schema["properties"].as_object().into_iter().flatten() {
                assert!(rule["description"].is_string(), "`{name}` has no doc comment");
                assert!(rule["x-source"].is_string(), "`{name}` has no x-source");
            }
        }

        #[test]
        fn it_starts_with_the_initial_window() {
            assert!(fresh().cwnd() >= suite::PATH.mss);
        }

        proptest::proptest! {
            #[test]
            fn it_keeps_the_rules_in_any_life(events in suite::events()) {
                let windows = suite::drive(&mut fresh(), &events);
                proptest::prop_assert_eq!(windows, suite::drive(&mut fresh(), &events));
            }
        }
    };
}
