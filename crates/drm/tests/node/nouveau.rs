//! Clients of a card behind the interface of the kernel's driver `nouveau`: ignored tests as those of `clients`.

use super::requests::*;
use std::os::fd::RawFd;
use std::time::{Duration, Instant};
use std::{fs, ptr, thread};

const GETPARAM: u64 = 0x40;
const CHANNEL_ALLOC: u64 = 0x42;
const CHANNEL_FREE: u64 = 0x43;
const NVIF: u64 = 0x47;
const GEM_NEW: u64 = 0x80;
const PUSHBUF: u64 = 0x81;
const CPU_PREP: u64 = 0x82;
const CPU_FINI: u64 = 0x83;
const GEM_INFO: u64 = 0x84;

/// Domains.
const VRAM: u64 = 2;
const GART: u64 = 4;

/// Asks for a number.
fn parameter(node: RawFd, parameter: u64) -> Result<u64, i32> {
    let mut words = [parameter, 0];
    match ask(node, GETPARAM, &mut words) {
        0 => Ok(words[1]),
        error => Err(error),
    }
}

/// An object: its handle, address, size, place in the memory file, domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct New {
    handle: u64,
    address: u64,
    size: u64,
    map: u64,
    domain: u64,
}

fn low(word: u64) -> u64 {
    word & 0xFFFF_FFFF
}

/// Makes an object with this alignment and these flags of tiling.
fn new_object(node: RawFd, size: u64, domain: u64, alignment: u64, tiling: u64) -> Result<New, i32> {
    let mut words = [domain << 32, size, 0, 0, tiling, alignment << 32];
    match ask(node, GEM_NEW, &mut words) {
        0 => {
            assert_eq!(words[4], tiling, "it comes back");
            Ok(New { handle: low(words[0]), domain: words[0] >> 32, size: words[1], address: words[2], map: words[3] })
        }
        error => Err(error),
    }
}

/// A page that commands can lie in, mapped.
fn page(node: RawFd) -> (New, *mut u32) {
    let object = new_object(node, 4096, GART | 8, 4096, 0).unwrap();
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping touches no other.
    let memory =
        unsafe { libc::mmap(ptr::null_mut(), 4096, access, libc::MAP_SHARED, node, object.map as libc::off_t) };
    assert_ne!(memory, libc::MAP_FAILED);
    (object, memory.cast())
}

fn new_channel(node: RawFd, framebuffer: u32, engines: u32) -> Result<u32, i32> {
    let mut words = [0u32; 22];
    (words[0], words[1]) = (framebuffer, engines);
    match ask_at(node, CHANNEL_ALLOC, words.as_mut_ptr().cast(), 88) {
        0 => {
            assert_eq!((words[3], words[4], words[21]), (6, 0, 0));
            Ok(words[2])
        }
        error => Err(error),
    }
}

fn free_channel(node: RawFd, channel: u32) -> i32 {
    let mut word = channel;
    ask_at(node, CHANNEL_FREE, (&raw mut word).cast(), 4)
}

/// Submits pieces (object in the list, offset, length) with objects that these handles name; gives 0 or an error, and what is said of memory.
fn push(node: RawFd, channel: u32, handles: &[u64], pieces: &[(u32, u64, u64)]) -> (i32, [u64; 3]) {
    let buffers: Vec<u64> =
        handles.iter().flat_map(|&handle| [0, handle | GART << 32, GART | GART << 32, 0, 0]).collect();
    let pieces: Vec<u64> =
        pieces.iter().flat_map(|&(object, offset, length)| [object.into(), offset, length]).collect();
    let counts = [buffers.len() as u64 / 5, pieces.len() as u64 / 3];
    let mut words = [
        u64::from(channel) | counts[0] << 32,
        buffers.as_ptr() as u64,
        counts[1] << 32,
        0,
        pieces.as_ptr() as u64,
        !0,
        0,
        0,
    ];
    let error = ask(node, PUSHBUF, &mut words);
    (error, [words[5], words[6], words[7]])
}

/// What a submission says that is executed.
const DONE: (i32, [u64; 3]) = (0, [0, 2 << 30, 2 << 30]);

#[test]
#[ignore = "a client"]
fn client_answers() {
    let device = "/sys/dev/char/226:128/device";
    let uevent = fs::read_to_string(format!("{device}/uevent")).unwrap();
    let expected =
        "DRIVER=nouveau\nPCI_CLASS=30000\nPCI_ID=10DE:1380\nPCI_SUBSYS_ID=10DE:1065\nPCI_SLOT_NAME=0000:01:00.0\n";
    assert_eq!(uevent, expected);
    let facts = ["vendor", "device", "revision"].map(|name| fs::read_to_string(format!("{device}/{name}")).unwrap());
    assert_eq!(facts, ["0x10de\n", "0x1380\n", "0xa2\n"]);
    let node = open();
    let mut text = [0u8; 8];
    let mut version = [0, 0, text.len() as u64, text.as_mut_ptr() as u64, 0, 0, 0, 0];
    assert_eq!(ask(node, 0x00, &mut version), 0);
    assert_eq!((version[0], version[1], version[2], &text), (1 | 3 << 32, 1, 7, b"nouveau\0"));
    let mut cap = [5, 0];
    assert_eq!((ask(node, 0x0C, &mut cap), cap[1]), (0, 3));

    let facts =
        [(3, 0x10DE), (4, 0x1380), (5, 2), (8, 2 << 30), (9, 2 << 30), (11, 0x117), (12, 0), (13, 0x101), (15, 1)];
    for (question, answer) in facts {
        assert_eq!(parameter(node, question), Ok(answer), "{question}");
    }
    for question in [0, 6, 7, 10, 17, 18, 19, 20, 21, u64::MAX] {
        assert_eq!(parameter(node, question), Err(libc::EINVAL), "{question}");
    }
    let times = [0, 1].map(|_| parameter(node, 14).unwrap());
    assert!(times[0] < times[1], "{times:?}");
    // VM_INIT, VM_BIND, EXEC: a driver of Vulkan passes on. SVM_INIT.
    for number in [0x48, 0x49, 0x50, 0x51, 0x52, 0x53] {
        assert_eq!(ask(node, number, &mut [0; 8]), libc::EINVAL, "{number:#x}");
    }
}

/// Makes a request of the kernel's objects: bytes after the header, of type, route, token.
fn nvif(node: RawFd, (kind, route, token): (u8, u8, u64), data: &mut [u8]) -> i32 {
    let mut bytes = vec![0, kind, 0, 0, 0, 0, if route == 0 { 0xFF } else { 0 }, route];
    bytes.extend(token.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend_from_slice(data);
    let error = ask_at(node, NVIF, bytes.as_mut_ptr().cast(), bytes.len());
    data.copy_from_slice(&bytes[24..]);
    error
}

fn make(node: RawFd, route: u8, token: u64, class: i32) -> i32 {
    let mut data = [[0; 28].as_slice(), &class.to_le_bytes()].concat();
    nvif(node, (2, route, token), &mut data)
}

#[test]
#[ignore = "a client"]
fn client_objects_of_the_kernel() {
    let node = open();
    assert_eq!(make(node, 0, 0, 0x80), 0, "the device");
    let mut information = [0; 8 + 104];
    assert_eq!(nvif(node, (4, 0, 0), &mut information), 0);
    assert_eq!(information[8..14], [0, 3, 0x17, 0x01, 0xA2, 9]);
    assert_eq!(information[16..24], (2u64 << 30).to_le_bytes());
    assert_eq!(information[24..32], (2u64 << 30).to_le_bytes());
    assert_eq!(&information[32..38], b"GM107\0");
    let mut time = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(nvif(node, (4, 0, 0), &mut time), 0);
    let [before, after] = [u64::from_le_bytes(time[16..].try_into().unwrap()), parameter(node, 14).unwrap()];
    assert!(before < after, "one clock: {before} {after}");

    // Mesa 22 and Mesa 25 ask so.
    let channels =
        [(0, 0), (u32::MAX, 1)].map(|(framebuffer, engines)| new_channel(node, framebuffer, engines).unwrap());
    assert_ne!(channels[0], channels[1]);
    assert_eq!(new_channel(node, u32::MAX, 0x30), Err(libc::ENOSYS), "the copy engine alone");
    let channel = channels[0].into();
    for class in [-7, 0xA140, 0xB0B5, 0x902D, 0xB097, 0xB0C0] {
        assert_eq!(make(node, 0xFF, channel, class), 0, "{class:#x}");
    }
    assert_eq!(make(node, 0xFF, channel, 0xB197), libc::EINVAL, "a newer card's");
    assert_eq!(make(node, 0xFF, 77, 0xB097), libc::ENOENT, "no channel");
    let mut classes = [0; 8 + 16 * 8];
    classes[1] = 16;
    assert_eq!(nvif(node, (1, 0xFF, channel), &mut classes), 0);
    let (list, _) = classes[8..].as_chunks::<8>();
    let list: Vec<i32> =
        list.iter().map(|bytes| i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect();
    assert_eq!((classes[1], &list[..7]), (7, &[0xB06F, 0xA140, 0xB0B5, 0x902D, 0xB097, 0xB0C0, -7][..]));
    assert_eq!(nvif(node, (3, 0xFF, channel), &mut []), 0, "DEL");
    // The same, on what is no node: nobody here answers.
    // SAFETY: the name is a string that ends with 0.
    let other = unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) };
    assert_eq!(nvif(other, (3, 0xFF, channel), &mut []), libc::ENOTTY);

    assert_eq!(free_channel(node, channels[0]), 0);
    assert_eq!(free_channel(node, channels[0]), libc::ENOENT);
    let other = open();
    assert_eq!(free_channel(other, channels[1]), libc::ENOENT, "channels are a client's own");
    let opened: Vec<_> = (0..127).map_while(|_| new_channel(other, 0, 0).ok()).collect();
    assert_eq!(opened.len(), 126);
    assert_eq!(new_channel(node, 0, 0), Err(libc::ENOSPC));
    close_file(other);
    assert!(new_channel(node, 0, 0).is_ok(), "those of a client that is gone are free");
}

#[test]
#[ignore = "a client"]
fn client_buffers() {
    let node = open();
    let first = new_object(node, 5, VRAM, 4096, 0).unwrap();
    assert_eq!(first, New { handle: 1, address: 16 << 20, size: 4096, map: 16 << 20, domain: VRAM });
    let fence = new_object(node, 4096, GART, 4096, 8 << 32).unwrap();
    assert_eq!((fence.address, fence.domain), (first.address + 4096, GART));
    let tiled = new_object(node, 4096, GART, 4096, 0xFE00 << 32 | 0x30).unwrap();
    assert_eq!(tiled.address, (16 << 20) + (128 << 10), "pixels in blocks");
    let aligned = new_object(node, 4096, VRAM | GART, 1 << 20, 0).unwrap();
    assert_eq!((aligned.address, aligned.domain), (17 << 20, VRAM));
    let mut words = [tiled.handle, 0, 0, 0, 0];
    assert_eq!(ask(node, GEM_INFO, &mut words), 0);
    assert_eq!(words, [tiled.handle | GART << 32, 4096, tiled.address, tiled.map, 0xFE00 << 32 | 0x30]);
    for number in [CPU_PREP, CPU_FINI] {
        assert_eq!(ask(node, number, &mut [tiled.handle]), 0);
    }
    assert_eq!(ask(node, CPU_PREP, &mut [tiled.handle | 1 << 32]), 0, "idle");

    // Tiling reaches importers; handles and addresses come back.
    let exported = export(node, tiled.handle);
    let other = open();
    let imported = import(other, exported).unwrap();
    let mut words = [imported, 0, 0, 0, 0];
    assert_eq!((ask(other, GEM_INFO, &mut words), words[2], words[4]), (0, tiled.address, 0xFE00 << 32 | 0x30));
    let (page, memory) = page(node);
    // SAFETY: the object is mapped, as a whole page.
    unsafe {
        assert_eq!(memory.read_volatile(), 0);
        memory.write_volatile(7);
    }
    assert_eq!(close(node, page.handle), 0);
    for _ in 0..1000 {
        assert_eq!(new_object(node, 4096, GART, 4096, 0), Ok(New { domain: GART, ..page }));
        assert_eq!(close(node, page.handle), 0);
    }
    // SAFETY: the mapping is still there.
    unsafe { assert_eq!(memory.read_volatile(), 0, "freed memory reads zero") };
}

#[test]
#[ignore = "a client"]
fn client_mistakes() {
    let node = open();
    let numbers =
        [GETPARAM, CHANNEL_ALLOC, CHANNEL_FREE, 0x44, 0x45, 0x46, NVIF, GEM_NEW, PUSHBUF, CPU_PREP, CPU_FINI, GEM_INFO];
    for number in numbers {
        assert_eq!(ask_at(node, number, ptr::null_mut(), 64), libc::EFAULT, "{number:#x}");
    }
    for number in [CPU_PREP, CPU_FINI, GEM_INFO, 0x43, 0x44, 0x45, 0x46, PUSHBUF] {
        assert_eq!(ask(node, number, &mut [77, 0, 0, 0, 0, 0, 0, 0]), libc::ENOENT, "{number:#x}");
    }
    assert_eq!(new_object(node, 0, VRAM, 4096, 0), Err(libc::EINVAL));
    assert_eq!(new_object(node, 1, VRAM, 0xFFFF_FFFF, 0), Err(libc::EINVAL));
    for (size, alignment) in [(1 << 32, 1), (u64::MAX, 1), (3 << 30, 1)] {
        assert_eq!(new_object(node, size, VRAM, alignment, 0), Err(libc::ENOMEM));
    }
    let (channel, (page, _)) = (new_channel(node, 0, 0).unwrap(), page(node));
    for length in [0usize, 1, 7, 8, 23, 24, 25, 31, 48, 55] {
        for kind in 0..=255 {
            let mut bytes = vec![0u64; 8];
            bytes[0] = kind << 8 | 0xFF << 56;
            let answer = ask_at(node, NVIF, bytes.as_mut_ptr(), length);
            assert!([0, libc::EINVAL, libc::EFAULT].contains(&answer), "{length} {kind}: {answer}");
        }
    }
    let mut version = [1u64; 4];
    assert_eq!(ask(node, NVIF, &mut version), libc::ENOSYS);

    assert_eq!(push(node, channel, &[page.handle], &[]), DONE, "a driver asks what there is");
    assert_eq!(push(node, 77, &[], &[]).0, libc::ENOENT);
    assert_eq!(push(node, channel, &[77], &[]).0, libc::ENOENT);
    for piece in [(1, 0, 4), (u32::MAX, 0, 4), (0, 4096, 4), (0, 0, 4100), (0, u64::MAX - 3, 8), (0, 1, 4), (0, 0, 3)] {
        assert_eq!(push(node, channel, &[page.handle], &[piece]).0, libc::EINVAL, "{piece:?}");
    }
    let many = vec![page.handle; 1025];
    assert_eq!(push(node, channel, &many, &[]).0, libc::EINVAL);
    assert_eq!(push(node, channel, &many[1..], &[]).0, 0);
    let pieces = vec![(0, 0, 0); 513];
    assert_eq!(push(node, channel, &[page.handle], &pieces).0, libc::EINVAL);
    assert_eq!(push(node, channel, &[page.handle], &pieces[1..]).0, 0);
    // Lists that no memory is behind.
    let channel = u64::from(channel);
    for words in [[channel | 1 << 32, 0, 0, 0, 0, 0, 0, 0], [channel, 0, 1 << 32, 0, 0, 0, 0, 0]] {
        assert_eq!(ask(node, PUSHBUF, &mut words.clone()), libc::EFAULT);
    }
    assert_eq!(ask(node, PUSHBUF, &mut [channel | !0 << 32, 8, !0 << 32, 8, 8, 0, 0, 0]), libc::EINVAL);
}

/// Requests of random numbers and content, none of which leads to memory that is not there.
#[test]
#[ignore = "a client"]
fn client_random_requests() {
    let node = open();
    let (channel, (object, _)) = (new_channel(node, 0, 0).unwrap(), page(node));
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for round in 0..200_000 {
        let number = if random() % 2 == 0 {
            random() % 256
        } else {
            [0x40, 0x42, 0x43, 0x47, 0x80, 0x82, 0x84][random() as usize % 7]
        };
        let mut words = [0u64; 16];
        for word in &mut words {
            *word = match random() % 6 {
                0 => random(),
                1 => random() & 0xFF,
                2 => random() & 0xFF00_0000_00FF,
                3 => object.handle | random() << 32,
                4 => u64::from(channel) | random() << 56,
                _ => 0,
            };
        }
        // These take addresses, and others close the object.
        if [0x00, 0x09, 0x2D, 0x2E, 0x43, PUSHBUF].contains(&number) {
            continue;
        }
        if number == GEM_NEW {
            words[1] &= 0xFFFF;
        }
        let size = (random() % 129) as usize;
        let before = words;
        if ask_at(node, number, words.as_mut_ptr(), size) == 0 && number == GEM_NEW && size >= 8 {
            assert_eq!(close(node, low(words[0])), 0, "round {round}: {before:x?}");
        }
    }
    assert_eq!(push(node, channel, &[object.handle], &[]), DONE, "the card lives");
}

/// Commands that store a value in an object as drivers learn that what stands before is executed: methods 1b00 to 1b0c of the class for drawing.
fn fence(address: u64, value: u32) -> [u32; 5] {
    const METHODS: u32 = 1 << 29 | 4 << 16 | (0x1B00 / 4);
    const STORE: u32 = 0x1000_F010;
    [METHODS, 0, address as u32, value, STORE]
}

/// Values that tell that a submission is executed come when the client waits for them in one of the ways that there are.
#[test]
#[ignore = "a client"]
fn client_fences() {
    let node = open();
    let channel = new_channel(node, 0, 0).unwrap();
    let ((commands, stream), (fences, value)) = (page(node), page(node));
    let submit = |number: u32| {
        for (at, word) in fence(fences.address, number).into_iter().enumerate() {
            // SAFETY: the object is mapped, as a whole page.
            unsafe { stream.add(at).write_volatile(word) };
        }
        let before = Instant::now();
        assert_eq!(push(node, channel, &[commands.handle, fences.handle], &[(0, 0, 20)]), DONE);
        // SAFETY: as above.
        let stored = unsafe { value.read_volatile() };
        assert!(stored == number - 1 || before.elapsed() > Duration::from_millis(5), "it is held back: {stored}");
    };
    // SAFETY: as above.
    let stored = || unsafe { value.read_volatile() };
    submit(1);
    assert_eq!((ask(node, CPU_PREP, &mut [fences.handle | 4 << 32]), stored()), (0, 1));
    submit(2);
    assert_eq!((ask(node, CPU_PREP, &mut [fences.handle | 5 << 32]), stored()), (0, 2), "also if it asks only");
    submit(3);
    assert_eq!((parameter(node, 11), stored()), (Ok(0x117), 3), "any request does");
    submit(4);
    // SAFETY: the call takes nothing.
    assert_eq!((unsafe { libc::sched_yield() }, stored()), (0, 4));
    submit(5);
    let start = Instant::now();
    while stored() != 5 {
        assert!(start.elapsed() < Duration::from_secs(20), "a while is enough");
        thread::sleep(Duration::from_millis(1));
    }
    submit(6);
    close_file(open());
    assert_eq!(stored(), 6);
    // Drivers list the object only now and then.
    for (at, word) in fence(fences.address, 60).into_iter().enumerate() {
        // SAFETY: the object is mapped, as a whole page.
        unsafe { stream.add(at).write_volatile(word) };
    }
    assert_eq!(push(node, channel, &[commands.handle], &[(0, 0, 20)]), DONE);
    assert_eq!((ask(node, CPU_PREP, &mut [fences.handle]), stored()), (0, 60));
    // What the card does not understand ends neither the program nor the channel.
    // SAFETY: the object is mapped, as a whole page.
    (0..1024).for_each(|at| unsafe { stream.add(at).write_volatile(0xFFFF_0674) });
    assert_eq!(push(node, channel, &[commands.handle], &[(0, 0, 4096)]), DONE);
    submit(61);
    assert_eq!((ask(node, CPU_PREP, &mut [fences.handle | 4 << 32]), stored()), (0, 61));
    let threads = |thread: u32| {
        let node = open();
        let channel = new_channel(node, 0, 0).unwrap();
        let ((commands, stream), (fences, value)) = (page(node), page(node));
        for number in 1..200 {
            for (at, word) in fence(fences.address, thread << 16 | number).into_iter().enumerate() {
                // SAFETY: the object is mapped, as a whole page.
                unsafe { stream.add(at).write_volatile(word) };
            }
            assert_eq!(push(node, channel, &[commands.handle, fences.handle], &[(0, 0, 20)]), DONE);
            assert_eq!(ask(node, CPU_PREP, &mut [fences.handle]), 0);
            // SAFETY: as above.
            assert_eq!(unsafe { value.read_volatile() }, thread << 16 | number);
        }
    };
    thread::scope(|scope| (0..4).for_each(|thread| _ = scope.spawn(move || threads(thread))));
}
