//! The threads of a run: opened before it, started at its clock, joined at its end.
use super::app::App;
use super::datagrams::{self, DatagramResult, DatagramsSent};
use super::job::{Job, SocketKind};
use super::jobs::Jobs;
use super::outcome::{Outcome, Outcomes};
use super::poller::{StopSignal, sleep_until};
use super::sampler::{Rows, Sampler, SenderSummary};
use super::sockets::{self, Pair, Within};
use super::ticks::Ticks;
use super::usage::CpuUsage;
use crate::clock::{Clock, monotonic_ns};
use crate::sys::sched::pin;
use crate::traffic::connection_state::ConnectionState;
use crate::traffic::receiver::{Progress, Received, Receiver};
use crate::traffic::sender;
use crate::traffic::sender::Sent;
use dumbbell_core::units::{Span, Time};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

/// Default interval of the senders' samples.
pub const SAMPLE_EVERY: Span = Span::from_ms(10);

/// Options of the two threads of a run's connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadOptions {
    /// The cores that the sending and the receiving thread stay on; by default they go where the
    /// kernel puts them.
    pub cores: Option<[usize; 2]>,
    /// True if received data is copied out of the kernel, as by an application that reads it; by
    /// default it is discarded inside.
    pub copies: bool,
}

/// Jobs with their sockets.
pub struct Opened {
    work: Vec<(Job, App, Pair)>,
    warmup: Time,
    end: Time,
    every: Option<Span>,
    threads: ThreadOptions,
}

/// Opens the sockets of all `jobs`, each in its host, by way of `within`. The hosts have been told
/// what they must be told.
///
/// # Errors
/// A host lacks the congestion control, or refuses an option; no descriptors are left.
pub fn open(jobs: Jobs, within: Within<'_>) -> io::Result<Opened> {
    let pairs = sockets::open(&jobs.jobs, within)?;
    let work = jobs
        .jobs
        .into_iter()
        .zip(jobs.apps)
        .zip(pairs)
        .map(|((job, app), pair)| (job, app, pair))
        .collect();
    Ok(Opened {
        work,
        warmup: jobs.warmup,
        end: jobs.end,
        every: jobs.every,
        threads: ThreadOptions::default(),
    })
}

type Worker<T> = Option<JoinHandle<io::Result<T>>>;

/// A run in progress.
pub struct Running {
    halt: StopSignal,
    rows: Rows,
    states: Vec<Arc<ConnectionState>>,
    /// For each job whether it is a connection, and its flow.
    kinds: Vec<(bool, usize)>,
    sender: Worker<(Vec<Sent>, CpuUsage)>,
    receiver: Worker<(Vec<Received>, Vec<Progress>, CpuUsage)>,
    sampler: Worker<(Vec<SenderSummary>, u64, CpuUsage)>,
    datagram_sender: Worker<(Vec<DatagramsSent>, CpuUsage)>,
    datagram_receiver: Worker<(Vec<DatagramResult>, Vec<Progress>, CpuUsage)>,
}

impl Opened {
    /// Works in this manner.
    #[must_use]
    pub fn with_threads(self, threads: ThreadOptions) -> Opened {
        Opened { threads, ..self }
    }

    /// Starts the threads of a run by `clock`, whose zero may lie ahead: nothing is sent before it.
    /// Senders are sampled `sample_every`.
    ///
    /// # Errors
    /// No descriptors or threads are left.
    pub fn start(self, clock: Clock, sample_every: Span) -> io::Result<Running> {
        let Opened { work, warmup, end, every, threads } = self;
        let (halt, rows) = (StopSignal::new()?, Rows::default());
        let is_tcp = |job: &Job| matches!(job.socket_kind, SocketKind::Tcp(_));
        let kinds: Vec<(bool, usize)> =
            work.iter().map(|(job, ..)| (is_tcp(job), job.flow)).collect();
        let (connections, datagrams): (Vec<_>, Vec<_>) =
            work.into_iter().partition(|(job, ..)| is_tcp(job));
        let ticks = Ticks::new(warmup, end, every);
        let states: Vec<Arc<ConnectionState>> = connections
            .iter()
            .map(|(job, _, pair)| {
                Arc::new(ConnectionState::new(Arc::clone(&pair.sender), job.rows))
            })
            .collect();
        let mut running = Running {
            halt,
            rows,
            states,
            kinds,
            sender: None,
            receiver: None,
            sampler: None,
            datagram_sender: None,
            datagram_receiver: None,
        };
        let span = (warmup, end);
        let begun = running.begin_datagrams(datagrams, clock, span, ticks.clone()).and_then(|()| {
            running.begin_connections(connections, clock, span, (ticks, sample_every, threads))
        });
        match begun {
            Ok(()) => Ok(running),
            Err(cause) => Err(running.abandoned(cause)),
        }
    }
}

/// A job with what it has.
type Work = (Job, App, Pair);

fn receivers(of: &[Work]) -> Vec<(Job, Arc<OwnedFd>)> {
    of.iter().map(|(job, _, pair)| (job.clone(), Arc::clone(&pair.receiver))).collect()
}

fn spawn<T: Send + 'static>(
    name: &str,
    clock: Clock,
    core: Option<usize>,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<JoinHandle<io::Result<T>>> {
    let begin = move || {
        if let Some(core) = core {
            pin(core)?;
        }
        while monotonic_ns() < clock.epoch() {
            sleep_until(clock.epoch());
        }
        work()
    };
    Builder::new().name(name.into()).spawn(begin)
}

/// The result of `worker`; `None` if there was nothing for it to do.
fn joined<T>(worker: Worker<T>) -> io::Result<Option<T>> {
    let answer = worker.map(|w| {
        w.join().unwrap_or_else(|_| {
            Err(io::Error::other(
                "a thread of the traffic \
            broke down",
            ))
        })
    });
    answer.transpose()
}

impl Running {
    // Receivers first, in both: what is sent at zero finds them.
    fn begin_datagrams(
        &mut self,
        work: Vec<Work>,
        clock: Clock,
        (warmup, end): (Time, Time),
        ticks: Ticks,
    ) -> io::Result<()> {
        if work.is_empty() {
            return Ok(());
        }
        let mut receiver = datagrams::Receiver::new(&receivers(&work), clock, ticks, &self.halt)?;
        receiver.poller().account_from(warmup);
        self.datagram_receiver = Some(spawn("datagrams in", clock, None, move || receiver.run())?);
        let task = |(job, app, pair): Work| datagrams::Task { job, app, socket: pair.sender };
        let tasks = work.into_iter().map(task).collect();
        let sender = datagrams::Sender::new(tasks, clock, warmup, end, &self.halt);
        self.datagram_sender = Some(spawn("datagrams out", clock, None, move || Ok(sender.run()))?);
        Ok(())
    }

    fn begin_connections(
        &mut self,
        work: Vec<Work>,
        clock: Clock,
        (warmup, end): (Time, Time),
        (ticks, sample_every, threads): (Ticks, Span, ThreadOptions),
    ) -> io::Result<()> {
        if work.is_empty() {
            return Ok(());
        }
        let [out_core, in_core] = [0, 1].map(|end| threads.cores.map(|cores| cores[end]));
        let mut receiver = Receiver::new(&receivers(&work), clock, ticks, &self.halt)?;
        if threads.copies {
            receiver.copies();
        }
        receiver.poller().account_from(warmup);
        self.receiver = Some(spawn("streams in", clock, in_core, move || receiver.run())?);
        let watched =
            work.iter().zip(&self.states).map(|((job, ..), l)| (job.flow, Arc::clone(l))).collect();
        let sampling = Ticks::new(warmup, end, Some(sample_every));
        let mut sampler = Sampler::new(watched, clock, sampling, &self.halt, self.rows.clone())?;
        sampler.poller().account_from(warmup);
        self.sampler = Some(spawn("sampler", clock, None, move || sampler.run())?);
        let task = |((job, app, _), state): (Work, &Arc<ConnectionState>)| sender::Task {
            job,
            app,
            state: Arc::clone(state),
        };
        let tasks = work.into_iter().zip(&self.states).map(task).collect();
        let mut sender = sender::Sender::new(tasks, clock, end, &self.halt)?;
        sender.poller().account_from(warmup);
        self.sender = Some(spawn("streams out", clock, out_core, move || sender.run())?);
        Ok(())
    }

    /// Ends the threads that there are already, as the others could not be started for `cause`.
    fn abandoned(self, cause: io::Error) -> io::Error {
        self.halt.set();
        // The results of the threads are dropped, because the cause is already known.
        _ = self.join();
        cause
    }

    /// The samples so far, for whoever does not want them to pile up.
    pub fn rows(&self) -> Rows {
        self.rows.clone()
    }

    /// The signal that ends the run early.
    pub fn halt(&self) -> StopSignal {
        self.halt.clone()
    }

    /// Waits for the end of the run: what came of each flow.
    ///
    /// # Errors
    /// A thread could not go on.
    pub fn join(self) -> io::Result<Outcomes> {
        let mut out = Outcomes::default();
        let (mut sent, mut received, mut seen) = (Vec::new(), Vec::new(), Vec::new());
        let (mut handed_over, mut came) = (Vec::new(), Vec::new());
        if let Some((what, spent)) = joined(self.sender)? {
            sent = what;
            out.spent.push(spent);
        }
        if let Some((what, progress, spent)) = joined(self.receiver)? {
            received = what;
            out.progress = progress;
            out.spent.push(spent);
        }
        if let Some((what, missed, spent)) = joined(self.sampler)? {
            (seen, out.missed_samples) = (what, missed);
            out.spent.push(spent);
        }
        if let Some((what, spent)) = joined(self.datagram_sender)? {
            handed_over = what;
            out.spent.push(spent);
        }
        if let Some((what, progress, spent)) = joined(self.datagram_receiver)? {
            came = what;
            out.progress.extend(progress);
            out.spent.push(spent);
        }
        out.progress.sort_by_key(|row| (row.at, row.flow));
        out.samples = self.rows.take();
        let controls = self.states.iter().map(|state| sockets::control(state.sender.as_fd()));
        let mut connections = sent.into_iter().zip(seen).zip(received).zip(controls);
        let mut datagrams = handed_over.into_iter().zip(came);
        for (is_connection, flow) in self.kinds {
            let outcome = if is_connection {
                connections
                    .next()
                    .map(|(((s, w), r), control)| Outcome::of_connection(flow, control, s, w, r))
            } else {
                datagrams.next().map(|(s, c)| Outcome::of_datagrams(flow, s, c))
            };
            out.flows.push(outcome.ok_or_else(|| io::Error::other("a flow was lost count of"))?);
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::usage::Role;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn a_run_that_cannot_begin_ends_the_threads_that_it_has() {
        let (halt, ended) =
            (StopSignal::new().expect("a descriptor"), Arc::new(AtomicBool::new(false)));
        let (said, told) = (halt.clone(), Arc::clone(&ended));
        let work = move || {
            // A sender whose run goes on for a while.
            let patience = monotonic_ns() + 10_000_000_000;
            while !said.is_set() && monotonic_ns() < patience {
                sleep_until(monotonic_ns() + 1_000_000);
            }
            told.store(said.is_set(), Ordering::Release);
            Ok((vec![], CpuUsage::so_far(Role::DatagramSender)))
        };
        let running = Running {
            halt,
            rows: Rows::default(),
            states: vec![],
            kinds: vec![(false, 0)],
            sender: None,
            receiver: None,
            sampler: None,
            datagram_sender: Some(spawn("datagrams out", Clock::start(), None, work).expect(
                "a \
                thread",
            )),
            datagram_receiver: None,
        };
        let cause = running.abandoned(io::Error::other("no descriptors are left"));
        assert_eq!(cause.to_string(), "no descriptors are left");
        assert!(ended.load(Ordering::Acquire), "it was told, and waited for");
    }
}
