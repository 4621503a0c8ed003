//! Floor 7 of Dumbbell: the simulator where there is no operating system, as a WebAssembly module
//! without imports.
//!
//! A page writes a request as JSON and gets an answer: JSON, and blobs with the columns of tables
//! ([`request`]). A run is made in slices ([`job`]), so that a page can drop it when a newer
//! scenario comes. The same functions run natively, which the tests use.
#![deny(unsafe_code)]

pub mod answer;
pub mod events;
#[cfg(target_arch = "wasm32")]
mod exports;
pub mod given;
pub mod job;
pub mod request;
pub mod shown;
