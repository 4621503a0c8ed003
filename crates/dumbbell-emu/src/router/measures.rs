//! The router's measures of itself.
pub mod bottleneck;
pub(crate) mod counts;
pub(crate) mod cpu;
pub(crate) mod gaps;
pub mod lateness;
pub(crate) mod nic_wait;
pub(crate) mod stalls;
use super::network::Outgoing;
use crate::host::nic::Losses;
use crate::router::measures::bottleneck::Bottleneck;
use crate::router::measures::counts::Counts;
use crate::router::measures::cpu::Cpu;
use crate::router::measures::gaps::Gaps;
use crate::router::measures::lateness::{Percentiles, Spans};
use crate::router::measures::nic_wait::NicWait;
use crate::router::measures::stalls::{StallMeter, Stalls};
use crate::router::privileges::Privilege;
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

/// Results of the measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Length of the run, seconds.
    pub seconds: f64,
    /// Planned length, seconds.
    pub planned_seconds: f64,
    /// Transmission time of a packet of the bottleneck's MTU, microseconds; `None`: there is no
    /// bottleneck.
    pub packet_time_us: Option<f64>,
    /// Packets.
    pub counts: Counts,
    /// Packets that are in the network at the end, or wait for their host.
    pub inside: u64,
    /// Packets lost at the NICs, by NIC.
    pub losses: Vec<NicLosses>,
    /// Lateness of written packets, microseconds.
    pub lateness_us: Percentiles,
    /// The time for which packets waited at NICs until the router read them, microseconds: see
    /// [`mod@crate::router::measures::nic_wait`].
    pub door_wait_us: Percentiles,
    /// Errors of gaps between packets that left the bottleneck back to back, microseconds.
    pub gap_error_us: Percentiles,
    /// Number of such gaps.
    pub gaps: u64,
    /// The error of the bottleneck's rate while it was busy, as a share of it; `None`: it never
    /// was.
    pub rate_error: Option<f64>,
    /// Stalls of the thread.
    pub stalls: Stalls,
    /// Number of forced sleeps, without which the kernel would have stopped the thread.
    pub rests: u64,
    /// Processor time.
    pub cpu: Cpu,
    /// Privileges of the thread.
    pub privilege: Privilege,
}

/// Packets lost at one NIC.
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
        if let Some(gaps) = self.gaps.as_mut().filter(|_| out.icmp_error.is_none()) {
            gaps.written(out.socket, len, out.at, at);
        }
        late
    }

    /// Adds a stretch of attention from `from` to `to`.
    #[inline]
    pub(super) fn stretch(&mut self, from: Time, to: Time, within_budget: bool) {
        self.watch.stretch(from, to);
        if !within_budget && to.since(from) >= PAUSE {
            self.watch.throttled();
        }
    }

    /// Adds the time for which the thread was ready without a processor since the last call.
    #[inline]
    pub(super) fn waited(&mut self, waited: Span) {
        self.watch.waited(waited);
    }

    pub(super) fn rested(&mut self) {
        self.rests += 1;
    }

    /// Results at `end`.
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
