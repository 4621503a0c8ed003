//! The link behind a kernel's queue, and the packets that come to it. A packet bears its number
//! where forwarding leaves it alone: in the identification of its IP header and, as there is nobody
//! who checks it, in the checksum of its UDP header.
use crate::between::{Accepted, Between};
use crate::orders::ns;
use dumbbell_core::packet::{Ecn, Framing};
use dumbbell_core::units::{Span, Time, Transmitter};
use dumbbell_net::Arrival;
use dumbbell_plan::Link;
use std::io;

/// The shortest packet: IP and UDP headers.
pub const LEAST_BYTES: u32 = (IP + UDP) as u32;
/// The longest packet: the device's.
pub const MOST_BYTES: u32 = 1500;
/// Flows that addresses tell apart.
pub const MOST_FLOWS: u32 = 1 << 16;

const ETHERNET: usize = 14;
const IP: usize = 20;
const UDP: usize = 8;
const IPV4: [u8; 2] = [8, 0];
/// Frames that fill the device up: it keeps them, so that it has room for one packet.
const FILL: [u8; 2] = [0x88, 0xb6];
/// Flow 0 comes from this address, flow 1 from the next.
const FROM: u32 = 0x0a01_0000;
const TO: [u8; 4] = [10, 2, 0, 1];
const FROM_PORT: u16 = 5000;
const TO_PORT: u16 = 5001;
const TTL: u8 = 64;

/// What became of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// When it reached the queue.
    pub entered: Time,
    /// When its last bit left; `None`: it was dropped.
    pub left: Option<Time>,
    /// When that was at the far end.
    pub arrived: Option<Time>,
    /// True if it left with a mark that it had not come with.
    pub marked: bool,
    /// How often it left.
    pub copies: u32,
}

/// The link and its packets.
pub struct KernelLink<'a> {
    arrivals: &'a [Arrival],
    fates: Vec<Fate>,
    /// The next to arrive.
    next: usize,
    due: Vec<usize>,
    clock: Transmitter,
    framing: Framing,
    delay: Span,
    /// When the transmitter has sent what it has.
    free_at: Time,
    zero_ns: u64,
    /// Why the fates cannot be trusted.
    fault: Option<String>,
}

impl<'a> KernelLink<'a> {
    /// A link that sends nothing before `zero_ns` of the guest's clock.
    pub fn new(link: &Link, arrivals: &'a [Arrival], zero_ns: u64) -> Self {
        KernelLink {
            arrivals,
            fates: vec![Fate::default(); arrivals.len()],
            next: 0,
            due: vec![],
            clock: Transmitter::new(link.rate),
            framing: link.framing(),
            delay: link.delay,
            free_at: Time::ZERO,
            zero_ns,
            fault: None,
        }
    }

    fn ns(&self, t: Time) -> u64 {
        self.zero_ns + ns(t)
    }

    /// Why the fates cannot be trusted; `None`: they can.
    pub fn fault(&self) -> Option<String> {
        self.fault.clone()
    }

    /// The fates of all packets.
    pub fn fates(self) -> Vec<Fate> {
        self.fates
    }

    /// A packet leaves the queue at `now_ns`, and has left the link at the result.
    fn depart(&mut self, number: usize, packet: &[u8], now_ns: u64) -> io::Result<u64> {
        if now_ns < self.ns(self.free_at) {
            return Err(io::Error::other("the device took a packet while it was sending another"));
        }
        // The kernel's clock has whole nanoseconds; the transmitter goes on without a pause.
        let start = match now_ns == self.ns(self.free_at) {
            true => self.free_at,
            false => Time::from_ps((now_ns - self.zero_ns) * 1000),
        };
        let bytes = self.framing.wire_len(u32::from(u16::from_be_bytes([packet[2], packet[3]])));
        self.free_at = start + self.clock.span(bytes);
        let fate = &mut self.fates[number];
        fate.copies += 1;
        if fate.left.is_none() {
            fate.left = Some(self.free_at);
            fate.arrived = Some(self.free_at + self.delay);
            fate.marked = packet[1] & 3 == 3 && self.arrivals[number].ecn != Ecn::Ce;
        }
        Ok(self.ns(self.free_at))
    }
}

impl Between for KernelLink<'_> {
    type Packet = usize;

    fn share(&self, _: u64) -> f64 {
        self.next as f64 / self.arrivals.len().max(1) as f64
    }

    fn send(&mut self, _: usize, frame: &[u8], now_ns: u64) -> io::Result<Accepted> {
        let kind = frame.get(12..ETHERNET).unwrap_or_default();
        if kind == FILL {
            return Ok(Accepted { done: None, awaited: false });
        }
        let number = (kind == IPV4).then(|| number(&frame[ETHERNET..])).flatten();
        let known = number.filter(|n| *n < self.next && now_ns >= self.zero_ns);
        let done = match known {
            Some(number) => self.depart(number, &frame[ETHERNET..], now_ns)?,
            None => {
                self.fault = Some("the kernel sent a frame that it had not been given".into());
                now_ns
            }
        };
        Ok(Accepted { done: Some(done), awaited: true })
    }

    fn next(&self) -> Option<u64> {
        self.arrivals.get(self.next).map(|a| self.ns(a.at))
    }

    fn advance(&mut self, now_ns: u64) {
        while let Some(arrival) = self.arrivals.get(self.next)
            && self.ns(arrival.at) <= now_ns
        {
            self.fates[self.next].entered = Time::from_ps(ns(arrival.at) * 1000);
            self.due.push(self.next);
            self.next += 1;
        }
    }

    fn outgoing(&mut self) -> Vec<(u64, usize)> {
        let at = |number: &usize| self.ns(self.arrivals[*number].at);
        let due: Vec<(u64, usize)> = self.due.iter().map(|n| (at(n), *n)).collect();
        self.due.clear();
        due
    }

    fn nic(&self, _: &usize) -> usize {
        1
    }

    fn frame(&mut self, number: &usize, mac: [u8; 6]) -> Option<Vec<u8>> {
        Some([&mac[..], &mac, &IPV4, &packet(&self.arrivals[*number], *number as u32)].concat())
    }

    fn delivered(
        &mut self,
        number: &usize,
        _frame: Option<&[u8]>,
        refused: bool,
    ) -> io::Result<()> {
        match refused {
            true => Err(io::Error::other(format!(
                "the kernel had no room for arrival {number}: too many come at one instant"
            ))),
            false => Ok(()),
        }
    }
}

/// The bits of an ECN field.
fn bits(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    }
}

/// A datagram with a number.
fn packet(of: &Arrival, number: u32) -> Vec<u8> {
    let len = of.ip_len.max(LEAST_BYTES as u16);
    let [high, low] = [(number >> 16) as u16, number as u16];
    let mut ip = vec![0x45, of.dscp.0 << 2 | bits(of.ecn)];
    ip.extend_from_slice(&len.to_be_bytes());
    ip.extend_from_slice(&high.to_be_bytes());
    ip.extend_from_slice(&[0, 0, TTL, libc::IPPROTO_UDP as u8, 0, 0]);
    ip.extend_from_slice(&(FROM + of.flow).to_be_bytes());
    ip.extend_from_slice(&TO);
    let sum: u32 = ip.chunks(2).map(|b| u32::from(u16::from_be_bytes([b[0], b[1]]))).sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    let sum = !(((folded & 0xffff) + (folded >> 16)) as u16);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    for word in [FROM_PORT, TO_PORT, len - IP as u16, low] {
        ip.extend_from_slice(&word.to_be_bytes());
    }
    ip.resize(usize::from(len), 0);
    ip
}

/// The number of a datagram.
fn number(packet: &[u8]) -> Option<usize> {
    let word =
        |at: usize| packet.get(at..at + 2).map(|b| usize::from(b[0]) << 8 | usize::from(b[1]));
    Some(word(4)? << 16 | word(IP + 6)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::packet::Dscp;

    #[test]
    fn a_packet_bears_its_number_and_a_right_checksum() {
        let of = Arrival { at: Time::ZERO, ip_len: 28, ecn: Ecn::Ect0, dscp: Dscp(46), flow: 70 };
        for n in [0, 1, 65_535, 65_536, 4_000_000_000] {
            let packet = packet(&of, n);
            assert_eq!((packet.len(), number(&packet)), (28, Some(n as usize)));
            let words = packet[..IP].chunks(2).map(|b| u64::from(u16::from_be_bytes([b[0], b[1]])));
            assert_eq!(words.sum::<u64>() % 0xffff, 0, "the sum of a header with its checksum");
            assert_eq!((packet[1], &packet[12..16]), (46 << 2 | 2, &[10, 1, 0, 70][..]));
        }
    }
}
