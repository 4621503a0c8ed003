//! Every test of this folder in one program: QUIC is generic over its congestion control, and each
//! program compiles it again. A new file needs a line here.
mod acks;
mod appendix;
mod controls;
mod frozen;
mod harness;
mod oracle;
mod recovery;
mod timers;

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
