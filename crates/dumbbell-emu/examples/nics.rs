//! Measures the cost of a NIC with a router that does nothing but forward packets:
//! `cargo run --release -p dumbbell-emu --example nics -- [tun|veth [seconds [segments]]]`.
#![allow(clippy::disallowed_methods, clippy::print_stdout, missing_docs)]
use dumbbell_emu::host::hosts::{Datapath, HostSpec, Hosts, PendingNic, v4};
use dumbbell_emu::host::nic::Nic;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::Write;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Hands some packets from one NIC to the other: how many.
fn hand_on(from: &mut dyn Nic, to: &mut dyn Nic, packet: &mut [u8]) -> Result<u64, Error> {
    for done in 0..64 {
        let Some(arrived) = from.read(packet)? else {
            to.flush()?;
            return Ok(done);
        };
        to.write(&packet[..arrived.len])?;
    }
    to.flush()?;
    Ok(64)
}

/// Hands packets from each NIC to the other until it is told to stop; whether it sleeps where there
/// is nothing to do.
fn forward(
    nics: &mut [Box<dyn Nic>],
    sleeps: bool,
    stop: &AtomicBool,
    count: &AtomicU64,
) -> Result<(), Error> {
    let [a, b] = nics else { return Err("two doors are needed".into()) };
    let mut packet = vec![0; 65_535];
    while !stop.load(Relaxed) {
        let done =
            hand_on(&mut **a, &mut **b, &mut packet)? + hand_on(&mut **b, &mut **a, &mut packet)?;
        count.fetch_add(done, Relaxed);
        if done == 0 && sleeps {
            let mut fds =
                [PollFd::new(a.fd(), PollFlags::POLLIN), PollFd::new(b.fd(), PollFlags::POLLIN)];
            poll(&mut fds, PollTimeout::from(100u8))?;
        }
    }
    Ok(())
}

fn round_trips(hosts: &Hosts, rounds: usize) -> Result<Vec<f64>, Error> {
    let bind = |n: u16| {
        hosts.hosts[usize::from(n)].namespace.within(move || UdpSocket::bind((v4(n), 5000)))
    };
    let (here, there) = (bind(0)??, bind(1)??);
    there.set_read_timeout(Some(Duration::from_millis(500)))?;
    here.set_read_timeout(Some(Duration::from_millis(500)))?;
    thread::scope(|scope| {
        let echo = scope.spawn(move || {
            let mut bytes = [0; 64];
            for _ in 0..rounds {
                let (n, from) = there.recv_from(&mut bytes)?;
                there.send_to(&bytes[..n], from)?;
            }
            Ok::<_, std::io::Error>(())
        });
        let mut times = vec![];
        for _ in 0..rounds {
            let start = Instant::now();
            here.send_to(&[0; 56], (v4(1), 5000))?;
            here.recv(&mut [0; 64])?;
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
        echo.join().expect("no panic")?;
        times.sort_by(f64::total_cmp);
        Ok(times)
    })
}

/// Packets of 1500 bytes as fast as they come: how many pass each second, and what the NICs lost.
fn blast(hosts: &Hosts, time: Duration, count: &AtomicU64) -> Result<f64, Error> {
    let sender = hosts.hosts[0].namespace.within(|| UdpSocket::bind((v4(0), 6000)))??;
    let _sink = hosts.hosts[1].namespace.within(|| UdpSocket::bind((v4(1), 6001)))??;
    let (start, before) = (Instant::now(), count.load(Relaxed));
    while start.elapsed() < time {
        for _ in 0..64 {
            sender.send_to(&[0; 1472], (v4(1), 6001))?;
        }
    }
    Ok((count.load(Relaxed) - before) as f64 / start.elapsed().as_secs_f64())
}

/// One TCP flow: bits of data each second.
fn bulk(hosts: &Hosts, time: Duration) -> Result<f64, Error> {
    let listener = hosts.hosts[1].namespace.within(|| TcpListener::bind((v4(1), 7000)))??;
    let mut sender = hosts.hosts[0].namespace.within(|| TcpStream::connect((v4(1), 7000)))??;
    let (mut receiver, _) = listener.accept()?;
    thread::scope(|scope| {
        let sink = scope.spawn(move || std::io::copy(&mut receiver, &mut std::io::sink()));
        let start = Instant::now();
        while start.elapsed() < time {
            sender.write_all(&[0; 65_536])?;
        }
        drop(sender);
        let bytes = sink.join().expect("no panic")?;
        Ok(bytes as f64 * 8.0 / start.elapsed().as_secs_f64())
    })
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let datapath = match arguments.next().as_deref() {
        None | Some("tun") => Datapath::Tun,
        Some("veth") => Datapath::AfPacket,
        Some(other) => return Err(format!("`{other}` is not a door: tun, veth").into()),
    };
    let seconds = arguments.next().map_or(Ok(2), |n| n.parse())?;
    let segments = arguments.next().map_or(Ok(1), |n| n.parse())?;
    let spec = |n| HostSpec { segments, ..HostSpec::numbered(n, format!("h{n}")) };
    for sleeps in [false, true] {
        let mut hosts = Hosts::up(&[0, 1].map(spec), datapath)?;
        let mut nics = hosts.nics.drain(..).map(PendingNic::open).collect::<Result<Vec<_>, _>>()?;
        let (stop, count) = (AtomicBool::new(false), AtomicU64::new(0));
        thread::scope(|scope| {
            let router = scope.spawn(|| forward(&mut nics, sleeps, &stop, &count));
            let measured = || -> Result<_, Error> {
                let time = Duration::from_secs(seconds);
                Ok((
                    round_trips(&hosts, 10_000)?,
                    bulk(&hosts, time)?,
                    blast(&hosts, time, &count)?,
                ))
            };
            let measured = measured();
            stop.store(true, Relaxed);
            router.join().expect("no panic")?;
            let (times, tcp, rate) = measured?;
            let at = |share: f64| times[(share * times.len() as f64) as usize];
            let how = if sleeps { "sleeping" } else { "spinning" };
            println!("{how}: round trip p50 {:.1} us, p99 {:.1} us", at(0.5), at(0.99));
            println!("  TCP {:.2} Gbit/s, {rate:.0} packets of 1500 bytes/s", tcp / 1e9);
            Ok::<_, Error>(())
        })?;
        for nic in &nics {
            println!("  {:?}", nic.losses()?);
        }
    }
    Ok(())
}
