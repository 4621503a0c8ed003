//! What is known of a flow before it has a path.

/// The names of a sending host and a receiving one.
pub type Ends = (String, String);

/// A flow of a scenario before it has a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowName {
    /// The number of its `[[flow]]`.
    pub entry: usize,
    /// Its name.
    pub name: String,
    /// Its hosts, if they are not those of its entry.
    pub ends: Option<Ends>,
}
