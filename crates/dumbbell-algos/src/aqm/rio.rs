//! RIO, RED with In and Out (Clark, Fang, IEEE/ACM ToN 6(4), August 1998): two REDs over one FIFO,
//! so that packets out of profile are dropped before packets in profile.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | avg_in | `avg_in` | RED's average of the IN packets that wait |
//! | avg_tot | state | RED's average of all packets that wait |
//! | q_in | `q_in` | the IN packets that wait |
//! | min_in, max_in, max_p_in | the same | the curve over avg_in, for IN packets |
//! | min_out, max_out, max_p_out | the same | the curve over avg_tot, for OUT packets |
//! | count_in, count_out | `count` | packets of the class since its last signal |
//!
//! With n precedences, best protected first, packets of precedence p are judged by the average of
//! all that are of precedence p or better, each with a curve and a count of its own. Packets that
//! are dropped because they do not fit are of any class: where reservations can be met there should
//! be none of IN.
pub mod classes;
pub mod config;
#[cfg(test)]
pub(crate) mod tests;

use classes::Classes;
pub use config::{ClassIdle, RioConfig, RioMode, RioPrecedences};
use dumbbell_core::aqm::{Aqm, LinkInfo};
use dumbbell_core::catalogue::{
    About, Algorithm, Explained, Kernel, Law, Look, PlotColor, Provenance, Size, SizeLaw,
};
use dumbbell_macros::delegate;

/// RED for packets in profile, and a harder one for all others.
#[derive(Clone, Debug)]
pub struct Rio {
    classes: Classes,
}

impl Algorithm for Rio {
    type Config = RioConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "rio",
        title: "RED with In and Out (RIO)",
        idea: "Two REDs in one queue: packets out of profile (OUT) are signaled by the length of \
            the whole queue and before any others, packets in profile (IN) by how many of them \
            wait.",
        equations: "IN arrives:   avg_in  <- (1 - w_q) avg_in  + w_q q_in,  avg_tot <- (1 - w_q) \
            avg_tot + w_q q\n\x20             RED with avg_in,  min_in,  max_in,  max_p_in,  \
            count_in\nOUT arrives:  avg_tot <- (1 - w_q) avg_tot + w_q q\n\x20             RED \
            with avg_tot, min_out, max_out, max_p_out, count_out\ndecoupled:    OUT by avg_out, of \
            OUT packets alone\nn precedences: p by the average of the packets of precedence p or \
            better",
        sources: &[
            "Clark, Fang: Explicit Allocation of Best-Effort Packet Delivery Service, IEEE/ACM ToN \
                6(4), 1998",
            "RFC 2597 (AF), RFC 3246 (EF): which codepoints are IN",
            "Floyd, Jacobson: Random Early Detection Gateways for Congestion Avoidance, IEEE/ACM \
                ToN 1(4), 1993",
            "ns-2 Queue/RED/RIO (one idle time for both averages)",
        ],
        provenance: Provenance::Reconstruction,
        rule: "RED's, IN by the average of IN packets, OUT by that of all",
        family: "in and out of profile",
        look: Some(Look::new(PlotColor::Yellow, 'o', 1)),
        kernel: Kernel::Lacks {
            why: "tc has it as gred with grio, a line for each virtual queue",
            fix: "",
        },
        size: Size {
            measures: "as `red`, of IN and of all packets",
            byte_mode: "bytes",
            signals: SizeLaw::Constant,
        },
        law: Law::Named { law: "rio", remark: "" },
        explained: Explained::as_story("rio", ""),
        ..About::PLAIN
    };
    const CHANCE: &'static str = "red";

    fn new(config: &RioConfig, _: &LinkInfo) -> Self {
        Rio { classes: Classes::new(config) }
    }
}

#[delegate(self.classes)]
impl Aqm for Rio {}
