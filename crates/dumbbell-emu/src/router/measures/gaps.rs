//! The spacing and the rate of the bottleneck's packets while it is busy.
//!
//! Two packets that left it back to back should be one transmission time apart. The *gap error* is
//! the difference from that. The *rate error* is the drift between the first and the last packet,
//! relative to the busy time between them: the error of the bottleneck's rate. A delay that was
//! made up for does not count.
use super::bottleneck::Bottleneck;
use super::lateness::{Percentiles, Spans};
use dumbbell_core::units::{Span, Time};

/// The number of transmission times for which the bottleneck has to be busy before its rate is
/// judged: a last packet that is late by one of them then counts as an error of half a percent.
const ENOUGH: u64 = 200;
/// Packets that are apart by a transmission time, rounding apart.
const TOLERANCE: i64 = 1_000;

#[derive(Clone, Copy, Debug)]
struct Last {
    due: Time,
    written: Time,
    len: u32,
}

/// One lane behind the bottleneck.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    last: Option<Last>,
    /// Lateness of the first packet.
    first: Option<Span>,
    /// The gap that was asked for last: of which sizes.
    gap: Option<((u32, u32), i64)>,
}

/// Measures them.
pub struct Gaps {
    bottleneck: Bottleneck,
    lanes: Vec<Lane>,
    errors: Spans,
    pairs: u64,
    busy: Span,
}

impl Gaps {
    /// Against `bottleneck`.
    pub fn new(bottleneck: Bottleneck) -> Self {
        let lanes = vec![Lane::default(); bottleneck.lanes()];
        Gaps { bottleneck, lanes, errors: Spans::default(), pairs: 0, busy: Span::ZERO }
    }

    /// A packet of `len` bytes for `socket` that was due at `due` is written at `written`.
    #[inline]
    pub fn written(&mut self, socket: u32, len: u32, due: Time, written: Time) {
        let Some(number) = self.bottleneck.lane_of(socket) else { return };
        let lane = &mut self.lanes[usize::from(number)];
        lane.first.get_or_insert(written.since(due));
        let Some(last) = lane.last.replace(Last { due, written, len }) else { return };
        let sizes = (last.len, len);
        let back_to_back = match lane.gap {
            Some((known, gap)) if known == sizes => gap,
            _ => {
                let gap = self.bottleneck.gap(number, last.len, len);
                lane.gap = Some((sizes, gap));
                gap
            }
        };
        let planned = due.since(last.due);
        if (planned.ps() as i64 - back_to_back).abs() > TOLERANCE {
            return;
        }
        let error = written.since(last.written).ps() as i64 - planned.ps() as i64;
        self.errors.record(Span::from_ps(error.unsigned_abs()));
        self.pairs += 1;
        self.busy = self.busy + planned;
    }

    /// Pairs of packets that left back to back.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }
    /// The gap errors.
    pub fn errors(&self) -> Percentiles {
        self.errors.percentiles()
    }
    /// The rate error as a share of the rate; `None` if the bottleneck was not busy for 200 packets
    /// in all.
    pub fn rate_error(&self) -> Option<f64> {
        let drift = |lane: &Lane| {
            let (first, last) = (lane.first?, lane.last?);
            Some(last.written.since(last.due).ps().abs_diff(first.ps()))
        };
        let most = self.lanes.iter().filter_map(drift).max()?;
        let enough = ENOUGH * self.bottleneck.packet_time.ps();
        (self.busy.ps() >= enough.max(1)).then(|| most as f64 / self.busy.ps() as f64)
    }
}

#[cfg(test)]
mod tests;
