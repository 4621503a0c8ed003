//! The levels of a table: minima and maxima of buckets of rows, for views of long times.

/// Rows of a bucket, the coarsest level first.
const SIZES: [usize; 3] = [16384, 1024, 64];
/// Buckets that a level has at least.
const FEWEST: usize = 4;

/// The sizes of the levels of a table.
pub fn sizes(rows: usize) -> impl Iterator<Item = usize> {
    SIZES.into_iter().filter(move |size| rows >= FEWEST * size)
}

/// The minimum and the maximum of each bucket; not finite where no value of the bucket is finite.
pub fn extremes(values: &[f64], size: usize) -> (Vec<f64>, Vec<f64>) {
    let of = |best: fn(f64, f64) -> f64| {
        let finite =
            |bucket: &[f64]| bucket.iter().copied().filter(|v| v.is_finite()).fold(f64::NAN, best);
        values.chunks(size).map(finite).collect()
    };
    (of(f64::min), of(f64::max))
}
