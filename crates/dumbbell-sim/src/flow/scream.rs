//! The two ends of a flow of SCReAM, in the words of the others.
use crate::app::Act;
use crate::counts::Counts;
use dumbbell_core::source::Coder;
use dumbbell_core::transport::Phase;
use dumbbell_core::transport::segment::Outbox;
use dumbbell_core::units::{Span, Time};
use dumbbell_scream::{Media, Receiver, ScreamConfig, Sender, Window};
use dumbbell_tcp::{SenderStats, SenderView};
use std::sync::Arc;

/// A session of live media.
pub(crate) struct Scream {
    pub sender: Sender,
    pub receiver: Receiver,
}

impl Scream {
    pub fn new(config: &Arc<ScreamConfig>, coder: Coder, window: Window) -> Self {
        Scream {
            sender: Sender::new(Arc::clone(config), coder, window),
            receiver: Receiver::new(Arc::clone(config), window),
        }
    }

    /// Performs what is due at the sender at `now`.
    pub fn sender_acts(&mut self, now: Time, act: Option<Act>, out: &mut impl Outbox) {
        match act {
            Some(Act::Open) => self.sender.open(now),
            Some(Act::Write(bytes)) => self.sender.write(now, bytes, out),
            Some(Act::Close | Act::Stop) => self.sender.close(now, out),
            None => self.sender.on_deadline(now, out),
        }
    }

    /// The sender's state. It has no retransmission timeout.
    pub fn view(&self) -> SenderView {
        let v = self.sender.view();
        let sent = self.sender.stats().sent_bytes;
        SenderView {
            cwnd: v.cwnd,
            ssthresh: None,
            srtt: v.srtt,
            rttvar: v.rttvar,
            rto: Span::ZERO,
            in_flight: v.in_flight,
            una: sent.saturating_sub(v.in_flight),
            nxt: sent,
            phase: Phase::Open,
        }
    }

    /// Its counters, as far as TCP has the same.
    pub fn stats(&self) -> SenderStats {
        let s = self.sender.stats();
        SenderStats {
            sent_packets: s.sent_packets,
            sent_bytes: s.sent_bytes,
            rtt_samples: s.rtt_samples,
            rtt_sum: s.rtt_sum,
            recoveries: s.loss_events,
            ecn_reductions: s.ecn_events,
            ..SenderStats::default()
        }
    }

    /// Counts since the start, of both ends, without the window.
    pub fn counts(&self) -> Counts {
        let (s, r) = (self.sender.stats(), self.receiver.stats());
        Counts {
            sent_packets: s.sent_packets,
            sent_bytes: s.sent_bytes,
            delivered_packets: r.received_packets,
            received_bytes: r.received_bytes,
            delivered_bytes: r.delivered_bytes,
            marks: r.ce_packets,
            rtt_samples: s.rtt_samples,
            rtt_sum_s: s.rtt_sum.seconds(),
            ..Counts::default()
        }
    }

    /// What both ends measured, at the end of the run.
    pub fn media(&self) -> Media {
        Media::of(&self.sender, &self.receiver)
    }
}
