//! Every kind of mistake, and what a user reads about it: `golden/errors.txt` holds the messages,
//! written to be read. `UPDATE_GOLDEN=1` writes them again; read the difference aloud before you
//! keep it.
mod common;

use common::{GRAPH, RED, plan, study};
use dumbbell_lab::api;
use dumbbell_lab::language::problem::code;
use serde_json::json;
use std::fmt::Write;

/// A scenario, what is replaced in it, and by what.
const IN_FILES: &[(&str, &str, &str)] = &[
    (RED, "\"10 s\"", "10"),
    (RED, "10 s", "10 sec"),
    (RED, "10 Mbps", "10 mbps"),
    (RED, "10 Mbps", "0 Mbps"),
    (RED, "10 s", "-10 s"),
    (RED, "10 s", "NaN s"),
    (RED, "\"10 s\"", "nan"),
    (RED, "10 s", "1e15 s"),
    (RED, "\"10 s\"", "10 s"),
    (RED, "[queue]", "[queue"),
    (RED, "kind = \"red\"", "kind = \"red\"\nkind = \"red\""),
    (RED, "duration = \"10 s\"\n", ""),
    (RED, "\"1 s\"", "\"11 s\""),
    (RED, "warmup", "schema = 2\nwarmup"),
    (RED, "warmup", "extends = \"nowhere.toml\"\nwarmup"),
    (RED, "duration = \"10 s\"", "duration = \"200 d\"\nrecord = { every = \"1 us\" }"),
    (RED, "warmup", "record = { packets = \"all\" }\nwarmup"),
    (RED, "delay = \"10 ms\"", "dlay = 3, rat = 4"),
    (RED, "delay = \"10 ms\"", "delay = \"10 ms\", framing = \"token ring\""),
    (RED, "delay = \"10 ms\"", "delay = \"10 ms\", mtu = \"20 B\""),
    (RED, "rtt = \"40 ms\"", "rtt = \"40 ms\"\nip = 5"),
    (RED, "rtt = \"40 ms\"", "rtt = \"40 ms\"\ndf = true"),
    (
        RED,
        "cc = \"newreno\"\n",
        "df = true\nsource = { kind = \"cbr\", rate = \"1 Mbps\", packet = \
        \"1473 B\" }\n",
    ),
    (RED, "[queue]", "[dumbbell.access]\nmtu = \"1000 B\"\n[[flow]]\nip = 6\n[queue]"),
    (GRAPH, "name = \"c\"", "name = \"c\", icmp = false"),
    (RED, "rtt = \"40 ms\"", "tcp = { mss = \"20 B\" }"),
    (RED, "warmup", "reassembly = { memory = \"0 B\" }\nwarmup"),
    (
        RED,
        "cc = \"newreno\"\n",
        "ip = 6\ndf = true\nsource = { kind = \"cbr\", rate = \"1 Mbps\", packet = \"65500 B\" }\n",
    ),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", impairment = [{ kind = \"bernoulli\", loss = 1.5, per = \"word\" }]",
    ),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", impairment = [{ kind = \"duplicat\", share = \
        0.1 }]",
    ),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", impairment = [{ kind = \"loss_trace\", trace = \
        \"0 1 2\" }]",
    ),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", impairment = [{ kind = \"loss_trace\", file = \
        \"nowhere.txt\" }]",
    ),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", impairment = [{ kind = \"jitter\", distribution = \"normal\", max = \
            \"3 ms\" }]",
    ),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", impairment = [{ kind = \"gilbert_elliott\", \
        mean_good = \"1 s\" }]",
    ),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", impairment = [{ kind = \"reorder\", gap = 0, \
        correlation = -0.5 }]",
    ),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", service = { kind = \"outage\", at = [[\"1 s\", \
        \"20 s\"]] }",
    ),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", service = { kind = \"outage\", mean_up = \"1 \
        s\" }",
    ),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", service = { kind = \"outage\", mean_up = \"1 s\", mean_down = \"1 \
            min\" }",
    ),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", service = { kind = \"square\", rate = \"0 \
        bps\", duty = 1.0 }",
    ),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", service = { kind = \"sine\", depth = 2, period \
        = \"0 s\" }",
    ),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", service = { kind = \"arq\", limit = 0, loss = \
        -0.1 }",
    ),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", service = { kind = \"handoff\", handoffs = [[\"2 s\", \"2 s\", \"1 \
            Mbps\", \"0 s\"], [\"3 s\", \"0 s\", \"1 Mbps\", \"0 s\"]] }",
    ),
    (
        RED,
        "[queue]",
        "[parking_lot]\nhops = 2\nbottleneck = { rate = \"1 Mbps\", delay = \"1 ms\" \
        }\n[queue]",
    ),
    (RED, "red", "redd"),
    (RED, "min_th", "min_ht"),
    (RED, "limit = \"36", "limitt = \"36"),
    (RED, "36 pkt", "nan pkt"),
    (RED, "\"6 pkt\"", "6"),
    (RED, "\"6 pkt\"", "\"20 pkt\""),
    (RED, "\"6 pkt\"", "\"limit / x\""),
    (RED, "36 pkt", "0 pkt"),
    (RED, "36 pkt", "36"),
    (RED, "36 pkt", "2.5 pkt"),
    (RED, "36 pkt", "0.5 pkt"),
    (RED, "\"36 pkt\"", "1e300"),
    (RED, "36 pkt\"", "36 pkt\"\nwatch_above = \"2.5 pkt\""),
    (RED, "36 pkt\"", "36 pkt\"\nmax_p = 1e300"),
    (
        RED,
        "delay = \"10 ms\"",
        "delay = \"10 ms\", conditioner = { kind = \"data_buffer\", rate = \"1 Mbps\", burst = \
            \"2.5 pkt\" }",
    ),
    (RED, "delay = \"10 ms\"", "delay = \"200 d\""),
    (RED, "delay = \"10 ms\"", "delay = \"10 ms\", reverse = { delay = \"86401 s\" }"),
    (RED, "limit = \"36 pkt\"", "limit = \"unlimited\"\nmax_p = \"limit / 3\""),
    (RED, "newreno", "neureno"),
    (RED, "40 ms", "4 ms"),
    (RED, "rtt = \"40 ms\"", "count = 1000000000"),
    (RED, "rtt = \"40 ms\"", "from = \"a\""),
    (RED, "rtt = \"40 ms\"", "direction = \"revers\""),
    (RED, "rtt = \"40 ms\"", "tcp = { sak = true, dupack_threshold = 0 }"),
    (RED, "rtt = \"40 ms\"", "tcp = { mss = \"9 kB\" }"),
    (RED, "rtt = \"40 ms\"", "tcp = { receive_window = \"0 B\" }"),
    (RED, "rtt = \"40 ms\"", "weight = 1e300"),
    (RED, "rtt = \"40 ms\"", "source = { kind = \"bulk\", size = 3 }"),
    (RED, "rtt = \"40 ms\"", "start = \"20 s\""),
    (RED, "name = \"s\"", "name = \"\""),
    (GRAPH, "name = \"c\"", "name = \"c\\n\""),
    (RED, "rtt = \"40 ms\"", "transport = \"udp\""),
    (RED, "rtt = \"40 ms\"\n", "[[flow]]\nname = \"s\"\n"),
    (RED, "[[flow]]\nname = \"s\"\ncc = \"newreno\"\nrtt = \"40 ms\"\n", ""),
    (GRAPH, "to = \"b\"", "to = \"c\""),
    (GRAPH, "to = \"b\"", "to = \"bb\""),
    (GRAPH, "to = \"b\"", "to = \"r1\""),
    (GRAPH, "to = \"b\"", "to = \"a\""),
    (GRAPH, "to = \"b\"", "rtt = \"1 s\""),
    (GRAPH, "duration", "routing = { kind = \"shortest\", gap = \"1 ms\" }\nduration"),
    (GRAPH, "name = \"c\"", "name = \"a\""),
    (GRAPH, "[\"r2\", \"b\"]", "[\"r2\", \"d\"]"),
    (GRAPH, "[\"r2\", \"b\"]", "[\"a\", \"r1\"]"),
];

const OVERRIDES: &[&str] = &[
    "schema=7",
    "queue",
    "queue.kind=redd",
    "queue.kind=3",
    "queue.max_p=3",
    "flow.3.rtt=4 ms",
    "flow.x.rtt=4 ms",
    "seed=[1",
    "seed=-1",
    "nothing=1",
    "duration.x=3",
    "extends=other.toml",
    "sweep.grid={\"queue.limit\"=3}",
    "sweep.zip={\"queue.limit\"=[\"1 pkt\"], \"seed\"=[1, 2]}",
    "sweep.gird={}",
    "sweep.grid={\"queue.limit\"=[\"10 pkt\", \"20 pkt\", \"10 pkt\"], \"seed\"=[1, 1]}",
    "replications=0",
];

#[test]
fn messages_are_those_that_were_read_aloud() {
    let mut all = String::new();
    for (text, from, to) in IN_FILES {
        assert!(text.contains(from), "{from} is not in the scenario");
        let problem = study(&text.replacen(from, to, 1), &[]).expect_err(to);
        assert_eq!(problem.code, code::SCENARIO);
        writeln!(
            all,
            "=== {} -> {}\n{}",
            from.replace('\n', "|"),
            to.replace('\n', "|"),
            problem.rendered
        )
        .unwrap();
    }
    for o in OVERRIDES {
        let problem = study(RED, &[o]).expect_err(o);
        assert_eq!(problem.code, code::SCENARIO);
        writeln!(all, "=== -s {o}\n{}", problem.rendered).unwrap();
    }
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/errors.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(golden, &all).unwrap();
    }
    let kept = std::fs::read_to_string(golden).unwrap_or_default();
    for (line, (new, old)) in all.lines().zip(kept.lines()).enumerate() {
        assert_eq!(new, old, "line {} of {golden}", line + 1);
    }
    assert_eq!(all.lines().count(), kept.lines().count());
}

#[test]
fn a_problem_says_the_same_to_programs() {
    let request = json!({ "source": { "text": RED.replace("red", "redd"), "name": "net.toml" } });
    let problem = api::plan(&request).unwrap_err();
    assert_eq!(
        problem.json,
        json!({ "code": 2, "problems": [{
            "cause": "there is no queue named `redd`", "fix": "did you mean `red`?",
            "key": "queue.kind",
            "file": "net.toml", "line": 8, "column": 8,
        }] })
    );
}

#[test]
fn a_dictionary_is_shown_where_it_is_wrong() {
    let value = json!({
        "duration": "10 s", "dumbbell": { "bottleneck": { "rate": "10 Mbps", "delay": 10 } },
        "flow": [{ "rtt": "40 ms" }],
    });
    let problem = api::plan(&json!({ "source": { "value": value } })).unwrap_err();
    assert!(
        problem.rendered.contains("\"delay\": 10") && problem.rendered.contains("10 ms"),
        "{}",
        problem.rendered
    );
    assert_eq!(problem.json["problems"][0]["key"], "dumbbell.bottleneck.delay");
}

#[test]
fn independent_errors_are_reported_together() {
    let text = RED.replace("\"10 s\"", "10").replace("\"40 ms\"", "40").replace("\"1 s\"", "1");
    assert_eq!(study(&text, &[]).unwrap_err().json["problems"].as_array().unwrap().len(), 3);
    let text = RED.replace("min_th", "min_ht").replace("newreno", "neureno").replace(
        "40 ms",
        "4 \
        ms",
    );
    let causes = study(&text, &[]).unwrap_err().json["problems"].clone();
    assert!(causes.as_array().unwrap().len() >= 2, "{causes}");
}

#[test]
fn a_circle_of_extends_names_the_chain() {
    let dir = tempfile::tempdir().unwrap();
    for (file, base) in [("a.toml", "b.toml"), ("b.toml", "c.toml"), ("c.toml", "a.toml")] {
        std::fs::write(dir.path().join(file), format!("extends = \"{base}\"\n")).unwrap();
    }
    let problem =
        api::plan(&json!({ "source": { "path": dir.path().join("a.toml") } })).unwrap_err();
    let cause = problem.json["problems"][0]["cause"].as_str().unwrap().to_string();
    assert_eq!(cause, "`extends` goes round: a.toml -> b.toml -> c.toml -> a.toml");
    assert!(problem.json["problems"][0]["file"].as_str().unwrap().ends_with("c.toml"));
}

#[test]
fn a_missing_file_is_an_error_of_the_scenario() {
    let problem = api::plan(&json!({ "source": { "path": "no/such.toml" } })).unwrap_err();
    assert_eq!(
        (problem.code, problem.json["problems"][0]["cause"].as_str()),
        (2, Some("there is no file no/such.toml"))
    );
}

/// A file that has no end, or that waits for another program, is never opened.
#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
    let service = |file: &str| {
        format!(
            "duration = \"1 s\"\n[dumbbell.bottleneck]\nrate = \"1 Mbps\"\ndelay = \"1 \
                ms\"\nservice = {{ kind = \"mahimahi\", file = \"{file}\" }}\n[[flow]]\n"
        )
    };
    let (end, _other) = std::io::pipe().unwrap();
    let passed = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&end));
    for (file, what) in [
        ("/dev/zero", "a device"),
        (passed.as_str(), "a pipe"),
        (pipe.to_str().unwrap(), "a pipe"),
        (
            "/dev",
            "a \
        directory",
        ),
    ] {
        for source in [
            json!({ "path": file }),
            json!({ "text": format!("extends = \"{file}\"") }),
            json!({ "text": service(file) }),
        ] {
            let problem = api::plan(&json!({ "source": source })).unwrap_err();
            let cause = problem.json["problems"][0]["cause"].as_str().unwrap();
            let expected = format!(
                "{file} cannot be read: it is {what}, and only regular files \
                are read"
            );
            assert_eq!((problem.code, cause), (2, expected.as_str()));
        }
    }
}

#[test]
fn a_scenario_that_is_too_long_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("long.toml");
    std::fs::File::create(&file).unwrap().set_len((16 << 20) + 1).unwrap();
    let problem = api::plan(&json!({ "source": { "path": file } })).unwrap_err();
    let cause = problem.json["problems"][0]["cause"].as_str().unwrap();
    assert!(cause.ends_with("cannot be read: it is larger than 16 MiB"), "{cause}");
}

/// Results call a flow by its address, whether its name was written or not.
#[test]
fn a_flow_without_a_name_is_addressed_as_results_show_it() {
    let text = RED.replacen("name = \"s\"\n", "", 1)
        + "[[flow]]\ncc = \"cubic\"\nrtt = \"50 \
        ms\"\n";
    let by_name = plan(&text, &["flow.flow2.rtt=80 ms"]);
    assert_eq!(
        by_name.flows.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(),
        ["flow1", "flow2"]
    );
    assert!(by_name == plan(&text, &["flow.1.rtt=80 ms"]) && by_name != plan(&text, &[]));
    let problem = study(&text, &["flow.flow3.rtt=80 ms"]).unwrap_err();
    assert_eq!(
        problem.json["problems"][0]["fix"],
        "there are 2: flow.0 to flow.1, or flow.* for all, named flow1, flow2"
    );
}

/// A TOML that is fine but for its depth is not called another language.
#[test]
fn brackets_within_brackets_are_said_to_be_too_deep() {
    let lists = format!("seed = {}{}", "[".repeat(500), "]".repeat(500));
    let tables = format!("seed = {}1{}", "{ a = ".repeat(500), " }".repeat(500));
    for text in [lists, tables, format!("seed{} = 1", ".a".repeat(500))] {
        let problem = study(&format!("{text}\n{RED}"), &[]).unwrap_err();
        let first = &problem.json["problems"][0];
        assert_eq!(first["cause"], "lists and tables are nested too deep here", "{first}");
        assert_eq!(first["line"], 1);
    }
}

/// After a syntax error keys land in the table that was meant before: they are not written twice.
#[test]
fn a_syntax_error_has_no_second_error_that_follows_from_it() {
    let text = RED.replacen("[queue]", "[queue", 1) + "[[flow]]\nname = \"t\"\nrtt = \"50 ms\"\n";
    let problems = study(&text, &[]).unwrap_err().json["problems"].clone();
    assert_eq!(problems.as_array().map(Vec::len), Some(1), "{problems}");
    let text =
        RED.replacen("warmup", "duration = \"1 s\"\nwarmup", 1).replacen("[queue]", "[queue", 1);
    let problems = study(&text, &[]).unwrap_err().json["problems"].clone();
    assert_eq!(
        problems.as_array().map(Vec::len),
        Some(2),
        "a key that was written twice before \
        it: {problems}"
    );
}

#[test]
fn a_request_of_a_program_is_named_by_its_key() {
    let request = json!({ "source": { "text": RED }, "seed": -1 });
    let problem = api::plan(&request).unwrap_err();
    assert_eq!(
        problem.rendered,
        "  × `seed`: -1 is negative\n  help: write a whole number from 0 \
        up\n"
    );
}

/// Processor time of this thread that a scenario with `n` unknown keys takes, the least of three,
/// seconds.
#[cfg(unix)]
fn cost(place: &str, n: usize) -> f64 {
    let keys: String = (0..n).map(|i| format!("k{i} = {i}\n")).collect();
    let text = if place.is_empty() {
        format!("{keys}{RED}")
    } else {
        RED.replacen(place, &format!("{place}\n{keys}"), 1)
    };
    let now = || {
        let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
    };
    let once = |_| {
        let start = now();
        assert_eq!(study(&text, &[]).unwrap_err().code, code::SCENARIO);
        now() - start
    };
    (0..3).map(once).fold(f64::INFINITY, f64::min)
}

/// Eight times the keys cost eight times as much, and not 64 times. It is a ratio of processor
/// time, not a time.
#[cfg(unix)]
#[test]
fn unknown_keys_cost_in_proportion_to_their_number() {
    for place in ["", "[queue]", "[[flow]]"] {
        let ratio = cost(place, 16_000) / cost(place, 2_000);
        assert!(
            ratio < 24.0,
            "unknown keys after `{place}`: eight times as many cost {ratio:.1} \
            times as much"
        );
    }
}
