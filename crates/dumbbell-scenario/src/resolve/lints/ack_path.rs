//! A word about links that cannot carry the acknowledgments of what goes the other way.
//!
//! RFC 3449, section 2: the normalized bandwidth ratio k is the ratio of the rates divided by that
//! of the lengths of data and acknowledgments; with fewer than k segments to an acknowledgment
//! the reverse path fills up before the forward path.
use crate::language::problem::Check;
use dumbbell_core::units::Capacity;
use dumbbell_plan::{Flow, Link, LinkId, Plan, Transport};
use dumbbell_tcp::DelayedAck;

/// The slowest link of a way for packets of `bytes`, and how many of them it carries a second.
fn slowest(plan: &Plan, way: &[LinkId], bytes: u64) -> Option<(LinkId, f64)> {
    let per_s = |l: LinkId| {
        let link = &plan.links[l];
        link.rate.bps() as f64 / (8 * u64::from(link.framing().wire_len(bytes as u32))) as f64
    };
    // The work of a host's processor depends on more than length.
    let network = way.iter().filter(|l| plan.links[**l].host.is_none());
    network.map(|l| (*l, per_s(*l))).min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Returns the number of acknowledgments a second that a bulk flow makes at the full rate of its
/// path, and the link of the reverse path that carries fewer of them, with the number that it
/// carries.
fn lacking(plan: &Plan, flow: &Flow) -> Option<(f64, LinkId, f64, u64)> {
    let Transport::Tcp { tcp, .. } = &flow.transport else { return None };
    if flow.source.kind != "bulk" {
        return None; // It may ask for less than the forward path carries.
    }
    let header = tcp.header.0 + tcp.option_bytes();
    let segments = if tcp.delayed_ack == DelayedAck::Second { 2.0 } else { 1.0 };
    let (_, data) = slowest(plan, &flow.forward, tcp.segment_bytes() + header)?;
    let (link, acks) = slowest(plan, &flow.back, header)?;
    let needed = data / segments;
    (acks < needed).then_some((needed, link, acks, header))
}

/// Notes each link that is too slow for acknowledgments, for the first flow that finds it so.
pub fn note(plan: &Plan, check: &mut Check) {
    let mut told: Vec<LinkId> = Vec::new();
    for flow in &plan.flows {
        let Some((needed, link, acks, bytes)) = lacking(plan, flow) else { continue };
        if told.contains(&link) {
            continue;
        }
        told.push(link);
        let Link { name, capacity, .. } = &plan.links[link];
        let then = if *capacity == Capacity::Unlimited {
            "wait, in an unlimited queue"
        } else {
            "wait, \
            and are lost"
        };
        check.note(format!(
            "`{name}` carries {acks:.0} acknowledgments of {bytes} B a second, and data of `{}` \
                at the full rate of its way make {needed:.0}: they {then} \
                (docs/explanation/two-way.md)",
            flow.name
        ));
    }
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
            dumbbell.bottleneck.reverse = { rate = "50 kbps" }
            tcp = { mss = "1000 B", timestamps = false }
            flow = [
                { name = "s", count = 3 },
                { name = "voice", source = { kind = "cbr", rate = "8 kbps", packet = "20 B" } },
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

    /// The RFC's example: 10 Mbit/s there, 50 kbit/s back, 1000 bytes of data, 40 of
    /// acknowledgment: k = 8, and data at the full rate are 10^7 / (8 x 1040) segments a second.
    #[test]
    fn what_cannot_be_carried_is_said_once() {
        let said = notes(&[]);
        assert_eq!(said.len(), 1, "{said:?}");
        let [carries, makes] = [
            "carries 156 acknowledgments of 40 B a second",
            "make 601: they wait, in an \
                unlimited",
        ];
        assert!(
            said[0].contains("`bottleneck_reverse`")
                && said[0].contains(carries)
                && said[0].contains(makes),
            "{said:?}"
        );
        assert!(notes(&["queue_reverse.limit=\"10 pkt\""])[0].contains("they wait, and are lost"));
    }

    #[test]
    fn what_can_be_carried_is_no_news() {
        assert!(notes(&["dumbbell.bottleneck.reverse.rate=\"193 kbps\""]).is_empty());
        assert_eq!(notes(&["dumbbell.bottleneck.reverse.rate=\"192 kbps\""]).len(), 1);
        assert_eq!(
            notes(&["dumbbell.bottleneck.reverse.rate=\"193 kbps\"", "tcp.delayed_ack=each"]).len(),
            1
        );
        assert!(notes(&["flow.0.source={kind=\"cbr\", rate=\"1 Mbps\"}"]).is_empty());
    }
}
