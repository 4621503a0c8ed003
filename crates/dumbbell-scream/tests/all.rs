//! Every test of this folder in one program. A new file needs a line here.
mod harness;
mod laws;
mod reports;

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
