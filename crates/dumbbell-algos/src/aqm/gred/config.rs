//! GRED's parameters.
use crate::aqm::red::config::RedOptions;
use crate::dscp as codepoints;
use crate::dscp::Table;
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::Packets;
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Virtual queues that there may be: Linux's `MAX_DPs`.
const MOST: usize = 16;

/// Which average a packet is judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GredMode {
    /// That of its own virtual queue (`tc-gred` without `grio`).
    #[default]
    Separate,
    /// That of its own and of all more protected virtual queues that are not idle, added up, as in
    /// RIO (`grio`).
    Grio,
    /// That of the whole queue, as in WRED (`grio` with virtual queues of the same `prio`).
    Wred,
}

/// One virtual queue. Thresholds are in packets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GredQueue {
    /// Average queue length at which signaling begins.
    pub min_th: Packets,
    /// Average queue length at which the probability has reached `max_p`.
    pub max_th: Packets,
    /// Probability `p_b` at `max_th`; 0.02 if it is not given, `tc`'s `probability`.
    #[serde(default = "fiftieth")]
    pub max_p: f64,
    /// Priority, the lower the more protected; used by `mode = "grio"`.
    #[serde(default)]
    pub prio: u32,
    /// Limit of its packets (`mode = "wred"`: of all packets); `"0 pkt"`: the queue's limit alone.
    #[serde(default)]
    pub limit: Packets,
}

fn fiftieth() -> f64 {
    0.02
}

impl GredQueue {
    /// Without a limit.
    pub fn of(min_th: f64, max_th: f64, max_p: f64, prio: u32) -> Self {
        GredQueue {
            min_th: Packets(min_th),
            max_th: Packets(max_th),
            max_p,
            prio,
            limit: Packets(0.0),
        }
    }
}

/// Parameters of [`Gred`](super::Gred). The default is an example: three drop precedences, and
/// all else with the last.
#[config]
pub struct GredConfig {
    /// Which average a packet is judged by.
    #[schemars(extend("x-source" = "tc-gred: without grio"))]
    #[config(default = GredMode::Separate)]
    pub mode: GredMode,
    /// The virtual queues, at most 16, as
    /// `[{ min_th = "5 pkt", max_th = "15 pkt", max_p = 0.02, prio = 0, limit = "0 pkt" }]`.
    #[schemars(extend("x-source" = "none: an example, to be replaced"))]
    #[config(default = vec![
        GredQueue::of(15.0, 45.0, 0.02, 1),
        GredQueue::of(10.0, 30.0, 0.05, 2),
        GredQueue::of(5.0, 15.0, 0.1, 3),
    ])]
    pub queues: Vec<GredQueue>,
    /// The virtual queue of each codepoint, as `{ ef = 0 }`.
    #[schemars(extend("x-source" = "none: an example, to be replaced"))]
    #[config(default = by_drop_precedence())]
    pub map: Table,
    /// The virtual queue of the other codepoints.
    #[schemars(extend("x-source" = "tc-gred: default"))]
    #[config(default = 2)]
    pub default_queue: u32,
    /// What the RED family has in common.
    #[config(flatten)]
    pub red: RedOptions,
}

impl GredConfig {
    fn check_queues(&self) -> Result<(), Fault> {
        let count = self.queues.len();
        if count == 0 || count > MOST {
            let fault = Fault::at("queues", format!("there are {count} virtual queues"));
            return Err(fault.fix(format!(
                "give 1 to {MOST}, as queues = [{{ min_th = \"5 pkt\", max_th = \
                    \"15 pkt\" }}]"
            )));
        }
        for (i, queue) in self.queues.iter().enumerate() {
            let at = |field: &str| format!("queues[{i}].{field}");
            if !(0.0..=1.0).contains(&queue.max_p) {
                return Err(Fault::at(
                    &at("max_p"),
                    format!("{} is not a probability", queue.max_p),
                )
                .fix(
                    "write \
                    0 to 1",
                ));
            }
            self.red()
                .with(queue.min_th.0, queue.max_th.0, queue.max_p)
                .check()
                .map_err(|f| if f.at == "max_th" { Fault { at: at("max_th"), ..f } } else { f })?;
            if self.mode == GredMode::Grio && self.queues[..i].iter().any(|q| q.prio == queue.prio)
            {
                let cause = format!(
                    "another virtual queue has prio {}: Linux then takes one average for \
                        all",
                    queue.prio
                );
                return Err(Fault::at(&at("prio"), cause).fix("write another, or mode = \"wred\""));
            }
        }
        Ok(())
    }
}

/// The first two drop precedences of each AF class in the first two queues.
fn by_drop_precedence() -> Table {
    let of_class = |class| (0..2).map(move |drop| (format!("af{class}{}", drop + 1), drop));
    (1..=4).flat_map(of_class).collect()
}

impl Config for GredConfig {
    fn check(&self) -> Result<(), Fault> {
        self.check_queues()?;
        let count = self.queues.len() as u32;
        if self.default_queue >= count {
            let cause = format!(
                "virtual queue {}, and the last of {count} is {}",
                self.default_queue,
                count - 1
            );
            return Err(Fault::at("default_queue", cause).fix(
                "add it to `queues`, or write a lower \
                one",
            ));
        }
        codepoints::check(&self.map, "map", count)
    }
}
