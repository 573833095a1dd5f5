//! Images.

use super::atomic::{Cell, Update};
use super::memory::Place;
use super::warp::Warp;
use crate::codes::{AtomOp, AtomType, MemorySize, SurfaceClamp, SurfaceDim, SurfaceMask, SurfaceType};
use crate::field::{FieldId, key};
use crate::header::Stage;
use crate::images::{Image, ImageLayout};
use crate::instruction::Instruction;
use crate::launch::TrapKind;
use crate::operand::Reg;
use crate::table::SurfaceOp;
use crate::textures::{COMPUTE_HANDLE_BANK, HANDLE_BANK};
use ctm_follow::{MemoryAccess, ValueKind, note};

/// Bytes of memory that one texel has at most.
const TEXEL: usize = 16;

impl<'a> Warp<'a> {
    /// SULD, SUST, SURED, SUATOM. Lanes that only help touch no image, and read 0.
    pub fn surface(&mut self, op: SurfaceOp, instruction: &Instruction) -> Result<(), TrapKind> {
        let (dim, clamp) = (instruction.get(key::SURFACE_DIM), instruction.get(key::SURFACE_CLAMP));
        let is_formatted = instruction.has(FieldId::SURFACE_MASK);
        let has_mask = !is_formatted || instruction.get(key::SURFACE_MASK) != SurfaceMask::Invalid;
        if matches!(dim, SurfaceDim::Invalid6 | SurfaceDim::Invalid7) || clamp == SurfaceClamp::Invalid || !has_mask {
            return Err(TrapKind::IllegalInstrEncoding);
        }
        let image = self.image(instruction)?;
        match op {
            SurfaceOp::Suld if is_formatted => self.load_texel(instruction, image),
            SurfaceOp::Sust if is_formatted => self.store_texel(instruction, image),
            SurfaceOp::Suld => self.load_bytes(instruction, image),
            SurfaceOp::Sust => self.store_bytes(instruction, image),
            SurfaceOp::Sured | SurfaceOp::Suatom | SurfaceOp::SuatomCas => self.update_texel(op, instruction, image),
        }
    }

    /// The image that the instruction names. (Decision S61: a handle of nothing names an image without texels.)
    fn image(&mut self, instruction: &Instruction) -> Result<Option<Image>, TrapKind> {
        let handle = if instruction.has(FieldId::HANDLE) {
            let bank = if self.stage == Stage::None { COMPUTE_HANDLE_BANK } else { HANDLE_BANK };
            self.constant(bank.into(), 4 * u32::from(instruction.get(key::HANDLE)))?
        } else {
            self.reg(instruction.reg(key::RC))
        };
        let image = match self.image {
            Some((known, image)) if known == handle => image,
            _ => self.launch.environment.images.of_handle(handle),
        };
        self.image = Some((handle, image));
        let Some(image) = image else { return Ok(None) };
        // What the machine makes of other dimensions is not known, but for slices of volumes.
        let dim = instruction.get(key::SURFACE_DIM);
        if dim == image.dim || dim == SurfaceDim::D3 && image.dim == SurfaceDim::D2 {
            return Ok(Some(image));
        }
        match image.layout {
            ImageLayout::Packed => Err(TrapKind::Unsupported),
            // On a card, coordinates are those of the instruction.
            ImageLayout::Rows(_) | ImageLayout::Blocks { .. } => Ok(Some(Image { dim, ..image })),
        }
    }

    /// Where so many bytes of the texel lie, if the image has it. (Decision S63: outside of it nothing is read or written, for `.IGN` and where
    /// nothing is written alike.)
    fn texel(
        &mut self,
        instruction: &Instruction,
        image: Option<Image>,
        bytes: u32,
    ) -> Result<Option<Place<'a>>, TrapKind> {
        if self.is_helper() {
            return Ok(None);
        }
        let first = instruction.reg(key::RA);
        let mut coordinates = [0; 3];
        for (coordinate, k) in coordinates.iter_mut().zip(0..instruction.get(key::SURFACE_DIM).coordinates()) {
            let register = if first.is_zero() { Reg::RZ } else { Reg(first.0.saturating_add(k)) };
            *coordinate = self.reg(register);
        }
        let place = image.and_then(|image| image.place(coordinates, instruction.get(key::BA), bytes));
        let Some(address) = place else {
            return match instruction.get(key::SURFACE_CLAMP) {
                SurfaceClamp::Trap => Err(TrapKind::OutOfRangeAddr),
                SurfaceClamp::Ignore | SurfaceClamp::Near | SurfaceClamp::Invalid => Ok(None),
            };
        };
        let inside =
            self.launch.environment.memory.and_then(|space| Some((space, space.arena_of(address, bytes)?, address)));
        match inside {
            Some((space, _, address)) => self.note_access(space, address, bytes)?,
            None => self.violation(TrapKind::OutOfRangeAddr)?,
        }
        Ok(inside)
    }

    /// The converted components that the mask keeps, in registers one after the other.
    fn load_texel(&mut self, instruction: &Instruction, image: Option<Image>) -> Result<(), TrapKind> {
        let mut components = [0; 4];
        if let Some(image) = image
            && let Some((_, arena, address)) = self.texel(instruction, Some(image), image.format.bytes())?
        {
            let mut bytes = [0; TEXEL];
            arena.read_bytes(address, &mut bytes[..image.format.bytes() as usize]);
            components = image.decode(u128::from_le_bytes(bytes));
            note(&mut self.follow, self.lane, || MemoryAccess::read(named(address), ValueKind::Word, components));
        }
        let mask = instruction.get(key::SURFACE_MASK) as u32;
        let kept = (0..4).filter(|component| mask >> component & 1 != 0);
        for (k, component) in (0..).zip(kept) {
            if let Some(reg) = self.element(instruction.dst(), k)? {
                self.set_reg(reg, components[component]);
            }
        }
        Ok(())
    }

    fn store_texel(&mut self, instruction: &Instruction, image: Option<Image>) -> Result<(), TrapKind> {
        let mut components = [0; 4];
        for (component, k) in components.iter_mut().zip(0..) {
            *component = self.element(instruction.dst(), k)?.map_or(0, |reg| self.reg(reg));
        }
        let Some(image) = image else { return Ok(()) };
        let bytes = image.format.bytes();
        if let Some((space, _, address)) = self.texel(instruction, Some(image), bytes)? {
            note(&mut self.follow, self.lane, || MemoryAccess::write(named(address), ValueKind::Word, components));
            let texel = image.encode(components);
            for at in (0..bytes).step_by(4) {
                space.store(address + at, (texel >> (8 * at)) as u32, bytes.min(4));
            }
        }
        Ok(())
    }

    fn load_bytes(&mut self, instruction: &Instruction, image: Option<Image>) -> Result<(), TrapKind> {
        let size = instruction.get(key::MEMORY_SIZE);
        let place = self.texel(instruction, image, size.bytes())?;
        self.load(instruction.dst(), size, |warp, k| {
            let Some((_, arena, address)) = place else { return Ok(0) };
            let address = address + 4 * k;
            let mut bytes = [0; 4];
            arena.read_bytes(address, &mut bytes[..size.bytes().min(4) as usize]);
            let word = u32::from_le_bytes(bytes);
            note(&mut warp.follow, warp.lane, || MemoryAccess::read(named(address), ValueKind::Word, [word]));
            Ok(word)
        })
    }

    fn store_bytes(&mut self, instruction: &Instruction, image: Option<Image>) -> Result<(), TrapKind> {
        let size = instruction.get(key::MEMORY_SIZE);
        let place = self.texel(instruction, image, size.bytes())?;
        self.store(instruction.dst(), size, |warp, k, value| {
            if let Some((space, _, address)) = place {
                let address = address + 4 * k;
                note(&mut warp.follow, warp.lane, || MemoryAccess::write(named(address), ValueKind::Word, [value]));
                space.store(address, value, size.bytes().min(4));
            }
            Ok(())
        })
    }

    /// An atomic operation on a texel. Formatted forms have the type of the image.
    fn update_texel(&mut self, op: SurfaceOp, instruction: &Instruction, image: Option<Image>) -> Result<(), TrapKind> {
        let ty = if instruction.has(FieldId::SURFACE_TYPE) {
            of_surface(instruction.get(key::SURFACE_TYPE))?
        } else {
            image.map_or(AtomType::U32, |image| of_image(&image))
        };
        let wide = matches!(ty, AtomType::U64 | AtomType::S64);
        let size = if wide { MemorySize::B64 } else { MemorySize::B32 };
        let place = self.texel(instruction, image, size.bytes())?;
        let is_aligned = place.is_none_or(|(_, _, address)| address.is_multiple_of(size.bytes()));
        if !is_aligned {
            return Err(TrapKind::MisalignedAddr);
        }
        let cell = place.map_or(Cell::Nowhere, |(space, arena, address)| Cell::Global(space, arena, address));
        let (data, dst) = (instruction.reg(key::RB), instruction.dst());
        let words = if wide { 2 } else { 1 };
        let update = match op {
            SurfaceOp::SuatomCas => Update::Compare { with: data, store: Reg(data.0.saturating_add(words)) },
            SurfaceOp::Sured => Update::Apply { op: instruction.get(key::ATOM_OP), ty, operand: dst },
            SurfaceOp::Suatom | SurfaceOp::Suld | SurfaceOp::Sust => {
                Update::Apply { op: instruction.get(key::ATOM_OP), ty, operand: data }
            }
        };
        if matches!(update, Update::Apply { op: AtomOp::SafeAdd, .. }) {
            return Err(TrapKind::IllegalInstrEncoding);
        }
        let old = self.update(&cell, wide, update)?;
        if op == SurfaceOp::Sured { Ok(()) } else { self.set_old(dst, wide, old) }
    }
}

/// What a texel is called.
fn named(address: u32) -> String {
    format!("image {address:#x}")
}

fn of_surface(ty: SurfaceType) -> Result<AtomType, TrapKind> {
    Ok(match ty {
        SurfaceType::U32 => AtomType::U32,
        SurfaceType::S32 => AtomType::S32,
        SurfaceType::U64 => AtomType::U64,
        SurfaceType::F32 => AtomType::F32,
        SurfaceType::S64 => AtomType::S64,
        SurfaceType::Invalid => return Err(TrapKind::IllegalInstrEncoding),
        SurfaceType::Sd32 | SurfaceType::Sd64 => return Err(TrapKind::Unsupported),
    })
}

/// The type of a texel of 32 or 64 bits.
fn of_image(image: &Image) -> AtomType {
    match (image.format.has_signed_integers(), image.format.has_floats(), image.format.bytes()) {
        (true, _, 8) => AtomType::S64,
        (_, _, 8) => AtomType::U64,
        (true, ..) => AtomType::S32,
        (_, true, _) => AtomType::F32,
        _ => AtomType::U32,
    }
}
