//! Disciplines whose queues may share a buffer with those of other ports.
//!
//! The others push out of their longest queue, or have a law for two queues together: what a
//! threshold leaves to one queue says nothing to them.
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
    use dumbbell_core::testing::{Numbered, link};
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
}
