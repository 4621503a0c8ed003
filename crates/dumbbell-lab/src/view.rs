//! The numbers of a page that shows results over time, out of files of records. The verb is
//! [`pack::pack`]; [`dumbbell_results::pack`] has the coding.
pub(crate) mod deflated;
mod gather;
pub mod pack;
