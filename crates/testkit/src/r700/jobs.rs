//! Random R700 programs of every kind, as parts of jobs.

use crate::r700::aliases::alias;
use crate::r700::differential::Differential;
use crate::r700::environment::{self, Memory};
use crate::r700::generate::{self, Allow};
use crate::r700::shared;
use crate::r700::structured::{CONSTANTS, Structured, compile, constant};
use crate::r700::unrolled::unrolled;
use crate::r700::woven::woven;
use crate::random::Random;
use ctm_lane::run::RunOptions;
use ctm_r700::*;

/// Registers of random programs.
const REGISTERS: u8 = 12;

/// Texture instructions that are executed.
const TEXTURE_OPERATIONS: [FetchOp; 12] = [
    FetchOp::Ld,
    FetchOp::GetTextureInfo,
    FetchOp::GetGradientsH,
    FetchOp::GetGradientsV,
    FetchOp::Sample,
    FetchOp::SampleL,
    FetchOp::SampleLb,
    FetchOp::SampleLz,
    FetchOp::SampleC,
    FetchOp::SampleCL,
    FetchOp::SampleCLz,
    FetchOp::SetGradientsH,
];

/// What a random program is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// Idioms of compilers.
    Structured,
    /// The same with a few control-flow instructions changed.
    Changed,
    /// Idioms of compilers around clauses, exports and memory writes of every kind.
    Filled,
    /// Control-flow instructions at random that keep the stack in order.
    Woven,
    /// Clauses, exports and memory writes of every kind, one after the other, some of them in a loop.
    Straight,
    /// Accesses at the same coordinates and indices to resources of different kinds.
    Shared,
    /// Loops that compilers have unrolled.
    Unrolled,
    /// Control-flow instructions at random.
    Wild,
    /// Clauses, exports and memory writes of every kind in jobs whose things share memory.
    Aliased,
}

impl ProgramKind {
    /// All kinds.
    pub const ALL: [ProgramKind; 9] = [
        ProgramKind::Structured,
        ProgramKind::Changed,
        ProgramKind::Filled,
        ProgramKind::Woven,
        ProgramKind::Straight,
        ProgramKind::Shared,
        ProgramKind::Unrolled,
        ProgramKind::Wild,
        ProgramKind::Aliased,
    ];
}

/// Makes a job of these random numbers, and runs it on every engine.
///
/// # Errors
/// With what differs.
pub fn check(differential: &mut Differential, kind: ProgramKind, random: Random) -> Result<(), String> {
    let mut memory = differential.memory();
    let checked = with_job(kind, random, &mut memory, |job, memory, options| differential.check(job, memory, options));
    differential.keep(memory);
    checked
}

/// Makes a job of these random numbers in this memory, for something to be done with it and the options of its runs.
pub fn with_job<T>(
    kind: ProgramKind,
    mut random: Random,
    memory: &mut Memory,
    then: impl FnOnce(&Job, &Memory, &[RunOptions]) -> T,
) -> T {
    let random = &mut random;
    let structured = match kind {
        ProgramKind::Filled => Structured::with_gaps(random),
        _ => Structured::random(random),
    };
    let may_fetch =
        matches!(kind, ProgramKind::Straight | ProgramKind::Wild | ProgramKind::Woven | ProgramKind::Aliased);
    let fetch_program = (may_fetch && random.one_in(4)).then(|| straight(random, false));
    let mut program = match kind {
        ProgramKind::Structured | ProgramKind::Changed => compile(&structured),
        ProgramKind::Filled => filled(random, &structured),
        ProgramKind::Woven => woven(random),
        ProgramKind::Straight => straight(random, true),
        ProgramKind::Aliased if random.one_in(2) => straight(random, true),
        ProgramKind::Aliased => woven(random),
        ProgramKind::Shared => shared::shared(random),
        ProgramKind::Unrolled => unrolled(random),
        ProgramKind::Wild => wild(random),
    };
    match kind {
        ProgramKind::Filled | ProgramKind::Woven if random.one_in(4) => change(random, &mut program),
        ProgramKind::Unrolled if random.one_in(4) => change(random, &mut program),
        ProgramKind::Changed => (0..1 + random.below(3)).for_each(|_| change(random, &mut program)),
        ProgramKind::Straight if random.one_in(2) => change(random, &mut program),
        _ => {}
    }
    if kind == ProgramKind::Unrolled {
        program.info.stack_size = random.one_in(8).then(|| random.pick(&[4, 20, 60]));
    } else if kind != ProgramKind::Structured && random.one_in(8) {
        program.info.stack_size = Some(random.below(8) as u8);
    }
    memory.start(random);
    let space = memory.space().clone();
    let mut job = Job::new(&program, environment::lanes(random), &space);
    job.fetch_program = fetch_program.as_ref();
    environment::fill(random, memory, &mut job);
    if kind != ProgramKind::Structured {
        // Where indices lead anywhere, a trap would hide what else there is.
        let clamps = random.one_in(if kind == ProgramKind::Shared { 1 } else { 4 });
        (job.clamp_gpr, job.kill_stops_pixel) = (clamps, random.one_in(8));
    }
    match kind {
        ProgramKind::Straight => {}
        ProgramKind::Shared => {
            job.bindings.constants = shared::constants(random);
            shared::align(random, memory, &mut job);
        }
        ProgramKind::Structured
        | ProgramKind::Changed
        | ProgramKind::Filled
        | ProgramKind::Woven
        | ProgramKind::Unrolled
        | ProgramKind::Wild
        | ProgramKind::Aliased => {
            job.bindings.constants = (0..CONSTANTS).map(|n| [constant(n).to_bits(); 4]).collect();
        }
    }
    job.loops = structured.loops;
    job.inputs.insert(0, Input::Position);
    if kind == ProgramKind::Aliased {
        alias(random, memory, &mut job);
    }
    let widths = [random.pick(&[1, 4, 8]), random.pick(&[16, 48, 64])];
    let options = widths.map(|group_width| RunOptions {
        group_width,
        threads: random.pick(&[1, 2]),
        step_limit: match kind {
            ProgramKind::Structured => 100_000,
            ProgramKind::Unrolled => random.pick(&[5000, 10_000_000, 10_000_000]),
            _ => random.pick(&[200, 5000]),
        },
        ..crate::untimed()
    });
    then(&job, memory, &options)
}

/// Control-flow instructions, some of them with a clause.
#[derive(Default)]
pub(super) struct Image {
    pub cf: Vec<(Cf, Vec<Qword>)>,
}

impl Image {
    pub fn plain(&mut self, op: CfOp, fields: CfFields) {
        self.cf.push((Cf::Plain(CfPlain { op, fields }), Vec::new()));
    }

    pub fn alu(&mut self, op: CfAluOp, fields: CfAluFields, groups: &[Group]) {
        self.clause(op, fields, groups.iter().flat_map(generate::encode).collect());
    }

    /// An ALU clause of these qwords.
    pub fn clause(&mut self, op: CfAluOp, fields: CfAluFields, body: Vec<Qword>) {
        let fields = CfAluFields { count: body.len() as u8 - 1, ..fields };
        self.cf.push((Cf::Alu(CfAlu { op, fields }), body));
    }

    pub fn fetches(&mut self, op: CfOp, mut fields: CfFields, fetches: &[Fetch]) {
        fields.set_fetch_count(fetches.len() as u32);
        let qwords = |fetch: &Fetch| {
            let [a, b, c, d] = fetch.encode();
            [[a, b], [c, d]]
        };
        self.cf.push((Cf::Plain(CfPlain { op, fields }), fetches.iter().flat_map(qwords).collect()));
    }

    /// The image, its clauses after the control-flow instructions.
    pub fn finish(self) -> Vec<Qword> {
        let mut addr = self.cf.len().next_multiple_of(2);
        let (mut code, mut clauses) = (Vec::new(), Vec::new());
        clauses.resize(addr - self.cf.len(), [0; 2]);
        for (mut cf, mut body) in self.cf {
            move_clause(&mut cf, addr);
            body.resize(body.len().next_multiple_of(2), [0; 2]);
            addr += body.len();
            code.push(cf.encode());
            clauses.extend(body);
        }
        code.extend(clauses);
        code
    }
}

fn straight(random: &mut Random, is_main: bool) -> Program {
    let mut image = Image::default();
    let in_loop = random.one_in(3);
    let first = image.cf.len() as u32 + 1;
    if in_loop {
        image.plain(CfOp::LoopStart, CfFields { cf_const: random.below(8) as u8, ..CfFields::default() });
    }
    for _ in 0..1 + random.below(4) {
        let op = if random.one_in(8) { random.pick(CfAluOp::ALL) } else { CfAluOp::Alu };
        part(random, &mut image, op);
    }
    if in_loop {
        image.plain(CfOp::LoopEnd, CfFields { addr: first, ..CfFields::default() });
        let end = image.cf.len() as u32;
        let Some((Cf::Plain(start), _)) = image.cf.get_mut(first as usize - 1) else { unreachable!("it is the loop") };
        start.fields.addr = end;
    }
    if is_main {
        if random.one_in(4) {
            image.plain(CfOp::CallFs, CfFields { call_count: 1, ..CfFields::default() });
        }
        for register in 0..3 {
            let target = u16::from(register);
            image.cf.push((Cf::Export(colour(register + random.below(6) as u8, target)), Vec::new()));
        }
    }
    let end = if is_main { CfOp::Nop } else { random.pick(&[CfOp::Nop, CfOp::Return, CfOp::EndProgram]) };
    let end_of_program = end == CfOp::Nop || random.one_in(2);
    image.plain(end, CfFields { end_of_program, ..CfFields::default() });
    Program { code: image.finish(), info: info(random) }
}

/// The compiled program with a part in every gap.
fn filled(random: &mut Random, structured: &Structured) -> Program {
    let Program { mut code, info: compiled } = compile(structured);
    let is_gap = |cf: &Cf| matches!(cf, Cf::Plain(CfPlain { op: CfOp::Nop, fields }) if !fields.end_of_program);
    let outline = Outline::of(&code, compiled.family);
    for (at, _) in outline.cf.iter().enumerate().filter(|(_, cf)| is_gap(cf)) {
        let mut image = Image::default();
        part(random, &mut image, CfAluOp::Alu);
        let (mut cf, body) = image.cf.remove(0);
        code.resize(code.len().next_multiple_of(2), [0; 2]);
        move_clause(&mut cf, code.len());
        code.extend(body);
        code[at] = cf.encode();
    }
    Program { code, info: info(random) }
}

/// Says where the instruction's clause is, if it has one.
fn move_clause(cf: &mut Cf, addr: usize) {
    match cf {
        Cf::Alu(alu) => alu.fields.addr = addr as u32,
        Cf::Plain(plain) if plain.op.is_fetch() => plain.fields.addr = addr as u32,
        _ => {}
    }
}

pub(super) fn info(random: &mut Random) -> ProgramInfo {
    ProgramInfo {
        num_gprs: if random.one_in(16) { 6 } else { REGISTERS },
        dx10_clamp: random.one_in(2),
        stage: random.pick(&[Stage::Pixel, Stage::Vertex, Stage::Geometry]),
        family: if random.one_in(8) { Family::R600 } else { Family::R700 },
        ..ProgramInfo::default()
    }
}

pub(super) fn colour(gpr: u8, target: u16) -> CfExport {
    let fields = CfExportFields { array_base: target, gpr, ..CfExportFields::default() };
    let sel = [Select::X, Select::Y, Select::Z, Select::W];
    CfExport {
        op: CfExportOp::Export,
        fields,
        variant: ExportVariant::Swizzle(ExportSwizzle { sel, reserved: [0; 2] }),
    }
}

/// A clause, an export or a memory write; `op` is that of ALU clauses.
pub(super) fn part(random: &mut Random, image: &mut Image, op: CfAluOp) {
    match random.below(8) {
        0..4 => {
            let groups: Vec<Group> = (0..1 + random.below(5)).map(|_| group(random)).collect();
            let window = |random: &mut Random| Kcache {
                bank: random.below(2) as u8,
                mode: if random.one_in(16) { KcacheMode::Nop } else { random.pick(&KcacheMode::ALL[1..]) },
                addr: random.below(4) as u8,
            };
            let fields = CfAluFields {
                kcache: [window(random), window(random)],
                alt_const: random.one_in(8),
                whole_quad_mode: random.one_in(16),
                ..CfAluFields::default()
            };
            image.alu(op, fields, &groups);
        }
        4 | 5 => {
            let fetches: Vec<Fetch> = (0..1 + random.below(3)).map(|_| fetch(random)).collect();
            let op = random.pick(&[CfOp::Tex, CfOp::Vtx, CfOp::VtxTc]);
            image.fetches(op, conditions(random), &fetches);
        }
        _ => image.cf.push((export(random), Vec::new())),
    }
}

pub(super) fn conditions(random: &mut Random) -> CfFields {
    CfFields {
        cond: if random.one_in(4) { random.pick(&Condition::ALL) } else { Condition::Active },
        valid_pixel_mode: random.one_in(8),
        whole_quad_mode: random.one_in(16),
        cf_const: random.below(8) as u8,
        ..CfFields::default()
    }
}

/// A group with everything that its instructions can have.
fn group(random: &mut Random) -> Group {
    let allow = Allow { previous: true, effects: true, windows: random.one_in(3) };
    let mut group = generate::group(random, allow);
    let relative = random.one_in(4);
    for slot in &mut group.slots {
        if random.one_in(6) {
            slot.fields.pred_sel = random.pick(&PredicateSelect::ALL);
        }
        slot.fields.index_mode = random.pick(&IndexMode::ALL[..5]);
        slot.fields.dst.relative = relative && random.one_in(4);
        for number in 0..usize::from(slot.op.properties().sources) {
            let source = slot.source_mut(number);
            match Selector::decode(source.sel) {
                Selector::Gpr(gpr) if random.one_in(8) => {
                    *source =
                        Source { sel: Selector::Constant(gpr * 3).encode(), relative: random.one_in(2), ..*source };
                }
                Selector::Gpr(_) => source.relative = relative && random.one_in(3),
                _ => {}
            }
        }
    }
    if random.one_in(6) {
        for slot in group.slots.iter_mut().filter(|slot| slot.writes()) {
            if random.one_in(2) {
                (slot.fields.dst.gpr, slot.fields.dst.relative) = (SINK, false);
            }
        }
    }
    group
}

/// A fetch of any kind on the registers and resources that there are.
pub(super) fn fetch(random: &mut Random) -> Fetch {
    let register = |random: &mut Random, register: &mut FetchRegister| {
        *register = FetchRegister { gpr: random.below(8) as u8, relative: random.one_in(8) };
    };
    let destination = |random: &mut Random, named: &mut FetchRegister| {
        register(random, named);
        if random.one_in(16) {
            *named = FetchRegister { gpr: SINK, relative: false };
        }
    };
    let mut fetch = generate::fetch(random);
    match &mut fetch {
        Fetch::Vtx(vtx) => {
            vtx.semantic &= random.one_in(2);
            if vtx.semantic {
                vtx.set_semantic_id(random.pick(&[5, 3, 200, 9]));
            } else {
                destination(random, &mut vtx.dst);
            }
            register(random, &mut vtx.src);
            vtx.buffer_id %= 4;
            vtx.offset %= 40;
            vtx.format = generate::element_format(random);
        }
        Fetch::Tex(tex) => {
            if !random.one_in(12) {
                tex.op = random.pick(&TEXTURE_OPERATIONS);
            }
            let fields = &mut tex.fields;
            destination(random, &mut fields.dst);
            register(random, &mut fields.src);
            fields.resource_id %= 4;
            fields.sampler_id %= 16;
            fields.alt_const = random.one_in(8);
        }
        Fetch::Mem(read) => {
            destination(random, &mut read.dst);
            register(random, &mut read.src);
            read.array_base %= 12;
            read.array_size %= 8;
            read.burst_count &= 3;
            read.format = generate::element_format(random);
        }
        Fetch::MemRaw(..) => {}
    }
    fetch
}

/// An export or a memory write of any kind.
pub(super) fn export(random: &mut Random) -> Cf {
    loop {
        let Cf::Export(mut export) = generate::control(random) else { continue };
        let fields = &mut export.fields;
        fields.end_of_program = false;
        fields.gpr %= 10;
        fields.index_gpr %= 8;
        fields.burst_count %= 3;
        fields.relative &= random.one_in(4);
        fields.valid_pixel_mode &= random.one_in(4);
        fields.whole_quad_mode &= random.one_in(8);
        let op = export.op;
        match (op.properties().exports, export.export_type()) {
            (true, ExportType::Pixel) => {
                let any = random.below(64) as u16;
                export.fields.array_base = random.pick(&[0, 0, 1, 2, 16, ExportTarget::Depth.array_base(), any]);
            }
            (true, ExportType::Parameter) => export.fields.array_base %= 3,
            (true, _) => {}
            (false, _) => export.fields.array_base %= 10,
        }
        if let ExportVariant::Buffer(buffer) = &mut export.variant {
            buffer.array_size %= 8;
        }
        return Cf::Export(export);
    }
}

/// A test of the position.
fn test(random: &mut Random) -> Group {
    loop {
        let allow = Allow { effects: true, ..Allow::default() };
        let mut group = generate::group(random, allow);
        let is_test = |slot: &Alu| slot.op2().is_some_and(|op2| op2.update_execute_mask || op2.update_pred);
        if !group.slots.iter().any(is_test) {
            continue;
        }
        for slot in group.slots.iter_mut().filter(|slot| is_test(slot)) {
            let chan = random.pick(&[Channel::X, Channel::Y]);
            *slot.source_mut(0) = Source { chan, ..Source::default() };
        }
        return group;
    }
}

fn wild(random: &mut Random) -> Program {
    let mut image = Image::default();
    let length = 4 + random.below(16);
    for at in 0..length {
        match random.below(5) {
            0 | 1 => {
                let op = random.pick(CfAluOp::ALL);
                let groups = [if random.one_in(2) { test(random) } else { group(random) }];
                let fields = CfAluFields { whole_quad_mode: random.one_in(24), ..CfAluFields::default() };
                image.alu(op, fields, &groups);
            }
            2 if random.one_in(2) => {
                let register = random.below(8) as u8;
                image.cf.push((Cf::Export(colour(register, register.into())), Vec::new()));
            }
            _ => {
                let (op, fields) = flow(random, at, length);
                image.plain(op, fields);
            }
        }
    }
    for register in 0..3 {
        image.cf.push((Cf::Export(colour(register, register.into())), Vec::new()));
    }
    image.plain(CfOp::Nop, CfFields { end_of_program: true, ..CfFields::default() });
    Program { code: image.finish(), info: info(random) }
}

/// A control-flow instruction at an address of so many, mostly one that goes forward.
fn flow(random: &mut Random, at: usize, length: usize) -> (CfOp, CfFields) {
    let op = loop {
        let op = random.pick(CfOp::ALL);
        if !op.is_fetch() {
            break op;
        }
    };
    let addr = match (op, random.one_in(16)) {
        (CfOp::LoopEnd, _) => random.below(at + 1),
        (_, false) => at + 1 + random.below(length - at),
        (_, true) => random.below(length + 3),
    };
    let fields = CfFields {
        addr: addr as u32,
        pop_count: random.pick(&[0, 0, 1, 1, 2]),
        call_count: 1,
        end_of_program: random.one_in(64),
        ..conditions(random)
    };
    (op, fields)
}

/// Changes a control-flow instruction.
fn change(random: &mut Random, program: &mut Program) {
    let length = Outline::of(&program.code, program.info.family).cf.len();
    let at = random.below(length);
    let mut cf = Cf::decode(&program.code[at]);
    match &mut cf {
        Cf::Plain(plain) => {
            let (op, fields) = flow(random, at, length);
            match random.below(6) {
                0 => plain.fields.addr = fields.addr,
                1 => plain.fields.pop_count = fields.pop_count,
                2 if !plain.op.is_fetch() => plain.op = op,
                3 => (plain.fields.cond, plain.fields.cf_const) = (random.pick(&Condition::ALL), fields.cf_const),
                4 => plain.fields.whole_quad_mode ^= true,
                _ => plain.fields.valid_pixel_mode ^= true,
            }
        }
        Cf::Alu(alu) => match random.below(4) {
            0 => alu.fields.whole_quad_mode ^= true,
            _ => alu.op = random.pick(CfAluOp::ALL),
        },
        Cf::Export(export) => match random.below(3) {
            0 => export.fields.valid_pixel_mode ^= true,
            1 => export.fields.whole_quad_mode ^= true,
            _ => export.fields.burst_count = random.below(3) as u8,
        },
        Cf::Reserved(_) => {}
    }
    program.code[at] = cf.encode();
}
