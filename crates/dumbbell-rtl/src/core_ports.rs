//! The ports and parameters of `rtl/red/SPEC.md`, and the wrapper module around a core.
//!
//! The wrapper has each port once, with its width: a core that lacks one, or has it wider or
//! narrower, is told apart by the tool that elaborates both, in its own words and at a line that
//! says which port.
use dumbbell_algos::aqm::red_hw::core::Shape;
use std::fmt::Write;

/// The module that a core must be.
pub const TOP: &str = "red_core";
/// The module that holds it, and its file.
pub const HOLDER: &str = "dumbbell_red_bench";

/// A port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name.
    pub name: &'static str,
    /// Bits.
    pub width: u32,
    /// True if the core drives it.
    pub out: bool,
}

const fn input(name: &'static str, width: u32) -> Port {
    Port { name, width, out: false }
}

const fn output(name: &'static str, width: u32) -> Port {
    Port { name, width, out: true }
}

/// All of them.
pub const PORTS: [Port; 18] = [
    input("clk", 1),
    input("rst", 1),
    output("ready_o", 1),
    input("valid_i", 1),
    input("qid_i", 3),
    input("qlen_i", 12),
    input("class_i", 2),
    input("idle_i", 6),
    input("tick_i", 1),
    output("valid_o", 1),
    output("qid_o", 3),
    output("drop_o", 1),
    output("region_o", 2),
    output("avg_o", 22),
    output("draw_o", 21),
    input("cfg_we_i", 1),
    input("cfg_addr_i", 8),
    input("cfg_data_i", 32),
];

/// The parameters of a core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// The shape of the computation.
    pub shape: Shape,
    /// `SPACED`: no queue is presented in consecutive clocks.
    pub spaced: bool,
}

/// A parameter as the holder writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its name.
    pub name: &'static str,
    /// Its value, as a literal.
    pub value: String,
    /// True if that is the default of `SPEC.md`: a core without this parameter will do.
    pub default: bool,
}

impl Parameters {
    /// By name, in the order of `SPEC.md`.
    pub fn written(&self) -> Vec<Written> {
        let (s, d) = (&self.shape, Shape::default());
        let slope = if s.constant { d.clone().with_constant().def_slope } else { d.def_slope };
        let number = |name, value: u32, default: u32| Written {
            name,
            value: value.to_string(),
            default: value == default,
        };
        let bit =
            |name, on: bool| Written { name, value: format!("1'b{}", u8::from(on)), default: !on };
        let sized = |name, bits: u32, value: u32, default: u32| Written {
            name,
            value: format!("{bits}'d{value}"),
            default: value == default,
        };
        vec![
            number("NQ", s.queues.into(), d.queues.into()),
            number("W", s.w.into(), d.w.into()),
            bit("PAPER", s.paper),
            bit("CONSTANT", s.constant),
            bit("GAP", s.gap),
            bit("IDLE", s.idle),
            number("CLASSES", s.classes.into(), d.classes.into()),
            bit("ADAPT", s.adapt),
            bit("SPACED", self.spaced),
            sized("SEED", 21, s.seed, d.seed),
            sized("DEF_MIN", 22, s.def_min, d.def_min),
            sized("DEF_MAX", 22, s.def_max, d.def_max),
            sized("DEF_SLOPE", 21, s.def_slope, slope),
        ]
    }
}

/// The holder's text, and what stands in each of its lines.
pub struct Wrapper {
    /// The module.
    pub text: String,
    lines: Vec<Line>,
}

/// The subject of a line of the wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Nothing in particular.
    Other,
    /// The instance: a port that is not connected is missed here, too.
    Instance,
    /// A parameter.
    Parameter(&'static str),
    /// A port's connection.
    Port(Port),
}

impl Wrapper {
    /// A holder that sets `parameters`.
    pub fn new(parameters: &[Written]) -> Self {
        let mut holder = Wrapper { text: String::new(), lines: vec![] };
        holder.line(Line::Other, "`default_nettype none");
        holder.line(Line::Other, "/* verilator coverage_off */");
        holder.line(Line::Other, &format!("module {HOLDER} ("));
        for (k, port) in PORTS.iter().enumerate() {
            let direction = if port.out { "output" } else { "input " };
            let comma = if k + 1 < PORTS.len() { "," } else { "" };
            holder.line(
                Line::Other,
                &format!("  {direction} wire [{}:0] {}{comma}", port.width - 1, port.name),
            );
        }
        holder.line(Line::Other, ");");
        holder.line(
            Line::Instance,
            &format!("  {TOP} {}", if parameters.is_empty() { "" } else { "#(" }),
        );
        for (k, Written { name, value, .. }) in parameters.iter().enumerate() {
            let comma = if k + 1 < parameters.len() { "," } else { "" };
            holder.line(Line::Parameter(name), &format!("    .{name}({value}){comma}"));
        }
        holder.line(Line::Instance, if parameters.is_empty() { "  core (" } else { "  ) core (" });
        for (k, port) in PORTS.iter().enumerate() {
            let comma = if k + 1 < PORTS.len() { "," } else { "" };
            holder.line(Line::Port(*port), &format!("    .{0}({0}){comma}", port.name));
        }
        holder.line(Line::Other, "  );");
        holder.line(Line::Other, "endmodule");
        holder.line(Line::Other, "`default_nettype wire");
        holder
    }

    fn line(&mut self, about: Line, text: &str) {
        self.lines.push(about);
        let _ = writeln!(self.text, "{text}"); // A String takes everything.
    }

    /// The subject of line `number`, counted from 1.
    pub fn about(&self, number: usize) -> Line {
        self.lines.get(number.wrapping_sub(1)).copied().unwrap_or(Line::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_a_holder_says_what_it_is_about() {
        let holder = Wrapper::new(&Parameters::default().written());
        for (k, line) in holder.text.lines().enumerate() {
            match holder.about(k + 1) {
                Line::Port(port) => assert!(line.contains(&format!(".{}(", port.name)), "{line}"),
                Line::Parameter(name) => assert!(line.contains(&format!(".{name}(")), "{line}"),
                Line::Instance => assert!(line.contains(TOP) || line.contains("core ("), "{line}"),
                Line::Other => assert!(!line.contains(".clk("), "{line}"),
            }
        }
        assert_eq!(holder.about(0), Line::Other);
        assert_eq!(holder.about(1000), Line::Other);
    }

    #[test]
    fn defaults_are_those_of_the_page() {
        assert!(Parameters::default().written().iter().all(|p| p.default));
        let constant = Parameters { shape: Shape::default().with_constant(), spaced: false };
        let other: Vec<&str> =
            constant.written().iter().filter(|p| !p.default).map(|p| p.name).collect();
        assert_eq!(other, ["CONSTANT"]);
    }
}
