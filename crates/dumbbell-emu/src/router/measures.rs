//! What the router measures of itself while it runs, and says at the end.
pub mod bottleneck;
pub mod counts;
pub mod cpu;
pub mod gaps;
pub mod lateness;
pub mod nic_wait;
pub mod stalls;
use crate::router::measures::bottleneck::Bottleneck;
use crate::router::measures::counts::Counts;
use crate::router::measures::cpu::Cpu;
use crate::router::measures::gaps::Gaps;
use crate::router::measures::lateness::{Percentiles, Spans};
use super::network::Outgoing;
use crate::router::measures::stalls::{Stalls, StallMeter};
use crate::router::privileges::Privilege;
use crate::router::measures::nic_wait::NicWait;
use crate::host::nic::Losses;
use dumbbell_core::units::{Span, Time};
use serde::{Deserialize, Serialize};

/// A pause from which on the kernel's limit for real-time threads is suspected.
const PAUSE: Span = Span::from_ms(10);

/// Measures of a run that is under way.
pub struct Measures {
    pub(super) counts: Counts,
    pub(super) nic_wait: NicWait,
    lateness: Spans,
    gaps: Option<Gaps>,
    watch: StallMeter,
    rests: u64,
    packet_time: Option<Span>,
}

/// What the router measured of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// How long it ran, seconds.
    pub seconds: f64,
    /// How long it was to run.
    pub planned_seconds: f64,
    /// How long a packet of the bottleneck's MTU takes there, microseconds; `None`: there was no bottleneck.
    pub packet_time_us: Option<f64>,
    /// Packets.
    pub counts: Counts,
    /// Packets that are in the network at the end, or wait for their host.
    pub inside: u64,
    /// What got lost at the NICs, by door.
    pub losses: Vec<NicLosses>,
    /// How late packets were written, microseconds.
    pub lateness_us: Percentiles,
    /// How long packets waited at the NICs until the router read them, microseconds: see [`mod@crate::router::measures::nic_wait`].
    pub door_wait_us: Percentiles,
    /// Errors of gaps between packets that left the bottleneck back to back, microseconds.
    pub gap_error_us: Percentiles,
    /// How many such gaps there were.
    pub gaps: u64,
    /// The error of the bottleneck's rate while it was busy, as a share of it; `None`: it never was.
    pub rate_error: Option<f64>,
    /// When the thread did not attend.
    pub stalls: Stalls,
    /// How often it had to sleep, so that the kernel would not stop it.
    pub rests: u64,
    /// Processor time.
    pub cpu: Cpu,
    /// What the kernel permitted.
    pub privilege: Privilege,
}

/// What got lost at one door.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NicLosses {
    /// Sent by the host, never read.
    pub sent: u64,
    /// Written, never taken by the host.
    pub written: u64,
}

impl Measures {
    /// Against `bottleneck`, if there is one.
    pub fn new(bottleneck: Option<Bottleneck>) -> Self {
        let packet_time = bottleneck.as_ref().map(|b| b.packet_time);
        Measures {
            counts: Counts::default(),
            nic_wait: NicWait::unscheduled(),
            lateness: Spans::default(),
            gaps: bottleneck.map(Gaps::new),
            watch: StallMeter::new(packet_time.unwrap_or(Span::MAX)),
            rests: 0,
            packet_time,
        }
    }

    /// A packet of `len` bytes is written at `at`; how late.
    #[inline]
    pub(super) fn written(&mut self, out: &Outgoing, len: u32, at: Time) -> Span {
        let late = at.since(out.at);
        self.lateness.record(late);
        self.counts.written += 1;
        if let Some(gaps) = self.gaps.as_mut().filter(|_| out.notice.is_none()) {
            gaps.written(out.socket, len, out.at, at);
        }
        late
    }

    /// From `from` to `to` there was something to do.
    #[inline]
    pub(super) fn stretch(&mut self, from: Time, to: Time, within_budget: bool) {
        self.watch.stretch(from, to);
        if !within_budget && to.since(from) >= PAUSE {
            self.watch.throttled();
        }
    }

    /// Since the last call the thread was ready for `waited` without a processor.
    #[inline]
    pub(super) fn waited(&mut self, waited: Span) {
        self.watch.waited(waited);
    }

    pub(super) fn rested(&mut self) {
        self.rests += 1;
    }

    /// What there was by `end`.
    pub(super) fn finish(
        self,
        (end, planned): (Time, Time),
        (losses, inside): (Vec<Losses>, u64),
        cpu: Cpu,
        privilege: Privilege,
    ) -> Measured {
        Measured {
            seconds: end.seconds(),
            planned_seconds: planned.seconds(),
            packet_time_us: self.packet_time.map(|span| span.ps() as f64 / 1e6),
            counts: self.counts,
            inside,
            losses: losses.iter().map(|l| NicLosses { sent: l.sent, written: l.written }).collect(),
            lateness_us: self.lateness.percentiles(),
            door_wait_us: self.nic_wait.percentiles(),
            gap_error_us: self.gaps.as_ref().map(Gaps::errors).unwrap_or_default(),
            gaps: self.gaps.as_ref().map_or(0, Gaps::pairs),
            rate_error: self.gaps.as_ref().and_then(Gaps::rate_error),
            stalls: self.watch.stalls(end.since(Time::ZERO)),
            rests: self.rests,
            cpu,
            privilege,
        }
    }
}
