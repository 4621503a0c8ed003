//! Converts `tc ... cake` options to and from Dumbbell's `cake`. Manual: tc-cake(8).
use super::leaf::{bytes, fixed, micros, reject_child};
use crate::tc::Kind;
use crate::tc::args::{Arg, Args, Refused};
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part, table};
use crate::tc::units::show_rate;
use dumbbell_algos::qdisc::cake::ack_filter::AckFilter;
use dumbbell_algos::qdisc::cake::config::CakeConfig;
use dumbbell_algos::qdisc::cake::hosts::Isolation;
use dumbbell_algos::qdisc::cake::link_layer::LinkLayer;
use dumbbell_algos::qdisc::cake::tins::DiffServ;
use dumbbell_core::units::{Bytes, Capacity, Span};
use serde_json::json;

/// Common Applications Kept Enhanced.
pub const CAKE: Kind = Kind { name: "cake", import, exports: &["cake"], export };

const TINS: &[(&str, DiffServ)] = &[
    ("besteffort", DiffServ::Besteffort),
    ("precedence", DiffServ::Precedence),
    ("diffserv3", DiffServ::Diffserv3),
    ("diffserv4", DiffServ::Diffserv4),
    ("diffserv8", DiffServ::Diffserv8),
];
const ISOLATIONS: &[(&str, Isolation)] = &[
    ("flowblind", Isolation::Flowblind),
    ("flows", Isolation::Flows),
    ("srchost", Isolation::SrcHost),
    ("dsthost", Isolation::DstHost),
    ("hosts", Isolation::Hosts),
    ("dual-srchost", Isolation::DualSrcHost),
    ("dual-dsthost", Isolation::DualDstHost),
    ("triple-isolate", Isolation::Triple),
];
const FILTERS: &[(&str, AckFilter)] = &[
    ("no-ack-filter", AckFilter::None),
    ("ack-filter", AckFilter::Conservative),
    ("ack-filter-aggressive", AckFilter::Aggressive),
];
const LAYERS: &[(&str, LinkLayer)] =
    &[("noatm", LinkLayer::None), ("atm", LinkLayer::Atm), ("ptm", LinkLayer::Ptm)];
/// Names of round-trip times, in microseconds.
const RTTS: &[(&str, u64)] = &[
    ("datacentre", 100),
    ("lan", 1000),
    ("metro", 10_000),
    ("regional", 30_000),
    ("internet", 100_000),
    ("oceanic", 300_000),
    ("satellite", 1_000_000),
    ("interplanetary", 1_000_000_000),
];
/// Names of framings: overhead, least length, layer.
const FRAMINGS: &[(&str, i32, u32, LinkLayer)] = &[
    ("raw", 0, 0, LinkLayer::None),
    ("conservative", 48, 0, LinkLayer::Atm),
    ("ipoa-vcmux", 8, 0, LinkLayer::Atm),
    ("ipoa-llcsnap", 16, 0, LinkLayer::Atm),
    ("bridged-vcmux", 24, 0, LinkLayer::Atm),
    ("bridged-llcsnap", 32, 0, LinkLayer::Atm),
    ("pppoa-vcmux", 10, 0, LinkLayer::Atm),
    ("pppoa-llc", 14, 0, LinkLayer::Atm),
    ("pppoe-vcmux", 32, 0, LinkLayer::Atm),
    ("pppoe-llcsnap", 40, 0, LinkLayer::Atm),
    ("pppoe-ptm", 30, 0, LinkLayer::Ptm),
    ("bridged-ptm", 22, 0, LinkLayer::Ptm),
    ("docsis", 18, 64, LinkLayer::None),
    ("ethernet", 38, 84, LinkLayer::None),
];
/// Words for what is not here, or what no packet here has.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("nat", "addresses are not translated here"),
    ("nonat", ""),
    ("nowash", ""),
    ("egress", ""),
    ("split-gso", "packets here are never joined"),
    ("no-split-gso", "packets here are never joined"),
];
const REFUSED: &[Refused] = &[
    ("autorate-ingress", "the bandwidth here is a number", "write bandwidth 10mbit"),
    ("ingress", "a packet that is dropped does not count as sent here", "take `ingress` out"),
    ("fwmark", "packets here have no mark of a firewall", "take `fwmark` and its mask out"),
];
const OPTIONS: &[&str] = &["bandwidth", "unlimited", "rtt", "wash", "memlimit", "overhead", "mpu"];

/// The value of a word.
fn of<T: Copy>(all: &[(&str, T)], word: &str) -> Option<T> {
    all.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
}

/// The word for a value.
fn word<T: PartialEq>(all: &'static [(&str, T)], value: &T) -> &'static str {
    all.iter().find(|(_, known)| known == value).map_or("", |(name, _)| name)
}

/// A word for one value of an option; true if `arg` is one.
fn choice(arg: Arg<'_>, c: &mut CakeConfig, part: &mut Part) -> bool {
    let text = arg.text;
    if let Some(tins) = of(TINS, text) {
        c.diffserv = tins;
    } else if let Some(isolation) = of(ISOLATIONS, text) {
        c.isolation = isolation;
    } else if let Some(filter) = of(FILTERS, text) {
        c.ack_filter = filter;
    } else if let Some(layer) = of(LAYERS, text) {
        c.link_layer = layer;
    } else if let Some(us) = of(RTTS, text) {
        c.rtt = Span::from_us(us);
    } else if let Some((_, overhead, mpu, layer)) = FRAMINGS.iter().find(|f| f.0 == text) {
        (c.overhead, c.mpu, c.link_layer) = (*overhead, *mpu, *layer);
    } else if let Some(why) = of(WITHOUT_EFFECT, text) {
        if !why.is_empty() {
            part.explain(format!("{text}: {why}"));
        }
    } else {
        return false;
    }
    true
}

fn import(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let (mut part, mut c) = (Part::default(), CakeConfig::default());
    reject_child(args, context);
    while let Some(arg) = args.next() {
        match arg.text {
            "bandwidth" => c.bandwidth = args.rate(arg, "20mbit"),
            "unlimited" => c.bandwidth = None,
            "rtt" => c.rtt = args.micros(arg, "100ms").unwrap_or(c.rtt),
            "wash" => c.wash = true,
            "memlimit" => c.memory_limit = args.size(arg, "4mb"),
            "overhead" => c.overhead = args.signed(arg, "18").unwrap_or(c.overhead),
            "mpu" => c.mpu = args.whole(arg, "64").unwrap_or(c.mpu),
            // Four bytes more for each tag (802.1Q).
            "ether-vlan" => c.overhead += 4,
            _ if choice(arg, &mut c, &mut part) => {}
            _ => {
                let words = TINS.iter().map(|w| w.0).chain(ISOLATIONS.iter().map(|w| w.0));
                let words = words.chain(FILTERS.iter().map(|w| w.0));
                let words = words.chain(LAYERS.iter().map(|w| w.0)).chain(RTTS.iter().map(|w| w.0));
                let words = words.chain(FRAMINGS.iter().map(|w| w.0));
                let words = words.chain(WITHOUT_EFFECT.iter().map(|w| w.0));
                let known: Vec<&str> = words.chain(OPTIONS.iter().copied()).collect();
                args.unknown(arg, &known, REFUSED);
            }
        }
    }
    part.explain(match c.bandwidth {
        Some(rate) => format!("bandwidth {}: packets leave at this rate", show_rate(rate)),
        None => "no bandwidth: packets leave at the rate of the link".to_string(),
    });
    let memory = Bytes(c.memory());
    part.explain(format!(
        "limit and memory_limit {}: bytes of packets here; Linux counts the memory that holds them",
        memory.0
    ));
    part.queue = Some(table([
        ("kind", json!("cake")),
        ("limit", json!(memory)),
        ("diffserv", json!(c.diffserv)),
        ("isolation", json!(c.isolation)),
        ("ack_filter", json!(c.ack_filter)),
        ("wash", json!(c.wash)),
        ("rtt", json!(c.rtt)),
        ("overhead", json!(c.overhead)),
        ("mpu", json!(c.mpu)),
        ("link_layer", json!(c.link_layer)),
        ("memory_limit", json!(memory)),
    ]));
    if let (Some(queue), Some(rate)) = (&mut part.queue, c.bandwidth) {
        queue.insert("bandwidth".into(), json!(rate));
    }
    part
}

fn export(site: &ExportContext<'_>, log: &mut ExportLog) -> Option<String> {
    let c: CakeConfig = serde_json::from_value(site.aqm.config.clone()).ok()?;
    let own = CakeConfig::default();
    fixed(
        &[
            (c.flows != own.flows, "flows", "a tin has 1024 queues"),
            (c.ways != own.ways, "ways", "a set has 8 queues"),
            (c.quantum != own.quantum, "quantum", "it is at most 1514 bytes"),
            (!c.ecn, "ecn = false", "ECN-capable packets are marked"),
        ],
        log,
    );
    let mtu = u64::from(site.mtu.max(1));
    let room = match site.capacity {
        Capacity::Packets(n) => {
            log.explain(format!(
                "memlimit: tc's cake has no limit in packets; {n} of the MTU are {} bytes",
                u64::from(n) * mtu
            ));
            u64::from(n) * mtu
        }
        Capacity::Bytes(bytes) => bytes,
        // refused before, or turned into bytes
        Capacity::Buffers { .. } | Capacity::Reached(_) | Capacity::Unlimited => u64::MAX,
    };
    let memory = bytes("memory_limit", Bytes(c.memory().min(room)), log)?;
    let rtt = micros("rtt", c.rtt, log)?;
    let bandwidth =
        c.bandwidth.map_or("unlimited".into(), |r| format!("bandwidth {}", show_rate(r)));
    let (tins, isolation) = (word(TINS, &c.diffserv), word(ISOLATIONS, &c.isolation));
    let mut line = format!("cake {bandwidth} {tins} {isolation} raw");
    if c.overhead != 0 {
        line.push_str(&format!(" overhead {}", c.overhead));
    }
    if c.mpu != 0 {
        line.push_str(&format!(" mpu {}", c.mpu));
    }
    if c.link_layer != LinkLayer::None {
        line.push_str(&format!(" {}", word(LAYERS, &c.link_layer)));
    }
    line.push_str(&format!(" rtt {rtt} memlimit {memory}"));
    if c.wash {
        line.push_str(" wash");
    }
    if c.ack_filter != AckFilter::None {
        line.push_str(&format!(" {}", word(FILTERS, &c.ack_filter)));
    }
    Some(line)
}
