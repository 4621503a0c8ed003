//! The measurements of a buffer that the ports of a switch share.
use crate::metrics::metric::{Group, Metric, Statistic};
use crate::port::shared_buffer::SharedBufferReport;

type Of = Metric<SharedBuffer>;

/// A shared buffer with the name of its switch.
pub struct SharedBuffer {
    /// The switch.
    pub name: String,
    /// What happened in it.
    pub report: SharedBufferReport,
}

/// Of every shared buffer.
pub static SHARED_BUFFER: Group<SharedBuffer> = Group {
    when: "",
    metrics: &[
        Of::text("name", "", |b| &b.name, "The switch."),
        Of::count("size_bytes", "B", |b| b.report.size, "Its size.").by(Statistic::Setting),
        Of::real(
            "alpha",
            "",
            |b| b.report.alpha,
            "The most that a queue may hold, over what is free.",
        )
        .by(Statistic::Setting),
        Of::real("mean_bytes", "B", |b| b.report.mean_bytes, "Mean of what is taken.")
            .by(Statistic::TimeMean)
            .title("mean")
            .lower(),
        Of::count("max_bytes", "B", |b| b.report.max_bytes, "The most that was taken.")
            .by(Statistic::Largest)
            .title("max")
            .lower(),
        Of::count(
            "threshold_drops",
            "pkt",
            |b| b.report.above_threshold,
            "Packets that were dropped because their queue, with them, would have been above the \
             threshold. They are among `drops.overflow` of their queues.",
        )
        .title("above threshold")
        .lower(),
        Of::count(
            "full_drops",
            "pkt",
            |b| b.report.full,
            "Packets that were dropped because what was free did not hold them; among \
             `drops.overflow`, too.",
        )
        .title("buffer full")
        .lower(),
    ],
};
