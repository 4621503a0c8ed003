//! A failing stimulus, shortened: what comes after the failure is removed, then what comes before
//! and is not needed for it.
use crate::core_ports::Parameters;
use crate::lockstep::testbench::{Action, Mismatch, Testbench};
use crate::verilated::Clocked;

/// Clocks that are spent on it: a few seconds.
const CLOCKS: u64 = 20_000_000;

/// A short stimulus, and how it fails.
pub struct Shrunk {
    /// The actions.
    pub actions: Vec<Action>,
    /// The mismatch at their end.
    pub mismatch: Mismatch,
}

/// Makes cores for attempts.
pub type Make<'a> = &'a dyn Fn() -> Result<Box<dyn Clocked>, String>;

/// After how many actions a stimulus fails, and how; `None`: it does not.
type Failing = Option<(usize, Mismatch)>;
/// Tries a stimulus; `None`: enough was tried.
type Attempt<'a> = &'a mut dyn FnMut(&[Action]) -> Option<Failing>;

/// A stimulus from a fresh core: after how many actions it fails, how, and the clocks it took.
fn attempt(
    actions: &[Action],
    parameters: &Parameters,
    patience: u64,
    make: Make<'_>,
) -> (Failing, u64) {
    let Ok(mut dut) = make() else { return (None, 0) };
    let mut bench = Testbench::new(&mut *dut, parameters, patience);
    for (k, action) in actions.iter().enumerate() {
        if let Err(mismatch) = bench.act(action) {
            return (Some((k + 1, mismatch)), bench.counts.clocks);
        }
    }
    let last = bench.settle(true).err().map(|mismatch| (actions.len(), mismatch));
    (last, bench.counts.clocks)
}

/// Makes `actions`, which begin with a reset and fail, short; `None`: they do not fail again.
pub fn shrink(
    actions: Vec<Action>,
    parameters: &Parameters,
    patience: u64,
    make: Make<'_>,
) -> Option<Shrunk> {
    let mut spent = 0;
    let mut fails = |actions: &[Action]| -> Option<Failing> {
        (spent < CLOCKS).then(|| {
            let (found, clocks) = attempt(actions, parameters, patience, make);
            spent += clocks + 1;
            found
        })
    };
    let mut best = from_a_reset(actions, &mut fails)?;
    let mut part = best.actions.len() / 2;
    while part > 0 {
        let (mut at, before) = (1, best.actions.len()); // The reset stays.
        while at < best.actions.len() {
            let mut without = best.actions.clone();
            without.drain(at..(at + part).min(without.len()));
            match fails(&without) {
                None => return Some(best),
                Some(None) => at += part,
                Some(Some((needed, mismatch))) => {
                    without.truncate(needed);
                    best = Shrunk { actions: without, mismatch };
                }
            }
        }
        if part > 1 || best.actions.len() == before {
            part /= 2;
        }
    }
    Some(best)
}

/// From the last reset on, if it fails from there; else from the one before, and so on: a reset may
/// be what is wrong.
fn from_a_reset(actions: Vec<Action>, fails: Attempt<'_>) -> Option<Shrunk> {
    let resets = (0..actions.len()).rev().filter(|k| matches!(actions[*k], Action::Reset(_)));
    // Two resets that go together, and twice as many each time.
    for (n, from) in resets.enumerate() {
        if !(n + 1).is_power_of_two() && from != 0 {
            continue;
        }
        if let Some((needed, mismatch)) = fails(&actions[from..])? {
            return Some(Shrunk { actions: actions[from..from + needed].to_vec(), mismatch });
        }
    }
    None
}
