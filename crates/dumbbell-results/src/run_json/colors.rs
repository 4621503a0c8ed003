//! The part of the results about profiles: each flow's packets in and out of profile, and how far
//! its throughput is from its target bandwidth. Only plans with profiles have it.
use dumbbell_net::metrics::{ProfileReport, TargetErrors, Window};
use dumbbell_plan::{Flow, Plan};
use dumbbell_sim::FlowReport;

/// The report of a flow in a plan with profiles; `target` is the bandwidth that was meant for it.
pub fn profile(f: &FlowReport, planned: &Flow, target: Option<f64>) -> Option<ProfileReport> {
    let reserved_bps = planned.info.reserved.map(|r| r.bps());
    Some(ProfileReport { reserved_bps, colors: f.colors?, target_bps: target })
}

/// The bandwidth that was meant for each flow, bits per second, where flows with and without
/// reservations share one reported link: what it reserved and an equal part of what is not
/// reserved; and if more is reserved than there is, its part in proportion (Choi and Kim 2001,
/// equations 1 and 2). `None` for a flow that does not cross that link, and for all where nothing
/// is reserved, where several reported links carry data, and where flows come and go in sessions.
pub fn targets(plan: &Plan) -> Vec<Option<f64>> {
    let none = vec![None; plan.flows.len()];
    let reported =
        |l: &usize| plan.links[*l].report && plan.flows.iter().any(|f| f.forward.contains(l));
    let reported: Vec<usize> = (0..plan.links.len()).filter(reported).collect();
    let ([link], true) = (&reported[..], plan.sessions.is_empty()) else { return none };
    let crosses = |f: &Flow| f.forward.contains(link);
    let reserved = |f: &Flow| f.info.reserved.map_or(0.0, |r| r.bps() as f64);
    let all: Vec<f64> = plan.flows.iter().filter(|f| crosses(f)).map(reserved).collect();
    if all.iter().all(|r| *r == 0.0) {
        return none;
    }
    let mut shares = shares(&all, plan.links[*link].rate.bps() as f64).into_iter();
    plan.flows.iter().map(|f| if crosses(f) { shares.next() } else { None }).collect()
}

/// Each one's part of `rate`, of all that share it and have `reserved`.
fn shares(reserved: &[f64], rate: f64) -> Vec<f64> {
    let sum: f64 = reserved.iter().sum();
    let spare = (rate - sum) / reserved.len() as f64;
    reserved.iter().map(|r| if sum <= rate { r + spare } else { r * rate / sum }).collect()
}

/// The distance of flows from their targets: x is the throughput in and out of profile. `None`
/// without targets.
pub fn errors<'a>(
    flows: impl Iterator<Item = &'a ProfileReport>,
    w: &Window,
) -> Option<TargetErrors> {
    let pair = |p: &ProfileReport| Some((p.in_bps(w) + p.out_bps(w), p.target_bps?));
    let pairs: Vec<(f64, f64)> = flows.filter_map(pair).collect();
    if pairs.is_empty() {
        return None;
    }
    let relative: Vec<f64> =
        pairs.iter().filter(|(_, t)| *t > 0.0).map(|(x, t)| (x - t).abs() / t).collect();
    let mean = (!relative.is_empty()).then(|| relative.iter().sum::<f64>() / relative.len() as f64);
    Some(TargetErrors { mean, sum_bps: pairs.iter().map(|(x, t)| (x - t).abs()).sum() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_sim::{ColorCounts, ProfileCounts};

    /// Mbit/s, to a bit/s.
    fn is(reserved: &[f64], rate: f64, wanted: &[f64]) {
        let got = shares(reserved, rate);
        assert!(
            got.iter().zip(wanted).all(|(x, t)| (x - t).abs() < 5e-5),
            "{got:?}, not \
            {wanted:?}"
        );
    }

    /// Choi and Kim 2001: the targets of the first experiment (of which one stands for six), of the
    /// second at three rates of the bottleneck, of the third.
    #[test]
    fn targets_of_the_paper() {
        let first = [[1.0; 6], [0.0; 6]].concat();
        is(&first, 10.0, &[[1.3333; 6], [0.3333; 6]].concat());
        let second = [2.0, 1.0, 0.5, 0.1, 2.0, 1.0, 0.5, 0.1, 0.0, 0.0];
        let both =
            |four: [f64; 4], best_effort: f64| [&four[..], &four, &[best_effort; 2]].concat();
        is(&second, 12.0, &both([2.48, 1.48, 0.98, 0.58], 0.48));
        is(&second, 8.0, &both([2.08, 1.08, 0.58, 0.18], 0.08));
        is(&second, 6.0, &both([1.66667, 0.83333, 0.41667, 0.08333], 0.0));
        is(&[[1.0; 8], [0.0; 8]].concat(), 14.0, &[[1.375; 8], [0.375; 8]].concat());
    }

    /// Both equations say the same where all of the link is reserved.
    #[test]
    fn the_equations_meet() {
        let reserved = [3.0, 2.0, 0.0];
        is(&reserved, 5.0, &reserved);
        is(&reserved, 5.0 - 1e-9, &reserved);
    }

    #[test]
    fn errors_by_hand() {
        // Eight seconds: a byte is a bit each second.
        let w = Window { seconds: 8.0, goodput_bps: 0.0 };
        let color = |bytes| ColorCounts { delivered_bytes: bytes, ..ColorCounts::default() };
        let flow = |x, y, target_bps| ProfileReport {
            reserved_bps: None,
            colors: ProfileCounts { inside: color(x), outside: color(y) },
            target_bps,
        };
        let flows =
            [flow(1, 1, Some(4.0)), flow(3, 0, Some(2.0)), flow(0, 1, Some(0.0)), flow(9, 9, None)];
        let said = errors(flows.iter(), &w);
        assert_eq!(said, Some(TargetErrors { mean: Some(0.5), sum_bps: 4.0 }));
        assert_eq!(errors(flows[3..].iter(), &w), None);
    }
}
