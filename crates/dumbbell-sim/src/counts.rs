//! Counts of a flow, whichever transport it has.

/// Counts of a flow at one instant, since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Counts {
    /// Packets that the sender sent, repetitions included.
    pub sent_packets: u64,
    /// Payload bytes of these.
    pub sent_bytes: u64,
    /// Packets of the sender that arrived at the receiver.
    pub delivered_packets: u64,
    /// Payload bytes that arrived, repetitions included.
    pub received_bytes: u64,
    /// Distinct bytes handed to the application, in order.
    pub delivered_bytes: u64,
    /// Bytes that the receiver holds now, because data before them is missing.
    pub held_bytes: u64,
    /// Packets sent again.
    pub retransmits: u64,
    /// Expiries of the retransmission timer.
    pub rtos: u64,
    /// Packets that arrived with Congestion Experienced.
    pub marks: u64,
    /// Round-trip samples, and their sum in seconds.
    pub rtt_samples: u64,
    /// See `rtt_samples`.
    pub rtt_sum_s: f64,
    /// Integral of the congestion window since the start of the flow, packet seconds.
    pub cwnd_integral: f64,
}
