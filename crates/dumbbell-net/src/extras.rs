//! What only some packets carry: SACK blocks, options of a SYN, a wrong bit. A slab whose places are used again.
use crate::entry::NONE;
use crate::large::Fragment;
use dumbbell_core::segment::Extra;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Default)]
struct Place {
    extra: Extra,
    /// False where the place was made for an audit number alone.
    real: bool,
    /// Number of the packet in audit mode.
    audit: u64,
    /// Number of the packet among those of its socket, if somebody follows it.
    number: u64,
    /// The link that gave it a wrong bit.
    corrupted: Option<u32>,
    /// Which piece of a datagram it is.
    fragment: Option<Fragment>,
}

/// A datagram of which pieces are on their way.
#[derive(Clone, Copy)]
struct Datagram {
    /// How many pieces have not ended yet, copies included.
    open: u32,
    /// Whether one of them was lost: then all of it is. Before the window, and in it; each is told once.
    lost: [bool; 2],
    /// The socket that sent it (2 x flow + end).
    from: u32,
    /// Whether it was put together: what happens to copies of its pieces is no loss any more.
    whole: bool,
}

impl Datagram {
    /// Tells of a loss, once in the window and once before it: whether it was not told yet.
    fn tells(&mut self, window: bool) -> bool {
        !std::mem::replace(&mut self.lost[usize::from(window)], true)
    }
}

/// The extras in use, by handle; handle [`NONE`] is no extra.
pub struct Extras {
    places: Vec<Place>,
    free: Vec<u32>,
    /// By number.
    datagrams: BTreeMap<u32, Datagram>,
    next_datagram: u32,
    /// For whoever keeps packets outside by their audit number: each time one more of them is on its way, or one less.
    lives: Option<Vec<(u64, Life)>>,
}

/// What happened to a packet's number, see [`Extras::keep_lives`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// One more packet has it: the first, a copy, a piece.
    Begins,
    /// A packet that had it arrived, or is lost.
    Ends,
}

impl Default for Extras {
    fn default() -> Self {
        Extras {
            places: vec![Place::default()],
            free: Vec::new(),
            datagrams: BTreeMap::new(),
            next_datagram: 0,
            lives: None,
        }
    }
}

impl Extras {
    /// From now on what happens to audit numbers is kept until [`Self::lives`] takes it.
    pub fn keep_lives(&mut self) {
        self.lives = Some(Vec::new());
    }
    /// What happened to audit numbers since the last time.
    pub fn lives(&mut self) -> impl Iterator<Item = (u64, Life)> {
        self.lives.iter_mut().flat_map(|lives| lives.drain(..))
    }
    #[inline]
    fn live(&mut self, audit: u64, life: Life) {
        if audit != 0
            && let Some(lives) = &mut self.lives
        {
            lives.push((audit, life));
        }
    }
    /// Keeps an extra, if there is one.
    #[inline]
    pub fn put(&mut self, x: Option<Extra>) -> u32 {
        match x {
            None => NONE,
            Some(extra) => self.place(Place { extra, real: true, ..Place::default() }),
        }
    }
    fn place(&mut self, p: Place) -> u32 {
        match self.free.pop() {
            Some(i) => {
                self.places[i as usize] = p;
                i
            }
            None => {
                self.places.push(p);
                (self.places.len() - 1) as u32
            }
        }
    }
    /// Takes an extra out; its place is free again.
    #[inline]
    pub fn take(&mut self, i: u32) -> Option<Extra> {
        if i == NONE {
            return None;
        }
        self.free.push(i);
        let place = self.places[i as usize];
        if let Some(fragment) = place.fragment {
            self.ends(fragment.datagram);
        }
        self.live(place.audit, Life::Ends);
        place.real.then_some(place.extra)
    }
    /// Writes a packet's audit number beside its extra; the handle that the packet now has.
    pub fn tag(&mut self, i: u32, audit: u64) -> u32 {
        self.live(audit, Life::Begins);
        if i == NONE {
            return self.place(Place { audit, ..Place::default() });
        }
        self.places[i as usize].audit = audit;
        i
    }
    /// Writes a packet's number among those of its socket beside its extra; the handle that the packet now has.
    pub fn follow(&mut self, i: u32, number: u64) -> u32 {
        if i == NONE {
            return self.place(Place { number, ..Place::default() });
        }
        self.places[i as usize].number = number;
        i
    }
    /// A packet's number among those of its socket; 0 if nobody follows it.
    pub fn number(&self, i: u32) -> u64 {
        self.places[i as usize].number
    }
    /// What a packet carries besides, while it is on its way.
    pub fn get(&self, i: u32) -> Option<&Extra> {
        self.places.get(i as usize).filter(|p| p.real).map(|p| &p.extra)
    }
    /// A packet's audit number; 0 if it has none.
    pub fn audit(&self, i: u32) -> u64 {
        self.places[i as usize].audit
    }
    /// Writes beside a packet's extra that it has a wrong bit, from `link`; the handle that the packet now has.
    #[cold]
    pub fn corrupt(&mut self, i: u32, link: usize) -> u32 {
        let corrupted = Some(link as u32);
        if i == NONE {
            return self.place(Place { corrupted, ..Place::default() });
        }
        self.places[i as usize].corrupted = corrupted;
        i
    }
    /// The link that gave a packet a wrong bit.
    pub fn corrupted(&self, i: u32) -> Option<usize> {
        self.places[i as usize].corrupted.map(|link| link as usize)
    }
    /// What a copy of a packet carries: all but the number by which the original is followed.
    #[cold]
    pub fn double(&mut self, i: u32) -> u32 {
        let place = Place { number: 0, ..self.places[i as usize] };
        if let Some(datagram) = place.fragment.and_then(|f| self.datagrams.get_mut(&f.datagram)) {
            datagram.open += 1;
        }
        self.live(place.audit, Life::Begins);
        let carries = place.real || place.audit > 0 || place.corrupted.is_some() || place.fragment.is_some();
        if carries { self.place(place) } else { NONE }
    }
    /// Which piece of a datagram a packet is.
    #[inline]
    pub fn fragment(&self, i: u32) -> Option<Fragment> {
        self.places[i as usize].fragment
    }
    /// A number for a datagram of socket `from` that is about to be cut.
    pub fn datagram(&mut self, from: u32) -> u32 {
        self.next_datagram += 1;
        self.datagrams.insert(self.next_datagram, Datagram { open: 0, lost: [false; 2], from, whole: false });
        self.next_datagram
    }
    /// Writes beside the packet with handle `i` that it is this piece; the handle that it now has. The first piece of a
    /// datagram keeps what the whole carried.
    pub fn cut(&mut self, i: u32, piece: Fragment) -> u32 {
        // A piece that is cut again is open already.
        if self.fragment(i).is_none()
            && let Some(datagram) = self.datagrams.get_mut(&piece.datagram)
        {
            datagram.open += 1;
        }
        let fragment = Some(piece);
        if i == NONE {
            return self.place(Place { fragment, ..Place::default() });
        }
        self.places[i as usize].fragment = fragment;
        i
    }
    /// The packet with handle `i` is a piece no more: the whole has its place.
    pub fn mend(&mut self, i: u32) {
        if let Some(fragment) = self.places[i as usize].fragment.take() {
            self.datagrams.get_mut(&fragment.datagram).iter_mut().for_each(|d| d.whole = true);
            self.ends(fragment.datagram);
        }
    }
    /// A packet is lost, in the window or before it: whether such a loss of its datagram was not told yet. Any other packet
    /// is one.
    pub fn loses(&mut self, i: u32, window: bool) -> bool {
        let Some(fragment) = self.fragment(i) else { return true };
        self.datagrams.get_mut(&fragment.datagram).is_some_and(|datagram| datagram.tells(window))
    }
    /// A host gives a datagram up, unless it was whole before: the socket that sent it, if no such loss was told yet. One of
    /// which no piece is left had its fate. (What links lose is told without regard to this: they may know it beforehand.)
    pub fn gives_up(&mut self, number: u32, window: bool) -> Option<u32> {
        let datagram = self.datagrams.get_mut(&number).filter(|datagram| !datagram.whole)?;
        datagram.tells(window).then_some(datagram.from)
    }
    /// A datagram is remembered until [`Self::releases`], whatever becomes of its pieces.
    pub fn holds(&mut self, number: u32) {
        if let Some(datagram) = self.datagrams.get_mut(&number) {
            datagram.open += 1;
        }
    }
    /// See [`Self::holds`].
    pub fn releases(&mut self, number: u32) {
        self.ends(number);
    }
    fn ends(&mut self, number: u32) {
        let Some(datagram) = self.datagrams.get_mut(&number) else { return };
        datagram.open -= 1;
        if datagram.open == 0 {
            self.datagrams.remove(&number);
        }
    }
    /// How many are in use.
    pub fn in_use(&self) -> usize {
        self.places.len() - 1 - self.free.len()
    }
}
