//! Files that nothing here loads: what they are, and what to do.

use std::fmt;

/// A file of another machine, or of another format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// An ELF file whose header is not all there.
    CutOffElf,
    /// An ELF file for an AMD GPU of another family, by `EF_AMDGPU_MACH`.
    AmdGpu(u32),
    /// A CUDA object for another architecture, by its number: 70 is sm_70.
    Cuda(u8),
    /// An ELF file for any other machine, by `e_machine`.
    Machine(u16),
    /// Something else.
    Format(Format),
}

/// Processors of `EF_AMDGPU_MACH`: the number, LLVM's name, and the family.
///
/// Source: LLVM's "User Guide for AMDGPU Backend", AMDGPU ELF Header.
const AMD_PROCESSORS: &[(u32, &str, &str)] = &[
    (0x08, "cedar", EVERGREEN),
    (0x09, "cypress", EVERGREEN),
    (0x0A, "juniper", EVERGREEN),
    (0x0B, "redwood", EVERGREEN),
    (0x0C, "sumo", EVERGREEN),
    (0x0D, "barts", NORTHERN_ISLANDS),
    (0x0E, "caicos", NORTHERN_ISLANDS),
    (0x0F, "cayman", NORTHERN_ISLANDS),
    (0x10, "turks", NORTHERN_ISLANDS),
    (0x20, "gfx600", GCN),
    (0x21, "gfx601", GCN),
    (0x22, "gfx700", GCN),
    (0x23, "gfx701", GCN),
    (0x24, "gfx702", GCN),
    (0x25, "gfx703", GCN),
    (0x26, "gfx704", GCN),
    (0x28, "gfx801", GCN),
    (0x29, "gfx802", GCN),
    (0x2A, "gfx803", GCN),
    (0x2B, "gfx810", GCN),
    (0x2C, "gfx900", GCN),
    (0x2D, "gfx902", GCN),
    (0x2E, "gfx904", GCN),
    (0x2F, "gfx906", GCN),
    (0x30, "gfx908", CDNA),
    (0x31, "gfx909", GCN),
    (0x32, "gfx90c", GCN),
    (0x33, "gfx1010", RDNA),
    (0x34, "gfx1011", RDNA),
    (0x35, "gfx1012", RDNA),
    (0x36, "gfx1030", RDNA),
    (0x37, "gfx1031", RDNA),
    (0x38, "gfx1032", RDNA),
    (0x39, "gfx1033", RDNA),
    (0x3A, "gfx602", GCN),
    (0x3B, "gfx705", GCN),
    (0x3C, "gfx805", GCN),
    (0x3D, "gfx1035", RDNA),
    (0x3E, "gfx1034", RDNA),
    (0x3F, "gfx90a", CDNA),
    (0x40, "gfx940", CDNA),
    (0x41, "gfx1100", RDNA),
    (0x42, "gfx1013", RDNA),
    (0x43, "gfx1150", RDNA),
    (0x44, "gfx1103", RDNA),
    (0x45, "gfx1036", RDNA),
    (0x46, "gfx1101", RDNA),
    (0x47, "gfx1102", RDNA),
    (0x48, "gfx1200", RDNA),
    (0x4A, "gfx1151", RDNA),
    (0x4B, "gfx941", CDNA),
    (0x4C, "gfx942", CDNA),
    (0x4E, "gfx1201", RDNA),
    (0x4F, "gfx950", CDNA),
];

const EVERGREEN: &str = "Evergreen";
const NORTHERN_ISLANDS: &str = "Northern Islands";
const GCN: &str = "GCN";
const CDNA: &str = "CDNA";
const RDNA: &str = "RDNA";

/// Machines of `e_machine`.
const MACHINES: &[(u16, &str)] = &[
    (2, "SPARC"),
    (3, "x86"),
    (4, "Motorola 68000"),
    (8, "MIPS"),
    (20, "PowerPC"),
    (21, "PowerPC 64"),
    (22, "IBM S/390"),
    (23, "Cell SPU"),
    (40, "ARM"),
    (42, "SuperH"),
    (43, "SPARC V9"),
    (50, "Itanium"),
    (62, "x86-64"),
    (164, "Qualcomm Hexagon"),
    (183, "AArch64"),
    (205, "Intel GPUs"),
    (243, "RISC-V"),
    (247, "BPF"),
    (258, "LoongArch"),
];

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Foreign::CutOffElf => f.write_str("an ELF file that ends inside its header"),
            Foreign::AmdGpu(processor) => match AMD_PROCESSORS.iter().find(|(number, ..)| *number == processor) {
                Some((_, name, family)) => write!(f, "an ELF object for an AMD GPU of the {family} family ({name})"),
                None => write!(f, "an ELF object for an AMD GPU (processor {processor:#x} of LLVM's list)"),
            },
            Foreign::Cuda(architecture) => write!(f, "a cubin for sm_{architecture}"),
            Foreign::Machine(machine) => match MACHINES.iter().find(|(number, _)| *number == machine) {
                Some((_, name)) => write!(f, "an ELF file for {name}"),
                None => write!(f, "an ELF file for machine {machine}"),
            },
            Foreign::Format(format) => f.write_str(format.name()),
        }
    }
}

impl Foreign {
    /// What to do, and what can be loaded instead.
    pub fn help(&self) -> &'static str {
        match self {
            Foreign::CutOffElf => "copy or write the file again",
            Foreign::AmdGpu(_) => {
                "objects for R600 and R700 can be loaded: 'llc -march=r600 -mcpu=rv770 -filetype=obj' writes one"
            }
            Foreign::Cuda(_) => {
                "cubins for sm_50 to sm_62 (Maxwell and Pascal) can be loaded: compile with 'ptxas -arch=sm_50'"
            }
            Foreign::Machine(_) => {
                "ELF files that can be loaded are CTM images, objects of LLVM for R600 and R700, and cubins for sm_50"
            }
            Foreign::Format(format) => format.help(),
        }
    }
}

/// Formats of files that are not machine code of a GPU that can be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// SPIR-V in binary form.
    SpirV,
    /// SPIR-V as text.
    SpirVText,
    /// A Direct3D container with code of DXIL.
    Dxil,
    /// A Direct3D container with code of shader models 4 and 5.
    Dxbc,
    /// A Direct3D 9 vertex shader, as code or as text.
    Direct3D9Vertex,
    /// LLVM bitcode.
    Bitcode,
    /// PTX.
    Ptx,
    /// A CUDA fat binary.
    Fatbin,
    /// HLSL.
    Hlsl,
    /// The Metal Shading Language.
    Msl,
    /// LLVM's intermediate representation as text.
    LlvmText,
    /// ARB and NV assembly programs of OpenGL.
    ArbAssembly,
    /// TGSI as text, the language between Mesa's front ends and older drivers.
    Tgsi,
    /// Assembly of AMD GPUs from GCN on.
    GcnText,
    /// A library of Metal.
    MetalLibrary,
    /// An executable of Windows.
    WindowsExecutable,
    /// An executable of macOS.
    MachO,
    /// WebAssembly.
    WebAssembly,
    /// An archive of `ar`.
    Archive,
    /// Zip.
    Zip,
    /// Gzip.
    Gzip,
    /// Zstandard.
    Zstandard,
    /// A PNG picture.
    Png,
    /// A NumPy array.
    Npy,
}

const COMPILE: &str = "it is not machine code: compile it with the driver or compiler of a GPU that is executed here";
const UNPACK: &str = "unpack it first";
const DATA: &str = "data goes to 'ctm run' as --input N=FILE, together with a program";
const CPU: &str = "it has code for a CPU; programs of GPUs are loaded here";

impl Format {
    /// The format of bytes, by their first ones.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        const MAGICS: &[(&[u8], Format)] = &[
            (b"\x03\x02\x23\x07", Format::SpirV),
            (b"\x07\x23\x02\x03", Format::SpirV),
            (b"BC\xC0\xDE", Format::Bitcode),
            (b"\x50\xED\x55\xBA", Format::Fatbin),
            (b"MTLB", Format::MetalLibrary),
            (b"\xCF\xFA\xED\xFE", Format::MachO),
            (b"\0asm", Format::WebAssembly),
            (b"!<arch>\n", Format::Archive),
            (b"PK\x03\x04", Format::Zip),
            (b"\x1F\x8B\x08", Format::Gzip),
            (b"\x28\xB5\x2F\xFD", Format::Zstandard),
            (b"\x89PNG\r\n\x1A\n", Format::Png),
            (b"\x93NUMPY", Format::Npy),
        ];
        match bytes {
            [b'D', b'X', b'B', b'C', ..] => Some(if has_dxil(bytes) { Format::Dxil } else { Format::Dxbc }),
            // The version token: minor and major version, then what kind of program it is.
            [0..=4, 1..=3, 0xFE, 0xFF, ..] => Some(Format::Direct3D9Vertex),
            [b'M', b'Z', ..] if is_windows_executable(bytes) => Some(Format::WindowsExecutable),
            _ => MAGICS.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|&(_, format)| format),
        }
    }

    /// What it is, with an article.
    pub fn name(self) -> &'static str {
        match self {
            Format::SpirV => "a SPIR-V module",
            Format::SpirVText => "the text of a SPIR-V module",
            Format::Dxil => "a Direct3D container with DXIL",
            Format::Dxbc => "a Direct3D container with bytecode of shader model 4 or 5 (DXBC)",
            Format::Direct3D9Vertex => "a Direct3D 9 vertex shader",
            Format::Bitcode => "LLVM bitcode",
            Format::Ptx => "PTX",
            Format::Fatbin => "a CUDA fat binary",
            Format::Hlsl => "HLSL",
            Format::Msl => "Metal Shading Language",
            Format::LlvmText => "LLVM IR",
            Format::ArbAssembly => "an ARB or NV assembly program of OpenGL",
            Format::Tgsi => "TGSI",
            Format::GcnText => "assembly of an AMD GPU from GCN on",
            Format::MetalLibrary => "a library of Metal",
            Format::WindowsExecutable => "an executable of Windows",
            Format::MachO => "an executable of macOS",
            Format::WebAssembly => "a module of WebAssembly",
            Format::Archive => "an archive of object files",
            Format::Zip => "a zip archive",
            Format::Gzip => "compressed by gzip",
            Format::Zstandard => "compressed by zstd",
            Format::Png => "a PNG picture",
            Format::Npy => "a NumPy array",
        }
    }

    /// What to do.
    pub fn help(self) -> &'static str {
        match self {
            Format::SpirV | Format::SpirVText | Format::Dxil | Format::Dxbc | Format::Msl | Format::MetalLibrary => {
                COMPILE
            }
            Format::Direct3D9Vertex => {
                "only pixel shaders of Direct3D 9 are compiled here; vertex programs of the same hardware are PVS"
            }
            Format::Hlsl => "'fxc /T ps_3_0 /Fc FILE.ps' makes pixel shader text of it, which can be compiled here",
            Format::ArbAssembly | Format::Tgsi => {
                "Mesa's r300 and r600 drivers compile it: RADEON_DEBUG=fp,vp and R600_DEBUG=ps,vs print the machine code"
            }
            Format::GcnText => {
                "programs for R600 and R700 can be loaded: 'llc -march=r600 -mcpu=rv770 -filetype=obj' writes one"
            }
            Format::Bitcode | Format::LlvmText => {
                "'llc -march=r600 -mcpu=rv770 -filetype=obj' makes an object for R700 of it"
            }
            Format::Ptx => "'ptxas -arch=sm_50 FILE -o FILE.cubin' makes a cubin of it",
            Format::Fatbin => "'cuobjdump --extract-elf all FILE' takes the cubins out; that for sm_50 can be loaded",
            Format::WindowsExecutable | Format::MachO | Format::WebAssembly => CPU,
            Format::Archive | Format::Zip | Format::Gzip | Format::Zstandard => UNPACK,
            Format::Png | Format::Npy => DATA,
        }
    }
}

/// Whether a Direct3D container has a part with DXIL: the offsets of its parts come after a header of 32 bytes.
fn has_dxil(bytes: &[u8]) -> bool {
    const HEADER: usize = 32;
    /// More parts than compilers write, so that a bad count takes no time.
    const MOST_PARTS: usize = 64;
    let count =
        bytes.get(HEADER - 4..HEADER).map_or(0, |count| u32::from_le_bytes([count[0], count[1], count[2], count[3]]));
    let offsets = bytes.get(HEADER..).unwrap_or_default().as_chunks().0;
    offsets.iter().take(MOST_PARTS.min(count as usize)).any(|&offset| {
        let at = u32::from_le_bytes(offset) as usize;
        bytes.get(at..).is_some_and(|part| part.starts_with(b"DXIL"))
    })
}

/// Whether the header of MS-DOS leads to that of a Windows executable.
fn is_windows_executable(bytes: &[u8]) -> bool {
    const OFFSET: std::ops::Range<usize> = 60..64;
    bytes.get(OFFSET).is_some_and(|at| {
        let at = u32::from_le_bytes([at[0], at[1], at[2], at[3]]) as usize;
        bytes.get(at..).is_some_and(|header| header.starts_with(b"PE\0\0"))
    })
}
