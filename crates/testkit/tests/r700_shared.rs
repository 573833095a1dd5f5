//! Samples of textures of different sizes at one coordinate: each is clamped to its own sides.

use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_memory::{Format, Tiling};
use ctm_r700::{Input, Job, Sampler, Texture, Wrap, text};
use ctm_testkit::buffers::Buffers;
use ctm_testkit::forms::Forms;

const PROGRAM: &str = "
ALU:
  0 x: ADD R1.x, R0.x, C0.x
  1 y: ADD R1.y, R0.y, C0.y
TEX:
  SAMPLE R2.xyzw, R1.xyzw, t0, s0 DENORM(XYZW)
  SAMPLE R3.xyzw, R1.xyzw, t1, s0 DENORM(XYZW)
EXP: PIX0, R2.xyzw
EXP_DONE: PIX1, R3.xyzw
END_OF_PROGRAM
";

/// Runs the program over a domain, with textures of these sizes, on every form and the reference.
fn agree(domain: (u32, u32), first: (u32, u32), second: (u32, u32)) {
    let program = text::parse(PROGRAM).unwrap_or_else(|errors| panic!("{errors:?}")).program;
    let mut buffers = Buffers::new(1 << 26);
    let textures = [first, second].map(|(width, height)| {
        let surface = buffers.allocate(width, height, Format::Float32_4, Tiling::Linear);
        buffers.fill(&surface, width, |x, y| [x, y, 7 * x + y, 1].map(|number| (number as f32).to_bits()));
        Texture::flat(width, height, surface)
    });
    let targets = [0; 2].map(|_| buffers.allocate(domain.0, domain.1, Format::Float32_4, Tiling::Linear));
    let mut job = Job::new(&program, Domain::of_size(domain.0, domain.1).unwrap(), buffers.space());
    job.inputs.insert(0, Input::Position);
    job.bindings.constants = vec![[0; 4]];
    job.bindings.textures.extend((0..).zip(textures));
    let sampler = Sampler { wrap: [Wrap::Border; 3], ..Sampler::default() };
    job.bindings.samplers.insert(0, sampler);
    job.targets.colours[..2].copy_from_slice(&targets.map(Some));
    let pixels = || -> Vec<[u32; 4]> {
        let of = |target| {
            (0..domain.1).flat_map(move |y| (0..domain.0).map(move |x| (x, y))).map(move |(x, y)| (target, x, y))
        };
        targets.iter().flat_map(of).map(|(target, x, y)| buffers.read(target, x, y)).collect()
    };
    ctm_r700::reference::run(&job, &RunOptions::default()).unwrap();
    let expected = pixels();
    let forms = Forms::new();
    let compiled = forms.engine().compiles(&job, &RunOptions::default()).is_ok();
    for form in forms.each(compiled) {
        targets.iter().for_each(|target| buffers.fill(target, domain.0, |_, _| [0; 4]));
        forms.engine().run(&job, &RunOptions::default()).unwrap();
        let wrong = expected.iter().zip(pixels()).filter(|(expected, found)| **expected != *found).count();
        assert_eq!(wrong, 0, "pixels on {form}, which is compiled: {compiled}");
    }
}

#[test]
fn a_flat_texture_before_a_high_one() {
    agree((128, 128), (16, 2), (1024, 1024));
}

#[test]
fn a_high_texture_before_a_flat_one() {
    agree((64, 4096), (16, 4096), (4096, 2));
}
