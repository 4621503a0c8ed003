//! Proportional rate reduction without SACK (RFC 9937 section 6): a duplicate acknowledgment tells
//! that a segment was delivered, and a partial one that the rest of what it acknowledges was.
use super::{Meter, Reno};
use dumbbell_core::transport::{Detect, Flight, Pick, Recover, Step};

/// NewReno whose window is metered out instead of inflated.
#[derive(Clone, Debug)]
pub struct PlainPrr {
    reno: Reno,
    meter: Meter,
    /// Bytes that duplicates reported delivered, and no acknowledgment has confirmed.
    left: u64,
    /// The window that the last acknowledgment left: what was in the network, and what might go at
    /// once.
    cwnd: u64,
    /// True if the acknowledgment at hand began the recovery.
    fresh: bool,
    /// True if it counts segments.
    whole: bool,
    /// True if the first segment that is not acknowledged is lost, and not on its way again.
    hole: bool,
}

impl PlainPrr {
    /// With the guard, the timer and the exit of `reno`. `whole`: it counts segments instead of
    /// bytes.
    pub fn new(reno: Reno, whole: bool) -> Self {
        PlainPrr {
            reno,
            meter: Meter::default(),
            left: 0,
            cwnd: 0,
            fresh: false,
            whole,
            hole: false,
        }
    }

    /// Bytes in the network.
    fn pipe(&self, f: &Flight<'_>) -> u64 {
        f.size().saturating_sub(self.left + if self.hole { f.mss } else { 0 })
    }
}

impl Recover for PlainPrr {
    fn may_enter(&self, una: u64, recover: u64) -> bool {
        self.reno.may_enter(una, recover)
    }

    fn enter(&mut self, f: &Flight<'_>, dupacks: u32) -> Step {
        self.left = (u64::from(dupacks) * f.mss).min(f.size());
        (self.fresh, self.hole) = (true, true);
        self.reno.enter(f, dupacks)
    }

    /// What a partial acknowledgment finds lost goes when something is due.
    fn on_ack(&mut self, f: &Flight<'_>, acked: u64, sacked: u64) -> Step {
        let step = self.reno.on_ack(f, acked, sacked);
        self.hole |= step.resend;
        Step { resend: false, ..step }
    }

    fn meter(&mut self, f: &Flight<'_>, _: &impl Detect, acked: u64, delivered: u64) {
        let mut delivered = delivered;
        if std::mem::take(&mut self.fresh) {
            let unit = if self.whole { f.mss } else { 1 };
            // The flight before the acknowledgment that began the recovery: what duplicates before
            // it reported had been replaced by then.
            let recover_fs = f.size() - self.left + delivered.min(self.left);
            self.meter = Meter { recover_fs, unit, ..Meter::default() };
        } else if acked > 0 {
            // The hole itself had no duplicate.
            let known = acked.saturating_sub(f.mss).min(self.left);
            self.left -= known;
            delivered = acked - known;
        } else {
            self.left = (self.left + delivered).min(f.size());
        }
        // A partial acknowledgment tells of another loss: it is never safe to catch up.
        let pipe = self.pipe(f);
        self.cwnd = pipe + self.meter.sndcnt(pipe, f.cwnd, delivered, false, f.mss);
    }

    fn room(&self, f: &Flight<'_>, _: &impl Detect) -> u64 {
        self.cwnd.saturating_sub(self.pipe(f))
    }

    fn on_sent(&mut self, pick: Pick, from: u64, to: u64) {
        self.meter.out += to - from;
        self.hole &= pick == Pick::New;
    }

    fn next(&self, f: &Flight<'_>, _: &impl Detect) -> Option<Pick> {
        Some(if self.hole { Pick::Again(f.una, f.una + f.mss) } else { Pick::New })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Guard;
    use super::*;
    use crate::config::{Exit, PartialAck};
    use crate::detect::DupAcks;
    use dumbbell_core::transport::Scoreboard;

    const MSS: u64 = 1000;

    /// Twenty segments, the first lost, a window of ten: 19 duplicates let 10 segments go, the
    /// repetition among them, and the acknowledgment of all 20 is delivered data of one.
    #[test]
    fn half_of_what_duplicates_report_goes() {
        let (board, detect) = (Scoreboard::default(), DupAcks::new(3, true, MSS));
        let newreno = Reno::newreno(Guard::Beyond, PartialAck::SlowButSteady, Exit::Ssthresh);
        let mut prr = PlainPrr::new(newreno, false);
        let mut nxt = 20 * MSS;
        let mut sent = 0;
        let from = |una, nxt| Flight::new(MSS, una, nxt, 10 * MSS, 20 * MSS, 9999 * MSS, &board);
        let flight = |nxt| from(0, nxt);
        assert!(prr.enter(&flight(nxt), 3).resend);
        prr.meter(&flight(nxt), &detect, 0, MSS);
        prr.on_sent(Pick::Again(0, MSS), 0, MSS);
        for _ in 3..19 {
            prr.on_ack(&flight(nxt), 0, 0);
            prr.meter(&flight(nxt), &detect, 0, MSS);
            while prr.room(&flight(nxt), &detect) >= MSS {
                prr.on_sent(Pick::New, nxt, nxt + MSS);
                (nxt, sent) = (nxt + MSS, sent + 1);
            }
        }
        // ceil(17 * 10 / 20) = 9 with the repetition; what is left below the window goes one by
        // one.
        assert!((8..=9).contains(&sent), "{sent}");
        let left = prr.left;
        let flight = from(10 * MSS, nxt);
        assert!(!prr.on_ack(&flight, 10 * MSS, 0).resend, "a partial acknowledgment");
        let hole = Some(Pick::Again(10 * MSS, 11 * MSS));
        assert_eq!(prr.next(&flight, &detect), hole, "goes next, when a segment is due");
        let before = prr.meter.delivered;
        prr.meter(&flight, &detect, 10 * MSS, 10 * MSS);
        assert_eq!((left - prr.left, prr.meter.delivered - before), (9 * MSS, MSS));
    }
}
