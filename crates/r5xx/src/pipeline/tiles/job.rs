//! The kernel of tiles, and its launches.

use super::lift::{Lifting, Prefetch};
use super::planes::{Planes, Side};
use super::{Key, TileState};
use crate::pipeline::detiled::DetiledTextures;
use crate::tx::KernelTexture;
use ctm_engine::{Bindings, Grouping, GuestJob, Kernel, Launch, Runtime, SHORT, SurfaceLayout};
use ctm_lane::domain::{Domain, Lanes, QUAD};
use ctm_lane::effort::Effort;
use ctm_memory::{Aliasing, Bounds, View};
use ctm_x1k::lift::{Lifted, lift_fragments};
use ctm_x1k::{Program, References, RunError, RunOptions};

/// A kernel, if the program has one.
pub struct TileKernel {
    kernel: Kernel,
    lifted: Lifted,
    /// Fetches that are done before it runs.
    pub prefetches: Vec<Prefetch>,
    /// A fragment reads values of others of its quad.
    pub uses_quads: bool,
}

/// A job with everything that the kernel's names stand for, for many runs.
pub struct BoundTileJob<'a>(Launch<'a>);

/// A launch.
pub struct TileJob<'a> {
    pub state: &'a TileState<'a>,
    pub key: &'a Key,
    /// What it fetches from instead of its textures.
    pub copies: Option<&'a DetiledTextures>,
    pub planes: &'a Planes,
    /// Columns and rows of planes that it runs over.
    pub extent: [u32; 2],
}

/// The lanes of so many columns and rows, if there are any.
fn lanes([columns, rows]: [u32; 2]) -> Option<Lanes> {
    Some(Lanes::Area(Domain { i0: 0, j0: 0, i1: columns.checked_sub(1)?, j1: rows.checked_sub(1)? }))
}

impl TileKernel {
    /// Binds a job, which has the key of this kernel; none if the kernel does not run it.
    pub fn bound<'a>(&self, job: &TileJob<'a>) -> Option<BoundTileJob<'a>> {
        let TileJob { state, copies, planes, extent, .. } = *job;
        let max_steps = self.lifted.max_steps(|int| state.constants.ints[usize::from(int)].count);
        if max_steps > SHORT {
            return None;
        }
        let texture = |(texture, space): (KernelTexture, _)| View::new(space, texture.surface, Bounds::Clamp);
        let plane = |side, bounds| View::new(planes.space(), planes.surface(side), bounds);
        let planes = [plane(Side::Input, Bounds::Clamp), plane(Side::Output, Bounds::Drop)];
        let bindings = Bindings {
            surfaces: state.bound(copies).flatten().map(texture).chain(planes).collect(),
            tables: state.tables.clone(),
            buffers: state.buffers.clone(),
        };
        let lanes = lanes(extent).unwrap_or(Lanes::Line(0));
        Some(BoundTileJob(Launch { lanes, bindings, max_steps: Some(max_steps) }))
    }

    /// Runs a job that was [bound](Self::bound) for so many columns and rows of planes.
    ///
    /// # Errors
    /// If the time is up.
    pub fn run_bound(
        &self,
        BoundTileJob(launch): &mut BoundTileJob,
        extent: [u32; 2],
        options: &RunOptions,
    ) -> Result<(), RunError> {
        let Some(lanes) = lanes(extent) else { return Ok(()) };
        launch.lanes = lanes;
        self.kernel.run(launch, options)?;
        Ok(())
    }
}

impl GuestJob for TileJob<'_> {
    type Key = Key;
    type KeyRef<'k>
        = &'k Key
    where
        Self: 'k;
    type Kernels = Option<TileKernel>;
    /// Whether it ran.
    type Output = bool;
    type Error = RunError;
    type NotCompiled = ();

    const GROUP_WIDTH: usize = QUAD;

    /// What a program reads is not what it writes: that is looked at when the state is made.
    fn order(&self) -> Option<Aliasing> {
        None
    }

    fn key(&self) -> Result<&Key, ()> {
        Ok(self.key)
    }

    fn to_owned(key: &Key) -> Key {
        key.clone()
    }

    fn matches(key: &&Key, kept: &Key) -> bool {
        *key == kept
    }

    fn compile(key: &Key, runtime: &Runtime, effort: &Effort) -> Option<TileKernel> {
        let program = Program {
            code: key.program.program.code.clone(),
            info: key.program.program.info,
            references: References { outputs: (0..ctm_x1k::OUTPUTS as u8).collect(), ..References::default() },
            ..Program::default()
        };
        let lifting = Lifting::new(key);
        let mut lifted = lift_fragments(&program, key.finite, &lifting, effort).ok()?;
        let prefetches = lifting.prefetches()?;
        let function = std::mem::take(&mut lifted.function);
        let layouts: Vec<SurfaceLayout> = key.texture_layouts.iter().chain(&key.plane_layouts).copied().collect();
        let kernel = Kernel::within(function, (Grouping::Independent, &layouts, Some(SHORT)), runtime, effort);
        let uses_quads = lifted.uses_quads || !prefetches.is_empty();
        Some(TileKernel { kernel, lifted, prefetches, uses_quads })
    }

    fn bytes(kernel: &Option<TileKernel>) -> usize {
        kernel.as_ref().map_or(0, |kernel| kernel.kernel.bytes())
    }

    fn is_compiled(&self, kernel: &Option<TileKernel>, _: &RunOptions, _: &Runtime) -> Result<(), ()> {
        kernel.as_ref().filter(|kernel| kernel.kernel.is_compiled()).map(|_| ()).ok_or(())
    }

    fn run(
        &self,
        kernel: &Option<TileKernel>,
        _: Option<Aliasing>,
        options: &RunOptions,
        _: &Runtime,
    ) -> Result<bool, RunError> {
        let Some(kernel) = kernel else { return Ok(false) };
        let Some(mut bound) = kernel.bound(self) else { return Ok(false) };
        kernel.run_bound(&mut bound, self.extent, options)?;
        Ok(true)
    }

    fn reference(&self, _: &RunOptions) -> Result<bool, RunError> {
        Ok(false)
    }
}
