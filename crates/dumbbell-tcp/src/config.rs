//! Every choice that a TCP makes, as a field; a profile is a value of this struct.
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::{Bytes, Limit, Packets, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How losses found by acknowledgements are repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// Slow start from one segment, everything outstanding sent again (Jacobson 1988).
    Tahoe,
    /// RFC 5681: one repair; the first new acknowledgement ends recovery.
    Reno,
    /// RFC 6582: one repair per partial acknowledgement.
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
}

/// When NewReno restarts the retransmission timer during recovery (RFC 6582 section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartialAck {
    /// On the first partial acknowledgement only.
    Impatient,
    /// On each.
    SlowButSteady,
}

/// Whether fast retransmit may start again when SND.UNA stands exactly at `recover`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reentry {
    /// Only beyond it (RFC 6582 section 3.2 step 1).
    Beyond,
    /// At it, too (htsim).
    At,
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

/// A TCP, field by field. The defaults are the profile `rfc`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TcpConfig {
    /// Largest payload of a segment, before options; left out: what both ends' MTUs allow.
    #[schemars(extend("x-source" = "RFC 9293 section 3.7.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mss: Option<Bytes>,
    /// IP and TCP header without options.
    #[schemars(extend("x-source" = "RFC 791, RFC 9293: 20 + 20"))]
    pub header: Bytes,
    /// Initial window, in segments.
    #[schemars(extend("x-source" = "RFC 6928"))]
    pub initial_window: Packets,
    /// Bytes that bound an initial window of more than two segments: RFC 6928 has `14600 B`, RFC 3390 (with
    /// `initial_window = "4 pkt"`) has `4380 B`.
    #[schemars(extend("x-source" = "RFC 6928 section 2"))]
    pub initial_window_bytes: Limit,
    /// Initial slow-start threshold; `unlimited` or packets or bytes.
    #[schemars(extend("x-source" = "RFC 5681 section 3.1"))]
    pub initial_ssthresh: Limit,
    /// The receiver's buffer, which bounds the window; `unlimited` (as much as the header can say: 1 GiB) or
    /// packets or bytes.
    #[schemars(extend("x-source" = "a choice"))]
    pub receive_window: Limit,
    /// Window scaling; without it the window is at most 65,535 bytes.
    #[schemars(extend("x-source" = "RFC 7323 section 2"))]
    pub window_scaling: bool,
    /// Open with SYN and SYN-ACK; without it data flows at once.
    #[schemars(extend("x-source" = "RFC 9293 section 3.5"))]
    pub handshake: bool,
    /// Timestamps option: 12 bytes in each segment, a sample from each acknowledgement.
    #[schemars(extend("x-source" = "RFC 7323 section 3"))]
    pub timestamps: bool,
    /// Resolution of the timestamp clock and of round-trip samples; `0 s`: exact (16 ns).
    #[schemars(extend("x-source" = "RFC 7323 section 5.4"))]
    pub clock: Span,
    /// Selective acknowledgements.
    #[schemars(extend("x-source" = "RFC 2018"))]
    pub sack: bool,
    /// Explicit congestion notification.
    #[schemars(extend("x-source" = "RFC 3168"))]
    pub ecn: Ecn,
    /// When data in order is acknowledged.
    #[schemars(extend("x-source" = "RFC 5681 section 4.2"))]
    pub delayed_ack: DelayedAck,
    /// Longest that an acknowledgement is delayed.
    #[schemars(extend("x-source" = "RFC 5681 section 4.2: below 500 ms"))]
    pub delayed_ack_timeout: Span,
    /// Recovery, unless the congestion control's name implies one.
    #[schemars(extend("x-source" = "RFC 6675"))]
    pub recovery: Recovery,
    /// Duplicate acknowledgements that tell a loss (DupThresh).
    #[schemars(range(min = 1, max = 100), extend("x-source" = "RFC 5681 section 3.2"))]
    pub dupack_threshold: u32,
    /// One new segment for each of the first two duplicate acknowledgements.
    #[schemars(extend("x-source" = "RFC 3042"))]
    pub limited_transmit: bool,
    /// NewReno's timer on partial acknowledgements.
    #[schemars(extend("x-source" = "RFC 6582 section 4"))]
    pub partial_ack: PartialAck,
    /// When fast retransmit may start anew.
    #[schemars(extend("x-source" = "RFC 6582 section 3.2"))]
    pub reentry: Reentry,
    /// NewReno's window at the end of recovery.
    #[schemars(extend("x-source" = "RFC 6582 section 3.2"))]
    pub exit: Exit,
    /// Segments that one acknowledgement may add in slow start (L of appropriate byte counting; 1: RFC 5681).
    #[schemars(range(min = 1, max = 100), extend("x-source" = "RFC 3465"))]
    pub growth_limit: u32,
    /// Least retransmission timeout.
    #[schemars(extend("x-source" = "RFC 6298 (2.4)"))]
    pub min_rto: Span,
    /// Largest retransmission timeout.
    #[schemars(extend("x-source" = "RFC 6298 (2.5)"))]
    pub max_rto: Span,
    /// Retransmission timeout before the first sample.
    #[schemars(extend("x-source" = "RFC 6298 (2.1)"))]
    pub initial_rto: Span,
    /// The timer fires on multiples of this; `0 s`: exactly.
    #[schemars(extend("x-source" = "RFC 6298 section 4"))]
    pub timer_tick: Span,
    /// Start again from the initial window after an idle time longer than the timeout.
    #[schemars(extend("x-source" = "RFC 5681 section 4.1"))]
    pub restart_after_idle: bool,
    /// Each segment leaves the host after a random time, uniform from zero to this, in order: breaks phase effects.
    #[schemars(extend("x-source" = "ns-2 Agent/TCP overhead_"))]
    pub send_jitter: Span,
}

impl Default for TcpConfig {
    fn default() -> Self {
        Self::rfc()
    }
}

impl TcpConfig {
    /// The profiles, by name.
    pub const PROFILES: [&'static str; 3] = ["ns2", "rfc", "linux"];

    /// The profile `name`.
    pub fn profile(name: &str) -> Option<Self> {
        match name {
            "ns2" => Some(Self::ns2()),
            "rfc" => Some(Self::rfc()),
            "linux" => Some(Self::linux()),
            _ => None,
        }
    }

    /// What the RFCs recommend, as of RFC 9293.
    pub fn rfc() -> Self {
        TcpConfig {
            mss: None,
            header: Bytes(40),
            initial_window: Packets(10.0),
            initial_window_bytes: Limit::Bytes(Bytes(14_600)),
            initial_ssthresh: Limit::Unlimited,
            receive_window: Limit::Unlimited,
            window_scaling: true,
            handshake: true,
            timestamps: true,
            clock: Span::from_ms(1),
            sack: true,
            ecn: Ecn::Off,
            delayed_ack: DelayedAck::Second,
            delayed_ack_timeout: Span::from_ms(200),
            recovery: Recovery::Sack,
            dupack_threshold: 3,
            limited_transmit: true,
            partial_ack: PartialAck::Impatient,
            reentry: Reentry::Beyond,
            exit: Exit::Deflated,
            growth_limit: 1,
            min_rto: Span::from_secs(1),
            max_rto: Span::from_secs(60),
            initial_rto: Span::from_secs(1),
            timer_tick: Span::ZERO,
            restart_after_idle: true,
            send_jitter: Span::ZERO,
        }
    }

    /// The one-way TCP of ns-2.35 (`Agent/TCP`), with its defaults written out.
    pub fn ns2() -> Self {
        TcpConfig {
            mss: Some(Bytes(1000)),
            initial_window: Packets(2.0),
            initial_window_bytes: Limit::Unlimited,
            receive_window: Limit::Packets(Packets(20.0)),
            handshake: false,
            timestamps: false,
            clock: Span::from_ms(10),
            sack: false,
            delayed_ack: DelayedAck::Each,
            delayed_ack_timeout: Span::from_ms(100),
            recovery: Recovery::Newreno,
            min_rto: Span::from_ms(200),
            initial_rto: Span::from_secs(3),
            restart_after_idle: false,
            ..Self::rfc()
        }
    }

    /// A Linux host's TCP, as far as this release has it.
    pub fn linux() -> Self {
        TcpConfig {
            initial_window_bytes: Limit::Unlimited,
            receive_window: Limit::Bytes(Bytes(6_291_456)),
            delayed_ack_timeout: Span::from_ms(40),
            growth_limit: 2,
            min_rto: Span::from_ms(200),
            max_rto: Span::from_secs(120),
            ..Self::rfc()
        }
    }

    /// With what the name of a congestion control implies ([`CongestionControl::recovery`]): `sack` negotiates
    /// SACK, `tahoe`, `reno` and `newreno` do without it. Both ends of a connection need the same answer.
    ///
    /// [`CongestionControl::recovery`]: dumbbell_core::transport::CongestionControl::recovery
    pub fn implied_by(&self, recovery: Option<&str>) -> Self {
        let (recovery, sack) = match recovery {
            Some("tahoe") => (Recovery::Tahoe, false),
            Some("reno") => (Recovery::Reno, false),
            Some("newreno") => (Recovery::Newreno, false),
            Some("sack") => (Recovery::Sack, true),
            _ => (self.recovery, self.sack),
        };
        TcpConfig { recovery, sack, ..self.clone() }
    }
    /// Bytes of options in each data segment.
    pub fn option_bytes(&self) -> u64 {
        if self.timestamps { 12 } else { 0 }
    }
    /// Payload of a full segment: the MSS less the options, bytes.
    pub fn segment_bytes(&self) -> u64 {
        self.mss.map_or(DEFAULT_MSS, |b| b.0) - self.option_bytes()
    }
    /// The receiver's window in bytes, as its header can say it.
    pub fn window_bytes(&self) -> u64 {
        let buffer = in_bytes(self.receive_window, self.segment_bytes()).unwrap_or(u64::MAX);
        let shift = self.window_shift(buffer);
        let window = (buffer >> shift).min(MAX_WINDOW_FIELD) << shift;
        if self.handshake { window } else { buffer.min(MAX_WINDOW_FIELD << self.largest_shift()) }
    }
    /// The least window scale that can say `buffer`.
    pub(crate) fn window_shift(&self, buffer: u64) -> u32 {
        (0..self.largest_shift()).find(|s| buffer >> s <= MAX_WINDOW_FIELD).unwrap_or(self.largest_shift())
    }
    fn largest_shift(&self) -> u32 {
        if self.window_scaling { 14 } else { 0 }
    }
    /// The initial window in bytes for segments of `mss`: min(n MSS, max(2 MSS, bytes)).
    pub fn initial_window_for(&self, mss: u64) -> u64 {
        let segments = libm::floor(self.initial_window.0 * mss as f64) as u64;
        segments.min(in_bytes(self.initial_window_bytes, mss).unwrap_or(u64::MAX).max(2 * mss))
    }
    /// The initial slow-start threshold in bytes; [`u64::MAX`]: none.
    pub fn initial_ssthresh_for(&self, mss: u64) -> u64 {
        in_bytes(self.initial_ssthresh, mss).unwrap_or(u64::MAX)
    }
}

/// The MSS where nothing says otherwise (RFC 9293 section 3.7.1).
const DEFAULT_MSS: u64 = 536;
/// The largest value of the window field (RFC 9293 section 3.1).
const MAX_WINDOW_FIELD: u64 = 65_535;

/// A size of packets of `mss` or of bytes, in bytes; `None` if it is unlimited.
fn in_bytes(limit: Limit, mss: u64) -> Option<u64> {
    match limit {
        Limit::Packets(p) => Some(libm::floor(p.0 * mss as f64) as u64),
        Limit::Bytes(b) => Some(b.0),
        Limit::Time(_) | Limit::Bdp(_) | Limit::Unlimited => None,
    }
}

impl Config for TcpConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.min_rto > self.max_rto {
            return Err(Fault::at(
                "min_rto",
                format!("min_rto ({}) is above max_rto ({})", self.min_rto, self.max_rto),
            ));
        }
        if self.recovery == Recovery::Sack && !self.sack {
            return Err(
                Fault::at("recovery", "recovery = \"sack\" needs sack = true").fix("use recovery = \"newreno\"")
            );
        }
        for (field, limit) in [
            ("initial_window_bytes", self.initial_window_bytes),
            ("initial_ssthresh", self.initial_ssthresh),
            ("receive_window", self.receive_window),
        ] {
            if matches!(limit, Limit::Time(_) | Limit::Bdp(_)) {
                return Err(Fault::at(field, format!("{limit} is no size of a window")).fix("write pkt or bytes"));
            }
        }
        if self.min_rto == Span::ZERO || self.initial_rto == Span::ZERO {
            return Err(Fault::at("min_rto", "a retransmission timeout must be above zero").fix("write \"200 ms\""));
        }
        if self.header.0 == 0 || self.header.0 > 120 {
            return Err(Fault::at("header", "IP and TCP headers have 1 B to 120 B").fix("write \"40 B\""));
        }
        if self.initial_window.0 < 1.0 {
            return Err(Fault::at("initial_window", "the initial window must hold a packet").fix("write \"2 pkt\""));
        }
        if let Some(Bytes(mss)) = self.mss
            && !(16..=65_000).contains(&mss)
        {
            return Err(
                Fault::at("mss", format!("{mss} B is no segment size")).fix("write a size from 16 B to 65000 B")
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_pass_their_own_check() {
        for name in TcpConfig::PROFILES {
            TcpConfig::profile(name).unwrap().check().unwrap();
        }
    }

    /// RFC 6928 section 2 and RFC 3390 section 1.
    #[test]
    fn initial_windows() {
        let rfc6928 = TcpConfig::rfc();
        let rfc3390 = TcpConfig {
            initial_window: Packets(4.0),
            initial_window_bytes: Limit::Bytes(Bytes(4380)),
            ..TcpConfig::rfc()
        };
        let windows = |c: &TcpConfig| [536, 1095, 1460, 8960].map(|mss| c.initial_window_for(mss));
        assert_eq!(windows(&rfc6928), [5360, 10_950, 14_600, 17_920]);
        assert_eq!(windows(&rfc3390), [2144, 4380, 4380, 17_920]);
        assert_eq!(TcpConfig::ns2().initial_window_for(1000), 2000);
    }

    /// RFC 7323 section 2.2: the field has 16 bits, the shift is at most 14.
    #[test]
    fn windows_fit_their_field() {
        let window = |window_scaling, limit| {
            TcpConfig { window_scaling, receive_window: limit, mss: Some(Bytes(1460)), ..TcpConfig::rfc() }
                .window_bytes()
        };
        assert_eq!(window(false, Limit::Unlimited), 65_535);
        assert_eq!(window(true, Limit::Unlimited), 65_535 << 14);
        assert_eq!(window(true, Limit::Bytes(Bytes(65_537))), 65_536);
        assert_eq!(window(true, Limit::Packets(Packets(20.0))), 20 * 1448);
        assert_eq!(TcpConfig::ns2().window_bytes(), 20_000);
    }

    #[test]
    fn faults_name_the_field() {
        let at = |c: TcpConfig| c.check().unwrap_err().at;
        assert_eq!(at(TcpConfig { sack: false, ..TcpConfig::rfc() }), "recovery");
        assert_eq!(at(TcpConfig { max_rto: Span::from_ms(1), ..TcpConfig::rfc() }), "min_rto");
        assert_eq!(at(TcpConfig { receive_window: Limit::Bdp(1.0), ..TcpConfig::rfc() }), "receive_window");
        assert_eq!(at(TcpConfig { mss: Some(Bytes(8)), ..TcpConfig::rfc() }), "mss");
    }
}
