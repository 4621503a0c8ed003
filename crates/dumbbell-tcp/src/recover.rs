//! The recoveries of the classics, and the choice among them.
mod plain_prr;
mod prr;
mod reno;
mod sack;

use crate::config::{Exit, PartialAck, Recovery, Reduction, Reentry, TcpConfig};
use dumbbell_core::transport::{Detect, Flight, Recover, Step};
use dumbbell_macros::delegate;
pub use plain_prr::PlainPrr;
pub use prr::{Meter, Prr};
pub use reno::Reno;
pub use sack::Sack;

/// Jacobson's Tahoe: after a fast retransmit everything is sent again in slow start.
#[derive(Clone, Debug)]
pub struct Tahoe {
    reentry: Guard,
}

impl Recover for Tahoe {
    fn may_enter(&self, una: u64, recover: u64) -> bool {
        self.reentry.allows(una, recover)
    }
    fn enter(&mut self, _: &Flight<'_>, _: u32) -> Step {
        Step { go_back: true, restart_timer: true, ..Step::default() }
    }
    fn on_ack(&mut self, _: &Flight<'_>, _: u64, _: u64) -> Step {
        Step { exit: Some(u64::MAX), ..Step::default() }
    }
    fn room(&self, f: &Flight<'_>, _: &impl Detect) -> u64 {
        f.cwnd.saturating_sub(f.size())
    }
}

/// The condition under which duplicates at `una` may begin a recovery after the last one ended at
/// `recover`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Always (RFC 5681 knows no `recover`).
    Open,
    /// At it or beyond.
    At,
    /// Beyond it only.
    Beyond,
}

impl Guard {
    fn allows(self, una: u64, recover: u64) -> bool {
        match self {
            Guard::Open => true,
            Guard::At => una >= recover,
            Guard::Beyond => una > recover,
        }
    }
}

impl From<Reentry> for Guard {
    fn from(reentry: Reentry) -> Self {
        match reentry {
            Reentry::Always => Guard::Open,
            Reentry::At => Guard::At,
            Reentry::Beyond => Guard::Beyond,
        }
    }
}

/// The recovery that a profile or a congestion control's name chose.
#[derive(Clone, Debug)]
pub enum AnyRecover {
    /// `tahoe`.
    Tahoe(Tahoe),
    /// `reno`, `newreno`.
    Reno(Reno),
    /// `newreno` with proportional rate reduction.
    PlainPrr(Box<PlainPrr>),
    /// `sack`.
    Sack(Sack),
    /// `sack` with proportional rate reduction. Its account is apart: who does not use it does not
    /// carry it.
    Prr(Box<Prr>),
}

impl AnyRecover {
    /// The recovery of `config`.
    pub fn new(config: &TcpConfig) -> Self {
        match config.recovery {
            Recovery::Tahoe => AnyRecover::Tahoe(Tahoe { reentry: Guard::Beyond }),
            Recovery::Reno => AnyRecover::Reno(Reno::rfc5681(config.reno_reentry.into())),
            Recovery::Newreno => {
                let reno = Reno::newreno(config.reentry.into(), config.partial_ack, config.exit);
                if config.prr_without_sack {
                    AnyRecover::PlainPrr(Box::new(PlainPrr::new(reno, config.whole_segments)))
                } else {
                    AnyRecover::Reno(reno)
                }
            }
            Recovery::Sack if config.reduction == Reduction::Prr => {
                AnyRecover::Prr(Box::new(Prr::new(config.whole_segments)))
            }
            Recovery::Sack => AnyRecover::Sack(Sack::default()),
        }
    }
}

#[delegate(match self { Tahoe, Reno, PlainPrr, Sack, Prr })]
impl Recover for AnyRecover {
    /// NewReno instead, with its defaults.
    fn sack_refused(&mut self) {
        if let AnyRecover::Sack(_) | AnyRecover::Prr(_) = self {
            *self = AnyRecover::Reno(Reno::newreno(
                Guard::Beyond,
                PartialAck::Impatient,
                Exit::Deflated,
            ));
        }
    }
}
