//! Active queue management: what a FIFO asks whether to signal congestion.
use dumbbell_core::registry;

registry! { aqm AnyAqm, suite aqm_suite {
    choke::Choke,
    cobalt::Cobalt,
    codel::Codel,
    drop_tail::DropTail,
    fred::Fred,
    red::Red,
    sfb::Sfb,
} }
