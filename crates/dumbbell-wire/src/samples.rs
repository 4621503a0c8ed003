//! Packets that Linux 6.18 made, captured on TUN devices between two network namespaces: for tests.

const fn hex<const N: usize>(text: &str) -> [u8; N] {
    const fn digit(b: u8) -> u8 {
        if b < b'a' { b - b'0' } else { b - b'a' + 10 }
    }
    let (text, mut out, mut i) = (text.as_bytes(), [0; N], 0);
    assert!(text.len() == 2 * N);
    while i < N {
        out[i] = digit(text[2 * i]) << 4 | digit(text[2 * i + 1]);
        i += 1;
    }
    out
}

/// TCP's first word: SYN, asking for ECN.
pub const SYN_V4: &[u8] = &hex::<60>(
    "\
     4500003c81ef40004006a3cb0a0000010a000101bb881389391438ba00000000a0c2faf037d60000\
     020405b40402080a10a5adef000000000103030a",
);
/// The answer to it.
pub const SYN_ACK_V4: &[u8] = &hex::<60>(
    "\
     4500003c00004000400625bb0a0001010a0000011389bb88d7313a4f391438bba052fe88ddb50000\
     020405b40402080ad87d6cf810a5adef0103030a",
);
/// Eight bytes of data, ECN-capable, with timestamps.
pub const TCP_V4: &[u8] = &hex::<60>(
    "\
     4502003c81f140004006a3c70a0000010a000101bb881389391438bbd7313a508018003f6a550000\
     0101080a10a5adefd87d6cf864756d6262656c6c",
);
/// The acknowledgment of those bytes.
pub const ACK_V4: &[u8] = &hex::<52>(
    "\
     45000034baad400040066b150a0001010a0000011389bb88d7313a50391438c3801000400b060000\
     0101080ad87d6cf810a5adef",
);
/// The sender closes.
pub const FIN_V4: &[u8] = &hex::<52>(
    "\
     4500003481f240004006a3d00a0000010a000101bb881389391438c3d7313a508011003f0a3e0000\
     0101080a10a5aeb7d87d6cf8",
);
/// A datagram of three bytes, with a codepoint and ECT(0).
pub const UDP_V4: &[u8] = &hex::<31>(
    "\
     452e001ff4c94000401130d50a0000010a000101a58d138a000b5e5a6f6464",
);
/// The SYN of the same connection over IPv6.
pub const SYN_V6: &[u8] = &hex::<80>(
    "\
     6006896100280640fd000000000000000000000000000001fd000001000000000000000000000001\
     940c1389b4873a1900000000a0c2fd20f6810000020405a00402080af387cfeb000000000103030a",
);
/// The answer to it.
pub const SYN_ACK_V6: &[u8] = &hex::<80>(
    "\
     600e5bb600280640fd000001000000000000000000000001fd000000000000000000000000000001\
     1389940c8bf00a75b4873a1aa052fb0492c10000020405a00402080ab5621a83f387cfeb0103030a",
);
/// Eight bytes of data.
pub const TCP_V6: &[u8] = &hex::<80>(
    "\
     6026896100280640fd000000000000000000000000000001fd000001000000000000000000000001\
     940c1389b4873a1a8bf00a76801800401bc200000101080af387cff1b5621a8364756d6262656c6c",
);
/// A datagram of three bytes.
pub const UDP_V6: &[u8] = &hex::<51>(
    "\
     62e39a1f000b1140fd000000000000000000000000000001fd000001000000000000000000000001\
     88fe138a000b95e66f6464",
);
/// The last piece of a datagram of 1500 bytes, cut by the host.
pub const PIECE_V4: &[u8] = &hex::<48>(
    "\
     452e0030f4ca00b94011700a0a0000010a0001010000000000000000000000000000000000000000\
     0000000000000000",
);
/// Port unreachable, with the datagram to nobody in it.
pub const UNREACHABLE_V4: &[u8] = &hex::<62>(
    "\
     45ce003e0633000040015ebd0a0001010a0000010303121e00000000452e0022f4cb4000401130d0\
     0a0000010a000101a58d138b000efc5f6e6f626f6479",
);
/// The last piece of a datagram of version 6, behind a fragment header.
pub const PIECE_V6: &[u8] = &hex::<108>(
    "\
     62e39a1f00442c40fd000000000000000000000000000001fd000001000000000000000000000001\
     110005a8da46b8f60000000000000000000000000000000000000000000000000000000000000000\
     00000000000000000000000000000000000000000000000000000000",
);
/// Port unreachable of version 6.
pub const UNREACHABLE_V6: &[u8] = &hex::<102>(
    "\
     60016cd9003e3a40fd000001000000000000000000000001fd000000000000000000000000000001\
     010462a10000000062ee2dc0000e1140fd000000000000000000000000000001fd00000100000000\
     000000000000000188fe138b000e33ec6e6f626f6479",
);

/// Whole packets of connections; every checksum in them is right.
pub const ALL: [(&str, &[u8]); 10] = [
    ("SYN_V4", SYN_V4),
    ("SYN_ACK_V4", SYN_ACK_V4),
    ("TCP_V4", TCP_V4),
    ("ACK_V4", ACK_V4),
    ("FIN_V4", FIN_V4),
    ("UDP_V4", UDP_V4),
    ("SYN_V6", SYN_V6),
    ("SYN_ACK_V6", SYN_ACK_V6),
    ("TCP_V6", TCP_V6),
    ("UDP_V6", UDP_V6),
];

/// [`TCP_V4`] as [`crate::five_tuple::FiveTuple`] prints it.
pub const TCP_V4_TUPLE: &str = "TCP from 10.0.0.1 port 48008 to 10.0.1.1 port 5001";
/// [`UDP_V6`] as [`crate::five_tuple::FiveTuple`] prints it.
pub const UDP_V6_TUPLE: &str = "UDP from fd00::1 port 35070 to fd00:1::1 port 5002";

/// The headers of three fragments that the kernel made of one datagram of 3080 bytes of UDP, and
/// its UDP header. The data are the bytes 0 to 255, twelve times.
pub const CUT_BY_THE_KERNEL: [[u8; 20]; 3] = [
    hex("452e05dcf4cc200040114b150a0000010a000101"),
    hex("452e05dcf4cc20b940114a5c0a0000010a000101"),
    hex("452e008cf4cc017240116ef30a0000010a000101"),
];
/// The UDP header of the datagram that was cut.
pub const CUT_UDP: [u8; 8] = hex("a58d138a0c0816c8");
