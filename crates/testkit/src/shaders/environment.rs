//! The memory that an X1K program of a shader runs on.

use super::{BACKGROUND, Shader};
use crate::buffers::Buffers;
use crate::expected::pixel;
use ctm_memory::{Format, Surface, Tiling};
use ctm_x1k::{Domain, INPUTS, Job, OUTPUTS, Program};

/// Memory beside that of surfaces: gaps, and rows that are longer than they need to be.
const SPARE_BYTES: u32 = 1 << 23;

/// Textures and colour buffers.
#[derive(Debug)]
pub struct Environment {
    buffers: Buffers,
    inputs: Vec<Surface>,
    outputs: [Option<Surface>; OUTPUTS],
    domain: Domain,
}

impl Environment {
    /// What a shader needs. Its textures are inputs 0, 1 and so on, in their order.
    pub fn new(shader: &Shader) -> Self {
        let (width, height) = shader.size;
        let texels: u32 = shader.textures.iter().map(|texture| texture.width * texture.height).sum();
        let elements = texels + width * height * shader.outputs;
        let mut buffers = Buffers::new(elements * Format::Float32_4.bytes_per_element() + SPARE_BYTES);
        let inputs = shader.textures.iter().map(|texture| {
            let surface = buffers.allocate(texture.width, texture.height, Format::Float32_4, Tiling::Linear);
            // The clamped edge of an input is its pitch.
            assert_eq!(surface.pitch, texture.width, "{}: {} needs padding", shader.name, texture.name);
            let texels = texture.texels();
            let texel = |x, y| pixel(&texels, (y * texture.width + x) as usize).map(f32::to_bits);
            buffers.fill(&surface, texture.width, texel);
            surface
        });
        let inputs = inputs.collect();
        let outputs = std::array::from_fn(|output| {
            (output < shader.outputs as usize)
                .then(|| buffers.allocate(width, height, Format::Float32_4, Tiling::Linear))
        });
        let domain = Domain { i0: 0, j0: 0, i1: width - 1, j1: height - 1 };
        Environment { buffers, inputs, outputs, domain }
    }

    /// A run of a program, which reads as input n the texture whose place `texture` gives.
    pub fn job<'a>(&'a self, program: &'a Program, texture: impl Fn(usize) -> Option<usize>) -> Job<'a> {
        let inputs: [_; INPUTS] = std::array::from_fn(|input| self.inputs.get(texture(input)?).copied());
        Job { inputs, outputs: self.outputs, ..Job::new(program, self.domain, self.buffers.space()) }
    }

    /// Sets all pixels to the background.
    pub fn clear(&self) {
        for surface in self.outputs.iter().flatten() {
            self.buffers.fill(surface, self.domain.i1 + 1, |_, _| [BACKGROUND.to_bits(); 4]);
        }
    }

    /// The pictures, one for each output, row by row.
    pub fn pictures(&self) -> Vec<Vec<[f32; 4]>> {
        let Domain { i1, j1, .. } = self.domain;
        let picture = |surface: &Surface| {
            let places = (0..=j1).flat_map(|j| (0..=i1).map(move |i| (i, j)));
            places.map(|(i, j)| self.buffers.read(surface, i, j).map(f32::from_bits)).collect()
        };
        self.outputs.iter().flatten().map(picture).collect()
    }
}
