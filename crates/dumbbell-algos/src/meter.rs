//! Meters: what color a packet has (RFC 2475 section 2.3.3.1). The [`crate::edge`] decides what a
//! color leads to: a codepoint or a drop.
pub(crate) mod parts;
use dumbbell_core::registry;

registry! { meter AnyMeter, suite meter_suite {
    adaptive_packet_marking::AdaptivePacketMarking,
    etsw::Etsw,
    marker_feedback::MarkerFeedback,
    srtcm::SrTcm,
    token_bucket::TokenBucketMeter,
    trtcm::TrTcm,
    trtcm_4115::TrTcm4115,
    tsw2cm::Tsw2Cm,
    tsw3cm::Tsw3Cm,
    tsw_slack::TswSlack,
} }
