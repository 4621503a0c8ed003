//! Networks in GraphML, as the Internet Topology Zoo has them (Knight and others, IEEE JSAC 29(9),
//! 2011): nodes with `label`, `Latitude` and `Longitude`, edges with `LinkSpeedRaw` in bit/s.
//!
//! Where an edge has no `delay`, it is that of light in fiber, 200 000 km/s, along the great circle
//! between the places of its ends, on a sphere of 6371 km. This reads the part of XML that such
//! files use: elements, attributes, text, comments, and the entities that XML itself defines.
use super::edges::Edge;
use super::transfers::ListError;
use dumbbell_core::units::{Rate, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Kilometers that light travels in fiber in a second.
const FIBER_KM_PER_S: f64 = 200_000.0;
/// The radius of the Earth, kilometers.
const EARTH_KM: f64 = 6371.0;

/// What stands in an XML text.
#[derive(Debug, PartialEq)]
enum Token<'a> {
    /// The begin of an element: its name and its attributes; true if it ends at once.
    Open(&'a str, Vec<(&'a str, String)>, bool),
    /// The end of an element.
    Close,
    /// Text.
    Text(String),
}

/// Reads an XML text token by token.
struct Xml<'a> {
    rest: &'a str,
    line: usize,
}

const BROKEN: &str = "take the file as it was published, or write CSV: from,to,rate,delay";

impl<'a> Xml<'a> {
    fn skip(&mut self, bytes: usize) -> &'a str {
        let (done, rest) = self.rest.split_at(bytes);
        self.line += done.matches('\n').count();
        self.rest = rest;
        done
    }

    /// What lies before `end`, which is skipped too.
    fn until(&mut self, end: &str) -> Result<&'a str, ListError> {
        let Some(at) = self.rest.find(end) else {
            return Err(self.wrong(format!("`{end}` is missing")));
        };
        let inner = self.skip(at);
        self.skip(end.len());
        Ok(inner)
    }

    fn wrong(&self, cause: impl Into<String>) -> ListError {
        ListError::new(self.line, cause, BROKEN)
    }

    fn next(&mut self) -> Result<Option<Token<'a>>, ListError> {
        loop {
            if self.rest.is_empty() {
                return Ok(None);
            }
            if !self.rest.starts_with('<') {
                let end = self.rest.find('<').unwrap_or(self.rest.len());
                return Ok(Some(Token::Text(plain(self.skip(end)))));
            }
            if self.rest.starts_with("<!--") {
                self.until("-->")?;
            } else if self.rest.starts_with("<?") {
                self.until("?>")?;
            } else if self.rest.starts_with("<!") {
                self.until(">")?;
            } else if self.rest.starts_with("</") {
                self.until(">")?;
                return Ok(Some(Token::Close));
            } else {
                self.skip(1);
                return self.element().map(Some);
            }
        }
    }

    fn element(&mut self) -> Result<Token<'a>, ListError> {
        let name = self.word();
        let mut attributes = Vec::new();
        loop {
            self.spaces();
            if self.rest.starts_with("/>") {
                self.skip(2);
                return Ok(Token::Open(name, attributes, true));
            }
            if self.rest.starts_with('>') {
                self.skip(1);
                return Ok(Token::Open(name, attributes, false));
            }
            let key = self.word();
            self.spaces();
            if key.is_empty() || !self.rest.starts_with('=') {
                return Err(self.wrong("this is not XML: an attribute is not complete"));
            }
            self.skip(1);
            self.spaces();
            let quote = match self.rest.chars().next() {
                Some('"') => "\"",
                Some('\'') => "'",
                _ => return Err(self.wrong("this is not XML: a value is not in quotes")),
            };
            self.skip(1);
            attributes.push((key, plain(self.until(quote)?)));
        }
    }

    fn word(&mut self) -> &'a str {
        let ends = |c: char| c.is_whitespace() || matches!(c, '=' | '>' | '/' | '<');
        self.skip(self.rest.find(ends).unwrap_or(self.rest.len()))
    }

    fn spaces(&mut self) {
        let n = self.rest.find(|c: char| !c.is_whitespace()).unwrap_or(self.rest.len());
        self.skip(n);
    }
}

/// Text without entities.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let entity = rest[at + 1..].split_once(';').filter(|(name, _)| name.len() < 10);
        let Some((name, behind)) = entity else {
            out.push('&');
            rest = &rest[at + 1..];
            continue;
        };
        let number = name.strip_prefix('#').and_then(|n| match n.strip_prefix('x') {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => n.parse().ok(),
        });
        let one = match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => number.and_then(char::from_u32),
        };
        out.extend(one);
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// A node or an edge, and its data by name.
struct Item {
    line: usize,
    ids: Vec<String>,
    data: BTreeMap<String, String>,
}

impl Item {
    fn number(&self, key: &str) -> Option<f64> {
        self.data.get(key)?.trim().parse().ok().filter(|x: &f64| x.is_finite())
    }
}

/// Reads the links of a GraphML text.
///
/// # Errors
/// It is no XML, it has no links, or one of them is of a node that is not there or has a `delay`
/// that is no time.
pub fn parse(text: &str) -> Result<Vec<Edge>, ListError> {
    let (nodes, edges) = items(text)?;
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for node in &nodes {
        let label = node.data.get("label").map_or("", String::as_str);
        let mut name = legible(label);
        if name.is_empty() {
            name = format!("n{}", legible(&node.ids[0]));
        }
        let base = name.clone();
        let mut n = 2;
        while !taken.insert(name.clone()) {
            name = format!("{base}_{n}");
            n += 1;
        }
        names.insert(&node.ids[0], name);
    }
    let by_id: BTreeMap<&str, &Item> = nodes.iter().map(|n| (n.ids[0].as_str(), n)).collect();
    let mut out = Vec::new();
    for edge in edges.iter().filter(|e| e.ids[0] != e.ids[1]) {
        let end = |id: &String| {
            names.get(id.as_str()).zip(by_id.get(id.as_str())).ok_or_else(|| {
                let cause = format!("an edge names the node `{id}`, and there is none");
                ListError::new(edge.line, cause, BROKEN)
            })
        };
        let ((from, a), (to, b)) = (end(&edge.ids[0])?, end(&edge.ids[1])?);
        let speed = edge.number("LinkSpeedRaw").filter(|bps| *bps >= 1.0);
        let delay = match edge.data.get("delay") {
            Some(text) => {
                Some(text.trim().parse().map_err(|e: <Span as std::str::FromStr>::Err| {
                    ListError::new(edge.line, e.to_string(), "write a time, such as 8 ms")
                })?)
            }
            None => light(a, b),
        };
        out.push(Edge {
            from: from.clone(),
            to: to.clone(),
            rate: speed.map(|bps| Rate::from_bps(bps as u64)),
            delay,
            cost: edge.number("cost").filter(|c| *c >= 1.0).map(|c| c as u64),
        });
    }
    if out.is_empty() {
        return Err(ListError::new(1, "this GraphML has no links", BROKEN));
    }
    Ok(out)
}

/// Nodes and edges in their order.
fn items(text: &str) -> Result<(Vec<Item>, Vec<Item>), ListError> {
    let mut xml = Xml { rest: text, line: 1 };
    let mut keys: BTreeMap<String, String> = BTreeMap::new();
    let (mut nodes, mut edges): (Vec<Item>, Vec<Item>) = (Vec::new(), Vec::new());
    // Whether data now belong to the last node or to the last edge, or to the graph.
    let mut open: Vec<&str> = Vec::new();
    let mut key: Option<String> = None;
    while let Some(token) = xml.next()? {
        match token {
            Token::Open(name, attributes, ends) => {
                let of = |wanted: &str| {
                    attributes.iter().find(|(key, _)| *key == wanted).map(|(_, v)| v.clone())
                };
                let need = |wanted: &str| {
                    of(wanted).ok_or_else(|| xml.wrong(format!("a {name} without `{wanted}`")))
                };
                let line = xml.line;
                match name {
                    "key" => drop(keys.insert(need("id")?, need("attr.name")?)),
                    "node" => {
                        nodes.push(Item { line, ids: vec![need("id")?], data: BTreeMap::new() });
                    }
                    "edge" => {
                        let ids = vec![need("source")?, need("target")?];
                        edges.push(Item { line, ids, data: BTreeMap::new() });
                    }
                    "data" => key = of("key").and_then(|id| keys.get(&id).cloned()),
                    _ => {}
                }
                if !ends {
                    open.push(name);
                }
            }
            Token::Close => drop(open.pop()),
            Token::Text(text) => {
                let [.., owner, "data"] = open[..] else { continue };
                let item = match owner {
                    "node" => nodes.last_mut(),
                    "edge" => edges.last_mut(),
                    _ => None,
                };
                if let (Some(item), Some(key)) = (item, key.take()) {
                    item.data.insert(key, text);
                }
            }
        }
    }
    Ok((nodes, edges))
}

/// A label as the name of a router: without what separates names elsewhere.
fn legible(label: &str) -> String {
    let keep = |c: char| !c.is_control() && !matches!(c, ',' | '.' | '/' | '"' | '\'' | '<' | '>');
    let text: String = label.chars().filter(|c| keep(*c)).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("->", "-")
}

/// The time of light in fiber between two places; `None`: one is not known.
fn light(a: &Item, b: &Item) -> Option<Span> {
    let place = |item: &Item| Some((item.number("Latitude")?, item.number("Longitude")?));
    let (a, b) = (place(a)?, place(b)?);
    Some(Span::from_us((great_circle_km(a, b) / FIBER_KM_PER_S * 1e6).round() as u64))
}

/// The distance of two places, as (latitude, longitude) in degrees: the haversine formula.
fn great_circle_km(a: (f64, f64), b: (f64, f64)) -> f64 {
    let half_chord = |x: f64| libm::pow(libm::sin(x.to_radians() / 2.0), 2.0);
    let h = half_chord(b.0 - a.0)
        + libm::cos(a.0.to_radians()) * libm::cos(b.0.to_radians()) * half_chord(b.1 - a.1);
    2.0 * EARTH_KM * libm::asin(libm::sqrt(h).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::super::edges;
    use super::*;

    const ZOO: &str = r#"<?xml version="1.0" encoding="utf-8"?><graphml
 xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="Latitude" attr.type="double" for="node" id="d29" />
  <key attr.name="Longitude" attr.type="double" for="node" id="d32" />
  <key attr.name="label" attr.type="string" for="node" id="d33" />
  <key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d38" />
  <graph edgedefault="undirected">
    <data key="d33">not a node</data>
    <!-- <node id="9"/> -->
    <node id="0"><data key="d29">40.71427</data><data key="d32">-74.00597</data>
      <data key="d33">New York</data></node>
    <node id="1"><data key="d29">41.85003</data><data key="d32">-87.65005</data>
      <data key="d33">Chicago</data></node>
    <node id='2'><data key="d33">St. A&amp;B, Inc</data></node>
    <node id="3"><data key="d33">Chicago</data></node>
    <edge source="0" target="1"><data key="d38">10000000000.0</data></edge>
    <edge source="1" target="2"/><edge source="2" target="2"/>
    <edge source="3" target="2"/>
  </graph>
</graphml>
"#;

    /// New York to Chicago is 1145 km by the great circle: 5.7 ms of light in fiber.
    #[test]
    fn the_zoo_is_read() {
        let list = parse(ZOO).unwrap();
        assert_eq!(list.len(), 3);
        assert_eq!((list[0].from.as_str(), list[0].to.as_str()), ("New York", "Chicago"));
        assert_eq!(list[0].rate, Some(Rate::from_mbps(10_000)));
        let us = list[0].delay.unwrap().seconds() * 1e6;
        assert!((us - 5725.0).abs() < 30.0, "{us}");
        assert_eq!((list[1].to.as_str(), list[1].rate, list[1].delay), ("St A&B Inc", None, None));
        assert_eq!(list[2].from, "Chicago_2");
        assert_eq!(edges::parse(&edges::write(&list)).unwrap(), list);
    }

    /// A quarter of the Earth, from the equator to a pole, and half of it.
    #[test]
    fn distances_on_the_sphere() {
        let quarter = EARTH_KM * std::f64::consts::FRAC_PI_2;
        assert!((great_circle_km((0.0, 50.0), (90.0, 0.0)) - quarter).abs() < 1e-6);
        assert!((great_circle_km((0.0, -90.0), (0.0, 90.0)) - 2.0 * quarter).abs() < 1e-6);
        assert!(great_circle_km((47.0, 8.0), (47.0, 8.0)).abs() < 1e-9);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, line, said) in [
            ("<graphml>\n<node id='0'/></graphml>", 1, "no links"),
            ("<graphml>\n<edge source='0' target='1'/>", 2, "the node `0`"),
            ("<graphml>\n\n<edge source='0'/>", 3, "without `target`"),
            ("<graphml>\n<node id=0/>", 2, "not in quotes"),
            ("<graphml>\n<node id", 2, "not complete"),
            ("<!-- endless", 1, "`-->` is missing"),
        ] {
            let e = parse(text).unwrap_err();
            assert!(e.line == line && e.cause.contains(said), "{text:?}: {e:?}");
        }
    }
}
