//! Two real processes over one store, stopped at every system call: whatever the order in which
//! writers, readers, gc and repair take their steps, and wherever one is killed, no finished run is
//! lost and nothing is left over.
//!
//! The orders are a fixed set that takes seconds. `DUMBBELL_INTERLEAVE=all` tries all pairs of
//! places (`make interleave`).
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![expect(clippy::print_stderr, reason = "a test says how much it tried, and whether it could")]
#[path = "interleave/actor.rs"]
mod actor;
#[path = "interleave/scene.rs"]
mod scene;

use actor::{Actor, Stop, act};
use nix::libc;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Far behind the last call.
const END: usize = usize::MAX;
/// The number of times that a process may wait for the other one.
const WAITS: usize = 100;
/// Of all pairs of places, one in so many is tried.
const SAMPLE: usize = 40;
/// The pairs of roles: who is stopped, who runs meanwhile; and whether the store has a damaged row.
const PAIRS: [(&str, &str, bool); 21] = [
    ("write", "gc", false),
    ("gc", "write", false),
    ("write", "again", false),
    ("again", "write", false),
    ("write", "write", false),
    ("again", "gc", false),
    ("gc", "again", false),
    ("gc", "gc", false),
    ("gc", "read", false),
    ("read", "gc", false),
    ("gc", "check", false),
    ("check", "gc", false),
    ("check", "write", false),
    ("write", "check", false),
    ("repair", "repair", true),
    ("repair", "gc", true),
    ("gc", "repair", true),
    ("repair", "blind", true),
    ("blind", "repair", true),
    ("repair", "check", true),
    ("check", "repair", true),
];
/// The roles that are killed, each with whether the store has a damaged row.
const VICTIMS: [(&str, bool); 4] =
    [("write", false), ("again", false), ("gc", false), ("repair", true)];

/// One order of steps.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// The first stops before its call, the second runs up to a call of its own (or to its end),
    /// the first ends, the second ends.
    Switch(&'static str, &'static str, usize, usize, bool),
    /// It is killed before its call.
    Kill(&'static str, usize, bool),
}

/// A directory in memory, if there is one: what is tested is order, and a disk takes its time to
/// sync.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (entry, to) =
            (entry.as_ref().unwrap().path(), to.join(entry.as_ref().unwrap().file_name()));
        if entry.is_dir() { copy(&entry, &to) } else { assert!(std::fs::copy(&entry, &to).is_ok()) }
    }
}

/// Makes the stores that tests copy: a sound one, and one with a damaged row.
fn templates(dir: &Path) -> [PathBuf; 2] {
    [false, true].map(|damaged| {
        let store = dir.join(format!("template-{damaged}"));
        scene::make(&store, damaged);
        store
    })
}

fn start(role: &str, store: &Path) -> Actor {
    Actor::start("an_actor", role, store).unwrap()
}

/// Takes `one` to its end. Where it waits for the other one, that goes on until it waits, too, or
/// ends.
fn finish(one: &mut Actor, other: &mut Actor) -> Result<(), String> {
    for _ in 0..WAITS {
        if one.run_to(END) == Stop::Ended {
            return Ok(());
        }
        other.run_to(END);
    }
    Err("each waits for the other".into())
}

fn switch(
    store: &Path,
    first: &str,
    second: &str,
    (k, j): (usize, usize),
    damaged: bool,
) -> Result<(), String> {
    let (mut one, mut two) = (start(first, store), start(second, store));
    one.run_to(k);
    two.run_to(j);
    finish(&mut one, &mut two)?;
    finish(&mut two, &mut one)?;
    one.verdict()?;
    two.verdict()?;
    let also: Vec<u32> =
        [first, second].iter().flat_map(|role| scene::finishes(role)).copied().collect();
    scene::wrong(store, &also, damaged)
}

fn kill(store: &Path, role: &str, k: usize, damaged: bool) -> Result<(), String> {
    let mut victim = start(role, store);
    victim.run_to(k);
    victim.kill();
    let before = scene::finished(store);
    scene::play(if damaged { "repair" } else { "gc" }, store);
    let after = scene::finished(store);
    if !before.is_subset(&after) {
        return Err(format!("{before:?} became {after:?}"));
    }
    if !scene::finishes(role).is_empty() {
        scene::play(role, store); // The same command again.
    }
    scene::wrong(store, scene::finishes(role), damaged)
}

/// Counts the system calls that a role makes alone.
fn calls(role: &str, template: &Path, dir: &Path) -> usize {
    let store = dir.join(format!("alone-{role}"));
    copy(template, &store);
    let mut actor = start(role, &store);
    assert_eq!(actor.run_to(END), Stop::Ended, "{role} alone");
    let calls = actor.calls;
    actor.verdict().unwrap();
    std::fs::remove_dir_all(store).unwrap();
    calls
}

fn orders(templates: &[PathBuf; 2], dir: &Path) -> Vec<Order> {
    let all = std::env::var("DUMBBELL_INTERLEAVE").is_ok_and(|v| v == "all");
    let sample = if all { 1 } else { SAMPLE };
    let mut out = Vec::new();
    for (first, second, damaged) in PAIRS {
        let template = &templates[usize::from(damaged)];
        let (n, m) = (calls(first, template, dir), calls(second, template, dir));
        out.extend((1..=n).map(|k| Order::Switch(first, second, k, END, damaged)));
        let places = (1..=n).flat_map(|k| (1..=m).map(move |j| (k, j)));
        let some = places.enumerate().filter(|(i, _)| i % sample == 0);
        out.extend(some.map(|(_, (k, j))| Order::Switch(first, second, k, j, damaged)));
    }
    for (victim, damaged) in VICTIMS {
        let n = calls(victim, &templates[usize::from(damaged)], dir);
        out.extend((1..=n).map(|k| Order::Kill(victim, k, damaged)));
    }
    out
}

/// Returns true if this machine lets one process trace another.
fn permitted(dir: &Path) -> bool {
    let Err(e) = Actor::start("an_actor", "none", dir).map(Actor::kill) else { return true };
    let required = std::env::var("DUMBBELL_REQUIRE").unwrap_or_default();
    assert!(
        !required.split([',', ' ']).any(|word| word == "ptrace"),
        "ptrace is required here: \
        {e}"
    );
    eprintln!("not tested, because this machine does not permit ptrace: {e}");
    false
}

/// The process that is traced. Started by cargo it does nothing.
#[test]
fn an_actor() {
    act(scene::play);
}

#[test]
fn no_order_of_steps_and_no_kill_loses_a_run() {
    let dir = scratch();
    if !permitted(dir.path()) {
        return;
    }
    let templates = templates(dir.path());
    let orders = orders(&templates, dir.path());
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((i, order)) =
            Some(next.fetch_add(1, Relaxed)).and_then(|i| orders.get(i).map(|o| (i, *o)))
        {
            let store = dir.path().join(format!("store-{i}"));
            let (Order::Switch(.., damaged) | Order::Kill(.., damaged)) = order;
            copy(&templates[usize::from(damaged)], &store);
            let came = std::panic::catch_unwind(|| match order {
                Order::Switch(first, second, k, j, damaged) => {
                    switch(&store, first, second, (k, j), damaged)
                }
                Order::Kill(role, k, damaged) => kill(&store, role, k, damaged),
            });
            if let Err(why) = came.unwrap_or_else(|_| Err("see the panic above".into())) {
                failures.lock().unwrap().push(format!("{order:?}: {why}"));
            }
            std::fs::remove_dir_all(store).unwrap();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, Into::into) {
            scope.spawn(work);
        }
    });
    let failures = failures.into_inner().unwrap();
    eprintln!("{} orders of steps, {} of them wrong", orders.len(), failures.len());
    assert!(orders.len() > 500 && failures.is_empty(), "{}", failures.join("\n"));
}

/// Network file systems may have no locks.
#[test]
fn without_locks_nothing_is_removed_and_writers_go_on() {
    let dir = scratch();
    if !permitted(dir.path()) {
        return;
    }
    let [template, _] = templates(dir.path());
    let files = |store: &Path| ["segments", "records"].map(|name| scene::names(&store.join(name)));
    for role in ["tidy without locks", "write", "read", "check"] {
        let store = dir.path().join(role);
        copy(&template, &store);
        let before = files(&store);
        let mut actor = start(role, &store);
        actor.run(|call, _, _| (call == libc::SYS_flock).then_some(libc::ENOLCK));
        actor.verdict().unwrap_or_else(|said| panic!("{role}: {said}"));
        for (before, after) in before.iter().zip(&files(&store)) {
            assert!(before.is_subset(after), "{role} removed {:?}", before.difference(after));
        }
        scene::wrong(&store, scene::finishes(role), false).unwrap_or_else(|why| {
            panic!(
                "{role}: \
            {why}"
            )
        });
    }
}

/// A loss of power leaves only synced data: whenever a row is written, that is all that the row
/// needs.
#[test]
fn a_row_is_written_after_what_it_lists_is_on_the_disk() {
    let dir = scratch();
    if !permitted(dir.path()) {
        return;
    }
    let store = dir.path().join("store");
    std::fs::create_dir(&store).unwrap();
    let (mut synced, mut rows) = (BTreeMap::<PathBuf, BTreeSet<String>>::new(), 0);
    // Files by their content, as they may have been renamed since; folders by their names.
    let mut contents = BTreeSet::<Vec<u8>>::new();
    let mut actor = start("write", &store);
    actor.run(|call, file, link| {
        if [libc::SYS_fsync, libc::SYS_fdatasync].contains(&call) {
            match file.is_dir() {
                true => drop(synced.insert(file.into(), scene::names(file))),
                false => drop(contents.insert(std::fs::read(link).unwrap())),
            }
        }
        if call == libc::SYS_write
            && file.starts_with(store.join("segments"))
            && file.extension().is_some()
        {
            rows += 1;
            let series =
                std::fs::read_dir(store.join("records")).unwrap().map(|e| e.unwrap().path());
            let series: Vec<PathBuf> = series.collect();
            for folder in ["segments", "records"].map(|name| store.join(name)) {
                assert_eq!(
                    synced.get(&folder),
                    Some(&scene::names(&folder)),
                    "{folder:?} before \
                    row {rows}"
                );
            }
            for file in series
                .iter()
                .flat_map(|dir| std::fs::read_dir(dir).unwrap())
                .map(|e| e.unwrap().path())
            {
                assert!(
                    contents.contains(&std::fs::read(&file).unwrap()),
                    "{file:?} before row \
                    {rows}"
                );
            }
            // They were synced as a folder that grew, under its name then.
            let whole = |dir: &PathBuf| synced.values().any(|names| *names == scene::names(dir));
            assert!(series.iter().all(whole) && series.len() == 1, "{series:?} before row {rows}");
            let own = ["segments", "records", "store.json"].map(String::from);
            assert!(
                synced.get(&store).is_some_and(|names| own.iter().all(|name| names.contains(name)))
            );
        }
        None
    });
    actor.verdict().unwrap();
    assert_eq!(rows, 2);
    let row = scene::names(&store.join("segments")).pop_first().unwrap();
    assert!(
        contents.contains(&std::fs::read(store.join("segments").join(row)).unwrap()),
        "rows \
        are synced at the end"
    );
}
