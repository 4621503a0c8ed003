//! Congestion controls. The classics differ in how they repair losses; their window arithmetic is [`window`].
use dumbbell_core::registry;

pub mod classic;
#[cfg(test)]
pub(crate) mod drill;
pub mod hystart;
pub mod rounds;
pub mod window;

registry! { cc AnyCc, suite cc_suite {
    aimd::Aimd,
    bic::Bic,
    cubic::Cubic,
    highspeed::Highspeed,
    htcp::Htcp,
    hybla::Hybla,
    newreno::Newreno,
    reno::Reno,
    sack::Sack,
    scalable::Scalable,
    tahoe::Tahoe,
} }
