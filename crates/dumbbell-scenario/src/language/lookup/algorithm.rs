//! An algorithm that a scenario can name: one of the catalogue, or a plugin.
use dumbbell_core::catalogue::{About, Entry, Fault};
use dumbbell_core::plugin::{AqmFactory, CcFactory, Page};
use serde_json::{Value, json};

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
    /// The facts beside its page; a user's algorithm has none.
    pub fn about(&self) -> Option<About> {
        match self {
            KnownAlgorithm::Catalogue(entry) => Some(entry.about),
            KnownAlgorithm::Aqm(factory) => factory.about(),
            KnownAlgorithm::Cc(factory) => factory.about(),
        }
    }
    /// Its page without parameters.
    pub fn page(&self) -> Value {
        let about = self.about().map(|about| serde_json::to_value(about).unwrap_or_default());
        let Ok(page) = self.plugin() else { return about.unwrap_or_default() };
        let mut value = about.unwrap_or_else(|| json!({ "provenance": "own" }));
        for (key, own) in json!(page).as_object().into_iter().flatten() {
            if key != "schema" {
                value[key] = own.clone();
            }
        }
        value
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
