//! What a run is kept under: everything that its result depends on, hashed.
use dumbbell_plan::Plan;
use std::fmt;
use std::str::FromStr;

/// The version of all results. **Raise it by one whenever a fingerprint changes** (the golden ones in
/// `crates/dumbbell-sim/tests/golden.rs`, or any that their scenarios do not cover): every store then runs
/// everything anew, and never mixes results of different code.
pub const RESULTS_VERSION: u32 = 1;

/// The key of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(u128);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for Key {
    type Err = ();
    fn from_str(text: &str) -> Result<Key, ()> {
        let hex = text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if hex { u128::from_str_radix(text, 16).map(Key).map_err(|_| ()) } else { Err(()) }
    }
}

impl Key {
    /// The key of the run of `plan`, which says the seed and what is recorded, too. A scenario's name changes no
    /// result, so it is left out: the same experiment in another file is the same experiment.
    pub fn of(plan: &mut Plan, audit: bool) -> Key {
        let name = std::mem::take(&mut plan.name);
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("dumbbell results {RESULTS_VERSION} audit {audit}\n").as_bytes());
        let written = serde_json::to_writer(&mut hasher, plan);
        plan.name = name;
        debug_assert!(written.is_ok(), "a plan is plain data, and a hasher takes all");
        let first = hasher.finalize().as_bytes()[..16].try_into().unwrap_or_default();
        Key(u128::from_be_bytes(first))
    }
}
