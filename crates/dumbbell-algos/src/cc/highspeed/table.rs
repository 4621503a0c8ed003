//! The table of RFC 3649, appendix B: where a(w) has grown by one, and b(w) there.

/// (w, 100 b(w)); a(w) is the row's number, counted from 1.
#[rustfmt::skip]
pub(super) const ROWS: [(u32, u8); 73] = [
    (38, 50), (118, 44), (221, 41), (347, 38), (495, 37), (663, 35), (851, 34), (1_058, 33),
    (1_284, 32), (1_529, 31), (1_793, 30), (2_076, 29), (2_378, 28), (2_699, 28), (3_039, 27),
    (3_399, 27), (3_778, 26), (4_177, 26), (4_596, 25), (5_036, 25), (5_497, 24), (5_979, 24),
    (6_483, 23), (7_009, 23), (7_558, 22), (8_130, 22), (8_726, 22), (9_346, 21), (9_991, 21),
    (10_661, 21), (11_358, 20), (12_082, 20), (12_834, 20), (13_614, 19), (14_424, 19),
    (15_265, 19), (16_137, 19), (17_042, 18), (17_981, 18), (18_955, 18), (19_965, 17),
    (21_013, 17), (22_101, 17), (23_230, 17), (24_402, 16), (25_618, 16), (26_881, 16),
    (28_193, 16), (29_557, 15), (30_975, 15), (32_450, 15), (33_986, 15), (35_586, 14),
    (37_253, 14), (38_992, 14), (40_808, 14), (42_707, 13), (44_694, 13), (46_776, 13),
    (48_961, 13), (51_258, 13), (53_677, 12), (56_230, 12), (58_932, 12), (61_799, 12),
    (64_851, 11), (68_113, 11), (71_617, 11), (75_401, 10), (79_517, 10), (84_035, 10),
    (89_053, 10), (94_717, 9),
];

/// (a, b) of the first row whose window is not below `w`; beyond the table those of its last.
pub(super) fn row(w: f64) -> (f64, f64) {
    let i = ROWS.partition_point(|(bound, _)| f64::from(*bound) < w).min(ROWS.len() - 1);
    ((i + 1) as f64, f64::from(ROWS[i].1) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program of appendix B, which prints a row whenever a(w) is more than one above that of
    /// the last row.
    #[test]
    fn the_program_of_the_rfc_prints_this_table() {
        let mut rows = vec![(38, 50)];
        let mut last = 1.0;
        for w in 38..100_000 {
            let x = f64::from(w);
            let b = (0.1 - 0.5) * (libm::log(x) - libm::log(38.0))
                / (libm::log(83_000.0) - libm::log(38.0))
                + 0.5;
            let a = x * x * 2.0 * b / ((2.0 - b) * libm::pow(x, 1.2) * 12.8);
            if a > last + 1.0 {
                rows.push((w, libm::round(100.0 * b) as u8));
                last = a;
            }
        }
        assert_eq!(rows, ROWS);
    }

    #[test]
    fn rows_reach_up_to_their_window() {
        assert_eq!(row(38.0), (1.0, 0.5));
        assert_eq!(row(38.5), (2.0, 0.44));
        assert_eq!(row(118.0), (2.0, 0.44));
        assert_eq!(row(2076.0), (12.0, 0.29));
        assert_eq!(row(1e9), (73.0, 0.09));
    }
}
