//! `dumbbell test`: the conformance suite of the catalogue, applied to a user's algorithms; and
//! traces, which drive one algorithm without a network, for a user's property tests.
use crate::files::environment::builtin_plugins;
use crate::language::lookup::{Family, resolve};
use crate::language::plugins;
use crate::language::plugins::PluginLoader;
use crate::language::problem::{Check, Diagnostic, Problem, Texts, code};
use crate::language::{node, read};
use crate::run::engine;
use crate::verb::{self, Asked};
use dumbbell_algos::aqm::AnyAqm;
use dumbbell_algos::cc::AnyCc;
use dumbbell_algos::suite::cc::{self as lives, PATH};
use dumbbell_algos::suite::traffic::{Arrival, hold};
use dumbbell_algos::suite::under_test::{AqmUnderTest, CcUnderTest, Check as SuiteCheck};
use dumbbell_algos::suite::{aqm, cc};
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::packet::{Dscp, Ecn, FlowId, Meta};
use dumbbell_core::plugin::{Alarm, Failure, Page, Plugins};
use dumbbell_core::testing::Event;
use dumbbell_core::units::{Limit, Rate, Span};
use dumbbell_plan::Spec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Applies the suites to everything in `makers`:
/// `{"ok", "algorithms": [{"name", "kind", "file", "checks": [{"name", "what", "verdict": "pass" |
/// "fail", "reason"}]}]}`.
pub fn test(plugins: &Plugins) -> Value {
    let queues =
        plugins.aqm.iter().map(|m| report("aqm", m.page(), aqm::CHECKS, &AqmUnderTest::plugin(m)));
    let controls =
        plugins.cc.iter().map(|m| report("cc", m.page(), cc::CHECKS, &CcUnderTest::plugin(m)));
    let algorithms: Vec<Value> = queues.chain(controls).collect();
    let passed =
        |a: &Value| a["checks"].as_array().into_iter().flatten().all(|c| c["verdict"] == "pass");
    json!({ "ok": algorithms.iter().all(passed), "algorithms": algorithms })
}

fn report<S>(kind: &str, page: &Page, checks: &[SuiteCheck<S>], subject: &S) -> Value {
    let one = |check: &SuiteCheck<S>| {
        let found = (check.run)(subject).err();
        let verdict = if found.is_none() { "pass" } else { "fail" };
        json!({ "name": check.name, "what": check.what, "verdict": verdict, "reason": found })
    };
    json!({
        "name": page.name,
        "kind": kind,
        "file": page.file,
        "checks": checks.iter().map(one).collect::<Vec<_>>(),
    })
}

/// An algorithm and its trace.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DriveRequest {
    /// A trace of packets for a queue.
    Queue(Traffic),
    /// A trace of events for a congestion control.
    Connection(Connection),
}

impl Asked for DriveRequest {
    fn read(request: &Value) -> Result<DriveRequest, Problem> {
        match request["cc"].is_null() {
            true => verb::typed(request).map(DriveRequest::Queue),
            false => verb::typed(request).map(DriveRequest::Connection),
        }
    }
}

/// A queue's algorithm under a trace.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// As in a scenario.
    queue: Value,
    rate: Rate,
    mtu: u32,
    delay: Span,
    seed: u64,
    arrivals: Vec<Packet>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Packet {
    /// Seconds after the packet before.
    gap: f64,
    bytes: u32,
    #[serde(default)]
    flow: u32,
    #[serde(default)]
    #[schemars(with = "String")]
    ecn: Ecn,
    #[serde(default)]
    dscp: u8,
}

/// A congestion control under a trace.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// As in a scenario.
    cc: Value,
    #[schemars(with = "Vec<Value>")]
    events: Vec<lives::Event>,
}

/// Drives one algorithm by a trace, without a network.
///
/// # Errors
/// Code 2: an algorithm or a trace that cannot be read; 1: the algorithm failed, or broke a rule of
/// the suite.
pub fn drive(request: &DriveRequest, loader: &dyn PluginLoader) -> Result<Value, Problem> {
    match request {
        DriveRequest::Queue(traffic) => drive_queue(traffic, loader),
        DriveRequest::Connection(connection) => drive_connection(connection, loader),
    }
}

/// Sends packets through a port:
/// `{"events": [{"packet", "fate": "sent" | "dropped" | "marked", "time_s" | "why"}]}`.
fn drive_queue(asked: &Traffic, loader: &dyn PluginLoader) -> Result<Value, Problem> {
    let limit = asked.queue.get("limit").cloned().unwrap_or_else(|| json!("50 pkt"));
    let limit: Limit = serde_json::from_value(limit).map_err(|e| refused(e.to_string()))?;
    let capacity = limit.resolve(asked.rate, Span::from_ps(asked.delay.ps() * 2));
    let reached = (asked.queue["limit_rule"] == "reached").then(|| capacity.until_reached());
    let capacity = reached.flatten().unwrap_or(capacity);
    let counted = asked.queue["count_in_service"] == true;
    let (spec, plugins) =
        choose(Family::Aqm, &asked.queue, capacity.in_packets(asked.mtu), loader)?;
    let site = LinkInfo { rate: asked.rate, capacity, mtu: asked.mtu, delay: asked.delay };
    engine::lacking(std::iter::once(spec.kind.as_str()), &plugins).map_or(Ok(()), Err)?;
    let alarm = Alarm::default();
    let made = match plugins.aqm(&spec.kind) {
        Some(factory) => factory.make(&spec.config, &site, &alarm).map(AnyAqm::Plugin),
        None => AnyAqm::build(&spec.kind, &spec.config, &site),
    };
    let aqm = made.map_err(|fault| refused(fault.cause))?;
    let traffic: Vec<Arrival> = asked.arrivals.iter().map(Packet::arrival).collect();
    let events = hold(aqm, site, asked.seed, counted, &traffic, |_| {});
    alarm.failure().map_or(Ok(()), |failure| Err(engine::raised(failure, asked.seed)))?;
    Ok(json!({ "events": events.iter().map(shown).collect::<Vec<_>>() }))
}

impl Packet {
    fn arrival(&self) -> Arrival {
        let meta = Meta {
            ip_len: self.bytes,
            wire_len: self.bytes,
            flow: FlowId(self.flow),
            ecn: self.ecn,
            dscp: Dscp(self.dscp),
            fragment: false,
            back: false,
        };
        Arrival { gap: Span::from_secs_f64(self.gap), meta }
    }
}

fn shown(event: &Event) -> Value {
    match event {
        Event::Sent(id, at) => json!({ "packet": id, "fate": "sent", "time_s": at.seconds() }),
        Event::Dropped(id, why) => json!({ "packet": id, "fate": "dropped", "why": why.name() }),
        Event::Marked(id, why) => json!({ "packet": id, "fate": "marked", "why": why.name() }),
    }
}

/// Takes a congestion control through a life: `{"windows": [{"cwnd", "ssthresh"}]}`, bytes after
/// each event; the path has segments of 1000 bytes, an initial window of ten.
fn drive_connection(asked: &Connection, loader: &dyn PluginLoader) -> Result<Value, Problem> {
    let (spec, plugins) = choose(Family::Cc, &asked.cc, None, loader)?;
    let alarm = Alarm::default();
    let made = match plugins.cc(&spec.kind) {
        Some(factory) => factory.make(&spec.config, &PATH, &alarm).map(AnyCc::Plugin),
        None => AnyCc::build(&spec.kind, &spec.config, &PATH),
    };
    let mut cc = made.map_err(|fault| refused(fault.cause))?;
    let windows = lives::drive(&mut cc, &asked.events);
    alarm.failure().map_or(Ok(()), |failure: &Failure| Err(engine::raised(failure, 0)))?;
    match windows {
        Err((event, found)) => Err(Problem::failure(
            format!("{} broke a rule at event {event}: {found}", spec.kind),
            None,
        )),
        Ok(windows) => {
            let row = |(cwnd, ssthresh): &(u64, Option<u64>)| {
                json!({
                    "cwnd": cwnd, "ssthresh": ssthresh.filter(|s| *s < u64::MAX),
                })
            };
            Ok(json!({ "windows": windows.iter().map(row).collect::<Vec<_>>() }))
        }
    }
}

fn refused(cause: String) -> Problem {
    Problem::new(code::SCENARIO, &[Diagnostic::new(cause)], &Texts::default())
}

/// The algorithm that `written` names, as a scenario would.
fn choose(
    family: Family,
    written: &Value,
    limit: Option<f64>,
    loader: &dyn PluginLoader,
) -> Result<(Spec, Plugins), Problem> {
    let (mut texts, mut check) = (Texts::default(), Check::default());
    let node = read::json(&mut texts, "<request>", written);
    let mut plugins = builtin_plugins();
    plugins::admit(&mut plugins, loader.given(), None, &mut check);
    check.plugins = plugins;
    let spec = resolve(family, &node, &node::path(&[]), limit, &mut check);
    spec.map(|spec| (spec, check.plugins))
        .ok_or_else(|| Problem::new(code::SCENARIO, &check.found, &texts))
}
