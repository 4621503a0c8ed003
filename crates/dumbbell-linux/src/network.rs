//! The network between the guests' devices: the simulator's, fed with what devices send, in virtual
//! time. Each packet that comes in or goes out is written to the run's log.
use crate::between::{Accepted, Between};
use crate::orders::ns;
use dumbbell_core::catalogue::Fault;
use dumbbell_core::plugin::Plugins;
use dumbbell_core::transport::segment::flag;
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_emu::live;
use dumbbell_emu::live::host_map::HostMap;
use dumbbell_emu::log::{Record, Totals, Writer, captured_bytes};
use dumbbell_emu::packet::classify::Classifier;
use dumbbell_emu::router::codec::{PacketCodec, Rejected};
use dumbbell_emu::router::forward::make_packet;
use dumbbell_emu::router::ip_codec::IpCodec;
use dumbbell_emu::router::log_ring::Capture;
use dumbbell_emu::router::slab::Slab;
use dumbbell_net::{Incoming, Outgoing, Relay};
use dumbbell_plan::{Link, Plan};
use std::io::{self, Write};

/// An IPv4 packet, in an Ethernet header.
const IPV4: [u8; 2] = [8, 0];
/// Bytes of an Ethernet header.
const ETHERNET: usize = 14;
/// Memory for the packets that are on their way.
const MEMORY: usize = 1 << 30;

/// The first link of a host's packets, as its network card: how long a frame takes.
#[derive(Clone, Copy)]
struct Card {
    rate: Rate,
    framing: dumbbell_core::packet::Framing,
}

impl Card {
    /// The card at `link`; `None`: a queue is there, which takes what comes at once.
    fn of(link: &Link) -> Option<Card> {
        let plain = link.aqm.kind == "drop_tail"
            && link.capacity == dumbbell_core::units::Capacity::Unlimited
            && link.service.is_none()
            && link.host.is_none();
        plain.then(|| Card { rate: link.rate, framing: link.framing() })
    }
}

/// The network of a plan, at instants of the guests' clock.
pub struct Network<'a> {
    relay: Relay,
    codec: IpCodec,
    slab: Slab,
    log: Writer<Box<dyn Write + Send + 'a>>,
    zero_ns: u64,
    end: Time,
    /// The network has reached this.
    now: Time,
    nic_of: Vec<u16>,
    /// The card of each socket's packets.
    cards: Vec<Option<Card>>,
    /// When each NIC has sent all that it has.
    free_at: Vec<Time>,
    scratch: Vec<u8>,
    /// The packets whose bytes are in the log.
    capture: Option<Capture>,
    /// Frames that are no packets of the run: number, and what the first was.
    pub strangers: (u64, Option<String>),
}

impl<'a> Network<'a> {
    /// The network of a plan, whose zero is `zero_ns` of the guests' clock.
    ///
    /// # Errors
    /// A part of the plan cannot be built.
    pub fn new(
        plan: &Plan,
        plugins: &Plugins,
        (hosts, classifier): (&HostMap, Classifier),
        log: Writer<Box<dyn Write + Send + 'a>>,
        zero_ns: u64,
    ) -> Result<Network<'a>, Fault> {
        let card = |links: &[usize]| links.first().and_then(|l| Card::of(&plan.links[*l]));
        let cards = plan.flows.iter().flat_map(|f| [card(&f.forward), card(&f.back)]).collect();
        Ok(Network {
            relay: Relay::new(plan, plugins)?,
            codec: IpCodec::new(classifier),
            slab: Slab::new(usize::from(u16::MAX), MEMORY, 16),
            log,
            zero_ns,
            end: Time::ZERO + plan.duration,
            now: Time::ZERO,
            nic_of: hosts.nic_of_sockets(plan),
            cards,
            free_at: vec![Time::ZERO; hosts.nodes().len()],
            scratch: Vec::new(),
            capture: live::capture(plan),
            strangers: (0, None),
        })
    }

    /// The instant of a nanosecond of the guests' clock; `None` before the run's zero.
    fn time(&self, ns: u64) -> Option<Time> {
        ns.checked_sub(self.zero_ns).map(|ns| Time::from_ps(ns.saturating_mul(1000)))
    }

    /// How much of the run has passed at a nanosecond of the guests' clock.
    pub fn passed(&self, ns: u64) -> Span {
        self.time(ns).unwrap_or(Time::ZERO).min(self.end).since(Time::ZERO)
    }

    /// The nanosecond of an instant of the run.
    pub fn ns(&self, t: Time) -> u64 {
        self.zero_ns.saturating_add(ns(t))
    }

    /// How far the run is at a nanosecond of the guests' clock.
    pub fn share(&self, ns: u64) -> f64 {
        self.time(ns).map_or(0.0, |t| (t.seconds() / self.end.seconds()).min(1.0))
    }

    /// A device sends a frame at `now_ns`.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn send(&mut self, nic: usize, frame: &[u8], now_ns: u64) -> io::Result<Accepted> {
        let at_once = Accepted { done: Some(now_ns), awaited: false };
        let Some(t) = self.time(now_ns).filter(|t| *t <= self.end) else { return Ok(at_once) };
        let packet = match frame.get(ETHERNET..) {
            Some(packet) if frame[12..ETHERNET] == IPV4 => packet,
            _ => {
                self.stranger("a frame without an IPv4 packet");
                return Ok(at_once);
            }
        };
        let info = match self.codec.parse(nic, packet) {
            Ok(info) => info,
            Err(rejected) => {
                self.stranger(&describe(&rejected));
                return Ok(at_once);
            }
        };
        let slot = self
            .slab
            .take()
            .ok_or_else(|| io::Error::other("more than 1 GiB of packets are on their way"))?;
        self.slab.buffer(slot)[..packet.len()].copy_from_slice(packet);
        let number = self.slab.enter(slot, packet.len() as u16);
        let incoming = Incoming {
            socket: info.socket,
            number,
            ip_len: packet.len() as u16,
            payload: info.payload,
            ecn: info.ecn,
            dscp: info.dscp,
            seq: info.seq,
            flags: info.flags,
        };
        self.now = self.now.max(t);
        self.relay.send(self.now, incoming, &mut ());
        self.keep(incoming.socket, packet)?;
        self.log.push(&Record::In { t: self.now, packet: incoming }.encode())?;
        // A kernel does not send again what its device still holds; an acknowledgment it never
        // does.
        let awaited = info.payload > 0 || info.flags & (flag::SYN | flag::FIN) != 0;
        let Some(card) = self.cards[info.socket as usize] else {
            return Ok(Accepted { awaited, ..at_once });
        };
        let bytes = card.framing.wire_len(packet.len() as u32);
        let free_at = &mut self.free_at[nic];
        *free_at = (*free_at).max(t) + card.rate.span_of(u64::from(bytes));
        let done = *free_at;
        Ok(Accepted { done: Some(self.ns(done)), awaited })
    }

    fn stranger(&mut self, what: &str) {
        self.strangers.0 += 1;
        self.strangers.1.get_or_insert_with(|| what.into());
    }

    /// The nanosecond at which something may come out that is not known yet; `None`: never.
    pub fn next(&self) -> Option<u64> {
        self.relay.next().map(|t| self.ns(t))
    }

    /// Everything happens that is due by `now_ns`.
    pub fn advance(&mut self, now_ns: u64) {
        let Some(t) = self.time(now_ns) else { return };
        // What is due at the instant itself happens before anything that comes then.
        self.now = self.now.max((t + Span::from_ps(1)).min(self.end));
        self.relay.run_until(self.now, &mut ());
    }

    /// Takes the packets that will come out: when, and what.
    pub fn outgoing(&mut self) -> Vec<(u64, Outgoing)> {
        let known: Vec<Outgoing> = self.relay.outgoing().collect();
        let mut out = Vec::with_capacity(known.len());
        for packet in known {
            if self.slab.add_pending(packet.number) {
                out.push((self.ns(packet.at), packet));
            }
        }
        for number in self.relay.gone() {
            self.slab.gone(number);
        }
        out
    }

    /// The NIC that gets a packet.
    pub fn nic(&self, out: &Outgoing) -> usize {
        usize::from(self.nic_of[out.socket as usize])
    }

    /// Builds the frame of a packet for a device with this address; `None`: nothing of it is to be
    /// delivered.
    pub fn frame(&mut self, out: &Outgoing, mac: [u8; 6]) -> Option<Vec<u8>> {
        let packet = self.slab.packet(out.number)?;
        let whole = out.fragment.is_none() && !out.damaged && out.icmp_error.is_none();
        let bytes: &[u8] = if whole {
            self.codec.mark(packet, out.ecn, out.dscp);
            packet
        } else if make_packet(&mut self.codec, packet, out, &mut self.scratch) {
            &self.scratch
        } else {
            return None;
        };
        let mut frame = Vec::with_capacity(ETHERNET + bytes.len());
        frame.extend_from_slice(&mac);
        frame.extend_from_slice(&mac);
        frame.extend_from_slice(&IPV4);
        frame.extend_from_slice(bytes);
        Some(frame)
    }

    /// Writes the bytes of a packet of `socket` to the log, if they are captured.
    fn keep(&mut self, socket: u32, packet: &[u8]) -> io::Result<()> {
        let kept = self.capture.as_ref().and_then(|capture| capture.kept(socket, packet));
        kept.map_or(Ok(()), |kept| {
            captured_bytes::encode(kept).try_for_each(|entry| self.log.push(&entry))
        })
    }

    /// A packet has been delivered in `frame`, or was refused.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn delivered(
        &mut self,
        out: &Outgoing,
        frame: Option<&[u8]>,
        refused: bool,
    ) -> io::Result<()> {
        if let Some(packet) = frame.and_then(|frame| frame.get(ETHERNET..)) {
            self.keep(out.socket, packet)?;
        }
        self.log.push(&Record::Out { out: *out, late: 0, refused }.encode())?;
        self.slab.written(out.number);
        Ok(())
    }

    /// The run is over: the log is whole.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> io::Result<Totals> {
        Ok(self.log.finish(0)?.1)
    }

    /// The plugin that failed, if one did.
    pub fn failure(&self) -> Option<&dumbbell_core::plugin::Failure> {
        self.relay.failure()
    }
}

impl Between for Network<'_> {
    type Packet = Outgoing;

    fn share(&self, ns: u64) -> f64 {
        Network::share(self, ns)
    }
    fn send(&mut self, nic: usize, frame: &[u8], now_ns: u64) -> io::Result<Accepted> {
        Network::send(self, nic, frame, now_ns)
    }
    fn next(&self) -> Option<u64> {
        Network::next(self)
    }
    fn advance(&mut self, now_ns: u64) {
        Network::advance(self, now_ns);
    }
    fn outgoing(&mut self) -> Vec<(u64, Outgoing)> {
        Network::outgoing(self)
    }
    fn nic(&self, packet: &Outgoing) -> usize {
        Network::nic(self, packet)
    }
    fn frame(&mut self, packet: &Outgoing, mac: [u8; 6]) -> Option<Vec<u8>> {
        Network::frame(self, packet, mac)
    }
    fn delivered(
        &mut self,
        packet: &Outgoing,
        frame: Option<&[u8]>,
        refused: bool,
    ) -> io::Result<()> {
        Network::delivered(self, packet, frame, refused)
    }
    fn failure(&self) -> Option<&dumbbell_core::plugin::Failure> {
        Network::failure(self)
    }
}

fn describe(rejected: &Rejected) -> String {
    match rejected {
        Rejected::NoFlow(why) => format!("a packet of no flow ({why:?})"),
        Rejected::Malformed(why) => format!("a malformed packet ({why:?})"),
        Rejected::BadChecksum(why) => format!("a packet with a wrong checksum ({why:?})"),
    }
}
