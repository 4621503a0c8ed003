//! What stands in the headers of real packets: pure functions over the bytes of one IP packet, versions 4 and 6.
//!
//! The router looks at a packet once ([`view::PacketView`]) and changes of it what a router changes: the ECN field, the codepoint
//! ([`rewrite`]), a fragment's header ([`cut`]). It writes packets of its own only to say that one was too large ([`answer`]).
//! No function here panics, whatever the bytes are.
pub mod address;
pub mod checksum;
pub mod corrupt;
mod extension;
pub mod five_tuple;
pub mod fragment;
pub mod icmp_error;
pub mod rewrite;
pub mod verify;
pub mod view;

/// Numbers of what an IP packet carries (IANA, Assigned Internet Protocol Numbers).
pub mod protocol {
    /// ICMP (RFC 792).
    pub const ICMP: u8 = 1;
    /// TCP (RFC 9293).
    pub const TCP: u8 = 6;
    /// UDP (RFC 768).
    pub const UDP: u8 = 17;
    /// ICMPv6 (RFC 4443).
    pub const ICMPV6: u8 = 58;

    /// A protocol's name, for sentences.
    pub fn name(number: u8) -> String {
        match number {
            ICMP => "ICMP".into(),
            TCP => "TCP".into(),
            UDP => "UDP".into(),
            ICMPV6 => "ICMPv6".into(),
            other => format!("protocol {other}"),
        }
    }
}

/// The two bytes at `at`, in the network's order.
fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The four bytes at `at`, in the network's order.
fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
pub(crate) mod samples;
