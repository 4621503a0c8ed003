//! Packets that are larger than a link carries: who may cut them, into what, and what their senders
//! are told.
//!
//! A router cuts a packet of IP version 4 unless it must not (RFC 791 section 3.2), and then tells
//! the sender (RFC 792, RFC 1191); of version 6 only the sending host cuts, to what it knows of the
//! path (RFC 8200 sections 4.5 and 5, RFC 8201). A world in which everything fits has none of this.
use crate::engine::entry::Pkt;
use crate::engine::path::RunAhead;
use dumbbell_algos::source::AnySource;
use dumbbell_core::source::Source;
use dumbbell_core::transport::segment::PacketTooBig;
use dumbbell_plan::{Flow, Ip, LinkId, Plan, Transport};
use dumbbell_scream::wire::{LONGEST, Report};
use dumbbell_tcp::Discovery;
use std::collections::BTreeMap;

/// Header of a fragment of version 6 beside the packet's own (RFC 8200 section 4.5).
const FRAGMENT_HEADER: u32 = 8;
/// An answer carries as much of the packet as fits into this (RFC 1812 section 4.3.2.3).
const ANSWER_V4: u32 = 576;
/// The limit for version 6 (RFC 4443 section 2.4).
const ANSWER_V6: u32 = 1280;

/// The rules by which packets of one socket may be fragmented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SenderRules {
    ip: Ip,
    /// They must not (version 4).
    df: bool,
}

/// The verdict on a packet at a link with an MTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeVerdict {
    /// It fits.
    Fits,
    /// It is fragmented for this MTU.
    Fragment(u32),
    /// It is dropped, and its sender is told this MTU.
    Refuse(u32),
}

/// Counts of packets that were too large, and of their fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragmentationCounts {
    /// Packets that were cut, fragments that were cut again included.
    pub cut: u64,
    /// Pieces that were made of them.
    pub fragments: u64,
    /// Packets that were dropped because they must not be cut.
    pub refused: u64,
    /// Of these, how many were reported to senders.
    pub answered: u64,
}

/// The rules for packets larger than an MTU, and path MTUs that hosts have learned.
pub(crate) struct Oversize {
    /// By socket (2 x flow + end): the others' packets fit everywhere.
    senders: BTreeMap<u32, SenderRules>,
    /// The ways of answers, by flow and link.
    answers: BTreeMap<(u32, u32), RunAhead>,
    /// The path's MTU as hosts of datagrams have learned it, by socket.
    learned: BTreeMap<u32, u32>,
    /// Links that ask about smaller packets than they could carry, because a host at their head may
    /// have learned: their MTU.
    asking: BTreeMap<u32, u32>,
    /// The first link of each of these sockets.
    first: BTreeMap<u32, u32>,
}

/// The largest packet that one end of a flow (0: the sender) sends, bytes.
fn largest(flow: &Flow, end: usize) -> u32 {
    match &flow.transport {
        Transport::Tcp { tcp, .. } if end == 0 => {
            (tcp.mss.map_or(536, |b| b.0) + tcp.header.0) as u32
        }
        // 40 bytes of options at most.
        Transport::Tcp { tcp, .. } => tcp.header.0 as u32 + 40,
        Transport::Quic { quic, .. } => {
            let bytes = if end == 0 { quic.datagram_bytes() } else { dumbbell_quic::wire::INITIAL };
            (bytes + quic.header.0) as u32
        }
        Transport::Scream { scream } => {
            let report = Report { end: LONGEST, ..Report::default() };
            let bytes = if end == 0 { scream.mss.0 } else { report.size() };
            (bytes + scream.header.0) as u32
        }
        Transport::Udp { header, .. } => {
            let source = AnySource::build(&flow.source.kind, &flow.source.config, &()).ok();
            let bytes = source.and_then(|source| source.largest()).unwrap_or(65_535);
            (bytes.min(65_535) as u32 + header).min(65_535)
        }
    }
}

/// For each end of each flow (2 x flow + end) the links of its way that are too narrow for its
/// largest packets.
fn narrow(plan: &Plan) -> Vec<Vec<LinkId>> {
    let each = |(flow, end): (&Flow, usize)| {
        let mut size = largest(flow, end);
        let route = if end == 0 { &flow.forward } else { &flow.back };
        let mut tight = Vec::new();
        for &link in route {
            if size > plan.links[link].mtu {
                tight.push(link);
                size = plan.links[link].mtu;
            }
        }
        tight
    };
    plan.flows.iter().flat_map(|flow| [(flow, 0), (flow, 1)]).map(each).collect()
}

/// For each link whether something may be too large for it.
pub(crate) fn too_narrow(plan: &Plan) -> Vec<bool> {
    let mut links = vec![false; plan.links.len()];
    narrow(plan).into_iter().flatten().for_each(|link| links[link] = true);
    links
}

/// True if a packet may be too large for a link, or a router may answer.
pub(crate) fn exist(plan: &Plan) -> bool {
    plan.flows.iter().any(|flow| flow.answers.is_some())
        || narrow(plan).into_iter().any(|tight| !tight.is_empty())
}

/// For each socket whether it has to see what comes in the order of time: those that fragments
/// reach, and senders that routers may answer.
pub(crate) fn in_order_sockets(plan: &Plan) -> Vec<bool> {
    let mut sockets = vec![false; 2 * plan.flows.len()];
    for (from, tight) in narrow(plan).into_iter().enumerate() {
        sockets[from ^ 1] |= !tight.is_empty();
    }
    for (f, flow) in plan.flows.iter().enumerate() {
        sockets[2 * f] |= flow.answers.is_some();
    }
    sockets
}

impl Oversize {
    /// The rules for the packets of `plan`; `None` if everything fits.
    pub(crate) fn of(plan: &Plan, answers: &[(u32, LinkId, RunAhead)]) -> Option<Box<Self>> {
        let narrow = narrow(plan);
        let mut oversize = Oversize {
            senders: BTreeMap::new(),
            answers: answers
                .iter()
                .map(|(f, at, run_ahead)| ((*f, *at as u32), *run_ahead))
                .collect(),
            learned: BTreeMap::new(),
            asking: BTreeMap::new(),
            first: BTreeMap::new(),
        };
        for (socket, _) in narrow.iter().enumerate().filter(|(_, tight)| !tight.is_empty()) {
            let flow = &plan.flows[socket / 2];
            let df = match &flow.transport {
                // RFC 9000 section 14: neither end's packets may be cut.
                Transport::Quic { .. } => true,
                // They fit: the scenario is refused otherwise.
                Transport::Scream { .. } => false,
                _ if socket % 2 == 1 => false,
                Transport::Tcp { tcp, .. } => tcp.pmtu_discovery != Discovery::Off,
                Transport::Udp { df, .. } => *df,
            };
            oversize.senders.insert(socket as u32, SenderRules { ip: flow.ip, df });
            // A host's processor is before its card.
            let card = flow.forward.iter().find(|l| plan.links[**l].host.is_none());
            if let (Transport::Udp { .. }, true, Some(&first)) =
                (&flow.transport, socket % 2 == 0, card)
            {
                oversize.first.insert(socket as u32, first as u32);
                if flow.answers.is_some() {
                    oversize.asking.insert(first as u32, plan.links[first].mtu);
                }
            }
        }
        (!oversize.senders.is_empty()).then(|| Box::new(oversize))
    }

    /// Links that are to ask about every packet above the second number, because a host may know
    /// more of its path.
    pub(crate) fn asking<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = (LinkId, u32)> + 'a {
        let least = |link: u32| {
            let through = self.first.iter().filter(move |(_, first)| **first == link);
            let mtus = through.flat_map(|(socket, _)| &plan.flows[*socket as usize / 2].forward);
            mtus.map(|l| plan.links[*l].mtu).min().unwrap_or(0)
        };
        self.asking.keys().map(move |link| (*link as usize, least(*link)))
    }

    /// The verdict on a packet of `socket` at `link`, whose port asks about packets above `mtu`.
    pub(crate) fn size_verdict(
        &self,
        link: u32,
        mtu: u32,
        socket: u32,
        packet: &Pkt,
    ) -> SizeVerdict {
        let at_source = self.first.get(&socket) == Some(&link);
        let own = self.asking.get(&link).copied().unwrap_or(mtu);
        let mtu = if at_source {
            own.min(self.learned.get(&socket).copied().unwrap_or(own))
        } else {
            own
        };
        if u32::from(packet.ip_len()) <= mtu {
            return SizeVerdict::Fits;
        }
        match self.senders.get(&socket) {
            Some(SenderRules { ip: Ip::V4, df: false }) => SizeVerdict::Fragment(mtu),
            Some(SenderRules { ip: Ip::V6, df: false }) if at_source => SizeVerdict::Fragment(mtu),
            _ => SizeVerdict::Refuse(mtu),
        }
    }

    /// The sockets whose packets do not fit everywhere.
    pub(crate) fn sockets(&self) -> impl Iterator<Item = u32> {
        self.senders.keys().copied()
    }

    /// The way by which the router before `link` answers the sender of `flow`.
    pub(crate) fn answer(&self, flow: u32, link: u32) -> Option<RunAhead> {
        self.answers.get(&(flow, link)).copied()
    }

    /// Bytes of an answer about `packet` of `socket`.
    pub(crate) fn answer_len(&self, socket: u32, packet: &Pkt) -> u16 {
        let ip = self.senders.get(&socket).map_or(Ip::V4, |m| m.ip);
        let most = if ip == Ip::V4 { ANSWER_V4 } else { ANSWER_V6 };
        (ip.header() + 8 + u32::from(packet.ip_len())).min(most) as u16
    }

    /// The host of a socket of datagrams was told that its packets are too large.
    pub(crate) fn learns(&mut self, socket: u32, notice: PacketTooBig) {
        let Some(rules) = self.senders.get(&socket) else { return };
        let least = rules.ip.least_mtu();
        let known = self.learned.entry(socket).or_insert(u32::MAX);
        *known = (*known).min(notice.mtu.max(least));
    }

    /// The header of the IP packets of `socket`, and what a fragment has more.
    pub(crate) fn headers(&self, socket: u32) -> (u32, u32) {
        match self.senders.get(&socket).map_or(Ip::V4, |m| m.ip) {
            Ip::V4 => (20, 0),
            Ip::V6 => (40, FRAGMENT_HEADER),
        }
    }
}

/// Byte ranges of the fragments of a payload `[from, to)`, each of at most `room` bytes, which but
/// for the last are multiples of 8: what is left is the last one as soon as it fits (RFC 791
/// section 3.2).
pub(crate) fn fragment_ranges(from: u16, to: u16, room: u32) -> impl Iterator<Item = (u16, u16)> {
    let step = (room & !7).clamp(8, 65_528) as u16;
    let last = room.clamp(8, 65_535) as u16;
    let mut next = Some(from);
    std::iter::from_fn(move || {
        let at = next?;
        let end = if to - at <= last { to } else { at + step };
        next = (end < to).then_some(end);
        Some((at, end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IP lengths into an MTU: how many fragments, and the length of the last.
    #[test]
    fn fragments_are_as_many_as_the_arithmetic_says() {
        let cut = |ip_len: u16, mtu: u32| {
            let all: Vec<_> = fragment_ranges(0, ip_len - 20, mtu - 20).collect();
            let (a, b) = all[all.len() - 1];
            assert!(all.windows(2).all(|w| w[0].1 == w[1].0 && w[0].1 % 8 == 0), "{all:?}");
            (all.len(), b - a + 20)
        };
        let into_1500 = [1501, 3000, 9000, 9018, 9180, 65_535].map(|n| cut(n, 1500));
        assert_eq!(into_1500, [(2, 21), (3, 40), (7, 120), (7, 138), (7, 300), (45, 415)]);
        assert_eq!(cut(9180, 576).0, 17);
        assert_eq!(cut(100, 68), (2, 52));
        // 984 and 986 bytes of payload: what fits is not cut for a multiple of 8.
        assert_eq!(cut(20 + 984 + 986, 1006), (2, 1006));
        assert_eq!(cut(20 + 984 + 987, 1006), (3, 23));
    }
}
