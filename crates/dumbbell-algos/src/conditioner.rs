//! Shapers, and markers that hold: stations that packets pass before a port (RFC 2475).
use dumbbell_core::registry;

registry! { conditioner AnyConditioner, suite conditioner_suite {
    data_buffer::DataBuffer,
    tbf::Tbf,
} }
