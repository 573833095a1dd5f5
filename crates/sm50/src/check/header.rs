//! The header, by itself and against the code.

use super::{FindingCode, Findings, Subject};
use crate::header::{Header, Stage, Topology};
use crate::launch::WARP;
use crate::pipeline::MAX_OUTPUT_VERTICES;
use crate::table::Op;

pub(super) fn check(subject: &Subject, findings: &mut Findings) {
    let Some(header) = &subject.program.header else { return };
    fields(header, findings);
    match header.stage {
        Stage::Geometry => geometry(header, findings),
        Stage::TessellationInit => tess_init(header, findings),
        Stage::Tessellation => tessellation(subject, header, findings),
        Stage::None
        | Stage::Vertex
        | Stage::Pixel
        | Stage::Reserved6
        | Stage::Reserved7
        | Stage::Reserved8
        | Stage::Reserved9
        | Stage::Reserved10
        | Stage::Reserved11
        | Stage::Reserved12
        | Stage::Reserved13
        | Stage::Reserved14
        | Stage::Reserved15 => {}
    }
    flags(subject, header, findings);
}

fn fields(header: &Header, findings: &mut Findings) {
    let code = FindingCode::HeaderFields;
    let sph_type = if header.stage == Stage::Pixel { 2 } else { 1 };
    if header.sph_type != sph_type {
        let message = format!("a {} program has a header of type {}", header.stage.name(), header.sph_type);
        findings.program(code, message, format!("make it type {sph_type}"));
    }
    if header.version != 3 {
        findings.program(code, format!("the header has version {}", header.version), "make it version 3");
    }
    if !header.local_memory_crs_size.is_multiple_of(512) {
        let message = format!("the call stack has {} bytes", header.local_memory_crs_size);
        findings.program(code, message, "its size is a multiple of 512");
    }
    let (low, high) = header.patch_nibbles();
    if header.stage == Stage::TessellationInit && (header.reserved_b, header.reserved_c) != (low, high) {
        let count = header.per_patch_attribute_count;
        let message = format!("the reserved copies of the patch words do not say {count}");
        findings.program(
            code,
            message,
            format!("real headers have {low:#x} in RESERVED_B and {high:#x} in RESERVED_C"),
        );
    }
}

fn geometry(header: &Header, findings: &mut Findings) {
    let code = FindingCode::GeometryHeader;
    let instances = u32::from(header.threads_per_input_primitive);
    if !(1..=WARP).contains(&instances) {
        let message = format!("{instances} instances of each primitive");
        findings.program(code, message, "THREADS_PER_INPUT_PRIMITIVE is 1 to 32");
    }
    if !(1..=MAX_OUTPUT_VERTICES).contains(&header.max_output_vertex_count.into()) {
        let message = format!("up to {} output vertices", header.max_output_vertex_count);
        findings.program(code, message, "MAX_OUTPUT_VERTEX_COUNT is 1 to 1024");
    }
    if !matches!(header.output_topology, Topology::Points | Topology::LineStrip | Topology::TriangleStrip) {
        let message = format!("the output topology is {}", header.output_topology.name());
        findings.program(code, message, "it is points, line_strip or triangle_strip");
    }
    if header.stream_out_mask == 0 {
        findings.program(code, "no output stream is enabled", "STREAM_OUT_MASK has bit 0 set, at least");
    }
}

fn tess_init(header: &Header, findings: &mut Findings) {
    let threads = u32::from(header.threads_per_input_primitive);
    if !(1..=WARP).contains(&threads) {
        let message = format!("{threads} threads for each patch");
        findings.program(FindingCode::TessellationHeader, message, "THREADS_PER_INPUT_PRIMITIVE is 1 to 32");
    }
}

fn tessellation(subject: &Subject, header: &Header, findings: &mut Findings) {
    use crate::attributes::{TESS_COORD_U, TESS_COORD_V};
    let coordinates = [TESS_COORD_U, TESS_COORD_V];
    let reads = subject.instructions().any(|(_, _, instruction)| {
        instruction.op() == Op::Ald && instruction.fixed_attributes().any(|address| coordinates.contains(&address))
    });
    if reads && !coordinates.iter().all(|&address| header.omap.contains(address)) {
        let message = "the program reads its domain point, but the header's output map lacks 0x2f0 and 0x2f4";
        findings.program(
            FindingCode::TessellationHeader,
            message,
            "put both into the output map: hardware wants them there",
        );
    }
}

/// Kinds of instructions that hardware skips unless the header announces them.
fn flags(subject: &Subject, header: &Header, findings: &mut Findings) {
    let mut report = |set: bool, flag: &str, uses: &dyn Fn(Op) -> bool| {
        let user = subject.instructions().find(|(_, _, instruction)| uses(instruction.op()));
        if let (Some((index, _, instruction)), false) = (user, set) {
            let message = format!("{} in a program whose header has {flag} = 0", instruction.row().name);
            let help = format!("set {flag}: without, hardware skips the instruction (it executes here)");
            findings.at(FindingCode::FlagMissing, index, message, help);
        }
    };
    report(header.does_global_store, "DOES_GLOBAL_STORE", &Op::stores_globally);
    report(header.does_load_or_store, "DOES_LOAD_OR_STORE", &Op::loads_or_stores);
    report(header.does_fp64, "DOES_FP64", &Op::is_double);
}
