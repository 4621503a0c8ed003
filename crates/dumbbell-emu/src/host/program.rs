//! A user's program inside a host: iperf3, curl, a shell. It ends with this process, however that
//! ends, and so does everything that it started.
use crate::error::{Context, EnvError};
use crate::host::namespace::Namespace;
use crate::sys::child;
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A program that was started.
#[derive(Debug)]
pub struct Program {
    /// Standard input, if the command said `Stdio::piped()`.
    pub stdin: Option<ChildStdin>,
    /// Standard output, likewise.
    pub stdout: Option<ChildStdout>,
    /// Standard error, likewise.
    pub stderr: Option<ChildStderr>,
    id: u32,
    end: Arc<End>,
    keeper: Option<JoinHandle<()>>,
}

/// The end of a program, once it came.
#[derive(Debug, Default)]
struct End {
    code: Mutex<Option<i32>>,
    told: Condvar,
}

impl End {
    fn lock(&self) -> MutexGuard<'_, Option<i32>> {
        self.code.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The exit code by the convention of shells: 128 and the number of the signal that ended it.
fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

impl Program {
    /// Starts a command inside a host. Its input and outputs are ours where the command does not
    /// say otherwise; its signals from a terminal come as ever.
    ///
    /// # Errors
    /// There is no such program, or it may not be run.
    pub fn start(namespace: &Namespace, mut command: Command) -> Result<Program, EnvError> {
        let network = namespace.as_fd().try_clone_to_owned().context(
            "duplicate the descriptor of \
            a namespace",
        )?;
        child::start_in_namespace(&mut command, network);
        let end = Arc::new(End::default());
        let (tell, hear) = mpsc::sync_channel(1);
        let name = command.get_program().to_string_lossy().into_owned();
        // A thread that lives as long as the program, which dies with the thread that started it
        // (prctl(2), PDEATHSIG).
        let thread = thread::Builder::new().name("program".to_owned());
        let shared = Arc::clone(&end);
        let keeper = thread.spawn(move || run_child(command, &tell, &shared)).context(
            "start a \
            thread",
        )?;
        match hear.recv() {
            Ok(Ok(started)) => {
                let Started { id, stdin, stdout, stderr } = started;
                Ok(Program { stdin, stdout, stderr, id, end, keeper: Some(keeper) })
            }
            Ok(Err(error)) => Err(start_error(&name, &error)),
            Err(_) => Err(EnvError::new(format!("could not start {name}"), "try again")),
        }
    }

    /// Process id.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Waits until it ends: its exit code, or 128 and the number of the signal that ended it.
    pub fn wait(&mut self) -> i32 {
        let mut code = self.end.lock();
        loop {
            if let Some(code) = *code {
                return code;
            }
            code = self.end.told.wait(code).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits as [`Program::wait`], but at most for `limit`; `None` if the program still runs then.
    pub fn wait_for(&mut self, limit: Duration) -> Option<i32> {
        let waited =
            self.end.told.wait_timeout_while(self.end.lock(), limit, |code| code.is_none());
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Sends it a signal, if it still runs.
    pub fn signal(&self, number: i32) {
        self.while_running(|id| child::signal(id, number));
    }

    /// Acts while the program surely runs: nobody reaps it before this lock is free, so that its
    /// process id is still its own.
    fn while_running(&self, act: impl FnOnce(u32) -> io::Result<()>) {
        let code = self.end.lock();
        if code.is_none() {
            drop(act(self.id)); // it may just have ended
        }
    }

    /// Asks it to end (SIGTERM); kills it with all that it started if it has not after `grace`.
    pub fn stop(&mut self, grace: Duration) -> i32 {
        self.signal(libc::SIGTERM);
        match self.wait_for(grace) {
            Some(code) => code,
            None => self.kill(),
        }
    }

    /// Ends it and all that it started at once.
    pub fn kill(&mut self) -> i32 {
        self.while_running(child::kill_tree);
        if self.wait_for(Duration::from_secs(2)).is_none() {
            // a program without a keeper that takes no notice of the first
            self.signal(libc::SIGKILL);
        }
        self.wait()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
        if let Some(keeper) = self.keeper.take() {
            drop(keeper.join());
        }
    }
}

struct Started {
    id: u32,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
}

/// The life of the thread that starts a program.
fn run_child(mut command: Command, tell: &mpsc::SyncSender<io::Result<Started>>, end: &End) {
    let started = command.spawn();
    drop(command); // and with it our descriptors of what the program inherited
    match started {
        Ok(mut child) => {
            let (stdin, stdout, stderr) =
                (child.stdin.take(), child.stdout.take(), child.stderr.take());
            drop(tell.send(Ok(Started { id: child.id(), stdin, stdout, stderr })));
            await_end(&child);
            let mut ended = end.lock();
            *ended = Some(child.wait().map_or(-1, code));
            drop(ended);
            end.told.notify_all();
        }
        Err(error) => drop(tell.send(Err(error))),
    }
}

/// Waits for the end without taking note of it, so that the number stays the process's own until
/// the lock is held.
fn await_end(child: &Child) {
    let pid = Pid::from_raw(child.id().cast_signed());
    while waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT)
        == Err(nix::errno::Errno::EINTR)
    {}
}

fn start_error(name: &str, error: &io::Error) -> EnvError {
    let fix = match error.kind() {
        ErrorKind::NotFound => format!("install {name}, or give its whole path"),
        ErrorKind::PermissionDenied => {
            format!(
                "make {name} executable; to enter a host, run it as root or in a user \
                namespace"
            )
        }
        _ => "look what the kernel says of it: dmesg | tail".to_owned(),
    };
    EnvError::new(format!("could not start {name}: {error}"), fix)
}

/// Output and end of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// Exit code, or 128 and the number of the signal that ended it.
    pub code: i32,
    /// All of its standard output.
    pub stdout: Vec<u8>,
    /// All of its standard error.
    pub stderr: Vec<u8>,
    /// False: it was ended because its time was up.
    pub in_time: bool,
}

/// Runs a command inside a host to its end and keeps what it writes; it gets no input. After
/// `limit` it is asked to end, and killed when it has not after `grace` (iperf3, when its peer is
/// gone, may wait forever).
///
/// # Errors
/// As [`Program::start`].
pub fn capture(
    namespace: &Namespace,
    mut command: Command,
    limit: Duration,
    grace: Duration,
) -> Result<Captured, EnvError> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = Program::start(namespace, command)?;
    let (out, err) = (program.stdout.take(), program.stderr.take());
    thread::scope(|scope| {
        let out = scope.spawn(|| drain(out));
        let err = scope.spawn(|| drain(err));
        let ended = program.wait_for(limit);
        let code = ended.unwrap_or_else(|| program.stop(grace));
        let all = |thread: thread::ScopedJoinHandle<'_, Vec<u8>>| thread.join().unwrap_or_default();
        Ok(Captured { code, stdout: all(out), stderr: all(err), in_time: ended.is_some() })
    })
}

fn drain(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = vec![];
    if let Some(mut pipe) = pipe {
        // A pipe that breaks has been read as far as it goes.
        drop(pipe.read_to_end(&mut bytes));
    }
    bytes
}
