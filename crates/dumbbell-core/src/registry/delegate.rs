//! The trait of each kind, implemented for its enum: every method is a match over the algorithms.

/// One method of the enum: a match that the compiler turns into direct calls.
#[doc(hidden)]
#[macro_export]
macro_rules! __each {
    ($self:expr, $Any:ident { $($Type:ident),+ }, $a:ident => $call:expr) => {
        match $self { $($Any::$Type($a) => $call,)+ $Any::Plugin($a) => $call }
    };
}

/// Implements a kind's trait for its enum.
#[doc(hidden)]
#[macro_export]
macro_rules! __delegate {
    (aqm $Any:ident $list:tt) => {
        impl $crate::aqm::Aqm for $Any {
            fn needs(&self) -> $crate::aqm::Needs {
                $crate::__each!(self, $Any $list, a => a.needs())
            }
            #[inline(always)]
            fn arrive(
                &mut self,
                cx: &mut $crate::aqm::Cx<'_>,
                q: &impl $crate::aqm::QueueView,
                p: &$crate::packet::Meta,
                fits: bool,
            ) -> $crate::aqm::Verdict {
                $crate::__each!(self, $Any $list, a => a.arrive(cx, q, p, fits))
            }
            fn overflowed(&mut self, cx: &mut $crate::aqm::Cx<'_>, limit: $crate::aqm::Limit) {
                $crate::__each!(self, $Any $list, a => a.overflowed(cx, limit))
            }
            fn make_room(
                &mut self,
                cx: &mut $crate::aqm::Cx<'_>,
                q: &impl $crate::aqm::QueueView,
                p: &$crate::packet::Meta,
            ) -> Option<$crate::aqm::Slot> {
                $crate::__each!(self, $Any $list, a => a.make_room(cx, q, p))
            }
            #[inline]
            fn admitted(&mut self, p: &$crate::packet::Meta) {
                $crate::__each!(self, $Any $list, a => a.admitted(&{ *p }))
            }
            fn refused(
                &mut self,
                cx: &mut $crate::aqm::Cx<'_>,
                p: &$crate::packet::Meta,
                reason: $crate::aqm::Reason,
            ) {
                $crate::__each!(self, $Any $list, a => a.refused(cx, p, reason))
            }
            #[inline]
            fn depart(
                &mut self,
                cx: &mut $crate::aqm::Cx<'_>,
                q: &impl $crate::aqm::QueueView,
                p: &$crate::packet::Meta,
                sojourn: $crate::units::Span,
            ) -> $crate::aqm::Verdict {
                $crate::__each!(self, $Any $list, a => a.depart(cx, q, p, sojourn))
            }
            #[inline]
            fn gone(&mut self, p: &$crate::packet::Meta, how: $crate::aqm::Gone) {
                $crate::__each!(self, $Any $list, a => a.gone(p, how))
            }
            fn idle(&mut self, cx: &mut $crate::aqm::Cx<'_>) {
                $crate::__each!(self, $Any $list, a => a.idle(cx))
            }
            fn tick(
                &mut self,
                cx: &mut $crate::aqm::Cx<'_>,
                q: &impl $crate::aqm::QueueView,
            ) -> Option<$crate::units::Span> {
                $crate::__each!(self, $Any $list, a => a.tick(cx, q))
            }
            fn ticks(&self) -> bool {
                $crate::__each!(self, $Any $list, a => a.ticks())
            }
            fn probe(&self, out: &mut dyn $crate::probe::Probe) {
                $crate::__each!(self, $Any $list, a => a.probe(out))
            }
        }
    };
    (cc $Any:ident $list:tt) => {
        impl $crate::transport::CongestionControl for $Any {
            fn tcp_overrides(&self) -> $crate::transport::TcpOverrides {
                $crate::__each!(self, $Any $list, a => a.tcp_overrides())
            }
            fn capabilities(&self) -> $crate::transport::Capabilities {
                $crate::__each!(self, $Any $list, a => a.capabilities())
            }
            fn on_ack(
                &mut self,
                ack: &$crate::transport::Ack,
                commands: &mut $crate::transport::Commands,
            ) {
                $crate::__each!(self, $Any $list, a => a.on_ack(ack, commands))
            }
            #[inline(always)]
            fn on_expected(&mut self, acked: u64, window_limited: bool) -> u64 {
                $crate::__each!(self, $Any $list, a => a.on_expected(acked, window_limited))
            }
            fn seed(&mut self, seed: u64) {
                $crate::__each!(self, $Any $list, a => a.seed(seed))
            }
            fn on_congestion(
                &mut self,
                event: &$crate::transport::Congestion<'_>,
                commands: &mut $crate::transport::Commands,
            ) {
                $crate::__each!(self, $Any $list, a => a.on_congestion(event, commands))
            }
            fn on_recovered(&mut self, now: $crate::units::Time, bound: u64) {
                $crate::__each!(self, $Any $list, a => a.on_recovered(now, bound))
            }
            fn on_sent(&mut self, sent: &$crate::transport::Sent) -> $crate::transport::Tag {
                $crate::__each!(self, $Any $list, a => a.on_sent(sent))
            }
            fn codepoint(&self, tag: $crate::transport::Tag) -> Option<$crate::packet::Dscp> {
                $crate::__each!(self, $Any $list, a => a.codepoint(tag))
            }
            fn on_idle(&mut self, restart_window: u64) {
                $crate::__each!(self, $Any $list, a => a.on_idle(restart_window))
            }
            fn on_mss(&mut self, mss: u64) {
                $crate::__each!(self, $Any $list, a => a.on_mss(mss))
            }
            fn on_timer(
                &mut self,
                now: $crate::units::Time,
                commands: &mut $crate::transport::Commands,
            ) {
                $crate::__each!(self, $Any $list, a => a.on_timer(now, commands))
            }
            #[inline]
            fn next_timer(&self) -> $crate::units::Time {
                $crate::__each!(self, $Any $list, a => a.next_timer())
            }
            fn on_open(
                &mut self,
                now: $crate::units::Time,
                rtt: Option<$crate::units::Span>,
                window: u64,
                commands: &mut $crate::transport::Commands,
            ) {
                $crate::__each!(self, $Any $list, a => a.on_open(now, rtt, window, commands))
            }
            fn on_host_signal(
                &mut self,
                signal: $crate::transport::HostSignal,
                commands: &mut $crate::transport::Commands,
            ) {
                $crate::__each!(self, $Any $list, a => a.on_host_signal(signal, commands))
            }
            #[inline]
            fn cwnd(&self) -> u64 {
                $crate::__each!(self, $Any $list, a => a.cwnd())
            }
            fn ssthresh(&self) -> Option<u64> {
                $crate::__each!(self, $Any $list, a => a.ssthresh())
            }
            #[inline]
            fn pacing(&self) -> Option<$crate::units::Rate> {
                $crate::__each!(self, $Any $list, a => a.pacing())
            }
            fn probe(&self, out: &mut dyn $crate::probe::Probe) {
                $crate::__each!(self, $Any $list, a => a.probe(out))
            }
        }
    };
    (meter $Any:ident $list:tt) => {
        impl $crate::meter::Meter for $Any {
            #[inline]
            fn color(
                &mut self,
                cx: &mut $crate::aqm::Cx<'_>,
                p: &$crate::packet::Meta,
                before: $crate::meter::Color,
            ) -> $crate::meter::Color {
                $crate::__each!(self, $Any $list, a => a.color(cx, p, before))
            }
            fn tells_sender(&self) -> bool {
                $crate::__each!(self, $Any $list, a => a.tells_sender())
            }
            fn worst(&self) -> $crate::meter::Color {
                $crate::__each!(self, $Any $list, a => a.worst())
            }
            fn tokens(&mut self, now: $crate::units::Time) -> Option<$crate::meter::Tokens> {
                $crate::__each!(self, $Any $list, a => a.tokens(now))
            }
            fn probe(&self, out: &mut dyn $crate::probe::Probe) {
                $crate::__each!(self, $Any $list, a => a.probe(out))
            }
        }
    };
    (impairment $Any:ident $list:tt) => {
        impl $crate::impairment::Impairment for $Any {
            #[inline]
            fn effect(
                &mut self,
                now: $crate::units::Time,
                rng: &mut $crate::rng::Stream,
                p: &$crate::packet::Meta,
            ) -> $crate::impairment::WireEffect {
                $crate::__each!(self, $Any $list, a => a.effect(now, rng, p))
            }
            fn reorders(&self) -> bool {
                $crate::__each!(self, $Any $list, a => a.reorders())
            }
        }
    };
    (conditioner $Any:ident $list:tt) => {
        impl<P: $crate::packet::Packet> $crate::conditioner::Conditioner<P> for $Any<P> {
            #[inline]
            fn arrive(
                &mut self,
                cx: &mut $crate::aqm::Cx<'_>,
                p: P,
                out: &mut impl $crate::conditioner::Emit<P>,
            ) {
                $crate::__each!(self, $Any $list, a => a.arrive(cx, p, out))
            }
            fn next_wakeup(&self) -> $crate::units::Time {
                $crate::__each!(self, $Any $list, a => a.next_wakeup())
            }
            fn wake(
                &mut self,
                cx: &mut $crate::aqm::Cx<'_>,
                out: &mut impl $crate::conditioner::Emit<P>,
            ) {
                $crate::__each!(self, $Any $list, a => a.wake(cx, out))
            }
            fn held(&self) -> u64 {
                $crate::__each!(self, $Any $list, a => a.held())
            }
            fn tokens(&mut self, now: $crate::units::Time) -> Option<$crate::meter::Tokens> {
                $crate::__each!(self, $Any $list, a => a.tokens(now))
            }
            fn probe(&self, out: &mut dyn $crate::probe::Probe) {
                $crate::__each!(self, $Any $list, a => a.probe(out))
            }
        }
    };
    (qdisc $Any:ident $list:tt) => {
        impl<P: $crate::packet::Packet> $crate::qdisc::Qdisc<P> for $Any<P> {
            fn enqueue(
                &mut self,
                cx: &mut $crate::aqm::Cx<'_>,
                p: P,
                sink: &mut impl $crate::qdisc::Sink<P>,
            ) {
                $crate::__each!(self, $Any $list, q => q.enqueue(cx, p, sink))
            }
            fn dequeue(
                &mut self,
                cx: &mut $crate::aqm::Cx<'_>,
                sink: &mut impl $crate::qdisc::Sink<P>,
            ) -> Option<$crate::qdisc::packet_queue::Waiting<P>> {
                $crate::__each!(self, $Any $list, q => q.dequeue(cx, sink))
            }
            fn backlog(&self) -> $crate::aqm::Backlog {
                $crate::__each!(self, $Any $list, q => q.backlog())
            }
            fn set_in_service(&mut self, bytes: Option<u32>) {
                $crate::__each!(self, $Any $list, q => q.set_in_service(bytes))
            }
            fn idle(&mut self, cx: &mut $crate::aqm::Cx<'_>) {
                $crate::__each!(self, $Any $list, q => q.idle(cx))
            }
            fn next_wakeup(&self) -> Option<$crate::units::Time> {
                $crate::__each!(self, $Any $list, q => q.next_wakeup())
            }
            fn wake(&mut self, cx: &mut $crate::aqm::Cx<'_>) {
                $crate::__each!(self, $Any $list, q => q.wake(cx))
            }
            fn waiting_since(&self) -> Vec<$crate::units::Time> {
                $crate::__each!(self, $Any $list, q => q.waiting_since())
            }
            fn probe(&self, out: &mut dyn $crate::probe::Probe) {
                $crate::__each!(self, $Any $list, q => q.probe(out))
            }
        }
    };
    (service $Any:ident $list:tt) => {
        impl $crate::service::Service for $Any {
            #[inline]
            fn finish(
                &mut self,
                arrived: $crate::units::Time,
                start: $crate::units::Time,
                wire_bytes: u32,
            ) -> $crate::service::Transmitted {
                $crate::__each!(self, $Any $list, a => a.finish(arrived, start, wire_bytes))
            }
            fn rate(&self) -> $crate::units::Rate {
                $crate::__each!(self, $Any $list, a => a.rate())
            }
            fn ps_per_byte(&self) -> Option<u64> {
                $crate::__each!(self, $Any $list, a => a.ps_per_byte())
            }
            fn reorders(&self) -> bool {
                $crate::__each!(self, $Any $list, a => a.reorders())
            }
            fn outages(
                &self,
                until: $crate::units::Time,
            ) -> Vec<($crate::units::Time, $crate::units::Time)> {
                $crate::__each!(self, $Any $list, a => a.outages(until))
            }
            fn watch(&mut self, from: $crate::units::Time, to: $crate::units::Time) {
                $crate::__each!(self, $Any $list, a => a.watch(from, to))
            }
            fn utilization(&self) -> Option<f64> {
                $crate::__each!(self, $Any $list, a => a.utilization())
            }
            fn cpu_cost(&self) -> Option<$crate::service::CpuCost> {
                $crate::__each!(self, $Any $list, a => a.cpu_cost())
            }
        }
    };
    (source $Any:ident $list:tt) => {
        impl $crate::source::Source for $Any {
            fn next(
                &mut self,
                now: $crate::units::Time,
                rng: &mut $crate::rng::Stream,
            ) -> Option<$crate::source::Burst> {
                $crate::__each!(self, $Any $list, a => a.next(now, rng))
            }
            fn datagrams(&self) -> bool {
                $crate::__each!(self, $Any $list, a => a.datagrams())
            }
            fn awaits(&self) -> bool {
                $crate::__each!(self, $Any $list, a => a.awaits())
            }
            fn largest(&self) -> Option<u64> {
                $crate::__each!(self, $Any $list, a => a.largest())
            }
            fn voice(&self) -> Option<$crate::source::Voice> {
                $crate::__each!(self, $Any $list, a => a.voice())
            }
            fn probe(&self, now: $crate::units::Time, out: &mut dyn $crate::probe::Probe) {
                $crate::__each!(self, $Any $list, a => a.probe(now, out))
            }
        }
    };
}
