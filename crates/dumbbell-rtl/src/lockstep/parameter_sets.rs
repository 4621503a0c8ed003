//! Named parameter sets of a core: `sound`, `paper+constant+gap`, `sound+idle+wred+nq=3`.
use crate::core_ports::Parameters;
use dumbbell_algos::aqm::red_hw::core::Shape;

/// A mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// As it was written.
    pub name: String,
    /// The core's parameters.
    pub parameters: Parameters,
}

/// The default sets: each option in both ways of drawing, every one with another.
pub const DEFAULT: [&str; 8] = [
    "sound",
    "paper",
    "sound+gap+idle+wred+adapt",
    "paper+gap+idle+wred+adapt",
    "sound+constant+gap+wred+nq=5+seed=77777",
    "paper+constant+idle+nq=1",
    "sound+adapt+spaced+w=4",
    "sound+idle+w=2+nq=3",
];

/// The options, for messages.
const OPTIONS: &str = "gap, constant, idle, wred, adapt, spaced, nq=1..8, w=1..10, seed=1..2097151";

impl Mode {
    /// Reads one.
    ///
    /// # Errors
    /// The error, and the valid words.
    pub fn read(name: &str) -> Result<Mode, String> {
        let mut words = name.split('+').map(str::trim);
        let paper = match words.next() {
            Some("sound") => false,
            Some("paper") => true,
            _ => return Err(format!("`{name}` is not a mode: it begins with sound or paper")),
        };
        let mut shape = Shape { paper, ..Shape::default() };
        let mut spaced = false;
        for word in words {
            let (key, value) =
                word.split_once('=').map_or((word, None), |(k, v)| (k, v.parse::<u32>().ok()));
            match (key, value) {
                ("gap", None) => shape.gap = true,
                ("constant", None) => shape = shape.with_constant(),
                ("idle", None) => shape.idle = true,
                ("wred", None) => shape.classes = 4,
                ("adapt", None) => shape.adapt = true,
                ("spaced", None) => spaced = true,
                ("nq", Some(n @ 1..=8)) => shape.queues = n as u8,
                ("w", Some(w @ 1..=10)) => shape.w = w as u8,
                ("seed", Some(seed @ 1..=0x1f_ffff)) => shape.seed = seed,
                _ => {
                    return Err(format!("`{word}` is not an option of a mode; they are {OPTIONS}"));
                }
            }
        }
        Ok(Mode { name: name.to_string(), parameters: Parameters { shape, spaced } })
    }

    /// [`DEFAULT`].
    pub fn all() -> Vec<Mode> {
        DEFAULT.iter().map(|name| Mode::read(name).expect("a mode of ours")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_modes_have_every_option_in_both_ways_of_drawing() {
        let all = Mode::all();
        let any = |of: &dyn Fn(&Shape) -> bool| {
            for paper in [false, true] {
                assert!(
                    all.iter()
                        .any(|m| m.parameters.shape.paper == paper && of(&m.parameters.shape)),
                    "{paper}"
                );
            }
        };
        any(&|s| s.gap);
        any(&|s| s.constant);
        any(&|s| s.idle);
        any(&|s| s.classes == 4);
        any(&|s| s.adapt);
        any(&|s| s.queues == 8);
        assert!(all.iter().any(|m| m.parameters.spaced));
    }

    #[test]
    fn what_is_no_mode_is_refused() {
        for wrong in
            ["", "gap", "sound+gab", "sound+nq=9", "sound+w=0", "paper+seed=0", "sound+gap=1"]
        {
            assert!(Mode::read(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Mode::read("sound+constant").unwrap().parameters.shape.def_slope, 41_943);
    }
}
