//! Congestion controls. The classics differ in how they repair losses; their window arithmetic is
//! [`parts::window`].
use dumbbell_core::registry;

pub(crate) mod parts;

registry! { cc AnyCc, suite cc_suite {
    aimd::Aimd,
    bbr::Bbr,
    bbr3::Bbr3,
    bic::Bic,
    cae::Cae,
    compound::Compound,
    cubic::Cubic,
    dcr::Dcr,
    dctcp::Dctcp,
    demo_vegas::DemoVegas,
    freeze::Freeze,
    highspeed::Highspeed,
    htcp::Htcp,
    hybla::Hybla,
    illinois::Illinois,
    jersey::Jersey,
    ledbat::Ledbat,
    ledbat_pp::LedbatPp,
    lp::Lp,
    marker_aware::MarkerAware,
    new_jersey::NewJersey,
    newreno::Newreno,
    peach::Peach,
    prague::Prague,
    reno::Reno,
    sack::Sack,
    scalable::Scalable,
    tahoe::Tahoe,
    tcp_marking::TcpMarking,
    timed_transmission::TimedTransmission,
    vegas::Vegas,
    veno::Veno,
    westwood::Westwood,
    westwood_plus::WestwoodPlus,
    yeah::Yeah,
} }
