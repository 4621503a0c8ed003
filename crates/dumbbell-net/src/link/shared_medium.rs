//! Media that both directions of a link share: an Ethernet whose ends are not both full duplex.
//!
//! A port cannot know when the other end begins to send. So it holds its packets and asks the
//! medium when a transmission would begin. Its entries in the agenda are instants at which it asks
//! the medium; the medium may have moved a transmission in the meantime, and then the port does
//! nothing.
use crate::engine::agenda::Agenda;
use crate::engine::entry::Entry;
use crate::engine::ranks::Ranks;
use crate::link::Element;
use dumbbell_algos::service::AnyService;
use dumbbell_algos::service::duplex_mismatch::DuplexMismatch;
use dumbbell_algos::service::duplex_mismatch::medium::{Counters, Medium};
use dumbbell_core::catalogue::{Algorithm, Fault};
use dumbbell_core::units::Time;
use dumbbell_plan::Plan;
use std::collections::BTreeMap;

/// The shared media of a plan.
pub(crate) struct SharedMedia {
    media: Vec<SharedMedium>,
    /// For a link, the number of its medium and of its end.
    of: BTreeMap<u32, (usize, usize)>,
}

/// One medium, and the two links that send into it.
pub(crate) struct SharedMedium {
    pub(crate) medium: Medium,
    links: [u32; 2],
    /// The instants of the last entries in the agenda.
    armed: [Time; 2],
}

impl SharedMedia {
    /// Returns the shared media of `plan`, if there are any.
    ///
    /// # Errors
    /// A link whose other direction is not of the same Ethernet; a plan made from a scenario has
    /// none.
    pub(crate) fn of(plan: &Plan, elements: &[Element]) -> Result<Option<Box<SharedMedia>>, Fault> {
        let station = |link: usize| match &elements[link] {
            Element::Port(port) => match port.service() {
                AnyService::DuplexMismatch(end) => Some(end.station()),
                _ => None,
            },
            Element::Wire(_) | Element::UnevenWire(_) => None,
        };
        let (mut media, mut of) = (Vec::new(), BTreeMap::new());
        for (link, there) in plan.links.iter().enumerate() {
            let Some(own) = station(link).filter(|_| !of.contains_key(&(link as u32))) else {
                continue;
            };
            // Of several between the same two nodes, the first that has no partner yet.
            let back = (link + 1..plan.links.len()).find_map(|other| {
                let back = &plan.links[other];
                let opposite = (back.from, back.to) == (there.to, there.from)
                    && !of.contains_key(&(other as u32));
                Some((other as u32, station(other).filter(|_| opposite)?))
            });
            let Some((other, partner)) = back else {
                let cause =
                    format!("`{}` shares its wire, and nothing comes the other way", there.name);
                let fix =
                    format!("give the opposite link the service {}", DuplexMismatch::ABOUT.name);
                return Err(Fault::at(&format!("{}.service", there.name), cause).fix(fix));
            };
            let links = [link as u32, other];
            links.iter().enumerate().for_each(|(i, link)| _ = of.insert(*link, (media.len(), i)));
            let medium = Medium::new([own, partner], Time::ZERO + plan.warmup);
            media.push(SharedMedium { medium, links, armed: [Time::NEVER; 2] });
        }
        Ok((!media.is_empty()).then(|| Box::new(SharedMedia { media, of })))
    }

    /// Counters of the end of `link` after the warm-up.
    pub(crate) fn counters(&self, link: usize) -> Option<Counters> {
        let (medium, i) = self.of.get(&(link as u32))?;
        Some(self.media[*medium].medium.counters(*i))
    }

    pub(crate) fn find(&mut self, link: u32) -> Option<(&mut SharedMedium, usize)> {
        let (medium, i) = *self.of.get(&link)?;
        Some((&mut self.media[medium], i))
    }
}

impl SharedMedium {
    /// Sees to it that the agenda has an entry at the instants at which the ends are to be asked.
    pub(crate) fn arm(&mut self, agenda: &mut Agenda, ranks: &Ranks) {
        for i in 0..2 {
            let next = self.medium.next(i);
            if next != self.armed[i] && next != Time::NEVER {
                agenda.push(Entry::clock(next.ps(), ranks.done(self.links[i])));
            }
            self.armed[i] = next;
        }
    }
}
