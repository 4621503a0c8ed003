//! Active queue management: the algorithms that decide when a FIFO signals congestion.
pub(crate) mod parts;
use dumbbell_core::registry;

registry! { aqm AnyAqm, suite aqm_suite {
    adaptive_red::AdaptiveRed,
    avq::Avq,
    blue::Blue,
    choke::Choke,
    cobalt::Cobalt,
    codel::Codel,
    drio::Drio,
    drop_tail::DropTail,
    dt_red::DtRed,
    ea_red::EaRed,
    ered::Ered,
    feng_red::FengRed,
    fred::Fred,
    gred::Gred,
    green::Green,
    jersey_cw::JerseyCw,
    pi2::Pi2,
    pi::Pi,
    pie::Pie,
    r_rtt_adaptive::RRttAdaptive,
    rate_proportional::RateProportional,
    red::Red,
    red_hw::RedHw,
    rem::Rem,
    rio::Rio,
    sfb::Sfb,
    step_mark::StepMark,
    wred::Wred,
} }
