//! Lines of tc, both ways. `golden/tc.txt` holds what each line means and each mistake reads like,
//! written to be read; `UPDATE_GOLDEN=1` writes it anew.
mod common;
#[path = "common/lines.rs"]
mod lines;

use common::plan;
use dumbbell_core::units::{Bytes, Limit, Packets, Rate, Span};
use dumbbell_lab::api;
use dumbbell_lab::language::problem::code;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fmt::Write;

const LINES: &[&str] = &[
    "red limit 30000 min 5000 max 15000 avpkt 1000 burst 20 probability 0.02",
    "red limit 60kb avpkt 1000 ecn harddrop bandwidth 10mbit",
    "tc qdisc add dev eth0 root pfifo limit 100",
    "sudo /sbin/tc qdisc replace dev eth0 root handle 1: bfifo limit 64k",
    "pfifo_head_drop limit 0x10",
    "pfifo_fast",
    "bfifo",
    "tbf rate 0.5mbit burst 5kb latency 70ms",
    "tbf rate 1mbps buffer 10k limit 30000",
    "netem delay 100ms 10ms loss 0.5%",
    "netem loss gemodel 1% 10% 70% 0.1% rate 10mbit limit 50",
    "netem delay 100ms 20ms distribution normal loss 1% duplicate 0.5% corrupt 0.1%",
    "netem delay 50ms 20ms distribution pareto",
    "netem delay 10ms reorder 25% gap 5",
    "# tc qdisc add dev eth0 root handle 1: tbf rate 10mbit \\\n  burst 15kb latency 50ms\n# tc \
        qdisc add dev eth0 parent 1:1 handle 10: red limit 400000 min 30000 max 90000 avpkt 1000 \
        burst 55 ecn",
    "tc qdisc add dev eth0 root handle 1:0 netem delay 100ms; tc qdisc add dev eth0 parent 1:1 \
        handle 10: tbf rate 256kbit buffer 1600 limit 3000",
    "tc qdisc add dev eth0 parent 1:1 handle 10: pfifo limit 20",
    "red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 ecn adaptive bandwidth 10Mbit",
    "codel",
    "tc qdisc add dev eth0 root codel limit 100 target 4ms interval 30ms ecn",
    "codel ecn ce_threshold 1ms",
    "pie",
    "tc qdisc add dev eth0 root pie limit 100 target 20ms tupdate 30ms ecn",
    "pie alpha 3 beta 25 bytemode dq_rate_estimator",
    "choke limit 1000 bandwidth 10mbit min 83 max 250 burst 120 ecn",
    "choke limit 100 bandwidth 10mbit",
    "tc qdisc add dev eth0 handle 1: root sfb",
    "sfb limit 100 max 30 target 25 increment 0.001 decrement 0.0002 penalty_rate 20 penalty_burst \
        40",
    "fq_codel",
    "tc qdisc add dev eth0 root fq_codel limit 2000 target 3ms interval 40ms noecn",
    "fq_codel limit 600 flows 256 quantum 300 memory_limit 4mb drop_batch 16 ce_threshold 2ms ecn",
    "tc qdisc add dev eth0 root fq_pie",
    "fq_pie limit 5000 flows 512 target 10ms tupdate 16ms alpha 3 beta 25 quantum 1000 \
        memory_limit 8mb ecn ecn_prob 20",
    "tc qdisc add dev ppp0 root sfq",
    "sfq limit 1000 depth 100 divisor 2048 flows 300 headdrop quantum 3000 perturb 60",
    "dualpi2",
    "dualpi2 limit 500 target 20ms alpha 0.1 step_thresh 2ms min_qlen_step 2 overflow \
        classic_protection 20 l4s_ect",
];

const MISTAKES: &[&str] = &[
    "",
    "reed limit 3000",
    "cake bandwidth 10mbit",
    "fq limit 100",
    "tc qdisc add dev eth0 root prio",
    "red limt 30000 avpkt 1000",
    "red limit 30000 min 5000 max 15000 avpkt",
    "red limit 30000",
    "red limit 30x avpkt 1000",
    "red limit 30000 avpkt 1000 min 9000 max 8000",
    "red limit 30000 avpkt 1000 min 5000 burst 4",
    "red limit 30000 avpkt 1000 probability 2",
    "codel target 1500ns limit 1k",
    "codel ce_threshold 1ms",
    "codel taget 5ms",
    "codel interval 0",
    "pie alpha 33 beta 1.5",
    "choke limit 1000",
    "choke limit 1000 bandwidth 10mbit min 83 max 250 burst 55",
    "choke limit 100 bandwidth 10mbit min 30 max 20 harddrop",
    "sfb target 30",
    "fq_codel ce_threshold_selector 0x1/0x3 flows 0",
    "fq_codel ecn_prob 10",
    "fq_pie dq_rate_estimator",
    "sfq divisor 1000 redflowlimit 100000 min 8000 max 60000 probability 0.2 ecn",
    "dualpi2 any_ect max_rtt 100ms step_thresh 5p",
    "dualpi2 alpha -1 classic_protection 200",
    "tc qdisc add dev eth0 root handle 1: codel; tc qdisc add dev eth0 parent 1:1 pfifo",
    "red limit 30000 avpkt 1000 nodrop ecn",
    "pfifo limit 0",
    "pfifo_fast limit 100",
    "tbf rate 10mbit burst 5kb",
    "tbf rate 10mbit burst 5kb latency 70ms limit 3000",
    "tbf rate 50% burst 5kb latency 70ms peakrate 1mbit minburst 1540",
    "netem delay 10ms 20ms",
    "netem delay 100ms 10ms 25% distribution normal",
    "netem duplicate 1% corrupt 0.1% reorder 25% 50%",
    "netem delay 10ms 1ms reorder 25%",
    "netem delay 10ms distribution exponential",
    "netem delay 10ms 6ms distribution pareto",
    "netem slot 800us duplicate 101%",
    "netem loss state 1%",
    "netem loss 101%",
    "netem delay 5 fortnights",
    "tc class add dev eth0 parent 1: htb rate 1mbit",
    "tc qdisc del dev eth0 root",
    "tc qdisc add dev eth0 root",
    "tc",
    "tc qdisc add dev eth0 parent x red limit 3000",
    "tc qdisc add dev eth0 root pfifo; tc qdisc add dev eth1 root pfifo",
    "tc qdisc add dev eth0 root pfifo; tc qdisc add dev eth0 parent 1:1 pfifo",
    "tc qdisc add dev eth0 root handle 1: pfifo; tc qdisc add dev eth0 parent 1: pfifo",
    "tc qdisc add dev eth0 root handle 1: tbf rate 1mbit burst 2k limit 3k; tc qdisc add dev eth0 \
        parent 1:1 netem rate 2mbit",
];

#[test]
fn meanings_and_mistakes_are_those_that_were_read() {
    let mut all = String::new();
    for line in LINES {
        let read = api::import_tc(line).unwrap_or_else(|p| panic!("{line}\n{}", p.rendered));
        writeln!(all, "=== {line}").unwrap();
        read["explained"]
            .as_array()
            .unwrap()
            .iter()
            .for_each(|s| writeln!(all, "- {}", s.as_str().unwrap()).unwrap());
        writeln!(all, "{}", read["toml"].as_str().unwrap()).unwrap();
    }
    for line in MISTAKES {
        let problem = api::import_tc(line).expect_err(line);
        assert_eq!(problem.code, code::SCENARIO);
        writeln!(all, "=== {line}\n{}", problem.rendered).unwrap();
    }
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/tc.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(golden, &all).unwrap();
    }
    let kept = std::fs::read_to_string(golden).unwrap_or_default();
    for (line, (new, old)) in all.lines().zip(kept.lines()).enumerate() {
        assert_eq!(new, old, "line {} of {golden}", line + 1);
    }
    assert_eq!(all.lines().count(), kept.lines().count());
}

/// The text behind a prompt may be copied with or without the program's name.
#[test]
fn a_line_may_begin_with_tc_or_with_qdisc() {
    let line = "qdisc add dev eth0 root red limit 30000 min 5000 max 15000 avpkt 1000 burst 20";
    let with_program = api::import_tc(&format!("tc {line}")).unwrap();
    assert_eq!(api::import_tc(line).unwrap()["toml"], with_program["toml"]);
    assert!(api::import_tc("qdisc show dev eth0").unwrap_err().rendered.contains(
        "`show` adds no \
        queue"
    ));
}

#[test]
fn a_mistake_is_shown_where_it_stands() {
    let problem =
        api::import_tc("tc qdisc add dev eth0 root red limt 30000 avpkt 1000").unwrap_err();
    assert_eq!(
        problem.json["problems"][0],
        json!({ "cause": "`limt` is no word of tc's red", "fix": "did you mean `limit`?",
                "file": "tc", "line": 1, "column": 32 })
    );
}

/// The scenario that an imported line is laid into; it has what the line does not say.
fn scenario(read: &Value) -> String {
    let head = "duration = \"1 s\"\n[[flow]]\n[dumbbell.access]\nrate = \"100 Gbps\"\n";
    let toml = read["toml"].as_str().unwrap();
    let toml = if toml.contains("[dumbbell.bottleneck]") {
        toml.to_string()
    } else {
        format!("{toml}\n[dumbbell.bottleneck]\n")
    };
    let missing = [("rate", "10 Mbps"), ("delay", "0 s")]
        .into_iter()
        .filter(|(k, _)| read["link"][k].is_null());
    missing.fold(format!("{head}{toml}"), |text, (k, v)| text + &format!("{k} = \"{v}\"\n"))
}

/// The bottleneck of the plan of an imported line.
fn link(read: &Value) -> Value {
    let plan = plan(&scenario(read), &[]);
    json!(plan.links.iter().find(|l| l.name == "bottleneck").expect("a dumbbell has a bottleneck"))
}

/// The meaning of a line, without its sentences.
fn meaning(read: &Value) -> Value {
    let mut meaning = read.clone();
    meaning.as_object_mut().unwrap().remove("explained");
    meaning
}

fn there_and_back(line: &str) -> (Value, Value, String) {
    let first = api::import_tc(line).unwrap_or_else(|p| panic!("{line}\n{}", p.rendered));
    let queue_only =
        first["link"].as_object().unwrap().is_empty() && first["impairment"] == json!([]);
    let wish = json!({ "link": link(&first), "dev": "eth0", "queue_only": queue_only });
    let written = api::export_tc(&wish).unwrap_or_else(|p| panic!("{line}\n{}", p.rendered));
    let lines: Vec<&str> =
        written["lines"].as_array().unwrap().iter().map(|l| l.as_str().unwrap()).collect();
    let lines = lines.join("\n");
    let second = api::import_tc(&lines).unwrap_or_else(|p| panic!("{lines}\n{}", p.rendered));
    (first, second, lines)
}

#[test]
fn a_plan_says_what_the_line_said() {
    let read = api::import_tc(LINES[0]).unwrap();
    let link = link(&read);
    assert_eq!(link["capacity"], json!({ "bytes": 30000 }));
    assert_eq!(
        (&link["aqm"]["config"]["min_th"], &link["aqm"]["config"]["w_q"]),
        (&json!("5 pkt"), &json!(0.015625))
    );
    let read = api::import_tc("netem delay 100ms 10ms loss 1% rate 5mbit").unwrap();
    let link = self::link(&read);
    assert_eq!((&link["rate"], &link["delay"]), (&json!("5 Mbps"), &json!("90 ms")));
    let jitter = json!({
        "max": "20 ms", "distribution": "uniform", "mean": "10 ms", "deviation": "2 ms",
        "shape": 3.0, "keep_order": false,
    });
    assert_eq!(link["impairments"][0], json!({ "kind": "jitter", "config": jitter }));
    assert_eq!(
        link["impairments"][1],
        json!({ "kind": "bernoulli", "config": { "loss": 0.01, "per": "packet" } })
    );
}

#[test]
fn an_exported_red_is_what_a_plain_line_says() {
    let (first, second, line) = there_and_back(LINES[0]);
    assert_eq!(meaning(&first), meaning(&second));
    assert_eq!(
        line,
        "tc qdisc add dev eth0 root red limit 30000 min 5000 max 15000 avpkt 1000 burst 24 \
            bandwidth 10mbit probability 0.02"
    );
}

/// A scenario in packets, with a delay and a loss: the whole chain.
#[test]
fn a_link_becomes_a_chain() {
    let text = common::RED.replace(
        "delay = \"10 ms\"",
        "delay = \"10 ms\", impairment = [{ kind = \"bernoulli\", \
            loss = 0.01 }]",
    );
    let plan = plan(&text, &["queue.ecn=true"]);
    let link = plan.links.iter().find(|l| l.name == "bottleneck").unwrap();
    let written = api::export_tc(&json!({ "link": link, "dev": "veth1" })).unwrap();
    assert_eq!(
        written["lines"],
        json!([
            "tc qdisc add dev veth1 root handle 1: netem limit 1000 delay 10ms loss 1%",
            "tc qdisc add dev veth1 parent 1:1 handle 2: tbf rate 10mbit burst 12500 limit 12500",
            "tc qdisc add dev veth1 parent 2:1 red limit 54000 min 9000 max 18000 avpkt 1500 burst \
                73 bandwidth 10mbit probability 0.1 ecn harddrop",
        ])
    );
    let said = written["explained"].to_string();
    for word in [
        "2^-9 = 0.001953125 instead of 0.002",
        "spacing",
        "min_q_for_drop",
        "idle_style",
        "MTU",
        "36 \
        packets",
    ] {
        assert!(said.contains(word), "{word} is not in {said}");
    }
}

#[test]
fn what_tc_cannot_say_is_refused_by_name() {
    for (change, word) in [
        ("queue.gentle=true", "gentle"),
        ("queue.byte_drop=ns2", "byte_drop"),
        ("queue.victim=random", "victim"),
        ("queue.max_p=0.0", "max_p"),
        ("queue={kind=\"drop_tail\", victim=\"random\"}", "victim"),
        ("dumbbell.bottleneck.impairment=[{kind=\"bit_error\", rate=1e-6}]", "bit_error"),
        (
            "dumbbell.bottleneck.impairment=[{kind=\"bernoulli\"}, {kind=\"gilbert_elliott\"}]",
            "gilbert_elliott",
        ),
        ("dumbbell.bottleneck.impairment=[{kind=\"bernoulli\", per=\"byte\"}]", "counts packets"),
        (
            "dumbbell.bottleneck.impairment=[{kind=\"gilbert_elliott\", every=\"1 ms\"}]",
            "with time",
        ),
        ("dumbbell.bottleneck.impairment=[{kind=\"jitter\", keep_order=true}]", "keep_order"),
        (
            "dumbbell.bottleneck.impairment=[{kind=\"jitter\", distribution=\"exponential\"}]",
            "exponential",
        ),
        ("dumbbell.bottleneck.impairment=[{kind=\"reorder\"}]", "never late"),
        ("dumbbell.bottleneck.impairment=[{kind=\"reorder\", chosen=\"ahead\"}]", "another link"),
        ("dumbbell.bottleneck.impairment=[{kind=\"loss_trace\"}]", "loss_trace"),
        ("dumbbell.bottleneck.conditioner={kind=\"tbf\", limit=\"9 pkt\"}", "bytes"),
    ] {
        let plan = plan(common::RED, &[change]);
        let link = plan.links.iter().find(|l| l.name == "bottleneck").unwrap();
        let problem = api::export_tc(&json!({ "link": link })).expect_err(change);
        assert_eq!(problem.code, code::SCENARIO);
        assert!(problem.rendered.contains(word), "{change}\n{}", problem.rendered);
    }
    let plan = plan(common::RED, &[]);
    for dev in ["", "eth0; reboot", "-x", "a b"] {
        assert_eq!(
            api::export_tc(&json!({ "link": plan.links[0], "dev": dev })).unwrap_err().code,
            code::SCENARIO
        );
    }
    assert_eq!(api::export_tc(&json!({ "link": 3 })).unwrap_err().code, code::SCENARIO);
}

fn red() -> impl Strategy<Value = String> {
    let shape = (
        1u64..3000,
        2u64..60,
        2u64..5,
        4u64..9,
        0u32..400,
        1u32..1000,
        any::<bool>(),
        any::<bool>(),
    );
    shape.prop_map(|(avpkt, mins, times, room, more, p, ecn, hard)| {
        let (min, burst) = (avpkt * mins, mins as u32 + 1 + more);
        let flags = [(ecn, " ecn"), (ecn && hard, " harddrop")]
            .map(|(set, word)| if set { word } else { "" })
            .concat();
        format!(
            "red limit {} min {min} max {} avpkt {avpkt} burst {burst} probability {}{flags}",
            (min * times * room).max(1500),
            min * times,
            f64::from(p) / 1000.0
        )
    })
}

fn queue() -> impl Strategy<Value = String> {
    prop_oneof![
        (1u32..=u32::MAX).prop_map(|n| format!("pfifo limit {n}")),
        (1500u32..=u32::MAX).prop_map(|n| format!("bfifo limit {n}")),
        (1u32..100_000).prop_map(|n| format!("pfifo_head_drop limit {n}")),
        red(),
        (red(), Just(" adaptive")).prop_map(|(red, word)| red + word),
        lines::queue(),
    ]
}

fn tbf() -> impl Strategy<Value = String> {
    let held = prop_oneof![
        (1u32..5_000_000).prop_map(|us| format!("latency {us}")),
        (1u32..u32::MAX).prop_map(|b| format!("limit {b}"))
    ];
    (1000u64..10_000_000_000, 1500u32..1_000_000, held)
        .prop_map(|(rate, burst, held)| format!("tbf rate {rate} burst {burst} {held}"))
}

fn netem() -> impl Strategy<Value = String> {
    let percent = || (0u32..=100_000).prop_map(|p| f64::from(p) / 1000.0);
    let loss = prop_oneof![
        Just(String::new()),
        percent().prop_map(|p| format!(" loss {p}%")),
        (percent(), percent()).prop_map(|(p, r)| format!(" loss gemodel {p}% {r}%")),
        (percent(), percent(), percent(), percent()).prop_map(|(p, r, h, k)| format!(
            " loss \
            gemodel {p} {r} {h} {k}"
        )),
    ];
    let delay = (1u32..10_000_000, 0.0f64..1.0, 0usize..6, percent(), 1u32..9).prop_map(
        |(us, j, way, share, gap)| {
            let jitter = (f64::from(us) * j) as u32;
            let rest = match way {
                0 => format!(" {}us distribution pareto", jitter / 2),
                1 => format!(" {jitter}us distribution normal"),
                2 => format!(" reorder {share}% gap {gap}"),
                _ => format!(" {jitter}us"),
            };
            format!(" delay {us}us{rest}")
        },
    );
    let word = |word: &'static str| {
        prop::option::of(percent().prop_map(move |p| {
            format!(
                " {word} \
        {p}%"
            )
        }))
    };
    (delay, loss, word("duplicate"), word("corrupt")).prop_map(
        |(delay, loss, duplicate, corrupt)| {
            format!(
                "netem{delay}{loss}{}{}",
                duplicate.unwrap_or_default(),
                corrupt.unwrap_or_default()
            )
        },
    )
}

/// Whole disciplines and chains.
fn device() -> impl Strategy<Value = String> {
    let add = |place: &str, words: &str| format!("tc qdisc add dev eth0 {place} {words}\n");
    prop_oneof![
        queue(),
        tbf(),
        (tbf(), queue()).prop_map(move |(t, q)| add("root handle 1:", &t) + &add("parent 1:1", &q)),
        (netem(), tbf(), queue()).prop_map(move |(n, t, q)| {
            add("root handle 1:", &n)
                + &add("parent 1:1 handle a:", &t)
                + &add(
                    "parent a:1 handle \
                b:",
                    &q,
                )
        }),
        (netem(), tbf()).prop_map(move |(n, t)| add("root handle 1:", &n)
            + &add(
                "parent 1:1 \
            handle a:",
                &t
            )),
    ]
}

proptest! {
    #![proptest_config(
        ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() }
    )]

    /// import, plan, export, import: the same meaning again, exactly. What tc itself rounds (a
    /// weight to a power of two) is rounded by the first import.
    #[test]
    fn the_way_back_says_the_same(text in device()) {
        // tc refuses some of these lines, as their weight has no exponent up to 31.
        prop_assume!(api::import_tc(&text).is_ok());
        let (first, second, lines) = there_and_back(&text);
        prop_assert_eq!(meaning(&first), meaning(&second), "{} became\n{}", text, lines);
    }

    /// Whatever stands there: a meaning, or an error that says something.
    #[test]
    fn any_words_are_read_or_refused(text in "(tc |qdisc |add |dev |root |parent |handle |1:1 \
        |netem |red |tbf |loss |delay |limit |burst |9k |1ms |5% |;|\\\\\n|#|é|\\PC){0,24}") {
        match api::import_tc(&text) {
            Ok(read) => prop_assert!(read["toml"].is_string()),
            Err(problem) => prop_assert!(!problem.rendered.trim().is_empty()),
        }
    }
}

/// The largest that tc can say is read without loss.
#[test]
fn limits_reach_as_far_as_tc() {
    let read = api::import_tc("pfifo limit 4294967295").unwrap();
    assert_eq!(read["queue"]["limit"], json!(Limit::Packets(Packets(4_294_967_295.0))));
    let read = api::import_tc("tbf rate 1mbit burst 2000 latency 10ms").unwrap();
    let expected = Rate::from_bps(1_000_000).bytes_in(Span::from_ms(10)) + 2000;
    assert_eq!(read["conditioner"]["limit"], json!(Bytes(expected)));
}
