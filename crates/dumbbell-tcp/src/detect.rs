//! Loss detection: duplicate acknowledgments, or time.
mod dcr;
mod dupacks;
mod rack;
mod segments;

use crate::config::{Detection, Recovery, TcpConfig};
pub use dcr::Dcr;
use dumbbell_core::transport::{Detect, Evidence, Finding, Scoreboard, Sent};
use dumbbell_core::units::{Span, Time};
pub use dupacks::DupAcks;
pub use rack::Rack;

/// The detection that a profile chose. RACK's state is apart: who does not use it does not carry
/// it.
#[derive(Clone, Debug)]
pub enum AnyDetect {
    /// `dupack`.
    DupAcks(DupAcks),
    /// `rack`.
    Rack(Box<Rack>),
    /// `dcr`.
    Dcr(Box<Dcr>),
}

impl AnyDetect {
    /// The detection of `config`: RACK where it has SACK to tell it single segments.
    pub fn new(config: &TcpConfig) -> Self {
        let rack =
            config.detection == Detection::Rack && config.sack && config.recovery == Recovery::Sack;
        if rack {
            AnyDetect::Rack(Box::new(Rack::new(config)))
        } else if config.detection == Detection::Dcr {
            AnyDetect::Dcr(Box::new(Dcr::new(config)))
        } else {
            AnyDetect::DupAcks(DupAcks::new(
                config.dupack_threshold,
                config.limited_transmit,
                config.segment_bytes(),
            ))
        }
    }
}

macro_rules! each {
    ($self:expr, $d:ident => $call:expr) => {
        match $self {
            AnyDetect::DupAcks($d) => $call,
            AnyDetect::Rack($d) => $call,
            AnyDetect::Dcr($d) => $call,
        }
    };
}

impl Detect for AnyDetect {
    #[inline]
    fn on_sent(&mut self, sent: &Sent) {
        if let AnyDetect::Rack(rack) = self {
            rack.on_sent(sent);
        }
    }
    fn sack_refused(&mut self) {
        if let AnyDetect::Rack(rack) = self {
            *self = AnyDetect::DupAcks(rack.without_sack());
        }
    }
    #[inline]
    fn by_segment(&self) -> bool {
        matches!(self, AnyDetect::Rack(_))
    }
    fn has_timer(&self) -> bool {
        !matches!(self, AnyDetect::DupAcks(_))
    }
    fn on_sacked(&mut self, now: Time, from: u64, to: u64) {
        each!(self, d => d.on_sacked(now, from, to));
    }
    fn on_duplicate_report(&mut self, una: u64, nxt: u64) {
        each!(self, d => d.on_duplicate_report(una, nxt));
    }
    fn on_timeout(&mut self, now: Time, una: u64, board: &Scoreboard) {
        each!(self, d => d.on_timeout(now, una, board));
    }
    fn on_cut(&mut self, now: Time, una: u64, board: &Scoreboard) {
        each!(self, d => d.on_cut(now, una, board));
    }
    fn on_mss(&mut self, mss: u64) {
        each!(self, d => d.on_mss(mss));
    }
    fn withdraw(&mut self, mss: u64) {
        each!(self, d => d.withdraw(mss));
    }
    fn forgive(&mut self, reordered: bool) {
        each!(self, d => d.forgive(reordered));
    }
    fn last_segment(&self) -> Option<(u64, u64)> {
        each!(self, d => d.last_segment())
    }
    fn losses(&self, board: &Scoreboard) -> u64 {
        each!(self, d => d.losses(board))
    }
    fn lost_again(&self) -> u64 {
        each!(self, d => d.lost_again())
    }
    fn on_ack(&mut self, e: &Evidence, board: &Scoreboard) -> Finding {
        each!(self, d => d.on_ack(e, board))
    }
    #[inline]
    fn on_expected(&mut self, now: Time, una: u64, srtt: Option<Span>, echo: Option<Time>) -> bool {
        match self {
            AnyDetect::DupAcks(_) | AnyDetect::Dcr(_) => false,
            AnyDetect::Rack(rack) => rack.on_expected(now, una, srtt, echo),
        }
    }
    #[inline]
    fn deadline(&self) -> Time {
        match self {
            AnyDetect::DupAcks(_) => Time::NEVER,
            AnyDetect::Rack(rack) => rack.deadline(),
            AnyDetect::Dcr(dcr) => dcr.deadline(),
        }
    }
    fn settled(&mut self) {
        each!(self, d => d.settled());
    }
    fn on_deadline(&mut self, now: Time, board: &Scoreboard) -> Finding {
        each!(self, d => d.on_deadline(now, board))
    }
    fn lost_below(&self, board: &Scoreboard) -> u64 {
        each!(self, d => d.lost_below(board))
    }
    fn next_lost(&self, board: &Scoreboard, from: u64) -> Option<(u64, u64)> {
        each!(self, d => d.next_lost(board, from))
    }
    fn lost_ranges(&self, board: &Scoreboard, una: u64, out: &mut Vec<(u64, u64)>) {
        each!(self, d => d.lost_ranges(board, una, out))
    }
    fn pipe(&self, board: &Scoreboard, una: u64, nxt: u64, repaired: u64) -> u64 {
        each!(self, d => d.pipe(board, una, nxt, repaired))
    }
}
