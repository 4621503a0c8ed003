//! Processor time that traffic costs the two hosts of a connection.
//!
//! A thread's account (`RUSAGE_THREAD`) has its own code, its system calls, and the soft interrupts
//! that the kernel runs at the end of these: unless the kernel accounts for interrupts separately
//! (`CONFIG_IRQ_TIME_ACCOUNTING`), they are charged to the running thread. Between namespaces of
//! one machine that is the thread that put the packet into the device. Over a veth pair or the
//! loopback device the *sender* pays for what the receiving host does up to its socket,
//! acknowledgments included; with a router in user space the *router* pays for both hosts, in its
//! writes. So a thread's account alone is not the cost of a host. The sum always holds: all time in
//! which processors were not idle, on a machine that does nothing else; work of others is in it.
use super::usage::CpuUsage;
use dumbbell_core::units::Span;
use std::fs;
use std::io;
use std::path::PathBuf;

/// Time of all processors of this machine since it started (proc(5), /proc/stat), in hundredths of
/// a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// In programs.
    pub user: Span,
    /// In the kernel for programs.
    pub system: Span,
    /// In interrupts.
    pub interrupts: Span,
    /// In soft interrupts, as far as the kernel does not charge them to programs.
    pub soft_interrupts: Span,
    /// Taken away by the machine that this one runs on.
    pub stolen: Span,
    /// With nothing to do.
    pub idle: Span,
}

/// Ticks of /proc/stat in a second: 100 in the interface of the kernel (`USER_HZ`), whatever its
/// own tick.
const TICKS_PER_SECOND: u64 = 100;

impl Machine {
    /// The machine's account so far.
    ///
    /// # Errors
    /// /proc is not mounted.
    pub fn so_far() -> io::Result<Machine> {
        let text = fs::read_to_string("/proc/stat")?;
        Machine::read(&text).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "/proc/stat \
            has no line `cpu`",
            )
        })
    }

    /// Parses the first line of /proc/stat.
    fn read(text: &str) -> Option<Machine> {
        let mut words = text.lines().next()?.split_ascii_whitespace();
        words.next().filter(|w| *w == "cpu")?;
        let all: Vec<u64> = words.map_while(|w| w.parse().ok()).collect();
        let of =
            |i: usize| Span::from_ms(all.get(i).copied().unwrap_or(0) * 1000 / TICKS_PER_SECOND);
        let [user, nice, system, idle, waiting, interrupts, soft, stolen] = std::array::from_fn(of);
        (all.len() >= 8).then_some(Machine {
            user: user + nice,
            system,
            interrupts,
            soft_interrupts: soft,
            stolen,
            idle: idle + waiting,
        })
    }

    /// The differences since `before`.
    pub fn since(self, before: Machine) -> Machine {
        let less = Span::saturating_sub;
        Machine {
            user: less(self.user, before.user),
            system: less(self.system, before.system),
            interrupts: less(self.interrupts, before.interrupts),
            soft_interrupts: less(self.soft_interrupts, before.soft_interrupts),
            stolen: less(self.stolen, before.stolen),
            idle: less(self.idle, before.idle),
        }
    }

    /// All but idle and stolen time.
    pub fn busy(&self) -> Span {
        self.user + self.system + self.interrupts + self.soft_interrupts
    }
}

/// The kernel's own threads for soft interrupts (`ksoftirqd`): they take what is too much for the
/// end of somebody's system call.
pub struct SoftThreads(Vec<PathBuf>);

impl SoftThreads {
    /// The threads that this process sees; inside a PID namespace it may see none.
    pub fn find() -> SoftThreads {
        let named = |dir: PathBuf| -> Option<PathBuf> {
            let name = fs::read_to_string(dir.join("comm")).ok()?;
            name.starts_with("ksoftirqd/").then(|| dir.join("schedstat"))
        };
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        SoftThreads(all.filter_map(|entry| named(entry.path())).collect())
    }

    /// Their running time in all; `None` if none is visible, or the kernel does not tell.
    pub fn so_far(&self) -> Option<Span> {
        let one = |file: &PathBuf| -> Option<u64> {
            // Nanoseconds on a processor, nanoseconds waited, how often
            // (Documentation/scheduler/sched-stats.rst).
            fs::read_to_string(file).ok()?.split_ascii_whitespace().next()?.parse().ok()
        };
        let all = self.0.iter().map(one).sum::<Option<u64>>()?;
        (!self.0.is_empty()).then(|| Span::from_ps(all * 1000))
    }
}

/// Processor seconds for each 10^9 bytes of payload that arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PerGigabyte {
    /// Of the threads of the traffic, with what they pay for (see the module's page).
    pub threads: f64,
    /// Of the router's thread, if there is one.
    pub router: f64,
    /// Soft interrupts that nobody was charged for.
    pub soft_interrupts: f64,
    /// Of the whole machine: the sum that does not depend on who is charged.
    pub machine: f64,
}

impl PerGigabyte {
    /// The cost from processor use while `bytes` of payload arrived; `None` if none did.
    pub fn of(
        bytes: u64,
        threads: &[CpuUsage],
        router: Option<CpuUsage>,
        machine: Machine,
    ) -> Option<PerGigabyte> {
        let each = |spent: Span| spent.seconds() / (bytes as f64 * 1e-9);
        let whole = |s: &CpuUsage| s.user + s.system;
        (bytes > 0).then(|| PerGigabyte {
            threads: each(threads.iter().map(whole).fold(Span::ZERO, |sum, s| sum + s)),
            router: each(router.as_ref().map_or(Span::ZERO, whole)),
            soft_interrupts: each(machine.soft_interrupts),
            machine: each(machine.busy()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::usage::Role;

    #[test]
    fn the_first_line_of_proc_stat_is_all_processors() {
        let text = "cpu  100 20 300 4000 50 6 70 8 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
        let machine = Machine::read(text).unwrap();
        assert_eq!(machine.user, Span::from_ms(1200));
        assert_eq!(machine.idle, Span::from_ms(40_500));
        assert_eq!(machine.busy(), Span::from_ms(1200 + 3000 + 60 + 700));
        assert_eq!(machine.since(machine), Machine::default());
        assert_eq!(Machine::read("intr 5"), None);
        assert!(Machine::so_far().unwrap().idle > Span::ZERO);
    }

    #[test]
    fn soft_interrupts_have_threads_or_none_is_seen() {
        let threads = SoftThreads::find();
        assert_eq!(threads.so_far().is_some(), !threads.0.is_empty());
        assert_eq!(SoftThreads(vec![]).so_far(), None);
    }

    #[test]
    fn a_gigabyte_is_a_thousand_million_bytes() {
        let spent = CpuUsage {
            role: Role::Sender,
            user: Span::from_ms(100),
            system: Span::from_ms(400),
            waited: Span::ZERO,
            wall: Span::ZERO,
        };
        let machine = Machine {
            system: Span::from_secs(2),
            soft_interrupts: Span::from_secs(1),
            ..Machine::default()
        };
        let cost = PerGigabyte::of(2_000_000_000, &[spent, spent], Some(spent), machine).unwrap();
        assert_eq!(
            cost,
            PerGigabyte { threads: 0.5, router: 0.25, soft_interrupts: 0.5, machine: 1.5 }
        );
        assert_eq!(PerGigabyte::of(0, &[], None, machine), None);
    }
}
