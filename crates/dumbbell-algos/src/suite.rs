//! The conformance suite: what every algorithm of a kind must do. Each `registry!` applies its
//! kind's suite to every algorithm, with its defaults and with each choice (a boolean, one of
//! several words, the ends of a range) that its parameters offer; and `dumbbell test` applies the
//! checks of [`aqm`] and [`cc`], the same functions, to a user's own.
pub mod aqm;
pub mod capabilities;
pub mod cc;
pub mod cc_life;
#[cfg(test)]
pub mod conditioner;
pub mod folded;
#[cfg(test)]
pub mod impairment;
pub mod log;
#[cfg(test)]
pub mod meter;
pub mod pages;
#[cfg(test)]
pub mod parameters;
#[cfg(test)]
pub mod qdisc;
#[cfg(test)]
pub mod service;
#[cfg(test)]
pub mod source;
pub mod traffic;
pub mod under_test;

/// One `#[test]` for each generic function of a suite's module.
#[cfg(test)]
macro_rules! suite {
    ($T:ty, $module:ident: $($test:ident),+) => {
        $(#[test]
        fn $test() {
            $crate::suite::$module::$test::<$T>();
        })+
    };
}

/// One `#[test]` for each check of a suite's module. A check gets its algorithm by its page, so
/// that it is compiled once and not for each algorithm.
#[cfg(test)]
macro_rules! examine {
    ($UnderTest:ident of $T:ty, $module:ident: $($test:ident),+) => {
        const NAMES: &[&str] = &[$(stringify!($test)),+];

        fn subject() -> $crate::suite::under_test::$UnderTest {
            let entry = dumbbell_core::catalogue::Entry::of::<$T>();
            $crate::suite::under_test::$UnderTest::of(&entry)
        }
        $(#[test]
        fn $test() {
            $crate::suite::under_test::examine(&subject(), $crate::suite::$module::$test);
        })+

        #[test]
        fn each_check_is_a_test() {
            let checks = $crate::suite::$module::CHECKS.iter().map(|c| c.name);
            assert!(checks.eq(NAMES.iter().copied()));
        }
    };
}

/// One `#[test]` for each check of an algorithm's page.
#[cfg(test)]
macro_rules! page_suite {
    ($T:ty) => {
        #[test]
        fn documents_itself() {
            $crate::suite::parameters::documents_itself(
                &dumbbell_core::catalogue::Entry::of::<$T>(),
            );
        }
        #[test]
        fn refuses_what_is_wrong() {
            $crate::suite::parameters::refuses_what_is_wrong(
                &dumbbell_core::catalogue::Entry::of::<$T>(),
            );
        }
    };
}

#[cfg(test)]
macro_rules! aqm_suite {
    ($T:ty) => {
        examine!(AqmUnderTest of $T, aqm: documents_itself, refuses_what_is_wrong,
            accounts_for_every_packet, keeps_the_order, repeats_itself, marks_what_it_may_mark,
            needs_what_it_says, keeps_the_limit, is_what_its_log_says);

        #[test]
        fn hears_what_it_says() {
            $crate::suite::under_test::examine(&subject(), $crate::suite::aqm::hears_what_it_says);
        }

        #[test]
        fn is_what_its_page_says_of_size() {
            $crate::packet_size::is_what_its_page_says(
                &<$T as dumbbell_core::catalogue::Algorithm>::ABOUT,
            );
        }
    };
}
#[cfg(test)]
macro_rules! cc_suite {
    ($T:path) => {
        examine!(CcUnderTest of $T, cc: documents_itself, refuses_what_is_wrong,
            starts_with_a_segment, keeps_the_rules, repeats_itself, falls_on_congestion,
            keeps_its_habits);
    };
}
#[cfg(test)]
macro_rules! conditioner_suite {
    ($T:ty) => {
        page_suite!($T);
        suite!($T, conditioner: accounts_for_every_packet, accounts_for_every_token,
            repeats_itself);
    };
}
#[cfg(test)]
macro_rules! meter_suite {
    ($T:ty) => {
        page_suite!($T);
        suite!($T, meter: repeats_itself, accounts_for_every_token, favours_what_fits);
        suite!($T, meter: never_betters_a_colour, green_is_the_contract);
    };
}
#[cfg(test)]
macro_rules! qdisc_suite {
    ($T:ty) => {
        page_suite!($T);
        suite!($T, qdisc: accounts_for_every_packet, repeats_itself, keeps_the_limit,
            never_idles_while_a_packet_waits, keeps_the_order_of_a_flow,
            behaves_alike_behind_a_box);
    };
}
#[cfg(test)]
macro_rules! impairment_suite {
    ($T:ty) => {
        page_suite!($T);
        suite!($T, impairment: repeats_itself, says_whether_it_reorders);
    };
}
#[cfg(test)]
macro_rules! service_suite {
    ($T:ty) => {
        page_suite!($T);
        suite!($T, service: takes_time_and_keeps_order, repeats_itself, later_is_not_sooner);
        suite!($T, service: is_down_when_it_says_so, keeps_its_nominal_rate);
    };
}
#[cfg(test)]
macro_rules! source_suite {
    ($T:ty) => {
        page_suite!($T);
        suite!($T, source: repeats_itself, hands_over_something);
    };
}
