//! From the MTUs of a scenario's links to segments, fragments and answers.
mod common;

use common::plan;
use dumbbell_core::units::Bytes;
use dumbbell_lab::api;
use dumbbell_plan::{Plan, Transport};
use dumbbell_tcp::TcpConfig;
use serde_json::{Value, json};

/// Two hosts with links of 9180 and of 4352 bytes, and 1500 between the routers.
const PATH: &str = r#"duration = "4 s"
host = [{ name = "a" }, { name = "b" }]
router = [{ name = "r1" }, { name = "r2" }]
link = [
  { between = ["a", "r1"], rate = "100 Mbps", delay = "2 ms", mtu = "9180 B" },
  { between = ["r1", "r2"], rate = "50 Mbps", delay = "5 ms", queue.limit = "100 pkt" },
  { between = ["r2", "b"], rate = "100 Mbps", delay = "2 ms", mtu = "4352 B" },
]

[[flow]]
from = "a"
to = "b"
"#;

fn tcp(plan: &Plan) -> &TcpConfig {
    let Transport::Tcp { tcp, .. } = &plan.flows[0].transport else { panic!("UDP") };
    tcp
}

fn run(text: &str, overrides: &[&str]) -> Value {
    api::run(&json!({ "source": { "text": text }, "overrides": overrides }), &|_| true).unwrap()
}

#[test]
fn each_end_announces_what_its_own_link_carries() {
    let icmp = plan(PATH, &["tcp.pmtu_discovery=icmp"]);
    assert_eq!((tcp(&icmp).mss, tcp(&icmp).peer_mss), (Some(Bytes(9140)), Some(Bytes(4312))));
    let known = plan(PATH, &["tcp.pmtu_discovery=known"]);
    assert_eq!((tcp(&known).mss, tcp(&known).peer_mss), (Some(Bytes(1460)), None));
    let six = plan(PATH, &["flow.0.ip=6", "tcp.pmtu_discovery=known"]);
    assert_eq!((tcp(&six).header, tcp(&six).mss), (Bytes(60), Some(Bytes(1440))));
}

/// The router before the narrow link answers over the host's own link; one that is silent does not.
#[test]
fn routers_answer_where_it_gets_tighter() {
    let heard = plan(PATH, &["tcp.pmtu_discovery=icmp"]);
    let answers = heard.flows[0].answers.as_ref().unwrap();
    let names: Vec<_> = answers.iter().map(|a| heard.links[a.at].name.as_str()).collect();
    assert_eq!(names, ["r1->r2"]);
    let way: Vec<_> = answers[0].way.iter().map(|l| heard.links[*l].name.as_str()).collect();
    assert_eq!(way, ["r1->a"]);
    for quiet in [
        "icmp=false",
        "router.0.icmp=false",
        "tcp.pmtu_discovery=known",
        "link.1.mtu=9180 \
        B",
    ] {
        let plan = plan(PATH, &["tcp.pmtu_discovery=icmp", quiet]);
        assert!(plan.flows[0].answers.is_none(), "{quiet}");
    }
}

/// One answer is enough; in a black hole probes find the same.
#[test]
fn results_tell_what_a_sender_learned() {
    let one_size = ["link.2.mtu=9180 B"];
    let icmp = run(PATH, &[one_size[0], "tcp.pmtu_discovery=icmp"]);
    let path = &icmp["flows"][0]["path"];
    assert_eq!((&path["mtu_bytes"], &path["mtu_changes"]), (&json!(1500), &json!(1)), "{path}");
    let probe =
        run(PATH, &[one_size[0], "tcp.pmtu_discovery=probe", "icmp=false", "duration=20 s"]);
    let path = &probe["flows"][0]["path"];
    assert_eq!((&path["mtu_bytes"], &path["notices"]), (&json!(1500), &json!(0)), "{path}");
    assert!(
        path["black_holes"].as_u64() >= Some(1) && path["mtu_probes"].as_u64() >= Some(3),
        "{path}"
    );
    let known = run(PATH, &[one_size[0], "tcp.pmtu_discovery=known"]);
    assert_eq!(known["flows"][0]["path"], Value::Null);
}

/// A TCP that lets routers cut gets through, with seven headers in place of one.
#[test]
fn segments_that_may_be_cut_arrive() {
    let result = run(PATH, &["tcp.pmtu_discovery=off", "link.2.mtu=9180 B"]);
    let all = &result["fragmentation"];
    let count = |key: &str| all[key].as_u64().unwrap();
    assert_eq!(count("fragments"), 7 * count("cut_packets"));
    assert!(count("reassembled_packets") > 500 && count("refused_packets") == 0, "{all}");
    let goodput = result["flows"][0]["goodput_bps"].as_f64().unwrap();
    assert!(goodput > 0.85 * 50e6 * 9140.0 / 9300.0, "{goodput}");
}

/// Nothing is said of fragments where all fits.
#[test]
fn a_path_of_one_size_knows_no_fragments() {
    let result = run(PATH, &["link.1.mtu=9180 B", "link.2.mtu=9180 B"]);
    assert_eq!(result["fragmentation"], Value::Null);
}

#[test]
fn datagrams_that_are_cut_are_noted() {
    let text = PATH.replace(
        "to = \"b\"",
        "to = \"b\"\nsource = { kind = \"cbr\", rate = \"1 Mbps\", \
            packet = \"8972 B\" }",
    );
    let result = run(&text, &[]);
    let warnings = result["warnings"].to_string();
    assert!(
        warnings.contains("9000 B, are cut into 7 fragments for `r1->r2` (1500 B)"),
        "{warnings}"
    );
    assert_eq!(result["flows"][0]["lost_packets"], 0);
    // With df the datagrams of a known size are refused before the run.
    let problem =
        api::plan(&json!({ "source": { "text": text }, "overrides": ["flow.0.df=true"] }))
            .unwrap_err();
    assert!(problem.rendered.contains("send at most \"1472 B\""), "{}", problem.rendered);
}
