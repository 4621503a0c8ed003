//! The cost of a packet at a host: the parameters, and the closed forms that follow from them.
use super::{GIGAHERTZ, SHORTEST_MERGED};
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::{Bytes, Clock, Span};
use dumbbell_macros::config;

/// Parameters of [`super::HostCpu`]. Costs are cycles; the defaults are the arithmetic of 1,200
/// cycles for a packet and nothing else, `presets` are whole hosts.
#[config]
pub struct HostCpuConfig {
    /// Cycles per second of the core.
    #[schemars(extend("x-source" = "ours: a host of the first gigabit cards"))]
    #[config(default = GIGAHERTZ)]
    pub clock: Clock,
    /// Cycles for a packet, whatever its length: headers, buffers, the socket.
    #[schemars(
        range(min = 1.0, max = 1e7),
        extend("x-source" = "Jo, Kwak, Byeon 2004, section 3.1: one IP and TCP header"),
    )]
    #[config(default = 1200.0)]
    pub per_packet: f64,
    /// Cycles for a packet that is merged with the one before.
    #[schemars(range(min = 1.0, max = 1e7), extend("x-source" = "ours: a tenth; with `aggregate`"))]
    #[config(default = 120.0)]
    pub per_merged: f64,
    /// Up to this many bytes of packets that wait behind each other are handled as one packet (GRO,
    /// LRO, TSO); 0 B: none.
    #[schemars(extend("x-source" = "ours: a host of 2004 has none; Linux gathers up to 64 KiB"))]
    #[config(default = Bytes(0))]
    pub aggregate: Bytes,
    /// Cycles to copy a byte from card to application; not with `zero_copy`.
    #[schemars(range(min = 0.0, max = 1000.0), extend("x-source" = "ours: free"))]
    #[config(default = 0.0)]
    pub copy: f64,
    /// Whether bytes reach the application without being copied.
    #[schemars(extend("x-source" = "ours: sockets copy"))]
    pub zero_copy: bool,
    /// Cycles for each byte of the checksum; not with `checksum_offload`.
    #[schemars(range(min = 0.0, max = 1000.0), extend("x-source" = "ours: free"))]
    #[config(default = 0.0)]
    pub checksum: f64,
    /// Whether the card computes the checksum.
    #[schemars(extend("x-source" = "ours: as cards do since about 2000"))]
    #[config(default = true)]
    pub checksum_offload: bool,
    /// Size of a memory page; a packet takes its length divided by this, rounded up.
    #[schemars(extend("x-source" = "Jo, Kwak, Byeon 2004, section 3.2"))]
    #[config(default = Bytes(4096))]
    pub page: Bytes,
    /// Cycles for each page that a packet takes: to get, map and free it.
    #[schemars(range(min = 0.0, max = 1e7), extend("x-source" = "ours: free"))]
    #[config(default = 0.0)]
    pub per_page: f64,
    /// Cycles for an interrupt, with what it does to the caches.
    #[schemars(range(min = 0.0, max = 1e7), extend("x-source" = "ours: free"))]
    #[config(default = 0.0)]
    pub per_interrupt: f64,
    /// An interrupt is raised this long after the packet that asks for it, and serves all packets
    /// that came in the meantime (`ethtool -C rx-usecs`).
    #[schemars(extend("x-source" = "ours: at once"))]
    #[config(default = Span::ZERO)]
    pub coalesce_time: Span,
    /// The least time between two interrupts (the inverse of Intel's InterruptThrottleRate).
    #[schemars(extend("x-source" = "ours: none"))]
    #[config(default = Span::ZERO)]
    pub interrupt_gap: Span,
    /// Whether packets raise interrupts; false: the core polls, as where a host sends.
    #[schemars(extend("x-source" = "every card"))]
    #[config(default = true)]
    pub interrupts: bool,
}

impl Config for HostCpuConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.page.0 == 0 {
            return Err(Fault::at("page", "a page has bytes").fix(
                "write page = \"4096 B\", and \
                per_page = 0 for none",
            ));
        }
        if self.aggregate.0 > 0 && self.per_merged > self.per_packet {
            let cause = format!(
                "a packet that is gathered costs more than one by itself, {}",
                self.per_packet
            );
            return Err(Fault::at("per_merged", cause).fix("write less, or take `aggregate` out"));
        }
        Ok(())
    }
}

/// The arrivals at a core, as far as interrupts go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// There is always one waiting: all are polled, and gathered where that is allowed.
    Saturated,
    /// They come one by one at a steady rate of so many a second, and the core is fast: none waits
    /// for another but through coalescing.
    Light(f64),
}

impl HostCpuConfig {
    /// Cycles for each byte.
    pub fn per_byte(&self) -> f64 {
        let copy = if self.zero_copy { 0.0 } else { self.copy };
        copy + if self.checksum_offload { 0.0 } else { self.checksum }
    }

    /// Cycles of one packet of `len` bytes by itself, its interrupt apart.
    pub fn packet_cycles(&self, len: u32) -> f64 {
        self.per_packet + self.touching(len)
    }

    /// The cost that depends on the length: bytes and pages.
    fn touching(&self, len: u32) -> f64 {
        f64::from(len) * self.per_byte()
            + u64::from(len).div_ceil(self.page.0.max(1)) as f64 * self.per_page
    }

    /// The number of packets of `len` bytes that are gathered to one, while they wait behind each
    /// other.
    pub fn gathered(&self, len: u32) -> u64 {
        if len < SHORTEST_MERGED { 1 } else { (self.aggregate.0 / u64::from(len)).max(1) }
    }

    /// Cycles of each packet of a train of equal ones at `waiting` together: the first costs
    /// `per_packet`, the others `per_merged`, until `aggregate` is full.
    fn gathered_cycles(&self, len: u32, waiting: f64) -> f64 {
        let of_one = (self.gathered(len) as f64).min(waiting);
        (self.per_packet + (of_one - 1.0) * self.per_merged) / of_one + self.touching(len)
    }

    /// Cycles of each packet of `len` bytes in a long train: none raises an interrupt, all that may
    /// be are gathered.
    pub fn train_cycles(&self, len: u32) -> f64 {
        self.gathered_cycles(len, f64::INFINITY)
    }

    /// Interrupts for each packet at `load`: with `coalesce_time` an interrupt serves the packet
    /// that wants it and all that come in that time; with `interrupt_gap` there are no more of them
    /// than its inverse.
    pub fn interrupts_per_packet(&self, load: Load) -> f64 {
        let Load::Light(rate) = load else { return 0.0 };
        if !self.interrupts || rate <= 0.0 {
            return f64::from(u8::from(self.interrupts));
        }
        let coalesced = 1.0 + libm::floor(rate * self.coalesce_time.seconds());
        1.0 / coalesced.max(rate * self.interrupt_gap.seconds())
    }

    /// Cycles of a packet of `len` bytes at `load`, interrupts included.
    pub fn mean_cycles(&self, len: u32, load: Load) -> f64 {
        match load {
            Load::Saturated => self.train_cycles(len),
            Load::Light(_) => {
                let interrupts = self.interrupts_per_packet(load);
                let together = if interrupts > 0.0 { 1.0 / interrupts } else { 1.0 };
                self.gathered_cycles(len, together) + interrupts * self.per_interrupt
            }
        }
    }

    /// Cycles for each bit of payload in packets of `len` bytes, `header` of them headers, at
    /// `load`. `None`: such a packet has no payload.
    pub fn cycles_per_bit(&self, len: u32, header: u32, load: Load) -> Option<f64> {
        let payload = len.checked_sub(header).filter(|p| *p > 0)?;
        Some(self.mean_cycles(len, load) / (8.0 * f64::from(payload)))
    }

    /// The most payload, in bits per second, that the core is through with in packets of `len`
    /// bytes with `header`.
    pub fn limit_bps(&self, len: u32, header: u32) -> Option<f64> {
        Some(self.clock.hz() as f64 / self.cycles_per_bit(len, header, Load::Saturated)?)
    }

    /// The same host where it sends: no packet raises an interrupt, for the core sends when it is
    /// told to.
    pub fn sending(&self) -> Self {
        HostCpuConfig {
            interrupts: false,
            coalesce_time: Span::ZERO,
            interrupt_gap: Span::ZERO,
            ..self.clone()
        }
    }
}

/// A configuration in whole numbers: thousandths of a cycle.
#[derive(Clone, Debug)]
pub(super) struct Costs {
    pub clock: Clock,
    per_packet: u64,
    per_merged: u64,
    per_byte: u64,
    per_page: u64,
    per_interrupt: u64,
    page: u64,
    pub aggregate: u64,
    pub coalesce_time: Span,
    pub interrupt_gap: Span,
    pub interrupts: bool,
}

impl Costs {
    pub fn of(c: &HostCpuConfig) -> Self {
        let milli = |cycles: f64| libm::round(cycles * 1000.0) as u64;
        Costs {
            clock: c.clock,
            per_packet: milli(c.per_packet),
            per_merged: milli(c.per_merged),
            per_byte: milli(c.per_byte()),
            per_page: milli(c.per_page),
            per_interrupt: milli(c.per_interrupt),
            page: c.page.0.max(1),
            aggregate: c.aggregate.0,
            coalesce_time: c.coalesce_time,
            interrupt_gap: c.interrupt_gap,
            interrupts: c.interrupts,
        }
    }

    /// Pages that a packet takes.
    pub fn pages(&self, len: u32) -> u64 {
        u64::from(len).div_ceil(self.page)
    }

    /// Thousandths of a cycle for a packet.
    pub fn of_packet(&self, len: u32, merged: bool, interrupt: bool) -> u64 {
        let head = if merged { self.per_merged } else { self.per_packet };
        let wake = if interrupt { self.per_interrupt } else { 0 };
        head + wake + u64::from(len) * self.per_byte + self.pages(len) * self.per_page
    }
}
