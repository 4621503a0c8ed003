//! The measurements of a host's processor.
use crate::metrics::metric::{Group, Metric, Statistic};
use crate::report::ProcessorReport;

type Of = Metric<HostReport>;

/// A processor in one direction, with its names and the traffic of its host.
pub struct HostReport {
    /// The link's name.
    pub name: String,
    /// Its host.
    pub host: String,
    /// `receive` or `send`.
    pub direction: &'static str,
    /// What it did.
    pub processor: ProcessorReport,
    /// Payload that came to applications of the host, and that they sent and others got: bits.
    pub delivered_bits: f64,
}

/// The cycles of a processor for each of `count`; `None` if there were none.
fn cycles_per(h: &HostReport, count: f64) -> Option<f64> {
    (count > 0.0).then(|| h.processor.cpu_cost.cycles / count)
}

/// Of every processor.
pub static HOST: Group<HostReport> = Group {
    when: "",
    metrics: &[
        Of::text("name", "", |h| &h.name, "The link, such as `copy/receiver/cpu_receive`."),
        Of::text("host", "", |h| &h.host, "Its host."),
        Of::text("direction", "", |h| h.direction, "`receive` or `send`."),
        Of::count(
            "packets",
            "",
            |h| h.processor.cpu_cost.packets,
            "IP packets that it has handled.",
        )
        .title("packets"),
        Of::count(
            "merged_packets",
            "pkt",
            |h| h.processor.cpu_cost.merged,
            "Of these, those gathered with the one before.",
        ),
        Of::count("bytes", "B", |h| h.processor.cpu_cost.bytes, "Their bytes."),
        Of::count("pages", "", |h| h.processor.cpu_cost.pages, "Pages of memory they took."),
        Of::count(
            "interrupts",
            "",
            |h| h.processor.cpu_cost.interrupts,
            "Interrupts that it took for them.",
        )
        .title("interrupts")
        .lower(),
        Of::real("cycles", "cycles", |h| h.processor.cpu_cost.cycles, "Cycles for all of that.")
            .by(Statistic::Sum)
            .lower(),
        Of::real(
            "utilization",
            "1",
            |h| h.processor.utilization,
            "Share of time in which the core was at work.",
        )
        .title("utilization"),
        Of::maybe_real(
            "cycles_per_packet",
            "cycles",
            |h| cycles_per(h, h.processor.cpu_cost.packets as f64),
            "Cycles for each packet that passed; null if none did.",
        )
        .title("a packet")
        .lower(),
        Of::maybe_real(
            "cycles_per_byte",
            "cycles",
            |h| cycles_per(h, h.processor.cpu_cost.bytes as f64),
            "Cycles for each byte that passed; null if none did.",
        )
        .lower(),
        Of::maybe_real(
            "cycles_per_bit",
            "cycles",
            |h| cycles_per(h, h.delivered_bits),
            "Cycles for each bit of payload that this host's flows delivered, to it or from it; \
             null without any.",
        )
        .title("a bit")
        .lower(),
        Of::count(
            "dropped_packets",
            "pkt",
            |h| h.processor.dropped,
            "Packets that found the ring full.",
        )
        .title("dropped")
        .lower(),
    ],
};
