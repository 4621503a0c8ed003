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
        // Before the first sample a minimum is the largest number.
        let mut time = |name, us: u32| {
            if us < i32::MAX.cast_unsigned() {
                told.gauge(name, f64::from(us) / 1e6);
            }
        };
        let [first, second, third, fourth, fifth] = self.words;
        match (control, self.known) {
            // struct tcp_bbr_info: bytes a second in two words, microseconds, gains in 1/256.
            ("bbr", 5..) => {
                let rate = u64::from(first) | u64::from(second) << 32;
                time("rt_prop", third);
                told.gauge("btl_bw", 8.0 * rate as f64);
                told.gauge("pacing_gain", f64::from(fourth) / 256.0);
                told.gauge("cwnd_gain", f64::from(fifth) / 256.0);
            }
            // struct tcp_dctcp_info: two halves of a word, then alpha in 1/1024.
            ("dctcp", 4..) => told.gauge("alpha", f64::from(second) / 1024.0),
            // struct tcpvegas_info: whether it is on, samples, the least round-trip time, and that
            // of the last round trip.
            ("vegas", 4..) => {
                time("base_rtt", third);
                time("rtt", fourth);
            }
            ("yeah" | "veno", 4..) => time("base_rtt", third),
            ("illinois", 4..) => time("base_rtt", fourth),
            ("westwood", 4..) => time("rtt_min", fourth),
            _ => {}
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(words: &[u32], control: &str) -> Gauges {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        ControlState::of_bytes(&bytes).gauges(control)
    }

    #[test]
    fn each_layout_has_the_units_of_ours() {
        // 5 GB/s in two words, 80.12 ms, 2.89 and 2.
        let bbr = told(&[705_032_704, 1, 80_120, 739, 512], "bbr");
        assert_eq!(bbr.get("btl_bw"), Some(40e9));
        assert_eq!(bbr.get("rt_prop"), Some(0.080_12));
        assert_eq!(bbr.get("pacing_gain"), Some(739.0 / 256.0));
        assert_eq!(bbr.get("cwnd_gain"), Some(2.0));
        let dctcp = told(&[1, 960, 7, 101], "dctcp");
        assert_eq!(dctcp.get("alpha"), Some(0.9375));
        let vegas = told(&[1, 12, 81_001, 87_601], "vegas");
        assert_eq!((vegas.get("base_rtt"), vegas.get("rtt")), (Some(0.081_001), Some(0.087_601)));
        assert_eq!(told(&[1, 0, 90_000, 80_115], "westwood").get("rtt_min"), Some(0.080_115));
        let none = told(&[1, 0, 0x7fff_ffff, 0x7fff_ffff], "vegas");
        assert_eq!(none, Gauges::default(), "before the first sample");
    }

    /// A control that has no such layout, and a kernel that wrote less than its layout.
    #[test]
    fn what_is_not_known_is_left_out() {
        for (words, control) in [(&[][..], "bbr"), (&[1, 2, 3, 4], "bbr"), (&[1, 2, 3, 4], "cubic")]
        {
            assert_eq!(told(words, control), Gauges::default(), "{control}");
        }
        assert_eq!(ControlState::of_bytes(&[1, 2, 3]), ControlState::default());
    }
}
