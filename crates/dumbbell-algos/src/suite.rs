//! What every algorithm of a kind must do: each `registry!` applies its kind's suite to every algorithm.

macro_rules! aqm_suite {
    ($T:ty) => {};
}
macro_rules! impairment_suite {
    ($T:ty) => {};
}
macro_rules! source_suite {
    ($T:ty) => {};
}
