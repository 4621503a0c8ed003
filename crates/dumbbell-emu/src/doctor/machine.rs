//! Figures of the machine, from /proc and /sys.
use super::Check;
use super::kernel::{Preemption, Sources};
use crate::router::reserved_core::{list, shown};
use nix::sys::resource::{Resource, getrlimit};
use serde::Serialize;
use std::fs;
use std::path::Path;

/// Bits of `CapEff` (linux/capability.h).
const CAP_NET_ADMIN: u32 = 12;
const CAP_IPC_LOCK: u32 = 14;
/// The most memory that the router locks.
const LOCKED_BYTES: u64 = 256 << 20;

/// Figures of the machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Machine {
    /// Release of the kernel.
    pub(super) kernel: String,
    /// Cores that this process may use.
    pub(super) cores: usize,
    /// Mean number of running threads over a minute.
    pub(super) load_1min: f64,
    /// Share of all time since the machine started that its host took from it.
    pub(super) steal_share: f64,
    /// The kernel's preemption model.
    pub(super) preemption: Preemption,
    /// Ticks of its clock in a second; `None`: not told.
    pub(super) ticks_hz: Option<u32>,
    /// True: it runs on another machine's cores.
    pub(super) virtual_machine: bool,
    /// Frequency governor of the first core; `None`: the kernel does not scale it.
    pub(super) cpu_governor: Option<String>,
    /// Cores that the kernel keeps free of other work.
    pub(super) isolated_cores: Vec<usize>,
    /// The kernel's clock source.
    pub(super) clock_source: String,
    /// Time that real-time threads may run in each period, microseconds; -1: no limit.
    pub(super) rt_runtime_us: i64,
    /// That period.
    pub(super) rt_period_us: i64,
    /// Memory that this process may keep from being paged out, bytes; `None`: no limit.
    pub(super) memory_lock_bytes: Option<u64>,
    /// True: CAP_NET_ADMIN is in effect.
    pub(super) cap_net_admin: bool,
    /// Congestion controls of the kernel that are loaded.
    pub(super) congestion_controls_available: Vec<String>,
    /// Congestion controls that a socket without CAP_NET_ADMIN may choose.
    pub(super) congestion_controls_allowed: Vec<String>,
    /// The default congestion control, outside of hosts.
    pub(super) congestion_control_default: String,
    /// Queueing discipline of new devices, outside of hosts.
    pub(super) qdisc_default: String,
}

fn text(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

fn words(path: &str) -> Vec<String> {
    text(path).split_whitespace().map(str::to_owned).collect()
}

fn capabilities(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    line.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0)
}

/// Share of stolen time in the first line of /proc/stat (proc_stat(5)): the eighth number, of the
/// sum of the first eight.
fn steal(stat: &str) -> f64 {
    let line = stat.lines().next().unwrap_or_default();
    let ticks: Vec<u64> =
        line.split_whitespace().skip(1).take(8).filter_map(|n| n.parse().ok()).collect();
    let all: u64 = ticks.iter().sum();
    if ticks.len() == 8 && all > 0 { ticks[7] as f64 / all as f64 } else { 0.0 }
}

/// Reads them.
pub(super) fn read_machine() -> Machine {
    let number = |path: &str, missing: i64| text(path).parse().unwrap_or(missing);
    let held = capabilities(&text("/proc/self/status"));
    let limit = getrlimit(Resource::RLIMIT_MEMLOCK).map_or(0, |(soft, _)| soft);
    let (sources, governor) =
        (Sources::read(), text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
    let unlimited = limit == libc::RLIM_INFINITY || held >> CAP_IPC_LOCK & 1 == 1;
    Machine {
        kernel: text("/proc/sys/kernel/osrelease"),
        cores: std::thread::available_parallelism().map_or(1, Into::into),
        load_1min: text("/proc/loadavg")
            .split(' ')
            .next()
            .and_then(|n| n.parse().ok())
            .unwrap_or(0.0),
        steal_share: steal(&text("/proc/stat")),
        preemption: sources.preemption(),
        ticks_hz: sources.ticks_hz(),
        virtual_machine: is_virtual(&text("/proc/cpuinfo")),
        cpu_governor: (!governor.is_empty()).then_some(governor),
        isolated_cores: list("isolated"),
        clock_source: text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        rt_runtime_us: number("/proc/sys/kernel/sched_rt_runtime_us", 0),
        rt_period_us: number("/proc/sys/kernel/sched_rt_period_us", 1_000_000),
        memory_lock_bytes: (!unlimited).then_some(limit),
        cap_net_admin: held >> CAP_NET_ADMIN & 1 == 1,
        congestion_controls_available: words("/proc/sys/net/ipv4/tcp_available_congestion_control"),
        congestion_controls_allowed: words("/proc/sys/net/ipv4/tcp_allowed_congestion_control"),
        congestion_control_default: text("/proc/sys/net/ipv4/tcp_congestion_control"),
        qdisc_default: text("/proc/sys/net/core/default_qdisc"),
    }
}

/// True if a processor flag (x86) or the device tree says that this is a virtual machine.
fn is_virtual(cpuinfo: &str) -> bool {
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"));
    let said = flags.is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"));
    said || ["/proc/device-tree/hypervisor", "/sys/hypervisor/type"]
        .iter()
        .any(|path| Path::new(path).exists())
}

/// Facts that decide how exact a run can be, and that nobody can fix.
pub(super) fn describe(machine: &Machine) -> Vec<Check> {
    let told = |check, needed_for, found| Check::new(check, needed_for, Ok(found));
    let tick = machine.ticks_hz.map_or("not told".to_owned(), |hz| {
        format!("{hz} Hz: ordinary threads share a core by {} ms", 1000 / hz.max(1))
    });
    let host = match machine.virtual_machine {
        true => "yes: its host may take cores away; each run says how much time that took (steal)",
        false => "no",
    };
    let isolated = match machine.isolated_cores.as_slice() {
        [] => "none: a run may still name the router's core, [testbed] core = N".to_owned(),
        cores => format!("{}: [testbed] core = \"isolated\" takes the last", shown(cores)),
    };
    vec![
        told("tick", "how long an ordinary thread may wait for another", tick),
        told("virtual_machine", "knowing whose the time is", host.to_owned()),
        told("isolated_cores", "a router that shares its core with nobody", isolated),
    ]
}

/// First and second number of a release.
fn version(kernel: &str) -> (u32, u32) {
    let mut numbers = kernel.split(['.', '-']).map(|n| n.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// Checks of these facts, with what to do.
pub(super) fn judge(machine: &Machine) -> Vec<Check> {
    let line = |check, needed_for, ok: bool, found: String, fix: &str| {
        Check::new(check, needed_for, if ok { Ok(found) } else { Err((found, fix.to_owned())) })
    };
    let has = |name: &str| machine.congestion_controls_available.iter().any(|had| had == name);
    let slow = ["hpet", "acpi_pm", "jiffies", "pit"].contains(&machine.clock_source.as_str());
    let locked = machine.memory_lock_bytes;
    let rt_share = machine.rt_runtime_us as f64 / machine.rt_period_us as f64;
    vec![
        line(
            "kernel_version",
            "calls that older kernels have not (close_range(2))",
            version(&machine.kernel) >= (5, 10),
            machine.kernel.clone(),
            "use a kernel of 5.10 or later",
        ),
        line(
            "cap_net_admin",
            "devices and congestion controls that the machine restricts",
            machine.cap_net_admin,
            if machine.cap_net_admin { "in effect" } else { "not in effect" }.to_owned(),
            "run as root, or inside a user namespace",
        ),
        line(
            "congestion_controls",
            "hosts with Linux's usual TCP",
            has("reno") && has("cubic"),
            machine.congestion_controls_available.join(", "),
            "load it: modprobe tcp_cubic",
        ),
        line(
            "bbr",
            "hosts that run BBR",
            has("bbr"),
            if has("bbr") { "available" } else { "not available" }.to_owned(),
            "load it: modprobe tcp_bbr",
        ),
        line(
            "cores",
            "a router and hosts that do not take the processor from each other",
            machine.cores >= 2,
            format!("{}", machine.cores),
            "use a machine, or a container's share, of two cores or more",
        ),
        line(
            "load",
            "times that are the network's and not the machine's",
            machine.load_1min < machine.cores as f64,
            format!(
                "{} threads on {} cores over the last minute",
                machine.load_1min, machine.cores
            ),
            "end what else runs, or wait for it",
        ),
        line(
            "steal",
            "times that are the network's and not another machine's",
            machine.steal_share < 0.01,
            format!("{:.2} % of time since the start", 100.0 * machine.steal_share),
            "use a machine whose cores are its own",
        ),
        line(
            "preemption",
            "a router that the kernel does not keep waiting while it works for others",
            !machine.preemption.keeps_waiting(),
            machine.preemption.meaning().to_owned(),
            "start the kernel with preempt=full, or as root: echo full > \
                /sys/kernel/debug/sched/preempt",
        ),
        line(
            "cpu_governor",
            "cores that do not have to speed up first",
            machine.cpu_governor.as_deref().is_none_or(|governor| governor == "performance"),
            machine.cpu_governor.clone().unwrap_or(
                "none: the frequency is not the kernel's to \
                choose"
                    .to_owned(),
            ),
            "cpupower frequency-set -g performance",
        ),
        line(
            "clock_source",
            "reading the time for each packet",
            !slow,
            if machine.clock_source.is_empty() { "not told" } else { &machine.clock_source }
                .to_owned(),
            "use a machine with a stable time stamp counter (clocksource=tsc)",
        ),
        line(
            "realtime_throttling",
            "a router that waits actively up to nine tenths of the time",
            machine.rt_runtime_us < 0 || rt_share >= 0.9,
            format!("{} of {} us", machine.rt_runtime_us, machine.rt_period_us),
            "sysctl -w kernel.sched_rt_runtime_us=950000",
        ),
        line(
            "memory_lock",
            "a router that never waits for memory",
            locked.is_none_or(|bytes| bytes >= LOCKED_BYTES),
            locked.map_or("no limit".to_owned(), |bytes| format!("{bytes} bytes")),
            "ulimit -l unlimited (memlock in /etc/security/limits.conf)",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_says_is_understood() {
        assert_eq!(version("6.18.44-fc-v595"), (6, 18));
        assert_eq!(version("5.4-rc1"), (5, 4));
        assert_eq!(
            capabilities("Name:\tx\nCapEff:\t0000000000001000\nCapBnd:\tffff\n"),
            1 << CAP_NET_ADMIN
        );
        assert!((steal("cpu  10 0 10 70 0 0 0 10 5 0\ncpu0 1") - 0.1).abs() < 1e-12);
        assert_eq!(steal(""), 0.0);
    }

    #[test]
    fn a_machine_that_lacks_everything_is_told_so_line_by_line() {
        let poor = Machine {
            kernel: "4.19.0".to_owned(),
            cores: 1,
            load_1min: 3.0,
            steal_share: 0.2,
            preemption: Preemption::None,
            ticks_hz: Some(100),
            virtual_machine: true,
            cpu_governor: Some("powersave".to_owned()),
            isolated_cores: vec![],
            clock_source: "hpet".to_owned(),
            rt_runtime_us: 500_000,
            rt_period_us: 1_000_000,
            memory_lock_bytes: Some(65_536),
            cap_net_admin: false,
            congestion_controls_available: vec!["reno".to_owned()],
            congestion_controls_allowed: vec!["reno".to_owned()],
            congestion_control_default: "reno".to_owned(),
            qdisc_default: "fq".to_owned(),
        };
        for check in judge(&poor) {
            assert!(!check.ok && !check.fix.is_empty(), "{check:?}");
        }
    }
}
