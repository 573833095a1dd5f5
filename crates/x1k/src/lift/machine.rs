//! The state of a group as values: registers, masks, constants.

use super::fragments::{FragmentEnvironment, FragmentInputs};
use super::{
    BOOL_TABLE, FLOAT_TABLES, INT_TABLE, Lifted, LiftedForm, ORIGIN_ENTRY, PE_VALUE_TABLE, PLANES_ENTRIES,
    PLANES_ENTRY, Specialisation, SurfaceBinding,
};
use crate::codes::PredicateSelect;
use crate::conditional::{CondLocation, CondTest};
use crate::effects::{Effects, ReadPath};
use crate::instruction::{Body, Flow, Instruction, Operand};
use crate::interpolants::Plane;
use crate::program::{INPUTS, OUTPUTS, Program, TEMPS, WriteMode};
use crate::sampled::reads_quads;
use ctm_lane::{
    Array, ArrayDecl, Bits, Builder, Channels, Denorm, ElementTest, ElementWrite, IntTest, QuadOrder, SurfaceDecl,
    Table, TableDecl, Type, Value, Variable, Zero,
};
use ctm_memory::{Format, Surface};
use std::collections::BTreeMap;

/// The alpha channel's number among R, G, B, A.
pub(super) const ALPHA: usize = 3;

/// What gates the writes of a channel: the predicate bit of this channel, inverted or not.
pub(super) type Gate = Option<(usize, bool)>;

/// The predicate of `channel` under a select; `None` stands for "always".
pub(super) fn gate(select: PredicateSelect, inverted: bool, channel: usize) -> Gate {
    let channel = match select {
        PredicateSelect::None | PredicateSelect::Reserved6 | PredicateSelect::Reserved7 => return None,
        PredicateSelect::PerChannel => channel,
        PredicateSelect::Red => 0,
        PredicateSelect::Green => 1,
        PredicateSelect::Blue => 2,
        PredicateSelect::Alpha => 3,
    };
    Some((channel, inverted))
}

/// What each lane wants at a flow-control instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wants {
    Never,
    Always,
    Lanes(Value),
}

/// Registers and masks, and the function that is made.
pub(super) struct LiftState<'a> {
    pub b: Builder,
    pub program: &'a Program,
    pub specialisation: &'a Specialisation,
    /// What stands around a program that runs over fragments.
    pub environment: Option<&'a dyn FragmentEnvironment>,
    pub uses_quads: bool,
    /// Quads may have helper lanes: the exact form runs those that the domain's edge cuts, too.
    helps: bool,
    /// Lanes of the domain.
    pub covered: Value,
    pub live: Variable,
    pub active: Variable,
    pub al: Variable,
    pub predicates: [Variable; 4],
    pub alu_result: Variable,
    cond_value: Variable,
    temps: Vec<[Variable; 4]>,
    /// Temporaries of a channel that is reached through aL.
    arrays: [Option<Array>; 4],
    outputs: Vec<[Variable; 4]>,
    surfaces: Vec<SurfaceBinding>,
    inputs: [Option<ctm_lane::Surface>; INPUTS],
    /// Further levels of inputs that are sampled, by input.
    levels: BTreeMap<usize, Vec<ctm_lane::Surface>>,
}

impl<'a> LiftState<'a> {
    /// The machine at program start.
    pub fn new(
        program: &'a Program,
        specialisation: &'a Specialisation,
        form: LiftedForm,
        environment: Option<&'a dyn FragmentEnvironment>,
    ) -> Self {
        let mut b = Builder::new();
        for channel in 0..FLOAT_TABLES {
            b.function.add_table(TableDecl { entries: 256, finite: specialisation.finite[channel] });
        }
        let of_positions = match (program.info.takes_interpolants(), specialisation.has_origin) {
            (true, _) => PLANES_ENTRIES as u32,
            (false, true) => PLANES_ENTRY as u32,
            (false, false) => 1,
        };
        for entries in [128, 32, of_positions] {
            b.function.add_table(TableDecl { entries, finite: false });
        }
        let arrays = relative_channels(program).map(|relative| {
            relative.then(|| b.function.add_array(ArrayDecl { entries: TEMPS as u32, ty: Type::Lane }))
        });
        let start = match environment {
            Some(environment) => environment.prologue(&mut b),
            None => FragmentInputs::default(),
        };
        let covered = b.covered();
        let sampled = |input: u8| match environment {
            Some(environment) => environment.sampled(input),
            None => specialisation.samplers.get(&input).map(|input| (&input.sampler, &input.shape)),
        };
        let uses_quads = reads_quads(&program.code, sampled)
            || program.code.iter().any(|instruction| uses_quads(instruction, program.info.write_mode));
        let registers = |b: &mut Builder, count: usize| -> Vec<[Variable; 4]> {
            (0..count).map(|_| std::array::from_fn(|_| b.variable(Type::Lane))).collect()
        };
        let mut machine = LiftState {
            program,
            specialisation,
            environment,
            uses_quads,
            helps: uses_quads && form == LiftedForm::Exact,
            covered,
            live: b.variable(Type::Mask),
            active: b.variable(Type::Mask),
            al: b.variable(Type::Uniform),
            predicates: std::array::from_fn(|_| b.variable(Type::Mask)),
            alu_result: b.variable(Type::Mask),
            cond_value: b.variable(Type::Lane),
            temps: registers(&mut b, TEMPS),
            arrays,
            outputs: registers(&mut b, OUTPUTS),
            surfaces: Vec::new(),
            inputs: [None; INPUTS],
            levels: BTreeMap::new(),
            b,
        };
        machine.start();
        for (temporary, values) in start.temporaries {
            for (channel, value) in values.into_iter().enumerate() {
                machine.write_temp(temporary, false, channel, value, None);
            }
        }
        machine
    }

    fn start(&mut self) {
        let live = if self.helps { self.whole_quads() } else { self.covered };
        self.b.set(self.live, live);
        self.b.set(self.active, live);
        let value = self.b.table_splat(Table(PE_VALUE_TABLE as u16), 0);
        self.b.set(self.cond_value, value);
        if let Some(position) = self.program.info.position {
            for axis in 0..2 {
                let value = self.position(axis);
                self.write_temp(position, false, axis, value, None);
            }
        }
        self.interpolants();
    }

    /// Column (axis 0) or row (axis 1) of each lane, as a number.
    fn position(&mut self, axis: usize) -> Value {
        let place = if axis == 0 { self.b.pos_x() } else { self.b.pos_y() };
        let value = self.b.utof(place);
        if !self.specialisation.has_origin {
            return value;
        }
        let origin = self.b.table_splat(Table(PE_VALUE_TABLE as u16), (ORIGIN_ENTRY + axis) as u32);
        self.b.fadd(Denorm::Flush, value, origin)
    }

    /// Interpolated inputs, as [`Plane::at`] has them.
    fn interpolants(&mut self) {
        if !self.program.info.takes_interpolants() {
            return;
        }
        let (column, row) = (self.position(0), self.position(1));
        for (slot, register) in self.program.info.interpolant_registers() {
            for channel in 0..4 {
                let plane = PLANES_ENTRY + (slot * 4 + channel) * Plane::NUMBERS;
                let [first, by_column, by_row] =
                    [0, 1, 2].map(|number| self.b.table_splat(Table(PE_VALUE_TABLE as u16), (plane + number) as u32));
                let value = self.b.fma(Denorm::Flush, Zero::Ieee, column, by_column, first);
                let value = self.b.fma(Denorm::Flush, Zero::Ieee, row, by_row, value);
                let value = self.b.canon_nan(NAN, value);
                self.write_temp(register, false, channel, value, None);
            }
        }
    }

    /// The lanes of quads with a covered lane. The others of them help.
    fn whole_quads(&mut self) -> Value {
        let (one, zero) = (self.b.constant(1), self.b.constant(0));
        let mut any = self.b.select(self.covered, one, zero);
        for order in [QuadOrder::HORIZONTAL, QuadOrder::VERTICAL] {
            let other = self.b.quad(order, any);
            any = self.b.or(any, other);
        }
        self.b.icmp(IntTest::Ne, any, zero)
    }

    /// Of these lanes, those that decide and whose results count: helper lanes do not.
    pub fn deciding(&mut self, lanes: Value) -> Value {
        if self.helps { self.b.mask_and(lanes, self.covered) } else { lanes }
    }

    pub fn flip(&mut self, mask: Value) -> Value {
        self.b.mask_not(mask)
    }

    /// A float constant.
    pub fn constant(&mut self, index: u8, relative: bool, channel: usize) -> Value {
        let table = Table(channel as u16);
        if !relative {
            return self.b.table_splat(table, index.into());
        }
        let index = self.with_al(index);
        self.b.table_at(table, index)
    }

    fn with_al(&mut self, index: u8) -> Value {
        let (al, index) = (self.b.get(self.al), self.b.uniform_constant(index.into()));
        self.b.uniform_add(index, al)
    }

    /// A field of an integer constant: 0 count, 1 start, 2 step.
    pub fn int(&mut self, index: u8, field: u32) -> Value {
        self.b.table_uniform(Table(INT_TABLE as u16), u32::from(index & 31) * 4 + field)
    }

    fn boolean(&mut self, index: u8) -> Value {
        let (value, zero) = (self.b.table_splat(Table(BOOL_TABLE as u16), u32::from(index & 31)), self.b.constant(0));
        self.b.icmp(IntTest::Ne, value, zero)
    }

    fn index(&mut self, index: u8, relative: bool) -> Value {
        if relative { self.with_al(index) } else { self.b.uniform_constant(index.into()) }
    }

    /// One channel of a temporary.
    pub fn temp(&mut self, index: u8, relative: bool, channel: usize) -> Value {
        match self.arrays[channel] {
            Some(array) => {
                let index = self.index(index, relative);
                self.b.array_read(array, index)
            }
            None => self.b.get(self.temps[usize::from(index) % TEMPS][channel]),
        }
    }

    /// Writes one channel of a temporary, in the lanes of the mask (`None`: where nobody looks at the others).
    pub fn write_temp(&mut self, index: u8, relative: bool, channel: usize, value: Value, lanes: Option<Value>) {
        match self.arrays[channel] {
            Some(array) => {
                let index = self.index(index, relative);
                let lanes = lanes.unwrap_or_else(|| self.b.mask_constant(true));
                self.b.array_write(array, index, value, lanes);
            }
            None => self.write(self.temps[usize::from(index) % TEMPS][channel], value, lanes),
        }
    }

    pub fn write_output(&mut self, number: usize, channel: usize, value: Value, lanes: Option<Value>) {
        self.write(self.outputs[number][channel], value, lanes);
    }

    pub fn write_cond_value(&mut self, value: Value, lanes: Option<Value>) {
        self.write(self.cond_value, value, lanes);
    }

    fn write(&mut self, variable: Variable, value: Value, lanes: Option<Value>) {
        let value = match lanes {
            Some(lanes) => {
                let old = self.b.get(variable);
                self.b.select(lanes, value, old)
            }
            None => value,
        };
        self.b.set(variable, value);
    }

    /// Sets bits of a mask variable in the lanes that execute.
    pub fn write_mask(&mut self, variable: Variable, value: Value, lanes: Option<Value>) {
        let value = match lanes {
            Some(lanes) => {
                let old = self.b.get(variable);
                self.b.mask_select(lanes, value, old)
            }
            None => value,
        };
        self.b.set(variable, value);
    }

    /// The lanes, out of those that execute, that the predicate lets write.
    pub fn gated(&mut self, gate: Gate, executing: Option<Value>) -> Option<Value> {
        let Some((channel, inverted)) = gate else { return executing };
        let bits = self.b.get(self.predicates[channel]);
        Some(match (executing, inverted) {
            (Some(lanes), false) => self.b.mask_and(lanes, bits),
            (Some(lanes), true) => self.b.mask_andnot(lanes, bits),
            (None, false) => bits,
            (None, true) => self.b.mask_not(bits),
        })
    }

    /// The lanes whose entry of JUMP_FUNC is set (CTM Guide p.36).
    pub fn wants(&mut self, instruction: &Instruction, flow: &Flow) -> Wants {
        let rgb = &instruction.common.rgb;
        let predicate = gate(rgb.pred_sel, rgb.pred_inv, 0);
        let pairs: [Wants; 4] = std::array::from_fn(|pair| match flow.jump_func >> (pair * 2) & 3 {
            0 => Wants::Never,
            3 => Wants::Always,
            entry => {
                let boolean = self.boolean(flow.bool_addr);
                Wants::Lanes(if entry == 2 { boolean } else { self.b.mask_not(boolean) })
            }
        });
        let [low, high] = [0, 2].map(|at| match predicate {
            None => pairs[at + 1],
            Some((channel, inverted)) => {
                let bits = self.predicates[channel];
                let (set, clear) = (pairs[at + 1], pairs[at]);
                if inverted { self.choose(bits, clear, set) } else { self.choose(bits, set, clear) }
            }
        });
        self.choose(self.alu_result, high, low)
    }

    fn choose(&mut self, by: Variable, set: Wants, clear: Wants) -> Wants {
        if set == clear {
            return set;
        }
        let by = self.b.get(by);
        Wants::Lanes(match (set, clear) {
            (Wants::Always, Wants::Never) => by,
            (Wants::Never, Wants::Always) => self.b.mask_not(by),
            (set, clear) => {
                let (set, clear) = (self.lanes_of(set), self.lanes_of(clear));
                self.b.mask_select(by, set, clear)
            }
        })
    }

    pub fn lanes_of(&mut self, wants: Wants) -> Value {
        match wants {
            Wants::Never => self.b.mask_constant(false),
            Wants::Always => self.b.mask_constant(true),
            Wants::Lanes(lanes) => lanes,
        }
    }

    /// The ALU result is not kept across flow control.
    pub fn clear_alu_result(&mut self) {
        let none = self.b.mask_constant(false);
        self.b.set(self.alu_result, none);
    }

    fn surface(&mut self, binding: SurfaceBinding, decl: SurfaceDecl) -> ctm_lane::Surface {
        self.surfaces.push(binding);
        self.b.function.add_surface(decl)
    }

    /// The surface of an input; `None` if it is not set.
    pub fn input(&mut self, number: usize) -> Option<ctm_lane::Surface> {
        let input = self.specialisation.inputs[number]?;
        if self.inputs[number].is_none() {
            self.inputs[number] = Some(self.surface(SurfaceBinding::Input(number), declared(input)));
        }
        self.inputs[number]
    }

    /// The surfaces of further levels of an input.
    pub fn levels(&mut self, number: usize, levels: &[(Surface, bool)]) -> Vec<ctm_lane::Surface> {
        if let Some(surfaces) = self.levels.get(&number) {
            return surfaces.clone();
        }
        let level = |(at, &level)| self.surface(SurfaceBinding::Level(number, at), declared(level));
        let surfaces: Vec<_> = levels.iter().enumerate().map(level).collect();
        self.levels.insert(number, surfaces.clone());
        surfaces
    }

    /// The write of a UMRT program: red goes to column green, row blue of output 0.
    pub fn write_immediately(&mut self, [value, x, y]: [Value; 3], lanes: Value) {
        if self.specialisation.out_mask & 1 == 0 || !self.specialisation.outputs[0] {
            return;
        }
        let output = match self.surfaces.iter().position(|binding| *binding == SurfaceBinding::Output(0)) {
            Some(at) => ctm_lane::Surface::new(at),
            None => self.surface(SurfaceBinding::Output(0), SurfaceDecl::default()),
        };
        let (x, y) = (self.b.float_to_coordinate(x), self.b.float_to_coordinate(y));
        let zero = self.b.constant(0);
        let lanes = self.deciding(lanes);
        self.b.surface_store(output, Channels(1), x, y, value, zero, zero, zero, lanes);
    }

    /// The end of the lanes that are still live: the request of conditional output, and if it passes the outputs.
    pub fn finish(&mut self) {
        let (program, specialisation) = (self.program, self.specialisation);
        let live = self.b.get(self.live);
        let mut lanes = self.deciding(live);
        if let Some(environment) = self.environment {
            let outputs = std::array::from_fn(|output| self.outputs[output].map(|channel| self.b.get(channel)));
            let depth = self.b.get(self.cond_value);
            environment.epilogue(&mut self.b, lanes, &outputs, depth);
            return self.b.ret();
        }
        let (x, y) = (self.b.pos_x(), self.b.pos_y());
        if specialisation.location == CondLocation::Dpp {
            lanes = self.request(lanes, x, y);
        }
        if program.info.write_mode == WriteMode::Cached && specialisation.out_mask & 0xF != 0 {
            for &number in &program.references.outputs {
                let number = usize::from(number);
                if !specialisation.outputs.get(number).is_some_and(|set| *set) {
                    continue;
                }
                let output = self.surface(SurfaceBinding::Output(number), SurfaceDecl::default());
                let [red, green, blue, alpha] = self.outputs[number].map(|channel| self.b.get(channel));
                let channels = Channels(specialisation.out_mask & 0xF);
                self.b.surface_store(output, channels, x, y, red, green, blue, alpha, lanes);
            }
        }
        self.b.ret();
    }

    fn request(&mut self, lanes: Value, x: Value, y: Value) -> Value {
        let test = match self.specialisation.test {
            CondTest::Never => return self.b.mask_constant(false),
            CondTest::Always if !self.specialisation.write => return lanes,
            CondTest::Always => ElementTest::Always,
            CondTest::Less => ElementTest::Lt,
            CondTest::LessEqual => ElementTest::Le,
            CondTest::Equal => ElementTest::Eq,
            CondTest::GreaterEqual => ElementTest::Ge,
            CondTest::Greater => ElementTest::Gt,
            CondTest::NotEqual => ElementTest::Ne,
        };
        let write = if self.specialisation.write { ElementWrite::Yes } else { ElementWrite::No };
        let program = self.program;
        let from_program = program.info.cond_value_from_program || program.references.cond_output;
        let value = if from_program {
            self.b.get(self.cond_value)
        } else {
            self.b.table_splat(Table(PE_VALUE_TABLE as u16), 0)
        };
        let buffer = self.surface(SurfaceBinding::Conditional, SurfaceDecl::default());
        self.b.surface_test(buffer, test, write, x, y, value, lanes)
    }

    /// The finished function.
    pub fn done(self, steps: Vec<(u32, Vec<u8>)>) -> Lifted {
        Lifted { function: self.b.finish(), surfaces: self.surfaces, uses_quads: self.uses_quads, steps }
    }
}

/// What a function says of a surface that is read, of which is known whether it is wholly in mapped memory.
fn declared((surface, whole): (Surface, bool)) -> SurfaceDecl {
    SurfaceDecl { unit: matches!(surface.format, Format::Uint8_4 | Format::Uint16_1), whole }
}

/// Whether the instruction reads other lanes of its quad, for a result that something takes.
fn uses_quads(instruction: &Instruction, write_mode: WriteMode) -> bool {
    Effects::of(instruction, write_mode).reads.iter().any(|read| read.path == ReadPath::Quad)
}

/// Channels of temporaries that some instruction reaches through aL.
fn relative_channels(program: &Program) -> [bool; 4] {
    let mut relative = [false; 4];
    for instruction in &program.code {
        match &instruction.body {
            Body::Alu(alu) | Body::Out(alu) => {
                let is_relative = |operand: Operand| matches!(operand, Operand::Temp { relative: true, .. });
                let rgb = alu.rgb.dest_relative || alu.rgb.src.iter().any(|source| is_relative(source.operand()));
                let alpha = alu.alpha.dest_relative || alu.alpha.src.iter().any(|source| is_relative(source.operand()));
                relative[..ALPHA].iter_mut().for_each(|channel| *channel |= rgb);
                relative[ALPHA] |= alpha;
            }
            Body::Tex(tex) if tex.src.relative || tex.dst.relative => relative = [true; 4],
            Body::Tex(_) | Body::Flow(_) => {}
        }
    }
    relative
}

/// A constant of the guest as an attribute.
pub(super) const NAN: Bits = Bits(ctm_num::x1k::X1K_NAN);
