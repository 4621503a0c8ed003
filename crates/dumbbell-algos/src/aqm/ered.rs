//! ERED, Enhanced RED (Feng, Kandlur, Saha, Shin, IEEE/ACM ToN 7(2), April 1999; NOSSDAV 1997): the
//! core's queue for marked packets with a minimum rate. Marked is IN, unmarked OUT.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | avg | `avg` | RED's average of all packets |
//! | min_th, max_th, max_p | the same | the curve for OUT packets |
//! | min_in, max_in, max_p_in | the same | with `in_curve` the curve for IN packets, over the same average |
//! | count | `count` | OUT packets (with `in_curve` those of the packet's class) since the last signal |
//!
//! Reconstructed: the source has one average and thresholds that act on unmarked packets alone;
//! that marked ones are dropped only where they do not fit, or by a lower curve (`in_curve`), is
//! ours.
use super::red::config::{RedOptions, check_thresholds};
use super::rio::config::{RioConfig, RioPrecedences};
use crate::aqm::red::RedConfig;
use crate::aqm::red::{Dropper, RedState};
use dumbbell_core::aqm::{
    Aqm, Cx, Hears, Limit, LinkInfo, Needs, QueueView, Reason, Slot, Verdict,
};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::Packets;
use dumbbell_macros::config;

/// Parameters of [`Ered`]. Thresholds are in packets.
#[config]
pub struct EredConfig {
    /// Average queue length at which signaling of OUT packets begins.
    #[schemars(extend("x-source" = "reconstructed: the size of the paper's time"))]
    #[config(default = Packets(20.0))]
    pub min_th: Packets,
    /// Average queue length at which the probability for OUT packets has reached `max_p`; above
    /// `min_th`.
    #[schemars(extend("x-source" = "reconstructed: the size of the paper's time"))]
    #[config(default = Packets(80.0))]
    pub max_th: Packets,
    /// Probability for OUT packets at `max_th`.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Floyd, Jacobson 1993: 0.02"))]
    #[config(default = 0.02)]
    pub max_p: f64,
    /// Whether IN packets have a curve too, `min_in`, `max_in` and `max_p_in`, rather than
    /// none. Reconstructed.
    #[schemars(
        extend("x-source" = "reconstructed: marked packets are dropped only where they do not \
            fit"),
    )]
    pub in_curve: bool,
    /// With `in_curve`: average queue length at which signaling of IN packets begins.
    #[schemars(extend("x-source" = "reconstructed: beyond max_th"))]
    #[config(default = Packets(80.0))]
    pub min_in: Packets,
    /// With `in_curve`: average queue length at which the probability for IN packets has
    /// reached `max_p_in`.
    #[schemars(extend("x-source" = "reconstructed: beyond max_th"))]
    #[config(default = Packets(100.0))]
    pub max_in: Packets,
    /// With `in_curve`: probability for IN packets at `max_in`.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "reconstructed: as max_p"))]
    #[config(default = 0.02)]
    pub max_p_in: f64,
    /// What the RED family has in common.
    #[config(flatten)]
    pub red: RedOptions,
}

impl EredConfig {
    fn out(&self) -> RedConfig {
        self.red().with(self.min_th.0, self.max_th.0, self.max_p)
    }
    fn inside(&self) -> RedConfig {
        self.red().with(self.min_in.0, self.max_in.0, self.max_p_in)
    }
}

impl Config for EredConfig {
    fn check(&self) -> Result<(), Fault> {
        self.out().check()?;
        check_thresholds(self.min_in, self.max_in, self.w_q, self.mean_packet_size).map_err(|f| {
            Fault {
                at: "max_in".into(),
                cause: f.cause.replace("max_th", "max_in").replace("min_th", "min_in"),
                fix: f.fix.map(|fix| fix.replace("min_th", "min_in")),
            }
        })
    }
}

/// RED for packets out of profile.
#[derive(Clone, Debug)]
pub struct Ered {
    of: Box<[u32; 64]>,
    body: RedState,
    out: Dropper,
    inside: Option<Dropper>,
    /// True if the last packet was IN.
    last_in: bool,
}

impl Algorithm for Ered {
    type Config = EredConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "ered",
        title: "Enhanced RED (ERED)",
        idea: "RED whose thresholds are for packets out of profile alone; those in profile are \
            dropped only where they do not fit.",
        equations: "avg  <- (1 - w_q) avg + w_q q                     at each arrival, of all \
            packets\nOUT:  RED with avg, min_th, max_th, max_p, count of OUT packets\nIN:   let \
            in; with in_curve: RED with avg, min_in, max_in, max_p_in, count of IN packets",
        sources: &[
            "Feng, Kandlur, Saha, Shin: Understanding and Improving TCP Performance over Networks \
                with Minimum Rate Guarantees, IEEE/ACM ToN 7(2), 1999",
            "Feng, Kandlur, Saha, Shin: Understanding TCP Dynamics in an Integrated Services \
                Internet, NOSSDAV 1997",
        ],
        provenance: Provenance::Reconstruction,
        rule: "RED's for OUT packets; IN is dropped only where it does not fit",
        family: "in and out of profile",
        look: Some(Look::new(PlotColor::Yellow, 's', 3)),
        kernel: Kernel::Lacks { why: "no kernel has it", fix: "" },
        size: Size { measures: "as `red`", byte_mode: "bytes", signals: SizeLaw::Constant },
        law: Law::Named { law: "ered", remark: "" },
        explained: Explained {
            clauses: &[(
                "reason == 'overflow' and class == 0 and not in_curve",
                "{full}, and for nothing else ERED drops an IN packet; the average was \
                    {avg:length}",
            )],
            story: "rio",
            remark: "",
        },
        ..About::PLAIN
    };
    const CHANCE: &'static str = "red";

    fn new(config: &EredConfig, _: &LinkInfo) -> Self {
        let (_, of) =
            RioConfig { precedences: RioPrecedences::Two, ..RioConfig::default() }.table();
        let inside = config.in_curve.then(|| Dropper::new(&config.inside()));
        let out = config.out();
        Ered {
            of: Box::new(of),
            body: RedState::new(&out),
            out: Dropper::new(&out),
            inside,
            last_in: false,
        }
    }
}

impl Aqm for Ered {
    fn needs(&self) -> Needs {
        self.body.needs()
    }
    fn hears(&self) -> Hears {
        Hears::IDLE
    }

    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, _: bool) -> Verdict {
        let avg = self.body.observe(cx, q.backlog());
        self.last_in = self.of[usize::from(p.dscp.0 & 63)] == 0;
        let dropper = if self.last_in { self.inside.as_mut() } else { Some(&mut self.out) };
        match dropper {
            Some(dropper) => dropper.decide(&self.body, avg, cx, q, p),
            None => Verdict::Pass,
        }
    }

    fn overflowed(&mut self, cx: &mut Cx<'_>, limit: Limit) {
        let dropper = if self.last_in { self.inside.as_mut() } else { Some(&mut self.out) };
        if let (Limit::Own, Some(dropper)) = (limit, dropper) {
            dropper.overflowed(cx.rng);
        }
    }

    fn make_room(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, _: &Meta) -> Option<Slot> {
        self.body.make_room(cx, q)
    }

    fn refused(&mut self, cx: &mut Cx<'_>, _: &Meta, _: Reason) {
        self.body.refused(cx.now);
    }

    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.body.idle_from(cx.now);
    }

    fn probe(&self, out: &mut dyn Probe) {
        let dropper = self.inside.as_ref().filter(|_| self.last_in).unwrap_or(&self.out);
        dropper.probe(self.body.avg(), out);
        out.gauge("max_p", dropper.curve.max_p);
        out.gauge("class", f64::from(u8::from(!self.last_in)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::red::Red;
    use crate::aqm::red::tests::alike::{Line, same_as_red};
    use crate::aqm::rio::tests::{IN, OUT, all_events};
    use crate::aqm::wred::{Wred, WredClass, WredConfig, WredProfile};
    use dumbbell_core::catalogue::read;
    use dumbbell_core::testing::{Event, link};
    use dumbbell_core::units::Capacity;
    use serde_json::json;

    /// With narrow thresholds, so that something comes of random traffic.
    fn narrow() -> EredConfig {
        let (min_th, max_th, min_in, max_in) =
            (Packets(3.0), Packets(9.0), Packets(6.0), Packets(18.0));
        EredConfig { w_q: 0.1, min_th, max_th, max_p: 0.1, min_in, max_in, ..EredConfig::default() }
    }

    /// Without IN it is RED, packet by packet, and it needs no more of its port.
    #[test]
    fn without_in_it_is_red() {
        let config = narrow();
        let ered = all_events(|site| Ered::new(&config, site), |_| OUT);
        assert_eq!(ered, all_events(|site| Red::new(&config.out(), site), |_| OUT));
        assert_ne!(ered, all_events(|site| Ered::new(&config, site), |_| IN));
        assert!(
            same_as_red(&config.out(), |site| Ered::new(&config, site)).is_err(),
            "IN must \
            show"
        );
        assert_eq!(Ered::new(&config, &link(Capacity::Unlimited)).needs(), Needs::Arrival);
    }

    /// Of IN nothing is signaled; the average sees it all the same, and so does OUT.
    #[test]
    fn in_is_dropped_only_where_it_does_not_fit() {
        let events = all_events(|site| Ered::new(&narrow(), site), |_| IN);
        let overflow = |e: &&Event| matches!(e, Event::Dropped(_, Reason::Overflow));
        let dropped = |e: &&Event| matches!(e, Event::Dropped(..) | Event::Marked(..));
        let count = |f: &dyn Fn(&&Event) -> bool| events.iter().flatten().filter(f).count();
        assert_eq!(count(&dropped), count(&overflow));
        assert!(count(&overflow) > 100);
        let mut line =
            Line::new(Ered::new(&narrow(), &link(Capacity::Unlimited)), Capacity::Unlimited);
        (0..200).for_each(|_| assert_eq!(line.arrive_as(50, IN), Verdict::Pass));
        assert_eq!(line.arrive_as(50, OUT), Verdict::Drop(Reason::Forced));
    }

    /// With a curve for IN it is WRED with two classes.
    #[test]
    fn with_two_curves_it_is_wred() {
        let config = EredConfig { in_curve: true, ..narrow() };
        let class =
            |red: RedConfig| WredClass { min_th: red.min_th, max_th: red.max_th, max_p: red.max_p };
        let wred = WredConfig {
            profile: WredProfile::Own,
            classes: vec![class(config.out()), class(config.inside())],
            map: ["af11", "ef"].map(|name| (name.to_string(), 1)).into(),
            w_q: 0.1,
            ..WredConfig::default()
        };
        let ered = all_events(|site| Ered::new(&config, site), |d| d);
        assert_eq!(ered, all_events(|site| Wred::new(&wred, site), |d| d));
        assert_ne!(ered, all_events(|site| Ered::new(&narrow(), site), |d| d));
    }

    #[test]
    fn contradictions_are_refused() {
        let fault = |json| read::<EredConfig>(&json).unwrap_err();
        assert_eq!(fault(json!({"min_th": "90 pkt"})).at, "max_th");
        let inside = fault(json!({"max_in": "40 pkt"}));
        assert_eq!(
            (inside.at.as_str(), inside.cause.as_str()),
            ("max_in", "max_in = 40 pkt is not above min_in = 80 pkt")
        );
        assert_eq!(fault(json!({"max_p_in": 2})).at, "max_p_in");
    }
}
