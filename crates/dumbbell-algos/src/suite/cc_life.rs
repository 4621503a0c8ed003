//! The life of a connection, as the suite draws it for a congestion control: events in their order.
use super::pages;
use crate::suite::under_test::{CcUnderTest, Finding, ensure, smallest};
use dumbbell_core::rng::Stream;
use dumbbell_core::transport::{
    Ack, Cause, Commands, Congestion, CongestionControl, HostSignal, Path, Phase, RateSample, Sent,
};
use dumbbell_core::units::{Rate, Span, Time};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// One event of a connection's life, 700 us after the one before.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// An acknowledgment.
    Ack {
        /// Segments that it acknowledges cumulatively; 0: a duplicate.
        #[serde(default)]
        segments: u64,
        /// Segments that it acknowledges selectively.
        #[serde(default)]
        sacked: u64,
        /// True if it echoes Congestion Experienced.
        #[serde(default)]
        ece: bool,
        /// True if the window held the sender back.
        #[serde(default = "yes")]
        limited: bool,
        /// True if a loss is being repaired.
        #[serde(default)]
        recovery: bool,
        /// The round-trip sample of a new acknowledgment, microseconds.
        #[serde(default = "rtt")]
        rtt_us: u64,
    },
    /// A loss found by acknowledgments.
    Loss,
    /// An ECN echo.
    Ecn,
    /// A timeout.
    Timeout {
        /// True if it is the first of its segment.
        #[serde(default = "yes")]
        first: bool,
    },
    /// The last reduction was not due.
    Spurious,
    /// Recovery ended.
    Recovered {
        /// The bound on the window, segments.
        segments: u64,
    },
    /// A segment went.
    Sent,
    /// An idle period.
    Idle,
    /// A word from the host: `marked_out`, `path_down` or `path_up`.
    Local {
        /// The word.
        signal: Word,
    },
}

/// A signal from the host.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// A segment out of profile.
    MarkedOut,
    /// The path will vanish.
    PathDown,
    /// It is back.
    PathUp,
}

fn yes() -> bool {
    true
}
fn rtt() -> u64 {
    100_000
}

/// The path of all lives, with a reservation for those that heed one.
pub const PATH: Path = Path {
    mss: 1000,
    initial_window: 10_000,
    growth_limit: 2,
    reserved: Some(Rate::from_mbps(1)),
    rtt: Some(Span::from_ms(100)),
    ..Path::PLAIN
};

/// A life of at most 300 events, mostly acknowledgments.
pub fn life(rng: &mut Stream) -> Vec<Event> {
    let one = |rng: &mut Stream| match rng.below(37) {
        0..=19 => Event::Ack {
            segments: u64::from(rng.below(8)),
            sacked: u64::from(rng.below(3)),
            ece: rng.coin(0.5),
            limited: rng.coin(0.5),
            recovery: rng.coin(0.5),
            rtt_us: 100 + u64::from(rng.below(400_000)),
        },
        20 | 21 => Event::Loss,
        22 => Event::Ecn,
        23 => Event::Timeout { first: rng.coin(0.5) },
        24 => Event::Spurious,
        25 | 26 => Event::Recovered { segments: u64::from(rng.below(50)) },
        27..=34 => Event::Sent,
        35 => Event::Idle,
        _ => Event::Local {
            signal: [Word::MarkedOut, Word::PathDown, Word::PathUp][rng.below(3) as usize],
        },
    };
    (0..1 + rng.below(299)).map(|_| one(rng)).collect()
}

/// A connection under test.
struct TestedConnection<'a> {
    cc: &'a mut (dyn CongestionControl + Send),
    now: Time,
    una: u64,
    /// The largest window so far: one that a repair had lowered may come back at once
    /// (`BBRRestoreCwnd`).
    largest: u64,
    commands: Commands,
}

impl TestedConnection<'_> {
    /// The clock of the congestion control, up to now.
    fn timers(&mut self) -> Finding {
        while self.cc.next_timer() <= self.now {
            let due = self.cc.next_timer();
            self.cc.on_timer(due, &mut self.commands);
            ensure!(self.cc.next_timer() > due, "its timer at {due:?} does not move on");
        }
        Ok(())
    }

    fn step(&mut self, event: Event) -> Finding {
        let (now, before) = (self.now, self.cc.cwnd());
        self.largest = self.largest.max(before);
        let congested = |cause| Congestion::new(now, cause, before, &[]);
        let (cc, commands) = (&mut *self.cc, &mut self.commands);
        match event {
            Event::Ack { segments, sacked, ece, limited, recovery, rtt_us } => {
                let mut ack = Ack::default();
                self.una += segments * PATH.mss;
                (ack.now, ack.acked, ack.sacked, ack.una) =
                    (now, segments * PATH.mss, sacked * PATH.mss, self.una);
                (ack.nxt, ack.in_flight, ack.ece, ack.window_limited) =
                    (self.una + before, before, ece, limited);
                ack.marked = if ece { ack.acked + ack.sacked } else { 0 };
                ack.rate = Some(RateSample {
                    delivered: before,
                    interval: Span::from_us(rtt_us),
                    prior_delivered: self.una,
                    total_delivered: self.una + before,
                    in_flight: before,
                    ..RateSample::default()
                });
                ack.phase = if recovery { Phase::Recovery } else { Phase::Open };
                ack.rtt = (segments > 0).then(|| Span::from_us(rtt_us));
                (ack.srtt, ack.min_rtt) = (Some(Span::from_ms(100)), Some(Span::from_us(100)));
                (ack.peer_clock, ack.reverse_delay) = (Some(now), Some(Span::ZERO));
                cc.on_ack(&ack, commands);
                // The first sample of a long path multiplies Hybla's initial window, by 16 with
                // these round-trip times.
                let most =
                    before.saturating_mul(3).max(self.largest).saturating_add(300 * PATH.mss);
                ensure!(cc.cwnd() <= most, "one ACK took cwnd from {before} to {}", cc.cwnd());
            }
            Event::Loss => cc.on_congestion(&congested(Cause::Loss), commands),
            Event::Ecn => cc.on_congestion(&congested(Cause::Ecn), commands),
            Event::Timeout { first } => {
                cc.on_congestion(&congested(Cause::Timeout { first }), commands);
                ensure!(
                    cc.cwnd() == PATH.mss,
                    "after a timeout cwnd is {}, not one segment",
                    cc.cwnd()
                );
            }
            Event::Spurious => cc.on_congestion(&congested(Cause::Spurious), commands),
            Event::Recovered { segments } => cc.on_recovered(now, segments * PATH.mss),
            Event::Sent => drop(cc.on_sent(&Sent::new(now, self.una, PATH.mss, false, before))),
            Event::Idle => cc.on_idle(PATH.initial_window),
            Event::Local { signal } => {
                let signal = [HostSignal::MarkedOut, HostSignal::PathDown, HostSignal::PathUp]
                    [signal as usize];
                cc.on_host_signal(signal, commands);
            }
        }
        if matches!(event, Event::Loss | Event::Ecn | Event::Idle) {
            ensure!(cc.cwnd() <= before, "{event:?} raised cwnd from {before} to {}", cc.cwnd());
        }
        ensure!(cc.cwnd() >= PATH.mss, "{event:?} left a cwnd of {} bytes", cc.cwnd());
        ensure!(
            cc.ssthresh().is_none_or(|s| s >= PATH.mss),
            "{event:?} left an ssthresh of {:?}",
            cc.ssthresh()
        );
        ensure!(cc.pacing().is_none_or(|r| r.bps() > 0), "{event:?} left a pacing rate of 0");
        Ok(())
    }
}

/// (cwnd, ssthresh), bytes.
pub type Windows = (u64, Option<u64>);

/// Drives a congestion control through a life, checks what must always hold, and returns (cwnd,
/// ssthresh) after each event.
///
/// # Errors
/// The index of an event, and the rule that did not hold there.
pub fn drive(
    cc: &mut (dyn CongestionControl + Send),
    events: &[Event],
) -> Result<Vec<Windows>, (usize, String)> {
    let mut life =
        TestedConnection { cc, now: Time::ZERO, una: 1, largest: 0, commands: Commands::default() };
    let mut windows = Vec::with_capacity(events.len());
    for (i, event) in events.iter().enumerate() {
        life.now += Span::from_us(700);
        life.timers().and_then(|()| life.step(*event)).map_err(|found| (i, found))?;
        windows.push((life.cc.cwnd(), life.cc.ssthresh()));
        life.commands = Commands::default();
    }
    Ok(windows)
}

/// Lives in all, shared out over the choices of the parameters.
const LIVES: usize = 256;

/// For each choice of the algorithm: some random lives. What is found is shown with as few events
/// as it takes.
pub(super) fn for_all(
    subject: &CcUnderTest,
    test: impl Fn(&serde_json::Value, &[Event]) -> Finding,
) -> Finding {
    let choices = pages::choices(&subject.described);
    for config in &choices {
        for case in 0..(LIVES / choices.len()).max(8) as u64 {
            let events = life(&mut Stream::named(case, "suite"));
            let judge = |events: &[Event]| subject.attempt(|| test(config, events));
            if let Err(found) = judge(&events) {
                let (events, found) = smallest(&events, found, judge);
                let shown = if events.len() <= 12 {
                    json!(events).to_string()
                } else {
                    events.len().to_string()
                };
                return Err(format!("{found}\n(parameters {config}, events {shown})"));
            }
        }
    }
    Ok(())
}
