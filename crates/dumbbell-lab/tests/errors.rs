//! Every kind of mistake, and what a user reads about it.
use dumbbell_lab::load::Source;
use dumbbell_lab::problem::{Problem, code};
use dumbbell_lab::study::{Study, Wish};

const GOOD: &str = r#"duration = "10 s"
warmup = "1 s"

[dumbbell]
bottleneck = { rate = "10 Mbps", delay = "10 ms" }

[queue]
kind = "red"
limit = "36 pkt"
min_th = "6 pkt"
max_th = "12 pkt"

[[flow]]
name = "s"
cc = "newreno"
rtt = "40 ms"
"#;

fn study(text: &str, overrides: &[&str]) -> Result<Study, Problem> {
    Study::new(&Wish {
        source: Source::Text { text: text.into(), name: "net.toml".into() },
        overrides: overrides.iter().map(|s| s.to_string()).collect(),
        also: serde_json::Map::new(),
    })
}

/// The message about `text`, and that it is an error of the scenario.
fn message(text: &str, overrides: &[&str]) -> String {
    let problem = study(text, overrides).expect_err("a mistake");
    assert_eq!(problem.code, code::SCENARIO);
    problem.rendered
}

#[test]
fn show() {
    for (a, b) in [
        ("10 s", "10"),
        ("\"10 s\"", "10"),
        ("10 s", "10 sec"),
        ("10 Mbps", "10 mbps"),
        ("delay", "delai"),
        ("red", "redd"),
        ("min_th", "min_ht"),
        ("36 pkt", "0 pkt"),
        ("40 ms", "4 ms"),
        ("10 s", "1e15 s"),
        ("10 s", "NaN s"),
        ("\"10 s\"", "nan"),
        ("\"10 s\"", "10 s"),
        ("cc = \"newreno\"", "cc = \"newreno\"\ncount = 1000000000"),
        ("warmup = \"1 s\"", "warmup = \"11 s\""),
        ("kind = \"red\"", "kind = \"red\"\nkind = \"red\""),
        ("warmup", "extends = \"nowhere.toml\"\nwarmup"),
        ("warmup", "schema = 2\nwarmup"),
        ("[[flow]]", "[[flow]]\nname=\"s\"\n[[flow]]"),
        ("duration = \"10 s\"\n", ""),
        ("\"6 pkt\"", "6"),
        ("\"6 pkt\"", "\"limit / x\""),
        ("\"6 pkt\"", "\"20 pkt\""),
        ("rtt = \"40 ms\"", "from = \"a\""),
        ("rtt = \"40 ms\"", "tcp = { sak = true, dupack_threshold = 0 }"),
        ("[queue]", "[queue"),
        ("delay = \"10 ms\"", "dlay = 3, rat = 4"),
        ("rtt = \"40 ms\"", "source = { kind = \"bulk\", size = 3 }"),
        ("duration = \"10 s\"", "duration = \"200 d\"\nrecord = { every = \"1 us\" }"),
        ("rtt = \"40 ms\"", "direction = \"revers\""),
    ] {
        println!("=== {a:?} -> {b:?}\n{}", message(&GOOD.replacen(a, b, 1), &[]));
    }
    for o in [
        "queue.kind=redd",
        "queue",
        "flow.3.rtt=4 ms",
        "flow.x.rtt=4 ms",
        "queue.max_p=3",
        "seed=[1",
        "nothing=1",
        "queue.kind=3",
        "sweep.grid={\"queue.limit\"=3}",
        "duration.x=3",
    ] {
        println!("=== -s {o}\n{}", message(GOOD, &[o]));
    }
    study(GOOD, &[]).unwrap();
}
