//! A short stimulus that fails, step by step: the model's inside beside the core's outputs.
use super::shrink::{Make, Shrunk};
use crate::core_ports::Parameters;
use crate::lockstep::testbench::{Action, ComparedPacket, Testbench, name};
use crate::signals::Out;
use dumbbell_algos::aqm::red_hw::core::{Core, DecisionTrace, Shape, register, table};
use serde_json::{Value, json};

/// Steps that a trace shows: the last ones.
const SHOWN: usize = 32;

/// Runs a stimulus again and writes down its last steps: `{"left_out", "start", "steps"}`.
///
/// `left_out` counts the steps before. `start` is the model before the first shown step: `draw`,
/// `enable`, and for each class and queue that a shown packet is of `avg`, `credit` and the
/// registers. A step is `{"reset": clocks}`, `{"idle": clocks}`, `"tick"`,
/// `{"write": [{"register", "class", "queue", "value"}]}` or
/// `{"packet", "presented", "model", "core"}`. `core` is `null` where no decision came.
pub fn trace(short: &Shrunk, parameters: &Parameters, patience: u64, make: Make<'_>) -> Value {
    let Ok(mut dut) = make() else { return Value::Null };
    let mut bench = Testbench::new(&mut *dut, parameters, patience);
    let left_out = short.actions.len().saturating_sub(SHOWN);
    let (before, shown) = short.actions.split_at(left_out);
    let fails = before.iter().find_map(|action| bench.act(action).err());
    let start = (bench.core.clone(), bench.counts.packets);
    bench.watched = Some(vec![]);
    let mut accepted = vec![];
    for action in shown {
        let failed = fails.is_some() || bench.act(action).is_err();
        accepted.push(bench.counts.packets);
        if failed {
            break;
        }
    }
    let _ = bench.settle(true); // A failure after the last step is the one that is explained.
    let watched = bench.watched.unwrap_or_default();
    let shape = &parameters.shape;
    let steps = shown.iter().enumerate().map(|(k, action)| match action {
        Action::Packet(packet) => {
            let from =
                if k == 0 { start.1 } else { accepted.get(k - 1).copied().unwrap_or(u64::MAX) };
            watched
                .iter()
                .find(|one| one.number == from)
                .map_or_else(|| json!({ "presented": packet }), told)
        }
        Action::Write(writes) => {
            json!({
                "write": writes
                    .iter()
                    .map(|(addr, data)| named(*addr, *data, shape))
                    .collect::<Vec<_>>(),
            })
        }
        other => json!(other),
    });
    json!({
        "left_out": left_out, "steps": steps.collect::<Vec<_>>(),
        "start": state(&start.0, &watched),
    })
}

/// A packet with the model's inside and the core's outputs.
fn told(one: &ComparedPacket) -> Value {
    let DecisionTrace { decision, entry, before, p, credit } = one.inside;
    json!({
        "packet": one.number,
        "presented": one.packet,
        "model": {
            "before": before, "avg": decision.avg, "min": entry.min, "max": entry.max,
            "region": name(decision.region),
            "slope": entry.slope, "p": p, "credit": credit, "draw": decision.draw,
            "drop": decision.drop,
        },
        "core": one.got.as_ref().map(output),
    })
}

/// The outputs of a core, with the region by name.
pub(super) fn output(out: &Out) -> Value {
    let region = ["queueing", "random", "force"]
        .get(usize::from(out.region))
        .map_or(json!(out.region), |name| json!(name));
    json!({ "qid": out.qid, "drop": out.drop, "region": region, "avg": out.avg, "draw": out.draw })
}

/// The model's state, as far as these packets see it.
fn state(core: &Core, watched: &[ComparedPacket]) -> Value {
    let shape = core.shape();
    let class = |one: &ComparedPacket| if shape.classes == 4 { one.packet.class & 3 } else { 0 };
    let mut seen: Vec<_> = watched.iter().map(|one| (one.packet.qid, class(one))).collect();
    seen.sort_unstable();
    seen.dedup();
    let queues = seen.into_iter().map(|(qid, class)| {
        let entry = core.entry(class, qid);
        let mut one = json!({
            "queue": qid, "class": class, "avg": core.avg(qid), "min": entry.min, "max": entry.max,
            "slope": entry.slope,
        });
        if shape.gap {
            one["credit"] = json!(core.credit(qid));
        }
        if shape.adapt {
            (one["lower"], one["upper"], one["due"]) =
                (json!(entry.lower), json!(entry.upper), json!(entry.due));
        }
        one
    });
    json!({ "enable": core.enabled(), "draw": core.draw(), "queues": queues.collect::<Vec<_>>() })
}

/// A register by its name, and what it takes of a value: bits that it has not are left out.
fn named(addr: u8, data: u32, shape: &Shape) -> Value {
    let (class, queue) = (addr >> 3 & 3, addr & 7);
    let (name, bits) = match addr {
        register::CONTROL => ("enable", 1),
        register::DRAW => ("draw", 21),
        register::ALPHA => ("alpha", 18),
        register::LEAST => ("least", 18),
        register::LARGEST => ("largest", 18),
        _ => match addr >> 5 {
            table::MIN => ("min", 22),
            table::MAX => ("max", 22),
            table::SLOPE => ("slope", if shape.constant { 21 } else { 18 }),
            table::LOWER => ("lower", 22),
            table::UPPER => ("upper", 22),
            _ => return json!({ "register": format!("none, address {addr:#04x}"), "value": data }),
        },
    };
    let value = data & ((1 << bits) - 1);
    if addr >> 5 == table::CORE {
        return json!({ "register": name, "value": value });
    }
    json!({ "register": name, "class": class, "queue": queue, "value": value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_register_is_named_and_has_its_own_bits_only() {
        let plain = Shape::default();
        let slope = named(register::address(table::SLOPE, 2, 5), u32::MAX, &plain);
        assert_eq!(
            slope,
            json!({ "register": "slope", "class": 2, "queue": 5, "value": 0x3_ffff })
        );
        let constant =
            named(register::address(table::SLOPE, 0, 1), u32::MAX, &plain.clone().with_constant());
        assert_eq!(constant["value"], json!(0x1f_ffff));
        let min = named(register::address(table::MIN, 0, 0), 1_103_101_952, &plain);
        assert_eq!(
            (&min["register"], &min["value"]),
            (&json!("min"), &json!(1_103_101_952 & 0x3f_ffff))
        );
        assert_eq!(
            named(register::CONTROL, 6, &plain),
            json!({ "register": "enable", "value": 0 })
        );
        assert_eq!(
            named(register::address(5, 0, 0), 7, &plain)["register"],
            json!(
                "none, address \
            0xa0"
            )
        );
    }
}
