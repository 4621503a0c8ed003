//! How a transmitter takes the wire.
use dumbbell_core::registry;

pub mod schedule;

registry! { service AnyService, suite service_suite {
    constant::Constant,
    mahimahi::Mahimahi,
    steps::Steps,
} }
