//! One record of a log: 32 bytes of fixed layout, cheap to write for the router.
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::transport::segment::PacketTooBig;
use dumbbell_core::units::{Span, Time};
use dumbbell_net::Fragment;
use dumbbell_net::{Incoming, Outgoing};

/// Bytes of a record.
pub const ENTRY: usize = 32;

/// A record as it is in the ring and in a file:
///
/// | byte | of a packet that came in | of what went out |
/// |---|---|---|
/// | 0 | 1 | 2 |
/// | 1 | DSCP x 4 + ECN | the same, as it arrived |
/// | 2 | length of the IP packet | of a piece the low half of its datagram's number, of a router's answer the MTU |
/// | 4 | socket: 2 x flow + end | the socket that got it |
/// | 8 | when, ps | when it was due, ps |
/// | 16 | its number, 6 bytes | the number of the packet, 6 bytes |
/// | 22 | bytes of the application's | of a piece the high half of its datagram's number |
/// | 24 | sequence number | of a piece its first byte and the one behind its last; of an answer the sequence number |
/// | 28 | flags | 1 damaged, 2 piece, 4 last piece, 8 answer, 16 not taken by the host |
/// | 29 | 0 | how late it was written, in units of 16 ns; 2^24 - 1: that much or more |
pub type Entry = [u8; ENTRY];

const IN: u8 = 1;
const OUT: u8 = 2;
const DAMAGED: u8 = 1;
const PIECE: u8 = 2;
const LAST: u8 = 4;
const ANSWER: u8 = 8;
const REFUSED: u8 = 16;
/// Picoseconds of a unit of lateness.
const LATE_UNIT: u64 = 16_000;
/// Packets are numbered up to this.
pub const MOST_PACKETS: u64 = (1 << 48) - 1;
const LATEST: u32 = (1 << 24) - 1;

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// A packet came to the network.
    In {
        /// Time of arrival.
        t: Time,
        /// The packet.
        packet: Incoming,
    },
    /// Something went to a host.
    Out {
        /// The packet, with its due time.
        out: Outgoing,
        /// Lateness in units of 16 ns; 24 bits.
        late: u32,
        /// True if the host did not take it.
        refused: bool,
    },
}

impl Record {
    /// A span as records have it.
    #[inline]
    pub fn lateness(late: Span) -> u32 {
        (late.ps() / LATE_UNIT).min(u64::from(LATEST)) as u32
    }
    /// The span that a record's number stands for.
    pub fn late_by(late: u32) -> Span {
        Span::from_ps(u64::from(late) * LATE_UNIT)
    }

    /// The span that a record says, to 16 ns downwards.
    pub fn late(units: u32) -> Span {
        Span::from_ps(u64::from(units) * LATE_UNIT)
    }
    /// Encodes the record.
    #[inline]
    pub fn encode(&self) -> Entry {
        let mut entry = [0; ENTRY];
        match self {
            Record::In { t, packet } => {
                common(
                    &mut entry,
                    IN,
                    (packet.ecn, packet.dscp),
                    packet.socket,
                    (*t, packet.number),
                );
                entry[2..4].copy_from_slice(&packet.ip_len.to_le_bytes());
                entry[22..24].copy_from_slice(&packet.payload.to_le_bytes());
                entry[24..28].copy_from_slice(&packet.seq.to_le_bytes());
                entry[28] = packet.flags;
            }
            Record::Out { out, late, refused } => {
                common(&mut entry, OUT, (out.ecn, out.dscp), out.socket, (out.at, out.number));
                entry[28] =
                    if out.damaged { DAMAGED } else { 0 } | if *refused { REFUSED } else { 0 };
                if let Some(piece) = out.fragment {
                    let datagram = piece.datagram.to_le_bytes();
                    entry[2..4].copy_from_slice(&datagram[..2]);
                    entry[22..24].copy_from_slice(&datagram[2..]);
                    entry[24..26].copy_from_slice(&piece.from.to_le_bytes());
                    entry[26..28].copy_from_slice(&piece.to.to_le_bytes());
                    entry[28] |= PIECE | if piece.last { LAST } else { 0 };
                } else if let Some(notice) = out.icmp_error {
                    entry[2..4].copy_from_slice(&(notice.mtu as u16).to_le_bytes());
                    entry[24..28].copy_from_slice(&notice.seq.to_le_bytes());
                    entry[28] |= ANSWER;
                }
                entry[29..32].copy_from_slice(&late.min(&LATEST).to_le_bytes()[..3]);
            }
        }
        entry
    }

    /// The record of these bytes.
    ///
    /// # Errors
    /// They are none: what is wrong.
    pub fn decode(entry: &Entry) -> Result<Record, &'static str> {
        let u16_at = |at: usize| u16::from_le_bytes([entry[at], entry[at + 1]]);
        let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
        let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
        let (ecn, dscp) = (ecn_of(entry[1]), Dscp(entry[1] >> 2));
        let (socket, t, number) = (u32_at(4), Time::from_ps(u64_at(8)), u64_at(16) & MOST_PACKETS);
        if number == 0 {
            return Err("packets are numbered from 1");
        }
        match entry[0] {
            IN if entry[29..32] != [0; 3] => Err("a packet that came in has no lateness"),
            IN => {
                let packet = Incoming {
                    socket,
                    number,
                    ip_len: u16_at(2),
                    payload: u16_at(22),
                    ecn,
                    dscp,
                    seq: u32_at(24),
                    flags: entry[28],
                };
                Ok(Record::In { t, packet })
            }
            OUT => {
                let bits = entry[28];
                if bits & !(DAMAGED | PIECE | LAST | ANSWER | REFUSED) != 0
                    || bits & (PIECE | ANSWER) == PIECE | ANSWER
                {
                    return Err("its bits contradict each other");
                }
                let datagram = u32::from(u16_at(2)) | u32::from(u16_at(22)) << 16;
                let piece =
                    Fragment { datagram, from: u16_at(24), to: u16_at(26), last: bits & LAST != 0 };
                let notice = PacketTooBig { mtu: u32::from(u16_at(2)), seq: u32_at(24) };
                let out = Outgoing {
                    at: t,
                    socket,
                    number,
                    ecn,
                    dscp,
                    fragment: (bits & PIECE != 0).then_some(piece),
                    damaged: bits & DAMAGED != 0,
                    icmp_error: (bits & ANSWER != 0).then_some(notice),
                };
                Ok(Record::Out { out, late: u32_at(28) >> 8, refused: bits & REFUSED != 0 })
            }
            _ => Err("it is of no kind that there is"),
        }
    }
}

#[inline]
fn common(
    entry: &mut Entry,
    kind: u8,
    (ecn, dscp): (Ecn, Dscp),
    socket: u32,
    (t, number): (Time, u64),
) {
    entry[0] = kind;
    entry[1] = dscp.0 << 2 | ecn as u8;
    entry[4..8].copy_from_slice(&socket.to_le_bytes());
    entry[8..16].copy_from_slice(&t.ps().to_le_bytes());
    entry[16..22].copy_from_slice(&number.to_le_bytes()[..6]);
}

/// The ECN field of the low two bits (RFC 3168 section 5), whose values [`Ecn`] has in order.
fn ecn_of(tos: u8) -> Ecn {
    [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][usize::from(tos & 3)]
}
