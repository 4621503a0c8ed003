//! TCP SACK.
use crate::cc::parts::classic_config::ClassicConfig;
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Kernel, Provenance};
use dumbbell_core::transport::{CongestionControl, Path, TcpOverrides};
use dumbbell_macros::delegate;

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Sack(Window);

impl Algorithm for Sack {
    type Config = ClassicConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "sack",
        title: "TCP SACK",
        idea: "The receiver says which segments it holds, so that every hole can be repaired \
            within a round trip.",
        equations: "pipe: bytes believed to be in the network; send while cwnd - pipe >= SMSS, in \
            this order:\nlost and not yet sent again, new data, any hole below the highest SACK, \
            once the last segment\nentry: ssthresh = cwnd = max(min(FlightSize, cwnd) / 2, 2 \
            SMSS)\nexit: all that was outstanding at entry is acknowledged",
        sources: &["RFC 6675", "RFC 2018", "RFC 2883"],
        provenance: Provenance::Vectors,
        rule: "losses; every hole within a round trip",
        needs: "SACK",
        family: "classics",
        kernel: Kernel::Has {
            name: "reno",
            note: "with `net.ipv4.tcp_sack = 1`; losses by \
            RACK, repaired by PRR",
        },
        ..About::PLAIN
    };
    fn new(config: &ClassicConfig, path: &Path) -> Self {
        Sack(Window::classic(config, path))
    }
}

#[delegate(self.0)]
impl CongestionControl for Sack {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides::recovery("sack")
    }
}
