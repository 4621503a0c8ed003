//! Sessions that arrive at a load: of which links, and of how much too much.
use crate::common::{plan, study};
use crate::fabrics::fat_tree;
use std::collections::BTreeMap;

/// Poisson arrivals at a load of the hosts' links: lambda = load N C / (8 size).
#[test]
fn a_load_is_a_fraction_of_the_hosts_links() {
    let session = |pattern: &str| {
        format!(
            "{}\nsession = [{{ name = \"s\", pattern = {pattern}, load = 0.5, size = \"100 kB\" \
                }}]",
            fat_tree(4, "").replace("flow = []\n", "")
        )
    };
    let expect = |pattern: &str, mean: f64| {
        let p = plan(&session(pattern), &[]);
        let n = p.flows.len() as f64;
        // Four standard deviations of a Poisson number.
        assert!((n - mean).abs() < 4.0 * mean.sqrt(), "{pattern}: {n}, not {mean}");
        p
    };
    let per_host = 0.5 * 1e9 / 8e5;
    let p = expect("\"random\"", 16.0 * per_host);
    let mut from: BTreeMap<usize, f64> = BTreeMap::new();
    p.flows.iter().for_each(|f| *from.entry(f.from).or_default() += 1.0);
    let chi: f64 = from.values().map(|n| (n - per_host) * (n - per_host) / per_host).sum();
    assert!(from.len() == 16 && chi < 39.3, "{chi}"); // 16 degrees of freedom, once in 1000
    expect("\"permutation\"", 16.0 * per_host);
    let fan = plan(&session("{ kind = \"incast\", senders = 8, to = \"pod1/edge1/h1\" }"), &[]);
    let queries = fan.flows.len() as f64 / 8.0;
    let mean = per_host / 8.0;
    assert!((queries - mean).abs() < 4.0 * mean.sqrt(), "{queries}, not {mean}");
    assert!(fan.flows.chunks(8).all(|c| c.iter().all(|f| f.start == c[0].start)));
}

/// Eight hosts at 0.5 of 10 Gbit/s send to 39 others, of which 32 are behind one link of 8 Gbit/s:
/// 8 x 5 / 8 x 32 / 39 = 410 %.
#[test]
fn a_load_beyond_the_bisection_names_the_link_that_limits() {
    let at = |rate: &str| {
        let text = format!(
            "duration = \"1 ms\"\nqueue = {{ kind = \"drop_tail\", limit = \"100 pkt\" }}\n\
                leaf_spine = {{ leaves = 5, spines = 1, hosts = 8, link = {{ rate = \"{rate}\", \
                delay = \"2 us\" }}, host_link = {{ rate = \"10 Gbps\", delay = \"1 us\" }} }}\n\
                session = [{{ pattern = \"random\", load = 0.5, size = \"1 kB\" }}]\n"
        );
        study(&text, &[]).unwrap_or_else(|p| panic!("{}", p.rendered)).warnings()
    };
    let warnings = at("8 Gbps");
    let overload: Vec<_> = warnings.iter().filter(|w| w["code"] == "W018").collect();
    let [warning] = overload[..] else { panic!("{warnings:?}") };
    let said = warning["message"].as_str().unwrap();
    let (percent, rest) = said
        .strip_prefix("sessions offer ")
        .and_then(|s| s.split_once(" % of what `"))
        .unwrap_or_else(|| panic!("{said}"));
    let (link, rest) = rest.split_once('`').unwrap();
    assert!(link.contains("spine1"), "{said}");
    // The worst of ten links whose flows are drawn: above their mean, by a few deviations at most.
    let percent: f64 = percent.parse().unwrap();
    assert!((410.0..440.0).contains(&percent), "{said}");
    assert!(rest.contains("too much for 9 other links"), "{said}");
    assert!(at("100 Gbps").iter().all(|w| w["code"] != "W018"));
}
