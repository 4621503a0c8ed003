//! Addresses and ports of a plan's hosts and flows: a simulation has none, a capture needs some.

/// First port of the dynamic range (RFC 6335 section 6): no program guesses a protocol from it.
const FIRST: usize = 49_152;
/// The number of ports in this range.
const PORTS: usize = 16_384;

/// The address of a node: 10.x.y.z with its number from 1.
pub fn host(node: usize) -> [u8; 4] {
    let n = (node as u32).wrapping_add(1).to_be_bytes();
    [10, n[1], n[2], n[3]]
}

/// The ports of a flow's sender and receiver. No two flows of the same hosts have both in common.
pub fn ports(flow: usize) -> (u16, u16) {
    ((FIRST + flow % PORTS) as u16, (FIRST + flow / PORTS % PORTS) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_flows_differ() {
        assert_eq!(
            (host(0), host(255), host(65_535)),
            ([10, 0, 0, 1], [10, 0, 1, 0], [10, 1, 0, 0])
        );
        assert_eq!(
            (ports(0), ports(16_383), ports(16_384)),
            ((49_152, 49_152), (65_535, 49_152), (49_152, 49_153))
        );
    }
}
