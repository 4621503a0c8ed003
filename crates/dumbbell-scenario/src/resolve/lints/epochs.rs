//! Runs that are too short for a stable mean.
use super::site::{Bottleneck, grows_slowly, time};
use crate::language::lookup::Family;
use crate::language::node::path;
use crate::language::problem::Check;
use crate::language::warnings::FEW_EPOCHS;
use crate::resolve::lints::Site;
use dumbbell_plan::{Plan, Spec, Transport};

/// Epochs that make a sample.
const LEAST: f64 = 30.0;
/// The family of the controls that grow by a constant number of segments in a round-trip time.
const ADDITIVE: &str = "classics";

/// The length of an epoch of a window with a peak of `peak` segments, seconds; `None`: there is no
/// estimate for this congestion control. `rounds` is the number of round-trip times in which the
/// window grows by one segment.
fn epoch(cc: &Spec, peak: f64, rtt: f64, rounds: f64) -> Option<f64> {
    let number = |key: &str| cc.config[key].as_f64();
    if let (Some(c), Some(beta)) = (number("c"), number("beta")) {
        let additive = 3.0 * (1.0 - beta) / (1.0 + beta);
        let reno = (1.0 - beta) * peak / additive * rounds * rtt;
        return Some(((1.0 - beta) * peak / c).cbrt().min(reno));
    }
    let binomial = number("k").is_some_and(|k| k != 0.0) || number("l").is_some_and(|l| l != 1.0);
    let family = Family::Cc.find(&cc.kind).map(|entry| entry.about.family);
    if family != Some(ADDITIVE) || binomial {
        return None;
    }
    let (a, b) = (number("a").unwrap_or(1.0), number("b").unwrap_or(0.5));
    Some(b * peak / a * rounds * rtt)
}

/// The measured time of one flow of a bottleneck, and the length of its epochs, seconds.
fn measured(plan: &Plan, bottleneck: &Bottleneck, i: usize) -> Option<(f64, f64)> {
    let flow = &plan.flows[i];
    let Transport::Tcp { cc, tcp } = &flow.transport else { return None };
    if flow.forward.iter().any(|l| !plan.links[*l].impairments.is_empty()) {
        return None;
    }
    let payload = tcp.segment_bytes() as f64;
    let peak = bottleneck.share(plan).min(tcp.window_bytes() as f64) / payload;
    // On the mean the buffer is half full.
    let rtt = plan.base_rtt(flow).seconds() + bottleneck.wait(plan) / 2.0;
    let rounds = if grows_slowly(tcp) { 2.0 } else { 1.0 };
    let from = flow.start.max(plan.warmup);
    let to = flow.stop.unwrap_or(plan.duration).min(plan.duration);
    Some((to.saturating_sub(from).seconds(), epoch(cc, peak.max(1.0), rtt, rounds)?))
}

/// Warns of a bottleneck whose flows have too few epochs in the measured time.
pub(crate) fn few(site: &Site<'_>, bottlenecks: &[Bottleneck], check: &mut Check) {
    let scenario = site.scenario();
    let swept = scenario.sweep.as_ref().is_some_and(|sweep| sweep.stop.is_some());
    if scenario.stop.is_some() || swept {
        return;
    }
    let plan = site.plan;
    for bottleneck in bottlenecks.iter().filter(|b| b.limit(plan).is_some() && !b.shared) {
        let each = bottleneck.flows.iter().map(|i| measured(plan, bottleneck, *i));
        let Some(each) = each.collect::<Option<Vec<_>>>() else { continue };
        let once: f64 = each.iter().map(|(seconds, epoch)| seconds / epoch).sum();
        let replications = scenario.replications.max(1) as f64;
        let all = once * replications;
        if all >= LEAST {
            continue;
        }
        let window = plan.duration.saturating_sub(plan.warmup).seconds();
        let name = site.name(bottleneck.link);
        let cause = if all < 1.0 {
            let mean = each.iter().map(|(_, epoch)| epoch).sum::<f64>() / each.len() as f64;
            let times = match scenario.replications {
                0 | 1 => String::new(),
                n => format!(" in each of {n} replications"),
            };
            format!(
                "not even one congestion epoch is expected at `{name}`: one takes about {}, and {} \
                    are measured{times}",
                time(mean),
                time(window)
            )
        } else {
            let places = usize::from(all < 10.0);
            // Not 30 for 29.6: that would be enough.
            let shown = if places == 0 { all.floor() } else { all };
            format!(
                "about {shown:.places$} congestion epochs are expected at `{name}` in the measured \
                    time, too few for a stable mean"
            )
        };
        let more = (LEAST / all.max(1e-3)).min(1e6);
        site.warn(
            &FEW_EPOCHS,
            (path(&["duration"]), None),
            cause,
            format!(
                "write duration = \"{}\" or replications = {:.0}, or more",
                time((plan.warmup.seconds() + window * more).ceil()),
                (replications * more).ceil()
            ),
            check,
        );
    }
}
