//! Whole hosts, by name. Each number says where it comes from; what is calibrated says to what.
use super::HostCpuConfig;
use dumbbell_core::units::{Bytes, Clock, Span};
use serde::Serialize;

/// A host.
#[derive(Clone, Debug, Serialize)]
pub struct Preset {
    /// Its name in scenarios.
    pub name: &'static str,
    /// A description in one line.
    pub title: &'static str,
    /// The sources of its numbers.
    pub sources: &'static [&'static str],
    /// Packets that its card's receive ring holds.
    pub ring: u32,
    /// The costs of packets.
    pub cpu: HostCpuConfig,
}

/// All of them.
pub fn all() -> [Preset; 3] {
    [header_2004(), server_2004(), server_2021()]
}

/// The one of this name.
pub fn find(name: &str) -> Option<Preset> {
    all().into_iter().find(|p| p.name == name)
}

/// Descriptors of a receive ring where none is written: Intel's e1000, `RxDescriptors`.
pub const RING: u32 = 256;

fn header_2004() -> Preset {
    Preset {
        name: "header_2004",
        title: "The arithmetic of Jo, Kwak and Byeon (2004): headers cost, nothing else does",
        sources: &[
            "per_packet 1200: Jo, Kwak, Byeon 2004, section 3.1 (one IP and one TCP header; \"if \
                it takes\" is their word)",
            "clock 1 GHz: ours, the paper names none",
        ],
        ring: RING,
        cpu: HostCpuConfig::default(),
    }
}

fn server_2004() -> Preset {
    Preset {
        name: "server_2004",
        title: "A server of 2004 with a gigabit card: one cycle for each bit in packets of 1500 \
            bytes",
        sources: &[
            "clock 2.4 GHz: dual Xeons of 2.0 to 2.4 GHz in Hughes-Jones, Clarke, Dallison, FGCS \
                21(4), 2005 (recollection)",
            "copy 1.2: a copy that misses the caches at 2 GB/s (recollection)",
            "checksum 0.75: Clark et al. 1989 find it cheaper than a copy, the factor is ours; \
                made by the card by default",
            "per_interrupt 5000: 2 us at 2.4 GHz, as measured by many for that class \
                (recollection)",
            "interrupt_gap 125 us: Intel e1000, InterruptThrottleRate 8000 by default; ring 256: \
                RxDescriptors by default",
            "per_page 300: ours; page 4096: x86",
            "per_packet 9000: calibrated, so that 1448 bytes cost 1 cycle for each bit, the rule \
                of thumb of 1 GHz for 1 Gbit/s that Foong et al. 2003 examine; Menon, Zwaenepoel, \
                USENIX 2008 find per-packet costs dominant in that class",
        ],
        ring: RING,
        cpu: HostCpuConfig {
            clock: Clock::from_mhz(2400),
            per_packet: 9000.0,
            per_merged: 9000.0,
            copy: 1.2,
            checksum: 0.75,
            checksum_offload: true,
            per_page: 300.0,
            per_interrupt: 5000.0,
            interrupt_gap: Span::from_us(125),
            ..HostCpuConfig::default()
        },
    }
}

fn server_2021() -> Preset {
    Preset {
        name: "server_2021",
        title: "A core of a server of 2021 with a 100-gigabit card, GRO and TSO: 42 Gbit/s in \
            packets of 9000 bytes",
        sources: &[
            "clock 3.4 GHz: Xeon Gold 6128 of Cai et al., Understanding host network stack \
                overheads, SIGCOMM 2021 (recollection)",
            "copy 0.32: about half of the cycles of a receiver at 42 Gbit/s are copies, same paper \
                (recollection)",
            "per_packet 6000, per_merged 800, per_page 450: calibrated together to 42 Gbit/s a \
                core with GRO at 9000 bytes, same paper; how the rest is divided between them is \
                ours",
            "aggregate 64 KiB: the longest IP packet, Linux gro_max_size by default",
            "coalesce_time 8 us, ring 1024: Mellanox mlx5 by default (recollection); per_interrupt \
                5000: ours, 1.5 us",
        ],
        ring: 1024,
        cpu: HostCpuConfig {
            clock: Clock::from_mhz(3400),
            per_packet: 6000.0,
            per_merged: 800.0,
            aggregate: Bytes(65_536),
            copy: 0.32,
            checksum: 0.25,
            checksum_offload: true,
            per_page: 450.0,
            per_interrupt: 5000.0,
            coalesce_time: Span::from_us(8),
            ..HostCpuConfig::default()
        },
    }
}
