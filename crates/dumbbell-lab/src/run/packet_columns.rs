//! Columns of tables with a row for each packet.
use crate::results::records::packet_fields;
use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, UInt64Array};
use dumbbell_core::units::Time;
use dumbbell_sim::Arrival;
use std::sync::Arc;

/// A column of instants.
pub(super) fn moments(of: impl Iterator<Item = Option<Time>>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter(of.map(|t| t.map(Time::ps))))
}

/// A column of words.
pub(super) fn words_of(of: impl Iterator<Item = Option<&'static str>>) -> ArrayRef {
    let mut b = StringDictionaryBuilder::<Int32Type>::new();
    of.for_each(|word| b.append_option(word));
    Arc::new(b.finish())
}

/// A column of counts.
pub(super) fn counts(of: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(of))
}

/// The columns that say what arrived.
pub(super) fn common_columns(arrivals: &[Arrival]) -> Vec<(String, ArrayRef)> {
    [
        ("time_ps", counts(arrivals.iter().map(|a| a.at.ps()))),
        ("bytes", counts(arrivals.iter().map(|a| u64::from(a.ip_len)))),
        ("ecn", words_of(arrivals.iter().map(|a| Some(packet_fields::ecn(a.ecn))))),
        ("flow", counts(arrivals.iter().map(|a| u64::from(a.flow)))),
        ("dscp", counts(arrivals.iter().map(|a| u64::from(a.dscp.0)))),
    ]
    .map(|(name, array)| (name.to_string(), array))
    .into()
}
