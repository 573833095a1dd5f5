//! Random R700 programs whose accesses share their operands: one coordinate goes to textures of different sizes, formats
//! and rules of what is outside, one index to fetch buffers, constants, registers and memories of different lengths. What
//! a code generator remembers of such an operand must name everything that it depends on.

use crate::r700::environment::{Memory, plain_texture};
use crate::r700::jobs::{Image, colour, export, fetch, info, part};
use crate::r700::woven::assemble;
use crate::random::Random;
use ctm_lane::domain::Lanes;
use ctm_r700::*;

/// Registers of coordinates: floats, from the lane's position in register 0.
const COORDINATES: [u8; 3] = [1, 2, 3];
/// Register of indices: the integers of a register of coordinates.
const INDICES: u8 = 4;
/// The first register of results, and how many there are.
const RESULTS: (u8, usize) = (5, 6);
/// Constants that coordinates are made with, see [`constants`].
const CONSTANTS: usize = 8;

/// Constants for the coordinates of such a program: small steps, and what leads far outside.
pub(super) fn constants(random: &mut Random) -> Vec<[u32; 4]> {
    const NEAR: [f32; 8] = [0.0, 0.5, 1.0, -1.0, 0.25, 2.0, 3.0, -3.0];
    const FAR: [f32; 12] = [7.0, 16.0, -16.0, 40.0, 100.0, 0.0625, -0.5, 1e9, -1e9, 3e38, f32::NAN, f32::NEG_INFINITY];
    let count = random.pick(&[256, 256, 11]);
    let mut value = || if random.one_in(4) { random.pick(&FAR) } else { random.pick(&NEAR) };
    (0..count).map(|_| std::array::from_fn(|_| value().to_bits())).collect()
}

/// Makes much of a job alike, so that accesses at the same place take the same way and differ in sizes only: wide areas of
/// lanes, plain textures, samplers with one rule on every axis.
pub(super) fn align(random: &mut Random, memory: &mut Memory, job: &mut Job) {
    if random.one_in(4) {
        return;
    }
    job.quad_derivatives = false;
    if let Lanes::Area(domain) = &mut job.lanes {
        let (columns, rows) = (17 + random.below(28), 2 + random.below(8));
        (domain.i1, domain.j1) = (domain.i0 + columns as u32, domain.j0 + rows as u32);
    }
    let filter = random.pick(&[Filter::Nearest, Filter::Nearest, Filter::Nearest, Filter::Linear]);
    let wrap = random.pick(&[Wrap::Border, Wrap::Border, Wrap::Clamp, Wrap::Repeat, Wrap::Mirror]);
    let plain = !random.one_in(4);
    for bindings in [&mut job.bindings, &mut job.alternate] {
        for texture in bindings.textures.values_mut().filter(|_| plain) {
            *texture = plain_texture(random, memory);
        }
        for sampler in bindings.samplers.values_mut() {
            if !random.one_in(6) {
                *sampler = Sampler { wrap: [wrap; 3], border: sampler.border, ..Sampler::with_filter(filter) };
            }
        }
        // Buffers of different lengths at one address.
        let first = bindings.buffers.values().map(|buffer| buffer.region.base).next();
        for buffer in bindings.buffers.values_mut().filter(|_| random.one_in(2)) {
            buffer.region.base = first.unwrap_or(buffer.region.base);
        }
    }
}

/// A random program.
pub(super) fn shared(random: &mut Random) -> Program {
    let mut image = Image::default();
    // Half of the programs have nothing but samples a step away.
    let plain = random.one_in(2);
    for register in COORDINATES {
        let groups = ["x", "y", "z", "w"].map(|to| coordinate(random, register, to, plain));
        let groups: Vec<String> = (0..).zip(groups).map(|(number, group)| format!("{number} {group}")).collect();
        clause(&mut image, CfAluOp::Alu, &groups.join("\n "));
    }
    let source = random.pick(&COORDINATES);
    let indices = ["x", "y", "z", "w"].into_iter().enumerate();
    let indices =
        indices.map(|(number, channel)| format!("{number} t: FLT_TO_INT R{INDICES}.{channel}, R{source}.{channel}"));
    clause(&mut image, CfAluOp::Alu, &indices.collect::<Vec<_>>().join("\n "));
    // Most accesses of a program are at the same place.
    let usual = random.pick(&COORDINATES);
    let resource_of_other_stage = random.one_in(8);
    // Registers that are reached by index lie in memory, where nothing is known of a coordinate.
    let by_index = !plain && random.one_in(4);
    let length = 2 + random.below(3);
    let shape = random.below(4);
    let open = image.cf.len();
    match shape {
        0 => {
            let test = format!("0 x: PRED_SETGT ____.x, R{usual}.x, R0.y UPDATE_EXEC_MASK");
            clause(&mut image, CfAluOp::PushBefore, &test);
            image.plain(CfOp::Jump, CfFields { pop_count: 1, ..CfFields::default() });
        }
        1 => image.plain(CfOp::LoopStart, CfFields { cf_const: random.below(8) as u8, ..CfFields::default() }),
        _ => {}
    }
    for _ in 0..length {
        accesses(random, &mut image, usual, resource_of_other_stage, by_index, plain);
        if by_index && random.one_in(2) {
            part(random, &mut image, CfAluOp::Alu);
        }
        if shape == 1 && random.one_in(2) {
            // The next pass is somewhere else.
            clause(&mut image, CfAluOp::Alu, &format!("0 x: ADD R{usual}.x, R{usual}.x, C1.y"));
        }
    }
    let end = image.cf.len() as u32;
    match shape {
        0 => {
            image.plain(CfOp::Pop, CfFields { pop_count: 1, addr: end + 1, ..CfFields::default() });
            aim(&mut image, open + 1, end + 1);
        }
        1 => {
            image.plain(CfOp::LoopEnd, CfFields { addr: open as u32 + 1, ..CfFields::default() });
            aim(&mut image, open, end + 1);
        }
        _ => {}
    }
    for target in 0..3 {
        let register = RESULTS.0 + random.below(RESULTS.1) as u8;
        image.cf.push((Cf::Export(colour(register, target)), Vec::new()));
    }
    image.plain(CfOp::Nop, CfFields { end_of_program: true, ..CfFields::default() });
    let stage = random.pick(&[Stage::Pixel, Stage::Pixel, Stage::Vertex]);
    Program { code: image.finish(), info: ProgramInfo { stage, num_gprs: 12, ..info(random) } }
}

fn clause(image: &mut Image, op: CfAluOp, groups: &str) {
    image.clause(op, CfAluFields::default(), assemble(groups));
}

fn aim(image: &mut Image, at: usize, target: u32) {
    if let Some((Cf::Plain(plain), _)) = image.cf.get_mut(at) {
        plain.fields.addr = target;
    }
}

/// One channel of a register of coordinates: mostly a step of one per lane along a row or a column.
fn coordinate(random: &mut Random, register: u8, to: &str, plain: bool) -> String {
    let along = match to {
        "x" | "z" => "x",
        _ => "y",
    };
    let from = if random.one_in(12) { random.pick(&["x", "y"]) } else { along };
    let [a, b] = [0; 2].map(|_| {
        let (number, channel) = (random.below(CONSTANTS), random.pick(&["x", "y"]));
        format!("C{number}.{channel}")
    });
    let value = match random.below(12) {
        _ if plain => format!("ADD R{register}.{to}, R0.{along}, {a}"),
        0 => format!("MOV R{register}.{to}, R0.{from}"),
        1 => format!("MOV R{register}.{to}, {a}"),
        2 => format!("MULADD_IEEE R{register}.{to}, R0.{from}, {a}, {b}"),
        3 => format!("MUL_IEEE R{register}.{to}, R0.{from}, {a}"),
        4 => format!("ADD R{register}.{to}, {a}, -R0.{from}"),
        _ => format!("ADD R{register}.{to}, R0.{from}, {a}"),
    };
    format!("{to}: {value}")
}

/// A clause of fetches, of accesses by index, or a memory write.
fn accesses(random: &mut Random, image: &mut Image, usual: u8, alternate: bool, by_index: bool, plain: bool) {
    match random.below(8) {
        0 | 1 if by_index => indexed(random, image),
        2 if by_index => {
            let mut write = export(random);
            if let Cf::Export(export) = &mut write {
                export.fields.index_gpr = INDICES;
            }
            image.cf.push((write, Vec::new()));
        }
        _ => {
            let fetches: Vec<Fetch> =
                (0..2 + random.below(3)).map(|_| fetch_at(random, usual, alternate, plain)).collect();
            let op = random.pick(&[CfOp::Tex, CfOp::VtxTc]);
            image.fetches(op, CfFields::default(), &fetches);
        }
    }
}

/// Constants of the file, of constant buffers, and registers, all at one index.
fn indexed(random: &mut Random, image: &mut Image) {
    let channel = random.pick(&["x", "y"]);
    let result = RESULTS.0 + random.below(RESULTS.1) as u8;
    let [near, far] = [random.below(8), 240 + random.below(16)];
    let register = random.below(8);
    let text = format!(
        "0 x: MOVA_INT ____.x, R{INDICES}.{channel} LAST
         1 x: ADD R{result}.x, C{near}[AR.x].x, R{result}.y LAST
         2 y: ADD R{result}.y, C{far}[AR.x].y, R{register}[AR.x].x LAST
         3 z: ADD R{result}.z, C{near}[AR.x].z, R{register}[AR.x].z"
    );
    clause(image, CfAluOp::Alu, &text);
}

/// A fetch at a coordinate or an index that others have too.
fn fetch_at(random: &mut Random, usual: u8, alternate: bool, plain: bool) -> Fetch {
    let mut fetch = loop {
        let fetch = fetch(random);
        if !plain || matches!(fetch, Fetch::Tex(_)) {
            break fetch;
        }
    };
    let source = if random.one_in(5) { random.pick(&COORDINATES) } else { usual };
    let result = FetchRegister { gpr: RESULTS.0 + random.below(RESULTS.1) as u8, relative: false };
    let index = FetchRegister { gpr: INDICES, relative: false };
    let channels = [Select::X, Select::Y, Select::Z, Select::W];
    match &mut fetch {
        Fetch::Tex(tex) => {
            if plain || !random.one_in(4) {
                tex.op = random.pick(&[FetchOp::Sample, FetchOp::SampleLz]);
            }
            let is_load = tex.op == FetchOp::Ld;
            let fields = &mut tex.fields;
            (fields.src, fields.dst) = (FetchRegister { gpr: source, relative: false }, result);
            if is_load {
                fields.src = index;
            }
            if plain || !random.one_in(6) {
                fields.src_sel = channels;
            }
            if !random.one_in(4) {
                fields.dst_sel = channels;
            }
            // Texels, so that the coordinate itself is the same for every size.
            let any = !plain && random.one_in(8);
            fields.normalized = std::array::from_fn(|_| any && random.one_in(2));
            if plain || !random.one_in(8) {
                fields.offset = [0; 3];
            }
            fields.sampler_id %= 4;
            fields.alt_const = alternate && random.one_in(2);
            fields.whole_quad = !plain && random.one_in(16);
        }
        Fetch::Vtx(vtx) => {
            vtx.whole_quad &= random.one_in(8);
            vtx.src = index;
            vtx.src_sel = random.pick(&[Channel::X, Channel::X, Channel::Y]);
            vtx.offset = random.pick(&[0, 0, 4, 12]);
            if !vtx.semantic {
                vtx.dst = result;
            }
        }
        Fetch::Mem(read) => {
            read.whole_quad &= random.one_in(8);
            read.src = index;
            read.src_sel_x = Channel::X;
            read.dst = result;
        }
        Fetch::MemRaw(..) => {}
    }
    fetch
}
