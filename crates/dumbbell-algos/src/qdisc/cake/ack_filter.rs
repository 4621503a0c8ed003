//! The filter of acknowledgments: how many it leaves to a flow.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which acknowledgments are dropped (tc-cake(8)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AckFilter {
    /// None.
    #[default]
    None,
    /// A redundant one, if another redundant one stays beside the newest.
    Conservative,
    /// Every redundant one.
    Aggressive,
}

impl AckFilter {
    /// The acknowledgments that stay of a flow that has only redundant ones before its newest, the
    /// newest included; `None`: there is no filter.
    pub fn keeps(self) -> Option<usize> {
        match self {
            AckFilter::None => None,
            AckFilter::Conservative => Some(2),
            AckFilter::Aggressive => Some(1),
        }
    }
}
