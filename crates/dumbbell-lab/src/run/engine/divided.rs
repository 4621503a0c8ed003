//! One simulation on several cores: each thread has a part of the network.
//!
//! The parts together have the history of the whole, so that results do not depend on the number of
//! threads (`dumbbell_net::partition`). A thread that waits for a core holds up all others: while
//! the machine is crowded, one thread simulates all parts, one after the other.
use crate::run::engine::cores;
use dumbbell_core::catalogue::Fault;
use dumbbell_core::units::{Span, Time};
use dumbbell_plan::Plan;
use dumbbell_sim::World;
use dumbbell_sim::partition::{Mail, Partition};
use std::hint;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Tries to meet the others before a thread lets the system run something else.
const SPINS: u32 = 2_000;
/// How often the threads look how long they waited for a core. One short wait within it does not
/// count as crowding.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// If n threads together progress no faster than so many would that never wait, one is about as
/// fast: it needs no meetings.
const NO_GAIN: f64 = 1.5;
/// The pause before several threads are tried again after one went on alone. It doubles after each
/// try that did not last longer.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(16);

/// Why a divided run has no result.
pub enum Stopped {
    /// The user stopped it.
    Interrupted,
    /// The simulator refuses the plan.
    Refused(Fault),
}

/// What the threads ask the machine.
#[derive(Clone, Copy)]
pub struct Machine {
    /// How long the calling thread has waited for a core since its start; `None`: the system does
    /// not tell.
    pub waited: fn() -> Option<Span>,
    /// The cores that are free, that of the calling thread among them.
    pub free: fn() -> usize,
}

/// Where the thread of a part stopped.
#[derive(Clone, Copy, PartialEq)]
enum Left {
    /// At the end of the run.
    AtEnd,
    /// Between two rounds, because the machine is crowded, or no longer.
    BetweenRounds,
    /// Anywhere, because another thread gave up, or the user did.
    Broken,
}

/// What the threads share.
struct Meeting<'a> {
    partition: &'a Partition,
    /// The horizon of each part in picoseconds; [`u64::MAX`]: it has none.
    horizons: Vec<AtomicU64>,
    /// Packets of this round: from each part a mail to each.
    mail: Vec<Vec<Mutex<Mail>>>,
    arrived: AtomicUsize,
    round: AtomicUsize,
    /// True once a thread has given up.
    broken: AtomicBool,
    stop: &'a AtomicBool,
    /// Called with the time that all parts have reached.
    reached: &'a (dyn Fn(Time) + Sync),
    machine: Machine,
    /// Picoseconds that the threads waited for a core since the first thread asked.
    waited_ps: AtomicU64,
    crowded: AtomicBool,
}

/// What a thread knows of its own waiting.
struct Looks {
    at: Instant,
    waited: Span,
}

impl Meeting<'_> {
    /// Waits until all threads are here; false if one never will be.
    fn wait(&self) -> bool {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.horizons.len() {
            self.arrived.store(0, Ordering::Release);
            self.round.store(round + 1, Ordering::Release);
            return !self.broken.load(Ordering::Acquire);
        }
        let mut spins = 0;
        while self.round.load(Ordering::Acquire) == round {
            if self.broken.load(Ordering::Acquire) {
                return false;
            }
            spins += 1;
            if spins < SPINS { hint::spin_loop() } else { thread::yield_now() }
        }
        !self.broken.load(Ordering::Acquire)
    }

    /// The time before which all parts may run; `None` if they are at the end.
    fn bound(&self) -> Option<Time> {
        let least = self.horizons.iter().map(|h| h.load(Ordering::Acquire)).min();
        least.filter(|least| *least != u64::MAX).map(Time::from_ps)
    }

    /// Runs a part to its end, or for as long as threads are worthwhile.
    fn run(&self, number: usize, world: &mut World) -> Left {
        let mut looks = Looks { at: Instant::now(), waited: self.waited_so_far() };
        loop {
            self.tell_horizon(number, world);
            if !self.wait() {
                return Left::Broken;
            }
            let Some(bound) = self.bound() else { return Left::AtEnd };
            world.run_before(bound);
            self.post(number, world);
            self.look(number, &mut looks);
            if number == 0 {
                (self.reached)(bound);
                if self.stop.load(Ordering::Relaxed) {
                    self.broken.store(true, Ordering::Release);
                }
            }
            if !self.wait() {
                return Left::Broken;
            }
            self.collect(number, world);
            if self.crowded.load(Ordering::Acquire) {
                return Left::BetweenRounds;
            }
        }
    }

    /// Runs each part on a thread of its own, the first on this one.
    fn run_together(&self, worlds: &mut [World]) -> Left {
        self.crowded.store(false, Ordering::Release);
        self.waited_ps.store(0, Ordering::Release);
        // Else the threads that run already wait for one that the system refuses to make.
        let made = Leaves(&self.broken);
        let left = each_on_a_thread(worlds.iter_mut(), |number, world| {
            let leaves = Leaves(&self.broken);
            let left = self.run(number, world);
            if left != Left::Broken {
                std::mem::forget(leaves);
            }
            left
        });
        std::mem::forget(made);
        [Left::Broken, Left::BetweenRounds]
            .into_iter()
            .find(|stopped| left.contains(stopped))
            .unwrap_or(Left::AtEnd)
    }

    /// Runs all parts on this thread. Each `pause` it looks whether cores are free for the others,
    /// and returns then.
    fn run_alone(&self, worlds: &mut [World], pause: Duration) -> Left {
        let mut start = Instant::now();
        loop {
            worlds.iter().enumerate().for_each(|(number, world)| self.tell_horizon(number, world));
            let Some(bound) = self.bound() else { return Left::AtEnd };
            for (number, world) in worlds.iter_mut().enumerate() {
                world.run_before(bound);
                self.post(number, world);
            }
            (self.reached)(bound);
            if self.stop.load(Ordering::Relaxed) {
                return Left::Broken;
            }
            worlds.iter_mut().enumerate().for_each(|(number, world)| self.collect(number, world));
            if start.elapsed() > pause {
                if (self.machine.free)() >= worlds.len().min(cores::all()) {
                    return Left::BetweenRounds;
                }
                start = Instant::now();
            }
        }
    }

    fn tell_horizon(&self, number: usize, world: &World) {
        let horizon = world.horizon(self.partition.lookahead()).map_or(u64::MAX, |t| t.ps());
        self.horizons[number].store(horizon, Ordering::Release);
    }

    /// Each thread adds what it waited; the first judges the sum.
    fn look(&self, number: usize, looks: &mut Looks) {
        let passed = looks.at.elapsed();
        if passed < LOOK_EVERY {
            return;
        }
        let waited = self.waited_so_far();
        let since = waited.saturating_sub(looks.waited);
        self.waited_ps.fetch_add(since.ps(), Ordering::AcqRel);
        *looks = Looks { at: Instant::now(), waited };
        if number == 0 {
            let waited = Span::from_ps(self.waited_ps.swap(0, Ordering::AcqRel));
            // A thread that waits for a core holds up all.
            let all_run = 1.0 - waited.seconds() / passed.as_secs_f64();
            let progress = all_run * self.horizons.len() as f64;
            self.crowded.store(progress < NO_GAIN, Ordering::Release);
        }
    }

    fn waited_so_far(&self) -> Span {
        (self.machine.waited)().unwrap_or(Span::ZERO)
    }

    /// Sends what left a part. The mails that were delivered come back in exchange, with their
    /// memory.
    fn post(&self, number: usize, world: &mut World) {
        for (mail, sent) in self.mail[number].iter().zip(world.outboxes()) {
            if !sent.is_empty() {
                let mut mail = mail.lock().unwrap_or_else(PoisonError::into_inner);
                std::mem::swap(&mut *mail, sent);
            }
        }
    }

    /// Brings to a part what the others sent.
    fn collect(&self, number: usize, world: &mut World) {
        for from in &self.mail {
            world.enter(&mut from[number].lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

/// Frees the others if a thread panics or gives up.
struct Leaves<'a>(&'a AtomicBool);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// What `work` makes of each item and its number, each on a thread of its own, the first on this
/// one.
fn each_on_a_thread<T: Send, R: Send>(
    items: impl Iterator<Item = T>,
    work: impl Fn(usize, T) -> R + Sync,
) -> Vec<R> {
    let mut items = items.enumerate();
    let first = items.next();
    thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> =
            items.map(|(number, item)| scope.spawn(move || work(number, item))).collect();
        let first = first.map(|(number, item)| work(number, item));
        let others = others
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        first.into_iter().chain(others).collect()
    })
}

/// The world of `plan` at its end, simulated in the parts of `partition`, each on a thread of its
/// own. While the threads wait too long for cores of the `machine`, one simulates all parts.
///
/// # Errors
/// It was stopped, or the simulator refuses the plan.
pub fn run(
    plan: &Plan,
    partition: &Partition,
    stop: &AtomicBool,
    reached: &(dyn Fn(Time) + Sync),
    machine: Machine,
) -> Result<World, Stopped> {
    let parts = partition.parts();
    let worlds = each_on_a_thread(0..parts, |_, number| World::part(plan, partition, number));
    let mut worlds = worlds.into_iter().collect::<Result<Vec<_>, _>>().map_err(Stopped::Refused)?;
    let meeting = Meeting {
        partition,
        horizons: (0..parts).map(|_| AtomicU64::new(u64::MAX)).collect(),
        mail: (0..parts).map(|_| (0..parts).map(|_| Mutex::default()).collect()).collect(),
        arrived: AtomicUsize::new(0),
        round: AtomicUsize::new(0),
        broken: AtomicBool::new(false),
        stop,
        reached,
        machine,
        waited_ps: AtomicU64::new(0),
        crowded: AtomicBool::new(false),
    };
    let (mut alone, mut pause) = (false, None);
    loop {
        let start = Instant::now();
        let left = match alone {
            true => meeting.run_alone(&mut worlds, pause.unwrap_or(FIRST_PAUSE)),
            false => meeting.run_together(&mut worlds),
        };
        match left {
            Left::AtEnd => return Ok(World::join(worlds)),
            Left::Broken => return Err(Stopped::Interrupted),
            Left::BetweenRounds if alone => {}
            Left::BetweenRounds => pause = pause_after(start.elapsed(), pause),
        }
        alone = !alone;
    }
}

/// The pause after a try that lasted for some time, by the pause before it.
fn pause_after(lasted: Duration, before: Option<Duration>) -> Option<Duration> {
    let longer = before.filter(|before| lasted < *before).map(|before| 2 * before);
    Some(longer.map_or(FIRST_PAUSE, |longer| longer.min(LONGEST_PAUSE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_while_threads_are_tried_in_vain() {
        let short = Duration::from_millis(200);
        let mut pause = None;
        let mut seconds = Vec::new();
        for _ in 0..7 {
            pause = pause_after(short, pause);
            seconds.push(pause.unwrap().as_secs());
        }
        assert_eq!(seconds, [1, 2, 4, 8, 16, 16, 16]);
        assert_eq!(pause_after(Duration::from_secs(20), pause), Some(FIRST_PAUSE));
    }
}
