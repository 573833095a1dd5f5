//! ELF files: the machine of the header, and for GPUs the processor of its flags.

use super::{Content, Foreign};
use crate::{elf, r700, sm50};
use object::elf::{ELFCLASS64, ELFDATA2MSB, EM_AMDGPU, EM_CUDA};

/// `EF_AMDGPU_MACH`: the bits of `e_flags` that name an AMD processor.
const AMDGPU_MACH: u32 = 0xFF;
/// `EI_ABIVERSION` of cubins from which on `e_flags` has the architecture in its second byte and not in its first.
const CUDA_SECOND_BYTE: u8 = 8;

/// The fields of an ELF header that identify a machine.
struct Header {
    wide: bool,
    abi_version: u8,
    machine: u16,
    flags: u32,
}

impl Header {
    /// None if the header is cut off.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let (wide, big) = (*bytes.get(4)? == ELFCLASS64.0, *bytes.get(5)? == ELFDATA2MSB.0);
        let machine = [*bytes.get(18)?, *bytes.get(19)?];
        let flags = bytes.get(if wide { 48..52 } else { 36..40 })?;
        let flags = [flags[0], flags[1], flags[2], flags[3]];
        Some(Header {
            wide,
            abi_version: *bytes.get(8)?,
            machine: if big { u16::from_be_bytes(machine) } else { u16::from_le_bytes(machine) },
            flags: if big { u32::from_be_bytes(flags) } else { u32::from_le_bytes(flags) },
        })
    }
}

/// Identifies an ELF file.
pub fn identify(bytes: &[u8]) -> Content {
    let Some(Header { wide, abi_version, machine, flags }) = Header::parse(bytes) else {
        return Content::Foreign(Foreign::CutOffElf);
    };
    match machine {
        _ if machine == elf::MACHINE.0 => Content::CtmImage,
        _ if machine == EM_AMDGPU.0 => match flags & AMDGPU_MACH {
            processor if !wide && r700::is_loaded(processor) => Content::R600Object,
            processor => Content::Foreign(Foreign::AmdGpu(processor)),
        },
        _ if machine == EM_CUDA.0 => {
            let shift = if abi_version >= CUDA_SECOND_BYTE { 8 } else { 0 };
            match (flags >> shift) as u8 {
                architecture if sm50::is_loaded(architecture) => Content::Cubin,
                architecture => Content::Foreign(Foreign::Cuda(architecture)),
            }
        }
        _ => Content::Foreign(Foreign::Machine(machine)),
    }
}
