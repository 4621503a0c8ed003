//! Freeze-TCP: the standard window, with a receiver that closes its own while the path is gone.
//!
//! The transport does the work (`freeze = true`), so that any congestion control may have it; this
//! name implies it.
use crate::cc::parts::classic_config::ClassicConfig;
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Provenance};
use dumbbell_core::transport::{CongestionControl, Path, TcpOverrides};
use dumbbell_macros::delegate;

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Freeze(Window);

/// Its name overrides the receiver's policy and nothing else.
const FROZEN: TcpOverrides = TcpOverrides { freeze: true, ..TcpOverrides::NOTHING };

impl Algorithm for Freeze {
    type Config = ClassicConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "freeze",
        title: "Freeze-TCP",
        idea: "A host that sees its path vanish closes its window: the sender waits, and resumes \
            with the state that it had.",
        equations: "host says path_down:  an ACK with window 0;  sender: persist mode, cwnd, \
            ssthresh, SRTT as they are\nhost says path_up:    three ACKs alike with the window \
            open;\nsender: SND.UNA and what follows again, cwnd and the timeout of before;  no \
            congestion event",
        sources: &["Goff, Moronski, Phatak, Gupta: Freeze-TCP: A true end-to-end TCP enhancement \
                mechanism for mobile environments, INFOCOM 2000"],
        provenance: Provenance::Recollection,
        rule: "losses; signals from the receiver when its path is gone",
        needs: "signals from the host",
        family: "wireless and moving",
        ..About::PLAIN
    };
    fn new(config: &ClassicConfig, path: &Path) -> Self {
        Freeze(Window::classic(config, path))
    }
}

#[delegate(self.0)]
impl CongestionControl for Freeze {
    fn tcp_overrides(&self) -> TcpOverrides {
        FROZEN
    }
}
