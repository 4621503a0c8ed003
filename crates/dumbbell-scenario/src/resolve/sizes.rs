//! Packet sizes: the segments of a TCP, datagrams, and the notices of routers about packets that do
//! not fit.
use crate::language::node::{Node, Path, below, path};
use crate::language::problem::{Check, Diagnostic};
use crate::resolve::flow_template::{FlowTemplate, Sizes};
use crate::resolve::topology::routes;
use crate::resolve::topology::{Network, RoutedFlow};
use dumbbell_algos::source::AnySource;
use dumbbell_core::source::Source;
use dumbbell_core::units::Bytes;
use dumbbell_plan::{Answer, Flow, Ip, Link, LinkId, NodeId, NodeKind, Shared, Transport};
use dumbbell_tcp::{Discovery, TcpConfig};
use std::collections::BTreeMap;

/// The largest IP packet, and in version 4 the largest payload of a datagram in it.
const LARGEST: u64 = 65_535;
const LARGEST_V4: u64 = LARGEST - 28;

/// The place of a flow, for error messages about it.
struct FlowContext<'a> {
    at: Path,
    root: &'a Node,
    links: &'a [Link],
}

impl FlowContext<'_> {
    fn refuse(&self, key: &str, cause: String, fix: &str, check: &mut Check) {
        let at = if key.is_empty() { self.at.clone() } else { below(&self.at, key) };
        check.error(Diagnostic::new(cause).at(self.root.nearest_place(&at)).fix(fix).key(&at));
    }
    fn narrowest(&self, way: &[LinkId]) -> Option<&Link> {
        way.iter().map(|l| &self.links[*l]).min_by_key(|l| l.mtu)
    }
}

/// The transport of one routed flow, whose sizes are those that its path allows.
pub fn fit(
    template: &mut FlowTemplate,
    flow: &RoutedFlow,
    links: &[Link],
    root: &Node,
    check: &mut Check,
) -> Transport {
    let context = FlowContext { at: path(&["flow", &flow.entry.to_string()]), root, links };
    for link in flow.forward.iter().chain(&flow.back).map(|l| &links[*l]) {
        if link.mtu < template.ip.least_mtu() {
            let least = template.ip.least_mtu();
            let cause = format!(
                "IP version 6 needs links of {least} B, and `{}` carries {} B",
                link.name, link.mtu
            );
            context.refuse(
                "ip",
                cause,
                &format!(
                    "raise its mtu to \"{least} B\", or take ip = 6 \
                out"
                ),
                check,
            );
            break;
        }
    }
    match &template.transport {
        Transport::Udp { .. } => {
            datagrams(template, flow, &context, check);
            template.transport.clone()
        }
        Transport::Tcp { .. } => segments(template, flow, &context, check),
    }
}

/// Datagrams that must not be cut have to fit; of those that are cut a word is said.
fn datagrams(
    template: &mut FlowTemplate,
    flow: &RoutedFlow,
    context: &FlowContext<'_>,
    check: &mut Check,
) {
    let Transport::Udp { header, df, .. } = &template.transport else { return };
    let source = AnySource::build(&template.source.kind, &template.source.config, &()).ok();
    let (Some(payload), Some(link)) =
        (source.and_then(|s| s.largest()), context.narrowest(&flow.forward))
    else {
        return;
    };
    let (size, room) = (payload + u64::from(*header), u64::from(link.mtu));
    if size > LARGEST {
        // A source that draws sizes knows the largest of version 4, and its largest are shortened.
        let most = LARGEST - u64::from(*header);
        let cause = format!(
            "an IP packet has {LARGEST} B at most, and these datagrams of \
            {payload} B need {size} B"
        );
        return match payload {
            LARGEST_V4 => template
                .says(|| format!("datagrams of `{}` carry {most} B at most", flow.name), check),
            _ => context.refuse("source", cause, &format!("send at most \"{most} B\""), check),
        };
    }
    if size <= room {
        return;
    }
    let name = &link.name;
    if *df {
        let cause =
            format!("datagrams of {} B must not be cut (df), and `{name}` carries {room} B", size);
        let fix = format!(
            "send at most \"{} B\", raise the link's mtu, or take df out",
            room - u64::from(*header)
        );
        return context.refuse("df", cause, &fix, check);
    }
    let more = if template.ip == Ip::V6 { 8 } else { 0 };
    let (own, fits) =
        (u64::from(template.ip.header()), room - u64::from(template.ip.header()) - more);
    // All but the last carry a multiple of 8 bytes (RFC 791 section 3.2).
    let pieces = 1 + (size - own).saturating_sub(fits).div_ceil(fits & !7);
    let word = || {
        let who = &flow.name;
        format!(
            "datagrams of `{who}`, {size} B, are cut into {pieces} fragments for `{name}` ({room} \
                B): the loss of one loses all"
        )
    };
    template.says(word, check);
}

/// A TCP's segments: what both ends announce, and with `pmtu_discovery = "known"` what the path
/// carries.
fn segments(
    template: &mut FlowTemplate,
    flow: &RoutedFlow,
    context: &FlowContext<'_>,
    check: &mut Check,
) -> Transport {
    let Transport::Tcp { tcp, .. } = &template.transport else { return template.transport.clone() };
    let (Some(narrowest), Some(first)) = (context.narrowest(&flow.forward), flow.forward.first())
    else {
        return template.transport.clone();
    };
    let mtu = |link: LinkId| u64::from(context.links[link].mtu);
    let sizes = Sizes {
        sender: mtu(*first),
        receiver: flow.back.first().map_or(mtu(*first), |link| mtu(*link)),
        path: u64::from(narrowest.mtu),
    };
    let known = tcp.pmtu_discovery == Discovery::Known;
    let (own, peer) = announced(tcp, sizes);
    let link = if known { narrowest } else { &context.links[*first] };
    let (room, header) = (u64::from(link.mtu), tcp.header.0);
    let least = own.min(peer.unwrap_or(own));
    let options = tcp.option_bytes();
    if least < 16 + options && room >= header + 16 + options {
        let cause = format!(
            "segments of {least} B leave less than 16 B beside {options} B of \
            options"
        );
        context.refuse("tcp", cause, "write tcp = { mss = \"536 B\" } or more", check);
    } else if own + header > room || least < 16 + options {
        let fix = match room.saturating_sub(header) {
            0..=27 => "raise the link's mtu".to_string(),
            most => {
                format!("write tcp = {{ mss = \"{most} B\" }} or less, or raise the link's mtu")
            }
        };
        let wanted = tcp.mss.map_or(room, |mss| mss.0 + header);
        let cause = format!(
            "packets of {} do not fit into `{}`, whose mtu is {room} B",
            Bytes(wanted),
            link.name
        );
        context.refuse("", cause, &fix, check);
    }
    let with_sizes = || {
        let mut transport = template.transport.clone();
        if let Transport::Tcp { tcp, .. } = &mut transport {
            (tcp.mss, tcp.peer_mss) = (Some(Bytes(own)), peer.map(Bytes));
        }
        transport
    };
    template.fitted.entry(sizes).or_insert_with(with_sizes).clone()
}

/// A word about a connection whose large segments vanish: a link is too narrow for them, and nobody
/// says so.
pub fn note(template: &mut FlowTemplate, flow: &Flow, links: &[Link], check: &mut Check) {
    let Transport::Tcp { tcp, .. } = &flow.transport else { return };
    let own = tcp.mss.map_or(0, |mss| mss.0);
    let size = own.min(tcp.peer_mss.map_or(own, |mss| mss.0)) + tcp.header.0;
    let narrow = flow.forward.iter().map(|l| &links[*l]).find(|l| u64::from(l.mtu) < size);
    let told = match tcp.pmtu_discovery {
        Discovery::Known | Discovery::Probe => return,
        Discovery::Icmp => flow.answers.is_some(),
        // Routers cut them, of version 4.
        Discovery::Off => flow.ip == Ip::V4,
    };
    if let (Some(link), false) = (narrow, told) {
        let word = || {
            format!(
                "segments of `{}`, {size} B, do not fit into `{}` ({} B), and no router says so: a \
                    black hole, which tcp.pmtu_discovery = \"probe\" gets through",
                flow.name, link.name, link.mtu
            )
        };
        template.says(word, check);
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
            let mtu =
                |way: &[LinkId]| way.first().map_or(0, |link| u64::from(net.links[*link].mtu));
            let sizes = Sizes { sender: mtu(&flow.forward), receiver: mtu(&flow.back), path: 0 };
            let (own, peer) = announced(tcp, sizes);
            Some(own.min(peer.unwrap_or(own)) + tcp.header.0)
        }
        Transport::Udp { header, df, .. } if *df || template.ip == Ip::V6 => {
            let source = AnySource::build(&template.source.kind, &template.source.config, &()).ok();
            Some(
                source
                    .and_then(|s| s.largest())
                    .map_or(65_535, |payload| payload + u64::from(*header)),
            )
        }
        _ => None,
    }
}

/// Links of a flow's way that carry less than those before them, and than its packets of up to
/// `most` bytes.
fn tighter(net: &Network, flow: &RoutedFlow, most: u64) -> Vec<LinkId> {
    let mut room = most;
    let mut less = |link: &&LinkId| {
        let mtu = u64::from(net.links[**link].mtu);
        let tighter = mtu < room;
        room = room.min(mtu);
        tighter
    };
    flow.forward.iter().filter(&mut less).copied().collect()
}
