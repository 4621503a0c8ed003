//! The parameters of `red_hw`, and what they come to in the core's registers.
use super::core::{FRACTION, Shape, register, table};
use super::entry::{Entry, Steps, U18, U21, U22};
use crate::dscp as codepoints;
use crate::dscp::Table;
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::{Clock, Packets, Span};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How averages and draws are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RedHwMode {
    /// The average has `weight_shift` more bits inside than it shows, and each packet steps a dense
    /// shift register 32 times.
    #[default]
    Sound,
    /// The average has ten fraction bits, and a shift register of two taps runs freely, one step
    /// each clock: as the paper has it.
    Paper,
}

/// The probability between the thresholds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RedHwThreshold {
    /// From 0 at `min_th` to `max_p` at `max_th`.
    #[default]
    Linear,
    /// `max_p` everywhere: one number is compared with the draw.
    Constant,
}

/// The curve of one class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedHwClass {
    /// Average queue length at which dropping begins.
    pub min_th: Packets,
    /// Average queue length from which on every packet is dropped.
    pub max_th: Packets,
    /// Probability at `max_th`.
    #[serde(default = "fiftieth")]
    pub max_p: f64,
}

fn fiftieth() -> f64 {
    0.02
}

/// Parameters of [`RedHw`](super::RedHw). All become integers: thresholds have ten fraction bits,
/// probabilities 21 bits.
#[config]
pub struct RedHwConfig {
    /// How averages and draws are computed. The paper has no RTL: it prints 21 bits and a scale of
    /// 2^10, a register that runs freely is our reading, and `"sound"` is what we would build.
    #[schemars(
        extend("x-source" = "reconstructed: HDL without the paper's artifacts; \"paper\": Oh et \
            al. 2012"),
    )]
    #[config(default = RedHwMode::Sound)]
    pub mode: RedHwMode,
    /// The probability between the thresholds. Reconstructed: the text compares a preset number
    /// with the draw, Fig. 2 has a slope.
    #[schemars(extend("x-source" = "reconstructed: Oh et al. 2012, Fig. 2"))]
    #[config(default = RedHwThreshold::Linear)]
    pub threshold: RedHwThreshold,
    /// Average queue length at which dropping begins.
    #[schemars(extend("x-source" = "Oh et al. 2012: 1/6 of a buffer of 36 packets"))]
    #[config(default = Packets(6.0))]
    pub min_th: Packets,
    /// Average queue length from which on every packet is dropped; less than 256 packets above
    /// `min_th`.
    #[schemars(extend("x-source" = "Oh et al. 2012: 2 min_th"))]
    #[config(default = Packets(12.0))]
    pub max_th: Packets,
    /// Probability at `max_th`; with thresholds `d` packets apart at most `d / 32`, which is what a
    /// slope of 18 bits can express.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Oh et al. 2012, Table 3: 0.02"))]
    #[config(default = 0.02)]
    pub max_p: f64,
    /// Weight of the newest sample in the average, `2^-weight_shift`.
    #[schemars(
        range(min = 1, max = 15),
        extend("x-source" = "reconstructed: the shift next to Oh et al. 2012's 0.002"),
    )]
    #[config(default = 9)]
    pub weight_shift: u32,
    /// Whether gaps between drops are uniform, as Floyd and Jacobson have them, instead of
    /// geometric: twice as many drops.
    #[schemars(extend("x-source" = "reconstructed: Oh et al. 2012 compare each packet's draw"))]
    pub gap: bool,
    /// Time in which the average of an empty queue halves, in steps of half that time; `"0 s"`: it
    /// does not decay. RED with packets that take `s` has `s ln 2 / w_q`.
    #[schemars(extend("x-source" = "reconstructed: Oh et al. 2012 update at arrivals only"))]
    #[config(default = Span::ZERO)]
    pub idle_half_life: Span,
    /// First state of the draw's shift register; 0: random, different for each seed of the run.
    #[schemars(
        range(min = 0, max = 2_097_151),
        extend("x-source" = "reconstructed: a register that no run shares"),
    )]
    #[config(default = 0)]
    pub lfsr_seed: u32,
    /// The hardware's clock: in paper mode the draw's register steps once for each clock since the
    /// packet before.
    #[schemars(extend("x-source" = "NetFPGA-1G: 125 MHz"))]
    #[config(default = Clock::from_mhz(125))]
    pub clock: Clock,
    /// Curves of four classes (WRED), as `[{ min_th = "6 pkt", max_th = "12 pkt", max_p = 0.02 }]`:
    /// for packets without a drop precedence, and of drop precedence 1, 2 and 3 (AFx1 to AFx3).
    /// They replace `min_th`, `max_th` and `max_p`.
    #[schemars(extend("x-source" = "none: Oh et al. 2012 have WRED as future work"))]
    pub classes: Vec<RedHwClass>,
    /// The class of each codepoint instead, as `{ ef = 1 }`; there are then one to four classes.
    #[schemars(extend("x-source" = "RFC 2597: AF's drop precedence"))]
    #[config(default = Table::new())]
    pub map: Table,
    /// The class of the other codepoints.
    #[schemars(extend("x-source" = "the first"))]
    #[config(default = 0)]
    pub default_class: u32,
    /// Whether `max_p` adapts: Adaptive RED, in whose downward step 7/8 stands for 0.9.
    #[schemars(extend("x-source" = "none: Oh et al. 2012 have Adaptive RED as future work"))]
    pub adaptive: bool,
    /// Time between two steps of `max_p`, the second of which waits for a packet.
    #[schemars(extend("x-source" = "Floyd, Gummadi, Shenker 2001, Fig. 4: 0.5 s"))]
    #[config(default = Span::from_ms(500))]
    pub interval: Span,
    /// Step of `max_p` upwards. Reconstructed: Floyd has at most `max_p / 4`, which would need one
    /// more comparison.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Floyd, Gummadi, Shenker 2001, Fig. 4: 0.01"),
    )]
    #[config(default = 0.01)]
    pub alpha: f64,
    /// Where the target begins, from `min_th` (0) to `max_th` (1): below it `max_p` falls.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Floyd, Gummadi, Shenker 2001, Fig. 4: 0.4"),
    )]
    #[config(default = 0.4)]
    pub target_low: f64,
    /// Where the target ends: above it `max_p` rises.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Floyd, Gummadi, Shenker 2001, Fig. 4: 0.6"),
    )]
    #[config(default = 0.6)]
    pub target_high: f64,
    /// At or below it `max_p` does not fall.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Floyd, Gummadi, Shenker 2001, Fig. 4: 0.01"),
    )]
    #[config(default = 0.01)]
    pub bottom: f64,
    /// At or above it `max_p` does not rise. The next step must also fit into the slope's 18 bits.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Floyd, Gummadi, Shenker 2001, Fig. 4: 0.5"),
    )]
    #[config(default = 0.5)]
    pub top: f64,
}

/// A queue length as a register has it.
fn raw(th: Packets) -> u64 {
    libm::round(th.0 * f64::from(1 << FRACTION)) as u64
}

/// The slope with which the probability is `max_p` after `d`, U12.10; not cut to its 18 bits.
fn slope(max_p: f64, d: u32) -> u64 {
    libm::floor(max_p * (1u64 << 33) as f64 / f64::from(d)) as u64
}

impl RedHwConfig {
    /// The core's parameters. Thresholds, slopes and the seed are written to its registers, so that
    /// one core does for all.
    pub fn shape(&self) -> Shape {
        let shape = Shape {
            w: self.weight_shift as u8,
            paper: self.mode == RedHwMode::Paper,
            gap: self.gap,
            idle: self.idle_half_life > Span::ZERO,
            classes: if self.classes.is_empty() { 1 } else { 4 },
            adapt: self.adaptive,
            ..Shape::default()
        };
        if self.threshold == RedHwThreshold::Constant { shape.with_constant() } else { shape }
    }

    /// The curves that there are.
    fn curves(&self) -> Vec<RedHwClass> {
        let &RedHwConfig { min_th, max_th, max_p, .. } = self;
        if self.classes.is_empty() {
            vec![RedHwClass { min_th, max_th, max_p }]
        } else {
            self.classes.clone()
        }
    }

    /// The values in the registers of queue 0, class by class, and in those of the whole core.
    pub(crate) fn registers(&self) -> ([Entry; 4], Steps) {
        let mut entries = [self.entry(self.curves()[0]); 4];
        for (entry, curve) in entries.iter_mut().zip(self.curves()) {
            *entry = self.entry(curve);
        }
        let step =
            |max_p: f64| slope(max_p, entries[0].max - entries[0].min).min(u64::from(U18)) as u32;
        let alpha = step(self.alpha);
        let steps =
            Steps { alpha, least: step(self.bottom), largest: step(self.top).min(U18 - alpha) };
        (entries, if self.adaptive { steps } else { Steps::RESET })
    }

    fn entry(&self, curve: RedHwClass) -> Entry {
        let (min, max) = (raw(curve.min_th) as u32, raw(curve.max_th) as u32);
        let slope = match self.threshold {
            RedHwThreshold::Linear => slope(curve.max_p, max - min).min(u64::from(U18)) as u32,
            RedHwThreshold::Constant => {
                libm::round(curve.max_p * f64::from(1 << 21)).min(f64::from(U21)) as u32
            }
        };
        let target = |part: f64| {
            if self.adaptive { min + libm::round(part * f64::from(max - min)) as u32 } else { 0 }
        };
        Entry {
            min,
            max,
            slope,
            lower: target(self.target_low),
            upper: target(self.target_high),
            due: false,
        }
    }

    /// The writes that take a core from its reset to this configuration, but for the draw's.
    pub(crate) fn writes(&self) -> Vec<(u8, u32)> {
        let (entries, steps) = self.registers();
        let mut writes = Vec::new();
        for (class, entry) in (0..self.shape().classes).zip(entries) {
            let at = |table| register::address(table, class, 0);
            writes.extend([
                (at(table::MIN), entry.min),
                (at(table::MAX), entry.max),
                (at(table::SLOPE), entry.slope),
            ]);
            if self.adaptive {
                writes.extend([(at(table::LOWER), entry.lower), (at(table::UPPER), entry.upper)]);
            }
        }
        if self.adaptive {
            let Steps { alpha, least, largest } = steps;
            writes.extend([
                (register::ALPHA, alpha),
                (register::LEAST, least),
                (register::LARGEST, largest),
            ]);
        }
        writes
    }

    /// The class of each codepoint.
    pub(crate) fn class_of(&self) -> [u8; 64] {
        if self.classes.is_empty() {
            return [0; 64];
        }
        if !self.map.is_empty() {
            return codepoints::classes(&self.map, self.default_class).map(|class| class as u8);
        }
        let mut of = [self.default_class as u8; 64];
        for class in 1..=4usize {
            for precedence in 1..=3 {
                of[8 * class + 2 * precedence] = precedence as u8;
            }
        }
        of
    }

    fn check_classes(&self) -> Result<(), Fault> {
        let count = self.classes.len() as u32;
        if count == 0 {
            let (map, default) = (!self.map.is_empty(), self.default_class > 0);
            let at = if map { "map" } else { "default_class" };
            let fix = "write classes = [{ min_th = \"6 pkt\", max_th = \"12 pkt\" }, ...]";
            return if map || default {
                Err(Fault::at(at, "there are no classes").fix(fix))
            } else {
                Ok(())
            };
        }
        if count > 4 || (count < 4 && self.map.is_empty()) {
            let cause = format!(
                "{count} classes: the core has four, and AF's drop precedences \
                name them all"
            );
            return Err(Fault::at("classes", cause).fix(
                "write four, or fewer and the map that \
                names them",
            ));
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

    fn check_curve(&self, at: impl Fn(&str) -> String, curve: &RedHwClass) -> Result<(), Fault> {
        let (min_th, max_th, max_p) = (curve.min_th, curve.max_th, curve.max_p);
        if !(0.0..4096.0).contains(&min_th.0) {
            let cause = format!("min_th = {min_th}, and an average has 12 bits before the point");
            return Err(Fault::at(&at("min_th"), cause).fix(
                "write at least \"0 pkt\" and less than \
                \"4096 pkt\"",
            ));
        }
        if !(0.0..4096.0).contains(&max_th.0) || raw(max_th) > u64::from(U22) {
            let cause = format!("max_th = {max_th}, and an average has 12 bits before the point");
            return Err(Fault::at(&at("max_th"), cause).fix("write less than \"4095 pkt\""));
        }
        let (min, max) = (raw(min_th), raw(max_th));
        if max <= min || max - min > u64::from(U18) {
            let cause = format!(
                "max_th = {max_th} is not above min_th = {min_th} by 2^-10 to 256 \
                packets"
            );
            return Err(Fault::at(&at("max_th"), cause).fix("twice min_th is the paper's"));
        }
        if !(0.0..=1.0).contains(&max_p) {
            return Err(Fault::at(&at("max_p"), format!("{max_p} is not a probability")).fix(
                "write 0 \
                to 1",
            ));
        }
        let d = (max - min) as u32;
        if self.threshold == RedHwThreshold::Linear && slope(max_p, d) > u64::from(U18) {
            let most = f64::from(d) / f64::from(1 << FRACTION) / 32.0;
            let cause =
                format!("{max_p} over {} packets is too steep for a slope of 18 bits", 32.0 * most);
            return Err(Fault::at(&at("max_p"), cause).fix(format!(
                "write less than {most}, or thresholds \
                    further apart"
            )));
        }
        Ok(())
    }

    fn check_adaptive(&self) -> Result<(), Fault> {
        if self.interval < Span::from_us(1) {
            return Err(Fault::at("interval", "the time between two steps is at least 1 us").fix(
                "write \
                \"500 ms\"",
            ));
        }
        if self.target_low > self.target_high {
            let cause = format!(
                "target_low = {} is above target_high = {}",
                self.target_low, self.target_high
            );
            return Err(Fault::at("target_low", cause).fix("the paper has 0.4 and 0.6"));
        }
        if self.bottom > self.top {
            let cause = format!("bottom = {} is above top = {}", self.bottom, self.top);
            return Err(Fault::at("bottom", cause).fix(
                "write at most `top`; the paper has 0.01 and \
                0.5",
            ));
        }
        if !self.adaptive {
            return Ok(());
        }
        if self.threshold == RedHwThreshold::Constant {
            let cause = "a slope adapts, and a constant probability has none";
            return Err(Fault::at("threshold", cause).fix(
                "write threshold = \"linear\", or \
                adaptive = false",
            ));
        }
        let d = |c: &RedHwClass| raw(c.max_th) - raw(c.min_th);
        let curves = self.curves();
        if let Some(i) = curves.iter().position(|curve| d(curve) != d(&curves[0])) {
            let cause = "alpha, bottom and top are slopes of the whole core, which mean the same \
                where thresholds are equally far apart";
            return Err(Fault::at(&format!("classes[{i}].max_th"), cause).fix(
                "move it, or write \
                adaptive = false",
            ));
        }
        let (most, steps) = (u64::from(U18), [("alpha", self.alpha), ("bottom", self.bottom)]);
        let steep = steps.iter().find(|(_, max_p)| slope(*max_p, d(&curves[0]) as u32) > most);
        steep.map_or(Ok(()), |(at, max_p)| {
            Err(Fault::at(at, format!("{max_p} is too steep for a slope of 18 bits")).fix(
                "write \
                less, 0.01 is usual",
            ))
        })
    }
}

impl Config for RedHwConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.classes.is_empty() {
            self.check_curve(str::to_string, &self.curves()[0])?;
        }
        for (i, curve) in self.classes.iter().enumerate() {
            self.check_curve(|field| format!("classes[{i}].{field}"), curve)?;
        }
        self.check_classes()?;
        if self.lfsr_seed > U21 {
            return Err(Fault::at("lfsr_seed", "a state has 21 bits").fix(
                "write 1 to 2097151, or 0 \
                for chance",
            ));
        }
        self.check_adaptive()
    }
}
