//! Sizes that follow from a configuration: options, segments, windows.
use super::TcpConfig;
use dumbbell_core::units::Limit;

/// Bytes of the options of a SYN: MSS, SACK-permitted beside timestamps, window scale, padded.
pub(crate) fn syn_options(timestamps: bool, sack: bool, scaling: bool) -> u64 {
    let (ts, sack) = if timestamps { (12, 0) } else { (0, if sack { 4 } else { 0 }) };
    4 + ts + sack + if scaling { 4 } else { 0 }
}

impl TcpConfig {
    /// Bytes of options in each data segment.
    pub fn option_bytes(&self) -> u64 {
        if self.timestamps { 12 } else { 0 }
    }
    /// The MSS option that the sender's end puts on its SYN, bytes.
    pub fn own_mss(&self) -> u64 {
        self.mss.map_or(DEFAULT_MSS, |b| b.0)
    }
    /// The MSS option that the receiver's end puts on its SYN-ACK, bytes.
    pub fn answered_mss(&self) -> u64 {
        self.peer_mss.map_or(self.own_mss(), |b| b.0)
    }
    /// Payload of a full segment: the smaller MSS less the options, bytes.
    pub fn segment_bytes(&self) -> u64 {
        self.own_mss().min(self.answered_mss()) - self.option_bytes()
    }
    /// The receiver's window in bytes, as its header can say it.
    pub fn window_bytes(&self) -> u64 {
        let buffer = in_bytes(self.receive_window, self.segment_bytes()).unwrap_or(u64::MAX);
        let shift = self.window_shift(buffer);
        let window = (buffer >> shift).min(MAX_WINDOW_FIELD) << shift;
        if self.handshake { window } else { buffer.min(MAX_WINDOW_FIELD << self.largest_shift()) }
    }
    /// The least window scale that can say `buffer`.
    pub(crate) fn window_shift(&self, buffer: u64) -> u32 {
        (0..self.largest_shift())
            .find(|s| buffer >> s <= MAX_WINDOW_FIELD)
            .unwrap_or(self.largest_shift())
    }
    fn largest_shift(&self) -> u32 {
        if self.window_scaling { 14 } else { 0 }
    }
    /// The initial window in bytes for segments of `mss`: min(n MSS, max(2 MSS, bytes)).
    pub fn initial_window_for(&self, mss: u64) -> u64 {
        let segments = libm::floor(self.initial_window.0 * mss as f64) as u64;
        segments.min(in_bytes(self.initial_window_bytes, mss).unwrap_or(u64::MAX).max(2 * mss))
    }
    /// The initial slow-start threshold in bytes; [`u64::MAX`]: none.
    pub fn initial_ssthresh_for(&self, mss: u64) -> u64 {
        in_bytes(self.initial_ssthresh, mss).unwrap_or(u64::MAX)
    }
}

/// The MSS where nothing says otherwise (RFC 9293 section 3.7.1).
const DEFAULT_MSS: u64 = 536;
/// The largest value of the window field (RFC 9293 section 3.1).
const MAX_WINDOW_FIELD: u64 = 65_535;

/// A size of packets of `mss` or of bytes, in bytes; `None` if it is unlimited.
fn in_bytes(limit: Limit, mss: u64) -> Option<u64> {
    match limit {
        Limit::Packets(p) => Some(libm::floor(p.0 * mss as f64) as u64),
        Limit::Bytes(b) => Some(b.0),
        Limit::Buffers(..) | Limit::Time(_) | Limit::Bdp(_) | Limit::Unlimited => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7323 section 2: a field of 16 bits, and the least scale with which it says the buffer.
    #[test]
    fn the_scale_is_the_least_that_says_the_buffer() {
        let config = TcpConfig { window_scaling: true, ..TcpConfig::rfc() };
        for (buffer, shift) in [(1, 0), (65_535, 0), (65_536, 1), (131_071, 1), (1 << 20, 5)] {
            assert_eq!(config.window_shift(buffer), shift, "{buffer}");
        }
        assert_eq!(config.window_shift(u64::MAX), 14);
        let plain = TcpConfig { window_scaling: false, ..TcpConfig::rfc() };
        assert_eq!(plain.window_shift(1 << 20), 0);
    }
}
