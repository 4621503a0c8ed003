//! IPv6 extension headers (RFC 8200 section 4): skipped up to the transport's header.
use super::bytes::{u16_at, u32_at};

/// The end of the extension headers, and what they said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    /// The protocol number of what follows.
    pub protocol: u8,
    /// At which byte.
    pub at: usize,
    /// The fragment header's words, and its identification.
    pub fragment: Option<(u16, u32)>,
    /// True if a routing header has segments left: checksums then cover another address than the IP
    /// header's.
    pub routed: bool,
}

const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION: u8 = 60;
const MOBILITY: u8 = 135;
const HIP: u8 = 139;
const SHIM6: u8 = 140;

/// Skips extension headers, starting with type `next`; `None` if the bytes end inside one.
pub(super) fn pass(bytes: &[u8], next: u8) -> Option<Passed> {
    let mut passed = Passed { protocol: next, at: 40, fragment: None, routed: false };
    // Each round goes on by eight bytes or more, so the bytes end it.
    loop {
        let at = passed.at;
        let length = match passed.protocol {
            HOP_BY_HOP | DESTINATION | MOBILITY | HIP | SHIM6 => {
                8 + 8 * usize::from(*bytes.get(at + 1)?)
            }
            ROUTING => {
                passed.routed |= *bytes.get(at + 3)? > 0;
                8 + 8 * usize::from(*bytes.get(at + 1)?)
            }
            // RFC 4302 section 2.2: in words of four bytes, less two.
            AUTHENTICATION => 8 + 4 * usize::from(*bytes.get(at + 1)?),
            FRAGMENT => {
                passed.fragment = Some((u16_at(bytes, at + 2)?, u32_at(bytes, at + 4)?));
                8
            }
            _ => return Some(passed),
        };
        if at + length > bytes.len() {
            return None;
        }
        passed.protocol = bytes[at];
        passed.at += length;
        // Behind a fragment that is not the first there is no header, whatever its next header
        // says.
        if passed.fragment.is_some_and(|(words, _)| words >> 3 != 0) {
            return Some(passed);
        }
    }
}
