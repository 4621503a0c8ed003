//! Meters, markers and shapers: stations that packets pass before a port (RFC 2475).
use dumbbell_core::registry;

pub mod token_bucket;

registry! { conditioner AnyConditioner, suite conditioner_suite {
    tbf::Tbf,
} }
