//! Checks of a run's own traffic: sent on time, and not broken.
use crate::traffic::Outcomes;
use crate::traffic::usage::{CpuUsage, Role};
use serde::{Deserialize, Serialize};

/// Failures and losses at the ends of flows, where the router does not see them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Traffic {
    /// Errors that broke connections, each with the number of its flow.
    pub troubles: Vec<String>,
    /// Datagrams that came and that their receiver had no room for.
    pub no_room: u64,
    /// Datagrams that the kernel did not take from their sender: no room, or larger than the device
    /// carries.
    pub refused: u64,
    /// Mean lateness of the datagrams of the latest flow, microseconds.
    pub late_mean_us: f64,
    /// The latest of all, microseconds.
    pub late_max_us: f64,
    /// Instants at which senders were to be asked how they stand, and were not.
    pub missed_samples: u64,
    /// The share of the measured time in which a host's thread or program was ready and had no
    /// processor: of the one that waited longest.
    pub starved_share: f64,
    /// The share of the measured time in which a connection's buffer had nothing more to send, or
    /// its receiver's window held it up: of the connection with the largest. `None`: there are
    /// flows of which the kernel does not tell it.
    pub unfed_share: Option<f64>,
    /// Of the time in which a connection had something to send, the share in which the receiver's
    /// window held it up: of the connection with the largest.
    pub window_limited_share: f64,
    /// The share of this time in which the sender's buffer held a connection up, of the connection
    /// with the largest.
    pub buffer_limited_share: f64,
}

/// Shares above which there is a warning.
const STARVED: f64 = 0.05;
const LIMITED: f64 = 0.1;

impl Traffic {
    /// Checks of all flows.
    pub fn of(outcomes: &Outcomes) -> Traffic {
        let flows = &outcomes.flows;
        let failure = |(flow, what): (usize, &String)| format!("flow {flow}: {what}");
        // A sampler that comes late changes nothing.
        let work = || outcomes.spent.iter().filter(|spent| spent.role != Role::Sampler);
        let mut all = Traffic {
            troubles: flows
                .iter()
                .filter_map(|o| Some(failure((o.flow, o.failure.as_ref()?))))
                .collect(),
            missed_samples: outcomes.missed_samples,
            unfed_share: (!flows.is_empty() && flows.iter().all(|flow| flow.control.is_some()))
                .then_some(0.0),
            starved_share: work().map(CpuUsage::waited_share).fold(0.0, f64::max),
            ..Traffic::default()
        };
        for flow in flows.iter().filter(|flow| flow.control.is_some()) {
            let (warm, end) = (&flow.sender_warm, &flow.sender_end);
            let busy = end.busy_us.saturating_sub(warm.busy_us).max(1) as f64;
            let share = |warm: u64, end: u64| end.saturating_sub(warm) as f64 / busy;
            let (window, buffer) = (
                share(warm.window_limited_us, end.window_limited_us),
                share(warm.buffer_limited_us, end.buffer_limited_us),
            );
            let fed = if flow.means.seconds > 0.0 {
                1.0 - flow.means.unfed_seconds / flow.means.seconds
            } else {
                0.0
            };
            all.unfed_share = all.unfed_share.map(|most| most.max(1.0 - fed * (1.0 - window)));
            all.window_limited_share = all.window_limited_share.max(window);
            all.buffer_limited_share = all.buffer_limited_share.max(buffer);
        }
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

    /// The share of the time that hosts without a processor can have cost at most: none in which
    /// the kernel had more to send and room at the other end.
    pub fn lost_to_starvation(&self) -> f64 {
        self.starved_share.min(self.unfed_share.unwrap_or(1.0))
    }

    /// Warnings: a lack of the hosts that may have changed the results.
    pub fn warnings(&self) -> Vec<String> {
        let percent = |share: f64| share * 100.0;
        let mut all = vec![];
        if self.starved_share > STARVED {
            all.push(format!(
                "a host waited for a processor for {:.1} % of the time: it may have sent or read \
                    less than it would; free the machine",
                percent(self.starved_share)
            ));
        }
        if self.window_limited_share > LIMITED {
            all.push(format!(
                "a receiver's window held up its sender for {:.1} % of the time: the receiver read \
                    too slowly, or its buffer is small",
                percent(self.window_limited_share)
            ));
        }
        if self.buffer_limited_share > LIMITED {
            all.push(format!(
                "a sender's buffer held it up for {:.1} % of the time: the program wrote too \
                    slowly, or its buffer is small",
                percent(self.buffer_limited_share)
            ));
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
            let sent = DatagramsSent {
                count,
                refused: 2,
                late_sum_ns,
                late_max_ns,
                ..DatagramsSent::default()
            };
            let datagrams = Some(Datagrams { sent, no_room: 3, ..Datagrams::default() });
            Outcome { datagrams, ..Outcome::default() }
        };
        let broken =
            Outcome { flow: 2, failure: Some("its sender: reset".into()), ..Outcome::default() };
        let flows = vec![datagrams(10, 50_000, 30_000), datagrams(2, 20_000, 15_000), broken];
        let all = Traffic::of(&Outcomes { flows, missed_samples: 5, ..Outcomes::default() });
        let troubles = vec!["flow 2: its sender: reset".to_owned()];
        let expected = Traffic {
            troubles,
            no_room: 6,
            refused: 4,
            late_mean_us: 10.0,
            late_max_us: 30.0,
            missed_samples: 5,
            ..Traffic::default()
        };
        assert_eq!(all, expected);
    }

    #[test]
    fn a_host_without_a_processor_costs_only_what_its_connections_lacked() {
        use crate::traffic::{Means, Sample};
        let connection = |unfed_seconds, window_limited_us| {
            let sender_end = Sample { busy_us: 1_000_000, window_limited_us, ..Sample::default() };
            let means = Means { seconds: 10.0, unfed_seconds, ..Means::default() };
            Outcome { control: Some("cubic".into()), sender_end, means, ..Outcome::default() }
        };
        let of = |flows: Vec<Outcome>| {
            let all = Traffic::of(&Outcomes { flows, ..Outcomes::default() });
            Traffic { starved_share: 0.3, ..all }.lost_to_starvation()
        };
        assert_eq!(of(vec![connection(0.0, 0)]), 0.0, "there was always more to send");
        let lacking = of(vec![connection(0.0, 0), connection(1.0, 100_000)]);
        assert!(
            (lacking - 0.19).abs() < 1e-9,
            "a tenth without data, and a tenth of the rest held \
            up: {lacking}"
        );
        assert_eq!(of(vec![connection(9.0, 0)]), 0.3, "no more than it waited");
        assert_eq!(
            of(vec![connection(0.0, 0), Outcome::default()]),
            0.3,
            "nobody knows of \
            datagrams"
        );
        assert_eq!(of(vec![]), 0.3);
    }
}
