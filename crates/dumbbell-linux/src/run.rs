//! A run from its plan to its outcome.
use crate::AGENT;
use crate::between::Between;
use crate::control::{Control, Ended, Place, Watch};
use crate::guest::{self, Guest, Kernel};
use crate::network::Network;
use crate::orders::{CONTROL_MTU, Instants, Orders};
use crate::programs::{self, Programs};
use crate::records::{Records, period};
use crate::sys::socket;
use crate::timing::REAL_TIME_NS;
use crate::vhost::Identity;
use dumbbell_core::plugin::Plugins;
use dumbbell_core::units::{Span, Time};
use dumbbell_emu::error::EnvError;
use dumbbell_emu::host::hosts::HostSpec;
use dumbbell_emu::live;
use dumbbell_emu::live::error::LiveFault;
use dumbbell_emu::live::host_map::HostMap;
use dumbbell_emu::live::user_program::{ProgramOutcome, UserProgram};
use dumbbell_emu::log::{Capture, Header, Totals, Writer};
use dumbbell_emu::traffic::app::App;
use dumbbell_emu::traffic::{self, Jobs, Outcomes, Unsupported};
use dumbbell_plan::{Ip, Plan};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The least of the run's zero on the guests' clock: they have booted by then, and their hosts are
/// up.
pub(crate) const ZERO_NS: u64 = 2_000_000_000;
/// A period of the kernel's timers, and of the clock of its congestion controls.
const TICK_NS: u64 = 1_000_000;
/// Hosts of one kernel: each has a device, and a kernel has 50 interrupts for these.
const MOST_HOSTS: usize = 40;
/// Kernels of one run, which have 1 GB of memory.
const MOST_GUESTS: usize = 40;
/// Processor time after which a guest that has not slept is taken for one that never will, seconds;
/// `PATIENCE` in the environment is another number.
const MOST_CPU_S: f64 = 60.0;
const PATIENCE: &str = "DUMBBELL_LINUX_PATIENCE";

/// A run: its plan, its kernel, its log, its callbacks.
pub struct RunOptions<'a> {
    /// The run.
    pub plan: &'a Plan,
    /// Algorithms that are not of the catalogue.
    pub plugins: &'a Plugins,
    /// The user-mode Linux.
    pub kernel: &'a Path,
    /// True: a kernel for each host; else, and with programs, hosts are namespaces of one, or of
    /// as few as have them.
    pub kernel_per_host: bool,
    /// Programs whose packets take the plan's flows in turn, in place of traffic of our own; the
    /// run ends with them.
    pub user_program: Option<&'a UserProgram>,
    /// The destination of the log.
    pub log: Box<dyn Write + Send + 'a>,
    /// Set from outside to end the run, without results.
    pub stop: &'a AtomicBool,
    /// Told how far it is, 0 to 1.
    pub progress: &'a dyn Fn(f64),
}

/// A run that was made.
pub struct LinuxRun {
    /// Outcomes of the traffic.
    pub outcomes: Outcomes,
    /// Totals at the end of the log.
    pub totals: Totals,
    /// The ends of the user's programs, and the instant at which the run ended with them.
    pub program_outcome: Option<(ProgramOutcome, Span)>,
    /// Processor seconds of the guests' kernels.
    pub cpu_s: f64,
}

/// Makes a run.
///
/// # Errors
/// The kernel or this machine lacks something, a guest broke, or the run was stopped.
pub fn run(options: RunOptions<'_>) -> Result<LinuxRun, LiveFault> {
    let RunOptions { plan, plugins, kernel, kernel_per_host, user_program, log, stop, progress } =
        options;
    let hosts = HostMap::of(plan);
    // Applications twice: as the orders have them, and as they measure what came of these.
    let (mut jobs, again) = (jobs(plan, &hosts)?, jobs(plan, &hosts)?);
    let apps = again.jobs.iter().map(|job| job.flow).zip(again.apps).collect();
    traffic::sockets::permit_descriptors().map_err(failed)?;
    let most = if kernel_per_host && user_program.is_none() { 1 } else { MOST_HOSTS };
    let places: Vec<Place> = (0..hosts.nodes().len())
        .map(|host| Place { guest: host / most, nic: 1 + host % most })
        .collect();
    if places.len() > MOST_GUESTS * most {
        return Err(LiveFault::Unsupported(vec![too_many(plan, places.len())]));
    }
    let zero_ns = zero_ns(plan.seed);
    let log = Writer::new(log, &header(plan, &hosts, zero_ns));
    let log = log.map_err(|e| LiveFault::LogWrite(e.to_string()))?;
    let mut classifier = live::classifier(plan, &hosts, &jobs);
    let mut records = Records::new(plan);
    let mut specs = hosts.specs(plan, &jobs.host_settings);
    if let Some(programs) = user_program {
        live::pool_flows(&mut classifier, plan, &hosts);
        default_control(&mut specs, live::control_of(&jobs));
        records.programs = Some(Programs::new(programs));
        (jobs.jobs, jobs.apps) = (vec![], vec![]);
    }
    let network =
        Network::new(plan, plugins, (&hosts, classifier), log, zero_ns).map_err(LiveFault::Plan)?;
    let kernel = Kernel { program: kernel, seed: plan.seed };
    let of = Traffic { hosts: &hosts, specs: &specs, jobs, user_program };
    let (listener, guests) = start_all(plan, &kernel, (of, &places))?;
    let watch = Watch { stop, progress, most_cpu_s: most_cpu_s() };
    let parts = (network, records);
    let mut control = Control::new(guests, places, parts, watch).map_err(failed)?;
    let booted = control.boot(&listener);
    let ended = booted.and_then(|()| control.run());
    if let Err(ended) = ended {
        return Err(explain(ended, &mut control, kernel.program));
    }
    finish(control, apps, Time::ZERO + plan.duration)
}

/// The head of a run's log.
fn header(plan: &Plan, hosts: &HostMap, zero_ns: u64) -> Header {
    Header {
        made_by: env!("CARGO_PKG_VERSION").into(),
        plan: plan.clone(),
        epoch_ns: 0,
        hosts: hosts.nodes().iter().map(|node| plan.nodes[*node].name.clone()).collect(),
        capture: live::capture(plan).map(|capture| Capture {
            snaplen: capture.snaplen as u32,
            realtime_ns: REAL_TIME_NS + zero_ns,
        }),
    }
}

/// What came of a run whose guests have told everything.
fn finish(
    control: Control<'_, Network<'_>>,
    apps: Vec<(usize, App)>,
    end: Time,
) -> Result<LinuxRun, LiveFault> {
    let cpu_s = control.guests.iter().map(|guest| guest.activity().cpu_s).sum();
    let ended = control.network.passed(control.now);
    let Control { network, mut records, .. } = control;
    // Programs may send what they like: the network loses it.
    if let (count @ 1.., Some(first), None) =
        (network.strangers.0, &network.strangers.1, &records.programs)
    {
        return Err(LiveFault::Failed(format!(
            "{count} frames of the guests are not the run's, the first is {first}"
        )));
    }
    let totals = network.finish().map_err(|e| LiveFault::LogWrite(e.to_string()))?;
    let program_outcome = match records.programs.take() {
        Some(Programs { lack: Some(lack), .. }) => return Err(lack.into()),
        Some(programs) => Some((programs.outcome(), ended)),
        None => None,
    };
    let outcomes =
        if program_outcome.is_some() { Outcomes::default() } else { records.outcomes(apps, end) };
    Ok(LinuxRun { outcomes, totals, program_outcome, cpu_s })
}

/// More hosts than kernels should have in a machine's memory.
fn too_many(plan: &Plan, hosts: usize) -> Unsupported {
    let name = plan.flows.last().map_or("", |flow| &flow.name);
    let most = MOST_GUESTS * MOST_HOSTS;
    let cause = format!("this scenario has {hosts} hosts, and kernels have {most} at most");
    Unsupported::new(name, "count", cause, "use fewer flows, or a shorter session; or simulate")
}

pub(crate) fn most_cpu_s() -> f64 {
    std::env::var(PATIENCE).ok().and_then(|word| word.parse().ok()).unwrap_or(MOST_CPU_S)
}

/// The run's zero on the guests' clock, at another point between two ticks for each seed: without
/// that, runs that differ in the seed alone would be the same, as few of the kernel's decisions
/// depend on its random numbers. The golden ratio spreads consecutive seeds evenly.
fn zero_ns(seed: u64) -> u64 {
    let share = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    ZERO_NS + ((share * TICK_NS) >> 32)
}

pub(crate) fn failed(error: impl Into<io::Error>) -> LiveFault {
    LiveFault::Failed(error.into().to_string())
}

/// Refuses a plan that asks for what the guests' kernel lacks; nothing is run.
///
/// # Errors
/// What it lacks, flow by flow.
pub fn check(plan: &Plan) -> Result<(), LiveFault> {
    jobs(plan, &HostMap::of(plan)).map(|_| ())
}

/// The traffic of a plan.
fn jobs(plan: &Plan, hosts: &HostMap) -> Result<Jobs, LiveFault> {
    supported(plan)?;
    traffic::plan(plan, &|node, ip| hosts.address(node, ip)).map_err(LiveFault::Unsupported)
}

/// What guests cannot do.
fn supported(plan: &Plan) -> Result<(), LiveFault> {
    if AGENT.is_empty() {
        let fix = "run it on such a machine, or `--on sim`";
        return Err(EnvError::new("guests need Linux on x86-64", fix).into());
    }
    let refused: Vec<Unsupported> = plan
        .flows
        .iter()
        .filter_map(|flow| {
            let fix = "leave it out, or simulate";
            if flow.ip == Ip::V6 {
                let cause = "the guests' kernel is built without IP version 6";
                return Some(Unsupported::new(&flow.name, "ip", cause, fix));
            }
            // A guest has all acts of an application beforehand.
            let cause = "a guest's application cannot choose by how fast its data arrived";
            (flow.source.kind == "video")
                .then(|| Unsupported::new(&flow.name, "source", cause, fix))
        })
        .collect();
    if refused.is_empty() { Ok(()) } else { Err(LiveFault::Unsupported(refused)) }
}

/// What the hosts' sockets use if they ask for nothing else.
fn default_control(specs: &mut [HostSpec], control: Option<&str>) {
    let Some(control) = control else { return };
    let own = (String::from("net.ipv4.tcp_congestion_control"), String::from(control));
    specs.iter_mut().for_each(|spec| spec.sysctls.push(own.clone()));
}

/// What happens in the hosts of a run.
struct Traffic<'a> {
    hosts: &'a HostMap,
    specs: &'a [HostSpec],
    jobs: Jobs,
    user_program: Option<&'a UserProgram>,
}

/// Starts all guests, each with its hosts and their flows: they connect to the socket.
fn start_all(
    plan: &Plan,
    kernel: &Kernel<'_>,
    (traffic, places): (Traffic<'_>, &[Place]),
) -> Result<(UnixListener, Vec<Guest>), LiveFault> {
    let Traffic { hosts, specs, jobs, user_program } = traffic;
    let count = places.iter().map(|place| place.guest + 1).max().unwrap_or(0);
    let instants = Instants {
        zero_ns: zero_ns(plan.seed),
        warm: plan.warmup.min(plan.duration),
        end: plan.duration,
        row: plan.record.every,
        sample: period(plan.testbed.sample),
    };
    let mut orders: Vec<Orders> = (0..count).map(|_| Orders::new(instants)).collect();
    let mut devices = vec![0; count];
    for (place, spec) in places.iter().zip(specs) {
        orders[place.guest].host(place.nic, spec);
        devices[place.guest] += 1;
    }
    let end = Time::ZERO + plan.duration;
    for (job, app) in jobs.jobs.iter().zip(jobs.apps) {
        let [from, to] = job.hosts.map(|node| places[usize::from(hosts.nic(node))]);
        let flow = &plan.flows[job.flow];
        let ends = flow.source.kind != "bulk" || flow.stop.is_some();
        orders[to.guest].receiver(to.nic - 1, job, ends);
        let round_trip = plan.base_rtt(flow);
        orders[from.guest].sender(from.nic - 1, job, app, round_trip, end);
    }
    if let Some(programs) = user_program {
        let at = |node| places[usize::from(hosts.nic(node))].nic - 1;
        let first = &plan.flows[0];
        orders[0].programs(at(first.from), programs.server.as_ref().map(|_| at(first.to)));
    }
    let (listener, clock, sockets) = sockets(&devices)?;
    let mut guests = vec![];
    for (number, (orders, devices)) in orders.iter().zip(sockets).enumerate() {
        let identity = |nic: usize| {
            let [a, b] = (number as u16).to_be_bytes();
            let [c, d] = (nic as u16).to_be_bytes();
            let here = |place: &Place| (place.guest, place.nic) == (number, nic);
            let spec = places.iter().zip(specs).find(|(place, _)| here(place));
            let mtu = spec.map_or(CONTROL_MTU, |(_, spec)| spec.mtu);
            // Locally administered; no two devices of a run have the same.
            let mac = [2, 0xdb, a, b, c, d];
            Identity { mac, mtu: mtu.min(u32::from(u16::MAX)) as u16 }
        };
        let mut files = guest::initramfs(orders.text());
        if let Some(programs) = user_program {
            let here = std::env::current_dir().map_err(failed)?;
            files = programs::files(files, programs, specs, &here);
        }
        let sockets = guest::Sockets { clock: &clock, devices };
        guests.push(guest::start(kernel, number, sockets, files, identity)?);
    }
    Ok((listener, guests))
}

/// A listener, and its place.
pub(crate) type Socket = (UnixListener, OwnedFd);

/// The socket of the clock, and of each guest those of its devices, which are so many beside the
/// control device. They have a name while they are made; nothing of a run has one when it begins.
pub(crate) fn sockets(
    devices: &[usize],
) -> Result<(UnixListener, OwnedFd, Vec<Vec<Socket>>), EnvError> {
    let temporary = |e: io::Error| EnvError::of("make sockets in a temporary folder", &e);
    let folder = tempfile::Builder::new().prefix("dumbbell-").tempdir().map_err(temporary)?;
    let inside = File::open(folder.path()).map_err(temporary)?;
    let (listener, clock) = socket::nameless(&inside).map_err(temporary)?;
    let of_guest = |count: &usize| (0..=*count).map(|_| socket::nameless(&inside)).collect();
    let all: io::Result<_> = devices.iter().map(of_guest).collect();
    Ok((listener, clock, all.map_err(temporary)?))
}

/// Why a run ended early, with what a guest's kernel said last.
pub(crate) fn explain<N: Between>(
    ended: Ended,
    control: &mut Control<'_, N>,
    program: &Path,
) -> LiveFault {
    let said = |words: String| match words.is_empty() {
        true => String::new(),
        false => format!("; its kernel said last:\n{words}"),
    };
    match ended {
        Ended::Stopped => LiveFault::Stopped,
        Ended::Busy(seconds) => LiveFault::Program(EnvError::new(
            format!(
                "a program has computed for {seconds} s of processor time without a pause, and in \
                virtual time the clock stands still while a program computes"
            ),
            "have it sleep or wait for input instead; `--on kernel` runs it in real time",
        )),
        Ended::NoStart(number, how) => {
            guest::no_start(program, &how, &control.guests[number].last_words()).into()
        }
        Ended::Guest(number, cause) => {
            let words = control.guests[number].last_words();
            LiveFault::Failed(format!("guest {number}: {cause}{}", said(words)))
        }
        Ended::Failed(error) => {
            let broken = control.guests.iter_mut().position(|guest| guest.ended().is_some());
            let words = broken.map(|number| control.guests[number].last_words());
            LiveFault::Failed(format!("{error}{}", said(words.unwrap_or_default())))
        }
    }
}
