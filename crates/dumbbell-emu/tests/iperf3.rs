//! Programs that know nothing of us talk to each other from host to host: iperf3, unmodified,
//! through a router that only hands packets on.
use dumbbell_emu::error::EnvError;
use dumbbell_emu::host::hosts::{Datapath, HostSpec, Hosts, close, v4};
use dumbbell_emu::host::nic::{Losses, Nic};
use dumbbell_emu::host::program::{Program, capture};
use dumbbell_emu::host::sysctl;
use dumbbell_emu::host::testing::{namespaces, possible};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(20);

fn iperf3(words: &[&str]) -> Command {
    let mut command = Command::new("iperf3");
    command.args(words);
    command
}

/// Hands each packet to the other NIC; the largest there was.
fn forward(nics: &mut [Box<dyn Nic>], stop: &AtomicBool) -> usize {
    let (mut packet, mut largest) = (vec![0; 65_535], 0);
    while !stop.load(Relaxed) {
        for (from, to) in [(0, 1), (1, 0)] {
            while let Some(arrived) = nics[from].read(&mut packet).unwrap() {
                largest = largest.max(arrived.len);
                while !nics[to].write(&packet[..arrived.len]).unwrap() {}
            }
            nics[to].flush().unwrap();
        }
        let mut fds = [0, 1].map(|n| PollFd::new(nics[n].fd(), PollFlags::POLLIN));
        poll(&mut fds, PollTimeout::from(10u8)).unwrap();
    }
    largest
}

/// Returns iperf3's result for a megabyte from one host to the other, with a congestion control
/// that it asks for or with the host's.
fn megabyte(hosts: &Hosts, control: &[&str]) -> serde_json::Value {
    let [client, server] = [0, 1].map(|n| &hosts.hosts[n].namespace);
    let mut command = iperf3(&["--server", "--one-off", "--forceflush"]);
    command.stdout(Stdio::piped());
    let mut listening = Program::start(server, command).unwrap();
    // It says that it listens; then somebody may come.
    let mut said = BufReader::new(listening.stdout.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains("listening")));
    let to = v4(1).to_string();
    let words = [&["--client", &to, "--bytes", "1M", "--json"], control].concat();
    let end = capture(client, iperf3(&words), LONG, LONG).unwrap();
    let text = String::from_utf8(end.stdout).unwrap();
    assert_eq!((end.code, end.in_time), (0, true), "{text}");
    said.for_each(drop);
    assert_eq!(listening.wait(), 0);
    serde_json::from_str(&text).unwrap()
}

fn goes_from_host_to_host(datapath: Datapath, control: &str) {
    let asks = control == "reno";
    let sysctls = if asks {
        vec![]
    } else {
        vec![("net.ipv4.tcp_congestion_control".to_owned(), control.to_owned())]
    };
    let specs = [0, 1]
        .map(|n| HostSpec { sysctls: sysctls.clone(), ..HostSpec::numbered(n, format!("h{n}")) });
    let mut hosts = Hosts::up(&specs, datapath).unwrap();
    let mut nics: Vec<_> = hosts.nics.drain(..).map(|nic| nic.open().unwrap()).collect();
    let stop = AtomicBool::new(false);
    let (result, largest) = thread::scope(|scope| {
        let router = scope.spawn(|| forward(&mut nics, &stop));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            megabyte(&hosts, if asks { &["-C", "reno"] } else { &[] })
        }));
        stop.store(true, Relaxed);
        (result, router.join().unwrap())
    });
    let result = result.unwrap();
    // The client counts bytes that were acknowledged or on their way at the end; the server counts
    // only those that arrived.
    let bytes = |of: &str| result["end"][of]["bytes"].as_u64().unwrap();
    assert!(bytes("sum_sent") >= 1 << 20 && bytes("sum_received") > 0, "{result}");
    assert!(bytes("sum_received") <= bytes("sum_sent"), "{result}");
    assert_eq!(result["end"]["sender_tcp_congestion"], control);
    assert_eq!(largest, 1500, "segments as on a wire");
    for nic in &nics {
        assert_eq!(nic.losses().unwrap(), Losses::default());
    }
    close(nics);
}

#[test]
fn a_megabyte_goes_from_host_to_host() {
    let there = || match Command::new("iperf3").arg("--version").stdout(Stdio::null()).status() {
        Ok(_) => Ok(()),
        Err(e) => Err(EnvError::new(format!("could not start iperf3: {e}"), "install it")),
    };
    if namespaces() && possible("iperf3", there()) {
        goes_from_host_to_host(Datapath::Tun, "reno");
        // Whatever the kernel has: some of them a machine keeps from being the default of a
        // namespace.
        let had = sysctl::read("net.ipv4.tcp_available_congestion_control").unwrap();
        for control in had.split_whitespace() {
            goes_from_host_to_host(Datapath::AfPacket, control);
        }
    }
}
