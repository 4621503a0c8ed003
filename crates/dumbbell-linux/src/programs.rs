//! Programs of the user's in a guest: what they find there, what they say, and how they end.
use crate::cpio::Archive;
use dumbbell_core::units::Time;
use dumbbell_emu::error::EnvError;
use dumbbell_emu::host::hosts::HostSpec;
use dumbbell_emu::live::iperf3;
use dumbbell_emu::live::user_program::{ProgramExit, ProgramOutcome, UserProgram};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Kinds of records: the agent's `report` module has them all.
const STARTED: u8 = 11;
const OUTPUT: u8 = 12;
const EXITED: u8 = 13;
const LACK: u8 = 14;
/// The outputs of a program.
const STDOUT: u8 = 0;

/// Character devices beside those that each guest has: their names and numbers.
const DEVICES: [(&str, (u32, u32)); 5] = [
    ("dev/zero", (1, 5)),
    ("dev/full", (1, 7)),
    ("dev/random", (1, 8)),
    ("dev/urandom", (1, 9)),
    ("dev/tty", (5, 0)),
];

/// Adds to a guest's files what its agent starts programs with: `folder` is where they start.
pub fn files(archive: Archive, of: &UserProgram, hosts: &[HostSpec], folder: &Path) -> Archive {
    let words = |words: &[String]| -> Vec<u8> {
        words.iter().flat_map(|word| word.bytes().chain([0])).collect()
    };
    let mut names = String::from("127.0.0.1 localhost\n");
    for host in hosts {
        let _ = writeln!(names, "{} {}", host.v4, host.name);
    }
    let archive = DEVICES
        .iter()
        .fold(archive, |archive, (name, numbers)| archive.device(name, *numbers))
        .folder("host")
        .file("cwd", 0o644, folder.as_os_str().as_bytes())
        .file("hosts", 0o644, names.as_bytes())
        .file("resolv.conf", 0o644, b"# A guest knows no name server.\n")
        .file("client", 0o644, &words(&of.client));
    match &of.server {
        Some(server) => archive.file("server", 0o644, &words(server)),
        None => archive,
    }
}

/// A program, as far as it was told.
#[derive(Default)]
struct Told {
    exit: ProgramExit,
    /// Standard output, if it is to be read: iperf3's.
    text: Option<Vec<u8>>,
}

impl Told {
    fn of(argv: &[String]) -> Told {
        let text = iperf3::is_json(argv).then(Vec::new);
        Told { exit: ProgramExit { argv: argv.to_vec(), ..ProgramExit::default() }, text }
    }

    fn outcome(self) -> ProgramExit {
        let text = self.text.map(|text| String::from_utf8_lossy(&text).into_owned());
        ProgramExit { iperf3: text.and_then(|text| iperf3::read(&text).ok()), ..self.exit }
    }
}

/// The programs of a run: first the client, then the server.
pub struct Programs {
    all: [Option<Told>; 2],
    /// Why they could not be run.
    pub lack: Option<EnvError>,
}

impl Programs {
    /// Nothing has been told yet.
    pub fn new(of: &UserProgram) -> Programs {
        let server = of.server.as_deref().map(Told::of);
        Programs { all: [Some(Told::of(&of.client)), server], lack: None }
    }

    /// Takes a record of the agent's. What programs say is said here, too.
    pub fn record(&mut self, kind: u8, at: Time, body: &[u8]) {
        if kind == LACK {
            let text = String::from_utf8_lossy(body);
            let (cause, fix) = text.split_once('\0').unwrap_or((&text, ""));
            self.lack = Some(EnvError::new(cause, fix));
            return;
        }
        let who = usize::from(body.first().copied().unwrap_or(u8::MAX));
        let Some(Some(told)) = self.all.get_mut(who) else { return };
        let number = |from: usize| {
            body.get(from..from + 4).and_then(|b| b.try_into().ok()).map_or(-1, i32::from_le_bytes)
        };
        match kind {
            STARTED => told.exit.started_s = Some(at.seconds()),
            OUTPUT => told.say(body.get(1).copied(), body.get(2..).unwrap_or_default()),
            EXITED => {
                told.exit.ended_s = Some(at.seconds());
                told.exit.in_time = Some(body.get(1) == Some(&0));
                told.exit.exit_code = Some(number(2)).filter(|code| *code >= 0);
                told.exit.signal = Some(number(6)).filter(|signal| *signal >= 0);
            }
            _ => {}
        }
    }

    /// The ends of both.
    pub fn outcome(self) -> ProgramOutcome {
        let [client, server] = self.all.map(|told| told.map(Told::outcome));
        ProgramOutcome { program: client.unwrap_or_default(), server, starved_share: 0.0 }
    }
}

impl Told {
    /// Whoever no longer reads this process's outputs misses what comes.
    fn say(&mut self, output: Option<u8>, bytes: &[u8]) {
        if output == Some(STDOUT) {
            self.text.iter_mut().for_each(|text| text.extend_from_slice(bytes));
            let mut out = io::stdout();
            let _ = out.write_all(bytes).and_then(|()| out.flush());
        } else {
            let _ = io::stderr().write_all(bytes);
        }
    }
}
