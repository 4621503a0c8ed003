//! The checks of [`super::pages`], of an algorithm of the catalogue whose kind has its suite in
//! tests only.
use super::pages;
use crate::suite::under_test::Described;
use dumbbell_core::catalogue::{Algorithm, Entry, read};

/// See [`pages::documents_itself`].
pub fn documents_itself(entry: &Entry) {
    pages::documents_itself(&Described::of(entry)).unwrap();
}

/// See [`pages::refuses_what_is_wrong`].
pub fn refuses_what_is_wrong(entry: &Entry) {
    pages::refuses_what_is_wrong(&Described::of(entry)).unwrap();
}

/// See [`pages::choices`].
pub fn choices<A: Algorithm>() -> Vec<A::Config> {
    pages::choices(&Described::of(&Entry::of::<A>())).iter().map(|c| read(c).unwrap()).collect()
}
