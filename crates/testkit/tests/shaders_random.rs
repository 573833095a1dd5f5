//! Generated GLSL and WGSL: all engines run their programs to the same bits. What the reference makes of them is compared with the meaning
//! of the sources by the compiler's own tests.

use crate::generate;

use ctm_compile::front::UniformKind;
use ctm_compile::{CompileError, Compiled, Language, Options, compile};
use ctm_memory::{Format, Tiling};
use ctm_testkit::buffers::Buffers;
use ctm_testkit::{engines, runs_without_fallback, untimed};
use ctm_x1k::{Domain, InterpolantVertex, Interpolants, Job, OUTPUTS};

/// Programs that the test tries unless it is told another number.
const PROGRAMS: u64 = 300;
/// Sides of the domain, whose edges cut quads.
const SIDES: (u32, u32) = (21, 5);
/// Sides of textures.
const TEXELS: u32 = 8;
const BYTES: u32 = 1 << 20;

/// A small number for a number: eighths from -2 to 2.
fn eighth(number: usize) -> f32 {
    ((number as u32).wrapping_mul(0x9E37_79B9) >> 20) as f32 % 33.0 / 8.0 - 2.0
}

fn set_uniforms(job: &mut Job, compiled: &Compiled) {
    for (number, uniform) in compiled.interface.uniforms.iter().enumerate() {
        let columns = usize::from(uniform.columns) * uniform.elements.unwrap_or(1) as usize;
        let (register, channel) = (usize::from(uniform.place.register), usize::from(uniform.place.channel));
        for column in 0..columns {
            for row in 0..usize::from(uniform.rows) {
                let value = eighth(number * 64 + column * 4 + row);
                let value = match uniform.kind {
                    UniformKind::Float => value,
                    UniformKind::Int | UniformKind::Uint => value.abs().floor(),
                    UniformKind::Bool => f32::from(u8::from(value > 0.0)),
                };
                job.constants.floats[register + column][channel + row] = value.to_bits();
            }
        }
    }
}

fn interpolants() -> Interpolants {
    let vertex = |corner: usize, position| InterpolantVertex {
        position,
        values: std::array::from_fn(|slot| std::array::from_fn(|channel| eighth(corner * 1000 + slot * 4 + channel))),
    };
    let vertices =
        [vertex(0, [0.0, 0.0]), vertex(1, [2.0 * SIDES.0 as f32, 0.0]), vertex(2, [0.0, 2.0 * SIDES.1 as f32])];
    Interpolants::through(&vertices).expect("a triangle")
}

#[test]
fn engines_agree() {
    let engines = engines();
    assert!(engines.len() > 1, "only the reference is there");
    let (mut run, mut compiled_runs) = (0, 0);
    ctm_cases::check_sized(
        PROGRAMS,
        |_| 4096,
        |u| {
            let (text, _, wgsl) = generate::shader(u)?;
            let language = if wgsl { Language::Wgsl } else { Language::Glsl };
            let compiled = match compile(&text, language, &Options::default()) {
                Ok(compiled) => compiled,
                Err(CompileError::Unfit { .. }) => return Ok(()),
                Err(error) => panic!("{text}\nline {}: {error}", error.line()),
            };
            let mut buffers = Buffers::dense(BYTES);
            let input = buffers.allocate(TEXELS, TEXELS, Format::Float32_4, Tiling::Linear);
            buffers.fill(&input, TEXELS, |x, y| {
                std::array::from_fn(|channel| eighth(((y * TEXELS + x) * 4) as usize + channel).to_bits())
            });
            let outputs: [_; OUTPUTS] =
                std::array::from_fn(|_| buffers.allocate(SIDES.0, SIDES.1, Format::Float32_4, Tiling::Linear));
            let domain = Domain::of_size(SIDES.0, SIDES.1).expect("sides");
            let mut job = Job::new(&compiled.program, domain, buffers.space());
            set_uniforms(&mut job, &compiled);
            for texture in &compiled.interface.textures {
                job.inputs[usize::from(texture.unit)] = Some(input);
            }
            job.outputs = outputs.map(Some);
            job.interpolants = Some(interpolants());
            let contents = engines.iter().map(|engine| {
                for output in &outputs {
                    buffers.fill(output, SIDES.0, |x, y| [x, y, 1, 2]);
                }
                engine.run(&job, &untimed()).unwrap_or_else(|error| panic!("{}: {error}\n{text}", engine.name()));
                buffers.contents()
            });
            let contents: Vec<_> = contents.collect();
            for (engine, found) in engines.iter().zip(&contents) {
                assert!(*found == contents[0], "{} differs from the reference\n{text}", engine.name());
            }
            run += 1;
            compiled_runs += usize::from(engines.iter().all(|engine| runs_without_fallback(engine, &job, &untimed())));
            Ok(())
        },
    );
    assert!(run > 0 && compiled_runs > run * 3 / 4, "{compiled_runs} of {run} programs ran as machine code");
}
