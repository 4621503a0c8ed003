//! The two ends of a flow of QUIC, in the words of the others.
use crate::app::Act;
use crate::counts::Counts;
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::transport::segment::Outbox;
use dumbbell_core::units::Time;
use dumbbell_quic::{Receiver, Sender};
use dumbbell_tcp::{SenderStats, SenderView};

/// A connection of QUIC.
pub(crate) struct Quic {
    pub sender: Sender<AnyCc>,
    pub receiver: Receiver,
}

impl Quic {
    /// Performs what is due at the sender at `now`.
    pub fn sender_acts(&mut self, now: Time, act: Option<Act>, out: &mut impl Outbox) {
        match act {
            Some(Act::Open) => self.sender.open(now, out),
            Some(Act::Write(bytes)) => self.sender.write(now, bytes, out),
            Some(Act::Close) => self.sender.close(now, out),
            Some(Act::Stop) => self.sender.stop(now, out),
            None => self.sender.on_deadline(now, out),
        }
    }

    /// The sender's state; its probe timeout stands for the retransmission timeout.
    pub fn view(&self) -> SenderView {
        let v = self.sender.view();
        SenderView {
            cwnd: v.cwnd,
            ssthresh: v.ssthresh,
            srtt: v.srtt,
            rttvar: v.rttvar,
            rto: v.pto,
            in_flight: v.in_flight,
            una: v.una,
            nxt: v.nxt,
            phase: v.phase,
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
            retransmits: s.retransmits,
            rtos: s.ptos,
            recoveries: s.recoveries,
            ecn_reductions: s.ecn_reductions,
            spurious_retransmits: s.spurious_losses,
            ordered_backoffs: s.ordered_backoffs,
            ordered_resets: s.ordered_resets,
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
            held_bytes: self.receiver.held_bytes(),
            retransmits: s.retransmits,
            rtos: s.ptos,
            marks: r.ce_packets,
            rtt_samples: s.rtt_samples,
            rtt_sum_s: s.rtt_sum.seconds(),
            ..Counts::default()
        }
    }
}
