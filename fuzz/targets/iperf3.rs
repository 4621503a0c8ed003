//! What iperf3 wrote: understood, or refused in words.
use dumbbell_emu::live::iperf3::read;

/// A document.
pub fn run(data: &[u8]) {
    match read(&String::from_utf8_lossy(data)) {
        Ok(run) => {
            assert!(run.streams.iter().all(|s| s.sent.is_none_or(|a| a.seconds.is_finite())))
        }
        Err(why) => assert!(!why.to_string().is_empty(), "an error that says nothing"),
    }
}
