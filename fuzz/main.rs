//! libFuzzer's entry: feeds the target that `DUMBBELL_FUZZ` names.
#![no_main]

mod targets;

use std::sync::OnceLock;

static CHOSEN: OnceLock<targets::Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(
    init: {
        let name = std::env::var("DUMBBELL_FUZZ").unwrap_or_default();
        let known = targets::TARGETS.iter().find(|t| t.name == name);
        let chosen = known.unwrap_or_else(|| panic!("there is no target `{name}`: see \
            fuzz/targets/mod.rs"));
        CHOSEN.set(*chosen).ok();
    },
    |data: &[u8]| {
        (CHOSEN.get().expect("chosen at the start").run)(data);
    }
);
