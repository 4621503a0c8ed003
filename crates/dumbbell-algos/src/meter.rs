//! Meters: what colour a packet has (RFC 2475 section 2.3.3.1). What a colour leads to, a codepoint or a drop, is the
//! [`crate::edge`]'s to say.
use dumbbell_core::registry;

registry! { meter AnyMeter, suite meter_suite {
    token_bucket::TokenBucketMeter,
} }
