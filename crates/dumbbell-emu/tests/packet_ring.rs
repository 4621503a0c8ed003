//! The NIC of the rootless: real hosts behind pairs of Ethernet devices, and rings between them.
use dumbbell_emu::host::hosts::{Datapath, HostSpec, Hosts, PendingNic, v4, v6};
use dumbbell_emu::host::namespace::Namespace;
use dumbbell_emu::host::netlink::{Netlink, RouteOptions, VethEnd};
use dumbbell_emu::host::nic::{LARGEST, Losses, Nic};
use dumbbell_emu::host::packet_ring::{EthernetLink, PacketRing};
use dumbbell_emu::host::testing::possible;
use dumbbell_emu::packet::defects::{Defective, Findings};
use dumbbell_wire::corrupt::{Corruption, corrupt};
use dumbbell_wire::rewrite::set_ce;
use dumbbell_wire::verify::{Verdict, verify};
use dumbbell_wire::view::{PacketView, TransportHeader};
use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrIn, connect, recv, socket,
};
use nix::time::{ClockId, clock_gettime};
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// The nanoseconds that a time stamp may be off by on a busy machine; a stamp of another clock is
/// off by years.
const SLACK: u64 = 500_000_000;

/// Returns true if this machine lets a test make namespaces; this NIC needs nothing else.
fn able() -> bool {
    possible("netns", Namespace::new().map(drop))
}

fn hosts(mtu: u32) -> (Vec<Namespace>, Vec<PacketRing>) {
    let specs = [0, 1].map(|n| HostSpec {
        mtu,
        v6: (mtu >= 1280).then(|| v6(n)),
        ..HostSpec::numbered(n, format!("h{n}"))
    });
    let mut hosts = Hosts::up(&specs, Datapath::AfPacket).unwrap();
    let nics = hosts.nics.drain(..).map(|nic| match nic {
        PendingNic::Veth(veth) => PacketRing::open(veth).unwrap(),
        PendingNic::Tun(_) => panic!("a veth was asked for"),
    });
    let nics = nics.collect();
    (hosts.hosts.drain(..).map(|h| h.namespace).collect(), nics)
}

/// Returns the NIC's error for a packet that it refuses. The packet is sent again from time to
/// time, because a pair of devices may lose packets until the kernel has announced that the cable
/// is plugged in.
fn refusal(nic: &mut PacketRing, send: impl Fn()) -> std::io::Error {
    for _ in 0..500 {
        send();
        let patience = now() + 20_000_000;
        while now() < patience {
            if let Err(refused) = nic.read(&mut vec![0; LARGEST]) {
                return refused;
            }
            thread::yield_now();
        }
    }
    panic!("nothing was refused");
}

/// The next packet, when the kernel has brought it.
fn arrival(nic: &mut PacketRing, buffer: &mut [u8]) -> dumbbell_emu::host::nic::Arrived {
    let patience = now() + 10_000_000_000;
    while now() < patience {
        if let Some(arrived) = nic.read(buffer).unwrap() {
            return arrived;
        }
        thread::yield_now();
    }
    panic!("no packet came");
}

fn now() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap();
    now.tv_sec().cast_unsigned() * 1_000_000_000 + now.tv_nsec().cast_unsigned()
}

/// Hands packets from each of two NICs to the other until `done`, and looks at every one of them
/// first.
fn relay(
    nics: &mut [PacketRing],
    done: &AtomicBool,
    mut look: impl FnMut(usize, &mut [u8]),
) -> u64 {
    let (mut buffer, mut packets, mut last) = (vec![0; LARGEST], 0, [now(); 2]);
    let patience = now() + 20_000_000_000;
    while !done.load(Ordering::Relaxed) {
        assert!(now() < patience, "the hosts never finish: {packets} packets so far");
        for from in 0..2 {
            while let Some(arrived) = nics[from].read(&mut buffer).unwrap() {
                let packet = &mut buffer[..arrived.len];
                let at = arrived.at.expect("nobody sets the clock");
                // Two clocks are compared across two readings, between which others may have had
                // the processor.
                assert!(at + SLACK >= last[from] && at <= now() + SLACK, "stamped out of its time");
                last[from] = at;
                look(from, packet);
                assert!(nics[1 - from].write(packet).unwrap(), "a ring that is full");
                packets += 1;
            }
        }
        nics.iter_mut().for_each(|nic| nic.flush().unwrap());
        thread::yield_now();
    }
    packets
}

/// Bytes over one TCP connection between the hosts, and what `look` does to their packets; how many
/// packets it took.
fn transfer(mtu: u32, address: IpAddr, bytes: usize, look: impl FnMut(usize, &mut [u8])) -> u64 {
    let (namespaces, mut nics) = hosts(mtu);
    let (done, data): (_, Vec<u8>) =
        (AtomicBool::new(false), (0..bytes).map(|i| (i * i / 7) as u8).collect());
    let listener = namespaces[1].within(|| TcpListener::bind((address, 7000))).unwrap().unwrap();
    // If the relay breaks off, no connection ever arrives.
    let patience = nix::sys::time::TimeVal::new(30, 0);
    nix::sys::socket::setsockopt(&listener, nix::sys::socket::sockopt::ReceiveTimeout, &patience)
        .unwrap();
    let packets = thread::scope(|scope| {
        scope.spawn(|| {
            namespaces[0]
                .within(|| {
                    TcpStream::connect(SocketAddr::from((address, 7000)))
                        .unwrap()
                        .write_all(&data)
                        .unwrap()
                })
                .unwrap();
        });
        let receiver = scope.spawn(|| {
            let mut got = vec![];
            listener.accept().unwrap().0.read_to_end(&mut got).unwrap();
            done.store(true, Ordering::Relaxed);
            got
        });
        let packets = relay(&mut nics, &done, look);
        assert!(receiver.join().unwrap() == data, "other bytes came than were sent");
        packets
    });
    for nic in &nics {
        assert_eq!((nic.losses().unwrap(), nic.foreign()), (Losses::default(), 0));
    }
    packets
}

#[test]
fn tcp_goes_through_in_packets_of_a_wire_with_every_checksum_right() {
    if !able() {
        return;
    }
    for (mtu, address, bytes) in [
        (1500, IpAddr::V4(v4(1)), 2_000_000),
        (1500, IpAddr::V6(v6(1)), 200_000),
        (576, IpAddr::V4(v4(1)), 100_000),
        (9000, IpAddr::V4(v4(1)), 2_000_000),
        (65_535, IpAddr::V4(v4(1)), 2_000_000),
    ] {
        let mut largest = 0;
        let packets = transfer(mtu, address, bytes, |_, packet| {
            let view = PacketView::of(packet).unwrap();
            assert_eq!(usize::from(view.total_len), packet.len());
            assert_eq!(verify(packet, &view), Verdict::Right, "{view:?}");
            largest = largest.max(packet.len());
        });
        assert_eq!(largest, mtu as usize, "full packets, and none beyond");
        assert!(packets > (bytes / mtu as usize) as u64);
    }
}

#[test]
fn a_host_reads_marks_and_discards_what_is_damaged() {
    if !able() {
        return;
    }
    let (namespaces, mut nics) = hosts(1500);
    let (from, to) = (SocketAddr::from((v4(0), 1000)), SocketAddr::from((v4(1), 2000)));
    let sender = namespaces[0].within(|| UdpSocket::bind(from)).unwrap().unwrap();
    let receiver = namespaces[1].within(|| UdpSocket::bind(to)).unwrap().unwrap();
    receiver.set_read_timeout(Some(std::time::Duration::from_secs(10))).unwrap();
    let mut buffer = vec![0; LARGEST];
    for number in 0..41u8 {
        sender.send_to(&[number; 100], to).unwrap();
        let arrived = arrival(&mut nics[0], &mut buffer);
        let packet = &mut buffer[..arrived.len];
        set_ce(packet);
        if number % 2 == 1 {
            assert_eq!(corrupt(packet, u64::from(number) * 37), Corruption::Payload);
        }
        assert!(nics[1].write(packet).unwrap());
    }
    nics[1].flush().unwrap();
    let mut got = [0; 200];
    for number in (0..41).step_by(2) {
        assert_eq!(receiver.recv(&mut got).unwrap(), 100);
        assert_eq!(got[..100], [number; 100]);
    }
    // A datagram is summed when it is read: those between the sound ones were.
    let counted = namespaces[1]
        .within(|| {
            std::fs::read_to_string("/proc/thread-self/net/snmp").unwrap()
                + &std::fs::read_to_string("/proc/thread-self/net/netstat").unwrap()
        })
        .unwrap();
    assert_eq!(counter(&counted, "Udp:", "InCsumErrors"), 20, "{counted}");
    assert_eq!(counter(&counted, "IpExt:", "InCEPkts"), 41, "{counted}");
}

/// A figure of /proc/net/snmp and its like: a line of names, then one of numbers.
fn counter(text: &str, group: &str, name: &str) -> u64 {
    let mut lines = text.lines().filter(|l| l.starts_with(group));
    let (names, numbers) = (lines.next().unwrap(), lines.next().unwrap());
    names.split(' ').zip(numbers.split(' ')).find(|(n, _)| *n == name).unwrap().1.parse().unwrap()
}

#[test]
fn what_found_the_ring_full_is_counted() {
    if !able() {
        return;
    }
    let (namespaces, mut nics) = hosts(1500);
    let sender = namespaces[0].within(|| UdpSocket::bind((v4(0), 1000))).unwrap().unwrap();
    for _ in 0..5000 {
        sender.send_to(&[7; 10], (v4(1), 2000)).unwrap();
    }
    let (mut buffer, mut read) = (vec![0; LARGEST], 0);
    while nics[0].read(&mut buffer).unwrap().is_some() {
        read += 1;
    }
    let lost = nics[0].losses().unwrap();
    assert_eq!(read + lost.sent, 5000, "{lost:?}");
    assert!(lost.sent > 0 && read >= 4096);
    assert_eq!(nics[0].losses().unwrap(), lost, "asked twice it says the same");
}

/// A pair whose devices are as the kernel makes them: with every offload on.
fn careless() -> (Namespace, Namespace, PacketRing) {
    let (host, router) = (Namespace::new().unwrap(), Namespace::new().unwrap());
    let (mine, gateway) = ([2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2]);
    host.within(|| {
        let mut netlink = Netlink::open().unwrap();
        let (here, there) = (
            VethEnd { name: "eth0", mac: mine, mtu: 1500 },
            VethEnd { name: "door", mac: gateway, mtu: 1500 },
        );
        netlink.veth(&here, &there, router.as_fd()).unwrap();
        let index = netlink.index("eth0").unwrap();
        netlink.link(index).no_arp().up().apply().unwrap();
        netlink.add_address(index, v4(0).into()).unwrap();
        netlink.add_default_route(index, v4(0).into(), &RouteOptions::default()).unwrap();
    })
    .unwrap();
    router
        .within(|| {
            let mut netlink = Netlink::open().unwrap();
            let index = netlink.index("door").unwrap();
            netlink.link(index).no_arp().up().apply().unwrap();
        })
        .unwrap();
    let wire = EthernetLink { device: "door".into(), host: mine, router: gateway, mtu: 1500 };
    let nic = PacketRing::at(&router, &wire).unwrap();
    (host, router, nic)
}

#[test]
fn a_checksum_that_is_left_to_the_card_is_refused_with_its_cause() {
    if !able() {
        return;
    }
    let (host, _router, mut nic) = careless();
    let sender = host.within(|| UdpSocket::bind((v4(0), 1000))).unwrap().unwrap();
    // It goes on behind it, to the next one.
    for _ in 0..2 {
        let send = || assert_eq!(sender.send_to(&[7; 100], (v4(1), 2000)).unwrap(), 100);
        let refused = refusal(&mut nic, send);
        assert_eq!(refused.kind(), ErrorKind::InvalidData);
        assert!(refused.to_string().contains("ethtool -K DEVICE tx off"), "{refused}");
    }
}

#[test]
fn without_the_kernels_word_the_sum_itself_tells() {
    if !able() {
        return;
    }
    let (host, router, _door) = careless();
    let plain = || {
        socket(AddressFamily::Packet, SockType::Raw, SockFlag::SOCK_NONBLOCK, SockProtocol::EthAll)
    };
    let tap = router.within(plain).unwrap().unwrap();
    let mut findings = Findings::default();
    let udp = host.within(|| UdpSocket::bind((v4(0), 1000))).unwrap().unwrap();
    udp.send_to(&[7; 100], (v4(1), 2000)).unwrap();
    host.within(|| {
        // A SYN goes out at once; nobody will answer it.
        let tcp =
            socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_NONBLOCK, None).unwrap();
        assert_eq!(
            connect(tcp.as_raw_fd(), &SockaddrIn::from(SocketAddrV4::new(v4(1), 80))),
            Err(Errno::EINPROGRESS)
        );
    })
    .unwrap();
    let mut frame = [0; 2000];
    while let Ok(n) = recv(tap.as_raw_fd(), &mut frame, MsgFlags::empty()) {
        let packet = &frame[14..n];
        let Verdict::Wrong(wrong) = verify(packet, &PacketView::of(packet).unwrap()) else {
            panic!("{packet:02x?}")
        };
        let defective = Defective::wrong(wrong, packet);
        findings.note(defective.defect.name(), || defective.message);
    }
    assert_eq!(
        (findings.of("bad_tcp_checksum"), findings.of("bad_udp_checksum"), findings.0.len()),
        (1, 1, 2)
    );
    for finding in findings.0.values() {
        assert!(finding.first.contains("10.77.0.1 port "), "{finding:?}");
        assert!(finding.first.contains("ethtool -K DEVICE tx off"), "{finding:?}");
    }
}

#[test]
fn a_segment_that_was_left_to_the_card_is_refused_with_its_cause() {
    if !able() {
        return;
    }
    let (host, _router, mut nic) = careless();
    // Datagrams that one call hands over together are cut last of all, like TCP's segments.
    let sender = host.within(|| UdpSocket::bind((v4(0), 1000))).unwrap().unwrap();
    nix::sys::socket::setsockopt(&sender, nix::sys::socket::sockopt::UdpGsoSegment, &1000).unwrap();
    let send = || assert_eq!(sender.send_to(&[7; 10_000], (v4(1), 2000)).unwrap(), 10_000);
    let refused = refusal(&mut nic, send);
    assert_eq!(refused.kind(), ErrorKind::InvalidData);
    assert!(
        refused.to_string().contains("10028 bytes")
            && refused.to_string().contains(
                "tso off gso \
            off"
            ),
        "{refused}"
    );
}

#[test]
fn what_is_no_packet_is_not_written() {
    if !able() {
        return;
    }
    let (_namespaces, mut nics) = hosts(1500);
    assert_eq!(nics[0].write(&[0; 40]).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(nics[0].write(&[]).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert!(nics[0].write(&[0x45; 1600]).is_err(), "larger than the device's MTU");
    let missing =
        EthernetLink { device: "nothing".into(), host: [2; 6], router: [2; 6], mtu: 1500 };
    let failure = PacketRing::at(&Namespace::new().unwrap(), &missing).unwrap_err();
    assert!(failure.cause.contains("device nothing"), "{failure}");
}

#[test]
fn a_ring_that_was_filled_at_once_comes_out_whole() {
    if !able() {
        return;
    }
    // More than a socket may have on its way by itself, and all of it before the kernel is told.
    let (namespaces, mut nics) = hosts(9000);
    let _receiver = namespaces[1].within(|| UdpSocket::bind((v4(1), 2000))).unwrap().unwrap();
    let sender = namespaces[0].within(|| UdpSocket::bind((v4(0), 1000))).unwrap().unwrap();
    sender.send_to(&[7; 8000], (v4(1), 2000)).unwrap();
    let mut buffer = vec![0; LARGEST];
    let n = arrival(&mut nics[0], &mut buffer).len;
    let mut written = 0u64;
    while written < 500 && nics[1].write(&buffer[..n]).unwrap() {
        written += 1;
    }
    nics[1].flush().unwrap();
    let patience = now() + 10_000_000_000;
    while namespaces[1].within(received).unwrap() < written && now() < patience {
        nics[1].read(&mut buffer).unwrap();
        thread::yield_now();
    }
    assert_eq!(namespaces[1].within(received).unwrap(), written, "{:?}", nics[1].losses());
    assert_eq!(nics[1].losses().unwrap().written, 0);
}

/// Datagrams that IP delivered in this thread's namespace, whether or not their socket had room.
fn received() -> u64 {
    counter(&std::fs::read_to_string("/proc/thread-self/net/snmp").unwrap(), "Ip:", "InDelivers")
}

#[test]
fn an_error_that_the_kernel_makes_is_read() {
    if !able() {
        return;
    }
    let (namespaces, mut nics) = hosts(1500);
    // Nobody listens: the kernel answers with an error that quotes the datagram.
    let sender = namespaces[0].within(|| UdpSocket::bind((v4(0), 1000))).unwrap().unwrap();
    sender.send_to(b"?", (v4(1), 9)).unwrap();
    let mut buffer = vec![0; LARGEST];
    let n = arrival(&mut nics[0], &mut buffer).len;
    assert!(nics[1].write(&buffer[..n]).unwrap());
    nics[1].flush().unwrap();
    let n = arrival(&mut nics[1], &mut buffer).len;
    let view = PacketView::of(&buffer[..n]).unwrap();
    assert_eq!(view.transport, TransportHeader::Icmp { kind: 3, code: 3, rest: 0 });
    assert_eq!(verify(&buffer[..n], &view), Verdict::Right);
}
