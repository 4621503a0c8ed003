//! The processor time and the memory that this process used.
use rustix::time::{ClockId, clock_gettime};

/// Times since some beginning, seconds.
#[derive(Clone, Copy, Debug)]
pub struct Spent {
    /// Processor time of this thread.
    pub thread_s: f64,
    /// Processor time of all threads.
    pub process_s: f64,
    /// Time on the wall.
    pub wall_s: f64,
}

/// The beginning.
pub struct Stopwatch(Spent);

impl Stopwatch {
    /// From now on.
    pub fn start() -> Self {
        Stopwatch(now())
    }
    /// Until now.
    pub fn spent(&self) -> Spent {
        let (now, then) = (now(), self.0);
        Spent {
            thread_s: now.thread_s - then.thread_s,
            process_s: now.process_s - then.process_s,
            wall_s: now.wall_s - then.wall_s,
        }
    }
}

fn now() -> Spent {
    let read = |clock| {
        let t = clock_gettime(clock);
        t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
    };
    Spent {
        thread_s: read(ClockId::ThreadCPUTime),
        process_s: read(ClockId::ProcessCPUTime),
        wall_s: read(ClockId::Monotonic),
    }
}

/// Memory of this process that is in RAM, bytes; `None` where there is no /proc.
pub fn resident_memory() -> Option<u64> {
    status("VmRSS:")
}

/// The most that it was.
pub fn peak_memory() -> Option<u64> {
    status("VmHWM:")
}

fn status(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
