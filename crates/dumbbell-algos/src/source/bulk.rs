//! Endless data: the application of every long-lived flow (ns-2's FTP, `iperf` without a limit).
use dumbbell_core::catalogue::{About, Algorithm, NoConfig, Provenance};
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Burst, Source};
use dumbbell_core::units::{Span, Time};

/// More data than any run can send, all of it at the flow's start. It never closes.
#[derive(Clone, Debug)]
pub struct Bulk {
    handed_over: bool,
}

impl Algorithm for Bulk {
    type Config = NoConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "bulk",
        title: "Bulk transfer",
        idea: "The application always has more to send.",
        equations: "at the flow's start: unlimited bytes",
        sources: &["ns-2 Application/FTP", "iperf3 without -n or -t"],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(_: &NoConfig, (): &()) -> Self {
        Bulk { handed_over: false }
    }
}

impl Source for Bulk {
    fn next(&mut self, _: Time, _: &mut Stream) -> Option<Burst> {
        let first = !std::mem::replace(&mut self.handed_over, true);
        first.then_some(Burst::new(Span::ZERO, u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_endless_burst_at_the_start() {
        let mut rng = Stream::named(1, "bulk");
        let mut bulk = Bulk::new(&NoConfig {}, &());
        assert_eq!(bulk.next(Time::ZERO, &mut rng), Some(Burst::new(Span::ZERO, u64::MAX)));
        assert_eq!(bulk.next(Time::ZERO, &mut rng), None);
        assert!(!bulk.datagrams());
    }
}
