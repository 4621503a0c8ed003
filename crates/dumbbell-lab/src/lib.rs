//! Floor 7 of Dumbbell: makes runs and keeps their results. It reads and writes the user's files.
//!
//! [`api`] is what the Python package calls: a verb and its request as JSON in, JSON or an Arrow
//! table out; [`verb`] says what a verb is. A scenario becomes plans in [`dumbbell_scenario`].
//! [`run`] makes the runs of a study on all cores, and [`store`] keeps their results. [`results`]
//! writes the document of a study, its records and its tables. [`export`] writes results as the
//! files of other programs ([`formats`]), and [`view`] packs them for pages. [`run::testbed`] runs
//! a plan between real hosts. [`files`] reads, writes and locks.
//!
//! ```
//! use dumbbell_lab::api;
//! use serde_json::json;
//!
//! let scenario = r#"
//!     duration = "10 s"
//!     warmup = "1 s"
//!     queue = { kind = "red", limit = "36 pkt", min_th = "limit / 6", max_th = "limit / 2" }
//!     dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
//!     flow = [{ cc = "newreno", rtt = "40 ms" }]
//! "#;
//! let result = api::run(&json!({ "source": { "text": scenario } }), &|_| true)?;
//! assert_eq!(result["valid"], true);
//! assert!(result["flows"][0]["goodput_bps"].as_f64().unwrap() > 5e6);
//!
//! let wrong = scenario.replace("red", "redd");
//! let problem = api::run(&json!({ "source": { "text": wrong } }), &|_| true).unwrap_err();
//! assert!(problem.rendered.contains("did you mean `red`?"));
//! # Ok::<(), dumbbell_lab::language::problem::Problem>(())
//! ```
#![forbid(unsafe_code)]
// This floor talks to people: it may read clocks, and its powers need not be the same to the last
// bit.
#![allow(clippy::disallowed_methods)]

pub mod api;
pub mod export;
pub mod files;
pub mod formats;
pub mod results;
pub mod run;
pub mod store;
pub mod verb;
pub mod view;

pub use dumbbell_scenario::{language, resolve, tc};
