//! Traffic over a set of hosts: which host sends to which.
//!
//! What is drawn comes from the stream `NAME/pattern` of the flow or session, so that two schemes
//! under one seed see the same pairs.
use crate::language::scenario::{Pattern, PatternKind, Scenario};
use crate::resolve::context::At;
use crate::resolve::flow_names::flow_name::Ends;
use crate::resolve::limits::MOST_FLOWS;
use crate::resolve::topology::fabric;
use dumbbell_core::catalogue::nearest;
use dumbbell_core::rng::Stream;

/// The names of a network's hosts; none if it makes hosts for each flow.
pub struct Hosts(Vec<String>);

impl Hosts {
    /// The hosts of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let own = || scenario.host.iter().map(|host| host.name.clone()).collect();
        Hosts(fabric::hosts(scenario).unwrap_or_else(own))
    }
}

/// A pattern of the flow or session `name`, and the seed of what it draws.
pub struct Drawn<'a> {
    /// The pattern.
    pub pattern: &'a Pattern,
    /// The name of the flow or session.
    pub name: &'a str,
    /// The seed.
    pub seed: u64,
}

impl Drawn<'_> {
    /// The pairs of hosts of a `[[flow]]` at `at`, one for each flow; none if it was said what is
    /// wrong.
    pub fn flows(&self, hosts: &Hosts, count: Option<u64>, at: &At<'_>) -> Vec<Ends> {
        let Some(set) = Set::of(self.pattern, hosts, at) else { return Vec::new() };
        let kind = self.pattern.kind;
        if let Some(n) = count.filter(|_| kind != PatternKind::Random) {
            let cause = format!("a pattern `{}` has one flow for each pair of hosts", kind.name());
            at.below("count").refuse(cause, format!("take count = {n} out"));
        }
        let all = set.hosts.len() as u64;
        if kind == PatternKind::AllToAll && all * (all - 1) > MOST_FLOWS {
            let cause = format!("{all} hosts are {} pairs", all * (all - 1));
            let fix =
                format!("name fewer of them in `hosts`: a run has at most {MOST_FLOWS} flows");
            at.below("pattern").refuse(cause, fix);
            return Vec::new();
        }
        let mut stream = self.stream();
        match kind {
            PatternKind::Permutation => set.permutation(&mut stream),
            PatternKind::Incast => set.incast(&mut stream),
            PatternKind::AllToAll => set.all(),
            PatternKind::Random => {
                (0..count.unwrap_or(all)).map(|_| set.pair(&mut stream)).collect()
            }
        }
    }

    /// The pairs of hosts of a `[[session]]` at `at`; `None`: it was said what is wrong.
    pub fn arrivals(&self, hosts: &Hosts, at: &At<'_>) -> Option<Arrivals> {
        let set = Set::of(self.pattern, hosts, at)?;
        let mut stream = self.stream();
        let fixed = match self.pattern.kind {
            PatternKind::Permutation => set.permutation(&mut stream),
            PatternKind::AllToAll => {
                let cause = "an arrival of a session is one flow, and of `all_to_all` it is many";
                at.below("pattern")
                    .refuse(cause, "write pattern = \"random\": all pairs by chance");
                return None;
            }
            PatternKind::Incast | PatternKind::Random => Vec::new(),
        };
        Some(Arrivals { kind: self.pattern.kind, set, stream, fixed })
    }

    fn stream(&self) -> Stream {
        Stream::named(self.seed, &format!("{}/pattern", self.name))
    }
}

/// Draws the hosts of each arrival of a session.
pub struct Arrivals {
    kind: PatternKind,
    set: Set,
    stream: Stream,
    fixed: Vec<Ends>,
}

impl Arrivals {
    /// The hosts of the flows that one arrival starts.
    pub fn draw(&mut self) -> Vec<Ends> {
        match self.kind {
            PatternKind::Incast => self.set.incast(&mut self.stream),
            PatternKind::Permutation => {
                let i = self.stream.below(self.fixed.len() as u32) as usize;
                vec![self.fixed[i].clone()]
            }
            PatternKind::AllToAll | PatternKind::Random => vec![self.set.pair(&mut self.stream)],
        }
    }

    /// The number of flows that an arrival starts.
    pub fn flows(&self) -> u64 {
        if self.kind == PatternKind::Incast { self.set.senders as u64 } else { 1 }
    }

    /// The hosts of whose links a load is a fraction: a receiver that is named, else all of them.
    pub fn loaded(&self) -> Vec<&str> {
        match self.set.to {
            Some(_) => self.set.to.iter().map(String::as_str).collect(),
            None => self.set.hosts.iter().map(String::as_str).collect(),
        }
    }
}

/// The hosts of a pattern.
struct Set {
    hosts: Vec<String>,
    /// Of an incast, the receiver, if it is named.
    to: Option<String>,
    /// Of an incast, the number of senders.
    senders: usize,
}

impl Set {
    /// The hosts that the pattern of the flow or session at `at` names; `None`: it was said what is
    /// wrong.
    fn of(pattern: &Pattern, hosts: &Hosts, at: &At<'_>) -> Option<Set> {
        let mut wrong = false;
        for key in ["from", "to"] {
            if at.below(key).node().is_some() {
                let cause = format!("`{key}` and `pattern` both say between which hosts data go");
                at.below(key).refuse(cause, "keep one of them");
                wrong = true;
            }
        }
        let at = at.below("pattern");
        if hosts.0.is_empty() {
            let cause = "a pattern is one of a network with named hosts";
            let fix = "write a [star], [leaf_spine], [fat_tree], [wan], or hosts and links";
            at.refuse(cause, fix);
            return None;
        }
        let mut chosen = vec![pattern.hosts.is_empty(); hosts.0.len()];
        for (i, wanted) in pattern.hosts.iter().enumerate() {
            let fits = |name: &String| match wanted.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == wanted,
            };
            let found = hosts.0.iter().filter(|name| fits(name)).count();
            chosen.iter_mut().zip(&hosts.0).for_each(|(c, name)| *c |= fits(name));
            if found == 0 {
                unknown(wanted, hosts, &at.below("hosts").below(i));
                wrong = true;
            }
        }
        if let Some(to) = pattern.to.as_ref().filter(|to| !hosts.0.contains(to)) {
            unknown(to, hosts, &at.below("to"));
            wrong = true;
        }
        let named = hosts.0.iter().zip(chosen).filter(|(_, c)| *c).map(|(name, _)| name.clone());
        let set: Vec<String> = named.collect();
        let incast = pattern.kind == PatternKind::Incast;
        let receiver_in_set = pattern.to.as_ref().is_none_or(|to| set.contains(to));
        let most = set.len().saturating_sub(usize::from(receiver_in_set));
        let senders = pattern.senders.map_or(most, |n| usize::try_from(n).unwrap_or(usize::MAX));
        if !wrong && incast && (most == 0 || senders > most) {
            let cause =
                format!("{senders} senders, and there are {most} hosts beside the receiver");
            at.below("senders").refuse(cause, "lower `senders`, or name more `hosts`");
            return None;
        }
        if !wrong && set.len() < 2 && !incast {
            at.below("hosts").refuse("a pattern over one host", "name two hosts or more");
            return None;
        }
        (!wrong).then_some(Set { hosts: set, to: pattern.to.clone(), senders })
    }

    fn ends(&self, from: usize, to: usize) -> Ends {
        (self.hosts[from].clone(), self.hosts[to].clone())
    }

    /// Two different hosts by chance.
    fn pair(&self, stream: &mut Stream) -> Ends {
        let n = self.hosts.len() as u32;
        let from = stream.below(n);
        let other = stream.below(n - 1);
        self.ends(from as usize, (other + u32::from(other >= from)) as usize)
    }

    /// Every ordered pair.
    fn all(&self) -> Vec<Ends> {
        let n = self.hosts.len();
        let to = |from: usize| (0..n).filter(move |to| *to != from).map(move |to| (from, to));
        (0..n).flat_map(to).map(|(from, to)| self.ends(from, to)).collect()
    }

    /// A permutation that leaves no host its own place, each of them as likely: permutations are
    /// drawn until one does, which takes e on average.
    fn permutation(&self, stream: &mut Stream) -> Vec<Ends> {
        let n = self.hosts.len();
        loop {
            let mut to: Vec<usize> = (0..n).collect();
            shuffle(&mut to, n, stream);
            if to.iter().enumerate().all(|(from, to)| from != *to) {
                return to.into_iter().enumerate().map(|(from, to)| self.ends(from, to)).collect();
            }
        }
    }

    /// Senders by chance, if there are more than are wanted, and their receiver.
    fn incast(&self, stream: &mut Stream) -> Vec<Ends> {
        let drawn = |stream: &mut Stream| {
            self.hosts[stream.below(self.hosts.len() as u32) as usize].clone()
        };
        let to = self.to.clone().unwrap_or_else(|| drawn(stream));
        let mut from: Vec<usize> = (0..self.hosts.len()).filter(|i| self.hosts[*i] != to).collect();
        if self.senders < from.len() {
            shuffle(&mut from, self.senders, stream);
            from.truncate(self.senders);
            from.sort_unstable();
        }
        from.into_iter().map(|i| (self.hosts[i].clone(), to.clone())).collect()
    }
}

/// Puts random items into the first `places` places (Fisher and Yates).
fn shuffle(items: &mut [usize], places: usize, stream: &mut Stream) {
    for i in 0..places.min(items.len()) {
        let j = i + stream.below((items.len() - i) as u32) as usize;
        items.swap(i, j);
    }
}

fn unknown(name: &str, hosts: &Hosts, at: &At<'_>) {
    let known: Vec<&str> = hosts.0.iter().map(String::as_str).collect();
    let fix = match nearest(name, &known).filter(|_| name.len() > 2) {
        Some(other) => format!("did you mean `{other}`?"),
        None => {
            let some = known.iter().take(6).copied().collect::<Vec<_>>().join(", ");
            format!("hosts are {some}{}", if known.len() > 6 { ", ..." } else { "" })
        }
    };
    at.refuse(format!("there is no host named `{name}`"), fix);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(n: usize) -> Set {
        Set { hosts: (0..n).map(|i| format!("h{i}")).collect(), to: None, senders: n - 1 }
    }

    /// Of the 9 derangements of four, each comes as often: chi-squared with 8 degrees of freedom
    /// exceeds 26.1 in one of a thousand.
    #[test]
    fn permutations_are_uniform() {
        let mut stream = Stream::named(1, "test");
        let mut seen: std::collections::BTreeMap<Vec<String>, f64> = Default::default();
        for _ in 0..9000 {
            let to = set(4).permutation(&mut stream).into_iter().map(|(_, to)| to).collect();
            *seen.entry(to).or_default() += 1.0;
        }
        assert_eq!(seen.len(), 9);
        let chi: f64 = seen.values().map(|n| (n - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 26.1, "{chi}");
    }

    #[test]
    fn pairs_are_uniform_and_different() {
        let mut stream = Stream::named(1, "test");
        let mut seen: std::collections::BTreeMap<Ends, f64> = Default::default();
        (0..12_000).for_each(|_| *seen.entry(set(4).pair(&mut stream)).or_default() += 1.0);
        assert!(seen.len() == 12 && seen.keys().all(|(a, b)| a != b));
        // 11 degrees of freedom.
        let chi: f64 = seen.values().map(|n| (n - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 31.3, "{chi}");
    }

    #[test]
    fn an_incast_has_different_senders() {
        let mut stream = Stream::named(1, "test");
        let some = Set { senders: 3, ..set(6) };
        for _ in 0..100 {
            let flows = some.incast(&mut stream);
            assert!(flows.len() == 3 && flows.windows(2).all(|w| w[0].0 < w[1].0));
            assert!(flows.iter().all(|(from, to)| from != to && *to == flows[0].1));
        }
        assert_eq!(set(3).all().len(), 6);
    }
}
