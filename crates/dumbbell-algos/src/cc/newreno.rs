//! TCP NewReno.
use crate::cc::parts::classic_config::ClassicConfig;
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Kernel, Look, PlotColor, Provenance};
use dumbbell_core::transport::{CongestionControl, Path, TcpOverrides};
use dumbbell_macros::delegate;

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Newreno(Window);

impl Algorithm for Newreno {
    type Config = ClassicConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "newreno",
        title: "TCP NewReno",
        idea: "Stay in recovery until all that was outstanding is acknowledged: one repair per \
            round trip, one halving.",
        equations: "recover = SND.NXT at entry; as reno, but\npartial ACK of N bytes: send SND.UNA \
            again;  cwnd -= N, and += SMSS if N >= SMSS\nfull ACK (>= recover):  cwnd = \
            min(ssthresh, max(FlightSize, SMSS) + SMSS);\nwith `exit = \"ssthresh\"`: ssthresh",
        sources: &[
            "RFC 6582",
            "Hoe: Improving the start-up behavior of a congestion control scheme for TCP, SIGCOMM \
                1996",
        ],
        provenance: Provenance::Vectors,
        rule: "losses; one repair in a round trip",
        family: "classics",
        look: Some(Look::new(PlotColor::Blue, 'o', 0)),
        kernel: Kernel::Has { name: "reno", note: "with `net.ipv4.tcp_sack = 0`" },
        ..About::PLAIN
    };
    fn new(config: &ClassicConfig, path: &Path) -> Self {
        Newreno(Window::classic(config, path))
    }
}

#[delegate(self.0)]
impl CongestionControl for Newreno {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides::recovery("newreno")
    }
}
