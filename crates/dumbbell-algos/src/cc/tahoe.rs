//! TCP Tahoe.
use crate::cc::parts::window::{STANDARD, Window};
use dumbbell_core::catalogue::{About, Algorithm, Kernel, NoConfig, Provenance};
use dumbbell_core::transport::{Commands, Congestion, CongestionControl, Path, TcpOverrides};
use dumbbell_macros::delegate;

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Tahoe(Window);

impl Algorithm for Tahoe {
    type Config = NoConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "tahoe",
        title: "TCP Tahoe",
        idea: "Any loss restarts the window from one segment; fast retransmit finds it before the \
            timer does.",
        equations: "w = min(FlightSize, cwnd)\n3rd duplicate ACK: ssthresh = max(w / 2, 2 SMSS);  \
            cwnd = 1 SMSS;  SND.NXT = SND.UNA\ntimeout: the same, and the RTO doubles\nslow start \
            below ssthresh, above it SMSS^2 / cwnd per ACK",
        sources: &[
            "Jacobson: Congestion avoidance and control, SIGCOMM 1988",
            "RFC 5681 section \
            3.1",
        ],
        provenance: Provenance::TwoReadings,
        rule: "losses; each restarts it from one segment",
        family: "classics",
        kernel: Kernel::Lacks {
            why: "the kernel has had fast recovery since 1993",
            fix: "write cc = \"newreno\"",
        },
        ..About::PLAIN
    };
    fn new(_: &NoConfig, path: &Path) -> Self {
        Tahoe(Window::new(STANDARD, path))
    }
}

#[delegate(self.0)]
impl CongestionControl for Tahoe {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides::recovery("tahoe")
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.0.shrink(event, Some(0));
    }
}
