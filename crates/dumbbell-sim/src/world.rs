//! The network in virtual time: one loop over the agenda, and the sockets.
use crate::flow::{Ends, Flow};
use crate::socket::Socket;
use dumbbell_core::aqm::Reason;
use dumbbell_core::plugin::{Alarm, Failure};
use dumbbell_core::transport::segment::{Extra, PacketTooBig};
use dumbbell_core::units::Time;
use dumbbell_net::Built;
use dumbbell_net::Clock;
use dumbbell_net::FlowColors;
use dumbbell_net::Fragment;
use dumbbell_net::Reassembler;
use dumbbell_net::ReportNames;
use dumbbell_net::{Delivery, Net, RECEIVER, SENDER};
use dumbbell_net::{NO_SIDECAR, Pkt};
use dumbbell_net::{Observer, PacketId};

/// A network in virtual time.
pub struct World {
    pub(crate) report_names: ReportNames,
    pub(crate) warm: Time,
    pub(crate) end: Time,
    pub(crate) flows: Vec<Flow>,
    pub(crate) net: Net,
    /// Reassembly in hosts.
    pub(crate) reassembler: Reassembler,
    /// Arrivals and losses by color, in a plan with profiles.
    pub(crate) colors: Option<Box<FlowColors>>,
    alarm: Alarm,
    pub(crate) now: Time,
    /// True if its network is closed: it was joined from parts.
    pub(crate) closed: bool,
}

impl World {
    /// A world that stands at its beginning.
    pub(crate) fn assemble(
        built: Built,
        flows: Vec<Flow>,
        colors: Option<Box<FlowColors>>,
        alarm: Alarm,
    ) -> Self {
        let Built { net, report_names, reassembler } = built;
        let (warm, end) = (Time::ZERO + report_names.warmup, Time::ZERO + report_names.duration);
        let mut world = World {
            report_names,
            warm,
            end,
            flows,
            net,
            reassembler,
            colors,
            alarm,
            now: Time::ZERO,
            closed: false,
        };
        let own = |f: &usize| world.net.owns_socket(2 * f + SENDER);
        let own: Vec<usize> = (0..world.flows.len()).filter(own).collect();
        own.into_iter().for_each(|f| world.arm(f, SENDER));
        world.net.arm();
        world.net.arm_host_signals();
        world
    }

    /// The instant that the agenda has reached.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The plugin that failed, if one did: what happened since is not what it
    /// would have done. Look after each [`World::run`].
    pub fn failure(&self) -> Option<&Failure> {
        self.alarm.failure()
    }

    /// The loop of [`World::run`]: at most `events` entries that are due by `by`; true if there are
    /// no more. Each `O` has one caller, so that all that it calls becomes one function: a second
    /// caller costs a tenth more instructions for each packet.
    #[inline(always)]
    pub(crate) fn go<O: Observer>(&mut self, observer: &mut O, events: u64, by: Time) -> bool {
        let mut left = events;
        while left > 0 {
            left -= 1;
            let Some(entry) = self.net.next_event(by) else { return true };
            self.now = Time::from_ps(entry.t);
            if entry.is_clock() {
                self.clock(entry.rank, observer);
            } else if let Some(delivery) = self.net.arrive(self.now, &entry, observer) {
                self.dispatch(delivery, observer);
            }
            self.handle_rest(observer);
        }
        false
    }

    /// Where a loop has ended, the time is that of the end; hands `ended` on.
    pub(crate) fn arrived(&mut self, ended: bool) -> bool {
        if ended {
            self.now = self.end;
        }
        ended
    }

    /// Handles what an entry brought about beside the packet that it is.
    #[inline(always)]
    pub(crate) fn handle_rest<O: Observer>(&mut self, observer: &mut O) {
        if self.net.has_deliveries() {
            self.dispatch_all(observer);
        }
        if self.net.has_drops() {
            self.account_drops();
        }
    }

    /// Handles a clock that is due.
    fn clock<O: Observer>(&mut self, rank: u32, observer: &mut O) {
        match self.net.clock(rank) {
            Clock::Socket(socket) => self.due(socket as usize, observer),
            Clock::Done(link) => {
                if let Some(delivery) = self.net.done(self.now, link, observer) {
                    self.dispatch(delivery, observer);
                }
            }
            Clock::Wake(link) => self.net.wake(self.now, link, observer),
            Clock::Edge(link) => self.net.wake_edge(self.now, link, observer),
        }
    }

    /// A socket's entry is due; it may be stale, because deadlines move and entries do not.
    fn due<O: Observer>(&mut self, socket: usize, observer: &mut O) {
        let (flow, end) = (socket / 2, socket % 2);
        let armed = &mut self.flows[flow].sides[end].armed;
        if *armed == self.now {
            *armed = Time::NEVER;
            self.settle_socket(flow, end, self.now, observer);
            self.arm(flow, end);
        }
        if self.net.has_host_signals() {
            self.deliver_signals(socket, observer);
        }
    }

    /// Gives a socket its host signals: after everything else at this instant.
    #[cold]
    fn deliver_signals<O: Observer>(&mut self, number: usize, observer: &mut O) {
        let (f, end, now) = (number / 2, number % 2, self.now);
        for signal in self.net.take_host_signals(now, number as u32) {
            self.settle_socket(f, end, now, observer);
            let flow = &mut self.flows[f];
            flow.sample_until(end, now, now, observer);
            let before = if O::FOLLOWS && end == SENDER { flow.snapshot(observer) } else { None };
            flow.signal(
                end,
                now,
                signal,
                &mut Socket { t: now, number: number as u32, net: &mut self.net, observer },
            );
            if let Some(before) = before {
                flow.tell_reaction(now, before, observer);
            }
            self.arm(f, end);
        }
    }

    /// Lets one end of a flow do what is due of itself by `t`, in order.
    fn settle_socket<O: Observer>(&mut self, f: usize, end: usize, t: Time, observer: &mut O) {
        loop {
            let flow = &mut self.flows[f];
            let due = flow.due(end);
            if due > t {
                return;
            }
            flow.sample_until(end, due, self.now, observer);
            let before = if O::FOLLOWS && end == SENDER { flow.snapshot(observer) } else { None };
            let mut socket =
                Socket { t: due, number: (2 * f + end) as u32, net: &mut self.net, observer };
            match end {
                SENDER => flow.sender_acts(due, &mut socket),
                _ => flow.receiver_acts(due, &mut socket),
            }
            if let Some(before) = before {
                flow.tell_reaction(due, before, observer);
            }
        }
    }

    /// Does what comes before a packet's arrival at `t`: timers due before it, samples due by then,
    /// and reports of the packet, if somebody counts or follows it. Returns what the packet carries
    /// beside its header.
    #[cold]
    fn prepare<const END: usize, O: Observer>(
        &mut self,
        f: usize,
        t: Time,
        packet: Pkt,
        observer: &mut O,
    ) -> Option<Extra> {
        self.net.audit_delivered(&packet);
        if self.flows[f].due(END) < t {
            self.settle_socket(f, END, Time::from_ps(t.ps() - 1), observer);
        }
        if O::FOLLOWS && packet.sidecar() != NO_SIDECAR {
            let who = PacketId {
                flow: f,
                data: END == RECEIVER,
                number: self.net.followed_number(&packet),
            };
            if who.number != 0 {
                observer.delivered(t, who, packet.ecn());
            }
        }
        self.flows[f].sample_until(END, t, self.now, observer);
        if END == RECEIVER
            && let Some(colors) = &mut self.colors
        {
            colors.delivered(t, f, packet.dscp(), packet.ip_len());
        }
        self.net.take_extra(&packet)
    }

    /// Sees to it that the agenda holds an entry at or before the next deadline of this end.
    fn arm(&mut self, f: usize, end: usize) {
        if let Some(due) = self.flows[f].rest(end) {
            self.arm_at(f, end, due);
        }
    }

    #[cold]
    fn arm_at(&mut self, f: usize, end: usize, due: Time) {
        self.flows[f].sides[end].armed = due;
        if due <= self.end {
            self.net.wake_socket(due, (2 * f + end) as u32);
        }
    }

    /// Gives packets to sockets that they reached without a merge, and what these send in turn.
    #[cold]
    fn dispatch_all<O: Observer>(&mut self, observer: &mut O) {
        let mut i = 0;
        while let Some(delivery) = self.net.delivery(i) {
            i += 1;
            self.dispatch(delivery, observer);
        }
        self.net.clear_deliveries();
    }

    /// A packet comes to a socket.
    #[inline]
    pub(crate) fn dispatch<O: Observer>(&mut self, delivery: Delivery, observer: &mut O) {
        let Delivery { t, at, packet } = delivery;
        let flow = (at / 2) as usize;
        match at as usize % 2 {
            SENDER => self.deliver::<SENDER, O>(flow, t, packet, observer),
            _ => self.deliver::<RECEIVER, O>(flow, t, packet, observer),
        }
    }

    /// A packet arrives at one end of a flow. Nearly always nothing else is due there, and the end
    /// expects it: then this is all. Compiled once for each end.
    #[inline(never)]
    fn deliver<const END: usize, O: Observer>(
        &mut self,
        f: usize,
        t: Time,
        packet: Pkt,
        observer: &mut O,
    ) {
        let flow = &mut self.flows[f];
        if packet.sidecar() == NO_SIDECAR && t < flow.sides[END].quiet_until {
            let (segment, number, net) = (packet.segment(), (2 * f + END) as u32, &mut self.net);
            if END == RECEIVER {
                if let Some(answer) = flow.receiver_expects(&segment) {
                    net.count_delivered();
                    return net.launch(t, number, Pkt::new(answer, NO_SIDECAR), observer);
                }
            } else if !O::FOLLOWS
                && let Some(sooner) =
                    flow.sender_expects(t, &segment, &mut Socket { t, number, net, observer })
            {
                self.net.count_delivered();
                if sooner {
                    self.arm(f, END);
                }
                return;
            }
        }
        self.deliver_with_care::<END, O>(f, t, packet, observer);
    }

    /// [`Self::deliver`] in all cases. The end's own timers that were due before come first; one
    /// that is due at this very instant comes after.
    #[inline(never)]
    fn deliver_with_care<const END: usize, O: Observer>(
        &mut self,
        f: usize,
        t: Time,
        mut packet: Pkt,
        observer: &mut O,
    ) {
        let mut extra = None;
        if packet.sidecar() != NO_SIDECAR || self.flows[f].sides[END].quiet_until <= t {
            if let Some(link) = self.net.corrupted_by(&packet) {
                return self.discard::<END, O>(f, t, packet, link, observer);
            }
            if let Some(piece) = self.net.fragment_of(&packet) {
                let Some(whole) = self.reassemble((2 * f + 1 - END) as u32, t, packet, piece)
                else {
                    return;
                };
                packet = whole;
            }
            extra = self.prepare::<END, O>(f, t, packet, observer);
            if let Some(notice) = extra.as_ref().and_then(Extra::notice) {
                return self.notify(f, t, notice, observer);
            }
        }
        self.net.count_delivered();
        let flow = &mut self.flows[f];
        let before = if O::FOLLOWS && END == SENDER { flow.snapshot(observer) } else { None };
        let mut socket = Socket { t, number: (2 * f + END) as u32, net: &mut self.net, observer };
        match END {
            SENDER => flow.sender_gets(t, &packet.segment(), extra.as_ref(), &mut socket),
            _ => flow.receiver_gets(t, &packet.segment(), extra.as_ref(), &mut socket),
        }
        if let Some(before) = before {
            flow.tell_reaction(t, before, observer);
        }
        debug_assert!(
            flow.due(END) >= t,
            "flow {f} wants to act in the past: at {:?}, and it is \
            {t:?}",
            flow.due(END)
        );
        if let Some(due) = flow.rest(END) {
            self.arm_at(f, END, due);
        }
    }

    /// A fragment arrives of what socket `from` sent: the whole packet, if nothing is missing now.
    #[cold]
    fn reassemble(&mut self, from: u32, t: Time, packet: Pkt, piece: Fragment) -> Option<Pkt> {
        let whole = self.net.reassemble(&mut self.reassembler, t, from, packet, piece);
        self.give_up(t);
        whole
    }

    /// Tells flows of datagrams that hosts gave up by `t`.
    pub(crate) fn give_up(&mut self, t: Time) {
        for socket in self.reassembler.lost.drain(..).filter(|socket| socket % 2 == SENDER as u32) {
            self.flows[socket as usize / 2].loses(t, t >= self.warm, None);
        }
    }

    /// A router tells the sender of flow `f` that a packet was too large.
    #[cold]
    fn notify<O: Observer>(&mut self, f: usize, t: Time, notice: PacketTooBig, observer: &mut O) {
        self.net.count_delivered();
        let number = 2 * f as u32;
        if matches!(self.flows[f].ends, Ends::Udp(_)) {
            self.net.learn_path_mtu(number, notice);
        }
        self.flows[f].on_packet_too_big(
            t,
            notice,
            &mut Socket { t, number, net: &mut self.net, observer },
        );
        self.arm(f, SENDER);
    }

    /// A packet arrives that has a wrong bit, from a link: the host's checksum says so, and nobody
    /// else hears of it.
    #[cold]
    fn discard<const END: usize, O: Observer>(
        &mut self,
        f: usize,
        t: Time,
        packet: Pkt,
        link: usize,
        observer: &mut O,
    ) {
        let who =
            PacketId { flow: f, data: END == RECEIVER, number: self.net.followed_number(&packet) };
        if O::FOLLOWS && who.number != 0 {
            observer.discarded(t, who, link);
        }
        let counts = t >= self.warm;
        let first = self.net.discard(&packet, counts);
        if who.data && first {
            self.flows[f].loses(t, counts, Some(packet.seq()));
        }
        if who.data {
            self.colors
                .iter_mut()
                .filter(|_| counts)
                .for_each(|c| c.lost(f, packet.dscp(), Reason::Link));
        }
    }

    /// Tells flows of their packets that were dropped.
    #[cold]
    pub(crate) fn account_drops(&mut self) {
        let (flows, colors, warm) = (&mut self.flows, &mut self.colors, self.warm);
        self.net.account_drops(warm, |t, queued, why, first| {
            let flow = queued.flow as usize;
            if first {
                flows[flow].loses(t, t >= warm, Some(queued.packet.seq()));
            }
            // Edges color fragments one by one, and so they are counted.
            if t >= warm {
                colors.iter_mut().for_each(|c| c.lost(flow, queued.packet.dscp(), why));
            }
        });
    }
}
