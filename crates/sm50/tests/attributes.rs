//! Attribute memory in every form of access, in every stage.

use ctm_sm50::attributes::{Emissions, Event, Records, Slots, Words, surviving};
use ctm_sm50::launch::{
    Column, Environment, Invocations, Mode, Primitives, Shader, StageLaunch, StageRunner, Stop, TrapKind, WarningKind,
    Warnings,
};
use ctm_sm50::pipeline::Draw;
use ctm_sm50::reference::Reference;
use ctm_sm50::{AttributeMap, Header, Stage, Topology, text};

/// Primitives of the warp, with two vertices each.
const PRIMITIVES: u32 = 2;
const VERTICES: u32 = 2;
const MAX_VERTICES: u16 = 3;

/// What a warp left behind.
struct Left {
    outputs: Records,
    patches: Records,
    emissions: Emissions,
    warnings: Warnings,
}

impl Left {
    fn get(&self, record: u32, address: u32) -> u32 {
        self.outputs.view().get(record, address)
    }
}

/// Runs a warp of four lanes, two of each of two primitives. Input word `a` of record r is 0x1000 * r + a; patch records of
/// tessellation programs the same plus 0x100000; PRIMITIVE_ID of primitive p is 70 + p. The indices are 3, 2, 1, 0.
fn run(stage: Stage, mode: Mode, omap: &[u32], code: &str) -> Result<Left, Stop> {
    let code = format!(".stage {}\n{code}\nEXIT;\n", stage.name());
    let program = text::parse(&code).unwrap_or_else(|errors| panic!("{code}\n{errors:?}")).program;
    let header = Header {
        imap: [0x60, 0x70, 0x74, 0x78, 0x7C, 0x80, 0x84].into_iter().collect(),
        omap: omap.iter().copied().collect(),
        threads_per_input_primitive: 2,
        max_output_vertex_count: MAX_VERTICES,
        output_topology: Topology::Points,
        per_patch_attribute_count: 12,
        ..Header::new(stage)
    };
    let lanes = PRIMITIVES * 2;
    let mut columns = vec![0; (Column::COUNT * lanes) as usize];
    for lane in 0..lanes {
        let mut set = |column: Column, value| columns[(column as u32 * lanes + lane) as usize] = value;
        set(Column::Primitive, lane / 2);
        set(Column::Invocation, lane % 2);
        set(Column::Handles, PRIMITIVES * VERTICES);
        set(Column::U, 0x100 + lane);
        set(Column::V, 0x200 + lane);
    }
    let vertex = stage == Stage::Vertex;
    let invocations = Invocations { count: lanes, columns: (!vertex).then(|| Words::of(&columns).unwrap()) };
    let primitives = Primitives {
        vertices: VERTICES,
        indices: Words::of(&[3, 2, 1, 0]).unwrap(),
        ids: Words::of(&[70, 71]).unwrap(),
    };
    let inputs = Records::new(Slots::all(), 4).unwrap();
    let patches = Records::new(Slots::all(), PRIMITIVES).unwrap();
    for address in (0..1024).step_by(4) {
        (0..4).for_each(|record| inputs.view().set(record, address, 0x1000 * record + address));
        if stage == Stage::Tessellation {
            (0..PRIMITIVES).for_each(|patch| patches.view().set(patch, address, 0x10_0000 + 0x1000 * patch + address));
        }
    }
    let survivors = surviving(&header, None);
    let slots = if stage == Stage::Geometry { u32::from(MAX_VERTICES) } else { 1 };
    let coordinates: AttributeMap = survivors.iter().chain([0x2F0, 0x2F4]).collect();
    let outputs = Records::new(Slots::of(&coordinates), lanes * slots).unwrap();
    let emissions = Emissions::new(lanes, MAX_VERTICES.into()).unwrap();
    let environment = Environment { mode, ..Environment::default() };
    let launch = StageLaunch {
        inputs: Some(&inputs),
        primitives: (!vertex).then_some(&primitives),
        patches: Some(&patches),
        outputs: Some(&outputs),
        emissions: Some(&emissions),
        ..StageLaunch::new(
            Shader {
                header: Some(header),
                code: &program.code,
                local_memory: 0,
                shared_memory: 0,
                constants: &[],
                banks: None,
            },
            &environment,
            &invocations,
            survivors,
        )
    };
    let outcome = Reference.run(&launch, &Draw::options())?;
    Ok(Left { warnings: outcome.warnings, outputs, patches, emissions })
}

fn strict(stage: Stage, omap: &[u32], code: &str) -> Left {
    run(stage, Mode::Strict, omap, code).unwrap_or_else(|stop| panic!("{stop}\n{code}"))
}

/// A strict run traps, a lenient one warns and gives the rest.
fn objects(stage: Stage, kind: TrapKind, omap: &[u32], code: &str) -> Left {
    match run(stage, Mode::Strict, omap, code) {
        Err(Stop::Trap(trap)) => assert_eq!(trap.kind, kind, "{code}"),
        other => panic!("{code}: no trap but {}", other.is_ok()),
    }
    let left = run(stage, Mode::Lenient, omap, code).unwrap();
    assert!(left.warnings.iter().any(|(_, _, warned, _)| warned == WarningKind::Violation(kind)), "{code}");
    left
}

/// Registers R0 to R3 of 1, 2, 3, 4.
const SET: &str = "MOV32I R0, 0x1; MOV32I R1, 0x2; MOV32I R2, 0x3; MOV32I R3, 0x4;";
const ALL: &[u32] = &[0x70, 0x74, 0x78, 0x7C, 0x80, 0x84, 0x88, 0x8C, 0x90];

#[test]
fn stores_of_every_size_in_every_stage() {
    for stage in [Stage::Vertex, Stage::TessellationInit, Stage::Tessellation, Stage::Geometry] {
        for (size, words) in [("", 1), (".64", 2), (".96", 3), (".128", 4)] {
            let left = strict(stage, ALL, &format!("{SET} AST{size} a[0x70], R0; MOV R0, RZ;"));
            let record = if stage == Stage::Geometry { 3 * u32::from(MAX_VERTICES) } else { 3 };
            let got = [0, 1, 2, 3].map(|k| left.get(record, 0x70 + 4 * k));
            assert_eq!(got, [1, 2, 3, 4].map(|k| if k <= words { k } else { 0 }), "{stage:?} {size}");
        }
    }
}

#[test]
fn addresses_and_registers_are_aligned_down() {
    // Registers R2.. of a vector of four are R0.., and a[0x7c] is a[0x70].
    let left = strict(Stage::Vertex, ALL, &format!("{SET} AST.128 a[0x7c], R2; AST.64 a[0x84], R1;"));
    assert_eq!([0x70, 0x74, 0x78, 0x7C, 0x80, 0x84].map(|at| left.get(0, at)), [1, 2, 3, 4, 1, 2]);
    // A register of RZ is zeros, whatever the size, and not R252.
    let code = format!("{SET} AST.128 a[0x70], R0; MOV32I R252, 0x9; AST.64 a[0x70], RZ;");
    assert_eq!([0x70, 0x74, 0x78].map(|at| strict(Stage::Vertex, ALL, &code).get(0, at)), [0, 0, 3]);
    let left = objects(Stage::Vertex, TrapKind::OutOfRangeReg, ALL, "MOV32I R254, 0x5; AST.128 a[0x70], R252;");
    assert_eq!((left.get(0, 0x78), left.get(0, 0x7C)), (5, 0));
}

#[test]
fn what_the_maps_or_the_space_exclude_vanishes() {
    let left = strict(Stage::Vertex, &[0x74, 0x3BC], &format!("{SET} AST.128 a[0x70], R0; AST a[0x3c0], R0;"));
    assert_eq!([0x70, 0x74, 0x78].map(|at| left.get(0, at)), [0, 2, 0]);
    let code = format!(
        "{SET} MOV32I R4, 0x400; AST.PHYS a[R4], R0; MOV32I R4, 0xfffffff0; AST.PHYS.128 a[R4], R0;
        ALD.PHYS R1, a[R4]; AST a[0x3bc], R1;"
    );
    assert_eq!(strict(Stage::Vertex, &[0x3BC], &code).get(0, 0x3BC), 0, "loads outside the space give 0");
}

#[test]
fn physical_addresses_come_from_al2p() {
    let code = "MOV32I R4, 0x10; AL2P.O R5, R4, 0x70; MOV32I R0, 0x7; AST.PHYS a[R5], R0; AL2P P0, R6, R4, -0x20;
        @!P0 AST a[0x84], R0; AL2P P1, R6, RZ, 0x3fc; @P1 AST a[0x88], R0; AL2P R7, 0x74; ALD.PHYS R8, a[R7];
        AST a[0x8c], R8;";
    let left = strict(Stage::Vertex, ALL, code);
    assert_eq!([0x80, 0x84, 0x88, 0x8C].map(|at| left.get(2, at)), [7, 7, 7, 0x2074]);
}

#[test]
fn inputs_by_vertex_handle() {
    let code = "S2R R0, SR_INVOCATION_INFO; PRMT R1, R0, 0x4440, RZ; PRMT R2, R0, 0x4442, RZ; XMAD R3, R1, R2, RZ;
        IADD R3, R3, 0x1; ISBERD R4, [R3]; ALD.64 R6, a[0x80], R4; ALD R8, a[0x60]; ALD R9, a[0x70];
        AST.64 a[0x70], R6; AST a[0x78], R8; AST a[0x7c], R9;";
    for stage in [Stage::TessellationInit, Stage::Tessellation] {
        let left = strict(stage, ALL, code);
        for lane in 0..4 {
            // Vertex 1 of primitive p is record 2 - 2p, vertex 0 is record 3 - 2p.
            let primitive = lane / 2;
            let record = 2 - 2 * primitive;
            let expected =
                [0x1000 * record + 0x80, 0x1000 * record + 0x84, 70 + primitive, 0x1000 * (record + 1) + 0x70];
            assert_eq!([0x70, 0x74, 0x78, 0x7C].map(|at| left.get(lane, at)), expected, "{stage:?} {lane}");
        }
    }
    let left = strict(Stage::Vertex, ALL, "ALD.128 R4, a[0x70]; AST.128 a[0x70], R4;");
    assert_eq!(left.get(2, 0x7C), 0x207C);
}

#[test]
fn loads_that_the_header_or_the_warp_forbids() {
    use TrapKind::*;
    let store = "MOV32I R1, 0x5; IADD R0, R0, R1; AST a[0x70], R0;";
    let cases = [
        (Stage::Vertex, IllegalSphInstrCombo, "ALD R0, a[0x90];"),
        (Stage::Vertex, IllegalSphInstrCombo, "ALD R0, a[0x3c0];"),
        (Stage::Vertex, IllegalSphInstrCombo, "ALD.P R0, a[0x0];"),
        (Stage::Tessellation, IllegalSphInstrCombo, "ALD.O.P R0, a[0x0];"),
        (Stage::TessellationInit, IllegalSphInstrCombo, "ALD.P R0, a[0x0];"),
        (Stage::TessellationInit, OutOfRangeAddr, "MOV32I R4, 0x4; ALD R0, a[0x70], R4;"),
        (Stage::TessellationInit, OutOfRangeAddr, "MOV32I R4, 0x4; ALD.O R0, a[0x70], R4;"),
        (Stage::TessellationInit, OutOfRangeAddr, "MOV32I R4, 0x4; ISBERD R0, [R4];"),
        (Stage::Vertex, OutOfRangeAddr, "MOV32I R4, 0x14; ALD R0, a[0x70], R4;"),
        (Stage::Vertex, IllegalSphInstrCombo, "AST.P a[0x0], R0;"),
        (Stage::Vertex, IllegalSphInstrCombo, "OUT.EMIT R0, RZ, RZ;"),
    ];
    for (stage, kind, code) in cases {
        assert_eq!(objects(stage, kind, ALL, &format!("{code} {store}")).get(0, 0x70), 5, "{code}");
    }
    objects(Stage::Geometry, IllegalSphInstrCombo, ALL, "ALD.O R0, a[0x70]; MOV R0, RZ;");
}

#[test]
fn outputs_of_other_lanes() {
    let code = "S2R R0, SR_LANEID; IADD R1, R0, 0x30; AST a[0x70], R1; LOP.XOR R2, R0, 0x1; ALD.O R3, a[0x70], R2;
        ALD.O R4, a[0x70]; AST a[0x74], R3; AST a[0x78], R4;";
    let left = strict(Stage::TessellationInit, ALL, code);
    for lane in 0..4 {
        assert_eq!([0x74, 0x78].map(|at| left.get(lane, at)), [0x30 + (lane ^ 1), 0x30 + lane]);
    }
}

#[test]
fn patch_memory() {
    let code = "S2R R0, SR_LANEID; S2R R1, SR_INVOCATION_ID; AST.P a[0x10], R0; SHL R2, R1, 0x2; AST.P a[R2+0x20], R0;
        ALD.O.P R3, a[R2+0x20]; AST a[0x70], R3; ALD.O.P R4, a[0x10]; AST a[0x74], R4; AST.P a[0x3fc], R0, R5;
        MOV32I R6, 0x400; AST.P a[R6], R0; MOV32I R6, 0xfffffffc; AST.P a[R6-0x4], R0; AST.P a[R6+0x18], R0;";
    let left = strict(Stage::TessellationInit, ALL, code);
    let patch = |patch, address| left.patches.view().get(patch, address);
    assert_eq!([patch(0, 0x10), patch(1, 0x10)], [1, 3], "the highest lane wins");
    assert_eq!([patch(1, 0x20), patch(1, 0x24), patch(1, 0x14), patch(1, 0x3FC)], [2, 3, 3, 3]);
    for lane in 0..4 {
        assert_eq!([left.get(lane, 0x70), left.get(lane, 0x74)], [lane, lane | 1]);
    }
    let beyond: Vec<_> = left.warnings.iter().map(|(_, _, kind, warning)| (kind, warning.count)).collect();
    assert_eq!(beyond, [(WarningKind::PatchBeyondCount, 4)]);

    let code = "MOV32I R1, 0x8; ALD.P.64 R2, a[R1+0x20]; AST.64 a[0x70], R2;";
    assert_eq!(strict(Stage::Tessellation, ALL, code).get(2, 0x74), 0x10_102C);
}

#[test]
fn tessellation_coordinates() {
    let left = strict(Stage::Tessellation, ALL, "ALD.64 R0, a[0x2f0]; AST.64 a[0x70], R0;");
    assert_eq!([left.get(3, 0x70), left.get(3, 0x74)], [0x103, 0x203]);
}

#[test]
fn geometry_state() {
    let strip = |lane, left: &Left| left.emissions.events(lane).collect::<Vec<_>>();
    let (emit, cut) = (|stream, vertex| Event::Emit { stream, vertex }, |stream| Event::Cut { stream });
    let code = "MOV32I R8, 0x5; AST a[0x70], R8, RZ; OUT.EMIT R4, RZ, RZ; MOV32I R8, 0x6; AST a[0x70], R8, R4;
        MOV32I R9, 0x2; OUT.EMIT R4, R4, R9; OUT.EMIT_THEN_CUT R0, R4, 0x1;";
    let left = strict(Stage::Geometry, ALL, code);
    assert_eq!(strip(2, &left), [emit(0, 0), emit(2, 1), emit(1, 2), cut(1)]);
    let first = 2 * u32::from(MAX_VERTICES);
    assert_eq!([0, 1, 2].map(|vertex| left.get(first + vertex, 0x70)), [5, 6, 0]);

    // More vertices than the header allows.
    let code = "OUT.EMIT R0, RZ, RZ; OUT.EMIT R0, R0, RZ; OUT.EMIT R0, R0, RZ; MOV32I R8, 0x5; AST a[0x70], R8, R0;
        OUT.EMIT_THEN_CUT R0, R0, RZ;";
    assert_eq!(strip(0, &strict(Stage::Geometry, ALL, code)), [emit(0, 0), emit(0, 1), emit(0, 2), cut(0)]);

    // What R0 does not say is lost.
    let left =
        objects(Stage::Geometry, TrapKind::GeometryError, ALL, "OUT.EMIT R4, RZ, RZ; OUT.EMIT R5, R4, RZ; MOV R0, R4;");
    assert_eq!(strip(1, &left), [emit(0, 0)]);
    let left = objects(Stage::Geometry, TrapKind::GeometryError, ALL, "OUT.EMIT R4, RZ, RZ;");
    assert!(strip(1, &left).is_empty());
    // States from nowhere.
    objects(Stage::Geometry, TrapKind::GeometryError, ALL, "MOV32I R4, 0x5000; OUT.EMIT R0, R4, RZ;");
    objects(Stage::Geometry, TrapKind::GeometryError, ALL, "MOV32I R4, 0x1; AST a[0x70], R4, R4; MOV R0, RZ;");
}
