//! The clients: each is an ignored test, which runs alone in a process with the library preloaded.

use super::requests::*;
use std::os::fd::{AsRawFd, RawFd};
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs, io, ptr};

/// The library, which cargo makes beside the tests.
fn library() -> PathBuf {
    let library = env::current_exe().unwrap().with_file_name("libctm_drm.so");
    assert!(library.exists(), "{} is not there", library.display());
    library
}

/// A process that runs a client: one of these, or that of another module, which its name says.
pub fn client(name: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    let name = if name.contains("::") { name.to_owned() } else { format!("clients::{name}") };
    command.args(["--exact", &name, "--ignored", "--nocapture"]).env("LD_PRELOAD", library());
    command
}

#[test]
#[ignore = "a client"]
fn client_files() {
    let names = fs::read_dir("/dev/dri").unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["renderD128"]);
    // SAFETY: all of it are numbers.
    let [mut by_name, mut by_descriptor]: [libc::stat; 2] = unsafe { std::mem::zeroed() };
    // SAFETY: the name is a string, and the structures are there.
    assert_eq!(unsafe { [libc::stat(NODE.as_ptr(), &mut by_name), libc::fstat(open(), &mut by_descriptor)] }, [0, 0]);
    for found in [by_name, by_descriptor] {
        assert_eq!(found.st_mode & libc::S_IFMT, libc::S_IFCHR);
        assert_eq!(found.st_rdev, libc::makedev(226, 128));
    }
    // What `ls` asks, of a name and of a descriptor.
    for (directory, name, flags) in [(libc::AT_FDCWD, NODE, 0), (open(), c"", libc::AT_EMPTY_PATH)] {
        // SAFETY: all of it are numbers.
        let mut found: libc::statx = unsafe { std::mem::zeroed() };
        // SAFETY: the name is a string, and the structure is there.
        let result = unsafe { libc::statx(directory, name.as_ptr(), flags, libc::STATX_TYPE, &mut found) };
        assert_eq!((result, found.stx_rdev_major, found.stx_rdev_minor), (0, 226, 128), "{name:?}");
        assert_eq!(u32::from(found.stx_mode) & libc::S_IFMT, libc::S_IFCHR);
    }
    let device = "/sys/dev/char/226:128/device";
    let uevent = fs::read_to_string(format!("{device}/uevent")).unwrap();
    assert!(uevent.contains("DRIVER=radeon\n") && uevent.contains("PCI_ID=1002:7140\n"), "{uevent}");
    assert_eq!(fs::read_to_string(format!("{device}/device")).unwrap(), "0x7140\n");
    assert!(fs::read_link(format!("{device}/subsystem")).unwrap().ends_with("pci"));
    // A program that is started has the library too, and is not disturbed.
    let child = Command::new("sh").args(["-c", "echo < /dev/null && echo here"]).output().unwrap();
    assert_eq!(child.stdout, b"\nhere\n");
}

#[test]
#[ignore = "a client"]
fn client_objects() {
    let node = open();
    // SAFETY: the call takes a number.
    let (copy, other) = (unsafe { libc::dup(node) }, open());
    let handle = create(node, 5, 0).unwrap();
    let memory = map(node, handle);
    // SAFETY: the object is mapped, as a whole page.
    unsafe {
        assert_eq!(memory.read_volatile(), 0);
        memory.add(1023).write_volatile(7);
        assert_eq!(map(copy, handle).add(1023).read_volatile(), 7, "copies of a descriptor have the same handles");
    }
    assert_eq!(close(other, handle), libc::EINVAL, "another opening has its own");

    // Exported and imported, an object is the same, and lives as long as one handle or export does.
    let exported = export(node, handle);
    // SAFETY: the call takes numbers.
    assert_eq!(unsafe { [libc::SEEK_END, libc::SEEK_SET].map(|origin| libc::lseek(exported, 0, origin)) }, [4096, 0]);
    // SAFETY: the bytes are there.
    assert_eq!(unsafe { libc::read(exported, [0u8; 4].as_mut_ptr().cast(), 4) }, 0);
    assert_eq!(close(node, handle), 0);
    assert_ne!(map(node, create(node, 5, 0).unwrap()), memory);
    let imported = import(other, exported).unwrap();
    close_file(exported);
    // SAFETY: the object is mapped, as a whole page.
    unsafe { assert_eq!(map(other, imported).add(1023).read_volatile(), 7) };
    assert_eq!(close(other, imported), 0);
    // SAFETY: as above.
    unsafe { assert_eq!(memory.add(1023).read_volatile(), 0, "freed memory reads zero") };
}

#[test]
#[ignore = "a client"]
fn client_answers() {
    let node = open();
    let mut text = [0u8; 4];
    let mut version = [0, 0, text.len() as u64, text.as_mut_ptr() as u64, 0, 0, 0, 0];
    assert_eq!(ask(node, 0x00, &mut version), 0);
    assert_eq!((version[0], version[2], &text), (2 | 50 << 32, 6, b"rade"), "as much as there is space for");
    let ask_info = |question: u64| {
        let mut value = 99u32;
        (ask(node, INFO, &mut [question, &raw mut value as u64]), value)
    };
    for (question, answer) in [(0, 0x7140), (1, 1), (2, 1), (5, 1), (7, 0), (8, 0), (0x15, 0), (0x1A, 650_000)] {
        assert_eq!(ask_info(question), (0, answer), "{question:#x}");
    }
    assert_eq!(ask_info(0x10), (libc::EINVAL, 99));
    let mut cap = [5, 0];
    assert_eq!((ask(node, 0x0C, &mut cap), cap[1]), (0, 3));
    let mut sizes = [0; 3];
    assert_eq!((ask(node, 0x5C, &mut sizes), sizes), (0, [512 << 20; 3]));

    let handle = create(node, 4096, 4096).unwrap();
    let mut words = [handle | 3 << 32, 256];
    assert_eq!(ask_at(node, 0x68, words.as_mut_ptr(), 12), 0);
    let mut words = [handle, 0];
    assert_eq!((ask_at(node, 0x69, words.as_mut_ptr(), 12), words), (0, [handle | 3 << 32, 256]));
    let mut words = [handle];
    assert_eq!((ask(node, 0x6A, &mut words), words[0] >> 32), (0, 4), "idle, in the domain that it was made in");
    let mut words = [handle, 0];
    assert_eq!((ask(node, 0x6C, &mut words), words[1]), (0, 4));
    assert_eq!(ask(node, 0x64, &mut [handle]), 0);
    assert_eq!(submit(node, &NOTHING, &[handle, handle]), 0);
}

/// What the third card of the R5xx family answers otherwise than the first.
#[test]
#[ignore = "a client"]
fn client_answers_rv530() {
    let node = open();
    let uevent = fs::read_to_string("/sys/dev/char/226:128/device/uevent").unwrap();
    assert!(uevent.contains("PCI_ID=1002:71C0\n"), "{uevent}");
    // DEVICE_ID, NUM_GB_PIPES, NUM_Z_PIPES, MAX_SCLK.
    for (question, answer) in [(0, 0x71C0), (1, 1), (2, 2), (0x1A, 590_000)] {
        let mut value = 0u32;
        assert_eq!((ask(node, INFO, &mut [question, &raw mut value as u64]), value), (0, answer), "{question:#x}");
    }
}

/// The card of the R700 family: answers, time stamps of 64 bits, and a fence.
#[test]
#[ignore = "a client"]
fn client_answers_rv770() {
    let node = open();
    let uevent = fs::read_to_string("/sys/dev/char/226:128/device/uevent").unwrap();
    assert!(uevent.contains("PCI_ID=1002:9440\n"), "{uevent}");
    let ask_info = |question: u64| {
        let mut value = 99u64;
        (ask(node, INFO, &mut [question, &raw mut value as u64]), value)
    };
    let facts = [(0, 0x9440), (6, 0), (9, 27_000), (0xA, 1), (0xB, 1), (0xD, 0), (0x10, 1), (0x12, 1), (0x1A, 750_000)];
    for (question, answer) in facts {
        assert_eq!(ask_info(question), (0, answer), "{question:#x}");
    }
    for question in [1, 2, 0xE, 0xF, 0x13, 0x20, 0x25] {
        assert_eq!(ask_info(question), (libc::EINVAL, 99), "{question:#x}");
    }
    let [first, second] = [0, 1].map(|_| ask_info(0x11));
    assert!(first.0 == 0 && second.0 == 0 && second.1 > first.1, "{first:?} {second:?}");

    let handle = create(node, 4096, 4096).unwrap();
    let memory = map(node, handle);
    let fence = [0xC004_4700, 0x528, 16, 1 << 29, 0x8000_0000, 0, 0xC000_1000, 0];
    assert_eq!(submit(node, &fence, &[handle]), 0);
    // SAFETY: the object is mapped, as a whole page.
    assert_eq!(unsafe { memory.add(4).read_volatile() }, 0x8000_0000);
    assert_eq!(submit(node, &fence[..6], &[handle]), libc::EINVAL, "no relocation");
    let words = [0x8000_0000; 8];
    assert_eq!(submit_chunks(node, &[(2, &words), (3, &[0, 2])]), libc::EINVAL, "no other ring");
}

#[test]
#[ignore = "a client"]
fn client_mistakes() {
    let node = open();
    for number in [0x00, 0x09, 0x0C, 0x2D, 0x2E, 0x5C, 0x5D, 0x5E, 0x63, 0x64, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x6C] {
        assert_eq!(ask_at(node, number, std::ptr::null_mut(), 32), libc::EFAULT, "{number:#x}");
    }
    for number in [0x0A, 0x0B, 0x61, 0x62, 0x6B, 0x6D, 0xBF] {
        assert_eq!(ask(node, number, &mut [0; 8]), libc::EINVAL, "{number:#x}");
    }
    for number in [0x64, 0x6A, 0x6C, 0x5E, 0x63, 0x68, 0x69, 0x2D] {
        assert_eq!(ask(node, number, &mut [77, 0, 0, 0]), libc::ENOENT, "{number:#x}");
    }
    assert_eq!(ask(node, 0x2E, &mut [0, node as u64]), libc::EINVAL, "the node is not an object");
    assert_eq!(create(node, 0, 1), Err(libc::EINVAL));
    for (size, alignment) in [(1 << 32, 1), (u64::MAX, 1), (1, 1 << 40)] {
        assert_eq!(create(node, size, alignment), Err(libc::ENOMEM));
    }
    assert_eq!(create(node, 1, u64::MAX), Err(libc::EINVAL));
    let handle = create(node, 4096, 1).unwrap();
    for (offset, size) in [(4096, 1), (0, 4097), (u64::MAX, 2)] {
        assert_eq!(ask(node, MMAP, &mut [handle, offset, size, 0]), libc::EINVAL);
    }
    assert_eq!(ask(node, INFO, &mut [0, 0]), libc::EFAULT);

    assert_eq!(submit(node, &NOTHING, &[77]), libc::ENOENT);
    assert_eq!(submit(node, &[0x4000_0000], &[]), libc::EINVAL, "a packet of type 1");
    assert_eq!(ask(node, CS, &mut [3, 0, 0, 0]), libc::EFAULT);
    assert_eq!(ask(node, CS, &mut [1 << 30, 1, 0, 0]), libc::EINVAL);
    let words = [0; 8];
    let bad: [&[(u64, &[u32])]; 6] = [
        &[],
        &[(1, &words)],
        &[(2, &words), (2, &words)],
        &[(2, &NOTHING), (1, &words[..3])],
        &[(2, &NOTHING), (3, &[0, 1])],
        &[(9, &NOTHING)],
    ];
    for chunks in bad {
        assert_eq!(submit_chunks(node, chunks), libc::EINVAL, "{chunks:?}");
    }
    // Lengths that no memory is behind.
    for id in [1u64, 2] {
        let chunk = [id | 1 << 63, words.as_ptr() as u64];
        let pointer = chunk.as_ptr() as u64;
        assert_eq!(ask(node, CS, &mut [1, &raw const pointer as u64, 0, 0]), libc::EINVAL);
    }
    assert_eq!(submit(node, &NOTHING, &[handle]), 0, "the card lives");
}

#[test]
#[ignore = "a client"]
fn client_threads() {
    let run = |thread: u32| {
        let node = open();
        for round in 0..200 {
            let handle = create(node, 4096, 1).unwrap();
            let memory = map(node, handle);
            // SAFETY: the object is mapped, and this thread's alone.
            unsafe {
                assert_eq!(memory.read_volatile(), 0);
                memory.write_volatile(thread << 16 | round);
                assert_eq!(submit(node, &NOTHING, &[handle]), 0);
                assert_eq!(memory.read_volatile(), thread << 16 | round);
                libc::munmap(memory.cast(), 4096);
            }
            assert_eq!(close(node, handle), 0);
        }
    };
    std::thread::scope(|scope| (0..8).for_each(|thread| _ = scope.spawn(move || run(thread))));
}

/// Objects belong to an opening of the node: to all copies of its descriptor together, and to mappings that were made with them.
#[test]
#[ignore = "a client"]
fn client_closes() {
    let large = 256 << 20;
    // What is written is the host's memory, which every round has to give back.
    for _ in 0..40 {
        let node = open();
        let memory = map(node, create(node, large, 1).unwrap());
        // SAFETY: the object is mapped, as a whole page.
        unsafe { memory.write_volatile(1) };
        // SAFETY: it is mapped.
        unsafe { libc::munmap(memory.cast(), 4096) };
        close_file(node);
    }

    // Each takes more than half of the memory, so that one is there only when the other is not.
    let most = 2 << 30;
    let other = open();
    let is_free = || create(other, most, 1).inspect(|&handle| assert_eq!(close(other, handle), 0)).is_ok();
    let opened = || {
        let node = open();
        let handle = create(node, most, 1).unwrap();
        assert!(!is_free());
        (node, handle)
    };
    // SAFETY: the calls take numbers.
    let copies: [fn(RawFd) -> RawFd; 4] = unsafe {
        [
            |node| libc::dup(node),
            |node| libc::fcntl(node, libc::F_DUPFD, 100),
            |node| libc::fcntl(node, libc::F_DUPFD_CLOEXEC, 100),
            |node| libc::dup3(node, 90, libc::O_CLOEXEC),
        ]
    };
    // SAFETY: the calls take numbers, and the pipe's are there.
    let closes: [fn(RawFd); 3] = [
        close_file,
        |node| assert_eq!(unsafe { libc::syscall(libc::SYS_close_range, node, node, 0) }, 0),
        |node| assert_eq!(unsafe { libc::dup2(0, node) }, node),
    ];
    for copy in copies {
        for close in closes {
            let (node, handle) = opened();
            let copy = copy(node);
            close(node);
            assert!(!is_free(), "the copy has it");
            assert_eq!(ask(copy, 0x64, &mut [handle]), 0);
            close(copy);
            assert!(is_free());
            // What `dup2` put in their places.
            [node, copy].into_iter().for_each(|number| _ = unsafe { libc::close(number) });
        }
    }

    let (node, handle) = opened();
    let memory = map(node, handle);
    close_file(node);
    assert!(!is_free(), "it is mapped");
    // SAFETY: it is.
    unsafe {
        memory.write_volatile(7);
        libc::munmap(memory.cast(), 4096);
    }
    assert!(is_free());

    // On its way through a socket.
    let (node, _) = opened();
    let (one, two) = std::os::unix::net::UnixStream::pair().unwrap();
    send(one.as_raw_fd(), node);
    close_file(node);
    assert!(!is_free());
    let received = receive(two.as_raw_fd());
    assert_eq!(create(received, 4096, 1), Ok(2));
    close_file(received);
    assert!(is_free());

    let (node, handle) = opened();
    let exported = export(node, handle);
    close_file(node);
    assert!(!is_free(), "it is exported");
    close_file(exported);
    assert!(is_free());
    assert_eq!(import(other, other), Err(libc::EINVAL));
}

/// A child has a card of its own, and none by a node that it inherits; whatever it does, its parent's objects stay as they are, but for the
/// exported one, which it can import.
#[test]
#[ignore = "a client"]
fn client_forks() {
    let node = open();
    let handle = create(node, 4096, 1).unwrap();
    let memory = map(node, handle);
    let exported = export(node, handle);
    // SAFETY: the object is mapped, as a whole page.
    unsafe { memory.write_volatile(111) };
    assert_eq!(submit(node, &NOTHING, &[handle]), 0);
    in_child(|| {
        for number in [CLOSE, CREATE, MMAP, CS, INFO, EXPORT] {
            assert_eq!(ask(node, number, &mut [handle, 0, 0, 0]), libc::ENODEV, "{number:#x}");
        }
        // SAFETY: the calls take numbers.
        assert_eq!(unsafe { [node, exported].map(|file| libc::lseek(file, 0, libc::SEEK_SET)) }, [0, 0]);
        let own = open();
        let imported = import(own, exported).unwrap();
        let shared = map(own, imported);
        // SAFETY: the object is mapped, as a whole page.
        assert_eq!(unsafe { shared.read_volatile() }, 111);
        // SAFETY: as above.
        unsafe { shared.write_volatile(112) };
        // SAFETY: a new mapping touches no other.
        let direct = unsafe { libc::mmap(ptr::null_mut(), 4096, libc::PROT_READ, libc::MAP_SHARED, exported, 0) };
        assert_ne!(direct, libc::MAP_FAILED);
        // SAFETY: a whole page is mapped.
        assert_eq!(unsafe { direct.cast::<u32>().read_volatile() }, 112);
        // SAFETY: the call takes numbers only.
        assert_eq!(unsafe { libc::lseek(exported, 0, libc::SEEK_END) }, 4096);
        assert_eq!(submit(own, &NOTHING, &[imported]), 0);
        assert_eq!(close(own, imported), 0);
        let handle = create(own, 4096, 1).unwrap();
        let memory = map(own, handle);
        // SAFETY: the object is mapped, as a whole page.
        assert_eq!(unsafe { memory.read_volatile() }, 0);
        // SAFETY: as above.
        unsafe { memory.write_volatile(222) };
        assert_eq!(submit(own, &NOTHING, &[handle]), 0);
        assert_eq!((close(own, handle), close(own, handle)), (0, libc::EINVAL));
        [own, node, exported].into_iter().for_each(close_file);
        // And so has a child of the child, whose parent has none open.
        in_child(|| assert_eq!(create(open(), 4096, 1), Ok(1)));
    });
    // SAFETY: the object is mapped, as a whole page.
    assert_eq!(unsafe { memory.read_volatile() }, 112);
    assert_eq!(submit(node, &NOTHING, &[handle]), 0);
    let new = map(node, create(node, 4096, 1).unwrap());
    // SAFETY: as above.
    assert_eq!(unsafe { new.read_volatile() }, 0);
    // SAFETY: the structure is there.
    assert_eq!(import(open(), exported).map(|_| ()), Ok(()));
}

/// Forks before anything is open, with the card's files found; then parent and child draw at once.
#[test]
#[ignore = "a client"]
fn client_forks_first() {
    assert!(fs::exists("/sys/dev/char/226:128/device/uevent").unwrap());
    let draw = || {
        let node = open();
        let handle = create(node, 4096, 1).unwrap();
        for _ in 0..100 {
            assert_eq!(submit(node, &NOTHING, &[handle]), 0);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(draw);
        in_child(|| {
            draw();
            assert!(fs::exists("/sys/dev/char/226:128/device/uevent").unwrap());
        });
    });
}

/// Starts programs, which have the descriptors that are not closed then.
#[test]
#[ignore = "a client"]
fn client_execs() {
    // SAFETY: the name is a string that ends with 0.
    let (closed, kept) = (open(), unsafe { libc::open(NODE.as_ptr(), libc::O_RDWR) });
    // SAFETY: the calls take numbers.
    let flags = [closed, kept].map(|node| unsafe { libc::fcntl(node, libc::F_GETFD) });
    assert_eq!(flags, [libc::FD_CLOEXEC, 0]);
    let inherited = format!("{closed} {kept}");
    let status = client("client_that_inherits").env("CTM_TEST_INHERITED", inherited).status().unwrap();
    assert!(status.success());
}

#[test]
#[ignore = "a client of a client"]
fn client_that_inherits() {
    let inherited = env::var("CTM_TEST_INHERITED").unwrap();
    let errors = inherited.split(' ').map(|node| ask(node.parse().unwrap(), 0x5C, &mut [0; 3]));
    assert_eq!(errors.collect::<Vec<_>>(), [libc::EBADF, libc::ENODEV]);
    assert_eq!(create(open(), 4096, 1), Ok(1));
}

#[test]
#[ignore = "a client"]
fn client_without_a_card() {
    // SAFETY: the name is a string that ends with 0.
    assert_eq!(unsafe { libc::open(NODE.as_ptr(), libc::O_RDWR) }, -1);
    assert_eq!(io::Error::last_os_error().raw_os_error(), Some(libc::ENODEV));
}

/// Writes, submits, and is ended by a signal.
#[test]
#[ignore = "a client"]
fn client_killed() {
    let node = open();
    let handle = create(node, 4096, 1).unwrap();
    let memory = map(node, handle);
    for value in [0, 5] {
        // SAFETY: the object is mapped, and this thread's alone.
        unsafe { memory.write_volatile(value) };
        assert_eq!(submit(node, &NOTHING, &[handle]), 0);
    }
    // SAFETY: the call takes numbers.
    unsafe { libc::raise(libc::SIGKILL) };
}
