//! RACK: what was sent long enough before something that arrived is lost (RFC 8985 section 6).
mod order;
use super::segments::{Key, Segment, Segments, State};
use super::train::Train;
use crate::config::TcpConfig;
use crate::detect::DupAcks;
use crate::rtt::Clock;
use dumbbell_core::transport::segment::TS_UNIT_SHIFT;
use dumbbell_core::transport::{Detect, Evidence, Finding, Phase, Scoreboard, Sent};
use dumbbell_core::units::{Span, Time};
use std::collections::VecDeque;

/// Recoveries without a duplicate report after which the reordering window shrinks again (section
/// 6.2 step 4).
const PERSISTENCE: u32 = 16;

/// Recent acknowledgment: per-segment times, a reordering window, a timer.
///
/// Segments wait in two queues by time of transmission: those sent after the latest one that is
/// known to have arrived, and the suspects sent before it. Each enters and leaves each queue once,
/// so that an acknowledgment costs what it newly acknowledges.
///
/// As long as segments of one size leave in order and are acknowledged in order, they are a
/// [`Train`], and the list and the queues are empty. Whatever else happens parts the train, and
/// segments form one again when everything that was on its way then has been acknowledged.
#[derive(Clone, Debug)]
pub struct Rack {
    /// False: the segments are in the list and the queues.
    in_train: bool,
    train: Train,
    /// What is sent before this offset is no train.
    orderly_from: u64,
    segments: Segments,
    flying: VecDeque<Key>,
    suspects: VecDeque<Key>,
    /// RACK.xmit_ts and RACK.end_seq: the latest-sent segment that arrived.
    latest: Key,
    /// The latest-sent one among those that were sent once, so that there is no doubt.
    sure: Key,
    /// RACK.rtt.
    rtt: Span,
    min_rtt: Option<Span>,
    /// The connection's least round-trip time, that of the handshake included, where no echo tells
    /// which transmission an acknowledgment answers.
    least: Span,
    srtt: Option<Span>,
    /// RACK.fack: the highest end that arrived.
    fack: u64,
    reordering_seen: bool,
    /// RACK.dsack_round: no second growth of the window before SND.UNA reaches it.
    dsack_round: Option<u64>,
    multiplier: u32,
    persist: u32,
    recovering: bool,
    deadline: Time,
    /// Newly selectively acknowledged by the acknowledgment at hand.
    news: Vec<Segment>,
    losses: u64,
    lost_again: u64,
    threshold: u32,
    limited_transmit: bool,
    mss: u64,
    clock: Clock,
    /// True if a retransmission counts as delivered only if its timestamp, or a later one, is
    /// echoed.
    by_echo: bool,
}

impl Rack {
    /// The detector of `config`.
    pub fn new(config: &TcpConfig) -> Self {
        Rack {
            in_train: true,
            train: Train::default(),
            orderly_from: 0,
            segments: Segments::default(),
            flying: VecDeque::new(),
            suspects: VecDeque::new(),
            latest: (Time::ZERO, 0),
            sure: (Time::ZERO, 0),
            rtt: Span::ZERO,
            min_rtt: None,
            least: Span::MAX,
            srtt: None,
            fack: 0,
            reordering_seen: false,
            dsack_round: None,
            multiplier: 1,
            persist: 0,
            recovering: false,
            deadline: Time::NEVER,
            news: Vec::new(),
            losses: 0,
            lost_again: 0,
            threshold: config.dupack_threshold,
            limited_transmit: config.limited_transmit,
            mss: config.segment_bytes(),
            clock: Clock(config.clock),
            by_echo: config.rack_by_echo,
        }
    }

    /// The detector that is used without SACK.
    pub(super) fn without_sack(&self) -> DupAcks {
        DupAcks::new(self.threshold, self.limited_transmit, self.mss)
    }

    /// Step 2: RACK.rtt and RACK.segment. Step 3: reordering.
    #[inline]
    fn delivered(&mut self, s: &Segment, now: Time, echo: Option<Time>) {
        let rtt = now.since(s.sent);
        if !s.again {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |m| m.min(rtt)));
            self.sure = self.sure.max(s.key());
            self.reordering_seen |= s.to < self.fack;
        }
        self.fack = self.fack.max(s.to);
        // A short probe may take less than any data, but not than the handshake.
        if s.again
            && (self.answers_earlier(s.sent, echo)
                || self.min_rtt.is_some_and(|m| rtt < m.min(self.least)))
        {
            return;
        }
        self.rtt = rtt;
        self.latest = self.latest.max(s.key());
    }

    /// True if a timestamp shows that the acknowledgment answers an earlier transmission than the
    /// one at `sent`.
    fn answers_earlier(&self, sent: Time, echo: Option<Time>) -> bool {
        self.by_echo
            && echo.is_some_and(|echo| {
                echo.ps() >> TS_UNIT_SHIFT < self.clock.tick(sent).ps() >> TS_UNIT_SHIFT
            })
    }

    /// Step 4: RACK.reo_wnd. `exiting`: this acknowledgment ends a recovery.
    fn reordering_window(&mut self, exiting: bool) -> Span {
        if exiting {
            self.persist = self.persist.saturating_sub(1);
            if self.persist == 0 {
                self.multiplier = 1;
            }
        }
        if !self.reordering_seen && (self.recovering || self.segments.sacked() >= self.threshold) {
            return Span::ZERO;
        }
        let quarter = Span::from_ps(self.min_rtt.unwrap_or_default().ps() / 4);
        (quarter * u64::from(self.multiplier)).min(self.srtt.unwrap_or(Span::from_ps(u64::MAX)))
    }

    /// Step 5: what is lost now, and when to look again.
    fn detect(&mut self, now: Time, window: Span) {
        while let Some(key) = self.suspects.front().copied() {
            if self.segments.flies(key) {
                if key.0 + self.rtt + window > now {
                    break;
                }
                self.lose(key);
            }
            self.suspects.pop_front();
        }
        while self.suspects.back().is_some_and(|key| !self.segments.flies(*key)) {
            self.suspects.pop_back();
        }
        self.deadline = self.suspects.back().map_or(Time::NEVER, |key| key.0 + self.rtt + window);
    }

    fn lose(&mut self, key: Key) {
        if let Some(again) = self.segments.lose(key) {
            self.losses += 1;
            self.lost_again += u64::from(again);
        }
    }

    /// Moves what was sent before the latest arrival to the suspects.
    #[inline]
    fn sort_out(&mut self, una: u64) {
        while let Some(key) =
            self.flying.front().copied().filter(|key| *key < self.latest || key.1 <= una)
        {
            self.flying.pop_front();
            if key.1 > una && self.segments.flies(key) {
                enqueue(&mut self.suspects, key);
            }
        }
    }

    /// Queues what got another time or another end.
    fn requeue(&mut self) {
        while let Some(key) = self.segments.rekeyed.pop() {
            enqueue(if key < self.latest { &mut self.suspects } else { &mut self.flying }, key);
        }
    }

    fn finding(&mut self, board: &Scoreboard) -> Finding {
        if self.segments.first_lost().is_some() {
            // The reordering that was open until now counts as a recovery from here on.
            self.recovering = true;
            Finding::Loss
        } else if self.limited_transmit {
            // Each byte that has left the network may be replaced while time decides (RFC 8985
            // section 3.3.2 keeps the ACK clock running; RFC 3042 stops at two segments, which is
            // too few for reordering by more).
            Finding::Suspicion(board.bytes())
        } else {
            Finding::Nothing
        }
    }
}

/// Adds a key in its place, which is nearly always the last.
#[inline]
fn enqueue(queue: &mut VecDeque<Key>, key: Key) {
    if queue.back().is_none_or(|last| *last <= key) {
        queue.push_back(key);
    } else {
        queue.insert(queue.partition_point(|k| *k <= key), key);
    }
}

impl Detect for Rack {
    #[inline]
    fn on_sent(&mut self, sent: &Sent) {
        if self.on_sent_new(sent.now, sent.seq, sent.end) {
            return;
        }
        if self.in_train {
            self.part_train();
        }
        if self.segments.push(sent.seq, sent.end, sent.now) {
            enqueue(&mut self.flying, (sent.now, sent.end));
        } else {
            self.segments.repeat(sent.seq, sent.end, sent.now);
            self.requeue();
            self.disorder();
        }
    }

    #[inline(always)]
    fn on_sent_new(&mut self, now: Time, from: u64, to: u64) -> bool {
        self.in_train && (now, to) >= self.latest && self.train.push(from, to, now)
    }

    fn by_segment(&self) -> bool {
        true
    }

    fn on_sacked(&mut self, _now: Time, from: u64, to: u64) {
        self.part();
        self.segments.sack(from, to, &mut self.news);
        self.requeue();
        self.disorder();
    }

    #[inline]
    fn answered(&self, una: u64) -> Option<(Time, Time)> {
        if self.in_train { self.train.sent_below(una) } else { self.answered_singly(una) }
    }

    /// Section 6.2 step 4: the window grows once for each round trip with a duplicate report.
    fn on_duplicate_report(&mut self, una: u64, nxt: u64) {
        if self.dsack_round.is_none_or(|round| una >= round) {
            self.dsack_round = Some(nxt);
            self.multiplier += 1;
            self.persist = PERSISTENCE;
        }
    }

    fn repairs(&self) -> bool {
        let repaired =
            |s: &Segment| s.state == State::Lost || (s.again && s.state == State::Flying);
        !self.in_train && self.segments.iter().any(repaired)
    }

    fn on_ack(&mut self, e: &Evidence, board: &Scoreboard) -> Finding {
        self.part();
        self.srtt = e.srtt;
        if !self.by_echo {
            self.least = e.min_rtt.unwrap_or(Span::MAX);
        }
        while let Some(s) = self.segments.pop_below(e.una) {
            if s.state != State::Sacked {
                self.delivered(&s, e.now, e.echo);
            }
        }
        if !self.segments.rekeyed.is_empty() {
            self.requeue();
        }
        if !self.news.is_empty() {
            let mut news = std::mem::take(&mut self.news);
            news.sort_unstable_by_key(|s| s.to);
            for s in news.drain(..) {
                self.delivered(&s, e.now, e.echo);
            }
            self.news = news;
        }
        let exiting = e.phase != Phase::Open && e.una >= e.recover;
        self.recovering = e.phase != Phase::Open && !exiting;
        self.sort_out(e.una);
        if self.suspects.is_empty() && !exiting {
            self.deadline = Time::NEVER;
        } else {
            let window = self.reordering_window(exiting);
            self.detect(e.now, window);
        }
        self.finding(board)
    }

    #[inline(always)]
    fn on_expected(&mut self, now: Time, una: u64, srtt: Option<Span>, echo: Option<Time>) -> bool {
        if self.in_train {
            self.srtt = srtt;
            if let Some(taken) = self.train.take(una) {
                self.delivered_in_order(taken, now);
            }
            (self.recovering, self.deadline) = (false, Time::NEVER);
            if self.train.starts_at(una) {
                return true;
            }
            self.part_train();
            return false;
        }
        if !self.suspects.is_empty() || !self.segments.is_calm() {
            return false;
        }
        self.srtt = srtt;
        while let Some(s) = self.segments.pop_whole(una) {
            self.delivered(&s, now, echo);
        }
        self.recovering = false;
        while self.flying.front().is_some_and(|key| key.1 <= una) {
            self.flying.pop_front();
        }
        if self.flying.front().is_some_and(|key| *key < self.latest) {
            self.sort_out(una);
        }
        self.deadline = Time::NEVER;
        let calm = self.suspects.is_empty() && self.segments.starts_at(una);
        if calm && una >= self.orderly_from {
            self.form_train();
        }
        calm
    }

    #[inline]
    fn deadline(&self) -> Time {
        self.deadline
    }

    fn on_deadline(&mut self, now: Time, board: &Scoreboard) -> Finding {
        self.part();
        let window = self.reordering_window(false);
        self.detect(now, window);
        self.finding(board)
    }

    /// Section 6.3: the first segment, and what the reordering window allows to be called lost.
    fn on_timeout(&mut self, now: Time, una: u64, board: &Scoreboard) {
        self.part();
        if board.is_empty() && self.segments.sacked() > 0 {
            self.segments.unsack();
            self.requeue();
        }
        let window = self.reordering_window(false);
        let limit = self.rtt + window;
        let lost =
            |s: &&Segment| s.state == State::Flying && (s.from == una || s.sent + limit <= now);
        let keys: Vec<Key> = self.segments.iter().filter(lost).map(Segment::key).collect();
        keys.into_iter().for_each(|key| self.lose(key));
        self.recovering = true;
        self.detect(now, window);
    }

    /// Beyond the RFC: whatever the clock says.
    fn on_cut(&mut self, _: Time, _: u64, _: &Scoreboard) {
        self.part();
        let keys: Vec<Key> =
            self.segments.iter().filter(|s| s.state == State::Flying).map(Segment::key).collect();
        keys.into_iter().for_each(|key| self.lose(key));
        self.recovering = true;
        self.suspects.clear();
        self.deadline = Time::NEVER;
    }

    fn on_mss(&mut self, mss: u64) {
        self.mss = mss;
    }
    fn withdraw(&mut self, mss: u64) {
        self.part();
        let larger = |s: &&Segment| s.state == State::Flying && s.to - s.from > mss;
        let keys: Vec<Key> = self.segments.iter().filter(larger).map(Segment::key).collect();
        for key in keys {
            self.segments.lose(key);
        }
    }

    /// Beyond the RFC, which knows no undo: what a repetition seemed to tell is forgotten, because
    /// its original came; and a needless recovery is reordering seen, though step 3 counts only
    /// segments that were not sent again.
    fn forgive(&mut self, reordered: bool) {
        self.part();
        self.reordering_seen |= reordered;
        self.recovering = false;
        self.latest = self.sure;
        while let Some(key) = self.suspects.pop_back() {
            enqueue(&mut self.flying, key);
        }
        self.segments.forgive();
        self.requeue();
        self.deadline = Time::NEVER;
    }

    fn last_segment(&self) -> Option<(u64, u64)> {
        self.train.last().or(self.segments.last().map(|s| (s.from, s.to)))
    }
    fn losses(&self, _: &Scoreboard) -> u64 {
        self.losses
    }
    fn lost_again(&self) -> u64 {
        self.lost_again
    }

    /// The first segment that waits for repair is where the sequence below is believed to have
    /// arrived.
    fn lost_below(&self, board: &Scoreboard) -> u64 {
        self.segments.first_lost().map_or(0, |lost| lost.1).min(board.highest().unwrap_or(u64::MAX))
    }
    fn next_lost(&self, _: &Scoreboard, _: u64) -> Option<(u64, u64)> {
        self.segments.first_lost()
    }
    fn lost_ranges(&self, _: &Scoreboard, _: u64, out: &mut Vec<(u64, u64)>) {
        out.extend(self.segments.lost());
        out.sort_unstable();
    }
    fn pipe(&self, _: &Scoreboard, _: u64, _: u64, _: u64) -> u64 {
        self.segments.flying() + self.train.bytes()
    }
}
