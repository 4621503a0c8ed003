//! The account of all packets.
use crate::metrics::metric::{Group, Metric};
use crate::report::Conservation;

type Of = Metric<Conservation>;

/// Of the whole run.
pub static CONSERVATION: Group<Conservation> = Group {
    when: "",
    metrics: &[
        Of::count(
            "sent",
            "pkt",
            |c| c.sent,
            "Packets that left a socket or a router that answered, copies that wires made, and \
             fragments beyond the first of each packet.",
        ),
        Of::count("delivered", "pkt", |c| c.delivered, "Packets that arrived at a socket."),
        Of::count("dropped", "pkt", |c| c.dropped, "Packets dropped anywhere."),
        Of::count("duplicated", "pkt", |c| c.duplicated, "Of those sent, the copies."),
        Of::count(
            "discarded",
            "pkt",
            |c| c.discarded,
            "Of those dropped, the ones that a host discarded for a wrong bit.",
        ),
        Of::count("in_network", "pkt", |c| c.in_network, "Packets on their way at the end."),
    ],
};
