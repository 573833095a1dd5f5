//! Colour targets: what is written of what pixel programs export.

use super::DrawError;
use crate::format;
use crate::layout::Layout;
use crate::registers::codes::{self, NumberType, SpecialOp};
use crate::registers::{
    CbBlendAlpha, CbBlendBlue, CbBlendControl, CbBlendGreen, CbBlendRed, CbColorBase, CbColorControl, CbColorInfo,
    CbColorSize, CbColorView, CbShaderMask, CbTargetBlendControl, CbTargetMask, RegisterFile, RegisterType,
};
use ctm_card::{ObjectBytes, Picture};
use ctm_memory::Arena;
use ctm_raster::blend::{BlendEquation, BlendFactor, BlendFunction, BlendState, Inputs, LogicOp, blend_float};
use ctm_raster::target::TargetFormat;

/// Targets that there are.
pub const TARGETS: u32 = 8;
/// Truth table of a copy.
const COPY: u8 = 0xCC;

/// What happens to a colour between the program and memory.
enum Operation {
    /// It is stored.
    Copy,
    /// It is blended with what is there; both are clamped to this range first.
    Blend { state: BlendState, range: Option<[f32; 2]>, constant: [f32; 4] },
    /// Its bits are combined with those that are there.
    Logic(LogicOp),
}

/// A colour target.
pub struct Target<'a> {
    /// Which export goes there.
    pub output: usize,
    format: TargetFormat,
    /// Stored bits that are written.
    written: [u32; 4],
    operation: Operation,
    layout: Layout,
    bytes: ObjectBytes<'a>,
    slice: u32,
}

impl<'a> Target<'a> {
    /// Target `number`, if there is one that is written to.
    pub fn of(registers: &RegisterFile, memory: &'a Arena, number: u32) -> Result<Option<Self>, DrawError> {
        let mask_of = |address: u32| (registers.value(address) >> (4 * number) & 0xF) as u8;
        let mask = mask_of(CbTargetMask::ADDRESS) & mask_of(CbShaderMask::ADDRESS);
        let control = registers.get::<CbColorControl>();
        match control.special_op {
            SpecialOp::Normal => {}
            SpecialOp::Disable => return Ok(None),
            op => return Err(DrawError::NotYet { what: op.name() }),
        }
        if mask == 0 {
            return Ok(None);
        }
        let Some(surface) = Self::surface(registers, memory, number)? else { return Ok(None) };
        let info = registers.at::<CbColorInfo>(number);
        let blends = control.target_blend_enable >> number & 1 != 0 && !info.blend_bypass;
        let operation = match (blends, control.rop3) {
            (true, _) => blending(registers, number, control.per_mrt_blend, &info)?,
            (false, COPY) => Operation::Copy,
            (false, _) if info.number_type == NumberType::Float => Operation::Copy,
            (false, rop) => Operation::Logic(LogicOp(rop & 0xF)),
        };
        let output = if control.multiwrite_enable { 0 } else { number as usize };
        let written = surface.format.stored_bits(mask);
        Ok(Some(Target { output, written, operation, ..surface }))
    }

    /// Target `number` as a surface of pixels, if there is one.
    pub fn surface(registers: &RegisterFile, memory: &'a Arena, number: u32) -> Result<Option<Self>, DrawError> {
        let info = registers.at::<CbColorInfo>(number);
        let (Some(binding), true) = (registers.binding::<CbColorBase>(number), info.format != 0) else {
            return Ok(None);
        };
        let not_known = || DrawError::Target { number, format: info.format, numbers: info.number_type };
        let format = format::target(info.format, info.number_type, info.comp_swap).ok_or_else(not_known)?;
        let size = registers.at::<CbColorSize>(number);
        let pitch = (u32::from(size.pitch_tile_max) + 1) * 8;
        let rows = (size.slice_tile_max + 1) * 64 / pitch;
        let layout = Layout::new(info.array_mode, pitch, rows, format.bytes).ok_or_else(not_known)?;
        let offset = u32::try_from(u64::from(binding.value) << 8).unwrap_or(u32::MAX);
        Ok(Some(Target {
            output: number as usize,
            format,
            written: format.stored_bits(0xF),
            operation: Operation::Copy,
            layout,
            bytes: ObjectBytes::new(memory, binding.object, offset),
            slice: registers.at::<CbColorView>(number).slice_start.into(),
        }))
    }

    /// Columns and rows.
    pub fn size(&self) -> [u32; 2] {
        [self.layout.pitch(), self.layout.rows()]
    }

    /// Writes a colour.
    pub fn write(&self, x: u32, y: u32, colour: [u32; 4]) {
        let (offset, bytes) = (self.layout.offset(x, y, self.slice), self.layout.bytes());
        let memory = self.bytes.read(offset, bytes);
        let new = match &self.operation {
            Operation::Copy => self.format.encode(colour),
            Operation::Blend { state, range, constant } => {
                let clamped = |bits: u32| match (f32::from_bits(bits), range) {
                    (value, Some([least, most])) => value.max(*least).min(*most),
                    (value, None) => value,
                };
                let destination = self.format.decode(&memory).map(clamped);
                let source = colour.map(clamped);
                let inputs = Inputs { source, destination, destination_alpha: destination[3], constant: *constant };
                self.format.encode(blend_float(state, &inputs).map(f32::to_bits))
            }
            Operation::Logic(operation) => {
                let source = self.format.encode(colour);
                std::array::from_fn(|n| operation.apply(source[n], memory[n]))
            }
        };
        let merged = std::array::from_fn(|n| new[n] & self.written[n] | memory[n] & !self.written[n]);
        self.bytes.write(offset, bytes, merged);
    }

    /// Bytes of a pixel.
    pub fn pixel_bytes(&self) -> u32 {
        self.layout.bytes()
    }

    /// Stores the bits of a pixel.
    pub fn write_bits(&self, x: u32, y: u32, bits: [u32; 4]) {
        self.bytes.write(self.layout.offset(x, y, self.slice), self.layout.bytes(), bits);
    }

    fn read(&self, x: u32, y: u32) -> [u32; 4] {
        self.format.decode(&self.bytes.read(self.layout.offset(x, y, self.slice), self.layout.bytes()))
    }
}

/// How colours of a target are blended.
fn blending(
    registers: &RegisterFile,
    number: u32,
    each_its_own: bool,
    info: &CbColorInfo,
) -> Result<Operation, DrawError> {
    // Both have the same fields.
    let control = match each_its_own {
        true => CbBlendControl::decode(registers.value(CbTargetBlendControl::ADDRESS + 4 * number)),
        false => registers.get::<CbBlendControl>(),
    };
    let equation = |function, source, destination| -> Result<BlendEquation, DrawError> {
        Ok(BlendEquation {
            function: blend_function(function)?,
            source: factor(source)?,
            destination: factor(destination)?,
            clamp: false,
        })
    };
    let colour = equation(control.color_comb_fcn, control.color_srcblend, control.color_destblend)?;
    let alpha = match control.separate_alpha_blend {
        true => equation(control.alpha_comb_fcn, control.alpha_srcblend, control.alpha_destblend)?,
        false => colour,
    };
    let least = if info.number_type == NumberType::Snorm { -1.0 } else { 0.0 };
    let range = info.blend_clamp.then_some([least, 1.0]);
    let constant = [
        registers.float::<CbBlendRed>(),
        registers.float::<CbBlendGreen>(),
        registers.float::<CbBlendBlue>(),
        registers.float::<CbBlendAlpha>(),
    ];
    let constant = range.map_or(constant, |[least, most]| constant.map(|value| value.max(least).min(most)));
    Ok(Operation::Blend { state: BlendState { colour, alpha }, range, constant })
}

fn blend_function(code: codes::BlendFunction) -> Result<BlendFunction, DrawError> {
    Ok(match code {
        codes::BlendFunction::Add => BlendFunction::Add,
        codes::BlendFunction::Subtract => BlendFunction::Subtract,
        codes::BlendFunction::Min => BlendFunction::Min,
        codes::BlendFunction::Max => BlendFunction::Max,
        codes::BlendFunction::ReverseSubtract => BlendFunction::ReverseSubtract,
        codes::BlendFunction::Reserved5 | codes::BlendFunction::Reserved6 | codes::BlendFunction::Reserved7 => {
            return Err(DrawError::NotYet { what: "a reserved function of blending" });
        }
    })
}

fn factor(code: u8) -> Result<BlendFactor, DrawError> {
    Ok(match code {
        0 => BlendFactor::Zero,
        1 => BlendFactor::One,
        2 => BlendFactor::SourceColour,
        3 => BlendFactor::OneMinusSourceColour,
        4 => BlendFactor::SourceAlpha,
        5 => BlendFactor::OneMinusSourceAlpha,
        6 => BlendFactor::DestinationAlpha,
        7 => BlendFactor::OneMinusDestinationAlpha,
        8 => BlendFactor::DestinationColour,
        9 => BlendFactor::OneMinusDestinationColour,
        10 => BlendFactor::SourceAlphaSaturate,
        13 => BlendFactor::ConstantColour,
        14 => BlendFactor::OneMinusConstantColour,
        19 => BlendFactor::ConstantAlpha,
        20 => BlendFactor::OneMinusConstantAlpha,
        _ => return Err(DrawError::NotYet { what: "blending with a second source" }),
    })
}

/// What a target holds, of the part inside of the window's scissor.
pub fn picture(
    registers: &RegisterFile,
    memory: &Arena,
    number: u32,
    [width, height]: [u32; 2],
) -> Result<Option<Picture>, DrawError> {
    if number >= TARGETS {
        return Ok(None);
    }
    let Some(target) = Target::surface(registers, memory, number)? else { return Ok(None) };
    let [columns, rows] = target.size();
    let (width, height) = (width.min(columns), height.min(rows));
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| target.read(x, y)).collect();
    Ok((width > 0 && height > 0).then_some(Picture { width, height, pixels }))
}

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{:#x} with {}", self.0, self.1.name())
    }
}

/// A format in words.
pub struct Named(pub u8, pub NumberType);
