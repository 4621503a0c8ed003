//! The configuration of the kernel's TCP for one connection: each field of a `TcpConfig` is set, is
//! the kernel's default, or is refused.
use super::job::{Connection, End};
use crate::traffic::host_settings::{EcnMode, Merge, Metric, Request, Setting, Unsupported};
use crate::traffic::kernel_names::kernel_name;
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::transport::{CongestionControl, Path, TcpOverrides};
use dumbbell_core::units::{Limit, Rate, Span};
use dumbbell_plan::{Ip, Spec};
use dumbbell_tcp::{DelayedAck, Detection, Discovery, Ecn, Recovery, Reduction, TcpConfig};

/// The settings that a flow needs.
pub struct KernelConfig {
    /// Of its sockets.
    pub connection: Connection,
    /// Of the host that sends.
    pub sender: Vec<Request>,
    /// Of the host that receives.
    pub receiver: Vec<Request>,
}

/// The largest receive buffer that is asked for; half of it is window. The kernel counts it in a
/// signed number of 32 bits.
const LARGEST_BUFFER: u64 = 1 << 30;
/// Room for what waits to be sent or to be acknowledged: a sender is never to be limited by it.
const SEND_BUFFER: u64 = 256 << 20;
/// The largest MSS that a socket may ask for itself (TCP_MAXSEG; MAX_TCP_WINDOW of the kernel).
const LARGEST_MSS: u64 = 32_767;
/// The least (TCP_MIN_MSS of the kernel).
const LEAST_MSS: u64 = 88;

/// The settings for `flow`, whose slowest link has `rate`.
///
/// # Errors
/// Everything in `tcp` and `cc` that the kernel has not.
pub fn kernel_config(
    flow: &str,
    ip: Ip,
    cc: &Spec,
    tcp: &TcpConfig,
    rate: Rate,
) -> Result<KernelConfig, Vec<Unsupported>> {
    // Fields that the name implies were not written by the user: a control that the kernel lacks is
    // refused by itself.
    let name = kernel_name(flow, cc).map_err(|refusal| {
        let implied =
            ["recovery", "sack", "detection", "ecn", "timestamps", "freeze", "reduction", "eifel"];
        let own = |r: &Unsupported| !implied.iter().any(|field| r.field == format!("tcp.{field}"));
        let mut all = vec![refusal];
        all.extend(unsupported(flow, ip, TcpOverrides::NOTHING, tcp).into_iter().filter(own));
        all
    })?;
    // A plan of the lab already contains the fields that the control's name implies; a plan made by
    // hand need not.
    let implied = AnyCc::build(&cc.kind, &cc.config, &Path::PLAIN)
        .map_or(TcpOverrides::NOTHING, |cc| cc.tcp_overrides());
    let tcp = &tcp.with_overrides(implied);
    let mut refused = unsupported(flow, ip, implied, tcp);
    let window = initial_window(tcp);
    if window.is_none() {
        let cause = "the kernel's initial window is a whole number of segments, at least one";
        refused.push(Unsupported::new(
            flow,
            "tcp.initial_window",
            cause,
            "write initial_window = \
            \"10 pkt\"",
        ));
    }
    let (Some(window), []) = (window, refused.as_slice()) else { return Err(refused) };
    let mut sender = Vec::new();
    ask_of_both(tcp, &mut sender);
    let mut receiver = sender.clone();
    ask_of_sender(tcp, window, &mut sender);
    ask_of_receiver(tcp, &mut receiver);
    let own = |mss: u64| Some(mss as u32).filter(|_| mss <= LARGEST_MSS);
    let clamp = Some(tcp.window_bytes()).filter(|w| *w <= LARGEST_BUFFER / 4).map(|w| w as u32);
    let connection = Connection {
        control: name.kernel,
        sender: End { mss: own(tcp.own_mss()), window: None },
        receiver: End { mss: own(tcp.answered_mss()), window: clamp },
        segment: tcp.segment_bytes() as u32,
        nagle: tcp.nagle,
        fragments: tcp.pmtu_discovery == Discovery::Off,
        paced: tcp.pacing,
        max_rto_ms: Some(millis(tcp.max_rto)).filter(|ms| *ms != 120_000),
        unsent: (rate.bps() / 8 / 50).clamp(64 << 10, 1 << 20) as u32,
    };
    Ok(KernelConfig { connection, sender, receiver })
}

/// The fields that the kernel cannot have as `tcp` wants them. All fields are named here or below,
/// so that none can be forgotten.
fn unsupported(flow: &str, ip: Ip, implied: TcpOverrides, tcp: &TcpConfig) -> Vec<Unsupported> {
    #[rustfmt::skip]
    let TcpConfig {
        // Asked for.
        mss: _, peer_mss: _, pmtu_discovery: _, pmtu_raise_after: _, pmtu_base: _,
        pmtu_black_hole: _, pmtu_step: _, pmtu_least: _, initial_window: _, initial_window_bytes: _,
        receive_window, window_scaling: _, timestamps, sack, ecn, delayed_ack, nagle: _,
        tail_loss_probe: _, frto: _, dsack_undo: _, pacing, pacing_gain_slow_start: _,
        pacing_gain_avoidance: _, dupack_threshold: _, restart_after_idle: _, min_rto, max_rto,
        // As the kernel has it, or not at all.
        header, initial_ssthresh, handshake, clock, delayed_ack_timeout, quick_acks, recovery,
        detection, dcr_delay, dcr_in_slow_start, dcr_at_window, probe_ack_delay, reduction, eifel,
        freeze, pacing_quantum, limited_transmit, partial_ack, reentry, exit, growth_limit,
        initial_rto, timer_tick, send_jitter,
    } = tcp;
    let kernel = TcpConfig::linux();
    let mut all = Vec::new();
    let mut need = |field: &str, holds: bool, cause: &str, fix: &str| {
        if !holds {
            all.push(Unsupported::new(flow, &format!("tcp.{field}"), cause, fix));
        }
    };
    let each = *delayed_ack == DelayedAck::Each;
    let selective = *sack && *recovery == Recovery::Sack;
    let newreno = *recovery == Recovery::Newreno;
    let linux = "take it out, with profile = \"linux\"";
    need(
        "header",
        header.0 == u64::from(ip.header()) + 20,
        "the kernel's headers are as the RFCs \
        have them",
        linux,
    );
    need(
        "mss",
        tcp.own_mss() >= LEAST_MSS,
        "the kernel takes no MSS below 88 B",
        "write mss = \
        \"88 B\" or more",
    );
    need(
        "peer_mss",
        tcp.answered_mss() >= LEAST_MSS,
        "the kernel takes no MSS below 88 B",
        "write \
        88 B or more",
    );
    need(
        "initial_ssthresh",
        *initial_ssthresh == Limit::Unlimited,
        "the kernel's slow start begins without one",
        linux,
    );
    let known = matches!(receive_window, Limit::Packets(_) | Limit::Bytes(_) | Limit::Unlimited);
    need(
        "receive_window",
        known && tcp.window_bytes() >= 1152,
        "the kernel's least window is 1152 \
        B",
        "write \
        more",
    );
    need(
        "handshake",
        *handshake,
        "the kernel opens connections with one",
        "write handshake = true",
    );
    need(
        "clock",
        *clock == kernel.clock,
        "the kernel's timestamps are in milliseconds",
        "write \
        clock = \"1 ms\"",
    );
    need(
        "sack",
        *sack || *recovery != Recovery::Sack,
        "without SACK the kernel recovers as NewReno",
        "write recovery = \"newreno\"",
    );
    let recovers = "the kernel recovers by SACK, or without it as NewReno";
    need(
        "recovery",
        matches!(recovery, Recovery::Sack | Recovery::Newreno),
        recovers,
        "write \
        recovery = \"sack\"",
    );
    let echoes = !matches!(ecn, Ecn::PerPacket | Ecn::L4s);
    need(
        "ecn",
        echoes,
        "the kernel has ECN of RFC 3168, DCTCP's and accurate ECN",
        "write ecn = \
        \"rfc3168\"",
    );
    let delays = each || *delayed_ack_timeout == kernel.delayed_ack_timeout;
    need("delayed_ack_timeout", delays, "the kernel delays an acknowledgement by 40 ms", linux);
    let quick = each || *quick_acks == kernel.quick_acks;
    need(
        "quick_acks",
        quick,
        "the kernel acknowledges 16 segments at once",
        "write quick_acks = \
        16",
    );
    // Without SACK the kernel, too, goes by duplicates.
    let rack = *detection == Detection::Rack || (newreno && *detection == Detection::Dupack);
    need("detection", rack, "the kernel detects losses by RACK", "write detection = \"rack\"");
    let dcr = (*dcr_delay, *dcr_in_slow_start, *dcr_at_window);
    let no_dcr = (kernel.dcr_delay, kernel.dcr_in_slow_start, kernel.dcr_at_window);
    need("dcr_delay", dcr == no_dcr, "the kernel has no TCP-DCR", linux);
    let probes = !selective || probe_ack_delay == min_rto;
    need(
        "probe_ack_delay",
        probes,
        "the kernel takes its least timeout for it",
        "give it the \
        value of min_rto",
    );
    let even = !selective || *reduction == Reduction::Prr || implied.meters;
    // A control whose own window holds in a recovery is not reduced by the kernel either.
    need("reduction", even, "the kernel reduces proportionally", "write reduction = \"prr\"");
    need(
        "eifel",
        *eifel || !*timestamps,
        "the kernel does so whenever it has timestamps",
        "write \
        eifel = true",
    );
    need("freeze", !*freeze, "the kernel has no Freeze-TCP", "take another cc");
    let burst = !*pacing || *pacing_quantum == kernel.pacing_quantum;
    need("pacing_quantum", burst, "the kernel's is two segments", "write pacing_quantum = 2");
    need(
        "limited_transmit",
        *limited_transmit,
        "the kernel always does so",
        "write \
        limited_transmit = true",
    );
    if newreno {
        need("partial_ack", *partial_ack == kernel.partial_ack, "the kernel is impatient", linux);
        need("reentry", *reentry == kernel.reentry, "the kernel does not enter again", linux);
        need("exit", *exit == kernel.exit, "the kernel deflates its window", linux);
    }
    need(
        "growth_limit",
        *growth_limit == kernel.growth_limit,
        "the kernel's slow start counts \
        bytes",
        linux,
    );
    let longest = Span::from_secs(1) <= *max_rto && *max_rto <= Span::from_secs(120);
    need(
        "max_rto",
        longest,
        "the kernel's lies between 1 s and 120 s",
        "write max_rto = \"120 s\"",
    );
    let least = millis(*min_rto) > 0
        && *min_rto <= *max_rto
        && min_rto.ps().is_multiple_of(Span::from_ms(1).ps());
    need("min_rto", least, "the kernel's is in whole milliseconds", "write min_rto = \"200 ms\"");
    need(
        "initial_rto",
        *initial_rto == kernel.initial_rto,
        "the kernel's is 1 s",
        "write \
        initial_rto = \"1 s\"",
    );
    need(
        "timer_tick",
        *timer_tick == kernel.timer_tick,
        "the kernel's timers have a tick of their \
        own",
        linux,
    );
    need(
        "send_jitter",
        *send_jitter == Span::ZERO,
        "the kernel sends at once",
        "write send_jitter \
        = \"0 s\"",
    );
    all
}

/// The initial window in segments, if it is a whole number of them.
fn initial_window(tcp: &TcpConfig) -> Option<u32> {
    let segment = tcp.segment_bytes();
    let bytes = tcp.initial_window_for(segment);
    (bytes >= segment && bytes.is_multiple_of(segment)).then(|| (bytes / segment) as u32)
}

fn millis(span: Span) -> u32 {
    (span.ps() / Span::from_ms(1).ps()) as u32
}

fn same(field: &'static str, key: &'static str, value: u64) -> Request {
    Request { field, setting: Setting::Sysctl(key, vec![value], Merge::Same) }
}

/// Settings of both hosts.
fn ask_of_both(tcp: &TcpConfig, out: &mut Vec<Request>) {
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
fn ask_of_sender(tcp: &TcpConfig, window: u32, out: &mut Vec<Request>) {
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
    if tcp.pmtu_discovery.listens() {
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
fn ask_of_receiver(tcp: &TcpConfig, out: &mut Vec<Request>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::units::{Bytes, Packets};
    use serde_json::json;

    fn wished(cc: &str, change: impl Fn(&mut TcpConfig)) -> Result<KernelConfig, Vec<Unsupported>> {
        let mut tcp = TcpConfig { mss: Some(Bytes(1460)), ..TcpConfig::linux() };
        change(&mut tcp);
        let cc = Spec { kind: cc.into(), config: json!({}), source_hash: None };
        kernel_config("a", Ip::V4, &cc, &tcp, Rate::from_mbps(100))
    }

    fn fields(result: Result<KernelConfig, Vec<Unsupported>>) -> Vec<String> {
        result.err().unwrap_or_default().into_iter().map(|r| r.field).collect()
    }

    fn sysctl(asks: &[Request], name: &str) -> Option<Vec<u64>> {
        asks.iter().find_map(|a| match &a.setting {
            Setting::Sysctl(key, value, _) if *key == name => Some(value.clone()),
            _ => None,
        })
    }

    fn metric(asks: &[Request], which: Metric) -> Option<u32> {
        asks.iter().find_map(|a| match a.setting {
            Setting::Metric(m, value) if m == which => Some(value),
            _ => None,
        })
    }

    #[test]
    fn the_profile_linux_is_had_whole_with_every_control_that_the_kernel_has() {
        for name in crate::traffic::kernel_names::NAMES {
            let kernel_config =
                wished(name.ours, |_| {}).unwrap_or_else(|all| panic!("{}: {all:?}", name.ours));
            assert_eq!(kernel_config.connection.control, name.kernel);
            let sack = u64::from(name.ours != "newreno");
            assert_eq!(
                sysctl(&kernel_config.sender, "net.ipv4.tcp_sack"),
                Some(vec![sack]),
                "{}",
                name.ours
            );
            assert_eq!(
                sysctl(&kernel_config.receiver, "net.ipv4.tcp_sack"),
                Some(vec![sack]),
                "{}",
                name.ours
            );
        }
    }

    #[test]
    fn what_can_be_asked_for_is_asked_of_the_end_that_decides_it() {
        let kernel_config = wished("sack", |c| {
            c.initial_window = Packets(3.0);
            c.min_rto = Span::from_ms(300);
            c.probe_ack_delay = c.min_rto;
            c.delayed_ack = DelayedAck::Each;
            c.receive_window = Limit::Packets(Packets(20.0));
            c.restart_after_idle = false;
            c.nagle = true;
            c.peer_mss = Some(Bytes(536));
        })
        .unwrap_or_else(|all| panic!("{all:?}"));
        assert_eq!(metric(&kernel_config.sender, Metric::Initcwnd), Some(3));
        assert_eq!(metric(&kernel_config.sender, Metric::RtoMin), Some(300));
        assert_eq!(metric(&kernel_config.receiver, Metric::Quickack), Some(1));
        assert_eq!(
            sysctl(&kernel_config.sender, "net.ipv4.tcp_slow_start_after_idle"),
            Some(vec![0])
        );
        let c = kernel_config.connection;
        assert_eq!((c.sender.mss, c.receiver.mss, c.segment), (Some(1460), Some(536), 524));
        assert_eq!((c.receiver.window, c.nagle), (Some(20 * 524), true));
    }

    #[test]
    fn marks_are_offered_by_the_sender_and_taken_up_by_the_receiver() {
        let kernel_config = wished("dctcp", |_| {}).unwrap_or_else(|all| panic!("{all:?}"));
        assert!(kernel_config.sender.iter().any(|a| a.setting == Setting::Offer(EcnMode::Classic)));
        assert!(
            kernel_config.receiver.iter().any(|a| a.setting == Setting::Accept(EcnMode::Classic))
        );
        assert_eq!(fields(wished("cubic", |c| c.ecn = Ecn::L4s)), ["tcp.ecn"]);
    }

    #[test]
    fn what_the_kernel_has_otherwise_is_refused_by_its_field() {
        assert_eq!(fields(wished("reno", |_| {})), ["cc"]);
        assert_eq!(fields(wished("tahoe", |c| c.handshake = false)), ["cc", "tcp.handshake"]);
        assert_eq!(fields(wished("cubic", |c| c.detection = Detection::Dupack)), ["tcp.detection"]);
        assert_eq!(
            fields(wished("cubic", |c| c.reduction = Reduction::Rfc6675)),
            ["tcp.reduction"]
        );
        assert_eq!(
            fields(wished("cubic", |c| c.send_jitter = Span::from_us(1))),
            ["tcp.send_jitter"]
        );
        assert_eq!(
            fields(wished("cubic", |c| c.initial_window_bytes = Limit::Bytes(Bytes(5000)))),
            ["tcp.initial_window"]
        );
        // The profile of ns-2 is another machine altogether; each field says so.
        let all = fields(wished("newreno", |c| *c = TcpConfig { mss: c.mss, ..TcpConfig::ns2() }));
        for field in ["tcp.handshake", "tcp.clock", "tcp.initial_rto", "tcp.reentry", "tcp.exit"] {
            assert!(all.iter().any(|f| f == field), "{field}: {all:?}");
        }
    }
}
