//! Congestion controls. The classics differ in how they repair losses; their window arithmetic is [`window`].
use dumbbell_core::registry;

pub mod classic;
pub mod hystart;
pub mod window;

registry! { cc AnyCc, suite cc_suite { aimd::Aimd, cubic::Cubic, dcr::Dcr, freeze::Freeze, newreno::Newreno, reno::Reno, sack::Sack, tahoe::Tahoe } }
