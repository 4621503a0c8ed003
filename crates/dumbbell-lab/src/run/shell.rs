//! `dumbbell shell`: a program in a host of a network, while it runs.
use crate::files::environment::ThisMachine;
use crate::language::plugins::NoPlugins;
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::resolve::study::Study;
use crate::run::engine::{Simulate, Stop};
use crate::run::linux::on_linux;
use crate::run::logged::refusal;
use crate::run::request::Request;
use crate::run::run_with;
use crate::run::testbed::emulate;
use crate::verb::{Asked, Caller};
use dumbbell_emu::calibrate::{SHARE, demand};
use dumbbell_emu::live;
use dumbbell_emu::live::host_map::HostMap;
use dumbbell_emu::live::user_program::UserProgram;
use dumbbell_plan::Plan;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A run whose first flow goes from the program's host to its server's. In the words of `program`
/// and `server`, `{client}` and `{server}` stand for the hosts' addresses.
#[derive(Deserialize, JsonSchema)]
pub struct ShellRequest {
    /// The program with its arguments.
    #[serde(default)]
    program: Vec<String>,
    /// The server with its arguments; none without.
    server: Option<Vec<String>>,
    /// Keys of the rates that nobody asked for: they are lowered to what this machine can forward.
    #[serde(default)]
    unshaped: Vec<String>,
    /// The run.
    #[serde(flatten)]
    #[schemars(with = "Request")]
    run: Map<String, Value>,
}

impl Asked for ShellRequest {}

/// Runs a program between real hosts. The answer is that of a run on the kernel, with `program` and
/// `server` (`{"argv", "exit_code", "signal", "iperf3"?}`); `duration_s` is how long the program
/// ran.
///
/// # Errors
/// As [`crate::run::run`]; 2: no program is named, or the network has more than one point; 4: there
/// is no such program.
pub fn shell(request: ShellRequest, by: &Caller<'_>) -> Result<Value, Problem> {
    let ShellRequest { program: client, server, unshaped, run } = request;
    if client.is_empty() {
        return Err(wrong("no program is named", "write it behind --"));
    }
    let virtual_time = run.get("on") == Some(&json!("linux"));
    let mut request = Value::Object(run);
    if !virtual_time {
        request["on"] = json!("kernel");
    }
    let mut plan = planned(&request)?;
    if !unshaped.is_empty() && !virtual_time {
        lower(&mut request, &plan, &unshaped)?;
        plan = planned(&request)?;
    }
    let Some(names) = names(&plan) else {
        return Err(wrong(
            "a program needs a flow, from its host to its server's",
            "write one into \
            the scenario",
        ));
    };
    let named = |words: Vec<String>| words.into_iter().map(|word| name(word, &names)).collect();
    let user_program = UserProgram {
        client: named(client),
        server: server.filter(|words| !words.is_empty()).map(named),
    };
    let by = Caller { plugins: &NoPlugins, ..*by };
    let run: Simulate = if virtual_time { on_linux } else { emulate };
    run_with(&Request::read(&request)?, &by, (run, Some(user_program)))
}

/// The plan of the one network.
fn planned(request: &Value) -> Result<Plan, Problem> {
    let read = Request::read(request)?;
    let study = Study::with(&read.study_input(), &ThisMachine, &NoPlugins, false)?;
    let [only] = &study.points[..] else {
        return Err(wrong(
            "a program runs in one network, and this is a sweep",
            "choose one of its \
            points",
        ));
    };
    study.plan(only, only.seed())
}

/// Lowers the rates of `keys` to four fifths of what a run may ask of this machine, if they are
/// above that. Nobody asked for these rates, so that a second measurement, which may come out
/// lower, is not to refuse them.
fn lower(request: &mut Value, plan: &Plan, keys: &[String]) -> Result<(), Problem> {
    let refused = |fault| match refusal(fault) {
        Stop::Failed(problem) | Stop::Broken(problem) => problem,
        _ => {
            Problem::new(code::INTERRUPTED, &[Diagnostic::new("it was stopped")], &Texts::default())
        }
    };
    let ceiling = live::ceiling(plan).map_err(refused)?;
    let share =
        0.8 * SHARE * ceiling.ceiling_packets_per_s as f64 / demand(plan).packets_per_s.max(1.0);
    let fastest = plan.links.iter().map(|link| link.rate.bps()).max().unwrap_or(0);
    let mbps = (share * fastest as f64 / 1e6) as u64;
    let lowered = keys.iter().filter(|_| share < 1.0 && mbps > 0).map(|key| {
        json!(format!(
            "{key}={mbps} \
        Mbps"
        ))
    });
    let laid = lowered.chain([json!("testbed.calibrate=false")]);
    match request["overrides"].as_array_mut() {
        Some(overrides) => overrides.extend(laid),
        None => request["overrides"] = laid.collect(),
    }
    Ok(())
}

/// The addresses for `{client}` and `{server}`.
fn names(plan: &Plan) -> Option<[(&'static str, String); 2]> {
    let flow = plan.flows.first()?;
    let topology = HostMap::of(plan);
    let address = |node| topology.address(node, flow.ip).to_string();
    Some([("{client}", address(flow.from)), ("{server}", address(flow.to))])
}

fn name(word: String, names: &[(&str, String)]) -> String {
    names.iter().fold(word, |word, (name, address)| word.replace(name, address))
}

fn wrong(cause: &str, fix: &str) -> Problem {
    Problem::new(code::SCENARIO, &[Diagnostic::new(cause).fix(fix)], &Texts::default())
}
