//! A host's NIC: what is configured is read back, what is sent comes out, what gets lost is
//! counted.
use dumbbell_emu::host::hosts::{Datapath, HostSpec, Hosts, PendingNic};
use dumbbell_emu::host::namespace::Namespace;
use dumbbell_emu::host::netlink::Netlink;
use dumbbell_emu::host::nic::{Losses, Nic};
use dumbbell_emu::host::testing::namespaces;
use dumbbell_emu::host::tun::{Tun, TunSpec};
use std::net::{IpAddr, Ipv4Addr, UdpSocket};

const HERE: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 1);
const THERE: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 2);

/// A host with one address and everything behind its device.
fn host(spec: HostSpec) -> (Namespace, Tun) {
    let mut hosts = Hosts::up(&[spec], Datapath::Tun).unwrap();
    let PendingNic::Tun(tun) = hosts.nics.remove(0) else { panic!("a TUN was asked for") };
    (hosts.hosts.remove(0).namespace, tun)
}

fn spec() -> HostSpec {
    HostSpec::numbered(0, "a")
}

#[test]
fn what_is_configured_is_read_back() {
    if !namespaces() {
        return;
    }
    for mtu in [68, 576, 1500, 9000, 65_535] {
        let spec = HostSpec { mtu, queue: 777, ..spec() };
        let (namespace, tun) = host(spec);
        let (link, addresses) = namespace
            .within(|| {
                let mut netlink = Netlink::open().unwrap();
                (netlink.find("eth0").unwrap(), netlink.addresses(tun.index()).unwrap())
            })
            .unwrap();
        assert_eq!(
            (link.mtu, link.queue, link.segments, link.qdisc.as_str()),
            (mtu, 777, 1, "noqueue")
        );
        assert_eq!(addresses, [IpAddr::V4(HERE)]);
    }
    for mtu in [0, 67, 65_536] {
        let failure = Tun::open(&Namespace::new().unwrap(), &TunSpec { mtu, ..TunSpec::default() })
            .unwrap_err();
        assert!(failure.cause.contains(&mtu.to_string()), "{failure}");
    }
}

#[test]
fn a_packet_comes_out_whole_and_its_answer_goes_in() {
    if !namespaces() {
        return;
    }
    let (namespace, mut tun) = host(spec());
    let socket = namespace.within(|| UdpSocket::bind((HERE, 5000))).unwrap().unwrap();
    let mut buffer = vec![0; 65_535];
    assert_eq!(tun.read(&mut buffer).unwrap(), None, "a host that says nothing");
    socket.send_to(b"hello", (THERE, 7)).unwrap();
    let arrived = tun.read(&mut buffer).unwrap().unwrap();
    let packet = &mut buffer[..arrived.len];
    assert_eq!((packet[0] >> 4, packet.len(), &packet[28..]), (4, 20 + 8 + 5, &b"hello"[..]));
    assert_eq!((&packet[12..16], &packet[16..20]), (&HERE.octets()[..], &THERE.octets()[..]));
    // Its answer: addresses and ports change places, which leaves both checksums as they are.
    let (from, to): ([u8; 4], [u8; 4]) =
        (packet[12..16].try_into().unwrap(), packet[16..20].try_into().unwrap());
    packet[12..16].copy_from_slice(&to);
    packet[16..20].copy_from_slice(&from);
    let ports: [u8; 4] = packet[20..24].try_into().unwrap();
    packet[20..24].copy_from_slice(&[ports[2], ports[3], ports[0], ports[1]]);
    assert!(tun.write(packet).unwrap());
    let mut answer = [0; 16];
    let (n, source) = socket.recv_from(&mut answer).unwrap();
    assert_eq!((&answer[..n], source), (&b"hello"[..], (THERE, 7).into()));
    assert_eq!(tun.losses().unwrap(), Losses::default());
    assert!(tun.write(&[0; 40]).is_err(), "no version of IP is 0");
}

#[test]
fn what_nobody_read_is_counted() {
    if !namespaces() {
        return;
    }
    let (namespace, mut tun) = host(HostSpec { queue: 16, ..spec() });
    let socket = namespace.within(|| UdpSocket::bind((HERE, 5000))).unwrap().unwrap();
    for _ in 0..100 {
        socket.send_to(&[0; 100], (THERE, 7)).unwrap();
    }
    let mut buffer = vec![0; 65_535];
    let read = std::iter::from_fn(|| tun.read(&mut buffer).unwrap()).count();
    assert_eq!(read, 16, "as many as the ring has room for");
    assert_eq!(tun.losses().unwrap(), Losses { sent: 84, written: 0 });
    assert_eq!(tun.counters().unwrap().sent, 16);
}
