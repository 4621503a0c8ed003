//! Checks for every congestion control.
use super::pages;
pub use crate::suite::capabilities::{falls_on_congestion, keeps_its_habits};
use crate::suite::cc_life::for_all;
pub use crate::suite::cc_life::{Event, PATH, drive, life};
use crate::suite::under_test::{CcUnderTest, Check, Finding, ensure};

/// The whole suite.
pub const CHECKS: &[Check<CcUnderTest>] = &[
    Check {
        name: "documents_itself",
        what: "the page is complete, every parameter has a meaning and a source, the defaults are \
            valid",
        run: documents_itself,
    },
    Check {
        name: "refuses_what_is_wrong",
        what: "unknown parameters, values out of range and wrong types are refused with their \
            place",
        run: refuses_what_is_wrong,
    },
    Check {
        name: "starts_with_a_segment",
        what: "the window is at least one segment at the start",
        run: starts_with_a_segment,
    },
    Check {
        name: "keeps_the_rules",
        what: "in any connection: cwnd is never below a segment, does not grow at a loss, and is \
            one \
            segment after a timeout; timers advance",
        run: keeps_the_rules,
    },
    Check {
        name: "repeats_itself",
        what: "the same connection gives the same windows",
        run: repeats_itself,
    },
    Check {
        name: "falls_on_congestion",
        what: "in any connection: a loss reduces the window or the pacing rate, and so do ECN \
            echoes \
            within 20 rounds",
        run: falls_on_congestion,
    },
    Check {
        name: "keeps_its_habits",
        what: "it does only what its capabilities declare: pacing, timers, acting on segments, \
            commands, reading samples",
        run: keeps_its_habits,
    },
];

/// See [`pages::documents_itself`].
pub fn documents_itself(subject: &CcUnderTest) -> Finding {
    pages::documents_itself(&subject.described)
}

/// See [`pages::refuses_what_is_wrong`].
pub fn refuses_what_is_wrong(subject: &CcUnderTest) -> Finding {
    pages::refuses_what_is_wrong(&subject.described)
}

/// The window is at least one segment at the start.
pub fn starts_with_a_segment(subject: &CcUnderTest) -> Finding {
    for config in pages::choices(&subject.described) {
        subject.attempt(|| {
            let cwnd = subject.make(&config, &PATH)?.cwnd();
            ensure!(
                cwnd >= PATH.mss,
                "it starts with {cwnd} bytes, less than a segment of {} (parameters {config})",
                PATH.mss
            );
            Ok(())
        })?;
    }
    Ok(())
}

/// [`drive`] finds no fault in any life.
pub fn keeps_the_rules(subject: &CcUnderTest) -> Finding {
    for_all(subject, |config, events| {
        let mut cc = subject.make(config, &PATH)?;
        drive(&mut *cc, events).map(|_| ()).map_err(|(_, found)| found)
    })
}

/// The same life gives the same windows.
pub fn repeats_itself(subject: &CcUnderTest) -> Finding {
    for_all(subject, |config, events| {
        let once = || subject.make(config, &PATH).map(|mut cc| drive(&mut *cc, events));
        ensure!(once()? == once()?, "two runs of the same life differ");
        Ok(())
    })
}
