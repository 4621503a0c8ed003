//! Active queue management: what a FIFO asks whether to signal congestion.
use dumbbell_core::registry;

registry! { aqm AnyAqm, suite aqm_suite {
    avq::Avq,
    blue::Blue,
    drop_tail::DropTail,
    green::Green,
    jersey_cw::JerseyCw,
    pi::Pi,
    pi2::Pi2,
    pie::Pie,
    red::Red,
    rem::Rem,
} }
