//! The throughput measurement: a stream of datagrams as fast as a host can send, then round-trip
//! probes.
use super::Calibration;
use crate::clock::Clock;
use crate::host::nic::Nic;
use crate::packet::classify::Unmatched;
use crate::router::codec::{PacketCodec, PacketInfo, Rejected};
use crate::router::measures::Measured;
use crate::router::network::{Incoming, Network, Outgoing};
use crate::router::wait::WaitMode;
use crate::router::{Router, Setup};
use dumbbell_core::histogram::Histogram;
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::transport::segment::{PacketTooBig, flag};
use dumbbell_core::units::{Span, Time};
use dumbbell_net::Fragment;
use nix::sys::socket::{setsockopt, sockopt};
use std::io;
use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Length of the stream.
const STREAM: Span = Span::from_ms(400);
/// Number of round-trip probes.
const PROBES: u32 = 300;
/// A probe that has not come back by then is lost.
const LOST: Duration = Duration::from_millis(50);
/// IPv4 and UDP headers, bytes.
const HEADERS: u16 = 28;
/// Bytes of a datagram that the kernel is to cut into packets, at most.
const MOST: usize = 60_000;

/// Two hosts of the run, and a socket in each that is connected to the other's.
pub struct ProbeHosts {
    /// The sockets; nothing else uses their hosts meanwhile.
    pub sockets: [UdpSocket; 2],
    /// The places of the hosts' NICs among all NICs.
    pub nics: [usize; 2],
    /// The MTU between them, bytes.
    pub mtu: u16,
    /// The largest MTU of any NIC, bytes.
    pub largest: u16,
}

/// Measures through `nics`, which are given back; about a second. `wait_mode`, `real_time` and
/// `core` as the run will have them.
///
/// # Errors
/// A NIC is gone, or a socket.
pub fn measure(
    nics: Vec<Box<dyn Nic>>,
    ends: &ProbeHosts,
    wait_mode: WaitMode,
    real_time: bool,
    core: Option<usize>,
) -> io::Result<(Calibration, Vec<Box<dyn Nic>>)> {
    let through = |nics, work: &(dyn Fn() -> io::Result<Vec<u64>> + Sync)| {
        routed(nics, ends, (wait_mode, real_time, core), work)
    };
    let (_, streamed, nics) = through(nics, &|| stream(&ends.sockets, ends.mtu))?;
    let (times, _, nics) = through(nics, &|| probe(&ends.sockets))?;
    let mut rtts = Histogram::default();
    times.iter().for_each(|ns| rtts.record(Span::from_ps(ns * 1_000)));
    let us = |q| rtts.quantile(q).ps() as f64 / 1e6;
    let per_s = (streamed.counts.written as f64 / STREAM.seconds()) as u64;
    let calibration = Calibration {
        ceiling_packets_per_s: per_s,
        ceiling_bps: per_s * 8 * u64::from(ends.mtu),
        rtt_p50_us: us(0.5),
        rtt_p99_us: us(0.99),
        ..Calibration::default()
    };
    Ok((calibration, nics))
}

type Routed = (Vec<u64>, Measured, Vec<Box<dyn Nic>>);

/// Does `work` while a router forwards everything at once.
fn routed(
    nics: Vec<Box<dyn Nic>>,
    ends: &ProbeHosts,
    (wait_mode, real_time, core): (WaitMode, bool, Option<usize>),
    work: &(dyn Fn() -> io::Result<Vec<u64>> + Sync),
) -> io::Result<Routed> {
    let setup = Setup {
        wait_mode,
        real_time,
        core,
        nic_of: ends.nics.iter().map(|nic| *nic as u16).collect(),
        max_ip_len: ends.largest,
        memory: 64 << 20,
        ..Setup::new(Clock::start(), Time::ZERO + Span::from_secs(60))
    };
    let network = PassThrough { out: Vec::with_capacity(64), gone: Vec::with_capacity(64) };
    let router = Router::new(setup, nics, network, ByNic(ends.nics), None)?;
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let routing = scope.spawn(|| router.run(&stop));
        let result = work();
        stop.store(true, Ordering::Relaxed);
        let mut finished = routing.join().map_err(|_| {
            io::Error::other(
                "the router's thread broke \
            off",
            )
        })??;
        Ok((result?, finished.measured().clone(), finished.take_nics()))
    })
}

/// Sends as fast as the near host can, while the far one takes what it can: a packet that is thrown
/// away at once would cost the router less than one that a program gets.
fn stream([near, far]: &[UdpSocket; 2], mtu: u16) -> io::Result<Vec<u64>> {
    far.set_read_timeout(Some(LOST))?;
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let taking = scope.spawn(|| {
            let mut bytes = [0; 16];
            while far.recv(&mut bytes).is_ok() || !done.load(Ordering::Relaxed) {}
        });
        let sent = send(near, mtu);
        done.store(true, Ordering::Relaxed);
        let _ = taking.join();
        sent.map(|()| vec![])
    })
}

fn send(socket: &UdpSocket, mtu: u16) -> io::Result<()> {
    let size = usize::from(mtu.saturating_sub(HEADERS)).max(1);
    // One call for many packets, which the kernel cuts: a sender of single packets is slower than
    // the router.
    let at_once = if setsockopt(socket, sockopt::UdpGsoSegment, &(size as i32)).is_ok() {
        MOST / size
    } else {
        1
    };
    let bytes = vec![0; size * at_once.clamp(1, 64)];
    let clock = Clock::start();
    while clock.now() < Time::ZERO + STREAM {
        match socket.send(&bytes) {
            Ok(_) => {}
            // The host's buffers are full: that is the idea.
            Err(e) if e.raw_os_error() == Some(libc::ENOBUFS) => {}
            Err(e) => return Err(e),
        }
    }
    // From here on, the kernel sends each datagram as it is written.
    let _ = setsockopt(socket, sockopt::UdpGsoSegment, &0);
    Ok(())
}

/// Sends single datagrams there and back; how long each took, nanoseconds.
fn probe([near, far]: &[UdpSocket; 2]) -> io::Result<Vec<u64>> {
    near.set_read_timeout(Some(LOST))?;
    far.set_read_timeout(Some(LOST))?;
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let echo = scope.spawn(|| {
            let mut bytes = [0; 64];
            while !done.load(Ordering::Relaxed) {
                if let Ok(len) = far.recv(&mut bytes) {
                    let _ = far.send(&bytes[..len]);
                }
            }
        });
        let clock = Clock::start();
        let mut times = vec![];
        for number in 0..PROBES {
            let sent = clock.now();
            near.send(&number.to_le_bytes())?;
            let mut bytes = [0; 64];
            // An answer to an earlier one, which was given up, is not its answer.
            while let Ok(len) = near.recv(&mut bytes) {
                if bytes[..len] == number.to_le_bytes() {
                    times.push(clock.now().since(sent).ps() / 1_000);
                    break;
                }
            }
            thread::park_timeout(Duration::from_micros(500));
        }
        done.store(true, Ordering::Relaxed);
        let _ = echo.join();
        Ok(times)
    })
}

/// A network in which nothing is in the way.
struct PassThrough {
    out: Vec<Outgoing>,
    gone: Vec<u64>,
}

impl Network for PassThrough {
    fn send(&mut self, t: Time, packet: Incoming) {
        let Incoming { number, ecn, dscp, .. } = packet;
        let socket = packet.socket ^ 1;
        self.out.push(Outgoing {
            at: t,
            socket,
            number,
            ecn,
            dscp,
            fragment: None,
            damaged: false,
            icmp_error: None,
        });
        self.gone.push(number);
    }
    fn run_until(&mut self, _: Time) {}
    fn next(&mut self) -> Option<Time> {
        None
    }
    fn outgoing(&mut self) -> impl Iterator<Item = Outgoing> {
        self.out.drain(..)
    }
    fn gone(&mut self) -> impl Iterator<Item = u64> {
        self.gone.drain(..)
    }
}

/// A codec for two NICs: every packet of the one is for the other.
struct ByNic([usize; 2]);

impl PacketCodec for ByNic {
    fn parse(&mut self, nic: usize, _: &[u8]) -> Result<PacketInfo, Rejected> {
        let socket =
            self.0.iter().position(|own| *own == nic).ok_or(Rejected::NoFlow(Unmatched::Source))?
                as u32;
        Ok(PacketInfo {
            socket,
            payload: 0,
            ecn: Ecn::NotEct,
            dscp: Dscp(0),
            seq: 0,
            flags: flag::UDP,
        })
    }
    fn mark(&mut self, _: &mut [u8], _: Ecn, _: Dscp) {}
    fn corrupt(&mut self, _: &mut [u8]) -> bool {
        false
    }
    fn fragment(&mut self, _: &[u8], _: Fragment, _: &mut Vec<u8>) -> bool {
        false
    }
    fn icmp_error(&mut self, _: &[u8], _: PacketTooBig, _: &mut Vec<u8>) -> bool {
        false
    }
}
