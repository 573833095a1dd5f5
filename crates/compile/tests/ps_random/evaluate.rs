//! What a pixel shader computes, statement by statement, by the rules of Direct3D 9 on the host's numbers.
//!
//! Temporaries below r8 hold numbers that are exact, or rounded once as the machine rounds, so that conditions that depend on them have one
//! outcome. The others hold what is calculated with the precision asked for.

use super::{boolean, eighth, passes, position, texel, varying};
use ctm_compile::front::ps::ast::*;
use ctm_compile::front::ps::table::Op;
use ctm_compile::ir::QUAD;
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    Single,
    Double,
}

type Quad = [f64; QUAD];
type Mask = [bool; QUAD];
type Vector = [Quad; 4];

/// Temporaries from this number on are not exact.
pub const FIRST_ROUNDED: u16 = 8;

pub struct Result {
    pub outputs: [Vector; 5],
    pub killed: Mask,
}

pub struct Evaluator<'a> {
    shader: &'a Shader,
    precision: Precision,
    temporaries: BTreeMap<u16, Vector>,
    outputs: [Vector; 5],
    predicate: [Mask; 4],
    counter: f64,
    alive: Mask,
    /// Some exact number is too large or too small to be exact, or any number is not finite.
    lost: bool,
}

const ALL: Mask = [true; QUAD];
const NONE: Mask = [false; QUAD];

fn and(a: Mask, b: Mask) -> Mask {
    std::array::from_fn(|lane| a[lane] && b[lane])
}

fn without(a: Mask, b: Mask) -> Mask {
    std::array::from_fn(|lane| a[lane] && !b[lane])
}

impl<'a> Evaluator<'a> {
    pub fn new(shader: &'a Shader, precision: Precision) -> Self {
        Evaluator {
            shader,
            precision,
            temporaries: BTreeMap::new(),
            outputs: [[[0.0; QUAD]; 4]; 5],
            predicate: [NONE; 4],
            counter: 0.0,
            alive: ALL,
            lost: false,
        }
    }

    /// Runs the program; nothing if what it computes is not known well enough to compare.
    pub fn run(mut self) -> Option<Result> {
        let shader = self.shader;
        self.block(&shader.body, ALL);
        (!self.lost).then_some(Result { outputs: self.outputs, killed: self.alive.map(|alive| !alive) })
    }

    /// Runs statements in these lanes. Gives those that broke the innermost loop.
    fn block(&mut self, statements: &[Statement], mut active: Mask) -> Mask {
        let mut broken = NONE;
        for statement in statements {
            active = and(active, self.alive);
            let left = match statement {
                Statement::Do(instruction) => {
                    self.instruction(instruction, active);
                    NONE
                }
                Statement::If { condition, then, otherwise, .. } => {
                    let holds = self.condition(condition);
                    let first = self.block(then, and(active, holds));
                    let second = self.block(otherwise, without(active, holds));
                    std::array::from_fn(|lane| first[lane] || second[lane])
                }
                Statement::Repeat { passes: constant, counts, body, .. } => {
                    self.repeat(*constant, *counts, body, active);
                    NONE
                }
                Statement::Break { condition, .. } => {
                    condition.as_ref().map_or(active, |condition| and(active, self.condition(condition)))
                }
                Statement::Call { label, condition, .. } => {
                    let holds = condition.as_ref().map_or(ALL, |condition| self.condition(condition));
                    let shader = self.shader;
                    self.block(&shader.subroutines[label], and(active, holds))
                }
            };
            active = without(active, left);
            broken = std::array::from_fn(|lane| broken[lane] || left[lane]);
        }
        broken
    }

    fn repeat(&mut self, constant: u16, counts: bool, body: &[Statement], mut active: Mask) {
        let [times, first, step, _] =
            self.shader.integers.get(&constant).copied().unwrap_or([passes(constant.into()) as i32, 0, 0, 0]);
        let outside = self.counter;
        if counts {
            self.counter = first.into();
        }
        for _ in 0..times {
            let broken = self.block(body, active);
            active = without(active, broken);
            if counts {
                self.counter += f64::from(step);
            }
        }
        self.counter = outside;
    }

    fn condition(&mut self, condition: &Condition) -> Mask {
        match condition {
            Condition::Boolean { index, invert } => {
                let known = self.shader.booleans.get(index).copied();
                [known.unwrap_or_else(|| boolean((*index).into())) != *invert; QUAD]
            }
            Condition::Predicate { channel, invert } => {
                self.predicate[usize::from(*channel)].map(|holds| holds != *invert)
            }
            Condition::Compare(comparison, a, b) => {
                let (a, b) = (self.read(a, 0), self.read(b, 0));
                std::array::from_fn(|lane| compares(*comparison, a[lane], b[lane]))
            }
        }
    }

    fn read(&mut self, source: &Source, place: usize) -> Quad {
        self.row(source, 0, place)
    }

    fn row(&mut self, source: &Source, row: u16, place: usize) -> Quad {
        let channel = usize::from(source.swizzle[place]);
        let offset = if source.relative { self.counter } else { 0.0 };
        let index = f64::from(source.register.index + row) + offset;
        let register = Register { index: index.max(0.0) as u16, ..source.register };
        let quad: Quad = match register.file {
            File::Temporary => self.temporaries.get(&register.index).map_or([0.0; QUAD], |vector| vector[channel]),
            File::Constant => {
                let value = match self.shader.floats.get(&register.index) {
                    Some(bits) => f32::from_bits(bits[channel]),
                    None => eighth(0, register.index.into(), channel as u32),
                };
                [value.into(); QUAD]
            }
            File::Input => match self.shader.inputs.get(&register).map(|input| input.usage) {
                Some(Usage::TexCoord(slot)) if index >= 0.0 => {
                    std::array::from_fn(|lane| varying(slot.into(), channel as u32, lane).into())
                }
                _ => [0.0; QUAD],
            },
            File::Position if channel < 2 => std::array::from_fn(|lane| position(lane)[channel].into()),
            File::Face => [1.0; QUAD],
            _ => [0.0; QUAD],
        };
        quad.map(|value| {
            let value = if source.absolute { value.abs() } else { value };
            if source.negate { -value } else { value }
        })
    }

    fn vector(&mut self, source: &Source, row: u16) -> Vector {
        std::array::from_fn(|place| self.row(source, row, place))
    }

    fn round(&self, value: f64, exact: bool) -> f64 {
        if exact || self.precision == Precision::Single { f64::from(value as f32) } else { value }
    }

    fn instruction(&mut self, instruction: &Instruction, active: Mask) {
        let sources: Vec<Vector> = instruction.sources.iter().map(|source| self.vector(source, 0)).collect();
        let Some(dest) = instruction.dest else {
            for lane in (0..QUAD).filter(|&lane| active[lane]) {
                let dies = (0..4).any(|place| {
                    let guarded = instruction.guard.is_none_or(|guard| self.holds(guard, place)[lane]);
                    sources[0][place][lane] < 0.0 && guarded
                });
                self.alive[lane] &= !dies;
            }
            return;
        };
        let exact = dest.register.file == File::Predicate
            || dest.register.file == File::Temporary && dest.register.index < FIRST_ROUNDED;
        for channel in dest.channels() {
            let guard = instruction.guard.map_or(ALL, |guard| self.holds(guard, channel));
            let lanes = and(active, guard);
            if dest.register.file == File::Predicate {
                let test = instruction.comparison.expect("setp compares");
                for lane in (0..QUAD).filter(|&lane| lanes[lane]) {
                    self.predicate[channel][lane] =
                        compares(test, sources[0][channel][lane], sources[1][channel][lane]);
                }
                continue;
            }
            let values = self.value(instruction, &sources, channel, exact);
            for lane in (0..QUAD).filter(|&lane| lanes[lane]) {
                let mut value = values[lane];
                if instruction.saturate {
                    value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
                }
                let size = value.abs();
                // The machine has rules of its own for infinities, and `_sat` would hide what came of them.
                self.lost |= !values[lane].is_finite();
                self.lost |= exact && !(size == 0.0 || (1e-20..1e20).contains(&size));
                let at = match dest.register.file {
                    File::Temporary => self.temporaries.entry(dest.register.index).or_insert([[0.0; QUAD]; 4]),
                    File::Colour => &mut self.outputs[usize::from(dest.register.index)],
                    _ => &mut self.outputs[4],
                };
                at[channel][lane] = value;
            }
        }
    }

    fn holds(&self, guard: Guard, channel: usize) -> Mask {
        self.predicate[usize::from(guard.swizzle[channel])].map(|holds| holds != guard.invert)
    }

    fn value(&mut self, instruction: &Instruction, s: &[Vector], channel: usize, exact: bool) -> Quad {
        let op = instruction.op;
        let rows = matches!(op, Op::M3x2 | Op::M3x3 | Op::M3x4 | Op::M4x3 | Op::M4x4);
        let row = if rows { self.vector(&instruction.sources[1], channel as u16) } else { [[0.0; QUAD]; 4] };
        std::array::from_fn(|lane| {
            let at = |source: usize, place: usize| s[source][place][lane];
            let here = |source: usize| at(source, channel);
            let dot = |length: usize| (0..length).map(|place| at(0, place) * at(1, place)).sum::<f64>();
            let by_row = |length: usize| (0..length).map(|place| at(0, place) * row[place][lane]).sum::<f64>();
            let value = match op {
                Op::Abs => here(0).abs(),
                Op::Add => here(0) + here(1),
                Op::Sub => here(0) - here(1),
                Op::Mul if here(0) == 0.0 || here(1) == 0.0 => 0.0,
                Op::Mul => here(0) * here(1),
                Op::Mad => here(0).mul_add(here(1), here(2)),
                Op::Mov => here(0),
                Op::Max => here(0).max(here(1)),
                Op::Min => here(0).min(here(1)),
                Op::Cmp => {
                    if here(0) >= 0.0 {
                        here(1)
                    } else {
                        here(2)
                    }
                }
                Op::Frc => here(0) - here(0).floor(),
                Op::Lrp => here(0) * (here(1) - here(2)) + here(2),
                Op::Dp2Add => at(0, 0) * at(1, 0) + at(0, 1) * at(1, 1) + at(2, 0),
                Op::Dp3 => dot(3),
                Op::Dp4 => dot(4),
                Op::M3x2 | Op::M3x3 | Op::M3x4 => by_row(3),
                Op::M4x3 | Op::M4x4 => by_row(4),
                Op::Crs => {
                    let (next, last) = ((channel + 1) % 3, (channel + 2) % 3);
                    at(0, next) * at(1, last) - at(0, last) * at(1, next)
                }
                Op::Exp => at(0, 0).exp2(),
                Op::Log => at(0, 0).abs().log2(),
                Op::Pow => at(0, 0).abs().powf(at(1, 0)),
                Op::Rcp => 1.0 / at(0, 0),
                Op::Rsq => 1.0 / at(0, 0).abs().sqrt(),
                // Zero times infinity is zero.
                Op::Nrm if here(0) == 0.0 => 0.0,
                Op::Nrm => here(0) / (0..3).map(|place| at(0, place).powi(2)).sum::<f64>().sqrt(),
                Op::SinCos => {
                    if channel == 0 {
                        at(0, 0).cos()
                    } else {
                        at(0, 0).sin()
                    }
                }
                Op::Dsx => s[0][channel][lane | 1] - s[0][channel][lane & !1],
                Op::Dsy => s[0][channel][lane | 2] - s[0][channel][lane & !2],
                Op::TexLd | Op::TexLdB | Op::TexLdL | Op::TexLdD | Op::TexLdP => {
                    let divisor = if op == Op::TexLdP { at(0, 3) } else { 1.0 };
                    let sampler = &instruction.sources[1];
                    let (x, y) = (at(0, 0) / divisor, at(0, 1) / divisor);
                    texel(sampler.register.index.into(), x, y, sampler.swizzle[channel].into()).into()
                }
                other => panic!("{} has no value", other.row().name),
            };
            self.round(value, exact)
        })
    }
}

fn compares(comparison: Comparison, a: f64, b: f64) -> bool {
    match comparison {
        Comparison::Greater => a > b,
        Comparison::Less => a < b,
        Comparison::GreaterEqual => a >= b,
        Comparison::LessEqual => a <= b,
        Comparison::Equal => a == b,
        Comparison::NotEqual => a != b,
    }
}
