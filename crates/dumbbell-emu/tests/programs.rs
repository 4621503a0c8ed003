//! Programs inside hosts: they are where they should be, say how they ended, and take with them
//! what they started.
use dumbbell_emu::host::namespace::Namespace;
use dumbbell_emu::host::program::{Captured, Program, capture};
use dumbbell_emu::host::testing::namespaces;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(20);

fn sh(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

fn run(script: &str) -> Captured {
    capture(&Namespace::new().unwrap(), sh(script), LONG, LONG).unwrap()
}

#[test]
fn it_runs_in_its_host_alone_and_says_how_it_ended() {
    if !namespaces() {
        return;
    }
    let seen = run("ls /proc/sys/net/ipv4/conf; echo oops >&2; ls -d /proc/[0-9]* | wc -l; exit 7");
    assert_eq!((seen.code, seen.in_time), (7, true));
    assert_eq!(String::from_utf8_lossy(&seen.stderr), "oops\n");
    let out = String::from_utf8_lossy(&seen.stdout);
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines[..3], ["all", "default", "lo"], "no device but its own");
    assert!(lines[3].trim().parse::<u32>().unwrap() <= 5, "its own processes only: {}", lines[3]);
    assert_eq!(run("kill -9 $$").code, 128 + 9);
    assert_eq!(run("exec 1>&-; sleep 0; exit 0").stdout, b"");
}

#[test]
fn its_end_is_never_missed_however_soon_it_comes() {
    if !namespaces() {
        return;
    }
    let namespace = Namespace::new().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    let end = capture(&namespace, Command::new("true"), LONG, LONG).unwrap();
                    assert_eq!((end.code, end.in_time), (0, true));
                }
            });
        }
    });
}

#[test]
fn what_is_not_there_is_named() {
    if !namespaces() {
        return;
    }
    let failure =
        Program::start(&Namespace::new().unwrap(), Command::new("no-such-program")).unwrap_err();
    assert!(
        failure.cause.contains("no-such-program") && failure.fix.contains("install"),
        "{failure}"
    );
}

#[test]
fn it_is_asked_to_end_and_killed_if_it_does_not() {
    if !namespaces() {
        return;
    }
    let namespace = Namespace::new().unwrap();
    let polite = sh("trap 'exit 3' TERM; echo up; while :; do sleep 0.01; done");
    let stubborn = sh("trap '' TERM; echo up; while :; do sleep 0.01; done");
    for (mut command, grace, code) in
        [(polite, LONG, 3), (stubborn, Duration::from_millis(50), 128 + 9)]
    {
        command.stdout(Stdio::piped());
        let mut program = Program::start(&namespace, command).unwrap();
        let mut line = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!((line.as_str(), program.wait_for(Duration::ZERO)), ("up\n", None));
        assert_eq!(program.stop(grace), code);
    }
    let timely = capture(&namespace, sh("sleep 60"), Duration::from_millis(50), LONG).unwrap();
    assert_eq!((timely.code, timely.in_time), (128 + 15, false));
}

#[test]
fn its_grandchildren_go_with_it_even_those_that_left_its_session() {
    if !namespaces() {
        return;
    }
    let namespace = Namespace::new().unwrap();
    // The grandchild says its number as this side knows it: the first of NSpid in a /proc of the
    // outer namespace is not to be had inside, so it is found by what it runs.
    let mark = format!("86{}.5", std::process::id());
    let script = format!("setsid sleep {mark} & sleep {mark} & echo up; wait");
    for by_drop in [true, false] {
        let mut program = Program::start(&namespace, {
            let mut c = sh(&script);
            c.stdout(Stdio::piped());
            c
        })
        .unwrap();
        let mut line = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(running(&mark) >= 1, "the shell at least has the mark in its arguments");
        if by_drop {
            drop(program);
        } else {
            program.kill();
        }
        assert_eq!(running(&mark), 0);
    }
}

/// Processes of the machine whose arguments have a word in them.
fn running(mark: &str) -> usize {
    let has = |path: &Path| {
        fs::read(path.join("cmdline"))
            .is_ok_and(|text| String::from_utf8_lossy(&text).contains(mark))
    };
    fs::read_dir("/proc").unwrap().flatten().filter(|entry| has(&entry.path())).count()
}
