//! A log of the testbed: as a file, refused or read; and as records that somebody sealed, replayed
//! or refused.
use dumbbell_core::plugin::Plugins;
use dumbbell_emu::host::nic::LARGEST;
use dumbbell_emu::live::replay::replay;
use dumbbell_emu::log::{
    ENTRY, Entry, Header, LogFault, Reader, Record, Writer, captured_bytes as captured,
};

/// The header of a run between two hosts, with an edge of everything that a log may speak of:
/// pieces, answers, damage.
const HEADER: &str = include_str!("../log-header.json");

pub fn run(bytes: &[u8]) {
    drop(whole(bytes));
    let header: Header = serde_json::from_str(HEADER).expect("our own header");
    let mut writer = Writer::new(vec![], &header).expect("memory takes it");
    let entries: Vec<&Entry> =
        bytes.chunks_exact(ENTRY).filter_map(|chunk| chunk.try_into().ok()).collect();
    entries.iter().for_each(|entry| writer.push(entry).expect("memory takes it"));
    let (sealed, _) = writer.finish(0).expect("memory takes it");
    // Whether it is read hangs on each record, and on nothing else.
    let mut kept = 0;
    let sound = entries.iter().all(|entry| {
        if entry[0] != captured::KIND {
            kept = 0;
            return Record::decode(entry).is_ok();
        }
        kept += captured::decode(entry).map_or(LARGEST + 1, <[u8]>::len);
        kept <= LARGEST
    });
    assert_eq!(whole(&sealed).is_ok(), sound);
    let mut reader = Reader::new(&sealed[..]).expect("its header is ours");
    drop(replay(&mut reader, (&header.plan, &Plugins::default()), &mut (), &mut ()));
}

fn whole(bytes: &[u8]) -> Result<u64, LogFault> {
    let mut reader = Reader::new(bytes)?;
    let mut records = 0;
    while reader.next_record()?.is_some() {
        records += 1;
    }
    Ok(records)
}
