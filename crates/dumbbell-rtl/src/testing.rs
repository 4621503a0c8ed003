//! Helpers for the tests of the RTL.
use crate::compile;

/// True if this machine can run RTL. If not it says why, and the test is to return; where the
/// environment's `DUMBBELL_REQUIRE` names `rtl`, a lack is a failure.
///
/// # Panics
/// It was required and is not possible.
pub fn rtl() -> bool {
    let Err(fault) = compile::possible() else { return true };
    let required = std::env::var("DUMBBELL_REQUIRE").unwrap_or_default();
    assert!(!required.split([',', ' ']).any(|word| word == "rtl"), "rtl is required here: {fault}");
    #[expect(clippy::print_stderr, reason = "a test that does not test says so")]
    {
        eprintln!("not tested, because this machine cannot: {fault}");
    }
    false
}
