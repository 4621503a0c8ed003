//! The variation of traffic over time: counts of hand-overs in equal windows, for tests of sources.
use dumbbell_core::rng::Stream;
use dumbbell_core::source::Source;
use dumbbell_core::units::{Span, Time};

/// Counts in `windows` windows of `width`, of one source from its start on.
pub fn counts(source: &mut impl Source, seed: u64, windows: usize, width: Span) -> Vec<f64> {
    let (mut rng, mut now, mut out) =
        (Stream::named(seed, "counts"), Time::ZERO, vec![0.0; windows]);
    while let Some(burst) = source.next(now, &mut rng) {
        now += burst.after;
        match out.get_mut((now.ps() / width.ps()) as usize) {
            Some(count) => *count += 1.0,
            None => break,
        }
    }
    out
}

fn mean_and_variance(x: &[f64]) -> (f64, f64) {
    let (n, mean) = (x.len() as f64, x.iter().sum::<f64>() / x.len() as f64);
    (mean, x.iter().map(|v| libm::pow(v - mean, 2.0)).sum::<f64>() / (n - 1.0))
}

/// Mean count and index of dispersion (variance over mean).
pub fn dispersion(source: &mut impl Source, seed: u64, windows: usize, width: Span) -> (f64, f64) {
    let (mean, variance) = mean_and_variance(&counts(source, seed, windows, width));
    (mean, variance / mean)
}

/// Hurst's parameter of the sum of the sources that `made` makes, and its standard error over
/// `seeds` runs: the variance of the mean of m windows goes as m^(2H - 2) (M. S. Taqqu, V.
/// Teverovsky, W. Willinger, Estimators for long-range dependence, Fractals 3(4), 1995, "aggregated
/// variance"). Slopes are of m from 16 to 512 of 2^15 windows, by least squares on the logarithms;
/// variances are averaged over the seeds about the known mean of zero difference.
pub fn hurst<S: Source>(made: &mut dyn FnMut() -> Vec<S>, width: Span, seeds: u64) -> (f64, f64) {
    const WINDOWS: usize = 1 << 15;
    let slopes: Vec<f64> = (0..seeds)
        .map(|seed| {
            let mut sum = vec![0.0; WINDOWS];
            for (i, mut source) in made().into_iter().enumerate() {
                let one = counts(&mut source, 1000 * seed + i as u64, WINDOWS, width);
                sum.iter_mut().zip(one).for_each(|(s, c)| *s += c);
            }
            let points: Vec<(f64, f64)> = (4..=9)
                .map(|k| {
                    let m = 1usize << k;
                    let blocks: Vec<f64> =
                        sum.chunks_exact(m).map(|c| c.iter().sum::<f64>() / m as f64).collect();
                    (libm::log(m as f64), libm::log(mean_and_variance(&blocks).1))
                })
                .collect();
            slope(&points)
        })
        .collect();
    let (mean, variance) = mean_and_variance(&slopes);
    (1.0 + mean / 2.0, (variance / seeds as f64).sqrt() / 2.0)
}

fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (xy, xx) = points
        .iter()
        .fold((0.0, 0.0), |(a, b), (x, y)| (a + (x - mx) * (y - my), b + libm::pow(x - mx, 2.0)));
    xy / xx
}
