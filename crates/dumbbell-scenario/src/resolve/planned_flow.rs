//! A flow of the plan: its route, its start, and the template of its entry.
use crate::language::scenario::Scenario;
use crate::resolve::context::Context;
use crate::resolve::flow_template::FlowTemplate;
use crate::resolve::sessions::SampledTransfer;
use crate::resolve::sizes;
use crate::resolve::topology::RoutedFlow;
use dumbbell_core::packet::Dscp;
use dumbbell_core::packet::flow::FlowInfo;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::Span;
use dumbbell_plan::{Flow, Link, Multipath, Shared, Spec, Transport};
use serde_json::json;

/// The start of each flow: those of an entry one after the other, each by chance a little later.
pub fn starts(flows: &[RoutedFlow], scenario: &Scenario, seed: u64) -> Vec<Span> {
    let mut next: Vec<Span> = scenario.flow.iter().map(|written| written.start).collect();
    let start = |f: &RoutedFlow| {
        let written = &scenario.flow[f.entry];
        let spread = match written.start_spread {
            Span::ZERO => Span::ZERO,
            s => s.scaled(Stream::named(seed, &format!("{}/start", f.name)).unit()),
        };
        let own = next[f.entry];
        next[f.entry] = own + written.start_step;
        own + spread
    };
    flows.iter().map(start).collect()
}

/// The flow of the plan that goes where `f` goes, with what its entry has in common.
pub fn build(
    template: &mut FlowTemplate,
    f: RoutedFlow,
    links: &[Link],
    scenario: &Scenario,
    start: Span,
    cx: &Context<'_>,
) -> Flow {
    let written = &scenario.flow[f.entry];
    let transport = sizes::fit(template, &f, links, cx);
    let udp = matches!(transport, Transport::Udp { .. });
    let rtt = f.forward.iter().chain(&f.back).fold(Span::ZERO, |sum, l| sum + links[*l].delay);
    Flow {
        name: f.name,
        from: f.from,
        to: f.to,
        start,
        stop: written.stop,
        forward: f.forward,
        back: if udp { Vec::new() } else { f.back },
        multipath: f.multipath.map(|all| if udp { one_way(&all) } else { all }),
        source: template.source.clone(),
        transport,
        dscp: written.dscp.map_or(Dscp::default(), |c| c.0),
        info: FlowInfo { reserved: written.reserved, rtt: Some(rtt), weight: written.weight },
        ip: template.ip,
        answers: None,
        session: None,
        words: template.words.clone(),
    }
}

/// The paths of datagrams, which nobody answers.
fn one_way(all: &Multipath) -> Shared<Multipath> {
    Multipath { back: Vec::new(), ..all.clone() }.into()
}

/// A flow of a session: one transfer of its own size.
pub fn transfer(flow: Flow, sampled: &SampledTransfer) -> Flow {
    let config = json!({ "size": sampled.size.to_string() });
    let source = Spec { kind: "fixed".into(), config, source_hash: None };
    Flow { source: source.into(), session: Some(sampled.session as u32), ..flow }
}
