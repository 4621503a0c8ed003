//! An algorithm that a scenario can name: one of the catalogue, or one that was brought.
use crate::choice::Family;
use dumbbell_core::catalogue::{Entry, Fault, nearest};
use dumbbell_core::foreign::{AqmMaker, CcMaker, Makers, Page};
use serde_json::Value;

/// An algorithm that a scenario can name.
#[derive(Clone)]
pub enum Known {
    /// One of the catalogue.
    Catalogue(&'static Entry),
    /// A queue's, of the user's own.
    Aqm(AqmMaker),
    /// A congestion control of the user's own.
    Cc(CcMaker),
}

impl Known {
    fn brought(&self) -> Result<&Page, &'static Entry> {
        match self {
            Known::Catalogue(entry) => Err(entry),
            Known::Aqm(maker) => Ok(maker.page()),
            Known::Cc(maker) => Ok(maker.page()),
        }
    }
    /// Its name.
    pub fn name(&self) -> &str {
        self.brought().map_or_else(|e| e.about.name, |p| &p.name)
    }
    /// Its name in prose.
    pub fn title(&self) -> &str {
        self.brought().map_or_else(|e| e.about.title, |p| &p.title)
    }
    /// Its idea.
    pub fn idea(&self) -> &str {
        self.brought().map_or_else(|e| e.about.idea, |p| &p.idea)
    }
    /// Its page without parameters.
    pub fn page(&self) -> Value {
        match self.brought() {
            Err(entry) => serde_json::to_value(entry.about).unwrap_or_default(),
            Ok(page) => {
                let mut value = serde_json::to_value(page).unwrap_or_default();
                value.as_object_mut().map(|m| m.shift_remove("schema"));
                value["provenance"] = match self {
                    Known::Aqm(maker) => maker.provenance(),
                    Known::Cc(maker) => maker.provenance(),
                    Known::Catalogue(_) => "",
                }
                .into();
                value
            }
        }
    }
    /// JSON Schema of its parameters.
    pub fn schema(&self) -> &Value {
        self.brought().map_or_else(|e| (e.schema)(), |p| &p.schema)
    }
    /// The defaults, written out.
    pub fn defaults(&self) -> Value {
        match self {
            Known::Catalogue(entry) => (entry.defaults)(),
            Known::Aqm(maker) => maker.defaults(),
            Known::Cc(maker) => maker.defaults(),
        }
    }
    /// A configuration, checked and written out with all defaults.
    pub fn resolve(&self, config: &Value) -> Result<Value, Fault> {
        match self {
            Known::Catalogue(entry) => (entry.resolve)(config),
            Known::Aqm(maker) => maker.resolve(config),
            Known::Cc(maker) => maker.resolve(config),
        }
    }
    /// A hash of its source, if it is not of the catalogue.
    pub fn source_hash(&self) -> Option<String> {
        self.brought().ok().map(|p| p.source_hash.clone())
    }
}

/// The fault of a name that nobody has.
pub fn unknown(family: Family, name: &str, makers: &Makers) -> Fault {
    // A queue may be one that signals, or one of several: whoever misspells it meant either.
    let known: Vec<Known> = family.alike().flat_map(|f| f.all(makers)).collect();
    let names: Vec<&str> = known.iter().map(Known::name).collect();
    let fault = Fault::at("kind", format!("there is no {} named `{name}`", family.place_name()));
    match nearest(name, &names) {
        Some(known) => fault.fix(format!("did you mean `{known}`?")),
        None => fault.fix(format!("known are {}", names.join(", "))),
    }
}
