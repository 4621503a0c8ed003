//! A simulated run again, through a relay: the same network with its sockets outside.
use dumbbell_core::packet::Dscp;
use dumbbell_core::plugin::Plugins;
use dumbbell_core::transport::segment::{Extra, Segment};
use dumbbell_core::units::{Span, Time};
use dumbbell_net::{Incoming, Relay};
use dumbbell_plan::{Plan, Transport};
use dumbbell_sim::{Observer, Options, PacketId, World};
use proptest::prelude::*;

/// Every packet that a world's sockets send.
struct Tap<'a> {
    plan: &'a Plan,
    sent: Vec<(Time, Incoming)>,
}

impl Observer for Tap<'_> {
    const FOLLOWS: bool = true;
    fn follow(&mut self, _: usize, _: bool) -> u64 {
        self.sent.len() as u64 + 1
    }
    fn sent(&mut self, t: Time, who: PacketId, s: &Segment, x: Option<&Extra>) {
        let own = x.and_then(|x| if x.dummy { Some(Dscp(1)) } else { x.color() });
        let dscp = own.unwrap_or(self.plan.flows[who.flow].dscp);
        let socket = 2 * who.flow as u32 + u32::from(!who.data);
        let Segment { seq, ip_len, flags, ecn, .. } = *s;
        self.sent
            .push((t, Incoming { socket, number: 0, ip_len, payload: 0, ecn, dscp, seq, flags }));
    }
}

/// The packets of a run, given to a relay at their instants, see the same network: to the last
/// port, drop and mark.
pub fn relayed(plan: &Plan) -> Result<(), TestCaseError> {
    let mut plan = plan.clone();
    for flow in &mut plan.flows {
        if let Transport::Tcp { tcp, .. } = &mut flow.transport {
            tcp.send_jitter = Span::ZERO;
        }
        // Datagrams of a host that learned of its path are cut by the host; a real one does that
        // before they come to us.
        flow.answers = None;
    }
    let mut tap = Tap { plan: &plan, sent: vec![] };
    let mut world = World::new(&plan, Options::default()).unwrap();
    while !world.run(&mut tap, 10_000) {}
    let report = world.finish(&mut tap);
    let mut relay = Relay::new(&plan, &Plugins::default()).unwrap();
    tap.sent.sort_by_key(|(t, _)| *t);
    let (mut gone, mut out) = (0, 0);
    for (number, (t, packet)) in (1..).zip(&tap.sent) {
        // The number of calls must not matter.
        if number % 3 == 0 {
            out += relay.outgoing().count();
            let next = relay.next();
            relay.run_until(Time::from_ps((relay.now().ps() + t.ps()) / 2), &mut ());
            for outgoing in relay.outgoing() {
                out += 1;
                prop_assert!(
                    next.is_some_and(|next| outgoing.at >= next),
                    "out at {:?}, not before {next:?}",
                    outgoing.at
                );
            }
        }
        relay.send(*t, Incoming { number, ..*packet }, &mut ());
        gone += relay.gone().count();
    }
    out += relay.outgoing().count();
    let passed = relay.finish(&mut ());
    prop_assert!(passed.conservation.ok, "{:?}", passed.conservation);
    prop_assert_eq!(passed.fingerprint, report.fingerprint);
    prop_assert_eq!(&passed.conservation, &report.conservation);
    prop_assert_eq!(format!("{:?}", passed.queues), format!("{:?}", report.queues));
    prop_assert!(
        gone <= tap.sent.len()
            && out as u64 <= passed.conservation.delivered + passed.conservation.discarded
    );
    for (passage, flow) in passed.flows.iter().zip(&report.flows) {
        prop_assert_eq!(passage.sent_packets, flow.sent_packets);
        // Pieces of datagrams come out one by one: hosts put them together.
        if report.fragmentation.is_none() {
            prop_assert_eq!(passage.colors, flow.colors);
            prop_assert_eq!(passage.lost_packets, flow.lost_packets);
            prop_assert_eq!(&passage.delays, &flow.delays.as_deref().cloned());
        }
    }
    Ok(())
}
