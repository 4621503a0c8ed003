//! The gauges that the algorithms of a plan show: the last columns of the series.
use dumbbell_algos::aqm::AnyAqm;
use dumbbell_algos::cc::AnyCc;
use dumbbell_algos::qdisc::AnyQdisc;
use dumbbell_core::aqm::{Aqm, LinkInfo};
use dumbbell_core::plugin::{Alarm, Plugins};
use dumbbell_core::probe::Gauges;
use dumbbell_core::qdisc::Qdisc;
use dumbbell_core::testing::Numbered;
use dumbbell_core::transport::CongestionControl;
use dumbbell_plan::{Flow, Link, Transport};
use dumbbell_scenario::resolve::flows::SITE;

/// The gauges that a row of a flow holds without a request to its congestion control.
const TOLD: [&str; 2] = ["cwnd", "ssthresh"];

/// The names of what the algorithms of `links` show, in order of first appearance.
pub fn of_queues<'a>(
    links: impl Iterator<Item = &'a Link>,
    plugins: &Plugins,
) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for link in links {
        let kind = link.aqm.kind.as_str();
        let known = seen.contains(&kind);
        seen.push(kind);
        let gauges = if known { of_buffers(link) } else { of_link(link, plugins) };
        for (name, _) in gauges {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// What a link's queue shows when it starts; `None` is a value that it has none of then.
pub fn of_link(link: &Link, plugins: &Plugins) -> Vec<(&'static str, Option<f64>)> {
    let info =
        LinkInfo { rate: link.rate, capacity: link.capacity, mtu: link.mtu, delay: link.delay };
    let mut shown = Gauges::default();
    let (kind, config) = (&link.aqm.kind, &link.aqm.config);
    let made = match plugins.aqm(kind) {
        Some(factory) => factory.make(config, &info, &Alarm::default()).map(AnyAqm::Plugin),
        None => AnyAqm::build(kind, config, &info),
    };
    if let Ok(aqm) = made {
        aqm.probe(&mut shown);
    } else if let Ok(several) = AnyQdisc::<Numbered>::build(kind, config, &info) {
        several.probe(&mut shown);
    }
    let own = shown.0.iter().map(|(name, value)| (*name, Some(*value).filter(|v| v.is_finite())));
    of_buffers(link).into_iter().chain(own).collect()
}

/// Said by the queue itself, beside what its algorithm says.
fn of_buffers(link: &Link) -> Vec<(&'static str, Option<f64>)> {
    link.capacity.buffer_size().map(|_| ("buffers", None)).into_iter().collect()
}

/// The names of what the congestion controls of `flows` show, in order of first appearance; not
/// what every row says anyway.
pub fn of_controls(flows: &[Flow], plugins: &Plugins) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    let new = |names: &[&str], name: &str| !TOLD.contains(&name) && !names.contains(&name);
    for flow in flows {
        if matches!(flow.transport, Transport::Scream { .. }) {
            for name in dumbbell_scream::GAUGES {
                if new(&names, name) {
                    names.push(name);
                }
            }
        }
        let Some(cc) = flow.transport.cc() else { continue };
        if seen.contains(&cc.kind.as_str()) {
            continue;
        }
        seen.push(&cc.kind);
        let mut shown = Gauges::default();
        let made = match plugins.cc(&cc.kind) {
            Some(factory) => factory.make(&cc.config, &SITE, &Alarm::default()).map(AnyCc::Plugin),
            None => AnyCc::build(&cc.kind, &cc.config, &SITE),
        };
        if let Ok(control) = made {
            control.probe(&mut shown);
        }
        for (name, _) in &shown.0 {
            if new(&names, name) {
                names.push(name);
            }
        }
    }
    names
}
