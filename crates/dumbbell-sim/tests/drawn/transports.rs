//! Flows of QUIC and of SCReAM, where their packets fit; `bits` are the choices of the last flow.
use crate::plans::spec;
use dumbbell_core::units::{Bytes, Span};
use dumbbell_plan::{Plan, Transport};
use dumbbell_quic::{Handshake, QuicConfig};
use dumbbell_scream::ScreamConfig;
use serde_json::json;

/// True if the last flow's packets may have this size, both ways.
fn fits(p: &Plan, mtu: u32) -> bool {
    let last = p.flows.last().unwrap();
    last.forward.iter().chain(&last.back).all(|link| p.links[*link].mtu >= mtu)
}

/// The last flow is QUIC, if its Initials fit. It transfers 40 kB, or is stopped.
pub fn quic(p: &mut Plan, bits: u8) {
    let has = |bit: u8| bits >> bit & 1 == 1;
    let fits = fits(p, 1300);
    let last = p.flows.last_mut().unwrap();
    if fits {
        let quic = QuicConfig {
            datagram: Some(Bytes(1200)),
            handshake: [Handshake::OneRtt, Handshake::ZeroRtt, Handshake::None]
                [usize::from(bits) % 3],
            ecn: [dumbbell_quic::Ecn::Off, dumbbell_quic::Ecn::Ect0][usize::from(has(1))],
            pacing: has(2),
            ..QuicConfig::default()
        };
        let control = if has(3) { "bbr" } else { "cubic" };
        last.transport = Transport::Quic { cc: spec(control, json!({})), quic: quic.into() };
    }
    if has(0) {
        last.source = spec("fixed", json!({"size": "40 kB"}));
    } else {
        last.stop = Some(Span::from_ms(900));
    }
}

/// The last flow is live media, if its packets fit; some is stopped.
pub fn scream(p: &mut Plan, bits: u8) {
    let has = |bit: u8| bits >> bit & 1 == 1;
    let fits = fits(p, 700);
    let last = p.flows.last_mut().unwrap();
    if fits {
        let scream = ScreamConfig {
            mss: Bytes(600),
            ecn: [dumbbell_scream::Ecn::Off, dumbbell_scream::Ecn::Ect0][usize::from(has(1))],
            competing: has(2),
            ..ScreamConfig::default()
        };
        last.transport = Transport::Scream { scream: scream.into() };
    }
    let variation = if has(3) { 0.2 } else { 0.0 };
    last.source = spec("camera", json!({ "fps": 50, "start": "600 kbps", "variation": variation }));
    if has(0) {
        last.stop = Some(Span::from_ms(900));
    }
}
