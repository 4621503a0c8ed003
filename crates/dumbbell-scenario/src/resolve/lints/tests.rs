//! Each warning appears for the example of its entry, up to its limit, and not beyond.
use crate::language::load::Source;
use crate::language::warnings::{ALL, FEW_EPOCHS, KERNEL_PROFILE};
use crate::resolve::lints::site::{time, time_up};
use crate::resolve::study::{Study, StudyInput};
use serde_json::{Map, Value};

/// A scenario without warnings.
const NET: &str = r#"
duration = "60 s"
warmup = "10 s"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
queue = { kind = "drop_tail", limit = "1 BDP" }
flow = [{ count = 4, rtt = "40 ms" }]
"#;

fn study(text: &str, set: &[&str]) -> Study {
    let input = StudyInput {
        source: Source::Text { text: text.into(), name: "net.toml".into() },
        overrides: set.iter().map(|s| s.to_string()).collect(),
        also: Map::new(),
        uses: vec![],
    };
    let mut study = Study::new(&input).unwrap_or_else(|p| panic!("{}", p.rendered));
    if text == KERNEL_PROFILE.example {
        study.lint_for_kernel();
    }
    study
}

fn codes(text: &str, set: &[&str]) -> Vec<String> {
    let of = |w: &Value| w["code"].as_str().unwrap().to_string();
    study(text, set).warnings().iter().map(of).collect()
}

/// The example of a warning with other values.
fn of_example(code: &str, set: &[&str]) -> Vec<String> {
    let lint = ALL.iter().find(|lint| lint.code == code).unwrap();
    codes(lint.example, set)
}

#[test]
fn an_ordinary_scenario_has_none() {
    assert_eq!(codes(NET, &[]), Vec::<String>::new());
}

#[test]
fn each_example_has_its_warning_and_no_other() {
    let found: Vec<_> = ALL.iter().map(|lint| codes(lint.example, &[])).collect();
    let expected: Vec<_> = ALL.iter().map(|lint| vec![lint.code.to_string()]).collect();
    assert_eq!(found, expected);
}

#[test]
fn allow_silences_each_example() {
    for lint in ALL {
        let allow = format!("allow=[\"{}\"]", lint.code);
        assert_eq!(codes(lint.example, &[&allow]), Vec::<String>::new(), "{}", lint.name);
    }
}

/// Of each warning, what changes in its example so that it is just still given, and just no longer.
const LIMITS: &[(&str, &str, &str)] = &[
    (
        "W001",
        r#"queue={kind="red", limit="1 BDP", ecn=false}"#,
        r#"queue={kind="red", limit="1 BDP", ecn=true}"#,
    ),
    ("W002", "queue.limit=16 pkt", "queue.limit=17 pkt"),
    ("W003", "queue.limit=20.1 BDP", "queue.limit=20 BDP"),
    ("W004", "queue.max_th=40.1 pkt", "queue.max_th=40 pkt"),
    ("W005", "queue.w_q=1.07e-3", "queue.w_q=1.08e-3"),
    ("W006", "warmup=799 ms", "warmup=800 ms"),
    ("W007", "dumbbell.access.rate=24.9 Mbps", "dumbbell.access.rate=25 Mbps"),
    ("W008", "tcp.min_rto=69 ms", "tcp.min_rto=68 ms"),
    ("W009", "record.every=21 ms", "record.every=20 ms"),
    ("W010", "link.2.delay=5 ms", "link.2.delay=5001 us"),
    ("W011", "tcp.receive_window=312503 B", "tcp.receive_window=312504 B"),
    ("W012", "duration=1253 s", "duration=1254 s"),
    ("W012", "replications=62", "replications=63"),
    ("W013", "profile=ns2", "profile=linux"),
    ("W014", "queue.target=11.9 ms", "queue.target=12 ms"),
    (
        "W015",
        "dumbbell.bottleneck.reverse.rate=173 kbps",
        "dumbbell.bottleneck.reverse.rate=174 kbps",
    ),
    ("W016", "flow.0.reserved=2501 kbps", "flow.0.reserved=2500 kbps"),
    (
        "W017",
        "dumbbell.bottleneck.conditioner.burst=1499 B",
        "dumbbell.bottleneck.conditioner.burst=1500 B",
    ),
    ("W018", "session.0.load=1.01", "session.0.load=0.99"),
    ("W019", "dumbbell.bottleneck.mtu=1499 B", "dumbbell.bottleneck.mtu=1500 B"),
    ("W020", "flow.0.source.packet=1473 B", "flow.0.source.packet=1472 B"),
    ("W021", "record.markers=true", "record.markers=false"),
    (
        "W022",
        "routing={kind=\"shortest\", convergence=\"999 ms\"}",
        "routing={kind=\"shortest\", convergence=\"1 s\"}",
    ),
];

#[test]
fn each_is_given_up_to_its_limit_and_not_beyond() {
    let wrong = LIMITS.iter().filter(|(code, given, not)| {
        let has = |set: &str| of_example(code, &[set]).iter().any(|c| c == code);
        !has(given) || has(not)
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&(&str, &str, &str)>::new());
    for lint in ALL {
        assert!(LIMITS.iter().any(|(code, ..)| *code == lint.code), "{}", lint.code);
    }
}

/// What else in an example makes its warning pointless.
#[test]
fn other_ways_out() {
    let ways = [
        ("W001", "queue=dualpi2"),
        ("W001", "flow.0.cc=newreno"),
        ("W003", "queue={kind=\"codel\", limit=\"25 BDP\"}"),
        ("W006", "warmup=0 s"),
        ("W012", "stop=\"ci95 < 2%\""),
        ("W019", "icmp=true"),
        ("W021", "record.every=10 ms"),
    ];
    let given =
        ways.iter().filter(|(code, set)| of_example(code, &[set]).iter().any(|c| c == code));
    assert_eq!(given.collect::<Vec<_>>(), Vec::<&(&str, &str)>::new());
}

#[test]
fn the_number_of_congestion_epochs() {
    let message = |set: &[&str]| {
        let found = study(FEW_EPOCHS.example, set).warnings();
        found.iter().map(|w| w["message"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    let none = "not even one congestion epoch is expected at `bottleneck`: one takes about 41.4 s";
    assert_eq!(message(&[]), [format!("{none}, and 20 s are measured")]);
    let twice = "and 20 s are measured in each of 2 replications";
    assert_eq!(message(&["replications=2"]), [format!("{none}, {twice}")]);
    let about = "about 1.4 congestion epochs are expected at `bottleneck` in the measured time";
    assert_eq!(message(&["replications=3"]), [format!("{about}, too few for a stable mean")]);
    assert!(message(&["replications=62"])[0].starts_with("about 29 congestion epochs"));
}

#[test]
fn a_sweep_has_each_warning_once_with_the_number_of_points() {
    let set = ["sweep={grid={\"queue.limit\"=[\"2 pkt\", \"3 pkt\", \"1 BDP\"]}}"];
    let [warning] = &study(&NET.replace("10 Mbps", "20 Mbps"), &set).warnings()[..] else {
        panic!("one warning")
    };
    assert_eq!((&warning["code"], &warning["points"]), (&"W002".into(), &2.into()));
    assert!(
        warning["rendered"].as_str().unwrap().contains("(in 2 of 3 points; the first is shown)"),
        "{warning}"
    );
}

#[test]
fn an_unknown_code_is_an_error_with_a_suggestion() {
    for (code, fix) in [("W02", "did you mean `W002`?"), ("small-buffer", "did you mean `W002`?")] {
        let input = StudyInput {
            source: Source::Text { text: NET.into(), name: "net.toml".into() },
            overrides: vec![format!("allow=[\"{code}\"]")],
            also: Map::new(),
            uses: vec![],
        };
        let problem = Study::new(&input).unwrap_err();
        let one = &problem.json["problems"][0];
        assert_eq!(one["cause"], format!("there is no warning `{code}`"));
        assert_eq!(one["fix"], fix);
        assert_eq!(one["key"], "allow.0");
    }
}

#[test]
fn allow_changes_no_plan() {
    let plans = [&[][..], &["allow=[\"W012\"]"]].map(|set| {
        let study = study(NET, set);
        let point = &study.points[0];
        serde_json::to_string(&study.plan(point, point.seed()).unwrap()).unwrap()
    });
    assert_eq!(plans[0], plans[1]);
}

/// The advice is enough: a time that is written is not below the one that is needed.
#[test]
fn a_needed_time_is_rounded_up() {
    let needed = [1.0003, 0.8, 1.000_000_000_000_000_2, 0.012_34, 123.4];
    assert_eq!(needed.map(time_up), ["1.01 s", "800 ms", "1 s", "12.4 ms", "124 s"]);
    assert_eq!(needed.map(time), ["1 s", "800 ms", "1 s", "12.3 ms", "123 s"]);
}

/// The text of every warning, written to be read. `UPDATE_GOLDEN=1` writes it again.
#[test]
fn texts() {
    let mut out = String::new();
    for lint in ALL {
        for warning in study(lint.example, &[]).warnings() {
            out += warning["rendered"].as_str().unwrap();
            out += "\n";
        }
    }
    assert_eq!(out, include_str!("golden.txt"), "golden.txt beside this file has the texts");
}
