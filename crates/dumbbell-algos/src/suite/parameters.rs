//! The checks of [`super::pages`], of an algorithm of the catalogue whose kind has its suite in
//! tests only.
use super::pages;
use crate::suite::under_test::Described;
use dumbbell_core::catalogue::{Algorithm, read};

/// See [`pages::documents_itself`].
pub fn documents_itself<A: Algorithm>() {
    pages::documents_itself(&Described::of::<A>()).unwrap();
}

/// See [`pages::refuses_what_is_wrong`].
pub fn refuses_what_is_wrong<A: Algorithm>() {
    pages::refuses_what_is_wrong(&Described::of::<A>()).unwrap();
}

/// See [`pages::choices`].
pub fn choices<A: Algorithm>() -> Vec<A::Config> {
    pages::choices(&Described::of::<A>()).iter().map(|c| read(c).unwrap()).collect()
}
