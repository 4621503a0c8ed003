//! Links that fail and return, and flows that spread their packets: the paths of flows over time,
//! by hand.
use crate::common::{plan, study};
use dumbbell_core::units::Span;
use dumbbell_plan::{LinkId, PathSet, Plan, Spread};

const LEAF_SPINE: &str = "duration = \"100 ms\"
leaf_spine = { leaves = 2, spines = 3, hosts = 1, link = { rate = \"1 Gbps\", delay = \"1 us\" } }
[[flow]]
name = \"f\"
count = 30
from = \"leaf1/h1\"
to = \"leaf2/h1\"
";

const TWO_WAYS: &str = "duration = \"100 ms\"
host = [{ name = \"a\" }, { name = \"b\" }]
router = [{ name = \"r\" }, { name = \"x\" }, { name = \"y\" }, { name = \"z\" }, { name = \"s\" }]
link = [
  { between = [\"a\", \"r\"], rate = \"1 Gbps\", delay = \"1 us\" },
  { between = [\"r\", \"x\"], rate = \"1 Gbps\", delay = \"1 us\" },
  { between = [\"r\", \"y\"], rate = \"1 Gbps\", delay = \"1 us\" },
  { between = [\"x\", \"s\"], rate = \"1 Gbps\", delay = \"1 us\" },
  { between = [\"x\", \"z\"], rate = \"1 Gbps\", delay = \"1 us\" },
  { between = [\"y\", \"s\"], rate = \"1 Gbps\", delay = \"1 us\" },
  { between = [\"s\", \"b\"], rate = \"1 Gbps\", delay = \"1 us\" },
]
[[flow]]
from = \"a\"
to = \"b\"
";

/// The routers of a way.
fn way(p: &Plan, links: &[LinkId]) -> Vec<String> {
    let inner = &links[..links.len() - 1];
    inner.iter().map(|l| p.nodes[p.links[*l].to].name.clone()).collect()
}

/// The times of sets in milliseconds, and the second router of the only path of each.
fn moves(p: &Plan, sets: &[PathSet]) -> Vec<(u64, String)> {
    let of = |set: &PathSet| {
        let [only] = &set.paths[..] else { panic!("{set:?}") };
        assert_eq!(only.share, 1.0);
        (set.from.ps() / 1_000_000_000, way(p, &only.links)[1].clone())
    };
    sets.iter().map(of).collect()
}

fn named(all: &[(u64, &str)]) -> Vec<(u64, String)> {
    all.iter().map(|(at, name)| (*at, (*name).to_string())).collect()
}

fn refused(text: &str, more: &[&str]) -> String {
    let rendered = study(text, more).err().map(|p| p.rendered);
    rendered.unwrap_or_else(|| panic!("accepted: {more:?}"))
}

/// Paths over `x` win by name. The link fails at 20 ms and returns at 50 ms.
#[test]
fn the_shortest_path_moves_and_returns() {
    let fails = "links={ \"r<->x\" = { down = [{ from = \"20 ms\", to = \"50 ms\" }] } }";
    let p = plan(TWO_WAYS, &[fails]);
    let all = p.flows[0].multipath.as_ref().unwrap();
    assert_eq!(all.by, Spread::Flow);
    assert_eq!(moves(&p, &all.forward), named(&[(0, "x"), (20, "y"), (50, "x")]));
    assert_eq!(moves(&p, &all.back), named(&[(0, "x"), (20, "y"), (50, "x")]));
    let slow = "routing={ kind = \"shortest\", convergence = \"3 ms\" }";
    let p = plan(TWO_WAYS, &[fails, slow]);
    let all = p.flows[0].multipath.as_ref().unwrap();
    assert_eq!(moves(&p, &all.forward), named(&[(0, "x"), (23, "y"), (53, "x")]));
}

#[test]
fn what_is_down_at_the_start_is_known_at_the_start() {
    let fails = "links={ \"x<->s\" = { down = [{ from = \"0 s\", to = \"40 ms\" }] } }";
    let slow = "routing={ kind = \"shortest\", convergence = \"1 ms\" }";
    let p = plan(TWO_WAYS, &[fails, slow]);
    let all = p.flows[0].multipath.as_ref().unwrap();
    assert_eq!(moves(&p, &all.forward), named(&[(0, "y"), (41, "x")]));
    assert_eq!(way(&p, &p.flows[0].forward), ["r", "y", "s"]);
}

/// One direction alone: data move, acknowledgments stay.
#[test]
fn a_direction_fails_by_itself() {
    let fails = "links={ \"r->x\" = { down = [{ from = \"20 ms\" }] } }";
    let p = plan(TWO_WAYS, &[fails]);
    let all = p.flows[0].multipath.as_ref().unwrap();
    assert_eq!(moves(&p, &all.forward), named(&[(0, "x"), (20, "y")]));
    assert_eq!(moves(&p, &all.back), named(&[(0, "x")]));
    let link = |name: &str| p.links.iter().find(|l| l.name == name).unwrap();
    assert_eq!(link("r->x").impairments[0].config["at"][0][0], "20 ms");
    assert_eq!(link("r->x").impairments[0].config["at"][0][1], "80 ms");
    assert_eq!(link("r->x").impairments[0].config["delay"], "1 us");
    assert!(link("x->r").impairments.is_empty() && link("r->y").impairments.is_empty());
}

/// A link that no path takes, a flow that has no other path, a flow that names its path, and a
/// static one do not move.
#[test]
fn others_stay() {
    let unused = "links={ \"x<->z\" = { down = [{ from = \"20 ms\" }] } }";
    assert!(plan(TWO_WAYS, &[unused]).flows[0].multipath.is_none());
    let only = "links={ \"a<->r\" = { down = [{ from = \"20 ms\", to = \"30 ms\" }] } }";
    assert!(plan(TWO_WAYS, &[only]).flows[0].multipath.is_none());
    let fails = "links={ \"r<->x\" = { down = [{ from = \"20 ms\", to = \"50 ms\" }] } }";
    let p = plan(TWO_WAYS, &[fails, "flow.0.via=[\"r\", \"x\", \"s\"]"]);
    assert!(p.flows[0].multipath.is_none());
    let p = plan(TWO_WAYS, &[fails, "flow.0.via=[\"r\", \"x\", \"s\"]", "routing=static"]);
    assert!(p.flows[0].multipath.is_none());
}

/// Of 30 flows those over spine2 move, each to where the hash of the two others leads it, and all
/// are where they were when the link is back.
#[test]
fn a_hash_chooses_among_what_remains() {
    let fails = "links={ \"leaf1<->spine2\" = { down = [{ from = \"20 ms\", to = \"60 ms\" }] } }";
    let (p, whole) = (plan(LEAF_SPINE, &[fails]), plan(LEAF_SPINE, &[]));
    let cut = plan(LEAF_SPINE, &["links={ \"leaf1<->spine2\" = { up = false } }"]);
    let mut moved = 0;
    for ((f, before), during) in p.flows.iter().zip(&whole.flows).zip(&cut.flows) {
        assert_eq!(f.forward, before.forward);
        let name = |p: &Plan, links: &[LinkId]| way(p, links)[1].clone();
        let (home, away) = (name(&whole, &before.forward), name(&cut, &during.forward));
        let expected = if home == away {
            vec![(0, home)]
        } else {
            vec![(0, home.clone()), (20, away), (60, home)]
        };
        match &f.multipath {
            Some(all) => assert_eq!(moves(&p, &all.forward), expected),
            None => assert_eq!(expected.len(), 1),
        }
        moved += usize::from(expected.len() > 1);
    }
    assert!((5..30).contains(&moved), "{moved}");
}

/// Three spines, a third each; between pods of a fat tree four cores, a quarter each. All flows of
/// two hosts have the same paths.
#[test]
fn packets_choose_among_all_paths() {
    let p = plan(LEAF_SPINE, &["routing={ kind = \"ecmp\", by = \"packet\" }"]);
    let all = p.flows[0].multipath.as_ref().unwrap();
    assert_eq!((all.by, all.forward.len(), all.seed), (Spread::Packet, 1, None));
    let ways: Vec<(String, f64)> = all.forward[0]
        .paths
        .iter()
        .map(|path| (way(&p, &path.links)[1].clone(), path.share))
        .collect();
    let third = 1.0 / 3.0;
    let expected = ["spine1", "spine2", "spine3"].map(|name| (name.to_string(), third));
    assert_eq!(ways, expected);
    assert!(p.flows.iter().all(|f| f.multipath.as_ref() == Some(all)));
    let gap = "routing={ kind = \"ecmp\", by = \"flowlet\", gap = \"70 us\", seed = 4 }";
    let p = plan(LEAF_SPINE, &[gap]);
    let all = p.flows[0].multipath.as_ref().unwrap();
    assert_eq!((all.by, all.seed), (Spread::Flowlet(Span::from_us(70)), Some(4)));
}

/// At `r` two links, at `x` two: the shares are those of routers that each choose uniformly.
#[test]
fn shares_follow_from_the_choices_of_routers() {
    let diamond = TWO_WAYS.replace(
        "  { between = [\"s\", \"b\"]",
        "  { between = [\"x\", \"s\"], name = \"second\", rate = \"1 Gbps\", delay = \"1 us\" },\n\
            { between = [\"s\", \"b\"]",
    );
    let p = plan(&diamond, &["routing={ kind = \"ecmp\", by = \"packet\" }"]);
    let all = p.flows[0].multipath.as_ref().unwrap();
    let shares: Vec<(String, f64)> = all.forward[0]
        .paths
        .iter()
        .map(|path| (p.links[path.links[2]].name.clone(), path.share))
        .collect();
    let expected =
        [("second", 0.25), ("x->s", 0.25), ("y->s", 0.5)].map(|(l, s)| (l.to_string(), s));
    assert_eq!(shares, expected);
}

/// While a link is down, packets choose among the others.
#[test]
fn failures_take_paths_from_packets() {
    let fails = "links={ \"leaf1<->spine2\" = { down = [{ from = \"20 ms\", to = \"60 ms\" }] } }";
    let p = plan(LEAF_SPINE, &[fails, "routing={ kind = \"ecmp\", by = \"packet\" }"]);
    let all = p.flows[0].multipath.as_ref().unwrap();
    let of = |set: &PathSet| (set.from.ps() / 1_000_000_000, set.paths.len());
    assert_eq!(all.forward.iter().map(of).collect::<Vec<_>>(), [(0, 3), (20, 2), (60, 3)]);
    let names = all.forward[1].paths.iter().map(|path| way(&p, &path.links)[1].clone());
    assert_eq!(names.collect::<Vec<_>>(), ["spine1", "spine3"]);
}

#[test]
fn what_is_wrong_is_said_where_it_stands() {
    let down = |times: &str| format!("links={{ \"r<->x\" = {{ down = [{times}] }} }}");
    for (set, said) in [
        (down("{ from = \"5 ms\", to = \"5 ms\" }"), "fails at 5 ms and returns at 5 ms"),
        (down("{ from = \"100 ms\" }"), "fails at 100 ms, and the run ends at 100 ms"),
        (
            down("{ from = \"5 ms\", to = \"9 ms\" }, { from = \"8 ms\" }"),
            "fails here before it has returned",
        ),
        (down("{ to = \"5 ms\" }"), "from"),
        (
            "links={ \"r<->x\" = { up = false, down = [{ from = \"5 ms\" }] } }".into(),
            "this link is out all the time",
        ),
        ("routing={ kind = \"ecmp\", by = \"flowlet\" }".into(), "write gap = \"100 us\""),
    ] {
        let rendered = refused(TWO_WAYS, &[&set]);
        assert!(rendered.replace("\n  │", "").contains(said), "{said}:\n{rendered}");
    }
    let narrow = TWO_WAYS.replace("\"y\"], rate", "\"y\"], mtu = \"1000 B\", rate");
    let rendered = refused(&narrow, &["routing={ kind = \"ecmp\", by = \"packet\" }"]);
    assert!(rendered.contains("MTUs of 1500 and 1000 B"), "{rendered}");
}

/// With `convergence` the warning waits until routes had to follow.
#[test]
fn a_flow_without_another_path_is_warned_of() {
    let codes = |more: &[&str]| {
        let warnings = study(TWO_WAYS, more).unwrap().warnings();
        let all = warnings.iter().map(|w| w["code"].as_str().unwrap().to_string());
        all.filter(|code| code == "W022").count()
    };
    let only = "links={ \"a<->r\" = { down = [{ from = \"20 ms\", to = \"30 ms\" }] } }";
    assert_eq!(codes(&[only]), 1);
    assert_eq!(codes(&[only, "routing={ kind = \"shortest\", convergence = \"10 ms\" }"]), 0);
    let other = "links={ \"r<->x\" = { down = [{ from = \"20 ms\", to = \"30 ms\" }] } }";
    assert_eq!(codes(&[other]), 0);
    assert_eq!(codes(&[other, "flow.0.via=[\"r\", \"x\", \"s\"]"]), 1);
    assert_eq!(codes(&[other, "flow.0.via=[\"r\", \"y\", \"s\"]"]), 0);
    assert_eq!(codes(&[only, "flow.0.start=40 ms"]), 0);
}
