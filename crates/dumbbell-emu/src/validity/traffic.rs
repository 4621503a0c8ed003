//! What a run's own traffic says of itself: whether it was sent when it was to be, and nothing broke it.
use crate::traffic::Outcomes;
use serde::{Deserialize, Serialize};

/// What broke or was lost at the ends of a run's flows, where the router does not see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Traffic {
    /// What broke connections, the number of the flow first.
    pub troubles: Vec<String>,
    /// Datagrams that came and that their receiver had no room for.
    pub no_room: u64,
    /// Datagrams that the kernel did not take from their sender: no room, or larger than the device carries.
    pub refused: u64,
    /// How late datagrams were handed over: the mean of the flow that was late most, microseconds.
    pub late_mean_us: f64,
    /// The latest of all, microseconds.
    pub late_max_us: f64,
    /// Instants at which senders were to be asked how they stand, and were not.
    pub missed_samples: u64,
}

impl Traffic {
    /// Of all flows.
    pub fn of(outcomes: &Outcomes) -> Traffic {
        let flows = &outcomes.flows;
        let trouble = |(flow, what): (usize, &String)| format!("flow {flow}: {what}");
        let mut all = Traffic {
            troubles: flows.iter().filter_map(|o| Some(trouble((o.flow, o.trouble.as_ref()?)))).collect(),
            missed_samples: outcomes.missed_samples,
            ..Traffic::default()
        };
        for datagrams in flows.iter().filter_map(|o| o.datagrams.as_ref()) {
            let sent = &datagrams.sent;
            let mean = sent.late_sum_ns as f64 / sent.count.max(1) as f64 / 1e3;
            all.no_room += u64::from(datagrams.no_room);
            all.refused += sent.refused;
            all.late_mean_us = all.late_mean_us.max(mean);
            all.late_max_us = all.late_max_us.max(sent.late_max_ns as f64 / 1e3);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Outcome;
    use crate::traffic::datagrams::{Datagrams, DatagramsSent};

    #[test]
    fn what_flows_say_adds_up_and_the_latest_counts() {
        let datagrams = |count, late_sum_ns, late_max_ns| {
            let sent = DatagramsSent { count, refused: 2, late_sum_ns, late_max_ns, ..DatagramsSent::default() };
            let datagrams = Some(Datagrams { sent, no_room: 3, ..Datagrams::default() });
            Outcome { datagrams, ..Outcome::default() }
        };
        let broken = Outcome { flow: 2, trouble: Some("its sender: reset".into()), ..Outcome::default() };
        let flows = vec![datagrams(10, 50_000, 30_000), datagrams(2, 20_000, 15_000), broken];
        let all = Traffic::of(&Outcomes { flows, missed_samples: 5, ..Outcomes::default() });
        let troubles = vec!["flow 2: its sender: reset".to_owned()];
        let expected =
            Traffic { troubles, no_room: 6, refused: 4, late_mean_us: 10.0, late_max_us: 30.0, missed_samples: 5 };
        assert_eq!(all, expected);
    }
}
