//! RED in hardware: the decision core of `rtl/red`, bit by bit, as an algorithm of a queue (after
//! M. Oh, S. Min, B. Kim, J. Lee, "Implementation and TCP Performance Measurement of RED scheduler
//! using NetFPGA platform", 2012).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | q | backlog | packets in the queue when a packet's header is on the bus, at most 4095 |
//! | avg | state | average of q, ten fraction bits shown: 11266 is 11.002 packets |
//! | w | `weight_shift` | weight 2^-w of the newest sample |
//! | slope | from `max_p` and the thresholds | 18 bits; or the probability itself, 21 |
//! | p, draw | state | 21 bits each; a packet is dropped if draw < p |
//!
//! `rtl/red/SPEC.md` is what the hardware and [`core`] both follow. The paper prints no RTL:
//! registers' widths, the shift register's polynomial and when it steps, idle time, WRED and
//! Adaptive RED are ours, each an option. Packets are dropped and never marked: the module stands
//! in front of the queues and leaves headers alone.
pub mod adapter;
pub mod bus;
pub mod config;
pub mod core;
pub(crate) mod entry;
pub mod lags;
pub mod lfsr;
#[cfg(test)]
mod tests;

pub use adapter::{Adapter, Decider};
pub use config::{RedHwClass, RedHwConfig, RedHwMode, RedHwThreshold};
pub use core::{Arrival, Core, Decision, Region, Shape};
use dumbbell_core::aqm::{Aqm, Cx, Hears, LinkInfo, QueueView, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Explained, Kernel, Law, Look, PlotColor, Provenance, Size, SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::Span;

/// The model of the core in front of a queue. Its tables are a kilobyte, and stand elsewhere.
#[derive(Clone, Debug)]
pub struct RedHw(Box<Adapter<Core>>);

impl Algorithm for RedHw {
    type Config = RedHwConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "red_hw",
        title: "RED in hardware: the decision core, bit by bit",
        idea: "RED as a NetFPGA router decides it, in integers: a shift for the weight, a shift \
            register for random numbers.",
        equations: "at each packet's header, U12.10 and U0.21 (sound mode: avg has 9 more bits \
            inside):\navg <- avg + (q - avg) 2^-9\navg < min_th: let in;  avg >= max_th: drop;  \
            else drop if draw < p\np    = slope (avg - min_th),  slope = max_p / (max_th - \
            min_th)     constant: p = max_p\ndraw = 21-bit shift register; sound: x^21 + x^18 + \
            x^15 + x^13 + x^10 + x^8 + x^5 + x^2 + 1,\n\u{20}      32 steps a packet; paper: x^21 \
            + x^19 + 1, a step each clock of 8 ns\nidle: avg <- avg / 2 each half-life, in steps \
            of 3/4 and 2/3 (an option)",
        sources: &[
            "Oh, Min, Kim, Lee: Implementation and TCP Performance Measurement of RED scheduler \
                using NetFPGA platform, Journal of the Institute of Electronics Engineers of Korea \
                49-TC(3), 2012 (21 bits, scale 2^10, regions; no RTL is printed)",
            "rtl/red/SPEC.md: what the hardware computes, and what of it is reconstructed",
            "Floyd, Jacobson: Random Early Detection Gateways for Congestion Avoidance, IEEE/ACM \
                ToN 1(4), 1993",
            "Floyd, Gummadi, Shenker: Adaptive RED, August 2001; RFC 2597 (drop precedence)",
        ],
        provenance: Provenance::Reconstruction,
        rule: "RED's, in the integers of a circuit ([red-hardware.md](red-hardware.md))",
        family: "RED family",
        look: Some(Look::new(PlotColor::Vermillion, 'v', 5)),
        kernel: Kernel::Lacks { why: "it is what a circuit computes; tc's red is `red`", fix: "" },
        size: Size {
            measures: "average length, packets, at most 4095",
            byte_mode: "",
            signals: SizeLaw::Constant,
        },
        law: Law::Named { law: "red_hw", remark: "" },
        explained: Explained::as_story("red_hw", ""),
        ..About::PLAIN
    };

    fn new(config: &RedHwConfig, _: &LinkInfo) -> Self {
        RedHw(Box::new(Adapter::new(config, Core::new)))
    }
}

impl Aqm for RedHw {
    fn hears(&self) -> Hears {
        Hears { admitted: true, ..Hears::IDLE }
    }
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        self.0.arrive(cx, q, p, fits)
    }
    fn admitted(&mut self, p: &Meta) {
        self.0.admitted(p);
    }
    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.0.idle(cx);
    }
    fn tick(&mut self, cx: &mut Cx<'_>, q: &impl QueueView) -> Option<Span> {
        self.0.tick(cx, q)
    }
    fn ticks(&self) -> bool {
        self.0.ticks()
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.0.probe(out);
    }
}
