//! How long Dumbbell waits for a silent guest, by its state: it works, never sleeps, or is idle.
use std::fmt;

/// Between two looks at a guest that says nothing, milliseconds.
pub const LOOK_MS: u16 = 100;
/// Looks at a guest that neither says nor does anything, at most.
const MOST_IDLE: u32 = 150;

/// What the processes of a guest do.
pub struct Activity {
    /// Seconds of processor time that they have used.
    pub cpu_s: f64,
    /// True if one of them works, or would if the machine let it.
    pub runnable: bool,
}

/// What is known of a guest that has said nothing for a while.
#[derive(Default)]
pub struct Patience {
    /// Processor time that it had used at the first look.
    began: Option<f64>,
    /// Processor time that it had used at the last look.
    last: f64,
    /// Looks since it last worked.
    idle: u32,
}

/// Why a guest is waited for no longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lost {
    /// It did not sleep for so many seconds of processor time.
    Busy(f64),
    /// It did nothing for so many seconds.
    Idle(u32),
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::Busy(s) => write!(f, "the guest did not sleep for {s} s of processor time"),
            Lost::Idle(s) => write!(
                f,
                "the guest has said nothing for {s} s and does not work: it was stopped (SIGSTOP), \
                or its kernel waits for what never comes"
            ),
        }
    }
}

impl Patience {
    /// Looks at what a guest does, which may use `most_cpu_s` of processor time in one turn.
    ///
    /// # Errors
    /// Why it is waited for no longer.
    pub fn look(&mut self, activity: &Activity, most_cpu_s: f64) -> Result<(), Lost> {
        let Activity { cpu_s, runnable } = *activity;
        if cpu_s - *self.began.get_or_insert(cpu_s) > most_cpu_s {
            return Err(Lost::Busy(most_cpu_s));
        }
        let moves = runnable || cpu_s > self.last;
        (self.idle, self.last) = (if moves { 0 } else { self.idle + 1 }, cpu_s);
        if self.idle > MOST_IDLE {
            return Err(Lost::Idle(u32::from(LOOK_MS) * MOST_IDLE / 1000));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_for_the_processor_is_waited_for() {
        let mut patience = Patience::default();
        let starved = Activity { cpu_s: 1.0, runnable: true };
        assert!((0..10 * MOST_IDLE).all(|_| patience.look(&starved, 60.0).is_ok()));
        let asleep = Activity { cpu_s: 1.0, runnable: false };
        assert!((0..MOST_IDLE).all(|_| patience.look(&asleep, 60.0).is_ok()));
        assert_eq!(patience.look(&asleep, 60.0), Err(Lost::Idle(15)));
    }
}
