//! RED's weight from tc's `burst`, and back.
//!
//! Floyd and Jacobson (1993, inequality 3) bound the weight so that a burst of L packets into an
//! empty queue leaves the average below the threshold: `L + 1 + ((1 - w)^(L + 1) - 1) / w <
//! min_th`. tc takes the largest power of two for which the same holds with L in the exponent; a
//! hundred lines for which the two differ were given to tc 6.1 to find out which one it uses.
use crate::tc::discipline::ExportLog;

/// Largest exponent of a weight that tc takes.
const MOST: u32 = 31;

/// True if a weight of 2^-k lets a burst pass below a threshold of `min` packets.
fn passes(min: f64, burst: u32, k: u32) -> bool {
    let weight = 0.5f64.powi(k as i32);
    let seen = (1.0 - (1.0 - weight).powf(f64::from(burst))) / weight;
    f64::from(burst) + 1.0 - min <= seen
}

/// The k of tc's weight 2^-k for a `burst` and a threshold of `min` packets. `None`: tc refuses
/// (the burst is shorter than the threshold, or no weight is small enough).
pub fn exponent(min: f64, burst: u32) -> Option<u32> {
    if f64::from(burst) < min {
        return None;
    }
    (1..=MOST).find(|k| passes(min, burst, *k))
}

/// The largest burst whose exponent is `k`, if there is one. A weight of 2^-k lets at most
/// `min + 2^k` packets pass.
fn largest(min: f64, k: u32) -> Option<u32> {
    let (mut low, mut high) = (min.ceil().max(1.0) as u64, min as u64 + (1u64 << k) + 1);
    let passes = |burst: u64| u32::try_from(burst).is_ok_and(|b| passes(min, b, k));
    if !passes(low) {
        return None;
    }
    while low + 1 < high {
        let middle = low.midpoint(high);
        if passes(middle) { low = middle } else { high = middle }
    }
    u32::try_from(low).ok().filter(|burst| exponent(min, *burst) == Some(k))
}

/// The burst that gives the weight nearest to 2^-k, and that weight's exponent.
fn nearest(min: f64, k: u32) -> Option<(u32, u32)> {
    let k = k.clamp(1, MOST);
    let around = (0..MOST).flat_map(|d| [k.checked_sub(d), (d > 0).then_some(k + d)]).flatten();
    around.filter(|k| (1..=MOST).contains(k)).find_map(|k| largest(min, k).map(|burst| (burst, k)))
}

/// The power of two that kernels before 3.3 keep `(max - min) / probability` as. `None`: tc
/// refuses.
pub fn slope(min: u64, max: u64, probability: f64) -> Option<u32> {
    let ratio = probability / max.checked_sub(min)? as f64;
    (0..=MOST).find(|k| ratio * f64::from(*k).exp2() > 1.0)
}

/// tc's burst for `w_q`, explained; `None` after an error.
pub fn of_weight(w_q: f64, min_th: f64, log: &mut ExportLog) -> Option<u32> {
    let wanted = (-w_q.log2()).round().clamp(1.0, 31.0) as u32;
    let Some((burst, k)) = nearest(min_th, wanted) else {
        let cause = format!(
            "with min_th = {min_th:.3} packets no burst gives tc a weight of the \
            average"
        );
        log.refuse(cause, "raise min_th above one packet");
        return None;
    };
    let got = 0.5f64.powi(k as i32);
    let rounded = if got == w_q { String::new() } else { format!(" instead of {w_q}") };
    log.explain(format!("burst {burst}: tc makes of it w_q = 2^-{k} = {got}{rounded}"));
    Some(burst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// (min, max, avpkt, burst, probability) and the (Wlog, Plog) that tc 6.1 sends to the kernel.
    const TC: &[(u64, u64, u64, u32, f64, u32, u32)] = &[
        (5000, 15000, 1000, 20, 0.02, 6, 19),
        (30000, 90000, 1000, 55, 0.02, 5, 22),
        (5120, 15360, 1000, 8, 0.02, 3, 19),
        (5000, 15000, 1000, 5, 0.02, 1, 19),
        (27000, 108_000, 1500, 376, 1.0, 12, 17),
        (15500, 31000, 500, 31, 0.1, 1, 18),
        (22500, 67500, 1500, 25, 0.02, 4, 22),
        (18000, 72000, 500, 134, 0.02, 8, 22),
        (6000, 18000, 1000, 319, 0.01, 14, 21),
        (34500, 69000, 1500, 30, 0.5, 4, 17),
        (9000, 18000, 500, 20, 1.0, 2, 14),
        (35000, 105_000, 1000, 95, 0.1, 7, 20),
        (4000, 12000, 1000, 6, 1.0, 2, 13),
        // For these, the paper's own exponent is one less.
        (2000, 6000, 1000, 4, 0.02, 3, 18),
        (2000, 6000, 1000, 108, 0.02, 13, 18),
        (3000, 9000, 1000, 27, 0.02, 8, 19),
        (17500, 52500, 1000, 53, 0.02, 7, 21),
        (38000, 114_000, 1000, 65, 0.02, 6, 22),
    ];

    #[test]
    fn weights_and_slopes_are_those_of_tc() {
        for (min, max, avpkt, burst, probability, wlog, plog) in TC {
            let packets = *min as f64 / *avpkt as f64;
            assert_eq!(
                exponent(packets, *burst),
                Some(*wlog),
                "min {min} avpkt {avpkt} burst \
                {burst}"
            );
            assert_eq!(
                slope(*min, *max, *probability),
                Some(*plog),
                "min {min} max {max} \
                {probability}"
            );
        }
        // tc: "burst 4 is too small ? Try burst 6"; "failed to calculate probability".
        assert_eq!(
            (exponent(5.0, 4), exponent(0.9, 1), slope(2000, 6000, 0.0)),
            (None, None, None)
        );
        assert_eq!((slope(5000, 4000, 0.1), slope(2000, 6000, 1e-7)), (None, None));
    }

    proptest! {
        #[test]
        fn a_burst_is_found_for_every_weight_that_some_burst_gives(
            min in 2.0f64..200.0,
            burst in 2u32..4000,
        ) {
            let Some(k) = exponent(min, burst) else { return Ok(()) };
            let (found, same) = nearest(min, k).unwrap();
            prop_assert_eq!(same, k);
            prop_assert!(found >= burst && exponent(min, found) == Some(k));
        }
    }
}
