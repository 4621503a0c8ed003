//! A word about profiles that cannot be met: reservations above what a link carries, buckets below
//! one packet.
use crate::language::problem::Check;
use dumbbell_core::units::{Capacity, Limit, Rate, Span};
use dumbbell_plan::{Flow, Link, LinkId, Plan, Rule, Transport};

/// Depths of buckets among the parameters of meters and conditioners.
const DEPTHS: [&str; 3] = ["burst", "cbs", "pbs"];

/// Notes each link that is promised to more than it carries, and each edge whose buckets hold less
/// than a packet.
pub fn note(plan: &Plan, check: &mut Check) {
    promised(plan, check);
    let edges = (0..plan.links.len()).filter(|l| !plan.links[*l].rules().is_empty());
    for link in edges {
        let rules = plan.links[link].rules();
        rules.iter().for_each(|rule| shallow(plan, link, rule, check));
    }
}

/// Reservations beyond a link's rate: nobody can get what was promised to all.
fn promised(plan: &Plan, check: &mut Check) {
    let mut sums = vec![0u64; plan.links.len()];
    for flow in &plan.flows {
        let Some(reserved) = flow.info.reserved else { continue };
        flow.forward.iter().for_each(|l| sums[*l] = sums[*l].saturating_add(reserved.bps()));
    }
    for (link, sum) in plan
        .links
        .iter()
        .zip(sums)
        .filter(|(link, sum)| link.host.is_none() && *sum > link.rate.bps())
    {
        check.note(format!(
            "`{}` carries {}, and {} of it are reserved ({:.0} %): nobody can have all that was \
                promised; the target of each is its share of the link",
            link.name,
            link.rate,
            Rate::from_bps(sum),
            100.0 * sum as f64 / link.rate.bps() as f64,
        ));
    }
}

/// The first flow of a rule whose bucket does not hold one of its packets.
fn shallow(plan: &Plan, link: LinkId, rule: &Rule, check: &mut Check) {
    let takes = |i: &usize| rule.flows.as_ref().is_none_or(|flows| flows.contains(i));
    let passes = |i: &usize| plan.flows[*i].forward.contains(&link);
    let flows: Vec<&Flow> =
        (0..plan.flows.len()).filter(|i| takes(i) && passes(i)).map(|i| &plan.flows[i]).collect();
    if rule.per_flow {
        flows.into_iter().any(|flow| tells(plan, &plan.links[link], rule, &[flow], check));
    } else {
        tells(plan, &plan.links[link], rule, &flows, check);
    }
}

/// Notes a bucket that flows share and that does not hold the largest of their packets; whether
/// there was one.
fn tells(plan: &Plan, link: &Link, rule: &Rule, flows: &[&Flow], check: &mut Check) -> bool {
    let (Some(largest), Some(rate)) =
        (flows.iter().filter_map(|f| packet_bytes(f)).max(), rate(rule, flows))
    else {
        return false;
    };
    let rtt = flows.iter().map(|f| plan.base_rtt(f)).max().unwrap_or_default();
    let found = DEPTHS.iter().find_map(|key| Some((*key, depth(rule, key, rate, rtt, largest)?)));
    let Some((key, (depth, written))) = found else { return false };
    let so = if written { "" } else { ", so it is made one packet deep" };
    let whose = match flows {
        [flow] => format!("of `{}` ", flow.name),
        _ => String::new(),
    };
    check.note(format!(
        "the bucket {whose}before `{}` ({}.{key}) is {depth} B deep, and a packet has {largest} B: \
            what does not fit into a full bucket is never in profile{so}; write {key} = \
            \"{largest} B\" or more",
        link.name, rule.spec.kind
    ));
    true
}

/// The depth of a bucket, if it is above nothing and below `largest` bytes, and whether it is
/// written in bytes.
fn depth(rule: &Rule, key: &str, rate: Rate, rtt: Span, largest: u64) -> Option<(u64, bool)> {
    let limit: Limit = serde_json::from_value(rule.spec.config.get(key)?.clone()).ok()?;
    match limit.resolve(rate, rtt) {
        Capacity::Bytes(n) => {
            (n > 0 && n < largest).then_some((n, matches!(limit, Limit::Bytes(_))))
        }
        Capacity::Buffers { count, size } => {
            let bytes = u64::from(count) * u64::from(size);
            (bytes > 0 && bytes < largest).then_some((bytes, true))
        }
        Capacity::Packets(_) | Capacity::Unlimited => None,
    }
}

/// The rate at which a rule's tokens come: its own, or what its flows reserved; `None` if there is
/// neither.
fn rate(rule: &Rule, flows: &[&Flow]) -> Option<Rate> {
    let own = ["rate", "cir"].iter().filter_map(|key| rule.spec.config.get(key));
    let own =
        own.filter_map(|v| serde_json::from_value::<Option<Rate>>(v.clone()).ok().flatten()).next();
    own.or_else(|| {
        let reserved = flows.iter().filter_map(|f| f.info.reserved).map(Rate::bps);
        reserved.reduce(|a, b| a.saturating_add(b)).map(Rate::from_bps)
    })
}

/// The largest IP packet of a connection, bytes; that of datagrams is their source's to say.
fn packet_bytes(flow: &Flow) -> Option<u64> {
    let Transport::Tcp { tcp, .. } = &flow.transport else { return None };
    Some(tcp.segment_bytes() + tcp.header.0 + tcp.option_bytes())
}

#[cfg(test)]
mod tests {
    use crate::language::load::Source;
    use crate::resolve::study::{Study, StudyInput};
    use serde_json::Map;

    fn notes(set: &[&str]) -> Vec<String> {
        let text = r#"
            duration = "1 s"
            dumbbell.bottleneck.rate = "10 Mbps"
            dumbbell.bottleneck.delay = "5 ms"
            dumbbell.bottleneck.conditioner = { kind = "token_bucket", per = "flow" }
            tcp = { mss = "960 B", timestamps = false }
            flow = [
                { name = "gold", count = 2, reserved = "2 Mbps", rtt = "40 ms" },
                { name = "be" },
            ]
        "#;
        let input = StudyInput {
            source: Source::Text { text: text.into(), name: "net.toml".into() },
            overrides: set.iter().map(|s| s.to_string()).collect(),
            also: Map::new(),
            uses: vec![],
        };
        Study::new(&input).unwrap_or_else(|p| panic!("{}", p.rendered)).notes
    }

    #[test]
    fn a_profile_that_can_be_met_is_no_news() {
        assert_eq!(notes(&[]), Vec::<String>::new());
    }

    #[test]
    fn reservations_above_the_link_are_told() {
        let [note] = &notes(&["flow.gold.reserved=6 Mbps"])[..] else { panic!("one note") };
        assert!(
            note.starts_with(
                "`bottleneck` carries 10 Mbps, and 12 Mbps of it are reserved \
            (120 %)"
            ),
            "{note}"
        );
    }

    #[test]
    fn a_bucket_below_a_packet_is_told_once() {
        let [note] = &notes(&["flow.gold.reserved=100 kbps"])[..] else { panic!("one note") };
        assert!(
            note.starts_with(
                "the bucket of `gold.1` before `bottleneck` (token_bucket.burst) is \
                500 B deep"
            ),
            "{note}"
        );
        assert!(note.ends_with("write burst = \"1000 B\" or more"), "{note}");
    }
}
