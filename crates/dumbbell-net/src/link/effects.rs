//! Effects on a packet behind its transmitter: a transmission that failed, and the impairments of
//! the wire in their order, for the packet and for the copies that are made of it.
use crate::engine::queued_packet::QueuedPacket;
use crate::observe::Observer;
use crate::port::Port;
use crate::port::account::{Event, PacketCopy, PortCtx};
use dumbbell_core::aqm::Reason;
use dumbbell_core::impairment::{Impairment, WireEffect};
use dumbbell_core::packet::Packet;
use dumbbell_core::units::Time;

/// A packet on the wire, the original or a copy.
#[derive(Clone, Copy)]
struct OnWire {
    queued: QueuedPacket,
    /// The time when it left, plus its delays so far; `None` if it is lost.
    t: Option<Time>,
    /// True if it is to be doubled.
    twice: bool,
}

impl OnWire {
    /// Applies one effect.
    fn apply<O: Observer>(&mut self, fate: WireEffect, link: usize, ctx: &mut PortCtx<'_, O>) {
        match fate {
            WireEffect::Arrives => {}
            WireEffect::Lost => self.t = None,
            WireEffect::Delayed(by) => self.t = self.t.map(|t| t + by),
            WireEffect::Corrupted => {
                let packet = self.queued.packet;
                self.queued.packet =
                    packet.with_sidecar(ctx.sidecars.corrupt(packet.sidecar(), link));
            }
            WireEffect::Duplicated => self.twice = true,
        }
    }

    /// The copy that is to follow it, if there is one.
    fn copy<O: Observer>(&mut self, ctx: &mut PortCtx<'_, O>) -> Option<OnWire> {
        if !std::mem::take(&mut self.twice) {
            return None;
        }
        let packet = self.queued.packet;
        let extra = ctx.sidecars.double(packet.sidecar());
        Some(OnWire {
            queued: QueuedPacket { packet: packet.with_sidecar(extra), ..self.queued },
            ..*self
        })
    }
}

impl Port {
    /// The packet left at `done` with `fate`, over a wire that may do more: when it is at the far
    /// end, or `None` if it is lost. Its copies are left in `ctx`.
    #[inline(never)]
    pub(crate) fn apply_effects<O: Observer>(
        &mut self,
        done: Time,
        fate: WireEffect,
        queued: &mut QueuedPacket,
        ctx: &mut PortCtx<'_, O>,
    ) -> Option<Time> {
        let link = self.account.link;
        let mut own = OnWire { queued: *queued, t: Some(done), twice: false };
        own.apply(fate, link, ctx);
        // In the order of the wire; nearly always there are none.
        let mut copies: Vec<OnWire> = own.copy(ctx).into_iter().collect();
        for (impairment, rng) in &mut self.impairments {
            let mut next = |on_wire: &mut OnWire, ctx: &mut PortCtx<'_, O>| {
                let fate = on_wire.t.map_or(WireEffect::Arrives, |t| {
                    impairment.effect(t, rng, &on_wire.queued.meta())
                });
                on_wire.apply(fate, link, ctx);
                on_wire.copy(ctx)
            };
            let new = next(&mut own, ctx);
            if copies.is_empty() && new.is_none() {
                continue;
            }
            let mut behind = Vec::from_iter(new);
            for mut on_wire in copies {
                let copy = next(&mut on_wire, ctx);
                behind.push(on_wire);
                behind.extend(copy);
            }
            copies = behind;
        }
        let at = self.resolve(done, &own, ctx);
        *queued = own.queued;
        copies.into_iter().for_each(|copy| self.resolve_copy(done, &copy, ctx));
        at
    }

    fn resolve<O: Observer>(
        &mut self,
        done: Time,
        own: &OnWire,
        ctx: &mut PortCtx<'_, O>,
    ) -> Option<Time> {
        let queued = &own.queued;
        let Some(t) = own.t else {
            self.account.drop(*queued, &lost(done), ctx);
            return None;
        };
        self.account.departed(done, u32::from(queued.packet.ip_len()), queued.word());
        self.account_corruption(done, queued, ctx);
        ctx.left(queued, self.account.link, done, t + self.delay);
        Some(t + self.delay)
    }

    fn resolve_copy<O: Observer>(&mut self, done: Time, copy: &OnWire, ctx: &mut PortCtx<'_, O>) {
        if done > self.account.stats.end() {
            // At the end of the run it is not made yet.
            ctx.sidecars.take(copy.queued.packet.sidecar());
            return;
        }
        let at = copy.t.map(|t| t + self.delay);
        ctx.copies.push(PacketCopy { at, queued: copy.queued, fragment: false });
        if at.is_some() {
            self.account.copied(done, &copy.queued);
            self.account_corruption(done, &copy.queued, ctx);
        } else {
            self.account.drop_copy(copy.queued, &lost(done), ctx);
        }
    }

    fn account_corruption<O: Observer>(
        &mut self,
        done: Time,
        queued: &QueuedPacket,
        ctx: &PortCtx<'_, O>,
    ) {
        if ctx.sidecars.corrupted(queued.packet.sidecar()) == Some(self.account.link) {
            self.account.corrupted(done, queued);
        }
    }
}

/// A loss behind the transmitter.
fn lost(t: Time) -> Event<'static> {
    Event { t, reason: Reason::Link, backlog: 0, saw: &|_| {} }
}
