//! Stimulus and expectation as plain hex, for simulators outside of Rust: `$readmemh` reads both.
use crate::core_ports::Written;
use crate::lockstep::model::ModelCore;
use crate::lockstep::parameter_sets::Mode;
use crate::lockstep::stimulus::Stimulus;
use crate::lockstep::testbench::{Counts, Testbench};
use crate::signals::{In, Out};
use crate::verilated::Clocked;
use std::io::{self, Write};

/// Clocks that a core has for a decision where registers are to be written, and to be ready after a
/// reset.
const LATENCY: u64 = 64;
const CLEARING: u64 = 256;

/// The files' names.
pub const FILES: [&str; 4] = ["stimulus.hex", "expected.hex", "red_vectors_tb.sv", "README.md"];

/// The written files.
pub struct Vectors {
    /// The counts of what they contain.
    pub counts: Counts,
    /// The bench's text.
    pub bench: String,
    /// The page about the columns.
    pub readme: String,
}

/// The model, and a file for what it is shown and one for what it says.
struct Scribe<'a> {
    model: ModelCore,
    stimulus: &'a mut dyn Write,
    expected: &'a mut dyn Write,
    lines: u64,
}

impl Clocked for Scribe<'_> {
    fn clock(&mut self, i: &In) -> Result<Out, String> {
        let (out, decision) = self.model.step(i);
        let In { qid, qlen, class, idle, cfg_addr, cfg_data, .. } = *i;
        let [rst, valid, tick, we] = [i.rst, i.valid, i.tick, i.cfg_we].map(u8::from);
        // A packet that waits is one line: whoever reads it holds it.
        if !i.valid || out.ready {
            self.lines += 1;
            let line = format!(
                "{rst}_{valid}_{qid:x}_{qlen:03x}_{class:x}_{idle:02x}_{tick}_{we}_\
                 {cfg_addr:02x}_{cfg_data:08x}"
            );
            writeln!(self.stimulus, "{line}").map_err(|e| e.to_string())?;
        }
        if let Some(d) = decision {
            let (drop, region) = (u8::from(d.drop), d.region as u8);
            writeln!(self.expected, "{:x}_{drop}_{region}_{:06x}_{:06x}", d.qid, d.avg, d.draw)
                .map_err(|e| e.to_string())?;
        }
        Ok(out)
    }
}

/// Writes vectors of `packets` packets.
///
/// # Errors
/// A file cannot be written.
pub fn write(
    mode: &Mode,
    packets: u64,
    seed: u64,
    stimulus: &mut dyn Write,
    expected: &mut dyn Write,
) -> io::Result<Vectors> {
    let model = ModelCore::new(&mode.parameters.shape, LATENCY, CLEARING, 1);
    let mut scribe = Scribe { model, stimulus, expected, lines: 0 };
    let counts = {
        let mut bench = Testbench::new(&mut scribe, &mode.parameters, 4 * CLEARING);
        let mut made = Stimulus::new(&mode.parameters, seed, 0);
        let mut actions = vec![];
        while bench.counts.packets < packets {
            made.next(&bench.core, &mut actions);
            // Packets in the pipeline are lost at a reset, and no vector could tell how many of
            // them came out before.
            for action in actions.drain(..) {
                let reset = matches!(action, crate::lockstep::testbench::Action::Reset(_))
                    && bench.counts.clocks > 0;
                let done = if reset { bench.settle(true) } else { Ok(()) };
                done.and_then(|()| bench.act(&action)).map_err(|m| io::Error::other(m.what))?;
            }
        }
        bench.settle(true).map_err(|m| io::Error::other(m.what))?;
        bench.counts
    };
    let (lines, written) = (scribe.lines, mode.parameters.written());
    Ok(Vectors {
        counts,
        bench: bench(&written, lines, counts.packets),
        readme: readme(mode, &written, seed, lines, counts.packets),
    })
}

/// The parameters as an instance has them.
fn settings(parameters: &[Written]) -> String {
    parameters.iter().map(|p| format!(".{}({})", p.name, p.value)).collect::<Vec<_>>().join(", ")
}

fn bench(parameters: &[Written], lines: u64, packets: u64) -> String {
    include_str!("vectors/red_vectors_tb.sv")
        .replace("@LINES@", &lines.to_string())
        .replace("@PACKETS@", &packets.to_string())
        .replace("@PARAMETERS@", &settings(parameters))
}

fn readme(mode: &Mode, parameters: &[Written], seed: u64, lines: u64, packets: u64) -> String {
    include_str!("vectors/README.md")
        .replace("@MODE@", &mode.name)
        .replace("@SEED@", &seed.to_string())
        .replace("@LINES@", &lines.to_string())
        .replace("@PACKETS@", &packets.to_string())
        .replace("@LATENCY@", &LATENCY.to_string())
        .replace("@CLEARING@", &CLEARING.to_string())
        .replace("@PARAMETERS@", &settings(parameters))
}
