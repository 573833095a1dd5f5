//! The CTM device: a pass of a program over buffers of its memory.

use ctm_gpu::device::{Client, Connection, Heap, Options, Pass};
use ctm_gpu::memory::{Format, Tiling};
use std::error::Error;

/// Where the lane is: its column and row.
const TEXT: &str = "OUT TEX_SEM_WAIT src0.rgb = temp[0] : out[0].rgb = MAX src0.rgb src0.rgb ;";

pub fn run() -> Result<String, Box<dyn Error>> {
    let device = Connection::open(Options::default())?;
    let mut client = Client::new(&device);
    let text = ctm_gpu::x1k::text::parse(TEXT).map_err(ctm_gpu::Error::from)?;
    let program = client.load(&text.program)?;
    let output = client.buffer(Heap::Local, Format::Float32_2, Tiling::Tiled, 32, 32)?;
    client.run(&[Pass::new(program, 32, 32).output(0, output)])?;
    Ok(format!("lane (31, 30) stored {:?}", client.read(&output, 32, 32)[30 * 32 + 31]))
}
