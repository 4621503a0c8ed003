//! One netlink message: header, fixed body, nested attributes; in the byte order of the machine.
use std::io;

/// Bytes of `struct nlmsghdr`.
const HEADER: usize = 16;

/// A request that is being written.
#[derive(Clone, Debug)]
pub struct Message {
    bytes: Vec<u8>,
}

impl Message {
    /// A request of a type (RTM_...) with flags (NLM_F_...); an acknowledgment is always asked
    /// for.
    pub fn new(kind: u16, flags: i32) -> Message {
        let flags = u16::try_from(flags | libc::NLM_F_REQUEST | libc::NLM_F_ACK).expect(
            "flags \
            have 16 bits",
        );
        let mut bytes = vec![0; HEADER];
        bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
        bytes[6..8].copy_from_slice(&flags.to_ne_bytes());
        Message { bytes }
    }

    /// Appends a fixed part.
    #[must_use]
    pub fn body(mut self, bytes: &[u8]) -> Message {
        self.bytes.extend_from_slice(bytes);
        self.align();
        self
    }

    /// Appends an attribute.
    #[must_use]
    pub fn with(mut self, kind: u16, value: &[u8]) -> Message {
        let len = u16::try_from(4 + value.len()).expect("an attribute has at most 64 KiB");
        self.bytes.extend_from_slice(&len.to_ne_bytes());
        self.bytes.extend_from_slice(&kind.to_ne_bytes());
        self.body(value)
    }

    /// Appends an attribute with a number of 32 bits.
    #[must_use]
    pub fn number(self, kind: u16, value: u32) -> Message {
        self.with(kind, &value.to_ne_bytes())
    }

    /// Appends an attribute with a name, ended by a zero.
    #[must_use]
    pub fn name(self, kind: u16, value: &str) -> Message {
        let mut bytes = value.as_bytes().to_vec();
        bytes.push(0);
        self.with(kind, &bytes)
    }

    /// Appends an attribute that holds what `inner` appends.
    #[must_use]
    pub fn nest(mut self, kind: u16, inner: impl FnOnce(Message) -> Message) -> Message {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&[0, 0]);
        self.bytes.extend_from_slice(&kind.to_ne_bytes());
        let mut message = inner(self);
        let len = u16::try_from(message.bytes.len() - start).expect(
            "an attribute has at most 64 \
            KiB",
        );
        message.bytes[start..start + 2].copy_from_slice(&len.to_ne_bytes());
        message
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    /// The whole message, as the `sequence`-th of a conversation.
    pub(crate) fn finish(mut self, sequence: u32) -> Vec<u8> {
        let len = u32::try_from(self.bytes.len()).expect("a request is short");
        self.bytes[0..4].copy_from_slice(&len.to_ne_bytes());
        self.bytes[8..12].copy_from_slice(&sequence.to_ne_bytes());
        self.bytes
    }
}

/// The header of an answer.
pub(crate) struct Header {
    pub(crate) kind: u16,
    pub(crate) sequence: u32,
}

/// The messages of one datagram from the kernel, each with its body.
pub(crate) fn messages(mut datagram: &[u8]) -> impl Iterator<Item = (Header, &[u8])> {
    std::iter::from_fn(move || {
        let len = number(datagram.get(0..4)?) as usize;
        let whole = datagram.get(..len).filter(|whole| whole.len() >= HEADER)?;
        let kind = u16::from_ne_bytes([whole[4], whole[5]]);
        datagram = datagram.get(len.next_multiple_of(4)..).unwrap_or_default();
        Some((Header { kind, sequence: number(&whole[8..12]) }, &whole[HEADER..]))
    })
}

/// The attributes of a body, behind its fixed part: type without its flag bits, and value.
pub(crate) fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let len = usize::from(u16::from_ne_bytes(bytes.get(0..2)?.try_into().ok()?));
        let kind = u16::from_ne_bytes(bytes.get(2..4)?.try_into().ok()?) & 0x3fff;
        let value = bytes.get(4..len)?;
        bytes = bytes.get(len.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, value))
    })
}

/// A number of 32 bits at the beginning of `bytes`; 0 if there are fewer.
pub(crate) fn number(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |chunk| u32::from_ne_bytes(*chunk))
}

/// The result in an NLMSG_ERROR: success, or an errno.
pub(crate) fn outcome(body: &[u8]) -> io::Result<()> {
    match number(body).cast_signed() {
        0 => Ok(()),
        errno => Err(io::Error::from_raw_os_error(-errno)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_laid_out_as_netlink_7_says() {
        let message = Message::new(16, 0)
            .body(&[9; 8])
            .name(3, "lo")
            .nest(18, |m| m.with(1, &[7; 5]))
            .number(4, 1);
        let bytes = message.finish(77);
        let words: Vec<u32> = bytes.chunks(4).map(number).collect();
        let half = |low: u16, high: u16| {
            u32::from_ne_bytes([low.to_ne_bytes(), high.to_ne_bytes()].concat().try_into().unwrap())
        };
        let flags = u16::try_from(libc::NLM_F_REQUEST | libc::NLM_F_ACK).unwrap();
        // Length, type and flags, sequence, port; body; name with its zero; a nest of 4 + 4 + 5 and
        // padding; a number.
        assert_eq!(words[..4], [56, half(16, flags), 77, 0]);
        assert_eq!((words[6], &bytes[28..31]), (half(7, 3), &b"lo\0"[..]));
        assert_eq!(
            (words[8], words[9], &bytes[40..48]),
            (half(16, 18), half(9, 1), &[7, 7, 7, 7, 7, 0, 0, 0][..])
        );
        assert_eq!((words[12], words[13]), (half(8, 4), 1));
        assert_eq!(words.len(), 14);
    }

    #[test]
    fn what_is_cut_short_ends_and_is_not_misread() {
        let bytes = Message::new(16, 0).body(&[0; 8]).number(4, 5).name(3, "x").finish(1);
        let (header, body) = messages(&bytes).next().unwrap();
        assert_eq!((header.kind, header.sequence), (16, 1));
        assert_eq!(
            attributes(&body[8..]).collect::<Vec<_>>(),
            [(4, &5u32.to_ne_bytes()[..]), (3, &b"x\0"[..])]
        );
        for end in 0..bytes.len() {
            assert!(messages(&bytes[..end]).next().is_none(), "{end}");
        }
        let last = body.len() - 2; // but for its padding
        for end in 0..last - 8 {
            assert!(attributes(&body[8..8 + end]).count() < 2);
        }
        assert_eq!(attributes(&[0, 0, 1, 0]).count(), 0, "a length of nothing is not an attribute");
    }
}
