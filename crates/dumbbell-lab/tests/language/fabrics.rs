//! Networks of many switches: their shape, the paths of flows, and patterns of traffic. Counts are
//! from the papers and by hand.
use crate::common::{GRAPH, plan, study};
use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::{NodeKind, Plan};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const STAR: &str = "duration = \"1 s\"
star = { hosts = 4, link = { rate = \"10 Gbps\", delay = \"1 us\" } }
[[flow]]
from = \"h1\"
to = \"h2\"
";

const LEAF_SPINE: &str = "duration = \"1 s\"
[leaf_spine]
leaves = 3
spines = 4
hosts = 2
link = { rate = \"40 Gbps\", delay = \"2 us\" }
host_link = { rate = \"10 Gbps\", delay = \"1 us\" }
[[flow]]
name = \"f\"
count = 64
from = \"leaf1/h1\"
to = \"leaf3/h2\"
";

pub fn fat_tree(k: u64, flow: &str) -> String {
    format!(
        "duration = \"1 s\"\nfat_tree = {{ k = {k}, link = {{ rate = \"1 Gbps\", delay = \"1 us\" \
            }} }}\nflow = [{flow}]\n"
    )
}

fn count(p: &Plan, kind: NodeKind, part: &str) -> usize {
    p.nodes.iter().filter(|n| n.kind == kind && n.name.contains(part)).count()
}

/// The nodes that a flow's data, or its acknowledgments, pass.
fn way<'a>(p: &'a Plan, links: &[usize]) -> Vec<&'a str> {
    let ends = links.iter().map(|l| p.links[*l].to);
    ends.map(|n| p.nodes[n].name.as_str()).collect()
}

fn paths(text: &str) -> Value {
    let study = study(text, &[]).unwrap_or_else(|p| panic!("{}", p.rendered));
    study.points[0].paths(&study.plugins)
}

fn refused(text: &str) -> String {
    study(text, &[]).err().map(|p| p.rendered).unwrap_or_else(|| panic!("accepted: {text}"))
}

/// A size beyond all memory is refused at once, with and without traffic between all hosts.
#[test]
fn a_short_form_of_any_size_is_refused_where_it_is_written() {
    let links = "link = { rate = \"10 Gbps\", delay = \"1 us\" }";
    let wan = "edges = \"from,to,rate,delay\\na,b,1 Gbps,1 ms\\n\"";
    for (key, form) in [
        ("star.hosts", format!("[star]\nhosts = 4000000000\n{links}")),
        ("leaf_spine.leaves", format!("[leaf_spine]\nleaves = 3000000000\n{links}")),
        ("leaf_spine.spines", format!("[leaf_spine]\nspines = 100000000\n{links}")),
        ("leaf_spine.hosts", format!("[leaf_spine]\nhosts = 100000000\n{links}")),
        ("fat_tree.k", format!("[fat_tree]\nk = 5000000000\n{links}")),
        ("fat_tree.k", format!("[fat_tree]\nk = 1000\n{links}")),
        ("wan.hosts", format!("[wan]\n{wan}\nhosts = 1000000000")),
    ] {
        for flow in ["from = \"x\"\nto = \"y\"", "pattern = \"permutation\""] {
            let text = format!("duration = \"1 s\"\n{form}\n[[flow]]\n{flow}\n");
            let (_, number) = key.split_once('.').unwrap();
            let said = refused(&text);
            assert!(said.contains(&format!("{number} = ")) && said.contains("write"), "{said}");
            assert!(!said.contains("named hosts"), "{said}");
        }
    }
}

/// The edges of a wide-area network count: hosts of all its routers together.
#[test]
fn hosts_of_a_wide_area_network_are_counted_together() {
    let edges: String = (1..60).map(|i| format!("r0,r{i},1 Gbps,1 ms\\n")).collect();
    let text = |hosts: u64| {
        format!(
            "duration = \"1 s\"\n[wan]\nedges = \"from,to,rate,delay\\n{edges}\"\n\
            hosts = {hosts}\n[[flow]]\nfrom = \"r0/h1\"\nto = \"r1/h1\"\n"
        )
    };
    assert!(refused(&text(200)).contains("200 hosts at each of 60 routers are too many"));
    assert_eq!(plan(&text(2), &[]).nodes.len(), 180);
}

#[test]
fn a_star_is_a_switch_with_hosts() {
    let p = plan(STAR, &[]);
    assert_eq!((p.nodes.len(), p.links.len()), (5, 8));
    assert_eq!(way(&p, &p.flows[0].forward), ["hub", "h2"]);
    let port = |name: &str| p.links.iter().find(|l| l.name == name).unwrap();
    assert_eq!((port("hub->h2").capacity, port("hub->h2").report), (Capacity::Packets(50), true));
    let own = port("h1->hub");
    assert_eq!(
        (own.capacity, own.report, own.rate),
        (Capacity::Unlimited, false, Rate::from_mbps(10_000))
    );
}

/// Each leaf has a link to each spine and to each of its hosts.
#[test]
fn a_leaf_spine_has_a_path_over_each_spine() {
    let p = plan(LEAF_SPINE, &["queue=red"]);
    assert_eq!((count(&p, NodeKind::Host, ""), count(&p, NodeKind::Router, "")), (6, 7));
    assert_eq!(p.links.len(), 2 * (3 * 4 + 3 * 2));
    assert_eq!(p.base_rtt(&p.flows[0]), Span::from_us(2 * (1 + 2 + 2 + 1)));
    let red = p.links.iter().filter(|l| l.aqm.kind == "red").map(|l| l.name.as_str());
    assert!(red.clone().all(|name| name.starts_with("leaf") || name.starts_with("spine")));
    assert_eq!(red.filter(|name| !name.contains("h1->") && !name.contains("h2->")).count(), 30);
    let spines: BTreeSet<&str> = p.flows.iter().map(|f| way(&p, &f.forward)[1]).collect();
    assert_eq!(spines.len(), 4);
    let back: BTreeSet<(&str, &str)> =
        p.flows.iter().map(|f| (way(&p, &f.forward)[1], way(&p, &f.back)[1])).collect();
    assert!(back.len() > 4, "data and acknowledgments hash alike: {back:?}");
    let found = paths(LEAF_SPINE);
    assert_eq!((&found["routing"], &found["flows"][0]["equal"]), (&"ecmp".into(), &4.into()));
}

/// Al-Fares, Loukissas and Vahdat, SIGCOMM 2008: k pods, (k/2)^2 cores, k^3/4 hosts; between pods
/// (k/2)^2 paths, within one k/2, within a rack 1.
#[test]
fn a_fat_tree_has_its_hosts_switches_and_paths() {
    for k in [2, 4, 6, 8] {
        let half = k / 2;
        let last = format!("pod{k}/edge{half}/h{half}");
        let flow = |to: &str| format!("{{ from = \"pod1/edge1/h1\", to = \"{to}\" }}");
        let p = plan(&fat_tree(k, &flow(&last)), &[]);
        let n = |kind, part| count(&p, kind, part) as u64;
        assert_eq!(n(NodeKind::Host, ""), k * k * k / 4);
        assert_eq!(n(NodeKind::Router, "core"), half * half);
        assert_eq!((n(NodeKind::Router, "agg"), n(NodeKind::Router, "edge")), (k * half, k * half));
        assert_eq!(p.links.len() as u64, 2 * 3 * k * k * k / 4);
        // Every switch has k ports.
        let mut ports: BTreeMap<usize, u64> = BTreeMap::new();
        p.links.iter().for_each(|l| *ports.entry(l.from).or_default() += 1);
        let switch = |node: &usize| p.nodes[*node].kind == NodeKind::Router;
        assert!(ports.iter().all(|(node, n)| !switch(node) || *n == k));
        let equal = |to: &str| paths(&fat_tree(k, &flow(to)))["flows"][0]["equal"].clone();
        assert_eq!(equal(&last), half * half);
        if half > 1 {
            assert_eq!(equal("pod1/edge2/h1"), half);
            assert_eq!(equal("pod1/edge1/h2"), 1);
        }
    }
}

/// Shares of a hash over four spines: chi-squared with three degrees of freedom exceeds 16.3 once
/// in 1000.
#[test]
fn a_hash_shares_flows_by_the_binomial_law() {
    for seed in ["seed=1", "seed=2", "seed=3"] {
        let p = plan(LEAF_SPINE, &["flow.0.count=4000", seed]);
        let mut spines: BTreeMap<&str, f64> = BTreeMap::new();
        let mut back = 0.0;
        for f in &p.flows {
            *spines.entry(way(&p, &f.forward)[1]).or_default() += 1.0;
            back += f64::from(way(&p, &f.forward)[1] == way(&p, &f.back)[1]);
        }
        let chi: f64 = spines.values().map(|n| (n - 1000.0) * (n - 1000.0) / 1000.0).sum();
        assert!(spines.len() == 4 && chi < 16.3, "{seed}: {spines:?}");
        // Data and acknowledgments are independent: a quarter take the same spine, 4 sigma wide.
        assert!((back / 4000.0 - 0.25f64).abs() < 0.028, "{seed}: {back}");
    }
}

#[test]
fn what_a_hash_chooses_follows_from_its_seed_and_the_flow() {
    let chosen = |more: &[&str]| {
        let p = plan(LEAF_SPINE, more);
        p.flows.iter().map(|f| way(&p, &f.forward)[1].to_string()).collect::<Vec<_>>()
    };
    let first = chosen(&[]);
    assert_eq!(first, chosen(&["duration=2 s", "queue=codel"]));
    assert_ne!(first, chosen(&["seed=2"]));
    let own = "routing={ kind = \"ecmp\", seed = 9 }";
    assert_eq!(chosen(&[own]), chosen(&[own, "seed=2"]));
    // A flow more does not move the others.
    assert_eq!(first[..], chosen(&["flow.0.count=65"])[..64]);
}

#[test]
fn symmetric_paths_and_the_shortest() {
    let p = plan(LEAF_SPINE, &["routing={ kind = \"ecmp\", symmetric = true }"]);
    let spine = |links: &[usize]| way(&p, links)[1].to_string();
    assert!(p.flows.iter().all(|f| spine(&f.forward) == spine(&f.back)));
    let p = plan(LEAF_SPINE, &["routing=shortest"]);
    assert!(p.flows.iter().all(|f| way(&p, &f.forward)[1] == "spine1"));
}

#[test]
fn unused_equal_paths_are_a_warning_under_shortest_alone() {
    let codes = |text: &str, more: &[&str]| {
        let warnings = study(text, more).unwrap().warnings();
        warnings.iter().map(|w| w["code"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert!(!codes(LEAF_SPINE, &[]).contains(&"W010".into()));
    assert!(codes(LEAF_SPINE, &["routing=shortest"]).contains(&"W010".into()));
}

#[test]
fn costs_come_before_delays() {
    let two = "host = [{ name = \"a\" }, { name = \"b\" }]
router = [{ name = \"x\" }, { name = \"y\" }]
duration = \"1 s\"
link = [
  { between = [\"a\", \"x\"], rate = \"1 Gbps\", delay = \"1 ms\" },
  { between = [\"a\", \"y\"], rate = \"1 Gbps\", delay = \"9 ms\" },
  { between = [\"x\", \"b\"], rate = \"1 Gbps\", delay = \"1 ms\" },
  { between = [\"y\", \"b\"], rate = \"1 Gbps\", delay = \"9 ms\" },
]
flow = [{ from = \"a\", to = \"b\" }]
";
    let first = |more: &[&str]| {
        let p = plan(two, more);
        way(&p, &p.flows[0].forward)[0].to_string()
    };
    assert_eq!(first(&[]), "x");
    assert_eq!(first(&["link.0.cost=2"]), "y");
    assert_eq!(first(&["links={ \"a<->x\" = { up = false } }"]), "y");
    assert_eq!(first(&["flow.0.via=[\"y\"]"]), "y");
    // Delays play no part in the costs of a hash.
    assert_eq!(paths(&format!("routing = \"ecmp\"\n{two}"))["flows"][0]["equal"], 2);
    let dearer = "links = { \"a->x\" = { cost = 2 } }";
    assert_eq!(paths(&format!("routing = \"ecmp\"\n{dearer}\n{two}"))["flows"][0]["equal"], 1);
}

#[test]
fn single_links_change_in_one_direction_or_both() {
    let p = plan(
        LEAF_SPINE,
        &["links={ \"leaf1->spine2\" = { rate = \"1 Gbps\", queue = \"codel\" }, \
            \"leaf2<->spine1\" = { delay = \"50 us\" } }"],
    );
    let link = |name: &str| p.links.iter().find(|l| l.name == name).unwrap();
    assert_eq!(
        (link("leaf1->spine2").rate, link("leaf1->spine2").aqm.kind.as_str()),
        (Rate::from_mbps(1000), "codel")
    );
    assert_eq!(link("spine2->leaf1").rate, Rate::from_mbps(40_000));
    assert_eq!(link("leaf2->spine1").delay, link("spine1->leaf2").delay);
    assert_eq!(link("leaf2->spine1").delay, Span::from_us(50));
    let out = plan(LEAF_SPINE, &["links={ \"leaf1<->spine2\" = { up = false } }"]);
    assert_eq!(out.links.len(), p.links.len() - 2);
    assert!(out.flows.iter().all(|f| way(&out, &f.forward)[1] != "spine2"));
}

#[test]
fn a_static_path_is_as_it_is_written() {
    let text = LEAF_SPINE.replace("count = 64", "via = [\"leaf1\", \"spine3\", \"leaf3\"]");
    let p = plan(&format!("routing = \"static\"\n{text}"), &[]);
    assert_eq!(way(&p, &p.flows[0].forward), ["leaf1", "spine3", "leaf3", "leaf3/h2"]);
    assert_eq!(way(&p, &p.flows[0].back), ["leaf3", "spine3", "leaf1", "leaf1/h1"]);
    let other = "flow.0.via_back=[\"leaf3\", \"spine1\", \"leaf1\"]";
    let p = plan(&text, &[other]);
    assert_eq!(way(&p, &p.flows[0].back)[1], "spine1");
}

#[test]
fn a_wide_area_network_from_its_links() {
    let text = "duration = \"1 s\"
[wan]
edges = '''
from,to,rate,delay,cost
Bern,Basel,10 Gbps,1 ms,
Basel,Bern,10 Gbps,1 ms,
Basel,Chur,,2 ms,5
'''
link = { rate = \"1 Gbps\", queue = \"red\" }
[[flow]]
from = \"Bern/h1\"
to = \"Chur/h1\"
";
    let p = plan(text, &[]);
    assert_eq!(way(&p, &p.flows[0].forward), ["Bern", "Basel", "Chur", "Chur/h1"]);
    let link = |name: &str| p.links.iter().find(|l| l.name == name).unwrap();
    assert_eq!(link("Chur->Basel").rate, Rate::from_mbps(1000));
    assert_eq!(link("Basel->Bern.2").delay, Span::from_ms(1));
    assert_eq!(link("Basel->Chur").aqm.kind, "red");
    assert_eq!(link("Bern/h1->Bern").rate, Rate::from_mbps(100_000));
    assert_eq!(paths(&format!("routing = \"ecmp\"\n{text}"))["flows"][0]["equal"], 2);
}

#[test]
fn patterns_of_flows() {
    let ends = |pattern: &str| {
        let p = plan(&fat_tree(4, &format!("{{ name = \"f\", pattern = {pattern} }}")), &[]);
        let name = |n: usize| p.nodes[n].name.clone();
        p.flows.iter().map(|f| (name(f.from), name(f.to))).collect::<Vec<_>>()
    };
    let permuted = ends("\"permutation\"");
    let from: BTreeSet<&String> = permuted.iter().map(|e| &e.0).collect();
    let to: BTreeSet<&String> = permuted.iter().map(|e| &e.1).collect();
    assert!(permuted.len() == 16 && from.len() == 16 && to.len() == 16);
    assert!(permuted.iter().all(|(a, b)| a != b));
    let all: BTreeSet<_> = ends("\"all_to_all\"").into_iter().collect();
    assert_eq!(all.len(), 16 * 15);
    let rack = ends("{ kind = \"all_to_all\", hosts = \"pod2/*\" }");
    assert!(rack.len() == 4 * 3 && rack.iter().all(|(a, b)| a.contains("pod2") && b != a));
    let fan = ends("{ kind = \"incast\", senders = 9, to = \"pod1/edge1/h1\" }");
    assert_eq!(fan.len(), 9);
    assert!(fan.iter().all(|(a, b)| b == "pod1/edge1/h1" && a != b));
    assert_eq!(ends("{ kind = \"incast\", to = \"pod1/edge1/h1\" }").len(), 15);
}

#[test]
fn what_is_wrong_is_said_where_it_stands() {
    let leaf = |from: &str, to: &str| LEAF_SPINE.replace(from, to);
    let via = |via: &str| leaf("count = 64", &format!("via = {via}"));
    let odd = fat_tree(5, "{ from = \"a\", to = \"b\" }");
    let parts = GRAPH
        .replace("\n[[flow]]", "\nrouting = \"ecmp\"\n[[flow]]")
        .replace("to = \"b\"", "to = \"c\"");
    for (text, said) in [
        (odd, vec!["5 is odd", "write k = 4 or k = 6", "net.toml:2:"]),
        (fat_tree(64, ""), vec!["k = 64 makes 65536 hosts", "even k from 2 to 32"]),
        (leaf("leaf3/h2", "leaf3/h9"), vec!["no host or router named `leaf3/h9`", "did you mean"]),
        (leaf("leaf3/h2", "leaf3"), vec!["`leaf3` is a router"]),
        (parts, vec!["no route from `a` to `c`", "`a` reaches b, r1, r2"]),
        (via("[\"leaf1\", \"spine9\", \"leaf3\"]"), vec!["`spine9`", "did you mean `spine"]),
        (
            via("[\"leaf1\", \"leaf3\"]"),
            vec!["`leaf1` has no link to `leaf3`", "links of `leaf1` lead to leaf1/h1"],
        ),
        (via("[\"leaf1\", \"spine1\"]"), vec!["ends at `spine1`, which has no link to `leaf3/h2`"]),
        (via("[\"leaf1\", \"leaf1/h2\"]"), vec!["`leaf1/h2` is a host", "do not forward"]),
        (via("[\"leaf1\", \"spine1\", \"leaf1\"]"), vec!["comes to `leaf1` twice"]),
        (leaf("duration", "routing = \"static\"\nduration"), vec!["names no path", "write via ="]),
        (leaf("duration", "routing = \"ecpm\"\nduration"), vec!["did you mean \"ecmp\"?"]),
        (leaf("count = 64", "via_back = [\"leaf3\"]"), vec!["`via_back` goes with `via`"]),
        (leaf("spines = 4", "spines = 0"), vec!["0 spines are not possible"]),
        (
            leaf("hosts = 2", "hosts = 1000").replace("leaves = 3", "leaves = 999"),
            vec!["999000 hosts", "at most 10000 hosts"],
        ),
        (leaf("delay = \"2 us\"", "delay = \"2 us\", cost = 0"), vec!["0 is not a cost"]),
        (
            leaf("[leaf_spine]", "links = { \"leaf1->spin2\" = {} }\n[leaf_spine]"),
            vec!["no link named `leaf1->spin2`", "did you mean `leaf1->spine2`?"],
        ),
        (leaf("from = \"leaf1/h1\"", "pattern = \"random\""), vec!["`to` and `pattern` both say"]),
        (
            leaf("[leaf_spine]", "queue_reverse = \"red\"\n[leaf_spine]"),
            vec!["`queue_reverse` belongs to a dumbbell or a parking lot"],
        ),
        (STAR.replace("hosts = 4", "hosts = 1"), vec!["1 hosts are not possible here"]),
        (
            STAR.replace("hosts = 4", "hosts = 1000000"),
            vec!["1000000 hosts are not possible here", "from 2 to 10000"],
        ),
        (
            fat_tree(4, "{ pattern = { kind = \"incast\", senders = 16 } }"),
            vec!["16 senders", "15 hosts beside the receiver"],
        ),
        (
            fat_tree(4, "{ pattern = { kind = \"permutation\", hosts = \"pod9/*\" } }"),
            vec!["no host named `pod9/*`"],
        ),
        (
            "duration = \"1 s\"\nwan = { edges = \"from,to\\nA,B\\n\" }\nflow = [{}]".into(),
            vec!["no rate of the link from `A` to `B`", "wan.link.rate"],
        ),
        (
            "duration = \"1 s\"\nwan = { edges = \"from,to\\nA,A\\n\" }\nflow = [{}]".into(),
            vec!["line 2: a link of `A` with itself"],
        ),
        ("duration = \"1 s\"\nwan = {}\nflow = [{}]".into(), vec!["nothing says which routers"]),
    ] {
        let rendered = refused(&text);
        for part in said {
            let flat = rendered.replace("\n  │", "").replace('\n', " ");
            assert!(rendered.contains(part) || flat.contains(part), "{part}:\n{rendered}");
        }
        assert!(rendered.contains("net.toml:"), "{rendered}");
    }
}

const SHARED: &str = "duration = \"1 s\"
queue = { kind = \"red\", min_th = \"limit / 6\", max_th = \"limit / 2\" }
[leaf_spine]
leaves = 2
spines = 2
hosts = 2
link = { rate = \"10 Gbps\", delay = \"1 us\" }
shared_buffer = { size = \"2 MB\", alpha = 0.5 }
[[flow]]
from = \"leaf1/h1\"
to = \"leaf2/h1\"
";

/// Every switch has a buffer and no host; a queue without a limit has what it gets at most.
#[test]
fn switches_share_buffers() {
    let p = plan(SHARED, &[]);
    let routers = (0..p.nodes.len()).filter(|node| p.nodes[*node].kind == NodeKind::Router);
    assert!(p.shared_buffers.iter().map(|buffer| buffer.node).eq(routers));
    for buffer in &p.shared_buffers {
        assert_eq!((buffer.size.0, buffer.alpha), (2_000_000, 0.5));
    }
    let most = Capacity::Bytes(666_666);
    for link in &p.links {
        let router = p.nodes[link.from].kind == NodeKind::Router;
        assert_eq!(link.capacity, if router { most } else { Capacity::Unlimited }, "{}", link.name);
    }
    let classes =
        SHARED.replace("\"red\", min_th = \"limit / 6\", max_th = \"limit / 2\"", "\"prio\"");
    let whole = Capacity::Bytes(2_000_000);
    assert!(plan(&classes, &[]).links.iter().any(|link| link.capacity == whole), "several queues");
    let limited = plan(SHARED, &["queue.limit=100 pkt"]);
    assert!(limited.links.iter().any(|link| link.capacity == Capacity::Packets(100)));
    let graph = GRAPH
        .replace("{ name = \"r1\" }", "{ name = \"r1\", shared_buffer = { size = \"1 MB\" } }");
    assert_ne!(graph, GRAPH, "the router of the common graph");
    let p = plan(&graph, &[]);
    let [one] = p.shared_buffers[..] else { panic!("{:?}", p.shared_buffers) };
    assert_eq!((p.nodes[one.node].name.as_str(), one.alpha), ("r1", 1.0));
}

#[test]
fn a_shared_buffer_that_cannot_be_is_refused() {
    for (from, to, said) in [
        ("alpha = 0.5", "alpha = 0", "with alpha = 0 thresholds mean nothing"),
        ("alpha = 0.5", "alfa = 0.5", "alfa"),
        ("2 MB", "4 kB", "of 4 kB a queue gets at most 1.333 kB with alpha = 0.5"),
        ("2 MB", "2 pkt", "size"),
        (
            "kind = \"red\", min_th = \"limit / 6\", max_th = \"limit / 2\"",
            "kind = \"fq_codel\"",
            "classes: prio, drr, wfq",
        ),
    ] {
        let text = SHARED.replace(from, to);
        assert_ne!(text, SHARED);
        let said_of_it = refused(&text);
        assert!(said_of_it.contains(said), "{said_of_it}");
        assert!(said_of_it.contains("net.toml:"), "{said_of_it}");
    }
    let host =
        GRAPH.replace("{ name = \"a\" }", "{ name = \"a\", shared_buffer = { size = \"1 MB\" } }");
    assert_ne!(host, GRAPH);
    assert!(refused(&host).contains("nothing to share"));
}
