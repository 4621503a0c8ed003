//! Values that a plan does not write down: fields that came later leave the plans of before as they were.

pub(super) fn off(x: &bool) -> bool {
    !x
}
pub(super) fn dcr_delay(x: &f64) -> bool {
    *x == 1.0
}
