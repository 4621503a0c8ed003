//! Follows every packet from socket to socket by its number. Memory grows with the run: for tests
//! and debugging.

/// The packets of a run, and whether each is accounted for exactly once.
#[derive(Default)]
pub(crate) struct Audit {
    /// Packets in the network for each number: one, and its copies.
    packets: Vec<u32>,
    /// Numbers of packets that ended twice.
    twice: Vec<u64>,
}

impl Audit {
    /// A packet left a socket: its number, from 1.
    pub(crate) fn sent(&mut self) -> u64 {
        self.packets.push(1);
        self.packets.len() as u64
    }
    /// A wire made a copy of it, which has its number.
    pub(crate) fn copied(&mut self, number: u64) {
        match number.checked_sub(1).and_then(|i| self.packets.get_mut(i as usize)) {
            Some(copies) => *copies += 1,
            None => self.twice.push(number),
        }
    }
    /// It arrived at a socket.
    pub(crate) fn delivered(&mut self, number: u64) {
        self.ends(number);
    }
    /// It was dropped.
    pub(crate) fn dropped(&mut self, number: u64) {
        self.ends(number);
    }
    /// It was in the network at the end.
    pub(crate) fn beyond_end(&mut self, number: u64) {
        self.ends(number);
    }
    fn ends(&mut self, number: u64) {
        match number.checked_sub(1).and_then(|i| self.packets.get_mut(i as usize)) {
            Some(copies) if *copies > 0 => *copies -= 1,
            _ => self.twice.push(number),
        }
    }
    /// Faults, given that `held` packets are in queues at the end.
    pub(crate) fn faults(&self, held: u64) -> Vec<String> {
        let open: u64 = self.packets.iter().map(|n| u64::from(*n)).sum();
        let mut faults: Vec<String> = self
            .twice
            .iter()
            .take(10)
            .map(|n| format!("packet {n} ended more often than it was sent and copied"))
            .collect();
        if open != held {
            faults.push(format!(
                "{open} packets neither arrived nor were dropped, but queues hold \
                {held}"
            ));
        }
        faults
    }
}
