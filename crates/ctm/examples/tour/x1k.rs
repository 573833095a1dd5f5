//! A fragment program of X1K over an array.

use ctm_gpu::{Array, Engine, Machine, Pixels, Program, Shape, Trail};
use std::error::Error;

/// y = a x + b; x comes from input 0, a and b are constants 0 and 1.
const TEXT: &str = "
    TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
    OUT TEX_SEM_WAIT
    src0.rgb = temp[1], src0.a = temp[1], src1.rgb = const[0], src1.a = const[0], src2.rgb = const[1], src2.a = const[1] :
      out[0].rgb = MAD src0.rgb src1.rgb src2.rgb,
      out[0].a = MAD src0.a src1.a src2.a ;";

pub fn run() -> Result<String, Box<dyn Error>> {
    let shape = Shape { width: 4, height: 2, channels: 4 };
    let x: Vec<f32> = (0..4 * 2 * 4).map(|n| n as f32).collect();
    let mut kernel = Pixels::new(Program::assemble(Machine::X1k, TEXT)?, 4, 2)
        .input(0, Array::from_floats(shape, &x)?)
        .constant(0, [2.0; 4])
        .constant(1, [0.5; 4])
        .compile(&Engine::fastest())?;
    kernel.run()?;
    let y = kernel.output(0)?.to_floats();

    // The same kernel with other data.
    kernel.set_constant(1, [-1.0; 4]);
    kernel.set_input(0, &Array::from_floats(shape, &y)?)?;
    kernel.run()?;
    let last = &kernel.output(0)?.to_floats()[4 * (4 + 3)..];

    // What the last lane goes through.
    let mut trail = Trail::new(100);
    kernel.follow((3, 1), &mut trail)?;
    let steps = trail.steps.iter().map(|step| {
        let changes = step.changes.iter().map(|change| {
            let channel = change.cell.channel.map(String::from).unwrap_or_default();
            format!(" {}.{channel}={}", change.cell.register(), f32::from_bits(change.bits))
        });
        format!("\n{}:{}", step.event.at.pc, changes.collect::<String>())
    });
    Ok(format!("lane (3, 1): {last:?}{}", steps.collect::<String>()))
}
