//! Packet sizes: the segments of a TCP, datagrams, and the notices of routers about packets that do
//! not fit.
use crate::resolve::context::{At, Context};
use crate::resolve::flow_template::{FlowTemplate, Sizes};
use crate::resolve::topology::routes;
use crate::resolve::topology::{Network, RoutedFlow};
use dumbbell_core::units::Bytes;
use dumbbell_plan::{Answer, Ip, Link, LinkId, NodeId, NodeKind, Shared, Transport};
use dumbbell_scream::wire::{LONGEST, Report};
use dumbbell_tcp::{Discovery, TcpConfig};
use std::collections::BTreeMap;

/// The largest IP packet, and in version 4 the largest payload of a datagram in it.
const LARGEST: u64 = 65_535;
const LARGEST_V4: u64 = LARGEST - 28;

/// A routed flow whose packets must fit into links.
struct Fit<'a> {
    flow: &'a RoutedFlow,
    links: &'a [Link],
    cx: &'a Context<'a>,
}

/// The transport of one routed flow, whose sizes are those that its path allows.
pub fn fit(
    template: &mut FlowTemplate,
    flow: &RoutedFlow,
    links: &[Link],
    cx: &Context<'_>,
) -> Transport {
    let fit = Fit { flow, links, cx };
    let least = template.ip.least_mtu();
    let mut path = flow.forward.iter().chain(&flow.back).map(|l| &links[*l]);
    if let Some(link) = path.find(|link| link.mtu < least) {
        let cause = format!(
            "IP version 6 needs links of {least} B, and `{}` carries {} B",
            link.name, link.mtu
        );
        let fix = format!("raise its mtu to \"{least} B\", or take ip = 6 out");
        fit.at().below("ip").refuse(cause, fix);
    }
    if let Transport::Udp { header, df, .. } = template.transport {
        fit.datagrams(template, u64::from(header), df);
        template.transport.clone()
    } else if matches!(template.transport, Transport::Quic { .. }) {
        fit.quic(template)
    } else if let Transport::Scream { scream } = &template.transport {
        fit.media(scream.mss.0 + scream.header.0);
        template.transport.clone()
    } else {
        fit.segments(template)
    }
}

impl<'a> Fit<'a> {
    /// The position of the flow's entry.
    fn at(&self) -> At<'a> {
        self.cx.item("flow", self.flow.entry)
    }

    /// The first of the links with the smallest MTU on the way of the data.
    fn narrowest(&self) -> Option<&'a Link> {
        self.flow.forward.iter().map(|l| &self.links[*l]).min_by_key(|l| l.mtu)
    }

    /// Datagrams that must not be cut have to fit.
    fn datagrams(&self, template: &mut FlowTemplate, header: u64, df: bool) {
        let (Some(payload), Some(link)) = (template.largest, self.narrowest()) else { return };
        let (size, room, who) = (payload + header, u64::from(link.mtu), &self.flow.name);
        if size > LARGEST {
            // A source that draws sizes knows the largest of version 4, and its largest are
            // shortened.
            let most = LARGEST - header;
            if payload == LARGEST_V4 {
                let word = || format!("datagrams of `{who}` carry {most} B at most");
                return template.says(word, self.cx);
            }
            let cause = format!(
                "an IP packet has {LARGEST} B at most, and these datagrams of {payload} B need \
                    {size} B"
            );
            let fix = format!("send at most \"{most} B\"");
            return self.at().below("source").refuse(cause, fix);
        }
        if df && size > room {
            let cause = format!(
                "datagrams of {size} B must not be cut (df), and `{}` carries {room} B",
                link.name
            );
            let fix = format!(
                "send at most \"{} B\", raise the link's mtu, or take df out",
                room - header
            );
            self.at().below("df").refuse(cause, fix);
        }
    }

    /// A QUIC's packets: as large as all links of the data carry. Both ways have to carry an
    /// Initial (RFC 9000 section 14).
    fn quic(&self, template: &FlowTemplate) -> Transport {
        let mut transport = template.transport.clone();
        let Transport::Quic { quic, .. } = &mut transport else { return transport };
        let Some(narrowest) = self.narrowest() else { return transport };
        let (header, initial) = (quic.header.0, dumbbell_quic::wire::INITIAL);
        let back = self.flow.back.iter().map(|l| &self.links[*l]);
        let least = back.chain([narrowest]).min_by_key(|link| link.mtu).unwrap_or(narrowest);
        if u64::from(least.mtu) < initial + header {
            let cause = format!(
                "QUIC needs links of {} B, and `{}` carries {} B",
                initial + header,
                least.name,
                least.mtu
            );
            self.at().below("transport").refuse(cause, "raise the link's mtu");
            return transport;
        }
        let room = u64::from(narrowest.mtu) - header;
        match quic.datagram {
            Some(Bytes(own)) if own > room => {
                let cause = format!(
                    "QUIC packets are not cut, those of {own} B need {} B with their headers, and \
                        `{}` carries {} B",
                    own + header,
                    narrowest.name,
                    narrowest.mtu
                );
                let fix = format!("write quic = {{ datagram = \"{room} B\" }} or less");
                self.at().below("quic").refuse(cause, fix);
            }
            Some(_) => {}
            None => {
                let bytes = room.min(dumbbell_quic::QuicConfig::LARGEST_DATAGRAM);
                quic.datagram = Some(Bytes(bytes));
            }
        }
        transport
    }

    /// Packets of media are not cut: those of `most` bytes have to fit, and the longest report.
    fn media(&self, most: u64) {
        let report = Report { end: LONGEST, ..Report::default() }.size() + 48;
        let back = self.flow.back.iter().map(|l| (&self.links[*l], report));
        let all = self.narrowest().map(|link| (link, most)).into_iter().chain(back);
        if let Some((link, size)) = all.into_iter().find(|(link, size)| u64::from(link.mtu) < *size)
        {
            let cause = format!(
                "packets of SCReAM are not cut, they have up to {size} B, and `{}` carries {} B",
                link.name, link.mtu
            );
            self.at().below("scream").refuse(cause, "make `mss` less, or raise the link's mtu");
        }
    }

    /// A TCP's segments: what both ends announce, and with `pmtu_discovery = "known"` what the path
    /// carries.
    fn segments(&self, template: &mut FlowTemplate) -> Transport {
        let flow = self.flow;
        let Transport::Tcp { tcp, .. } = &template.transport else {
            return template.transport.clone();
        };
        let (Some(narrowest), Some(first)) = (self.narrowest(), flow.forward.first()) else {
            return template.transport.clone();
        };
        let mtu = |link: LinkId| u64::from(self.links[link].mtu);
        let sizes = Sizes {
            sender: mtu(*first),
            receiver: flow.back.first().map_or(mtu(*first), |link| mtu(*link)),
            path: u64::from(narrowest.mtu),
        };
        let known = tcp.pmtu_discovery == Discovery::Known;
        let (own, peer) = announced(tcp, sizes);
        let link = if known { narrowest } else { &self.links[*first] };
        self.segments_fit(tcp, (own, peer), link);
        let with_sizes = || {
            let mut transport = template.transport.clone();
            if let Transport::Tcp { tcp, .. } = &mut transport {
                (tcp.mss, tcp.peer_mss) = (Some(Bytes(own)), peer.map(Bytes));
            }
            transport
        };
        template.fitted.entry(sizes).or_insert_with(with_sizes).clone()
    }

    /// Refuses segments that do not fit into `link`, or whose options leave no room for data.
    fn segments_fit(&self, tcp: &TcpConfig, (own, peer): (u64, Option<u64>), link: &Link) {
        let (room, header) = (u64::from(link.mtu), tcp.header.0);
        let least = own.min(peer.unwrap_or(own));
        let options = tcp.option_bytes();
        if least < 16 + options && room >= header + 16 + options {
            let cause =
                format!("segments of {least} B leave less than 16 B beside {options} B of options");
            self.at().below("tcp").refuse(cause, "write tcp = { mss = \"536 B\" } or more");
        } else if own + header > room || least < 16 + options {
            let fix = match room.saturating_sub(header) {
                0..=27 => "raise the link's mtu".to_string(),
                most => {
                    format!("write tcp = {{ mss = \"{most} B\" }} or less, or raise the link's mtu")
                }
            };
            let wanted = Bytes(tcp.mss.map_or(room, |mss| mss.0 + header));
            let cause = format!(
                "packets of {wanted} do not fit into `{}`, whose mtu is {room} B",
                link.name
            );
            self.at().refuse(cause, fix);
        }
    }
}

/// The segment sizes that the ends announce; the receiver's only if it differs (RFC 9293 section
/// 3.7.1).
fn announced(tcp: &TcpConfig, sizes: Sizes) -> (u64, Option<u64>) {
    let header = tcp.header.0;
    let own = match tcp.pmtu_discovery {
        Discovery::Known => sizes.path,
        _ => sizes.sender,
    };
    let own = tcp.mss.map_or(own.saturating_sub(header), |mss| mss.0);
    let peer = match (tcp.peer_mss, tcp.pmtu_discovery) {
        (Some(mss), _) => Some(mss.0),
        // A host that knows the path also announces the size that it carries.
        (None, Discovery::Known) => None,
        (None, _) => Some(sizes.receiver.saturating_sub(header)),
    };
    (own, peer.filter(|peer| *peer != own))
}

/// The answers of routers to a flow's packets that are too large, if there are any.
type Answers = Option<Shared<Vec<Answer>>>;

/// For each routed flow how routers answer packets that are too large for their links.
pub fn answers(net: &Network, templates: &[FlowTemplate]) -> Vec<Answers> {
    let mut paths = RouterPaths { net, from: BTreeMap::new() };
    let mut known: BTreeMap<(u64, NodeId, &[LinkId]), Answers> = BTreeMap::new();
    let mut all = Vec::with_capacity(net.flows.len());
    for flow in &net.flows {
        let most = templates.get(flow.entry).and_then(|template| largest(template, net, flow));
        let of = |most| {
            known
                .entry((most, flow.from, &flow.forward))
                .or_insert_with(|| paths.answers(flow, most))
                .clone()
        };
        all.push(most.and_then(of));
    }
    all
}

/// Paths from routers to senders, found once for each router.
struct RouterPaths<'a> {
    net: &'a Network,
    from: BTreeMap<NodeId, Vec<Option<Vec<LinkId>>>>,
}

impl RouterPaths<'_> {
    fn answers(&mut self, flow: &RoutedFlow, most: u64) -> Answers {
        let all: Vec<Answer> = tighter(self.net, flow, most)
            .into_iter()
            .filter_map(|at| self.answer(at, flow.from))
            .collect();
        (!all.is_empty()).then(|| Shared::from(all))
    }

    fn answer(&mut self, at: LinkId, sender: NodeId) -> Option<Answer> {
        let router = self.net.links[at].from;
        let node = &self.net.nodes[router];
        if node.silent || node.kind != NodeKind::Router {
            return None;
        }
        let paths = self.from.entry(router).or_insert_with(|| routes::from(self.net, router));
        Some(Answer { at, way: paths[sender].clone().filter(|way| !way.is_empty())? })
    }
}

/// The largest packet of a flow whose sender listens to routers, bytes; `None`: it does not.
fn largest(template: &FlowTemplate, net: &Network, flow: &RoutedFlow) -> Option<u64> {
    match &template.transport {
        Transport::Tcp { tcp, .. } if tcp.pmtu_discovery.heeds_routers() => {
            let mtu = |way: &[LinkId]| {
                way.first().map_or(0, |link| u64::from(net.links[*link].settings.mtu))
            };
            let sizes = Sizes { sender: mtu(&flow.forward), receiver: mtu(&flow.back), path: 0 };
            let (own, peer) = announced(tcp, sizes);
            Some(own.min(peer.unwrap_or(own)) + tcp.header.0)
        }
        Transport::Udp { header, df, .. } if *df || template.ip == Ip::V6 => {
            Some(template.largest.map_or(LARGEST, |payload| payload + u64::from(*header)))
        }
        _ => None,
    }
}

/// Links of a flow's way that carry less than those before them, and than its packets of up to
/// `most` bytes.
fn tighter(net: &Network, flow: &RoutedFlow, most: u64) -> Vec<LinkId> {
    let mut room = most;
    let mut less = |link: &&LinkId| {
        let mtu = u64::from(net.links[**link].settings.mtu);
        let tighter = mtu < room;
        room = room.min(mtu);
        tighter
    };
    flow.forward.iter().filter(&mut less).copied().collect()
}
