//! The papers' and RFCs' claims about congestion controls, in closed loop. The test prints the
//! figures of docs/reference/controls.md:
//! `cargo test --release -p dumbbell-sim --test controls -- --nocapture`.
#![allow(clippy::print_stdout)]
mod plans;

#[path = "controls/assured.rs"]
mod assured;
#[path = "controls/background.rs"]
mod background;
#[path = "controls/bottleneck.rs"]
mod bottleneck;
#[path = "controls/delay.rs"]
mod delay;
#[path = "controls/quic.rs"]
mod quic;
#[path = "controls/recovery.rs"]
mod recovery;
#[path = "controls/scream.rs"]
mod scream;
#[path = "controls/wireless.rs"]
mod wireless;
