//! The effect of a packet's size on an AQM: ordinary and jumbo frames arrive in turn at a queue
//! that stands still, and the signals of each are counted.
use crate::aqm::{AnyAqm, CATALOGUE};
use crate::suite::traffic::{Arrival, arrivals, hold};
use dumbbell_core::aqm::{Aqm, Cx, Limit, LinkInfo, QueueView, Reason, Slot, Verdict};
use dumbbell_core::catalogue::{About, Entry, SizeLaw};
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::packet::{Ecn, Meta};
use dumbbell_core::probe::Gauges;
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Event, link, packet};
use dumbbell_core::units::{Backlog, Capacity, Span, Time};
use serde_json::{Value, json};

const MEAN: u32 = 1500;
const JUMBO: u32 = 9180;
const FLOWS: u32 = 8;
/// Packets that wait: three of each flow.
const WAITING: u32 = 24;
const SIZES: f64 = JUMBO as f64 / MEAN as f64;

/// The page says what the size of a packet is to the algorithm with its defaults.
pub fn is_what_its_page_says(about: &About) {
    let name = about.name;
    let entry = CATALOGUE.iter().find(|e| e.about.name == name).unwrap();
    let found = match measured(entry, &json!({})) {
        None => SizeLaw::None,
        Some((r, by_chance)) if by_chance > 0.1 * r => {
            panic!("{name} signals too seldom for a ratio: {r} within {by_chance}")
        }
        Some((r, by_chance)) if (r - 1.0).abs() < (4.0 * by_chance).max(0.06) => SizeLaw::Constant,
        Some((r, _)) if (r / (SIZES * SIZES) - 1.0).abs() < 0.25 => SizeLaw::Square,
        Some((r, _)) => panic!("{name} signals a jumbo frame {r} times as often"),
    };
    assert_eq!(about.size.signals, found, "what size is to {name}: correct `size` of its ABOUT");
}

fn ratio(entry: &Entry, words: &Value) -> Option<f64> {
    measured(entry, words).map(|(ratio, _)| ratio)
}

/// A link that takes jumbo frames.
fn site() -> LinkInfo {
    LinkInfo { mtu: JUMBO, ..link(Capacity::Packets(1000)) }
}

/// An algorithm's defaults, which say what it can be told, with `words` for those of them that it
/// knows.
fn with(entry: &Entry, words: &Value) -> Value {
    let mut config = (entry.defaults)();
    for (key, value) in words.as_object().into_iter().flatten() {
        if config.get(key).is_some() {
            config[key] = value.clone();
        }
    }
    config
}

fn knows(entry: &Entry, word: &str) -> bool {
    (entry.defaults)().get(word).is_some()
}

/// A queue that stands still.
struct Standing;

impl QueueView for Standing {
    fn backlog(&self) -> Backlog {
        Backlog { packets: WAITING, bytes: u64::from(WAITING * MEAN), buffers: 0 }
    }
    fn meta(&self, _: Slot) -> Option<Meta> {
        Some(packet(999, MEAN, Ecn::NotEct))
    }
}

/// Settings with which a probability of about 0.1 stands still at the standing queue, each packet
/// on its own.
fn steady() -> Value {
    json!({
        "spacing": "bernoulli", "w_q": 1.0, "auto_w_q": "off", "min_th": "10 pkt", "max_th": "30 \
            pkt", "max_p": 0.2,
        "min_out": "10 pkt", "max_out": "30 pkt", "max_p_out": 0.2, "alpha_max": 0.0,
        "beta_max": 0.0, "alpha_min": 0.0,
        "beta_min": 0.0,
        "queues": [{ "min_th": "10 pkt", "max_th": "30 pkt", "max_p": 0.2, "limit": "99 pkt" }],
        "map": {},
        "default_queue": 0, "q_ref": "2 pkt", "mean_packet_size": format!("{MEAN} B"), "d1": 0.12,
        "increment": 0.12,
        "max": "99 pkt", "derandomize": false, "phi": 1.005, "freeze_time": "1 s", "rtt": "1 s",
        "apply": "always",
    })
}

/// What is special: settings, and how its probability is brought up before the measurement.
fn special(name: &str) -> (Value, fn(&mut AnyAqm, &mut Cx<'_>)) {
    fn nothing(_: &mut AnyAqm, _: &mut Cx<'_>) {}
    fn a_tick(aqm: &mut AnyAqm, cx: &mut Cx<'_>) {
        aqm.tick(cx, &Standing);
    }
    fn a_loss(aqm: &mut AnyAqm, cx: &mut Cx<'_>) {
        aqm.arrive(cx, &Standing, &packet(0, MEAN, Ecn::NotEct), false);
        aqm.overflowed(cx, Limit::Own);
    }
    fn a_delay(aqm: &mut AnyAqm, cx: &mut Cx<'_>) {
        let (mut gauges, p) = (Gauges::default(), packet(0, MEAN, Ecn::NotEct));
        for _ in 0..10_000 {
            cx.now += Span::from_ms(1);
            aqm.depart(cx, &Standing, &p, Span::from_ms(50));
            aqm.tick(cx, &Standing);
            gauges.0.clear();
            aqm.probe(&mut gauges);
            if gauges.get("drop_prob").or(gauges.get("p_c")).is_some_and(|p| p > 0.1) {
                return;
            }
        }
        panic!("the delay raised no probability: {gauges:?}");
    }
    match name {
        "pi" => (json!({ "a": 0.005, "b": 0.004 }), a_tick),
        "rem" => (json!({ "gamma": 25.0 }), a_tick),
        "sfb" => (json!({ "target": "2 pkt", "decrement": 0.0 }), a_loss),
        "blue" => (json!({}), a_loss),
        "wred" => (
            json!({
                "profile": "own",
                "classes": [{ "min_th": "10 pkt", "max_th": "30 pkt", "max_p": 0.2 }],
            }),
            nothing,
        ),
        "pie" | "pi2" => (json!({ "alpha": 0.125, "beta": 1.25 }), a_delay),
        _ => (json!({}), nothing),
    }
}

/// By how much more often a jumbo frame is signaled than an ordinary packet, and the standard
/// deviation of that by chance alone; `None`: neither is signaled.
fn measured(entry: &Entry, words: &Value) -> Option<(f64, f64)> {
    const EACH: u32 = 60_000;
    let name = entry.about.name;
    if name == "avq" {
        // Signals what finds no room in a virtual queue that drains with time, not by a
        // probability.
        return None;
    }
    let (own, warm) = special(name);
    let mut all = steady();
    for more in [&own, words] {
        more.as_object().unwrap().iter().for_each(|(k, v)| all[k] = v.clone());
    }
    let (site, flows, mut rng) = (site(), FlowTable::default(), Stream::named(4, "modes"));
    let mut aqm = AnyAqm::build(name, &with(entry, &all), &site).unwrap_or_else(|e| {
        panic!(
            "{name}: \
        {e:?}"
        )
    });
    let mut cx = Cx { now: Time::ZERO, rng: &mut rng, link: &site, flows: &flows };
    // The first arrival makes what is made with chance; then the queue fills.
    aqm.arrive(&mut cx, &Standing, &packet(0, MEAN, Ecn::NotEct), true);
    (0..WAITING).for_each(|i| aqm.admitted(&packet(i % FLOWS, MEAN, Ecn::NotEct)));
    warm(&mut aqm, &mut cx);
    cx.now += Span::from_secs(2);
    let mut signals = [0.0; 2];
    for i in 0..2 * EACH {
        let large = (i / FLOWS % 2) as usize;
        let p = packet(i % FLOWS, [MEAN, JUMBO][large], Ecn::NotEct);
        let verdict = aqm.arrive(&mut cx, &Standing, &p, true);
        signals[large] +=
            f64::from(u8::from(matches!(verdict, Verdict::Drop(_) | Verdict::Signal(_))));
    }
    assert!(
        signals[1] < 0.98 * f64::from(EACH),
        "{name}: {signals:?} of {EACH} each, which is a \
        clamp"
    );
    let ratio = signals[1] / signals[0];
    (signals[0] > 0.0).then(|| (ratio, ratio * (1.0 / signals[0] + 1.0 / signals[1]).sqrt()))
}

/// Byte-mode drop signals a packet as much more often as it is larger, whatever the algorithm;
/// without it size does not count.
#[test]
fn byte_mode_drop_goes_by_size() {
    for entry in CATALOGUE.iter().filter(|e| knows(e, "byte_drop")) {
        let name = entry.about.name;
        let off = ratio(entry, &json!({})).unwrap_or_else(|| panic!("{name} signals nothing"));
        assert!((off - 1.0).abs() < 0.06, "{name}: {off} without byte_drop");
        for (byte_drop, expected) in [("mean_size", SIZES), ("max_size", SIZES), ("ns2", SIZES)] {
            let on = ratio(entry, &json!({ "byte_drop": byte_drop })).unwrap();
            assert!(
                (on / expected - 1.0).abs() < 0.08,
                "{name}: {on} with byte_drop = \
                {byte_drop}, not {expected}"
            );
        }
    }
}

/// PIE's own name for byte-mode drop (RFC 8033 section 4.1).
#[test]
fn pie_calls_it_bytemode() {
    let entry = CATALOGUE.iter().find(|e| e.about.name == "pie").unwrap();
    let ratio = |on: bool| ratio(entry, &json!({ "bytemode": on })).unwrap();
    assert!((ratio(true) / SIZES - 1.0).abs() < 0.08 && (ratio(false) - 1.0).abs() < 0.06);
}

/// Settings with which every algorithm signals soon.
fn busy() -> Value {
    json!({
        "w_q": 0.2, "auto_w_q": "off", "min_th": "2 pkt", "max_th": "9 pkt", "min_out": "2 pkt",
        "max_out": "9 pkt",
        "min_in": "4 pkt", "max_in": "12 pkt", "q_ref": "2 pkt", "a": 0.01, "b": 0.009,
        "gamma": 0.05, "target": "2 pkt",
        "d1": 0.05, "trigger": "3 pkt", "increment": 0.05, "max": "8 pkt",
        "mean_packet_size": format!("{MEAN} B"),
        "min_lim": "2 pkt", "gap": "2 pkt", "max_lim": "12 pkt",
        "queues": [{ "min_th": "2 pkt", "max_th": "9 pkt", "max_p": 0.2, "limit": "12 pkt" }],
        "map": {}, "default_queue": 0,
    })
}

/// With packets of the mean size byte mode is packet mode, and byte-mode drop is none: the same
/// decisions, one by one.
#[test]
fn at_equal_sizes_the_modes_are_one() {
    let mut tested = 0;
    for entry in CATALOGUE.iter().filter(|e| knows(e, "byte_mode")) {
        let name = entry.about.name;
        let mut words = busy();
        if ["sfb", "rem"].contains(&name) {
            words["gamma"] = json!(5.0);
        } else if name == "wred" {
            words["profile"] = json!("own");
            words["classes"] = json!([{ "min_th": "2 pkt", "max_th": "9 pkt", "max_p": 0.2 }]);
        }
        let plain = with(entry, &words);
        let run = |byte_mode: bool, byte_drop: &str, seed: u64| {
            let mut config = plain.clone();
            (config["byte_mode"], config["byte_drop"]) = (json!(byte_mode), json!(byte_drop));
            let site = LinkInfo { mtu: MEAN, ..link(Capacity::Packets(20)) };
            let aqm =
                AnyAqm::build(name, &config, &site).unwrap_or_else(|e| panic!("{name}: {e:?}"));
            let mut rng = Stream::named(seed, "modes");
            let of_one_size =
                |a: Arrival| Arrival { meta: Meta { ip_len: MEAN, wire_len: MEAN, ..a.meta }, ..a };
            let traffic: Vec<Arrival> =
                (0..3).flat_map(|_| arrivals(&mut rng)).map(of_one_size).collect();
            hold(aqm, site, seed, seed.is_multiple_of(2), &traffic, |_| {})
        };
        let mut signals = 0;
        for seed in 0..4 {
            let packets = run(false, "off", seed);
            let own = |e: &&Event| matches!(e, Event::Dropped(_, why) if *why != Reason::Overflow);
            signals += packets.iter().filter(own).count();
            for (byte_mode, byte_drop) in [
                (true, "off"),
                (false, "mean_size"),
                (true, "mean_size"),
                (true, "max_size"),
                (true, "ns2"),
            ] {
                assert_eq!(
                    run(byte_mode, byte_drop, seed),
                    packets,
                    "{name}, {byte_mode}, \
                    {byte_drop}"
                );
            }
        }
        assert!(signals > 10, "{name} gave {signals} signals: nothing was tested");
        tested += 1;
    }
    assert!(tested >= 18, "{tested} AQMs with the two modes");
}
