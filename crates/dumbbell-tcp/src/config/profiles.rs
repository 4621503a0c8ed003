//! The profiles.
use super::{
    DelayedAck, Detection, Discovery, Ecn, Exit, PartialAck, Recovery, Reduction, Reentry, Samples,
    TcpConfig,
};
use crate::config::defaults as usual;
use dumbbell_core::units::{Bytes, Limit, Packets, Span};

impl Default for TcpConfig {
    fn default() -> Self {
        Self::rfc()
    }
}

impl TcpConfig {
    /// The profiles, by name.
    pub const PROFILES: [&'static str; 3] = ["ns2", "rfc", "linux"];

    /// The profile `name`.
    pub fn profile(name: &str) -> Option<Self> {
        match name {
            "ns2" => Some(Self::ns2()),
            "rfc" => Some(Self::rfc()),
            "linux" => Some(Self::linux()),
            _ => None,
        }
    }

    /// The configuration that the RFCs recommend, as of RFC 9293: mechanisms that are on the
    /// standards track and recommended are on (RACK-TLP, PRR, F-RTO), experimental ones (RFC 3522,
    /// RFC 3708) are off.
    pub fn rfc() -> Self {
        TcpConfig {
            mss: None,
            peer_mss: None,
            pmtu_discovery: Discovery::Icmp,
            pmtu_raise_after: usual::RAISE_AFTER,
            pmtu_base: usual::BASE,
            pmtu_black_hole: usual::BLACK_HOLE,
            pmtu_step: usual::STEP,
            pmtu_least: usual::LEAST,
            header: Bytes(40),
            initial_window: Packets(10.0),
            initial_window_bytes: Limit::Bytes(Bytes(14_600)),
            initial_ssthresh: Limit::Unlimited,
            receive_window: Limit::Unlimited,
            window_scaling: true,
            handshake: true,
            timestamps: true,
            clock: Span::from_ms(1),
            sack: true,
            ecn: Ecn::Off,
            delayed_ack: DelayedAck::Second,
            delayed_ack_timeout: Span::from_ms(200),
            quick_acks: 0,
            push: false,
            recovers_again: false,
            rack_by_echo: true,
            unpaced_start: 0,
            pacing_credit: false,
            growth_by_delivered: false,
            compressed_sacks: false,
            nagle: false,
            recovery: Recovery::Sack,
            detection: Detection::Rack,
            dcr_delay: 1.0,
            dcr_in_slow_start: false,
            dcr_at_window: false,
            tail_loss_probe: true,
            probe_ack_delay: Span::from_ms(200),
            reduction: Reduction::Prr,
            prr_without_sack: false,
            frto: true,
            dsack_undo: false,
            eifel: false,
            freeze: false,
            pacing: false,
            pacing_gain_slow_start: 2.0,
            pacing_gain_avoidance: 1.2,
            pacing_quantum: 1,
            dupack_threshold: 3,
            limited_transmit: true,
            partial_ack: PartialAck::Impatient,
            reentry: Reentry::Beyond,
            reno_reentry: Reentry::Always,
            exit: Exit::Deflated,
            growth_limit: 1,
            min_rto: Span::from_secs(1),
            rto_above_srtt: false,
            rto_by_peak: false,
            rtt_samples: Samples::Echo,
            reduces_window: false,
            ecn_holds_window: false,
            whole_segments: false,
            tuned_send_buffer: false,
            limited_for_a_round: false,
            max_rto: Span::from_secs(60),
            initial_rto: Span::from_secs(1),
            timer_tick: Span::ZERO,
            timer_wheel: false,
            restart_after_idle: true,
            send_jitter: Span::ZERO,
        }
    }

    /// The one-way TCP of ns-2.35 (`Agent/TCP`), with its defaults written out.
    pub fn ns2() -> Self {
        TcpConfig {
            mss: Some(Bytes(1000)),
            pmtu_discovery: Discovery::Known,
            initial_window: Packets(2.0),
            initial_window_bytes: Limit::Unlimited,
            receive_window: Limit::Packets(Packets(20.0)),
            timestamps: false,
            clock: Span::from_ms(10),
            sack: false,
            delayed_ack: DelayedAck::Each,
            delayed_ack_timeout: Span::from_ms(100),
            recovery: Recovery::Newreno,
            detection: Detection::Dupack,
            tail_loss_probe: false,
            reduction: Reduction::Rfc6675,
            reno_reentry: Reentry::Beyond,
            exit: Exit::Ssthresh,
            frto: false,
            min_rto: Span::from_ms(200),
            initial_rto: Span::from_secs(3),
            restart_after_idle: false,
            ..Self::rfc()
        }
    }

    /// A Linux host's TCP. It paces only when its congestion control asks (Linux: or the queueing
    /// discipline `fq`).
    pub fn linux() -> Self {
        TcpConfig {
            initial_window_bytes: Limit::Unlimited,
            receive_window: Limit::Bytes(Bytes(6_291_456)),
            delayed_ack_timeout: Span::from_ms(40),
            quick_acks: 17,
            push: true,
            recovers_again: true,
            rack_by_echo: false,
            unpaced_start: 10,
            pacing_credit: true,
            growth_by_delivered: true,
            compressed_sacks: true,
            rto_by_peak: true,
            timer_wheel: true,
            rtt_samples: Samples::Segments,
            ecn_holds_window: true,
            whole_segments: true,
            prr_without_sack: true,
            tuned_send_buffer: true,
            limited_for_a_round: true,
            clock: Span::from_us(1),
            dsack_undo: true,
            eifel: true,
            partial_ack: PartialAck::SlowButSteady,
            reduces_window: true,
            rto_above_srtt: true,
            pacing_quantum: 2,
            growth_limit: 100,
            min_rto: Span::from_ms(200),
            max_rto: Span::from_secs(120),
            ..Self::rfc()
        }
    }
}
