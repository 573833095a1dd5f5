//! Fetches from textures.

use super::{Frame, LowerError, Lowering, Result};
use crate::front::TextureKind;
use crate::ir::{Fetch, FetchKind, Value};
use naga::{BinaryOperator, Expression, Handle, ImageQuery, SampleLevel};

/// How many coordinates a texture takes.
const fn coordinates(kind: TextureKind) -> u8 {
    match kind {
        TextureKind::Line => 1,
        TextureKind::Plane | TextureKind::Rectangle => 2,
        TextureKind::Volume | TextureKind::Cube => 3,
    }
}

impl<'m> Lowering<'m> {
    /// `ImageSample`
    pub(super) fn sample(&mut self, frame: &mut Frame<'m>, handle: Handle<Expression>) -> Result<Vec<Value>> {
        let function = frame.function;
        let Expression::ImageSample { image, gather, coordinate, array_index, offset, level, depth_ref, .. } =
            &function.expressions[handle]
        else {
            return Err(LowerError::Malformed("a sample that is none"));
        };
        if gather.is_some() {
            return Err(LowerError::Unsupported("textureGather; fetch four texels"));
        }
        if array_index.is_some() {
            return Err(LowerError::Type("arrays of textures"));
        }
        let index = self.resource(frame, *image)?;
        let (unit, kind) = (self.interface.textures[index].unit, self.interface.textures[index].kind);
        self.interface.textures[index].sampled = true;
        let scaled = kind != TextureKind::Rectangle;
        let mut fetch = Fetch { unit, kind: FetchKind::Plain, coordinates: coordinates(kind), scaled };
        let divided = match (level, offset) {
            (SampleLevel::Auto, None) => self.divided(frame, *coordinate)?,
            _ => None,
        };
        let mut args;
        if let Some((numerators, divisor)) = divided {
            fetch.kind = FetchKind::Project;
            args = numerators;
            args.push(divisor);
        } else {
            args = self.values(frame, *coordinate)?.to_vec();
            if let Some(offset) = offset {
                let offset = self.values(frame, *offset)?;
                self.shift(index, &mut args, &offset)?;
            }
            match level {
                SampleLevel::Auto => {}
                SampleLevel::Zero => {
                    fetch.kind = FetchKind::Level;
                    args.push(self.builder.float(0.0));
                }
                SampleLevel::Exact(level) => {
                    fetch.kind = FetchKind::Level;
                    args.push(self.values(frame, *level)?[0]);
                }
                SampleLevel::Bias(bias) => {
                    fetch.kind = FetchKind::Bias;
                    args.push(self.values(frame, *bias)?[0]);
                }
                SampleLevel::Gradient { x, y } => {
                    fetch.kind = FetchKind::Gradient;
                    args.extend_from_slice(&self.values(frame, *x)?);
                    args.extend_from_slice(&self.values(frame, *y)?);
                }
            }
        }
        if args.len() != fetch.arguments() {
            return Err(LowerError::Malformed("a fetch with a wrong number of coordinates"));
        }
        let texel = self.builder.fetch(fetch, &args);
        match depth_ref {
            None => Ok(texel.to_vec()),
            Some(reference) => {
                let reference = self.values(frame, *reference)?[0];
                let passes = self.builder.at_least(texel[0], reference);
                Ok(vec![self.builder.number(passes)])
            }
        }
    }

    /// The parts of a coordinate that is a vector divided by one number, as projections are: the hardware divides.
    fn divided(
        &mut self,
        frame: &mut Frame<'m>,
        coordinate: Handle<Expression>,
    ) -> Result<Option<(Vec<Value>, Value)>> {
        let function = frame.function;
        let Expression::Binary { op: BinaryOperator::Divide, left, right } = function.expressions[coordinate] else {
            return Ok(None);
        };
        let divisor = match function.expressions[right] {
            Expression::Splat { value, .. } => self.values(frame, value)?[0],
            _ => {
                let values = self.values(frame, right)?;
                if values.len() != 1 {
                    return Ok(None);
                }
                values[0]
            }
        };
        Ok(Some((self.values(frame, left)?.to_vec(), divisor)))
    }

    /// Moves coordinates by whole texels.
    fn shift(&mut self, index: usize, coordinates: &mut [Value], offset: &[Value]) -> Result<()> {
        let scaled = self.interface.textures[index].kind != TextureKind::Rectangle;
        let size = if scaled { self.size(index, coordinates.len())? } else { Vec::new() };
        for (i, (coordinate, &offset)) in coordinates.iter_mut().zip(offset).enumerate() {
            *coordinate = if scaled {
                let inverse = self.builder.rcp(size[i]);
                self.builder.mad(offset, inverse, *coordinate)
            } else {
                self.builder.add(*coordinate, offset)
            };
        }
        Ok(())
    }

    /// `ImageLoad`
    pub(super) fn fetch(&mut self, frame: &mut Frame<'m>, handle: Handle<Expression>) -> Result<Vec<Value>> {
        let function = frame.function;
        let Expression::ImageLoad { image, coordinate, array_index, sample, level } = &function.expressions[handle]
        else {
            return Err(LowerError::Malformed("a fetch that is none"));
        };
        if array_index.is_some() || sample.is_some() {
            return Err(LowerError::Type("arrays of textures"));
        }
        let index = self.resource(frame, *image)?;
        let (unit, kind) = (self.interface.textures[index].unit, self.interface.textures[index].kind);
        // At its centre, a texel is the same under every filter.
        let half = self.builder.float(0.5);
        let mut args: Vec<_> = self.values(frame, *coordinate)?.to_vec();
        for whole in &mut args {
            *whole = self.builder.add(*whole, half);
        }
        let mut fetch = Fetch { unit, kind: FetchKind::Plain, coordinates: coordinates(kind), scaled: false };
        if let Some(level) = level {
            let level = self.values(frame, *level)?[0];
            if self.builder.known(level) != Some(0) {
                fetch.kind = FetchKind::Level;
                args.push(level);
            }
        }
        if args.len() != fetch.arguments() {
            return Err(LowerError::Malformed("a fetch with a wrong number of coordinates"));
        }
        Ok(self.builder.fetch(fetch, &args).to_vec())
    }

    /// `ImageQuery`
    pub(super) fn query(
        &mut self,
        frame: &mut Frame<'m>,
        image: Handle<Expression>,
        query: ImageQuery,
    ) -> Result<Vec<Value>> {
        let index = self.resource(frame, image)?;
        match query {
            ImageQuery::Size { level } => {
                if let Some(level) = level {
                    let level = self.values(frame, level)?[0];
                    if self.builder.known(level) != Some(0) {
                        return Err(LowerError::Unsupported("sizes of levels other than 0"));
                    }
                }
                let count = match self.interface.textures[index].kind {
                    TextureKind::Line => 1,
                    TextureKind::Plane | TextureKind::Rectangle | TextureKind::Cube => 2,
                    TextureKind::Volume => 3,
                };
                self.size(index, count)
            }
            ImageQuery::NumLevels => {
                let (register, channel) = match self.interface.textures[index].levels {
                    Some(place) => place,
                    None => *self.interface.textures[index].levels.insert(self.allotment.channels(1)?),
                };
                Ok(vec![self.builder.uniform(register, channel)])
            }
            ImageQuery::NumLayers | ImageQuery::NumSamples => Ok(vec![self.builder.float(1.0)]),
        }
    }

    /// Sizes of a texture, which the program's user sets.
    fn size(&mut self, index: usize, count: usize) -> Result<Vec<Value>> {
        let (register, channel) = match self.interface.textures[index].size {
            Some(place) => place,
            None => {
                let channels = if self.interface.textures[index].kind == TextureKind::Volume { 3 } else { 2 };
                *self.interface.textures[index].size.insert(self.allotment.channels(channels)?)
            }
        };
        Ok((0..count as u8).map(|i| self.builder.uniform(register, channel + i)).collect())
    }
}
