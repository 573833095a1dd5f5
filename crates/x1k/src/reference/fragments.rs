//! Fragment programs: quad by quad.

use super::group::{BoundJob, Group, Textures};
use crate::fragments::{FragmentJob, Quad, Shaded};
use crate::instruction::Body;
use crate::job::{Domain, Job, MAX_GROUP_WIDTH, RunError, RunOptions, RunStats};
use ctm_follow::{Follow, FollowedLanes, Observer};
use ctm_lane::budget::Meter;
use ctm_lane::domain::QUAD;
use ctm_memory::Space;

/// A program that is ready to run over quads, one after the other.
pub struct Shader<'a> {
    group: Group<'a>,
    presets: &'a [u8],
    width: usize,
    /// What it has done.
    pub stats: RunStats,
}

impl Shader<'_> {
    /// How many quads can run together. Those of programs with flow control run alone: where a program jumps may depend on all lanes.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Runs the program for quads, at most as many as can run together, and replaces `shaded` by what it makes of each.
    ///
    /// # Errors
    /// [`RunError::Trap`] if it does what the machine cannot do, [`RunError::Halted`] if the run was cancelled or its budget is used up.
    pub fn shade(&mut self, quads: &[Quad], shaded: &mut Vec<Shaded>) -> Result<(), RunError> {
        self.group.shade(quads, self.presets, &mut self.stats, shaded)
    }
}

/// Prepares a program, and gives it to `body`.
pub fn with_shader<R>(job: &FragmentJob, options: &RunOptions, body: impl FnOnce(&mut Shader<'_>) -> R) -> R {
    let flows = job.program.code.iter().any(|instruction| matches!(instruction.body, Body::Flow(_)));
    with_width(job, options, if flows { 1 } else { MAX_GROUP_WIDTH / QUAD }, None, body)
}

/// Runs the program for a quad, and reports to an observer what the fragment at this column and row goes through.
///
/// # Errors
/// As [`Shader::shade`].
pub fn shade_observed(
    job: &FragmentJob,
    options: &RunOptions,
    quad: &Quad,
    fragment: (u32, u32),
    observer: &mut dyn Observer,
) -> Result<Shaded, RunError> {
    let observed = Some((FollowedLanes::from(fragment), observer));
    let mut shaded = Vec::new();
    with_width(job, options, 1, observed, |shader| shader.shade(std::slice::from_ref(quad), &mut shaded))?;
    Ok(shaded[0])
}

/// Prepares a program for groups of so many quads, and gives it to `body`.
fn with_width<R>(
    job: &FragmentJob,
    options: &RunOptions,
    width: usize,
    observed: Option<(FollowedLanes, &mut dyn Observer)>,
    body: impl FnOnce(&mut Shader<'_>) -> R,
) -> R {
    let memory = Space::default();
    let environment = Job { constants: job.constants.clone(), ..Job::new(job.program, Domain::default(), &memory) };
    let machine = BoundJob::with_textures(&environment, Textures::Unit(job.textures));
    let meter = Meter::new(options.budget, options.cancel);
    let follow = observed.map(|(fragment, observer)| Follow::new(fragment, observer));
    let group = Group::new(&machine, options, &meter, width * QUAD, follow);
    body(&mut Shader { group, presets: job.presets, width, stats: RunStats::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fragments::{Fetch, QuadVector, TextureUnit};
    use crate::job::Constants;

    /// Gives the sums of coordinates and derivatives.
    struct Sums;

    impl TextureUnit for Sums {
        fn fetch(&self, fetch: &Fetch) -> QuadVector {
            let sum = |lane: usize, channel: usize| {
                let parts = [&fetch.coordinates, &fetch.dx, &fetch.dy].map(|part| f32::from_bits(part[lane][channel]));
                parts.iter().sum::<f32>().to_bits()
            };
            std::array::from_fn(|lane| std::array::from_fn(|channel| sum(lane, channel)))
        }
    }

    /// Derivatives are read from registers that nothing else names; other fetches have none.
    #[test]
    fn fetches_get_their_derivatives() {
        let shaded = |op: &str| {
            let text = format!(
                "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[0].rgba = {op} ;\n\
                 OUT TEX_SEM_WAIT src0.rgb = temp[0], src0.a = temp[0] :\n\
                 out[0].rgb = MAX src0.rgb src0.rgb, out[0].a = MAX src0.a src0.a ;"
            );
            let program = crate::text::parse(&text).unwrap_or_else(|errors| panic!("{text}: {errors:?}")).program;
            let (constants, presets) = (Constants::default(), [0, 20, 90]);
            let job = FragmentJob { program: &program, constants: &constants, presets: &presets, textures: &Sums };
            let inputs = [1.0f32, 10.0, 100.0].map(|value| [[value.to_bits(); 4]; QUAD]).to_vec();
            let quad = Quad { position: (2, 4), covered: 0b0101, inputs };
            let mut shaded = Vec::new();
            with_shader(&job, &RunOptions::default(), |shader| shader.shade(&[quad], &mut shaded)).unwrap();
            assert_eq!(shaded[0].live, 0b0101);
            f32::from_bits(shaded[0].outputs[0][2][3])
        };
        assert_eq!(shaded("LD tex[0].rgba temp[0].rgba"), 1.0);
        assert_eq!(shaded("DXDY tex[0].rgba temp[0].rgba temp[20].rgba temp[90].rgba"), 111.0);
    }
}
