//! Sidecars: data that only some packets carry, as SACK blocks, options of a SYN, a wrong bit. A
//! slab with a free list.
use crate::engine::entry::NO_SIDECAR;
use dumbbell_core::transport::segment::Extra;
use std::collections::BTreeMap;

/// The part of a datagram that a fragment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The number of the datagram.
    pub datagram: u32,
    /// First byte of its payload.
    pub from: u16,
    /// The byte behind its last.
    pub to: u16,
    /// True if it is the last fragment.
    pub last: bool,
}

/// What one packet carries.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sidecar {
    extra: Extra,
    /// False where the place was made for an audit number alone.
    real: bool,
    /// Number of the packet in audit mode.
    audit: u64,
    /// Number of the packet among those of its socket, if somebody follows it.
    number: u64,
    /// The link that gave it a wrong bit.
    corrupted: Option<u32>,
    /// The part of a datagram that it is.
    fragment: Option<Fragment>,
}

/// A datagram with fragments in the network.
#[derive(Clone, Copy)]
struct Datagram {
    /// Number of fragments in the network, copies included.
    open: u32,
    /// True if a loss of it was told, before the window and in it: one lost fragment loses the
    /// datagram.
    lost: [bool; 2],
    /// The socket that sent it (2 x flow + end).
    from: u32,
    /// True if it was reassembled: copies of its fragments that are lost later are no losses.
    whole: bool,
}

impl Datagram {
    /// Reports a loss, once in the window and once before it: whether it was not told yet.
    fn tells(&mut self, window: bool) -> bool {
        !std::mem::replace(&mut self.lost[usize::from(window)], true)
    }
}

/// The sidecars in use, by handle; handle [`NO_SIDECAR`] is no extra.
pub struct Sidecars {
    slots: Vec<Sidecar>,
    free: Vec<u32>,
    /// By number.
    datagrams: BTreeMap<u32, Datagram>,
    next_datagram: u32,
    /// Sidecars in use of other parts of the network, at the end of the run.
    elsewhere: usize,
    /// Lifetime events of audit numbers, if somebody keeps packets by number outside.
    lifetime_events: Option<Vec<(u64, LifetimeEvent)>>,
}

/// An event in the life of a packet's number, see [`Sidecars::keep_lifetime_events`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifetimeEvent {
    /// One more packet has it: the first, a copy, a fragment.
    Begins,
    /// A packet that had it arrived, or is lost.
    Ends,
}

impl Default for Sidecars {
    fn default() -> Self {
        Sidecars {
            slots: vec![Sidecar::default()],
            free: Vec::new(),
            datagrams: BTreeMap::new(),
            next_datagram: 0,
            elsewhere: 0,
            lifetime_events: None,
        }
    }
}

impl Sidecars {
    /// From now on what happens to audit numbers is kept until [`Self::lifetime_events`] takes it.
    pub fn keep_lifetime_events(&mut self) {
        self.lifetime_events = Some(Vec::new());
    }
    /// Lifetime events of audit numbers since the last call.
    pub fn lifetime_events(&mut self) -> impl Iterator<Item = (u64, LifetimeEvent)> {
        self.lifetime_events.iter_mut().flat_map(|lifetime_events| lifetime_events.drain(..))
    }
    #[inline]
    fn note_lifetime(&mut self, audit: u64, life: LifetimeEvent) {
        if audit != 0
            && let Some(lifetime_events) = &mut self.lifetime_events
        {
            lifetime_events.push((audit, life));
        }
    }
    /// Keeps an extra, if there is one.
    #[inline]
    pub fn put(&mut self, x: Option<Extra>) -> u32 {
        match x {
            None => NO_SIDECAR,
            Some(extra) => self.insert(Sidecar { extra, real: true, ..Sidecar::default() }),
        }
    }
    fn insert(&mut self, p: Sidecar) -> u32 {
        match self.free.pop() {
            Some(i) => {
                self.slots[i as usize] = p;
                i
            }
            None => {
                self.slots.push(p);
                (self.slots.len() - 1) as u32
            }
        }
    }
    /// Takes an extra out; its place is free again.
    #[inline]
    pub fn take(&mut self, i: u32) -> Option<Extra> {
        if i == NO_SIDECAR {
            return None;
        }
        self.free.push(i);
        let slot = self.slots[i as usize];
        if let Some(fragment) = slot.fragment {
            self.ends(fragment.datagram);
        }
        self.note_lifetime(slot.audit, LifetimeEvent::Ends);
        slot.real.then_some(slot.extra)
    }
    /// Takes the whole sidecar of a packet out, which goes to another part of the network.
    pub(crate) fn hand_over(&mut self, i: u32) -> Option<Sidecar> {
        if i == NO_SIDECAR {
            return None;
        }
        self.free.push(i);
        Some(self.slots[i as usize])
    }
    /// Keeps the sidecar of a packet that comes from another part; the handle that it now has.
    pub(crate) fn take_over(&mut self, sidecar: Option<Sidecar>) -> u32 {
        sidecar.map_or(NO_SIDECAR, |sidecar| self.insert(sidecar))
    }
    /// Counts those of another part, at the end.
    pub(crate) fn absorb(&mut self, other: &Sidecars) {
        self.elsewhere += other.in_use();
    }
    /// Writes a packet's audit number beside its extra; the handle that the packet now has.
    pub fn tag(&mut self, i: u32, audit: u64) -> u32 {
        self.note_lifetime(audit, LifetimeEvent::Begins);
        if i == NO_SIDECAR {
            return self.insert(Sidecar { audit, ..Sidecar::default() });
        }
        self.slots[i as usize].audit = audit;
        i
    }
    /// Writes a packet's number among those of its socket beside its extra; the handle that the
    /// packet now has.
    pub fn follow(&mut self, i: u32, number: u64) -> u32 {
        if i == NO_SIDECAR {
            return self.insert(Sidecar { number, ..Sidecar::default() });
        }
        self.slots[i as usize].number = number;
        i
    }
    /// A packet's number among those of its socket; 0 if nobody follows it.
    pub fn number(&self, i: u32) -> u64 {
        self.slots[i as usize].number
    }
    /// The data that its socket put beside a packet.
    pub fn get(&self, i: u32) -> Option<&Extra> {
        self.slots.get(i as usize).filter(|p| p.real).map(|p| &p.extra)
    }
    /// A packet's audit number; 0 if it has none.
    pub fn audit(&self, i: u32) -> u64 {
        self.slots[i as usize].audit
    }
    /// Writes beside a packet's extra that it has a wrong bit, from `link`; the handle that the
    /// packet now has.
    #[cold]
    pub fn corrupt(&mut self, i: u32, link: usize) -> u32 {
        let corrupted = Some(link as u32);
        if i == NO_SIDECAR {
            return self.insert(Sidecar { corrupted, ..Sidecar::default() });
        }
        self.slots[i as usize].corrupted = corrupted;
        i
    }
    /// The link that gave a packet a wrong bit.
    pub fn corrupted(&self, i: u32) -> Option<usize> {
        self.slots[i as usize].corrupted.map(|link| link as usize)
    }
    /// The sidecar of a copy: all but the number by which the original is followed.
    #[cold]
    pub fn double(&mut self, i: u32) -> u32 {
        let slot = Sidecar { number: 0, ..self.slots[i as usize] };
        if let Some(datagram) = slot.fragment.and_then(|f| self.datagrams.get_mut(&f.datagram)) {
            datagram.open += 1;
        }
        self.note_lifetime(slot.audit, LifetimeEvent::Begins);
        let carries =
            slot.real || slot.audit > 0 || slot.corrupted.is_some() || slot.fragment.is_some();
        if carries { self.insert(slot) } else { NO_SIDECAR }
    }
    /// The part of a datagram that a packet is; `None` for a whole one.
    #[inline]
    pub fn fragment(&self, i: u32) -> Option<Fragment> {
        self.slots[i as usize].fragment
    }
    /// A number for a datagram of socket `from` that is about to be cut.
    pub fn datagram(&mut self, from: u32) -> u32 {
        self.next_datagram += 1;
        self.datagrams
            .insert(self.next_datagram, Datagram { open: 0, lost: [false; 2], from, whole: false });
        self.next_datagram
    }
    /// Writes beside the packet with handle `i` that it is this piece; the handle that it now has.
    /// The first fragment of a datagram keeps what the whole carried.
    pub fn cut(&mut self, i: u32, piece: Fragment) -> u32 {
        // A fragment that is cut again is open already.
        if self.fragment(i).is_none()
            && let Some(datagram) = self.datagrams.get_mut(&piece.datagram)
        {
            datagram.open += 1;
        }
        let fragment = Some(piece);
        if i == NO_SIDECAR {
            return self.insert(Sidecar { fragment, ..Sidecar::default() });
        }
        self.slots[i as usize].fragment = fragment;
        i
    }
    /// Marks the packet with handle `i` as whole, reassembled from its fragments.
    pub fn reassembled(&mut self, i: u32) {
        if let Some(fragment) = self.slots[i as usize].fragment.take() {
            self.datagrams.get_mut(&fragment.datagram).iter_mut().for_each(|d| d.whole = true);
            self.ends(fragment.datagram);
        }
    }
    /// A packet is lost, in the window or before it: whether such a loss of its datagram was not
    /// told yet. Any other packet is one.
    pub fn loses(&mut self, i: u32, window: bool) -> bool {
        let Some(fragment) = self.fragment(i) else { return true };
        self.datagrams.get_mut(&fragment.datagram).is_some_and(|datagram| datagram.tells(window))
    }
    /// A host gives a datagram up, unless it was whole before: the socket that sent it, if no such
    /// loss was told yet. One of which no fragment is left had its fate. (What links lose is told
    /// without regard to this: they may know it beforehand.)
    pub fn gives_up(&mut self, number: u32, window: bool) -> Option<u32> {
        let datagram = self.datagrams.get_mut(&number).filter(|datagram| !datagram.whole)?;
        datagram.tells(window).then_some(datagram.from)
    }
    /// A datagram is remembered until [`Self::release_datagram`], whatever happens to its
    /// fragments.
    pub fn hold_datagram(&mut self, number: u32) {
        if let Some(datagram) = self.datagrams.get_mut(&number) {
            datagram.open += 1;
        }
    }
    /// See [`Self::hold_datagram`].
    pub fn release_datagram(&mut self, number: u32) {
        self.ends(number);
    }
    fn ends(&mut self, number: u32) {
        let Some(datagram) = self.datagrams.get_mut(&number) else { return };
        datagram.open -= 1;
        if datagram.open == 0 {
            self.datagrams.remove(&number);
        }
    }
    /// Number of sidecars in use.
    pub fn in_use(&self) -> usize {
        self.slots.len() - 1 - self.free.len() + self.elsewhere
    }
}
