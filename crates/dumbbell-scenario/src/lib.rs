//! Floor 5 of Dumbbell: from a scenario's text to plans.
//!
//! A scenario is TOML, or a dictionary with the same words. It becomes one tree whose values know
//! where they were written ([`language::node`]). The files that it extends, overrides and the
//! points of its sweep are applied to the tree ([`language::load`], [`language::overrides`],
//! [`language::sweep`]). The tree becomes typed structs ([`language::scenario`]), and these become
//! a [`dumbbell_plan::Plan`] with every default resolved ([`resolve::study`]). Each error says the
//! line, the cause and the fix ([`language::problem`]).
//!
//! The language in one place:
//!
//! - Tables are merged key by key; lists replace lists.
//! - A name where a table could stand (`queue = "red"`) is its `kind`.
//! - A new `kind` keeps the parameters that it knows, and drops the others with a remark.
//! - A queue's threshold may follow its limit (`min_th = "limit / 6"`).
//! - A limit in BDP refers to the mean base round-trip time of the flows whose data crosses the
//!   link.
//!
//! Nothing here opens a file, starts a thread or reads a clock: files come through an
//! [`Environment`](language::environment::Environment).
//!
//! ```
//! use dumbbell_scenario::language::load::Source;
//! use dumbbell_scenario::resolve::study::{Study, StudyInput};
//!
//! let text = r#"
//!     duration = "10 s"
//!     dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
//!     flow = [{ cc = "newreno", rtt = "40 ms" }]
//! "#;
//! let source = Source::Text { text: text.into(), name: "net.toml".into() };
//! let input = StudyInput { source, overrides: vec![], also: Default::default(), uses: vec![] };
//! let study = Study::new(&input)?;
//! let point = &study.points[0];
//! let plan = study.plan(point, point.seed())?;
//! assert_eq!(plan.flows.len(), 1);
//! # Ok::<(), dumbbell_scenario::language::problem::Problem>(())
//! ```
#![forbid(unsafe_code)]
// Powers serve messages and lines of `tc` here; no result of a simulation depends on their last
// bit.
#![allow(clippy::disallowed_methods)]

pub mod language;
pub mod resolve;
pub mod tc;
