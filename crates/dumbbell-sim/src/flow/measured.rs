//! What is measured of a flow: its series, its counts, its window between the warm-up and the end.
use super::{Ends, Flow};
use crate::counts::Counts;
use crate::series::Received;
use dumbbell_core::probe::Gauges;
use dumbbell_core::transport::CongestionControl;
use dumbbell_core::units::{Span, Time};
use dumbbell_net::{Cause, DelaySummary, FlowRow, Observer, Reaction, SenderSnapshot};
use dumbbell_net::{RECEIVER, SENDER};

/// Counts of a flow between the warm-up and the end.
pub(crate) struct FlowWindow {
    /// Counts of both ends.
    pub counts: Counts,
    /// Packets of the sender that were dropped somewhere.
    pub lost_packets: u64,
    /// The largest throughput of a period; `None` without a series, or without a whole period.
    pub peak_bps: Option<f64>,
    /// Of datagrams.
    pub delays: Option<DelaySummary>,
}

impl Flow {
    /// Samples one end as often as is due by `t`, before anything at `t` happens there. The world
    /// stands at `now`: what was lost by then is known.
    #[inline]
    pub(crate) fn sample_until(
        &mut self,
        end: usize,
        t: Time,
        now: Time,
        observer: &mut impl Observer,
    ) {
        while self.sides[end].sample_times.next() <= t {
            self.take_sample(end, now, observer);
        }
        if end == RECEIVER {
            self.note_completion(t);
        }
    }

    /// Notes when the receiver got what it has, before a packet comes at `t`.
    fn note_completion(&mut self, t: Time) {
        let Some(completion) = &mut self.completion else { return };
        let delivered = match &self.ends {
            Ends::Tcp { receiver, .. } => receiver.stats().delivered_bytes,
            Ends::Quic(quic) => quic.receiver.stats().delivered_bytes,
            Ends::Scream(_) | Ends::Udp(_) => return,
        };
        completion.note(delivered, t);
    }

    #[cold]
    fn take_sample(&mut self, end: usize, now: Time, observer: &mut impl Observer) {
        let side = &mut self.sides[end];
        let due = side.sample_times.take();
        if due.warm {
            self.integrate_cwnd_if_sender(end, due.at);
            let counts = self.counts();
            if self.warm.is_some() || counts != Counts::default() {
                self.warm.get_or_insert_default()[end] = counts;
            }
        }
        if due.sample {
            let (row, counts) = (self.row(), self.counts());
            let series = self.series.get_or_insert_default();
            match end {
                SENDER => series.sends(due.at, row),
                _ => {
                    let Counts { delivered_bytes, delivered_packets, received_bytes, .. } = counts;
                    series.receives(Received {
                        delivered_bytes,
                        delivered_packets,
                        received_bytes,
                    });
                }
            }
            if end == RECEIVER && due.window {
                series.peak.turn(counts.received_bytes);
            }
            series.hand_over(self.number as usize, now, observer);
        }
    }

    pub(super) fn integrate_cwnd_if_sender(&mut self, end: usize, now: Time) {
        if end == SENDER {
            self.integrate_cwnd(now);
        }
    }

    /// The sender's row; the series fills in what was delivered and lost.
    fn row(&self) -> FlowRow {
        let counts = self.counts();
        let Counts { sent_packets, sent_bytes, retransmits, .. } = counts;
        let sent = FlowRow { sent_packets, sent_bytes, retransmits, ..FlowRow::default() };
        let mut gauges = Gauges::default();
        let v = match &self.ends {
            Ends::Tcp { sender, .. } => {
                sender.cc().probe(&mut gauges);
                sender.view()
            }
            Ends::Quic(quic) => {
                quic.sender.cc().probe(&mut gauges);
                quic.view()
            }
            Ends::Scream(scream) => {
                scream.sender.probe(&mut gauges);
                scream.view()
            }
            Ends::Udp(_) => return sent,
        };
        FlowRow {
            cwnd_bytes: v.cwnd,
            cwnd_packets: v.cwnd as f64 / f64::from(self.mss),
            ssthresh_bytes: v.ssthresh,
            srtt: v.srtt,
            rto: v.rto,
            in_flight_bytes: v.in_flight,
            phase: v.phase,
            gauges,
            ..sent
        }
    }

    /// Counts since the start, of both ends; each end's are exact at its own last event.
    fn counts(&self) -> Counts {
        let counts = match &self.ends {
            Ends::Tcp { sender, receiver } => {
                let (s, r) = (sender.stats(), receiver.stats());
                Counts {
                    sent_packets: s.sent_packets,
                    sent_bytes: s.sent_bytes,
                    delivered_packets: r.received_packets,
                    received_bytes: r.received_bytes,
                    delivered_bytes: r.delivered_bytes,
                    held_bytes: receiver.held_bytes(),
                    retransmits: s.retransmits,
                    rtos: s.rtos,
                    marks: r.ce_packets,
                    rtt_samples: s.rtt_samples,
                    rtt_sum_s: s.rtt_sum.seconds(),
                    ..Counts::default()
                }
            }
            Ends::Quic(quic) => quic.counts(),
            Ends::Scream(scream) => scream.counts(),
            Ends::Udp(udp) => udp.counts(),
        };
        let cwnd_integral = self.cwnd_integral as f64 / f64::from(self.mss) * 1e-12;
        Counts { cwnd_integral, ..counts }
    }

    /// A snapshot of the sender, for an observer that wants to know of reactions.
    pub(crate) fn snapshot(&self, observer: &impl Observer) -> Option<SenderSnapshot> {
        if !observer.wants_reactions() {
            return None;
        }
        let (view, stats) = match &self.ends {
            Ends::Tcp { sender, .. } => (sender.view(), *sender.stats()),
            Ends::Quic(quic) => (quic.view(), quic.stats()),
            Ends::Scream(scream) => (scream.view(), scream.stats()),
            Ends::Udp(_) => return None,
        };
        Some(SenderSnapshot { view, stats, gauges: Gauges::default() })
    }

    /// Reports a reaction, if the sender reacted at `t`.
    pub(crate) fn tell_reaction(
        &self,
        t: Time,
        before: SenderSnapshot,
        observer: &mut impl Observer,
    ) {
        let Some(mut after) = self.snapshot(observer) else { return };
        if let Some(cause) = Cause::between(&before, &after) {
            match &self.ends {
                Ends::Tcp { sender, .. } => sender.cc().probe(&mut after.gauges),
                Ends::Quic(quic) => quic.sender.cc().probe(&mut after.gauges),
                Ends::Scream(scream) => scream.sender.probe(&mut after.gauges),
                Ends::Udp(_) => {}
            }
            observer.reacted(&Reaction { t, flow: self.number as usize, cause, before, after });
        }
    }

    /// The run is over at `end`: what happened within the window.
    pub(crate) fn close(&mut self, end: Time, observer: &mut impl Observer) -> FlowWindow {
        self.sample_until(SENDER, end, end, observer);
        self.sample_until(RECEIVER, end, end, observer);
        if let Some(series) = &mut self.series {
            series.hand_over(self.number as usize, end, observer);
        }
        self.integrate_cwnd(end);
        let (now, [s, r]) = (self.counts(), self.warm.as_deref().copied().unwrap_or_default());
        FlowWindow {
            counts: Counts {
                sent_packets: now.sent_packets - s.sent_packets,
                sent_bytes: now.sent_bytes - s.sent_bytes,
                delivered_packets: now.delivered_packets - r.delivered_packets,
                received_bytes: now.received_bytes - r.received_bytes,
                delivered_bytes: now.delivered_bytes - r.delivered_bytes,
                // What it held when the window began.
                held_bytes: r.held_bytes,
                retransmits: now.retransmits - s.retransmits,
                rtos: now.rtos - s.rtos,
                marks: now.marks - r.marks,
                rtt_samples: now.rtt_samples - s.rtt_samples,
                rtt_sum_s: now.rtt_sum_s - s.rtt_sum_s,
                cwnd_integral: now.cwnd_integral - s.cwnd_integral,
            },
            lost_packets: self.lost_packets,
            peak_bps: self.peak_bps(),
            delays: if let Ends::Udp(udp) = &self.ends { udp.delays() } else { None },
        }
    }

    /// The largest throughput of a whole period of the series within the window.
    fn peak_bps(&self) -> Option<f64> {
        let (bytes, every) =
            (self.series.as_ref()?.peak.bytes()?, self.sides[RECEIVER].sample_times.every());
        (every > Span::ZERO).then(|| bytes as f64 * 8.0 / every.seconds())
    }
}
