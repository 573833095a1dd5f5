//! The programs of a draw, and what they do wrong.

use crate::args::draw::DrawArgs;
use crate::isa::sm50::Loaded;
use crate::report::{Message, Place};
use crate::{Console, Failure};
use ctm_sm50::Stage;
use ctm_sm50::launch::{DEFAULT_STEP_LIMIT, Shader, Stop, Trap, TrapKind, WarningKind, Warnings};
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

    /// The place of an instruction, by its byte address.
    fn place(&self, stage: Stage, pc: u32) -> Place {
        let loaded = self.of(stage);
        loaded.program.code.index_at(pc).map_or_else(|| Place::File(loaded.name.clone()), |index| loaded.place(index))
    }

    /// Tells what the programs should not have done.
    pub fn tell_warnings(&self, warnings: &Warnings, console: &mut Console) {
        for (stage, pc, kind, warning) in warnings.iter() {
            let times = if warning.count == 1 { "once".into() } else { format!("{} times", warning.count) };
            let message = Message::warning(kind.to_string()).at(self.place(stage, pc)).fact(format!(
                "it happened {times} at {pc:#06x} of the {} program, first in lane {} of warp {}",
                stage.name(),
                warning.lane,
                warning.warp
            ));
            let remedy = match kind {
                WarningKind::Violation(kind) => remedy(kind),
                WarningKind::SpecialRegister(_) | WarningKind::PatchBeyondCount => None,
            };
            console.tell(&remedy.into_iter().fold(message, Message::help));
        }
    }

    /// Why a draw failed, for people.
    pub fn failure(&self, error: DrawError) -> Failure {
        let message = Message::error(error.to_string());
        let of_file = |stage| Place::File(self.of(stage).name.clone());
        match error {
            DrawError::Stop(Stop::Cancelled) => Failure::Interrupted,
            DrawError::Stop(Stop::Trap(Trap { kind, stage, pc, warp, lane })) => {
                let fact =
                    format!("it happened at {pc:#06x} of the {} program, in lane {lane} of warp {warp}", stage.name());
                let message = Message::error(format!("trap: {kind}")).at(self.place(stage, pc)).fact(fact);
                Failure::Trap(remedy(kind).into_iter().fold(message, Message::help))
            }
            DrawError::WrongStage { expected, found } => {
                let message = message.at(of_file(expected));
                Failure::Input(vec![match found {
                    Stage::None => message.help("it has no header; text gets one by the directive .stage"),
                    _ => message,
                }])
            }
            DrawError::Threads { stage, .. } => message.at(of_file(stage)).into(),
            DrawError::OutputVertices(_) | DrawError::Topology(_) => message.at(of_file(Stage::Geometry)).into(),
            DrawError::NoMemory(_) => message.help("draw fewer vertices or instances").into(),
            DrawError::PatchesAndTessellation { .. } => {
                Failure::Usage(message.help("give --tes FILE together with --primitive patches"))
            }
            DrawError::NoTessellation | DrawError::PatchVertices(_) | DrawError::Stream(_) | DrawError::Capture(_) => {
                Failure::Usage(message)
            }
        }
    }
}

/// What to do about a trap.
fn remedy(kind: TrapKind) -> Option<String> {
    Some(match kind {
        TrapKind::StepLimit => {
            format!("a warp executed {DEFAULT_STEP_LIMIT} instructions: look for a loop without an end")
        }
        TrapKind::InvalidConstAddr => "give the bank with --const BANK=FILE".into(),
        TrapKind::PcOverflow => "end the program with EXIT".into(),
        TrapKind::StackError => "'ctm check' shows where a token is missing".into(),
        TrapKind::GeometryError => "hand the register that the last OUT gave to the next one".into(),
        _ => return None,
    })
}
