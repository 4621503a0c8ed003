//! Observers behind a pointer. The engine is generic over its observer and large: each type of
//! observer would compile it once more. With [`Sampling`] and [`Following`] it is compiled once for
//! all that follow no packets, and once for the rest.
use crate::edge::report::MarkerRow;
use crate::observe::{FlowRow, Observer, PacketId, QueueRow, Reaction, Signal};
use dumbbell_core::meter::Color;
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::transport::segment::{Extra, Segment};
use dumbbell_core::units::Time;

/// Declares [`DynObserver`], the twin of [`Observer`] without its constants, and implements it for
/// every observer.
macro_rules! dyn_observer {
    ($(fn $name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)?;)*) => {
        /// The methods of [`Observer`], for calls through a pointer.
        pub trait DynObserver {
            $(
                #[doc = concat!("See [`Observer::", stringify!($name), "`].")]
                fn $name(&mut self, $($arg: $type),*) $(-> $out)?;
            )*
            /// See [`Observer::wants_reactions`].
            fn wants_reactions(&self) -> bool;
        }

        impl<O: Observer> DynObserver for O {
            $(
                fn $name(&mut self, $($arg: $type),*) $(-> $out)? {
                    Observer::$name(self, $($arg),*)
                }
            )*
            fn wants_reactions(&self) -> bool {
                Observer::wants_reactions(self)
            }
        }

        impl Observer for Following<'_> {
            const FOLLOWS: bool = true;
            $(
                fn $name(&mut self, $($arg: $type),*) $(-> $out)? {
                    self.0.$name($($arg),*)
                }
            )*
            fn wants_reactions(&self) -> bool {
                self.0.wants_reactions()
            }
        }
    };
}

dyn_observer! {
    fn follow(flow: usize, data: bool) -> u64;
    fn sent(t: Time, who: PacketId, segment: &Segment, extra: Option<&Extra>);
    fn entered(t: Time, who: PacketId, link: usize, backlog: u32);
    fn released(t: Time, who: PacketId, link: usize, dscp: Dscp, colour: Option<Color>);
    fn left(who: PacketId, link: usize, done: Time, arrives: Time);
    fn delivered(t: Time, who: PacketId, ecn: Ecn);
    fn discarded(t: Time, who: PacketId, link: usize);
    fn reacted(reaction: &Reaction);
    fn flow(t: Time, flow: usize, row: &FlowRow);
    fn queue(t: Time, link: usize, row: &QueueRow);
    fn marker(t: Time, link: usize, row: &MarkerRow);
    fn signal(signal: &Signal);
}

/// An observer that follows packets.
pub struct Following<'a>(pub &'a mut dyn DynObserver);

/// An observer that follows no packets: only its rows and signals are passed on.
pub struct Sampling<'a>(pub &'a mut dyn DynObserver);

impl Observer for Sampling<'_> {
    fn flow(&mut self, t: Time, flow: usize, row: &FlowRow) {
        self.0.flow(t, flow, row);
    }
    fn queue(&mut self, t: Time, link: usize, row: &QueueRow) {
        self.0.queue(t, link, row);
    }
    fn marker(&mut self, t: Time, link: usize, row: &MarkerRow) {
        self.0.marker(t, link, row);
    }
    fn signal(&mut self, signal: &Signal) {
        self.0.signal(signal);
    }
}
