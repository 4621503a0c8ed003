//! TCP-DCR: the standard window behind a detector that waits before it declares a loss.
//!
//! The wait is the transport's (`detection = "dcr"`, options `dcr_delay`, `dcr_in_slow_start`,
//! `dcr_at_window`), so that any congestion control may have it; this name implies it and takes the
//! profile's recovery, with SACK or without.
use crate::cc::parts::classic_config::ClassicConfig;
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Provenance};
use dumbbell_core::transport::{CongestionControl, Path, TcpOverrides};
use dumbbell_macros::delegate;

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Dcr(Window);

/// Its name implies a detection and nothing else.
const DELAYED: TcpOverrides = TcpOverrides { detection: Some("dcr"), ..TcpOverrides::NOTHING };

impl Algorithm for Dcr {
    type Config = ClassicConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "dcr",
        title: "TCP-DCR",
        idea: "Declare a loss one round trip after the first duplicate: segments that are late, or \
            resent by the link, arrive by then.",
        equations: "first duplicate ACK:  due = now + min(tau SRTT, RTO - 1 ms)     tau = \
            `dcr_delay`\nuntil then each duplicate lets one new segment go;  SND.UNA moves:  \
            nothing is suspected\ndue, or with `dcr_at_window` cwnd - 1 duplicates:  fast \
            retransmit, ssthresh = FlightSize / 2",
        sources: &[
            "Bhandarkar, Sadry, Reddy, Vaidya: TCP-DCR: A novel protocol for tolerating wireless \
                channel errors, IEEE Transactions on Mobile Computing 4(5), 2005",
            "RFC 4653 (TCP-NCR), which counts a window of duplicates in place of time",
        ],
        provenance: Provenance::Recollection,
        rule: "losses, declared one round trip later",
        family: "wireless and moving",
        ..About::PLAIN
    };
    fn new(config: &ClassicConfig, path: &Path) -> Self {
        Dcr(Window::classic(config, path))
    }
}

#[delegate(self.0)]
impl CongestionControl for Dcr {
    fn tcp_overrides(&self) -> TcpOverrides {
        DELAYED
    }
}
