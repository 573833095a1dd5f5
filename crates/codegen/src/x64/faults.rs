//! Accesses that escape: they end the run, and nothing else. No known program has one, so pointers and places of constants
//! are wrong here on purpose.
#![allow(unsafe_code, reason = "raises and catches signals")]

use super::{Jit, VectorIsa};
use crate::check::check_accesses;
use crate::code_piece::{Allocated, CodePiece, Draft};
use crate::emit::emit;
use crate::groups::Groups;
use crate::mir::{Arg, Base, Mem};
use crate::select::Mode;
use ctm_engine::{Backend, Bindings, Code, Grouping, KernelSource, Launch, Refusal, Runtime, Stop, SurfaceLayout};
use ctm_lane::Function;
use ctm_lane::budget::Halt;
use ctm_lane::domain::Domain;
use ctm_lane::effort::Effort;
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Bounds, Buffer as Bytes, Format, Space, Surface as Shape, Tiling, View};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

/// What is wrong with the code that is made.
#[derive(Clone, Copy, Debug)]
enum Mistake {
    Nothing,
    /// The pointer with this number is off by so many bytes.
    Pointer(usize, i64),
    /// The constants are off by so many bytes.
    Constants(i32),
    /// Rows from this one on are not what the code was proven for.
    Rows(i64),
    /// Code for groups at the edges cannot be made.
    NoEdges,
}

/// Makes code that is wrong.
struct Broken(Jit, Mistake);

impl Backend for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }

    fn compile(&self, source: &KernelSource, effort: &Effort) -> Result<Box<dyn Code>, Refusal> {
        let mut kernel = self.0.kernel(source, effort)?;
        match self.1 {
            Mistake::Nothing => {}
            Mistake::Pointer(number, bytes) => *kernel.skew.0.lock().unwrap() = Some((number, bytes)),
            Mistake::Constants(bytes) => {
                let mode = Mode { quads: false, interior: false, speculates: false, may_stop: false, explicit: false };
                kernel.interior = with_other_constants(
                    source.interior,
                    source,
                    self.0.target,
                    Mode { interior: true, ..mode },
                    bytes,
                );
                let general = with_other_constants(source.function, source, self.0.target, mode, bytes);
                kernel.general = Some(general).into();
            }
            Mistake::Rows(end) => {
                kernel.interior.entry.y.1 = end - 1;
                let mut general = kernel.make_general(effort)?;
                general.entry.y.1 = end - 1;
                kernel.general = Some(general).into();
            }
            Mistake::NoEdges => {
                // Code that cannot stop has no traps.
                assert!(!source.may_stop);
                kernel.general_function = TRAPS.parse().unwrap_or_else(|error| panic!("{error:?}"));
            }
        }
        Ok(Box::new(kernel))
    }
}

/// Code that takes its constants so many bytes from where they are. The checker refuses it.
fn with_other_constants(
    function: &Function,
    source: &KernelSource,
    isa: VectorIsa,
    mode: Mode,
    bytes: i32,
) -> CodePiece {
    let mut draft = Draft::new(function, source.surfaces, isa, (mode, Groups::ONE), &Effort::default()).unwrap();
    for inst in draft.allocated.machine.blocks.iter_mut().flat_map(|block| &mut block.insts) {
        for arg in &mut inst.args {
            if let Arg::Mem(mem @ Mem { base: Base::Pool, .. }) = arg {
                mem.disp += bytes;
            }
        }
    }
    let Draft { allocated: Allocated { machine, allocation }, objects, .. } = &draft;
    assert!(check_accesses(machine, &allocation.live, isa, objects).is_err());
    draft.unit(emit(machine, allocation, isa).unwrap()).unwrap()
}

const BASE: u32 = 0x1000_0000;
const SIDE: u32 = 64;
const BYTES: u32 = SIDE * SIDE * 4;
const ALL: Domain = Domain { i0: 0, j0: 0, i1: SIDE - 1, j1: SIDE - 1 };

/// The pointers of the function below.
const TABLE: usize = 0;
const SURFACE: usize = 1;
const BUFFER: usize = 2;
const ARRAY: usize = 3;
/// The guest instructions that use them first. That arrays are cleared is not the work of an instruction.
const PCS: [(usize, Option<u32>); 4] = [(TABLE, Some(10)), (ARRAY, None), (BUFFER, Some(30)), (SURFACE, Some(40))];

/// Stores x + y + a table's entry + a word of a buffer, by way of an array.
const TEXT: &str = "table t0 4\nsurface s0 whole\nbuffers 1\narray a0 4 lane\nb0:\n%0 = pos_x\n%1 = pos_y\n%2 = covered\n\
    steps 1, 10, %2\n%3 = lane 3\n%4 = and %0, %3\n%5 = table_gather t0, %4\n%6 = iadd %0, %1\n%7 = iadd %6, %5\n\
    steps 1, 20, %2\narray_scatter a0, %4, %7, %2\n%8 = array_gather a0, %4\n\
    steps 1, 30, %2\n%9 = lane 2\n%10 = shl %4, %9\n%11 = buffer_load m0, %10, %2\n%12 = iadd %8, %11\n\
    steps 1, 40, %2\nsurface_store.r s0, %0, %1, %12, %12, %12, %12, %2\nreturn\n";

/// Traps.
const TRAPS: &str = "b0:\n%0 = covered\nsteps 1, 10, %0\ntrap 1, 10, %0\n";

fn value(x: u32, y: u32) -> u32 {
    x + y + [5, 6, 7, 8][x as usize & 3] + 1000 * (x & 3)
}

/// A kernel, and memory for its runs.
struct Case {
    kernel: ctm_engine::Kernel,
    space: Space,
    surface: Shape,
}

impl Case {
    fn new(runtime: &Runtime) -> Self {
        let mut space = Space::default();
        // The buffer's arena, and the surface's.
        space.map(Arena::new(0x1000, 0x800).unwrap()).unwrap();
        space.map(Arena::new(BASE, BYTES).unwrap()).unwrap();
        let words: Vec<u8> = (0..4u32).flat_map(|n| (1000 * n).to_le_bytes()).collect();
        space.write_bytes(0x1000, &words).unwrap();
        let format = Format::Float32_1;
        let surface = Shape { base: BASE, pitch: SIDE, height: SIDE, tiling: Tiling::Linear, superfine: false, format };
        let layouts = [SurfaceLayout::of(&space, &surface, Bounds::Drop)];
        let function: Function = TEXT.parse().unwrap_or_else(|error| panic!("{error:?}"));
        let kernel = ctm_engine::Kernel::new(function, Grouping::Independent, &layouts, None, runtime);
        Case { kernel, space, surface }
    }

    fn run(&self, threads: usize) -> Result<(), Stop> {
        self.run_in(ALL, threads)
    }

    fn run_in(&self, domain: Domain, threads: usize) -> Result<(), Stop> {
        let views = vec![View::new(&self.space, self.surface, Bounds::Drop)];
        let buffers = vec![Bytes::new(&self.space, 0x1000, 16).unwrap()];
        let bindings = Bindings { surfaces: views, tables: vec![vec![5, 6, 7, 8]], buffers };
        let launch = Launch { lanes: domain.into(), bindings, max_steps: None };
        self.kernel.run(&launch, &RunOptions { threads, ..RunOptions::default() }).map(|_| ())
    }

    /// Whether the surface holds what the function stores.
    fn is_right(&self) -> bool {
        self.is_right_in(ALL)
    }

    /// Whether the surface holds what the function stores there.
    fn is_right_in(&self, Domain { i0, j0, i1, j1 }: Domain) -> bool {
        let view = View::new(&self.space, self.surface, Bounds::Drop);
        (j0..=j1).all(|y| (i0..=i1).all(|x| view.load_raw(x.into(), y.into())[0] == value(x, y)))
    }
}

fn isas() -> Vec<VectorIsa> {
    VectorIsa::ALL.into_iter().filter(|isa| isa.is_supported()).collect()
}

fn broken(isa: VectorIsa, mistake: Mistake) -> Runtime {
    Runtime::with_backend(Box::new(Broken(Jit::supported(isa).unwrap(), mistake)))
}

/// Distances that leave everything that a pointer may lead to: by a few bytes, and as far as an index reaches.
fn distances(pointer: usize) -> Vec<i64> {
    let far = [-(10 << 30), -(1 << 31), 1 << 31, 1 << 32, 36 << 30];
    let near = match pointer {
        // Their block has other things around them.
        TABLE | ARRAY => [-(1 << 22), 1 << 22],
        SURFACE => [-i64::from(BYTES), i64::from(BYTES)],
        _ => [-(1 << 12), 1 << 12],
    };
    far.into_iter().chain(near).collect()
}

#[test]
fn escapes_end_the_run_and_name_the_instruction() {
    assert!(crate::fault::install() && crate::fault::install());
    for isa in isas() {
        assert!({
            let sound = Case::new(&broken(isa, Mistake::Nothing));
            sound.kernel.is_compiled() && sound.run(2).is_ok() && sound.is_right()
        });
        for (pointer, pc) in PCS {
            for distance in distances(pointer) {
                let case = Case::new(&broken(isa, Mistake::Pointer(pointer, distance)));
                assert!(case.kernel.is_compiled());
                let modes = modes();
                let stop = Stop::Halted(Halt::HostAccess { pc });
                assert_eq!(case.run(1), Err(stop), "{isa:?} pointer {pointer} {distance:#x}");
                assert_eq!(modes, self::modes(), "the caller has its modes back");
                assert!(!case.kernel.is_compiled(), "the code does not run again");
                assert_eq!(case.run(1), Ok(()));
                assert!(case.is_right(), "by the interpreter");
            }
        }
    }
}

/// Constants lie in front of the code, both of them between guard regions.
#[test]
fn code_cannot_read_beyond_its_constants() {
    assert!(crate::fault::install());
    for isa in isas() {
        for distance in [-(1 << 30), -(1 << 16), 1 << 16, 1 << 30] {
            let case = Case::new(&broken(isa, Mistake::Constants(distance)));
            assert!(case.kernel.is_compiled());
            assert!(matches!(case.run(1), Err(Stop::Halted(Halt::HostAccess { .. }))), "{isa:?} {distance:#x}");
            assert!(!case.kernel.is_compiled(), "the code does not run again");
            assert_eq!(case.run(1), Ok(()));
            assert!(case.is_right(), "by the interpreter");
        }
    }
}

/// What code was not proven for is an error: groups that have run would otherwise run again.
#[test]
fn positions_beyond_the_proof_end_the_run() {
    for isa in isas() {
        let case = Case::new(&broken(isa, Mistake::Rows(10)));
        assert!(case.kernel.is_compiled());
        assert_eq!(case.run(1), Err(Stop::Halted(Halt::HostAccess { pc: None })), "{isa:?}");
        let view = View::new(&case.space, case.surface, Bounds::Drop);
        let rows = (0..SIDE).filter(|&y| view.load_raw(1, y.into())[0] == value(1, y));
        assert_eq!(rows.count(), 10, "{isa:?}: rows that have run");
        assert!(!case.kernel.is_compiled(), "the code does not run again");
    }
}

/// A run that has groups at the edges, when there is no code for these, is the interpreter's, and so are those after it.
#[test]
fn code_that_cannot_be_made_leaves_runs_to_the_interpreter() {
    let inner = Domain { i0: 3, j0: 1, i1: SIDE - 3, j1: SIDE - 2 };
    for (isa, threads) in isas().into_iter().flat_map(|isa| [(isa, 1), (isa, 4)]) {
        let case = Case::new(&broken(isa, Mistake::NoEdges));
        assert_eq!(case.run(threads), Ok(()));
        assert!(case.is_right() && case.kernel.is_compiled(), "{isa:?}: a run without edges needs no such code");
        let case = Case::new(&broken(isa, Mistake::NoEdges));
        assert_eq!(case.run_in(inner, threads), Ok(()));
        assert!(case.is_right_in(inner) && !case.kernel.is_compiled(), "{isa:?}");
        assert_eq!(case.run(threads), Ok(()));
        assert!(case.is_right(), "{isa:?}: by the interpreter");
    }
}

/// The caller's modes of the floating-point unit.
fn modes() -> u32 {
    let mut modes = 0;
    // SAFETY: stores a register that every x86-64 processor has.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut modes) };
    modes
}

#[test]
fn threads_escape_by_themselves() {
    assert!(crate::fault::install());
    let isa = isas()[0];
    let sound = broken(isa, Mistake::Nothing);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let sound = &sound;
            scope.spawn(move || {
                for round in 0..20 {
                    let (pointer, _) = PCS[(thread + round) % PCS.len()];
                    let case = Case::new(&broken(isa, Mistake::Pointer(pointer, 1 << 31)));
                    assert!(matches!(case.run(3), Err(Stop::Halted(Halt::HostAccess { .. }))));
                    let case = Case::new(sound);
                    assert_eq!(case.run(3), Ok(()));
                    assert!(case.is_right() && case.kernel.is_compiled());
                }
            });
        }
    });
}

/// Runs one of the tests below in a process of its own, and gives how that ends: exit code, signal.
fn child(name: &str) -> (Option<i32>, Option<i32>) {
    let name = format!("x64::faults::{name}");
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.args(["--exact", &name, "--ignored", "--nocapture"]).output().unwrap();
    (output.status.code(), output.status.signal())
}

#[test]
fn other_faults_end_the_process() {
    assert_eq!(child("escape_without_handler"), (None, Some(libc::SIGSEGV)));
    assert_eq!(child("escape_with_handler"), (Some(0), None));
    assert_eq!(child("fault_elsewhere"), (None, Some(libc::SIGSEGV)));
    assert_eq!(child("fault_of_code_elsewhere"), (None, Some(libc::SIGSEGV)));
    assert_eq!(child("fault_with_another_handler"), (Some(42), None));
    assert_eq!(child("signal_without_fault"), (None, Some(libc::SIGSEGV)));
}

fn escape() {
    let case = Case::new(&broken(isas()[0], Mistake::Pointer(SURFACE, i64::from(BYTES))));
    assert!(case.run(1).is_err());
}

#[test]
#[ignore = "ends its process"]
fn escape_without_handler() {
    escape();
}

#[test]
#[ignore = "its process has no other handler"]
fn escape_with_handler() {
    assert!(crate::fault::install());
    escape();
}

/// A fault, by code of Rust.
fn fault() {
    // SAFETY: not at all; this process is there to find out what happens.
    unsafe { std::ptr::without_provenance::<u32>(64).read_volatile() };
}

#[test]
#[ignore = "ends its process"]
fn fault_elsewhere() {
    assert!(crate::fault::install());
    escape();
    fault();
}

/// Machine code accesses what is not near anything of the run: page 0.
#[test]
#[ignore = "ends its process"]
fn fault_of_code_elsewhere() {
    assert!(crate::fault::install());
    let case = Case::new(&broken(isas()[0], Mistake::Nothing));
    let pointer = case.space.arenas()[1].as_ptr().addr() as i64;
    let case = Case::new(&broken(isas()[0], Mistake::Pointer(SURFACE, 64 - pointer)));
    // The arena of this case lies elsewhere, but not by more than the lowest page of all.
    let _ = case.run(1);
}

#[test]
#[ignore = "ends its process"]
fn fault_with_another_handler() {
    extern "C" fn end(_: i32) {
        // SAFETY: ends the process at once.
        unsafe { libc::_exit(42) }
    }
    // SAFETY: the handler does only what handlers may.
    unsafe { libc::signal(libc::SIGSEGV, end as extern "C" fn(i32) as usize) };
    assert!(crate::fault::install());
    escape();
    fault();
}

#[test]
#[ignore = "ends its process"]
fn signal_without_fault() {
    // SAFETY: the default action needs nothing. (The handler of Rust's library lets the first such signal pass.)
    unsafe { libc::signal(libc::SIGSEGV, libc::SIG_DFL) };
    assert!(crate::fault::install());
    // SAFETY: sends this thread a signal.
    unsafe { libc::raise(libc::SIGSEGV) };
    std::thread::sleep(std::time::Duration::from_secs(1));
}
