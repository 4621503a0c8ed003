//! The active flows, and the shares due to each kind of them.
use dumbbell_core::packet::FlowId;
use dumbbell_core::units::{Rate, Span};
use std::collections::BTreeMap;

/// The agreed terms of a flow. Flows of the same terms are treated alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Terms {
    /// Reserved rate, bits per second; 0: best effort.
    pub reserved: u64,
    /// Round-trip time.
    pub rtt: Span,
}

impl Terms {
    /// Its reservation and its part of the rest, bits per second.
    pub fn target(&self, spare: f64) -> f64 {
        self.reserved as f64 + spare
    }
    /// The model's probability up to a factor that all flows have in common.
    fn raw(&self, spare: f64) -> f64 {
        let rtt = self.rtt.seconds();
        1.0 / (rtt * rtt * self.target(spare))
    }
}

/// Values that the active flows have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shares {
    /// Each flow's part of what is not reserved, bits per second.
    pub spare: f64,
    /// The mean of what the model says of them; 0: they are all alike.
    mean: f64,
}

impl Shares {
    /// Returns the factor on RIO's probability for a flow: exactly 1 if all flows are alike.
    pub fn weight(&self, terms: Terms) -> f64 {
        if self.mean == 0.0 { 1.0 } else { terms.raw(self.spare) / self.mean }
    }
}

/// The flows that sent something in this window of time or the one before. Flows are numbered
/// densely, so that they are lists by number.
#[derive(Clone, Debug, Default)]
pub struct Active {
    /// For each flow the last window in which it sent, and 1 more; 0: never.
    last: Vec<u64>,
    flows: Vec<(FlowId, Terms)>,
    /// The number of active flows of each kind.
    kinds: BTreeMap<Terms, u32>,
    window: u64,
    /// Their shares at this rate, until the flows change.
    shares: Option<(Rate, Shares)>,
}

impl Active {
    /// The number of active flows.
    pub fn len(&self) -> u32 {
        self.flows.len() as u32
    }

    /// The last [`Shares::spare`]; 0: there was none.
    pub fn spare(&self) -> f64 {
        self.shares.map_or(0.0, |(_, shares)| shares.spare)
    }

    /// A packet comes in the window of this number.
    pub fn see(&mut self, flow: FlowId, terms: Terms, window: u64) {
        if window != self.window {
            self.turn(window);
        }
        let i = flow.0 as usize;
        if i >= self.last.len() {
            self.last.resize(i + 1, 0);
        }
        if self.last[i] == 0 {
            self.flows.push((flow, terms));
            *self.kinds.entry(terms).or_default() += 1;
            self.shares = None;
        }
        self.last[i] = window + 1;
    }

    /// Forgets the flows that were silent in the window before.
    #[cold]
    fn turn(&mut self, window: u64) {
        let Active { last, flows, kinds, shares, .. } = self;
        flows.retain(|(flow, terms)| {
            let stays = last[flow.0 as usize] >= window;
            if !stays {
                last[flow.0 as usize] = 0;
                *shares = None;
                if let Some(count) = kinds.get_mut(terms) {
                    *count -= 1;
                }
            }
            stays
        });
        kinds.retain(|_, count| *count > 0);
        self.window = window;
    }

    /// Returns the shares of the active flows at a link of `rate`. At least one flow is active.
    pub fn shares(&mut self, rate: Rate, floor: f64) -> Shares {
        match self.shares {
            Some((known, shares)) if known == rate => shares,
            _ => {
                let shares = self.find(rate.bps() as f64, floor);
                self.shares = Some((rate, shares));
                shares
            }
        }
    }

    fn find(&self, rate: f64, floor: f64) -> Shares {
        let n = self.flows.len().max(1) as f64;
        let reserved: f64 =
            self.kinds.iter().map(|(t, count)| t.reserved as f64 * f64::from(*count)).sum();
        let spare = ((rate - reserved) / n).max(floor * rate / n).max(1.0);
        let mean =
            self.kinds.iter().map(|(t, count)| t.raw(spare) * f64::from(*count)).sum::<f64>() / n;
        Shares { spare, mean: if self.kinds.len() > 1 { mean } else { 0.0 } }
    }
}
