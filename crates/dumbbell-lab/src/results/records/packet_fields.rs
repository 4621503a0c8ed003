//! A packet in words and numbers that other tools use, too.
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::transport::segment::{Extra, Segment, TS_UNIT_SHIFT, flag, widen};
use dumbbell_core::units::Time;
use dumbbell_plan::{Flow, Transport};
use std::fmt::Write;

/// The end that sent it.
pub fn from(data: bool) -> &'static str {
    if data { "sender" } else { "receiver" }
}

/// The codepoint that a socket's packet leaves with: a dummy is of the lower-effort class (RFC
/// 8622), a segment may have one from its congestion control.
pub fn dscp(flow: &Flow, extra: Option<&Extra>) -> Dscp {
    match extra {
        Some(x) if x.dummy => Dscp(1),
        Some(x) => x.color().unwrap_or(flow.dscp),
        None => flow.dscp,
    }
}

/// The ECN field.
pub fn ecn(e: Ecn) -> &'static str {
    match e {
        Ecn::NotEct => "not_ect",
        Ecn::Ect1 => "ect1",
        Ecn::Ect0 => "ect0",
        Ecn::Ce => "ce",
    }
}

/// The flags as tcpdump writes them: S, F, P (PSH), E (ECE), W (CWR), and a point for an
/// acknowledgment. Everything of a TCP but the first SYN acknowledges. `data`: of the sender.
pub fn flags(bits: u8, data: bool) -> &'static str {
    const PUSHED: [&str; 4] = ["P.", "FP.", "PW.", "FPW."];
    const WORDS: [&str; 16] = [
        ".", "S", "F.", "SF", "E.", "SE", "FE.", "SFE", "W.", "SW", "FW.", "SFW", "EW.", "SEW",
        "FEW.", "SFEW",
    ];
    const ANSWERS: [&str; 2] = ["S.", "SE."];
    let index = usize::from(bits & flag::SYN != 0)
        | usize::from(bits & flag::FIN != 0) << 1
        | usize::from(bits & flag::ECE != 0) << 2
        | usize::from(bits & flag::CWR != 0) << 3;
    match bits {
        b if b & flag::UDP != 0 => "",
        b if data && b & (flag::SYN | flag::PSH) == flag::PSH => {
            PUSHED[usize::from(b & flag::FIN != 0) | usize::from(b & flag::CWR != 0) << 1]
        }
        b if b & (flag::SYN | flag::ACK) == flag::SYN | flag::ACK => {
            ANSWERS[usize::from(b & flag::ECE != 0)]
        }
        _ => WORDS[index],
    }
}

/// Payload of a packet, bytes: what is left of it without headers and options.
pub fn payload(flow: &Flow, data: bool, s: &Segment) -> u64 {
    let header = match &flow.transport {
        Transport::Udp { header, .. } => u64::from(*header),
        Transport::Quic { quic, .. } => quic.header.0,
        Transport::Scream { scream } => scream.header.0,
        // A kernel's data acknowledge, too: what has no payload has no byte beyond its headers.
        Transport::Tcp { .. } if !data || s.flags & flag::SYN != 0 => return 0,
        Transport::Tcp { tcp, .. } => tcp.header.0 + tcp.option_bytes(),
    };
    u64::from(s.ip_len).saturating_sub(header)
}

/// The options that only some packets carry, as tcpdump writes them: those of a SYN, and SACK
/// blocks.
pub fn options(s: &Segment, x: &Extra, near: u64) -> String {
    let mut text = String::new();
    if s.flags & flag::SYN != 0 {
        let syn = x.syn();
        let _ = write!(text, "mss {}", syn.mss); // Into a string: it cannot fail.
        if syn.sack_permitted {
            text.push_str(",sackOK");
        }
        if syn.timestamps {
            text.push_str(",TS");
        }
        if syn.window_scale != 255 {
            let _ = write!(text, ",wscale {}", syn.window_scale);
        }
    }
    for (i, (from, to)) in x.blocks().iter().enumerate() {
        let head = if i == 0 { "sack " } else { " " };
        let _ = write!(text, "{head}{}-{}", widen(*from, near), widen(*to, near));
    }
    text
}

/// The instant, ps, whose timestamp is `word`, before `now` by less than 70 s.
pub fn widen_clock(word: u32, now: Time) -> u64 {
    widen(word, now.ps() >> TS_UNIT_SHIFT) << TS_UNIT_SHIFT
}
