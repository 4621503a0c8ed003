//! Active queue management: what a FIFO asks whether to signal congestion.
use dumbbell_core::registry;

registry! { aqm AnyAqm, suite aqm_suite {
    avq::Avq,
    blue::Blue,
    choke::Choke,
    cobalt::Cobalt,
    codel::Codel,
    drop_tail::DropTail,
    fred::Fred,
    red::Red,
    sfb::Sfb,
    dt_red::DtRed,
    ea_red::EaRed,
    pi2::Pi2,
    pie::Pie,
    red::Red,
    ea_red::EaRed,
    dt_red::DtRed,
    adaptive_red::AdaptiveRed,
    feng_red::FengRed,
    wred::Wred,
    pi::Pi,
    pi2::Pi2,
    pie::Pie,
    red::Red,
    rem::Rem,
} }
