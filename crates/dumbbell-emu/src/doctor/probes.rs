//! Checks that try something. Everything that they make is removed at once.
use super::Check;
use crate::error::EnvError;
use crate::host::hosts::{Datapath, HostSpec, Hosts};
use crate::host::namespace::Namespace;
use crate::host::program::capture;
use crate::host::rootless;
use crate::host::sysctl;
use crate::host::tun::{Tun, TunSpec};
use crate::sys::sched;
use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// Longest time for a program that does next to nothing.
const LIMIT: Duration = Duration::from_secs(5);

type Outcome = Result<String, (String, String)>;

fn cause_and_fix(failure: EnvError) -> (String, String) {
    (failure.cause, failure.fix)
}

/// Tries all.
pub(super) fn all() -> Vec<Check> {
    vec![
        Check::new("network_namespaces", "runs between real hosts", namespaces()),
        Check::new("settings", "hosts whose TCP is set as the scenario says", settings()),
        Check::new("tun", "the usual way of packets to the router, the fastest", tun()),
        Check::new("veth", "the other way of packets, where there is no TUN", veth()),
        Check::new("programs", "programs of yours inside a host, which end with it", programs()),
        Check::new(
            "user_namespaces",
            "runs between real hosts without being root",
            user_namespaces(),
        ),
        Check::new(
            "realtime_priority",
            "exact times on a machine that does other things too",
            realtime(),
        ),
        Check::new("iperf3", "scenarios whose traffic is iperf3's", installed("iperf3")),
        Check::new("tcpdump", "captures inside a host", installed("tcpdump")),
    ]
}

fn namespaces() -> Outcome {
    Namespace::new().map(|_| "made one".to_owned()).map_err(cause_and_fix)
}

fn settings() -> Outcome {
    let (_, absent) = Namespace::with(|| sysctl::write_all(sysctl::BASE)).map_err(cause_and_fix)?;
    Ok(match absent.join(", ").as_str() {
        "" => "all can be set".to_owned(),
        absent => format!("all can be set but {absent}"),
    })
}

fn tun() -> Outcome {
    let namespace = Namespace::new().map_err(cause_and_fix)?;
    Tun::open(&namespace, &TunSpec::default()).map_err(cause_and_fix)?;
    Ok("made a device".to_owned())
}

fn veth() -> Outcome {
    let hosts =
        Hosts::up(&[HostSpec::numbered(0, "probe")], Datapath::AfPacket).map_err(cause_and_fix)?;
    let open = || {
        socket(AddressFamily::Packet, SockType::Raw, SockFlag::SOCK_CLOEXEC, SockProtocol::EthAll)
    };
    match hosts.hosts[0].namespace.within(open).map_err(cause_and_fix)? {
        Ok(_) => Ok("made a pair and a packet socket".to_owned()),
        Err(e) => {
            Err((format!("no packet socket: {e}"), "use a kernel with CONFIG_PACKET".to_owned()))
        }
    }
}

fn programs() -> Outcome {
    let namespace = Namespace::new().map_err(cause_and_fix)?;
    let mut command = Command::new("sh");
    command.args(["-c", "echo $$"]);
    let end = capture(&namespace, command, LIMIT, LIMIT).map_err(cause_and_fix)?;
    match String::from_utf8_lossy(&end.stdout).trim() {
        // Number 1 is the init that takes all of them with it.
        "2" => Ok("a shell in a process namespace of its own".to_owned()),
        _ => Err((
            "a shell, but no process namespace around it".to_owned(),
            "raise the limit: sysctl user.max_pid_namespaces".to_owned(),
        )),
    }
}

fn user_namespaces() -> Outcome {
    let mut command = Command::new("true");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match rootless::run(command).map_err(cause_and_fix)? {
        0 => Ok("ran a program in one".to_owned()),
        code => Err((format!("a program in one ended with {code}"), "run as root".to_owned())),
    }
}

fn realtime() -> Outcome {
    let tried = thread::spawn(|| sched::real_time(1)).join();
    match tried {
        Ok(Ok(())) => Ok("SCHED_FIFO is permitted".to_owned()),
        Ok(Err(e)) => Err((
            format!("SCHED_FIFO is not permitted: {e}"),
            "run as root, or permit it: ulimit -r 50 (rtprio in /etc/security/limits.conf)"
                .to_owned(),
        )),
        Err(_) => Err(("the thread that tried it died".to_owned(), "try again".to_owned())),
    }
}

fn installed(program: &'static str) -> Outcome {
    let path = std::env::var_os("PATH").unwrap_or_default();
    match std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
    {
        Some(file) => Ok(file.display().to_string()),
        None => {
            Err(("not in the PATH".to_owned(), format!("install it: apt-get install {program}")))
        }
    }
}
