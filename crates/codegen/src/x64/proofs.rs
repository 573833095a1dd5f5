//! The checker accepts the code of kernels, and refuses it with injected mistakes.

use super::isa::{VectorIsa, Vop};
use super::kernels::TestKernel;
use super::{Inst, InstKind, Jit, MachineFunction};
use crate::allocate::{Allocation, Location};
use crate::check::{Fault, check_accesses, check_locations};
use crate::code_checks::CodeChecks;
use crate::code_piece;
use crate::columns::columns_at_a_time;
use crate::emit::emit;
use crate::groups::Groups;
use crate::mir::{Arg, Base, Class, Mem, Reg};
use crate::select::Mode;
use crate::target::Target;
use ctm_engine::{Backend, Code as Compiled, KernelSource, Refusal, Runtime, SurfaceLayout};
use ctm_lane::domain::Domain;
use ctm_lane::effort::Effort;
use ctm_lane::{Function, assume_covered, simplify};
use ctm_memory::{Arena, Bounds, Format, Space, Surface, Tiling};
use iced_x86::Code;
use std::sync::{Arc, Mutex};

type Draft = code_piece::Draft<VectorIsa>;

/// What a backend is given.
struct Given {
    name: String,
    general: Function,
    interior: Function,
    surfaces: Vec<SurfaceLayout>,
    may_stop: bool,
}

/// Notes what it is given.
struct Recorder(Arc<Mutex<Vec<Given>>>);

impl Backend for Recorder {
    fn name(&self) -> &'static str {
        "recorder"
    }

    fn compile(&self, source: &KernelSource, _: &Effort) -> Result<Box<dyn Compiled>, Refusal> {
        let (general, interior) = (source.function.clone(), source.interior.clone());
        let (surfaces, may_stop) = (source.surfaces.to_vec(), source.may_stop);
        self.0.lock().unwrap().push(Given { name: String::new(), general, interior, surfaces, may_stop });
        Err(Refusal::Unsupported)
    }
}

/// The programs that speed is measured with.
fn benches() -> Vec<Given> {
    let mut kernels = Vec::new();
    for kernel in TestKernel::all() {
        let recorded = Arc::default();
        kernel.compile(&Runtime::with_backend(Box::new(Recorder(Arc::clone(&recorded)))));
        let recorded = std::mem::take(&mut *recorded.lock().unwrap());
        assert!(!recorded.is_empty(), "{} is not compiled", kernel.name);
        kernels.extend(recorded.into_iter().map(|given| Given { name: kernel.name.clone(), ..given }));
    }
    kernels
}

/// Everything by which code reaches memory: surfaces of each kind and of different sizes, at coordinates of every shape;
/// tables, buffers, arrays.
const ACCESSES: [(&str, &str); 11] = [
    (
        "fixed places",
        "%20, %21, %22, %23 = surface_load s0, %10, %11, %2\n%24, %25, %26, %27 = surface_load s1, %12, %11, %2",
    ),
    (
        "likely rows",
        "%20, %21, %22, %23 = surface_load s0, %13, %14, %2\n%24, %25, %26, %27 = surface_load s1, %13, %14, %2",
    ),
    ("a surface with fewer columns than a group has", "%20, %21, %22, %23 = surface_load s4, %13, %14, %2"),
    (
        "an index with fewer values than a group has lanes",
        "%30 = float_to_index 7, %6\n%20, %21, %22, %23 = surface_load s5, %30, %14, %2\n\
         %31 = float_to_index 15, %6\n%24, %25, %26, %27 = surface_load s6, %31, %14, %2",
    ),
    (
        "coordinates chosen by a comparison",
        "%30 = lane 0xffffffff\n%31 = lane 0x00000000\n%32 = select %8, %30, %31\n%33 = lane 0x00000002\n\
         %34 = iadd %32, %33\n%20, %21, %22, %23 = surface_load s0, %15, %34, %2",
    ),
    (
        "scattered",
        "%20, %21, %22, %23 = surface_load s0, %15, %16, %9\n%24, %25, %26, %27 = surface_load s1, %15, %16, %9",
    ),
    (
        "neighbours",
        "%20, %21, %22, %23 = surface_load_2x2 s0, %15, %16, %2\n%24, %25, %26, %27 = surface_load s2, %15, %16, %9",
    ),
    (
        "tables",
        "%20 = table_gather t0, %15\n%21 = table_gather t1, %16\n%22 = table_splat t0, 7\n%23 = table_splat t1, 1",
    ),
    (
        "buffers",
        "%20 = buffer_load m0, %15, %9\n%21 = buffer_load m1, %16, %2\nbuffer_store m1, %15, %20, %9\n\
                 %22 = lane 0\n%23 = lane 0",
    ),
    (
        "arrays",
        "array_scatter a0, %15, %16, %9\n%20 = array_gather a0, %16\narray_scatter a1, %16, %20, %2\n\
                %21 = array_gather a1, %15\n%22 = lane 0\n%23 = lane 0",
    ),
    (
        "stores",
        "surface_store.ga s1, %15, %16, %3, %4, %3, %4, %9\nsurface_store.rgba s0, %10, %11, %3, %4, %3, %4, %9\n\
                %20 = lane 0\n%21 = lane 0\n%22 = lane 0\n%23 = lane 0",
    ),
];

/// A function with this body, once or in a loop.
fn function(body: &str, is_loop: bool) -> Function {
    let arrays = if body.contains("array") { "array a0 8 lane\narray a1 2 lane\n" } else { "" };
    let (start, end) = match is_loop {
        true => (
            "%50 = uniform 0\n%51 = uniform 1\n%52 = uniform 3\njump b1(%50, %3, %4)\n\
             b1(%53: uniform, %55: lane, %56: lane):",
            "surface_store.rgba s3, %0, %1, %20, %21, %55, %56, %2\n%54 = uniform_add %53, %51\n\
             if.slt %54, %52, b1(%54, %20, %21), b2\nb2:\nreturn",
        ),
        false => ("", "surface_store.rgba s3, %0, %1, %20, %21, %22, %23, %2\nreturn"),
    };
    let text = format!(
        "surface s0 whole\nsurface s1 whole\nsurface s2 whole\nsurface s3 whole\nsurface s4 whole\n\
         surface s5 whole\nsurface s6 whole\ntable t0 16\ntable t1 4\n\
         {arrays}buffers 2\nb0:\n\
         %0 = pos_x\n%1 = pos_y\n%2 = covered\n%3 = utof %0\n%4 = utof %1\n%5 = table_splat t0, 0\n\
         %6 = fadd.ftz %3, %5\n%7 = fadd.ftz %4, %5\n%8 = fcmp.olt.ftz %6, %7\n%9 = mask_and %8, %2\n\
         %10 = float_to_index 64, %3\n%11 = float_to_index 24, %4\n%17 = lane 0x00000003\n%12 = iadd %0, %17\n\
         %13 = float_to_coordinate %6\n%14 = float_to_coordinate %7\n%18 = fmul.ftz %6, %7\n%19 = fmul.ftz %18, %4\n\
         %15 = float_to_coordinate %18\n%16 = float_to_coordinate %19\n{start}\n{body}\n{end}\n"
    );
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

fn made_up() -> Vec<Given> {
    const BASE: u32 = 0x1000_0000;
    let mut space = Space::default();
    space.map(Arena::new(BASE, 0x20_0000).unwrap()).unwrap();
    let mut kernels = Vec::new();
    for (name, body) in ACCESSES {
        for (tiling, bounds) in [
            (Tiling::Linear, Bounds::Clamp),
            (Tiling::Linear, Bounds::Drop),
            (Tiling::Tiled, Bounds::Clamp),
            (Tiling::Tiled, Bounds::Drop),
        ] {
            for (format, is_loop) in Format::ALL.into_iter().flat_map(|format| [false, true].map(|is| (format, is))) {
                let surface = |format, pitch, height, bounds, tiling| {
                    let surface = Surface { base: BASE, pitch, height, tiling, superfine: false, format };
                    SurfaceLayout::of(&space, &surface, bounds)
                };
                let surfaces = vec![
                    surface(format, 64, 24, bounds, tiling),
                    surface(format, 128, 6, bounds, tiling),
                    surface(Format::Float32_1, 64, 0, Bounds::Drop, tiling),
                    surface(Format::Float32_4, 256, 24, Bounds::Drop, Tiling::Linear),
                    surface(format, 4, 24, bounds, tiling),
                    surface(format, 8, 24, bounds, tiling),
                    surface(format, 16, 24, bounds, tiling),
                ];
                let mut general = function(body, is_loop);
                simplify(&mut general);
                let mut interior = function(body, is_loop);
                assume_covered(&mut interior);
                simplify(&mut interior);
                let name = format!("{name}, {format} {tiling:?} {bounds:?}, loop: {is_loop}");
                kernels.push(Given { name, general, interior, surfaces, may_stop: false });
            }
        }
    }
    kernels
}

/// What becomes code for a kernel, in every way; the flag asks for code that takes nothing from values.
fn drafts(kernel: &Given, isa: VectorIsa, explicit: bool) -> Vec<Draft> {
    let Given { general, interior, surfaces, may_stop, .. } = kernel;
    let mode = Mode { quads: false, interior: true, speculates: true, may_stop: *may_stop, explicit };
    let mut settled = interior.clone();
    isa.prepare_inactive_lanes(&mut settled, &Effort::default());
    let ways = [
        (&settled, mode, Groups::ANY),
        (&settled, Mode { speculates: false, ..mode }, Groups::ANY),
        (general, Mode { speculates: false, interior: false, ..mode }, Groups::ONE),
    ];
    let made = ways.map(|(function, mode, all)| Draft::new(function, surfaces, isa, (mode, all), &Effort::default()));
    made.into_iter().flatten().collect()
}

/// Shows everything of these instructions, and of the bytes that are made of them.
fn check(draft: &Draft, isa: VectorIsa) -> Result<usize, Fault> {
    let code_piece::Allocated { machine, allocation } = &draft.allocated;
    let accesses = check_accesses(machine, &allocation.live, isa, &draft.objects)?;
    let emitted = emit(machine, allocation, isa).unwrap();
    check_locations(machine, allocation, isa, &emitted)?;
    Ok(accesses)
}

/// Rows of a product of matrices have the second factor in common; nothing of a picture of points is.
#[test]
fn rows_that_share_columns_are_interleaved() {
    for isa in VectorIsa::ALL {
        for kernel in benches() {
            let groups = drafts(&kernel, isa, false)[0].groups;
            match kernel.name.as_str() {
                "sgemm" => assert!(groups.rows > 1 && groups.columns == 1, "{isa:?}: {groups:?}"),
                "trig" => assert_eq!(groups.rows, 1, "{isa:?}"),
                // Four would visit the frame.
                "mandelbrot" => {
                    assert_eq!(groups.columns, if isa == VectorIsa::Avx2 { 2 } else { 3 }, "{isa:?} {groups:?}")
                }
                // Its passes wait for each other.
                "raymarch" => {
                    assert!(groups.columns > 1 && (isa == VectorIsa::Avx2 || groups.columns == 4), "{groups:?}")
                }
                _ => {}
            }
        }
    }
}

/// A product of matrices reads all rows of the second factor, of 512 rows of 16 bytes in each column, for each row of the result; no other program
/// reads so.
#[test]
fn columns_of_what_loops_go_down() {
    for Given { name, interior, surfaces, .. } in benches() {
        let columns = columns_at_a_time(&interior, &surfaces);
        assert_eq!(columns, if name == "sgemm" { Some(64) } else { None }, "{name}");
    }
}

#[test]
fn code_of_kernels_is_proven() {
    let kernels: Vec<Given> = benches().into_iter().chain(made_up()).collect();
    for isa in VectorIsa::ALL {
        let mut accesses = 0;
        let mut faults = Vec::new();
        for kernel in &kernels {
            for explicit in [false, true] {
                for draft in drafts(kernel, isa, explicit) {
                    let text = draft.allocated.machine.to_string();
                    let parsed: MachineFunction = text.parse().unwrap_or_else(|error| panic!("{error}"));
                    assert!(parsed.to_string() == text, "text is read as it is written\n{text}");
                    match check(&draft, isa) {
                        Ok(count) => accesses += count,
                        Err(fault) => {
                            let inst = draft.allocated.machine.blocks[fault.block].insts.get(fault.inst);
                            faults.push(format!("{}, explicit: {explicit}: {fault}, {inst:?}", kernel.name));
                        }
                    }
                }
            }
        }
        assert!(faults.is_empty(), "{} on {isa:?}: {:#?}", faults.len(), &faults[..faults.len().min(12)]);
        assert!(accesses > 10_000, "{accesses} accesses");
    }
}

/// Changes the machine instructions at the place with this number where the mistake can be made; `None` after the last.
type Mistake = fn(&Draft, VectorIsa, usize) -> Option<MachineFunction>;

/// Changes the instruction that is the one with this number for which there is a change.
fn change(
    draft: &Draft,
    number: usize,
    change: impl Fn(&MachineFunction, &Inst) -> Option<Inst>,
) -> Option<MachineFunction> {
    let machine = &draft.allocated.machine;
    let places =
        machine.blocks.iter().enumerate().flat_map(|(block, of)| (0..of.insts.len()).map(move |at| (block, at)));
    let changed =
        places.filter_map(|(block, at)| Some((block, at, change(machine, &machine.blocks[block].insts[at])?)));
    let (block, at, inst) = changed.into_iter().nth(number)?;
    let mut machine = machine.clone();
    machine.blocks[block].insts[at] = inst;
    Some(machine)
}

fn definition(machine: &MachineFunction, reg: Reg) -> Option<&Inst> {
    machine.blocks.iter().flat_map(|block| &block.insts).find(|inst| inst.def == Some(reg))
}

/// The instruction with another memory operand, if it has one that this changes.
fn with_memory(inst: &Inst, change: impl Fn(Mem) -> Option<Mem>) -> Option<Inst> {
    let mut changed = *inst;
    let args = changed.args.iter_mut().find_map(|arg| match arg {
        Arg::Mem(mem) => Some((change(*mem)?, mem)),
        _ => None,
    });
    args.map(|(new, mem)| *mem = new)?;
    Some(changed)
}

fn copy_of_first(inst: &Inst, isa: VectorIsa) -> Inst {
    let kind = InstKind::Plain(isa.code(Vop::Move));
    Inst { kind, args: [inst.args[0], Arg::None, Arg::None, Arg::None], mask: None, ..*inst }
}

fn is_plain(inst: &Inst, isa: VectorIsa, operations: &[Vop]) -> bool {
    operations.iter().any(|&operation| inst.kind == InstKind::Plain(isa.code(operation)))
}

fn is_row(machine: &MachineFunction, mem: Mem) -> bool {
    mem.index.is_some_and(|index| machine.classes[index.index()] == Class::General)
}

const MISTAKES: [(&str, Mistake); 14] = [
    ("constants after the last one", |draft, _, number| {
        let bytes = draft.allocated.machine.pool.len() as i32 * 4;
        change(draft, number, |_, inst| {
            // What an address is made of counts where it is used.
            let is_access = inst.kind != InstKind::Plain(Code::Lea_r64_m);
            with_memory(inst, |mem| {
                (is_access && mem.base == Base::Pool).then_some(Mem { disp: mem.disp + bytes, ..mem })
            })
        })
    }),
    ("a clamp to another size", |draft, isa, number| {
        let mut machine = change(draft, number, |machine, inst| {
            let is_clamp = is_plain(inst, isa, &[Vop::SignedMin]) && matches!(inst.args[1], Arg::Mem(_));
            let place = Mem::at(Base::Pool, machine.pool.len().next_multiple_of(16) as i32 * 4);
            let larger = Arg::Mem(Mem { broadcast: isa.broadcasts(), ..place });
            is_clamp.then(|| Inst { args: [inst.args[0], larger, Arg::None, Arg::None], ..*inst })
        })?;
        machine.pool.resize(machine.pool.len().next_multiple_of(16), 0);
        machine.pool.extend([300; 16]);
        Some(machine)
    }),
    ("no clamp on one side of one axis", |draft, isa, number| {
        change(draft, number, |_, inst| {
            is_plain(inst, isa, &[Vop::SignedMin, Vop::SignedMax]).then(|| copy_of_first(inst, isa))
        })
    }),
    ("a clamp of another coordinate", |draft, isa, number| {
        let machine = &draft.allocated.machine;
        let insts = || machine.blocks.iter().flat_map(|block| &block.insts);
        let firsts: Vec<Reg> =
            insts().filter(|inst| is_plain(inst, isa, &[Vop::FirstLane])).filter_map(|inst| inst.def).collect();
        let pairs = firsts.iter().flat_map(|&a| firsts.iter().map(move |&b| (a, b))).filter(|(a, b)| a < b);
        let (earlier, later) = pairs.into_iter().nth(number)?;
        let mut machine = machine.clone();
        for inst in machine.blocks.iter_mut().flat_map(|block| &mut block.insts) {
            for arg in &mut inst.args {
                match arg {
                    Arg::Reg(reg) if *reg == later => *reg = earlier,
                    Arg::Mem(mem) if mem.index == Some(later) => mem.index = Some(earlier),
                    _ => {}
                }
            }
        }
        Some(machine)
    }),
    ("no mask", |draft, _, number| {
        change(draft, number, |_, inst| {
            let is_masked = matches!(inst.kind, InstKind::Gather | InstKind::Scatter) && inst.mask.is_some();
            is_masked.then_some(Inst { mask: None, ..*inst })
        })
    }),
    ("the mask of the other group", |draft, _, number| {
        let machine = &draft.allocated.machine;
        let is_masked = |inst: &Inst| matches!(inst.kind, InstKind::Gather | InstKind::Scatter) && inst.mask.is_some();
        let pairs = machine.blocks.iter().enumerate().flat_map(|(block, of)| {
            let pairs = of.insts.windows(2).enumerate();
            pairs
                .filter(|(_, pair)| pair[0].mask != pair[1].mask)
                .map(move |(at, pair)| (block, at, [pair[0], pair[1]]))
        });
        let mut pairs =
            pairs.filter(|(.., pair)| pair.iter().all(is_masked) && draft.groups == Groups { columns: 2, rows: 1 });
        let (block, at, [first, second]) = pairs.nth(number)?;
        let mut machine = machine.clone();
        machine.blocks[block].insts[at].mask = second.mask;
        machine.blocks[block].insts[at + 1].mask = first.mask;
        Some(machine)
    }),
    ("a wrong scale", |draft, _, number| {
        change(draft, number, |_, inst| with_memory(inst, |mem| (mem.scale == 4).then_some(Mem { scale: 8, ..mem })))
    }),
    ("the next element", |draft, _, number| {
        change(draft, number, |machine, inst| {
            with_memory(inst, |mem| is_row(machine, mem).then_some(Mem { disp: mem.disp + 4, ..mem }))
        })
    }),
    ("a wrong displacement", |draft, _, number| {
        change(draft, number, |machine, inst| {
            with_memory(inst, |mem| is_row(machine, mem).then_some(Mem { disp: mem.disp - 0x10_0000, ..mem }))
        })
    }),
    ("another object", |draft, _, number| {
        // The pointer to table 1, in place of one to a surface or what comes after them.
        change(draft, number, |_, inst| {
            let is_pointer = inst.kind == InstKind::Plain(Code::Mov_r64_rm64);
            with_memory(inst, |mem| {
                (is_pointer && matches!(mem.base, Base::Reg(_)) && mem.disp >= 16).then_some(Mem { disp: 8, ..mem })
            })
        })
    }),
    ("no bound of an index", |draft, isa, number| {
        change(draft, number, |machine, inst| {
            let is_index = is_plain(inst, isa, &[Vop::And])
                && machine.blocks.iter().flat_map(|block| &block.insts).any(|user| {
                    let index = user.args.iter().find_map(|arg| if let Arg::Mem(mem) = arg { mem.index } else { None });
                    user.kind == InstKind::Gather && index == inst.def
                });
            is_index.then(|| copy_of_first(inst, isa))
        })
    }),
    ("the bound of another buffer", |draft, _, number| {
        change(draft, number, |machine, inst| {
            with_memory(inst, |mem| {
                let Base::Reg(base) = mem.base else { return None };
                let words = Arg::Mem(Mem::at(Base::Context, crate::context::WORDS));
                let is_words = definition(machine, base).is_some_and(|inst| inst.args[0] == words);
                is_words.then_some(Mem { disp: 4 - mem.disp, ..mem })
            })
        })
    }),
    ("a use before the definition", |draft, _, number| {
        let mut machine = draft.allocated.machine.clone();
        let pairs = machine.blocks.iter_mut().flat_map(|block| {
            let starts = 0..block.insts.len().saturating_sub(1);
            let uses = |insts: &[Inst], at: usize| {
                let mut is_used = false;
                insts[at + 1].for_each_use(|reg| is_used |= insts[at].def == Some(reg));
                is_used
            };
            let first = starts.into_iter().find(|&at| uses(&block.insts, at));
            first.map(|at| (&mut block.insts, at))
        });
        let (insts, at) = pairs.into_iter().nth(number)?;
        insts.swap(at, at + 1);
        Some(machine)
    }),
    ("a wrong step", |draft, _, number| {
        change(draft, number, |machine, inst| {
            let latch = machine.blocks.iter().any(|block| {
                block.end.edges().any(|edge| {
                    edge.block == 1 && edge.args.iter().any(|arg| arg.reg() == inst.def && inst.def.is_some())
                })
            });
            let Arg::Imm(step) = inst.args[1] else { return None };
            let args = [inst.args[0], Arg::Imm(step / 2), Arg::None, Arg::None];
            (latch && inst.kind == InstKind::Tied(Code::Add_rm32_imm32)).then_some(Inst { args, ..*inst })
        })
    }),
];

/// Each mistake is refused where it can do harm. Some of the places are harmless, such as a clamp before a smaller one.
#[test]
fn mistakes_in_instructions_are_refused() {
    let kernels = made_up();
    for isa in VectorIsa::ALL {
        let drafts: Vec<Draft> = kernels.iter().flat_map(|kernel| drafts(kernel, isa, false)).collect();
        for (name, mistake) in MISTAKES {
            let (mut made, mut refused) = (0, 0);
            for draft in &drafts {
                for machine in (0..).map_while(|number| mistake(draft, isa, number)) {
                    made += 1;
                    refused += usize::from(
                        check_accesses(&machine, &draft.allocated.allocation.live, isa, &draft.objects).is_err(),
                    );
                }
            }
            println!("{isa:?}, {name}: {refused} of {made} are refused");
            assert!(refused > 0 && refused * 8 >= made, "{isa:?}, {name}: {refused} of {made} are refused");
        }
    }
}

/// Locations that other instructions were encoded for than those that were proven.
#[test]
fn mistakes_in_locations_are_refused() {
    let kernels: Vec<Given> = benches().into_iter().chain(made_up()).collect();
    for isa in VectorIsa::ALL {
        let [mut moves, mut slots, mut registers, mut dropped] = [[0; 2]; 4];
        for draft in kernels.iter().flat_map(|kernel| drafts(kernel, isa, false)) {
            let code_piece::Allocated { machine, allocation } = &draft.allocated;
            let is_refused = |emitted: &MachineFunction, allocation: &Allocation, checked: &MachineFunction| {
                let bytes = emit(emitted, allocation, isa).ok()?;
                Some(check_locations(checked, allocation, isa, &bytes).is_err())
            };
            let count = |counts: &mut [usize; 2], refused: Option<bool>| {
                if let Some(refused) = refused {
                    counts[0] += usize::from(refused);
                    counts[1] += 1;
                }
            };
            // Two parameters get what the other one should have.
            let mut swapped = machine.clone();
            let is_other = |a: &Arg, b: &Arg| match (a, b) {
                (Arg::Reg(a), Arg::Reg(b)) => a != b && machine.classes[a.index()] == machine.classes[b.index()],
                _ => false,
            };
            let edges = swapped.blocks.iter_mut().flat_map(|block| block.end.edges_mut());
            let pairs = edges.filter_map(|edge| {
                let at = (1..edge.args.len()).find(|&at| is_other(&edge.args[at - 1], &edge.args[at]))?;
                edge.args.swap(at - 1, at);
                Some(())
            });
            if pairs.count() > 0 {
                count(&mut moves, is_refused(&swapped, allocation, machine));
            }
            // Two registers share a location.
            let allocated =
                || (0..allocation.locations.len()).filter(|&at| allocation.locations[at] != Location::Nowhere);
            for (counts, is_slot) in [(&mut slots, true), (&mut registers, false)] {
                let of_kind = |at: &usize| matches!(allocation.locations[*at], Location::Slot(_)) == is_slot;
                let all: Vec<usize> = allocated().filter(of_kind).collect();
                let pairs = all.windows(2).filter(|pair| machine.classes[pair[0]] == machine.classes[pair[1]]);
                let pairs = pairs.filter(|pair| allocation.locations[pair[0]] != allocation.locations[pair[1]]);
                for pair in pairs.step_by(1 + all.len() / 4) {
                    let mut locations = allocation.locations.clone();
                    locations[pair[1]] = locations[pair[0]];
                    let shared = Allocation { locations, ..allocation.clone() };
                    count(counts, is_refused(machine, &shared, machine));
                }
            }
            // An operand is another one of its class.
            let mut other = machine.clone();
            let insts = other.blocks.iter_mut().flat_map(|block| &mut block.insts);
            let mut two = insts.filter_map(|inst| match inst.args {
                [Arg::Reg(a), Arg::Reg(b), ..]
                    if a != b && machine.classes[a.index()] == machine.classes[b.index()] =>
                {
                    Some(inst)
                }
                _ => None,
            });
            if let Some(inst) = two.find(|inst| matches!(inst.kind, InstKind::Plain(_))) {
                inst.args.swap(0, 1);
                count(&mut dropped, is_refused(&other, allocation, machine));
            }
        }
        println!(
            "{isa:?}: refused of all: moves {moves:?}, slots {slots:?}, registers {registers:?}, operands {dropped:?}"
        );
        assert!(moves[0] > 0 && moves[0] == moves[1], "moves {moves:?}");
        assert!(dropped[0] > 0 && dropped[0] == dropped[1], "operands {dropped:?}");
        assert!(slots[0] > 0 && registers[0] * 4 > registers[1], "slots {slots:?}, registers {registers:?}");
    }
}

/// A backend that leaves one clamp or mask out of the code for the interior.
struct WithoutBound {
    isa: VectorIsa,
    number: usize,
    found: Arc<Mutex<Found>>,
}

/// What became of it.
#[derive(Clone, Copy, PartialEq)]
enum Found {
    /// There are not so many.
    Nothing,
    Refused,
    Proven,
}

/// The function without what bounds one of its values, or an access.
fn without_bound(draft: &Draft, isa: VectorIsa, number: usize) -> Option<MachineFunction> {
    let bounds = [Vop::SignedMin, Vop::SignedMax, Vop::UnsignedMin, Vop::UnsignedMax, Vop::Min, Vop::Max, Vop::And];
    change(draft, number, |machine, inst| {
        let is_copied = is_plain(inst, isa, &bounds) && matches!(inst.args[0], Arg::Reg(_));
        let is_vector = inst.def.is_some_and(|def| machine.classes[def.index()] == Class::Vector);
        match inst.kind {
            InstKind::Gather | InstKind::Scatter if inst.mask.is_some() => Some(Inst { mask: None, ..*inst }),
            _ => (is_copied && is_vector).then(|| copy_of_first(inst, isa)),
        }
    })
}

impl Backend for WithoutBound {
    fn name(&self) -> &'static str {
        "mutant"
    }

    fn compile(&self, source: &KernelSource, effort: &Effort) -> Result<Box<dyn Compiled>, Refusal> {
        let jit = Jit::supported(self.isa).ok_or(Refusal::Unsupported)?;
        let mut kernel = jit.kernel(source, effort)?;
        let mode =
            Mode { quads: kernel.quads, interior: true, speculates: false, may_stop: source.may_stop, explicit: false };
        let mut draft = Draft::new(source.interior, source.surfaces, self.isa, (mode, Groups::ANY), effort)?;
        let machine = without_bound(&draft, self.isa, self.number).ok_or(Refusal::Unsupported)?;
        draft.allocated = code_piece::Allocated::new(machine, self.isa, effort)?;
        let unit = draft.checked(&CodeChecks { bytes: true, ..CodeChecks::default() }, effort)?;
        *self.found.lock().unwrap() = if unit.is_ok() { Found::Proven } else { Found::Refused };
        kernel.interior = unit.map_err(|_| Refusal::Unproven)?;
        Ok(Box::new(kernel))
    }
}

/// Every clamp and mask is left out once. Code that is accepted all the same needed it for no access: it accesses the same
/// elements, so that all memory is as after the code that has it. What a program's own minima and branches are for, the
/// checker does not ask: without them its picture is another one, and everything else the same.
#[test]
fn without_each_clamp_and_mask() {
    for isa in VectorIsa::ALL.into_iter().filter(|isa| isa.is_supported()) {
        let (mut refused, mut same, mut other_pictures) = (0, 0, 0);
        for (name, has_own) in [("conv5", false), ("jacobi", false), ("sgemm", false), ("raymarch", true)] {
            let kernel = TestKernel::load(name);
            let domain = Domain { i0: 0, j0: 0, i1: 50, j1: 1 };
            let with = |backend| kernel.compile(&Runtime::with_backend(backend));
            let expected = kernel.run(&with(Box::new(Jit::supported(isa).unwrap())), domain);
            for number in 0.. {
                let found = Arc::new(Mutex::new(Found::Nothing));
                let mutant = with(Box::new(WithoutBound { isa, number, found: Arc::clone(&found) }));
                let found = *found.lock().unwrap();
                match found {
                    Found::Nothing => break,
                    Found::Refused => refused += 1,
                    Found::Proven => {
                        let mut memory = kernel.run(&mutant, domain);
                        if has_own && memory != expected {
                            other_pictures += 1;
                            for (at, output) in kernel.outputs() {
                                let picture = 0..output.bytes() as usize;
                                memory[at][picture.clone()].copy_from_slice(&expected[at][picture]);
                            }
                        } else {
                            same += 1;
                        }
                        assert!(memory == expected, "{name} on {isa:?}, without bound {number}");
                    }
                }
            }
        }
        println!("{isa:?}: {refused} are refused, {same} change nothing, {other_pictures} the picture alone");
        assert!(refused > 0 && same > 0, "{isa:?}: {refused} are refused, {same} change nothing");
    }
}
