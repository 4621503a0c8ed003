//! The endpoint under test, and the segments that it sent.
use crate::segment::{SegmentKind, SegmentPattern, SynOptions};
use crate::values::Value;
use crate::{Name, Script, Side};
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::packet::Ecn;
use dumbbell_core::probe::Gauges;
use dumbbell_core::transport::segment::{
    self, Extra, Outbox, PacketTooBig, Segment, Special, TS_UNIT_SHIFT, flag,
};
use dumbbell_core::transport::{CongestionControl, HostSignal, Phase};
use dumbbell_core::units::{Span, Time};
use dumbbell_tcp::{Receiver, Sender, TcpConfig};
use std::collections::VecDeque;

/// Deadlines that one step of time may have; more is an end that does not come to rest.
const MOST_DEADLINES: u32 = 1_000_000;
/// Bytes of options beside timestamps do not matter to what a script sees.
const TS_OPTION: u64 = 12;

enum End {
    Sender(Box<Sender<AnyCc>>),
    Receiver(Box<Receiver>),
}

/// A segment that was sent, and its time.
#[derive(Clone, Debug)]
pub struct SentSegment {
    pub at: Time,
    pub seg: SegmentPattern,
}

pub struct Endpoint {
    end: End,
    config: TcpConfig,
    pub now: Time,
    /// Segments that were sent and not yet expected by a line.
    pub left: VecDeque<SentSegment>,
    pub history: Vec<String>,
    out: Out,
    timestamps: bool,
    window: u64,
    /// `[from, to)` and the clock of every data segment, for the clock that an acknowledgment
    /// echoes.
    clocks: Vec<(u64, u64, u32)>,
}

#[derive(Default)]
struct Out(Vec<(Segment, Option<Extra>)>);

impl Outbox for Out {
    fn send(&mut self, segment: Segment, extra: Option<Extra>) {
        self.0.push((segment, extra));
    }
}

impl Endpoint {
    /// The end that `script` tests, opened. `None`: its congestion control cannot be built, which
    /// reading has ruled out.
    pub fn new(script: &Script) -> Option<Self> {
        let config = &script.config;
        let end = match script.side {
            Side::Sender => {
                let path = Sender::<AnyCc>::path(config);
                let cc = AnyCc::build(&script.cc.0, &script.cc.1, &path).ok()?;
                End::Sender(Box::new(Sender::new(config, |_| cc)))
            }
            Side::Receiver => End::Receiver(Box::new(Receiver::new(config))),
        };
        let mut endpoint = Endpoint {
            end,
            config: config.clone(),
            now: Time::ZERO,
            left: VecDeque::new(),
            history: vec![],
            out: Out::default(),
            timestamps: config.timestamps,
            window: config.window_bytes(),
            clocks: vec![],
        };
        if let End::Sender(s) = &mut endpoint.end {
            s.open(Time::ZERO, &mut endpoint.out);
        }
        endpoint.collect();
        Some(endpoint)
    }

    fn deadline(&self) -> Time {
        match &self.end {
            End::Sender(s) => s.deadline(),
            End::Receiver(r) => r.deadline(),
        }
    }

    /// Lets time pass until `to`, and what is due then happen. False if the end does not come to
    /// rest.
    pub fn advance(&mut self, to: Time) -> bool {
        for _ in 0..MOST_DEADLINES {
            let due = self.deadline();
            if due > to {
                self.now = self.now.max(to);
                return true;
            }
            self.now = self.now.max(due);
            match &mut self.end {
                End::Sender(s) => s.on_deadline(self.now, &mut self.out),
                End::Receiver(r) => r.on_deadline(self.now, &mut self.out),
            }
            self.collect();
        }
        false
    }

    /// Lets time pass until something that no line has expected has left, at the latest until `to`.
    pub fn advance_to_next(&mut self, to: Time) -> bool {
        while self.left.is_empty() && self.deadline() <= to {
            if !self.advance(self.deadline()) {
                return false;
            }
        }
        true
    }

    pub fn write(&mut self, bytes: u64) {
        self.note(format!(
            "write {}",
            if bytes == u64::MAX { "forever".into() } else { bytes.to_string() }
        ));
        if let End::Sender(s) = &mut self.end {
            s.write(self.now, bytes, &mut self.out);
        }
        self.collect();
    }

    pub fn close(&mut self) {
        self.note("close".into());
        if let End::Sender(s) = &mut self.end {
            s.close(self.now, &mut self.out);
        }
        self.collect();
    }

    pub fn offer(&mut self, bytes: u64) {
        self.note(format!("offer {bytes}"));
        if let End::Receiver(r) = &mut self.end {
            r.offer(self.now, bytes, &mut self.out);
        }
        self.collect();
    }

    pub fn say(&mut self, word: HostSignal) {
        self.note(format!(
            "say {}",
            if word == HostSignal::PathDown { "path_down" } else { "path_up" }
        ));
        match &mut self.end {
            End::Sender(s) => s.local(self.now, word, &mut self.out),
            End::Receiver(r) => r.local(self.now, word, &mut self.out),
        }
        self.collect();
    }

    /// A router reports a packet that was too large for it.
    pub fn notify(&mut self, notice: PacketTooBig) {
        self.note(format!("< icmp frag_needed mtu {} seq {}", notice.mtu, notice.seq));
        if let End::Sender(s) = &mut self.end {
            s.on_packet_too_big(self.now, notice, &mut self.out);
        }
        self.collect();
    }

    /// A segment arrives.
    pub fn inject(&mut self, seg: &SegmentPattern) {
        self.note(format!("< {seg}"));
        let (segment, extra) = self.build(seg);
        match &mut self.end {
            End::Sender(s) => s.on_segment(self.now, &segment, extra.as_ref(), &mut self.out),
            End::Receiver(r) => r.on_segment(self.now, &segment, extra.as_ref(), &mut self.out),
        }
        self.collect();
    }

    /// The wire's form of a segment of the script.
    fn build(&mut self, seg: &SegmentPattern) -> (Segment, Option<Extra>) {
        let syn = matches!(seg.what, SegmentKind::Syn | SegmentKind::SynAck);
        let (seq, bytes, flags) = match seg.what {
            SegmentKind::Data(from, to) => (from, to - from, 0),
            SegmentKind::Fin => (1, 0, 0),
            SegmentKind::Ack(next) => (next, 0, flag::ACK),
            SegmentKind::Syn => (0, 0, flag::SYN),
            SegmentKind::SynAck => (1, 0, flag::SYN | flag::ACK),
        };
        let options = if syn { self.syn_options(&seg.syn) } else { Extra::default() };
        let clock =
            seg.ts.map_or_else(|| self.clock_for(seg), |t| (t.ps() >> TS_UNIT_SHIFT) as u32);
        let segment = Segment {
            seq: seq as u32,
            ts: if self.timestamps { clock } else { 0 },
            ip_len: (self.overhead() + bytes) as u16,
            flags: flags | seg.flags,
            ecn: seg.ecn.unwrap_or(Ecn::NotEct),
        };
        self.window = seg.window.unwrap_or(self.window);
        if !syn && seg.sack.is_empty() && seg.window.is_none() {
            return (segment, None);
        }
        let mut extra = Extra { window: self.window.min(u64::from(u32::MAX)) as u32, ..options };
        extra.ts_val = segment::timestamp(self.now);
        extra.blocks = seg.sack.len() as u8;
        for (slot, (from, to)) in extra.sack.iter_mut().zip(&seg.sack) {
            *slot = (*from as u32, *to as u32);
        }
        (segment, Some(extra))
    }

    /// The options of a SYN from the other end: the script's, else what this end can do.
    fn syn_options(&mut self, said: &SynOptions) -> Extra {
        let c = &self.config;
        self.timestamps &= said.timestamps.unwrap_or(true);
        let scale = if c.window_scaling { 7 } else { 255 };
        let mss = if matches!(self.end, End::Sender(_)) { c.answered_mss() } else { c.own_mss() };
        let options = segment::SynOptions {
            mss: said.mss.unwrap_or(mss) as u16,
            window_scale: said.wscale.unwrap_or(scale),
            sack_permitted: said.sack.unwrap_or(c.sack),
            timestamps: said.timestamps.unwrap_or(c.timestamps),
        };
        Extra { special: Special::Syn(options), ..Extra::default() }
    }

    /// The clock on a segment that the script does not give one: now on data, and on an
    /// acknowledgment that of the segment that ends there, else of the latest.
    fn clock_for(&self, seg: &SegmentPattern) -> u32 {
        let echoed = match seg.what {
            SegmentKind::Ack(next) => {
                self.clocks.iter().rev().find(|c| c.1 == next).or(self.clocks.last())
            }
            SegmentKind::SynAck => self.clocks.last(),
            _ => None,
        };
        echoed.map_or(segment::timestamp(self.now), |c| c.2)
    }

    fn overhead(&self) -> u64 {
        self.config.header.0 + if self.timestamps { TS_OPTION } else { 0 }
    }

    fn collect(&mut self) {
        for (segment, extra) in std::mem::take(&mut self.out.0) {
            let seg = SegmentPattern::sent(&segment, extra.as_ref(), self.overhead());
            if let SegmentKind::Data(from, to) = seg.what {
                self.clocks.push((from, to, segment.ts));
            }
            if seg.what == SegmentKind::Syn {
                self.clocks.push((0, 1, segment.ts));
            }
            self.note(format!(
                "> {}",
                SegmentPattern { ecn: None, window: None, ts: None, ..seg.clone() }
            ));
            self.left.push_back(SentSegment { at: self.now, seg });
        }
    }

    fn note(&mut self, event: String) {
        self.history.push(format!("{:.6} {event}", self.now.seconds()));
    }

    /// The state by name; `None`: there is no such gauge now.
    pub fn value(&self, name: &Name) -> Option<Value> {
        match (name, &self.end) {
            (Name::Own(name), End::Sender(s)) => of_sender(s, name),
            (Name::Own(name), End::Receiver(r)) => of_receiver(r, name),
            (Name::Gauge(name), End::Sender(s)) => {
                let mut gauges = Gauges::default();
                s.cc().probe(&mut gauges);
                gauges.get(name).map(Value::Gauge)
            }
            (Name::Gauge(_), End::Receiver(_)) => None,
        }
    }

    /// The gauges that there are.
    pub fn gauges(&self) -> Vec<&'static str> {
        let mut gauges = Gauges::default();
        if let End::Sender(s) = &self.end {
            s.cc().probe(&mut gauges);
        }
        gauges.0.into_iter().map(|g| g.0).collect()
    }

    /// The payload of a full segment, bytes.
    pub fn mss(&self) -> u64 {
        self.config.segment_bytes()
    }

    /// The time of the next event of its own.
    pub fn next(&self) -> Option<Span> {
        let due = self.deadline();
        (due != Time::NEVER).then(|| due.since(Time::ZERO))
    }
}

fn of_sender(s: &Sender<AnyCc>, name: &str) -> Option<Value> {
    let (v, n, path) = (s.view(), s.stats(), s.path_stats());
    let count = |n: u32| Value::Count(u64::from(n));
    let span = |s: Option<Span>| s.map_or(Value::Token("none"), Value::Span);
    Some(match name {
        "cwnd" => Value::Bytes(v.cwnd),
        "ssthresh" => v.ssthresh.map_or(Value::Token("none"), Value::Bytes),
        "in_flight" => Value::Bytes(v.in_flight),
        "una" => Value::Bytes(v.una),
        "nxt" => Value::Bytes(v.nxt),
        "srtt" => span(v.srtt),
        "rttvar" => Value::Span(v.rttvar),
        "rto" => Value::Span(v.rto),
        "phase" => Value::Token(match v.phase {
            Phase::Open => "open",
            Phase::Recovery => "recovery",
            Phase::Loss => "loss",
        }),
        "deadline" => Value::instant(s.deadline()),
        "finished" => Value::flag(s.finished()),
        "retransmits" => Value::Count(n.retransmits),
        "rtos" => Value::Count(n.rtos),
        "recoveries" => Value::Count(n.recoveries),
        "ecn_reductions" => Value::Count(n.ecn_reductions),
        "spurious_retransmits" => Value::Count(n.spurious_retransmits),
        "probes" => Value::Count(n.probes),
        "tail_probes" => Value::Count(n.tail_probes),
        "tail_losses" => Value::Count(n.tail_losses),
        "spurious_timeouts" => Value::Count(n.spurious_timeouts),
        "spurious_recoveries" => Value::Count(n.spurious_recoveries),
        "path_mtu" => Value::Bytes(u64::from(s.path_mtu())),
        "mtu_changes" => count(path.mtu_changes),
        "mtu_probes" => count(path.mtu_probes),
        "mtu_probes_lost" => count(path.mtu_probes_lost),
        "black_holes" => count(path.black_holes),
        "notices" => count(path.notices),
        "notices_ignored" => count(path.notices_ignored),
        "sent_packets" => Value::Count(n.sent_packets),
        "sent_bytes" => Value::Bytes(n.sent_bytes),
        _ => return None,
    })
}

fn of_receiver(r: &Receiver, name: &str) -> Option<Value> {
    let n = r.stats();
    Some(match name {
        "deadline" => Value::instant(r.deadline()),
        "finished" => Value::flag(r.finished()),
        "delivered_bytes" => Value::Bytes(n.delivered_bytes),
        "received_packets" => Value::Count(n.received_packets),
        "received_bytes" => Value::Bytes(n.received_bytes),
        "duplicates" => Value::Count(n.duplicates),
        "ce_packets" => Value::Count(n.ce_packets),
        "acks_sent" => Value::Count(n.acks_sent),
        _ => return None,
    })
}
