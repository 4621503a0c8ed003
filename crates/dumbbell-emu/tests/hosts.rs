//! Hosts: what was asked for is what the kernel says, on either datapath, with and without
//! privileges.
#![allow(clippy::disallowed_methods, reason = "real hosts take real time")]
use dumbbell_emu::host::hosts::{DEVICE_NAME, Datapath, Host, HostSpec, Hosts, PendingNic, v4, v6};
use dumbbell_emu::host::netlink::{Link, Netlink, Route, RouteOptions};
use dumbbell_emu::host::nic::Losses;
use dumbbell_emu::host::testing::namespaces;
use dumbbell_emu::host::{rootless, sysctl};
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, socket};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::Command;
use std::time::Duration;

/// A host that asks for everything.
fn particular(number: u16) -> HostSpec {
    HostSpec {
        mtu: 9000,
        v6: Some(v6(number)),
        sysctls: vec![
            ("net.ipv4.tcp_ecn".to_owned(), "1".to_owned()),
            ("net.ipv4.tcp_wmem".to_owned(), "4096\t65536\t1000000".to_owned()),
        ],
        route: RouteOptions {
            initcwnd: Some(3),
            initrwnd: Some(20),
            rto_min_ms: Some(40),
            quickack: true,
            mtu: Some(1400),
            mtu_locked: true,
            congestion_control: Some("reno".to_owned()),
        },
        segments: 7,
        ..HostSpec::numbered(number, format!("h{number}"))
    }
}

/// Returns the kernel's view of a host.
fn seen(host: &Host) -> (Link, Vec<IpAddr>, Vec<Route>) {
    let look = || {
        let mut netlink = Netlink::open().unwrap();
        let link = netlink.find(DEVICE_NAME).unwrap();
        let addresses = netlink.addresses(link.index).unwrap();
        (link, addresses, netlink.routes().unwrap())
    };
    host.namespace.within(look).unwrap()
}

fn setting(host: &Host, name: &str) -> String {
    host.namespace.within(|| sysctl::read(name).unwrap()).unwrap()
}

fn what_was_asked_for_is_what_there_is(datapath: Datapath) {
    let specs = [particular(0), HostSpec::numbered(1, "plain")];
    let hosts = Hosts::up(&specs, datapath).unwrap();
    let (link, addresses, routes) = seen(&hosts.hosts[0]);
    let flags = libc::IFF_UP | libc::IFF_NOARP | libc::IFF_MULTICAST;
    assert_eq!(
        link.flags & flags.cast_unsigned(),
        (libc::IFF_UP | libc::IFF_NOARP).cast_unsigned()
    );
    assert_eq!((link.mtu, link.segments, link.qdisc.as_str()), (9000, 7, "noqueue"));
    assert_eq!(addresses, [IpAddr::V4(v4(0)), IpAddr::V6(v6(0))]);
    let defaults: Vec<_> = routes.iter().filter(|route| route.default).collect();
    assert_eq!(defaults.len(), 2, "one for each version");
    for route in defaults {
        assert_eq!((route.device, &route.options), (link.index, &specs[0].route));
    }
    assert_eq!(setting(&hosts.hosts[0], "net.ipv4.tcp_ecn"), "1");
    assert_eq!(setting(&hosts.hosts[0], "net.ipv4.tcp_wmem"), "4096\t65536\t1000000");

    let (link, addresses, routes) = seen(&hosts.hosts[1]);
    assert_eq!((link.mtu, link.segments), (1500, 1));
    assert_eq!(addresses, [IpAddr::V4(v4(1))]);
    let only =
        [Route { device: link.index, default: true, v6: false, options: RouteOptions::default() }];
    assert_eq!(routes, only);
    assert_eq!(setting(&hosts.hosts[1], "net.ipv6.conf.eth0.disable_ipv6"), "1");
    for host in &hosts.hosts {
        let mut base: Vec<_> = sysctl::BASE.to_vec();
        base.retain(|(name, _)| {
            !host.absent.iter().any(|a| a == name) && !name.contains("congestion_control")
        });
        assert!(base.len() > 25, "a kernel that lacks nearly all: {:?}", host.absent);
        for (name, value) in base {
            if !specs.iter().any(|spec| spec.sysctls.iter().any(|(asked, _)| asked == name)) {
                assert_eq!(
                    setting(host, name).split_whitespace().collect::<Vec<_>>().join(" "),
                    value,
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn what_was_asked_for_is_what_there_is_through_tun() {
    if namespaces() {
        what_was_asked_for_is_what_there_is(Datapath::Tun);
    }
}

#[test]
fn what_was_asked_for_is_what_there_is_through_veth() {
    if namespaces() {
        what_was_asked_for_is_what_there_is(Datapath::AfPacket);
    }
}

#[test]
fn a_host_with_version_6_says_nothing_of_its_own_accord() {
    if !namespaces() {
        return;
    }
    let specs = [0, 1].map(|n| HostSpec { v6: Some(v6(n)), ..HostSpec::numbered(n, "quiet") });
    let tun = Hosts::up(&specs[..1], Datapath::Tun).unwrap();
    let veth = Hosts::up(&specs[1..], Datapath::AfPacket).unwrap();
    let heard = listen(&veth.nics[0]);
    // a host with Linux's defaults has asked for a router by then
    std::thread::sleep(Duration::from_millis(500));
    let PendingNic::Tun(tun) = &tun.nics[0] else { panic!("a TUN was asked for") };
    assert_eq!(tun.counters().unwrap().sent, 0);
    assert_eq!(
        recv(heard.as_raw_fd(), &mut [0; 2000], MsgFlags::MSG_DONTWAIT),
        Err(nix::errno::Errno::EAGAIN)
    );
}

/// Hears every frame at the router's end of a pair.
fn listen(nic: &PendingNic) -> OwnedFd {
    let PendingNic::Veth(veth) = nic else { panic!("a pair was asked for") };
    let open = || {
        socket(AddressFamily::Packet, SockType::Raw, SockFlag::SOCK_CLOEXEC, SockProtocol::EthAll)
    };
    veth.router_namespace.within(open).unwrap().unwrap()
}

/// One's complement sum over 16 bit words: 0xffff over what holds its own checksum (RFC 1071).
fn sum(bytes: &[u8]) -> u32 {
    let mut sum: u32 =
        bytes.chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(*w.get(1).unwrap_or(&0))).sum();
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum
}

fn a_frame_is_as_on_a_wire() {
    let specs =
        [HostSpec::numbered(0, "a"), HostSpec { v6: Some(v6(1)), ..HostSpec::numbered(1, "b") }];
    let hosts = Hosts::up(&specs, Datapath::AfPacket).unwrap();
    let heard = listen(&hosts.nics[0]);
    let everywhere = [
        (0, IpAddr::V4(v4(0)), IpAddr::V4(v4(9)), 20),
        (1, IpAddr::V6(v6(1)), IpAddr::V6(v6(9)), 40),
    ];
    for (n, from, to, header) in everywhere {
        let PendingNic::Veth(veth) = &hosts.nics[n] else { panic!("a pair was asked for") };
        let socket =
            hosts.hosts[n].namespace.within(|| UdpSocket::bind((from, 5000)).unwrap()).unwrap();
        socket.send_to(&[7; 333], SocketAddr::new(to, 7)).unwrap();
        let mut frame = [0; 2000];
        let len = recv(heard.as_raw_fd(), &mut frame, MsgFlags::empty()).unwrap();
        let (link, packet) = frame[..len].split_at(14);
        // Nobody was asked for an address: the frame goes to where it comes from.
        assert_eq!((&link[..6], &link[6..12]), (&veth.host_mac[..], &veth.host_mac[..]));
        assert_eq!(packet.len(), header + 8 + 333);
        // The pseudo header of RFC 768 and RFC 8200 8.1: addresses, length, protocol.
        let addresses = if header == 20 { &packet[12..20] } else { &packet[8..40] };
        let whole = [addresses, &(8 + 333u16).to_be_bytes(), &[0, 17], &packet[header..]].concat();
        assert_eq!(sum(&whole), 0xffff, "a checksum that is finished");
        assert_eq!(veth.losses().unwrap(), Losses::default());
    }
}

#[test]
fn a_frame_is_as_on_a_wire_as_root() {
    if namespaces() {
        a_frame_is_as_on_a_wire();
    }
}

/// The same inside a user namespace, where nothing of the machine's may be touched.
#[test]
fn hosts_come_up_in_a_user_namespace() {
    const INSIDE: &str = "DUMBBELL_TEST_INSIDE";
    if std::env::var(INSIDE).is_ok() {
        what_was_asked_for_is_what_there_is(Datapath::AfPacket);
        a_frame_is_as_on_a_wire();
        return;
    }
    let possible = || rootless::run(Command::new("true")).map(drop);
    if !dumbbell_emu::host::testing::possible("netns", possible()) {
        return;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "hosts_come_up_in_a_user_namespace", "--nocapture"]).env(INSIDE, "1");
    assert_eq!(rootless::run(command).unwrap(), 0);
}

#[test]
fn what_cannot_be_is_named_with_its_mending() {
    if !namespaces() {
        return;
    }
    let plain = || HostSpec::numbered(0, "s1");
    let set = |name: &str, value: &str| HostSpec {
        sysctls: vec![(name.to_owned(), value.to_owned())],
        ..plain()
    };
    for (spec, cause, fix) in [
        (HostSpec { mtu: 1000, v6: Some(v6(0)), ..plain() }, "1000", "1280"),
        (HostSpec { mtu: 60, ..plain() }, "60", "68"),
        (set("kernel.panic", "1"), "kernel.panic", "net.ipv4"),
        (set("net.ipv4.tcp_nonsense", "1"), "tcp_nonsense", "leave it out"),
        (set("net.ipv4.tcp_ecn", "much"), "tcp_ecn = much", "range"),
        (set("net.ipv4.tcp_congestion_control", "nonsense"), "nonsense", "reno"),
    ] {
        let failure = Hosts::up(&[HostSpec::numbered(1, "fine"), spec], Datapath::Tun).unwrap_err();
        assert!(
            failure.cause.starts_with("host s1: ") && failure.cause.contains(cause),
            "{failure}"
        );
        assert!(failure.fix.contains(fix), "{failure}");
    }
}
