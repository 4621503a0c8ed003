//! Decisions as instants with everything that was recorded of them: a queue drops or marks a
//! packet, a sender reacts.
use super::draft::{Draft, Order, Piece};
use super::packets::arrow;
use super::series::Fail;
use crate::export::record_reader::{Record, Rows, count, ps};
use crate::formats::perfetto::{DebugAnnotation, Kind, Names, Value};
use crate::language::problem::Problem;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use dumbbell_plan::Plan;

/// The track of a queue's drops and marks.
const SIGNALS: &str = "drops and marks";

/// Adds the drops and marks of all queues, of one flow or of all. plan: the network, if packets
/// were recorded.
///
/// # Errors
/// Code 3: the record is damaged; 1: a temporary file cannot be written.
pub fn signals(
    mut record: Record,
    (plan, only): (Option<&Plan>, Option<&str>),
    draft: &mut Draft<'_>,
    fail: &Fail<'_>,
) -> Result<(), Problem> {
    while let Some(rows) = record.next()? {
        let (queue, flow, from) = (rows.words("queue")?, rows.words("flow")?, rows.words("from")?);
        let (time, marked) = (rows.reals("time_s")?, rows.truths("marked")?);
        let (reason, number) = (rows.words("reason")?, rows.counts("packet")?);
        let places = flow.places(|n| plan?.flows.iter().position(|f| f.name == n));
        let columns = annotated(&rows, &["time_s", "queue", "reason", "marked"]);
        for row in 0..rows.len() {
            let wanted = only.is_none_or(|name| flow.get(row) == Some(name));
            let Some(link) = queue.get(row).filter(|_| wanted) else { continue };
            let group = draft.tracks.queue(link);
            let verb = if marked.value(row) { "mark" } else { "drop" };
            let name = format!("{verb}: {}", reason.get(row).unwrap_or_default());
            let mut event = draft.names.event(Kind::Instant, &name);
            event.track_uuid = Some(draft.tracks.below(group, SIGNALS, None));
            event.debug_annotations = annotations(&columns, row, &mut draft.names);
            let data = !marked.value(row) && from.get(row) == Some("sender");
            let packet = flow.key(row).and_then(|k| places[k]).zip(count(number, row));
            event.flow_ids = packet.filter(|_| data).map(arrow).into_iter().collect();
            let at = ps(time.value(row));
            draft.push(at, Order::Decision, &Piece::Event(&event)).map_err(fail)?;
        }
    }
    Ok(())
}

/// Adds the reactions of senders, of one flow or of all.
///
/// # Errors
/// Code 3: the record is damaged; 1: a temporary file cannot be written.
pub fn reactions(
    mut record: Record,
    only: Option<&str>,
    draft: &mut Draft<'_>,
    fail: &Fail<'_>,
) -> Result<(), Problem> {
    while let Some(rows) = record.next()? {
        let (flow, cause, time) =
            (rows.words("flow")?, rows.words("cause")?, rows.reals("time_s")?);
        let columns = annotated(&rows, &["time_s", "flow", "cause"]);
        for row in 0..rows.len() {
            let Some(name) = flow.get(row).filter(|n| only.is_none_or(|o| o == *n)) else {
                continue;
            };
            let mut event = draft.names.event(Kind::Instant, cause.get(row).unwrap_or_default());
            event.track_uuid = Some(draft.tracks.flow(name));
            event.debug_annotations = annotations(&columns, row, &mut draft.names);
            let at = ps(time.value(row));
            draft.push(at, Order::Decision, &Piece::Event(&event)).map_err(fail)?;
        }
    }
    Ok(())
}

/// The columns besides `others`.
fn annotated<'r>(rows: &'r Rows<'_>, others: &[&str]) -> Vec<(&'r str, &'r ArrayRef)> {
    let names = rows.batch.schema_ref().fields().iter().map(|f| f.name().as_str());
    names.zip(rows.batch.columns()).filter(|(name, _)| !others.contains(name)).collect()
}

/// The values of a row.
fn annotations(
    columns: &[(&str, &ArrayRef)],
    row: usize,
    names: &mut Names,
) -> Vec<DebugAnnotation> {
    let there = columns.iter().filter(|(_, column)| column.is_valid(row));
    there.filter_map(|(name, column)| Some(names.annotation(name, value(column, row)?))).collect()
}

fn value(column: &ArrayRef, row: usize) -> Option<Value> {
    Some(match column.data_type() {
        DataType::UInt64 => Value::Count(column.as_primitive_opt::<UInt64Type>()?.value(row)),
        DataType::Float64 => Value::Real(column.as_primitive_opt::<Float64Type>()?.value(row)),
        DataType::Boolean => Value::Truth(column.as_boolean_opt()?.value(row)),
        DataType::Utf8 => Value::Text(column.as_string_opt::<i32>()?.value(row).into()),
        _ => {
            let words = column.as_dictionary_opt::<Int32Type>()?;
            Value::Text(words.values().as_string_opt::<i32>()?.value(words.key(row)?).into())
        }
    })
}
