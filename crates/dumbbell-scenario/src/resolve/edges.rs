//! The edge before a link as a scenario writes it: a meter or conditioner with the words around it
//! (`per`, `flows`, `dscp`, and what each color leads to), or a list of such tables, of which the
//! first that takes a packet has it.
use crate::language::lookup::Family;
use crate::language::node::{Kind, Node};
use crate::resolve::context::At;
use crate::resolve::flow_names::flow_name::FlowName;
use dumbbell_algos::dscp::codepoint;
use dumbbell_core::catalogue::nearest;
use dumbbell_core::meter::{ASSURED, Action, Actions, Color};
use dumbbell_core::packet::Dscp;
use dumbbell_plan::{Rule, Shared};

/// The spellings of a codepoint, for messages.
const CODEPOINTS: &str = "ef, af11 .. af43, cs0 .. cs7, le, va, be, or a number from 0 to 63";

/// The rules of the edge at `at`; `names` are the flows. `None`:
/// there is no edge, or it is wrong.
pub fn rules(at: &At<'_>, names: &[FlowName]) -> Option<Shared<Vec<Rule>>> {
    let node = at.node()?;
    let rules: Vec<Rule> = match &node.kind {
        Kind::List(items) => items
            .iter()
            .enumerate()
            .filter_map(|(i, item)| rule(item, &at.below(i), names))
            .collect(),
        _ => rule(node, at, names).into_iter().collect(),
    };
    (!rules.is_empty()).then(|| rules.into())
}

fn rule(node: &Node, at: &At<'_>, names: &[FlowName]) -> Option<Rule> {
    let errors = at.cx.errors();
    let spec = at.algorithm(Family::of_conditioner(node), node, None);
    let words = Words { node, at };
    let per_flow = words.per();
    let flows = words.flows(names);
    let codepoints = words.codepoints();
    let colours = words.colours();
    let spec = spec.filter(|_| at.cx.errors() == errors)?;
    Some(Rule { spec, per_flow, flows, codepoints, colours })
}

/// The words around an algorithm.
struct Words<'a> {
    node: &'a Node,
    at: &'a At<'a>,
}

impl Words<'_> {
    /// The texts of a word that may be one or a list.
    fn texts(&self, key: &str) -> Option<Vec<String>> {
        let node = self.node.get(key)?;
        let text = |n: &Node| n.as_str().map_or_else(|| n.to_json().to_string(), str::to_string);
        Some(if matches!(node.kind, Kind::List(_)) {
            node.items().iter().map(text).collect()
        } else {
            vec![text(node)]
        })
    }

    fn per(&self) -> bool {
        match self.node.get("per").map(Node::as_str) {
            None | Some(Some("aggregate")) => false,
            Some(Some("flow")) => true,
            Some(_) => {
                let fix = "write per = \"flow\" (one for each flow) or per = \"aggregate\" (one \
                    for all, the default)";
                self.at.below("per").refuse("this says neither `flow` nor `aggregate`", fix);
                false
            }
        }
    }

    /// The flows that `flows` names: by their names, by the name of their entry, or with a `*` at
    /// the end.
    fn flows(&self, names: &[FlowName]) -> Option<Vec<usize>> {
        let patterns = self.texts("flows")?;
        let mut numbers = Vec::new();
        for pattern in &patterns {
            let before = numbers.len();
            numbers.extend((0..names.len()).filter(|i| fits(pattern, &names[*i].name)));
            if numbers.len() == before {
                let known: Vec<&str> = names.iter().take(20).map(|f| f.name.as_str()).collect();
                let fix = match nearest(pattern, &known) {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => format!("flows are {}", known.join(", ")),
                };
                self.at.below("flows").refuse(format!("no flow is called `{pattern}`"), fix);
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        Some(numbers)
    }

    fn codepoints(&self) -> Option<Vec<Dscp>> {
        let mut out = Vec::new();
        for text in self.texts("dscp")? {
            match codepoint(&text) {
                Some(dscp) => out.push(dscp),
                None => {
                    let cause = format!("`{text}` is no DiffServ codepoint");
                    self.at.below("dscp").refuse(cause, format!("write {CODEPOINTS}"));
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        Some(out)
    }

    /// The action of each color: `in` stands for green, `out` for yellow and red.
    fn colours(&self) -> Actions {
        let mut out = ASSURED;
        for (short, colours) in [("in", &[Color::Green][..]), ("out", &[Color::Yellow, Color::Red])]
        {
            let Some(action) = self.action(short) else { continue };
            for colour in colours {
                if self.node.get(colour.name()).is_some() {
                    let cause = format!("`{short}` and `{}` say the same thing", colour.name());
                    self.at.below(short).refuse(cause, "keep one of them");
                }
                out[colour.index()] = action;
            }
        }
        for colour in Color::ALL {
            if let Some(action) = self.action(colour.name()) {
                out[colour.index()] = action;
            }
        }
        out
    }

    fn action(&self, key: &str) -> Option<Action> {
        let texts = self.texts(key)?;
        let action = match texts.as_slice() {
            [word] if word == "drop" => Some(Action::Drop),
            [word] if word == "pass" => Some(Action::Pass),
            [word] => codepoint(word).map(Action::Mark),
            _ => None,
        };
        if action.is_none() {
            let cause = "a packet is dropped, passes as it came, or gets a codepoint";
            let fix = format!("write \"drop\", \"pass\", or a codepoint: {CODEPOINTS}");
            self.at.below(key).refuse(cause, fix);
        }
        action
    }
}

/// True if `pattern` means the flow `name`: `gold`, each flow `gold.1`, `gold.2`, ... of an entry
/// with that name, or everything that begins as what stands before a `*`.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name.strip_prefix(pattern).is_some_and(|rest| {
            rest.is_empty()
                || rest.strip_prefix('.').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
        }),
    }
}

#[cfg(test)]
mod tests;
