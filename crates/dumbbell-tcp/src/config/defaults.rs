//! Defaults that a plan leaves out, so that fields that were added later do not change older plans.
use super::{Discovery, Reentry, Samples};
use dumbbell_core::units::{Bytes, Span};

pub(super) fn off(x: &bool) -> bool {
    !x
}
pub(super) fn on(x: &bool) -> bool {
    *x
}
pub(super) fn always(x: &Reentry) -> bool {
    *x == Reentry::Always
}
pub(super) fn dcr_delay(x: &f64) -> bool {
    *x == 1.0
}
pub(super) fn known() -> Discovery {
    Discovery::Known
}
pub(super) fn discovery(x: &Discovery) -> bool {
    *x == known()
}
pub(super) fn echo() -> Samples {
    Samples::Echo
}
pub(super) fn samples(x: &Samples) -> bool {
    *x == echo()
}
/// RFC 1191 section 6.3.
pub(super) const RAISE_AFTER: Span = Span::from_secs(600);
pub(super) fn raise_after(x: &Span) -> bool {
    *x == RAISE_AFTER
}
/// RFC 4821 section 7.2.
pub(super) const BASE: Bytes = Bytes(1024);
pub(super) fn base(x: &Bytes) -> bool {
    *x == BASE
}
/// R1 of RFC 1122 section 4.2.3.5.
pub(super) const BLACK_HOLE: u32 = 3;
pub(super) fn black_hole(x: &u32) -> bool {
    *x == BLACK_HOLE
}
/// RFC 791 section 3.2.
pub(super) const LEAST: Bytes = Bytes(68);
pub(super) fn least(x: &Bytes) -> bool {
    *x == LEAST
}
pub(super) const STEP: Bytes = Bytes(8);
pub(super) fn step(x: &Bytes) -> bool {
    *x == STEP
}

pub(super) fn zero(x: &u8) -> bool {
    *x == 0
}
