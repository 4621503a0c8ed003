//! Checks that a congestion control does nothing that its capabilities deny.
use crate::suite::cc_life::{PATH, drive, for_all};
use crate::suite::under_test::{CcUnderTest, Finding, ensure};
use dumbbell_core::probe::Gauges;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, HostSignal, Phase,
    RateSample, Sent, Tag,
};
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::delegate;
use std::cell::RefCell;

type Control = Box<dyn CongestionControl + Send>;

/// Rounds within which ECN echoes must have taken from the window: one that goes by the share of
/// marks (RFC 8257) needs some.
const ROUNDS: u64 = 20;

/// Acknowledgments of one window, each of one segment.
fn round(cc: &mut Control, now: &mut Time, una: &mut u64, ece: bool) {
    let end = *una + cc.cwnd();
    while *una < end {
        *una += PATH.mss;
        *now += Span::from_us(700);
        let mut ack = Ack::default();
        (ack.now, ack.acked, ack.una, ack.nxt) = (*now, PATH.mss, *una, end);
        (ack.in_flight, ack.window_limited, ack.ece, ack.phase) =
            (cc.cwnd(), true, ece, Phase::Open);
        ack.marked = if ece { ack.acked } else { 0 };
        (ack.rtt, ack.srtt, ack.min_rtt) =
            (Some(Span::from_ms(100)), Some(Span::from_ms(100)), Some(Span::from_ms(100)));
        cc.on_ack(&ack, &mut Commands::default());
    }
}

/// After any life, with four segments or more in the window: a loss takes from it, or from the
/// pacing rate (RFC 5681 section 3.1, RFC 5033 section 3), and so do echoes of congestion (RFC 3168
/// section 6.1.2) within some rounds. A control that [discriminates](Capabilities::discriminates)
/// answers for itself.
pub fn falls_on_congestion(subject: &CcUnderTest) -> Finding {
    for_all(subject, |config, events| {
        for (cause, rounds) in [(Cause::Loss, 1), (Cause::Ecn, ROUNDS)] {
            let mut cc = subject.make(config, &PATH)?;
            if cc.capabilities().discriminates {
                return Ok(());
            }
            drive(&mut *cc, events).map_err(|(_, found)| found)?;
            let (mut now, mut una) = (Time::ZERO + Span::from_secs(60), 1 << 20);
            for _ in 0..10 {
                if cc.cwnd() < 10 * PATH.mss {
                    round(&mut cc, &mut now, &mut una, false);
                }
            }
            let (window, rate) = (cc.cwnd(), cc.pacing());
            if window < 4 * PATH.mss {
                continue;
            }
            for n in 0..rounds {
                if n > 0 {
                    round(&mut cc, &mut now, &mut una, true);
                }
                let in_flight = cc.cwnd();
                cc.on_congestion(
                    &Congestion::new(now, cause, in_flight, &[Tag(0)]),
                    &mut Commands::default(),
                );
            }
            let slower =
                cc.pacing().zip(rate).is_some_and(|(after, before)| after.bps() < before.bps());
            let fell = cc.cwnd() < window || slower;
            ensure!(
                fell,
                "after {rounds} times {cause:?}, a window of {window} bytes is {}",
                cc.cwnd()
            );
        }
        Ok(())
    })
}

/// The way in which acknowledgments reach a control.
#[derive(Clone, Copy, PartialEq)]
enum Telling {
    /// As they are.
    Plainly,
    /// Ordinary ones by [`CongestionControl::on_expected`].
    Straight,
    /// With other values in every field that [`Capabilities::samples`] is about.
    Disguised,
}

/// A control that is held to the capabilities that it declares.
struct Held {
    inner: Control,
    capabilities: Capabilities,
    telling: Telling,
    found: RefCell<Finding>,
}

impl Held {
    fn new(inner: Control, telling: Telling) -> Self {
        Held { capabilities: inner.capabilities(), inner, telling, found: RefCell::new(Ok(())) }
    }

    /// Notes what is wrong, the first time.
    fn note(&self, holds: bool, what: &str) {
        let mut found = self.found.borrow_mut();
        if !holds && found.is_ok() {
            *found = Err(what.into());
        }
    }

    fn look(&self, commands: &Commands) {
        let (capabilities, cc) = (self.capabilities, &self.inner);
        // One that is asked again may deny more (HyStart++ is over), but the sender went by its
        // first word.
        let now = cc.capabilities();
        let denied = [
            (capabilities.paces, now.paces),
            (capabilities.timer, now.timer),
            (capabilities.segments, now.segments),
        ];
        let more = [
            (capabilities.commands, now.commands),
            (capabilities.samples, now.samples),
            (capabilities.rates, now.rates),
        ];
        let kept = denied.iter().chain(&more).all(|(first, now)| *first || !now);
        self.note(kept, "its capabilities grow after the start");
        self.note(
            capabilities.paces || cc.pacing().is_none(),
            "it has a pacing rate, and its capabilities lack \
            `paces`",
        );
        self.note(
            capabilities.timer || cc.next_timer() == Time::NEVER,
            "it sets a timer, and its \
            capabilities lack `timer`",
        );
        self.note(
            capabilities.commands || commands.is_empty(),
            "it gives a command, and its \
            capabilities lack `commands`",
        );
    }

    fn shown(&self) -> Vec<(&'static str, u64)> {
        let mut gauges = Gauges::default();
        self.inner.probe(&mut gauges);
        gauges.0.iter().map(|(name, value)| (*name, value.to_bits())).collect()
    }
}

/// The same acknowledgment to one that reads `acked`, `window_limited`, `ece` and `phase` only.
fn disguised(ack: &Ack) -> Ack {
    let mut other = Ack::default();
    (other.acked, other.window_limited, other.ece, other.phase) =
        (ack.acked, ack.window_limited, ack.ece, ack.phase);
    (other.now, other.sacked, other.una, other.nxt) =
        (Time::ZERO + Span::from_secs(9), 7 * PATH.mss, 77, 777);
    (other.in_flight, other.window, other.tag, other.paced) = (3, 5, Tag(9), !ack.paced);
    (other.rtt, other.srtt, other.min_rtt) =
        (Some(Span::from_secs(2)), Some(Span::from_us(3)), None);
    (other.marked, other.moved, other.rate) = (11, true, Some(RateSample::default()));
    other
}

#[delegate(self.inner: next_timer, cwnd, ssthresh, pacing, probe)]
impl CongestionControl for Held {
    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }
    fn on_ack(&mut self, ack: &Ack, commands: &mut Commands) {
        let ordinary = ack.acked > 0 && ack.sacked == 0 && !ack.ece && ack.phase == Phase::Open;
        match self.telling {
            Telling::Straight if ordinary => {
                let window = self.inner.on_expected(ack.acked, ack.window_limited);
                self.note(
                    window == self.inner.cwnd(),
                    "on_expected returns another window than \
                    cwnd",
                );
            }
            Telling::Disguised => self.inner.on_ack(&disguised(ack), commands),
            _ => self.inner.on_ack(ack, commands),
        }
        self.look(commands);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, commands: &mut Commands) {
        self.inner.on_congestion(event, commands);
        self.look(commands);
    }
    fn on_recovered(&mut self, now: Time, bound: u64) {
        self.inner.on_recovered(now, bound);
        self.look(&Commands::default());
    }
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        let state = |held: &Held| (held.inner.cwnd(), held.inner.ssthresh(), held.shown());
        let before = (!self.capabilities.segments).then(|| state(self));
        let tag = self.inner.on_sent(sent);
        if let Some(before) = before {
            self.note(tag == Tag(0), "it writes a tag, and its capabilities lack `segments`");
            self.note(
                state(self) == before,
                "a segment changes it, and its capabilities lack \
                `segments`",
            );
        }
        self.look(&Commands::default());
        tag
    }
    fn on_idle(&mut self, restart_window: u64) {
        self.inner.on_idle(restart_window);
        self.look(&Commands::default());
    }
    fn on_mss(&mut self, mss: u64) {
        self.inner.on_mss(mss);
        self.look(&Commands::default());
    }
    fn on_timer(&mut self, now: Time, commands: &mut Commands) {
        self.inner.on_timer(now, commands);
        self.look(commands);
    }
    fn on_host_signal(&mut self, signal: HostSignal, commands: &mut Commands) {
        self.inner.on_host_signal(signal, commands);
        self.look(commands);
    }
}

/// In any life: nothing that [`Capabilities`] denies; and where it reads no samples, the short way
/// of an ordinary acknowledgment and one with all else disguised lead to the same windows.
pub fn keeps_its_habits(subject: &CcUnderTest) -> Finding {
    for_all(subject, |config, events| {
        let live = |telling| {
            let mut held = Held::new(subject.make(config, &PATH)?, telling);
            let windows = drive(&mut held, events).map_err(|(_, found)| found)?;
            let shown = held.shown();
            held.found.into_inner().map(|()| (windows, shown))
        };
        let plain = live(Telling::Plainly)?;
        if subject.make(config, &PATH)?.capabilities().samples {
            return Ok(());
        }
        for (telling, how) in [
            (Telling::Straight, "by on_expected"),
            (
                Telling::Disguised,
                "with \
            other samples",
            ),
        ] {
            let other = live(telling)?;
            let differ = plain.0.iter().zip(&other.0).position(|(a, b)| a != b);
            ensure!(
                other == plain,
                "its capabilities lack `samples`, and with acknowledgments {how} it differs at \
                    event {differ:?}: {:?}, else {:?}",
                differ.map_or(other.0.last(), |i| other.0.get(i)),
                differ.map_or(plain.0.last(), |i| plain.0.get(i))
            );
        }
        Ok(())
    })
}
