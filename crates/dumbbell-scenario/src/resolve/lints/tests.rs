//! Each warning appears for the example of its entry, and not just beyond the threshold.
use crate::language::load::Source;
use crate::language::warnings::{ALL, KERNEL_PROFILE};
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
        let written = study.resolved["profile"].as_str().unwrap_or("rfc").to_string();
        study.lint_for_kernel(&written);
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

/// What changes in each example so that the warning is just not given.
const BEYOND: &[(&str, &str)] = &[
    ("W001", "queue={kind=\"red\", limit=\"1 BDP\", ecn=true}"),
    ("W001", "queue=dualpi2"),
    ("W001", "flow.0.cc=newreno"),
    ("W002", "queue.limit=17 pkt"),
    ("W003", "queue.limit=20 BDP"),
    ("W003", "queue={kind=\"codel\", limit=\"25 BDP\"}"),
    ("W004", "queue.max_th=40 pkt"),
    ("W005", "queue.w_q=0.0015"),
    ("W006", "warmup=800 ms"),
    ("W006", "warmup=0 s"),
    ("W007", "dumbbell.access.rate=25 Mbps"),
    ("W008", "tcp.min_rto=50 ms"),
    ("W009", "record.every=18 ms"),
    ("W010", "link.2.delay=6 ms"),
    ("W011", "tcp.receive_window=\"400 kB\""),
    ("W012", "duration=1300 s"),
    ("W012", "replications=65"),
    ("W012", "stop=\"ci95 < 2%\""),
    ("W013", "profile=linux"),
    ("W014", "queue.target=12 ms"),
    ("W015", "dumbbell.bottleneck.reverse.rate=250 kbps"),
    ("W016", "flow.0.reserved=2.5 Mbps"),
    ("W017", "dumbbell.bottleneck.conditioner.burst=1500 B"),
    ("W018", "session.0.load=0.99"),
    ("W019", "icmp=true"),
    ("W019", "dumbbell.bottleneck.mtu=1500 B"),
    ("W020", "flow.0.source.packet=1472 B"),
    ("W021", "record.every=10 ms"),
];

#[test]
fn beyond_its_threshold_there_is_no_warning() {
    let given =
        BEYOND.iter().filter(|(code, set)| of_example(code, &[set]).iter().any(|c| c == code));
    assert_eq!(given.collect::<Vec<_>>(), Vec::<&(&str, &str)>::new());
    for lint in ALL {
        assert!(BEYOND.iter().any(|(code, _)| *code == lint.code), "{}", lint.code);
    }
}

/// What changes in each example so that the warning is just still given.
#[test]
fn before_its_threshold_there_is_one() {
    let just = [
        ("W002", "queue.limit=16 pkt"),
        ("W003", "queue.limit=20.5 BDP"),
        ("W004", "queue.max_th=40.5 pkt"),
        ("W006", "warmup=700 ms"),
        ("W007", "dumbbell.access.rate=24.9 Mbps"),
        ("W009", "record.every=25 ms"),
        ("W014", "queue.target=11.9 ms"),
        ("W016", "flow.0.reserved=2.51 Mbps"),
        ("W018", "session.0.load=1.01"),
        ("W020", "flow.0.source.packet=1473 B"),
    ];
    let missing =
        just.iter().filter(|(code, set)| !of_example(code, &[set]).iter().any(|c| c == code));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&(&str, &str)>::new());
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

/// The text of every warning, written to be read. `UPDATE_GOLDEN=1` writes it anew.
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
