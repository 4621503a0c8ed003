//! A DiffServ codepoint as a scenario writes it: a name of the RFCs, or a number.
use dumbbell_algos::dscp::codepoint;
use dumbbell_core::packet::Dscp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// `"ef"`, `"af41"`, `"cs1"`, `46`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Codepoint(pub Dscp);

impl<'de> Deserialize<'de> for Codepoint {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(d)?;
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        codepoint(&text).map(Codepoint).ok_or_else(|| {
            let fix = "write a number from 0 to 63, or ef, af11 .. af43, cs0 .. cs7, le, va, be";
            serde::de::Error::custom(format!("{value} is no DiffServ codepoint; {fix}"))
        })
    }
}

impl Serialize for Codepoint {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_u8(self.0.0)
    }
}

impl JsonSchema for Codepoint {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Codepoint".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "integer", "minimum": 0, "maximum": 63 },
            { "type": "string", "pattern": "^(be|df|le|va|ef|cs[0-7]|af[1-4][1-3]|[0-9]+)$" },
        ] })
    }
}
