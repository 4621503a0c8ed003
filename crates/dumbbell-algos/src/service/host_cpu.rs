//! A host's processor: each packet costs cycles, for its headers, for its bytes, and sometimes for
//! an interrupt.
pub mod cost;
pub mod presets;
#[cfg(test)]
mod tests;

use cost::Costs;
pub use cost::{HostCpuConfig, Load};
use dumbbell_core::catalogue::{About, Algorithm, Provenance};
use dumbbell_core::service::{CpuCost, Service, Site, Transmitted};
use dumbbell_core::units::{Clock, Rate, Span, Time};

/// Shorter packets are never merged into the one before them: acknowledgments, voice. Large
/// receive offload takes packets with data only (Linux `net/ipv4/tcp_offload`: a segment without
/// payload ends what was gathered).
pub const SHORTEST_MERGED: u32 = 128;

/// One core that handles packets in one direction.
#[derive(Clone, Debug)]
pub struct HostCpu {
    cpu: Box<Cpu>,
}

/// See [`HostCpu`]; in a box, for services of other links are small.
#[derive(Clone, Debug)]
struct Cpu {
    costs: Costs,
    nominal: Rate,
    /// The rest of the last packet's work below a picosecond, in millicycles times 10^9.
    remainder: u64,
    /// The time at which it finishes the work that it has; `None`: nothing came yet.
    free: Option<Time>,
    /// The time of the last interrupt.
    raised: Option<Time>,
    /// The packet that is being gathered: its bytes so far, and the length of its parts; with a
    /// length of 0 it takes no more.
    gathered: (u64, u32),
    window: (Time, Time),
    busy: Span,
    cpu_cost: CpuCost,
    /// Cycles of `spent`, in thousandths.
    millicycles: u128,
}

impl Algorithm for HostCpu {
    type Config = HostCpuConfig;
    type Site = Site;
    const ABOUT: About = About {
        name: "host_cpu",
        title: "A host's processor",
        idea: "Each packet costs cycles: for its headers, its bytes and pages, and for the \
            interrupt that it may raise; packets that come while the processor is busy are polled \
            and raise none.",
        equations: "cycles = per_packet (per_merged, if it is gathered with the one \
            before)\n\x20        + len ([not zero_copy] copy + [not checksum_offload] \
            checksum)\n\x20        + ceil(len / page) per_page + [it raised an interrupt] \
            per_interrupt\nidle:  begin = max(arrival + coalesce_time, last interrupt + \
            interrupt_gap), with an interrupt\nbusy:  begin = when the packet before is done, \
            without one\nfinish = begin + cycles / clock;  the part of a picosecond is carried \
            on\ngathered: it was polled, 128 <= len <= the first's, and `aggregate` bytes are not \
            exceeded\nlimit: goodput = 8 payload clock / cycles of a packet in a long train",
        sources: &[
            "Clark, Jacobson, Romkey, Salwen: An analysis of TCP processing overhead, IEEE \
                Communications 27(6), 1989",
            "Mogul, Ramakrishnan: Eliminating receive livelock, ACM TOCS 15(3), 1997 (interrupt, \
                then poll)",
            "Foong et al.: TCP performance re-visited, IEEE ISPASS 2003 (cycles per bit)",
            "Chase, Gallatin, Yocum: End system optimizations for high-speed TCP, IEEE \
                Communications 39(4), 2001",
            "ethtool(8), -C rx-usecs (coalesce_time); Intel e1000, InterruptThrottleRate \
                (interrupt_gap)",
        ],
        provenance: Provenance::Reconstruction,
        ..About::PLAIN
    };
    fn new(config: &HostCpuConfig, site: &Site) -> Self {
        let bits = config.train_cycles(site.link.mtu) / (8.0 * f64::from(site.link.mtu));
        let bps = libm::round(config.clock.hz() as f64 / bits).clamp(1.0, u64::MAX as f64);
        HostCpu {
            cpu: Box::new(Cpu {
                costs: Costs::of(config),
                nominal: Rate::from_bps(bps as u64),
                remainder: 0,
                free: None,
                raised: None,
                gathered: (0, 0),
                window: (Time::ZERO, Time::ZERO),
                busy: Span::ZERO,
                cpu_cost: CpuCost::default(),
                millicycles: 0,
            }),
        }
    }
}

impl Cpu {
    /// True if a packet that came at `arrived` finds nothing to do, so that it has to raise an
    /// interrupt.
    fn wakes(&self, arrived: Time) -> bool {
        self.costs.interrupts && self.free.is_none_or(|free| arrived > free)
    }

    /// Raises an interrupt for a packet that came at `arrived`; returns its time.
    fn raise(&mut self, arrived: Time) -> Time {
        let throttled = self.raised.map_or(Time::ZERO, |last| last + self.costs.interrupt_gap);
        let at = (arrived + self.costs.coalesce_time).max(throttled);
        self.raised = Some(at);
        at
    }

    /// True if a packet is handled as part of the one before; keeps account of what is gathered.
    fn gathers(&mut self, polled: bool, bytes: u32) -> bool {
        let (sum, length) = (self.gathered.0 + u64::from(bytes), self.gathered.1);
        let room =
            polled && bytes >= SHORTEST_MERGED && bytes <= length && sum <= self.costs.aggregate;
        self.gathered = match room {
            // A shorter one is the last of its kind: with it, what was gathered is handed on.
            true if bytes < length => (0, 0),
            true => (sum, length),
            false => (u64::from(bytes), if bytes >= SHORTEST_MERGED { bytes } else { 0 }),
        };
        room
    }

    /// The time that `millicycles` take; what is left of a picosecond is carried on.
    fn takes(&mut self, millicycles: u64) -> Span {
        let work = u128::from(millicycles) * 1_000_000_000 + u128::from(self.remainder);
        let hz = u128::from(self.costs.clock.hz().max(1));
        self.remainder = (work % hz) as u64;
        Span::from_ps((work / hz) as u64)
    }

    /// Keeps the account of the watched window: work by when it was done, and a packet with its
    /// last cycle.
    fn account(&mut self, begin: Time, done: Time, one: &CpuCost, millicycles: u64) {
        let (from, to) = self.window;
        self.busy = self.busy + done.min(to).since(begin.max(from));
        if done > from && done <= to {
            let s = &mut self.cpu_cost;
            s.packets += one.packets;
            s.merged += one.merged;
            s.bytes += one.bytes;
            s.pages += one.pages;
            s.interrupts += one.interrupts;
            self.millicycles += u128::from(millicycles);
        }
    }
}

impl Service for HostCpu {
    fn finish(&mut self, arrived: Time, start: Time, wire_bytes: u32) -> Transmitted {
        let cpu = &mut *self.cpu;
        let polled = cpu.free.is_some_and(|free| arrived <= free);
        let wakes = cpu.wakes(arrived);
        let begin = if wakes { cpu.raise(arrived).max(start) } else { start };
        let merged = cpu.gathers(polled, wire_bytes);
        let pages = cpu.costs.pages(wire_bytes);
        let millicycles = cpu.costs.of_packet(wire_bytes, merged, wakes);
        // Nothing is done in no time, however fast the clock.
        let done = (begin + cpu.takes(millicycles)).max(arrived.next());
        let bytes = u64::from(wire_bytes);
        let one = CpuCost {
            packets: 1,
            merged: merged.into(),
            bytes,
            pages,
            interrupts: wakes.into(),
            ..CpuCost::default()
        };
        cpu.account(begin, done, &one, millicycles);
        cpu.free = Some(done);
        Transmitted::sent(done)
    }
    fn rate(&self) -> Rate {
        self.cpu.nominal
    }
    fn watch(&mut self, from: Time, to: Time) {
        self.cpu.window = (from, to);
    }
    fn utilization(&self) -> Option<f64> {
        let (from, to) = self.cpu.window;
        Some(self.cpu.busy.seconds() / to.since(from).seconds().max(f64::MIN_POSITIVE))
    }
    fn cpu_cost(&self) -> Option<CpuCost> {
        Some(CpuCost { cycles: self.cpu.millicycles as f64 / 1000.0, ..self.cpu.cpu_cost })
    }
}

/// The clock where none is written.
pub const GIGAHERTZ: Clock = Clock::from_mhz(1000);
