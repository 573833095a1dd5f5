//! Interpolated inputs: `set_params` and what programs find in their registers.

use crate::common::*;
use ctm_device::command::{Command, FormatCode};
use ctm_device::{Cause, ErrorCode, HOST_BASE, MemoryClient, ParamsError, StateError};

const PARAMS: u32 = HOST_BASE + 0x3_0004;
const FLOAT4: FormatCode = FormatCode::Float32_4;

/// Output 0 = interpolated input 2, output 1 = the position.
const INTERPOLANT: &str = "
    .position temp[5]
    .interpolant 2 = temp[0]
    OUT src0.rgb = temp[0], src0.a = temp[0] :
      out[0].rgb = exact * MAX src0.rgb src0.rgb, out[0].a = exact * MAX src0.a src0.a ;
    OUT TEX_SEM_WAIT src0.rgb = temp[5], src0.a = temp[5] :
      out[1].rgb = MAX src0.rgb src0.rgb, out[1].a = MAX src0.a src0.a ;";

/// A block whose vertices have so many floats, with input 2 at the corners of a rectangle three times as large as the domain.
fn block(size: usize, values: [[f32; 4]; 3]) -> Vec<f32> {
    let mut floats = vec![0.0; 3 * size];
    for (number, [x, y]) in [[0.0, 0.0], [48.0, 0.0], [0.0, 24.0]].into_iter().enumerate() {
        floats[number * size..][..4].copy_from_slice(&[x, y, 0.0, 1.0]);
        floats[number * size + 12..][..4].copy_from_slice(&values[number]);
    }
    floats
}

fn run(rig: &mut Rig, program: &str) -> Result<(), ctm_device::Fault> {
    rig.load(program);
    rig.run(&[
        SET_IMAGE,
        Command::InvInstCache,
        output(0, OUTPUT, FLOAT4),
        output(1, OUTPUT + 0x1_0000, FLOAT4),
        domain(16, 8),
        Command::SetParams { base: PARAMS },
        Command::StartProgram,
        Command::FlushOutCache,
    ])
}

#[test]
fn values_lie_on_planes_through_the_vertices() {
    for size in [32, 36] {
        let mut rig = Rig::new();
        let corners = [[-0.5, -0.5, 7.0, 1.0], [47.5, -0.5, 7.0, 0.25], [-0.5, 23.5, 7.0, 1.0]];
        rig.write(PARAMS, &block(size, corners));
        run(&mut rig, INTERPOLANT).unwrap();
        let (found, positions) = (rig.floats(OUTPUT, 16 * 8 * 4), rig.floats(OUTPUT + 0x1_0000, 16 * 8 * 4));
        for (at, (value, position)) in found.chunks(4).zip(positions.chunks(4)).enumerate() {
            let (i, j) = ((at % 16) as f32, (at / 16) as f32);
            let last = 1.0 - (i + 0.5) / 64.0;
            assert_eq!(value, [i, j, 7.0, last], "({i}, {j})");
            assert_eq!(position, [i, j, 0.0, 0.0], "({i}, {j})");
        }
        assert_eq!(rig.words(OUTPUT, 2), [0, 0], "zero is +0");
    }
}

#[test]
fn strict_mode_reads_the_block_as_memory_has_it() {
    let mut rig = Rig::strict();
    rig.write(PARAMS, &block(32, [[1.0; 4]; 3]));
    run(&mut rig, INTERPOLANT).unwrap();
    rig.write(PARAMS, &block(32, [[2.0; 4]; 3]));
    run(&mut rig, INTERPOLANT).unwrap();
    assert_eq!(rig.floats(OUTPUT, 1), [2.0]);
    assert!(rig.take_reports().iter().all(|report| !report.to_string().contains("params")));
}

#[test]
fn programs_without_interpolated_inputs_read_no_block() {
    let mut rig = Rig::new();
    rig.write(PARAMS, &[f32::NAN; 96]);
    run(&mut rig, POSITION).unwrap();
}

#[test]
fn what_is_wrong_with_the_block_is_named() {
    let mut rig = Rig::new();
    rig.load(INTERPOLANT);
    let without = rig.run(&[SET_IMAGE, output(0, OUTPUT, FLOAT4), output(1, OUTPUT, FLOAT4), Command::StartProgram]);
    assert_eq!(without.unwrap_err().cause, Cause::State(StateError::NoParams));

    let mut floats = block(32, [[1.0; 4]; 3]);
    floats[32] = 0.0;
    rig.write(PARAMS, &floats);
    let fault = run(&mut rig, INTERPOLANT).unwrap_err();
    let error = ParamsError::NoRectangle;
    assert_eq!(fault.cause, Cause::State(StateError::Params { base: PARAMS, error }));
    assert_eq!(fault.code(), ErrorCode::State);

    rig.write(PARAMS, &block(32, [[1.0; 4]; 3]));
    let fault = run(&mut rig, &INTERPOLANT.replace("interpolant 2", "interpolant 7")).unwrap_err();
    let error = ParamsError::TooFew { slot: 7, there: 7 };
    assert_eq!(fault.cause, Cause::State(StateError::Params { base: PARAMS, error }));

    let outside = rig.run(&[Command::SetParams { base: 0x40 }, Command::StartProgram]).unwrap_err();
    assert_eq!(outside.cause, Cause::Address { client: MemoryClient::Params, base: 0x40 });
    let low = rig.execute(9, &[0xC000_1D00, PARAMS + 1]).unwrap_err();
    assert!(matches!(low.cause, Cause::Misaligned { multiple: 4, .. }), "{low}");
}
