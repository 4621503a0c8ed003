//! A recorded packet as it would lie on a wire.
use crate::export::capture_point::CapturedPacket;
use crate::export::packet_rows::Packet;
use crate::formats::address;
use dumbbell_plan::{Plan, Transport};
use dumbbell_wire::frame::{self, Ip, Options, Tcp, flag};

/// Time to live of what a host sends (RFC 1700's recommendation, and Linux's).
const TTL: u8 = 64;
/// Clock ticks of flows whose clock is exact: RFC 7323 wants a clock of no less than this to be
/// useful.
const MICROSECOND: u64 = 1_000_000;
/// Timestamps are recorded to this many picoseconds, downwards.
const TS_UNIT: u64 = (1 << dumbbell_core::transport::segment::TS_UNIT_SHIFT) - 1;
/// The window field holds no more.
const WINDOW: u64 = 65_535;
/// Bytes of an IPv4 and a TCP header without options, and of an IPv4 and a UDP header.
const HEADERS: (u64, u64) = (40, 28);

/// The window scales of a connection, from its SYNs.
#[derive(Clone, Copy, Default)]
struct Shift {
    /// Of each side's windows: the receiver's, the sender's.
    by: [u8; 2],
}

/// Writes packets of a plan.
pub struct Wire<'p> {
    plan: &'p Plan,
    shifts: Vec<Shift>,
    /// True if a packet's length on the wire is not that of the simulation.
    pub stretched: bool,
    options: Vec<u8>,
}

impl<'p> Wire<'p> {
    /// For a plan.
    pub fn new(plan: &'p Plan) -> Self {
        Wire {
            plan,
            shifts: vec![Shift::default(); plan.flows.len()],
            stretched: false,
            options: Vec::new(),
        }
    }

    /// Learns what a SYN says; each side's come before its other packets.
    pub fn learn(&mut self, p: &Packet) {
        if p.flags.starts_with('S') {
            let shift = parse(&p.options).window_scale.unwrap_or(0);
            self.shifts[p.name.0].by[usize::from(p.name.1)] = shift;
        }
    }

    /// Writes the headers of a packet as it was seen; returns the length of the whole frame.
    pub fn write(&mut self, p: &Packet, seen: &CapturedPacket, out: &mut Vec<u8>) -> usize {
        let flow = &self.plan.flows[p.name.0];
        let (near, far) = address::ports(p.name.0);
        let ((source, target), (from, to)) = if p.name.1 {
            ((flow.from, flow.to), (near, far))
        } else {
            ((flow.to, flow.from), (far, near))
        };
        let mut ip = Ip {
            from: address::host(source),
            to: address::host(target),
            id: p.name.2 as u16,
            ttl: TTL.saturating_sub(u8::try_from(seen.routers).unwrap_or(u8::MAX)).max(1),
            dscp: seen.dscp,
            ecn: if seen.marked { 3 } else { p.ecn },
            padding: 0,
        };
        let payload = usize::try_from(p.payload).unwrap_or(usize::MAX).min(65_000);
        let Transport::Tcp { tcp, .. } = &flow.transport else {
            self.pad(&mut ip, HEADERS.1 + p.payload, p.ip_len);
            frame::ethernet(frame::ether_type::V4, ip.from, ip.to, out);
            return frame::ETHERNET + frame::udp(&ip, from, to, payload, out);
        };
        let clock = if tcp.clock.ps() == 0 { MICROSECOND } else { tcp.clock.ps() };
        let mut options = parse(&p.options);
        options.timestamps = p.ts.map(|(val, ecr)| (ticks(val, clock), ticks(ecr, clock)));
        self.options.clear();
        options.write(&mut self.options);
        self.pad(&mut ip, HEADERS.0 + self.options.len() as u64 + p.payload, p.ip_len);
        let syn = p.flags.starts_with('S');
        let shift = if syn { 0 } else { self.shifts[p.name.0].by[usize::from(p.name.1)] };
        let t = Tcp {
            from,
            to,
            // Sequence numbers begin at 0, so that they are the offsets that every record speaks
            // of.
            seq: p.seq.unwrap_or(0) as u32,
            ack: p.ack.unwrap_or(0) as u32,
            flags: bits(&p.flags, payload),
            window: (p.window >> shift).min(WINDOW) as u16,
            options: &self.options,
        };
        frame::ethernet(frame::ether_type::V4, ip.from, ip.to, out);
        frame::ETHERNET + frame::tcp(&ip, &t, payload, out)
    }

    /// IP options that make up for a header that is longer than IPv4's and TCP's; there need not be
    /// any that do.
    fn pad(&mut self, ip: &mut Ip, length: u64, wanted: u64) {
        match wanted.checked_sub(length) {
            Some(more) if more % 4 == 0 && more <= 40 => ip.padding = more as usize,
            _ => self.stretched = true,
        }
    }
}

/// A clock's ticks; it counts the instants that it was recorded for, which were cut to units of
/// 16.4 ns.
fn ticks(ps: u64, clock: u64) -> u32 {
    ((ps + TS_UNIT) / clock) as u32
}

fn bits(flags: &str, payload: usize) -> u8 {
    let of = |c: char| match c {
        'S' => flag::SYN,
        'F' if payload > 0 => flag::FIN | flag::PSH,
        'F' => flag::FIN,
        'P' => flag::PSH,
        'E' => flag::ECE,
        'W' => flag::CWR,
        '.' => flag::ACK,
        _ => 0,
    };
    flags.chars().map(of).fold(0, |all, bit| all | bit)
}

/// Options as they are written in `packets.parquet`, but for timestamps.
fn parse(text: &str) -> Options {
    let mut options = Options::default();
    if let Some(blocks) = text.strip_prefix("sack ") {
        let edges = blocks.split(' ').filter_map(|b| b.split_once('-'));
        let block = |(a, b): (&str, &str)| {
            Some((a.parse::<u64>().ok()? as u32, b.parse::<u64>().ok()? as u32))
        };
        options.sack = edges.filter_map(block).take(4).collect();
        return options;
    }
    for word in text.split(',') {
        match word.split_once(' ') {
            Some(("mss", n)) => options.mss = n.parse().ok(),
            Some(("wscale", n)) => options.window_scale = n.parse().ok(),
            _ => options.sack_permitted |= word == "sackOK",
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_in_words() {
        let syn = parse("mss 1460,sackOK,TS,wscale 7");
        assert_eq!((syn.mss, syn.sack_permitted, syn.window_scale), (Some(1460), true, Some(7)));
        assert_eq!(parse("sack 1-5 4294967297-4294967300").sack, [(1, 5), (1, 4)]);
        assert_eq!(parse(""), Options::default());
    }

    /// 35 ms, cut to units of 16.384 ns, is still 35 ticks of a millisecond.
    #[test]
    fn a_cut_instant_is_its_own_tick() {
        const MS: u64 = 1_000_000_000;
        for k in [0, 1, 35, 59_953] {
            let cut = (k * MS) & !TS_UNIT;
            assert_eq!(u64::from(ticks(cut, MS)), k);
            assert_eq!(u64::from(ticks(cut + MS / 2, MS)), k);
        }
    }

    #[test]
    fn flags_in_words() {
        assert_eq!(bits("SEW", 0), flag::SYN | flag::ECE | flag::CWR);
        assert_eq!(bits("FE.", 0), flag::FIN | flag::ECE | flag::ACK);
        assert_eq!(bits("PW.", 1448), flag::PSH | flag::CWR | flag::ACK);
    }
}
