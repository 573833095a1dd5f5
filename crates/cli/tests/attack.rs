//! What code can do that has taken over the sandbox's child: each attack is one run of the real supervisor, whose child is this program,
//! confines itself as that of `ctm` does, and then does what is forbidden.
//!
//! Started without arguments, it is the test; with those of `ctm`, the supervisor; with `--in-sandbox` besides, the child.

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod common;

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn main() {}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn main() {
    let word = |number| std::env::args().nth(number);
    match (word(1).as_deref(), word(2).as_deref()) {
        (Some("--in-sandbox"), Some("run")) => child::main(),
        (Some("run"), Some(_)) => std::process::exit(supervisor().into()),
        _ => attacks::all_are_refused(),
    }
}

/// Does what `ctm` does.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn supervisor() -> u8 {
    use clap::Parser;
    let cli = ctm_cli::Cli::parse();
    let local = ctm_cli::host::Local::new(Vec::new());
    ctm_cli::execute(
        &cli,
        &mut ctm_cli::Console {
            out: &mut std::io::stdout(),
            err: &mut std::io::stderr(),
            host: &local,
            interactive: false,
            colours: false,
            json: false,
            strict: false,
            refused: 0,
        },
    )
}

/// The attacks.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod attacks {
    use super::common::Folder;
    use ctm_cli::host::Host;
    use std::fs;
    use std::path::Path;
    use std::process::{Command, Stdio};

    /// What becomes of an attack.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum End {
        /// The kernel ends the child at once.
        Killed,
        /// It fails, and the child goes on.
        Futile,
        /// It is not an attack, and must succeed.
        Harmless,
    }
    use End::{Futile, Harmless, Killed};

    /// An attack: its name, what becomes of it, and what it does; true if that succeeds.
    pub type Attack = (&'static str, End, fn(&dyn Host) -> bool);

    /// Makes a system call; true if it succeeds.
    fn call<const COUNT: usize>(number: i64, arguments: [i64; COUNT]) -> bool {
        let argument = |at: usize| arguments.get(at).copied().unwrap_or(0);
        let [a, b, c, d, e, f] = std::array::from_fn(argument);
        // SAFETY: whatever it does, this process has no other purpose.
        unsafe { libc::syscall(number, a, b, c, d, e, f) >= 0 }
    }

    const READ_WRITE: i64 = (libc::PROT_READ | libc::PROT_WRITE) as i64;
    const ALL: i64 = READ_WRITE | libc::PROT_EXEC as i64;
    const PAGE: i64 = 4096;

    /// New memory with these flags: where it lies.
    fn memory(flags: i32) -> i64 {
        // SAFETY: a new mapping touches no other.
        let page =
            unsafe { libc::mmap(std::ptr::null_mut(), 4096, READ_WRITE as i32, flags | libc::MAP_ANONYMOUS, -1, 0) };
        assert_ne!(page, libc::MAP_FAILED, "there is no memory");
        page as i64
    }

    /// Memory that is written in one place and executed in another.
    fn second_view(flags: i32, old_size: i64, remap: i32) -> bool {
        let page = memory(flags);
        // SAFETY: a new place is chosen.
        let other = unsafe { libc::syscall(libc::SYS_mremap, page, old_size, PAGE, remap) };
        other > 0
            && other != page
            && call(libc::SYS_mprotect, [page, PAGE, i64::from(libc::PROT_READ | libc::PROT_EXEC)])
    }

    fn clone(flags: i32) -> bool {
        // SAFETY: a child that begins with a copy of everything ends at once.
        match unsafe { libc::syscall(libc::SYS_clone, i64::from(flags), 0, 0, 0, 0) } {
            0 => std::process::exit(0),
            child => child > 0,
        }
    }

    /// Creates an output, and gives it its name.
    fn write(host: &dyn Host, name: &str) -> bool {
        let Ok(mut output) = host.create(Path::new(name)) else { return false };
        output.write(b"by the attacker").and_then(|()| output.finish()).and_then(|()| output.commit()).is_ok()
    }

    pub const ATTACKS: &[Attack] = &[
        ("nothing", Harmless, |_| true),
        ("memory", Harmless, |_| std::hint::black_box(vec![1u8; 100 << 20]).len() == 100 << 20),
        ("memory-that-grows", Harmless, |_| {
            let mut bytes = vec![1u8; 1 << 20];
            (0..7).for_each(|_| bytes.extend_from_within(..));
            bytes.iter().all(|byte| *byte == 1)
        }),
        ("threads", Harmless, |_| (0..8).all(|_| std::thread::spawn(|| {}).join().is_ok())),
        ("code", Harmless, |_| {
            let page = memory(libc::MAP_PRIVATE);
            call(libc::SYS_mprotect, [page, PAGE, i64::from(libc::PROT_READ | libc::PROT_EXEC)])
        }),
        ("an-output", Harmless, |host| write(host, "out.npy")),
        // Memory.
        ("writable-code", Killed, |_| call(libc::SYS_mprotect, [memory(libc::MAP_PRIVATE), PAGE, ALL])),
        ("new-code", Killed, |_| {
            call(libc::SYS_mmap, [0, PAGE, ALL, i64::from(libc::MAP_PRIVATE | libc::MAP_ANONYMOUS), -1])
        }),
        ("shared-memory", Killed, |_| memory(libc::MAP_SHARED) != 0),
        ("second-view-of-shared-memory", Killed, |_| second_view(libc::MAP_SHARED, 0, libc::MREMAP_MAYMOVE)),
        ("second-view", Killed, |_| second_view(libc::MAP_PRIVATE, 0, libc::MREMAP_MAYMOVE)),
        ("second-view-by-rounding", Killed, |_| second_view(libc::MAP_PRIVATE, -1, libc::MREMAP_MAYMOVE)),
        ("second-view-that-stays", Killed, |_| {
            second_view(libc::MAP_PRIVATE, PAGE, libc::MREMAP_MAYMOVE | libc::MREMAP_DONTUNMAP)
        }),
        ("file-in-memory", Killed, |_| call(libc::SYS_memfd_create, [c"x".as_ptr() as i64, 0])),
        ("code-of-a-file", Killed, |_| call(libc::SYS_mmap, [0, PAGE, READ_WRITE, i64::from(libc::MAP_PRIVATE), 2])),
        ("locked-memory", Killed, |_| memory(libc::MAP_PRIVATE | libc::MAP_LOCKED) != 0),
        ("memory-of-another", Killed, |_| call(libc::SYS_process_vm_writev, [1, 0, 0, 0, 0, 0])),
        // Files.
        ("open", Futile, |_| fs::File::open("/etc/passwd").is_ok()),
        ("new-file", Futile, |_| fs::File::create("attacked").is_ok()),
        ("look", Futile, |_| fs::metadata("/etc/passwd").is_ok()),
        ("link", Futile, |_| fs::read_link("/proc/self/exe").is_ok()),
        ("remove", Killed, |_| fs::remove_file("given.npy").is_ok()),
        ("rename", Killed, |_| fs::rename("given.npy", "attacked").is_ok()),
        ("folder", Killed, |_| fs::create_dir("attacked").is_ok()),
        ("other-file", Killed, |_| call(libc::SYS_read, [2, 0, 0])),
        ("copy-of-a-file", Killed, |_| call(libc::SYS_dup, [0])),
        ("control-of-the-terminal", Futile, |_| call(libc::SYS_ioctl, [2, libc::TIOCGWINSZ as i64, 0])),
        // The supervisor.
        ("named-file", Harmless, |host| host.read(Path::new("given.npy"), 1 << 20).is_ok()),
        ("unnamed-file", Futile, |host| host.read(Path::new("/etc/passwd"), 1 << 20).is_ok()),
        ("named-file-by-another-name", Futile, |host| host.read(Path::new("./given.npy"), 1 << 20).is_ok()),
        ("include", Futile, |host| host.include(Path::new("include.x1k"), "../../../etc/passwd").is_ok()),
        ("include-from-elsewhere", Futile, |host| host.include(Path::new("/etc/passwd"), "group").is_ok()),
        ("standard-input", Futile, |host| host.read_standard_input(1).is_ok()),
        ("exists", Futile, |host| host.exists(Path::new("/etc/passwd"))),
        ("unnamed-output", Futile, |host| write(host, "attacked")),
        ("input-as-output", Futile, |host| write(host, "given.npy")),
        ("output-twice-at-once", Futile, |host| {
            let first = host.create(Path::new("out.npy")).expect("it is named");
            let second = host.create(Path::new("out.npy")).is_ok();
            first.commit().expect("it can be written");
            second
        }),
        ("output-again", Futile, |host| {
            assert!(write(host, "out.npy"), "it is named");
            write(host, "out.npy")
        }),
        // Processes, and what they may do.
        ("socket", Killed, |_| std::net::UdpSocket::bind("127.0.0.1:0").is_ok()),
        ("program", Killed, |_| Command::new("/bin/true").status().is_ok()),
        ("process", Killed, |_| clone(libc::SIGCHLD)),
        ("namespace", Killed, |_| clone(libc::CLONE_VM | libc::CLONE_SIGHAND | libc::CLONE_THREAD | libc::CLONE_NEWNS)),
        ("signal", Killed, |_| call(libc::SYS_kill, [1, 0])),
        ("trace", Killed, |_| call(libc::SYS_ptrace, [i64::from(libc::PTRACE_ATTACH), 1, 0, 0])),
        ("limits", Killed, |_| {
            let limit = [u64::MAX; 2];
            call(libc::SYS_prlimit64, [0, libc::RLIMIT_NOFILE.into(), limit.as_ptr() as i64, 0])
        }),
        ("limits-of-another", Killed, |_| {
            let mut limit = [0u64; 2];
            call(libc::SYS_prlimit64, [1, libc::RLIMIT_NOFILE.into(), 0, limit.as_mut_ptr() as i64])
        }),
        ("capabilities", Killed, |_| {
            let head = [0x2008_0522u32, 0];
            call(libc::SYS_capset, [head.as_ptr() as i64, [u32::MAX; 6].as_ptr() as i64])
        }),
        ("filter", Killed, |_| call(libc::SYS_prctl, [libc::PR_SET_SECCOMP.into(), 0])),
        ("ring", Killed, |_| call(libc::SYS_io_uring_setup, [1, 0])),
        ("personality", Killed, |_| call(libc::SYS_personality, [0x040_0000])),
    ];

    /// Runs each attack under a supervisor, in a new folder. Only what is not an attack succeeds, and no file is as an attacker wanted it.
    pub fn all_are_refused() {
        let mut wrong = Vec::new();
        for (name, end, _) in ATTACKS {
            let folder = Folder::new(&format!("attack-{name}"));
            folder.write("given.npy", "an input").write(&format!("{name}.x1k"), "");
            let mut command = Command::new(std::env::current_exe().expect("this program"));
            command.args(["run", &format!("{name}.x1k"), "--input", "0=given.npy", "-o", "out.npy", "--sandbox"]);
            let done = command.current_dir(&folder.0).stdin(Stdio::null()).output().expect("the supervisor starts");
            let [out, err] = [&done.stdout, &done.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            let expected = match end {
                Killed => (Some(5), String::new(), true),
                Futile => (Some(0), format!("{name}: failed\n"), false),
                Harmless => (Some(0), format!("{name}: succeeded\n"), false),
            };
            let found = (done.status.code(), out, err.contains("ended by SIGSYS"));
            let mut files = folder.names();
            files.retain(|file| file != "out.npy" && file != &format!("{name}.x1k"));
            let is_kept = files == ["given.npy"] && folder.read("given.npy") == b"an input";
            if found != expected || !is_kept {
                wrong.push(format!("{name}: {found:?} and files {files:?} where {expected:?} is right\n{err}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        println!("{} attacks, each as it should be", ATTACKS.len());
    }
}

/// The child that was taken over.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod child {
    use super::attacks::ATTACKS;
    use clap::Parser;
    use std::path::Path;

    /// Confines this process, and does what the name of the program says.
    pub fn main() {
        let cli = ctm_cli::Cli::parse();
        let name = std::env::args().nth(3).expect("a program");
        let name = Path::new(&name).file_stem().expect("a name").to_str().expect("a name").to_owned();
        let (_, _, act) = ATTACKS.iter().find(|(known, ..)| *known == name).expect("an attack");
        let local = ctm_cli::host::Local::new(Vec::new());
        let Ok(host) = ctm_cli::enter_sandbox(&cli, &local) else { panic!("there is no sandbox") };
        println!("{name}: {}", if act(&host) { "succeeded" } else { "failed" });
        std::process::exit(0);
    }
}
