//! What a thread of traffic costs.
use dumbbell_core::units::Span;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Sends over connections.
    Sender,
    /// Receives over connections.
    Receiver,
    /// Sends datagrams.
    DatagramSender,
    /// Receives datagrams.
    DatagramReceiver,
    /// Samples.
    Sampler,
}

/// Processor time of a thread: what ran in it, its own code and the kernel's on its behalf, and whatever soft interrupts found
/// it running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// What it does.
    pub role: Role,
    /// In its own code.
    pub user: Span,
    /// In the kernel.
    pub system: Span,
}

impl Spent {
    /// What the calling thread has cost so far.
    pub fn so_far(role: Role) -> Spent {
        let usage = getrusage(UsageWho::RUSAGE_THREAD);
        let span = |us: i64| Span::from_us(us.max(0) as u64);
        let (user, system) =
            usage.map_or((0, 0), |u| (u.user_time().num_microseconds(), u.system_time().num_microseconds()));
        Spent { role, user: span(user), system: span(system) }
    }
    /// What it has cost since `before`.
    pub fn since(self, before: Spent) -> Spent {
        Spent {
            role: self.role,
            user: self.user.saturating_sub(before.user),
            system: self.system.saturating_sub(before.system),
        }
    }
}
