//! An IP address of either version as one number, which is fast to compare and to hash.
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::fmt;

/// The prefix under which version 4 lies in version 6, `::ffff:0:0/96` (RFC 4291 section 2.5.5.2).
/// It is never on a wire as an address of version 6.
const MAPPED: u128 = 0xffff << 32;

/// An IP address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Address(u128);

impl Address {
    /// An IPv4 address, from its four bytes.
    #[inline]
    pub fn v4(bytes: [u8; 4]) -> Address {
        Address(MAPPED | u128::from(u32::from_be_bytes(bytes)))
    }
    /// An IPv6 address, from its sixteen bytes.
    #[inline]
    pub fn v6(bytes: [u8; 16]) -> Address {
        Address(u128::from_be_bytes(bytes))
    }
    /// The address as a number.
    #[inline]
    pub fn bits(self) -> u128 {
        self.0
    }
    /// The address as the standard library's type.
    pub fn ip(self) -> IpAddr {
        if self.0 >> 32 == MAPPED >> 32 {
            return IpAddr::V4(Ipv4Addr::from(self.0 as u32));
        }
        IpAddr::V6(Ipv6Addr::from(self.0))
    }
    /// True for a multicast address, and for the broadcast address of IPv4.
    pub fn is_multicast(self) -> bool {
        match self.ip() {
            IpAddr::V4(a) => a.is_multicast() || a.is_broadcast(),
            IpAddr::V6(a) => a.is_multicast(),
        }
    }
}

impl From<IpAddr> for Address {
    fn from(ip: IpAddr) -> Address {
        match ip {
            IpAddr::V4(a) => Address::v4(a.octets()),
            IpAddr::V6(a) => Address::v6(a.octets()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ip().fmt(f)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ip().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_what_it_was_made_of() {
        for text in ["10.0.0.1", "255.255.255.255", "0.0.0.0", "fd00::1", "::1", "::", "ff02::1"] {
            let ip: IpAddr = text.parse().unwrap();
            assert_eq!(Address::from(ip).ip(), ip);
            assert_eq!(Address::from(ip).to_string(), text);
        }
    }

    #[test]
    fn groups_and_broadcast_are_nobodys() {
        let is = |text: &str| Address::from(text.parse::<IpAddr>().unwrap()).is_multicast();
        assert!(is("224.0.0.251") && is("255.255.255.255") && is("ff02::2"));
        assert!(!is("10.0.0.255") && !is("fd00::1"));
    }
}
