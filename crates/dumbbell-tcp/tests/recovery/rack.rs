//! RACK against the text: RFC 8985 section 6, transcribed line by line over a plain list, decides
//! like the detector with its queues, whatever happens.
use dumbbell_core::transport::segment::TS_UNIT_SHIFT;
use dumbbell_core::transport::{Detect, Evidence, Finding, Phase, Scoreboard, Sent};
use dumbbell_core::units::{Span, Time};
use dumbbell_tcp::{Rack, TcpConfig};
use proptest::prelude::*;

const MSS: u64 = 1000;

#[derive(Clone, Debug)]
struct Segment {
    from: u64,
    to: u64,
    /// `None`: INFINITE_TS.
    xmit_ts: Option<Time>,
    /// The time at which it last left, to match its acknowledgment.
    left: Time,
    retransmitted: bool,
    lost: bool,
    sacked: bool,
}

/// The RFC's variables (section 5.3) and procedures.
#[derive(Default)]
struct Text {
    list: Vec<Segment>,
    xmit_ts: Time,
    end_seq: u64,
    rtt: Span,
    min_rtt: Option<Span>,
    srtt: Option<Span>,
    fack: u64,
    reordering_seen: bool,
    dsack_round: Option<u64>,
    reo_wnd_mult: u64,
    reo_wnd_persist: i64,
    timer: Option<Time>,
}

fn sent_after(t1: Time, seq1: u64, t2: Time, seq2: u64) -> bool {
    t1 > t2 || (t1 == t2 && seq1 > seq2)
}

impl Text {
    fn send(&mut self, from: u64, to: u64, now: Time) {
        let xmit_ts = Some(now);
        self.list.push(Segment {
            from,
            to,
            xmit_ts,
            left: now,
            retransmitted: false,
            lost: false,
            sacked: false,
        });
    }
    fn resend(&mut self, from: u64, now: Time) {
        let s = self.list.iter_mut().find(|s| s.from == from).unwrap();
        (s.xmit_ts, s.left, s.retransmitted, s.lost) = (Some(now), now, true, false);
    }

    /// Section 6.2, steps 1 to 5.
    fn ack(
        &mut self,
        now: Time,
        una: u64,
        sacks: &[(u64, u64)],
        echo: Option<Time>,
        recovering: bool,
        exiting: bool,
    ) {
        let covered =
            |s: &Segment| s.to <= una || sacks.iter().any(|b| b.0 <= s.from && s.to <= b.1);
        let news: Vec<Segment> =
            self.list.iter().filter(|s| !s.sacked && covered(s)).cloned().collect();
        for s in self.list.iter_mut().filter(|s| covered(s)) {
            s.sacked = true;
        }
        self.list.retain(|s| s.to > una);
        for s in &news {
            // Steps 1 and 2. A segment that was found lost keeps its real time here: the RFC's
            // INFINITE_TS would make the round trip of a late original negative.
            let rtt = now.since(s.left);
            if !s.retransmitted {
                self.min_rtt = Some(self.min_rtt.map_or(rtt, |m| m.min(rtt)));
            }
            let early =
                echo.is_some_and(|e| e.ps() >> TS_UNIT_SHIFT < s.left.ps() >> TS_UNIT_SHIFT);
            let skip = s.retransmitted && (early || self.min_rtt.is_some_and(|m| rtt < m));
            if !skip {
                self.rtt = rtt;
                if sent_after(s.left, s.to, self.xmit_ts, self.end_seq) {
                    (self.xmit_ts, self.end_seq) = (s.left, s.to);
                }
            }
            // Step 3.
            if s.to > self.fack {
                self.fack = s.to;
            } else if s.to < self.fack && !s.retransmitted {
                self.reordering_seen = true;
            }
        }
        if exiting {
            self.reo_wnd_persist -= 1;
            if self.reo_wnd_persist <= 0 {
                self.reo_wnd_mult = 1;
            }
        }
        self.detect(now, recovering);
    }

    fn dsack(&mut self, una: u64, nxt: u64) {
        if self.dsack_round.is_some_and(|r| una >= r) {
            self.dsack_round = None;
        }
        if self.dsack_round.is_none() {
            self.dsack_round = Some(nxt);
            self.reo_wnd_mult += 1;
            self.reo_wnd_persist = 16;
        }
    }

    fn reo_wnd(&self, recovering: bool) -> Span {
        if !self.reordering_seen
            && (recovering || self.list.iter().filter(|s| s.sacked).count() >= 3)
        {
            return Span::ZERO;
        }
        let quarter = Span::from_ps(self.min_rtt.unwrap_or_default().ps() / 4);
        (quarter * self.reo_wnd_mult).min(self.srtt.unwrap())
    }

    /// RACK_detect_loss_and_arm_timer.
    fn detect(&mut self, now: Time, recovering: bool) {
        self.arm(now, self.reo_wnd(recovering));
    }
    fn arm(&mut self, now: Time, wnd: Span) {
        let mut timer = None;
        for s in self.list.iter_mut().filter(|s| !s.sacked) {
            let Some(ts) = s.xmit_ts.filter(|ts| sent_after(self.xmit_ts, self.end_seq, *ts, s.to))
            else {
                continue;
            };
            let at = ts + self.rtt + wnd;
            if at <= now {
                (s.lost, s.xmit_ts) = (true, None);
            } else {
                timer = timer.max(Some(at));
            }
        }
        self.timer = timer;
    }

    /// Section 6.3.
    fn rto(&mut self, now: Time, una: u64, recovering: bool) {
        let wnd = self.reo_wnd(recovering);
        for s in self.list.iter_mut().filter(|s| !s.sacked) {
            if s.xmit_ts.is_some_and(|ts| s.from == una || ts + self.rtt + wnd <= now) {
                (s.lost, s.xmit_ts) = (true, None);
            }
        }
        self.arm(now, wnd);
    }

    fn next_lost(&self) -> Option<(u64, u64)> {
        self.list.iter().find(|s| s.lost && !s.sacked).map(|s| (s.from, s.to))
    }
    fn pipe(&self) -> u64 {
        self.list.iter().filter(|s| !s.lost && !s.sacked).map(|s| s.to - s.from).sum()
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Send(u64),
    /// Acknowledge this many segments, and selectively those whose bits are set; with an echo of
    /// some earlier time.
    Ack {
        segments: u64,
        bits: u32,
        echo: Option<u64>,
    },
    Resend,
    Timer,
    Report,
    /// True if the receiver turns out to have dropped what it reported (RFC 2018 section 8).
    Timeout(bool),
}

fn events() -> impl Strategy<Value = Vec<(u64, Event)>> {
    let ack = (0u64..4, any::<u32>(), any::<u32>(), prop::option::of(0u64..200))
        .prop_map(|(segments, a, b, echo)| Event::Ack { segments, bits: a & b, echo });
    let event = prop_oneof![
        6 => (1u64..6).prop_map(Event::Send),
        8 => ack,
        4 => Just(Event::Resend),
        3 => Just(Event::Timer),
        1 => Just(Event::Report),
        1 => any::<bool>().prop_map(Event::Timeout),
    ];
    prop::collection::vec((0u64..60, event), 1..120)
}

/// Both, and the part of a sender that they need.
struct Pair {
    rack: Rack,
    text: Text,
    board: Scoreboard,
    now: Time,
    una: u64,
    nxt: u64,
    recover: u64,
    phase: Phase,
}

impl Pair {
    fn new() -> Self {
        let config = TcpConfig { clock: Span::ZERO, ..TcpConfig::rfc() };
        let srtt = Some(Span::from_ms(90));
        Pair {
            rack: Rack::new(&config),
            text: Text { reo_wnd_mult: 1, reo_wnd_persist: 16, srtt, ..Text::default() },
            board: Scoreboard::default(),
            now: Time::ZERO + Span::from_ms(1),
            una: 1,
            nxt: 1,
            recover: 1,
            phase: Phase::Open,
        }
    }

    fn send(&mut self, segments: u64) {
        for _ in 0..segments {
            let to = self.nxt + MSS;
            self.rack.on_sent(&Sent::new(self.now, self.nxt, MSS, false, 0));
            self.text.send(self.nxt, to, self.now);
            self.nxt = to;
        }
    }

    fn ack(&mut self, segments: u64, bits: u32, echo: Option<u64>) {
        let una = (self.una + segments * MSS).min(self.nxt);
        let echo = echo.map(|back| Time::from_ps(self.now.ps().saturating_sub(back << 30)));
        let sacks: Vec<(u64, u64)> = (0..32)
            .filter(|i| bits >> i & 1 == 1)
            .map(|i| (una + (i + 1) * MSS, una + (i + 2) * MSS))
            .filter(|b| b.1 <= self.nxt)
            .collect();
        let mut fresh = Vec::new();
        for (from, to) in &sacks {
            self.board.missing(*from, *to, &mut fresh);
            self.board.insert(*from, *to);
        }
        fresh.iter().for_each(|f| self.rack.on_sacked(self.now, f.0, f.1));
        self.board.advance(una);
        self.una = una;
        let exiting = self.phase != Phase::Open && una >= self.recover;
        let recovering = self.phase != Phase::Open && !exiting;
        let mut e = Evidence::default();
        (e.now, e.una, e.high, e.phase) = (self.now, una, self.nxt, self.phase);
        (e.srtt, e.recover, e.echo) = (self.text.srtt, self.recover, echo);
        let finding = self.rack.on_ack(&e, &self.board);
        self.text.ack(self.now, una, &sacks, echo, recovering, exiting);
        if exiting {
            self.phase = Phase::Open;
        }
        self.conclude(finding);
    }

    fn conclude(&mut self, finding: Finding) {
        if finding == Finding::Loss && self.phase == Phase::Open {
            (self.phase, self.recover) = (Phase::Recovery, self.nxt);
        }
    }

    fn act(&mut self, event: Event) {
        match event {
            Event::Send(segments) => self.send(segments),
            Event::Ack { segments, bits, echo } => self.ack(segments, bits, echo),
            Event::Resend => {
                let Some((from, to)) = self.rack.next_lost(&self.board, self.una) else { return };
                self.rack.on_sent(&Sent::new(self.now, from, to - from, true, 0));
                self.text.resend(from, self.now);
            }
            Event::Timer => {
                if self.rack.deadline() == Time::NEVER {
                    return;
                }
                self.now = self.now.max(self.rack.deadline());
                let finding = self.rack.on_deadline(self.now, &self.board);
                self.text.detect(self.now, self.phase != Phase::Open);
                self.conclude(finding);
            }
            Event::Report => {
                self.rack.on_duplicate_report(self.una, self.nxt);
                self.text.dsack(self.una, self.nxt);
            }
            Event::Timeout(forgets) => {
                if self.una == self.nxt {
                    return;
                }
                if forgets {
                    self.board.clear();
                    for s in self.text.list.iter_mut().filter(|s| s.sacked) {
                        (s.sacked, s.lost, s.xmit_ts) = (false, false, Some(s.left));
                    }
                }
                self.rack.on_timeout(self.now, self.una, &self.board);
                self.text.rto(self.now, self.una, self.phase != Phase::Open);
                (self.phase, self.recover) = (Phase::Loss, self.nxt);
            }
        }
    }
}

proptest! {
    #![proptest_config(
        ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() }
    )]
    #[test]
    fn the_queues_decide_as_the_text_does(events in events()) {
        let mut pair = Pair::new();
        for (wait, event) in events {
            // Multiples of a timestamp unit, so that echoes are exact; often none, for ties.
            pair.now += Span::from_ps(wait.saturating_sub(20) << 30);
            pair.act(event);
            let (rack, text, board) = (&pair.rack, &pair.text, &pair.board);
            prop_assert_eq!(rack.next_lost(board, pair.una), text.next_lost(), "{:?}", event);
            prop_assert_eq!(rack.pipe(board, pair.una, pair.nxt, 0), text.pipe(), "{:?}", event);
            prop_assert_eq!(rack.deadline(), text.timer.unwrap_or(Time::NEVER), "{:?}", event);
        }
    }
}
