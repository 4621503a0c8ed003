//! Path-sharing intensity: how much of a flow's path others use, too. Known from the plan; nothing
//! is run.
//!
//! The jumbo paper's "links shared with other traffic by links of the flow", and the same against
//! each flow by itself. Links are directed and those of the data: acknowledgments on the reverse
//! path are small, and are left out.
use dumbbell_plan::{Flow, LinkId, Plan};
use serde_json::{Value, json};

/// The largest number of flows with a matrix; a larger matrix would be a document of megabytes that
/// nobody reads.
const MATRIX: usize = 200;

/// `{"name", "flows": [{"name", "links", "shared_links", "intensity"}], "matrix": [[number]] or
/// null, "links": [{"name", "flows"}], "most_shared": [names]}`. `matrix[a][b]` is the share of the
/// links of flow `a` that flow `b` takes, too: 1 on the diagonal, and not symmetric. Links are
/// those that data take, in the plan's order; `most_shared` are the ones with the most flows, if
/// any has more than one.
pub fn sharing(plan: &Plan) -> Value {
    let links: Vec<Vec<LinkId>> = plan.flows.iter().map(taken).collect();
    let mut users = vec![0usize; plan.links.len()];
    links.iter().flatten().for_each(|link| users[*link] += 1);
    let flow = |(flow, own): (&Flow, &Vec<LinkId>)| {
        let shared = own.iter().filter(|link| users[**link] > 1).count();
        json!({
            "name": flow.name, "links": own.len(), "shared_links": shared,
            "intensity": share(shared, own.len()),
        })
    };
    let flows: Vec<Value> = plan.flows.iter().zip(&links).map(flow).collect();
    let most = users.iter().copied().max().filter(|n| *n > 1);
    let named = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..users.len()).filter(|l| wanted(users[*l])).collect()
    };
    let row = |link: &usize| json!({ "name": plan.links[*link].name, "flows": users[*link] });
    json!({
        "name": plan.name,
        "flows": flows,
        "matrix": (links.len() <= MATRIX).then(|| matrix(&links)),
        "links": named(&|n| n > 0).iter().map(row).collect::<Vec<_>>(),
        "most_shared": named(&|n| Some(n) == most)
            .iter()
            .map(|l| plan.links[*l].name.clone())
            .collect::<Vec<_>>(),
    })
}

/// The links of a flow's data, each once, ascending.
fn taken(flow: &Flow) -> Vec<LinkId> {
    let mut links = flow.forward.clone();
    links.sort_unstable();
    links.dedup();
    links
}

fn share(part: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

fn matrix(links: &[Vec<LinkId>]) -> Vec<Vec<f64>> {
    let both = |a: &Vec<LinkId>, b: &Vec<LinkId>| {
        a.iter().filter(|link| b.binary_search(link).is_ok()).count()
    };
    links.iter().map(|a| links.iter().map(|b| share(both(a, b), a.len())).collect()).collect()
}

#[cfg(test)]
mod tests {
    use crate::language::load::Source;
    use crate::resolve::study::{Study, StudyInput};
    use serde_json::{Map, Value, json};

    fn of(value: Value) -> Value {
        let source = Source::Value { value, name: "net".into() };
        let input = StudyInput { source, overrides: vec![], also: Map::new(), uses: vec![] };
        let study = Study::new(&input).unwrap_or_else(|p| panic!("{}", p.rendered));
        let point = &study.points[0];
        super::sharing(&study.plan(point, point.seed()).unwrap())
    }

    /// a - r1 - r2 - b, with c at r1 and d at r2: by hand. Flow ab has 3 links, ad and cb 3, ac 2.
    #[test]
    fn by_hand() {
        let link =
            |a: &str, b: &str| json!({ "between": [a, b], "rate": "10 Mbps", "delay": "1 ms" });
        let flow = |a: &str, b: &str| json!({ "name": format!("{a}{b}"), "from": a, "to": b });
        let hosts = ["a", "b", "c", "d"].map(|name| json!({ "name": name }));
        let routers = ["r1", "r2"].map(|name| json!({ "name": name }));
        let got = of(json!({
            "duration": "1 s",
            "host": hosts,
            "router": routers,
            "link": [
                link("a", "r1"), link("r1", "r2"), link("r2", "b"), link("c", "r1"),
                link("r2", "d"),
            ],
            "flow": [flow("a", "b"), flow("a", "d"), flow("c", "b"), flow("b", "a")],
        }));
        let intensity: Vec<f64> = got["flows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f["intensity"].as_f64().unwrap())
            .collect();
        // ab shares all three links, ad and cb two of three; ba goes the other way, alone.
        assert_eq!(intensity, [1.0, 2.0 / 3.0, 2.0 / 3.0, 0.0]);
        assert_eq!(got["flows"][1]["shared_links"], json!(2));
        let (third, two) = (1.0 / 3.0, 2.0 / 3.0);
        assert_eq!(
            got["matrix"],
            json!([
                [1.0, two, two, 0.0],
                [two, 1.0, third, 0.0],
                [two, third, 1.0, 0.0],
                [0.0, 0.0, 0.0, 1.0]
            ])
        );
        assert_eq!(got["most_shared"].as_array().unwrap().len(), 1);
        assert!(got["links"].as_array().unwrap().iter().any(|l| l["flows"] == 3));
    }

    /// All of a dumbbell share its bottleneck and nothing else.
    #[test]
    fn of_a_dumbbell() {
        let got = of(json!({
            "duration": "1 s",
            "dumbbell": { "bottleneck": { "rate": "10 Mbps", "delay": "1 ms" } },
            "flow": [{ "name": "s", "count": 3 }],
        }));
        assert_eq!(got["most_shared"], json!(["bottleneck"]));
        for f in got["flows"].as_array().unwrap() {
            assert_eq!(
                (&f["shared_links"], f["intensity"].as_f64().unwrap()),
                (&json!(1), 1.0 / f["links"].as_f64().unwrap())
            );
        }
    }
}
