//! How long it takes at least from an entry of the agenda to what comes of it.
use crate::engine::path::End;
use crate::net::{Element, Net};
use dumbbell_core::units::Span;

/// What any packet needs at least from a merge, when its entry is due, to the socket behind it.
pub fn lookahead(net: &Net) -> Span {
    let delay = |link: u32| match net.elements.get(link as usize) {
        Some(Element::Port(port)) => port.delay,
        Some(Element::Wire(wire)) => wire.delay(),
        None => Span::ZERO,
    };
    // Path segments are numbered from the end of each route to its start.
    let mut least: Vec<Span> = Vec::with_capacity(net.paths.segments.len());
    for path_segment in &net.paths.segments {
        let hops = (path_segment.run_ahead.from..path_segment.run_ahead.to).map(|i| net.paths.hops[i as usize]);
        let behind = match path_segment.run_ahead.end() {
            End::Merge(next, _) => least[next as usize],
            End::Socket(_) => Span::ZERO,
        };
        least.push(hops.fold(delay(path_segment.link) + behind, |sum, link| sum + delay(link)));
    }
    least.into_iter().min().unwrap_or_default()
}
