//! Colour targets: what is written of what pixel programs export.

use super::DrawError;
use crate::format;
use crate::layout::Layout;
use crate::registers::codes::{NumberType, SpecialOp};
use crate::registers::{
    CbColorBase, CbColorControl, CbColorInfo, CbColorSize, CbColorView, CbShaderMask, CbTargetMask, RegisterFile,
    RegisterType,
};
use ctm_card::{ObjectBytes, Picture};
use ctm_memory::Arena;
use ctm_raster::colour::{ColourState, Operation};

/// Targets that there are.
pub const TARGETS: u32 = 8;
/// Truth table of a copy.
const COPY: u8 = 0xCC;

/// A colour target.
pub struct Target<'a> {
    /// Which export goes there.
    pub output: usize,
    state: ColourState,
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
        if control.target_blend_enable >> number & 1 != 0 {
            return Err(DrawError::NotYet { what: "blending" });
        }
        if control.rop3 != COPY {
            return Err(DrawError::NotYet { what: "a logic operation" });
        }
        let output = if control.multiwrite_enable { 0 } else { number as usize };
        let state = ColourState::new(*surface.state.format(), Operation::Copy, mask, None, [0; 4]);
        Ok(Some(Target { output, state, ..surface }))
    }

    /// Target `number` as a surface of pixels.
    fn surface(registers: &RegisterFile, memory: &'a Arena, number: u32) -> Result<Option<Self>, DrawError> {
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
            state: ColourState::new(format, Operation::Copy, 0xF, None, [0; 4]),
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
        self.bytes.write(offset, bytes, self.state.write(colour, self.bytes.read(offset, bytes)));
    }

    fn read(&self, x: u32, y: u32) -> [u32; 4] {
        self.state.format().decode(&self.bytes.read(self.layout.offset(x, y, self.slice), self.layout.bytes()))
    }
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
