//! The programs of a draw, and what they do wrong.

use super::DrawArgs;
use crate::isa::sm50::Loaded;
use crate::report::{Location, Message};
use crate::{Console, Failure};
use ctm_sm50::Stage;
use ctm_sm50::launch::{Shader, Stop, Warnings};
use ctm_sm50::pipeline::DrawError;
use std::path::Path;

/// The programs of a draw.
pub struct Programs {
    vertex: Loaded,
    tess_init: Option<Loaded>,
    tessellation: Option<Loaded>,
    geometry: Option<Loaded>,
}

fn shader(loaded: &Option<Loaded>) -> Option<Shader<'_>> {
    loaded.as_ref().map(|loaded| (&loaded.program).into())
}

impl Programs {
    /// Reads their files.
    pub fn read(args: &DrawArgs, console: &mut Console) -> Result<Self, Failure> {
        let mut read = |path: &Path| Loaded::read(path, console);
        Ok(Programs {
            vertex: read(&args.vs)?,
            tess_init: args.tcs.as_deref().map(&mut read).transpose()?,
            tessellation: args.tes.as_deref().map(&mut read).transpose()?,
            geometry: args.gs.as_deref().map(&mut read).transpose()?,
        })
    }

    /// The vertex program.
    pub fn vertex(&self) -> Shader<'_> {
        (&self.vertex.program).into()
    }

    /// The tessellation initialisation program.
    pub fn tess_init(&self) -> Option<Shader<'_>> {
        shader(&self.tess_init)
    }

    /// The tessellation program.
    pub fn tessellation(&self) -> Option<Shader<'_>> {
        shader(&self.tessellation)
    }

    /// The geometry program.
    pub fn geometry(&self) -> Option<Shader<'_>> {
        shader(&self.geometry)
    }

    /// The program that stands for a stage.
    fn of(&self, stage: Stage) -> &Loaded {
        let program = match stage {
            Stage::TessellationInit => self.tess_init.as_ref(),
            Stage::Tessellation => self.tessellation.as_ref(),
            Stage::Geometry => self.geometry.as_ref(),
            _ => None,
        };
        program.unwrap_or(&self.vertex)
    }

    /// Reports what the programs should not have done.
    pub fn report_warnings(&self, warnings: &Warnings, console: &mut Console) {
        for (stage, pc, kind, warning) in warnings.iter() {
            console.report(&self.of(stage).warning(stage, pc, kind, warning));
        }
    }

    /// Why a draw failed, for people.
    pub fn failure(&self, error: DrawError) -> Failure {
        let message = Message::error(error.to_string());
        let of_file = |stage| Location::File(self.of(stage).name.clone());
        match error {
            DrawError::Stop(Stop::Halted(halt)) => halt.into(),
            DrawError::Stop(Stop::Trap(trap)) => Failure::Trap(self.of(trap.stage).trap(&trap)),
            DrawError::WrongStage { expected, found } => {
                let message = message.at(of_file(expected));
                Failure::Input(vec![match found {
                    Stage::None => message.help("it has no header; text gets one by the directive .stage"),
                    _ => message,
                }])
            }
            DrawError::Threads { stage, .. } => message.at(of_file(stage)).into(),
            DrawError::OutputVertices(_) | DrawError::Topology(_) => message.at(of_file(Stage::Geometry)).into(),
            DrawError::NoMemory(_) => Failure::Limit(message.help("draw fewer vertices or instances")),
            DrawError::PatchesAndTessellation { .. } => {
                Failure::Usage(message.help("give --tes FILE together with --primitive patches"))
            }
            DrawError::NoTessellation | DrawError::PatchVertices(_) | DrawError::Stream(_) | DrawError::Capture(_) => {
                Failure::Usage(message)
            }
        }
    }
}
