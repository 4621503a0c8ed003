//! The registry of warnings: scenarios that are valid and yet may surprise.
//!
//! Printed text, `--json`, `dumbbell explain` and docs/reference/warnings.md follow from [`ALL`].
//! The rules that issue the warnings are in [`crate::resolve::lints`].
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One kind of warning.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Lint {
    /// The code, `W` and three digits; never used for another warning.
    pub code: &'static str,
    /// The name in prose and in links.
    pub name: &'static str,
    /// What is unusual, in one sentence.
    pub title: &'static str,
    /// When the warning appears, why that matters, and where the threshold comes from.
    pub explanation: &'static str,
    /// A scenario that has it.
    pub example: &'static str,
    /// The release that introduced it.
    pub since: &'static str,
}

/// The code of a warning in `allow`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WarningCode(pub String);

impl JsonSchema for WarningCode {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "WarningCode".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let codes: Vec<&str> = ALL.iter().map(|lint| lint.code).collect();
        schemars::json_schema!({ "enum": codes })
    }
}

/// Declares the warnings, in the order of their codes, and [`ALL`].
macro_rules! warnings {
    ($($NAME:ident = $code:literal $name:literal $title:literal $explanation:literal
        $example:literal;)+) => {
        $(
            #[doc = $title]
            pub static $NAME: Lint = Lint {
                code: $code,
                name: $name,
                title: $title,
                explanation: $explanation,
                example: $example,
                since: "0.1.0",
            };
        )+
        /// Every warning, in the order of codes.
        pub static ALL: &[&Lint] = &[$(&$NAME),+];
    };
}

warnings! {
NO_MARKS = "W001" "no-marks"
"A congestion control needs ECN marks, and no queue on its path marks."
"Some congestion controls (DCTCP, Prague, Jersey) read the level of congestion from ECN marks. \
Without marks they react to losses only, and the run does not show what they are for. The warning \
appears if no queue on the path of the data can mark: its `ecn` is off, or it has no such \
parameter. (RFC 8257 section 3, RFC 9330 section 4)"
r#"duration = "60 s"
warmup = "10 s"
dumbbell.bottleneck = { rate = "50 Mbps", delay = "10 ms" }
queue = { kind = "drop_tail", limit = "1 BDP" }
flow = [{ cc = "dctcp", count = 4, rtt = "40 ms" }]"#;

SMALL_BUFFER = "W002" "small-buffer"
"A bottleneck's buffer is far below the bandwidth-delay product."
"The warning appears if the limit is below 0.05 times the bandwidth-delay product (BDP) of the \
bulk TCP flows, and also below BDP/sqrt(n) for n flows, which is what n unsynchronized flows need \
to fill the link (Appenzeller, Keslassy and McKeown, SIGCOMM 2004). One Reno flow needs a whole \
BDP. Below 0.05 BDP the results are about bursts that do not fit rather than about congestion \
control."
r#"duration = "60 s"
warmup = "10 s"
dumbbell.bottleneck = { rate = "100 Mbps", delay = "10 ms" }
queue = { kind = "drop_tail", limit = "15 pkt" }
flow = [{ cc = "cubic", count = 8, rtt = "40 ms" }]"#;

LARGE_BUFFER = "W003" "large-buffer"
"A bottleneck's buffer is far above the bandwidth-delay product, and nothing keeps it short."
"The warning appears if the limit is above 20 times the bandwidth-delay product of the bulk TCP \
flows (or unlimited), their windows may grow beyond that, and the queue signals only when it is \
full. A full buffer then adds more than 20 round-trip times of delay (bufferbloat; RFC 7567 \
section 1), and an epoch of a congestion window lasts minutes."
r#"duration = "60 s"
warmup = "10 s"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "5 ms" }
queue = { kind = "drop_tail", limit = "25 BDP" }
flow = [{ cc = "cubic", count = 4, rtt = "20 ms" }]"#;

RED_THRESHOLDS = "W004" "red-thresholds"
"A threshold of RED lies beyond the limit of the queue."
"The average of a queue cannot exceed its limit. If the upper threshold is above the limit, the \
queue overflows before RED reaches its maximum probability, and the drops are those of a Drop Tail \
queue. Floyd and Jacobson (1993, section 6) take the limit well above the upper threshold."
r#"duration = "60 s"
warmup = "10 s"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
queue = { kind = "red", limit = "40 pkt", min_th = "15 pkt", max_th = "45 pkt" }
flow = [{ count = 4, rtt = "40 ms" }]"#;

SLOW_AVERAGE = "W005" "slow-average"
"The average of RED is too slow to follow the queue."
"RED's average follows a step of the queue with a time constant of -1/ln(1 - w_q) packets. The \
warning appears if that is above 1 s and above 10 round-trip times (queueing in a full buffer \
included), or if the warm-up is shorter than three time constants, after which an average that \
starts at zero is within 5 % of the queue. ns-2's automatic weight has a time constant of 1 s, and \
Adaptive RED's of 10 round-trip times (Floyd, Gummadi and Shenker 2001, section 4.3)."
r#"duration = "60 s"
warmup = "10 s"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
queue = { kind = "red", limit = "60 pkt", w_q = 0.0001 }
flow = [{ count = 4, rtt = "40 ms" }]"#;

SHORT_WARMUP = "W006" "short-warmup"
"The warm-up ends before the flows have left slow start."
"Means begin at the end of the warm-up. The warning appears if it lasts less than 10 round-trip \
times (waiting in a full buffer included; at most one round-trip time if the queue signals \
early), or less than slow start needs from the initial window to the flow's share of path and \
buffer: log2 of that ratio in round-trip times, log1.5 with delayed ACKs that are counted one by \
one (RFC 3465). It concerns bulk TCP flows that start within the warm-up, and is not given if \
`warmup` is written as zero."
r#"duration = "60 s"
warmup = "100 ms"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
queue = { kind = "drop_tail", limit = "1 BDP" }
flow = [{ count = 4, rtt = "40 ms" }]"#;

SLOW_ACCESS = "W007" "slow-access"
"The access links together are slower than the bottleneck."
"In a short form the queue under test is that of the bottleneck. The warning appears if the access \
links of the flows that cross it carry less in sum than the bottleneck: it can never fill, and the \
flows wait in the unlimited queues of their access links instead."
r#"duration = "60 s"
warmup = "10 s"
dumbbell.bottleneck = { rate = "100 Mbps", delay = "10 ms" }
dumbbell.access.rate = "20 Mbps"
queue = { kind = "drop_tail", limit = "1 BDP" }
flow = [{ count = 4, rtt = "40 ms" }]"#;

MIN_RTO = "W008" "min-rto"
"The least retransmission timeout is very long for the round-trip time."
"The warning appears if `min_rto` is above 200 round-trip times (full buffer included): one \
timeout then costs as much as 200 windows, and timeouts decide the result. Values of 200 ms \
(Linux) and 1 s (RFC 6298) are meant for wide-area paths; in data centers they cause incast \
collapse (Vasudevan and others, SIGCOMM 2009)."
r#"duration = "60 s"
warmup = "10 s"
dumbbell.bottleneck = { rate = "10 Gbps", delay = "20 us" }
queue = { kind = "drop_tail", limit = "200 pkt" }
flow = [{ count = 4, rtt = "100 us" }]"#;

COARSE_RECORD = "W009" "coarse-record"
"The series are recorded too rarely to show what happens within a round-trip time."
"Queues and windows change within a round-trip time. The warning appears if `record.every` is \
above a quarter of the shortest round-trip time (full buffer included) of the bulk TCP flows: two \
samples in each half of its cycle is the least that shows an oscillation (Nyquist). Totals and \
means do not depend on `record.every`."
r#"duration = "60 s"
warmup = "10 s"
record.every = "100 ms"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
queue = { kind = "drop_tail", limit = "1 BDP" }
flow = [{ count = 4, rtt = "40 ms" }]"#;

IDLE_PATH = "W010" "idle-path"
"Two paths cost the same, and all data takes one of them."
"With routing = \"shortest\" a path has the least cost, then the smallest delay, then the first \
name, and all flows between two hosts take it. The warning appears if another link would lead on \
at the same cost and delay, and no flow uses it. It is often meant as a second path: with routing \
= \"ecmp\" a hash of each flow chooses among paths of equal cost, and `via` names one."
r#"duration = "60 s"
warmup = "10 s"
host = [{ name = "a" }, { name = "b" }]
router = [{ name = "r" }, { name = "s" }, { name = "t" }, { name = "u" }]
link = [
  { between = ["a", "r"], rate = "1 Gbps", delay = "1 ms" },
  { between = ["r", "s"], rate = "10 Mbps", delay = "5 ms", queue = { limit = "20 pkt" } },
  { between = ["r", "t"], rate = "10 Mbps", delay = "5 ms", queue = { limit = "20 pkt" } },
  { between = ["s", "u"], rate = "1 Gbps", delay = "5 ms" },
  { between = ["t", "u"], rate = "1 Gbps", delay = "5 ms" },
  { between = ["u", "b"], rate = "1 Gbps", delay = "1 ms" },
]
flow = [{ count = 4, from = "a", to = "b" }]"#;

WINDOW_CAP = "W011" "window-cap"
"The receivers' windows are too small to fill the bottleneck."
"A flow sends at most one receiver's window in a round-trip time. The warning appears if only \
bulk TCP flows cross a bottleneck, and their windows over their round-trip times add up to less \
than its rate: there is then no congestion, and the congestion controls have nothing to do (RFC \
7323 section 1.1)."
r#"duration = "60 s"
warmup = "10 s"
tcp.receive_window = "64240 B"
dumbbell.bottleneck = { rate = "100 Mbps", delay = "10 ms" }
queue = { kind = "drop_tail", limit = "1 BDP" }
flow = [{ count = 4, rtt = "100 ms" }]"#;

FEW_EPOCHS = "W012" "few-epochs"
"The measured time has too few congestion epochs for a stable mean."
"An epoch is the time from one reduction of a window to the next. The warning appears if fewer \
than 30 epochs are expected in the measured time, over all flows of a bottleneck and all \
replications: 30 is the usual least size of a sample whose mean is close to normal. The estimate \
takes the peak window W from the flow's share of path and buffer; a window with additive increase \
a and decrease b takes b W / a round-trip times (twice that with delayed ACKs that are counted \
one by one), CUBIC at most cbrt(b W / C) seconds (RFC 9438 section 4.2). Other congestion \
controls, paths with random losses and scenarios with a stop rule have no estimate and no \
warning."
r#"duration = "30 s"
warmup = "10 s"
dumbbell.bottleneck = { rate = "100 Mbps", delay = "10 ms" }
queue = { kind = "drop_tail", limit = "1 BDP" }
flow = [{ cc = "newreno", rtt = "40 ms" }]"#;

KERNEL_PROFILE = "W013" "kernel-profile"
"A run on real kernels has a TCP profile that is not the kernel's."
"With `--on kernel` and `--on linux` the hosts run a Linux kernel. The profile `linux` models it; \
`rfc` and `ns2` describe other senders, so that a simulation of the same scenario is no prediction \
of that run. The warning appears only with these options."
r#"duration = "60 s"
warmup = "10 s"
profile = "rfc"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
queue = { kind = "drop_tail", limit = "1 BDP" }
flow = [{ cc = "cubic", count = 4, rtt = "40 ms" }]"#;

SMALL_TARGET = "W014" "small-target"
"The delay target of a queue is below the transmission time of one packet."
"A queue that holds one full packet then already exceeds its target, so that it signals on an \
uncongested link. RFC 8289 section 4.4 and RFC 8290 section 5.2.2 ask for a target of at least the \
transmission time of one packet of the MTU."
r#"duration = "60 s"
warmup = "10 s"
dumbbell.bottleneck = { rate = "1 Mbps", delay = "10 ms" }
queue = { kind = "codel", limit = "100 pkt", target = "5 ms" }
flow = [{ count = 4, rtt = "40 ms" }]"#;

ACK_PATH = "W015" "ack-path"
"A link of the reverse path is too slow for the ACKs of data at the full rate."
"The normalized bandwidth ratio k is the ratio of the rates divided by that of the lengths of data \
and acknowledgments. With fewer than k segments to an acknowledgment the reverse path fills up \
before the forward path (RFC 3449 section 2; docs/explanation/two-way.md)."
r#"duration = "60 s"
warmup = "10 s"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "5 ms", reverse.rate = "50 kbps" }
queue = { kind = "drop_tail", limit = "1 BDP" }
flow = [{ count = 4, rtt = "40 ms" }]"#;

OVER_RESERVED = "W016" "over-reserved"
"Reservations exceed the rate of a link."
"The flows that cross the link reserve more in sum than it carries. Not all of them can get what \
they reserved; results take each flow's share of the link as its target."
r#"duration = "60 s"
warmup = "10 s"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
queue = { kind = "drop_tail", limit = "1 BDP" }
flow = [{ count = 4, rtt = "40 ms", reserved = "3 Mbps" }]"#;

SHALLOW_BUCKET = "W017" "shallow-bucket"
"A token bucket holds less than one packet."
"A packet that does not fit into a full bucket is never in profile. A bucket that is written in \
other units than bytes is made one packet deep."
r#"duration = "60 s"
warmup = "10 s"
dumbbell.bottleneck.rate = "10 Mbps"
dumbbell.bottleneck.delay = "10 ms"
dumbbell.bottleneck.conditioner = { kind = "token_bucket", rate = "5 Mbps", burst = "1 kB" }
queue = { kind = "drop_tail", limit = "1 BDP" }
flow = [{ count = 4, rtt = "40 ms" }]"#;

OVERLOAD = "W018" "overload"
"Sessions offer more than a link carries."
"The mean load of the sessions that cross the link is at least its rate, in payload alone. The \
number of unfinished flows then grows as long as flows arrive, and means depend on the duration."
r#"duration = "60 s"
warmup = "10 s"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
queue = { kind = "drop_tail", limit = "1 BDP" }
session = [{ name = "web", load = 1.2, size = "100 kB", rtt = "40 ms" }]"#;

BLACK_HOLE = "W019" "black-hole"
"Large segments do not fit into a link, and no router tells the sender."
"The packets are dropped, and the sender does not learn why: a black hole of path MTU discovery \
(RFC 2923 section 2.1)."
r#"duration = "60 s"
warmup = "10 s"
icmp = false
tcp = { pmtu_discovery = "icmp", mss = "1460 B" }
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms", mtu = "1000 B" }
dumbbell.access.mtu = "1500 B"
queue = { kind = "drop_tail", limit = "1 BDP" }
flow = [{ count = 4, rtt = "40 ms" }]"#;

FRAGMENTS = "W020" "fragments"
"Datagrams are cut into fragments."
"The datagrams are larger than the MTU of a link. The loss of one fragment loses the whole \
datagram (RFC 8085 section 3.2)."
r#"duration = "60 s"
warmup = "10 s"
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
queue = { kind = "drop_tail", limit = "1 BDP" }
flow = [{ source = { kind = "cbr", rate = "1 Mbps", packet = "8000 B" } }]"#;

NO_SERIES = "W021" "no-series"
"Markers are recorded as series, and there are no series."
"`record.markers` adds the markers to the time series, which exist only with `record.every`."
r#"duration = "60 s"
warmup = "10 s"
record.markers = true
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
queue = { kind = "drop_tail", limit = "1 BDP" }
flow = [{ count = 4, rtt = "40 ms" }]"#;

STRANDED = "W022" "stranded"
"A link fails, and a flow has no other path."
"`down` in `links` lets a link fail, and paths follow where there are others. The warning appears \
if a flow's path leads over the link while it is down, after `convergence`: no other path joins \
its hosts, or the flow names one with `via`. All its packets are lost until the link returns."
r#"duration = "60 s"
warmup = "10 s"
star = { hosts = 2, link = { rate = "10 Mbps", delay = "10 ms" } }
queue = { kind = "drop_tail", limit = "1 BDP" }
links."h1->hub".down = [{ from = "20 s", to = "21 s" }]
flow = [{ from = "h1", to = "h2", count = 4 }]"#;
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn codes_ascend_and_names_are_unique() {
        for (i, lint) in ALL.iter().enumerate() {
            assert_eq!(lint.code, format!("W{:03}", i + 1));
            assert!(ALL[..i].iter().all(|other| other.name != lint.name), "{}", lint.name);
        }
    }
}
