//! Vectors, read by a simulator that is not Verilator: Icarus Verilog runs the bench that comes
//! with them on our core.
use dumbbell_rtl::lockstep::parameter_sets::Mode;
use dumbbell_rtl::sources::CORE;
use dumbbell_rtl::testing::rtl;
use dumbbell_rtl::vectors::{FILES, write};
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

fn icarus() -> bool {
    let there = Command::new("iverilog").arg("-V").output().is_ok();
    let required = std::env::var("DUMBBELL_REQUIRE").unwrap_or_default();
    assert!(
        there || !required.split([',', ' ']).any(|word| word == "rtl"),
        "iverilog is required \
        here"
    );
    there && rtl()
}

fn vectors(dir: &Path, mode: &str, packets: u64) {
    let file = |name: &str| File::create(dir.join(name)).unwrap();
    let [stimulus, expected, bench, readme] = FILES;
    let written =
        write(&Mode::read(mode).unwrap(), packets, 3, &mut file(stimulus), &mut file(expected))
            .unwrap();
    fs::write(dir.join(bench), written.bench).unwrap();
    fs::write(dir.join(readme), written.readme).unwrap();
}

fn run(dir: &Path) -> String {
    for (name, text) in CORE {
        fs::write(dir.join(name), text).unwrap();
    }
    let files = CORE.iter().map(|(name, _)| *name);
    let made = Command::new("iverilog")
        .current_dir(dir)
        .args(["-g2012", "-o", "tb", FILES[2]])
        .args(files)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let ran = Command::new("vvp").current_dir(dir).arg("tb").output().unwrap();
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

#[test]
fn another_simulator_says_the_same() {
    if !icarus() {
        return;
    }
    for mode in ["sound+gap+idle+wred+adapt", "paper+constant"] {
        let dir = tempfile::tempdir().unwrap();
        vectors(dir.path(), mode, 3000);
        let said = run(dir.path());
        assert!(said.contains("PASS: 30"), "{mode}: {said}");
    }
}

#[test]
fn an_expectation_that_is_wrong_is_found() {
    if !icarus() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    vectors(dir.path(), "sound", 500);
    let path = dir.path().join(FILES[1]);
    let mut lines: Vec<String> =
        fs::read_to_string(&path).unwrap().lines().map(String::from).collect();
    let last = lines[400].pop().unwrap();
    lines[400].push(if last == '0' { '1' } else { '0' });
    fs::write(&path, lines.join("\n")).unwrap();
    assert!(run(dir.path()).contains("FAIL: decision 400"));
}

#[test]
fn every_line_is_a_word_and_every_packet_has_a_line() {
    let (mut stimulus, mut expected) = (vec![], vec![]);
    let written =
        write(&Mode::read("sound+idle").unwrap(), 2000, 9, &mut stimulus, &mut expected).unwrap();
    let (stimulus, expected) =
        (String::from_utf8(stimulus).unwrap(), String::from_utf8(expected).unwrap());
    assert!(stimulus.lines().all(|l| l.replace('_', "").len() == 21), "84 bits");
    assert!(expected.lines().all(|l| l.replace('_', "").len() == 15), "60 bits");
    assert_eq!(expected.lines().count() as u64, written.counts.packets);
    assert_eq!(
        stimulus.lines().filter(|l| l.split('_').nth(1) == Some("1")).count() as u64,
        written.counts.packets
    );
    assert!(written.bench.contains(&format!("Lines = {};", stimulus.lines().count())));
    assert!(!written.bench.contains('@') || !written.bench.contains("@LINES@"));
    assert!(written.readme.contains("sound+idle"));
}
