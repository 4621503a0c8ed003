//! Attributes and structs of a netlink message.

/// Attributes in the making.
#[derive(Default)]
pub(super) struct Attributes(Vec<u8>);

impl Attributes {
    /// Adds bytes.
    pub(super) fn bytes(mut self, kind: u16, value: &[u8]) -> Self {
        self.0.extend_from_slice(&(4 + value.len() as u16).to_ne_bytes());
        self.0.extend_from_slice(&kind.to_ne_bytes());
        self.0.extend_from_slice(value);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }
    /// Adds a number.
    pub(super) fn number(self, kind: u16, value: u32) -> Self {
        self.bytes(kind, &value.to_ne_bytes())
    }
    /// Adds a number, if there is one.
    pub(super) fn maybe(self, kind: u16, value: Option<u32>) -> Self {
        match value {
            Some(value) => self.number(kind, value),
            None => self,
        }
    }
    /// Their bytes.
    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// The bytes of a struct of 32-bit numbers.
pub(super) fn numbers(all: &[u32]) -> Vec<u8> {
    all.iter().flat_map(|n| n.to_ne_bytes()).collect()
}
