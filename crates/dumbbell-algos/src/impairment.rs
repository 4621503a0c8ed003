//! What a link does to packets besides carrying them.
use dumbbell_core::registry;

registry! { impairment AnyImpairment, suite impairment_suite {
    bernoulli::Bernoulli,
    bit_error::BitError,
    gilbert_elliott::GilbertElliott,
    jitter::Jitter,
} }
