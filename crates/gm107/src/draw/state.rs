//! The state of the stages of a draw: programs with their constants, tessellation, which vertex provokes.

use crate::constants::constants;
use crate::context::{DrawContext, DrawError};
use crate::methods::{PatchVertices, ProvokingVertexLast, TessLevelInner, TessLevelOuter, TessMode};
use crate::programs::StageProgram;
use crate::state::{Channel, Methods};
use crate::storage::{DRIVER_BANK, programs_store, store_ranges};
use crate::textures::{HeaderTables, bound_handles};
use ctm_sm50::Stage;
use ctm_sm50::launch::{Constants, Environment, Shader};
use ctm_sm50::pipeline::{Levels, PipelineState, Primitive, Provoking, Spacing, TessDomain, Tessellation};
use std::sync::Arc;

/// Where programs say which viewport a primitive has.
const VIEWPORT: u32 = 0x068;

/// A program with the constants that it reads.
struct BoundProgram {
    program: Arc<StageProgram>,
    constants: Constants,
}

/// The programs of a draw before the rasteriser.
pub struct DrawPrograms {
    /// The vertex program.
    pub vertex: Arc<StageProgram>,
    vertex_constants: Constants,
    tess_init: Option<BoundProgram>,
    tessellation: Option<BoundProgram>,
    geometry: Option<BoundProgram>,
}

impl BoundProgram {
    fn of(channel: &Channel, context: &DrawContext, stage: Stage, number: usize) -> Result<Option<Self>, DrawError> {
        let program = context.cache.programs.program(&channel.three_d, context.objects, stage)?;
        Ok(program.map(|program| {
            let constants = constants(&channel.constants[number], &program, context.objects);
            BoundProgram { program, constants }
        }))
    }

    fn shader(&self) -> Shader<'_> {
        Shader { banks: Some(&self.constants), ..self.program.shader() }
    }
}

impl DrawPrograms {
    /// Those that a draw of such primitives has. Only patches are tessellated, and only by an evaluation program.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub fn of(channel: &Channel, context: &DrawContext, primitive: Primitive) -> Result<Self, DrawError> {
        let program = |stage, number| BoundProgram::of(channel, context, stage, number);
        let vertex = program(Stage::Vertex, 0)?.ok_or(DrawError::NotYet { what: "a draw without vertex program" })?;
        let tessellation = program(Stage::Tessellation, 2)?;
        let tess_init = if tessellation.is_some() { program(Stage::TessellationInit, 1)? } else { None };
        match (&tessellation, primitive) {
            (None, Primitive::Patches) => return Err(DrawError::NotYet { what: "patches without tessellation" }),
            (Some(_), Primitive::Patches) | (None, _) => {}
            (Some(_), _) => return Err(DrawError::NotYet { what: "tessellation of what is not patches" }),
        }
        Ok(DrawPrograms {
            vertex: vertex.program,
            vertex_constants: vertex.constants,
            tess_init,
            tessellation,
            geometry: program(Stage::Geometry, 3)?,
        })
    }

    fn shaders(&self) -> impl Iterator<Item = Shader<'_>> {
        let vertex = Shader { banks: Some(&self.vertex_constants), ..self.vertex.shader() };
        let others = [&self.tess_init, &self.tessellation, &self.geometry];
        others.into_iter().flatten().map(BoundProgram::shader).chain([vertex])
    }

    /// The handles of textures that they name; `None` if they have neither textures nor images.
    fn handles(&self) -> Option<Vec<u32>> {
        let has_textures = self.shaders().any(|shader| shader.code.has_textures());
        has_textures.then(|| self.shaders().flat_map(|shader| bound_handles(&shader)).collect())
    }

    /// Whether a program sets the levels of patches.
    pub fn has_tess_init(&self) -> bool {
        self.tess_init.is_some()
    }

    /// Whether the last of them says which viewport a primitive has.
    pub fn choose_viewports(&self) -> bool {
        let last = self.geometry.as_ref().or(self.tessellation.as_ref()).map_or(&self.vertex, |bound| &bound.program);
        last.header().omap.contains(VIEWPORT)
    }

    /// The state of the stages.
    pub fn state<'a>(
        &'a self,
        methods: &Methods,
        primitive: Primitive,
        environment: &'a Environment<'a>,
    ) -> PipelineState<'a> {
        let vertex = Shader { banks: Some(&self.vertex_constants), ..self.vertex.shader() };
        let shader = |bound: &'a Option<BoundProgram>| bound.as_ref().map(BoundProgram::shader);
        PipelineState {
            tess_init: shader(&self.tess_init),
            tessellation: shader(&self.tessellation),
            geometry: shader(&self.geometry),
            primitive,
            patch_vertices: methods.get::<PatchVertices>().value,
            provoking: match methods.get::<ProvokingVertexLast>().enable {
                true => Provoking::Last,
                false => Provoking::First,
            },
            tessellator: tessellator(methods),
            levels: Levels {
                outer: [0, 1, 2, 3].map(|n| f32::from_bits(methods.at::<TessLevelOuter>(n).value)),
                inner: [0, 1].map(|n| f32::from_bits(methods.at::<TessLevelInner>(n).value)),
            },
            streams: 0b1111,
            ..PipelineState::new(vertex, environment)
        }
    }
}

/// What programs have besides their constants.
pub fn environment<'a>(channel: &Channel, context: &DrawContext<'a>, programs: &DrawPrograms) -> Environment<'a> {
    let methods = &channel.three_d;
    let tables = || HeaderTables::of_draws(methods, context.objects, &context.cache.textures);
    let (textures, images) = programs.handles().map_or_else(Default::default, |handles| tables().environment(handles));
    Environment {
        constants: Constants::open(),
        memory: Some(context.space),
        stores: programs_store(methods, context.objects).then(|| {
            let banks = channel.constants.iter().map(|stage| stage[DRIVER_BANK]);
            store_ranges(context.objects, banks)
        }),
        textures,
        images,
        ..Environment::default()
    }
}

fn tessellator(methods: &Methods) -> Tessellation {
    let mode: TessMode = methods.get();
    let domain = match mode.prim {
        0 => TessDomain::Isolines,
        1 => TessDomain::Triangles,
        _ => TessDomain::Quads,
    };
    let spacing = match mode.spacing {
        1 => Spacing::FractionalOdd,
        2 => Spacing::FractionalEven,
        _ => Spacing::Equal,
    };
    // Of isolines one bit says whether they are lines.
    let is_connected = if domain == TessDomain::Isolines { mode.cw } else { mode.connected };
    Tessellation { domain, spacing, point_mode: !is_connected, clockwise: mode.cw }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_card::register::RegisterType;

    #[test]
    fn modes_of_the_tessellator() {
        let mode = |word: u32| {
            let mut methods = Methods::default();
            methods.write(TessMode::ADDRESS, word);
            tessellator(&methods)
        };
        let (equal, odd) = (Spacing::Equal, Spacing::FractionalOdd);
        let of = |domain, spacing, point_mode, clockwise| Tessellation { domain, spacing, point_mode, clockwise };
        assert_eq!(mode(0x202), of(TessDomain::Quads, equal, false, false));
        assert_eq!(mode(0x311), of(TessDomain::Triangles, odd, false, true));
        assert_eq!(mode(0x001), of(TessDomain::Triangles, equal, true, false));
        assert_eq!((mode(0x100).shape(), mode(0x200).point_mode), (ctm_sm50::pipeline::Shape::Line, true));
    }
}
