//! The system calls that the child may make.
//!
//! Two filters are in force together, and the stricter answer counts. The first answers calls that the system's libraries make
//! where they can do without with an error: opening a file, asking what kind of file something is, `clone3`, whose flags a
//! filter cannot see, so that the C library falls back to `clone`. The second allows what computing takes, memory and threads
//! included, and ends the process at everything else.

use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
use seccompiler::{BpfProgram, SeccompAction, SeccompCondition, SeccompFilter, SeccompRule, TargetArch};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::RawFd;

/// Calls without arguments that matter.
const PLAIN: &[i64] = &[
    // Memory.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_madvise,
    // Threads.
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // The first filter answers it.
    libc::SYS_clone3,
    // Signals of its own.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    // Time and chance.
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_restart_syscall,
    libc::SYS_getrandom,
    libc::SYS_close,
];

/// Calls that fail, and how.
const REFUSED: &[(i64, i32)] = &[
    (libc::SYS_clone3, libc::ENOSYS),
    (libc::SYS_openat, libc::EACCES),
    (libc::SYS_fstat, libc::EACCES),
    (libc::SYS_newfstatat, libc::EACCES),
    (libc::SYS_statx, libc::EACCES),
    (libc::SYS_readlinkat, libc::EACCES),
    (libc::SYS_faccessat, libc::EACCES),
    (libc::SYS_getcwd, libc::EACCES),
    (libc::SYS_lseek, libc::ESPIPE),
    (libc::SYS_ioctl, libc::ENOTTY),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, libc::EACCES),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_stat, libc::EACCES),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_lstat, libc::EACCES),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_access, libc::EACCES),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_readlink, libc::EACCES),
];

/// Flags that start a thread in new namespaces.
const NAMESPACES: u64 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u64;

/// Puts the filters in force for this thread and those that it starts. `channel` is the one file that is read.
///
/// # Errors
/// There are no filters on this machine, or the kernel refuses them.
pub fn apply(channel: RawFd) -> io::Result<()> {
    for program in programs(channel, std::process::id()).map_err(io::Error::other)? {
        seccompiler::apply_filter(&program).map_err(io::Error::other)?;
    }
    Ok(())
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The filters, in the order in which they are put in force: the last one forbids to add more.
fn programs(channel: RawFd, process: u32) -> Result<Vec<BpfProgram>, seccompiler::BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let program = |rules: Rules, otherwise: SeccompAction, action: SeccompAction| -> Result<BpfProgram, _> {
        SeccompFilter::new(rules, otherwise, action, arch)?.try_into()
    };
    let mut errors: BTreeMap<i32, Rules> = BTreeMap::new();
    for &(call, error) in REFUSED {
        errors.entry(error).or_default().insert(call, Vec::new());
    }
    let refusals = errors
        .into_iter()
        .map(|(error, rules)| program(rules, SeccompAction::Allow, SeccompAction::Errno(error as u32)));
    let allowed = program(allowed(channel, process)?, SeccompAction::KillProcess, SeccompAction::Allow);
    refusals.chain([allowed]).collect()
}

/// What is allowed, by the arguments that matter.
fn allowed(channel: RawFd, process: u32) -> Result<Rules, seccompiler::BackendError> {
    let rule = |conditions: &[(u8, seccompiler::SeccompCmpOp, u64)], length: fn() -> seccompiler::SeccompCmpArgLen| {
        let condition = |(at, op, value): &(u8, _, u64)| SeccompCondition::new(*at, length(), Clone::clone(op), *value);
        SeccompRule::new(conditions.iter().map(condition).collect::<Result<_, _>>()?)
    };
    let (write, exec) = (libc::PROT_WRITE as u64, libc::PROT_EXEC as u64);
    let anonymous = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
    let places = (libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE | libc::MAP_NORESERVE | libc::MAP_STACK) as u64;
    let may_move = libc::MREMAP_MAYMOVE as u64;
    let thread = (libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND) as u64;
    let channel = channel as u64;

    let mut rules: Rules =
        PLAIN.iter().chain(REFUSED.iter().map(|(call, _)| call)).map(|&call| (call, Vec::new())).collect();
    rules.extend([
        (libc::SYS_read, vec![rule(&[(0, Eq, channel)], || Dword)?]),
        (
            libc::SYS_write,
            [1, 2, channel].map(|file| rule(&[(0, Eq, file)], || Dword)).into_iter().collect::<Result<_, _>>()?,
        ),
        // No files, and no code: that is written first, and made executable then. Nothing shared, of which there might be a second view:
        // one that is written, of another that is executed.
        (libc::SYS_mmap, vec![rule(&[(2, MaskedEq(exec), 0), (3, MaskedEq(!places), anonymous)], || Qword)?]),
        // Memory grows, shrinks and moves. An old size of 0 makes a second view, also one that the kernel rounds up to 0, and so do other
        // flags.
        (
            libc::SYS_mremap,
            vec![rule(&[(1, Ne, 0), (1, MaskedEq(1 << 63), 0), (3, MaskedEq(!may_move), 0)], || Qword)?],
        ),
        // Writable or executable, never both.
        (
            libc::SYS_mprotect,
            [0, write, exec]
                .map(|bits| rule(&[(2, MaskedEq(write | exec), bits)], || Qword))
                .into_iter()
                .collect::<Result<_, _>>()?,
        ),
        // Threads of this process, and no others, in no other namespaces.
        (libc::SYS_clone, vec![rule(&[(0, MaskedEq(thread | NAMESPACES), thread)], || Qword)?]),
        (libc::SYS_tgkill, vec![rule(&[(0, Eq, u64::from(process))], || Dword)?]),
        // The name of a thread.
        (libc::SYS_prctl, vec![rule(&[(0, Eq, libc::PR_SET_NAME as u64)], || Dword)?]),
        // Whether a file is open, which the standard library asks before it closes one.
        (libc::SYS_fcntl, vec![rule(&[(1, Eq, libc::F_GETFD as u64)], || Dword)?]),
        // Reading limits, its own.
        (libc::SYS_prlimit64, vec![rule(&[(0, Eq, 0), (2, Eq, 0)], || Qword)?]),
    ]);
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANNEL: RawFd = 7;
    const PROCESS: u32 = 4711;

    /// What the kernel does at a system call.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    enum Verdict {
        Kill,
        Errno(i32),
        Allow,
    }
    use Verdict::{Allow, Errno, Kill};

    /// Executes the filters, as the kernel does: the strictest verdict counts.
    fn verdict(call: i64, arguments: [u64; 6]) -> Verdict {
        let arch = if cfg!(target_arch = "x86_64") { 0xC000_003Eu32 } else { 0xC000_00B7 };
        let mut data = [(call as u32).to_le_bytes(), arch.to_le_bytes(), [0; 4], [0; 4]].concat();
        arguments.iter().for_each(|argument| data.extend(argument.to_le_bytes()));
        let programs = programs(CHANNEL, PROCESS).expect("filters");
        programs.iter().map(|program| execute(program, &data)).min().expect("a filter")
    }

    /// Classic BPF, as far as the filters use it.
    fn execute(program: &BpfProgram, data: &[u8]) -> Verdict {
        let (mut at, mut value) = (0, 0u32);
        loop {
            let instruction = &program[at];
            let k = instruction.k;
            at += 1;
            let jump = |taken: bool| usize::from(if taken { instruction.jt } else { instruction.jf });
            match instruction.code {
                0x20 => value = u32::from_le_bytes(*data[k as usize..].first_chunk().expect("four bytes")),
                0x54 => value &= k,
                0x05 => at += k as usize,
                0x15 => at += jump(value == k),
                0x25 => at += jump(value > k),
                0x35 => at += jump(value >= k),
                0x06 => {
                    return match k {
                        0x7FFF_0000 => Allow,
                        0x0005_0000..=0x0005_FFFF => Errno((k & 0xFFFF) as i32),
                        _ => Kill,
                    };
                }
                code => panic!("{code:#x} is not known here"),
            }
        }
    }

    #[test]
    fn memory_is_writable_or_executable() {
        let anonymous = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
        let protections = 0..8;
        for protection in protections {
            let (writes, executes) =
                (protection & libc::PROT_WRITE as u64 != 0, protection & libc::PROT_EXEC as u64 != 0);
            let protect = verdict(libc::SYS_mprotect, [0x1000, 0x1000, protection, 0, 0, 0]);
            assert_eq!(protect, if writes && executes { Kill } else { Allow }, "mprotect {protection}");
            let map = |flags| verdict(libc::SYS_mmap, [0, 0x1000, protection, flags, !0, 0]);
            assert_eq!(map(anonymous), if executes { Kill } else { Allow }, "mmap {protection}");
            assert_eq!(map(libc::MAP_PRIVATE as u64), Kill, "a file, {protection}");
            for shared in [libc::MAP_SHARED, libc::MAP_SHARED_VALIDATE, libc::MAP_SHARED | libc::MAP_PRIVATE] {
                assert_eq!(map((shared | libc::MAP_ANONYMOUS) as u64), Kill, "shared, {protection}");
            }
            assert_eq!(map(anonymous | libc::MAP_LOCKED as u64), Kill, "locked, {protection}");
        }
    }

    #[test]
    fn memory_has_one_view() {
        let may_move = libc::MREMAP_MAYMOVE as u64;
        let remap = |old, flags| verdict(libc::SYS_mremap, [0x1000, old, 0x2000, flags, 0x5000, 0]);
        assert_eq!([remap(0x1000, 0), remap(0x1000, may_move), remap(1 << 32, may_move)], [Allow; 3]);
        assert_eq!([remap(0, may_move), remap(0, 0), remap(u64::MAX, may_move), remap(!4095, may_move)], [Kill; 4]);
        for flag in [libc::MREMAP_FIXED, libc::MREMAP_DONTUNMAP] {
            assert_eq!(remap(0x1000, may_move | flag as u64), Kill, "{flag}");
        }
    }

    #[test]
    fn only_the_socket_is_read_and_only_messages_are_written() {
        for file in 0..10 {
            let is_channel = file == CHANNEL as u64;
            let expected = |is_allowed| if is_allowed { Allow } else { Kill };
            assert_eq!(verdict(libc::SYS_read, [file, 0, 0, 0, 0, 0]), expected(is_channel), "read {file}");
            let writes = is_channel || file == 1 || file == 2;
            assert_eq!(verdict(libc::SYS_write, [file, 0, 0, 0, 0, 0]), expected(writes), "write {file}");
        }
    }

    #[test]
    fn threads_and_no_processes() {
        // What the C library starts threads with, and what forks.
        assert_eq!(verdict(libc::SYS_clone, [0x003D_0F00, 0, 0, 0, 0, 0]), Allow);
        for flags in [libc::SIGCHLD, libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD, libc::CLONE_NEWUSER] {
            assert_eq!(verdict(libc::SYS_clone, [flags as u64, 0, 0, 0, 0, 0]), Kill, "{flags:#x}");
        }
        for flag in [libc::CLONE_NEWNS, libc::CLONE_NEWNET, libc::CLONE_NEWUSER, libc::CLONE_NEWIPC] {
            assert_eq!(verdict(libc::SYS_clone, [0x003D_0F00 | flag as u64, 0, 0, 0, 0, 0]), Kill, "{flag:#x}");
        }
        assert_eq!(verdict(libc::SYS_clone3, [0; 6]), Errno(libc::ENOSYS));
        assert_eq!(verdict(libc::SYS_tgkill, [PROCESS.into(), 1, 6, 0, 0, 0]), Allow);
        assert_eq!(verdict(libc::SYS_tgkill, [1, 1, 6, 0, 0, 0]), Kill);
        assert_eq!(verdict(libc::SYS_prlimit64, [0, 7, 0, 1, 0, 0]), Allow);
        for arguments in [[0, 7, 1, 0, 0, 0], [0, 7, 1, 1, 0, 0], [1, 7, 0, 1, 0, 0]] {
            assert_eq!(verdict(libc::SYS_prlimit64, arguments), Kill);
        }
    }

    #[test]
    fn everything_else_ends_the_process() {
        for call in [
            libc::SYS_execve,
            libc::SYS_execveat,
            libc::SYS_socket,
            libc::SYS_socketpair,
            libc::SYS_connect,
            libc::SYS_sendto,
            libc::SYS_sendmsg,
            libc::SYS_recvmsg,
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
            libc::SYS_kill,
            libc::SYS_tkill,
            libc::SYS_pidfd_open,
            libc::SYS_bpf,
            libc::SYS_io_uring_setup,
            libc::SYS_userfaultfd,
            libc::SYS_memfd_create,
            libc::SYS_pkey_mprotect,
            libc::SYS_openat2,
            libc::SYS_renameat2,
            libc::SYS_unlinkat,
            libc::SYS_mkdirat,
            libc::SYS_fchmodat,
            libc::SYS_pread64,
            libc::SYS_readv,
            libc::SYS_writev,
            libc::SYS_pwrite64,
            libc::SYS_sendfile,
            libc::SYS_dup,
            libc::SYS_dup3,
            libc::SYS_fcntl,
            libc::SYS_mount,
            libc::SYS_unshare,
            libc::SYS_setns,
            libc::SYS_seccomp,
            libc::SYS_shmget,
            libc::SYS_personality,
            libc::SYS_setrlimit,
            // The same numbers in the ABI of 32-bit pointers.
            0x4000_0000 + libc::SYS_read,
        ] {
            assert_eq!(verdict(call, [CHANNEL as u64; 6]), Kill, "call {call}");
        }
        assert_eq!(verdict(libc::SYS_openat, [0; 6]), Errno(libc::EACCES));
    }
}
