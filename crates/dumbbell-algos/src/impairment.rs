//! Effects of a link on packets: loss, delay, damage, duplication.
use dumbbell_core::registry;

pub mod parts;

registry! { impairment AnyImpairment, suite impairment_suite {
    bernoulli::Bernoulli,
    bit_error::BitError,
    corrupt::Corrupt,
    down::Down,
    duplicate::Duplicate,
    fec::Fec,
    gilbert_elliott::GilbertElliott,
    jitter::Jitter,
    loss_trace::LossTrace,
    reorder::Reorder,
} }
