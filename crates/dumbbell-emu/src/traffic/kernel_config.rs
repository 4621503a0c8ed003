//! The configuration of the kernel's TCP for one connection: each field of a `TcpConfig` is set, is
//! the kernel's default, or is refused.
mod requests;
mod unsupported;

use super::job::{Connection, End};
use crate::traffic::host_settings::{Request, Unsupported};
use crate::traffic::kernel_names::kernel_name;
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::transport::{CongestionControl, Path, TcpOverrides};
use dumbbell_core::units::Rate;
use dumbbell_plan::{Ip, Spec};
use dumbbell_tcp::{Discovery, TcpConfig};
use requests::{LARGEST_BUFFER, ask_of_both, ask_of_receiver, ask_of_sender, millis};
use unsupported::unsupported;

/// The settings that a flow needs.
pub struct KernelConfig {
    /// Of its sockets.
    pub connection: Connection,
    /// Of the host that sends.
    pub sender: Vec<Request>,
    /// Of the host that receives.
    pub receiver: Vec<Request>,
}

/// The largest MSS that a socket may ask for itself (TCP_MAXSEG; MAX_TCP_WINDOW of the kernel).
const LARGEST_MSS: u64 = 32_767;

/// The settings for `flow`, whose slowest link has `rate`.
///
/// # Errors
/// Everything in `tcp` and `cc` that the kernel lacks.
pub fn kernel_config(
    flow: &str,
    ip: Ip,
    cc: &Spec,
    tcp: &TcpConfig,
    rate: Rate,
) -> Result<KernelConfig, Vec<Unsupported>> {
    // Fields that the name implies were not written by the user: a control that the kernel lacks is
    // refused by itself.
    let name = kernel_name(flow, cc).map_err(|refusal| {
        let implied =
            ["recovery", "sack", "detection", "ecn", "timestamps", "freeze", "reduction", "eifel"];
        let own = |r: &Unsupported| !implied.iter().any(|field| r.field == format!("tcp.{field}"));
        let mut all = vec![refusal];
        all.extend(unsupported(flow, ip, TcpOverrides::NOTHING, tcp).into_iter().filter(own));
        all
    })?;
    // A plan of the lab already contains the fields that the control's name implies; a plan made by
    // hand need not.
    let implied = AnyCc::build(&cc.kind, &cc.config, &Path::PLAIN)
        .map_or(TcpOverrides::NOTHING, |cc| cc.tcp_overrides());
    let tcp = &tcp.with_overrides(implied);
    let mut refused = unsupported(flow, ip, implied, tcp);
    let window = initial_window(tcp);
    if window.is_none() {
        let cause = "the kernel's initial window is a whole number of segments, at least one";
        refused.push(Unsupported::new(
            flow,
            "tcp.initial_window",
            cause,
            "write initial_window = \
            \"10 pkt\"",
        ));
    }
    let (Some(window), []) = (window, refused.as_slice()) else { return Err(refused) };
    let mut sender = Vec::new();
    ask_of_both(tcp, &mut sender);
    let mut receiver = sender.clone();
    ask_of_sender(tcp, window, &mut sender);
    ask_of_receiver(tcp, &mut receiver);
    let own = |mss: u64| Some(mss as u32).filter(|_| mss <= LARGEST_MSS);
    let clamp = Some(tcp.window_bytes()).filter(|w| *w <= LARGEST_BUFFER / 4).map(|w| w as u32);
    let connection = Connection {
        control: name,
        sender: End { mss: own(tcp.own_mss()), window: None },
        receiver: End { mss: own(tcp.answered_mss()), window: clamp },
        segment: tcp.segment_bytes() as u32,
        nagle: tcp.nagle,
        fragments: tcp.pmtu_discovery == Discovery::Off,
        paced: tcp.pacing,
        max_rto_ms: Some(millis(tcp.max_rto)).filter(|ms| *ms != 120_000),
        unsent: (rate.bps() / 8 / 50).clamp(64 << 10, 1 << 20) as u32,
    };
    Ok(KernelConfig { connection, sender, receiver })
}

/// The initial window in segments, if it is a whole number of them.
fn initial_window(tcp: &TcpConfig) -> Option<u32> {
    let segment = tcp.segment_bytes();
    let bytes = tcp.initial_window_for(segment);
    (bytes >= segment && bytes.is_multiple_of(segment)).then(|| (bytes / segment) as u32)
}

#[cfg(test)]
mod tests;
