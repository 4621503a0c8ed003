//! The two ends of a flow.
mod measured;
mod quic;
mod scream;
use crate::app::{Act, App};
use crate::completion::Completion;
use crate::counts::Counts;
use crate::series::Series;
use crate::udp::Udp;
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::probe::Gauges;
use dumbbell_core::transport::HostSignal;
use dumbbell_core::transport::segment::{Extra, Outbox, PacketTooBig, Segment};
use dumbbell_core::units::Time;
use dumbbell_net::{SENDER, SampleTimes};
use dumbbell_tcp::{PathStats, Receiver, Sender};
pub(crate) use quic::Quic;
pub(crate) use scream::Scream;

/// The transport of a flow.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Ends {
    /// A connection.
    Tcp {
        /// Its sender.
        sender: Sender<AnyCc>,
        /// Its receiver.
        receiver: Receiver,
    },
    /// A connection of QUIC.
    Quic(Box<Quic>),
    /// Live media by SCReAM.
    Scream(Box<Scream>),
    /// Datagrams.
    Udp(Udp),
}

/// State of one end that each packet touches. The two ends are run ahead and sampled separately.
pub(crate) struct Side {
    /// The instant of its pending entry in the agenda, at or before its next deadline.
    pub armed: Time,
    /// Nothing is due at this end before this time: no deadline, no sample.
    pub quiet_until: Time,
    sample_times: SampleTimes,
}

/// One flow; what each packet touches comes first.
#[repr(C)]
pub(crate) struct Flow {
    /// The sender's side and the receiver's.
    pub sides: [Side; 2],
    /// Integral of the congestion window since the start, byte picoseconds.
    pub(crate) cwnd_integral: u128,
    pub(crate) cwnd_since: Time,
    pub(crate) app: App,
    /// Its ends.
    pub ends: Ends,
    /// True if somebody sees each packet that comes to its receiver.
    sees_each_packet: bool,
    /// Its number.
    number: u32,
    /// Segment size for windows in packets, bytes.
    mss: u32,
    /// Rows that wait; only of a flow that is sampled.
    series: Option<Box<Series>>,
    /// Packets of the sender that were dropped somewhere in the window.
    pub(crate) lost_packets: u64,
    /// Counts of the two ends when the warm-up ended, unless nothing had happened by then.
    pub(crate) warm: Option<Box<[Counts; 2]>>,
    /// Of a connection whose application may close.
    pub(crate) completion: Option<Box<Completion>>,
}

impl Flow {
    /// A flow that has not begun; it does at `start`. `mss`: segment size for windows in packets.
    /// `counted`: somebody counts what its receiver gets, packet by packet.
    pub(crate) fn new(
        number: u32,
        (ends, mss): (Ends, u32),
        app: App,
        start: Time,
        sample_times: SampleTimes,
        counted: bool,
    ) -> Self {
        let stream = matches!(ends, Ends::Tcp { .. } | Ends::Quic(_));
        let completion = (app.may_close() && stream).then(|| Box::new(Completion::new(start)));
        let side =
            |sample_times| Side { armed: Time::NEVER, quiet_until: Time::ZERO, sample_times };
        let sees_each_packet = counted || completion.is_some();
        Flow {
            number,
            mss,
            sees_each_packet,
            ends,
            app,
            sides: [side(sample_times.clone()), side(sample_times)],
            completion,
            series: None,
            lost_packets: 0,
            cwnd_integral: 0,
            cwnd_since: start,
            warm: None,
        }
    }

    /// The time of an end's next action of its own: its application or a timer.
    #[inline]
    pub(crate) fn due(&self, end: usize) -> Time {
        match (&self.ends, end) {
            (Ends::Tcp { sender, .. }, SENDER) => self.app.next().min(sender.deadline()),
            (Ends::Tcp { receiver, .. }, _) => receiver.deadline(),
            (Ends::Quic(quic), SENDER) => self.app.next().min(quic.sender.deadline()),
            (Ends::Quic(quic), _) => quic.receiver.deadline(),
            (Ends::Scream(scream), SENDER) => self.app.next().min(scream.sender.deadline()),
            (Ends::Scream(scream), _) => scream.receiver.deadline(),
            (Ends::Udp(_), SENDER) => self.app.next(),
            (Ends::Udp(_), _) => Time::NEVER,
        }
    }

    /// An end has done what it had to: its next deadline, if that comes before its pending entry.
    #[inline]
    pub(crate) fn rest(&mut self, end: usize) -> Option<Time> {
        if let (Ends::Tcp { sender, .. }, SENDER) = (&mut self.ends, end) {
            sender.settle_timers();
        }
        let due = self.due(end);
        let side = &mut self.sides[end];
        let attends = end != SENDER && self.sees_each_packet;
        let look = if attends { Time::ZERO } else { side.sample_times.next() };
        side.quiet_until = due.next().min(look);
        (due < side.armed).then_some(due)
    }

    /// Performs what is due at the sender at `now`: the application before a timer.
    pub(crate) fn sender_acts(&mut self, now: Time, out: &mut impl Outbox) {
        self.integrate_cwnd(now);
        let act = (self.app.next() == now).then(|| {
            if let Ends::Scream(scream) = &self.ends {
                self.app.follow(scream.sender.media_rate());
            }
            self.app.act()
        });
        match (&mut self.ends, act) {
            (Ends::Tcp { sender, .. }, Some(Act::Open)) => sender.open(now, out),
            (Ends::Tcp { sender, .. }, Some(Act::Write(bytes))) => sender.write(now, bytes, out),
            (Ends::Tcp { sender, .. }, Some(Act::Close)) => sender.close(now, out),
            (Ends::Tcp { sender, .. }, Some(Act::Stop)) => sender.stop(now, out),
            (Ends::Tcp { sender, .. }, None) => sender.on_deadline(now, out),
            (Ends::Quic(quic), act) => quic.sender_acts(now, act, out),
            (Ends::Scream(scream), act) => scream.sender_acts(now, act, out),
            (Ends::Udp(udp), Some(Act::Write(bytes))) => udp.write(now, bytes, out),
            (Ends::Udp(_), _) => {}
        }
    }

    /// Performs what is due at the receiver at `now`.
    pub(crate) fn receiver_acts(&mut self, now: Time, out: &mut impl Outbox) {
        match &mut self.ends {
            Ends::Tcp { receiver, .. } => receiver.on_deadline(now, out),
            Ends::Quic(quic) => quic.receiver.on_deadline(now, out),
            Ends::Scream(scream) => scream.receiver.on_deadline(now, out),
            Ends::Udp(_) => {}
        }
    }

    /// The host gives a signal to one end.
    pub(crate) fn signal(
        &mut self,
        end: usize,
        now: Time,
        signal: HostSignal,
        out: &mut impl Outbox,
    ) {
        self.integrate_cwnd_if_sender(end, now);
        match (&mut self.ends, end) {
            (Ends::Tcp { sender, .. }, SENDER) => sender.local(now, signal, out),
            (Ends::Tcp { receiver, .. }, _) => receiver.local(now, signal, out),
            (Ends::Quic(quic), SENDER) => quic.sender.local(now, signal, out),
            // A receiver of QUIC has no window that it could close.
            (Ends::Quic(_) | Ends::Scream(_) | Ends::Udp(_), _) => {}
        }
    }

    /// A packet arrives at the sender.
    #[inline]
    pub(crate) fn sender_gets(
        &mut self,
        now: Time,
        s: &Segment,
        x: Option<&Extra>,
        out: &mut impl Outbox,
    ) {
        self.integrate_cwnd(now);
        match &mut self.ends {
            Ends::Tcp { sender, receiver, .. } => {
                sender.on_segment(now, s, x, out);
                if self.app.waits() && sender.all_acknowledged() {
                    let delivered = receiver.stats().delivered_bytes;
                    acknowledged(&mut self.app, now, self.completion.as_deref(), delivered);
                }
            }
            Ends::Quic(quic) => {
                quic.sender.on_segment(now, s, x, out);
                if self.app.waits() && quic.sender.all_acknowledged() {
                    let delivered = quic.receiver.stats().delivered_bytes;
                    acknowledged(&mut self.app, now, self.completion.as_deref(), delivered);
                }
            }
            Ends::Scream(scream) => scream.sender.on_segment(now, s, x, out),
            Ends::Udp(_) => {}
        }
    }

    /// A packet arrives at the sender before its deadline. `None` if it was not expected; else it
    /// is dealt with, and true if [`Self::rest`] is to be asked, because the next deadline may come
    /// sooner than it knew.
    #[inline(always)]
    pub(crate) fn sender_expects(
        &mut self,
        now: Time,
        s: &Segment,
        out: &mut impl Outbox,
    ) -> Option<bool> {
        let Ends::Tcp { sender, receiver, .. } = &mut self.ends else { return None };
        let cwnd = sender.cwnd();
        if !sender.take_expected(now, s, out) {
            return None;
        }
        let side = &self.sides[SENDER];
        // A deadline that is not computed is not sooner than the last one that was.
        let mut sooner =
            sender.settled_deadline().is_some_and(|at| at < side.armed.max(side.quiet_until));
        if self.app.waits() && sender.all_acknowledged() {
            let delivered = receiver.stats().delivered_bytes;
            acknowledged(&mut self.app, now, self.completion.as_deref(), delivered);
            sooner = true;
        }
        if sender.cwnd() != cwnd {
            self.add_to_integral(cwnd, now);
        }
        Some(sooner)
    }

    /// A packet arrives at the receiver before its deadline: the answer, if it was expected.
    #[inline(always)]
    pub(crate) fn receiver_expects(&mut self, s: &Segment) -> Option<Segment> {
        let Ends::Tcp { receiver, .. } = &mut self.ends else { return None };
        receiver.take_expected(s)
    }

    /// The path MTU that the sender has come to, and how; `None` if it learned nothing.
    pub(crate) fn path(&self) -> Option<(u32, PathStats)> {
        let Ends::Tcp { sender, .. } = &self.ends else { return None };
        Some((sender.path_mtu(), sender.path_stats()))
            .filter(|(_, stats)| *stats != PathStats::default())
    }

    /// A router says that a packet of the sender was too large.
    pub(crate) fn on_packet_too_big(
        &mut self,
        now: Time,
        notice: PacketTooBig,
        out: &mut impl Outbox,
    ) {
        self.integrate_cwnd(now);
        if let Ends::Tcp { sender, .. } = &mut self.ends {
            sender.on_packet_too_big(now, notice, out);
        }
    }

    /// A packet arrives at the receiver.
    #[inline]
    pub(crate) fn receiver_gets(
        &mut self,
        now: Time,
        s: &Segment,
        x: Option<&Extra>,
        out: &mut impl Outbox,
    ) {
        match &mut self.ends {
            Ends::Tcp { receiver, .. } => receiver.on_segment(now, s, x, out),
            Ends::Quic(quic) => quic.receiver.on_segment(now, s, x, out),
            Ends::Scream(scream) => scream.receiver.on_segment(now, s, out),
            Ends::Udp(udp) => udp.read(now, s),
        }
    }

    /// The time when everything that the application handed over was there, if it has closed and
    /// everything was: of a connection, after [`Flow::close`].
    pub(crate) fn completed_at(&self) -> Option<Time> {
        let (completion, written) = (self.completion.as_ref()?, self.written()?);
        completion.complete(written).filter(|_| self.app.closed())
    }

    /// Measures of the application by `end`, after [`Flow::close`].
    pub(crate) fn application(&mut self, end: Time) -> Gauges {
        if self.app.waits()
            && let (Some(completion), Some(written)) = (&self.completion, self.written())
            && let Some(at) = completion.complete(written)
        {
            // The acknowledgment is still on its way.
            self.app.delivered(at);
        }
        let mut gauges = Gauges::default();
        self.app.probe(end, &mut gauges);
        gauges
    }

    /// Bytes that the application has handed over; `None` for datagrams and media.
    fn written(&self) -> Option<u64> {
        match &self.ends {
            Ends::Tcp { sender, .. } => Some(sender.written()),
            Ends::Quic(quic) => Some(quic.sender.written()),
            Ends::Scream(_) | Ends::Udp(_) => None,
        }
    }

    /// Adds the window since the last event to its integral.
    #[inline]
    fn integrate_cwnd(&mut self, now: Time) {
        match &self.ends {
            Ends::Tcp { sender, .. } => self.add_to_integral(sender.cwnd(), now),
            Ends::Quic(quic) => self.add_to_integral(quic.sender.cwnd(), now),
            Ends::Scream(scream) => self.add_to_integral(scream.sender.cwnd(), now),
            Ends::Udp(_) => {}
        }
    }

    /// The window was `cwnd` since the last event that changed it.
    #[inline]
    fn add_to_integral(&mut self, cwnd: u64, now: Time) {
        self.cwnd_integral += u128::from(cwnd) * u128::from(now.since(self.cwnd_since).ps());
        // A look before the flow starts does not move its start.
        self.cwnd_since = self.cwnd_since.max(now);
    }

    /// A packet of the sender was dropped at `t`: within the window, if it `counts`. Without its
    /// sequence number if that is not known.
    pub(crate) fn loses(&mut self, t: Time, counts: bool, seq: Option<u32>) {
        self.lost_packets += u64::from(counts);
        if let Some(series) = &mut self.series {
            series.loses(t);
        }
        if let (Ends::Udp(udp), Some(seq)) = (&mut self.ends, seq) {
            udp.loses(t, seq);
        }
    }
}

/// Everything that an application handed over was acknowledged at `now`, and it waited for that.
#[cold]
fn acknowledged(app: &mut App, now: Time, completion: Option<&Completion>, delivered: u64) {
    if let Some(completion) = completion.filter(|_| app.hears_delivery()) {
        app.delivered(completion.delivered_at(delivered));
    }
    app.acknowledged(now);
}
