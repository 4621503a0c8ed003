//! The thread that sends over connections: it opens each at its start, writes what the application
//! hands over, and closes when the application does.
use super::app::{Act, App};
use super::job::Job;
use super::poller::{Poller, StopSignal};
use super::usage::{CpuUsage, Role};
use crate::clock::Clock;
use crate::sys::tcp as call;
use crate::traffic::connection_state::ConnectionState;
use dumbbell_core::probe::Gauges;
use dumbbell_core::units::{Span, Time};
use nix::errno::Errno;
use nix::sys::epoll::EpollFlags;
use nix::sys::socket::{
    MsgFlags, Shutdown, SockaddrStorage, connect, getsockopt, send, shutdown, sockopt,
};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;

/// Results of the sending end of a connection.
#[derive(Clone, Debug, Default)]
pub struct Sent {
    /// Time of the opening.
    pub opened: Option<Time>,
    /// Time of the complete handshake.
    pub established: Option<Time>,
    /// Bytes that its socket took from the application.
    pub written: u64,
    /// True if the application has closed, and the socket has all of its bytes.
    pub closed: bool,
    /// Measures of the application.
    pub application: Gauges,
    /// The error that broke the connection.
    pub failure: Option<String>,
}

/// Bytes of one write at most.
const PIECE: usize = 256 << 10;

/// Interval at which a connection that waits for acknowledgments is checked, should the kernel not
/// tell.
const LOOK: Span = Span::from_ms(20);

/// A connection of this thread.
pub struct Task {
    /// The job.
    pub job: Job,
    /// The application.
    pub app: App,
    /// The state shared with other threads.
    pub state: Arc<ConnectionState>,
}

struct Flow {
    to: SocketAddr,
    app: App,
    state: Arc<ConnectionState>,
    sent: Sent,
    /// Bytes that the application handed over and the socket has not taken; [`u64::MAX`]: no end of
    /// them.
    backlog: u64,
    /// True if the application has closed.
    closing: bool,
    /// True if the socket is full; it then tells when it is not.
    full: bool,
    /// The instant of its entry that counts.
    armed: Time,
    over: bool,
}

/// Sends all of `jobs` until `end`.
pub struct Sender {
    clock: Clock,
    end: Time,
    poller: Poller,
    flows: Vec<Flow>,
    /// Times when flows act next; an entry at another time than its flow is armed for is stale.
    due: BinaryHeap<Reverse<(Time, usize)>>,
    piece: Vec<u8>,
}

impl Sender {
    /// A connection for each of `tasks`.
    ///
    /// # Errors
    /// No descriptors are left.
    pub fn new(tasks: Vec<Task>, clock: Clock, end: Time, halt: &StopSignal) -> io::Result<Sender> {
        let flow = |Task { job, app, state }| {
            let (to, armed) = (job.to, app.next());
            let sent = Sent::default();
            Flow {
                to,
                app,
                state,
                sent,
                backlog: 0,
                closing: false,
                full: false,
                armed,
                over: false,
            }
        };
        let flows: Vec<Flow> = tasks.into_iter().map(flow).collect();
        let due = flows.iter().enumerate().map(|(i, f)| Reverse((f.armed, i))).collect();
        let poller = Poller::new(clock, halt)?;
        Ok(Sender { clock, end, poller, flows, due, piece: vec![0; PIECE] })
    }

    /// The thread's clock, for an account of what it costs.
    pub fn poller(&mut self) -> &mut Poller {
        &mut self.poller
    }

    /// Works until the end, or until it is told that it is over.
    ///
    /// # Errors
    /// The kernel cannot wait.
    pub fn run(mut self) -> io::Result<(Vec<Sent>, CpuUsage)> {
        let mut events = Vec::new();
        loop {
            let now = self.clock.now();
            self.act_until(now);
            if now >= self.end {
                break;
            }
            let until = self.due.peek().map_or(Time::NEVER, |Reverse((at, _))| *at).min(self.end);
            events.clear();
            if !self.poller.wait(until, |token, what| events.push((token as usize, what)))? {
                break;
            }
            for &(i, what) in &events {
                self.on_event(i, what);
            }
        }
        let end = self.end;
        let close = |mut flow: Flow| {
            flow.sent.application = flow.app.measured(end);
            flow.sent
        };
        let spent = self.poller.spent(Role::Sender);
        Ok((self.flows.into_iter().map(close).collect(), spent))
    }

    /// Carries out all actions of applications by `now`.
    fn act_until(&mut self, now: Time) {
        while let Some(&Reverse((at, i))) = self.due.peek()
            && at <= now
        {
            self.due.pop();
            let flow = &mut self.flows[i];
            if flow.over || flow.armed != at {
                continue;
            }
            flow.armed = Time::NEVER;
            if flow.app.next() == at {
                match flow.app.act() {
                    Act::Open => self.open(i),
                    Act::Write(bytes) => flow.backlog = flow.backlog.saturating_add(bytes),
                    // A transfer without an end is cut off here; one with an end is sent to the
                    // last byte.
                    Act::Close if flow.backlog == u64::MAX => {
                        (flow.backlog, flow.closing) = (0, true)
                    }
                    Act::Close => flow.closing = true,
                }
            }
            self.flush(i);
            self.check_acknowledged(i);
            self.plan_next(i);
        }
    }

    /// Schedules the next action of flow `i`: its application's, or a check for acknowledgments.
    fn plan_next(&mut self, i: usize) {
        let flow = &mut self.flows[i];
        let check_acknowledged =
            if flow.app.waits() { self.clock.now() + LOOK } else { Time::NEVER };
        let at = flow.app.next().min(check_acknowledged);
        if at < flow.armed && !flow.over {
            flow.armed = at;
            self.due.push(Reverse((at, i)));
        }
    }

    fn open(&mut self, i: usize) {
        let flow = &mut self.flows[i];
        flow.sent.opened = Some(self.clock.now());
        let socket = &*flow.state.sender;
        let result = match connect(socket.as_raw_fd(), &SockaddrStorage::from(flow.to)) {
            Ok(()) | Err(Errno::EINPROGRESS) => {
                self.poller.add(socket, i as u64, EpollFlags::EPOLLOUT)
            }
            Err(e) => Err(e.into()),
        };
        flow.state.opened();
        flow.full = true;
        if let Err(e) = result {
            self.fail(i, format!("could not connect: {e}"));
        }
    }

    /// The socket of `i` has something to say.
    fn on_event(&mut self, i: usize, what: EpollFlags) {
        let flow = &mut self.flows[i];
        if flow.over {
            return;
        }
        let socket = &*flow.state.sender;
        if what.intersects(EpollFlags::EPOLLERR | EpollFlags::EPOLLHUP) {
            // The error queue tells of acknowledgments; what else there is, is an error.
            let events = call::clear_errors(socket.as_fd());
            let error = getsockopt(socket, sockopt::SocketError).unwrap_or(0);
            if error != 0 {
                return self.fail(i, io::Error::from_raw_os_error(error).to_string());
            }
            if events == 0 && what.contains(EpollFlags::EPOLLHUP) {
                return self.finish(i);
            }
        }
        let flow = &mut self.flows[i];
        if what.contains(EpollFlags::EPOLLOUT) {
            let now = self.clock.now();
            flow.sent.established.get_or_insert(now);
            flow.full = false;
        }
        self.flush(i);
        self.check_acknowledged(i);
        self.plan_next(i);
    }

    /// Hands the socket of `i` as much as it takes.
    fn flush(&mut self, i: usize) {
        let flow = &mut self.flows[i];
        let socket = &*flow.state.sender;
        while flow.backlog > 0 && !flow.full && !flow.over {
            let count = flow.backlog.min(PIECE as u64) as usize;
            let flags = MsgFlags::MSG_NOSIGNAL | MsgFlags::MSG_DONTWAIT;
            match send(socket.as_raw_fd(), &self.piece[..count], flags) {
                Ok(taken) => {
                    flow.sent.written += taken as u64;
                    if flow.backlog != u64::MAX {
                        flow.backlog -= taken as u64;
                    }
                }
                Err(Errno::EAGAIN | Errno::ENOBUFS) => flow.full = true,
                Err(Errno::EINTR) => {}
                Err(e) => return self.fail(i, e.to_string()),
            }
        }
        self.update_interest(i);
    }

    /// Registers interest in free room, and closes if it is time.
    fn update_interest(&mut self, i: usize) {
        let flow = &mut self.flows[i];
        if flow.over || flow.sent.established.is_none() {
            return;
        }
        let socket = &*flow.state.sender;
        let interest = if flow.full { EpollFlags::EPOLLOUT } else { EpollFlags::empty() };
        // Errors and the other end's are told of in any case.
        let _ = self.poller.change(socket, i as u64, interest);
        if flow.closing && flow.backlog == 0 && !flow.sent.closed {
            flow.sent.closed = true;
            // The other end may have gone before.
            let _ = shutdown(socket.as_raw_fd(), Shutdown::Write);
        }
    }

    /// Tells the application of flow `i` if everything was acknowledged, and it waits for that.
    fn check_acknowledged(&mut self, i: usize) {
        let flow = &mut self.flows[i];
        if flow.over || !flow.app.waits() || flow.backlog > 0 || flow.sent.established.is_none() {
            return;
        }
        if matches!(call::unacknowledged(flow.state.sender.as_fd()), Ok(0)) {
            flow.app.acknowledged(self.clock.now());
        }
    }

    /// Both ends have closed: the account is that of now.
    fn finish(&mut self, i: usize) {
        let flow = &mut self.flows[i];
        flow.over = true;
        flow.state.finished();
        let _ = self.poller.remove(&*flow.state.sender);
    }

    fn fail(&mut self, i: usize, cause: String) {
        self.flows[i].sent.failure = Some(cause);
        self.finish(i);
    }
}
