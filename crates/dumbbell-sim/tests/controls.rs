//! What the papers and RFCs claim of congestion controls, in closed loop. What is printed is what
//! docs/controls.md says: `cargo test --release -p dumbbell-sim --test controls -- --nocapture`.
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
#[path = "controls/recovery.rs"]
mod recovery;
#[path = "controls/wireless.rs"]
mod wireless;
