//! Quantiles of a group: at each instant, of the members that have a value then.
use crate::pack::columns::Values;

/// The name of a quantile of a column: `cwnd_packets_p10`.
pub fn name(column: &str, quantile: f64) -> String {
    format!("{column}_p{}", (quantile * 1e3).round() / 10.0)
}

/// The instants and, for each of `quantiles`, its values there. `times` and `values` are the rows
/// of all members, in the order of time.
pub fn of(times: &[f64], values: &[f64], quantiles: &[f64]) -> Vec<Values> {
    let mut columns = vec![Vec::new(); quantiles.len()];
    let mut present = Vec::new();
    let mut from = 0;
    for instant in times.chunk_by(|a, b| a == b) {
        let rows = from..from + instant.len();
        from = rows.end;
        present.clear();
        present.extend(values[rows].iter().filter(|v| v.is_finite()));
        present.sort_unstable_by(f64::total_cmp);
        for (column, at) in columns.iter_mut().zip(quantiles) {
            column.push(quantile(&present, *at));
        }
    }
    columns.into_iter().map(Values::Numbers).collect()
}

/// The instants of rows in the order of time, each once.
pub fn instants(times: &[f64]) -> Vec<f64> {
    times.chunk_by(|a, b| a == b).map(|instant| instant[0]).collect()
}

/// A quantile of sorted values, with linear interpolation between two of them (numpy's default);
/// not finite if there are none.
fn quantile(sorted: &[f64], at: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = at * last as f64;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (position - below as f64)
}
