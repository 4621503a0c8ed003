//! Follows every packet from socket to socket by its number. Memory grows with the run: for tests and doubts.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    OnItsWay,
    Gone,
}

/// The packets of a run, and whether each is accounted for exactly once.
#[derive(Default)]
pub struct Audit {
    packets: Vec<State>,
    /// Numbers of packets that ended twice.
    twice: Vec<u64>,
}

impl Audit {
    /// A packet left a socket: its number, from 1.
    pub fn sent(&mut self) -> u64 {
        self.packets.push(State::OnItsWay);
        self.packets.len() as u64
    }
    /// It arrived at a socket.
    pub fn delivered(&mut self, number: u64) {
        self.ends(number);
    }
    /// It was dropped.
    pub fn dropped(&mut self, number: u64) {
        self.ends(number);
    }
    /// It was on its way at the end.
    pub fn cut(&mut self, number: u64) {
        self.ends(number);
    }
    fn ends(&mut self, number: u64) {
        match number.checked_sub(1).and_then(|i| self.packets.get_mut(i as usize)) {
            Some(state @ State::OnItsWay) => *state = State::Gone,
            _ => self.twice.push(number),
        }
    }
    /// What is wrong, given that `held` packets are in queues at the end.
    pub fn faults(&self, held: u64) -> Vec<String> {
        let open = self.packets.iter().filter(|s| **s == State::OnItsWay).count() as u64;
        let mut faults: Vec<String> =
            self.twice.iter().take(10).map(|n| format!("packet {n} ended twice or was never sent")).collect();
        if open != held {
            faults.push(format!("{open} packets neither arrived nor were dropped, but queues hold {held}"));
        }
        faults
    }
}
