//! Several points in one scenario: `grid` (every combination), `zip` (in step), `list` (tables of
//! overrides).
//!
//! An override from outside wins over the sweep: the axis that it fixes is gone, and what it leaves
//! alike is one point.
use crate::language::deser;
use crate::language::node::{Entry, Kind, Node, Path, below, path};
use crate::language::overrides::Override;
use crate::language::problem::{Check, Diagnostic};
use crate::language::scenario::Sweep;
use serde_json::{Map, Value};

/// The most points of one sweep.
pub const MOST_POINTS: usize = 100_000;

/// One point: its name as a table of overrides, and the overrides themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Path to value, as written.
    pub label: Map<String, Value>,
    /// The overrides to apply, in this order.
    pub set: Vec<Override>,
}

/// Rows that are combined with the rows of the other factors.
type Factor = Vec<Vec<Override>>;

/// Takes `sweep` out of `root` and returns its points; one without overrides if there is none.
/// `outside` are the overrides that were already laid into `root`.
pub fn expand(root: &mut Node, outside: &[Override], check: &mut Check) -> Vec<Point> {
    let Some(sweep) = root.remove("sweep") else { return vec![Point::default()] };
    if deser::read::<Sweep>(&sweep, &path(&["sweep"]), check).is_none() {
        return Vec::new();
    }
    let fixed = leaves(outside);
    let mut factors: Vec<Factor> = Vec::new();
    if let Some(list) = sweep.get("list") {
        factors.push(
            list.items()
                .iter()
                .map(|table| table.entries().iter().map(Override::of_entry).collect())
                .collect(),
        );
    }
    if let Some(zip) = sweep.get("zip") {
        factors.push(zip_rows(zip, check));
    }
    for axis in sweep.get("grid").map_or(&[][..], Node::entries) {
        let values = values(axis, "grid", check);
        refuse_equal(axis, values, check);
        factors.push(values.iter().map(|v| vec![set(axis, v)]).collect());
    }
    let factors: Vec<Factor> =
        factors.into_iter().map(|f| free(f, &fixed, check)).filter(|f| !f.is_empty()).collect();
    let count =
        factors.iter().try_fold(1usize, |n, f| n.checked_mul(f.len())).unwrap_or(usize::MAX);
    if count > MOST_POINTS {
        check.error(
            Diagnostic::new(format!(
                "this sweep has {count} points, and at most {MOST_POINTS} are \
                run at once"
            ))
            .at(sweep.place)
            .fix("sweep fewer values, or several scenarios"),
        );
        return Vec::new();
    }
    product(&factors).into_iter().map(|sets| point(sets, outside)).collect()
}

/// The override of an axis by one of its values.
fn set(axis: &Entry, value: &Node) -> Override {
    Override { value: value.clone(), ..Override::of_entry(axis) }
}

/// The values of an axis.
fn values<'a>(axis: &'a Entry, word: &str, check: &mut Check) -> &'a [Node] {
    let items = axis.node.items();
    if items.is_empty() {
        let cause = format!("`{}` has no list of values to sweep", axis.key);
        let fix = format!("write {word} = {{ \"{}\" = [..., ...] }}", axis.key);
        check.error(Diagnostic::new(cause).at(axis.node.place).fix(fix));
    }
    items
}

/// Refuses a value that an axis has twice: no name would tell the two points apart.
fn refuse_equal(axis: &Entry, values: &[Node], check: &mut Check) {
    let written: Vec<Value> = values.iter().map(Node::to_json).collect();
    for (i, value) in
        values.iter().enumerate().filter(|(i, _)| written[..*i].contains(&written[*i]))
    {
        let cause = format!("`{}` has the value {} twice", axis.key, written[i]);
        check.error(Diagnostic::new(cause).at(value.place).fix("keep one of the two"));
    }
}

fn zip_rows(zip: &Node, check: &mut Check) -> Factor {
    let columns: Vec<(&Entry, &[Node])> =
        zip.entries().iter().map(|e| (e, values(e, "zip", check))).collect();
    let Some((first, lead)) = columns.first() else { return Vec::new() };
    for (e, column) in &columns[1..] {
        if column.len() != lead.len() && !column.is_empty() {
            let cause = format!(
                "`{}` has {} values and `{}` has {}",
                e.key,
                column.len(),
                first.key,
                lead.len()
            );
            check.error(Diagnostic::new(cause).at(e.node.place).fix(
                "lists of `zip` have one \
                length",
            ));
            return Vec::new();
        }
    }
    (0..lead.len())
        .map(|i| columns.iter().filter_map(|(e, c)| Some(set(e, c.get(i)?))).collect())
        .collect()
}

/// The leaf paths that overrides from outside fix.
fn leaves(outside: &[Override]) -> Vec<Path> {
    fn walk(node: &Node, at: &Path, out: &mut Vec<Path>) {
        match &node.kind {
            Kind::Table(entries) => {
                entries.iter().for_each(|e| walk(&e.node, &below(at, &e.key), out))
            }
            _ => out.push(canonical(at)),
        }
    }
    let mut out = Vec::new();
    outside.iter().for_each(|o| walk(&o.value, &o.path, &mut out));
    out
}

/// `queue` and `queue.kind` name the same choice.
fn canonical(at: &[String]) -> Path {
    match at.split_last() {
        Some((last, rest)) if last == "kind" => rest.to_vec(),
        _ => at.to_vec(),
    }
}

/// True if pattern `a`, which may have `*`, covers `b`.
fn covers(a: &[String], b: &[String]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x == y || x == "*")
}

/// A factor without the keys that were fixed from outside; rows that became alike are one.
fn free(factor: Factor, fixed: &[Path], check: &mut Check) -> Factor {
    let mut out: Factor = Vec::new();
    for row in factor {
        let before = row.len();
        let is_fixed = |o: &Override| fixed.iter().any(|f| covers(f, &canonical(&o.path)));
        for o in row.iter().filter(|o| is_fixed(o)) {
            check.note(format!("`{}` is set from outside: it is not swept", o.path.join(".")));
        }
        let row: Vec<Override> = row.into_iter().filter(|o| !is_fixed(o)).collect();
        let alike = |other: &Vec<Override>| {
            other.len() == row.len()
                && other
                    .iter()
                    .zip(&row)
                    .all(|(a, b)| a.path == b.path && a.value.to_json() == b.value.to_json())
        };
        if row.len() == before || !out.iter().any(alike) {
            out.push(row);
        }
    }
    out
}

fn product(factors: &[Factor]) -> Vec<Vec<Override>> {
    factors.iter().fold(vec![Vec::new()], |points, factor| {
        let longer = |p: &Vec<Override>| {
            let p = p.clone();
            factor.iter().map(move |row| p.iter().chain(row).cloned().collect::<Vec<_>>())
        };
        points.iter().flat_map(longer).collect()
    })
}

/// A point from its overrides. Parameters that a sweep sets yield to the `kind` beside them.
fn point(mut set: Vec<Override>, outside: &[Override]) -> Point {
    for o in &mut set {
        o.yields = canonical(&o.path) == o.path;
    }
    // A value that the sweep sets for a whole list does not undo an override of one item.
    let finer = |o: &&Override| set.iter().any(|s| s.path != o.path && covers(&s.path, &o.path));
    let again: Vec<Override> = outside.iter().filter(finer).cloned().collect();
    set.extend(again);
    let label = set.iter().map(|o| (o.path.join("."), o.value.to_json())).collect();
    Point { label, set }
}
