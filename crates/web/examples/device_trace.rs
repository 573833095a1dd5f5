//! Writes a trace of the CTM device, with two starts of a program, for the page's tests.

use ctm_device::{Client, Connection, Heap, Options, Pass};
use ctm_gpu::EngineName;
use ctm_memory::{Format, Tiling};
use std::io::Write;

/// Output 0 = input 0 + constant 0.
const ADD: &str = "
    TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
    OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1], src1.rgb = const[0], src1.a = const[0] :
      out[0].rgb = MAD src0.rgb src0.111 src1.rgb, out[0].a = MAD src0.a src0.1 src1.a ;";
const SIDE: u16 = 32;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options { engine: EngineName::Interp, deterministic_clock: true, threads: 1, ..Options::default() };
    let device = Connection::open_recording(options)?;
    let mut client = Client::new(&device);
    let program = ctm_x1k::text::parse(ADD).map_err(|problems| format!("{problems:?}"))?.program;
    let program = client.load(&program)?;
    let side = SIDE.into();
    let a = client.buffer(Heap::Host, Format::Float32_4, Tiling::Linear, side, side)?;
    let b = client.buffer(Heap::Local, Format::Float32_4, Tiling::Tiled, side, side)?;
    let ramp = |n: u16| f32::from(n % SIDE) / f32::from(SIDE) / 2.0;
    client.write(&a, side, &(0..SIDE * SIDE).map(|n| [ramp(n), ramp(n / SIDE), 0.0, 1.0]).collect::<Vec<_>>());
    device.write_words(program.constf, &[0.25f32.to_bits(), 0, 0, 0])?;
    client.run(&[Pass::new(program, side, side).input(0, a).output(0, b)])?;
    client.run(&[Pass::new(program, side, side).input(0, b).output(0, a)])?;
    let trace = device.take_trace().ok_or("the device has no record")?;
    Ok(std::io::stdout().write_all(&trace.to_bytes())?)
}
