//! Puts the core's files into this crate, so that an installed package has them: those that
//! `rtl/red/core.f` lists, which is what every tool reads. Nothing is compiled here: machines
//! without Verilator build Dumbbell, too.
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    // In a checkout this is a link to `rtl`; a source distribution has the files here alone.
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo"))
        .join("../../python/dumbbell/shipped/rtl/red");
    let root = root.canonicalize().expect("the folder of the RTL");
    let list = root.join("core.f");
    println!("cargo:rerun-if-changed={}", list.display());
    let text = fs::read_to_string(&list).expect("the list of the core's files");
    let mut out = String::from("&[");
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("//")) {
        let path = root.join(line);
        assert!(
            path.is_file() && line.starts_with("core/"),
            "core.f lists {line}, which is not a \
            file of rtl/red/core"
        );
        println!("cargo:rerun-if-changed={}", path.display());
        let name = line.trim_start_matches("core/");
        writeln!(out, "({name:?}, include_str!({:?})),", path.display().to_string())
            .expect("a String takes everything");
    }
    out.push(']');
    let made = Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("core.rs");
    fs::write(made, out).expect("room for a list");
}
