//! The fields of a `TcpConfig` that the kernel has in one way only, or not at all.
use super::requests::millis;
use crate::traffic::host_settings::Unsupported;
use dumbbell_core::transport::TcpOverrides;
use dumbbell_core::units::{Limit, Span};
use dumbbell_plan::Ip;
use dumbbell_tcp::{DelayedAck, Detection, Ecn, Recovery, Reduction, TcpConfig};

/// The least MSS (TCP_MIN_MSS of the kernel).
const LEAST_MSS: u64 = 88;

/// The fields that the kernel cannot have as `tcp` wants them. All fields are named, so that none
/// can be forgotten.
pub(super) fn unsupported(
    flow: &str,
    ip: Ip,
    implied: TcpOverrides,
    tcp: &TcpConfig,
) -> Vec<Unsupported> {
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
        initial_rto, timer_tick, timer_wheel, send_jitter, rto_above_srtt, reduces_window,
        prr_without_sack, push, compressed_sacks,
        growth_by_delivered, rack_by_echo, recovers_again, unpaced_start, pacing_credit,
        rto_by_peak, rtt_samples, ecn_holds_window,
        whole_segments, tuned_send_buffer, limited_for_a_round,
        // Of Reno, which it has not.
        reno_reentry: _,
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
        "the kernel measures round-trip times in microseconds",
        "write \
        clock = \"1 us\"",
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
    need("delayed_ack_timeout", delays, "the kernel delays an acknowledgment by 40 ms", linux);
    let quick = each || *quick_acks == kernel.quick_acks;
    need("quick_acks", quick, "the kernel acknowledges 17 segments at once", linux);
    need(
        "timer_wheel",
        *timer_wheel == kernel.timer_wheel,
        "the kernel's long timers have coarse ticks",
        linux,
    );
    need("push", *push == kernel.push, "the kernel's bursts end with PSH", linux);
    need(
        "compressed_sacks",
        each || *compressed_sacks == kernel.compressed_sacks,
        "the kernel compresses selective acknowledgments",
        linux,
    );
    need(
        "growth_by_delivered",
        *growth_by_delivered == kernel.growth_by_delivered,
        "the kernel's windows grow by what is delivered",
        linux,
    );
    need(
        "rack_by_echo",
        newreno || *rack_by_echo == kernel.rack_by_echo,
        "the kernel's RACK goes without the echo",
        linux,
    );
    need(
        "recovers_again",
        newreno || *recovers_again == kernel.recovers_again,
        "the kernel recovers once more from what a recovery has found lost",
        linux,
    );
    let spacing = (*unpaced_start, *pacing_credit);
    need(
        "unpaced_start",
        spacing == (kernel.unpaced_start, kernel.pacing_credit),
        "the kernel paces in one way only",
        linux,
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
    need(
        "rto_above_srtt",
        *rto_above_srtt == kernel.rto_above_srtt,
        "the kernel's timeout is above the smoothed round-trip time",
        linux,
    );
    need(
        "reduces_window",
        *reduces_window == kernel.reduces_window,
        "the kernel reduces its window, whatever is in flight",
        linux,
    );
    need(
        "rto_by_peak",
        *rto_by_peak == kernel.rto_by_peak,
        "the kernel's timeout goes by the largest deviation of a round trip",
        linux,
    );
    need(
        "rtt_samples",
        *rtt_samples == kernel.rtt_samples,
        "the kernel measures round-trip times by segments",
        linux,
    );
    need(
        "ecn_holds_window",
        *ecn_holds_window == kernel.ecn_holds_window,
        "the kernel's window does not grow in the round trip after an ECN echo",
        linux,
    );
    need(
        "whole_segments",
        *whole_segments == kernel.whole_segments,
        "the kernel's window counts segments",
        linux,
    );
    need(
        "tuned_send_buffer",
        *tuned_send_buffer == kernel.tuned_send_buffer,
        "the kernel tunes its send buffer to the window",
        linux,
    );
    need(
        "limited_for_a_round",
        *limited_for_a_round == kernel.limited_for_a_round,
        "the kernel's window counts as what limits it for a round trip",
        linux,
    );
    if newreno {
        need(
            "prr_without_sack",
            *prr_without_sack == kernel.prr_without_sack,
            "the kernel reduces proportionally without SACK, too",
            linux,
        );
        need(
            "partial_ack",
            *partial_ack == kernel.partial_ack,
            "the kernel is slow but steady",
            linux,
        );
        need("reentry", *reentry == kernel.reentry, "the kernel does not enter again", linux);
        need("exit", *exit == kernel.exit, "the kernel deflates its window", linux);
    }
    need(
        "growth_limit",
        *growth_limit == kernel.growth_limit,
        "the kernel's slow start grows by all that is acknowledged",
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
