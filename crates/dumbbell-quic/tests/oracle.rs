//! The sender beside the transcription of RFC 9002's appendices, on random traces: packets get
//! lost or come late, ACKs too, with delays and marks. Both have to agree on everything.
use crate::appendix::{Appendix, LARGEST};
use crate::harness::{DATAGRAM, Out, plain};
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Phase,
};
use dumbbell_core::units::{Bytes, Span, Time};
use dumbbell_quic::wire::{AckFrame, MAX_RANGES, Ranges};
use dumbbell_quic::{Ecn, QuicConfig, Sender};
use proptest::prelude::*;

/// NewReno of appendix B, as a congestion control.
#[derive(Debug)]
struct NewReno {
    datagram: u64,
    cwnd: u64,
    ssthresh: u64,
}

impl CongestionControl for NewReno {
    fn capabilities(&self) -> Capabilities {
        Capabilities::WINDOW
    }
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        assert!(ack.window_limited);
        let packets = if ack.phase == Phase::Open { ack.acked / self.datagram } else { 0 };
        for _ in 0..packets {
            if self.cwnd >= LARGEST {
                return;
            }
            self.cwnd += match self.cwnd < self.ssthresh {
                true => self.datagram,
                false => self.datagram * self.datagram / self.cwnd,
            };
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        if let Cause::Timeout { first } = event.cause {
            assert!(!first);
            self.cwnd = 2 * self.datagram;
        } else {
            self.ssthresh = event.in_flight / 2;
            self.cwnd = self.ssthresh.max(2 * self.datagram);
        }
    }
    fn cwnd(&self) -> u64 {
        self.cwnd
    }
    fn ssthresh(&self) -> Option<u64> {
        Some(self.ssthresh)
    }
}

/// An ACK that arrives.
#[derive(Clone, Debug)]
struct Step {
    /// After the one before, microseconds.
    wait: u64,
    /// It tells of packets below this share of those that were sent, 0 to 255.
    share: u8,
    /// ACK Delay in units of 8 us.
    delay: u64,
    marks: u64,
}

fn step() -> impl Strategy<Value = Step> {
    let wait = prop_oneof![8 => 0u64..4_000, 3 => 4_000u64..80_000, 1 => 500_000u64..20_000_000];
    let share = prop_oneof![1 => any::<u8>(), 4 => 200u8..];
    let marks = prop_oneof![8 => Just(0u64), 1 => 1u64..3];
    (wait, share, 0u64..5_000, marks).prop_map(|(wait, share, delay, marks)| Step {
        wait,
        share,
        delay,
        marks,
    })
}

/// Whether a packet arrives: it gets lost, comes after five later ones, or in order.
fn arrives(number: u64, below: u64, seed: u64, lossy: u64) -> bool {
    let mixed = (number / (1 + seed % 4)).wrapping_add(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    match (mixed >> 40) % 16 {
        dice if dice < lossy => false,
        15 => below > number + 5,
        _ => true,
    }
}

struct Pair {
    sender: Sender<NewReno>,
    appendix: Appendix,
    next: u64,
}

impl Pair {
    fn new() -> Self {
        let config = QuicConfig { ecn: Ecn::Ect0, window: Bytes(1 << 40), probes: 1, ..plain() };
        let sender = Sender::new(std::sync::Arc::new(config), |path| NewReno {
            datagram: path.mss,
            cwnd: path.initial_window,
            ssthresh: u64::MAX,
        });
        Pair { sender, appendix: Appendix::new(DATAGRAM), next: 0 }
    }

    /// The transcription learns what the sender sent.
    fn sends(&mut self, now: Time, out: Out) {
        for (segment, _) in out.0 {
            assert_eq!(u64::from(segment.seq), self.next, "numbers count up");
            let size = u64::from(segment.ip_len) - 28;
            assert_eq!(size, DATAGRAM);
            self.appendix.on_packet_sent(now.ps(), self.next, size);
            self.next += 1;
        }
    }

    fn agree(&self, now: Time) {
        let (view, stats, own) = (self.sender.view(), self.sender.stats(), &self.appendix);
        assert_eq!(view.in_flight, own.bytes_in_flight, "bytes_in_flight");
        assert_eq!(stats.lost_packets, own.lost.len() as u64, "lost");
        assert_eq!(view.cwnd, own.congestion_window, "congestion_window");
        assert_eq!(view.ssthresh, Some(own.ssthresh).filter(|s| *s < u64::MAX), "ssthresh");
        assert_eq!(stats.persistent_congestions, own.persistent, "persistent congestion");
        if own.first_rtt_sample > 0 {
            assert_eq!(view.srtt.unwrap().ps(), own.smoothed_rtt, "smoothed_rtt");
        }
        assert_eq!(view.rttvar.ps(), own.rttvar, "rttvar");
        let timer = own.loss_detection_timer.map_or(Time::NEVER, Time::from_ps);
        assert_eq!(self.sender.deadline(), timer.max(now), "loss_detection_timer");
    }

    /// Both handle their timers by `until`.
    fn timers(&mut self, until: Time) {
        while self.sender.deadline() <= until {
            let now = self.sender.deadline();
            let mut out = Out::default();
            self.sender.on_deadline(now, &mut out);
            let probes = self.appendix.on_loss_detection_timeout(now.ps());
            assert!(!probes || !out.0.is_empty());
            self.sends(now, out);
            self.agree(now);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_shrink_iters: 300, ..ProptestConfig::with_cases(1000)
    })]
    #[test]
    fn the_sender_does_what_the_appendices_say(
        steps in prop::collection::vec(step(), 1..150),
        seed: u64,
        lossy in 0u64..6,
    ) {
        let mut pair = Pair::new();
        // Time 0 means nothing to the appendices.
        let mut now = Time::ZERO + Span::from_ms(1);
        let mut out = Out::default();
        pair.sender.open(now, &mut out);
        pair.sender.write(now, u64::MAX, &mut out);
        pair.sends(now, out);
        pair.agree(now);
        let mut ce = 0;
        for step in steps {
            now += Span::from_us(step.wait + 1);
            pair.timers(now);
            let below = pair.next * (u64::from(step.share) + 1) / 256;
            let mut ranges = Ranges::default();
            let mut list: Vec<(u64, u64)> = Vec::new();
            for number in (0..below).rev().filter(|n| arrives(*n, below, seed, lossy)) {
                let full = list.len() == MAX_RANGES;
                match list.last_mut() {
                    Some(last) if last.0 == number + 1 => last.0 = number,
                    _ if full => break,
                    _ => list.push((number, number + 1)),
                }
            }
            if list.is_empty() {
                continue;
            }
            list.iter().for_each(|(from, to)| assert!(ranges.push(*from, *to)));
            ce += step.marks;
            let delay = Span::from_us(8 * step.delay);
            let (segment, extra) = AckFrame { ranges, delay, ecn: Some([0, ce, 0]) }.segment(28, 0);
            let mut out = Out::default();
            pair.sender.on_segment(now, &segment, extra.as_ref(), &mut out);
            pair.appendix.on_ack_received(now.ps(), &list, delay.ps(), Some(ce));
            pair.sends(now, out);
            pair.agree(now);
        }
    }
}
