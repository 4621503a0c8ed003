//! Counts of packets in profile (IN) and out of profile (OUT), by the codepoint that they had in
//! the end: OUT is everything that is not IN. Counted only in plans that have profiles.
use dumbbell_algos::dscp::codepoint;
use dumbbell_algos::edge::codepoints;
use dumbbell_core::aqm::Reason;
use dumbbell_core::meter::{Action, Color};
use dumbbell_core::packet::Dscp;
use dumbbell_core::units::Time;
use dumbbell_plan::{Flow, Plan};

/// Codepoints that are IN without a word of any plan: AFx1 (RFC 2597) and EF (RFC 3246).
const INSIDE: [Dscp; 5] = [Dscp(10), Dscp(18), Dscp(26), Dscp(34), Dscp(46)];

/// The codepoints that are IN, one bit each; `None` in a plan without profiles: nothing is
/// reserved, no edge marks, and no sender colors its segments.
///
/// To those of assured forwarding's lowest drop precedence and of expedited forwarding come the
/// ones that an edge gives to green, or a congestion control to segments within its profile; those
/// that an edge gives to yellow or red only are OUT.
pub(crate) fn inside(plan: &Plan) -> Option<u64> {
    let rules = || plan.links.iter().flat_map(|link| link.rules());
    let own: Vec<Dscp> = plan.flows.iter().filter_map(own).collect();
    let reserved = plan.flows.iter().any(|flow| flow.info.reserved.is_some());
    if rules().next().is_none() && own.is_empty() && !reserved {
        return None;
    }
    let given = |colour: Color| {
        let marks = rules().filter_map(move |rule| match rule.colours[colour.index()] {
            Action::Mark(dscp) => Some(dscp),
            Action::Pass | Action::Drop => None,
        });
        codepoints(&marks.collect::<Vec<_>>())
    };
    let outside = given(Color::Yellow) | given(Color::Red);
    Some(codepoints(&INSIDE) & !outside | given(Color::Green) | codepoints(&own))
}

/// The codepoint that a flow's congestion control gives to its segments within a profile, if it
/// colors them.
fn own(flow: &Flow) -> Option<Dscp> {
    codepoint(flow.transport.cc()?.config.get("in")?.as_str()?)
}

/// Counts of one color.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColorCounts {
    /// Packets that arrived at the receiver with it.
    pub delivered_packets: u64,
    /// Their bytes of IP length.
    pub delivered_bytes: u64,
    /// Packets that had it when they were dropped.
    pub lost_packets: u64,
}

impl ColorCounts {
    fn add(&mut self, other: ColorCounts) {
        self.delivered_packets += other.delivered_packets;
        self.delivered_bytes += other.delivered_bytes;
        self.lost_packets += other.lost_packets;
    }
}

/// Of a flow's packets from sender to receiver, within the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProfileCounts {
    /// Within the profile.
    pub inside: ColorCounts,
    /// Not within it.
    pub outside: ColorCounts,
}

/// The counts of all flows.
pub struct FlowColors {
    inside: u64,
    warm: Time,
    flows: Vec<ProfileCounts>,
}

impl FlowColors {
    /// Nothing was counted yet; what happens from `warm` on will be. `None` where nobody would read
    /// it.
    pub fn of(plan: &Plan) -> Option<Box<FlowColors>> {
        let warm = Time::ZERO + plan.warmup;
        let colors = |inside| {
            Box::new(FlowColors {
                inside,
                warm,
                flows: vec![ProfileCounts::default(); plan.flows.len()],
            })
        };
        inside(plan).map(colors)
    }

    fn tint(&mut self, flow: usize, dscp: Dscp) -> &mut ColorCounts {
        let colors = &mut self.flows[flow];
        if self.inside >> (dscp.0 & 63) & 1 == 1 { &mut colors.inside } else { &mut colors.outside }
    }

    /// A packet of `bytes` arrives at the receiver at `t`.
    pub fn delivered(&mut self, t: Time, flow: usize, dscp: Dscp, bytes: u16) {
        if t >= self.warm {
            let tint = self.tint(flow, dscp);
            tint.delivered_packets += 1;
            tint.delivered_bytes += u64::from(bytes);
        }
    }

    /// A packet of the sender was dropped within the window. One that a policer dropped was not
    /// within its profile, whatever it came as.
    pub fn lost(&mut self, flow: usize, dscp: Dscp, why: Reason) {
        let tint = if why == Reason::Policed {
            &mut self.flows[flow].outside
        } else {
            self.tint(flow, dscp)
        };
        tint.lost_packets += 1;
    }

    /// Adds the counts of another part of the network.
    pub fn absorb(&mut self, other: &FlowColors) {
        for (flow, theirs) in self.flows.iter_mut().zip(&other.flows) {
            flow.inside.add(theirs.inside);
            flow.outside.add(theirs.outside);
        }
    }

    /// The counts of a flow.
    pub fn of_flow(&self, flow: usize) -> ProfileCounts {
        self.flows[flow]
    }
}
