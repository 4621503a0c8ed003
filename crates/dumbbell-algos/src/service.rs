//! Services: the rules by which a transmitter uses the wire.
use dumbbell_core::registry;

pub mod parts;

registry! { service AnyService, suite service_suite {
    constant::Constant,
    arq::Arq,
    duplex_mismatch::DuplexMismatch,
    handoff::Handoff,
    host_cpu::HostCpu,
    mahimahi::Mahimahi,
    outage::Outage,
    sine::Sine,
    square::Square,
    steps::Steps,
} }
