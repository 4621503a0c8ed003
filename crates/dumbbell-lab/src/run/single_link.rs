//! One link by itself under a table of arrivals: the words of a scenario's link in, a table of
//! fates out.
use crate::files::environment::ThisMachine;
use crate::formats::arrow_table::ArrowTable;
use crate::language::load::Source;
use crate::language::plugins::PluginLoader;
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::resolve::study::{Study, StudyInput};
use crate::run::packet_columns::{common_columns, counts, moments, words_of};
use crate::run::{engine, kernel_queue};
use crate::verb;
use arrow_array::{ArrayRef, Float64Array, UInt64Array};
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::units::Time;
use dumbbell_plan::Plan;
use dumbbell_sim::{Arrival, PacketOutcome, drive as through};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// The name of the link: its queue's chance is that of `port/red` under the seed.
const PORT: &str = "port";
/// The codepoints in the order of their bits.
const CODEPOINTS: [Ecn; 4] = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];

/// Packets that come to a link, in columns of one length.
#[derive(Clone, Debug, Default)]
pub struct Arrivals {
    /// Arrival times, ps, ascending.
    pub time_ps: Vec<u64>,
    /// Length of the IP packet, bytes.
    pub bytes: Vec<u32>,
    /// The ECN field: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE (RFC 3168 section 5).
    pub ecn: Vec<u8>,
    /// Number of the flow.
    pub flow: Vec<u32>,
    /// The DiffServ codepoint, 0 to 63.
    pub dscp: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    link: Map<String, Value>,
    seed: u64,
    /// The user-mode kernel that has the queue; without it, the queue is the simulator's.
    kernel: Option<PathBuf>,
    /// The kernel's queue in tc's words, from the root down; without it, the counterpart of the
    /// link's.
    tc: Option<Vec<String>>,
}

/// Sends arrivals through a link. The request is `{"link": {...}, "seed", "kernel", "tc"}`, the
/// link as in a scenario, without `between` and `name`. With `kernel`, a program, the queue is the
/// kernel's, in the words `tc` if there are any: see [`kernel_queue::drive`] for its rows. A row
/// for each arrival: `time_ps`, `bytes`, `ecn`, `flow`, `dscp`, `queue_packets` (what it found),
/// `verdict` (`pass`, `mark`, `drop`), `reason`, the instants `entered_ps` (the queue;
/// `entered_dscp`: with which codepoint), `dropped_ps`, `left_ps` (its last bit), `arrived_ps` (the
/// far end), and what the algorithm shows after the decision; `probe_` before a name that is taken.
///
/// # Errors
/// Code 2: a link or arrivals that cannot be read; 1: an algorithm of the user's own failed.
pub fn drive(
    request: &Value,
    arrivals: &Arrivals,
    loader: &dyn PluginLoader,
) -> Result<ArrowTable, Problem> {
    let asked: Request = verb::typed(request)?;
    let arrivals = read(arrivals)?;
    let (kernel, tc) = (asked.kernel.clone(), asked.tc.clone());
    let (plan, plugins) = plan(asked, loader)?;
    let link = plan.links.iter().position(|l| l.name == PORT).unwrap_or(0);
    engine::lacking(plan.links.iter().map(|link| link.aqm.kind.as_str()), &plugins)
        .map_or(Ok(()), Err)?;
    if let Some(kernel) = kernel {
        let asked = kernel_queue::Asked { kernel: &kernel, tc: tc.as_deref(), plugins: &plugins };
        return kernel_queue::drive(&plan, &plan.links[link], &arrivals, asked);
    }
    let mut outcome = None;
    loader.within(&mut || outcome = Some(through(&plan, link, &arrivals, &plugins)));
    let outcome = outcome.unwrap_or_else(|| through(&plan, link, &arrivals, &plugins));
    let (fates, failure) = outcome.map_err(|fault| refused(fault.cause, fault.fix))?;
    failure.map_or(Ok(()), |failure| Err(engine::raised(&failure, plan.seed)))?;
    Ok(table(&arrivals, &fates))
}

fn refused(cause: String, fix: Option<String>) -> Problem {
    let d = Diagnostic::new(cause);
    let d = fix.map_or(d.clone(), |fix| d.fix(fix));
    Problem::new(code::SCENARIO, &[d], &Texts::default())
}

/// A scenario of two hosts with the link between them, and datagrams over it, so that any MTU will
/// do.
fn plan(
    asked: Request,
    loader: &dyn PluginLoader,
) -> Result<(Plan, dumbbell_core::plugin::Plugins), Problem> {
    let mut link = asked.link;
    link.insert("between".into(), json!(["a", "b"]));
    link.insert("name".into(), json!(PORT));
    let value = json!({
        "duration": "1 s",
        "seed": asked.seed,
        "host": [{ "name": "a" }, { "name": "b" }],
        "link": [link],
        "flow": [{ "from": "a", "to": "b", "source": { "kind": "cbr" } }],
    });
    let source = Source::Value { value, name: "<drive>".into() };
    let input = StudyInput { source, overrides: vec![], also: Map::new(), uses: vec![] };
    let study = Study::with(&input, &ThisMachine, loader, false)?;
    let point = &study.points[0];
    Ok((study.plan(point, point.seed())?, study.plugins.clone()))
}

/// No packet comes later: room is left for what then waits.
const LATEST_PS: u64 = 9_000_000_000_000_000_000;

fn read(columns: &Arrivals) -> Result<Vec<Arrival>, Problem> {
    let Arrivals { time_ps, bytes, ecn, flow, dscp } = columns;
    if [bytes.len(), ecn.len(), flow.len(), dscp.len()] != [time_ps.len(); 4] {
        return Err(refused("the columns of arrivals have different lengths".into(), None));
    }
    let mut before = 0;
    let one = |i: usize| {
        let wrong = |cause: String, fix: &str| {
            Err(refused(format!("arrival {i}: {cause}"), Some(fix.into())))
        };
        let at = time_ps[i];
        if at < before {
            let cause = format!("it comes at {at} ps, before the one before it at {before} ps");
            return wrong(cause, "sort arrivals by time");
        }
        if at > LATEST_PS {
            return wrong(format!("it comes at {at} ps"), "write at most 9e18 ps, a hundred days");
        }
        before = at;
        let Some(ip_len) = u16::try_from(bytes[i]).ok().filter(|n| *n > 0) else {
            return wrong(format!("no IP packet has {} B", bytes[i]), "write 1 to 65535");
        };
        let Some(ecn) = CODEPOINTS.get(usize::from(ecn[i])).copied() else {
            return wrong(
                format!("{} is not a codepoint", ecn[i]),
                "write 0 (not_ect), 1 (ect1), 2 \
                (ect0) or 3 (ce)",
            );
        };
        if flow[i] >= 1 << 31 {
            return wrong(format!("{} is not a flow number", flow[i]), "write a number below 2^31");
        }
        if dscp[i] > 63 {
            return wrong(format!("{} is no DiffServ codepoint", dscp[i]), "write 0 to 63");
        }
        Ok(Arrival { at: Time::from_ps(at), ip_len, ecn, flow: flow[i], dscp: Dscp(dscp[i]) })
    };
    (0..time_ps.len()).map(one).collect()
}

fn table(arrivals: &[Arrival], fates: &[PacketOutcome]) -> ArrowTable {
    let moment = |f: fn(&PacketOutcome) -> Option<Time>| moments(fates.iter().map(f));
    let dscp = fates.iter().map(|f| f.dscp.map(|d| u64::from(d.0)));
    let mut columns = common_columns(arrivals);
    let own: [(&str, ArrayRef); 8] = [
        ("queue_packets", counts(fates.iter().map(|f| u64::from(f.backlog)))),
        ("verdict", words_of(fates.iter().map(|f| Some(verdict(f))))),
        ("reason", words_of(fates.iter().map(|f| f.reason.map(|r| r.name())))),
        ("entered_ps", moment(|f| f.entered)),
        ("entered_dscp", Arc::new(UInt64Array::from_iter(dscp))),
        ("dropped_ps", moment(|f| f.dropped)),
        ("left_ps", moment(|f| f.left)),
        ("arrived_ps", moment(|f| f.arrived)),
    ];
    columns.extend(own.map(|(name, array)| (name.to_string(), array)));
    for (k, name) in shown(fates).into_iter().enumerate() {
        // An algorithm shows the same numbers after each decision; the place is a guess that is
        // right, then.
        let of = |f: &PacketOutcome| {
            f.gauges
                .0
                .get(k)
                .filter(|(n, _)| *n == name)
                .map(|(_, v)| *v)
                .or_else(|| f.gauges.get(name))
        };
        let taken = columns.iter().any(|(other, _)| other == name);
        let column: ArrayRef = Arc::new(Float64Array::from_iter(fates.iter().map(of)));
        columns.push((format!("{}{name}", if taken { "probe_" } else { "" }), column));
    }
    ArrowTable::of_columns(columns)
}

fn verdict(fate: &PacketOutcome) -> &'static str {
    match (fate.dropped, fate.reason) {
        (Some(_), _) => "drop",
        (None, Some(_)) => "mark",
        (None, None) => "pass",
    }
}

/// The names of what the algorithm shows, in the order in which it first shows them.
fn shown(fates: &[PacketOutcome]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for fate in fates {
        if fate.gauges.0.len() != names.len() {
            let new: Vec<_> =
                fate.gauges.0.iter().map(|(n, _)| *n).filter(|n| !names.contains(n)).collect();
            names.extend(new);
        }
    }
    names
}
