//! Floor 1 of Dumbbell: the catalogue. One algorithm, one file, one line in its kind's registry.
#![forbid(unsafe_code)]

pub mod cc;
