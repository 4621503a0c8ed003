//! The core that a scenario reserves for the router, and the other cores for the rest of the run.
use crate::error::{Context, EnvError};
use crate::sys::sched;
use dumbbell_plan::Core;
use std::fs;
use std::thread;

/// The folder of the kernel's lists of cores.
const LISTS: &str = "/sys/devices/system/cpu";

/// A core that is the router's; what starts from the thread that made this stays off it.
pub struct Reserved {
    /// Core number.
    pub core: usize,
    /// The cores of the thread before.
    before: Vec<usize>,
}

impl Reserved {
    /// Reserves `wanted` for the router of a run that the calling thread is about to make.
    ///
    /// # Errors
    /// There is no such core, this process may not use it, or none is left for the hosts.
    pub fn of(wanted: Core) -> Result<Reserved, EnvError> {
        let before = sched::cores().context("ask which cores this process may use")?;
        let core = choose(wanted, &list("online"), &list("isolated"))?;
        let others: Vec<usize> = before.iter().copied().filter(|other| *other != core).collect();
        if others.is_empty() {
            return Err(EnvError::new(
                format!(
                    "core {core} is the only core of this process: with the router on it none is \
                        left for the hosts"
                ),
                "leave out `core`, or give the process more cores (taskset, cpuset)",
            ));
        }
        let tried = thread::spawn(move || sched::pin(core))
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        tried.map_err(|e| {
            let fix =
                "choose a core of this process's cpuset (/proc/self/status, Cpus_allowed_list), or \
                    extend the cpuset";
            EnvError::new(format!("the router cannot run on core {core}: {e}"), fix)
        })?;
        sched::keep_to(&others).context("keep the hosts off the router's core")?;
        Ok(Reserved { core, before })
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // The cores were permitted before. If they no longer are, the kernel has moved the thread
        // itself.
        let _ = sched::keep_to(&self.before);
    }
}

/// The number of the core that is wanted.
fn choose(wanted: Core, online: &[usize], isolated: &[usize]) -> Result<usize, EnvError> {
    match wanted {
        Core::Number(number) if online.contains(&usize::from(number)) => Ok(number.into()),
        Core::Number(number) => Err(EnvError::new(
            format!("core = {number}: this machine has no such core, it has {}", shown(online)),
            format!("write one of them, as in core = {}", online.last().unwrap_or(&0)),
        )),
        Core::Isolated => isolated.last().copied().ok_or_else(|| {
            let last = online.last().unwrap_or(&0);
            let fix = format!("boot with isolcpus={last}, or name a core: core = {last}");
            EnvError::new("core = \"isolated\": no core of this machine is isolated", fix)
        }),
    }
}

/// The cores in one of the kernel's lists, ascending.
pub fn list(name: &str) -> Vec<usize> {
    parsed(&fs::read_to_string(format!("{LISTS}/{name}")).unwrap_or_default())
}

/// Reads `0-2,5` (Documentation/admin-guide/cputopology.rst); parts that make no sense are left
/// out.
fn parsed(text: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some(from.parse::<usize>().ok()?..=to.parse().ok()?)
    };
    text.trim().split(',').filter_map(range).flatten().collect()
}

/// Cores for people: `0 to 3` or `0, 2, 5`.
pub fn shown(cores: &[usize]) -> String {
    match cores {
        [first, .., last] if last - first + 1 == cores.len() && cores.len() > 2 => format!(
            "{first} \
            to {last}"
        ),
        _ => cores.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cores_are_read_and_shown() {
        assert_eq!(parsed("0-2,5\n"), [0, 1, 2, 5]);
        assert_eq!(parsed("\n"), [0; 0]);
        assert_eq!(parsed("3,x,7-"), [3]);
        assert_eq!(
            (shown(&[0, 1, 2, 3]), shown(&[0, 2, 5]), shown(&[4])),
            ("0 to 3".into(), "0, 2, 5".into(), "4".into())
        );
    }

    #[test]
    fn a_core_that_is_not_there_is_refused_with_those_that_are() {
        assert_eq!(choose(Core::Number(1), &[0, 1], &[]), Ok(1));
        assert_eq!(choose(Core::Isolated, &[0, 1, 2, 3], &[2, 3]), Ok(3));
        let refused = choose(Core::Number(9), &[0, 1, 2, 3], &[]).expect_err("there is none");
        assert!(
            refused.cause.contains("core = 9") && refused.cause.contains("0 to 3"),
            "{refused}"
        );
        let refused = choose(Core::Isolated, &[0, 1], &[]).expect_err("there is none");
        assert!(refused.fix.contains("isolcpus=1"), "{refused}");
    }

    #[test]
    fn what_starts_stays_off_the_core_until_the_run_is_over() {
        thread::spawn(|| {
            let before = sched::cores().expect("the kernel tells");
            let Some(last) = before.last().copied().filter(|_| before.len() > 1) else {
                let refused = Reserved::of(Core::Number(before[0] as u16)).err().expect(
                    "no core \
                    is left",
                );
                return assert!(refused.cause.contains("only core"), "{refused}");
            };
            let reserved = Reserved::of(Core::Number(last as u16)).expect("it is one of ours");
            assert_eq!(reserved.core, last);
            let inherited = thread::spawn(sched::cores).join().expect("the thread is fine").expect(
                "the \
                kernel tells",
            );
            assert_eq!(inherited, before[..before.len() - 1]);
            drop(reserved);
            assert_eq!(sched::cores().expect("the kernel tells"), before);
        })
        .join()
        .expect("the thread is fine");
    }
}
