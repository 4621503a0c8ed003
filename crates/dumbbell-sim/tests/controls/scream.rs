//! Whole sessions of SCReAM: alone, beside each other, beside a download.
use crate::plans::{audited, dumbbell, spec};
use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::{Plan, Transport};
use dumbbell_scream::{Ecn, Media, ScreamConfig};
use dumbbell_sim::{FlowReport, Options, Report};
use serde_json::json;

/// So many sessions over 4 Mbps, and 24 ms there and back without them.
fn plan(flows: usize, queue: u32, seconds: u64, config: &ScreamConfig) -> Plan {
    let (rate, queue) = (Rate::from_mbps(4), Capacity::Packets(queue));
    let mut plan =
        dumbbell(3, flows, rate, spec("drop_tail", json!({})), queue, Span::from_secs(seconds));
    plan.warmup = Span::from_secs(30);
    for flow in &mut plan.flows {
        flow.transport = Transport::Scream { scream: config.clone().into() };
        flow.source = spec("camera", json!({ "most": "5 Mbps", "budget": "200 ms" }));
    }
    plan
}

fn fixed() -> ScreamConfig {
    ScreamConfig { competing: false, ..ScreamConfig::default() }
}

fn run(plan: &Plan) -> Report {
    let report = audited(plan, Options::default());
    assert!(report.conservation.ok, "{:?}", report.conservation);
    report
}

fn media(flow: &FlowReport) -> &Media {
    flow.media.as_deref().unwrap()
}

/// A link without competition: full, a queue delay at the target at most, frames in time.
#[test]
fn a_session_fills_a_link_and_keeps_its_delay() {
    let report = run(&plan(1, 1000, 90, &fixed()));
    let (flow, media) = (&report.flows[0], media(&report.flows[0]));
    println!("alone: {:.3} Mbps, {media:?}", flow.goodput_bps / 1e6);
    assert!(flow.goodput_bps > 0.85 * 4e6, "{}", flow.goodput_bps);
    assert!(media.qdelay_s[1].unwrap() < 0.12, "{media:?}");
    assert!(media.missed() * 5 < media.frames, "{media:?}");
    assert_eq!((flow.lost_packets, media.stats.lost_packets), (0, 0));
}

/// What a queue drops is what the sender declares lost, and each lost packet costs a frame at most.
#[test]
fn losses_are_counted_at_both_ends() {
    let report = run(&plan(1, 12, 90, &fixed()));
    let mut whole = plan(1, 12, 90, &fixed());
    whole.warmup = Span::ZERO;
    let all = run(&whole);
    let (flow, media) = (&all.flows[0], media(&all.flows[0]));
    println!("short queue: {} lost, {media:?}", flow.lost_packets);
    assert!(flow.lost_packets > 0);
    assert!(flow.lost_packets.abs_diff(media.stats.lost_packets) <= 2, "{media:?}");
    assert!(media.lost <= flow.lost_packets + media.stats.discarded_frames);
    assert!(report.flows[0].goodput_bps > 0.5 * 4e6);
}

/// Equal sessions share a link.
#[test]
fn equal_sessions_share() {
    let mut plan = plan(2, 1000, 300, &fixed());
    plan.warmup = Span::from_secs(150);
    let report = run(&plan);
    let [one, two] = [0, 1].map(|i| report.flows[i].goodput_bps);
    println!("two sessions: {one:.0} {two:.0}");
    assert!(one + two > 0.8 * 4e6 && one.min(two) > 0.2 * (one + two), "{one} {two}");
}

/// Beside a download that fills a deep queue, the target follows the delay, and the session keeps a
/// part of the link; with a fixed target it keeps less.
#[test]
fn a_session_survives_beside_a_download() {
    let beside = |config: &ScreamConfig| {
        let mut plan = plan(2, 130, 120, config);
        let mut tcp = dumbbell_tcp::TcpConfig::profile("rfc").unwrap();
        tcp.mss = Some(dumbbell_core::units::Bytes(1000));
        plan.flows[1].transport = Transport::Tcp { cc: spec("cubic", json!({})), tcp: tcp.into() };
        plan.flows[1].source = spec("bulk", json!({}));
        run(&plan).flows[0].goodput_bps
    };
    let (follows, stays) = (beside(&ScreamConfig::default()), beside(&fixed()));
    println!("beside a download: {follows:.0}, with a fixed target {stays:.0}");
    assert!(follows > 200_000.0 && follows > stays, "{follows} {stays}");
}

/// Marks take the place of losses.
#[test]
fn marks_hold_the_queue_without_losses() {
    let config = ScreamConfig { ecn: Ecn::Ect0, ..fixed() };
    let mut plan = plan(1, 1000, 90, &config);
    let queue = json!({ "ecn": true });
    for link in &mut plan.links {
        if link.report {
            link.aqm = spec("codel", queue.clone());
        }
    }
    let report = run(&plan);
    let (flow, media) = (&report.flows[0], media(&report.flows[0]));
    println!("marks: {} {media:?}", flow.marks);
    assert!(media.stats.ecn_events > 0 && flow.marks > 0);
    assert_eq!(flow.lost_packets, 0);
    assert!(media.qdelay_s[0].unwrap() < 0.05, "{media:?}");
}
