//! Compiles the agent, a program of its own that runs inside a guest: without any crate, and linked
//! statically, for a guest has no libraries. Where guests cannot be (they need x86-64 Linux) there
//! is none.
use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=agent");
    println!("cargo::rustc-check-cfg=cfg(agent)");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let target = variable("TARGET");
    if !target.starts_with("x86_64-") || variable("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    let out = PathBuf::from(variable("OUT_DIR")).join("agent");
    let status = Command::new(variable("RUSTC"))
        .args(["--edition", "2024", "--crate-name", "dumbbell_agent", "agent/main.rs", "-o"])
        .arg(&out)
        .args(["--target", &target, "-C", "target-feature=+crt-static", "-C", "opt-level=s"])
        .args(["-C", "panic=abort", "-C", "strip=symbols", "-C", "relocation-model=static"])
        .status()
        .expect("rustc runs");
    assert!(status.success(), "the agent does not compile");
    println!("cargo::rustc-cfg=agent");
}
