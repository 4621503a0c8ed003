//! What a flow asks of the hosts' settings: of both, of the sender's, of the receiver's.
use crate::traffic::host_settings::{EcnMode, Merge, Metric, Request, Setting};
use dumbbell_core::units::Span;
use dumbbell_tcp::{DelayedAck, Discovery, Ecn, Recovery, TcpConfig};

/// The largest receive buffer that is asked for; half of it is window. The kernel counts it in a
/// signed number of 32 bits.
pub(super) const LARGEST_BUFFER: u64 = 1 << 30;
/// Room for what waits to be sent or to be acknowledged: a sender is never to be limited by it.
const SEND_BUFFER: u64 = 256 << 20;

pub(super) fn millis(span: Span) -> u32 {
    (span.ps() / Span::from_ms(1).ps()) as u32
}

fn same(field: &'static str, key: &'static str, value: u64) -> Request {
    Request { field, setting: Setting::Sysctl(key, vec![value], Merge::Same) }
}

/// Settings of both hosts.
pub(super) fn ask_of_both(tcp: &TcpConfig, out: &mut Vec<Request>) {
    let sack = tcp.sack && tcp.recovery == Recovery::Sack;
    out.extend([
        same("tcp.sack", "net.ipv4.tcp_sack", sack.into()),
        same("tcp.timestamps", "net.ipv4.tcp_timestamps", tcp.timestamps.into()),
        same("tcp.window_scaling", "net.ipv4.tcp_window_scaling", tcp.window_scaling.into()),
        // Nothing is remembered from one connection to the next, and what was asked for is not
        // given up.
        same("tcp", "net.ipv4.tcp_no_metrics_save", 1),
        same("tcp", "net.ipv4.tcp_no_ssthresh_metrics_save", 1),
        same("tcp.ecn", "net.ipv4.tcp_ecn_fallback", 0),
        same("tcp.dsack_undo", "net.ipv4.tcp_dsack", (sack && tcp.dsack_undo).into()),
        same(
            "tcp.tail_loss_probe",
            "net.ipv4.tcp_early_retrans",
            if tcp.tail_loss_probe { 3 } else { 0 },
        ),
        same("tcp.detection", "net.ipv4.tcp_recovery", 1),
    ]);
}

/// Settings of the sending host.
pub(super) fn ask_of_sender(tcp: &TcpConfig, window: u32, out: &mut Vec<Request>) {
    let percent = |gain: f64| (gain * 100.0).round() as u64;
    let seconds = |span: Span| span.ps() / Span::from_secs(1).ps();
    let probing = u64::from(tcp.pmtu_discovery == Discovery::Probe);
    out.extend([
        same("tcp.frto", "net.ipv4.tcp_frto", if tcp.frto { 2 } else { 0 }),
        same("tcp.dupack_threshold", "net.ipv4.tcp_reordering", tcp.dupack_threshold.into()),
        same(
            "tcp.restart_after_idle",
            "net.ipv4.tcp_slow_start_after_idle",
            tcp.restart_after_idle.into(),
        ),
        same(
            "tcp.pacing_gain_slow_start",
            "net.ipv4.tcp_pacing_ss_ratio",
            percent(tcp.pacing_gain_slow_start),
        ),
        same(
            "tcp.pacing_gain_avoidance",
            "net.ipv4.tcp_pacing_ca_ratio",
            percent(tcp.pacing_gain_avoidance),
        ),
        same("tcp.pmtu_discovery", "net.ipv4.tcp_mtu_probing", probing),
        Request {
            field: "tcp",
            setting: Setting::Sysctl(
                "net.ipv4.tcp_wmem",
                vec![4096, 16_384, SEND_BUFFER],
                Merge::Largest,
            ),
        },
        Request { field: "tcp.initial_window", setting: Setting::Metric(Metric::Initcwnd, window) },
        Request {
            field: "tcp.min_rto",
            setting: Setting::Metric(Metric::RtoMin, millis(tcp.min_rto)),
        },
        Request { field: "tcp.ecn", setting: Setting::Offer(marking(tcp.ecn)) },
    ]);
    if tcp.pmtu_discovery.heeds_routers() {
        let least = tcp.pmtu_least.0;
        out.push(same(
            "tcp.pmtu_raise_after",
            "net.ipv4.route.mtu_expires",
            seconds(tcp.pmtu_raise_after),
        ));
        out.push(same("tcp.pmtu_least", "net.ipv4.route.min_pmtu", least));
    }
    if tcp.pmtu_discovery == Discovery::Probe {
        let base = tcp.pmtu_base.0.saturating_sub(tcp.header.0);
        out.extend([
            same("tcp.pmtu_base", "net.ipv4.tcp_base_mss", base),
            same("tcp.pmtu_step", "net.ipv4.tcp_probe_threshold", tcp.pmtu_step.0),
            same(
                "tcp.pmtu_raise_after",
                "net.ipv4.tcp_probe_interval",
                seconds(tcp.pmtu_raise_after),
            ),
            same("tcp.pmtu_black_hole", "net.ipv4.tcp_retries1", tcp.pmtu_black_hole.into()),
        ]);
    }
}

/// Settings of the receiving host.
pub(super) fn ask_of_receiver(tcp: &TcpConfig, out: &mut Vec<Request>) {
    // A segment takes two to eight times its bytes of the buffer; the window itself is bounded at
    // the socket.
    let buffer = tcp.window_bytes().saturating_mul(4).clamp(1 << 20, LARGEST_BUFFER);
    let each = tcp.delayed_ack == DelayedAck::Each;
    out.extend([
        Request {
            field: "tcp.receive_window",
            setting: Setting::Sysctl(
                "net.ipv4.tcp_rmem",
                vec![4096, buffer, buffer],
                Merge::Largest,
            ),
        },
        // The kernel's own tuning would move the bound.
        same("tcp.receive_window", "net.ipv4.tcp_moderate_rcvbuf", 0),
        Request {
            field: "tcp.delayed_ack",
            setting: Setting::Metric(Metric::Quickack, each.into()),
        },
        Request { field: "tcp.ecn", setting: Setting::Accept(marking(tcp.ecn)) },
    ]);
}

fn marking(ecn: Ecn) -> EcnMode {
    match ecn {
        Ecn::Off | Ecn::PerPacket => EcnMode::Off,
        Ecn::Rfc3168 | Ecn::Dctcp => EcnMode::Classic,
        Ecn::Accecn | Ecn::L4s => EcnMode::Accurate,
    }
}
