//! A value that many parts of a plan have in common, kept once.
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A value that is kept once, however many parts of a plan have it: its clones cost eight bytes
/// each. It is read, compared, shown and written down as the value itself. Whoever changes one gets
/// a copy of their own first.
pub struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    /// True if both are one and the same place in memory, and so are equal without a look.
    pub fn same(a: &Self, b: &Self) -> bool {
        Arc::ptr_eq(&a.0, &b.0)
    }
    /// The same value for callers that do not know of plans.
    pub fn arc(&self) -> &Arc<T> {
        &self.0
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Shared(Arc::new(value))
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Shared::same(self, other) || *self.0 == *other.0
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Shared::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_by_its_owner_alone() {
        let first = Shared::from(vec![1, 2]);
        let mut second = first.clone();
        assert!(Shared::same(&first, &second));
        second.push(3);
        assert_eq!((&*first, &*second), (&vec![1, 2], &vec![1, 2, 3]));
        assert!(!Shared::same(&first, &second) && first != second);
    }

    #[test]
    fn it_is_written_and_read_as_the_value() {
        let value = Shared::from(String::from("red"));
        assert_eq!(serde_json::to_string(&value).unwrap(), "\"red\"");
        assert_eq!(serde_json::from_str::<Shared<String>>("\"red\"").unwrap(), value);
        assert_eq!(format!("{value:?}"), "\"red\"");
    }
}
