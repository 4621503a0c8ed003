//! From routes to path segments: where streams merge, and what can be run ahead between merges.
//!
//! An agenda entry is needed only where streams merge, where a decision waits for the future, or
//! where something is recorded. An element whose input is one ordered stream is run ahead by its
//! feeder, as arithmetic.
use crate::engine::owners::Owners;
use crate::engine::ranks::{Arrivals, Population, Stream};
use dumbbell_plan::{Answer, LinkId, Plan};

/// The source of a stream of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Feeder {
    /// The data socket of a flow.
    Data(u32),
    /// The socket of a flow that acknowledges.
    Acks(u32),
    /// Another link.
    Link(u32),
    /// A router that answers packets which were too large, numbered as in [`answers`].
    Answers(u32),
}

/// The end of a run-ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At a merge: the packet becomes an entry with this path segment and this rank.
    Merge(u32, u32),
    /// At a socket: 2 x flow + end.
    Socket(u32),
    /// Where another part of the network begins, see [`crate::partition`].
    Border(u32),
}

/// Links that are run ahead, and what is behind them.
#[derive(Clone, Copy, Debug)]
pub struct RunAhead {
    /// The link, if it is one, as it is nearly always; else the first of a range in
    /// [`Paths::hops`].
    first: u32,
    /// The end of that range, or [`ONE_LINK`].
    to: u32,
    /// The path segment that comes then, if it is a merge's, and the rank there; else the socket.
    path_segment: u32,
    rank_or_socket: u32,
}

/// In place of the end of a range: there is one link.
const ONE_LINK: u32 = u32::MAX;

const NO_SEGMENT: u32 = u32::MAX;
/// In place of a path segment: a border, whose number is where a rank would be.
const BORDER: u32 = u32::MAX - 1;

impl RunAhead {
    fn new(first: u32, to: u32, end: End) -> Self {
        let (path_segment, rank_or_socket) = match end {
            End::Merge(path_segment, rank) => (path_segment, rank),
            End::Socket(number) => (NO_SEGMENT, number),
            End::Border(number) => (BORDER, number),
        };
        RunAhead { first, to, path_segment, rank_or_socket }
    }
    /// One without a link.
    #[cfg(test)]
    pub(crate) fn nothing_before(end: End) -> Self {
        RunAhead::new(0, 0, end)
    }
    /// The number of links.
    #[inline]
    pub fn links(&self) -> u32 {
        if self.to == ONE_LINK { 1 } else { self.to - self.first }
    }
    /// The link, if it is one.
    #[inline(always)]
    pub fn only_link(&self) -> Option<u32> {
        (self.to == ONE_LINK).then_some(self.first)
    }
    /// True if there is a link at all.
    #[inline(always)]
    pub fn has_links(&self) -> bool {
        self.to != self.first
    }
    /// The last `n` links of it.
    #[inline]
    pub fn last(&self, n: u32) -> RunAhead {
        match (self.to, n) {
            (ONE_LINK, 0) => RunAhead { first: 0, to: 0, ..*self },
            (ONE_LINK, _) => *self,
            (to, n) => RunAhead { first: to - n, ..*self },
        }
    }
    /// The end behind the last link.
    #[inline]
    pub fn end(&self) -> End {
        match self.path_segment {
            NO_SEGMENT => End::Socket(self.rank_or_socket),
            BORDER => End::Border(self.rank_or_socket),
            path_segment => End::Merge(path_segment, self.rank_or_socket),
        }
    }
}

/// A merge, and the run-ahead behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathSegment {
    /// The link whose port is the merge; beyond all links for a delivery merge.
    pub link: u32,
    /// The socket that the packets come from: 2 x flow + end.
    pub socket: u32,
    /// The run-ahead behind the merge.
    pub run_ahead: RunAhead,
}

/// A place on a route where another part of the network begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Border {
    /// That part.
    pub part: u32,
    /// The socket that the packets come from: 2 x flow + end.
    pub socket: u32,
    /// The way on.
    pub run_ahead: RunAhead,
}

/// Links and sockets that need their packets in the order of time, through the agenda.
pub(crate) struct OrderNeeds {
    /// Of each link: whether packets overtake each other on it.
    pub unordered: Vec<bool>,
    /// Of each socket (2 x flow + end): whether something else than packets is said to it, which
    /// has its place among them.
    pub signaled: Vec<bool>,
}

/// The plan's routes, cut at merges.
pub(crate) struct Paths {
    /// Links of run-aheads that have several.
    pub hops: Vec<u32>,
    /// Path segments; entries carry their number.
    pub segments: Vec<PathSegment>,
    /// Borders; none in a network that is one part.
    pub borders: Vec<Border>,
}

/// The result of cutting routes.
pub(crate) struct CutRoutes {
    /// The path segments.
    pub paths: Paths,
    /// From each socket (2 x flow + end) to its first merge; where a UDP receiver's leads nobody
    /// asks.
    pub sockets: Vec<RunAhead>,
    /// From sockets with several paths to the first merge of each, in their order.
    pub multipaths: Vec<(u32, Vec<RunAhead>)>,
    /// For each link, true if it is a merge.
    pub merge: Vec<bool>,
    /// From the router before a link to the sender of a flow: the flow, the link, and the way to
    /// the first merge.
    pub answers: Vec<(u32, LinkId, RunAhead)>,
}

/// Every stream into every link, numbered: a property of the plan, whatever is folded.
pub(crate) struct Streams {
    /// The link and what feeds it, ascending.
    inputs: Vec<(u32, Feeder)>,
    /// For each of them how many before it come from links.
    from_links: Vec<u32>,
}

impl Streams {
    /// The streams of `plan`.
    pub(crate) fn of(plan: &Plan, order_needs: &OrderNeeds) -> Self {
        let mut inputs = Vec::new();
        for f in 0..plan.flows.len() {
            for end in 0..2 {
                for route in plan.flows[f].routes(end) {
                    inputs.extend(
                        steps(plan, (f, end), route, order_needs)
                            .into_iter()
                            .map(|(feeder, link)| (link as u32, feeder)),
                    );
                }
            }
        }
        for (k, (f, answer)) in answers(plan).enumerate() {
            let steps = answer_steps(plan, f, k, answer);
            inputs.extend(steps.into_iter().map(|(feeder, link)| (link as u32, feeder)));
        }
        inputs.sort_unstable();
        inputs.dedup();
        let mut before = 0;
        let mut count = |(_, feeder): &(u32, Feeder)| {
            let here = before;
            before += u32::from(matches!(feeder, Feeder::Link(_)));
            here
        };
        let from_links = inputs.iter().map(&mut count).collect();
        Streams { inputs, from_links }
    }

    /// The number of the stream from `feeder` into `link`, which is one of a route of the plan.
    fn number(&self, link: LinkId, feeder: Feeder) -> Stream {
        let i = self.inputs.partition_point(|input| *input < (link as u32, feeder));
        match feeder {
            Feeder::Link(_) => Stream::FromLink(self.from_links[i]),
            _ => Stream::FromSocket(i as u32 - self.from_links[i]),
        }
    }

    /// The number of each kind in `plan`.
    pub(crate) fn population(&self, plan: &Plan) -> Population {
        let from_links =
            self.inputs.iter().filter(|(_, feeder)| matches!(feeder, Feeder::Link(_))).count()
                as u32;
        Population {
            links: plan.links.len() as u32,
            from_links,
            from_sockets: self.inputs.len() as u32 - from_links,
            sockets: 2 * plan.flows.len() as u32,
        }
    }
}

/// Each link of a route from one end of flow `f` (0: the sender's), with its feeder. If packets
/// overtake each other on the last one, a *delivery merge* follows, whose number is beyond all
/// links: a merge in which they wait for their instant, because a socket takes them in the order of
/// time. A socket with host signals has one, too.
fn steps(
    plan: &Plan,
    (f, end): (usize, usize),
    route: &[LinkId],
    order_needs: &OrderNeeds,
) -> Vec<(Feeder, LinkId)> {
    let first = if end == 0 { Feeder::Data(f as u32) } else { Feeder::Acks(f as u32) };
    let behind = |l: &&LinkId| order_needs.unordered[**l] || order_needs.signaled[2 * f + 1 - end];
    let delivery_merge = route.last().filter(behind).map(|_| plan.links.len() + 2 * f + end);
    fed(first, route.iter().copied().chain(delivery_merge).collect())
}

/// Each of `links` with its feeder; `first` feeds the first of them.
fn fed(first: Feeder, links: Vec<LinkId>) -> Vec<(Feeder, LinkId)> {
    let feeders = std::iter::once(first).chain(links.iter().map(|l| Feeder::Link(*l as u32)));
    feeders.zip(links.iter().copied()).collect()
}

/// Routes of ICMP answers, in the order of flows, each with its flow.
fn answers(plan: &Plan) -> impl Iterator<Item = (usize, &Answer)> {
    plan.flows
        .iter()
        .enumerate()
        .flat_map(|(f, flow)| flow.answers.iter().flat_map(|all| all.iter()).map(move |a| (f, a)))
}

/// The steps of the route of ICMP answer `k`. The sender has a delivery merge, because answers come
/// beside acknowledgments.
fn answer_steps(plan: &Plan, f: usize, k: usize, answer: &Answer) -> Vec<(Feeder, LinkId)> {
    let delivery_merge = plan.links.len() + 2 * f + 1;
    fed(Feeder::Answers(k as u32), answer.way.iter().copied().chain([delivery_merge]).collect())
}

/// For each link, true if its packets need entries of their own.
///
/// `held[l]`: link `l` decides when a packet departs.
fn merges(
    plan: &Plan,
    streams: &Streams,
    fold: bool,
    held: &[bool],
    order_needs: &OrderNeeds,
) -> Vec<bool> {
    let mut inputs = vec![0usize; plan.links.len()];
    let mut merge: Vec<bool> = held.iter().map(|h| *h || !fold).collect();
    let delivery_merges = plan.links.len() as u32;
    for (link, feeder) in streams.inputs.iter().filter(|(link, _)| *link < delivery_merges) {
        inputs[*link as usize] += 1;
        if let Feeder::Link(before) = feeder {
            merge[*link as usize] |= order_needs.unordered[*before as usize];
        }
    }
    merge.iter_mut().zip(&inputs).for_each(|(m, n)| *m |= *n > 1);
    // A closed loop (data out, acknowledgment back) holds at least one merge: else one would run
    // ahead for ever.
    for flow in plan.flows.iter().filter(|f| f.transport.is_connection()) {
        let route = || flow.forward.iter().chain(&flow.back).copied();
        if !route().any(|l| merge[l])
            && let Some(slowest) = route().min_by_key(|l| (plan.links[*l].rate, *l))
        {
            merge[slowest] = true;
        }
    }
    // With several paths each way, every path holds one.
    for flow in plan.flows.iter().filter(|f| f.multipath.is_some()) {
        for route in (0..2).flat_map(|end| flow.routes(end)).filter(|route| !route.is_empty()) {
            if !route.iter().any(|l| merge[*l]) {
                route
                    .iter()
                    .min_by_key(|l| (plan.links[**l].rate, **l))
                    .iter()
                    .for_each(|l| merge[**l] = true);
            }
        }
    }
    merge
}

impl Paths {
    /// Cuts the routes of `plan`. See [`merges`] for `held`.
    pub(crate) fn cut(
        plan: &Plan,
        streams: &Streams,
        ranks: &Arrivals,
        fold: bool,
        held: &[bool],
        order_needs: &OrderNeeds,
        owners: Option<&Owners>,
    ) -> CutRoutes {
        let merge = merges(plan, streams, fold, held, order_needs);
        let mut paths = Paths { hops: Vec::new(), segments: Vec::new(), borders: Vec::new() };
        let mut sockets = Vec::with_capacity(2 * plan.flows.len());
        let mut multipaths = Vec::new();
        for f in 0..plan.flows.len() {
            for end in 0..2 {
                let last = End::Socket((2 * f + 1 - end) as u32);
                let rank = |link, feeder| ranks.rank(streams.number(link, feeder));
                let mut cut = |route: &[LinkId]| {
                    let steps = steps(plan, (f, end), route, order_needs);
                    let parts = owners.map_or_else(Vec::new, |owners| {
                        owners.along(steps.iter().map(|(_, link)| *link), 2 * f + 1 - end)
                    });
                    paths.cut_route(f as u32, &steps, last, &merge, &rank, &parts)
                };
                let mut routes = plan.flows[f].routes(end);
                sockets.extend(routes.next().map(&mut cut));
                let others: Vec<RunAhead> = routes.map(cut).collect();
                if !others.is_empty() {
                    multipaths.push(((2 * f + end) as u32, others));
                }
            }
        }
        let mut told = Vec::new();
        for (k, (f, answer)) in answers(plan).enumerate() {
            let steps = answer_steps(plan, f, k, answer);
            let rank = |link, feeder| ranks.rank(streams.number(link, feeder));
            let run_ahead =
                paths.cut_route(f as u32, &steps, End::Socket(2 * f as u32), &merge, &rank, &[]);
            told.push((f as u32, answer.at, run_ahead));
        }
        paths.hops.shrink_to_fit();
        paths.segments.shrink_to_fit();
        CutRoutes { paths, sockets, multipaths, merge, answers: told }
    }

    /// Cuts one route from its end to its start; returns what lies before its first merge. `parts`:
    /// the part of the network that each link and the socket behind them belong to; empty if there
    /// is one.
    fn cut_route(
        &mut self,
        flow: u32,
        steps: &[(Feeder, LinkId)],
        end: End,
        merge: &[bool],
        rank: &dyn Fn(LinkId, Feeder) -> u32,
        parts: &[u32],
    ) -> RunAhead {
        let socket = 2 * flow + u32::from(!matches!(steps.first(), Some((Feeder::Data(_), _))));
        let (mut end, mut cut_to) = (end, steps.len());
        for i in (0..=steps.len()).rev() {
            if let Some((feeder, link)) = steps.get(i).copied()
                && merge.get(link).is_none_or(|merge| *merge)
            {
                let run_ahead = self.run_ahead(&steps[i + 1..cut_to], end);
                self.segments.push(PathSegment { link: link as u32, socket, run_ahead });
                (end, cut_to) = (End::Merge(self.segments.len() as u32 - 1, rank(link, feeder)), i);
            }
            if let Some([before, part]) = i.checked_sub(1).and_then(|i| parts.get(i..i + 2))
                && before != part
            {
                let run_ahead = self.run_ahead(&steps[i..cut_to], end);
                self.borders.push(Border { part: *part, socket, run_ahead });
                (end, cut_to) = (End::Border(self.borders.len() as u32 - 1), i);
            }
        }
        self.run_ahead(&steps[..cut_to], end)
    }

    /// The link of `run_ahead` with which `left` links are left.
    #[inline(always)]
    pub(crate) fn link(&self, run_ahead: &RunAhead, left: u32) -> u32 {
        run_ahead.only_link().unwrap_or_else(|| self.hops[(run_ahead.to - left) as usize])
    }

    fn run_ahead(&mut self, steps: &[(Feeder, LinkId)], end: End) -> RunAhead {
        if let [(_, link)] = steps {
            return RunAhead::new(*link as u32, ONE_LINK, end);
        }
        let from = self.hops.len() as u32;
        self.hops.extend(steps.iter().map(|(_, link)| *link as u32));
        RunAhead::new(from, self.hops.len() as u32, end)
    }
}
