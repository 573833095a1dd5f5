//! Instructions that calculate, fetch or kill.

use super::{Lowering, NotLowered, is_scalar};
use crate::front::ps::ast::{Dimension, File, Instruction, Source};
use crate::front::ps::table::Op;
use crate::ir::{Fetch, FetchKind, Value};
use std::f32::consts::TAU;

impl Lowering<'_> {
    pub(super) fn instruction(&mut self, instruction: &Instruction) -> Result<(), NotLowered> {
        if instruction.op == Op::TexKill {
            return self.kill(instruction);
        }
        let Some(dest) = instruction.dest else { return Ok(()) };
        let channels: Vec<usize> = if dest.register.file == File::Depth { vec![0] } else { dest.channels().collect() };
        let values = self.values(instruction, &channels)?;
        // All sources are read before anything is written.
        for (channel, value) in channels.into_iter().zip(values) {
            let value = if instruction.saturate { self.b.saturate(value) } else { value };
            self.write(instruction, channel, value);
        }
        Ok(())
    }

    fn values(&mut self, instruction: &Instruction, channels: &[usize]) -> Result<Vec<Value>, NotLowered> {
        let op = instruction.op;
        if is_scalar(op) {
            let value = self.scalar(instruction)?;
            return Ok(vec![value; channels.len()]);
        }
        match op {
            Op::TexLd | Op::TexLdB | Op::TexLdD | Op::TexLdL | Op::TexLdP => {
                let fetched = self.fetch(instruction)?;
                let sampler = instruction.sources[1];
                Ok(channels.iter().map(|&channel| fetched[usize::from(sampler.swizzle[channel])]).collect())
            }
            Op::Nrm => {
                let source = instruction.sources[0];
                let length = self.vector(&source, 0, 3)?;
                let square = self.b.dot(&length, &length);
                let factor = self.b.rsq(square);
                let mut values = Vec::new();
                for &channel in channels {
                    let value = self.read(&source, channel)?;
                    values.push(self.b.mul(value, factor));
                }
                Ok(values)
            }
            _ => channels.iter().map(|&channel| self.channel(instruction, channel)).collect(),
        }
    }

    /// What a source has at the first `length` places of its swizzle, of the register `row` places further.
    fn vector(&mut self, source: &Source, row: u16, length: usize) -> Result<Vec<Value>, NotLowered> {
        (0..length).map(|place| self.read_row(source, row, place)).collect()
    }

    fn dot(&mut self, a: &Source, b: &Source, row: u16, length: usize) -> Result<Value, NotLowered> {
        let (a, b) = (self.vector(a, 0, length)?, self.vector(b, row, length)?);
        Ok(self.b.dot(&a, &b))
    }

    /// The result of an operation that has one for all channels.
    fn scalar(&mut self, instruction: &Instruction) -> Result<Value, NotLowered> {
        let sources = &instruction.sources;
        match instruction.op {
            Op::Dp3 => return self.dot(&sources[0], &sources[1], 0, 3),
            Op::Dp4 => return self.dot(&sources[0], &sources[1], 0, 4),
            Op::Dp2Add => {
                let (a, b) = (self.vector(&sources[0], 0, 2)?, self.vector(&sources[1], 0, 2)?);
                let c = self.read(&sources[2], 0)?;
                return Ok(self.b.dot2_add([a[0], a[1]], [b[0], b[1]], c));
            }
            _ => {}
        }
        let a = self.read(&sources[0], 0)?;
        Ok(match instruction.op {
            Op::Exp => self.b.exp2(a),
            Op::Rcp => self.b.rcp(a),
            Op::Log => {
                let a = self.b.abs(a);
                self.b.log2(a)
            }
            Op::Rsq => {
                let a = self.b.abs(a);
                self.b.rsq(a)
            }
            _ => {
                let power = self.read(&sources[1], 0)?;
                let a = self.b.abs(a);
                let logarithm = self.b.log2(a);
                let product = self.b.mul(power, logarithm);
                self.b.exp2(product)
            }
        })
    }

    /// One channel of a result that has one of its own in each.
    fn channel(&mut self, instruction: &Instruction, channel: usize) -> Result<Value, NotLowered> {
        let sources = &instruction.sources;
        let rows = |lowering: &mut Self, length| lowering.dot(&sources[0], &sources[1], channel as u16, length);
        match instruction.op {
            Op::M3x2 | Op::M3x3 | Op::M3x4 => return rows(self, 3),
            Op::M4x3 | Op::M4x4 => return rows(self, 4),
            Op::Crs => {
                let (next, last) = ((channel + 1) % 3, (channel + 2) % 3);
                let (a_next, b_last) = (self.read(&sources[0], next)?, self.read(&sources[1], last)?);
                let (a_last, b_next) = (self.read(&sources[0], last)?, self.read(&sources[1], next)?);
                let (product, minus) = (self.b.mul(a_next, b_last), self.b.neg(a_last));
                return Ok(self.b.mad(minus, b_next, product));
            }
            Op::SinCos => {
                let (angle, turn) = (self.read(&sources[0], 0)?, self.b.float(1.0 / TAU));
                let turns = self.b.mul(angle, turn);
                return Ok(if channel == 0 { self.b.cos_turns(turns) } else { self.b.sin_turns(turns) });
            }
            _ => {}
        }
        let a = self.read(&sources[0], channel)?;
        match instruction.op {
            Op::Abs => return Ok(self.b.abs(a)),
            Op::Dsx => return Ok(self.b.ddx(a)),
            Op::Dsy => return Ok(self.b.ddy(a)),
            Op::Frc => return Ok(self.b.frc(a)),
            Op::Mov => return Ok(a),
            _ => {}
        }
        let b = self.read(&sources[1], channel)?;
        match instruction.op {
            Op::Add => return Ok(self.b.add(a, b)),
            Op::Sub => return Ok(self.b.sub(a, b)),
            Op::Mul => return Ok(self.b.mul(a, b)),
            Op::Max => return Ok(self.b.max(a, b)),
            Op::Min => return Ok(self.b.min(a, b)),
            Op::SetP => {
                let Some(comparison) = instruction.comparison else { return Ok(self.b.boolean(false)) };
                return Ok(self.compare(comparison, a, b));
            }
            _ => {}
        }
        let c = self.read(&sources[2], channel)?;
        Ok(match instruction.op {
            Op::Mad => self.b.mad(a, b, c),
            Op::Cmp => self.b.cmp(a, b, c),
            _ => {
                let difference = self.b.sub(b, c);
                self.b.mad(a, difference, c)
            }
        })
    }

    fn fetch(&mut self, instruction: &Instruction) -> Result<[Value; 4], NotLowered> {
        let sources = &instruction.sources;
        let sampler = sources[1].register.index;
        let dimension = self.shader.samplers.get(&sampler).copied().unwrap_or(Dimension::Plane);
        if dimension != Dimension::Plane && !self.options.scaled {
            return Err(NotLowered::Directions { line: instruction.line, sampler });
        }
        let coordinates = dimension.coordinates();
        let mut args = self.vector(&sources[0], 0, coordinates)?;
        let kind = match instruction.op {
            Op::TexLdB => FetchKind::Bias,
            Op::TexLdL => FetchKind::Level,
            Op::TexLdP => FetchKind::Project,
            Op::TexLdD => FetchKind::Gradient,
            _ => FetchKind::Plain,
        };
        match kind {
            FetchKind::Plain => {}
            FetchKind::Project | FetchKind::Bias | FetchKind::Level => args.push(self.read(&sources[0], 3)?),
            FetchKind::Gradient => {
                for derivatives in &sources[2..4] {
                    args.extend(self.vector(derivatives, 0, coordinates)?);
                }
            }
        }
        let fetch = Fetch { unit: sampler as u8, kind, coordinates: coordinates as u8, scaled: self.options.scaled };
        Ok(self.b.fetch(fetch, &args))
    }

    fn kill(&mut self, instruction: &Instruction) -> Result<(), NotLowered> {
        let source = instruction.sources[0];
        let mut tested: Vec<usize> = Vec::new();
        for place in 0..4 {
            let is_new = |&other: &usize| source.swizzle[other] != source.swizzle[place];
            if tested.iter().all(is_new) {
                tested.push(place);
            }
        }
        let mut values = Vec::new();
        for place in tested {
            let value = self.read(&source, place)?;
            values.push(match self.guard(instruction, place) {
                Some(guard) => {
                    let zero = self.b.float(0.0);
                    self.b.select(guard, value, zero)
                }
                None => value,
            });
        }
        self.b.kill_negative(&values);
        Ok(())
    }
}
