//! A world that nobody watches: the engine compiled without an observer, with everything that it
//! calls in one unit.
use crate::world::World;
use dumbbell_core::units::Time;
use dumbbell_net::Report;

impl World {
    /// [`World::run`] without an observer.
    pub fn run_unobserved(&mut self, events: u64) -> bool {
        let ended = self.go_unobserved(events, self.end);
        self.arrived(ended)
    }

    /// The loop without an observer.
    #[inline(never)]
    pub(crate) fn go_unobserved(&mut self, events: u64, by: Time) -> bool {
        self.go(&mut (), events, by)
    }

    /// [`World::finish`] without an observer.
    pub fn finish_unobserved(self) -> Report {
        self.close(&mut ())
    }
}
