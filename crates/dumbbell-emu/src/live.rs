//! A run between real hosts, from its plan to what came of it.
//!
//! ```text
//! plan -> hosts, doors, sockets -> calibration -> router, traffic, collector side by side -> log, outcomes, measures
//! log  -> replay: the same network once more, which must do the same
//! ```
//!
//! The router's thread does nothing but route. All records of a run are made from its log afterwards, by the code that records
//! simulations ([`mod@replay`]).
pub mod again;
pub mod collector;
pub mod fault;
pub mod guests;
pub mod replay;
pub mod report;
pub mod series;
pub mod starved;
pub mod topology;

use crate::calibrate::{self, Calibration, Ends, Pauses};
use crate::classify::Classifier;
use crate::clock::{Clock, monotonic_ns};
use crate::cores::Reserved;
use crate::header::address::Address;
use crate::header::protocol;
use crate::header::tuple::Tuple;
use crate::hosts::{self, Datapath, Door, HostSpec, Hosts};
use crate::log::{self, Header, Totals};
use crate::nic::Nic;
use crate::router::bottleneck::Bottleneck;
use crate::router::headers::Headers;
use crate::router::network::Watched;
use crate::router::tape::Capture;
use crate::router::{Finished, Router, Setup};
use crate::traffic::jobs::Carriage;
use crate::traffic::poller::realtime;
use crate::traffic::{self, Jobs, Manner, Outcomes};
use crate::trouble::Trouble;
use dumbbell_core::foreign::Makers;
use dumbbell_core::units::{Span, Time};
use dumbbell_net::relay::Relay;
use dumbbell_plan::{Plan, Transport};
use fault::LiveFault;
use guests::{Guests, Visit};
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use topology::Topology;

/// From the last thread's start to the run's zero.
const HEAD_START: Duration = Duration::from_millis(20);
/// Between two looks at who wants to stop.
const BEAT: Duration = Duration::from_millis(50);

/// What is to be run, and who wants to know of it.
pub struct Orders<'a> {
    /// The run.
    pub plan: &'a Plan,
    /// Algorithms that are not of the catalogue.
    pub makers: &'a Makers,
    /// Where its log goes.
    pub log: Box<dyn Write + Send>,
    /// Programs whose packets take the plan's flows in turn, in place of traffic of our own; the run ends with them.
    pub guests: Option<&'a Guests>,
    /// How the threads of its own traffic work.
    pub manner: Manner,
    /// Set from outside: the run is to end, and nothing is wanted of it but for guests, who are asked to leave.
    pub stop: &'a AtomicBool,
    /// Told what the machine can do now, before the traffic starts.
    pub estimate: &'a dyn Fn(&Calibration),
    /// Told some twenty times a second how far it is, 0 to 1.
    pub progress: &'a (dyn Fn(f64) + Sync),
}

/// A run that was made. What its network found is given out with its [`crate::validity::Validity`] and not without.
pub struct Live {
    /// The router.
    pub finished: Finished<Watched<()>, Headers>,
    /// What came of its traffic.
    pub outcomes: Outcomes,
    /// How its guests ended.
    pub visit: Option<Visit>,
    /// What its log says at its end.
    pub totals: Totals,
    /// What the machine could do before; `None`: that was not asked for.
    pub calibration: Option<Calibration>,
    /// The kind of door.
    pub datapath: &'static str,
}

/// Makes a run: its hosts come up, its traffic flows through the router until the plan's end, and all of it is gone.
///
/// # Errors
/// What the kernel has not, what this machine lacks or cannot keep up with, what broke, or that it was stopped.
pub fn run(orders: Orders<'_>) -> Result<Live, LiveFault> {
    let plan = orders.plan;
    let mut ground = Ground::of(plan, orders.guests.is_some())?;
    let datapath = if ground.hosts.datapath == Datapath::Tun { "tun" } else { "af_packet" };
    let mut calibration = None;
    if plan.testbed.calibrate {
        let found = ground.measure(plan)?;
        calibrate::check(plan, &found).map_err(LiveFault::TooMuch)?;
        calibration = Some(stalled(plan, found, ground.core())?);
    }
    let core = ground.core();
    calibration.iter().for_each(orders.estimate);
    let Ground { topology, mut jobs, hosts, doors, reserved: _reserved, .. } = ground;
    let mut classifier = classifier(plan, &topology, &jobs);
    if orders.guests.is_some() {
        let pairs = plan.flows.iter().map(|flow| [topology.door(flow.from), topology.door(flow.to)].map(u32::from));
        for [from, to] in pairs.clone() {
            let flows =
                (0..).zip(pairs.clone()).filter(|(_, pair)| *pair == [from, to]).map(|(flow, _)| flow).collect();
            classifier.pool(from, to, None, flows);
        }
        (jobs.jobs, jobs.apps) = (vec![], vec![]);
    }
    let (done, totals) = side_by_side(orders, &topology, (jobs, classifier), (&hosts, doors, core))?;
    let Done { finished, outcomes, visit } = done;
    Ok(Live { finished, outcomes, visit, totals, calibration, datapath })
}

/// What a machine can forward between the hosts of `plan`, measured in half a second; the plan is not run.
///
/// # Errors
/// As [`run`], but for what a run alone may find.
pub fn ceiling(plan: &Plan) -> Result<Calibration, LiveFault> {
    Ground::of(plan, true)?.measure(plan)
}

/// The hosts of a plan with their open doors.
struct Ground {
    topology: Topology,
    jobs: Jobs,
    /// The MTU of each host.
    mtus: Vec<u32>,
    hosts: Hosts,
    doors: Vec<Box<dyn Nic>>,
    /// The router's core, which the hosts' threads stay off while this lives.
    reserved: Option<Reserved>,
}

impl Ground {
    /// Brings them up, for traffic of our own or for programs (`guests`).
    fn of(plan: &Plan, guests: bool) -> Result<Ground, LiveFault> {
        traffic::sockets::permit_descriptors().map_err(broke)?;
        let topology = Topology::of(plan);
        let jobs = traffic::plan(plan, &|node, ip| topology.address(node, ip)).map_err(LiveFault::Refused)?;
        let specs = topology.specs(plan, &jobs.wanted);
        let specs = if guests { prefer(specs, &jobs) } else { specs };
        let reserved = plan.testbed.core.map(Reserved::of).transpose()?;
        let mut hosts = Hosts::up(&specs, plan.testbed.datapath)?;
        let doors = hosts.doors.drain(..).map(Door::open).collect::<Result<Vec<_>, _>>()?;
        let mtus = specs.iter().map(|spec| spec.mtu).collect();
        Ok(Ground { topology, jobs, mtus, hosts, doors, reserved })
    }

    /// The router's core, if it has one of its own.
    fn core(&self) -> Option<usize> {
        self.reserved.as_ref().map(|reserved| reserved.core)
    }

    /// What the machine forwards between the hosts of the first flow.
    fn measure(&mut self, plan: &Plan) -> Result<Calibration, LiveFault> {
        let ends = ends(plan, &self.topology, &self.hosts, self.mtus.iter().copied())?;
        let doors = std::mem::take(&mut self.doors);
        let (found, doors) =
            calibrate::measure(doors, &ends, plan.testbed.wait.into(), true, self.core()).map_err(broke)?;
        self.doors = doors;
        Ok(found)
    }
}

/// What router and traffic came back with.
struct Done {
    finished: Finished<Watched<()>, Headers>,
    outcomes: Outcomes,
    visit: Option<Visit>,
}

/// Hosts whose programs use the congestion control of the flows that they have, where they ask for none.
fn prefer(specs: Vec<HostSpec>, jobs: &Jobs) -> Vec<HostSpec> {
    let control = jobs.jobs.iter().find_map(|job| match &job.carriage {
        Carriage::Tcp(connection) => Some(connection.control),
        Carriage::Udp(_) => None,
    });
    let own = |mut spec: HostSpec| {
        // By its route: a machine may keep namespaces from having most controls as their default.
        spec.route.congestion_control = control.map(String::from);
        spec.routes.iter_mut().for_each(|(_, route)| route.congestion_control = control.map(String::from));
        spec
    };
    specs.into_iter().map(own).collect()
}

/// Router, traffic and collector, until the end.
fn side_by_side(
    orders: Orders<'_>,
    topology: &Topology,
    (jobs, classifier): (Jobs, Classifier),
    (hosts, doors, core): (&Hosts, Vec<Box<dyn Nic>>, Option<usize>),
) -> Result<(Done, Totals), LiveFault> {
    let Orders { plan, makers, log, guests, manner, stop, progress, .. } = orders;
    let host = |node| &hosts.hosts[usize::from(topology.door(node))].namespace;
    let opened = traffic::open(jobs, &|node, work| host(node).within(work).map_err(io::Error::other)?);
    let opened = opened.map_err(|e| Trouble::new(e.to_string(), "`dumbbell doctor` says what this kernel has"))?;
    let clock = Clock::from_epoch(monotonic_ns() + HEAD_START.as_nanos() as u64);
    let names = topology.nodes().iter().map(|node| plan.nodes[*node].name.clone()).collect();
    let setup = Setup { core, ..setup(plan, topology, clock) };
    let capture = setup.capture.as_ref().map(|capture| log::Capture {
        snaplen: capture.snaplen as u32,
        realtime_ns: realtime().saturating_add_signed(clock.epoch().wrapping_sub(monotonic_ns()) as i64),
    });
    let (made_by, epoch_ns) = (env!("CARGO_PKG_VERSION").into(), clock.epoch());
    let header = Header { made_by, plan: plan.clone(), epoch_ns, hosts: names, capture };
    let (producer, consumer) = rtrb::RingBuffer::new(collector::ROOM);
    let watched = Watched { relay: Relay::new(plan, makers).map_err(LiveFault::Plan)?, observer: () };
    let unlogged = Arc::clone(&setup.unlogged);
    let router = Router::new(setup, doors, watched, Headers::new(classifier), Some(producer));
    let router = router.map_err(broke)?;
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let collector = thread::Builder::new().name("collector".into());
        let collector = collector.spawn_scoped(scope, || collector::collect(log, &header, consumer, &unlogged));
        let collector = collector.map_err(broke)?;
        let routing = thread::Builder::new().name("router".into());
        let routing = routing.spawn_scoped(scope, || router.run(&over)).map_err(broke)?;
        let running = opened.in_manner(manner).start(clock, plan.testbed.sample);
        let halt = running.as_ref().map(traffic::Running::halt);
        let visit = guests.map(|guests| {
            let first = &plan.flows[0];
            guests::entertain(guests, (host(first.from), host(first.to)), stop, &|| {
                routing.is_finished() || collector.is_finished()
            })
        });
        while running.is_ok()
            && guests.is_none()
            && !routing.is_finished()
            && !collector.is_finished()
            && !stop.load(Ordering::Relaxed)
        {
            progress(clock.now().seconds() / plan.duration.seconds());
            thread::sleep(BEAT);
        }
        let stopped = stop.load(Ordering::Relaxed) && guests.is_none();
        // A collector that ended first could not write: what comes now would be for nothing.
        if stopped || guests.is_some() || running.is_err() || collector.is_finished() {
            over.store(true, Ordering::Relaxed);
            halt.iter().for_each(traffic::Halt::say);
        }
        // A router that ended early has no packets for anybody: the traffic ends with it, whatever it waits for.
        let finished = routing.join().unwrap_or_else(|_| Err(io::Error::other("the router broke down")));
        if finished.is_err() {
            halt.iter().for_each(traffic::Halt::say);
        }
        let outcomes = running.and_then(traffic::Running::join);
        let written = collector.join().unwrap_or_else(|_| Err(io::Error::other("the collector broke down")));
        if stopped {
            return Err(LiveFault::Stopped);
        }
        let mut finished = finished.map_err(broke)?;
        hosts::close(finished.take_doors());
        let written = written.map_err(|e| LiveFault::Unkept(e.to_string()))?;
        let visit = visit.transpose()?;
        Ok((Done { finished, outcomes: outcomes.map_err(broke)?, visit }, written))
    })
}

/// How the machine stalls the router now; refused if the class that the plan requires is out of reach.
fn stalled(plan: &Plan, mut calibration: Calibration, core: Option<usize>) -> Result<Calibration, LiveFault> {
    let pauses = Pauses::watch(core);
    pauses.check(plan).map_err(LiveFault::OutOfReach)?;
    pauses.describe(plan, &mut calibration);
    Ok(calibration)
}

fn broke(error: impl Into<io::Error>) -> LiveFault {
    LiveFault::Broke(error.into().to_string())
}

/// The hosts of the first flow, for the calibration.
fn ends(plan: &Plan, topology: &Topology, hosts: &Hosts, mtus: impl Iterator<Item = u32>) -> Result<Ends, LiveFault> {
    let first = plan.flows.first().ok_or_else(|| LiveFault::Broke("a plan without flows has no traffic".into()))?;
    let nodes = [first.from, first.to];
    let address = |node| SocketAddr::new(topology.address(node, dumbbell_plan::Ip::V4), CALIBRATION_PORT);
    let socket = |node, peer| -> Result<UdpSocket, LiveFault> {
        let opened = hosts.hosts[usize::from(topology.door(node))].namespace.within(|| {
            let socket = UdpSocket::bind(address(node))?;
            socket.connect(address(peer)).map(|()| socket)
        })?;
        opened.map_err(broke)
    };
    let sockets = [socket(nodes[0], nodes[1])?, socket(nodes[1], nodes[0])?];
    let (mut mtu, mut largest) = (u16::MAX, 0);
    for own in mtus.map(|mtu| mtu.min(u32::from(u16::MAX)) as u16) {
        (mtu, largest) = (mtu.min(own), largest.max(own));
    }
    Ok(Ends { sockets, doors: nodes.map(|node| usize::from(topology.door(node))), mtu, largest })
}

/// Where the calibration's sockets are: below those of all flows.
const CALIBRATION_PORT: u16 = 9_999;

fn setup(plan: &Plan, topology: &Topology, clock: Clock) -> Setup {
    let largest = topology.specs(plan, &Default::default()).iter().map(|spec| spec.mtu).max().unwrap_or(1500);
    Setup {
        manner: plan.testbed.wait.into(),
        door_of: topology.door_of_sockets(plan),
        largest: largest.min(u32::from(u16::MAX)) as u16,
        bottleneck: Bottleneck::of(plan),
        capture: capture(plan),
        ..Setup::new(clock, Time::ZERO + plan.duration)
    }
}

/// What is captured: packets of the flows whose packets the plan records.
fn capture(plan: &Plan) -> Option<Capture> {
    let recorded = |flow: usize| plan.record.packets.contains(&flow);
    let sockets: Vec<bool> = (0..2 * plan.flows.len()).map(|socket| recorded(socket / 2)).collect();
    let snaplen = plan.testbed.snaplen.0.min(u64::from(u16::MAX)) as usize;
    sockets.contains(&true).then_some(Capture { snaplen, sockets })
}

/// Who knows whose a packet is: the conversations of all jobs.
fn classifier(plan: &Plan, topology: &Topology, jobs: &Jobs) -> Classifier {
    let address = |ip| match ip {
        IpAddr::V4(v4) => Address::v4(v4.octets()),
        IpAddr::V6(v6) => Address::v6(v6.octets()),
    };
    let of = |node: &dumbbell_plan::NodeId| {
        let door = u32::from(topology.door(*node));
        [dumbbell_plan::Ip::V4, dumbbell_plan::Ip::V6].map(|ip| (address(topology.address(*node, ip)), door))
    };
    let mut classifier = Classifier::new(topology.nodes().iter().flat_map(of));
    for job in &jobs.jobs {
        let protocol = match plan.flows[job.flow].transport {
            Transport::Tcp { .. } => protocol::TCP,
            Transport::Udp { .. } => protocol::UDP,
        };
        let tuple = Tuple {
            protocol,
            source: address(job.from.ip()),
            destination: address(job.to.ip()),
            ports: (job.from.port(), job.to.port()),
        };
        classifier.bind(tuple, job.flow as u32);
    }
    classifier
}

/// How long a run takes on the clock on the wall beyond its plan: hosts, calibration, head start.
pub const AROUND: Span = Span::from_ms(2100);
