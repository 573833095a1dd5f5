//! Random instructions, from the field tables: every field takes every value, and then what the machine refuses is put
//! right.

use crate::random::Random;
use ctm_x1k::{
    AlphaOp, Alu, Body, Common, Flow, FlowOp, Instruction, IntConstant, OutputModifier, Program, ProgramInfo,
    References, RgbOp, Tex, TexOp, TexRegister, TexSwizzle, UnitControl, Words, WriteMode,
};

/// Inputs that programs look up in.
pub const INPUTS: u8 = 4;

/// Any six dwords.
pub fn words(random: &mut Random) -> Words {
    std::array::from_fn(|_| random.bits())
}

/// Random words of this type, as far as the field tables cover them.
fn of_type(random: &mut Random, type_code: u32) -> Instruction {
    let mut words = words(random);
    words[0] = words[0] & !3 | type_code;
    Instruction { reserved: Words::default(), ..Instruction::decode(&words) }
}

/// A legal ALU or OUT instruction (types 0 and 1).
///
/// Register numbers are small, so that instructions meet; `umrt` says that OUT is an immediate write.
pub fn arithmetic(random: &mut Random, out: bool, umrt: bool) -> Instruction {
    let mut instruction = of_type(random, u32::from(out));
    let common = &mut instruction.common;
    common.last = false;
    if umrt && out {
        let writes = random.one_in(2);
        (common.rgb.omask, common.alpha.omask) = if writes { (7, 1) } else { (0, 0) };
    }
    if let Body::Alu(alu) | Body::Out(alu) = &mut instruction.body {
        for source in alu.rgb.src.iter_mut().chain(&mut alu.alpha.src) {
            // Bit 7 distinguishes inline constants from registers.
            source.addr &= 0x87;
        }
        (alu.rgb.dest, alu.alpha.dest) = (alu.rgb.dest & 7, alu.alpha.dest & 7);
        make_operations_legal(random, alu);
    }
    instruction
}

fn make_operations_legal(random: &mut Random, alu: &mut Alu) {
    while alu.rgb.op.is_reserved() {
        alu.rgb.op = random.pick(&RgbOp::ALL);
    }
    while alu.alpha.op.is_reserved() {
        alu.alpha.op = random.pick(&AlphaOp::ALL);
    }
    if alu.rgb.op == RgbOp::Sop && !alu.alpha.op.is_transcendental() {
        alu.alpha.op =
            random.pick(&[AlphaOp::Ex2, AlphaOp::Ln2, AlphaOp::Rcp, AlphaOp::Rsq, AlphaOp::Sin, AlphaOp::Cos]);
    }
    if alu.alpha.op == AlphaOp::Dp && !alu.rgb.op.is_dot_product() {
        alu.rgb.op = random.pick(&[RgbOp::Dp3, RgbOp::Dp4, RgbOp::D2a]);
    }
    if alu.rgb.omod == OutputModifier::Disabled && !alu.rgb.op.is_selection() {
        alu.rgb.omod = OutputModifier::X1;
    }
    if alu.alpha.omod == OutputModifier::Disabled && !alu.alpha.op.is_selection() {
        alu.alpha.omod = OutputModifier::X1;
    }
}

/// A legal texture instruction, with small numbers.
pub fn texture(random: &mut Random) -> Instruction {
    let mut instruction = of_type(random, 3);
    instruction.common.last = false;
    if let Body::Tex(tex) = &mut instruction.body {
        tex.op = random.pick(&[TexOp::Ld, TexOp::Ld, TexOp::Proj, TexOp::Nop, TexOp::Lod, TexOp::Lodbias, TexOp::Dxdy]);
        if random.one_in(8) {
            tex.op = TexOp::Texkill;
        }
        tex.id &= INPUTS - 1;
        (tex.src.addr, tex.dst.addr) = (tex.src.addr & 7, tex.dst.addr & 7);
    }
    instruction
}

/// A legal flow-control instruction of a program of `count` instructions; any lanes may go anywhere.
pub fn flow(random: &mut Random, count: usize) -> Instruction {
    let mut instruction = of_type(random, 2);
    instruction.common.last = false;
    instruction.common.rgb.pred_sel = random.pick(&ctm_x1k::PredicateSelect::ALL.map(|select| match select {
        ctm_x1k::PredicateSelect::PerChannel => ctm_x1k::PredicateSelect::None,
        select => select,
    }));
    if let Body::Flow(flow) = &mut instruction.body {
        use ctm_x1k::{AddressOp, BranchOp};
        flow.jump_addr = random.below(count) as u16;
        flow.jump_global = true;
        flow.a_op = random.pick(&[AddressOp::None, AddressOp::None, AddressOp::Push, AddressOp::Pop]);
        flow.b_op0 = random.pick(&[BranchOp::None, BranchOp::Decr, BranchOp::Incr]);
        flow.b_op1 = random.pick(&[BranchOp::None, BranchOp::Decr, BranchOp::Incr]);
    }
    instruction
}

/// A legal program: `count` instructions of every type in any order, then the end.
pub fn program(random: &mut Random, count: usize, write_mode: WriteMode) -> Program {
    let umrt = write_mode == WriteMode::Umrt;
    let mut code: Vec<Instruction> = (0..count)
        .map(|_| match random.below(8) {
            0..=3 => arithmetic(random, false, false),
            4 => arithmetic(random, true, umrt),
            5 => texture(random),
            _ => flow(random, count + 1),
        })
        .collect();
    code.push(end());
    finish(random, code, ProgramInfo { write_mode, ..ProgramInfo::default() })
}

/// A legal program that runs straight through: arithmetic and texture instructions inside a loop of one pass, which sets
/// aL.
pub fn straight(random: &mut Random, count: usize, write_mode: WriteMode) -> Program {
    let umrt = write_mode == WriteMode::Umrt;
    let head = |op, jump_addr, any: bool| Instruction {
        common: Common::default(),
        body: Body::Flow(Flow {
            op,
            jump_addr,
            jump_any: any,
            jump_func: if any { 0xFF } else { 0 },
            ..Flow::default()
        }),
        reserved: Words::default(),
    };
    let mut code = vec![head(FlowOp::Loop, count as u16 + 2, false)];
    code.extend((0..count).map(|_| match random.below(6) {
        0..=2 => arithmetic(random, false, false),
        3 | 4 => arithmetic(random, true, umrt),
        _ => texture(random),
    }));
    code.push(head(FlowOp::EndLoop, 1, true));
    code.push(end());
    let info = ProgramInfo { zero_times_anything: random.one_in(2), write_mode, ..ProgramInfo::default() };
    let mut program = finish(random, code, info);
    program.constants.ints.insert(0, IntConstant { count: 1, init: random.bits() as u8, step: 0 });
    program
}

/// A legal program as pictures are made with: arithmetic on the elements of both inputs at its own position, some of it
/// under predicates; then every output is written, everywhere. Constants are ordinary numbers but for a few.
pub fn picture(random: &mut Random, count: usize) -> Program {
    let load = |id: u8| {
        let identity = [TexSwizzle::R, TexSwizzle::G, TexSwizzle::B, TexSwizzle::A];
        let register = |addr| TexRegister { addr, relative: false, swizzle: identity };
        let tex = Tex { id, op: TexOp::Ld, unscaled: true, src: register(0), dst: register(1 + id), ..Tex::default() };
        let written = |mask| UnitControl { wmask: mask, ..UnitControl::default() };
        let common = Common { rgb: written(7), alpha: written(1), ..Common::default() };
        Instruction { common, body: Body::Tex(tex), reserved: Words::default() }
    };
    let mut code = vec![load(0), load(1)];
    code.extend((0..count).map(|_| direct(arithmetic(random, false, false))));
    code.extend((0..=random.below(2)).map(|target| output(random, target as u8)));
    code.push(end());
    let info = ProgramInfo { zero_times_anything: random.one_in(2), ..ProgramInfo::default() };
    let mut program = finish(random, code, info);
    for constant in program.constants.floats.values_mut() {
        *constant = std::array::from_fn(|_| if random.one_in(16) { random.float() } else { random.number() });
    }
    program
}

/// Registers by their numbers: arrays would hide much of what engines do.
fn direct(mut instruction: Instruction) -> Instruction {
    if let Body::Alu(alu) | Body::Out(alu) = &mut instruction.body {
        alu.rgb.src.iter_mut().chain(&mut alu.alpha.src).for_each(|source| source.relative = false);
        (alu.rgb.dest_relative, alu.alpha.dest_relative) = (false, false);
    }
    instruction
}

/// An instruction that writes all of an output, everywhere.
fn output(random: &mut Random, target: u8) -> Instruction {
    let mut out = arithmetic(random, true, false);
    let written = |mask| UnitControl { omask: mask, ..UnitControl::default() };
    out.common = Common { rgb: written(7), alpha: written(1), ..Common::default() };
    if let Body::Out(alu) = &mut out.body {
        (alu.rgb.target, alu.alpha.target) = (target, target);
        alu.w_omask = false;
    }
    direct(out)
}

/// A legal program whose look-ups share coordinates: a few, made of the position, each of which goes to several inputs; and
/// arithmetic on what was found.
pub fn lookups(random: &mut Random) -> Program {
    const COORDINATES: [u8; 3] = [5, 6, 7];
    const OPERATIONS: [&str; 4] = [
        "MAD src0.rgb src1.rgb src2.rgb",
        "MAD src0.rgb src0.111 src1.rgb",
        "MAD src0.grb src0.111 src1.rgb",
        "MAX src0.rgb src0.rgb",
    ];
    let text: String = COORDINATES.iter().fold(String::new(), |text, register| {
        let [a, b] = [0; 2].map(|_| random.below(STEPS.len()));
        let operation = random.pick(&OPERATIONS);
        let source = "src0.rgb = temp[0], src1.rgb = const[";
        format!("{text}TEX_SEM_WAIT {source}{a}], src2.rgb = const[{b}] : temp[{register}].rgb = {operation} ;\n")
    });
    let start = ctm_x1k::text::parse(&text).unwrap_or_else(|errors| panic!("{text}\n{errors:?}")).program.code;
    let mut code = start;
    let usual = random.pick(&COORDINATES);
    for number in 0..2 + random.below(5) {
        let mut lookup = texture(random);
        if let Body::Tex(tex) = &mut lookup.body {
            let swizzle = match random.one_in(4) {
                true => tex.src.swizzle,
                false => [TexSwizzle::R, TexSwizzle::G, TexSwizzle::B, TexSwizzle::A],
            };
            let register = if random.one_in(4) { random.pick(&COORDINATES) } else { usual };
            tex.src = TexRegister { addr: register, relative: false, swizzle };
            tex.dst = TexRegister { addr: 1 + number as u8 % 4, relative: false, ..tex.dst };
            tex.unscaled = !random.one_in(4);
            if !random.one_in(4) {
                tex.op = TexOp::Ld;
            }
        }
        code.push(lookup);
        if random.one_in(2) {
            code.push(direct(arithmetic(random, false, false)));
        }
    }
    code.extend((0..=random.below(3)).map(|target| output(random, target as u8)));
    code.push(end());
    let info = ProgramInfo { position: Some(0), ..ProgramInfo::default() };
    let mut program = finish(random, code, info);
    for (constant, step) in program.constants.floats.values_mut().zip(STEPS) {
        let other = random.pick(&STEPS);
        *constant = [step, other, 0.0, 1.0].map(f32::to_bits);
    }
    program
}

/// What coordinates are made with: small steps, and what leads far outside.
const STEPS: [f32; 16] =
    [1.0, 1.0, -1.0, 0.0, 0.5, -0.5, 2.0, 3.0, -3.0, 7.0, -16.0, 40.0, 0.0625, 1e9, -3e38, f32::NAN];

/// An OUT that writes nothing.
fn end() -> Instruction {
    let common = Common { tex_sem_wait: true, ..Common::default() };
    Instruction { common, body: Body::Out(Alu::default()), reserved: Words::default() }
}

fn finish(random: &mut Random, code: Vec<Instruction>, info: ProgramInfo) -> Program {
    let info = ProgramInfo { end: code.len() as u16 - 1, ..info };
    let mut program = Program { references: References::of(&code, &info), code, info, ..Program::default() };
    program.references.outputs = match info.write_mode {
        WriteMode::Cached => (0..4).collect(),
        WriteMode::Umrt => [0].into(),
    };
    program.constants.floats.extend((0..=255).map(|index| (index, std::array::from_fn(|_| random.float()))));
    program
}
