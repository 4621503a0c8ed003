//! The parameters that everything with a token bucket for a reservation has, in one place: their
//! names, their words and the bucket that they come to.
use super::TokenBucket;
pub(crate) use super::TokenUnit;
use dumbbell_core::catalogue::Fault;
use dumbbell_core::meter::Contract;
use dumbbell_core::units::Capacity;
pub(crate) use dumbbell_core::units::{Bytes, Limit, Rate};
use dumbbell_macros::config;

/// The parameters of a token bucket.
#[config(shared = crate::bucket::config::*)]
pub struct BucketConfig {
    /// Rate at which tokens come; default what is reserved for the flow, or for all flows
    /// of the aggregate together.
    #[schemars(extend("x-source" = "Choi and Kim 2001, section 4.1: the reserved rate"))]
    pub rate: Option<Rate>,
    /// Depth of the bucket, full at the start; a time or a BDP refers to the rate and the flow's
    /// round-trip propagation time; at least one packet.
    #[schemars(extend("x-source" = "Choi and Kim 2001, section 4: reserved rate x RTT"))]
    #[config(default = Limit::Bdp(1.0))]
    pub burst: Limit,
    /// What a token stands for: a byte of IP length, or a whole packet.
    #[schemars(
        extend("x-source" = "RFC 2697 section 3 (bytes); Choi and Kim 2001, figure 3 \
            (packets)"),
    )]
    #[config(default = TokenUnit::Byte)]
    pub tokens: TokenUnit,
    /// With tokens of packets: the bytes of the rate that a token stands for; default: the link's
    /// MTU.
    #[schemars(
        extend("x-source" = "reconstructed: the paper does not print its packet size"),
    )]
    pub packet_size: Option<Bytes>,
}

impl BucketConfig {
    /// Checks the rule for every bucket: it has room for something, and a packet has a size.
    pub fn check(&self) -> Result<(), Fault> {
        check(self.burst, self.packet_size)
    }

    /// The bucket that this and a contract come to.
    pub fn at(&self, site: &Contract) -> TokenBucket {
        let rate = committed(self.rate, site);
        let size = self.packet_size.map_or(site.link.mtu, |b| b.0 as u32);
        TokenBucket::fitted(rate, self.burst, site.rtt.unwrap_or_default(), self.tokens, size)
    }
}

/// Checks the rule for every bucket: it has room for something, and a packet has a size.
pub fn check(burst: Limit, packet_size: Option<Bytes>) -> Result<(), Fault> {
    if holds_nothing(burst) {
        return Err(Fault::at("burst", "no packet fits into an empty bucket").fix(
            "write \"1 BDP\" \
            or \"5 kB\"",
        ));
    }
    check_whole("burst", burst)?;
    match packet_size {
        Some(b) if b.0 == 0 || b.0 > 65_535 => {
            Err(Fault::at("packet_size", format!("{b} is not a valid packet size")).fix(
                "write \"1000 \
                B\"",
            ))
        }
        _ => Ok(()),
    }
}

/// Refuses a size in packets that has a part of one.
pub fn check_whole(field: &str, size: Limit) -> Result<(), Fault> {
    match size.part_of_packet() {
        None => Ok(()),
        Some((cause, fix)) => Err(Fault::at(field, cause).fix(fix)),
    }
}

/// True if nothing has room in `size`, wherever it is.
pub fn holds_nothing(size: Limit) -> bool {
    match size {
        Limit::Packets(p) => p.0 < 1.0,
        Limit::Bytes(b) => b.0 == 0,
        Limit::Buffers(n, _) => n == 0,
        Limit::Time(t) => t.ps() == 0,
        Limit::Bdp(k) => k <= 0.0,
        Limit::Unlimited => false,
    }
}

/// The depth of a bucket of its own name (`cbs`, `ebs`, `pbs`), as written; one in time or in BDP
/// has room for a packet at least, as RFC 2697 section 2 advises.
pub fn depth(size: Limit, rate: Rate, site: &Contract) -> Bytes {
    let mtu = u64::from(site.link.mtu);
    Bytes(match (size, size.resolve(rate, site.rtt.unwrap_or_default())) {
        (_, Capacity::Packets(n)) => u64::from(n) * mtu,
        (Limit::Time(_) | Limit::Bdp(_), Capacity::Bytes(n)) if !holds_nothing(size) => n.max(mtu),
        (_, Capacity::Bytes(n) | Capacity::Reached(n)) => n,
        (_, Capacity::Buffers { count, size }) => u64::from(count) * u64::from(size),
        (_, Capacity::Unlimited) => u64::MAX,
    })
}

/// The committed rate: as written, else the reservation, else none at all.
pub fn committed(rate: Option<Rate>, site: &Contract) -> Rate {
    rate.or(site.reserved).unwrap_or(Rate::from_bps(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_has_room_and_a_packet_a_size() {
        let at = |burst, size: Option<u64>| {
            check(burst, size.map(Bytes)).map_err(|fault| fault.at).err().unwrap_or_default()
        };
        for (size, wrong) in [(0, "packet_size"), (1, ""), (65_535, ""), (65_536, "packet_size")] {
            assert_eq!(at(Limit::Bytes(Bytes(1)), Some(size)), wrong, "{size}");
        }
        for burst in ["0 B", "0 s", "0 BDP", "0.5 pkt"] {
            assert_eq!(at(burst.parse().unwrap(), None), "burst", "{burst}");
        }
        for burst in ["1 B", "1 us", "0.1 BDP", "1 pkt", "unlimited"] {
            assert_eq!(at(burst.parse().unwrap(), None), "", "{burst}");
        }
    }
}
