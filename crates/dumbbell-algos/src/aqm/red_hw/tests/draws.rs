//! How often and in which pattern packets are dropped once the average stands still.
use super::*;

/// Returns the numbers of the dropped packets among packets that come `clocks` apart on a bus of
/// 125 MHz and find `qlen`, once the average is there.
fn drops(config: &RedHwConfig, qlen: u32, clocks: u64, packets: usize) -> Vec<usize> {
    let mut aqm = made(config);
    let (flows, site) = (FlowTable::default(), link(Capacity::Unlimited));
    let mut rng = Stream::named(1, "red_hw");
    let meta = packet(0, 46, Ecn::Ect0);
    let mut found = Vec::new();
    for n in 0..packets + 8000 {
        let now = Time::from_ps(8000 * clocks * n as u64);
        let cx = &mut Cx { now, rng: &mut rng, link: &site, flows: &flows };
        match aqm.arrive(cx, &Always(qlen), &meta, true) {
            Verdict::Drop(Reason::Early) if n >= 8000 => found.push(n - 8000),
            Verdict::Pass | Verdict::Drop(_) => {}
            other => panic!("{other:?}"),
        }
    }
    found
}

/// Within 4 standard deviations of the binomial law; gaps are geometric without `gap`, and half as
/// long with it.
#[test]
fn the_rate_of_drops_is_the_curves() {
    let n = 400_000;
    for (mode, avg) in [(RedHwMode::Sound, 6.0), (RedHwMode::Paper, 5.501)] {
        let p: f64 = 0.1 * (avg - 4.0) / 10.0;
        let deviation = libm::sqrt(p * (1.0 - p) / n as f64);
        let rate = drops(&busy(mode), 6, 9, n).len() as f64 / n as f64;
        assert!((rate - p).abs() < 4.0 * deviation, "{mode:?}: {rate} and not {p}");
        let twice =
            drops(&RedHwConfig { gap: true, ..busy(mode) }, 6, 9, n).len() as f64 / n as f64;
        // A mean gap of (1 + 1/p) / 2, which varies less than the geometric one's.
        let law = 2.0 / (1.0 + 1.0 / p);
        assert!((twice - law).abs() < 4.0 * deviation, "{mode:?}: {twice} and not {law}");
    }
}

/// One number for the whole region: the rate is the same wherever the average stands in it.
#[test]
fn a_constant_threshold_is_max_p_everywhere() {
    let config = RedHwConfig { threshold: RedHwThreshold::Constant, ..busy(RedHwMode::Sound) };
    let n = 200_000;
    for qlen in [5, 9, 13] {
        let rate = drops(&config, qlen, 9, n).len() as f64 / n as f64;
        assert!((rate - 0.1).abs() < 4.0 * libm::sqrt(0.09 / n as f64), "{qlen}: {rate}");
    }
}

/// The share of drops that are followed by one at the next packet: of packets 20 clocks apart a
/// quarter in paper mode, and as many as anywhere in sound mode. What `lags` says of the register
/// is what the queue does.
#[test]
fn bursts_of_the_papers_draw() {
    let again = |mode, clocks| {
        let config = RedHwConfig { threshold: RedHwThreshold::Constant, max_p: 0.02, ..busy(mode) };
        let found = drops(&config, 8, clocks, 400_000);
        found.windows(2).filter(|w| w[1] == w[0] + 1).count() as f64 / found.len() as f64
    };
    for (clocks, expected) in [(9, 0.0215), (18, 0.125), (20, 0.25), (22, 0.125)] {
        let exact = lags::lags(RedHwMode::Paper, clocks..=clocks, 41_943)[0].probability();
        assert!((exact - expected).abs() < 0.001, "{clocks}: {exact}");
        // Some 8000 drops: 4 deviations are below 0.02.
        let found = again(RedHwMode::Paper, u64::from(clocks));
        assert!(
            (found - exact).abs() < 4.0 * libm::sqrt(exact * (1.0 - exact) / 8000.0),
            "{clocks}: \
            {found}"
        );
        let found = again(RedHwMode::Sound, u64::from(clocks));
        assert!((found - 0.02).abs() < 0.0063, "sound, {clocks}: {found}");
    }
}

/// Uniform on 1 .. 1/p: of p = 0.02 gaps of 1 to 50, each as often, by the chi-square law.
#[test]
fn gaps_are_uniform() {
    let config = RedHwConfig {
        threshold: RedHwThreshold::Constant,
        max_p: 0.02,
        gap: true,
        ..busy(RedHwMode::Sound)
    };
    let found = drops(&config, 8, 9, 500_000);
    let mut gaps = [0u32; 64];
    found.windows(2).for_each(|w| gaps[w[1] - w[0]] += 1);
    assert!(gaps[0] == 0 && gaps[52..].iter().all(|n| *n == 0), "{gaps:?}");
    let expected = (found.len() - 1) as f64 / 50.0;
    let chi2: f64 = gaps[1..=50]
        .iter()
        .map(|n| (f64::from(*n) - expected) * (f64::from(*n) - expected) / expected)
        .sum();
    // 49 degrees of freedom, 99.9 %: 85.4.
    assert!(found.len() > 19_000 && chi2 < 85.4, "{chi2} of {} gaps", found.len());
    // And the geometric law of the other mode is none of it.
    let geometric = drops(&RedHwConfig { gap: false, ..config }, 8, 9, 500_000);
    assert!(geometric.windows(2).filter(|w| w[1] - w[0] > 51).count() > 2000);
}
