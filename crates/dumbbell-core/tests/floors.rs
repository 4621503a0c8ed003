//! The house: a floor may look only down.
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each crate and its floor. Two crates on one floor never see each other. Macros, which run in the
/// compiler, are below all.
const FLOORS: &[(&str, i32)] = &[
    ("dumbbell-macros", -1),
    ("dumbbell-core", 0),
    ("dumbbell-algos", 1),
    ("dumbbell-wire", 1),
    ("dumbbell-tcp", 2),
    ("dumbbell-quic", 2),
    ("dumbbell-scream", 2),
    ("dumbbell-plan", 3),
    ("dumbbell-script", 3),
    ("dumbbell-net", 4),
    ("dumbbell-sim", 5),
    ("dumbbell-emu", 5),
    ("dumbbell-scenario", 5),
    ("dumbbell-rtl", 5),
    ("dumbbell-linux", 6),
    ("dumbbell-results", 6),
    ("dumbbell-lab", 7),
    ("dumbbell-web", 7),
    ("dumbbell-py", 8),
];

/// The one crate below the lab that talks to a kernel, in files of its own.
const TESTBED: &str = "dumbbell-emu";
/// The one that runs compilers and loads what they made, from a cache of its own.
const RTL: &str = "dumbbell-rtl";
/// The lab in a browser: it reads no files either.
const WEB: &str = "dumbbell-web";
/// The one that runs user-mode kernels.
const LINUX: &str = "dumbbell-linux";

fn floor(name: &str) -> Option<i32> {
    FLOORS.iter().find(|(n, _)| *n == name).map(|(_, f)| *f)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect(
        "cargo metadata prints \
        JSON",
    );
    metadata["packages"].as_array().expect("a list of packages").clone()
}

/// The Rust files of a crate that are part of the product.
fn sources(crate_name: &str) -> Vec<(PathBuf, String)> {
    fn walk(dir: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(dir).expect("a folder of sources").flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                out.push(path);
            }
        }
    }
    let mut files = vec![];
    walk(&root().join("crates").join(crate_name).join("src"), &mut files);
    files
        .into_iter()
        .map(|p| (p.clone(), std::fs::read_to_string(p).expect("readable source")))
        .collect()
}

#[test]
fn every_crate_has_a_floor_and_looks_only_down() {
    let packages = packages();
    assert_eq!(packages.len(), FLOORS.len(), "a crate without a floor, or a floor without a crate");
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        let own = floor(name).unwrap_or_else(|| {
            panic!(
                "{name} has no floor: give it one here and \
            in ARCHITECTURE.md"
            )
        });
        for dependency in package["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            if let Some(below) = floor(used) {
                assert!(
                    below < own,
                    "{name} (floor {own}) looks up or sideways to {used} (floor \
                    {below})"
                );
            }
        }
    }
}

#[test]
fn only_the_door_names_python() {
    for package in packages() {
        let names: Vec<&str> = package["dependencies"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|d| d["name"].as_str())
            .collect();
        let python = names.iter().any(|n| n.starts_with("pyo3") || *n == "numpy");
        assert_eq!(python, package["name"] == "dumbbell-py", "{}", package["name"]);
    }
}

#[test]
fn what_is_below_the_lab_has_no_unsafe_no_io_and_no_clock() {
    let lab = floor("dumbbell-lab").unwrap();
    for (name, floor) in
        FLOORS.iter().filter(|(name, floor)| *floor < lab && ![TESTBED, RTL, LINUX].contains(name))
    {
        let sources = sources(name);
        let lib = &sources.iter().find(|(p, _)| p.ends_with("src/lib.rs")).unwrap().1;
        assert!(
            lib.contains("#![forbid(unsafe_code)]"),
            "{name} (floor {floor}) does not forbid \
            unsafe code"
        );
        for (path, text) in &sources {
            for word in [
                "std::fs",
                "std::io",
                "std::net",
                "std::thread",
                "Instant::now",
                "SystemTime",
                "HashMap",
                "println!",
            ] {
                assert!(!text.contains(word), "{} says {word}", path.display());
            }
        }
    }
}

/// From a scenario's text to its report, everything runs where there are no files, threads or
/// sockets: in a browser.
#[test]
fn scenario_and_simulator_need_no_operating_system() {
    let lab = floor("dumbbell-lab").unwrap();
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        let high = floor(name).is_none_or(|floor| floor >= lab && name != WEB);
        if [TESTBED, RTL, LINUX].contains(&name) || high {
            continue;
        }
        for dependency in
            package["dependencies"].as_array().unwrap().iter().filter(|d| d["kind"] != "dev")
        {
            let used = dependency["name"].as_str().unwrap();
            for word in ["arrow", "parquet", "rayon", "nix", "rustix", "libc", "tempfile", "rtrb"] {
                assert!(!used.starts_with(word), "{name} depends on {used}");
            }
        }
    }
}

#[test]
fn the_testbed_talks_to_the_kernel_in_its_own_place_and_writes_no_files() {
    for (path, text) in sources(TESTBED) {
        let own = path.components().any(|part| part.as_os_str() == "sys");
        assert!(
            own || !text.contains("unsafe {"),
            "{}: unsafe code belongs to src/sys",
            path.display()
        );
        assert!(!text.contains("File::create"), "{}: only the lab writes files", path.display());
    }
}

#[test]
fn the_rtl_is_loaded_in_its_own_place_and_has_no_clock_no_thread_and_no_network() {
    for (path, text) in sources(RTL) {
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let own = path.components().any(|part| part.as_os_str() == "sys");
        assert!(
            own || !text.contains("unsafe "),
            "{}: unsafe code belongs to src/sys",
            path.display()
        );
        for word in
            ["std::net", "thread::spawn", "Instant::now", "SystemTime::now", "HashMap", "println!("]
        {
            let said = text.lines().any(|line| line.contains(word) && !line.contains("eprintln!("));
            assert!(!said, "{} says {word}", path.display());
        }
        // The crate itself writes to temporary directories and to its cache only; files of the
        // user's are the lab's.
        let cache = path.ends_with("cache.rs")
            || path.ends_with("compile.rs")
            || path.ends_with("sources.rs");
        assert!(cache || !text.contains("fs::"), "{}: only the lab writes files", path.display());
    }
}

#[test]
fn user_mode_kernels_are_handled_in_their_own_place_and_see_no_real_time() {
    for (path, text) in sources(LINUX) {
        let own = path.components().any(|part| part.as_os_str() == "sys");
        assert!(
            own || !text.contains("unsafe {"),
            "{}: unsafe code belongs to src/sys",
            path.display()
        );
        for word in ["thread::spawn", "Instant::now", "SystemTime::now", "HashMap", "println!("] {
            assert!(!text.contains(word), "{} says {word}", path.display());
        }
        assert!(!text.contains("File::create"), "{}: only the lab writes files", path.display());
    }
}

/// A crate without `doctest` in its manifest would not run an example in its documentation.
#[test]
fn no_example_is_in_a_crate_that_runs_none() {
    for package in packages() {
        let runs = package["targets"].as_array().unwrap().iter().any(|t| t["doctest"] == true);
        for (file, text) in sources(package["name"].as_str().unwrap()) {
            let fences = text
                .lines()
                .map(str::trim_start)
                .filter_map(|line| line.strip_prefix("//!").or(line.strip_prefix("///")))
                .filter_map(|line| line.trim_start().strip_prefix("```"));
            let example = fences.step_by(2).find(|kind| !["text", "toml"].contains(kind));
            assert!(runs || example.is_none(), "{}: remove `doctest = false`", file.display());
        }
    }
}
