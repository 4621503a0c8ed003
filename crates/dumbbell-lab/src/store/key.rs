//! The key of a run in the store: a hash of everything that its result depends on.
use dumbbell_plan::Plan;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::str::FromStr;

/// The version of all results. **Raise it by one whenever a fingerprint changes** (the golden ones
/// in `crates/dumbbell-sim/tests/golden.rs`, or any that their scenarios do not cover): every store
/// then runs everything again, and never mixes results of different code.
pub const RESULTS_VERSION: u32 = 14;

/// The beginning of a plan: its name is its first field.
const NAME: &[u8] = br#"{"name":"#;
const NAMELESS: &[u8] = br#"{"name":"""#;
/// Hashing takes long strides: bytes at a time.
const PIECE: usize = 1 << 16;

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

/// The identity of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// The key under which it is kept.
    pub key: Key,
    /// The hash of its plan, as the results say it: [`crate::api::plan_hash`].
    pub plan_hash: String,
}

impl Digest {
    /// The key of the run of `plan`, which includes the seed and the records. A scenario's name
    /// changes no result, so it is not in the key: the same experiment in another file is the same
    /// experiment. The plan is serialized once for both hashes: in a short run that is a few
    /// percent.
    pub fn of(plan: &mut Plan, audit: bool) -> Digest {
        Digest::made(plan, &format!("audit {audit}"))
    }

    /// The key of a live run of `plan`: the plan includes its settings, and no two live runs are
    /// alike; one of them is kept.
    pub fn of_testbed(plan: &mut Plan) -> Digest {
        Digest::made(plan, "on kernel")
    }

    /// The key of a run of `plan` on a user-mode kernel, of which `kernel` is the identity: the
    /// same run is the same each time.
    pub fn of_linux(plan: &mut Plan, kernel: &str) -> Digest {
        Digest::made(plan, &format!("on linux {kernel}"))
    }

    fn made(plan: &mut Plan, how: &str) -> Digest {
        // Plain data: there is no error to be had.
        let name = serde_json::to_vec(&plan.name).unwrap_or_default();
        let mut both = PlanHashes {
            named: blake3::Hasher::new(),
            keyed: blake3::Hasher::new(),
            skip: NAMELESS.len(),
        };
        both.named.update(NAME).update(&name);
        both.keyed.update(format!("dumbbell results {RESULTS_VERSION} {how}\n").as_bytes());
        let name = std::mem::take(&mut plan.name);
        let mut out = BufWriter::with_capacity(PIECE, &mut both);
        let written = serde_json::to_writer(&mut out, plan).is_ok() && out.flush().is_ok();
        debug_assert!(written, "hashers take all");
        drop(out);
        plan.name = name;
        let first = both.keyed.finalize().as_bytes()[..16].try_into().unwrap_or_default();
        Digest {
            key: Key(u128::from_be_bytes(first)),
            plan_hash: both.named.finalize().to_hex()[..16].to_string(),
        }
    }
}

/// The hash of a plan with its name and that without, of one text that is never there as a whole:
/// that of a plan of a million flows would be two gigabytes.
struct PlanHashes {
    named: blake3::Hasher,
    keyed: blake3::Hasher,
    /// The remaining bytes at the start of the text that both hashes skip, because the name was
    /// removed there.
    skip: usize,
}

impl Write for PlanHashes {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let skipped = self.skip.min(piece.len());
        self.skip -= skipped;
        let rest = &piece[skipped..];
        self.named.update(rest);
        self.keyed.update(rest);
        Ok(piece.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
