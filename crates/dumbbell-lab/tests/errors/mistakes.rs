//! Every kind of mistake, and what a user reads about it: `golden/errors.txt` holds the messages,
//! written to be read. `UPDATE_GOLDEN=1` writes them again; read the difference aloud before you
//! keep it.
use crate::common::{GRAPH, RED, study};
use dumbbell_lab::language::problem::code;
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
