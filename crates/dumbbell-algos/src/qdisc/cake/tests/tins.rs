//! Tins: who goes first, and the shares of a bandwidth that all of them want.
use super::super::tins::DiffServ;
use super::*;

const VOICE: u8 = 46;
const VIDEO: u8 = 34;
const BULK: u8 = 8;
const REST: u8 = 0;

/// Packets of 1000 bytes in tins that always hold some, under a shaper.
struct Saturated(TestQdisc<Cake<Numbered>>);

impl Saturated {
    fn new(diffserv: &str) -> Self {
        // COBALT is out of it: its target is 180 s.
        let json = json!({
            "bandwidth": "8 Mbps", "diffserv": diffserv, "rtt": "3600 s", "memory_limit": "1 GB",
        });
        Saturated(deck(&json, &[], Capacity::Unlimited))
    }

    fn fill(&mut self, codepoints: &[u8]) {
        for dscp in codepoints {
            for _ in 0..3 {
                self.0.put(u32::from(*dscp), *dscp, 1000);
            }
        }
    }

    /// The next `count` packets, by codepoint; for each that leaves another comes.
    fn sent(&mut self, count: usize) -> [f64; 64] {
        let mut sent = [0.0; 64];
        for _ in 0..count {
            let Meta { dscp, .. } = loop {
                match self.0.take() {
                    Some(p) => break p.meta,
                    None => self.0.now = self.0.qdisc.holds_until().unwrap(),
                }
            };
            sent[usize::from(dscp.0)] += 1.0;
            self.0.put(u32::from(dscp.0), dscp.0, 1000);
        }
        sent
    }
}

fn shares(diffserv: &str, wanted: &[(u8, f64)]) {
    let mut tins = Saturated::new(diffserv);
    let codepoints: Vec<u8> = wanted.iter().map(|(dscp, _)| *dscp).collect();
    tins.fill(&codepoints);
    let sent = tins.sent(16_000);
    for (dscp, share) in wanted {
        let expected = share * 16_000.0;
        let found = sent[usize::from(*dscp)];
        assert!((found - expected).abs() <= 4.0, "{diffserv} {dscp}: {found}, not {expected}");
    }
}

/// Each tin has its threshold, and best effort the rest.
#[test]
fn tins_that_want_all_get_their_thresholds() {
    shares("diffserv4", &[(VOICE, 0.25), (VIDEO, 0.5), (BULK, 0.0625), (REST, 0.1875)]);
    shares("diffserv3", &[(VOICE, 0.25), (BULK, 0.0625), (REST, 0.6875)]);
    shares("diffserv3", &[(BULK, 0.0625), (REST, 0.9375)]);
}

/// The thresholds of eight tins are powers of 7/8, the highest tin's the lowest: of those that want
/// all, the highest have theirs, the next one the rest, and the others nothing.
#[test]
fn eight_tins_go_by_priority() {
    let control = f64::from(7_u32.pow(7)) / f64::from(8_u32.pow(7));
    let latency = f64::from(7_u32.pow(6)) / f64::from(8_u32.pow(6));
    let shell = 1.0 - control - latency;
    let (cs7, ef, cs2, af11) = (56, 46, 16, 10);
    let all = [(cs7, control), (ef, latency), (cs2, shell), (18, 0.0), (34, 0.0), (REST, 0.0)];
    shares("diffserv8", &all);
    // 7/8 of the whole, and the rest of it to the lowest, whose threshold is the whole.
    shares("diffserv8", &[(af11, 7.0 / 8.0), (1, 1.0 / 8.0)]);
    shares("precedence", &[(cs7, control), (48, latency), (ef, shell), (32, 0.0), (REST, 0.0)]);
    shares("precedence", &[(BULK, 7.0 / 8.0), (REST, 1.0 / 8.0)]);
}

/// The shares of the bandwidth that users of `diffserv8` read: 39.26 % for the highest tin.
#[test]
fn thresholds_of_eight_tins_are_those_that_are_shown() {
    let shown = [39.26, 44.87, 51.28, 58.61, 66.99, 76.56, 87.5, 100.0];
    for diffserv in [DiffServ::Diffserv8, DiffServ::Precedence] {
        for (tin, percent) in diffserv.tins().iter().zip(shown) {
            let share = 100.0 * f64::from(tin.share.part) / f64::from(tin.share.of);
            assert!((share - percent).abs() < 0.011, "{share} {percent}");
        }
    }
}

/// Thresholds are no limits: what nobody with a better claim wants is shared in their proportion.
#[test]
fn a_tin_borrows_what_others_leave() {
    shares("diffserv4", &[(VOICE, 1.0)]);
    shares("diffserv4", &[(BULK, 1.0)]);
    shares("diffserv4", &[(VOICE, 1.0 / 3.0), (VIDEO, 2.0 / 3.0)]);
}

/// A tin that borrowed for long has its threshold at once when others want theirs.
#[test]
fn what_was_borrowed_is_not_paid_back() {
    let mut tins = Saturated::new("diffserv3");
    tins.fill(&[VOICE]);
    tins.sent(5000);
    tins.fill(&[REST]);
    let sent = tins.sent(400);
    assert!((sent[usize::from(VOICE)] - 100.0).abs() <= 2.0, "{}", sent[usize::from(VOICE)]);
}

/// A packet of a tin below its threshold goes first, whatever waits in the others.
#[test]
fn voice_goes_before_what_waits() {
    let mut tins = Saturated::new("diffserv3");
    tins.fill(&[REST, BULK]);
    tins.sent(1000);
    let voice = tins.0.put(99, VOICE, 200);
    tins.0.now = tins.0.qdisc.holds_until().unwrap();
    assert_eq!(tins.0.take().unwrap().id, voice);
}

#[test]
fn codepoints_are_those_of_the_manual() {
    let of = |diffserv: DiffServ, names: &[&str]| -> Vec<u8> {
        let by_codepoint = diffserv.by_codepoint();
        let tin = |name: &&str| by_codepoint[usize::from(codepoint(name).0)];
        names.iter().map(tin).collect()
    };
    let names = ["cs7", "ef", "va", "cs5", "cs4", "af41", "cs3", "af23", "4", "cs1", "le", "be"];
    assert_eq!(of(DiffServ::Diffserv3, &names), [0, 0, 0, 2, 2, 2, 2, 2, 0, 1, 1, 2]);
    assert_eq!(of(DiffServ::Diffserv4, &names), [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3]);
    assert_eq!(of(DiffServ::Diffserv8, &names), [0, 1, 1, 1, 1, 4, 4, 3, 3, 6, 7, 5]);
    assert_eq!(of(DiffServ::Precedence, &names), [0, 2, 2, 2, 3, 3, 4, 5, 7, 6, 7, 7]);
    assert_eq!(of(DiffServ::Besteffort, &names), [0; 12]);
    assert_eq!(of(DiffServ::Diffserv4, &["af11", "af12", "af13"]), [3; 3]);
}

fn codepoint(name: &str) -> Dscp {
    crate::dscp::codepoint(name).unwrap()
}
