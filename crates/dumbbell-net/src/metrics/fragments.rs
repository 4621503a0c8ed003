//! The measurements of packets that were too large for a link.
use crate::fragment::oversize::FragmentationCounts;
use crate::fragment::reassembly::ReassemblyCounts;
use crate::metrics::metric::{Group, Metric, Statistic};

type OfLinks = Metric<FragmentationCounts>;
type OfHosts = Metric<ReassemblyCounts>;

/// At links.
pub static FRAGMENTED: Group<FragmentationCounts> = Group {
    when: "",
    metrics: &[
        OfLinks::count(
            "cut_packets",
            "pkt",
            |c| c.cut,
            "Packets that were cut; a fragment that was cut again counts too.",
        ),
        OfLinks::count("fragments", "", |c| c.fragments, "Fragments that they were cut into."),
        OfLinks::count(
            "refused_packets",
            "pkt",
            |c| c.refused,
            "Packets that were dropped because they must not be cut.",
        ),
        OfLinks::count("answers", "", |c| c.answered, "Of these, those reported to a sender."),
    ],
};

/// At hosts.
pub static REASSEMBLED: Group<ReassemblyCounts> = Group {
    when: "in the simulator",
    metrics: &[
        OfHosts::count("arrived_fragments", "", |c| c.fragments, "Fragments that came to hosts."),
        OfHosts::count("reassembled_packets", "pkt", |c| c.whole, "Packets that became whole."),
        OfHosts::count(
            "expired_packets",
            "pkt",
            |c| c.expired,
            "Packets that were given up after the timeout.",
        ),
        OfHosts::count(
            "duplicate_fragments",
            "",
            |c| c.duplicates,
            "Fragments that brought nothing new.",
        ),
        OfHosts::count(
            "discarded_fragments",
            "",
            |c| c.full,
            "Fragments for which there was no room.",
        ),
        OfHosts::count(
            "max_memory_bytes",
            "B",
            |c| c.most_bytes,
            "Most payload that one host kept.",
        )
        .by(Statistic::Largest),
    ],
};
