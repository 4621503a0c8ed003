//! Disciplines whose queues may share a buffer with those of other ports: each of their queues has
//! a limit of its own. The others push packets out of their longest queue, or have one law for two
//! queues.
use crate::qdisc::AnyQdisc;
use crate::qdisc::drr::Drr;
use crate::qdisc::prio::Prio;
use crate::qdisc::wfq::Wfq;
use dumbbell_core::packet::Packet;
use dumbbell_core::qdisc::{Qdisc, Sharing};
use dumbbell_macros::delegate;

/// The names of the disciplines.
pub const SHARING: [&str; 3] = ["prio", "drr", "wfq"];

/// A discipline whose queues may share a buffer.
#[allow(clippy::large_enum_variant)]
pub enum SharingQdisc<P> {
    /// See [`Prio`].
    Prio(Prio<P>),
    /// See [`Drr`].
    Drr(Drr<P>),
    /// See [`Wfq`].
    Wfq(Wfq<P>),
}

impl<P> SharingQdisc<P> {
    /// The discipline, if it is one of [`SHARING`].
    pub fn of(any: AnyQdisc<P>) -> Option<Self> {
        match any {
            AnyQdisc::Prio(queues) => Some(SharingQdisc::Prio(queues)),
            AnyQdisc::Drr(queues) => Some(SharingQdisc::Drr(queues)),
            AnyQdisc::Wfq(queues) => Some(SharingQdisc::Wfq(queues)),
            _ => None,
        }
    }
}

#[delegate(match self { Prio, Drr, Wfq })]
impl<P: Packet> Qdisc<P> for SharingQdisc<P> {}

#[delegate(match self { Prio, Drr, Wfq })]
impl<P: Packet> Sharing<P> for SharingQdisc<P> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qdisc::CATALOGUE;
    use crate::qdisc::parts::test_qdisc::TestQdisc;
    use dumbbell_core::catalogue::Algorithm;
    use dumbbell_core::packet::{Dscp, Ecn, Meta};
    use dumbbell_core::testing::{Numbered, link, packet};
    use dumbbell_core::units::Capacity;
    use serde_json::json;

    #[test]
    fn the_names_are_those_of_the_disciplines() {
        for entry in CATALOGUE {
            let name = entry.about.name;
            let site = link(Capacity::Packets(100));
            let any = AnyQdisc::<Numbered>::build(name, &json!({}), &site).unwrap();
            assert_eq!(SharingQdisc::of(any).is_some(), SHARING.contains(&name), "{name}");
        }
    }

    /// A class may hold what the shared buffer leaves to it, and all classes together what the port
    /// may hold, in whatever unit.
    #[test]
    fn a_class_has_the_limit_of_its_port_and_that_of_the_buffer() {
        for limit in [Capacity::Packets(4), Capacity::Bytes(4000), Capacity::Unlimited] {
            let config = dumbbell_core::catalogue::read(&json!({})).unwrap();
            let mut deck = TestQdisc::new(|site| Prio::new(&config, site), link(limit));
            let mut put = |dscp: u8, most: Option<u64>| {
                let meta = Meta { dscp: Dscp(dscp), ..packet(0, 1000, Ecn::NotEct) };
                deck.put_in(meta, most);
            };
            // Two in the first class, whose threshold lets in no third; two in the second.
            for (dscp, most) in [(46, None), (46, Some(2500)), (46, Some(2500)), (0, None)] {
                put(dscp, most);
            }
            put(0, Some(2500));
            put(0, Some(9000));
            let full = [(2, "overflow"), (5, "overflow")];
            let most = if limit == Capacity::Unlimited { 1 } else { 2 };
            assert_eq!(deck.dropped(), full[..most], "{limit:?}");
        }
    }
}
