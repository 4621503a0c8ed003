//! Transports and sources: what each `[[flow]]` sends, and how.
use crate::language::lookup::{Family, judge, resolve};
use crate::language::node::{Kind, Node, Path, below, path};
use crate::language::problem::{Check, Diagnostic};
use crate::language::scenario::{Flow, Profile, Scenario, TransportName};
use crate::resolve::flow_template::FlowTemplate;
use crate::resolve::host_signal;
use dumbbell_algos::cc::AnyCc;
use dumbbell_algos::source::AnySource;
use dumbbell_core::catalogue;
use dumbbell_core::plugin::Alarm;
use dumbbell_core::source::Source;
use dumbbell_core::transport::{CongestionControl, Path as CcPath};
use dumbbell_core::units::Bytes;
use dumbbell_plan::{Ip, Spec, Transport};
use dumbbell_tcp::TcpConfig;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// UDP header, bytes.
const UDP_HEADER: u32 = 8;

/// TCP header without options, bytes.
const TCP_HEADER: u64 = 20;

/// The template of `[[flow]]` number `i`.
pub fn template(
    scenario: &Scenario,
    root: &Node,
    i: usize,
    check: &mut Check,
) -> Option<FlowTemplate> {
    let flow = &scenario.flow[i];
    let at = path(&["flow", &i.to_string()]);
    let bulk = short("bulk", root.nearest_place(&at));
    let source_at = below(&at, "source");
    let source =
        resolve(Family::Source, root.at(&source_at).unwrap_or(&bulk), &source_at, None, check);
    times(scenario, flow, &at, root, check);
    let ip = version(flow, &at, root, check);
    let built = source.as_ref().and_then(|s| AnySource::build(&s.kind, &s.config, &()).ok());
    let datagrams = built.as_ref().is_some_and(|s| s.datagrams());
    let udp = flow.transport.map_or(datagrams, |t| t == TransportName::Udp);
    if let Some(kind) =
        source.as_ref().map(|s| &s.kind).filter(|_| udp && built.is_some_and(|s| s.awaits()))
    {
        let p = below(&at, "transport");
        let d = Diagnostic::new(format!(
            "{kind} waits for acknowledgments, and datagrams have \
            none"
        ));
        check.error(d.at(root.nearest_place(&p)).fix("take transport = \"udp\" out").key(&p));
    }
    let transport = if udp {
        udp_transport(flow, ip, &at, root, check)
    } else {
        tcp_transport(scenario, flow, ip, &at, root, check)
    };
    let words = host_signal::written(scenario, flow, udp, &at, root, check);
    Some(FlowTemplate {
        source: source?.into(),
        transport: transport?,
        words,
        ip,
        told: false,
        fitted: BTreeMap::new(),
    })
}

fn short(name: &str, place: crate::language::problem::Place) -> Node {
    Node { place, kind: Kind::Leaf(Value::String(name.into())) }
}

fn times(scenario: &Scenario, flow: &Flow, at: &Path, root: &Node, check: &mut Check) {
    let mut refuse = |key: &str, cause: String, fix: &str| {
        let p = below(at, key);
        check.error(Diagnostic::new(cause).at(root.nearest_place(&p)).fix(fix).key(&p));
    };
    let last = flow.start + flow.start_step * flow.count.unwrap_or(1).saturating_sub(1);
    if flow.start >= scenario.duration {
        let cause = format!(
            "this flow starts at {}, and the run ends at {}",
            flow.start, scenario.duration
        );
        refuse("start", cause, "start it earlier, or raise `duration`");
    } else if last >= scenario.duration {
        let cause = format!(
            "the last of these flows starts at {last}, and the run ends at {}",
            scenario.duration
        );
        refuse("start_step", cause, "make the step shorter, or raise `duration`");
    }
    let latest = last + flow.start_spread;
    if let Some(stop) = flow.stop
        && stop <= latest
    {
        refuse(
            "stop",
            format!("this flow stops at {stop} and may start as late as {latest}"),
            "stop \
            it later",
        );
    }
    if let Some(weight) = flow.weight
        && !(weight > 0.0 && weight <= 1e6)
    {
        refuse(
            "weight",
            format!("{weight} is not a valid weight"),
            "write a number above 0, at most 1e6",
        );
    }
}

/// The version of IP of a flow.
fn version(flow: &Flow, at: &Path, root: &Node, check: &mut Check) -> Ip {
    match flow.ip {
        None | Some(4) => Ip::V4,
        Some(6) => Ip::V6,
        Some(n) => {
            let p = below(at, "ip");
            let d = Diagnostic::new(format!("there is no version {n} of IP here"));
            check.error(d.at(root.nearest_place(&p)).fix("write ip = 4 or ip = 6").key(&p));
            Ip::V4
        }
    }
}

fn udp_transport(
    flow: &Flow,
    ip: Ip,
    at: &Path,
    root: &Node,
    check: &mut Check,
) -> Option<Transport> {
    let before = check.found.len();
    for (key, given) in [
        ("cc", flow.cc.is_some()),
        ("tcp", flow.tcp.is_some()),
        ("profile", flow.profile.is_some()),
    ] {
        if given {
            let p = below(at, key);
            let d = Diagnostic::new(format!("`{key}` belongs to TCP, and this flow is UDP"));
            let fix = "take it out, or write transport = \"tcp\"";
            check.error(d.at(root.nearest_place(&p)).fix(fix).key(&p));
        }
    }
    let ecn = flow.ecn.unwrap_or_default();
    if let Some(df) = flow.df.filter(|_| ip == Ip::V6) {
        let p = below(at, "df");
        let d = Diagnostic::new(format!(
            "df = {df} is a bit of IP version 4, and routers never cut \
                packets of version 6"
        ));
        check.error(d.at(root.nearest_place(&p)).fix("take it out").key(&p));
    }
    let (header, df) = (ip.header() + UDP_HEADER, flow.df.unwrap_or(false));
    (check.found.len() == before).then_some(Transport::Udp { header, ecn, df })
}

fn tcp_transport(
    scenario: &Scenario,
    flow: &Flow,
    ip: Ip,
    at: &Path,
    root: &Node,
    check: &mut Check,
) -> Option<Transport> {
    if flow.df.is_some() {
        let p = below(at, "df");
        let d = Diagnostic::new("`df` here is the bit of datagrams, and this flow is TCP");
        let fix = "write tcp = { pmtu_discovery = \"off\" } for segments that may be cut, or \
            transport = \"udp\"";
        check.error(d.at(root.nearest_place(&p)).fix(fix).key(&p));
    }
    if flow.ecn.is_some() {
        let p = below(at, "ecn");
        let d = Diagnostic::new("`ecn` here is the field of datagrams, and this flow is TCP");
        check.error(
            d.at(root.nearest_place(&p))
                .fix(
                    "write tcp = { ecn = true }, or transport = \
            \"udp\"",
                )
                .key(&p),
        );
    }
    let profile = flow.profile.unwrap_or(scenario.profile);
    let cc_at = below(at, "cc");
    let default = short(profile.default_cc(), root.nearest_place(at));
    let cc = resolve(Family::Cc, root.at(&cc_at).unwrap_or(&default), &cc_at, None, check);
    let written = written_tcp(root, at);
    let tcp = tcp_config(profile, &written, at, check);
    let (cc, mut tcp) = (cc?, tcp?);
    implied(&cc, &mut tcp, &written, at, check);
    if written.get("header").is_none() && ip == Ip::V6 {
        tcp.header = Bytes(u64::from(ip.header()) + TCP_HEADER);
    }
    if written.get("pmtu_least").is_none() {
        tcp.pmtu_least = Bytes(u64::from(ip.least_mtu()));
    }
    Some(Transport::Tcp { cc: cc.into(), tcp: tcp.into() })
}

/// The scenario's `tcp`, overridden by the flow's.
fn written_tcp(root: &Node, at: &Path) -> Node {
    let mut written =
        root.get("tcp").cloned().unwrap_or_else(|| Node::table(root.nearest_place(at)));
    if let Some(own) = root.at(&below(at, "tcp")) {
        written.overlay(own.clone());
    }
    written
}

/// The profile with what was written over it.
fn tcp_config(profile: Profile, written: &Node, at: &Path, check: &mut Check) -> Option<TcpConfig> {
    let at = below(at, "tcp");
    if !matches!(written.kind, Kind::Table(_)) {
        let d = Diagnostic::new("`tcp` is a table of fields").at(written.place).fix(
            "write tcp = { \
            sack = false }",
        );
        check.error(d.key(&at));
        return None;
    }
    let base = TcpConfig::profile(profile.name()).unwrap_or_default();
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
    judge(&read, mine, written, &at, check)
}

/// A path, for one that is built to be asked and not to be used.
pub const SITE: CcPath = CcPath { mss: 1000, initial_window: 2000, ..CcPath::PLAIN };

/// A congestion control's name may imply a recovery, SACK, timestamps and more; what was written
/// against it is an error.
fn implied(cc: &Spec, tcp: &mut TcpConfig, written: &Node, at: &Path, check: &mut Check) {
    let built = match check.plugins.cc(&cc.kind) {
        Some(factory) => factory.make(&cc.config, &SITE, &Alarm::default()).map(AnyCc::Plugin),
        None => AnyCc::build(&cc.kind, &cc.config, &SITE),
    };
    let Ok(built) = built else { return };
    let mut need = |key: &str, wanted: Value| {
        let Some(node) = written.get(key).filter(|n| n.to_json() != wanted) else { return true };
        let cause = format!("{} needs {key} = {wanted}", cc.kind);
        let fix = format!("write {key} = {wanted}, or another cc");
        check.error(
            Diagnostic::new(cause).at(node.place).fix(fix).key(&below(&below(at, "tcp"), key)),
        );
        false
    };
    let implied = built.tcp_overrides();
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
