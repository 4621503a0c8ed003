//! Meters color packets (RFC 2475 section 2.3.3.1). A [`Meter`] answers at once and holds nothing;
//! a stage that may hold packets is a [`crate::conditioner::Conditioner`].
use crate::aqm::{Cx, LinkInfo};
use crate::packet::{Dscp, Meta};
use crate::probe::Probe;
use crate::units::{Rate, Span, Time};
use dumbbell_macros::delegate;
use serde::{Deserialize, Serialize};

/// A meter's answer for one packet (RFC 2697, RFC 2698). A meter that knows two answers says green
/// for IN and yellow for OUT.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    /// In profile.
    #[default]
    Green,
    /// Above the committed, within the excess profile.
    Yellow,
    /// Out of profile.
    Red,
}

impl Color {
    /// All of them, the best first.
    pub const ALL: [Color; 3] = [Color::Green, Color::Yellow, Color::Red];
    /// A dense number.
    pub fn index(self) -> usize {
        self as usize
    }
    /// The name in scenarios and results.
    pub fn name(self) -> &'static str {
        ["green", "yellow", "red"][self.index()]
    }
}

/// The traffic conditioning agreement (RFC 2475) for the packets that a meter sees, and the link
/// before which it stands. Of an aggregate: the sum of its flows' reservations, the longest of
/// their round-trip times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contract {
    /// The link whose port the packets go to.
    pub link: LinkInfo,
    /// The reserved rate, if there is a reservation.
    pub reserved: Option<Rate>,
    /// Round-trip propagation time, if it is known.
    pub rtt: Option<Span>,
}

/// The account of a bucket in its own units: what it had at the start and what came since was
/// taken, was lost because the bucket was full, or is there. The units are exact, so that nothing
/// is ever rounded away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// At the start.
    pub start: u128,
    /// Came in since.
    pub made: u128,
    /// Taken by packets.
    pub taken: u128,
    /// Found the bucket full.
    pub lost: u128,
    /// There now.
    pub level: u128,
    /// The number of units in one token.
    pub unit: u128,
    /// True if a token stands for a packet, not for a byte.
    pub packets: bool,
}

impl Tokens {
    /// True if every token is accounted for: start + made = taken + lost + level.
    pub fn balanced(&self) -> bool {
        self.start + self.made == self.taken + self.lost + self.level
    }
    /// `units` as tokens.
    pub fn tokens(&self, units: u128) -> f64 {
        units as f64 / self.unit.max(1) as f64
    }
}

/// The action of an edge for a color.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The packet goes on as it came.
    Pass,
    /// It goes on with this codepoint.
    Mark(Dscp),
    /// It is dropped (a policer).
    Drop,
}

/// The action for each color, in the order of [`Color::ALL`].
pub type Actions = [Action; 3];

/// The codepoints of assured forwarding's first class by drop precedence (RFC 2597): AF11, AF12,
/// AF13.
pub const ASSURED: Actions =
    [Action::Mark(Dscp(10)), Action::Mark(Dscp(12)), Action::Mark(Dscp(14))];

/// The color to which `actions` give the codepoint `dscp`; else the color of its drop precedence
/// (RFC 2597), green if it has none.
pub fn color_of(dscp: Dscp, actions: &Actions) -> Color {
    let given = Color::ALL.into_iter().find(|c| actions[c.index()] == Action::Mark(dscp));
    given.unwrap_or(match (dscp.0 >> 3, dscp.0 & 7) {
        (1..=4, 4) => Color::Yellow,
        (1..=4, 6) => Color::Red,
        _ => Color::Green,
    })
}

/// A meter: it gives each packet a color.
#[delegate(names = crate::{meter::*, aqm::Cx, packet::Meta, probe::Probe, units::Time})]
pub trait Meter {
    /// The color of an arriving packet that had the color `before` (green if it had none). A
    /// color-blind meter ignores `before`.
    #[inline]
    fn color(&mut self, cx: &mut Cx<'_>, p: &Meta, before: Color) -> Color;
    /// True if the sender of a packet is told at once that it was not green; asked once.
    fn tells_sender(&self) -> bool {
        false
    }
    /// The color of a packet without a reservation: the worst that it gives.
    fn worst(&self) -> Color {
        Color::Yellow
    }
    /// The token account of its committed bucket until `now`, if it has one.
    fn tokens(&mut self, _now: Time) -> Option<Tokens> {
        None
    }
    /// Reports its inner values: tokens, estimates, probabilities.
    fn probe(&self, _out: &mut dyn Probe) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_codepoint_has_the_colour_of_its_drop_precedence_unless_an_edge_says_otherwise() {
        let of = |dscp| color_of(Dscp(dscp), &ASSURED);
        assert_eq!(
            [0, 10, 12, 14, 34, 36, 38, 46].map(of).map(Color::index),
            [0, 0, 1, 2, 0, 1, 2, 0]
        );
        let own = [Action::Mark(Dscp(46)), Action::Drop, Action::Mark(Dscp(0))];
        assert_eq!([46, 0, 12].map(|d| color_of(Dscp(d), &own).index()), [0, 2, 1]);
    }

    #[test]
    fn an_account_is_balanced_or_it_is_not() {
        let t = Tokens { start: 5, made: 7, taken: 4, lost: 6, level: 2, unit: 2, packets: false };
        assert!(t.balanced() && !Tokens { lost: 5, ..t }.balanced());
        assert_eq!(t.tokens(t.made), 3.5);
    }
}
