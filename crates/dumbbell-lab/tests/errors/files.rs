//! Files that a scenario cannot be read from.
use dumbbell_lab::api;
use serde_json::json;

#[test]
fn a_circle_of_extends_names_the_chain() {
    let dir = tempfile::tempdir().unwrap();
    for (file, base) in [("a.toml", "b.toml"), ("b.toml", "c.toml"), ("c.toml", "a.toml")] {
        std::fs::write(dir.path().join(file), format!("extends = \"{base}\"\n")).unwrap();
    }
    let problem =
        api::plan(&json!({ "source": { "path": dir.path().join("a.toml") } })).unwrap_err();
    let cause = problem.json["problems"][0]["cause"].as_str().unwrap().to_string();
    assert_eq!(cause, "`extends` goes round: a.toml -> b.toml -> c.toml -> a.toml");
    assert!(problem.json["problems"][0]["file"].as_str().unwrap().ends_with("c.toml"));
}

#[test]
fn a_missing_file_is_an_error_of_the_scenario() {
    let problem = api::plan(&json!({ "source": { "path": "no/such.toml" } })).unwrap_err();
    assert_eq!(
        (problem.code, problem.json["problems"][0]["cause"].as_str()),
        (2, Some("there is no file no/such.toml"))
    );
}

/// A file that has no end, or that waits for another program, is never opened.
#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
    let service = |file: &str| {
        format!(
            "duration = \"1 s\"\n[dumbbell.bottleneck]\nrate = \"1 Mbps\"\ndelay = \"1 \
                ms\"\nservice = {{ kind = \"mahimahi\", file = \"{file}\" }}\n[[flow]]\n"
        )
    };
    let (end, _other) = std::io::pipe().unwrap();
    let passed = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&end));
    for (file, what) in [
        ("/dev/zero", "a device"),
        (passed.as_str(), "a pipe"),
        (pipe.to_str().unwrap(), "a pipe"),
        (
            "/dev",
            "a \
        directory",
        ),
    ] {
        for source in [
            json!({ "path": file }),
            json!({ "text": format!("extends = \"{file}\"") }),
            json!({ "text": service(file) }),
        ] {
            let problem = api::plan(&json!({ "source": source })).unwrap_err();
            let cause = problem.json["problems"][0]["cause"].as_str().unwrap();
            let expected = format!(
                "{file} cannot be read: it is {what}, and only regular files \
                are read"
            );
            assert_eq!((problem.code, cause), (2, expected.as_str()));
        }
    }
}

#[test]
fn a_scenario_that_is_too_long_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("long.toml");
    std::fs::File::create(&file).unwrap().set_len((16 << 20) + 1).unwrap();
    let problem = api::plan(&json!({ "source": { "path": file } })).unwrap_err();
    let cause = problem.json["problems"][0]["cause"].as_str().unwrap();
    assert!(cause.ends_with("cannot be read: it is larger than 16 MiB"), "{cause}");
}
