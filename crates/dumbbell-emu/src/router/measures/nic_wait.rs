//! The time for which packets wait at a NIC until the router reads them.
//!
//! A NIC with the kernel's timestamps tells it for each packet. A TUN device does not, so there is
//! a bound for the first packet of each batch: it came after the NIC was last seen empty. Of a
//! sleep that the packet ended, only the thread's run-queue delay counts.
use super::lateness::{Percentiles, Spans};
use crate::router::wait::Wakeup;
use crate::run_delay::RunDelay;
use dumbbell_core::units::Time;

/// Collects the waits.
pub struct NicWait {
    spans: Spans,
    /// Of the batches of this turn: when the NIC was last seen empty, and when the first packet was
    /// read.
    batches: Vec<(Time, Time)>,
    /// `None`: the kernel does not tell, or nobody asked.
    delay: Option<RunDelay>,
}

impl NicWait {
    /// Starts the measure for the calling thread.
    pub fn of_this_thread() -> NicWait {
        NicWait { delay: RunDelay::of_this_thread(), ..NicWait::unscheduled() }
    }

    /// A measure for a thread whose run-queue delay is not read.
    pub fn unscheduled() -> NicWait {
        NicWait { spans: Spans::default(), batches: Vec::with_capacity(16), delay: None }
    }

    /// A packet that the kernel stamped.
    #[inline]
    pub fn stamped(&mut self, came: Time, read: Time) {
        self.spans.record(read.since(came));
    }

    /// The first packet of a batch from a NIC that was last seen empty at `drained_at`.
    #[inline]
    pub fn batch(&mut self, drained_at: Time, read: Time) {
        self.batches.push((drained_at, read));
    }

    /// The turn that began with `woken` is over.
    #[inline]
    pub fn settle(&mut self, woken: &Wakeup) {
        if self.batches.is_empty() {
            return;
        }
        let kept =
            woken.slept.zip(woken.slept.and(self.delay.as_mut()).and_then(RunDelay::since_last));
        for (drained_at, read) in self.batches.drain(..) {
            let bound = read.since(drained_at);
            let awake = |asleep: Time| asleep.since(drained_at) + read.since(woken.now);
            self.spans.record(kept.map_or(bound, |(asleep, kept)| bound.min(awake(asleep) + kept)));
        }
    }

    /// Percentiles of all waits.
    pub fn percentiles(&self) -> Percentiles {
        self.spans.percentiles()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn a_batch_waited_at_most_since_its_nic_was_empty_and_a_sleeper_only_while_it_was_kept_waiting()
    {
        let at = |us: u64| Time::from_ps(us * 1_000_000);
        let woken = |slept| Wakeup {
            packets: true,
            now: at(500),
            asked: at(900),
            drained_at: at(100),
            slept,
        };
        let asleep = Some(at(107));
        let mut nic_wait = NicWait::unscheduled();
        nic_wait.batch(at(100), at(502));
        nic_wait.settle(&woken(asleep));
        assert_eq!(
            nic_wait.percentiles().max,
            402.0,
            "without the scheduler's word a sleep counts \
            in full"
        );
        nic_wait.stamped(at(600), at(1_100));
        assert_eq!(nic_wait.percentiles().max, 500.0);
        // 7 us awake before the sleep, 92 us on a run queue, and 2 us from waking up to the read.
        let mut nic_wait = NicWait::of_this_thread();
        if let Some(delay) = &mut nic_wait.delay {
            let file = tempfile_with("1 92000 1\n");
            *delay = RunDelay::new(file);
            nic_wait.batch(at(100), at(502));
            nic_wait.settle(&woken(asleep));
            assert_eq!(nic_wait.percentiles().max, 101.0);
            nic_wait.batch(at(100), at(502));
            nic_wait.settle(&woken(None));
            assert_eq!(nic_wait.percentiles().max, 402.0, "awake, it did not look");
        }
    }

    fn tempfile_with(text: &str) -> File {
        use std::io::Write;
        let path = std::env::temp_dir().join(format!("dumbbell-schedstat-{}", std::process::id()));
        let mut file =
            File::options().read(true).write(true).create(true).truncate(true).open(&path).expect(
                "a \
            file",
            );
        std::fs::remove_file(&path).expect("it was made");
        file.write_all(text.as_bytes()).expect("a file");
        file
    }
}
