//! What a kernel's congestion control says of itself: `TCP_CC_INFO`, whose layouts are in
//! include/uapi/linux/inet_diag.h.
use dumbbell_core::probe::{Gauges, Probe};

/// Words of the largest layout.
const WORDS: usize = 5;

/// The answer to `TCP_CC_INFO`, in the layout of its congestion control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ControlState {
    words: [u32; WORDS],
    known: u8,
}

impl ControlState {
    /// The state that a kernel wrote: up to five words.
    pub fn of_bytes(bytes: &[u8]) -> ControlState {
        let mut state = ControlState::default();
        for (word, bytes) in state.words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            state.known += 1;
        }
        state
    }

    /// The state under the names that the catalogue's algorithm has for it. `control` is the
    /// kernel's name. Empty if this control says nothing of itself, or nothing that ours has.
    pub fn gauges(&self, control: &str) -> Gauges {
        let mut told = Gauges::default();
        let seconds = |us: u32| f64::from(us) / 1e6;
        let [first, second, third, fourth, fifth] = self.words;
        match (control, self.known) {
            // struct tcp_bbr_info: bytes a second in two words, microseconds, gains in 1/256.
            ("bbr", 5..) => {
                let rate = u64::from(first) | u64::from(second) << 32;
                told.gauge("btl_bw", 8.0 * rate as f64);
                told.gauge("rt_prop", seconds(third));
                told.gauge("pacing_gain", f64::from(fourth) / 256.0);
                told.gauge("cwnd_gain", f64::from(fifth) / 256.0);
            }
            // struct tcp_dctcp_info: two halves of a word, then alpha in 1/1024.
            ("dctcp", 4..) => told.gauge("alpha", f64::from(second) / 1024.0),
            // struct tcpvegas_info: whether it is on, samples, the least round-trip time, and that
            // of the last round trip.
            ("vegas", 4..) => {
                told.gauge("base_rtt", seconds(third));
                told.gauge("rtt", seconds(fourth));
            }
            ("yeah" | "veno", 4..) => told.gauge("base_rtt", seconds(third)),
            ("illinois", 4..) => told.gauge("base_rtt", seconds(fourth)),
            ("westwood", 4..) => told.gauge("rtt_min", seconds(fourth)),
            _ => {}
        }
        told
    }
}
