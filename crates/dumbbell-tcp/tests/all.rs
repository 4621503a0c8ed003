//! Every test of this folder in one program: TCP is generic over its congestion control, and each
//! program compiles it again. A new file needs a line here.
mod accecn;
mod cae;
mod colors;
mod commands;
mod dcr;
mod freeze;
mod frozen;
mod harness;
mod jersey;
mod laws;
mod needless;
mod path_mtu;
mod path_mtu_weather;
mod peach;
mod rates;
mod recovery;
mod signals;
mod tail;
mod timers;
mod transfer;
mod zero_window;

#[test]
fn every_file_of_this_folder_is_named_here() {
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let name = file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_string();
        assert!(
            name == "all" || include_str!("all.rs").contains(&format!("mod {name};")),
            "{name}"
        );
    }
}
