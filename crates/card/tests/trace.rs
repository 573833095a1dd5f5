//! Trace files, written and read again.

use ctm_card::trace::{Page, TraceError, TraceReader, TraceRecord, TraceWriter};
use ctm_card::{Identity, Kernel, Object, Submission};
use ctm_memory::Arena;

const CARD: Identity =
    Identity { name: "rv515", vendor: 0x1002, device: 0x7140, kernel: Kernel::Radeon, driver: "r300", properties: &[] };
const OBJECTS: [Object; 2] = [Object { address: 0x1000, size: 0x2000 }, Object { address: 0x4000, size: 0x1000 }];

/// Three submissions: the driver writes, the card writes, the driver writes over it and clears.
fn trace() -> Vec<u8> {
    let mut file = Vec::new();
    let memory = Arena::new(0x1000, 0x8000).unwrap();
    let mut writer = TraceWriter::new(&mut file, &CARD).unwrap();
    memory.write_u32(0x2000, 1);
    memory.write_u32(0x6000, 1);
    writer.record(&memory, &Submission { words: &[7, 8], objects: &OBJECTS, untouched: &[] }).unwrap();
    memory.write_u32(0x4000, 2);
    memory.write_u32(0x1000, 5);
    writer.executed(&memory, &OBJECTS);
    writer.frame().unwrap();
    writer.record(&memory, &Submission { words: &[], objects: &OBJECTS[..1], untouched: &[] }).unwrap();
    memory.write_u32(0x2000, 0);
    memory.write_u32(0x4FFC, 3);
    writer.record(&memory, &Submission { words: &[9], objects: &OBJECTS, untouched: &[] }).unwrap();
    (0..2).for_each(|_| writer.frame().unwrap());
    file
}

fn read(file: &[u8]) -> Result<Vec<TraceRecord>, TraceError> {
    TraceReader::new(file)?.collect()
}

#[test]
fn records_hold_what_the_driver_changed() {
    let file = trace();
    let reader = TraceReader::new(&file[..]).unwrap();
    assert_eq!((reader.card(), reader.device()), ("rv515", 0x7140));
    let records = read(&file).unwrap();
    let words: Vec<_> = records.iter().map(|record| &record.words[..]).collect();
    assert_eq!(words, [&[7, 8][..], &[], &[9]]);
    assert_eq!(records[0].submission().objects, OBJECTS);
    let addresses = |record: &TraceRecord| record.pages.iter().map(|page| page.address).collect::<Vec<_>>();
    let addresses: Vec<_> = records.iter().map(addresses).collect();
    assert_eq!(addresses, [vec![0x2000], vec![], vec![0x2000, 0x4000]], "neither what the card wrote nor other memory");
    assert_eq!(records[2].pages[0], Page { address: 0x2000, bytes: vec![] });

    assert_eq!(records.iter().map(|record| record.frame).collect::<Vec<_>>(), [0, 1, 1]);
    let mut reader = TraceReader::new(&file[..]).unwrap();
    assert_eq!((reader.by_ref().count(), reader.frames()), (3, 3));

    let memory = Arena::new(0x1000, 0x8000).unwrap();
    records.iter().for_each(|record| record.write_pages(&memory));
    assert_eq!([0x2000, 0x4000, 0x4FFC].map(|address| memory.read_u32(address)), [Some(0), Some(2), Some(3)]);
}

#[test]
fn what_is_before_a_files_end_is_read() {
    let file = trace();
    let records = read(&file).unwrap();
    let marks = |from: usize, to: usize| 4 * (to - from) as u64;
    let last = file.len() as u64 - marks(1, 3);
    let ends = records.windows(2).map(|pair| pair[1].at - marks(pair[0].frame, pair[1].frame));
    let ends: Vec<u64> = ends.chain([last]).collect();
    // Between records, and between marks.
    let is_end = |length: u64| {
        ends.contains(&length) || records.iter().any(|record| record.at == length) || length == last + marks(1, 2)
    };
    for length in 0..file.len() {
        let Ok(reader) = TraceReader::new(&file[..length]) else {
            assert!(length < records[0].at as usize);
            continue;
        };
        let found: Vec<_> = reader.collect();
        let whole = ends.iter().filter(|&&end| end <= length as u64).count();
        let good = found.iter().map_while(|record| record.as_ref().ok()).count();
        assert_eq!(good, whole, "{length} bytes");
        match found.last() {
            None | Some(Ok(_)) => assert!(is_end(length as u64), "{length} bytes"),
            Some(Err(TraceError::Ends { at, .. })) => assert_eq!(*at, length as u64),
            Some(Err(error)) => panic!("{length} bytes: {error}"),
        }
    }
}

#[test]
fn damage_is_named_with_its_place() {
    let file = trace();
    let changed = |at: usize, dword: u32| {
        let mut file = file.clone();
        file[at..at + 4].copy_from_slice(&dword.to_le_bytes());
        read(&file).unwrap_err().to_string()
    };
    let first = read(&file).unwrap()[0].at as usize;
    assert_eq!(first, 32);
    assert!(changed(0, 0).starts_with("not a trace of a card"));
    assert_eq!(changed(8, 3), "a trace of version 3; versions that can be read: 1 to 2");
    assert_eq!(changed(first, 0), "no record begins at byte 32: the trace is damaged");
    for (n, part) in ["command words", "objects", "pages"].into_iter().enumerate() {
        let error = changed(first + 4 + 4 * n, u32::MAX);
        assert!(error.starts_with(&format!("the record at byte 32 has 4294967295 {part}")), "{error}");
    }
    // As many as the limit are not too many, though they are not there.
    for n in 0..3 {
        let with = |count: u32| {
            let mut file = file.clone();
            file[first + 4 + 4 * n..][..4].copy_from_slice(&count.to_le_bytes());
            read(&file).unwrap_err()
        };
        let TraceError::TooMany { limit, .. } = with(u32::MAX) else { panic!("{n}") };
        assert!(matches!(with(limit + 1), TraceError::TooMany { count, .. } if count == limit + 1));
        assert!(!matches!(with(limit), TraceError::TooMany { .. }), "{n}");
    }
    let objects = first + 16 + 8;
    assert!(changed(objects, 0).contains("an object at 0x00000000, outside"));
    assert!(changed(objects + 4, u32::MAX).contains("an object at 0x00001000, outside"));
    assert!(changed(objects + 16, 0x2004).contains("a page at 0x00002004, outside"));
    // The second object has 0x1000 bytes.
    assert!(changed(objects + 8, 0xFFFF_F001).contains("an object at 0xfffff001, outside"));
    let mut last = file.clone();
    last[objects + 8..objects + 12].copy_from_slice(&0xFFFF_F000u32.to_le_bytes());
    assert_eq!(read(&last).unwrap()[0].objects[1].address, 0xFFFF_F000, "it ends where addresses do");
}

/// Objects have all pages that they have a byte of.
#[test]
fn pages_of_objects() {
    let memory = Arena::new(0x1000, 0x8000).unwrap();
    (0x1000..0x9000).step_by(0x1000).for_each(|page| assert!(memory.write_u32(page, 1)));
    for (object, pages) in [
        (Object { address: 0x3FF0, size: 0x20 }, &[0x3000, 0x4000][..]),
        (Object { address: 0x3010, size: 0xFF0 }, &[0x3000]),
        (Object { address: 0x3010, size: 0xFF1 }, &[0x3000, 0x4000]),
        (Object { address: 0x3000, size: 0x1000 }, &[0x3000]),
        (Object { address: 0x3000, size: 0 }, &[]),
    ] {
        let mut file = Vec::new();
        let mut writer = TraceWriter::new(&mut file, &CARD).unwrap();
        writer.record(&memory, &Submission { words: &[], objects: &[object], untouched: &[] }).unwrap();
        let found: Vec<u32> = read(&file).unwrap()[0].pages.iter().map(|page| page.address).collect();
        assert_eq!(found, pages, "{object:?}");
    }
}
