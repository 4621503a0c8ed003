//! Runs that fail: each is a row, and the others go on.
use super::*;
use crate::language::plugins::{NoPlugins, PluginLoader};
use crate::results::run_output::RunOutput;
use crate::verb::Asked;
use dumbbell_core::units::Span;
use dumbbell_plan::Plan;
use dumbbell_sim::partition::Partition;
use engine::divided::{self, Machine};
use serde_json::json;
use std::sync::LazyLock;
use std::sync::atomic::AtomicUsize;
use std::thread;
use std::time::{Duration, Instant};

fn run_with(
    request: &Value,
    progress: &dyn Fn(Progress) -> bool,
    loader: &dyn PluginLoader,
    by: (engine::Simulate, Option<UserProgram>),
) -> Result<Value, Problem> {
    let caller = Caller { plugins: loader, progress, ..Caller::PLAIN };
    super::run_with(&Request::read(request)?, &caller, by)
}

fn run(
    request: &Value,
    progress: &dyn Fn(Progress) -> bool,
    loader: &dyn PluginLoader,
) -> Result<Value, Problem> {
    let caller = Caller { plugins: loader, progress, ..Caller::PLAIN };
    super::run(&Request::read(request)?, &caller)
}

const SCENARIO: &str = r#"
duration = "2 s"
replications = 3
queue = { kind = "red", limit = "36 pkt" }
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
flow = [{ name = "s", start_spread = "100 ms" }]
sweep.grid = { "queue.limit" = ["20 pkt", "40 pkt"] }
"#;

/// Seed 2 panics, and seed 3 loses a packet.
fn fragile(
    engine: &Engine<'_>,
    plan: &Plan,
    hash: &str,
    dir: Option<&Path>,
) -> Result<RunOutput, Stop> {
    let mut ran = simulate(engine, plan, hash, dir)?;
    match plan.seed {
        2 => panic!("no such state"),
        3 => {
            ran.report.conservation.ok = false;
            ran.report.conservation.faults = vec!["one is gone".into()];
        }
        _ => {}
    }
    Ok(ran)
}

fn request(store: Option<&Path>) -> Value {
    let mut r = json!({ "source": { "text": SCENARIO } });
    if let Some(store) = store {
        r["store"] = json!(store);
    }
    r
}

#[test]
fn a_failure_is_a_row_and_the_others_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    for store in [None, Some(store.as_path())] {
        let said = run_with(&request(store), &|_| true, &NoPlugins, (fragile, None))
            .unwrap_or_else(|p| panic!("{}", p.rendered));
        assert_eq!((&said["valid"], &said["code"]), (&json!(false), &json!(code::INVALID)));
        let failures = said["failures"].as_array().unwrap();
        assert_eq!(failures.len(), 4);
        assert_eq!(
            (&failures[0]["point"], &failures[0]["seed"], &failures[0]["code"]),
            (&json!(1), &json!(2), &json!(1))
        );
        assert_eq!(failures[0]["message"], "the run panicked: no such state");
        assert_eq!((&failures[1]["seed"], &failures[1]["code"]), (&json!(3), &json!(5)));
        assert_eq!(failures[2]["overrides"], json!({ "queue.limit": "40 pkt" }));
        let point = &said["points"][0];
        assert_eq!(point["runs"].as_array().unwrap().len(), 3);
        assert_eq!(
            point["flows"][0]["goodput_bps"]["n"], 2,
            "means are of the runs that have \
            results"
        );
    }
    // A failure is no result: the next time it is tried again, and what is right is kept.
    let again = run(&request(Some(&store)), &|_| true, &NoPlugins)
        .unwrap_or_else(|p| panic!("{}", p.rendered));
    assert_eq!(
        (&again["from_store"], &again["valid"], again.get("failures")),
        (&json!(2), &json!(true), None)
    );
    let last = run_with(&request(Some(&store)), &|_| true, &NoPlugins, (fragile, None))
        .unwrap_or_else(|p| panic!("{}", p.rendered));
    assert_eq!((&last["from_store"], &last["valid"]), (&json!(6), &json!(true)));
}

#[test]
fn panics_alone_end_with_1_and_a_single_run_with_its_own_code() {
    let always: engine::Simulate = |_, _, _, _| panic!("always");
    let said = run_with(&request(None), &|_| true, &NoPlugins, (always, None))
        .unwrap_or_else(|p| panic!("{}", p.rendered));
    assert_eq!((&said["valid"], &said["code"]), (&json!(false), &json!(code::FAILURE)));
    assert_eq!(said["points"][0]["error"]["message"], "the run panicked: always");
    let mut single = request(None);
    single["overrides"] = json!(["replications=1", "sweep.grid={}"]);
    single["source"]["text"] =
        json!(SCENARIO.replace("sweep.grid = { \"queue.limit\" = [\"20 pkt\", \"40 pkt\"] }", ""));
    single["overrides"] = json!(["replications=1"]);
    let problem = run_with(&single, &|_| true, &NoPlugins, (always, None)).unwrap_err();
    assert!(problem.code == 1 && problem.rendered.contains("always"), "{}", problem.rendered);
}

#[test]
fn a_disk_that_is_full_ends_everything() {
    let full: engine::Simulate =
        |_, _, _, _| Err(Stop::Broken(Problem::failure("the disk is full", None)));
    let problem = run_with(&request(None), &|_| true, &NoPlugins, (full, None)).unwrap_err();
    assert!(problem.rendered.contains("the disk is full"));
}

#[test]
fn an_interrupted_sweep_says_what_is_kept_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut r = request(Some(dir.path()));
    r["threads"] = json!(1);
    let slow: engine::Simulate = |engine, plan, hash, dir| {
        thread::sleep(BEAT * 2);
        simulate(engine, plan, hash, dir)
    };
    let problem = run_with(&r, &|p| p.finished < 2, &NoPlugins, (slow, None)).unwrap_err();
    assert_eq!(problem.code, code::INTERRUPTED);
    assert!(problem.rendered.contains("finished runs are in"), "{}", problem.rendered);
    let kept =
        run(&r, &|_| true, &NoPlugins).unwrap_or_else(|p| panic!("{}", p.rendered))["from_store"]
            .as_u64()
            .unwrap();
    assert!((2..6).contains(&kept), "{kept}");
}

#[test]
fn a_wrong_point_is_refused_or_with_keep_going_a_row() {
    let mut r = request(None);
    r["overrides"] = json!(["sweep.grid={\"queue.limit\"=[\"20 pkt\", \"-3 pkt\", \"40 pkt\"]}"]);
    assert_eq!(run(&r, &|_| true, &NoPlugins).unwrap_err().code, code::SCENARIO);
    r["keep_going"] = json!(true);
    let said = run(&r, &|_| true, &NoPlugins).unwrap_or_else(|p| panic!("{}", p.rendered));
    assert_eq!((said["points"].as_array().unwrap().len(), &said["code"]), (3, &json!(1)));
    assert_eq!(said["points"][1]["error"]["code"], 2);
    assert_eq!(said["failures"][0]["point"], 2);
    assert_eq!(said["points"][2]["flows"][0]["goodput_bps"]["n"], 3);
    r["overrides"] = json!(["queue.max_p=7"]);
    assert_eq!(
        run(&r, &|_| true, &NoPlugins).unwrap_err().code,
        code::SCENARIO,
        "where all are wrong there is nothing to go on with"
    );
}

/// Two seconds of a link at 1 Gbit/s: enough to do between two meetings of threads.
const FAST: &str = r#"
duration = "2 s"
warmup = "500 ms"
[dumbbell.bottleneck]
rate = "1 Gbps"
delay = "10 ms"
[queue]
kind = "red"
limit = "2000 pkt"
min_th = "300 pkt"
max_th = "900 pkt"
[[flow]]
count = 20
cc = "cubic"
rtt = "40 ms"
start_spread = "500 ms"
[[flow]]
name = "short"
source = { kind = "fixed", size = "400 kB" }
rtt = "60 ms"
"#;

/// The document of one run, without what it cost.
fn on_threads(threads: usize) -> Value {
    let r = json!({ "source": { "text": FAST }, "threads": threads });
    let mut said = run(&r, &|_| true, &NoPlugins).unwrap_or_else(|p| panic!("{}", p.rendered));
    let of_run = said.as_object_mut().unwrap();
    ["wall_s", "events"].iter().for_each(|key| drop(of_run.remove(*key)));
    said
}

#[test]
fn a_run_on_several_threads_is_the_run_on_one() {
    let one = on_threads(1);
    assert!(one["fingerprint"].is_string(), "{one}");
    for threads in [2, 3, 4, 8] {
        assert_eq!(on_threads(threads), one, "{threads} threads");
    }
}

#[test]
fn a_run_on_several_threads_can_be_interrupted() {
    let r = json!({
        "source": { "text": FAST }, "threads": 2, "overrides": ["duration=100000 s"],
    });
    let problem = run(&r, &|_| false, &NoPlugins).unwrap_err();
    assert_eq!(problem.code, code::INTERRUPTED);
}

/// Threads always wait for a core. No core is free at the first look, and many are later.
fn always_waiting() -> Option<Span> {
    ASKED.fetch_add(1, Relaxed);
    Some(Span::from_secs_f64(STARTED.elapsed().as_secs_f64()))
}
fn many_the_second_time() -> usize {
    let looks = LOOKS.fetch_add(1, Relaxed);
    ASKED_BEFORE[looks.min(1)].store(ASKED.load(Relaxed), Relaxed);
    if looks == 0 { 0 } else { 99 }
}
static ASKED: AtomicUsize = AtomicUsize::new(0);
static LOOKS: AtomicUsize = AtomicUsize::new(0);
static ASKED_BEFORE: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];
static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);

#[test]
fn while_threads_wait_for_cores_one_goes_on_with_all_parts() {
    fn crowded(
        engine: &Engine<'_>,
        plan: &Plan,
        _: &str,
        _: Option<&Path>,
    ) -> Result<RunOutput, Stop> {
        let partition = Partition::of(plan, 3).expect("a bottleneck divides it");
        let machine = Machine { waited: always_waiting, free: many_the_second_time };
        let reached = |_| {
            // The run must not end before the threads were tried twice.
            if LOOKS.load(Relaxed) < 2 || ASKED.load(Relaxed) == ASKED_BEFORE[1].load(Relaxed) {
                thread::sleep(Duration::from_millis(10));
            }
        };
        let ended = divided::run(plan, &partition, &engine.meter.stop, &reached, machine);
        let report = ended.unwrap_or_else(|_| panic!("it ends")).finish_unobserved();
        Ok(RunOutput { report, wall_s: 0.0, validity: None, visit: None, linux: false })
    }
    let r = json!({ "source": { "text": FAST }, "threads": 1, "overrides": ["duration=20 s"] });
    let one = run(&r, &|_| true, &NoPlugins).unwrap_or_else(|p| panic!("{}", p.rendered));
    let crowded = run_with(&r, &|_| true, &NoPlugins, (crowded, None));
    let crowded = crowded.unwrap_or_else(|p| panic!("{}", p.rendered));
    assert_eq!(crowded["fingerprint"], one["fingerprint"]);
    assert_eq!(crowded["flows"], one["flows"]);
    let before = ASKED_BEFORE.each_ref().map(|asked| asked.load(Relaxed));
    assert_eq!(before[0], before[1], "one thread continues while no core is free");
    assert!(ASKED.load(Relaxed) >= before[1] + 3, "then each of three asks how long it waited");
}

/// The notes of a run that may use two threads.
fn notes(text: &str, overrides: &[&str], also: Value) -> Vec<String> {
    let mut r = json!({ "source": { "text": text }, "threads": 2, "overrides": overrides });
    r.as_object_mut().unwrap().extend(also.as_object().unwrap().clone());
    let said = run(&r, &|_| true, &NoPlugins).unwrap_or_else(|p| panic!("{}", p.rendered));
    serde_json::from_value(said["notes"].clone()).unwrap()
}

/// What the notes of a short run say of threads.
fn why_one(changed: (&str, &str), overrides: &[&str], also: Value) -> String {
    assert!(FAST.contains(changed.0), "{changed:?}");
    let text = FAST.replacen(changed.0, changed.1, 1);
    let of_threads = |said: Vec<String>| {
        let of_threads =
            said.into_iter().filter_map(|s| Some(s.strip_prefix("one thread: ")?.into()));
        of_threads.collect::<Vec<String>>()
    };
    let overrides = [&["duration=600 ms"], overrides].concat();
    let mut one = also.clone();
    one["threads"] = json!(1);
    assert!(of_threads(notes(&text, &overrides, one)).is_empty(), "one thread was asked for");
    let said = of_threads(notes(&text, &overrides, also));
    assert!(said.len() < 2, "{said:?}");
    said.join("")
}

#[test]
fn a_run_says_why_it_keeps_one_thread() {
    let has = |what: &str| format!("the scenario has {what}");
    let same = ("", "");
    let with = |overrides: &[&str]| why_one(same, overrides, json!({}));
    assert_eq!(with(&[]), "", "this one is divided");
    let dir = tempfile::tempdir().unwrap();
    let out = json!({ "out": dir.path() });
    let records = why_one(same, &["record.every=100 ms"], out);
    assert_eq!(records, threads::RECORDS);
    let summary = std::fs::read_to_string(dir.path().join("summary.json")).unwrap();
    assert!(!summary.contains("one thread"), "files do not depend on the number of threads");
    let udp = ("source = { kind = \"fixed\", size = \"400 kB\" }", UDP);
    assert_eq!(why_one(udp, &[], json!({})), has("flows of datagrams"));
    let edge = with(&["dumbbell.bottleneck.conditioner=token_bucket", "flow.0.reserved=9 Mbps"]);
    assert_eq!(edge, has("DiffServ edges"));
    let mtu = ["dumbbell.access.mtu=1500 B", "dumbbell.bottleneck.mtu=900 B"];
    let oversize = with(&[&mtu[..], &["tcp.pmtu_discovery=icmp"]].concat());
    assert_eq!(oversize, has("packets that are larger than an MTU"));
    let medium = notes(MEDIUM, &[], json!({}));
    assert_eq!(medium, ["one thread: the scenario has shared media"]);
    let words = ("name = \"short\"", "words = [{ at = \"100 ms\", say = \"path_down\" }]");
    assert_eq!(why_one(words, &[], json!({})), has("signals of hosts"));
    let paths = notes(FABRIC, &[], json!({}));
    assert_eq!(paths, ["one thread: the scenario has flows with several paths"]);
    let audit = why_one(same, &[], json!({ "audit": true }));
    assert_eq!(audit, "the audit follows each packet");
    let option = why_one(same, &[], json!({ "fold": false }));
    assert_eq!(option, "`fold`, `hold` or `straight` is not the default");
    let slow = with(&["dumbbell.bottleneck.rate=10 Mbps"]);
    assert_eq!(slow, "too few packets pass within the delay between parts of the network");
    let uneven = notes(JITTER, &[], json!({}));
    let of_parts = "one thread: no delay divides the network into parts with about the same work";
    assert_eq!(uneven, [of_parts]);
}

const MEDIUM: &str = r#"
duration = "100 ms"
host = [{ name = "a" }, { name = "b" }]
flow = [{ from = "a", to = "b" }]
[[link]]
between = ["a", "b"]
rate = "100 Mbps"
delay = "20 us"
queue = { kind = "drop_tail", limit = "100 pkt" }
service = { kind = "duplex_mismatch", half = false }
reverse.service = { kind = "duplex_mismatch", half = true }
"#;
const JITTER: &str = r#"
duration = "100 ms"
host = [{ name = "a" }, { name = "b" }]
flow = [{ from = "a", to = "b" }]
[[link]]
between = ["a", "b"]
rate = "1 Gbps"
delay = "20 ms"
queue = { kind = "drop_tail", limit = "100 pkt" }
impairment = [{ kind = "bernoulli", loss = 0.001 }]
"#;
const FABRIC: &str = r#"
duration = "10 ms"
routing = { kind = "ecmp", by = "packet" }
leaf_spine = { leaves = 4, spines = 2, hosts = 4, link = { rate = "10 Gbps", delay = "2 us" } }
flow = [{ pattern = "permutation", cc = "cubic" }]
"#;
const UDP: &str = "transport = \"udp\"\nsource = { kind = \"cbr\", rate = \"1 Mbps\" }";
