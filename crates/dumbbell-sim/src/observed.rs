//! A world with an observer. The engine is compiled here, twice: with an observer that follows
//! packets, and with one that does not. Callers compile nothing of it, whatever their observers
//! are.
use crate::world::World;
use dumbbell_net::Observer;
use dumbbell_net::Report;
use dumbbell_net::{DynObserver, Following, Sampling};

impl World {
    /// Handles at most `events` entries; true when the end is reached.
    pub fn run<O: Observer>(&mut self, observer: &mut O, events: u64) -> bool {
        match (O::SILENT, O::FOLLOWS) {
            (true, _) => self.run_unobserved(events),
            (_, true) => self.run_following(observer, events),
            (_, false) => self.run_sampling(observer, events),
        }
    }

    /// Ends the run. Call it when [`World::run`] said true; earlier, the account does not close.
    pub fn finish<O: Observer>(self, observer: &mut O) -> Report {
        match (O::SILENT, O::FOLLOWS) {
            (true, _) => self.finish_unobserved(),
            (_, true) => self.finish_following(observer),
            (_, false) => self.finish_sampling(observer),
        }
    }

    fn run_following(&mut self, observer: &mut dyn DynObserver, events: u64) -> bool {
        let ended = self.go(&mut Following(observer), events, self.end);
        self.arrived(ended)
    }

    fn run_sampling(&mut self, observer: &mut dyn DynObserver, events: u64) -> bool {
        let ended = self.go(&mut Sampling(observer), events, self.end);
        self.arrived(ended)
    }

    fn finish_following(self, observer: &mut dyn DynObserver) -> Report {
        self.close(&mut Following(observer))
    }

    fn finish_sampling(self, observer: &mut dyn DynObserver) -> Report {
        self.close(&mut Sampling(observer))
    }
}
