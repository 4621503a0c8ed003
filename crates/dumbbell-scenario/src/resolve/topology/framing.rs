//! The bytes of framing that a link adds to packets, by the name of its kind or as a number.
use crate::language::node::Node;
use crate::resolve::context::At;
use dumbbell_core::packet::Framing;
use dumbbell_core::units::Bytes;

/// The largest IP packet in a PPPoE session over plain Ethernet (RFC 2516 section 7).
const PPPOE_MTU: u32 = 1492;

/// A frame of Ethernet has at least 64 bytes (IEEE 802.3 clause 4A.4.2), and 8 of preamble and 12
/// of gap around it. Tagged frames and those of PPPoE are under the same rule.
const SHORTEST: u16 = 64 + 8 + 12;

/// Preamble 8, header 14, checksum 4, gap 12.
const ETHERNET: u16 = 8 + 14 + 4 + 12;

/// A tag of IEEE 802.1Q.
const TAG: u16 = 4;

/// The headers of PPPoE, 6, and PPP, 2 (RFC 2516 section 4).
const PPPOE: u16 = 6 + 2;

/// The framing of this name.
fn named(name: &str) -> Option<Framing> {
    let bytes = match name {
        "none" => return Some(Framing::default()),
        "ethernet" => ETHERNET,
        "vlan" => ETHERNET + TAG,
        "pppoe" => ETHERNET + PPPOE,
        _ => return None,
    };
    Some(Framing { bytes, least: SHORTEST })
}

/// The framing at `at`, if it is written there.
pub fn written(at: &At<'_>) -> Option<Framing> {
    let node = at.node()?;
    let cause = match node.as_str().map(|text| named(text).ok_or_else(|| text.parse::<Bytes>())) {
        Some(Ok(framing)) => return Some(framing),
        Some(Err(Ok(Bytes(n @ 0..=1000)))) => return Some(Framing { bytes: n as u16, least: 0 }),
        Some(Err(_)) => format!("`{}` is not a framing", node.as_str().unwrap_or_default()),
        None => "this is not a framing".into(),
    };
    let fix = "write \"ethernet\" (38 B with preamble and gap), \"vlan\" (42 B), \"pppoe\" (46 B), \
        \"none\", or a size up to 1000 B such as \"26 B\"";
    at.refuse(cause, fix);
    None
}

/// The MTU of the link at `link` in bytes, from 68 B (RFC 791) to what a length field can say.
/// Behind PPPoE it is 1492 B (RFC 2516) where the link has none of its own.
pub fn mtu(size: Bytes, link: &At<'_>) -> u32 {
    let at = link.below("mtu");
    let ppp = link.below("framing").node().and_then(Node::as_str) == Some("pppoe");
    if ppp && at.node().is_none() {
        return PPPOE_MTU;
    }
    if !(68..=65_535).contains(&size.0) {
        let fix = "write a size from 68 B to 65535 B, such as \"1500 B\"";
        at.refuse(format!("{size} is no MTU"), fix);
    }
    size.0.clamp(68, 65_535) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of IEEE 802.3 and RFC 2516: a full frame, and the shortest.
    #[test]
    fn frames_have_their_length() {
        let wire = |name, ip_len| named(name).unwrap().wire_len(ip_len);
        assert_eq!(["none", "ethernet", "vlan"].map(|name| wire(name, 1500)), [1500, 1538, 1542]);
        assert_eq!(wire("pppoe", PPPOE_MTU), 1538);
        assert_eq!([40, 45, 46, 47].map(|ip_len| wire("ethernet", ip_len)), [84, 84, 84, 85]);
        assert_eq!([42, 43].map(|ip_len| wire("vlan", ip_len)), [84, 85]);
        assert_eq!(wire("none", 20), 20);
    }
}
