//! The headers of a packet that a host sent: whatever its bytes are, they are read or refused, and
//! what the router makes of them is a packet again.
use dumbbell_emu::packet::classify::Classifier;
use dumbbell_wire::address::Address;
use dumbbell_wire::corrupt::{Corruption, corrupt};
use dumbbell_wire::fragment::fragment;
use dumbbell_wire::icmp_error::too_big;
use dumbbell_wire::rewrite::set_ce;
use dumbbell_wire::verify::{Verdict, verify};
use dumbbell_wire::view::PacketView;
use std::net::{Ipv4Addr, Ipv6Addr};

/// A packet.
pub fn run(data: &[u8]) {
    let mut made = vec![];
    if too_big(Ipv4Addr::LOCALHOST.into(), data, 1400, &mut made).is_ok()
        || too_big(Ipv6Addr::LOCALHOST.into(), data, 1400, &mut made).is_ok()
    {
        let answer = PacketView::of(&made).expect("an answer is a packet");
        assert_eq!(verify(&made, &answer), Verdict::Right, "an answer with a wrong checksum");
    }
    let Ok(view) = PacketView::of(data) else { return };
    let before = verify(data, &view);
    let mut changed = data.to_vec();
    set_ce(&mut changed);
    let after = PacketView::of(&changed).expect("a mark spoils nothing");
    assert_eq!(PacketView { ecn: view.ecn, ..after }, view, "a mark changed something else");
    if before == Verdict::Right {
        assert_eq!(verify(&changed, &after), Verdict::Right, "a mark without its checksum");
        let what = corrupt(&mut changed, data.len() as u64 * 7);
        assert!(what != Corruption::Nothing, "a checksum that is right would find damage");
        let found = PacketView::of(&changed).map(|v| verify(&changed, &v));
        assert!(
            matches!(found, Err(_) | Ok(Verdict::Wrong(_))),
            "damage that nobody finds: \
            {what:?}"
        );
    }
    let half = view.payload_len() / 16 * 8;
    for piece in [0..half, half..view.payload_len()] {
        if fragment(data, piece, &mut made) {
            let piece = PacketView::of(&made).expect("a fragment is a packet");
            assert_eq!(usize::from(piece.total_len), made.len(), "a fragment of another length");
        }
    }
    let other = Address::v4([127, 0, 0, 1]);
    let mut classifier = Classifier::new([(view.destination, 1), (view.source, 0), (other, 2)]);
    classifier.pool(0, 1, None, vec![3, 4]);
    let once = classifier.classify(&view, data, 0);
    assert_eq!(once.is_ok(), classifier.classify(&view, data, 0).is_ok(), "one packet, two owners");
}
