//! What each line means and each mistake reads like. `golden/tc.txt` holds all of it, written to be
//! read; `UPDATE_GOLDEN=1` writes it again.
use dumbbell_core::units::{Bytes, Limit, Packets, Rate, Span};
use dumbbell_lab::language::problem::code;
use dumbbell_lab::tc;
use serde_json::json;
use std::fmt::Write;

pub const LINES: &[&str] = &[
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
    "tc qdisc add dev eth0 root cake",
    "cake bandwidth 20mbit nat docsis ack-filter",
    "cake bandwidth 900kbit diffserv8 dual-srchost pppoe-vcmux wash ack-filter-aggressive rtt 50ms \
        memlimit 2mb split-gso",
    "cake unlimited precedence hosts overhead -10 mpu 64 ptm metro no-ack-filter",
];

const MISTAKES: &[&str] = &[
    "",
    "reed limit 3000",
    "cake bandwidth 10mbit ingress diffserv5 overhead x",
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
        let read = tc::import(line).unwrap_or_else(|p| panic!("{line}\n{}", p.rendered));
        writeln!(all, "=== {line}").unwrap();
        read["explained"]
            .as_array()
            .unwrap()
            .iter()
            .for_each(|s| writeln!(all, "- {}", s.as_str().unwrap()).unwrap());
        writeln!(all, "{}", read["toml"].as_str().unwrap()).unwrap();
    }
    for line in MISTAKES {
        let problem = tc::import(line).expect_err(line);
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
    let with_program = tc::import(&format!("tc {line}")).unwrap();
    assert_eq!(tc::import(line).unwrap()["toml"], with_program["toml"]);
    assert!(tc::import("qdisc show dev eth0").unwrap_err().rendered.contains(
        "`show` adds no \
        queue"
    ));
}

#[test]
fn a_mistake_is_shown_where_it_stands() {
    let problem = tc::import("tc qdisc add dev eth0 root red limt 30000 avpkt 1000").unwrap_err();
    assert_eq!(
        problem.json["problems"][0],
        json!({ "cause": "`limt` is not a word of tc's red", "fix": "did you mean `limit`?",
                "file": "tc", "line": 1, "column": 32 })
    );
}

/// The largest that tc can say is read without loss.
#[test]
fn limits_reach_as_far_as_tc() {
    let read = tc::import("pfifo limit 4294967295").unwrap();
    assert_eq!(read["queue"]["limit"], json!(Limit::Packets(Packets(4_294_967_295.0))));
    let read = tc::import("tbf rate 1mbit burst 2000 latency 10ms").unwrap();
    let expected = Rate::from_bps(1_000_000).bytes_in(Span::from_ms(10)) + 2000;
    assert_eq!(read["conditioner"]["limit"], json!(Bytes(expected)));
}
