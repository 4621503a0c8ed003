//! RIO's parameters, and how its variants come to have them.
use crate::aqm::red::config::RedOptions;
use crate::aqm::red::spacing::SpacingLaw;
pub(crate) use crate::aqm::wred::WredClass;
use crate::dscp as codepoints;
pub(crate) use crate::dscp::Table;
use dumbbell_core::catalogue::{Config, Fault};
pub(crate) use dumbbell_core::units::Packets;
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which average a packet is judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RioMode {
    /// That of all packets of its own and of better protected classes: OUT answers for IN too
    /// (RIO-C, the paper's).
    #[default]
    Coupled,
    /// That of the packets of its own class (RIO-D).
    Decoupled,
}

/// Which classes there are, best protected first, and which codepoints are in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RioPrecedences {
    /// IN: `af11`, `af21`, `af31`, `af41` and `ef`. OUT: all others.
    #[default]
    Two,
    /// By AF drop precedence. IN: as for `two`. MID: `af12`, `af22`, `af32`, `af42`. OUT: all
    /// others.
    Three,
    /// `classes`, `map` and `default_class`. The first is IN.
    Own,
}

/// When the average of a class begins to decay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClassIdle {
    /// When the last packet of those that it averages has left, though the link may send others.
    #[default]
    PerClass,
    /// When the link has nothing more to send (ns-2).
    Whole,
}

/// Parameters of [`Rio`](super::Rio). Thresholds are in packets.
#[config(shared = crate::aqm::rio::config::*)]
pub struct RioConfig {
    /// Which average a packet is judged by.
    #[schemars(extend("x-source" = "Clark, Fang 1998, section IV"))]
    #[config(default = RioMode::Coupled)]
    pub mode: RioMode,
    /// Which classes there are, and which codepoints are in them.
    #[schemars(
        extend("x-source" = "Clark, Fang 1998: in and out of profile; RFC 2597 for the \
            codepoints"),
    )]
    #[config(default = RioPrecedences::Two)]
    pub precedences: RioPrecedences,
    /// Average queue length at which signaling of IN packets begins.
    #[schemars(extend("x-source" = "Clark, Fang 1998, section V: 40 packets"))]
    #[config(default = Packets(40.0))]
    pub min_in: Packets,
    /// Average queue length at which the probability for IN packets has reached
    /// `max_p_in`.
    #[schemars(extend("x-source" = "Clark, Fang 1998, section V: 70 packets"))]
    #[config(default = Packets(70.0))]
    pub max_in: Packets,
    /// Probability for IN packets at `max_in`.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Clark, Fang 1998, section V: 0.02"),
    )]
    #[config(default = 0.02)]
    pub max_p_in: f64,
    /// As `min_in`, for MID packets of three precedences. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: between those of IN and OUT"))]
    #[config(default = Packets(25.0))]
    pub min_mid: Packets,
    /// As `max_in`, for MID packets of three precedences. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: between those of IN and OUT"))]
    #[config(default = Packets(50.0))]
    pub max_mid: Packets,
    /// As `max_p_in`, for MID packets of three precedences. Reconstructed.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "reconstructed: between those of IN and OUT"),
    )]
    #[config(default = 0.1)]
    pub max_p_mid: f64,
    /// As `min_in`, for OUT packets: the average is that of all packets, or by `mode`
    /// of those that are OUT.
    #[schemars(extend("x-source" = "Clark, Fang 1998, section V: 10 packets"))]
    #[config(default = Packets(10.0))]
    pub min_out: Packets,
    /// As `max_in`, for OUT packets.
    #[schemars(extend("x-source" = "Clark, Fang 1998, section V: 30 packets"))]
    #[config(default = Packets(30.0))]
    pub max_out: Packets,
    /// As `max_p_in`, for OUT packets.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Clark, Fang 1998, section V: 0.2"),
    )]
    #[config(default = 0.2)]
    pub max_p_out: f64,
    /// The classes of `precedences = "own"`, best protected first, as
    /// `[{ min_th = "40 pkt", max_th = "70 pkt", max_p = 0.02 }]`.
    #[schemars(extend("x-source" = "none: two and three precedences need none"))]
    pub classes: Vec<WredClass>,
    /// The class of each codepoint with `precedences = "own"`, as `{ af11 = 0 }`.
    #[schemars(extend("x-source" = "none: two and three precedences need none"))]
    #[config(default = Table::new())]
    pub map: Table,
    /// The class of the other codepoints with `precedences = "own"`.
    #[schemars(extend("x-source" = "the first"))]
    #[config(default = 0)]
    pub default_class: u32,
    /// When the average of a class begins to decay. Reconstructed.
    #[schemars(
        extend("x-source" = "reconstructed: per class; ns-2's RIO: the whole queue"),
    )]
    #[config(default = ClassIdle::PerClass)]
    pub class_idle: ClassIdle,
    /// Whether a packet that does not fit pushes out the newest packet of the least
    /// protected class, if that is less protected than its own.
    #[schemars(extend("x-source" = "Clark, Fang 1998: no packet is pushed out"))]
    pub pushout: bool,
    /// What the RED family has in common.
    #[config(flatten)]
    pub red: RedOptions,
}

impl RioConfig {
    /// The classes, best protected first, and the class of each codepoint.
    pub fn table(&self) -> (Vec<WredClass>, [u32; 64]) {
        let class = |min_th, max_th, max_p| WredClass { min_th, max_th, max_p };
        let inside = class(self.min_in, self.max_in, self.max_p_in);
        let mid = class(self.min_mid, self.max_mid, self.max_p_mid);
        let out = class(self.min_out, self.max_out, self.max_p_out);
        match self.precedences {
            RioPrecedences::Two => (vec![inside, out], by_drop_precedence([0, 1, 1])),
            RioPrecedences::Three => (vec![inside, mid, out], by_drop_precedence([0, 1, 2])),
            RioPrecedences::Own => {
                (self.classes.clone(), codepoints::classes(&self.map, self.default_class))
            }
        }
    }

    fn check_own(&self) -> Result<(), Fault> {
        let count = self.classes.len() as u32;
        if count == 0 {
            let example = "write classes = [{ min_th = \"40 pkt\", max_th = \"70 pkt\", max_p = \
                0.02 }]";
            return Err(
                Fault::at("classes", "precedences = \"own\", and there is no class").fix(example)
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
        for (i, class) in self.classes.iter().enumerate() {
            if !(0.0..=1.0).contains(&class.max_p) {
                let fault = Fault::at(
                    &format!("classes[{i}].max_p"),
                    format!(
                        "{} is not a \
                    probability",
                        class.max_p
                    ),
                );
                return Err(fault.fix("write 0 to 1"));
            }
            self.check_curve(*class, &format!("classes[{i}].max_th"))?;
        }
        codepoints::check(&self.map, "map", count)
    }

    /// One class's thresholds; a fault in their order is at `max`.
    fn check_curve(&self, class: WredClass, max: &str) -> Result<(), Fault> {
        let red = self.red().with(class.min_th.0, class.max_th.0, class.max_p);
        red.check().map_err(|f| if f.at == "max_th" { named(f, max) } else { f })
    }
}

/// Spacings whose probability can be multiplied by a flow's weight.
///
/// # Errors
/// The stored random number is refused, because it decides by itself.
pub(crate) fn check_weighed(spacing: SpacingLaw) -> Result<(), Fault> {
    if spacing == SpacingLaw::UniformStored {
        let cause = "the stored random number decides when a packet is signaled, and here it \
            depends on whose packet comes";
        return Err(Fault::at("spacing", cause).fix("write \"uniform\" or \"bernoulli\""));
    }
    Ok(())
}

/// A fault in `max_th`, with the names that the thresholds have here.
fn named(fault: Fault, max: &str) -> Fault {
    let min = max.replace("max", "min");
    let say = |text: String| {
        if max.contains("max_th") {
            text
        } else {
            text.replace("max_th", max).replace("min_th", &min)
        }
    };
    Fault { at: max.into(), cause: say(fault.cause), fix: fault.fix.map(say) }
}

/// The class of each codepoint, given those of the three drop precedences of AF: EF is with the
/// first, all others with the last.
fn by_drop_precedence(class: [u32; 3]) -> [u32; 64] {
    let mut of = [class[2]; 64];
    for (dscp, of) in of.iter_mut().enumerate() {
        match (dscp >> 3, dscp & 7) {
            (1..=4, drop @ (2 | 4 | 6)) => *of = class[drop / 2 - 1],
            (5, 6) => *of = class[0],
            _ => {}
        }
    }
    of
}

impl Config for RioConfig {
    fn check(&self) -> Result<(), Fault> {
        let own = self.precedences == RioPrecedences::Own;
        if own {
            self.check_own()?;
        }
        for (key, written) in [("classes", !self.classes.is_empty()), ("map", !self.map.is_empty())]
        {
            if written && !own {
                let fault = Fault::at(key, "two and three precedences have classes of their own");
                return Err(fault.fix("write precedences = \"own\""));
            }
        }
        let class = |min_th: Packets, max_th: Packets| WredClass { min_th, max_th, max_p: 0.0 };
        self.check_curve(class(self.min_in, self.max_in), "max_in")?;
        self.check_curve(class(self.min_mid, self.max_mid), "max_mid")?;
        self.check_curve(class(self.min_out, self.max_out), "max_out")
    }
}
