//! What a congestion control uses besides its window, and what it changes in the TCP around it.

/// The capabilities of a congestion control beside setting a window. Asked once, so that unused
/// ones cost nothing per packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Its [`super::CongestionControl::pacing`] may be a rate.
    pub paces: bool,
    /// Its [`super::CongestionControl::next_timer`] may be an instant.
    pub timer: bool,
    /// Its [`super::CongestionControl::on_sent`] does something.
    pub segments: bool,
    /// It may give [`super::Commands`].
    pub commands: bool,
    /// It reads more of an [`super::Ack`] than `acked`, `window_limited`, `ece` and `phase`.
    pub samples: bool,
    /// It reads [`super::Ack::rate`], which costs the sender an account of every segment.
    pub rates: bool,
    /// It does not take every loss or mark as congestion (Jersey asks the routers, BBR its model of
    /// the path); its own tests check its reaction.
    pub discriminates: bool,
}

impl Capabilities {
    /// A window and nothing else.
    pub const WINDOW: Capabilities = Capabilities {
        paces: false,
        timer: false,
        segments: false,
        commands: false,
        samples: false,
        rates: false,
        discriminates: false,
    };
    /// Everything except delivery rate samples and discrimination of losses.
    pub const ALL: Capabilities = Capabilities {
        paces: true,
        timer: true,
        segments: true,
        commands: true,
        samples: true,
        ..Capabilities::WINDOW
    };
    /// True if a call may change anything beside the window.
    #[inline]
    pub fn any(self) -> bool {
        self.paces | self.timer | self.commands
    }
}

/// Settings of the surrounding TCP that the name of a congestion control implies. `None`: as in the
/// configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpOverrides {
    /// The recovery: `tahoe`, `reno`, `newreno`, `sack`.
    pub recovery: Option<&'static str>,
    /// The loss detection: `dcr`.
    pub detection: Option<&'static str>,
    /// The ECN marking and echo: `per_packet`, `dctcp`, `accecn`, `l4s`.
    pub ecn: Option<&'static str>,
    /// True if it needs timestamps, and the receiver's clock on every acknowledgment.
    pub timestamps: bool,
    /// True if the receiver closes its window while its host says that the path is gone
    /// (Freeze-TCP).
    pub freeze: bool,
    /// True if its window applies throughout a recovery, without PRR (RFC 9937).
    pub meters: bool,
}

impl TcpOverrides {
    /// Overrides the recovery only.
    pub const fn recovery(name: &'static str) -> Self {
        TcpOverrides { recovery: Some(name), ..TcpOverrides::NOTHING }
    }
    /// No overrides.
    pub const NOTHING: TcpOverrides = TcpOverrides {
        recovery: None,
        detection: None,
        ecn: None,
        timestamps: false,
        freeze: false,
        meters: false,
    };
}
