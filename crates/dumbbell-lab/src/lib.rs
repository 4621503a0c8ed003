//! Floor 6 of Dumbbell: scenario -> plan -> run -> record; the only API that doors call.
//!
//! A scenario is TOML, or a dictionary with the same words. It becomes one tree whose values know where they
//! were written ([`node`]); files that it extends, overrides and the points of its sweep are laid over it
//! ([`load`], [`overrides`], [`sweep`]); the tree becomes typed structs ([`scenario`]) and these a
//! [`dumbbell_plan::Plan`] with every default resolved ([`study`]). Each error says the line, the cause and the fix.
//!
//! The language in one place: tables are laid over tables key by key, lists replace lists; a name where a table
//! could stand (`queue = "red"`) is its `kind`; a new `kind` keeps the parameters that it knows, and drops the
//! others with a remark; a queue's threshold may follow its limit (`min_th = "limit / 6"`); a limit in BDP refers
//! to the mean base round-trip time of the flows whose data crosses the link.
//!
//! ```
//! use dumbbell_lab::door;
//! use serde_json::json;
//!
//! let scenario = r#"
//!     duration = "10 s"
//!     warmup = "1 s"
//!     queue = { kind = "red", limit = "36 pkt", min_th = "limit / 6", max_th = "limit / 2" }
//!     dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
//!     flow = [{ cc = "newreno", rtt = "40 ms" }]
//! "#;
//! let result = door::run(&json!({ "source": { "text": scenario } }), &|_| true)?;
//! assert_eq!(result["valid"], true);
//! assert!(result["flows"][0]["goodput_bps"].as_f64().unwrap() > 5e6);
//!
//! let wrong = scenario.replace("red", "redd");
//! let problem = door::run(&json!({ "source": { "text": wrong } }), &|_| true).unwrap_err();
//! assert!(problem.rendered.contains("did you mean `red`?"));
//! # Ok::<(), dumbbell_lab::problem::Problem>(())
//! ```
#![forbid(unsafe_code)]
// This floor talks to people: it may read clocks, and its powers need not be the same to the last bit.
#![allow(clippy::disallowed_methods)]

pub mod api;
pub mod export;
pub mod files;
pub mod formats;
pub mod language;
pub mod resolve;
pub mod results;
pub mod run;
pub mod store;
pub mod tc;
pub mod testbed;
