//! Huge pages for a large simulation.
//!
//! A network of thousands of flows waits for memory, and with pages of 4 kB also for the tables of
//! pages: a fat tree of 1024 hosts takes an eighth to a fifth longer. Most distributions give huge
//! pages only to memory for which a program asks.
use crate::sys::memory;
use std::fs;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Who gets huge pages on this machine: the choice is in brackets.
const ENABLED: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
/// Smaller pieces of memory are left as they are.
const LEAST: usize = 4 << 20;
/// The time to the second look. Each one after it is twice as far from the one before.
const PAUSE: Duration = Duration::from_millis(100);

/// The memory of a process whose simulation grows while it runs.
#[derive(Default)]
pub struct GrowingMemory {
    next: Option<(Instant, Duration)>,
}

impl GrowingMemory {
    /// Gives huge pages to what is allocated by now: at the first call, and then ever more rarely.
    pub fn look(&mut self) {
        let pause = match self.next {
            Some((at, _)) if Instant::now() < at => return,
            Some((_, pause)) => 2 * pause,
            None => PAUSE,
        };
        if fs::read_to_string(ENABLED).is_ok_and(|enabled| permitted(&enabled)) {
            for_what_is_allocated();
        }
        self.next = Some((Instant::now() + pause, pause));
    }
}

/// True if a program may ask for huge pages.
fn permitted(enabled: &str) -> bool {
    enabled.contains("[madvise]") || enabled.contains("[always]")
}

/// Gives huge pages to all large pieces of memory that this process has allocated, as far as the
/// kernel has some.
fn for_what_is_allocated() {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for range in maps.lines().filter_map(anonymous).filter(|range| range.len() >= LEAST) {
        // An older kernel, or one whose memory is in pieces, leaves small pages: no harm is done.
        let _ = memory::make_huge(range);
    }
}

/// The addresses of a mapping that a program allocated, to be read and written, by its line in
/// `/proc/self/maps`.
fn anonymous(line: &str) -> Option<Range<usize>> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let allocated = words.next()? == "rw-p" && words.nth(2)? == "0";
    let named = words.next().is_some_and(|name| name != "[heap]");
    let address = |hex| usize::from_str_radix(hex, 16).ok();
    (allocated && !named).then_some(address(start)?..address(end)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocated_memory_is_anonymous_or_the_heap() {
        let heap = "55d0a000-55d2c000 rw-p 00000000 00:00 0          [heap]";
        assert_eq!(anonymous(heap), Some(0x55d0_a000..0x55d2_c000));
        let mapped = "7f1234000000-7f1234800000 rw-p 00000000 00:00 0";
        assert_eq!(anonymous(mapped).map(|range| range.len()), Some(8 << 20));
        for other in [
            "7f1234000000-7f1234800000 ---p 00000000 00:00 0",
            "7f1234000000-7f1234800000 r--p 00000000 00:00 0",
            "7f1234000000-7f1234800000 rw-p 00001000 fe:00 1234 /usr/lib/libc.so.6",
            "7ffc3000-7ffc5000 rw-p 00000000 00:00 0 [stack]",
            "",
        ] {
            assert_eq!(anonymous(other), None, "{other}");
        }
    }

    /// Kilobytes of this process in huge pages.
    fn huge_kb() -> Option<u64> {
        let rollup = fs::read_to_string("/proc/self/smaps_rollup").ok()?;
        let line = rollup.lines().find_map(|line| line.strip_prefix("AnonHugePages:"))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    }

    #[test]
    fn the_machine_says_whether_a_program_may_ask() {
        for (enabled, may) in [
            ("always [madvise] never\n", true),
            ("[always] madvise never\n", true),
            ("always madvise [never]\n", false),
            ("", false),
        ] {
            assert_eq!(permitted(enabled), may, "{enabled}");
        }
    }

    #[test]
    fn memory_keeps_its_content_in_huge_pages() {
        let numbers: Vec<u32> = (0..16 << 20).collect();
        let before = huge_kb();
        let mut memory = GrowingMemory::default();
        memory.look();
        let after = huge_kb();
        assert!(numbers.iter().enumerate().all(|(n, number)| n == *number as usize));
        let (at, pause) = memory.next.expect("it looks again");
        memory.look();
        assert_eq!(memory.next, Some((at, pause)), "not at once");
        let may = fs::read_to_string(ENABLED).is_ok_and(|enabled| permitted(&enabled));
        if let (true, Some(before), Some(after)) = (may && collapses(), before, after) {
            assert!(after >= before + (32 << 10), "{before} to {after} kB of 64 MB");
        }
    }

    /// True if the kernel makes huge pages of small ones on demand: Linux 6.1.
    fn collapses() -> bool {
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let mut numbers = release.split(['.', '-']).map_while(|n| n.trim().parse::<u32>().ok());
        (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (6, 1)
    }
}
