//! Congestion controls. The classics differ in how they repair losses; their window arithmetic is [`window`].
use dumbbell_core::registry;

pub mod classic;
pub mod filter;
pub mod hystart;
pub mod model;
pub mod window;

registry! { cc AnyCc, suite cc_suite { aimd::Aimd, bbr::Bbr, bbr3::Bbr3, cubic::Cubic, newreno::Newreno, reno::Reno, sack::Sack, tahoe::Tahoe } }
