//! What the benchmarks share.
use criterion::Criterion;
use std::time::Duration;

/// A short measurement of many samples: these parts take nanoseconds.
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500))
        .configure_from_args()
}
