//! Captures as bytes: pcapng blocks (draft-ietf-opsawg-pcapng) with nanoseconds and comments, and
//! classic pcap files with nanoseconds (magic a1b23c4d) for programs that read nothing else. Link
//! type Ethernet, because libpcap does not read several interfaces of raw IP in one file.

/// LINKTYPE_ETHERNET of tcpdump.org's list.
const LINK_TYPE: u16 = 1;
/// The snap length that means "everything" in the file, as in tcpdump's.
const EVERYTHING: u32 = 262_144;
/// Zeros that payloads are made of.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// Codes of options.
mod option {
    pub const COMMENT: u16 = 1;
    pub const FLAGS: u16 = 2;
    pub const HARDWARE: u16 = 2;
    pub const APPLICATION: u16 = 4;
    pub const IF_NAME: u16 = 2;
    pub const IF_DESCRIPTION: u16 = 3;
    pub const IF_TSRESOL: u16 = 9;
}

/// The direction of a packet at its interface: the lowest bits of `epb_flags`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It is not said.
    Unsaid = 0,
    /// It came in.
    Inbound = 1,
    /// It went out.
    Outbound = 2,
}

/// A packet to be written: its headers, and how many zeros follow them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Captured<'a> {
    /// Nanoseconds since the epoch of the file.
    pub ns: u64,
    /// The interface that saw it.
    pub interface: u32,
    /// Its headers.
    pub head: &'a [u8],
    /// Its whole length.
    pub length: u32,
    /// The snap length, bytes. `None`: everything is kept.
    pub snap: Option<u32>,
    /// Its direction.
    pub way: Way,
    /// Its comment; may be empty.
    pub comment: &'a str,
}

impl Captured<'_> {
    fn kept(&self) -> usize {
        self.snap.map_or(self.length, |s| s.min(self.length)) as usize
    }
    /// The bytes that are kept: of the headers, and zeros.
    fn body(&self, out: &mut Vec<u8>) {
        let head = self.kept().min(self.head.len());
        out.extend_from_slice(&self.head[..head]);
        out.extend_from_slice(&ZEROS[..(self.kept() - head).min(ZEROS.len())]);
    }
}

/// Writes `inside` between a block's type and its two lengths.
fn block(kind: u32, out: &mut Vec<u8>, inside: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    inside(out);
    let length = (out.len() - at + 4) as u32;
    out[at + 4..at + 8].copy_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&length.to_le_bytes());
}

fn pad(out: &mut Vec<u8>, length: usize) {
    out.extend_from_slice(&ZEROS[..length.next_multiple_of(4) - length]);
}

/// An option; one longer than its length field can say is cut at a letter.
fn write_option(out: &mut Vec<u8>, code: u16, value: &[u8]) {
    let mut length = value.len().min(usize::from(u16::MAX) - 3);
    while length < value.len() && value[length] & 0xc0 == 0x80 {
        length -= 1;
    }
    out.extend_from_slice(&code.to_le_bytes());
    out.extend_from_slice(&(length as u16).to_le_bytes());
    out.extend_from_slice(&value[..length]);
    pad(out, length);
}

/// The section header: what the file is from and about.
pub fn section(out: &mut Vec<u8>, application: &str, hardware: &str, comment: &str) {
    block(0x0a0d_0d0a, out, |out| {
        out.extend_from_slice(&0x1a2b_3c4du32.to_le_bytes());
        out.extend_from_slice(&[1, 0, 0, 0]); // Version 1.0.
        out.extend_from_slice(&u64::MAX.to_le_bytes()); // Length of the section: not said.
        for (code, text) in [
            (option::COMMENT, comment),
            (option::HARDWARE, hardware),
            (option::APPLICATION, application),
        ] {
            if !text.is_empty() {
                write_option(out, code, text.as_bytes());
            }
        }
        out.extend_from_slice(&[0; 4]);
    });
}

/// An interface, with nanoseconds.
pub fn interface(out: &mut Vec<u8>, name: &str, description: &str, snap: Option<u32>) {
    block(1, out, |out| {
        out.extend_from_slice(&LINK_TYPE.to_le_bytes());
        out.extend_from_slice(&[0; 2]);
        out.extend_from_slice(&snap.unwrap_or(EVERYTHING).to_le_bytes());
        write_option(out, option::IF_NAME, name.as_bytes());
        write_option(out, option::IF_DESCRIPTION, description.as_bytes());
        write_option(out, option::IF_TSRESOL, &[9]);
        out.extend_from_slice(&[0; 4]);
    });
}

/// Names of addresses, which are of 4 or of 16 bytes.
pub fn names<'a, A: AsRef<[u8]>>(out: &mut Vec<u8>, hosts: impl Iterator<Item = (A, &'a str)>) {
    block(4, out, |out| {
        for (address, name) in hosts {
            let name = &name.as_bytes()[..name.len().min(1000)];
            let address = address.as_ref();
            let length = address.len() + name.len() + 1;
            let kind: u16 = if address.len() == 4 { 1 } else { 2 };
            out.extend_from_slice(&kind.to_le_bytes());
            out.extend_from_slice(&(length as u16).to_le_bytes());
            out.extend_from_slice(address);
            out.extend_from_slice(name);
            out.push(0);
            pad(out, length);
        }
        out.extend_from_slice(&[0; 4]);
    });
}

/// A packet.
pub fn packet(out: &mut Vec<u8>, p: &Captured<'_>) {
    block(6, out, |out| {
        out.extend_from_slice(&p.interface.to_le_bytes());
        out.extend_from_slice(&((p.ns >> 32) as u32).to_le_bytes());
        out.extend_from_slice(&(p.ns as u32).to_le_bytes());
        out.extend_from_slice(&(p.kept() as u32).to_le_bytes());
        out.extend_from_slice(&p.length.to_le_bytes());
        p.body(out);
        pad(out, p.kept());
        if p.way != Way::Unsaid {
            write_option(out, option::FLAGS, &(p.way as u32).to_le_bytes());
        }
        if !p.comment.is_empty() {
            write_option(out, option::COMMENT, p.comment.as_bytes());
        }
        if p.way != Way::Unsaid || !p.comment.is_empty() {
            out.extend_from_slice(&[0; 4]);
        }
    });
}

/// The header of a classic file with nanoseconds.
pub fn classic_header(out: &mut Vec<u8>, snap: Option<u32>) {
    out.extend_from_slice(&0xa1b2_3c4du32.to_le_bytes());
    out.extend_from_slice(&[2, 0, 4, 0]); // Version 2.4.
    out.extend_from_slice(&[0; 8]);
    out.extend_from_slice(&snap.unwrap_or(EVERYTHING).to_le_bytes());
    out.extend_from_slice(&u32::from(LINK_TYPE).to_le_bytes());
}

/// A packet of a classic file: no interface, no comment.
pub fn classic_packet(out: &mut Vec<u8>, p: &Captured<'_>) {
    out.extend_from_slice(&((p.ns / 1_000_000_000) as u32).to_le_bytes());
    out.extend_from_slice(&((p.ns % 1_000_000_000) as u32).to_le_bytes());
    out.extend_from_slice(&(p.kept() as u32).to_le_bytes());
    out.extend_from_slice(&p.length.to_le_bytes());
    p.body(out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(bytes: &[u8], at: usize) -> usize {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
    }

    #[test]
    fn blocks_say_their_length_at_both_ends() {
        let mut out = Vec::new();
        section(&mut out, "a", "", "it is about");
        interface(&mut out, "eth", "far", Some(60));
        names(&mut out, [([10, 0, 0, 1], "one"), ([10, 0, 0, 2], "four")].into_iter());
        let (way, comment) = (Way::Unsaid, "lost");
        let p = Captured {
            ns: 1 << 33,
            interface: 0,
            head: &[1; 41],
            length: 99,
            snap: Some(42),
            way,
            comment,
        };
        packet(&mut out, &p);
        let (mut at, mut kinds) = (0, Vec::new());
        while at < out.len() {
            let n = length(&out, at + 4);
            assert_eq!(n % 4, 0);
            assert_eq!(length(&out, at + n - 4), n);
            kinds.push(length(&out, at));
            at += n;
        }
        assert_eq!(kinds, [0x0a0d_0d0a, 1, 4, 6]);
        let at = out.windows(4).rposition(|w| w == [6, 0, 0, 0]).unwrap();
        assert_eq!(
            (length(&out, at + 12), length(&out, at + 20), length(&out, at + 24)),
            (2, 42, 99)
        );
        assert_eq!(out[at + 28..at + 72], [[1; 41].as_slice(), &[0; 3]].concat());
    }

    #[test]
    fn a_comment_is_cut_at_a_letter() {
        let long = "ä".repeat(40_000);
        let mut out = Vec::new();
        write_option(&mut out, 1, long.as_bytes());
        let n = usize::from(u16::from_le_bytes([out[2], out[3]]));
        assert_eq!(n, 65_532);
        assert!(std::str::from_utf8(&out[4..4 + n]).is_ok());
    }
}
