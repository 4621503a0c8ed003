//! Programs of the user's in the hosts: a client, with which the run ends, and perhaps a server.
//!
//! What they say goes to the controller, with who said it. The clock stands still while they
//! compute.
use crate::hosts::Namespace;
use crate::orders::Orders;
use crate::report::{Kind, NO_FLOW, Report};
use crate::{sys, world};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

const CLIENT: usize = 0;
const SERVER: usize = 1;
/// Words of the two, each with a zero behind it.
const WORDS: [&str; 2] = ["/client", "/server"];
/// What programs find in their environment, always the same.
const ENVIRONMENT: [(&str, &str); 5] = [
    ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("HOME", "/tmp"),
    ("TZ", "UTC"),
    ("LC_ALL", "C.UTF-8"),
    // OpenSSL adds random numbers and cycles of the real processor to the kernel's: not here.
    ("OPENSSL_ia32cap", "~0x4000000000000010:~0x40000"),
];
/// Time in which a server must begin to listen, and between two looks at it.
const PATIENCE: u64 = 3_000_000_000;
const LOOK: u64 = 1_000_000;
/// Time in which a program must end after it was asked to.
const GRACE: u64 = 2_000_000_000;
/// Bytes of output in one record.
const PIECE: usize = 1400;
/// Tokens of one program's descriptors: its two outputs, its end.
const TOKENS: u64 = 3;

/// A program that was started.
struct Program {
    child: Child,
    outputs: [Option<File>; 2],
    /// Ready when it has ended.
    end: OwnedFd,
    status: Option<ExitStatus>,
}

/// Why a run of programs ends early.
enum Fault {
    /// A program cannot be started, or has ended too early: the cause, and a fix.
    Lack(String, String),
    Failed(String),
}

impl From<String> for Fault {
    fn from(cause: String) -> Fault {
        Fault::Failed(cause)
    }
}

/// All programs of a run.
struct Programs<'a> {
    orders: &'a Orders<'a>,
    hosts: &'a [Namespace],
    report: &'a mut Report,
    poller: sys::Poller,
    clock: sys::Clock,
    folder: PathBuf,
    all: [Option<Program>; 2],
}

/// Runs the programs of `orders` until the client has ended, or the run's time is over.
pub fn run(orders: &Orders<'_>, hosts: &[Namespace], report: &mut Report) -> Result<(), String> {
    let folder = world::build()?;
    let poller = sys::Poller::new().map_err(|e| format!("could not wait for programs: {e}"))?;
    let clock = sys::Clock::from(orders.zero);
    let mut programs = Programs { orders, hosts, report, poller, clock, folder, all: [None, None] };
    let outcome = programs.run();
    sys::kill_all();
    match outcome {
        Err(Fault::Failed(cause)) => return Err(cause),
        Err(Fault::Lack(cause, fix)) => {
            let body = [cause.as_bytes(), b"\0", fix.as_bytes()].concat();
            report.add(Kind::Lack, NO_FLOW, 0, &[&body[..body.len().min(PIECE)]]);
        }
        Ok(()) => {}
    }
    Ok(())
}

impl Programs<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        self.until(0, |_| false)?;
        if let Some(host) = self.orders.server {
            self.start(SERVER, host)?;
            self.listens()?;
        }
        self.start(CLIENT, self.orders.client.unwrap_or(0))?;
        let in_time = self.until(self.orders.end, |all| has_ended(&all[CLIENT]))?;
        self.stop(CLIENT, !in_time)?;
        self.stop(SERVER, false)
    }

    /// Passes on what programs say until `done`, or until an instant: true if it is done.
    fn until(
        &mut self,
        at: u64,
        done: impl Fn(&[Option<Program>; 2]) -> bool,
    ) -> Result<bool, Fault> {
        let wake = self.orders.zero.saturating_add(at);
        let mut events = vec![];
        loop {
            if done(&self.all) {
                return Ok(true);
            }
            events.clear();
            let over = self.poller.wait(wake, &mut events);
            let over = over.map_err(|e| format!("could not wait for programs: {e}"))?;
            self.clock.turn();
            for (token, _) in &events {
                self.event((token / TOKENS) as usize, (token % TOKENS) as usize);
            }
            self.report.flush();
            if over {
                return Ok(done(&self.all));
            }
        }
    }

    fn event(&mut self, who: usize, what: usize) {
        if what < 2 {
            self.pass_on(who, what);
            return;
        }
        let Some(program) = &mut self.all[who] else { return };
        self.poller.remove(&program.end);
        program.status = program.child.try_wait().ok().flatten();
        // What it said last may have come with its end.
        (0..2).for_each(|output| self.pass_on(who, output));
    }

    /// Passes on what is there of an output.
    fn pass_on(&mut self, who: usize, output: usize) {
        let Some(program) = &mut self.all[who] else { return };
        let Some(from) = &mut program.outputs[output] else { return };
        let mut piece = [0; PIECE];
        loop {
            match from.read(&mut piece) {
                Ok(count @ 1..) => {
                    let head = [who as u8, output as u8];
                    let at = self.clock.now();
                    self.report.add(Kind::Output, NO_FLOW, at, &[&head, &piece[..count]]);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                Ok(0) | Err(_) => {
                    self.poller.remove(from);
                    program.outputs[output] = None;
                    return;
                }
            }
        }
    }

    fn start(&mut self, who: usize, host: usize) -> Result<(), Fault> {
        let said = |e| format!("could not start a program: {e}");
        let bytes = fs::read(WORDS[who]).map_err(said)?;
        let mut words = bytes.strip_suffix(b"\0").unwrap_or(&bytes).split(|byte| *byte == 0);
        let name = words.next().unwrap_or_default();
        let namespace = self.hosts.get(host).ok_or_else(|| String::from("it has no host"))?;
        let network = namespace.descriptor().map_err(said)?;
        let mut command = Command::new(std::ffi::OsStr::from_bytes(name));
        command
            .args(words.map(std::ffi::OsStr::from_bytes))
            .env_clear()
            .envs(ENVIRONMENT)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        sys::place(&mut command, network, world::ROOT.into(), self.folder.clone());
        let mut child = command.spawn().map_err(|e| lack(name, &e))?;
        let end = sys::end_of(child.id()).map_err(said)?;
        let first = who as u64 * TOKENS;
        let pipes =
            [child.stdout.take().map(OwnedFd::from), child.stderr.take().map(OwnedFd::from)];
        let outputs = pipes.map(|pipe| pipe.map(File::from));
        for (output, token) in outputs.iter().flatten().zip(first..) {
            sys::without_waiting(output).map_err(said)?;
            self.poller.add(output, token, sys::EPOLLIN).map_err(said)?;
        }
        self.poller.add(&end, first + 2, sys::EPOLLIN).map_err(said)?;
        self.clock.turn();
        self.report.add(Kind::Started, NO_FLOW, self.clock.now(), &[&[who as u8]]);
        self.all[who] = Some(Program { child, outputs, end, status: None });
        Ok(())
    }

    /// Waits until something in the server's host listens, or takes datagrams; a server that does
    /// neither within some time may still be right.
    fn listens(&mut self) -> Result<(), Fault> {
        let Some(id) = self.all[SERVER].as_ref().map(|server| server.child.id()) else {
            return Ok(());
        };
        self.clock.turn();
        let begun = self.clock.now();
        let mut next = begun;
        while next <= begun + PATIENCE {
            if listens(id) {
                return Ok(());
            }
            next += LOOK;
            if self.until(next, |all| has_ended(&all[SERVER]))? {
                let status = self.all[SERVER].as_ref().and_then(|server| server.status);
                let code = status.map_or(-1, |s| s.code().or(s.signal()).unwrap_or(-1));
                return Err(Fault::Lack(
                    format!("the server ended with code {code} before the program began"),
                    "run it by itself to see what it says".into(),
                ));
            }
        }
        Ok(())
    }

    /// Has a program end, and tells how it did. `late`: its time was over.
    fn stop(&mut self, who: usize, late: bool) -> Result<(), Fault> {
        let Some(id) = self.all[who].as_ref().map(|program| program.child.id()) else {
            return Ok(());
        };
        for signal in [sys::SIGTERM, sys::SIGKILL] {
            if !has_ended(&self.all[who]) {
                sys::signal_group(id, signal);
                self.clock.turn();
                let until = self.clock.now() + GRACE;
                self.until(until, |all| has_ended(&all[who]))?;
            }
        }
        let status = self.all[who].as_ref().and_then(|program| program.status);
        let number = |number: Option<i32>| number.unwrap_or(-1).to_le_bytes();
        let code = number(status.and_then(|status| status.code()));
        let signal = number(status.and_then(|status| status.signal()));
        let head = [who as u8, u8::from(late)];
        self.report.add(Kind::Exited, NO_FLOW, self.clock.now(), &[&head, &code, &signal]);
        Ok(())
    }
}

fn has_ended(program: &Option<Program>) -> bool {
    program.as_ref().is_some_and(|program| program.status.is_some())
}

/// True if a socket in the network of a process listens or takes datagrams (proc_net(5): states
/// 0A, 07).
fn listens(process: u32) -> bool {
    [("tcp", "0A"), ("udp", "07")].iter().any(|(table, state)| {
        let text = fs::read_to_string(format!("/proc/{process}/net/{table}")).unwrap_or_default();
        text.lines().skip(1).any(|line| line.split_whitespace().nth(3) == Some(state))
    })
}

fn lack(name: &[u8], error: &std::io::Error) -> Fault {
    let name = String::from_utf8_lossy(name);
    let fix = match error.kind() {
        ErrorKind::NotFound => format!(
            "install {name}, or give its whole path: programs have the folders of the system in \
            their PATH, and no others"
        ),
        ErrorKind::PermissionDenied => format!("make {name} executable"),
        _ => "`--on kernel` runs it on this machine's own kernel".into(),
    };
    Fault::Lack(format!("could not start {name}: {error}"), fix)
}
