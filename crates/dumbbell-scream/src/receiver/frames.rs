//! Frames: complete when all their packets have arrived.
use crate::measures::{Measures, Window};
use dumbbell_core::transport::segment::{Segment, TS_UNIT_SHIFT, flag, timestamp};
use dumbbell_core::units::{Span, Time};
use std::collections::VecDeque;

/// The most frames that wait for packets: older ones are given up.
const WAITING: usize = 64;

/// A frame of which packets have arrived.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The timestamp of its capture.
    capture: u32,
    first: Option<u64>,
    last: Option<u64>,
    packets: u64,
}

/// Frames that arrive, and the delays of those that count.
#[derive(Debug)]
pub struct Frames {
    window: Window,
    waiting: VecDeque<Frame>,
    in_time: u64,
    delays: Measures,
}

impl Frames {
    /// Of a run with this window.
    pub fn new(window: Window) -> Self {
        Frames { window, waiting: VecDeque::new(), in_time: 0, delays: Measures::default() }
    }

    /// A packet arrives for the first time.
    pub fn add(&mut self, now: Time, number: u64, s: &Segment) {
        let known = self.waiting.iter().rposition(|frame| frame.capture == s.ts);
        let i = known.unwrap_or_else(|| {
            if self.waiting.len() >= WAITING {
                self.waiting.pop_front();
            }
            let new = Frame { capture: s.ts, first: None, last: None, packets: 0 };
            self.waiting.push_back(new);
            self.waiting.len() - 1
        });
        let frame = &mut self.waiting[i];
        frame.packets += 1;
        if s.flags & flag::PSH != 0 {
            frame.first = Some(number);
        }
        if s.flags & flag::FIN != 0 {
            frame.last = Some(number);
        }
        if let (Some(first), Some(last)) = (frame.first, frame.last)
            && frame.packets == last + 1 - first
        {
            self.waiting.remove(i);
            self.complete(now, s.ts);
        }
    }

    fn complete(&mut self, now: Time, capture: u32) {
        let age = Span::from_ps(u64::from(timestamp(now).wrapping_sub(capture)) << TS_UNIT_SHIFT);
        let unit = (now.ps() >> TS_UNIT_SHIFT) << TS_UNIT_SHIFT;
        if !self.window.counts(Time::from_ps(unit.saturating_sub(age.ps()))) {
            return;
        }
        self.in_time += u64::from(age <= self.window.budget);
        self.delays.add(age);
    }

    /// Frames that were complete within the budget.
    pub fn in_time(&self) -> u64 {
        self.in_time
    }
    /// From capture to completeness.
    pub fn delays(&self) -> &Measures {
        &self.delays
    }
}
