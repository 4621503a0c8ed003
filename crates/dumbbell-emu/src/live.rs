//! A run between real hosts, from its plan to its outcome.
//!
//! ```text
//! plan -> hosts, NICs, sockets -> calibration -> router, traffic and collector in parallel
//!      -> log, outcomes, measures
//! log  -> replay through the same network, which must give the same result
//! ```
//!
//! The router's thread only routes. All records of a run are made from its log after the run, by
//! the code that records simulations ([`mod@replay`]).
pub(crate) mod collector;
pub(crate) mod cpu_wait;
pub mod error;
pub mod host_map;
pub mod iperf3;
pub mod replay;
pub mod report;
pub mod series;
pub mod spurious;
pub mod user_program;
pub mod watch;

use crate::calibrate::{self, Calibration, ProbeHosts, WakeupDelays};
use crate::clock::{Clock, monotonic_ns};
use crate::error::EnvError;
use crate::host::hosts;
use crate::host::hosts::{Datapath, HostSpec, Hosts, PendingNic};
use crate::host::nic::Nic;
use crate::log::{self, Header, Totals};
use crate::packet::classify::Classifier;
use crate::router::ip_codec::IpCodec;
use crate::router::log_ring::Capture;
use crate::router::measures::bottleneck::Bottleneck;
use crate::router::network::ObservedRelay;
use crate::router::reserved_core::Reserved;
use crate::router::{Finished, Router, Setup};
use crate::traffic::job::SocketKind;
use crate::traffic::poller::realtime_ns;
use crate::traffic::{self, Jobs, Outcomes, ThreadOptions};
use dumbbell_core::plugin::Plugins;
use dumbbell_core::units::{Span, Time};
use dumbbell_net::Relay;
use dumbbell_plan::{Plan, Transport};
use dumbbell_wire::address::Address;
use dumbbell_wire::five_tuple::FiveTuple;
use dumbbell_wire::protocol;
use error::LiveFault;
use host_map::HostMap;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use user_program::{ProgramOutcome, UserProgram};
use watch::{QueueRows, Showing, Watch};

/// Time from the start of the last thread to the run's zero.
const HEAD_START: Duration = Duration::from_millis(20);
/// Between two looks at who wants to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A run: its plan, its log, its callbacks.
pub struct RunOptions<'a> {
    /// The run.
    pub plan: &'a Plan,
    /// Algorithms that are not of the catalogue.
    pub plugins: &'a Plugins,
    /// The destination of the log.
    pub log: Box<dyn Write + Send>,
    /// Programs whose packets take the plan's flows in turn, in place of traffic of our own; the
    /// run ends with them.
    pub user_program: Option<&'a UserProgram>,
    /// Options of the traffic's threads.
    pub threads: ThreadOptions,
    /// Set from outside to end the run, without results; with user programs it asks these to end.
    pub stop: &'a AtomicBool,
    /// Told what the machine can do now, before the traffic starts.
    pub estimate: &'a dyn Fn(&Calibration),
    /// Told some twenty times a second how far it is, 0 to 1.
    pub progress: &'a (dyn Fn(f64) + Sync),
    /// Shown what the queues and the senders are like, some ten times a second.
    pub watch: Option<Watch<'a>>,
}

/// A run that was made. What its network found is given out with its [`crate::validity::Validity`]
/// and not without.
pub struct LiveRun {
    /// The router.
    pub finished: Finished<ObservedRelay<QueueRows>, IpCodec>,
    /// Outcomes of the traffic.
    pub outcomes: Outcomes,
    /// The ends of the user's programs.
    pub program_outcome: Option<ProgramOutcome>,
    /// Totals at the end of the log.
    pub totals: Totals,
    /// Calibration before the run; `None` if it was not asked for.
    pub calibration: Option<Calibration>,
    /// The kind of NIC.
    pub datapath: &'static str,
}

/// Makes a run: its hosts come up, its traffic flows through the router until the plan's end, and
/// all of it is gone.
///
/// # Errors
/// The kernel or this machine lacks something, the machine cannot keep up, something broke, or the
/// run was stopped.
pub fn run(options: RunOptions<'_>) -> Result<LiveRun, LiveFault> {
    let plan = options.plan;
    let mut testbed = Testbed::of(plan, options.user_program.is_some())?;
    let datapath = if testbed.hosts.datapath == Datapath::Tun { "tun" } else { "af_packet" };
    let mut calibration = None;
    if plan.testbed.calibrate {
        let found = testbed.measure(plan)?;
        calibrate::check(plan, &found).map_err(LiveFault::Overload)?;
        calibration = Some(stalled(plan, found, testbed.core())?);
    }
    let core = testbed.core();
    calibration.iter().for_each(options.estimate);
    let Testbed { host_map, mut jobs, hosts, nics, reserved: _reserved, .. } = testbed;
    let mut classifier = classifier(plan, &host_map, &jobs);
    if options.user_program.is_some() {
        pool_flows(&mut classifier, plan, &host_map);
        (jobs.jobs, jobs.apps) = (vec![], vec![]);
    }
    let (done, totals) = run_threads(options, &host_map, (jobs, classifier), (&hosts, nics, core))?;
    let Done { finished, outcomes, program_outcome } = done;
    Ok(LiveRun { finished, outcomes, program_outcome, totals, calibration, datapath })
}

/// Packets between two hosts take the flows between these in turn, connection by connection.
pub fn pool_flows(classifier: &mut Classifier, plan: &Plan, host_map: &HostMap) {
    let pairs = plan
        .flows
        .iter()
        .map(|flow| [host_map.nic(flow.from), host_map.nic(flow.to)].map(u32::from));
    for [from, to] in pairs.clone() {
        let flows = (0..)
            .zip(pairs.clone())
            .filter(|(_, pair)| *pair == [from, to])
            .map(|(flow, _)| flow)
            .collect();
        classifier.pool(from, to, None, flows);
    }
}

/// The packet rate that this machine forwards between the hosts of `plan`; half a second, without a
/// run.
///
/// # Errors
/// As [`run`], but for what a run alone may find.
pub fn ceiling(plan: &Plan) -> Result<Calibration, LiveFault> {
    Testbed::of(plan, true)?.measure(plan)
}

/// The hosts of a plan with their open NICs.
struct Testbed {
    host_map: HostMap,
    jobs: Jobs,
    /// The MTU of each host.
    mtus: Vec<u32>,
    hosts: Hosts,
    nics: Vec<Box<dyn Nic>>,
    /// The router's core, which the hosts' threads stay off while this lives.
    reserved: Option<Reserved>,
}

impl Testbed {
    /// Brings them up, for traffic of our own or for programs (`user_program`).
    fn of(plan: &Plan, user_program: bool) -> Result<Testbed, LiveFault> {
        traffic::sockets::permit_descriptors().map_err(failed)?;
        let host_map = HostMap::of(plan);
        let jobs = traffic::plan(plan, &|node, ip| host_map.address(node, ip))
            .map_err(LiveFault::Unsupported)?;
        let specs = host_map.specs(plan, &jobs.host_settings);
        let specs = if user_program { with_congestion_control(specs, &jobs) } else { specs };
        let reserved = plan.testbed.core.map(Reserved::of).transpose()?;
        let mut hosts = Hosts::up(&specs, plan.testbed.datapath)?;
        let nics = hosts.nics.drain(..).map(PendingNic::open).collect::<Result<Vec<_>, _>>()?;
        let mtus = specs.iter().map(|spec| spec.mtu).collect();
        Ok(Testbed { host_map, jobs, mtus, hosts, nics, reserved })
    }

    /// The router's core, if it has one of its own.
    fn core(&self) -> Option<usize> {
        self.reserved.as_ref().map(|reserved| reserved.core)
    }

    /// Calibrates between the hosts of the first flow.
    fn measure(&mut self, plan: &Plan) -> Result<Calibration, LiveFault> {
        let ends = ends(plan, &self.host_map, &self.hosts, self.mtus.iter().copied())?;
        let nics = std::mem::take(&mut self.nics);
        let (found, nics) =
            calibrate::measure(nics, &ends, plan.testbed.wait.into(), true, self.core())
                .map_err(failed)?;
        self.nics = nics;
        Ok(found)
    }
}

/// Results of router and traffic.
struct Done {
    finished: Finished<ObservedRelay<QueueRows>, IpCodec>,
    outcomes: Outcomes,
    program_outcome: Option<ProgramOutcome>,
}

/// The congestion control of the first flow that has one, by its name in the kernel.
pub fn control_of(jobs: &Jobs) -> Option<&'static str> {
    jobs.jobs.iter().find_map(|job| match &job.socket_kind {
        SocketKind::Tcp(connection) => Some(connection.control),
        SocketKind::Udp(_) => None,
    })
}

/// Hosts whose programs use the congestion control of the flows that they have, where they ask for
/// none.
fn with_congestion_control(specs: Vec<HostSpec>, jobs: &Jobs) -> Vec<HostSpec> {
    let control = control_of(jobs);
    let own = |mut spec: HostSpec| {
        // By its route: a machine may keep namespaces from having most controls as their default.
        spec.route.congestion_control = control.map(String::from);
        spec.routes
            .iter_mut()
            .for_each(|(_, route)| route.congestion_control = control.map(String::from));
        spec
    };
    specs.into_iter().map(own).collect()
}

/// Router, traffic and collector, until the end.
fn run_threads(
    options: RunOptions<'_>,
    host_map: &HostMap,
    (jobs, classifier): (Jobs, Classifier),
    (hosts, nics, core): (&Hosts, Vec<Box<dyn Nic>>, Option<usize>),
) -> Result<(Done, Totals), LiveFault> {
    let RunOptions { plan, plugins, log, user_program, threads, stop, progress, watch, .. } =
        options;
    let host = |node| &hosts.hosts[usize::from(host_map.nic(node))].namespace;
    let opened =
        traffic::open(jobs, &|node, work| host(node).within(work).map_err(io::Error::other)?);
    let opened = opened.map_err(|e| {
        EnvError::new(
            e.to_string(),
            "`dumbbell doctor` says what this \
        kernel has",
        )
    })?;
    let clock = Clock::from_epoch(monotonic_ns() + HEAD_START.as_nanos() as u64);
    let names = host_map.nodes().iter().map(|node| plan.nodes[*node].name.clone()).collect();
    let setup = Setup { core, ..setup(plan, host_map, clock) };
    let capture = setup.capture.as_ref().map(|capture| log::Capture {
        snaplen: capture.snaplen as u32,
        realtime_ns: realtime_ns()
            .saturating_add_signed(clock.epoch().wrapping_sub(monotonic_ns()) as i64),
    });
    let (made_by, epoch_ns) = (env!("CARGO_PKG_VERSION").into(), clock.epoch());
    let header = Header { made_by, plan: plan.clone(), epoch_ns, hosts: names, capture };
    let (producer, consumer) = rtrb::RingBuffer::new(collector::CAPACITY);
    let (observer, queues) = watch::queues(watch.is_some());
    let watched =
        ObservedRelay { relay: Relay::new(plan, plugins).map_err(LiveFault::Plan)?, observer };
    let unlogged = Arc::clone(&setup.unlogged);
    let router = Router::new(setup, nics, watched, IpCodec::new(classifier), Some(producer));
    let router = router.map_err(failed)?;
    let (over, routed) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let collector = thread::Builder::new().name("collector".into());
        let collector =
            collector.spawn_scoped(scope, || collector::collect(log, &header, consumer, &unlogged));
        let collector = collector.map_err(failed)?;
        let routing = thread::Builder::new().name("router".into());
        let routing = routing.spawn_scoped(scope, || router.run(&over)).map_err(failed)?;
        let running = opened.with_threads(threads).start(clock, plan.testbed.sample);
        let halt = running.as_ref().map(traffic::Running::halt);
        let shown = watch.zip(queues).map(|(watch, queues)| {
            let samples = running.as_ref().ok().map(traffic::Running::rows);
            let showing = Showing { watch, queues, samples, every: plan.record.every };
            let named = thread::Builder::new().name("watcher".into());
            named.spawn_scoped(scope, || showing.run(&routed))
        });
        let program_outcome = user_program.map(|user_program| {
            let first = &plan.flows[0];
            user_program::run(user_program, (host(first.from), host(first.to)), stop, &|| {
                routing.is_finished() || collector.is_finished()
            })
        });
        while running.is_ok()
            && user_program.is_none()
            && !routing.is_finished()
            && !collector.is_finished()
            && !stop.load(Ordering::Relaxed)
        {
            progress(clock.now().seconds() / plan.duration.seconds());
            thread::sleep(POLL_INTERVAL);
        }
        let stopped = stop.load(Ordering::Relaxed) && user_program.is_none();
        // A collector that ended first could not write: what comes now would be for nothing.
        if stopped || user_program.is_some() || running.is_err() || collector.is_finished() {
            over.store(true, Ordering::Relaxed);
            halt.iter().for_each(traffic::StopSignal::set);
        }
        // A router that ended early has no packets for anybody: the traffic ends with it, whatever
        // it waits for.
        let finished = routing.join().unwrap_or_else(|_| {
            Err(io::Error::other(
                "the router broke \
            down",
            ))
        });
        if finished.is_err() {
            halt.iter().for_each(traffic::StopSignal::set);
        }
        let mut outcomes = running.and_then(traffic::Running::join);
        routed.store(true, Ordering::Release);
        // What was shown counts as what was not.
        if let (Some(Ok(shown)), Ok(outcomes)) = (shown, &mut outcomes) {
            let mut samples = shown.join().unwrap_or_default();
            samples.append(&mut outcomes.samples);
            outcomes.samples = samples;
        }
        let written = collector.join().unwrap_or_else(|_| {
            Err(io::Error::other(
                "the collector \
            broke down",
            ))
        });
        if stopped {
            return Err(LiveFault::Stopped);
        }
        let mut finished = finished.map_err(failed)?;
        hosts::close(finished.take_nics());
        let written = written.map_err(|e| LiveFault::LogWrite(e.to_string()))?;
        let program_outcome = program_outcome.transpose()?;
        Ok((Done { finished, outcomes: outcomes.map_err(failed)?, program_outcome }, written))
    })
}

/// Adds the machine's stalls to the calibration; an error if the required class is out of reach.
fn stalled(
    plan: &Plan,
    mut calibration: Calibration,
    core: Option<usize>,
) -> Result<Calibration, LiveFault> {
    let wakeup_delays = WakeupDelays::watch(core);
    wakeup_delays.check(plan).map_err(LiveFault::OutOfReach)?;
    wakeup_delays.describe(plan, &mut calibration);
    Ok(calibration)
}

fn failed(error: impl Into<io::Error>) -> LiveFault {
    LiveFault::Failed(error.into().to_string())
}

/// The hosts of the first flow, for the calibration.
fn ends(
    plan: &Plan,
    host_map: &HostMap,
    hosts: &Hosts,
    mtus: impl Iterator<Item = u32>,
) -> Result<ProbeHosts, LiveFault> {
    let first = plan.flows.first().ok_or_else(|| {
        LiveFault::Failed(
            "a plan without flows has no \
        traffic"
                .into(),
        )
    })?;
    let nodes = [first.from, first.to];
    let address =
        |node| SocketAddr::new(host_map.address(node, dumbbell_plan::Ip::V4), CALIBRATION_PORT);
    let socket = |node, peer| -> Result<UdpSocket, LiveFault> {
        let opened = hosts.hosts[usize::from(host_map.nic(node))].namespace.within(|| {
            let socket = UdpSocket::bind(address(node))?;
            socket.connect(address(peer)).map(|()| socket)
        })?;
        opened.map_err(failed)
    };
    let sockets = [socket(nodes[0], nodes[1])?, socket(nodes[1], nodes[0])?];
    let (mut mtu, mut largest) = (u16::MAX, 0);
    for own in mtus.map(|mtu| mtu.min(u32::from(u16::MAX)) as u16) {
        (mtu, largest) = (mtu.min(own), largest.max(own));
    }
    Ok(ProbeHosts {
        sockets,
        nics: nodes.map(|node| usize::from(host_map.nic(node))),
        mtu,
        largest,
    })
}

/// Port of the calibration's sockets, below those of all flows.
const CALIBRATION_PORT: u16 = 9_999;

fn setup(plan: &Plan, host_map: &HostMap, clock: Clock) -> Setup {
    let largest =
        host_map.specs(plan, &Default::default()).iter().map(|spec| spec.mtu).max().unwrap_or(1500);
    Setup {
        wait_mode: plan.testbed.wait.into(),
        nic_of: host_map.nic_of_sockets(plan),
        max_ip_len: largest.min(u32::from(u16::MAX)) as u16,
        bottleneck: Bottleneck::of(plan),
        capture: capture(plan),
        ..Setup::new(clock, Time::ZERO + plan.duration)
    }
}

/// The capture options: packets of the flows whose packets the plan records.
pub fn capture(plan: &Plan) -> Option<Capture> {
    let recorded = |flow: usize| plan.record.packets.contains(&flow);
    let sockets: Vec<bool> = (0..2 * plan.flows.len()).map(|socket| recorded(socket / 2)).collect();
    let snaplen = plan.testbed.snaplen.0.min(u64::from(u16::MAX)) as usize;
    sockets.contains(&true).then_some(Capture { snaplen, sockets })
}

/// The classifier of packets, with the connections of all jobs.
pub fn classifier(plan: &Plan, host_map: &HostMap, jobs: &Jobs) -> Classifier {
    let address = |ip| match ip {
        IpAddr::V4(v4) => Address::v4(v4.octets()),
        IpAddr::V6(v6) => Address::v6(v6.octets()),
    };
    let of = |node: &dumbbell_plan::NodeId| {
        let nic = u32::from(host_map.nic(*node));
        [dumbbell_plan::Ip::V4, dumbbell_plan::Ip::V6]
            .map(|ip| (address(host_map.address(*node, ip)), nic))
    };
    let mut classifier = Classifier::new(host_map.nodes().iter().flat_map(of));
    for job in &jobs.jobs {
        let protocol = match plan.flows[job.flow].transport {
            Transport::Tcp { .. } => protocol::TCP,
            Transport::Quic { .. } | Transport::Scream { .. } | Transport::Udp { .. } => {
                protocol::UDP
            }
        };
        let tuple = FiveTuple {
            protocol,
            source: address(job.from.ip()),
            destination: address(job.to.ip()),
            ports: (job.from.port(), job.to.port()),
        };
        classifier.bind(tuple, job.flow as u32);
    }
    classifier
}

/// Wall-clock time of a run beyond its plan: hosts, calibration, head start.
pub const OVERHEAD: Span = Span::from_ms(2100);
