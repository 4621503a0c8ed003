//! The cost of packets on a host, in closed form.
use super::{Cpu, processor};
use crate::language::deser;
use crate::language::problem::{Check, Problem, Texts, code};
use crate::language::read;
use crate::resolve::context::Context;
use dumbbell_algos::service::host_cpu::{HostCpuConfig, Load};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// A host's processor, and the sizes of packets.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CostRequest {
    /// As a scenario writes it; it is read with its place in the request.
    #[allow(dead_code)]
    cpu: Value,
    mtu: Vec<u32>,
    #[serde(default = "header")]
    header: u32,
    rate_bps: Option<f64>,
    #[serde(default = "every_second")]
    acks_per_packet: f64,
}

/// IPv4 and TCP with timestamps.
fn header() -> u32 {
    52
}

/// RFC 9293 section 3.8.6.3: at least every second full segment.
fn every_second() -> f64 {
    0.5
}

/// The request is
/// `{"cpu": as in a scenario, "mtu": [1500, 9000], "header": 52, "rate_bps": null,
/// "acks_per_packet": 0.5}`; for each MTU the answer's `rows` have `mtu`, `payload`,
/// `receive_cycles_per_packet`, `send_cycles_per_packet`, the same `_cycles_per_bit` of payload,
/// `receiver_cycles_per_bit` and `sender_cycles_per_bit` (the whole host's, with the
/// acknowledgments that it sends or takes), `interrupts_per_packet`, `limit_bps` (payload of a
/// saturated core that receives) and `utilization` of that core at `rate_bps`, the payload; the
/// last is null without it. With `rate_bps` packets come evenly to a core that is fast enough,
/// above its limit and without it they always wait: then no interrupts are taken, and all that may
/// be are gathered. `cpu` is what was understood.
///
/// # Errors
/// Code 2.
pub fn cost(request: &Value) -> Result<Value, Problem> {
    let (mut texts, mut check) = (Texts::default(), Check::default());
    let root = read::json(&mut texts, "request", request);
    let found = Context::within(&root, &mut check, |cx| understood(cx));
    let Some((asked, Cpu { sides: [(config, _), _], .. })) = found else {
        return Err(Problem::new(code::SCENARIO, &check.found, &texts));
    };
    let rows: Vec<Value> = asked.mtu.iter().map(|mtu| row(&config, *mtu, &asked)).collect();
    Ok(json!({ "cpu": config, "rows": rows }))
}

/// The request at the root, and its processor; `None`: it was said what is wrong.
fn understood(cx: &Context<'_>) -> Option<(CostRequest, Cpu)> {
    let asked: CostRequest = deser::read(cx.root, &[], &mut cx.check())?;
    let at = cx.at("cpu");
    let Some(cpu) = processor(&at) else {
        if cx.ok() {
            at.refuse("a host without a processor costs nothing", "write cpu = \"server_2021\"");
        }
        return None;
    };
    for (i, mtu) in asked.mtu.iter().enumerate().filter(|(_, mtu)| **mtu <= asked.header) {
        let cause =
            format!("a packet of {mtu} B has no room beside a header of {} B", asked.header);
        cx.item("mtu", i).refuse(cause, "write mtu = [1500, 9000]");
    }
    cx.ok().then_some((asked, cpu))
}

fn row(cpu: &HostCpuConfig, mtu: u32, asked: &CostRequest) -> Value {
    let payload = f64::from(8 * (mtu - asked.header));
    let limit = cpu.limit_bps(mtu, asked.header);
    let below = asked.rate_bps.filter(|rate| limit.is_some_and(|limit| *rate < limit));
    let load = |each: f64| below.map_or(Load::Saturated, |rate| Load::Light(rate / payload * each));
    let (sending, acks) = (cpu.sending(), asked.acks_per_packet);
    let receive = cpu.mean_cycles(mtu, load(1.0));
    // One that sends finds what it has to send waiting: a window's packets come together.
    let send = sending.mean_cycles(mtu, Load::Saturated);
    let ack_sent = sending.mean_cycles(asked.header, Load::Saturated);
    let ack_taken = cpu.mean_cycles(asked.header, load(acks));
    json!({
        "mtu": mtu,
        "payload": mtu - asked.header,
        "interrupts_per_packet": cpu.interrupts_per_packet(load(1.0)),
        "receive_cycles_per_packet": receive,
        "send_cycles_per_packet": send,
        "receive_cycles_per_bit": receive / payload,
        "send_cycles_per_bit": send / payload,
        "receiver_cycles_per_bit": (receive + acks * ack_sent) / payload,
        "sender_cycles_per_bit": (send + acks * ack_taken) / payload,
        "limit_bps": limit,
        "utilization": asked
            .rate_bps
            .map(|rate| (rate * receive / payload / cpu.clock.hz() as f64).min(1.0)),
    })
}
