//! The Arrow schema that a Parquet file carries in its metadata: readers take from it that a column
//! of names is a dictionary, which Parquet's own schema cannot say.
//!
//! The value is the base64 text of an encapsulated message of Arrow's IPC format (Schema.fbs and
//! Message.fbs in the format's specification, version 1.0).
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dumbbell_results::series::cells::Type;
use flatbuffers::{FlatBufferBuilder, TableFinishedWIPOffset, VOffsetT, WIPOffset};

/// The key of the metadata.
pub(super) const KEY: &str = "ARROW:schema";

/// `MetadataVersion.V5`.
const VERSION: i16 = 4;
/// `MessageHeader.Schema`.
const SCHEMA: u8 = 1;
/// `Precision.DOUBLE`.
const DOUBLE: i16 = 2;
/// What stands before a message: that a length follows.
const CONTINUATION: [u8; 4] = [0xff; 4];

type Builder = FlatBufferBuilder<'static>;
type Table = WIPOffset<TableFinishedWIPOffset>;

/// The place of field `number` of a table, as the vtable counts.
const fn slot(number: VOffsetT) -> VOffsetT {
    4 + 2 * number
}

/// The text for a file with these columns.
pub(super) fn text(columns: &[(String, Type)]) -> String {
    let mut b = Builder::new();
    let fields: Vec<Table> = columns
        .iter()
        .enumerate()
        .map(|(i, (name, kind))| field(&mut b, i as i64, name, *kind))
        .collect();
    let fields = b.create_vector(&fields);
    let schema = b.start_table();
    b.push_slot_always(slot(1), fields);
    let schema = b.end_table(schema);
    let message = b.start_table();
    b.push_slot_always(slot(2), schema);
    b.push_slot_always(slot(0), VERSION);
    b.push_slot_always(slot(1), SCHEMA);
    let message = b.end_table(message);
    b.finish(message, None);
    let data = b.finished_data();
    let length = data.len() as u32;
    STANDARD.encode([&CONTINUATION, length.to_le_bytes().as_slice(), data].concat())
}

/// The `Field` of a column; `id` tells the dictionaries of a file apart.
fn field(b: &mut Builder, id: i64, name: &str, kind: Type) -> Table {
    let name = b.create_string(name);
    let (of, data) = data_type(b, kind);
    let dictionary = (kind == Type::Word).then(|| dictionary(b, id));
    let children = b.create_vector::<Table>(&[]);
    let field = b.start_table();
    b.push_slot_always(slot(0), name);
    b.push_slot_always(slot(3), data);
    if let Some(dictionary) = dictionary {
        b.push_slot_always(slot(4), dictionary);
    }
    b.push_slot_always(slot(5), children);
    b.push_slot_always(slot(1), kind.is_nullable());
    b.push_slot_always(slot(2), of);
    b.end_table(field)
}

/// The number of a type in the union `Type`, and its table.
fn data_type(b: &mut Builder, kind: Type) -> (u8, Table) {
    match kind {
        Type::Count | Type::MaybeCount => (2, int(b, 64, false)),
        Type::Real | Type::MaybeReal => {
            let double = b.start_table();
            b.push_slot_always(slot(0), DOUBLE);
            (3, b.end_table(double))
        }
        Type::Word | Type::Text => (5, empty(b)),
        Type::Truth => (6, empty(b)),
    }
}

fn empty(b: &mut Builder) -> Table {
    let table = b.start_table();
    b.end_table(table)
}

fn int(b: &mut Builder, bits: i32, signed: bool) -> Table {
    let table = b.start_table();
    b.push_slot_always(slot(0), bits);
    b.push_slot_always(slot(1), signed);
    b.end_table(table)
}

/// The `DictionaryEncoding` of a column of names: indices of 32 bits.
fn dictionary(b: &mut Builder, id: i64) -> Table {
    let index = int(b, 32, true);
    let table = b.start_table();
    b.push_slot_always(slot(0), id);
    b.push_slot_always(slot(1), index);
    b.end_table(table)
}
