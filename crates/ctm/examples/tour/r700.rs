//! A pixel shader of R700.

use ctm_gpu::{Array, Engine, EngineName, Machine, Pixels, Program, Shape};
use std::error::Error;

/// The texel at the pixel, times constant 0. The pixel's column and row come in R0.xy.
const TEXT: &str = "
.gprs 2
TEX:
  SAMPLE R1.xyzw, R0.xy0_, t0, s0 DENORM(XY)
ALU:
  x: MUL_IEEE R1.x, R1.x, C0.x
  y: MUL_IEEE R1.y, R1.y, C0.y
  z: MUL_IEEE R1.z, R1.z, C0.z
  w: MUL_IEEE R1.w, R1.w, C0.w LAST
EXP_DONE: PIX0, R1.xyzw
END_OF_PROGRAM
";

pub fn run() -> Result<String, Box<dyn Error>> {
    let shape = Shape { width: 3, height: 2, channels: 1 };
    let texture = Array::from_floats(shape, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    let program = Program::assemble(Machine::R700, TEXT)?;
    let pixels = Pixels::new(program, 3, 2).input(0, texture).constant(0, [10.0, 1.0, 1.0, 1.0]);
    // All engines give the same bits.
    let mut results = Vec::new();
    for name in EngineName::available() {
        let mut kernel = pixels.clone().compile(&Engine::named(name)?)?;
        kernel.run()?;
        results.push(kernel.output(0)?);
    }
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
    let red: Vec<f32> = results[0].to_floats().into_iter().step_by(4).collect();
    Ok(format!("red: {red:?}"))
}
