use super::*;

const OBJECT: Object = Object { address: 0x2000, size: 0x1000 };
const SECOND: Object = Object { address: 0x4000, size: 64 };

fn of(words: &[u32]) -> Result<Vec<Command<'_>>, StreamError> {
    commands(&Submission { words, objects: &[OBJECT, SECOND], untouched: &[] })
}

fn cause(words: &[u32]) -> StreamErrorCause {
    of(words).expect_err("it is refused").cause
}

#[test]
fn relocations_belong_to_what_stands_before_them() {
    // CB_COLOR0_BASE, then DB_DEPTH_BASE with DB_DEPTH_INFO, then SX_MISC with a relocation that nothing wants.
    let stream = [
        0xC001_6900,
        0x10,
        32,
        0xC000_1000,
        4,
        0xC002_6900,
        0x3,
        5,
        6,
        0xC000_1000,
        0,
        0xC001_6900,
        0xD4,
        7,
        0xC000_1000,
        8,
    ];
    assert_eq!(
        of(&stream).unwrap(),
        [
            Command::Write { address: 0x2_8040, value: 32, object: Some(SECOND) },
            Command::Write { address: 0x2_800C, value: 5, object: Some(OBJECT) },
            Command::Write { address: 0x2_8010, value: 6, object: None },
            Command::Write { address: 0x2_8350, value: 7, object: None },
        ]
    );
    let missing = of(&[0x8000_0000, 0xC001_6900, 0x10, 32, 0xC001_6900, 0xD4, 7]).unwrap_err();
    assert_eq!(missing, StreamError { at: 1, cause: StreamErrorCause::NoRelocation { what: "CB_COLOR*_BASE" } });
    for index in [8, 1] {
        let out_of_range = StreamErrorCause::RelocationOutOfRange { index, count: 2 };
        assert_eq!(cause(&[0xC001_6900, 0x10, 32, 0xC000_1000, index]), out_of_range);
    }
}

#[test]
fn resources_are_whole_and_have_their_relocations() {
    let buffer = [0xC007_6D00, 7 * 320, 0x30, 0xFFF, 0x1000, 0, 0, 0, 0xC000_0000, 0xC000_1000, 4];
    let writes = of(&buffer).unwrap();
    let first = Command::Write { address: 0x3_8000 + 28 * 320, value: 0x30, object: Some(SECOND) };
    assert_eq!((writes.len(), &writes[0]), (7, &first));
    assert!(writes[1..].iter().all(|write| matches!(write, Command::Write { object: None, .. })));

    let texture = [0xC007_6D00, 0, 0, 0, 1, 2, 0, 0, 0x8000_0000, 0xC000_1000, 0, 0xC000_1000, 4];
    let objects: Vec<_> = of(&texture)
        .unwrap()
        .into_iter()
        .map(|write| if let Command::Write { object, .. } = write { object } else { panic!("{write:?}") })
        .collect();
    assert_eq!(objects, [None, None, Some(OBJECT), Some(SECOND), None, None, None]);
    let needed = StreamErrorCause::NoRelocation { what: "an address of a resource" };
    assert_eq!(cause(&texture[..11]), needed);

    assert_eq!(cause(&[0xC007_6D00, 1, 0, 0, 0, 0, 0, 0, 0]), StreamErrorCause::Resource { offset: 1, dwords: 7 });
    assert_eq!(cause(&[0xC006_6D00, 0, 0, 0, 0, 0, 0, 0]), StreamErrorCause::Resource { offset: 0, dwords: 6 });
}

#[test]
fn registers_stay_in_their_space() {
    let beyond = StreamErrorCause::Registers {
        opcode: Opcode::SetContextReg,
        first: 0x2_8FFC,
        count: 2,
        start: 0x2_8000,
        end: 0x2_9000,
    };
    assert_eq!(cause(&[0xC002_6900, 0x3FF, 0, 0]), beyond);
    assert_eq!(of(&[0xC001_6900, 0x3FF, 9]).unwrap(), [Command::Write { address: 0x2_8FFC, value: 9, object: None }]);
    assert_eq!(of(&[0xC000_6900, 0x191]).unwrap(), [], "the driver writes none where a program has no inputs");
    assert!(matches!(cause(&[0xC001_6800, 0xFFFF, 0]), StreamErrorCause::Registers { first: 0x4_7FFC, .. }));
}

#[test]
fn draws_have_their_indices() {
    let draw = |words: &'static [u32]| match of(words).map(|mut commands| commands.pop()) {
        Ok(Some(Command::Draw(draw))) => draw,
        other => panic!("{other:?}"),
    };
    let auto = draw(&[0xC001_2D01, 3, 2, 0x8000_0000]);
    assert_eq!((auto.at, auto.count, auto.predicated, auto.indices), (0, 3, true, Indices::Counted));
    let memory = draw(&[0xC003_2B00, 0x10, 1, 6, 0, 0xC000_1000, 4, 0xC000_2F00, 1, 0xC001_2D00, 3, 2]);
    assert_eq!(memory.indices, Indices::Counted, "the last one is asked for");
    let memory = draw(&[0xC003_2B00, 0x10, 1, 6, 0, 0xC000_1000, 4]);
    let place = ObjectOffset { object: SECOND, offset: 1 << 32 | 0x10 };
    assert_eq!((memory.end, memory.count, memory.indices), (7, 6, Indices::Memory(place)));
    let packet = draw(&[0xC003_2E00, 3, 1, 0x0001_0000, 2]);
    assert_eq!((packet.count, packet.indices), (3, Indices::Packet(&[0x0001_0000, 2])));

    let few = StreamErrorCause::Indices { count: 3, width: IndexWidth::Bits32, dwords: 2 };
    assert_eq!(cause(&[0xC000_2A00, 1, 0xC003_2E00, 3, 1, 0, 2]), few);
    let elsewhere =
        StreamErrorCause::IndexSource { opcode: Opcode::DrawIndexAuto, source_of_indices: IndexSource::Memory };
    assert_eq!(cause(&[0xC001_2D00, 3, 0]), elsewhere);
    assert_eq!(cause(&[0xC003_2B00, 0, 0, 6, 0]), StreamErrorCause::NoRelocation { what: "DRAW_INDEX" });
    assert_eq!(cause(&[0xC000_2A00, 2]), StreamErrorCause::IndexWidth { width: IndexWidth::Reserved2 });
}

#[test]
fn what_is_stored_has_a_place() {
    let place = ObjectOffset { object: OBJECT, offset: 0x20 };
    assert_eq!(of(&[0xC000_4600, 0x16]).unwrap(), [Command::Event { event: Event(0x16), target: None }]);
    assert_eq!(
        of(&[0xC002_4600, 0x115, 0x20, 0, 0xC000_1000, 0]).unwrap(),
        [Command::Event { event: Event::ZPASS_DONE, target: Some(place) }]
    );
    assert_eq!(cause(&[0xC001_4600, 0x115, 0x20]), StreamErrorCause::Event);
    let end_of_pipe = |select: u32| vec![0xC004_4700, 0x528, 0x20, select << 29, 7, 8, 0xC000_1000, 0];
    let stored = |select| of(end_of_pipe(select).leak()).unwrap();
    assert_eq!(stored(0), []);
    for (select, number) in [(1, Number::Narrow(7)), (2, Number::Wide(8 << 32 | 7)), (3, Number::Clock)] {
        assert_eq!(stored(select), [Command::Store { target: place, number }]);
    }
    assert_eq!(cause(&end_of_pipe(4)), StreamErrorCause::Stored { stored: StoredData::Reserved4 });
    assert_eq!(
        of(&[0xC003_3D00, 0x20, 1 << 18, 5, 6, 0xC000_1000, 0]).unwrap(),
        [Command::Store { target: place, number: Number::Narrow(5) }]
    );
    let copy = [0xC004_4100, 0x20, 0x8000_0000, 4, 0, 16, 0xC000_1000, 0, 0xC000_1000, 4];
    let destination = ObjectOffset { object: SECOND, offset: 4 };
    assert_eq!(of(&copy).unwrap(), [Command::Copy { source: place, destination, bytes: 16 }]);
}
