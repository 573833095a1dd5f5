//! Random functions: structured control flow over variables, as lifts make it, with every operation in reach.

use super::random::Random;
use ctm_lane::*;

struct Generator<'a> {
    random: &'a mut Random,
    b: Builder,
    lanes: Vec<Variable>,
    masks: Vec<Variable>,
    uniforms: Vec<Variable>,
    /// The lanes that are active here.
    active: Variable,
    /// Coordinates that many accesses have, to surfaces of different sizes.
    places: Vec<(Variable, Variable)>,
    /// An index into tables, arrays and buffers of different lengths.
    index: Variable,
    surfaces: Vec<Surface>,
    tables: Vec<(Table, u32)>,
    arrays: Vec<Array>,
    mask_array: Array,
    uniform_array: Array,
    buffers: Vec<Buffer>,
    pc: u32,
    rare: bool,
    /// Lanes look at the others of their quad.
    quads: bool,
}

/// Surfaces of a function; those with even numbers are unit surfaces but for number 2.
pub const SURFACES: usize = 6;
/// Entries of the tables of a function.
pub const TABLES: [u32; 4] = [16, 4, 64, 1];
/// The table whose entries are finite.
pub const FINITE_TABLE: usize = 1;
/// Buffers of a function.
pub const BUFFERS: usize = 3;

/// A function with about `size` instructions; `rare` ones among them, which machine code may refuse.
pub fn function(random: &mut Random, size: usize, rare: bool) -> Function {
    let mut b = Builder::new();
    let surface = |at: usize| SurfaceDecl { unit: at.is_multiple_of(4), whole: at != 2 };
    let surfaces = (0..SURFACES).map(|at| b.function.add_surface(surface(at))).collect();
    let table = |at: usize| TableDecl { entries: TABLES[at], finite: at == FINITE_TABLE };
    let tables = (0..TABLES.len()).map(|at| (b.function.add_table(table(at)), TABLES[at])).collect();
    let arrays = [4, 16, 1].map(|entries| b.function.add_array(ArrayDecl { entries, ty: Type::Lane })).to_vec();
    let mask_array = b.function.add_array(ArrayDecl { entries: 2, ty: Type::Mask });
    let uniform_array = b.function.add_array(ArrayDecl { entries: 2, ty: Type::Uniform });
    let buffers = (0..BUFFERS).map(|_| b.function.add_buffer()).collect();
    let lanes: Vec<_> = (0..6).map(|_| b.variable(Type::Lane)).collect();
    let masks: Vec<_> = (0..3).map(|_| b.variable(Type::Mask)).collect();
    let uniforms: Vec<_> = (0..3).map(|_| b.variable(Type::Uniform)).collect();
    let active = b.variable(Type::Mask);
    let covered = b.covered();
    b.set(active, covered);
    let x = b.pos_x();
    let x = b.itof(x);
    b.set(lanes[0], x);
    let places = (0..2).map(|_| (b.variable(Type::Lane), b.variable(Type::Lane))).collect();
    let index = b.variable(Type::Lane);
    let quads = random.chance(50);
    let mut generator = Generator {
        random,
        b,
        lanes,
        masks,
        uniforms,
        active,
        places,
        index,
        surfaces,
        tables,
        arrays,
        mask_array,
        uniform_array,
        buffers,
        pc: 0,
        rare,
        quads,
    };
    (0..generator.places.len()).for_each(|place| generator.move_place(place));
    generator.move_index();
    generator.statements(size, 3);
    generator.finish()
}

impl Generator<'_> {
    fn finish(mut self) -> Function {
        let (x, y, m) = (self.b.pos_x(), self.b.pos_y(), self.b.covered());
        let values = [0, 1, 2, 3].map(|at| self.b.get(self.lanes[at]));
        let [r, g, b, a] = values;
        self.b.surface_store(self.surfaces[1], Channels::ALL, x, y, r, g, b, a, m);
        self.b.ret();
        self.b.finish()
    }

    fn lane(&mut self) -> Value {
        match self.random.below(10) {
            0 => {
                let bits = self.random.float_bits();
                self.b.constant(bits)
            }
            1 => {
                let one = self.random.pick(&[0, 0x3F80_0000, 0x8000_0000]);
                self.b.constant(one)
            }
            _ => {
                let variable = self.random.pick(&self.lanes);
                self.b.get(variable)
            }
        }
    }

    fn mask(&mut self) -> Value {
        match self.random.below(8) {
            0 => {
                let value = self.random.chance(50);
                self.b.mask_constant(value)
            }
            1..5 => self.b.get(self.active),
            _ => {
                let variable = self.random.pick(&self.masks);
                self.b.get(variable)
            }
        }
    }

    fn uniform(&mut self) -> Value {
        if self.random.chance(40) {
            let value = self.random.below(5) as i32;
            return self.b.uniform_constant(value);
        }
        let variable = self.random.pick(&self.uniforms);
        self.b.get(variable)
    }

    /// Writes a lane variable, mostly in the active lanes only, as guests do.
    fn set_lane(&mut self, value: Value) {
        let variable = self.random.pick(&self.lanes);
        let value = if self.random.chance(70) {
            let (active, old) = (self.b.get(self.active), self.b.get(variable));
            self.b.select(active, value, old)
        } else {
            value
        };
        self.b.set(variable, value);
    }

    fn statements(&mut self, size: usize, depth: usize) {
        let mut left = size;
        while left > 0 {
            let choice = self.random.below(100);
            if depth > 0 && choice < 6 {
                self.condition(left / 2, depth - 1);
                left -= left / 2 + 1;
            } else if depth > 0 && choice < 10 {
                self.repetition(left / 2, depth - 1);
                left -= left / 2 + 1;
            } else {
                self.statement();
                left -= 1;
            }
        }
    }

    /// IF: fewer lanes are active inside; the code is passed by when there are none.
    fn condition(&mut self, size: usize, depth: usize) {
        let outer = self.b.get(self.active);
        let condition = self.mask();
        let inner = if self.random.chance(50) {
            self.b.mask_and(outer, condition)
        } else {
            self.b.mask_andnot(outer, condition)
        };
        let (body, after) = (self.b.new_block(), self.b.new_block());
        self.b.branch_any(inner, (body, &[]), (after, &[]));
        self.b.seal(body);
        self.b.switch_to(body);
        self.b.set(self.active, inner);
        self.statements(size, depth);
        self.b.set(self.active, outer);
        self.b.jump(after, &[]);
        self.b.seal(after);
        self.b.switch_to(after);
        self.b.set(self.active, outer);
    }

    /// A loop of a few passes, which lanes may leave early, in up to three places.
    fn repetition(&mut self, size: usize, depth: usize) {
        let outer = self.b.get(self.active);
        let counter = self.b.variable(Type::Uniform);
        let zero = self.b.uniform_constant(0);
        self.b.set(counter, zero);
        let (head, after) = (self.b.new_block(), self.b.new_block());
        self.b.jump(head, &[]);
        self.b.switch_to(head);
        let tests = self.random.pick(&[1, 1, 2, 3]);
        for _ in 0..tests {
            self.statements(size / tests, depth);
            let (active, gone) = (self.b.get(self.active), self.mask());
            let staying = self.b.mask_andnot(active, gone);
            self.b.set(self.active, staying);
            let next = self.b.new_block();
            self.b.branch_any(staying, (next, &[]), (after, &[]));
            self.b.seal(next);
            self.b.switch_to(next);
        }
        let (count, one, limit) = (self.b.get(counter), self.b.uniform_constant(1), self.b.uniform_constant(3));
        let count = self.b.uniform_add(count, one);
        self.b.set(counter, count);
        let splat = self.b.splat(count);
        let float = self.b.itof(splat);
        self.set_lane(float);
        self.b.branch_if(IntTest::Slt, count, limit, (head, &[]), (after, &[]));
        self.b.seal(head);
        self.b.seal(after);
        self.b.switch_to(after);
        self.b.set(self.active, outer);
    }

    fn denorm(&mut self) -> Denorm {
        if self.random.chance(80) { Denorm::Flush } else { Denorm::Keep }
    }

    fn statement(&mut self) {
        match self.random.below(if self.rare { 25 } else { 24 }) {
            24 => self.double(),
            0..8 => self.arithmetic(),
            8..10 => self.choice(),
            10..13 => self.mask_statement(),
            13 => self.integer(),
            14 => self.uniform_statement(),
            15..17 | 20..24 => self.load(),
            17 => self.array(),
            18 => self.store(),
            _ => {
                let (count, pc, mask) = (self.random.below(5) as u32, self.pc, self.b.get(self.active));
                self.pc += count;
                self.b.steps(count, pc, mask);
            }
        }
    }

    /// Arithmetic, with the bits of NaNs fixed one way or another.
    fn arithmetic(&mut self) {
        let denorm = self.denorm();
        let zero = self.random.pick(Zero::ALL);
        let (a, b, c) = (self.lane(), self.lane(), self.lane());
        let rounding = self.random.pick(Rounding::ALL);
        let result = match self.random.below(if self.rare { 16 } else { 13 }) {
            13 => self.b.fadd_rounded(rounding, a, b),
            14 => self.b.fmul_rounded(rounding, a, b),
            15 => self.b.fma_rounded(rounding, a, b, c),
            0 => self.b.fadd(denorm, a, b),
            1 => self.b.fsub(denorm, a, b),
            2 => self.b.fmul(denorm, zero, a, b),
            3..6 => self.b.fma(denorm, zero, a, b, c),
            6 => self.b.fdiv(denorm, a, b),
            7 => self.b.fsqrt(denorm, a),
            8 => {
                let round = self.random.pick(Round::ALL);
                self.b.fround(round, denorm, a)
            }
            9 => self.b.frc(a),
            10 => self.b.scale(self.random.pick(&[0, 0, 1, -2]), a),
            11 => {
                let clamped = self.b.clamp01(denorm, a);
                return self.set_lane(clamped);
            }
            _ => match self.random.below(4) {
                0 => self.b.ex2(a),
                1 => self.b.ln2(a),
                2 => self.b.sin(a),
                _ => self.b.cos(a),
            },
        };
        let fixed = self.b.canon_nan(Bits(0x7FFF_FFFF), result);
        let fixed = if self.random.chance(10) { self.b.pass_nan(fixed, a) } else { fixed };
        self.set_lane(fixed);
    }

    fn choice(&mut self) {
        let denorm = self.denorm();
        let (a, b, m) = (self.lane(), self.lane(), self.mask());
        let result = match self.random.below(if self.quads { 8 } else { 7 }) {
            0 => self.b.fmin(denorm, a, b),
            1 => self.b.fmax(denorm, a, b),
            2..4 => self.b.select(m, a, b),
            4 => self.b.neg(a),
            5 => self.b.abs(a),
            6 => self.b.nabs(a),
            _ => {
                let order = QuadOrder([0; 4].map(|_: u8| self.random.below(4) as u8));
                self.b.quad(order, a)
            }
        };
        self.set_lane(result);
    }

    fn mask_statement(&mut self) {
        let (a, b, m, n, o) = (self.lane(), self.lane(), self.mask(), self.mask(), self.mask());
        let result = match self.random.below(9) {
            0..3 => {
                let (test, denorm) = (self.random.pick(FloatTest::ALL), self.denorm());
                self.b.fcmp(test, denorm, a, b)
            }
            3 => {
                let test = self.random.pick(IntTest::ALL);
                self.b.icmp(test, a, b)
            }
            4 => self.b.mask_and(m, n),
            5 => self.b.mask_or(m, n),
            6 => self.b.mask_andnot(m, n),
            7 => {
                if self.random.chance(50) {
                    self.b.mask_not(m)
                } else {
                    self.b.mask_xor(m, n)
                }
            }
            _ => self.b.mask_select(m, n, o),
        };
        let variable = self.random.pick(&self.masks);
        self.b.set(variable, result);
    }

    fn integer(&mut self) {
        let (a, b) = (self.lane(), self.lane());
        let rounding = self.random.pick(Rounding::ALL);
        let result = match self.random.below(if self.rare { 26 } else { 18 }) {
            18 => self.b.udiv(a, b),
            19 => self.b.popcount(a),
            20 => self.b.clz(a),
            21 => self.b.bit_reverse(a),
            22 => self.b.htof(a),
            23 => self.b.ftoh(rounding, a),
            24 => {
                let mask = self.mask();
                self.b.ballot(mask)
            }
            25 => self.b.shuffle(a, b),
            0 => self.b.iadd(a, b),
            1 => self.b.isub(a, b),
            2 => self.b.imul(a, b),
            3 => self.b.smul_high(a, b),
            4 => self.b.umul_high(a, b),
            5 => self.b.smin(a, b),
            6 => self.b.smax(a, b),
            7 => self.b.umin(a, b),
            8 => self.b.umax(a, b),
            9 => self.b.and(a, b),
            10 => self.b.or(a, b),
            11 => self.b.xor(a, b),
            12 => self.b.shl(a, b),
            13 => self.b.shr(a, b),
            14 => self.b.sar(a, b),
            15 => self.b.itof(a),
            16 => self.b.utof(a),
            _ => {
                if self.random.chance(50) {
                    self.b.ftoi(a)
                } else {
                    self.b.ftou(a)
                }
            }
        };
        self.set_lane(result);
    }

    /// Something in binary64, of which one word, or what the number is as something else, goes on.
    fn double(&mut self) {
        let (a, b, c) = (self.pair(), self.pair(), self.pair());
        let rounding = self.random.pick(Rounding::ALL);
        let [low, high] = match self.random.below(6) {
            0 => self.b.dadd(rounding, a[0], a[1], b[0], b[1]),
            1 => self.b.dmul(rounding, a[0], a[1], b[0], b[1]),
            2 => self.b.dfma(rounding, a[0], a[1], b[0], b[1], c[0], c[1]),
            3 => self.b.ddiv(a[0], a[1], b[0], b[1]),
            4 => self.b.dsqrt(a[0], a[1]),
            _ => {
                let round = self.random.pick(Round::ALL);
                self.b.dround(round, a[0], a[1])
            }
        };
        let result = match self.random.below(6) {
            0 => low,
            1 => high,
            2 => self.b.dtof(rounding, low, high),
            3 => self.b.dtoi(low, high),
            4 => self.b.dtou(low, high),
            _ => {
                let test = self.random.pick(FloatTest::ALL);
                let mask = self.b.dcmp(test, low, high, b[0], b[1]);
                let variable = self.random.pick(&self.masks);
                return self.b.set(variable, mask);
            }
        };
        self.set_lane(result);
    }

    /// The words of a binary64 number.
    fn pair(&mut self) -> [Value; 2] {
        let (a, b) = (self.lane(), self.lane());
        match self.random.below(4) {
            0 => self.b.itod(a),
            1 => self.b.utod(a),
            2 => self.b.ftod(a),
            _ => [a, b],
        }
    }

    fn uniform_statement(&mut self) {
        let (a, b) = (self.uniform(), self.uniform());
        let result = match self.random.below(6) {
            0 => self.b.uniform_add(a, b),
            1 => self.b.uniform_sub(a, b),
            2 => self.b.uniform_mul(a, b),
            3 => self.b.uniform_and(a, b),
            4 => self.b.table_uniform(self.tables[0].0, 3),
            _ => {
                self.b.uniform_array_write(self.uniform_array, a, b);
                self.b.uniform_array_read(self.uniform_array, b)
            }
        };
        let variable = self.random.pick(&self.uniforms);
        self.b.set(variable, result);
    }

    /// Coordinates as guests compute them, mostly those that other accesses have too.
    fn coordinates(&mut self) -> (Value, Value) {
        let place = self.random.below(self.places.len());
        match self.random.below(8) {
            0 => (self.b.pos_x(), self.b.pos_y()),
            1 => self.new_coordinates(),
            2 => {
                self.move_place(place);
                let (x, y) = self.places[place];
                (self.b.get(x), self.b.get(y))
            }
            _ => {
                let (x, y) = self.places[place];
                (self.b.get(x), self.b.get(y))
            }
        }
    }

    fn new_coordinates(&mut self) -> (Value, Value) {
        match self.random.below(8) {
            // Steps from the lane's own position, which no rule keeps inside.
            0..4 => {
                let [x, y] = [self.b.pos_x(), self.b.pos_y()].map(|position| {
                    let step = self.random.pick(&[0, 0, 1, 1, -1, 3, -7, 13, 100, i32::MAX, i32::MIN]);
                    let step = self.b.constant(step.cast_unsigned());
                    self.b.iadd(position, step)
                });
                (x, y)
            }
            4 => {
                let [x, y] = [self.b.pos_x(), self.b.pos_y()].map(|position| {
                    let number = self.b.itof(position);
                    let step = self.random.float_bits();
                    let step = self.b.constant(step);
                    let sum = self.b.fadd(Denorm::Flush, number, step);
                    self.b.float_to_coordinate(sum)
                });
                (x, y)
            }
            5 => {
                let (x, y) = (self.lane(), self.lane());
                (self.b.float_to_coordinate(x), self.b.float_to_coordinate(y))
            }
            _ => {
                let (x, y) = (self.lane(), self.lane());
                let size = self.random.pick(&[8, 8, 33, 1]);
                (self.b.float_to_index(size, x), self.b.float_to_index(4, y))
            }
        }
    }

    fn move_place(&mut self, place: usize) {
        let (x, y) = self.new_coordinates();
        let (of_x, of_y) = self.places[place];
        self.b.set(of_x, x);
        self.b.set(of_y, y);
    }

    fn move_index(&mut self) {
        let index = match self.random.below(4) {
            0 => self.b.pos_x(),
            1 => {
                let (x, scale) = (self.b.pos_x(), self.b.constant(4));
                self.b.imul(x, scale)
            }
            2 => {
                let (lane, mask) = (self.lane(), self.b.constant(0x7F));
                self.b.and(lane, mask)
            }
            _ => self.lane(),
        };
        self.b.set(self.index, index);
    }

    /// An index, mostly the one that other accesses have too.
    fn lane_index(&mut self) -> Value {
        match self.random.below(8) {
            0 | 1 => self.lane(),
            2 => {
                self.move_index();
                self.b.get(self.index)
            }
            _ => self.b.get(self.index),
        }
    }

    fn load(&mut self) {
        let mask = self.mask();
        let result = match self.random.below(8) {
            0..4 => {
                let surface = self.random.pick(&self.surfaces);
                let (x, y) = self.coordinates();
                let channels = if self.random.chance(80) {
                    self.b.surface_load(surface, x, y, mask)
                } else {
                    self.b.surface_load_2x2(surface, x, y, mask)
                };
                self.random.pick(&channels)
            }
            4 => {
                let (table, entries) = self.random.pick(&self.tables);
                self.b.table_splat(table, self.random.below(entries.min(4) as usize) as u32)
            }
            5 => {
                let ((table, _), index) = (self.random.pick(&self.tables), self.uniform());
                self.b.table_at(table, index)
            }
            6 => {
                let ((table, _), index) = (self.random.pick(&self.tables), self.lane_index());
                self.b.table_gather(table, index)
            }
            _ => {
                let (buffer, address) = (self.random.pick(&self.buffers), self.lane_index());
                self.b.buffer_load(buffer, address, mask)
            }
        };
        self.set_lane(result);
    }

    fn array(&mut self) {
        let array = self.random.pick(&self.arrays);
        let (index, lane, value, mask) = (self.uniform(), self.lane_index(), self.lane(), self.mask());
        match self.random.below(5) {
            0 => self.b.array_write(array, index, value, mask),
            1 => self.b.array_scatter(array, lane, value, mask),
            2 => {
                let read = self.b.array_read(array, index);
                self.set_lane(read);
            }
            3 => {
                let read = self.b.array_gather(array, lane);
                self.set_lane(read);
            }
            _ => {
                self.b.mask_array_write(self.mask_array, index, mask);
                let index = self.uniform();
                let read = self.b.mask_array_read(self.mask_array, index);
                let variable = self.random.pick(&self.masks);
                self.b.set(variable, read);
            }
        }
    }

    fn store(&mut self) {
        let mask = self.mask();
        let (x, y) = self.coordinates();
        let values = [0; 4].map(|_| self.lane());
        match self.random.below(5) {
            0 => {
                let test = self.random.pick(ElementTest::ALL);
                let write = self.random.pick(ElementWrite::ALL);
                let passed = self.b.surface_test(self.surfaces[1], test, write, x, y, values[0], mask);
                let variable = self.random.pick(&self.masks);
                self.b.set(variable, passed);
            }
            1 => {
                let (buffer, address) = (self.random.pick(&self.buffers), self.lane_index());
                self.b.buffer_store(buffer, address, values[1], mask);
            }
            2 => {
                // A trap for some lanes, as guests raise them.
                let active = self.b.get(self.active);
                let bad = self.b.mask_and(active, mask);
                let (trap, after) = (self.b.new_block(), self.b.new_block());
                self.b.branch_any(bad, (trap, &[]), (after, &[]));
                self.b.seal(trap);
                self.b.seal(after);
                self.b.switch_to(trap);
                self.b.trap(3, self.pc, bad);
                self.b.switch_to(after);
            }
            _ => {
                let channels = Channels(1 + self.random.below(15) as u8);
                let surface = self.random.pick(&self.surfaces);
                let [r, g, b, a] = values;
                self.b.surface_store(surface, channels, x, y, r, g, b, a, mask);
            }
        }
    }
}
