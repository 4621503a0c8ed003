//! Deserialization from a JSON tree, with the path of what could not be read.
//!
//! `serde_json` reads a tree, too, but its errors name no place, and a wrapper that adds the place
//! doubles the code of every configuration.
use crate::catalogue::misread::{Misread, Step};
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, Expected, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

/// Reads `value` as a `T`.
pub fn from_json<T: DeserializeOwned>(value: &Value) -> Result<T, Misread> {
    T::deserialize(Tree(value))
}

/// A place in the tree.
#[derive(Clone, Copy)]
struct Tree<'a>(&'a Value);

impl Tree<'_> {
    fn wrong(self, expected: &dyn Expected) -> Misread {
        Misread::invalid_type(
            match self.0 {
                Value::Null => Unexpected::Unit,
                Value::Bool(b) => Unexpected::Bool(*b),
                Value::Number(n) => n
                    .as_u64()
                    .map(Unexpected::Unsigned)
                    .or(n.as_i64().map(Unexpected::Signed))
                    .unwrap_or(Unexpected::Float(n.as_f64().unwrap_or(f64::NAN))),
                Value::String(s) => Unexpected::Str(s),
                Value::Array(_) => Unexpected::Seq,
                Value::Object(_) => Unexpected::Map,
            },
            expected,
        )
    }

    fn number<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        let Value::Number(n) = self.0 else { return Err(self.wrong(&visitor)) };
        match (n.as_u64(), n.as_i64(), n.as_f64()) {
            (Some(n), _, _) => visitor.visit_u64(n),
            (None, Some(n), _) => visitor.visit_i64(n),
            (None, None, x) => visitor.visit_f64(x.unwrap_or(f64::NAN)),
        }
    }
}

macro_rules! numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
            self.number(visitor)
        })*
    };
}

// A method for each kind of value, not only `deserialize_any`: a type that wants a number is not
// compiled with all that it would say about tables.
impl<'de> Deserializer<'de> for Tree<'de> {
    type Error = Misread;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(b) => visitor.visit_bool(*b),
            Value::Number(_) => self.number(visitor),
            Value::String(s) => visitor.visit_borrowed_str(s),
            Value::Array(_) => self.deserialize_seq(visitor),
            Value::Object(_) => self.deserialize_map(visitor),
        }
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Bool(b) => visitor.visit_bool(*b),
            _ => Err(self.wrong(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::String(s) => visitor.visit_borrowed_str(s),
            _ => Err(self.wrong(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misread> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        let Value::Array(values) = self.0 else { return Err(self.wrong(&visitor)) };
        let mut elements = Elements { values, next: 0 };
        let read = visitor.visit_seq(&mut elements)?;
        elements.ended()?;
        Ok(read)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Misread> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Misread> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        let Value::Object(table) = self.0 else { return Err(self.wrong(&visitor)) };
        visitor.visit_map(Entries::of(table))
    }

    /// A table with the fields' names. Not an array of their values: nobody can read one.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        visitor.visit_enum(match self.0 {
            Value::String(variant) => Variant { variant, content: None },
            Value::Object(table) => {
                let mut entries = table.iter();
                let (Some((variant, content)), None) = (entries.next(), entries.next()) else {
                    return Err(Misread::invalid_value(Unexpected::Map, &"map with a single key"));
                };
                Variant { variant, content: Some(content) }
            }
            _ => return Err(self.wrong(&"string or map")),
        })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { char bytes byte_buf unit unit_struct }
}

struct Elements<'a> {
    values: &'a [Value],
    next: usize,
}

impl Elements<'_> {
    fn ended(&self) -> Result<(), Misread> {
        if self.next < self.values.len() {
            return Err(Misread::invalid_length(self.values.len(), &"fewer elements in array"));
        }
        Ok(())
    }
}

impl<'de> SeqAccess<'de> for &mut Elements<'de> {
    type Error = Misread;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misread> {
        let Some(value) = self.values.get(self.next) else { return Ok(None) };
        let index = self.next;
        self.next += 1;
        seed.deserialize(Tree(value)).map(Some).map_err(|e| e.below(Step::Index(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.values.len() - self.next)
    }
}

struct Entries<'a> {
    rest: serde_json::map::Iter<'a>,
    /// The entry whose key was read last.
    entry: Option<(&'a str, &'a Value)>,
}

impl<'a> Entries<'a> {
    fn of(table: &'a Map<String, Value>) -> Self {
        Entries { rest: table.iter(), entry: None }
    }
}

fn below_key(error: Misread, key: &str) -> Misread {
    error.below(Step::Key(key.to_string()))
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Misread;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misread> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.entry = Some((key, value));
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some).map_err(|e| below_key(e, key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Misread> {
        let Some((key, value)) = self.entry.take() else {
            return Err(Misread::new("a value without a key".to_string()));
        };
        seed.deserialize(Tree(value)).map_err(|e| below_key(e, key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// A variant of an enum: `"name"`, or `{"name": content}`.
struct Variant<'a> {
    variant: &'a str,
    content: Option<&'a Value>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Misread;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self::Variant), Misread> {
        let name = seed.deserialize(BorrowedStrDeserializer::<Misread>::new(self.variant))?;
        Ok((name, self))
    }
}

impl<'de> Variant<'de> {
    fn content(&self, expected: &dyn Expected) -> Result<Tree<'de>, Misread> {
        self.content
            .map(Tree)
            .ok_or_else(|| Misread::invalid_type(Unexpected::UnitVariant, expected))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Misread;

    fn unit_variant(self) -> Result<(), Misread> {
        match self.content {
            None | Some(Value::Null) => Ok(()),
            Some(content) => Err(below_key(Tree(content).wrong(&"unit"), self.variant)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Misread> {
        let content = self.content(&"newtype variant")?;
        seed.deserialize(content).map_err(|e| below_key(e, self.variant))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Misread> {
        let content = self.content(&"tuple variant")?;
        content.deserialize_seq(visitor).map_err(|e| below_key(e, self.variant))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        let content = self.content(&"struct variant")?;
        content.deserialize_map(visitor).map_err(|e| below_key(e, self.variant))
    }
}

#[cfg(test)]
mod tests;
