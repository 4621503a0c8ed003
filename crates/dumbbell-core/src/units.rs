//! Quantities with their units: time, rate, bytes, packets, buffer limits.
//!
//! Time is an integer number of picoseconds, so that a run is the same on every machine. In files a
//! quantity is always written with its unit (`"10 ms"`, `"100 Mbps"`, `"36 pkt"`); a bare number is
//! refused with the fix.
mod backlog;
mod clock;
mod limit;
mod quantity;
mod rate;
mod text;
mod time;

pub use backlog::{Backlog, taken};
pub use clock::Clock;
pub use limit::{Capacity, Limit};
pub use quantity::{Bytes, Packets};
pub use rate::{Rate, Transmitter};
pub use text::{Number, UnitError};
pub use time::{Span, Time};
