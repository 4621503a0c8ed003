//! Transports and sources: what each `[[flow]]` sends, and how.
mod scream;

use crate::language::lookup::{Family, judge};
use crate::language::node::{Kind, Node};
use crate::language::scenario::{Flow, Profile, Scenario, TransportName};
use crate::resolve::context::{At, Context};
use crate::resolve::flow_template::FlowTemplate;
use crate::resolve::host_signal;
use dumbbell_algos::cc::{self, AnyCc};
use dumbbell_algos::source::AnySource;
use dumbbell_core::catalogue::{self, Config};
use dumbbell_core::plugin::Alarm;
use dumbbell_core::source::Source;
use dumbbell_core::transport::{CongestionControl, Path as CcPath, TcpOverrides};
use dumbbell_core::units::{Bytes, Number};
use dumbbell_plan::{Ip, Spec, Transport};
use dumbbell_quic::QuicConfig;
use dumbbell_tcp::TcpConfig;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// UDP header, bytes.
const UDP_HEADER: u32 = 8;

/// TCP header without options, bytes.
const TCP_HEADER: u64 = 20;

/// The template of `[[flow]]` number `i`.
pub fn template(scenario: &Scenario, i: usize, cx: &Context<'_>) -> Option<FlowTemplate> {
    let flow = &scenario.flow[i];
    let at = cx.item("flow", i);
    let usual = if flow.transport == Some(TransportName::Scream) { "camera" } else { "bulk" };
    let spec = named(&at.below("source"), Family::Source, usual);
    times(scenario, flow, &at);
    let ip = version(flow, &at);
    let source = spec.as_ref().and_then(|s| AnySource::build(&s.kind, &s.config, &()).ok());
    let datagrams = source.as_ref().is_some_and(AnySource::datagrams);
    let transport = flow.transport.unwrap_or(match datagrams {
        true => TransportName::Udp,
        false => TransportName::Tcp,
    });
    let udp = transport == TransportName::Udp;
    if let Some(spec) = &spec
        && udp
        && source.as_ref().is_some_and(AnySource::awaits)
    {
        let cause = format!("{} waits for acknowledgments, and datagrams have none", spec.kind);
        at.below("transport").refuse(cause, "take transport = \"udp\" out");
    }
    let transport = match transport {
        TransportName::Udp => udp_transport(flow, ip, &at),
        TransportName::Tcp => tcp_transport(scenario, flow, ip, &at),
        TransportName::Quic => quic_transport(flow, ip, &at),
        TransportName::Scream => {
            if let (Some(spec), Some(source)) = (&spec, &source) {
                scream::needs_coder(spec, source, &at);
            }
            scream::transport(flow, ip, &at)
        }
    };
    let words = host_signal::written(scenario, flow, udp, &at);
    Some(FlowTemplate {
        source: spec?.into(),
        largest: source.and_then(|s| s.largest()),
        transport: transport?,
        words,
        ip,
        told: false,
        fitted: BTreeMap::new(),
    })
}

/// The algorithm at `at`, or where none is written the one of the name `default`.
fn named(at: &At<'_>, family: Family, default: &str) -> Option<Spec> {
    match at.node() {
        Some(node) => at.algorithm(family, node, None),
        None => {
            let kind = Kind::Leaf(Value::String(default.into()));
            at.algorithm(family, &Node { place: at.place(), kind }, None)
        }
    }
}

fn times(scenario: &Scenario, flow: &Flow, at: &At<'_>) {
    let Scenario { duration, .. } = scenario;
    let last = flow.start + flow.start_step * flow.count.unwrap_or(1).saturating_sub(1);
    if flow.start >= *duration {
        let cause = format!("this flow starts at {}, and the run ends at {duration}", flow.start);
        at.below("start").refuse(cause, "start it earlier, or raise `duration`");
    } else if last >= *duration {
        let cause =
            format!("the last of these flows starts at {last}, and the run ends at {duration}");
        at.below("start_step").refuse(cause, "make the step shorter, or raise `duration`");
    }
    let latest = last + flow.start_spread;
    if let Some(stop) = flow.stop
        && stop <= latest
    {
        let cause = format!("this flow stops at {stop} and may start as late as {latest}");
        at.below("stop").refuse(cause, "stop it later");
    }
    if let Some(weight) = flow.weight
        && !(weight > 0.0 && weight <= 1e6)
    {
        let cause = format!("{} is not a valid weight", Number(weight));
        at.below("weight").refuse(cause, "write a number above 0, at most 1e6");
    }
}

/// The version of IP of a flow.
fn version(flow: &Flow, at: &At<'_>) -> Ip {
    match flow.ip {
        None | Some(4) => Ip::V4,
        Some(6) => Ip::V6,
        Some(n) => {
            let cause = format!("there is no version {n} of IP here");
            at.below("ip").refuse(cause, "write ip = 4 or ip = 6");
            Ip::V4
        }
    }
}

fn udp_transport(flow: &Flow, ip: Ip, at: &At<'_>) -> Option<Transport> {
    let before = at.cx.errors();
    without_others(flow, "UDP", at);
    let ecn = flow.ecn.unwrap_or_default();
    if let Some(df) = flow.df.filter(|_| ip == Ip::V6) {
        let cause = format!(
            "df = {df} is a bit of IP version 4, and routers never cut packets of version 6"
        );
        at.below("df").refuse(cause, "take it out");
    }
    let (header, df) = (ip.header() + UDP_HEADER, flow.df.unwrap_or(false));
    (at.cx.errors() == before).then_some(Transport::Udp { header, ecn, df })
}

fn tcp_transport(scenario: &Scenario, flow: &Flow, ip: Ip, at: &At<'_>) -> Option<Transport> {
    if flow.df.is_some() {
        let fix = "write tcp = { pmtu_discovery = \"off\" } for segments that may be cut, or \
            transport = \"udp\"";
        let cause = "`df` here is the bit of datagrams, and this flow is TCP";
        at.below("df").refuse(cause, fix);
    }
    if flow.ecn.is_some() {
        let cause = "`ecn` here is the field of datagrams, and this flow is TCP";
        at.below("ecn").refuse(cause, "write tcp = { ecn = true }, or transport = \"udp\"");
    }
    without_others(flow, "TCP", at);
    let profile = flow.profile.unwrap_or(scenario.profile);
    let cc = control(profile, &at.below("cc"));
    let at = at.below("tcp");
    let written = written(&at, "tcp");
    let tcp = tcp_config(profile, &written, &at);
    let (cc, mut tcp) = (cc?, tcp?);
    implied(&cc, &mut tcp, &written, &at);
    if written.get("header").is_none() && ip == Ip::V6 {
        tcp.header = Bytes(u64::from(ip.header()) + TCP_HEADER);
    }
    if written.get("pmtu_least").is_none() {
        tcp.pmtu_least = Bytes(u64::from(ip.least_mtu()));
    }
    Some(Transport::Tcp { cc: cc.into(), tcp: tcp.into() })
}

/// Refuses the settings of other transports than the flow's own.
fn without_others(flow: &Flow, own: &str, at: &At<'_>) {
    for (key, name, given) in [
        ("cc", "TCP", flow.cc.is_some() && own != "QUIC"),
        ("tcp", "TCP", flow.tcp.is_some()),
        ("profile", "TCP", flow.profile.is_some()),
        ("quic", "QUIC", flow.quic.is_some()),
        ("scream", "SCReAM", flow.scream.is_some()),
    ] {
        if given && name != own {
            let cause = format!("`{key}` belongs to {name}, and this flow is {own}");
            let fix =
                format!("take it out, or write transport = \"{}\"", name.to_ascii_lowercase());
            at.below(key).refuse(cause, &fix);
        }
    }
}

fn quic_transport(flow: &Flow, ip: Ip, at: &At<'_>) -> Option<Transport> {
    without_others(flow, "QUIC", at);
    if flow.df.is_some() {
        let cause = "packets of QUIC are never cut (RFC 9000 section 14)";
        at.below("df").refuse(cause, "take it out");
    }
    if flow.ecn.is_some() {
        let cause = "`ecn` here is the field of datagrams, and this flow is QUIC";
        at.below("ecn").refuse(cause, "write quic = { ecn = \"ect0\" }");
    }
    let cc = named(&at.below("cc"), Family::Cc, "newreno");
    let below = at.below("quic");
    let written = written(&below, "quic");
    let quic = configured::<QuicConfig>("QUIC", "quic = { ack_every = 2 }", &written, &below);
    let (cc, mut quic) = (cc?, quic?);
    let implied = overrides(&cc, at);
    if let Some(reason) = QuicConfig::refusal(&cc.kind, implied) {
        let cause = format!("{} cannot run over QUIC: {reason}", cc.kind);
        at.below("cc").refuse(cause, "take another cc, or write transport = \"tcp\"");
        return None;
    }
    let with = quic.with_overrides(implied);
    if let Some(node) = written.get("ecn").filter(|_| with.ecn != quic.ecn) {
        let wanted = serde_json::to_value(with.ecn).unwrap_or_default();
        let cause = format!("{} needs ecn = {wanted}", cc.kind);
        let fix = format!("write ecn = {wanted}, or another cc");
        below.below("ecn").refuse_at(node.place, cause, fix);
        return None;
    }
    quic = with;
    if written.get("header").is_none() {
        quic.header = Bytes(u64::from(ip.header() + UDP_HEADER));
    }
    Some(Transport::Quic { cc: cc.into(), quic: quic.into() })
}

/// The defaults of the transport `name` with what was written over them.
fn configured<C: Config>(name: &str, example: &str, written: &Node, at: &At<'_>) -> Option<C> {
    if !matches!(written.kind, Kind::Table(_)) {
        let cause = format!("`{}` is a table of fields", name.to_lowercase());
        at.refuse_at(written.place, cause, format!("write {example}"));
        return None;
    }
    let mine: Map<String, Value> =
        written.entries().iter().map(|e| (e.key.clone(), e.node.to_json())).collect();
    let read = |mine: &Value| {
        catalogue::read::<C>(mine).map_err(|mut fault| {
            let place = format!(" in {name}");
            fault.cause = fault.cause.replace("parameter", "field").replace(" here", &place);
            fault
        })
    };
    judge(&read, mine, written, &at.path, &mut at.cx.check())
}

/// The congestion control. Under the profile `linux`, parameters that are not written are Linux's.
fn control(profile: Profile, at: &At<'_>) -> Option<Spec> {
    let mut cc = named(at, Family::Cc, profile.default_cc())?;
    if profile == Profile::Linux
        && let Some(entry) = cc::CATALOGUE.iter().find(|e| e.about.name == cc.kind)
    {
        let mut usual = entry.linux_defaults();
        for (key, _) in entry.about.linux {
            if at.node().is_none_or(|node| node.get(key).is_none()) {
                cc.config[*key] = usual[*key].take();
            }
        }
    }
    Some(cc)
}

/// The scenario's table `key`, overridden by the flow's, which is at `at`.
fn written(at: &At<'_>, key: &str) -> Node {
    let mut written = at.cx.root.get(key).cloned().unwrap_or_else(|| Node::table(at.place()));
    if let Some(own) = at.node() {
        written.overlay(own.clone());
    }
    written
}

/// The profile with what was written over it.
fn tcp_config(profile: Profile, written: &Node, at: &At<'_>) -> Option<TcpConfig> {
    if !matches!(written.kind, Kind::Table(_)) {
        let fix = "write tcp = { sack = false }";
        at.refuse_at(written.place, "`tcp` is a table of fields", fix);
        return None;
    }
    let base = TcpConfig::profile(profile.name()).unwrap_or_default();
    if written.entries().is_empty() {
        return Some(base);
    }
    let base = serde_json::to_value(&base).unwrap_or_default();
    let mine: Map<String, Value> =
        written.entries().iter().map(|e| (e.key.clone(), e.node.to_json())).collect();
    let read = |mine: &Value| {
        let mut whole = base.clone();
        for (key, value) in mine.as_object().into_iter().flatten() {
            whole[key] = value.clone();
        }
        // Writing `sack = false` under a profile that recovers by SACK means the recovery without
        // it.
        if whole["sack"] == Value::Bool(false) && mine["recovery"].is_null() {
            whole["recovery"] = "newreno".into();
        }
        catalogue::read::<TcpConfig>(&whole).map_err(|mut fault| {
            fault.cause = fault.cause.replace("parameter", "field").replace(" here", " in TCP");
            fault
        })
    };
    judge(&read, mine, written, &at.path, &mut at.cx.check())
}

/// A path, for one that is built to be asked and not to be used.
pub const SITE: CcPath = CcPath { mss: 1000, initial_window: 2000, ..CcPath::PLAIN };

/// What the name of a congestion control implies; nothing if it cannot be made.
fn overrides(cc: &Spec, at: &At<'_>) -> TcpOverrides {
    let factory = at.cx.check().plugins.cc(&cc.kind).cloned();
    let built = match factory {
        Some(factory) => factory.make(&cc.config, &SITE, &Alarm::default()).map(AnyCc::Plugin),
        None => AnyCc::build(&cc.kind, &cc.config, &SITE),
    };
    built.map_or(TcpOverrides::NOTHING, |cc| cc.tcp_overrides())
}

/// A congestion control's name may imply a recovery, SACK, timestamps and more; what was written
/// against it is an error.
fn implied(cc: &Spec, tcp: &mut TcpConfig, written: &Node, at: &At<'_>) {
    let implied = overrides(cc, at);
    let need = |key: &str, wanted: Value| {
        let Some(node) = written.get(key).filter(|n| n.to_json() != wanted) else { return true };
        let cause = format!("{} needs {key} = {wanted}", cc.kind);
        let fix = format!("write {key} = {wanted}, or another cc");
        at.below(key).refuse_at(node.place, cause, fix);
        false
    };
    let mut agreed = true;
    if implied.timestamps {
        agreed &= need("timestamps", true.into());
    }
    if implied.freeze {
        agreed &= need("freeze", true.into());
    }
    if let Some(detection) = implied.detection {
        agreed &= need("detection", detection.into());
    }
    if let Some(ecn) = implied.ecn {
        agreed &= need("ecn", ecn.into());
    }
    if implied.recovery == Some("sack") {
        agreed &= need("sack", true.into());
    }
    if agreed {
        // A plan shows `sack` as the profile has it; the connection drops it where its recovery
        // does without.
        let sack = tcp.sack;
        *tcp = tcp.with_overrides(implied);
        tcp.sack |= sack;
    }
}
