//! What the papers and RFCs claim of congestion controls, in closed loop.
mod plans;

#[path = "controls/background.rs"]
mod background;
#[path = "controls/bottleneck.rs"]
mod bottleneck;
#[path = "controls/delay.rs"]
mod delay;
#[path = "controls/recovery.rs"]
mod recovery;
