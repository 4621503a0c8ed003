//! Plans as lines: what they say, and what tc has no word for.
use crate::common::{RED, plan};
use crate::meanings::LINES;
use crate::{export, link, meaning, there_and_back};
use dumbbell_lab::language::problem::code;
use dumbbell_lab::tc;
use serde_json::json;

#[test]
fn a_plan_says_what_the_line_said() {
    let read = tc::import(LINES[0]).unwrap();
    let link = link(&read);
    assert_eq!(link["capacity"], json!({ "bytes": 30000 }));
    assert_eq!(
        (&link["aqm"]["config"]["min_th"], &link["aqm"]["config"]["w_q"]),
        (&json!("5 pkt"), &json!(0.015625))
    );
    let read = tc::import("netem delay 100ms 10ms loss 1% rate 5mbit").unwrap();
    let link = crate::link(&read);
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
    let text = RED.replace(
        "delay = \"10 ms\"",
        "delay = \"10 ms\", impairment = [{ kind = \"bernoulli\", \
            loss = 0.01 }]",
    );
    let plan = plan(&text, &["queue.ecn=true"]);
    let link = plan.links.iter().find(|l| l.name == "bottleneck").unwrap();
    let written = export(&json!({ "link": link, "dev": "veth1" })).unwrap();
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
        let plan = plan(RED, &[change]);
        let link = plan.links.iter().find(|l| l.name == "bottleneck").unwrap();
        let problem = export(&json!({ "link": link })).expect_err(change);
        assert_eq!(problem.code, code::SCENARIO);
        assert!(problem.rendered.contains(word), "{change}\n{}", problem.rendered);
    }
    let plan = plan(RED, &[]);
    for dev in ["", "eth0; reboot", "-x", "a b"] {
        assert_eq!(
            export(&json!({ "link": plan.links[0], "dev": dev })).unwrap_err().code,
            code::SCENARIO
        );
    }
    assert_eq!(export(&json!({ "link": 3 })).unwrap_err().code, code::SCENARIO);
}

/// The refusal names the queue, the buffer's size and alpha, and the limit to write in its place.
#[test]
fn a_shared_buffer_is_refused_by_name() {
    let text = "duration = \"1 s\"\n\
        [star]\nhosts = 3\nlink = { rate = \"1 Gbps\", delay = \"5 us\" }\n\
        shared_buffer = { size = \"300 kB\", alpha = 0.5 }\n\
        [[flow]]\nfrom = \"h1\"\nto = \"h2\"\n";
    let plan = plan(text, &[]);
    let [buffer] = plan.shared_buffers[..] else { panic!("{:?}", plan.shared_buffers) };
    let link = plan.links.iter().find(|link| link.from == buffer.node).unwrap();
    for queue_only in [false, true] {
        let mut request = json!({ "link": link, "queue_only": queue_only });
        assert!(export(&request).is_ok(), "the link itself has words in tc");
        request["shared_buffer"] = json!(buffer);
        let problem = export(&request).unwrap_err();
        assert_eq!(problem.code, code::SCENARIO);
        for word in [
            "no buffer that queues share",
            link.name.as_str(),
            "alpha = 0.5",
            "300 kB",
            "\"100000 B\"",
        ] {
            assert!(problem.rendered.contains(word), "{word}\n{}", problem.rendered);
        }
    }
}
