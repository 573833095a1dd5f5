//! What the machine code of a shader makes of the quad, by the reference.

use super::world::{QUAD, World, position, texel};
use ctm_compile::Compiled;
use ctm_compile::ir::{Environment, Outcome, Output};
use ctm_x1k::TexOp;
use ctm_x1k::fragments::{Fetch, FragmentJob, Quad, QuadVector, TextureUnit};
use ctm_x1k::reference::with_shader;
use ctm_x1k::{Constants, RunOptions};

/// Smooth textures in two dimensions.
struct Textures<'a>(&'a World);

impl TextureUnit for Textures<'_> {
    fn fetch(&self, fetch: &Fetch) -> QuadVector {
        fetch.coordinates.map(|bits| {
            let [s, t, _, q] = bits.map(|bits| f64::from(f32::from_bits(bits)));
            let (divisor, level) = match fetch.op {
                TexOp::Proj => (q, 0.0),
                TexOp::Lod | TexOp::Lodbias => (1.0, q),
                TexOp::Ld | TexOp::Dxdy => (1.0, 0.0),
                TexOp::Nop | TexOp::Texkill | TexOp::Reserved7 => panic!("{:?} fetches nothing", fetch.op),
            };
            texel(self.0.texture(fetch.unit), &[s / divisor, t / divisor], level, fetch.unscaled)
                .map(|value| (value as f32).to_bits())
        })
    }
}

/// Outputs in the order of the function's, and which invocations are killed.
pub fn run(compiled: &Compiled, world: &World) -> Result<Outcome, String> {
    let program = &compiled.program;
    let mut constants = Constants::from(&program.constants);
    for register in (0..=u8::MAX).filter(|register| !program.constants.floats.contains_key(register)) {
        constants.floats[usize::from(register)] = std::array::from_fn(|channel| world.uniform(register, channel as u8));
    }
    let (mut presets, mut inputs) = (Vec::new(), Vec::new());
    if let Some(register) = program.info.position {
        presets.push(register);
        inputs.push(std::array::from_fn(|lane| {
            let [x, y] = position(lane).map(|at| (at as f32).to_bits());
            [x, y, 0, 0]
        }));
    }
    for (slot, register) in program.info.interpolants.iter().enumerate() {
        let Some(register) = *register else { continue };
        presets.push(register);
        let channels: [[u32; QUAD]; 4] = std::array::from_fn(|channel| world.varying(slot as u8, channel as u8));
        inputs.push(std::array::from_fn(|lane| channels.map(|channel| channel[lane])));
    }
    let job = FragmentJob { program, constants: &constants, presets: &presets, textures: &Textures(world) };
    let [x, y] = position(0);
    let quad = Quad { position: (x, y), covered: 15, inputs };
    let mut shaded = Vec::new();
    with_shader(&job, &RunOptions::default(), |shader| shader.shade(&[quad], &mut shaded))
        .map_err(|trap| format!("{trap:?}"))?;
    let shaded = shaded[0];
    let outputs = compiled.optimised.outputs.iter().map(|output| match *output {
        Output::Colour { slot, channel } => shaded.outputs[usize::from(slot)].map(|lane| lane[usize::from(channel)]),
        Output::Depth => shaded.depth,
    });
    Ok(Outcome { outputs: outputs.collect(), killed: std::array::from_fn(|lane| shaded.live >> lane & 1 == 0) })
}
