//! The link that the router is measured against: the slowest that flows pass.
use dumbbell_core::packet::Framing;
use dumbbell_core::units::{Rate, Span};
use dumbbell_plan::{Link, LinkId, Plan};

/// The rest of a path behind the bottleneck. Packets on the same lane arrive as they left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    delay: Span,
    links: Vec<(Rate, Framing)>,
}

/// The slowest link of a plan, in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bottleneck {
    /// Link number.
    pub link: LinkId,
    /// Link name.
    pub name: String,
    /// Rate.
    pub rate: Rate,
    framing: Framing,
    /// Transmission time of a packet of the link's MTU.
    pub packet_time: Span,
    lanes: Vec<Lane>,
    /// The lane of each socket that gets packets through it, by socket.
    of_socket: Vec<Option<u16>>,
}

impl Bottleneck {
    /// The slowest link that a flow of `plan` passes; of several the one that results report, then
    /// the one with more data. `None`: no flow passes any.
    pub fn of(plan: &Plan) -> Option<Bottleneck> {
        let mut data = vec![0u64; plan.links.len()];
        let mut passed = vec![false; plan.links.len()];
        for flow in &plan.flows {
            flow.forward.iter().for_each(|link| data[*link] += 1);
            flow.forward.iter().chain(&flow.back).for_each(|link| passed[*link] = true);
        }
        let links =
            plan.links.iter().enumerate().filter(|(i, link)| passed[*i] && link.host.is_none());
        let (at, link) = links
            .min_by_key(|(i, link)| (link.rate, !link.report, std::cmp::Reverse(data[*i]), *i))?;
        let mut found = Bottleneck {
            link: at,
            name: link.name.clone(),
            rate: link.rate,
            framing: link.framing(),
            packet_time: link.rate.span_of(u64::from(link.framing().wire_len(link.mtu))),
            lanes: vec![],
            of_socket: vec![None; 2 * plan.flows.len()],
        };
        for (i, flow) in plan.flows.iter().enumerate() {
            // Data arrives at the receiver's socket, and acknowledgments arrive at the sender's.
            found.of_socket[2 * i + 1] = found.lane(&plan.links, &flow.forward);
            found.of_socket[2 * i] = found.lane(&plan.links, &flow.back);
        }
        Some(found)
    }

    fn lane(&mut self, links: &[Link], way: &[LinkId]) -> Option<u16> {
        let at = way.iter().position(|link| *link == self.link)?;
        let rest = || way[at + 1..].iter().map(|link| &links[*link]);
        let delay = rest().fold(links[self.link].delay, |sum, link| sum + link.delay);
        let lane = Lane { delay, links: rest().map(|link| (link.rate, link.framing())).collect() };
        let place = self.lanes.iter().position(|known| *known == lane).unwrap_or_else(|| {
            self.lanes.push(lane);
            self.lanes.len() - 1
        });
        u16::try_from(place).ok()
    }

    /// The lane by which packets come to `socket`, if it is through the bottleneck.
    #[inline]
    pub fn lane_of(&self, socket: u32) -> Option<u16> {
        self.of_socket.get(socket as usize).copied().flatten()
    }

    /// Number of lanes.
    pub fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// The picoseconds between the arrivals by `lane` of a packet of `first` bytes and one of
    /// `second` that left the bottleneck right behind it: its time there, and what its size makes
    /// of it on faster links.
    pub fn gap(&self, lane: u16, first: u32, second: u32) -> i64 {
        let time = |rate: Rate, framing: Framing, len| {
            rate.span_of(u64::from(framing.wire_len(len))).ps() as i64
        };
        let behind = self.lanes[usize::from(lane)].links.iter();
        let more: i64 =
            behind.map(|(rate, f)| time(*rate, *f, second) - time(*rate, *f, first)).sum();
        time(self.rate, self.framing, second) + more
    }
}

#[cfg(test)]
pub(crate) mod tests;
