//! Edges and impairments: what several links share is resolved once.
use crate::language::lookup::{Family, resolve as algorithm};
use crate::language::node::{Node, Path, below};
use crate::language::problem::Check;
use crate::resolve::edges;
use crate::resolve::topology::{LinkDraft, RoutedFlow};
use dumbbell_plan::{Rule, Shared, Spec};
use std::collections::BTreeMap;

/// Edges and impairments by their place in the scenario.
pub struct SpecCache<'a> {
    root: &'a Node,
    routed: &'a [RoutedFlow],
    edges: BTreeMap<Path, Shared<Vec<Rule>>>,
    known: BTreeMap<Path, Option<Shared<Spec>>>,
}

impl<'a> SpecCache<'a> {
    pub fn new(root: &'a Node, routed: &'a [RoutedFlow]) -> Self {
        SpecCache { root, routed, edges: BTreeMap::new(), known: BTreeMap::new() }
    }
    fn resolve(&mut self, family: Family, at: &Path, check: &mut Check) -> Option<Shared<Spec>> {
        let node = self.root.at(at)?;
        if let Some(spec) = self.known.get(at) {
            return spec.clone();
        }
        let spec = algorithm(family, node, at, None, check).map(Shared::from);
        self.known.insert(at.clone(), spec.clone());
        spec
    }
    /// The rules of the link's edge; `None` if it has none.
    pub fn conditioner(
        &mut self,
        draft: &LinkDraft,
        check: &mut Check,
    ) -> Option<Shared<Vec<Rule>>> {
        let at = draft.conditioner.as_deref()?;
        let node = self.root.at(at)?;
        let routed = self.routed;
        let rules = || Shared::from(edges::rules(node, at, routed, check));
        Some(self.edges.entry(at.clone()).or_insert_with(rules).clone())
            .filter(|rules| !rules.is_empty())
    }
    /// What the link's wire does to packets.
    pub fn impairments(&mut self, draft: &LinkDraft, check: &mut Check) -> Vec<Shared<Spec>> {
        let Some(at) = &draft.impairment else { return Vec::new() };
        let count = self.root.at(at).map_or(0, |n| n.items().len());
        (0..count).filter_map(|i| self.resolve(Family::Impairment, &below(at, i), check)).collect()
    }
}
