//! The choices among several ways.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How losses found by acknowledgments are repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// Slow start from one segment, everything outstanding sent again (Jacobson 1988).
    Tahoe,
    /// RFC 5681: one repair; the first new acknowledgment ends recovery.
    Reno,
    /// RFC 6582: one repair per partial acknowledgment.
    Newreno,
    /// RFC 6675: scoreboard and pipe; needs `sack = true`.
    Sack,
}

/// When a receiver acknowledges data that arrived in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DelayedAck {
    /// Every segment.
    Each,
    /// Every second full-sized segment, or when the timer expires (RFC 5681 section 4.2).
    Second,
}

/// Explicit congestion notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ecn {
    /// Data is not ECN-capable.
    Off,
    /// RFC 3168: data is ECT(0), the receiver echoes until CWR.
    Rfc3168,
    /// Data is ECT(0); an acknowledgment echoes what it answers, and nothing older (TCP Jersey's
    /// congestion warning).
    PerPacket,
    /// RFC 8257: data is ECT(0); marked and unmarked data are acknowledged apart, so that the
    /// sender learns the share of marks.
    Dctcp,
    /// RFC 9768, accurate ECN: data is ECT(0), every acknowledgment carries counters of marked
    /// packets and bytes. A peer without it is answered as of RFC 3168.
    Accecn,
    /// The same with ECT(1): low latency, low loss, scalable throughput (RFC 9331). A peer without
    /// accurate ECN gets ECT(0) and RFC 3168.
    L4s,
}

impl Ecn {
    /// True if it is accurate ECN that is asked for.
    pub fn accurate(self) -> bool {
        matches!(self, Ecn::Accecn | Ecn::L4s)
    }
}

/// When NewReno restarts the retransmission timer during recovery (RFC 6582 section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartialAck {
    /// On the first partial acknowledgment only.
    Impatient,
    /// On each.
    SlowButSteady,
}

/// Whether fast retransmit may start again when SND.UNA stands exactly at `recover`, or before it.
/// Tahoe waits until it is beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reentry {
    /// Only beyond it (RFC 6582 section 3.2 step 1; ns-2's Reno and NewReno).
    Beyond,
    /// At it, too (htsim).
    At,
    /// Before it, too (RFC 5681; ns-2 without `bugFix_`).
    Always,
}

/// The window when NewReno leaves recovery (RFC 6582 section 3.2 step 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// min(ssthresh, max(FlightSize, SMSS) + SMSS): no burst.
    Deflated,
    /// ssthresh.
    Ssthresh,
}

/// How a sender learns how large a packet its path carries (docs/explanation/path-mtu.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Discovery {
    /// It is known from the start: `mss` is what the path carries.
    Known,
    /// From routers: packets must not be fragmented, and a router that has to drop one reports the
    /// size that fits (RFC 1191, RFC 8201).
    Icmp,
    /// By trying, too: repeated timeouts indicate a router that drops silently, and larger segments
    /// are tried one by one (RFC 4821, RFC 8899).
    Probe,
    /// Not at all: routers fragment what does not fit.
    Off,
}

impl Discovery {
    /// True if the sender lowers its segment size when a router says that a packet is too large.
    pub fn heeds_routers(self) -> bool {
        matches!(self, Discovery::Icmp | Discovery::Probe)
    }
}

/// How a lost segment is detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Detection {
    /// Duplicate acknowledgments and what SACK reports above (RFC 5681, RFC 6675 `IsLost`).
    Dupack,
    /// Time: a segment that was sent long enough before another one that arrived (RFC 8985, RACK).
    /// Without SACK duplicate acknowledgments decide.
    Rack,
    /// Duplicate acknowledgments, after a delay of `dcr_delay` (TCP-DCR; RFC 4653 is similar). With
    /// SACK and without.
    Dcr,
}

/// How a SACK recovery comes from the flight at its start to the window at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reduction {
    /// Silence until what is in the network has fallen to the new window (RFC 6675).
    Rfc6675,
    /// Proportional rate reduction: evenly over the recovery (RFC 9937).
    Prr,
}

/// Where a sender takes round-trip samples from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Samples {
    /// The timestamp that an acknowledgment echoes: that of the first segment that it answers, so
    /// that a delayed acknowledgment is in the sample (RFC 7323 section 4.3). Without timestamps
    /// one segment at a time is measured.
    Echo,
    /// Each segment that is acknowledged for the first time, selectively too, unless it was sent
    /// again (RFC 6298 section 3). The timeout goes by the first of those that an acknowledgment
    /// answers, the congestion control by the last (RFC 9002 section 5.1). Where there is none
    /// the timeout goes by the echo. With `detection = "rack"`.
    Segments,
}
