//! From a plan to a world: its network, and the sockets around it, each with its own random
//! streams, named after it.
use crate::app::App;
use crate::flow::{Ends, Flow, Quic, Scream};
use crate::udp::Udp;
use crate::world::World;
use dumbbell_algos::cc::AnyCc;
use dumbbell_algos::source::AnySource;
use dumbbell_core::catalogue::Fault;
use dumbbell_core::plugin::{Alarm, Plugins};
use dumbbell_core::rng::{Stream, key_of};
use dumbbell_core::source::Source;
use dumbbell_core::transport::{CongestionControl, Path};
use dumbbell_core::units::{Span, Time};
use dumbbell_net::Egress;
use dumbbell_net::FlowColors;
use dumbbell_net::OneWay;
use dumbbell_net::SENDER;
use dumbbell_net::partition::Partition;
use dumbbell_net::{Options, network, sample_times, within};
use dumbbell_plan::{Plan, Spec, Transport};
use dumbbell_tcp::Sender;
use std::sync::Arc;

impl World {
    /// A world at the start of `plan`.
    ///
    /// # Errors
    /// A name that is not in the catalogue, or parameters that it refuses; a plan made from a
    /// scenario has neither.
    pub fn new(plan: &Plan, options: Options) -> Result<World, Fault> {
        World::with(plan, options, &Plugins::default())
    }

    /// A world of a plan that may name plugins.
    ///
    /// # Errors
    /// As [`World::new`]. An algorithm that fails when it is made says so in [`World::failure`].
    pub fn with(plan: &Plan, options: Options, plugins: &Plugins) -> Result<World, Fault> {
        World::build(plan, options, plugins, None)
    }

    /// Part `number` of a partition: [`dumbbell_net::partition::undivided`] says which plans may be
    /// divided, and [`World::join`] makes one world of the parts at their end. Nobody may observe a
    /// part.
    ///
    /// # Errors
    /// As [`World::new`].
    pub fn part(plan: &Plan, partition: &Partition, number: usize) -> Result<World, Fault> {
        let part = Some((partition, number));
        World::build(plan, Options::default(), &Plugins::default(), part)
    }

    fn build(
        plan: &Plan,
        options: Options,
        plugins: &Plugins,
        part: Option<(&Partition, usize)>,
    ) -> Result<World, Fault> {
        let (colors, alarm) = (FlowColors::of(plan), Alarm::default());
        // Acknowledgments are of the class of their data.
        let egress = |socket: usize, run_ahead| {
            let (flow, end) = (socket / 2, socket % 2);
            Egress::new(
                run_ahead,
                plan.flows[flow].dscp,
                if end == SENDER { jitter(plan, flow) } else { None },
            )
        };
        let built = network(plan, options, plugins, &alarm, part, egress)?;
        let cx = BuildCx {
            plugins,
            alarm: alarm.clone(),
            straight: options.straight,
            counts: colors.is_some(),
        };
        let mut flows = Vec::with_capacity(plan.flows.len());
        for number in 0..plan.flows.len() {
            flows.push(flow(plan, number, &cx)?);
        }
        Ok(World::assemble(built, flows, colors, alarm))
    }
}

/// Context for building sockets: what they need beside their own entry in the plan.
struct BuildCx<'a> {
    /// Algorithms that are not of the catalogue.
    plugins: &'a Plugins,
    /// The alarm that plugins of this world raise.
    alarm: Alarm,
    /// True if connections take the short way.
    straight: bool,
    /// True if packets are counted by color where they arrive.
    counts: bool,
}

impl BuildCx<'_> {
    fn cc(&self, spec: &Spec, path: &Path) -> Result<AnyCc, Fault> {
        match self.plugins.cc(&spec.kind) {
            Some(factory) => factory.make(&spec.config, path, &self.alarm).map(AnyCc::Plugin),
            None => AnyCc::build(&spec.kind, &spec.config, path),
        }
    }
}

/// The most that departures of a sender are delayed by, and the random stream of it, if the profile
/// has jitter.
fn jitter(plan: &Plan, number: usize) -> Option<(Span, Stream)> {
    let flow = &plan.flows[number];
    let Transport::Tcp { tcp, .. } = &flow.transport else { return None };
    (tcp.send_jitter > Span::ZERO)
        .then(|| (tcp.send_jitter, Stream::named(plan.seed, &format!("{}/jitter", flow.name))))
}

/// The delay measures of a flow of datagrams; none for flows of a session.
fn delays(plan: &Plan, flow: &dumbbell_plan::Flow) -> Option<OneWay> {
    flow.session.is_none().then(|| OneWay::new(Time::ZERO + plan.warmup, plan.propagation(flow)))
}

fn flow(plan: &Plan, number: usize, cx: &BuildCx<'_>) -> Result<Flow, Fault> {
    let flow = &plan.flows[number];
    let chance = |part: &str| Stream::named(plan.seed, &format!("{}/{part}", flow.name));
    let source = within(&flow.name, AnySource::build(&flow.source.kind, &flow.source.config, &()))?;
    let start = Time::ZERO + flow.start;
    let stop = flow.stop.map_or(Time::NEVER, |d| Time::ZERO + d);
    let coder = source.coder();
    let app = App::new(source, chance("source"), start, stop);
    let (ends, mss) = match &flow.transport {
        Transport::Udp { header, ecn, .. } => {
            // It has no window: the unit makes no difference.
            (Ends::Udp(Udp::new(*header, *ecn, delays(plan, flow))), 1)
        }
        Transport::Quic { cc, quic } => {
            let (reserved, rtt) = (flow.info.reserved, flow.info.rtt);
            let build = |path: &Path| cx.cc(cc, &Path { reserved, rtt, ..*path });
            within(&flow.name, build(&Path::PLAIN))?;
            let sender = dumbbell_quic::Sender::new(Arc::clone(quic.arc()), |path| {
                let mut cc = build(path).expect("the same parameters were accepted a line above");
                cc.seed(key_of(plan.seed, &format!("{}/cc", flow.name)));
                cc
            });
            let receiver = sender.receiver();
            (Ends::Quic(Box::new(Quic { sender, receiver })), quic.datagram_bytes())
        }
        Transport::Scream { scream } => {
            let Some(coder) = coder else {
                let cause = format!("{} is no coder of live media", flow.source.kind);
                return Err(Fault::at(&flow.name, cause));
            };
            let (from, end) = (Time::ZERO + plan.warmup, Time::ZERO + plan.duration);
            let window = dumbbell_scream::Window { from, end, budget: coder.budget };
            (Ends::Scream(Box::new(Scream::new(scream.arc(), coder, window))), scream.mss.0)
        }
        Transport::Tcp { cc, tcp } => {
            let (reserved, rtt) = (flow.info.reserved, flow.info.rtt);
            let build = |path: &Path| cx.cc(cc, &Path { reserved, rtt, ..*path });
            within(&flow.name, build(&Path::PLAIN))?;
            let mut sender = Sender::new(Arc::clone(tcp.arc()), |path| {
                let mut cc = build(path).expect("the same parameters were accepted a line above");
                cc.seed(key_of(plan.seed, &format!("{}/cc", flow.name)));
                cc
            });
            let mut receiver = sender.receiver();
            if !cx.straight {
                sender.disable_fast_path();
                receiver.disable_fast_path();
            }
            (Ends::Tcp { sender, receiver }, tcp.mss.map_or(1460, |b| b.0))
        }
    };
    // A session's flows are too many and too short for series.
    let sample_times = sample_times(plan, plan.record.flows && flow.session.is_none());
    Ok(Flow::new(number as u32, (ends, mss as u32), app, start, sample_times, cx.counts))
}
