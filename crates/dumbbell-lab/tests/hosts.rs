//! Hosts whose processors cost: closed forms of whole runs, and how a scenario says them.
mod common;

use common::{GRAPH, RED, plan, request, study};
use dumbbell_algos::service::host_cpu::{Load, presets};
use dumbbell_core::units::{Capacity, Rate};
use dumbbell_lab::api;
use dumbbell_lab::resolve::hosts;
use dumbbell_plan::{Plan, Side};
use serde_json::{Value, json};

fn run(text: &str, overrides: &[&str]) -> Value {
    let out =
        api::run(&request(text, overrides), &|_| true).unwrap_or_else(|p| panic!("{}", p.rendered));
    assert_eq!(out["valid"], true, "{}", out["conservation"]);
    out
}

fn host<'a>(run: &'a Value, name: &str) -> &'a Value {
    run["hosts"].as_array().unwrap().iter().find(|h| h["name"] == name).expect(
        "a host of this \
        name",
    )
}

fn number(of: &Value, key: &str) -> f64 {
    of[key].as_f64().unwrap_or_else(|| panic!("{key} of {of}"))
}

fn near(measured: f64, law: f64, by: f64) {
    assert!((measured / law - 1.0).abs() < by, "{measured}, not {law}");
}

/// Datagrams of 1472 bytes of payload over a gigabit to a core of 100 MHz that takes 1,000 cycles
/// for each and 3 for each byte: 5,500 cycles, 18,182 packets a second.
const DATAGRAMS: &str = r#"duration = "3 s"
warmup = "1 s"
[dumbbell]
bottleneck = { rate = "1 Gbps", delay = "1 ms" }
[[flow]]
name = "u"
source = { kind = "cbr", rate = "100 Mbps", packet = "1472 B" }
receiver_cpu = { clock = "100 MHz", per_packet = 1000, copy = 3, per_interrupt = 700 }
"#;

/// Below saturation the core is busy for rate times cost over clock and nothing is lost; above it
/// goodput is clock over cost, and what does not fit into the ring is dropped. Cycles are those of
/// the counts to the last.
#[test]
fn a_core_is_linear_up_to_its_limit_and_then_constant() {
    let cost = |interrupt: f64| 1000.0 + 3.0 * 1500.0 + interrupt;
    for mbps in [20.0, 60.0, 120.0, 180.0, 260.0, 500.0] {
        let rate = format!("flow.0.source.rate=\"{mbps} Mbps\"");
        let r = run(DATAGRAMS, &[&rate]);
        let (flow, cpu) = (&r["flows"][0], host(&r, "u/receiver/cpu_receive"));
        let (packets, interrupts) = (number(cpu, "packets"), number(cpu, "interrupts"));
        assert_eq!(number(cpu, "cycles"), packets * cost(0.0) + interrupts * 700.0);
        let (offered, most) = (mbps * 1e6 / 8.0 / 1472.0, 100e6 / cost(0.0));
        if offered * cost(700.0) < 100e6 {
            near(number(cpu, "utilization"), offered * cost(700.0) / 100e6, 1e-3);
            near(number(flow, "goodput_bps"), mbps * 1e6, 1e-3);
            assert_eq!(
                (number(cpu, "dropped_packets"), interrupts),
                (0.0, packets),
                "each wakes \
                an idle core"
            );
        } else {
            assert_eq!(number(cpu, "utilization"), 1.0);
            near(number(flow, "goodput_bps"), most * 1472.0 * 8.0, 1e-4);
            near(number(cpu, "dropped_packets"), (offered - most) * 2.0, 5e-3);
            assert_eq!(interrupts, 0.0, "a busy core polls");
            assert_eq!(number(flow, "lost_packets"), number(cpu, "dropped_packets"));
        }
        near(
            number(cpu, "cycles_per_bit"),
            number(cpu, "cycles") / (number(flow, "goodput_bps") * 2.0),
            1e-9,
        );
        near(number(cpu, "cycles_per_packet"), number(cpu, "cycles") / packets, 1e-12);
        near(number(cpu, "cycles_per_byte"), number(cpu, "cycles") / (1500.0 * packets), 1e-12);
    }
}

/// A steady rate that a core of today takes easily, at both MTUs: what the closed form says, run by
/// run.
#[test]
fn cycles_for_each_bit_are_those_of_the_closed_form() {
    for (preset, mbps) in [("server_2004", 400.0), ("server_2021", 900.0)] {
        let cpu = presets::find(preset).unwrap().cpu;
        for mtu in [1500u32, 9000] {
            let payload = mtu - 28;
            let wire = "dumbbell.bottleneck.mtu=\"9000 B\"";
            let source = format!(
                "flow.0.source={{kind=\"cbr\", rate=\"{mbps} Mbps\", \
                packet=\"{payload} B\"}}"
            );
            let r = run(DATAGRAMS, &[wire, &source, &format!("flow.0.receiver_cpu=\"{preset}\"")]);
            let per_second = mbps * 1e6 / 8.0 / f64::from(payload);
            let law = cpu.cycles_per_bit(mtu, 28, Load::Light(per_second)).unwrap();
            near(number(host(&r, "u/receiver/cpu_receive"), "cycles_per_bit"), law, 0.03);
        }
    }
}

/// A TCP whose receiver's core takes 12,000 cycles for a packet at 60 MHz: 5,000 segments a second,
/// with everything else ten times as fast, and a window that is never the receiver's.
#[test]
fn a_connection_gets_what_its_host_can_take() {
    const TCP: &str = r#"duration = "20 s"
warmup = "10 s"
[dumbbell]
bottleneck = { rate = "1 Gbps", delay = "5 ms" }
[queue]
limit = "1000 pkt"
[[flow]]
name = "s"
cc = "cubic"
rtt = "20 ms"
tcp.receive_window = "unlimited"
receiver_cpu = { clock = "60 MHz", per_packet = 12000 }
"#;
    let limit = 5000.0 * 1448.0 * 8.0;
    let r = run(TCP, &[]);
    near(number(&r["flows"][0], "goodput_bps"), limit, 0.01);
    let [takes, gives] = ["receive", "send"].map(|d| host(&r, &format!("s/receiver/cpu_{d}")));
    assert!(number(takes, "utilization") > 0.99 && number(takes, "dropped_packets") > 0.0);
    assert!(number(&r["queues"][0], "utilization") < 0.1, "the network is idle");
    near(number(gives, "cycles"), 12000.0 * number(gives, "packets"), 1e-12);
    // Every second segment is acknowledged.
    near(number(gives, "packets"), number(takes, "packets") / 2.0, 0.1);
    // The sender's core pays for acknowledgments, and would be the limit if it were slower.
    let r = run(TCP, &["flow.0.sender_cpu={clock=\"30 MHz\", per_packet=12000}"]);
    near(number(&r["flows"][0], "goodput_bps"), limit / 2.0, 0.01);
    assert!(number(host(&r, "s/sender/cpu_send"), "utilization") > 0.99);
    assert_eq!(number(host(&r, "s/sender/cpu_send"), "interrupts"), 0.0);
    assert!(number(host(&r, "s/sender/cpu_receive"), "interrupts") > 0.0);
    // Without processors the same connection has the network's rate.
    assert!(
        number(&run(TCP, &["flow.0.receiver_cpu=none"])["flows"][0], "goodput_bps") > 5.0 * limit
    );
}

/// Processors are no links of the network: nothing that is derived from its links changes.
#[test]
fn the_network_is_what_it_was() {
    let with = |text: &str, more: &[&str]| plan(text, more);
    let bdp = ["queue.limit=\"1 BDP\"", "queue.min_th=\"5 pkt\"", "queue.max_th=\"12 pkt\""];
    let (bare, costly) = (with(RED, &bdp), with(RED, &[&bdp[..], &["cpu=server_2004"]].concat()));
    assert_eq!(costly.links[..bare.links.len()], bare.links[..]);
    assert_eq!(costly.links.len(), bare.links.len() + 4);
    let one = |p: &Plan| (p.base_rtt(&p.flows[0]), p.flows[0].transport.clone(), p.flows[0].info);
    assert_eq!(one(&costly), one(&bare));
    let sides = |way: &[usize]| way.iter().map(|l| costly.links[*l].host).collect::<Vec<_>>();
    let there = [Some(Side::Send), None, None, None, Some(Side::Receive)];
    assert_eq!(
        (sides(&costly.flows[0].forward), sides(&costly.flows[0].back)),
        (there.into(), there.into())
    );
    let shown = serde_json::to_string(&bare).unwrap();
    assert!(!shown.contains("\"host\":"), "a plan without processors says nothing of them");
    assert_eq!(with(RED, &[&bdp[..], &["cpu=none"]].concat()), bare);
    let r = run(RED, &["cpu=server_2004", "duration=\"2 s\""]);
    assert_eq!(r["queues"].as_array().unwrap().len(), 1, "and no queue");
    let names: Vec<&str> =
        r["hosts"].as_array().unwrap().iter().filter_map(|h| h["name"].as_str()).collect();
    assert_eq!(
        names,
        [
            "s/sender/cpu_receive",
            "s/sender/cpu_send",
            "s/receiver/cpu_receive",
            "s/receiver/cpu_send"
        ]
    );
}

/// A host has one core for each direction, whoever its flows are.
#[test]
fn flows_of_one_host_share_its_processor() {
    let two = format!("{GRAPH}\n[[flow]]\nfrom = \"a\"\nto = \"b\"\n");
    let p = plan(
        &two,
        &[
            "host.1.cpu=\"server_2004\"",
            "host.1.cpu={preset=\"server_2004\", \
        ring=\"64 pkt\"}",
        ],
    );
    let cores: Vec<_> = p.links.iter().filter(|l| l.host.is_some()).collect();
    assert_eq!(
        cores.iter().map(|l| l.name.as_str()).collect::<Vec<_>>(),
        ["b/cpu_receive", "b/cpu_send"]
    );
    assert_eq!(
        (cores[0].capacity, cores[1].capacity),
        (Capacity::Packets(64), Capacity::Unlimited)
    );
    assert_eq!(p.flows[0].forward.last(), p.flows[1].forward.last());
    assert_eq!(cores[0].service.as_ref().unwrap().config["per_packet"], 9000.0);
    assert_eq!(cores[1].service.as_ref().unwrap().config["interrupts"], false);
    // Nominally it is through with packets of its link's MTU: 9,000 + 1500 x 1.2 + 300 cycles for
    // each of 12,000 bits.
    assert_eq!(cores[0].rate, Rate::from_bps(2_594_594_595));
}

#[test]
fn what_cannot_be_meant_is_refused_with_a_fix() {
    let wrong = |text: &str, set: &str| {
        study(text, &[set]).and_then(|s| s.plan(&s.points[0], 1)).unwrap_err().rendered
    };
    for (text, set, words) in [
        (RED, "cpu=server_2040", "did you mean `server_2004`?"),
        (RED, "cpu={preset=\"server_2004\", per_paket=3}", "did you mean `per_packet`?"),
        (RED, "cpu={clock=\"2.4\"}", "\"2.4 GHz\""),
        (RED, "cpu={ring=\"0 pkt\"}", "ring = \"256 pkt\""),
        (RED, "cpu={page=\"0 B\"}", "page = \"4096 B\""),
        (RED, "cpu={aggregate=\"9000 B\", per_merged=5000}", "costs more than one by itself"),
        (GRAPH, "flow.0.sender_cpu=server_2004", "write `cpu` in the [[host]]"),
        (GRAPH, "router.0.cpu=server_2004", "`r1` is a router"),
    ] {
        let said = wrong(text, set);
        assert!(said.contains(words), "{set}: {said}");
    }
}

/// Hosts of a session's transfers have processors too, and are in nobody's table.
#[test]
fn transfers_pay_too() {
    let text = r#"duration = "5 s"
cpu = { clock = "10 MHz", per_packet = 10000 }
[dumbbell]
bottleneck = { rate = "100 Mbps", delay = "5 ms" }
[[session]]
name = "web"
transfers = "start,size\n0 s,144800 B\n1 s,144800 B"
"#;
    let r = run(text, &[]);
    assert!(r.get("hosts").is_none());
    let mean = number(&r["sessions"][0], "mean_completion_s");
    assert!(mean > 0.1, "100 segments at 1 ms each: {mean} s");
    assert!(number(&run(text, &["cpu=none"])["sessions"][0], "mean_completion_s") < 0.1);
    assert_eq!(json!(r["sessions"][0]["finished"]), 2);
}

/// The closed forms at the door are those of the service, and refuse what has no answer.
#[test]
fn what_packets_cost_is_told_without_a_run() {
    let asked = json!({ "cpu": "server_2021", "mtu": [1500, 9000], "rate_bps": 10e9 });
    let answer = hosts::cost(&asked).unwrap();
    let (cpu, row) = (presets::find("server_2021").unwrap().cpu, &answer["rows"][1]);
    let law = cpu.cycles_per_bit(9000, 52, Load::Light(10e9 / 8.0 / 8948.0)).unwrap();
    assert_eq!(number(row, "receive_cycles_per_bit"), law);
    assert_eq!(number(row, "limit_bps"), cpu.limit_bps(9000, 52).unwrap());
    near(number(row, "utilization"), 10e9 * law / 3.4e9, 1e-12);
    assert!(number(row, "receiver_cycles_per_bit") > law);
    let saturated =
        hosts::cost(&json!({ "cpu": { "copy": 2 }, "mtu": [1500], "header": 28 })).unwrap();
    assert_eq!(number(&saturated["rows"][0], "receive_cycles_per_packet"), 1200.0 + 3000.0);
    for (cpu, mtu, words) in [
        (json!("none"), json!([1500]), "costs nothing"),
        (json!("server_2020"), json!([1500]), "did you mean `server_2021`?"),
        (json!("server_2021"), json!([52]), "no room beside a header"),
    ] {
        let said = hosts::cost(&json!({ "cpu": cpu, "mtu": mtu })).unwrap_err().rendered;
        assert!(said.contains(words), "{said}");
    }
}

/// A processor decides about a packet when it arrives; a queue that holds its packets, and a run
/// that visits every link, have the same history.
#[test]
fn a_processor_has_one_history() {
    let takes = "flow.0.receiver_cpu={preset=\"server_2021\", clock=\"200 kHz\", ring=\"8 pkt\"}";
    let sends = "flow.0.sender_cpu={preset=\"server_2021\", clock=\"20 MHz\", interrupt_gap=\"200 \
        us\"}";
    let with = |options: &[(&str, bool)]| {
        let mut asked = request(
            RED,
            &[
                takes,
                sends,
                "flow.0.count=3",
                "duration=\"5 s\"",
                "warmup=\"0 \
            s\"",
            ],
        );
        options.iter().for_each(|(key, value)| asked[*key] = json!(value));
        let run = api::run(&asked, &|_| true).unwrap_or_else(|p| panic!("{}", p.rendered));
        assert_eq!(run["valid"], true, "{}", run["conservation"]);
        (run["fingerprint"].clone(), run["hosts"].clone())
    };
    let plain = with(&[]);
    let sum = |key: &str| plain.1.as_array().unwrap().iter().map(|h| number(h, key)).sum::<f64>();
    assert!(
        sum("merged_packets") > 0.0 && sum("interrupts") > 0.0 && sum("dropped_packets") > 0.0,
        "{}",
        plain.1
    );
    assert_eq!(with(&[("fold", false)]), plain);
    assert_eq!(with(&[("hold", true)]), plain);
    assert_eq!(with(&[("straight", false)]), plain);
}
