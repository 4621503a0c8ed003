//! What every algorithm of a kind must do: each `registry!` applies its kind's suite to every algorithm, with its
//! defaults and with each choice (a boolean, one of several words) that its parameters offer.
pub mod aqm;
pub mod conditioner;
pub mod folded;
pub mod impairment;
pub mod parameters;
pub mod service;
pub mod source;

/// One `#[test]` for each function of a suite's module.
macro_rules! suite {
    ($T:ty, $module:ident: $($test:ident),+) => {
        $(#[test]
        fn $test() {
            $crate::suite::$module::$test::<$T>();
        })+
    };
}

macro_rules! aqm_suite {
    ($T:ty) => {
        suite!($T, parameters: documents_itself, refuses_what_is_wrong);
        suite!($T, aqm: accounts_for_every_packet, keeps_the_order, repeats_itself, marks_what_it_may_mark, needs_what_it_says);
    };
}
macro_rules! conditioner_suite {
    ($T:ty) => {
        suite!($T, parameters: documents_itself, refuses_what_is_wrong);
        suite!($T, conditioner: accounts_for_every_packet, repeats_itself);
    };
}
macro_rules! impairment_suite {
    ($T:ty) => {
        suite!($T, parameters: documents_itself, refuses_what_is_wrong);
        suite!($T, impairment: repeats_itself, says_whether_it_reorders);
    };
}
macro_rules! service_suite {
    ($T:ty) => {
        suite!($T, parameters: documents_itself, refuses_what_is_wrong);
        suite!($T, service: takes_time_and_keeps_order, repeats_itself, later_is_not_sooner, keeps_its_nominal_rate);
    };
}
macro_rules! source_suite {
    ($T:ty) => {
        suite!($T, parameters: documents_itself, refuses_what_is_wrong);
        suite!($T, source: repeats_itself, hands_over_something);
    };
}
