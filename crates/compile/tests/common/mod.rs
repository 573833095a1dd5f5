//! Functions at random, and what they depend on.
#![allow(dead_code, reason = "each test takes what it needs")]

use ctm_cases::{Result, Unstructured};
use ctm_compile::ir::{
    Axis, Builder, Environment, Fetch, FetchKind, Function, Op, Output, Passes, QUAD, Type, Value, Variable, verify,
};

/// Numbers that stay exact through a few sums and products.
const NUMBERS: [f32; 12] = [-2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, -7.0];

/// Constants c0.. and what inputs give: small numbers that depend on where they are.
pub struct Small {
    pub position: [u32; 2],
}

/// A small number for a seed.
pub fn small(seed: u32) -> u32 {
    NUMBERS[(seed.wrapping_mul(2_654_435_761) >> 16) as usize % NUMBERS.len()].to_bits()
}

/// The place of an element, and its channel.
pub fn texel(unit: u8, x: u32, y: u32, channel: u32) -> u32 {
    small(x.wrapping_mul(31) ^ y.wrapping_mul(17) ^ (channel << 8) ^ u32::from(unit) << 12)
}

/// Constants below this number are the user's.
pub const USER: usize = 64;

/// Elements of an input along each axis.
pub const SIZE: u32 = 16;

impl Environment for Small {
    fn uniform(&self, register: u8, channel: u8) -> u32 {
        small(u32::from(register) * 4 + u32::from(channel))
    }
    fn boolean(&self, index: u8) -> bool {
        index.is_multiple_of(3)
    }
    fn passes(&self, index: u8) -> u32 {
        u32::from(index % 4)
    }
    fn position(&self) -> [u32; 2] {
        self.position
    }
    fn varying(&self, slot: u8, channel: u8) -> [u32; QUAD] {
        [small(u32::from(slot) * 64 + u32::from(channel)); QUAD]
    }
    fn fetch(&self, fetch: &Fetch, args: &[[u32; QUAD]]) -> [[u32; QUAD]; 4] {
        let place = |bits: u32| ctm_num::convert::float_to_index(bits, SIZE);
        std::array::from_fn(|channel| {
            std::array::from_fn(|lane| {
                let y = args.get(1).filter(|_| fetch.coordinates > 1).map_or(0, |arg| arg[lane]);
                texel(fetch.unit, place(args[0][lane]), place(y), channel as u32)
            })
        })
    }
}

/// Levels of statements.
const OUTERMOST: usize = 3;

/// What a function is made of.
struct Generator<'a, 'b> {
    u: &'a mut Unstructured<'b>,
    builder: Builder,
    floats: Vec<Value>,
    bools: Vec<Value>,
    variables: Vec<Variable>,
    loops: usize,
    /// What counts the passes of the loops that are open, and how many there are.
    counters: Vec<(Value, u8)>,
    left: usize,
    /// Operations whose results are rounded are among them.
    rounded: bool,
    /// Every invocation of the quad runs what is added now: derivatives see each other's values.
    together: bool,
    killed: bool,
}

impl Generator<'_, '_> {
    fn float(&mut self) -> Result<Value> {
        match self.u.int_in_range(0..=9)? {
            0 => {
                let number = *self.u.choose(&NUMBERS)?;
                Ok(self.builder.float(number))
            }
            1 => {
                let (register, channel) = (self.u.int_in_range(0..=3)?, self.u.int_in_range(0..=3)?);
                Ok(self.builder.uniform(register, channel))
            }
            2 => {
                let variable = *self.u.choose(&self.variables)?;
                Ok(self.builder.load(variable))
            }
            3 => {
                let axis = if self.u.arbitrary()? { Axis::X } else { Axis::Y };
                Ok(self.builder.position(axis))
            }
            _ => {
                let k = self.u.int_in_range(0..=self.floats.len() - 1)?;
                Ok(self.floats[self.floats.len() - 1 - k / 2])
            }
        }
    }

    fn boolean(&mut self) -> Result<Value> {
        if self.bools.is_empty() || self.u.ratio(1, 4)? {
            let number = self.float()?;
            let zero: bool = self.u.arbitrary()?;
            return Ok(if zero { self.builder.is_zero(number) } else { self.builder.is_non_negative(number) });
        }
        Ok(*self.u.choose(&self.bools)?)
    }

    /// Between -8 and 8.
    fn bounded(&mut self, value: Value) -> Value {
        let (low, high) = (self.builder.float(-8.0), self.builder.float(8.0));
        let value = self.builder.max(value, low);
        self.builder.min(value, high)
    }

    fn instruction(&mut self) -> Result<()> {
        const EXACT: [Op; 17] = [
            Op::Neg,
            Op::Abs,
            Op::Saturate,
            Op::Add,
            Op::Mul,
            Op::Mad,
            Op::Min,
            Op::Max,
            Op::Cmp,
            Op::Cnd,
            Op::Frc,
            Op::Dot2Add,
            Op::Dot3,
            Op::Dot4,
            Op::Select,
            Op::Not,
            Op::And,
        ];
        const ROUNDED: [Op; 6] = [Op::Exp2, Op::Log2, Op::Rcp, Op::Rsq, Op::Sin, Op::Cos];
        let op = match self.u.int_in_range(0..=19)? {
            0 => {
                let scaled = false;
                let fetch = Fetch { unit: self.u.int_in_range(0..=1)?, kind: FetchKind::Plain, coordinates: 2, scaled };
                let args = [self.float()?, self.float()?];
                let results = self.builder.fetch(fetch, &args);
                self.floats.extend(results);
                return Ok(());
            }
            1 => Op::Or,
            2 if self.rounded => *self.u.choose(&ROUNDED)?,
            3 if self.rounded && self.together => *self.u.choose(&[Op::Ddx, Op::Ddy])?,
            _ => *self.u.choose(&EXACT)?,
        };
        let mut args = Vec::new();
        for ty in op.parameters() {
            args.push(match ty {
                Type::Float => self.float()?,
                Type::Bool => self.boolean()?,
            });
        }
        let result = self.builder.instruction(op, &args)[0];
        match op.results()[0] {
            Type::Float => {
                let value = match op {
                    Op::Mul | Op::Mad | Op::Add | Op::Dot2Add | Op::Dot3 | Op::Dot4 => self.bounded(result),
                    _ => result,
                };
                self.floats.push(value);
            }
            Type::Bool => self.bools.push(result),
        }
        Ok(())
    }

    /// A constant that the counter of a loop chooses: mostly one of those that there are.
    fn chosen_constant(&mut self) -> Result<()> {
        let &(counter, passes) = self.u.choose(&self.counters)?;
        let factor: i8 = *self.u.choose(&[1, 1, -1, 2])?;
        let register = self.u.int_in_range(0..=2)?;
        let count = (passes * factor.unsigned_abs()).min(USER as u8 - register);
        let one_too_many = self.u.ratio(1, 5)?;
        let first = f32::from(if factor < 0 { passes - 1 } else { u8::from(one_too_many) });
        let channel = self.u.int_in_range(0..=3)?;
        let (factor, first) = (self.builder.float(factor.into()), self.builder.float(first));
        let index = self.builder.mad(counter, factor, first);
        let value = self.builder.uniform_at(register, channel, count, index);
        self.floats.push(value);
        Ok(())
    }

    fn statement(&mut self, depth: usize) -> Result<()> {
        self.left = self.left.saturating_sub(1);
        match self.u.int_in_range(0..=13)? {
            0 | 1 if depth > 0 => {
                let condition = self.boolean()?;
                self.builder.begin_if(condition);
                self.statements(depth - 1)?;
                if self.u.arbitrary()? {
                    self.builder.begin_else();
                    self.statements(depth - 1)?;
                }
                self.builder.end_if();
            }
            2 if depth > 0 && self.loops < 3 => {
                let passes = match self.u.int_in_range(0..=2)? {
                    0 => Passes::Times(self.u.int_in_range(0..=4)?),
                    1 => Passes::Constant(self.u.int_in_range(0..=3)?),
                    _ => Passes::Endless,
                };
                // A counter ends what nothing else would.
                let zero = self.builder.float(0.0);
                let counter = self.builder.variable(zero);
                self.builder.begin_loop(passes);
                self.loops += 1;
                // Too many passes to be unrolled, now and then.
                let count = if self.loops == 0 && self.u.ratio(1, 2)? { 40 } else { 3 };
                let (old, one) = (self.builder.load(counter), self.builder.float(1.0));
                let limit = self.builder.float(f32::from(count));
                let new = self.builder.add(old, one);
                let late: bool = self.u.arbitrary()?;
                if !late {
                    self.builder.store(counter, new);
                }
                let done = self.builder.at_least(old, limit);
                self.builder.begin_if(done);
                self.builder.break_loop();
                self.builder.end_if();
                if late {
                    self.builder.store(counter, new);
                }
                self.counters.push((old, count));
                self.statements(depth - 1)?;
                self.counters.pop();
                self.loops -= 1;
                self.builder.end_loop();
            }
            3 if depth > 0 => {
                let block = self.builder.begin_block();
                self.statements(depth - 1)?;
                let condition = self.boolean()?;
                self.builder.begin_if(condition);
                self.builder.leave(block);
                self.builder.end_if();
                self.statements(depth - 1)?;
                self.builder.end_block();
            }
            4 if self.loops > 0 => {
                let condition = self.boolean()?;
                self.builder.begin_if(condition);
                if self.u.arbitrary()? {
                    self.builder.break_loop()
                } else {
                    self.builder.continue_loop()
                }
                self.builder.end_if();
            }
            5 if self.u.ratio(1, 4)? => {
                let condition = self.boolean()?;
                self.builder.kill_if(condition);
                (self.together, self.killed) = (false, true);
            }
            6 | 7 => {
                let (variable, value) = (*self.u.choose(&self.variables)?, self.float()?);
                self.builder.store(variable, value);
            }
            8 | 9 if !self.counters.is_empty() => self.chosen_constant()?,
            _ => self.instruction()?,
        }
        Ok(())
    }

    fn statements(&mut self, depth: usize) -> Result<()> {
        let (floats, bools) = (self.floats.len(), self.bools.len());
        let count = self.u.int_in_range(0..=8)?;
        self.together = false;
        for _ in 0..count {
            if self.left == 0 {
                break;
            }
            self.statement(depth)?;
        }
        self.together = depth == OUTERMOST - 1 && !self.killed;
        self.floats.truncate(floats);
        self.bools.truncate(bools);
        Ok(())
    }
}

/// Bytes that the function of a seed is made of: 32 to 1,000.
pub fn size(seed: u64) -> usize {
    32 + (seed % 122) as usize * 8
}

/// A function with up to three levels of statements.
pub fn function(u: &mut Unstructured<'_>, rounded: bool) -> Result<Function> {
    let mut builder = Builder::new();
    let numbers = [0.0, 1.0, -2.0].map(|number| builder.float(number));
    let variables = numbers.map(|number| builder.variable(number)).to_vec();
    let mut g = Generator {
        u,
        builder,
        floats: numbers.to_vec(),
        bools: Vec::new(),
        variables,
        loops: 0,
        counters: Vec::new(),
        left: 60,
        rounded,
        together: true,
        killed: false,
    };
    for _ in 0..g.u.int_in_range(1..=20)? {
        g.statement(OUTERMOST)?;
    }
    let mut outputs = Vec::new();
    for slot in 0..g.u.int_in_range(1..=2)? {
        for channel in 0..4 {
            if g.u.ratio(7, 8)? {
                outputs.push((Output::Colour { slot, channel }, g.float()?));
            }
        }
    }
    let function = g.builder.finish(outputs);
    assert_eq!(verify(&function), Ok(()), "{function}");
    Ok(function)
}
