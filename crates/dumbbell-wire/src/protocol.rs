//! Protocol numbers in the IP header (IANA, Assigned Internet Protocol Numbers).

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
