//! RFC 9002's appendices A and B, transcribed line by line as the RFC has them, without a thought
//! for speed. Times are picoseconds.
use std::collections::BTreeMap;

const K_PACKET_THRESHOLD: u64 = 3;
const K_GRANULARITY: u64 = 1_000_000_000;
const K_INITIAL_RTT: u64 = 333_000_000_000;
const K_PERSISTENT_CONGESTION_THRESHOLD: u64 = 3;
const MAX_ACK_DELAY: u64 = 25_000_000_000;
/// No window grows beyond this: nothing in a trace holds it back.
pub const LARGEST: u64 = 400_000;

/// Appendix A.1.1, of packets that are ack-eliciting and in flight.
#[derive(Clone, Copy, Debug)]
struct SentPacket {
    sent_bytes: u64,
    time_sent: u64,
}

/// The variables of appendix A.3 and B.2, of one packet number space.
#[derive(Debug)]
pub struct Appendix {
    pub latest_rtt: u64,
    pub smoothed_rtt: u64,
    pub rttvar: u64,
    pub min_rtt: u64,
    pub first_rtt_sample: u64,
    pub loss_detection_timer: Option<u64>,
    pub pto_count: u32,
    time_of_last_ack_eliciting_packet: u64,
    largest_acked_packet: Option<u64>,
    loss_time: u64,
    sent_packets: BTreeMap<u64, SentPacket>,
    pub max_datagram_size: u64,
    ecn_ce_counter: u64,
    pub bytes_in_flight: u64,
    pub congestion_window: u64,
    congestion_recovery_start_time: Option<u64>,
    pub ssthresh: u64,
    /// For the comparison: everything that was ever lost, and acknowledged in time.
    pub lost: Vec<u64>,
    acknowledged: Vec<u64>,
    pub persistent: u64,
}

impl Appendix {
    pub fn new(max_datagram_size: u64) -> Self {
        Appendix {
            latest_rtt: 0,
            smoothed_rtt: K_INITIAL_RTT,
            rttvar: K_INITIAL_RTT / 2,
            min_rtt: 0,
            first_rtt_sample: 0,
            loss_detection_timer: None,
            pto_count: 0,
            time_of_last_ack_eliciting_packet: 0,
            largest_acked_packet: None,
            loss_time: 0,
            sent_packets: BTreeMap::new(),
            max_datagram_size,
            ecn_ce_counter: 0,
            bytes_in_flight: 0,
            congestion_window: (10 * max_datagram_size).min(14_720.max(2 * max_datagram_size)),
            congestion_recovery_start_time: None,
            ssthresh: u64::MAX,
            lost: Vec::new(),
            acknowledged: Vec::new(),
            persistent: 0,
        }
    }

    /// A.5.
    pub fn on_packet_sent(&mut self, now: u64, packet_number: u64, sent_bytes: u64) {
        self.sent_packets.insert(packet_number, SentPacket { sent_bytes, time_sent: now });
        self.time_of_last_ack_eliciting_packet = now;
        self.bytes_in_flight += sent_bytes;
        self.set_loss_detection_timer();
    }

    /// A.7; `ranges` are `[from, to)`, the largest first.
    pub fn on_ack_received(
        &mut self,
        now: u64,
        ranges: &[(u64, u64)],
        ack_delay: u64,
        ce: Option<u64>,
    ) {
        let largest = ranges[0].1 - 1;
        self.largest_acked_packet =
            Some(self.largest_acked_packet.map_or(largest, |l| l.max(largest)));
        let covered = |pn: &u64| ranges.iter().any(|(from, to)| (from..to).contains(&pn));
        let newly_acked: BTreeMap<u64, SentPacket> =
            self.sent_packets.iter().filter(|(pn, _)| covered(pn)).map(|(n, p)| (*n, *p)).collect();
        // For section 7.6.2: those that are acknowledged late, too.
        self.acknowledged.extend(newly_acked.keys());
        self.acknowledged.extend(self.lost.iter().filter(|pn| covered(pn)));
        self.sent_packets.retain(|pn, _| !newly_acked.contains_key(pn));
        let Some((last, last_packet)) = newly_acked.last_key_value() else { return };
        if *last == largest {
            self.latest_rtt = now - last_packet.time_sent;
            self.update_rtt(now, ack_delay);
        }
        if let Some(ce) = ce {
            self.process_ecn(now, ce, last_packet.time_sent);
        }
        let lost_packets = self.detect_and_remove_lost_packets(now);
        if !lost_packets.is_empty() {
            self.on_packets_lost(now, &lost_packets);
        }
        for packet in newly_acked.values() {
            self.on_packet_acked(packet);
        }
        self.pto_count = 0;
        self.set_loss_detection_timer();
    }

    fn update_rtt(&mut self, now: u64, ack_delay: u64) {
        if self.first_rtt_sample == 0 {
            self.min_rtt = self.latest_rtt;
            self.smoothed_rtt = self.latest_rtt;
            self.rttvar = self.latest_rtt / 2;
            self.first_rtt_sample = now;
            return;
        }
        self.min_rtt = self.min_rtt.min(self.latest_rtt);
        let ack_delay = ack_delay.min(MAX_ACK_DELAY);
        let mut adjusted_rtt = self.latest_rtt;
        if self.latest_rtt >= self.min_rtt + ack_delay {
            adjusted_rtt = self.latest_rtt - ack_delay;
        }
        self.rttvar = (3 * self.rttvar + self.smoothed_rtt.abs_diff(adjusted_rtt)) / 4;
        self.smoothed_rtt = (7 * self.smoothed_rtt + adjusted_rtt) / 8;
    }

    fn pto_period(&self) -> u64 {
        self.smoothed_rtt + (4 * self.rttvar).max(K_GRANULARITY) + MAX_ACK_DELAY
    }

    /// A.8.
    fn set_loss_detection_timer(&mut self) {
        self.loss_detection_timer = if self.loss_time != 0 {
            Some(self.loss_time)
        } else if self.sent_packets.is_empty() {
            None
        } else {
            let duration = self.pto_period() * (1 << self.pto_count);
            Some(self.time_of_last_ack_eliciting_packet + duration)
        };
    }

    /// A.9; true if probes are to be sent.
    pub fn on_loss_detection_timeout(&mut self, now: u64) -> bool {
        if self.loss_time != 0 {
            let lost_packets = self.detect_and_remove_lost_packets(now);
            assert!(!lost_packets.is_empty());
            self.on_packets_lost(now, &lost_packets);
            self.set_loss_detection_timer();
            return false;
        }
        self.pto_count += 1;
        self.set_loss_detection_timer();
        true
    }

    /// A.10.
    fn detect_and_remove_lost_packets(&mut self, now: u64) -> BTreeMap<u64, SentPacket> {
        let largest = self.largest_acked_packet.unwrap();
        self.loss_time = 0;
        let mut lost_packets = BTreeMap::new();
        // kTimeThreshold is 9/8; to the nearest picosecond.
        let loss_delay = (self.latest_rtt.max(self.smoothed_rtt) * 9 + 4) / 8;
        let loss_delay = loss_delay.max(K_GRANULARITY);
        for (pn, unacked) in &self.sent_packets {
            if *pn > largest {
                continue;
            }
            if unacked.time_sent + loss_delay <= now || largest >= pn + K_PACKET_THRESHOLD {
                lost_packets.insert(*pn, *unacked);
            } else if self.loss_time == 0 {
                self.loss_time = unacked.time_sent + loss_delay;
            } else {
                self.loss_time = self.loss_time.min(unacked.time_sent + loss_delay);
            }
        }
        self.sent_packets.retain(|pn, _| !lost_packets.contains_key(pn));
        self.lost.extend(lost_packets.keys());
        lost_packets
    }

    fn in_congestion_recovery(&self, sent_time: u64) -> bool {
        self.congestion_recovery_start_time.is_some_and(|start| sent_time <= start)
    }

    /// B.5, of a sender that its application never limits.
    fn on_packet_acked(&mut self, acked: &SentPacket) {
        self.bytes_in_flight -= acked.sent_bytes;
        if self.in_congestion_recovery(acked.time_sent) || self.congestion_window >= LARGEST {
            return;
        }
        if self.congestion_window < self.ssthresh {
            self.congestion_window += acked.sent_bytes;
        } else {
            self.congestion_window +=
                self.max_datagram_size * acked.sent_bytes / self.congestion_window;
        }
    }

    /// B.6.
    fn on_congestion_event(&mut self, now: u64, sent_time: u64) {
        if self.in_congestion_recovery(sent_time) {
            return;
        }
        self.congestion_recovery_start_time = Some(now);
        self.ssthresh = self.congestion_window / 2;
        self.congestion_window = self.ssthresh.max(2 * self.max_datagram_size);
    }

    /// B.7.
    fn process_ecn(&mut self, now: u64, ce: u64, sent_time: u64) {
        if ce > self.ecn_ce_counter {
            self.ecn_ce_counter = ce;
            self.on_congestion_event(now, sent_time);
        }
    }

    /// B.8.
    fn on_packets_lost(&mut self, now: u64, lost_packets: &BTreeMap<u64, SentPacket>) {
        let mut sent_time_of_last_loss = 0;
        for lost_packet in lost_packets.values() {
            self.bytes_in_flight -= lost_packet.sent_bytes;
            sent_time_of_last_loss = sent_time_of_last_loss.max(lost_packet.time_sent);
        }
        self.on_congestion_event(now, sent_time_of_last_loss);
        if self.first_rtt_sample == 0 {
            return;
        }
        let pc_lost: Vec<(u64, u64)> = lost_packets
            .iter()
            .filter(|(_, lost)| lost.time_sent > self.first_rtt_sample)
            .map(|(pn, lost)| (*pn, lost.time_sent))
            .collect();
        if self.in_persistent_congestion(&pc_lost) {
            self.persistent += 1;
            self.congestion_window = 2 * self.max_datagram_size;
            self.congestion_recovery_start_time = None;
        }
    }

    /// Section 7.6.2: two of them, none between acknowledged, longer apart than the threshold.
    fn in_persistent_congestion(&self, pc_lost: &[(u64, u64)]) -> bool {
        let duration = self.pto_period() * K_PERSISTENT_CONGESTION_THRESHOLD;
        pc_lost.iter().any(|(first, from)| {
            pc_lost.iter().any(|(last, to)| {
                let between = |pn: &u64| first < pn && pn < last;
                last > first && to - from > duration && !self.acknowledged.iter().any(between)
            })
        })
    }
}
