//! Congestion controls that need what only TCP has.
use super::QuicConfig;
use dumbbell_core::transport::TcpOverrides;

impl QuicConfig {
    /// Why the congestion control `name`, with these overrides, cannot run over QUIC; `None` if it
    /// can. A control that asks for timestamps runs if it takes a round-trip time instead.
    pub fn refusal(name: &str, overrides: TcpOverrides) -> Option<&'static str> {
        match (name, overrides) {
            ("peach", _) => Some("it sends dummy segments, which QUIC has no frame for"),
            ("cae" | "new_jersey", _) => {
                Some("it needs the receiver's clock on acknowledgments, and QUIC has no timestamps")
            }
            (_, TcpOverrides { recovery: Some("tahoe" | "reno"), .. }) => Some(
                "its recovery is TCP's of before SACK, and QUIC repairs every loss by its number",
            ),
            (_, TcpOverrides { detection: Some(_), .. }) => {
                Some("it replaces TCP's loss detection, and QUIC has that of RFC 9002")
            }
            (_, TcpOverrides { freeze: true, .. }) => {
                Some("it works by TCP's window field, and QUIC's credit is never taken back")
            }
            _ => None,
        }
    }
}
