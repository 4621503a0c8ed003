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

/// What is written beside a packet on its way, which few runs do.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Marks {
    /// True if the place was made for marks alone: its socket put nothing beside the packet.
    bare: bool,
    /// Number of the packet in audit mode.
    audit: u64,
    /// Number of the packet among those of its socket, if somebody follows it.
    number: u64,
    /// The link that gave it a wrong bit.
    corrupted: Option<u32>,
    /// The part of a datagram that it is.
    fragment: Option<Fragment>,
}

/// The marks of a packet that has none.
const UNMARKED: Marks = Marks { bare: false, audit: 0, number: 0, corrupted: None, fragment: None };

/// An extra in a line of the cache: in two, each packet with one would wait for both.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Line(Extra);

/// What one packet carries.
#[derive(Clone, Copy)]
pub(crate) struct Sidecar {
    extra: Extra,
    marks: Marks,
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
    extras: Vec<Line>,
    /// As many as there are extras, from the first mark on: none in most runs.
    marks: Vec<Marks>,
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
            extras: vec![Line::default()],
            marks: Vec::new(),
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
            Some(extra) => self.insert(extra),
        }
    }
    fn insert(&mut self, extra: Extra) -> u32 {
        match self.free.pop() {
            Some(i) => {
                self.extras[i as usize] = Line(extra);
                if let Some(marks) = self.marks.get_mut(i as usize) {
                    *marks = UNMARKED;
                }
                i
            }
            None => {
                self.extras.push(Line(extra));
                if !self.marks.is_empty() {
                    self.marks.push(UNMARKED);
                }
                (self.extras.len() - 1) as u32
            }
        }
    }
    #[inline]
    fn marks(&self, i: u32) -> &Marks {
        self.marks.get(i as usize).unwrap_or(&UNMARKED)
    }
    /// Marks a packet; the handle that it now has.
    fn mark(&mut self, mut i: u32, mark: impl FnOnce(&mut Marks)) -> u32 {
        let bare = i == NO_SIDECAR;
        if bare {
            i = self.insert(Extra::default());
        }
        if self.marks.is_empty() {
            self.marks.resize(self.extras.len(), UNMARKED);
        }
        let marks = &mut self.marks[i as usize];
        marks.bare |= bare;
        mark(marks);
        i
    }
    /// Takes an extra out; its place is free again.
    #[inline]
    pub fn take(&mut self, i: u32) -> Option<Extra> {
        if i == NO_SIDECAR {
            return None;
        }
        self.free.push(i);
        let &Marks { fragment, audit, bare, .. } = self.marks(i);
        if let Some(fragment) = fragment {
            self.ends(fragment.datagram);
        }
        self.note_lifetime(audit, LifetimeEvent::Ends);
        (!bare).then(|| self.extras[i as usize].0)
    }
    fn copied(&self, i: u32) -> Sidecar {
        Sidecar { extra: self.extras[i as usize].0, marks: *self.marks(i) }
    }
    /// Takes the whole sidecar of a packet out, which goes to another part of the network.
    pub(crate) fn hand_over(&mut self, i: u32) -> Option<Sidecar> {
        if i == NO_SIDECAR {
            return None;
        }
        self.free.push(i);
        Some(self.copied(i))
    }
    /// Keeps the sidecar of a packet that comes from another part; the handle that it now has.
    pub(crate) fn take_over(&mut self, sidecar: Option<Sidecar>) -> u32 {
        sidecar.map_or(NO_SIDECAR, |sidecar| self.keep(sidecar))
    }
    fn keep(&mut self, Sidecar { extra, marks }: Sidecar) -> u32 {
        let i = self.insert(extra);
        if marks != UNMARKED { self.mark(i, |new| *new = marks) } else { i }
    }
    /// Counts those of another part, at the end.
    pub(crate) fn absorb(&mut self, other: &Sidecars) {
        self.elsewhere += other.in_use();
    }
    /// Writes a packet's audit number beside its extra; the handle that the packet now has.
    pub fn tag(&mut self, i: u32, audit: u64) -> u32 {
        self.note_lifetime(audit, LifetimeEvent::Begins);
        self.mark(i, |marks| marks.audit = audit)
    }
    /// Writes a packet's number among those of its socket beside its extra; the handle that the
    /// packet now has.
    pub fn follow(&mut self, i: u32, number: u64) -> u32 {
        self.mark(i, |marks| marks.number = number)
    }
    /// A packet's number among those of its socket; 0 if nobody follows it.
    pub fn number(&self, i: u32) -> u64 {
        self.marks(i).number
    }
    /// The data that its socket put beside a packet.
    pub fn get(&self, i: u32) -> Option<&Extra> {
        let carries = i != NO_SIDECAR && !self.marks(i).bare;
        carries.then(|| &self.extras[i as usize].0)
    }
    /// A packet's audit number; 0 if it has none.
    pub fn audit(&self, i: u32) -> u64 {
        self.marks(i).audit
    }
    /// Writes beside a packet's extra that it has a wrong bit, from `link`; the handle that the
    /// packet now has.
    #[cold]
    pub fn corrupt(&mut self, i: u32, link: usize) -> u32 {
        self.mark(i, |marks| marks.corrupted = Some(link as u32))
    }
    /// The link that gave a packet a wrong bit.
    pub fn corrupted(&self, i: u32) -> Option<usize> {
        self.marks(i).corrupted.map(|link| link as usize)
    }
    /// The sidecar of a copy: all but the number by which the original is followed.
    #[cold]
    pub fn double(&mut self, i: u32) -> u32 {
        let Sidecar { extra, marks } = self.copied(i);
        let marks = Marks { number: 0, ..marks };
        if let Some(datagram) = marks.fragment.and_then(|f| self.datagrams.get_mut(&f.datagram)) {
            datagram.open += 1;
        }
        self.note_lifetime(marks.audit, LifetimeEvent::Begins);
        let carries = i != NO_SIDECAR && marks != Marks { bare: true, ..UNMARKED };
        if carries { self.keep(Sidecar { extra, marks }) } else { NO_SIDECAR }
    }
    /// The part of a datagram that a packet is; `None` for a whole one.
    #[inline]
    pub fn fragment(&self, i: u32) -> Option<Fragment> {
        self.marks(i).fragment
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
        self.mark(i, |marks| marks.fragment = Some(piece))
    }
    /// Marks the packet with handle `i` as whole, reassembled from its fragments.
    pub fn reassembled(&mut self, i: u32) {
        if let Some(fragment) = self.marks.get_mut(i as usize).and_then(|m| m.fragment.take()) {
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
        self.extras.len() - 1 - self.free.len() + self.elsewhere
    }
}
