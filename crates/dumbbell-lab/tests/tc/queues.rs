//! Queues as lines, and those that have no counterpart.
use crate::common::{RED, plan};
use crate::export;
use dumbbell_lab::language::problem::code;
use dumbbell_lab::tc;
use serde_json::json;

/// The lines of a queue at the bottleneck of [`RED`], or the refusal.
fn written(queue: &str) -> Result<(String, String), String> {
    let (head, rest) = RED.split_once("[queue]").unwrap();
    let flow = rest.split_once("[[flow]]").unwrap().1;
    let text = format!("{head}[queue]\nlimit = \"36 pkt\"\n[[flow]]{flow}");
    let plan = plan(&text, &[&format!("queue={queue}")]);
    let link = plan.links.iter().find(|l| l.name == "bottleneck").unwrap();
    let done = export(&json!({ "link": link, "queue_only": true })).map_err(|problem| {
        assert_eq!(problem.code, code::SCENARIO);
        problem.rendered
    })?;
    let line = done["lines"][0]
        .as_str()
        .unwrap()
        .trim_start_matches("tc qdisc add dev eth0 root ")
        .to_string();
    Ok((line, done["explained"].to_string()))
}

#[test]
fn queues_become_lines() {
    for (queue, line, said) in [
        (
            "{kind=\"codel\", limit=\"60 pkt\"}",
            "codel limit 60 target 5ms interval 100ms",
            "inverse_root cannot be said",
        ),
        (
            "{kind=\"codel\", limit=\"90 kB\", target=\"7500 us\", ecn=true, ce_threshold=\"1 \
                ms\"}",
            "codel limit 60 target 7500us interval 100ms ecn ce_threshold 1ms",
            "90000 bytes hold 60 of the MTU",
        ),
        (
            "{kind=\"pie\", limit=\"60 pkt\", alpha=0.2, delay=\"link_rate\", activate=0.3}",
            "pie limit 60 target 15ms tupdate 15ms alpha 3 beta 20",
            "0.1875 instead of 0.2",
        ),
        (
            "{kind=\"choke\", limit=\"60 pkt\", min_th=\"5 pkt\", max_th=\"15.4 pkt\", w_q=0.125}",
            "choke limit 60 bandwidth 10mbit min 5 max 15 avpkt 500 burst 9 probability 0.02",
            "15 instead of 15.4",
        ),
        (
            "{kind=\"sfb\", limit=\"60 pkt\", rehash=\"60 s\", db=\"6 s\"}",
            "sfb rehash 60000 db 6000 limit 60 max 25 target 20 increment 0.001 decrement \
                0.00016666666666666666 penalty_rate 10 penalty_burst 20",
            "ecn = false cannot be said",
        ),
        (
            "{kind=\"adaptive_red\", limit=\"90 kB\", gentle=false, byte_mode=true, \
                mean_packet_size=\"1000 B\", min_th=\"10 pkt\", max_th=\"30 pkt\", \
                auto_w_q=\"off\", w_q=0.00390625}",
            "red limit 90000 min 10000 max 30000 avpkt 1000 burst 71 bandwidth 10mbit probability \
                0.1 adaptive",
            "2^-8",
        ),
        // 10 Mbps are 1250 packets of 1000 bytes a second: min_th is max(5, 5 ms x 1250 / 2) = 5,
        // w_q 1 - exp(-1/1250).
        (
            "{kind=\"adaptive_red\", limit=\"90 kB\", gentle=false, byte_mode=true, \
                mean_packet_size=\"1000 B\"}",
            "red limit 90000 min 5000 max 15000 avpkt 1000 burst 92 bandwidth 10mbit probability \
                0.1 adaptive",
            "2^-10 = 0.0009765625 instead of 0.0007996",
        ),
        (
            "{kind=\"fq_codel\", limit=\"600 pkt\"}",
            "fq_codel limit 600 flows 1024 quantum 1514 memory_limit 33554432 target 5ms interval \
                100ms",
            "Newton's",
        ),
        (
            "{kind=\"fq_codel\", limit=\"600 pkt\", ecn=false, drop_batch=8}",
            "fq_codel limit 600 flows 1024 quantum 1514 memory_limit 33554432 target 5ms interval \
                100ms noecn drop_batch 8",
            "Newton's",
        ),
        (
            "{kind=\"fq_pie\", limit=\"600 pkt\", ecn=true, mark_ecnth=0.25}",
            "fq_pie limit 600 flows 1024 quantum 1514 memory_limit 33554432 target 15ms tupdate \
                15ms alpha 2 beta 20 ecn ecn_prob 25",
            "(drop_batch)",
        ),
        (
            "{kind=\"sfq\", limit=\"600 pkt\", perturb=\"10 s\"}",
            "sfq limit 600 flows 1024 depth 127 divisor 1024 quantum 1500 perturb 10",
            "",
        ),
        (
            "{kind=\"cake\", limit=\"600 pkt\"}",
            "cake unlimited diffserv3 triple-isolate raw rtt 100ms memlimit 900000",
            "no limit in packets",
        ),
        (
            "{kind=\"cake\", limit=\"9 MB\", bandwidth=\"1 Mbps\", overhead=-4, mpu=64, \
                link_layer=\"ptm\", diffserv=\"diffserv8\", isolation=\"dual_src_host\", \
                wash=true, ack_filter=\"conservative\", flows=256}",
            "cake bandwidth 1mbit diffserv8 dual-srchost raw overhead -4 mpu 64 ptm rtt 100ms \
                memlimit 4000000 wash ack-filter",
            "a tin has 1024 queues",
        ),
        (
            "{kind=\"dualpi2\", limit=\"600 pkt\", l_aqm=\"step\"}",
            "dualpi2 limit 600 coupling_factor 2 step_thresh 1ms min_qlen_step 1 drop_on_overload \
                classic_protection 10 target 15ms tupdate 16ms alpha 0.16 beta 3.2",
            "6.17",
        ),
    ] {
        let (found, explained) =
            written(queue).unwrap_or_else(|rendered| panic!("{queue}\n{rendered}"));
        assert_eq!(found, line, "{queue}");
        assert!(explained.contains(said), "{queue}: {said} is not in {explained}");
    }
}

#[test]
fn what_has_no_counterpart_is_refused_with_a_reason() {
    for (queue, reason) in [
        ("{kind=\"pi2\"}", "dualpi2"),
        ("{kind=\"cobalt\"}", "within cake"),
        ("{kind=\"blue\"}", "within sfb"),
        ("{kind=\"drr\"}", "a line for each class"),
        ("{kind=\"avq\"}", "no kernel has it"),
        ("{kind=\"pie\", alpha=3.0}", "sixteenths up to 2"),
        ("{kind=\"pie\", alpha=0.001}", "sixteenths up to 2"),
        ("{kind=\"codel\", target=\"100 ns\"}", "from 1 us"),
        ("{kind=\"choke\", draws=2}", "draws = 1"),
        ("{kind=\"choke\", candidate=\"front\"}", "at random"),
        ("{kind=\"sfb\", levels=2}", "8 levels of 16"),
        ("{kind=\"adaptive_red\"}", "gentle"),
        ("{kind=\"dualpi2\"}", "not by a ramp"),
        ("{kind=\"sfq\", aqm=\"red\"}", "not `red`"),
        ("{kind=\"sfq\", divisor=1000}", "power of two"),
        ("{kind=\"sfq\", limit=\"70000 pkt\"}", "at most 65535"),
        ("{kind=\"fq_cobalt\"}", "within cake"),
        ("{kind=\"fq\"}", "paces the flows"),
    ] {
        let rendered = written(queue).expect_err(queue);
        let flat = rendered.split_whitespace().collect::<Vec<_>>().join(" ").replace("│ ", "");
        assert!(flat.contains(reason), "{queue}: {reason} is not in\n{rendered}");
    }
    for (line, reason) in [
        ("fq", "RFC 8290"),
        ("prio", "codepoint"),
        (
            "gred",
            "virtual \
        queues",
        ),
    ] {
        let rendered = tc::import(line).expect_err(line).rendered;
        assert!(rendered.contains(reason), "{line}: {reason} is not in\n{rendered}");
    }
}
