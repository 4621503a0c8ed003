//! Active queue management: what a FIFO asks whether to signal congestion.
use dumbbell_core::registry;

registry! { aqm AnyAqm, suite aqm_suite {
    blue::Blue,
    choke::Choke,
    cobalt::Cobalt,
    codel::Codel,
    drop_tail::DropTail,
    dt_red::DtRed,
    ea_red::EaRed,
    pi2::Pi2,
    pie::Pie,
    red::Red,
} }
