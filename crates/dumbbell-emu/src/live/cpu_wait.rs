//! The time for which a program and its children waited for a processor.
use crate::run_delay;
use dumbbell_core::units::Span;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::time::Instant;

/// Watches them, as long as they are there.
pub struct CpuWait {
    program: u32,
    began: Instant,
    /// Of each thread that was seen, how long it waited when it was seen last.
    waited: BTreeMap<u32, Span>,
}

impl CpuWait {
    /// Watches the process `program`, which has just begun.
    pub fn of(program: u32) -> CpuWait {
        CpuWait { program, began: Instant::now(), waited: BTreeMap::new() }
    }

    /// Looks at all that there are now.
    pub fn read_threads(&mut self) {
        let mut processes = vec![self.program];
        while let Some(process) = processes.pop() {
            let threads =
                fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
            for thread in
                threads.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
            {
                let of = |file| format!("/proc/{process}/task/{thread}/{file}");
                // One that has just ended has no account any more.
                let account = File::open(of("schedstat")).ok();
                if let Some(waited) = account.as_ref().and_then(run_delay::total) {
                    self.waited.insert(thread, waited);
                }
                let children = fs::read_to_string(of("children")).unwrap_or_default();
                processes.extend(
                    children.split_ascii_whitespace().filter_map(|id| id.parse::<u32>().ok()),
                );
            }
        }
    }

    /// The share of the time since the beginning in which the thread that waited longest was ready
    /// and had no processor.
    pub fn share(&self) -> f64 {
        let waited = self.waited.values().max().copied().unwrap_or(Span::ZERO);
        waited.seconds() / self.began.elapsed().as_secs_f64().max(1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sees_every_thread_of_a_process() {
        let mut own = CpuWait::of(std::process::id());
        own.read_threads();
        assert!(!own.waited.is_empty());
        assert!((0.0..1e9).contains(&own.share()));
    }
}
