//! Nothing is left of a testbed, whatever ends it: a hundred ends, five ways.
#![allow(clippy::disallowed_methods, reason = "real hosts take real time")]
use dumbbell_emu::host::hosts::{Datapath, HostSpec, Hosts};
use dumbbell_emu::host::namespace::Namespace;
use dumbbell_emu::host::program::Program;
use dumbbell_emu::host::testing::namespaces;
use nix::sys::signal::{SigHandler, Signal, kill, signal};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio, exit};
use std::thread::sleep;
use std::time::Duration;

/// The environment variable that marks every process of one testbed.
const MARK: &str = "DUMBBELL_TEST_MARK";
/// The environment variable that names the way in which the testbed ends.
const WAY: &str = "DUMBBELL_TEST_WAY";
const WAYS: [&str; 5] = ["success", "error", "panic", "interrupt", "kill"];
/// The number of testbeds of each way that stand at once, and the number of repetitions.
const BESIDE: usize = 4;
const ROUNDS: usize = 5;

#[test]
fn nothing_is_left() {
    if let Ok(way) = std::env::var(WAY) {
        return testbed(&way);
    }
    if !namespaces() {
        return;
    }
    let before = Machine::look();
    let mut own = BTreeSet::new();
    for _ in 0..ROUNDS {
        let delays: Vec<_> = WAYS.into_iter().flat_map(|way| [way; BESIDE]).collect();
        let mut testbeds: Vec<_> = delays.iter().map(|way| start(way)).collect();
        // All of them stand before the first is ended. Their outputs are held open until all have.
        let seen: Vec<_> = testbeds.iter_mut().map(ready).collect();
        delays.iter().zip(&testbeds).for_each(|(way, child)| end(way, child));
        for ((way, mut child), (namespaces, _)) in delays.iter().zip(testbeds).zip(seen) {
            assert_eq!(namespaces.len(), 4, "{way}: four hosts with a namespace each");
            let status = child.wait().unwrap();
            assert_eq!((status.code(), status.signal()), expected(way), "{way}");
            own.extend(namespaces);
        }
    }
    settled(|| before.left(&own));
}

/// The other process's part: it starts four hosts with programs and their grandchildren, and then
/// ends in the given way.
fn testbed(way: &str) {
    // The parent of the tests may have made them ignore interrupts, as a shell does for background
    // jobs. SAFETY: no handler is installed, and none is replaced: this process has one thread that
    // knows of signals.
    unsafe { signal(Signal::SIGINT, SigHandler::SigDfl) }.expect("an interrupt can be had");
    let specs: Vec<_> = (0..4).map(|n| HostSpec::numbered(n, format!("h{n}"))).collect();
    let hosts = Hosts::up(&specs, Datapath::Auto).unwrap();
    let programs: Vec<_> = hosts.hosts.iter().map(|host| sleeper(&host.namespace)).collect();
    let inodes = hosts.hosts.iter().map(|host| {
        let status = nix::sys::stat::fstat(host.namespace.as_fd()).unwrap();
        status.st_ino.to_string()
    });
    // Not println!: the harness would keep it.
    let line = format!("\nready {}\n", inodes.collect::<Vec<_>>().join(" "));
    nix::unistd::write(std::io::stdout(), line.as_bytes()).unwrap();
    match way {
        "success" => drop((programs, hosts)),
        "error" => {
            let wrong = HostSpec { mtu: 0, ..HostSpec::numbered(4, "wrong") };
            exit(if Hosts::up(&[wrong], Datapath::Tun).is_err() { 4 } else { 0 });
        }
        "panic" => panic!("on purpose"),
        _ => sleep(Duration::from_secs(60)),
    }
}

fn sleeper(namespace: &Namespace) -> Program {
    let mut command = Command::new("sh");
    command.args(["-c", "setsid sleep 600 & sleep 600 & wait"]);
    Program::start(namespace, command).unwrap()
}

/// The environment entry that marks all processes of this run.
fn mark() -> String {
    format!("{MARK}={}", std::process::id())
}

fn start(way: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "nothing_is_left", "--nocapture"]).env("RUST_BACKTRACE", "0");
    command.env(MARK, std::process::id().to_string()).env(WAY, way);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().unwrap_or_else(|e| panic!("{way}: {e}"))
}

/// Waits until a testbed stands: the inodes of its namespaces, and the rest of what it says.
fn ready(child: &mut Child) -> (Vec<u64>, BufReader<ChildStdout>) {
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while output.read_line(&mut line).unwrap() > 0 {
        if let Some(inodes) = line.trim_end().strip_prefix("ready ") {
            return (inodes.split(' ').map(|n| n.parse().unwrap()).collect(), output);
        }
        line.clear();
    }
    (vec![], output)
}

/// Ends a testbed that does not by itself.
fn end(way: &str, child: &Child) {
    let pid = Pid::from_raw(child.id().cast_signed());
    match way {
        "interrupt" => kill(pid, Signal::SIGINT).unwrap(),
        "kill" => kill(pid, Signal::SIGKILL).unwrap(),
        _ => {}
    }
}

/// Its exit code, or the signal that ended it.
fn expected(way: &str) -> (Option<i32>, Option<i32>) {
    match way {
        "success" => (Some(0), None),
        "error" => (Some(4), None),
        "panic" => (Some(101), None),
        "interrupt" => (None, Some(libc::SIGINT)),
        _ => (None, Some(libc::SIGKILL)),
    }
}

/// Looks again until nothing is left, twenty times in ten seconds: the kernel takes its time.
fn settled(left: impl Fn() -> Vec<String>) {
    for _ in 0..20 {
        if left().is_empty() {
            return;
        }
        sleep(Duration::from_millis(500));
    }
    panic!("left: {:?}", left());
}

/// The traces that a testbed can leave on a machine.
struct Machine {
    namespaces: BTreeSet<u64>,
    mounts: BTreeSet<String>,
    devices: usize,
    files: usize,
}

fn lines(path: &str) -> usize {
    fs::read_to_string(path).unwrap().lines().count()
}

/// Mounts of the kinds that a testbed could have to do with.
fn mounts() -> BTreeSet<String> {
    let all = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let kind =
        |line: &&str| [" - proc ", " - nsfs ", " - sysfs "].iter().any(|kind| line.contains(kind));
    all.lines().filter(kind).map(str::to_owned).collect()
}

impl Machine {
    fn look() -> Machine {
        Machine {
            namespaces: networks(),
            mounts: mounts(),
            devices: lines("/proc/self/net/dev"),
            files: fs::read_dir("/proc/self/fd").unwrap().count(),
        }
    }

    /// Lists the remains of testbeds, including these namespaces, that did not exist before.
    fn left(&self, own: &BTreeSet<u64>) -> Vec<String> {
        let now = Machine::look();
        let mut left: Vec<String> = own
            .iter()
            .filter(|inode| now.namespaces.contains(inode) && !self.namespaces.contains(inode))
            .map(|inode| format!("network namespace {inode}"))
            .collect();
        left.extend(
            processes().filter(|path| is_marked(path)).map(|path| format!("{}", path.display())),
        );
        left.extend(now.mounts.difference(&self.mounts).cloned());
        for (what, before, now) in
            [("devices", self.devices, now.devices), ("files", self.files, now.files)]
        {
            if now > before {
                left.push(format!("{what}: {before} before, {now} now"));
            }
        }
        left
    }
}

fn processes() -> impl Iterator<Item = std::path::PathBuf> {
    let numbered = |path: &std::path::PathBuf| {
        path.file_name().is_some_and(|n| n.as_encoded_bytes()[0].is_ascii_digit())
    };
    fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path()).filter(numbered)
}

fn is_marked(process: &Path) -> bool {
    let word = mark() + "\0";
    fs::read(process.join("environ"))
        .is_ok_and(|text| text.windows(word.len()).any(|at| at == word.as_bytes()))
}

/// Every network namespace that a process is in or holds.
fn networks() -> BTreeSet<u64> {
    let mut all = BTreeSet::new();
    for process in processes() {
        let held = fs::read_dir(process.join("fd"))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        for path in held.chain([process.join("ns/net")]) {
            let target = fs::read_link(path).unwrap_or_default();
            let inode: Option<u64> = target
                .to_str()
                .and_then(|t| t.strip_prefix("net:[")?.strip_suffix(']')?.parse().ok());
            all.extend(inode);
        }
    }
    all
}
