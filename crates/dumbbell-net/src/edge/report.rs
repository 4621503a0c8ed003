//! Rows and reports of markers: the account of each meter state of an edge.
use crate::engine::queued_packet::QueuedPacket;
use dumbbell_algos::edge::{MeterState, TokenIncome};
use dumbbell_core::meter::{Color, Tokens};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_plan::{Rule, Shared};

/// The flows that one meter state of an edge serves, as results name them.
pub struct ServedFlows {
    /// Its rule.
    pub rule: Shared<Rule>,
    /// The rule's place in the list, from 0.
    pub number: usize,
    /// The one flow whose data it sees; `None`: all that the rule takes.
    pub flow: Option<usize>,
    /// The rate reserved for the flows whose data it sees.
    pub reserved: Option<Rate>,
}

/// A marker at one instant. Counts are since the start of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkerRow {
    /// The rule's place in the edge's list, from 0.
    pub rule: usize,
    /// The one flow whose data it sees.
    pub flow: Option<usize>,
    /// Tokens in its bucket; `None` if it has none.
    pub tokens: Option<f64>,
    /// Tokens that found the bucket full.
    pub tokens_lost: Option<f64>,
    /// Packets held.
    pub held: u64,
    /// Packets that went on in profile.
    pub in_packets: u64,
    /// Packets that went on out of profile.
    pub out_packets: u64,
}

impl MarkerRow {
    /// The row of a meter state at `t`; nothing has happened to it since.
    pub fn of(served: &ServedFlows, place: &mut MeterState<QueuedPacket>, t: Time) -> MarkerRow {
        let tokens = place.tokens(t);
        let [green, yellow, red] = place.account.total().packets;
        MarkerRow {
            rule: served.number,
            flow: served.flow,
            tokens: tokens.map(|t| t.tokens(t.level)),
            tokens_lost: tokens.map(|t| t.tokens(t.lost)),
            held: place.held(),
            in_packets: green,
            out_packets: yellow + red,
        }
    }
}

/// A marker after a run; of the window from the warm-up to the end.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkerReport {
    /// The link before whose queue it stands.
    pub link: String,
    /// The rule's place in the edge's list, from 0.
    pub rule: usize,
    /// The one flow whose data it sees; `None`: all that the rule takes.
    pub flow: Option<String>,
    /// The meter or conditioner.
    pub kind: String,
    /// The rate reserved for the flows whose data it sees.
    pub reserved: Option<Rate>,
    /// Packets that went on, by color: green is in profile.
    pub packets: [u64; 3],
    /// Their bytes of IP length.
    pub bytes: [u64; 3],
    /// Packets that it dropped.
    pub dropped: u64,
    /// Tokens that came into its bucket, if it has one.
    pub income: Option<TokenIncome>,
    /// Packets that it held before they went on.
    pub held: u64,
    /// Packets in its buffer, in the mean over time.
    pub mean_held: f64,
    /// For how long those that it held were: the mean, the 99th percentile and the longest.
    pub holding: [Option<Span>; 3],
}

impl MarkerReport {
    /// The report of a meter state before `link`, settled until the end.
    pub fn of(
        link: &str,
        flow: Option<&str>,
        served: &ServedFlows,
        place: &MeterState<QueuedPacket>,
    ) -> MarkerReport {
        let account = &place.account;
        MarkerReport {
            link: link.into(),
            rule: served.number,
            flow: flow.map(Into::into),
            kind: served.rule.spec.kind.clone(),
            reserved: served.reserved,
            packets: Color::ALL.map(|c| account.packets(c)),
            bytes: Color::ALL.map(|c| account.bytes(c)),
            dropped: account.drops(),
            income: account.standing.income(),
            held: account.held(),
            mean_held: account.standing.mean_held(),
            holding: [
                account.mean_holding(),
                account.holding_quantile(0.99),
                account.longest_holding(),
            ],
        }
    }
}

/// The fault of a bucket whose account does not balance.
pub(crate) fn fault(link: &str, flow: Option<&str>, tokens: &Tokens) -> Option<String> {
    (!tokens.balanced()).then(|| {
        let whose = flow.map_or(String::new(), |flow| format!(" for `{flow}`"));
        format!(
            "marker before `{link}`{whose}: tokens do not add up, start + made is not taken + lost \
                + level: {tokens:?}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No bucket of the catalogue can be made to lose a token: an account by hand.
    #[test]
    fn a_token_that_is_missing_is_a_fault() {
        let whole =
            Tokens { start: 5, made: 7, taken: 4, lost: 6, level: 2, unit: 1, packets: false };
        assert_eq!(fault("bottleneck", None, &whole), None);
        for broken in [Tokens { level: 1, ..whole }, Tokens { made: 8, ..whole }] {
            let fault = fault("bottleneck", Some("gold.1"), &broken).unwrap();
            assert!(
                fault.starts_with(
                    "marker before `bottleneck` for `gold.1`: tokens do not add \
                up"
                ),
                "{fault}"
            );
        }
    }
}
