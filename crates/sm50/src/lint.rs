//! What is odd about a header, by itself and beside its code. None of it keeps a program from running.
//!
//! Sources: "Shader Program Header" for the ranges; Mesa's nouveau for what real headers have.

use crate::field::key;
use crate::header::{Header, Stage, Topology};
use crate::instruction::Instruction;
use crate::program::{Code, Program};
use crate::table::Op;
use thiserror::Error;

/// What is odd about a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HeaderWarning {
    /// The type of the header and the stage contradict each other.
    #[error("header type {sph_type} does not belong to stage `{}`: it must be 1 for vertex to geometry, 2 for pixel", stage.name())]
    Type {
        /// The type.
        sph_type: u8,
        /// The stage.
        stage: Stage,
    },
    /// The version is unknown.
    #[error("header version {0}; the known one is 3")]
    Version(u8),
    /// The stage is none that runs.
    #[error("stage `{}` is none of vertex, tess_init, tessellation, geometry", .0.name())]
    Stage(Stage),
    /// A geometry program without instances.
    #[error("a geometry program has at least 1 thread for each primitive, not 0: set `.threads_per_input_primitive`")]
    NoInstances,
    /// A geometry program puts out nothing that is known.
    #[error("a geometry program puts out points, line_strip or triangle_strip, not `{}`: set `.output_topology`", .0.name())]
    OutputTopology(Topology),
    /// The count of vertices is out of range.
    #[error("a geometry program emits 1 to 1024 vertices, not {0}: set `.max_output_vertex_count`")]
    VertexCount(u16),
    /// The count of threads for a patch is out of range.
    #[error("a patch has 1 to 32 threads, not {0}: set `.threads_per_input_primitive`")]
    PatchThreads(u8),
    /// The fields that repeat the patch words say something else.
    #[error("the reserved fields repeat {repeated} patch words, the header has {words}")]
    PatchWords {
        /// Words of the patch record.
        words: u8,
        /// What the reserved fields say.
        repeated: u8,
    },
    /// The size of the call stack is odd.
    #[error("the call stack of {0} bytes is no multiple of 512")]
    CallStack(u32),
    /// A flag is missing that the instruction needs on hardware.
    #[error("instruction at {at:#06x} needs `.{flag} yes`; the machine skips it otherwise (it is executed here)")]
    Capability {
        /// Byte address of the first such instruction.
        at: u32,
        /// The field, as directives spell it.
        flag: &'static str,
    },
    /// A load reads an attribute that the header does not ask for.
    #[error("the load at {at:#06x} reads attribute {address:#x}, which is not in the input map: it gives 0")]
    Unmapped {
        /// Byte address of the instruction.
        at: u32,
        /// Address of the attribute.
        address: u32,
    },
    /// A store writes an attribute that the header does not declare.
    #[error("the store at {at:#06x} writes attribute {address:#x}, which is not in the output map: it is dropped")]
    Discarded {
        /// Byte address of the instruction.
        at: u32,
        /// Address of the attribute.
        address: u32,
    },
    /// A store to patch data beyond what the header declares.
    #[error("the store at {at:#06x} writes patch word {word}, the header declares {count}: it is kept here")]
    BeyondPatch {
        /// Byte address of the instruction.
        at: u32,
        /// Number of the word.
        word: u32,
        /// Words that the header declares.
        count: u8,
    },
    /// The coordinates of the evaluation point are read, but not declared as outputs.
    #[error("the tessellation coordinate {0:#x} is read; hardware wants it in the output map")]
    Coordinate(u32),
}

/// What is odd about the header of a program, in the order of the header, then of the code; nothing for compute code.
pub fn lint(program: &Program) -> Vec<HeaderWarning> {
    let Some(header) = &program.header else { return Vec::new() };
    let mut warnings = header_alone(header);
    let instructions = program.code.instructions().iter().enumerate();
    for (index, instruction) in instructions {
        instruction_beside(header, instruction, Code::address(index), &mut warnings);
    }
    warnings
}

fn header_alone(header: &Header) -> Vec<HeaderWarning> {
    let mut warnings = Vec::new();
    let mut say = |odd: bool, warning: HeaderWarning| {
        if odd {
            warnings.push(warning);
        }
    };
    let stage = header.stage;
    let expected_type = if stage == Stage::Pixel { 2 } else { 1 };
    say(header.sph_type != expected_type, HeaderWarning::Type { sph_type: header.sph_type, stage });
    say(header.version != 3, HeaderWarning::Version(header.version));
    let known = matches!(stage, Stage::Vertex | Stage::TessellationInit | Stage::Tessellation | Stage::Geometry);
    say(!known, HeaderWarning::Stage(stage));
    let threads = header.threads_per_input_primitive;
    if stage == Stage::Geometry {
        let topology = header.output_topology;
        let strips = matches!(topology, Topology::Points | Topology::LineStrip | Topology::TriangleStrip);
        say(threads == 0, HeaderWarning::NoInstances);
        say(!strips, HeaderWarning::OutputTopology(topology));
        let count = header.max_output_vertex_count;
        say(!(1..=1024).contains(&count), HeaderWarning::VertexCount(count));
    }
    if stage == Stage::TessellationInit {
        say(!(1..=32).contains(&threads), HeaderWarning::PatchThreads(threads));
        let repeated = header.reserved_b | header.reserved_c << 4;
        let words = header.per_patch_attribute_count;
        say(repeated != words, HeaderWarning::PatchWords { words, repeated });
    }
    let stack = header.local_memory_crs_size;
    say(!stack.is_multiple_of(512), HeaderWarning::CallStack(stack));
    warnings
}

fn instruction_beside(header: &Header, instruction: &Instruction, at: u32, warnings: &mut Vec<HeaderWarning>) {
    let mut capability = |missing: bool, flag: &'static str| {
        let said = |warning: &HeaderWarning| matches!(warning, HeaderWarning::Capability { flag: before, .. } if *before == flag);
        if missing && !warnings.iter().any(said) {
            warnings.push(HeaderWarning::Capability { at, flag });
        }
    };
    match instruction.op() {
        Op::Ldl | Op::Stl | Op::Ldg => capability(!header.does_load_or_store, "does_load_or_store"),
        Op::Stg => {
            capability(!header.does_load_or_store, "does_load_or_store");
            capability(!header.does_global_store, "does_global_store");
        }
        op if op.is_double() => capability(!header.does_fp64, "does_fp64"),
        Op::Kil => capability(!header.kills_pixels, "kills_pixels"),
        Op::Ald | Op::Ast => attributes(header, instruction, at, warnings),
        _ => {}
    }
}

fn attributes(header: &Header, instruction: &Instruction, at: u32, warnings: &mut Vec<HeaderWarning>) {
    let store = instruction.op() == Op::Ast;
    for address in instruction.fixed_attributes() {
        let coordinate = header.stage == Stage::Tessellation && matches!(address, 0x2f0 | 0x2f4);
        if instruction.get(key::PATCH) {
            let (word, count) = (address / 4, header.per_patch_attribute_count);
            if store && header.stage == Stage::TessellationInit && word >= count.into() {
                warnings.push(HeaderWarning::BeyondPatch { at, word, count });
            }
        } else if store {
            if !header.omap.contains(address) {
                warnings.push(HeaderWarning::Discarded { at, address });
            }
        } else if coordinate {
            if !header.omap.contains(address) {
                warnings.push(HeaderWarning::Coordinate(address));
            }
        } else if !instruction.get(key::O) && !header.imap.contains(address) {
            warnings.push(HeaderWarning::Unmapped { at, address });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    fn warnings(text: &str) -> Vec<HeaderWarning> {
        lint(&parse(text).expect("a program").program)
    }

    #[test]
    fn what_compilers_write_is_not_odd() {
        assert_eq!(warnings(".stage vertex\nALD.128 R0, a[0x80]\nAST.128 a[0x70], R0\nEXIT"), []);
        let text =
            ".stage tess_init\n.threads_per_input_primitive 3\n.per_patch_attribute_count 6\nAST.P a[0x14], R0\nEXIT";
        assert_eq!(warnings(text), []);
        assert_eq!(warnings("STG.E [R0], R2\nEXIT"), []);
    }

    #[test]
    fn what_hardware_would_do_otherwise() {
        let text = ".stage geometry\n.imap none\n.omap 0x70\n.does_load_or_store no\n.version 2\n.local_memory_crs_size 100\n\
                    LDL R1, [0x10]\nSTL [0x14], R1\nALD.64 R0, a[0x84]\nAST.64 a[0x70], R0\nEXIT";
        assert_eq!(
            warnings(text),
            [
                HeaderWarning::Version(2),
                HeaderWarning::NoInstances,
                HeaderWarning::OutputTopology(Topology::None),
                HeaderWarning::VertexCount(0),
                HeaderWarning::CallStack(100),
                HeaderWarning::Capability { at: 8, flag: "does_load_or_store" },
                HeaderWarning::Unmapped { at: 24, address: 0x80 },
                HeaderWarning::Unmapped { at: 24, address: 0x84 },
                HeaderWarning::Discarded { at: 40, address: 0x74 },
            ]
        );
        let text = ".stage tess_init\n.threads_per_input_primitive 33\n.per_patch_attribute_count 6\n.reserved_b 0\n\
                    AST.P a[0x18], R0\nDADD R0, R0, R0\nEXIT";
        assert_eq!(
            warnings(text),
            [
                HeaderWarning::PatchThreads(33),
                HeaderWarning::PatchWords { words: 6, repeated: 0 },
                HeaderWarning::BeyondPatch { at: 8, word: 6, count: 6 },
            ]
        );
        assert_eq!(
            warnings(".stage tessellation\n.omap none\nALD.O.64 R0, a[0x2f0]\nEXIT"),
            [HeaderWarning::Coordinate(0x2f0), HeaderWarning::Coordinate(0x2f4),]
        );
    }
}
