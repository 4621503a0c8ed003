//! Captures read back: pcapng and classic pcap, of either byte order, whoever wrote them. A file
//! that is cut or damaged gives the packets before that, and the place.
use super::Damage;
use pcap_parser::pcapng::{Block, InterfaceDescriptionBlock};
use pcap_parser::traits::PcapNGPacketBlock;
use pcap_parser::{OptionCode, PcapBlockOwned, PcapError, create_reader};
use std::io::Read;

/// Bytes read at once.
const BUFFER: usize = 1 << 18;
/// No honest block is larger.
const LARGEST: usize = 1 << 26;
const NS_PER_S: u128 = 1_000_000_000;

/// A packet as a capture has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketView<'a> {
    /// Nanoseconds since the epoch.
    pub ns: u64,
    /// The LINKTYPE number of the first header in the bytes.
    pub link_type: i32,
    /// The bytes that were kept.
    pub bytes: &'a [u8],
    /// Its original length, bytes.
    pub length: u32,
    /// Its comment; may be empty.
    pub comment: &'a str,
}

/// An interface of a section.
#[derive(Clone, Copy)]
struct Interface {
    link_type: i32,
    /// Units of a second.
    resolution: u64,
    offset_s: i64,
}

impl Interface {
    fn of(block: &InterfaceDescriptionBlock<'_>) -> Option<Self> {
        let resolution = block.ts_resolution().filter(|r| *r > 0)?;
        Some(Interface { link_type: block.linktype.0, resolution, offset_s: block.if_tsoffset })
    }
    fn ns(&self, high: u32, low: u32) -> u64 {
        let units = u128::from(high) << 32 | u128::from(low);
        let ns = units * NS_PER_S / u128::from(self.resolution);
        let shifted = i128::try_from(ns)
            .unwrap_or(i128::MAX)
            .saturating_add(i128::from(self.offset_s) * NS_PER_S as i128);
        u64::try_from(shifted.max(0)).unwrap_or(u64::MAX)
    }
}

/// The state of the current section.
#[derive(Default)]
struct Section {
    interfaces: Vec<Interface>,
}

/// Gives every packet to `each`; what is wrong with the file, if something is.
pub fn read<R: Read + Send>(input: R, mut each: impl FnMut(&PacketView<'_>)) -> Option<Damage> {
    let mut reader = match create_reader(BUFFER, input) {
        Ok(reader) => reader,
        Err(PcapError::Eof) => return Some(Damage::new(0, "the file is empty")),
        Err(PcapError::Incomplete(_)) => {
            return Some(Damage::new(
                0,
                "the file ends within its \
            header",
            ));
        }
        Err(PcapError::ReadError) => return Some(Damage::new(0, "the file cannot be read")),
        Err(_) => return Some(Damage::new(0, "this is neither pcapng nor pcap")),
    };
    let (mut section, mut size, mut at) = (Section::default(), BUFFER, 0);
    loop {
        match reader.next() {
            Ok((length, block)) => {
                if let Err(cause) = section.take(&block, &mut each) {
                    return Some(Damage::new(at, cause));
                }
                drop(block);
                reader.consume(length);
                at += length;
                if length == 0 {
                    return Some(Damage::new(at, "a block without length"));
                }
            }
            Err(PcapError::Eof) => return None,
            Err(PcapError::Incomplete(_)) => {
                if reader.refill().is_err() {
                    return Some(Damage::new(at, "the file cannot be read any further"));
                }
            }
            Err(PcapError::BufferTooSmall) => {
                size *= 2;
                if size > LARGEST || !reader.grow(size) || reader.refill().is_err() {
                    return Some(Damage::new(at, "a block that is larger than any packet"));
                }
            }
            Err(PcapError::UnexpectedEof) => {
                return Some(Damage::new(
                    at,
                    "the file ends within a \
                packet",
                ));
            }
            Err(_) => return Some(Damage::new(at, "no block of a capture begins here")),
        }
    }
}

impl Section {
    fn take(
        &mut self,
        block: &PcapBlockOwned<'_>,
        each: &mut impl FnMut(&PacketView<'_>),
    ) -> Result<(), String> {
        match block {
            PcapBlockOwned::LegacyHeader(header) => {
                let resolution =
                    if header.is_nanosecond_precision() { 1_000_000_000 } else { 1_000_000 };
                self.interfaces =
                    vec![Interface { link_type: header.network.0, resolution, offset_s: 0 }];
            }
            PcapBlockOwned::Legacy(p) => {
                let Some(interface) = self.interfaces.first() else {
                    return Err("a packet before \
                    the header"
                        .into());
                };
                let fraction = u64::from(p.ts_usec) * (1_000_000_000 / interface.resolution);
                let ns = u64::from(p.ts_sec) * 1_000_000_000 + fraction;
                let kept = (p.caplen as usize).min(p.data.len());
                let (bytes, link_type) = (&p.data[..kept], interface.link_type);
                each(&PacketView { ns, link_type, bytes, length: p.origlen, comment: "" });
            }
            PcapBlockOwned::NG(Block::SectionHeader(_)) => self.interfaces.clear(),
            PcapBlockOwned::NG(Block::InterfaceDescription(i)) => {
                self.interfaces
                    .push(Interface::of(i).ok_or("an interface with an impossible clock")?);
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(p)) => {
                let number = p.if_id;
                let interface = self.interfaces.get(number as usize);
                let interface = interface.ok_or_else(|| {
                    format!(
                        "a packet of interface {number}, which there \
                        is not"
                    )
                })?;
                let comment = p.options.iter().find(|o| o.code == OptionCode::Comment);
                let comment = comment.and_then(|c| c.as_str().ok()).unwrap_or_default();
                each(&PacketView {
                    ns: interface.ns(p.ts_high, p.ts_low),
                    link_type: interface.link_type,
                    bytes: p.packet_data(),
                    length: p.origlen,
                    comment,
                });
            }
            PcapBlockOwned::NG(_) => {} // Names, statistics, packets without a time.
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::pcapng::{self, Captured};

    fn sample() -> (Vec<u8>, usize) {
        let mut file = Vec::new();
        pcapng::section(&mut file, "test", "", "");
        pcapng::interface(&mut file, "a", "b", None);
        let mut last = 0;
        for i in 0..5u64 {
            last = file.len();
            let way = pcapng::Way::Unsaid;
            let p = Captured {
                ns: i << 33,
                interface: 0,
                head: &[7; 30],
                length: 41,
                snap: None,
                way,
                comment: "lost",
            };
            pcapng::packet(&mut file, &p);
        }
        (file, last)
    }

    fn times(bytes: &[u8]) -> (Vec<u64>, Option<Damage>) {
        let mut seen = Vec::new();
        let damage = read(bytes, |p| {
            assert_eq!((p.length, p.bytes.len(), p.comment, p.link_type), (41, 41, "lost", 1));
            seen.push(p.ns);
        });
        (seen, damage)
    }

    #[test]
    fn what_was_written_is_read() {
        assert_eq!(times(&sample().0), ((0..5).map(|i| i << 33).collect(), None));
    }

    /// Cut anywhere, the packets before the cut are there and the place is the beginning of the one
    /// that is not.
    #[test]
    fn a_cut_file_keeps_what_is_whole() {
        let (file, last) = sample();
        for cut in last + 1..file.len() {
            let (seen, damage) = times(&file[..cut]);
            assert_eq!((seen.len(), damage.map(|d| d.offset)), (4, Some(last)), "cut at {cut}");
        }
        assert_eq!(times(&[]).1.map(|d| d.offset), Some(0));
        assert_eq!(
            times(b"#!/bin/sh\necho this is not a capture at all").1.map(|d| d.offset),
            Some(0)
        );
    }

    #[test]
    fn a_damaged_length_is_named() {
        let (mut file, last) = sample();
        file[last + 4] ^= 0x40;
        let (seen, damage) = times(&file);
        assert_eq!((seen.len(), damage.map(|d| d.offset)), (4, Some(last)));
    }

    /// A classic file in microseconds, big-endian, as an old tcpdump on another machine wrote it.
    #[test]
    fn classic_files_of_either_order() {
        let mut file = Vec::new();
        for word in [0xa1b2_c3d4u32, 0x0002_0004, 0, 0, 65_535, 1, 3, 250_000, 2, 60] {
            file.extend_from_slice(&word.to_be_bytes());
        }
        file.extend_from_slice(&[8, 9]);
        let mut seen = Vec::new();
        let damage =
            read(file.as_slice(), |p| seen.push((p.ns, p.link_type, p.bytes.to_vec(), p.length)));
        assert_eq!((seen, damage), (vec![(3_250_000_000, 1, vec![8, 9], 60)], None));
    }
}
