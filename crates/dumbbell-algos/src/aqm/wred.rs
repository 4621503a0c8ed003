//! Weighted RED (WRED): one average of the whole queue, and for each class of packets its own
//! thresholds and `max_p`. It is a router's feature (Cisco IOS, "Congestion Avoidance: Weighted
//! Random Early Detection"); classes are told by the DiffServ codepoint.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | avg | `avg` | RED's average of all packets |
//! | min_i, max_i, maxp_i | `profile`, or `classes` | the curve of class i |
//! | count_i | `count` | class i's packets since its last signal (`shared_count`: all packets since the last) |
use super::red::config::RedOptions;
use super::red::curve::Curve;
use crate::aqm::red::{Dropper, RedState};
use crate::dscp as codepoints;
use crate::dscp::Table;
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
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where classes and thresholds come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WredProfile {
    /// By IP precedence, the codepoint's upper three bits: `min_th` 20, 22 .. 34 packets, `max_th`
    /// 40, `max_p` 0.1.
    #[default]
    Precedence,
    /// By codepoint: `min_th` 33, 28 and 24 for AF drop precedence 1, 2 and 3, 37 for EF, 20 + 2n
    /// for CSn, 20 for the others; `max_th` 40, `max_p` 0.1.
    Dscp,
    /// `classes`, `map` and `default_class`.
    Own,
}

/// The curve of one class. Thresholds are in packets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WredClass {
    /// Average queue length at which signaling begins.
    pub min_th: Packets,
    /// Average queue length at which the probability has reached `max_p`.
    pub max_th: Packets,
    /// Probability `p_b` at `max_th`.
    #[serde(default = "tenth")]
    pub max_p: f64,
}

fn tenth() -> f64 {
    0.1
}

/// Parameters of [`Wred`].
#[config]
pub struct WredConfig {
    /// Where classes and thresholds come from. The profiles are those of Cisco IOS.
    #[schemars(extend("x-source" = "Cisco IOS random-detect: by precedence"))]
    #[config(default = WredProfile::Precedence)]
    pub profile: WredProfile,
    /// The classes of `profile = "own"`, as
    /// `[{ min_th = "20 pkt", max_th = "40 pkt", max_p = 0.1 }]`.
    #[schemars(extend("x-source" = "none: Cisco's profiles need none"))]
    pub classes: Vec<WredClass>,
    /// The class of each codepoint with `profile = "own"`, as `{ ef = 1 }`.
    #[schemars(extend("x-source" = "none: Cisco's profiles need none"))]
    #[config(default = Table::new())]
    pub map: Table,
    /// The class of the other codepoints with `profile = "own"`.
    #[schemars(extend("x-source" = "the first"))]
    #[config(default = 0)]
    pub default_class: u32,
    /// Whether one count of packets since the last signal is kept for all classes, rather than
    /// one for each. Reconstructed.
    #[schemars(
        extend("x-source" = "reconstructed: a class is signaled by its own packets alone"),
    )]
    pub shared_count: bool,
    /// What the RED family has in common.
    #[config(flatten, w_q = 1.0 / 512.0)]
    pub red: RedOptions,
}

/// Cisco's profiles: a class for each `min_th`, and the class of each codepoint.
fn profile(min_th: impl Fn(u8) -> f64) -> (Vec<WredClass>, [u32; 64]) {
    let (mut classes, mut of): (Vec<WredClass>, _) = (Vec::new(), [0; 64]);
    for dscp in 0..64u8 {
        let min_th = Packets(min_th(dscp));
        let known = classes.iter().position(|c| c.min_th == min_th);
        of[usize::from(dscp)] = known.unwrap_or(classes.len()) as u32;
        if known.is_none() {
            classes.push(WredClass { min_th, max_th: Packets(40.0), max_p: 0.1 });
        }
    }
    (classes, of)
}

/// Cisco's `min_th` of a codepoint.
fn by_codepoint(dscp: u8) -> f64 {
    let (class, drop) = (dscp >> 3, dscp & 7);
    match (class, drop) {
        (5, 6) => 37.0,
        (n, 0) => 20.0 + 2.0 * f64::from(n),
        (1..=4, 2) => 33.0,
        (1..=4, 4) => 28.0,
        (1..=4, 6) => 24.0,
        _ => 20.0,
    }
}

impl WredConfig {
    /// The classes, and the class of each codepoint.
    fn table(&self) -> (Vec<WredClass>, [u32; 64]) {
        match self.profile {
            WredProfile::Precedence => profile(|dscp| 20.0 + 2.0 * f64::from(dscp >> 3)),
            WredProfile::Dscp => profile(by_codepoint),
            WredProfile::Own => {
                (self.classes.clone(), codepoints::classes(&self.map, self.default_class))
            }
        }
    }

    fn check_own(&self) -> Result<(), Fault> {
        let count = self.classes.len() as u32;
        if count == 0 {
            let example = "write classes = [{ min_th = \"20 pkt\", max_th = \"40 pkt\" }]";
            return Err(
                Fault::at("classes", "profile = \"own\", and there is no class").fix(example)
            );
        }
        if self.default_class >= count {
            let cause =
                format!("class {}, and the last of {count} is {}", self.default_class, count - 1);
            return Err(Fault::at("default_class", cause).fix(
                "add it to `classes`, or write a \
                lower class",
            ));
        }
        codepoints::check(&self.map, "map", count)
    }
}

impl Config for WredConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.profile == WredProfile::Own {
            self.check_own()?;
        } else if !self.classes.is_empty() {
            return Err(Fault::at("classes", "Cisco's profiles have classes of their own").fix(
                "write \
                    profile = \"own\"",
            ));
        } else if !self.map.is_empty() {
            return Err(Fault::at("map", "Cisco's profiles have a map of their own").fix(
                "write \
                profile = \"own\"",
            ));
        }
        for (i, class) in self.classes.iter().enumerate() {
            let at = |field: &str| format!("classes[{i}].{field}");
            if !(0.0..=1.0).contains(&class.max_p) {
                return Err(Fault::at(
                    &at("max_p"),
                    format!("{} is not a probability", class.max_p),
                )
                .fix(
                    "write \
                    0 to 1",
                ));
            }
            self.red()
                .with(class.min_th.0, class.max_th.0, class.max_p)
                .check()
                .map_err(|f| if f.at == "max_th" { Fault { at: at("max_th"), ..f } } else { f })?;
        }
        // Thresholds are those of the classes; here all else is looked at.
        self.red().with(0.0, 1.0, 0.0).check()
    }
}

/// RED with a curve for each class.
#[derive(Clone, Debug)]
pub struct Wred {
    body: RedState,
    of: Box<[u32; 64]>,
    curves: Vec<Curve>,
    /// One for each class, or one for all.
    droppers: Vec<Dropper>,
    /// The class and the dropper of the last packet.
    last: (usize, usize),
}

impl Algorithm for Wred {
    type Config = WredConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "wred",
        title: "Weighted RED (WRED)",
        idea: "RED with one average for all packets, and thresholds and max_p for each class of \
            codepoints.",
        equations: "avg as RED, of all packets;  i = class of the packet's codepoint\np_b = maxp_i \
            (avg - min_i) / (max_i - min_i)  for min_i <= avg < max_i\np_a = p_b / (1 - count_i \
            p_b)                 count_i for each class (reconstructed)",
        sources: &[
            "Cisco IOS Quality of Service: Congestion Avoidance Overview, Weighted Random Early \
                Detection",
            "Cisco IOS random-detect: default thresholds by precedence and by codepoint, \
                exponential weighting constant 9",
            "Floyd, Jacobson: Random Early Detection Gateways for Congestion Avoidance, IEEE/ACM \
                ToN 1(4), 1993",
        ],
        provenance: Provenance::Reconstruction,
        rule: "RED's, with a curve for each class of codepoints",
        family: "RED family",
        look: Some(Look::new(PlotColor::Vermillion, '^', 4)),
        kernel: Kernel::Lacks { why: "tc has it as gred, a line for each virtual queue", fix: "" },
        size: Size { measures: "as `red`", byte_mode: "bytes", signals: SizeLaw::Constant },
        law: Law::Named { law: "red", remark: "of the packets' class" },
        explained: Explained::as_story("red", " in class {class}"),
        ..About::PLAIN
    };
    const CHANCE: &'static str = "red";

    fn new(config: &WredConfig, _: &LinkInfo) -> Self {
        let (classes, of) = config.table();
        let all: Vec<Dropper> = classes
            .iter()
            .map(|c| Dropper::new(&config.red().with(c.min_th.0, c.max_th.0, c.max_p)))
            .collect();
        let curves = all.iter().map(|d| d.curve).collect();
        let count = if config.shared_count { 1 } else { all.len() };
        let droppers = all.into_iter().take(count).collect();
        Wred {
            body: RedState::new(&config.red().with(0.0, 0.0, 0.0)),
            of: Box::new(of),
            curves,
            droppers,
            last: (0, 0),
        }
    }
}

impl Aqm for Wred {
    fn needs(&self) -> Needs {
        self.body.needs()
    }
    fn hears(&self) -> Hears {
        Hears::IDLE
    }

    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, _: bool) -> Verdict {
        let avg = self.body.observe(cx, q.backlog());
        let class = self.of[usize::from(p.dscp.0 & 63)] as usize;
        let dropper = class.min(self.droppers.len() - 1);
        self.last = (class, dropper);
        let dropper = &mut self.droppers[dropper];
        dropper.curve = self.curves[class];
        dropper.decide(&self.body, avg, cx, q, p)
    }

    fn overflowed(&mut self, cx: &mut Cx<'_>, limit: Limit) {
        if limit == Limit::Own {
            let (_, dropper) = self.last;
            self.droppers[dropper].overflowed(cx.rng);
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
        let (class, dropper) = self.last;
        self.droppers[dropper].probe(self.body.avg(), out);
        out.gauge("max_p", self.droppers[dropper].curve.max_p);
        out.gauge("class", class as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::red::RedConfig;
    use crate::aqm::red::spacing::SpacingLaw;
    use crate::aqm::red::tests::alike::{Line, same_as_red};
    use dumbbell_core::catalogue::read;
    use dumbbell_core::testing::link;
    use dumbbell_core::units::Capacity;
    use serde_json::json;

    const RED: WredClass = WredClass { min_th: Packets(5.0), max_th: Packets(15.0), max_p: 0.1 };

    /// Classes by codepoint, the rest in class 0.
    fn own(classes: &[WredClass], map: &[(&str, u32)]) -> WredConfig {
        let map = map.iter().map(|(name, class)| (name.to_string(), *class)).collect();
        let config = WredConfig {
            profile: WredProfile::Own,
            classes: classes.to_vec(),
            map,
            w_q: 0.1,
            ..Default::default()
        };
        config.check().unwrap();
        config
    }

    /// With the same curve for all classes it is RED: with one count whatever the classes, with a
    /// count for each if there is one class, or if nothing is counted.
    #[test]
    fn with_one_curve_it_is_red() {
        let red = RedConfig { w_q: 0.1, ..Default::default() };
        let three = own(&[RED; 3], &[("af11", 1), ("ef", 2), ("af12", 2)]);
        let shared = WredConfig { shared_count: true, ..three.clone() };
        same_as_red(&red, |site| Wred::new(&shared, site)).unwrap();
        same_as_red(&red, |site| Wred::new(&own(&[RED], &[]), site)).unwrap();
        let coins = WredConfig { spacing: SpacingLaw::Bernoulli, ..three.clone() };
        same_as_red(&RedConfig { spacing: SpacingLaw::Bernoulli, ..red.clone() }, |site| {
            Wred::new(&coins, site)
        })
        .unwrap();
        assert!(
            same_as_red(&red, |site| Wred::new(&three, site)).is_err(),
            "three counts are not \
            one"
        );
        let lower = WredClass { min_th: Packets(2.0), ..RED };
        let weighted = WredConfig { shared_count: true, ..own(&[RED, lower], &[("af12", 1)]) };
        assert!(
            same_as_red(&red, |site| Wred::new(&weighted, site)).is_err(),
            "a lower threshold \
            must show"
        );
    }

    /// Below a class's threshold only the classes with lower ones are signaled, whichever way they
    /// are counted.
    #[test]
    fn the_lower_threshold_goes_first() {
        let low = WredClass { min_th: Packets(5.0), max_th: Packets(40.0), max_p: 0.5 };
        let high = WredClass { min_th: Packets(20.0), max_th: Packets(40.0), max_p: 0.5 };
        for shared_count in [false, true] {
            let config = WredConfig { shared_count, w_q: 1.0, ..own(&[low, high], &[("ef", 1)]) };
            let mut line =
                Line::new(Wred::new(&config, &link(Capacity::Unlimited)), Capacity::Unlimited);
            let mut drops = [0; 2];
            for i in 0..400 {
                let class = i % 2;
                let verdict = line.arrive_as(15, if class == 1 { 46 } else { 0 });
                drops[class] += u32::from(verdict == Verdict::Drop(Reason::Early));
                assert_eq!(line.gauge("class"), class as f64);
                assert_eq!(line.gauge("min_th"), [5.0, 20.0][class]);
            }
            assert!(drops[0] > 20 && drops[1] == 0, "{drops:?}");
            assert_eq!(line.arrive_as(40, 46), Verdict::Drop(Reason::Forced));
        }
    }

    /// min_th by codepoint: of Cisco's two profiles.
    #[test]
    fn the_profiles() {
        let min_th = |profile| {
            let (classes, of) = WredConfig { profile, ..Default::default() }.table();
            assert!(classes.iter().all(|c| c.max_th.0 == 40.0 && c.max_p == 0.1));
            move |name: &str| {
                let dscp = codepoints::codepoint(name).unwrap();
                classes[of[usize::from(dscp.0)] as usize].min_th.0
            }
        };
        let precedence = min_th(WredProfile::Precedence);
        assert_eq!(
            ["0", "cs1", "af11", "af33", "ef", "cs7", "63"].map(precedence),
            [20.0, 22.0, 22.0, 26.0, 30.0, 34.0, 34.0]
        );
        let dscp = min_th(WredProfile::Dscp);
        assert_eq!(
            ["0", "af11", "af22", "af33", "af41"].map(&dscp),
            [20.0, 33.0, 28.0, 24.0, 33.0]
        );
        assert_eq!(
            ["ef", "cs1", "cs7", "1", "44", "54"].map(&dscp),
            [37.0, 22.0, 34.0, 20.0, 20.0, 20.0]
        );
    }

    #[test]
    fn contradictions_are_refused() {
        let fault = |json| read::<WredConfig>(&json).unwrap_err();
        let class = json!({"min_th": "20 pkt", "max_th": "40 pkt"});
        let swapped = json!({"min_th": "20 pkt", "max_th": "10 pkt"});
        assert_eq!(fault(json!({"profile": "own"})).at, "classes");
        assert_eq!(
            fault(json!({"classes": [class]})).fix.as_deref(),
            Some(
                "write profile = \
            \"own\""
            )
        );
        assert_eq!(fault(json!({"map": {"ef": 0}})).at, "map");
        assert_eq!(
            fault(json!({"profile": "own", "classes": [class, swapped]})).at,
            "classes[1].max_th"
        );
        assert_eq!(
            fault(json!({"profile": "own", "classes": [class], "map": {"ef": 1}})).at,
            "map.ef"
        );
        assert_eq!(
            fault(json!({"profile": "own", "classes": [class], "default_class": 1})).at,
            "default_class"
        );
        let beyond = json!({"min_th": "20 pkt", "max_th": "40 pkt", "max_p": 2});
        assert_eq!(fault(json!({"profile": "own", "classes": [beyond]})).at, "classes[0].max_p");
        assert!(
            fault(json!({"profile": "own", "classes": [{"min_th": "20 pkt"}]}))
                .cause
                .contains("max_th")
        );
    }
}
