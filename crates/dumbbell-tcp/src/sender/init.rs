//! Initialization of a sender: the parameters for its congestion control, and every field at the
//! start of a connection.
use super::{Cold, FIRST, Sender, SenderStats, Stage, freeze, frto, tags, undo};
use crate::config::{Ecn, Samples, TcpConfig};
use crate::detect::AnyDetect;
use crate::recover::AnyRecover;
use crate::rtt::{Clock, Estimator, Timer};
use crate::sender::cached_cc::CachedCc;
use crate::sender::{
    accecn as accurate, ack_info as info, delivery_rate as rate, tail_probe as probe, window,
};
use dumbbell_core::packet::Ecn as Codepoint;
use dumbbell_core::transport::{CongestionControl, Detect, Path, Phase, Recover, Scoreboard};
use dumbbell_core::units::Time;
use std::sync::Arc;

impl<C: CongestionControl> Sender<C> {
    /// A sender of `config`, whose `mss` is set; `make` builds its congestion control, whose name
    /// may imply some of it ([`TcpConfig::with_overrides`]).
    pub fn new(config: impl Into<Arc<TcpConfig>>, make: impl FnOnce(&Path) -> C) -> Self {
        let config = config.into();
        let cc = make(&Self::path(&config));
        let config = TcpConfig::overrides(config, cc.tcp_overrides());
        let detect = AnyDetect::new(&config);
        let recover = AnyRecover::new(&config);
        Sender::with(config, cc, detect, recover)
    }

    /// The parameters of a connection of `config` for its congestion control.
    pub fn path(config: &TcpConfig) -> Path {
        let mss = config.segment_bytes();
        Path {
            mss,
            initial_window: config.initial_window_for(mss),
            initial_ssthresh: config.initial_ssthresh_for(mss),
            growth_limit: u64::from(config.growth_limit),
            header: config.header.0 + config.option_bytes(),
            whole_segments: config.whole_segments,
            ..Path::PLAIN
        }
    }
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// A sender with the given loss detection and recovery.
    pub fn with(config: impl Into<Arc<TcpConfig>>, cc: C, detect: D, recover: R) -> Self {
        let config = config.into();
        let cc_rates = cc.capabilities().rates;
        let mut sender = Sender {
            una: FIRST,
            nxt: FIRST,
            high: FIRST,
            limit: FIRST,
            fin: 0,
            searching: false,
            raising: false,
            window: config.window_bytes(),
            open_window: config.window_bytes(),
            spare: 0,
            limited_sent: 0,
            beyond: 0,
            mss: config.segment_bytes(),
            overhead: (config.header.0 + config.option_bytes()) as u32,
            next: Time::NEVER,
            rto_at: Time::NEVER,
            rto_started: Time::ZERO,
            last_sent: Time::ZERO,
            pace_at: Time::ZERO,
            timed_end: 0,
            timed_at: Time::ZERO,
            recover_point: 0,
            ecn_point: 0,
            held_until: 0,
            dupacks: 0,
            phase: Phase::Open,
            stage: Stage::Opening,
            timestamps: config.timestamps,
            by_segments: config.rtt_samples == Samples::Segments && detect.by_segment(),
            ecn: config.ecn != Ecn::Off,
            ect: match config.ecn {
                Ecn::Off => Codepoint::NotEct,
                Ecn::L4s => Codepoint::Ect1,
                _ => Codepoint::Ect0,
            },
            accurate: config.ecn.accurate() && !config.handshake,
            latched: config.ecn == Ecn::Rfc3168,
            sack: config.sack,
            attentive: detect.has_timer()
                || config.dsack_undo
                || (config.eifel && config.timestamps),
            tail_probes: config.tail_loss_probe && detect.by_segment(),
            probe_due: Time::NEVER,
            burst_time: Self::burst_time(&config),
            probing: false,
            paced: config.pacing,
            simple: false,
            fast_path: false,
            postponed: false,
            burst: 0,
            // L4S wants no bursts of more than 250 us (RFC 9331 section 4.3 item 7): one segment at
            // a time.
            quantum: if config.ecn == Ecn::L4s { 1 } else { config.pacing_quantum.min(64) as u8 },
            cwr_due: false,
            tagged: false,
            frozen: false,
            closed: false,
            window_limited: false,
            by_rounds: config.limited_for_a_round,
            blocked: false,
            pacing: false,
            clock: Clock(config.clock),
            timer: Timer::new(&config),
            rtt: Estimator::new(&config),
            pushes: config.push,
            spaced: config.pacing || cc.capabilities().paces,
            informed: cc.capabilities().segments || detect.by_segment() || cc.capabilities().rates,
            rated: cc.capabilities().rates,
            cc: CachedCc::new(cc),
            detect,
            recover,
            board: Scoreboard::default(),
            stats: SenderStats::default(),
            cold: Box::new(Cold {
                episode: undo::Episode::new(&config),
                tags: tags::Tags::default(),
                rto_una: 0,
                stuck: 0,
                syn_resent: false,
                refitting: false,
                opened_at: Time::ZERO,
                report: info::AckReport::default(),
                fresh: Vec::new(),
                frto: frto::Frto::Off,
                accurate: accurate::AccEcn::asked(&config),
                freeze: freeze::Freeze::default(),
                moves: 0,
                probe: probe::TailProbe::default(),
                rates: cc_rates.then(|| Box::new(rate::Rates::new(FIRST))),
                path: None,
                lost_again: (0, 0),
                send_buffer: window::SendBuffer::default(),
                window_use: None,
                config,
            }),
        };
        sender.simple = sender.is_simple();
        sender
    }
}
