//! Warm-ups that end before the flows are in their steady state.
use super::site::{Bottleneck, grows_slowly, time_up};
use crate::language::node::path;
use crate::language::problem::Check;
use crate::language::warnings::SHORT_WARMUP;
use crate::resolve::lints::Site;
use dumbbell_core::units::Span;
use dumbbell_plan::Transport;

/// Round-trip times that a warm-up lasts at least.
const LEAST_RTTS: f64 = 10.0;

/// Round-trip times of slow start of flow `i`, from its initial window to `share` bytes.
fn slow_start(site: &Site<'_>, i: usize, share: f64) -> f64 {
    let Transport::Tcp { tcp, .. } = &site.plan.flows[i].transport else { return 0.0 };
    let first = tcp.initial_window_for(tcp.segment_bytes()) as f64;
    let peak = share.min(site.window(i)).min(tcp.initial_ssthresh_for(tcp.segment_bytes()) as f64);
    let growth: f64 = if grows_slowly(tcp) { 1.5 } else { 2.0 };
    (peak / first).max(1.0).ln() / growth.ln()
}

/// Warns of a warm-up that is shorter than the start of the flows.
pub(crate) fn short(site: &Site<'_>, bottlenecks: &[Bottleneck], check: &mut Check) {
    let warmup = site.plan.warmup;
    if warmup == Span::ZERO && site.root().get("warmup").is_some() {
        return; // As it is written: the start is part of what is measured.
    }
    let mut longest: Option<(f64, bool)> = None;
    for bottleneck in bottlenecks {
        let wait = bottleneck.wait(site.plan);
        let share = bottleneck.share(site.plan);
        for &i in bottleneck.flows.iter().filter(|i| site.plan.flows[**i].start <= warmup) {
            let rtt = site.plan.base_rtt(&site.plan.flows[i]).seconds() + wait;
            let start = slow_start(site, i, share);
            let needed = start.max(LEAST_RTTS) * rtt;
            if longest.is_none_or(|(most, _)| needed > most) {
                longest = Some((needed, start > LEAST_RTTS));
            }
        }
    }
    let Some((needed, by_start)) =
        longest.filter(|(needed, _)| *needed > warmup.seconds() * (1.0 + 1e-9))
    else {
        return;
    };
    let what = if by_start { "slow start needs about" } else { "10 round-trip times are" };
    let has = if warmup == Span::ZERO {
        "there is no warm-up".to_string()
    } else {
        format!("the warm-up is {warmup}")
    };
    site.warn(
        &SHORT_WARMUP,
        (path(&["warmup"]), Some(path(&["duration"]))),
        format!("{has}, and {what} {}, so that means include the start", time_up(needed)),
        format!(
            "write warmup = \"{}\" or more, or warmup = \"0 s\" if the start is to count",
            time_up(needed)
        ),
        check,
    );
}
