//! Wake-up delays of a thread like the router's, and the accuracy class that a run can expect.
use super::Calibration;
use crate::clock::Clock;
use crate::router::measures::bottleneck::Bottleneck;
use crate::router::privileges::{Privileges, sleep_for};
use dumbbell_core::units::{Capacity, Span, Time};
use dumbbell_plan::{Class, Link, Plan};
use std::thread;
use thiserror::Error;

/// The time for which wake-ups are measured.
const WATCHED: Span = Span::from_ms(600);
/// Between two wakings.
const TICK: Span = Span::from_us(200);
/// The least number of stalls from which their rate is estimated.
const ENOUGH: usize = 3;
/// Packets of a queue without a limit, where a class is estimated.
const UNLIMITED: u64 = 100;
/// Errors of shorter waits are relative to this, as in the judgment of a run.
const SHORTEST_WAIT_S: f64 = 1e-4;

/// The delay of each wake-up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WakeupDelays {
    late: Vec<Span>,
    length: Span,
}

/// A class that this machine cannot reach now.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(
    "this machine stalls the router for {:.1} % of the time now, up to {:.1} ms, and the class \
        `{}` is out of reach for this scenario: even a full queue of `{}` ({:.1} ms) does not hide \
        that; free the machine, lower the rate, require a looser class with `--class`, or begin \
        all the same with `-s testbed.calibrate=false`: the run then says what it is good for",
    .share * 100.0, .longest_ms, .required.name(), .link, .queue_ms
)]
pub struct OutOfReach {
    required: Class,
    share: f64,
    longest_ms: f64,
    link: String,
    queue_ms: f64,
}

impl WakeupDelays {
    /// Watches a thread with the router's privileges, on the router's core, for 0.6 s.
    pub fn watch(core: Option<usize>) -> WakeupDelays {
        let watched = || {
            let _privileges = Privileges::claim(core);
            let (clock, mut late) = (Clock::start(), Vec::with_capacity(4096));
            let mut now = clock.now();
            while now < Time::ZERO + WATCHED {
                let due = now + TICK;
                sleep_for(TICK);
                now = clock.now();
                late.push(now.since(due));
            }
            WakeupDelays { late, length: WATCHED }
        };
        thread::scope(|scope| scope.spawn(watched).join().unwrap_or_default())
    }

    /// Fills in what `calibration` says of stalls, for `plan`.
    pub fn describe(&self, plan: &Plan, calibration: &mut Calibration) {
        let bottleneck = Bottleneck::of(plan);
        let packet = bottleneck.as_ref().map_or(Span::from_ms(1), |b| b.packet_time);
        calibration.stalled_share = self.sum(packet, |d| d);
        calibration.longest_stall_ms = self.longest_ms();
        calibration.expected_class = bottleneck.and_then(|b| {
            let full = drain_time(&plan.links[b.link]).unwrap_or(b.packet_time * UNLIMITED);
            Class::ALL
                .into_iter()
                .find(|class| self.allows(*class, b.packet_time, full.seconds() / 2.0, 2.0))
        });
    }

    /// Checks that a run of `plan` can reach its required class if its queue is always full.
    ///
    /// # Errors
    /// It plainly cannot.
    pub fn check(&self, plan: &Plan) -> Result<(), OutOfReach> {
        let Some(bottleneck) = Bottleneck::of(plan) else { return Ok(()) };
        let link = &plan.links[bottleneck.link];
        let (packet, Some(full)) = (bottleneck.packet_time, drain_time(link)) else {
            return Ok(());
        };
        let required = plan.testbed.class;
        let known = self.late.iter().filter(|late| **late > packet).count() >= ENOUGH;
        if !known || self.allows(required, packet, full.seconds(), 1.0) {
            return Ok(());
        }
        Err(OutOfReach {
            required,
            share: self.sum(packet, |d| d),
            longest_ms: self.longest_ms(),
            link: link.name.clone(),
            queue_ms: full.seconds() * 1e3,
        })
    }

    /// True if these stalls leave a run in `class` while `queue_s` of packets wait; each idles the
    /// link `times`.
    fn allows(&self, class: Class, packet: Span, queue_s: f64, times: f64) -> bool {
        let lost = times * self.sum(packet, |d| (d - queue_s).max(0.0));
        let dip =
            self.sum(Span::ZERO, |d| d * d) / (queue_s + packet.seconds()).max(SHORTEST_WAIT_S);
        lost <= class.error() && dip <= class.error()
    }

    /// The sum over all stalls longer than `least`, over the time watched.
    fn sum(&self, least: Span, of: impl Fn(f64) -> f64) -> f64 {
        let all: f64 =
            self.late.iter().filter(|late| **late > least).map(|late| of(late.seconds())).sum();
        if self.length == Span::ZERO { 0.0 } else { all / self.length.seconds() }
    }

    fn longest_ms(&self) -> f64 {
        self.late.iter().max().map_or(0.0, |late| late.seconds() * 1e3)
    }
}

/// The time in which a full queue drains; `None` if it has no limit.
fn drain_time(link: &Link) -> Option<Span> {
    let bytes = match link.capacity {
        Capacity::Packets(packets) => {
            u64::from(packets) * u64::from(link.framing().wire_len(link.mtu))
        }
        Capacity::Bytes(bytes) | Capacity::Reached(bytes) => bytes,
        Capacity::Buffers { count, size } => u64::from(count) * u64::from(size),
        Capacity::Unlimited => return None,
    };
    Some(link.rate.span_of(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::measures::bottleneck::tests::plan;
    use dumbbell_core::units::Rate;

    fn pauses(count: usize, each: Span) -> WakeupDelays {
        WakeupDelays { late: vec![each; count], length: Span::from_ms(600) }
    }

    fn limited(mbps: u64, packets: u32, class: Class) -> Plan {
        let mut plan = plan(Rate::from_mbps(mbps));
        plan.links.iter_mut().for_each(|link| link.capacity = Capacity::Packets(packets));
        plan.testbed.class = class;
        plan
    }

    fn expected(pauses: &WakeupDelays, plan: &Plan) -> Option<Class> {
        let mut calibration = Calibration::default();
        pauses.describe(plan, &mut calibration);
        calibration.expected_class
    }

    #[test]
    fn the_same_stalls_matter_more_on_a_faster_link() {
        // Four stalls of 1.2 ms in 0.6 s: 0.8 % of the time.
        let few = pauses(4, Span::from_us(1_200));
        assert_eq!(
            expected(&few, &limited(5, 40, Class::Exact)),
            Some(Class::Exact),
            "half of \
            what a packet takes"
        );
        assert_eq!(
            expected(&few, &limited(100, 40, Class::Exact)),
            Some(Class::Good),
            "of 2.4 ms \
            that wait"
        );
        assert_eq!(
            expected(&few, &limited(1000, 40, Class::Exact)),
            Some(Class::Loose),
            "of 0.24 \
            ms that wait"
        );
    }

    #[test]
    fn a_class_is_refused_only_where_a_full_queue_hides_nothing() {
        let many = pauses(10, Span::from_ms(5));
        let refused =
            many.check(&limited(100, 10, Class::Loose)).expect_err("50 ms of 600 lost").to_string();
        for word in ["8.3 %", "5.0 ms", "`loose`", "1.2 ms", "--class", "testbed.calibrate=false"] {
            assert!(refused.contains(word), "no `{word}` in: {refused}");
        }
        assert_eq!(many.check(&limited(5, 40, Class::Loose)), Ok(()), "96 ms wait");
        assert_eq!(
            pauses(2, Span::from_ms(5)).check(&limited(100, 10, Class::Exact)),
            Ok(()),
            "too \
            few to tell"
        );
    }
}
