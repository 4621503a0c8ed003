//! The thread that writes the log, from the router's records: the router never waits for a disk.
use crate::log::{Entry, Header, Totals, Writer};
use rtrb::Consumer;
use std::io::{self, BufWriter, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Records that the ring holds: half a second of a million packets a second.
pub const CAPACITY: usize = 1 << 20;
/// Between two looks into a ring that was empty.
const PAUSE: Duration = Duration::from_millis(5);
/// Bytes that are written at once.
const PIECE: usize = 1 << 20;

/// Writes all that comes until the router lets go of the ring; `lost` counts what it found no room
/// for in it.
///
/// # Errors
/// The log cannot be written.
pub fn collect(
    to: Box<dyn Write + Send>,
    header: &Header,
    mut records: Consumer<Entry>,
    lost: &AtomicU64,
) -> io::Result<Totals> {
    let mut log = Writer::new(BufWriter::with_capacity(PIECE, to), header)?;
    loop {
        // Asked before the ring is emptied: what came before it was let go of is in it.
        let over = records.is_abandoned();
        while let Ok(entry) = records.pop() {
            log.push(&entry)?;
        }
        if over {
            let (mut to, totals) = log.finish(lost.load(Ordering::Acquire))?;
            to.flush()?;
            return Ok(totals);
        }
        thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Reader;
    use crate::router::measures::bottleneck::tests::plan;
    use dumbbell_core::units::Rate;

    #[test]
    fn the_logs_end_says_how_many_records_are_missing() {
        let (producer, consumer) = rtrb::RingBuffer::<Entry>::new(4);
        drop(producer);
        let (from, to) = io::pipe().expect("a pipe");
        let lost = AtomicU64::new(7);
        let plan = plan(Rate::from_mbps(1));
        let header =
            Header { made_by: "a test".into(), plan, epoch_ns: 0, hosts: vec![], capture: None };
        let totals = collect(Box::new(to), &header, consumer, &lost).expect("a pipe");
        assert_eq!(totals, Totals { incoming: 0, outgoing: 0, lost: 7 });
        let mut log = Reader::new(from).expect("a log");
        assert_eq!(log.next_record().expect("a log"), None);
        assert_eq!(log.totals(), Some(totals));
    }
}
