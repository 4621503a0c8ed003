//! The kernel's preemption model and its timer tick.
use flate2::read::GzDecoder;
use serde::Serialize;
use std::fs::{self, File};
use std::io::Read;

/// The kernel's preemption model: when it gives up a core while it works for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Preemption {
    /// Only when the kernel's work is done, which may take milliseconds.
    None,
    /// At points that its authors chose.
    Voluntary,
    /// At once, for real-time threads; for others at the next tick.
    Lazy,
    /// At once, unless it holds a lock that forbids it.
    Full,
    /// At once, nearly always.
    Rt,
    /// The kernel does not tell.
    Unknown,
}

impl Preemption {
    /// Name of the model, and its effect on a router that shares its core.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Preemption::None => {
                "none: work of the kernel for others keeps the router waiting, by milliseconds at \
                    worst"
            }
            Preemption::Voluntary => {
                "voluntary: work of the kernel for others may keep the router waiting for a \
                    millisecond"
            }
            Preemption::Lazy => {
                "lazy: a router with real-time priority runs at once, one without \
                at the next tick"
            }
            Preemption::Full => "full: the router runs at once, unless the kernel holds a lock",
            Preemption::Rt => "real-time: the router runs at once",
            Preemption::Unknown => "not told",
        }
    }

    /// True if the kernel's own work can delay a real-time thread.
    pub(super) fn keeps_waiting(self) -> bool {
        matches!(self, Preemption::None | Preemption::Voluntary)
    }

    fn named(word: &str) -> Option<Preemption> {
        Some(match word {
            "none" => Preemption::None,
            "voluntary" => Preemption::Voluntary,
            "lazy" => Preemption::Lazy,
            "full" => Preemption::Full,
            _ => return None,
        })
    }
}

/// The texts from which the model is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    /// /sys/kernel/debug/sched/preempt, root's alone.
    pub(super) switch: String,
    /// /proc/cmdline.
    pub(super) command_line: String,
    /// /proc/version.
    pub(super) version: String,
    /// The kernel's configuration.
    pub(super) config: String,
}

impl Sources {
    /// Reads them.
    pub(super) fn read() -> Sources {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let release = text("/proc/sys/kernel/osrelease");
        let config = unpacked("/proc/config.gz")
            .or_else(|| fs::read_to_string(format!("/boot/config-{}", release.trim())).ok());
        Sources {
            switch: text("/sys/kernel/debug/sched/preempt"),
            command_line: text("/proc/cmdline"),
            version: text("/proc/version"),
            config: config.unwrap_or_default(),
        }
    }

    /// The preemption model that is in effect: what the switch says, else what the kernel was
    /// started with, else what it was built with.
    pub(super) fn preemption(&self) -> Preemption {
        let switched = self
            .switch
            .split_once('(')
            .and_then(|(_, rest)| Preemption::named(rest.split(')').next()?));
        let asked = self
            .command_line
            .split_whitespace()
            .filter_map(|word| word.strip_prefix("preempt="))
            .next_back();
        let has =
            |option: &str| self.config.lines().any(|line| line.strip_suffix("=y") == Some(option));
        if self.version.contains("PREEMPT_RT") || has("CONFIG_PREEMPT_RT") {
            return Preemption::Rt;
        }
        let built = [
            ("CONFIG_PREEMPT_NONE", Preemption::None),
            ("CONFIG_PREEMPT_VOLUNTARY", Preemption::Voluntary),
            ("CONFIG_PREEMPT_LAZY", Preemption::Lazy),
            ("CONFIG_PREEMPT", Preemption::Full),
        ];
        let built = || built.into_iter().find(|(option, _)| has(option)).map(|(_, model)| model);
        let fixed = || self.version.contains(" PREEMPT ").then_some(Preemption::Full);
        switched
            .or_else(|| asked.and_then(Preemption::named))
            .or_else(built)
            .or_else(fixed)
            .unwrap_or(Preemption::Unknown)
    }

    /// Ticks of the kernel's clock in a second.
    pub(super) fn ticks_hz(&self) -> Option<u32> {
        self.config.lines().find_map(|line| line.strip_prefix("CONFIG_HZ=")?.parse().ok())
    }
}

fn unpacked(path: &str) -> Option<String> {
    let mut text = String::new();
    GzDecoder::new(File::open(path).ok()?).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(switch: &str, command_line: &str, version: &str, config: &str) -> Preemption {
        let [switch, command_line, version, config] =
            [switch, command_line, version, config].map(String::from);
        Sources { switch, command_line, version, config }.preemption()
    }

    #[test]
    fn the_switch_counts_before_the_command_line_and_that_before_the_build() {
        let dynamic = "Linux version 6.18.1 #1 SMP PREEMPT_DYNAMIC";
        let none = "CONFIG_PREEMPT_NONE=y\n# CONFIG_PREEMPT is not \
            set\nCONFIG_PREEMPT_DYNAMIC=y\nCONFIG_HZ=250\n";
        assert_eq!(
            of("none voluntary (full) lazy\n", "preempt=none", dynamic, none),
            Preemption::Full
        );
        assert_eq!(of("none voluntary full (lazy)\n", "", dynamic, none), Preemption::Lazy);
        assert_eq!(of("", "quiet preempt=voluntary", dynamic, none), Preemption::Voluntary);
        assert_eq!(of("", "quiet", dynamic, none), Preemption::None);
        assert_eq!(of("", "", "Linux version 6.1 #1 SMP PREEMPT_RT", ""), Preemption::Rt);
        assert_eq!(of("", "", "Linux version 5.4 #1 SMP PREEMPT Mon", ""), Preemption::Full);
        assert_eq!(of("", "", dynamic, "CONFIG_PREEMPT=y\n"), Preemption::Full);
        assert_eq!(of("", "", dynamic, ""), Preemption::Unknown);
        let sources = Sources { config: none.into(), ..Sources::default() };
        assert_eq!(sources.ticks_hz(), Some(250));
    }
}
