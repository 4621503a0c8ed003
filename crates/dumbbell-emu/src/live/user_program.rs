//! A user's programs in the hosts of a run, in place of our own traffic: a client, with which the
//! run ends, and perhaps a server.
use crate::error::EnvError;
use crate::host::namespace::Namespace;
use crate::host::program::Program;
use crate::live::cpu_wait::CpuWait;
use crate::live::iperf3;
use serde::Serialize;
use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Time in which a server must begin to listen.
const PATIENCE: Duration = Duration::from_secs(3);
/// Time in which a program must end after it was asked to.
const GRACE: Duration = Duration::from_secs(2);
/// Between two looks.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The command lines to start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserProgram {
    /// The program, with which the run ends: its words.
    pub client: Vec<String>,
    /// The server, started before the client and ended after it; `None` if there is none.
    pub server: Option<Vec<String>>,
}

/// The end of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProgramExit {
    /// Command line.
    pub argv: Vec<String>,
    /// Exit code; `None` if a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// When it started, seconds of the run; of virtual time only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_s: Option<f64>,
    /// When it ended; of virtual time only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_s: Option<f64>,
    /// False if it was ended because the run's time was over; of virtual time only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_time: Option<bool>,
    /// Results of iperf3, if it ran with `--json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iperf3: Option<iperf3::Outcome>,
}

/// The ends of both programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProgramOutcome {
    /// The program.
    pub program: ProgramExit,
    /// The server, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ProgramExit>,
    /// The share of the time in which one of their threads was ready and had no processor: of the
    /// one that waited longest.
    #[serde(skip)]
    pub starved_share: f64,
}

/// Starts the programs, the client in the first host and the server in the second, and waits until
/// the client has ended, or `stop` is set, or `over` says that there is no router any more.
///
/// # Errors
/// A program that there is not, or a server that ended before anybody came.
pub fn run(
    user_program: &UserProgram,
    (client, server): (&Namespace, &Namespace),
    stop: &AtomicBool,
    over: &dyn Fn() -> bool,
) -> Result<ProgramOutcome, EnvError> {
    let mut waiting =
        user_program.server.as_ref().map(|argv| Running::start(argv, server)).transpose()?;
    if let Some(running) = &mut waiting {
        running.listens(server)?;
    }
    let mut running = Running::start(&user_program.client, client)?;
    let mut starved: Vec<CpuWait> =
        waiting.iter().chain([&running]).map(|guest| CpuWait::of(guest.program.id())).collect();
    while running.program.wait_for(POLL_INTERVAL).is_none()
        && !stop.load(Ordering::Relaxed)
        && !over()
    {
        starved.iter_mut().for_each(CpuWait::read_threads);
    }
    let starved_share = starved.iter().map(CpuWait::share).fold(0.0, f64::max);
    let program = running.end();
    Ok(ProgramOutcome { program, server: waiting.map(Running::end), starved_share })
}

/// A guest that was started.
struct Running {
    argv: Vec<String>,
    program: Program,
    /// The thread that reads iperf3's output and passes it on.
    output: Option<thread::JoinHandle<String>>,
}

impl Running {
    fn start(argv: &[String], namespace: &Namespace) -> Result<Running, EnvError> {
        let Some((name, words)) = argv.split_first() else {
            return Err(EnvError::new("no program is named", "name one"));
        };
        let mut command = Command::new(name);
        command.args(words);
        if iperf3::is_json(argv) {
            command.stdout(Stdio::piped());
        }
        let mut program = Program::start(namespace, command)?;
        let output = program.stdout.take().map(|mut from| {
            thread::spawn(move || {
                let mut text = Vec::new();
                // If the read fails, the text before the failure is all that there is.
                let _ = from.read_to_end(&mut text);
                let mut out = std::io::stdout();
                let _ = out.write_all(&text).and_then(|()| out.flush());
                String::from_utf8_lossy(&text).into_owned()
            })
        });
        Ok(Running { argv: argv.to_vec(), program, output })
    }

    /// Waits until something in the server's host listens, or takes datagrams; a server that does
    /// neither within some time may still be right.
    fn listens(&mut self, namespace: &Namespace) -> Result<(), EnvError> {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            if let Some(code) = self.program.wait_for(POLL_INTERVAL) {
                let cause = format!(
                    "the server `{}` ended with code {code} before the program began",
                    self.argv.join(" ")
                );
                return Err(EnvError::new(cause, "run it by itself to see what it says"));
            }
            if namespace.within(ready)? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn end(mut self) -> ProgramExit {
        let code = match self.program.wait_for(Duration::ZERO) {
            Some(code) => code,
            None => self.program.stop(GRACE),
        };
        let text = self.output.and_then(|thread| thread.join().ok());
        // The numbers of signals (signal(7)): what a program chose itself above them is its own
        // code.
        let signal = (129..=192).contains(&code).then(|| code - 128);
        ProgramExit {
            argv: self.argv,
            exit_code: signal.is_none().then_some(code),
            signal,
            iperf3: text.and_then(|text| iperf3::read(&text).ok()),
            ..ProgramExit::default()
        }
    }
}

/// True if a socket of this thread's namespace listens or takes datagrams (proc_net(5): states 0A,
/// 07).
fn ready() -> bool {
    let has = |table: &str, state: &str| {
        let text = fs::read_to_string(format!("/proc/thread-self/net/{table}")).unwrap_or_default();
        text.lines().skip(1).any(|line| line.split_whitespace().nth(3) == Some(state))
    };
    has("tcp", "0A") || has("tcp6", "0A") || has("udp", "07") || has("udp6", "07")
}
