//! Every input that the fuzz targets start from, and every one that ever broke them: in every
//! build, without libFuzzer.
#[path = "../../../fuzz/targets/mod.rs"]
mod targets;

use std::path::{Path, PathBuf};

fn files(folder: &str, target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(folder).join(target);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    entries.map(|e| e.expect("a readable folder").path()).collect()
}

#[test]
#[allow(clippy::print_stdout)]
fn seeds_and_what_was_found_break_nothing() {
    for target in targets::TARGETS {
        let seeds = files("corpus", target.name);
        assert!(seeds.len() >= 3, "fuzz/corpus/{} has too little to start from", target.name);
        for file in seeds.iter().chain(&files("regressions", target.name)) {
            println!("{}", file.display()); // Shown if it breaks.
            (target.run)(&std::fs::read(file).expect("a readable input"));
        }
    }
}

/// A seed whose bytes are cut short or changed, at every place: what files become on full disks and
/// bad cables.
#[test]
fn damaged_seeds_break_nothing() {
    for target in targets::TARGETS {
        for file in files("corpus", target.name) {
            let whole = std::fs::read(&file).expect("a readable input");
            let step = whole.len() / 40 + 1;
            for at in (0..whole.len()).step_by(step) {
                (target.run)(&whole[..at]);
                let mut changed = whole.clone();
                changed[at] = changed[at].wrapping_add(1 + (at % 7) as u8);
                (target.run)(&changed);
            }
        }
    }
}
