//! Senders that color their own segments: an assured service, without a marker in the network.
//! Colors are counted where a sender hands its packets over, and where they arrive.
use crate::bottleneck::{Bottleneck, run};
use crate::plans::{bench_tcp, edge, spec};
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::transport::segment::{Extra, Segment};
use dumbbell_core::units::{Limit, Packets, Rate, Span, Time};
use dumbbell_plan::{Plan, Transport};
use dumbbell_sim::{FlowRow, Observer, PacketId, Report};
use dumbbell_tcp::TcpConfig;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const AF11: Dscp = Dscp(10);
const PATH: Bottleneck = Bottleneck { rate: 10, rtt: 40, buffer: 100, loss: 0.0 };

/// A flow: its control, its parameters, what is reserved for it, kbit/s.
type Assured = (&'static str, Value, u64);

/// Flows with reservations, for `seconds` of which ten do not count, behind a queue that drops OUT
/// first.
fn plan(path: &Bottleneck, flows: &[Assured], seconds: u64) -> Plan {
    let senders: Vec<_> =
        flows.iter().map(|(control, config, _)| (*control, config.clone(), 0)).collect();
    let mut plan = path.plan(&senders, seconds, 10, None);
    // The queue of the marker paper.
    plan.links[0].aqm = spec(
        "rio",
        json!({
            "w_q": 0.002, "min_in": "20 pkt", "max_in": "80 pkt", "max_p_in": 0.02,
            "min_out": "20 pkt", "max_out": "50 pkt", "max_p_out": 0.1,
        }),
    );
    for (i, (flow, (.., kbps))) in plan.flows.iter_mut().zip(flows).enumerate() {
        flow.start = Span::from_ms(137 * i as u64);
        flow.info.reserved = (*kbps > 0).then(|| Rate::from_bps(1000 * kbps));
        flow.info.rtt = Some(Span::from_ms(path.rtt));
        if let Transport::Tcp { tcp, .. } = &mut flow.transport {
            *tcp =
                TcpConfig { receive_window: Limit::Packets(Packets(64.0)), ..bench_tcp() }.into();
        }
    }
    plan
}

/// Packets of each flow since the warm-up: sent IN, sent OUT, IN that arrived.
struct Colours {
    from: Time,
    next: Vec<u64>,
    green: BTreeSet<(usize, u64)>,
    counts: Vec<[u64; 3]>,
}

impl Colours {
    fn new(plan: &Plan) -> Self {
        let n = plan.flows.len();
        Colours {
            from: Time::ZERO + plan.warmup,
            next: vec![0; n],
            green: BTreeSet::new(),
            counts: vec![[0; 3]; n],
        }
    }
    /// IN of all flows, of what they sent, as Mbit/s over `seconds`.
    fn rate(&self, which: usize, seconds: u64) -> f64 {
        let packets: u64 = self.counts.iter().map(|c| c[which]).sum();
        packets as f64 * 8e-3 / seconds as f64
    }
}

impl Observer for Colours {
    const FOLLOWS: bool = true;
    fn follow(&mut self, flow: usize, data: bool) -> u64 {
        if !data {
            return 0;
        }
        self.next[flow] += 1;
        self.next[flow]
    }
    fn sent(&mut self, t: Time, who: PacketId, _: &Segment, extra: Option<&Extra>) {
        let green = extra.is_some_and(|x| x.color() == Some(AF11));
        if green {
            self.green.insert((who.flow, who.number));
        }
        self.counts[who.flow][usize::from(!green)] += u64::from(t >= self.from);
    }
    fn delivered(&mut self, t: Time, who: PacketId, _: Ecn) {
        if self.green.remove(&(who.flow, who.number)) {
            self.counts[who.flow][2] += u64::from(t >= self.from);
        }
    }
}

/// Runs them; what each got, Mbit/s of packets, and the colors.
fn colours(path: &Bottleneck, flows: &[Assured], seconds: u64) -> (Vec<f64>, Colours, Report) {
    let plan = plan(path, flows, seconds);
    let mut colours = Colours::new(&plan);
    let report = run(&plan, &mut colours);
    let got: Vec<f64> = report.flows.iter().map(|f| f.throughput_bps / 1e6).collect();
    println!("{:?}: {got:.3?} Mbps, {:?}", flows, colours.counts);
    (got, colours, report)
}

/// The card's check, in closed loop: with nothing reserved every packet is Reno's, to the
/// picosecond.
#[test]
fn timed_transmission_without_a_reservation_is_reno() {
    let story = |control: &'static str| {
        let flows: Vec<Assured> = (0..4).map(|_| (control, json!({}), 0)).collect();
        let r = run(&plan(&PATH, &flows, 30), &mut ());
        (r.fingerprint, r.packet_hops, format!("{:?}", r.flows).replace(control, "it"))
    };
    let (timed, reno) = (story("timed_transmission"), story("reno"));
    assert_eq!(timed, reno);
    assert_ne!(timed.0, story("newreno").0);
}

/// Returns the throughput of each flow beyond its reservation, Mbit/s: the least and the most.
fn excess(got: &[f64], flows: &[Assured]) -> (f64, f64) {
    let each = got.iter().zip(flows).map(|(got, (.., kbps))| got - *kbps as f64 / 1e3);
    each.fold((f64::MAX, 0.0), |(least, most), e| (least.min(e), most.max(e)))
}

/// Flows of `control` with these reservations, kbit/s.
fn of(control: &'static str, config: &Value, kbps: &[u64]) -> Vec<Assured> {
    kbps.iter().map(|kbps| (control, config.clone(), *kbps)).collect()
}

/// Half of the link is reserved. Timed transmissions use every token, so that IN is the
/// reservation; with the split window each flow gets the same of the rest, 1.25 Mbps, whatever is
/// reserved for it. Reno loses tokens, and its small reservations get more of the rest than its
/// large ones.
#[test]
fn timed_transmission_shares_the_excess() {
    let reserved = [2000, 2000, 500, 500];
    let timed = of("timed_transmission", &json!({}), &reserved);
    let (got, colours_of_timed, _) = colours(&PATH, &timed, 60);
    let (least, most) = excess(&got, &timed);
    assert!(least > 1.0 && most < 1.25 && most < 1.2 * least, "{least} {most}");
    let rate = colours_of_timed.rate(0, 50);
    assert!((4.95..5.01).contains(&rate), "{rate}");
    let reno = of("timed_transmission", &json!({"timed": false, "split": false}), &reserved);
    let (got, colours_of_reno, _) = colours(&PATH, &reno, 60);
    let (least, most) = excess(&got, &reno);
    assert!(most > 1.6 * least && colours_of_reno.rate(0, 50) < 4.5, "{least} {most}");
}

/// The printed flaw (Choi and Kim 2001): with more reserved than the link has, IN does not give
/// way. The queue has to drop IN packets, ten times the share that it drops of a Reno with the same
/// marker, and timeouts follow.
#[test]
fn timed_transmission_sends_too_much_in_when_too_much_is_reserved() {
    let over = |config: Value| {
        let (_, colours, report) =
            colours(&PATH, &of("timed_transmission", &config, &[4000, 4000, 2000, 2000]), 60);
        let (sent, arrived) = (colours.rate(0, 50), colours.rate(2, 50));
        let timeouts = report.flows.iter().map(|f| f.rtos).sum::<u64>();
        println!("{:.5} of IN dropped, {timeouts} timeouts", 1.0 - arrived / sent);
        (1.0 - arrived / sent, timeouts)
    };
    let (timed, reno) = (over(json!({})), over(json!({"timed": false, "split": false})));
    assert!(timed.0 > 0.01 && reno.0 < 0.002, "{timed:?} {reno:?}");
    assert!(timed.1 > 5 * reno.1.max(1), "{timed:?} {reno:?}");
}

/// An average is aimed at, with as few IN packets as it takes. Four flows on 10 Mbps: targets far
/// below what each gets anyway need no IN at all; one that the link cannot give makes every packet
/// IN.
#[test]
fn tcp_marking_marks_what_the_target_takes() {
    let share = |kbps: u64| {
        let (_, colours, _) = colours(&PATH, &of("tcp_marking", &json!({}), &[kbps; 4]), 60);
        let [inside, outside] = [0, 1].map(|which| colours.rate(which, 50));
        inside / (inside + outside)
    };
    let (low, high) = (share(500), share(20_000));
    assert!(low < 0.01 && high > 0.95, "{low} {high}");
}

/// One flow wants more than its share of 2.5 Mbps, and gets it: OUT losses do not take its window
/// of IN.
#[test]
fn tcp_marking_moves_the_average_towards_the_target() {
    let flows: Vec<Assured> =
        [4000, 0, 0, 0].iter().map(|kbps| ("tcp_marking", json!({}), *kbps)).collect();
    let (got, ..) = colours(&PATH, &flows, 90);
    assert!((3.5..4.5).contains(&got[0]) && got[1..].iter().all(|got| *got < 2.3), "{got:?}");
}

/// The number of OUT packets that each flow's marker reported to it since the start.
struct Words(Vec<f64>);

impl Observer for Words {
    fn flow(&mut self, _: Time, flow: usize, row: &FlowRow) {
        self.0[flow] = row.gauges.get("words").expect("a gauge");
    }
}

/// Flows that hear their marker, each with this one before its host's link. What they got, Mbit/s,
/// and of all that they sent in the whole run the share that they were told was OUT.
fn marked(marker: &str, kbps: &[u64]) -> (Vec<f64>, f64) {
    let mut plan = plan(&PATH, &of("marker_aware", &json!({}), kbps), 60);
    plan.warmup = Span::ZERO;
    (plan.record.every, plan.record.flows) = (Some(Span::from_secs(1)), true);
    for flow in 0..kbps.len() {
        let access = plan.flows[flow].forward[0];
        plan.links[access].conditioner = edge(marker, json!({}), true);
    }
    let mut words = Words(vec![0.0; kbps.len()]);
    let report = run(&plan, &mut words);
    let got: Vec<f64> = report.flows.iter().map(|f| f.throughput_bps / 1e6).collect();
    let sent: u64 = report.flows.iter().map(|f| f.sent_packets).sum();
    let out = words.0.iter().sum::<f64>() / sent as f64;
    println!("{marker} {kbps:?}: {got:.3?} Mbps, {out:.4} OUT");
    (got, out)
}

/// With 4 % of the link to spare each flow has what is reserved for it, and few packets go as OUT:
/// fewer than the one in a round trip of R = 12 packets that ends the growth of a window where
/// nothing else does.
#[test]
fn a_sender_that_hears_its_marker_sends_hardly_any_out() {
    let (got, out) = marked("marker_feedback", &[2400; 4]);
    assert!(got.iter().all(|got| (2.3..2.41).contains(got)) && out < 0.8 / 13.0, "{got:?} {out}");
}

/// The printed flaw (Choi and Kim 2001): alone on a link of ten times its reservation, it leaves
/// nearly all of it unused. A marker that says nothing lets it have that. In a round trip R = 5
/// packets go as IN, and the one by which the window has grown as OUT.
#[test]
fn a_sender_that_hears_its_marker_is_starved_of_what_is_spare() {
    let (told, untold) = (marked("marker_feedback", &[1000]), marked("token_bucket", &[1000]));
    assert!((1.0..1.2).contains(&told.0[0]) && untold.0[0] > 9.0, "{told:?} {untold:?}");
    assert!((told.1 - 1.0 / 6.0).abs() < 0.005 && untold.1 == 0.0, "{told:?} {untold:?}");
    // Two of them leave four fifths.
    let (got, _) = marked("marker_feedback", &[1000, 1000]);
    assert!(got.iter().sum::<f64>() < 2.4, "{got:?}");
}
