//! The numbers of a page that shows results over time: tables as columns of bytes, which are small
//! and which a page decodes by itself. [`tables`] packs a table; [`growing`] packs the rows of a
//! run that somebody watches.
//!
//! A column is a row of integers; a value is its integer times the column's step, a power of ten.
//!
//! | column | a decoded value is |
//! |---|---|
//! | whole numbers up to 2^52, truth values (0 and 1) | exact |
//! | times in seconds (names in `_s`, picoseconds of `_ps`) | within half a nanosecond |
//! | other numbers, of a table with `time_s` | within half a millionth of the column's largest |
//! | other numbers, of another table | within half a millionth of the value, down to 10^-8 of the column's largest |
//! | words | exact |
//!
//! Times beyond 52 days and whole numbers beyond 2^52 count as other numbers. What is not finite
//! is no value. Minima and maxima of buckets are those of the decoded values.
mod bands;
pub mod blobs;
pub mod columns;
pub mod growing;
mod levels;
pub mod rows;
pub mod tables;
