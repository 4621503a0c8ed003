//! Packets that are too large for a link of their path.
use crate::language::problem::Check;
use crate::language::warnings::{BLACK_HOLE, FRAGMENTS};
use crate::resolve::lints::Site;
use dumbbell_algos::source::AnySource;
use dumbbell_core::source::Source;
use dumbbell_plan::{Flow, Ip, Link, Transport};
use dumbbell_tcp::{Discovery, TcpConfig};

/// The largest IP packet.
const LARGEST: u64 = 65_535;

/// Warns of each entry of `flow` whose packets are cut, or lost without a word.
pub(crate) fn warn(site: &Site<'_>, check: &mut Check) {
    let mut told = vec![false; site.scenario().flow.len()];
    for (i, flow) in site.plan.flows.iter().enumerate() {
        let entry = site.entries[i];
        if !told[entry] {
            told[entry] = match &flow.transport {
                Transport::Udp { header, df: false, .. } => {
                    fragments(site, i, u64::from(*header), check)
                }
                Transport::Quic { .. } | Transport::Scream { .. } | Transport::Udp { .. } => false,
                Transport::Tcp { tcp, .. } => black_hole(site, i, tcp, check),
            };
        }
    }
}

/// The first link of the path of a flow's data whose MTU is below `size`.
fn narrow<'a>(site: &'a Site<'_>, flow: &Flow, size: u64) -> Option<&'a Link> {
    let links = flow.forward.iter().map(|l| &site.plan.links[*l]);
    links.filter(|link| link.host.is_none()).find(|link| u64::from(link.mtu) < size)
}

/// Warns if the datagrams of flow `i` are cut for the narrowest link; true if they are.
fn fragments(site: &Site<'_>, i: usize, header: u64, check: &mut Check) -> bool {
    let flow = &site.plan.flows[i];
    let source = AnySource::build(&flow.source.kind, &flow.source.config, &()).ok();
    let links = flow.forward.iter().map(|l| &site.plan.links[*l]);
    let narrowest = links.filter(|link| link.host.is_none()).min_by_key(|link| link.mtu);
    let (Some(payload), Some(link)) = (source.and_then(|s| s.largest()), narrowest) else {
        return false;
    };
    let (size, room) = (payload + header, u64::from(link.mtu));
    if size <= room || size > LARGEST {
        return false;
    }
    let extension = if flow.ip == Ip::V6 { 8 } else { 0 };
    let own = u64::from(flow.ip.header());
    let fits = room - own - extension;
    // All but the last carry a multiple of 8 bytes (RFC 791 section 3.2).
    let pieces = 1 + (size - own).saturating_sub(fits).div_ceil(fits & !7);
    site.warn(
        &FRAGMENTS,
        (site.flow_key(i, "source"), None),
        format!(
            "datagrams of `{}`, {size} B, are cut into {pieces} fragments for `{}` ({room} B): \
                the loss of one loses all",
            flow.name, link.name
        ),
        format!("send at most \"{} B\", or raise the link's mtu", room - header),
        check,
    );
    true
}

/// Warns if a link is too narrow for the segments of flow `i` and nobody says so; true if it is.
fn black_hole(site: &Site<'_>, i: usize, tcp: &TcpConfig, check: &mut Check) -> bool {
    let flow = &site.plan.flows[i];
    let own = tcp.mss.map_or(0, |mss| mss.0);
    let size = own.min(tcp.peer_mss.map_or(own, |mss| mss.0)) + tcp.header.0;
    let told = match tcp.pmtu_discovery {
        Discovery::Known | Discovery::Probe => true,
        Discovery::Icmp => flow.answers.is_some(),
        // Routers cut them, of version 4.
        Discovery::Off => flow.ip == Ip::V4,
    };
    let Some(link) = narrow(site, flow, size).filter(|_| !told) else { return false };
    site.warn(
        &BLACK_HOLE,
        (site.tcp_key(i, "pmtu_discovery"), None),
        format!(
            "segments of `{}`, {size} B, do not fit into `{}` ({} B), and no router says so",
            flow.name, link.name, link.mtu
        ),
        "write tcp.pmtu_discovery = \"probe\", which gets through a black hole".into(),
        check,
    );
    true
}
