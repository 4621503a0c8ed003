//! The least time between an entry of the agenda and what comes out because of it.
use crate::engine::path::End;
use crate::link::Element;
use crate::net::Net;
use dumbbell_core::units::Span;

/// The least time that any packet needs from a merge to the socket behind it.
pub(crate) fn lookahead(net: &Net) -> Span {
    let delay = |link: u32| match net.elements.get(link as usize) {
        Some(Element::Port(port)) => port.delay,
        Some(Element::Wire(wire)) => wire.delay(),
        Some(Element::UnevenWire(uneven)) => uneven.wire().delay(),
        None => Span::ZERO,
    };
    // Path segments are numbered from the end of each route to its start.
    let mut least: Vec<Span> = Vec::with_capacity(net.paths.segments.len());
    for path_segment in &net.paths.segments {
        let run_ahead = path_segment.run_ahead;
        let hops = (1..=run_ahead.links()).map(|left| net.paths.link(&run_ahead, left));
        let behind = match path_segment.run_ahead.end() {
            End::Merge(next, _) => least[next as usize],
            End::Socket(_) | End::Border(_) => Span::ZERO,
        };
        least.push(hops.fold(delay(path_segment.link) + behind, |sum, link| sum + delay(link)));
    }
    least.into_iter().min().unwrap_or_default()
}
