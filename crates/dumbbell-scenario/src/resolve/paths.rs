//! The paths of a scenario's flows, and between how many of equal cost each was chosen.
use crate::language::node::Node;
use crate::language::problem::Check;
use crate::language::scenario::Scenario;
use crate::resolve::context::Context;
use crate::resolve::flow_names::flow_names;
use crate::resolve::sessions;
use crate::resolve::topology::routes::equal::EqualPaths;
use crate::resolve::topology::{self, Network};
use dumbbell_core::plugin::Plugins;
use dumbbell_plan::LinkId;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The most flows whose paths are listed.
const MOST: usize = 1000;

/// `{"routing", "by", "flows": [{"name", "from", "to", "via", "via_back", "equal", "moves"}],
/// "omitted", "down": [{"link", "from", "to"}]}` of a scenario without errors, for `seed`; null if
/// its network makes hosts for each flow. `via` names the routers of the data, `equal` counts the
/// paths of least cost while all links are up, `moves` says whether links that fail or return
/// change the flow's path.
pub fn paths(scenario: &Scenario, root: &Node, seed: u64, plugins: &Plugins) -> Value {
    if scenario.dumbbell.is_some() || scenario.parking_lot.is_some() {
        return Value::Null;
    }
    let mut check = Check::with(plugins);
    let expanded = Context::within(root, &mut check, |cx| sessions::expand(scenario, cx));
    let net = Context::within(&expanded.root, &mut check, |cx| {
        let names = flow_names(&expanded, seed, cx).names;
        topology::build(&expanded.scenario, &names, seed, cx)
    });
    let mut equal = EqualPaths::new(&net);
    let mut known: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    let flow = |f: &topology::RoutedFlow| {
        let count = *known.entry((f.from, f.to)).or_insert_with(|| equal.count(&net, f.from, f.to));
        json!({
            "name": f.name,
            "from": net.nodes[f.from].name,
            "to": net.nodes[f.to].name,
            "via": between(&net, &f.forward),
            "via_back": between(&net, &f.back),
            "equal": count,
            "moves": f.multipath.as_ref().is_some_and(|all| {
                all.forward.len() > 1 || all.back.len() > 1
            }),
        })
    };
    let flows: Vec<Value> = net.flows.iter().take(MOST).map(flow).collect();
    let routing = topology::routing(scenario);
    let down = net.links.iter().flat_map(|link| {
        link.settings.down.iter().map(|(from, long)| {
            json!({
                "link": link.name,
                "from": from.to_string(),
                "to": (*from + *long).to_string(),
            })
        })
    });
    json!({
        "routing": routing.kind,
        "by": routing.by,
        "down": down.collect::<Vec<_>>(),
        "flows": flows,
        "omitted": net.flows.len().saturating_sub(MOST),
    })
}

/// The names of the nodes between the ends of a way.
fn between<'a>(net: &'a Network, way: &[LinkId]) -> Vec<&'a str> {
    let inner = way.len().saturating_sub(1);
    way.iter().take(inner).map(|l| net.nodes[net.links[*l].to].name.as_str()).collect()
}
