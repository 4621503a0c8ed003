//! An algorithm that a scenario can name: one of the catalogue, or one that was brought.
use dumbbell_core::catalogue::{Entry, Fault};
use dumbbell_core::plugin::{AqmFactory, CcFactory, Page};
use serde_json::Value;

/// An algorithm that a scenario can name.
#[derive(Clone)]
pub enum KnownAlgorithm {
    /// One of the catalogue.
    Catalogue(&'static Entry),
    /// A queue's, of the user's own.
    Aqm(AqmFactory),
    /// A congestion control of the user's own.
    Cc(CcFactory),
}

impl KnownAlgorithm {
    fn plugin(&self) -> Result<&Page, &'static Entry> {
        match self {
            KnownAlgorithm::Catalogue(entry) => Err(entry),
            KnownAlgorithm::Aqm(factory) => Ok(factory.page()),
            KnownAlgorithm::Cc(factory) => Ok(factory.page()),
        }
    }
    /// Its name.
    pub fn name(&self) -> &str {
        self.plugin().map_or_else(|e| e.about.name, |p| &p.name)
    }
    /// Its name in prose.
    pub fn title(&self) -> &str {
        self.plugin().map_or_else(|e| e.about.title, |p| &p.title)
    }
    /// Its idea.
    pub fn idea(&self) -> &str {
        self.plugin().map_or_else(|e| e.about.idea, |p| &p.idea)
    }
    /// Its page without parameters.
    pub fn page(&self) -> Value {
        match self.plugin() {
            Err(entry) => serde_json::to_value(entry.about).unwrap_or_default(),
            Ok(page) => {
                let mut value = serde_json::to_value(page).unwrap_or_default();
                value.as_object_mut().map(|m| m.shift_remove("schema"));
                value["provenance"] = match self {
                    KnownAlgorithm::Aqm(factory) => factory.provenance(),
                    KnownAlgorithm::Cc(factory) => factory.provenance(),
                    KnownAlgorithm::Catalogue(_) => "",
                }
                .into();
                value
            }
        }
    }
    /// JSON Schema of its parameters.
    pub fn schema(&self) -> &Value {
        self.plugin().map_or_else(|e| (e.schema)(), |p| &p.schema)
    }
    /// The defaults, written out.
    pub fn defaults(&self) -> Value {
        match self {
            KnownAlgorithm::Catalogue(entry) => (entry.defaults)(),
            KnownAlgorithm::Aqm(factory) => factory.defaults(),
            KnownAlgorithm::Cc(factory) => factory.defaults(),
        }
    }
    /// A configuration, checked and written out with all defaults.
    pub fn resolve(&self, config: &Value) -> Result<Value, Fault> {
        match self {
            KnownAlgorithm::Catalogue(entry) => (entry.resolve)(config),
            KnownAlgorithm::Aqm(factory) => factory.resolve(config),
            KnownAlgorithm::Cc(factory) => factory.resolve(config),
        }
    }
    /// A hash of its source, if it is not of the catalogue.
    pub fn source_hash(&self) -> Option<String> {
        self.plugin().ok().map(|p| p.source_hash.clone())
    }
}
