//! A sender and a receiver on two wires with a delay, a rate and a script of losses.
#![allow(dead_code)]
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::transport::segment::{Extra, Outbox, PacketTooBig, Segment, flag};
use dumbbell_core::transport::{CongestionControl, Detect, Receive, Recover};
use dumbbell_core::units::{Bytes, Rate, Span, Time};
use dumbbell_tcp::{
    AnyDetect, AnyRecover, Detection, Receiver, ReceiverPolicy, Reduction, Sender, TcpConfig,
};
use std::collections::BTreeMap;

pub const MSS: u64 = 1000;

/// The wire's effect on a packet: one entry for each copy that arrives, with its additional delay.
pub type Fate = Vec<Span>;
pub fn pass() -> Fate {
    vec![Span::ZERO]
}
pub fn lose() -> Fate {
    vec![]
}

/// Decides on each packet: its way, its number on that way, the segment (which it may mark).
pub type Script = Box<dyn FnMut(Way, u64, &mut Segment) -> Fate>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Forward,
    Back,
}

/// A segment that was sent.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    pub at: Time,
    pub way: Way,
    pub segment: Segment,
    pub extra: Option<Extra>,
    pub lost: bool,
}

impl Sent {
    /// Payload of data segments without options, in segments from the first byte on: 1 is the
    /// first.
    pub fn number(&self) -> u64 {
        u64::from(self.segment.seq - 1) / MSS + 1
    }
    pub fn again(&self) -> bool {
        self.segment.flags & flag::RETRANSMIT != 0
    }
}

#[derive(Default)]
pub struct Out(pub Vec<(Segment, Option<Extra>)>);
impl Outbox for Out {
    fn send(&mut self, segment: Segment, extra: Option<Extra>) {
        self.0.push((segment, extra));
    }
}

pub struct Net<C, D = AnyDetect, R = AnyRecover, P = ReceiverPolicy> {
    pub sender: Sender<C, D, R>,
    pub receiver: Receiver<P>,
    pub now: Time,
    pub delay: Span,
    /// Serialization on the forward wire; `None`: infinitely fast.
    pub rate: Option<Rate>,
    pub log: Vec<Sent>,
    /// True if the log is kept.
    pub record: bool,
    pub fate: Script,
    /// The MTU of the forward wire, by time: the last entry that has begun holds. None: any size
    /// passes.
    pub mtus: Vec<(Time, u32)>,
    /// The delay after which the wire sends notices of packets dropped for their size, and true if
    /// they name the size that fits; `None`: no notices.
    pub tells: Option<(Span, bool)>,
    /// Notices on their way, true and forged.
    pub notices: BTreeMap<(Time, u64), PacketTooBig>,
    counts: [u64; 2],
    free_at: Time,
    order: u64,
    wire: BTreeMap<(Time, u64), (Way, Segment, Option<Extra>)>,
    /// The last deadline of the sender that it had computed.
    settled: Time,
}

/// The profile of most tests: the classics' machinery, no handshake, no options, 1000-byte
/// segments, immediate ACKs, exact clocks.
pub fn plain() -> TcpConfig {
    TcpConfig {
        mss: Some(Bytes(MSS)),
        handshake: false,
        timestamps: false,
        clock: Span::ZERO,
        delayed_ack: dumbbell_tcp::DelayedAck::Each,
        receive_window: dumbbell_core::units::Limit::Unlimited,
        detection: Detection::Dupack,
        reduction: Reduction::Rfc6675,
        tail_loss_probe: false,
        frto: false,
        ..TcpConfig::rfc()
    }
}

/// The configuration with RACK-TLP, PRR, F-RTO and D-SACK's undo.
pub fn modern() -> TcpConfig {
    TcpConfig {
        detection: Detection::Rack,
        reduction: Reduction::Prr,
        tail_loss_probe: true,
        frto: true,
        dsack_undo: true,
        ..plain()
    }
}

pub fn cc(name: &str, path: &dumbbell_core::transport::Path) -> AnyCc {
    AnyCc::build(name, &serde_json::json!({}), path).expect("a known congestion control")
}

impl Net<AnyCc> {
    /// Both ends of `config` with the congestion control `name`, 50 ms each way.
    pub fn new(name: &str, config: &TcpConfig) -> Self {
        let sender = Sender::new(config, |path| cc(name, path));
        let receiver = sender.receiver();
        Net::of(sender, receiver)
    }
}

impl<C: CongestionControl, D: Detect, R: Recover, P: Receive> Net<C, D, R, P> {
    pub fn of(sender: Sender<C, D, R>, mut receiver: Receiver<P>) -> Self {
        receiver.report_clock(sender.wants_peer_clock());
        Net {
            sender,
            receiver,
            now: Time::ZERO,
            delay: Span::from_ms(50),
            rate: None,
            log: Vec::new(),
            record: true,
            fate: Box::new(|_, _, _| pass()),
            mtus: Vec::new(),
            tells: None,
            notices: BTreeMap::new(),
            counts: [0; 2],
            free_at: Time::ZERO,
            order: 0,
            wire: BTreeMap::new(),
            settled: Time::NEVER,
        }
    }

    /// Loses the first transmission of the data segments with these numbers (1 is the first).
    pub fn lose_first(mut self, numbers: &[u64]) -> Self {
        let mut numbers = numbers.to_vec();
        self.fate = Box::new(move |way, _, s| {
            let number = u64::from(s.seq.wrapping_sub(1)) / MSS + 1;
            match numbers.iter().position(|n| way == Way::Forward && s.ip_len > 40 && *n == number)
            {
                Some(i) => {
                    numbers.remove(i);
                    lose()
                }
                None => pass(),
            }
        });
        self
    }
    pub fn with_fate(mut self, fate: impl FnMut(Way, u64, &mut Segment) -> Fate + 'static) -> Self {
        self.fate = Box::new(fate);
        self
    }

    /// Opens, writes and closes.
    pub fn start(mut self, bytes: u64) -> Self {
        self.act(|s, now, out| s.open(now, out));
        self.act(|s, now, out| s.write(now, bytes, out));
        if bytes != u64::MAX {
            self.act(|s, now, out| s.close(now, out));
        }
        self
    }

    pub fn act(&mut self, f: impl FnOnce(&mut Sender<C, D, R>, Time, &mut Out)) {
        let mut out = Out::default();
        f(&mut self.sender, self.now, &mut out);
        let deadline = self.sender.deadline();
        let settled = self.sender.settled_deadline();
        assert!(settled.map_or(deadline >= self.settled, |settled| settled == deadline));
        self.settled = settled.unwrap_or(self.settled);
        self.put(Way::Forward, out);
    }
    pub fn answer(&mut self, f: impl FnOnce(&mut Receiver<P>, Time, &mut Out)) {
        let mut out = Out::default();
        f(&mut self.receiver, self.now, &mut out);
        self.put(Way::Back, out);
    }

    fn put(&mut self, way: Way, out: Out) {
        for (mut segment, extra) in out.0 {
            self.counts[way as usize] += 1;
            let mut copies = (self.fate)(way, self.counts[way as usize], &mut segment);
            let mtu = self.mtus.iter().rev().find(|m| m.0 <= self.now).map_or(u32::MAX, |m| m.1);
            if way == Way::Forward && u32::from(segment.ip_len) > mtu {
                copies.clear();
                if let Some((after, named)) = self.tells {
                    self.order += 1;
                    let notice =
                        PacketTooBig { mtu: if named { mtu } else { 0 }, seq: segment.seq };
                    self.notices.insert((self.now + after, self.order), notice);
                }
            }
            if self.record {
                self.log.push(Sent { at: self.now, way, segment, extra, lost: copies.is_empty() });
            }
            let mut leaves = self.now;
            if let (Way::Forward, Some(rate)) = (way, self.rate) {
                self.free_at = self.free_at.max(self.now) + rate.span_of(u64::from(segment.ip_len));
                leaves = self.free_at;
            }
            for later in copies {
                self.order += 1;
                self.wire.insert((leaves + self.delay + later, self.order), (way, segment, extra));
            }
        }
    }

    /// Runs until `until`, or until nothing more can happen.
    pub fn run(&mut self, until: Time) -> &mut Self {
        loop {
            let arrival = self.wire.keys().next().map_or(Time::NEVER, |k| k.0);
            let notice = self.notices.keys().next().map_or(Time::NEVER, |k| k.0);
            let next =
                arrival.min(self.sender.deadline()).min(self.receiver.deadline()).min(notice);
            if next > until || next == Time::NEVER {
                self.now = self.now.max(until.min(Time::from_ps(u64::MAX / 2)));
                return self;
            }
            assert!(next >= self.now, "a deadline in the past");
            self.now = next;
            if notice == next && self.sender.deadline() > next {
                let (_, notice) = self.notices.pop_first().unwrap();
                self.act(|s, now, out| s.on_packet_too_big(now, notice, out));
            } else if arrival == next {
                let (_, (way, segment, extra)) = self.wire.pop_first().unwrap();
                match way {
                    Way::Forward => {
                        self.answer(|r, now, out| r.on_segment(now, &segment, extra.as_ref(), out))
                    }
                    Way::Back => {
                        self.act(|s, now, out| s.on_segment(now, &segment, extra.as_ref(), out))
                    }
                }
            } else if self.receiver.deadline() == next {
                self.answer(|r, now, out| r.on_deadline(now, out));
            } else {
                self.act(|s, now, out| s.on_deadline(now, out));
            }
        }
    }

    /// Loses everything that is on its way.
    pub fn cut(&mut self) {
        self.wire.clear();
    }

    /// Data segments sent, as (milliseconds, number, whether again).
    pub fn data(&self) -> Vec<(u64, u64, bool)> {
        let data = self.log.iter().filter(|s| s.way == Way::Forward && s.segment.ip_len > 60);
        data.map(|s| (ms(s.at), s.number(), s.again())).collect()
    }
}

/// The data segments of a log sent at `at` milliseconds: `-3` is the third, sent again.
pub fn burst(data: &[(u64, u64, bool)], at: u64) -> Vec<i64> {
    data.iter()
        .filter(|d| d.0 == at)
        .map(|d| if d.2 { -(d.1 as i64) } else { d.1 as i64 })
        .collect()
}

pub fn ms(t: Time) -> u64 {
    t.ps() / 1_000_000_000
}
pub fn at_ms(t: u64) -> Time {
    Time::ZERO + Span::from_ms(t)
}
