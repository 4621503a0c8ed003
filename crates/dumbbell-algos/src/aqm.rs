//! Active queue management: what a FIFO asks whether to signal congestion.
use dumbbell_core::registry;

registry! { aqm AnyAqm, suite aqm_suite {
    blue::Blue,
    drop_tail::DropTail,
    pi2::Pi2,
    pie::Pie,
    red::Red,
    ea_red::EaRed,
    dt_red::DtRed,
} }
