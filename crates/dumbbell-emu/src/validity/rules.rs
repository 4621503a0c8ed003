//! The rules of validity, one function each: a reason against the run, or none.
use super::{Validity, bound};
use crate::router::measures::Measured;

/// A reason against a run.
pub(super) type Rule = fn(&Validity, &Measured) -> Option<String>;

/// All rules; the most telling first.
pub(super) const RULES: &[Rule] = &[
    had_packets,
    conserved,
    replayed,
    log_complete,
    no_oversized_packets,
    checksums_right,
    all_packets_read,
    all_packets_taken,
    memory_sufficed,
    within_cpu_budget,
    rate_kept,
    retransmissions_explained,
    no_broken_connections,
    no_full_receive_buffers,
    datagrams_on_time,
    little_steal_time,
];

/// The run went to its end.
pub(super) fn broken_off(m: &Measured) -> Option<String> {
    (m.seconds < m.planned_seconds).then(|| {
        format!("the run ended after {:.3} s of {:.3} s: let it end", m.seconds, m.planned_seconds)
    })
}

/// Packets came to the router.
fn had_packets(_: &Validity, m: &Measured) -> Option<String> {
    (m.counts.incoming == 0).then(|| {
        let strangers = match m.counts.strangers {
            0 => String::new(),
            n => format!(" ({n} came that are of no flow of the scenario)"),
        };
        format!(
            "no packet came to the router{strangers}: see whether the hosts' programs ran, and \
            to whom they spoke"
        )
    })
}

fn conserved(v: &Validity, m: &Measured) -> Option<String> {
    let c = &v.conservation;
    (!c.ok).then(|| {
        format!(
            "packets are not conserved: {} came in, {} came out, {} were dropped, {} are inside, \
                and {} came out that had not come in: this is a fault of Dumbbell; please report \
                it with the log",
            c.incoming, c.out, c.dropped, c.inside, m.counts.orphans
        )
    })
}

fn replayed(v: &Validity, _: &Measured) -> Option<String> {
    let replay = v.replay.filter(|replay| replay.mismatches > 0)?;
    Some(format!(
        "{} of the {} packets of the log fare otherwise when it is replayed: this is a fault of \
            Dumbbell; please report it with the log",
        replay.mismatches, replay.packets
    ))
}

fn log_complete(v: &Validity, _: &Measured) -> Option<String> {
    (v.log_overflow > 0).then(|| {
        format!(
            "{} records of packets found no room on their way to the log, and all must: lower the \
                rate, or free the machine",
            v.log_overflow
        )
    })
}

fn no_oversized_packets(v: &Validity, m: &Measured) -> Option<String> {
    (v.oversized_frames > 0).then(|| {
        format!(
            "{} packets were larger than the MTU{}: a host leaves segmentation to its card; switch \
                tso, gso and gro off",
            v.oversized_frames,
            complaint(m)
        )
    })
}

fn checksums_right(v: &Validity, m: &Measured) -> Option<String> {
    (v.bad_checksums > 0).then(|| {
        format!(
            "{} packets had a wrong checksum or header{}: a host leaves checksums to its card; \
                switch tx checksumming off",
            v.bad_checksums,
            complaint(m)
        )
    })
}

fn complaint(m: &Measured) -> String {
    m.counts.first_complaint.as_ref().map_or_else(String::new, |text| {
        format!(
            " (the first: \
        {text})"
        )
    })
}

fn all_packets_read(v: &Validity, _: &Measured) -> Option<String> {
    (v.port_drops.sent > 0).then(|| {
        format!(
            "{} packets got lost between a host and the router, and none may: the router did not \
                read in time; lower the rate, or free the machine",
            v.port_drops.sent
        )
    })
}

fn all_packets_taken(v: &Validity, m: &Measured) -> Option<String> {
    (v.port_drops.written > 0).then(|| {
        let cause =
            m.counts.first_refusal.as_ref().map_or_else(String::new, |text| format!(" ({text})"));
        format!(
            "{} packets got lost between the router and a host{cause}, and none may: the host did \
                not take them in time; lower the rate, or free the machine",
            v.port_drops.written
        )
    })
}

fn memory_sufficed(_: &Validity, m: &Measured) -> Option<String> {
    (m.counts.no_room > 0).then(|| {
        format!(
            "there was no memory for {} packets: make the queues or the delays of the scenario \
                smaller",
            m.counts.no_room
        )
    })
}

fn within_cpu_budget(_: &Validity, m: &Measured) -> Option<String> {
    (m.rests > 0).then(|| {
        format!(
            "the router was busy for more than nine tenths of the time and had to pause {} times, \
                so that the kernel would not stop it: lower the rate",
            m.rests
        )
    })
}

fn rate_kept(v: &Validity, _: &Measured) -> Option<String> {
    let error = v.rate_error.filter(|error| *error > bound::RATE)?;
    Some(format!(
        "the bottleneck's rate was wrong by {:.3} % while it was busy, and {:.1} % are permitted: \
            lower the rate, or free the machine",
        error * 100.0,
        bound::RATE * 100.0
    ))
}

/// Every loss is repaired by one retransmission, and every other retransmission was in vain, but
/// for those of [`super::Retransmissions::tolerance`].
fn retransmissions_explained(v: &Validity, _: &Measured) -> Option<String> {
    let r = v.retransmissions?;
    let (apart, most) = (r.apart(), r.tolerance());
    (apart > most).then(|| {
        let what = if r.retransmits > r.router_drops + r.needless + r.resized {
            "packets get lost where the router does not see it"
        } else {
            "losses are not repaired, or the senders' counts are incomplete"
        };
        format!(
            "the network lost {} packets of TCP and their senders sent {} again, {} of them in \
                vain: {apart} apart, and {most} are permitted ({} were on their way at the end, {} \
                for each of {} flows, {:.0} % of the losses): {what}; see `port_drops` and the \
                hosts' counters",
            r.router_drops,
            r.retransmits,
            r.needless,
            r.in_flight,
            bound::PER_FLOW,
            r.flows,
            bound::SPURIOUS * 100.0
        )
    })
}

fn no_broken_connections(v: &Validity, _: &Measured) -> Option<String> {
    let troubles = &v.traffic.troubles;
    let first = troubles.first()?;
    Some(format!(
        "{} connections broke, and none may (the first: {first}): see whether the scenario lets \
            its packets through, and what the hosts' kernels say",
        troubles.len()
    ))
}

fn no_full_receive_buffers(v: &Validity, _: &Measured) -> Option<String> {
    (v.traffic.no_room > 0).then(|| {
        format!(
            "{} datagrams came for which their receiver's socket had no room, and all must have \
                it: lower the rate, or free the machine",
            v.traffic.no_room
        )
    })
}

fn datagrams_on_time(v: &Validity, _: &Measured) -> Option<String> {
    let late = v.traffic.late_mean_us;
    (late > bound::SENT_LATE_US).then(|| {
        format!(
            "the datagrams of a flow were handed over {late:.1} us late in the mean (at most {:.1} \
                us), and {:.1} us are permitted: lower the rate, or free the machine",
            v.traffic.late_max_us,
            bound::SENT_LATE_US
        )
    })
}

fn little_steal_time(v: &Validity, _: &Measured) -> Option<String> {
    let steal = v.cpu.steal_share.filter(|steal| *steal > bound::STEAL)?;
    Some(format!(
        "the machine's owner gave {:.1} % of its time to others (steal), and {:.0} % are \
            permitted: run it where the machine is one's own",
        steal * 100.0,
        bound::STEAL * 100.0
    ))
}
