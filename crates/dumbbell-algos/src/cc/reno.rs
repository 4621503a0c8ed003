//! TCP Reno.
use crate::cc::parts::classic_config::ClassicConfig;
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Kernel, Look, PlotColor, Provenance};
use dumbbell_core::transport::{CongestionControl, Path, TcpOverrides};
use dumbbell_macros::delegate;

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Reno(Window);

impl Algorithm for Reno {
    type Config = ClassicConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "reno",
        title: "TCP Reno",
        idea: "After a fast retransmit keep half the window and the ACK clock running; one repair \
            per recovery.",
        equations: "3rd duplicate ACK: ssthresh = max(min(FlightSize, cwnd) / 2, 2 SMSS);  send \
            SND.UNA again\ncwnd = ssthresh + 3 SMSS\neach further one:  cwnd += SMSS\nfirst new \
            ACK:     cwnd = ssthresh, even if it is partial: k losses, k halvings",
        sources: &[
            "RFC 5681 sections 3.1 and 3.2",
            "Jacobson: Modified TCP congestion avoidance \
            algorithm, 1990",
        ],
        provenance: Provenance::Vectors,
        rule: "losses; one repair in a recovery",
        family: "classics",
        look: Some(Look::new(PlotColor::Black, 's', 1)),
        kernel: Kernel::Lacks {
            why: "the kernel's `reno` repairs more than one loss in a recovery: \
                it is our `sack`, or without SACK our `newreno`",
            fix: "write cc = \"sack\", or \"newreno\"",
        },
        ..About::PLAIN
    };
    fn new(config: &ClassicConfig, path: &Path) -> Self {
        Reno(Window::classic(config, path))
    }
}

#[delegate(self.0)]
impl CongestionControl for Reno {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides::recovery("reno")
    }
}
