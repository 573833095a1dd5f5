//! The programs of a draw, and what they do wrong.

use super::DrawArgs;
use super::values::{Attribute, CaptureRange};
use crate::isa::finding::require_no_errors;
use crate::isa::sm50::Loaded;
use crate::report::{Location, Message};
use crate::{Console, Failure};
use ctm_sm50::attributes::name;
use ctm_sm50::launch::{Constants, Shader, Stop, Warnings};
use ctm_sm50::pipeline::{Capture, DrawError};
use ctm_sm50::{AttributeMap, Stage};
use std::collections::BTreeMap;
use std::path::Path;

/// The programs of a draw.
pub struct Programs {
    vertex: Loaded,
    tess_init: Option<Loaded>,
    tessellation: Option<Loaded>,
    geometry: Option<Loaded>,
    fragment: Option<Loaded>,
    /// Constant banks that stages have for themselves.
    banks: BTreeMap<u8, Constants>,
}

impl Programs {
    /// Reads their files.
    pub fn read(args: &DrawArgs, console: &mut Console) -> Result<Self, Failure> {
        let mut read = |path: &Path| {
            let loaded = Loaded::read(path, console)?;
            require_no_errors(&loaded)?;
            Ok::<_, Failure>(loaded)
        };
        Ok(Programs {
            vertex: read(&args.vs)?,
            tess_init: args.tcs.as_deref().map(&mut read).transpose()?,
            tessellation: args.tes.as_deref().map(&mut read).transpose()?,
            geometry: args.gs.as_deref().map(&mut read).transpose()?,
            fragment: args.fs.as_deref().map(&mut read).transpose()?,
            banks: BTreeMap::new(),
        })
    }

    /// Gives a stage constant banks of its own.
    ///
    /// # Errors
    /// The draw has no program for it.
    pub fn set_banks(&mut self, stage: Stage, banks: Constants) -> Result<(), Failure> {
        if self.all().iter().all(|(of, _)| *of != stage) {
            let message = format!("a constant bank is given for stage {}, which has no program", stage.name());
            return Err(Failure::Usage(Message::error(message).help("--const BANK=FILE is for all programs")));
        }
        self.banks.insert(stage as u8, banks);
        Ok(())
    }

    fn shader<'a>(&'a self, stage: Stage, loaded: &'a Loaded) -> Shader<'a> {
        Shader { banks: self.banks.get(&(stage as u8)), ..Shader::from(&loaded.program) }
    }

    /// Those that there are, in the order of the pipeline.
    pub fn all(&self) -> Vec<(Stage, &Loaded)> {
        let others = [
            (Stage::TessellationInit, &self.tess_init),
            (Stage::Tessellation, &self.tessellation),
            (Stage::Geometry, &self.geometry),
            (Stage::Pixel, &self.fragment),
        ];
        let others = others.into_iter().filter_map(|(stage, loaded)| Some((stage, loaded.as_ref()?)));
        std::iter::once((Stage::Vertex, &self.vertex)).chain(others).collect()
    }

    /// The vertex program.
    pub fn vertex(&self) -> Shader<'_> {
        self.shader(Stage::Vertex, &self.vertex)
    }

    /// The tessellation initialisation program.
    pub fn tess_init(&self) -> Option<Shader<'_>> {
        self.tess_init.as_ref().map(|loaded| self.shader(Stage::TessellationInit, loaded))
    }

    /// The tessellation program.
    pub fn tessellation(&self) -> Option<Shader<'_>> {
        self.tessellation.as_ref().map(|loaded| self.shader(Stage::Tessellation, loaded))
    }

    /// The geometry program.
    pub fn geometry(&self) -> Option<Shader<'_>> {
        self.geometry.as_ref().map(|loaded| self.shader(Stage::Geometry, loaded))
    }

    /// The fragment program.
    pub fn fragment(&self) -> Option<Shader<'_>> {
        self.fragment.as_ref().map(|loaded| self.shader(Stage::Pixel, loaded))
    }

    /// The program that stands for a stage.
    fn of(&self, stage: Stage) -> &Loaded {
        let program = match stage {
            Stage::TessellationInit => self.tess_init.as_ref(),
            Stage::Tessellation => self.tessellation.as_ref(),
            Stage::Geometry => self.geometry.as_ref(),
            Stage::Pixel => self.fragment.as_ref(),
            _ => None,
        };
        program.unwrap_or(&self.vertex)
    }

    /// Warns of attributes that the vertex program does not read, and of captures that the last program does not write.
    pub fn report_idle_options(&self, args: &DrawArgs, console: &mut Console) {
        let last = [&self.geometry, &self.tessellation].into_iter().flatten().next().unwrap_or(&self.vertex);
        let is_idle =
            |map: AttributeMap, address: u32, words: u32| !(0..words).any(|word| map.contains(address + 4 * word));
        if let Some(header) = &self.vertex.program.header {
            let given = args.attributes.iter();
            for Attribute { address, .. } in given.filter(|given| is_idle(header.imap, given.address, given.components))
            {
                let message =
                    format!("attribute {address:#x} ({}) is given, but the program does not read it", name(*address));
                console.report(&Message::warning(message).at(Location::File(self.vertex.name.clone())));
            }
        }
        if let Some(header) = last.program.header.filter(|_| self.fragment.is_none()) {
            let captured = args.capture.iter().map(|CaptureRange(capture)| capture);
            for Capture { address, .. } in captured.filter(|range| is_idle(header.omap, range.address, range.words)) {
                let message =
                    format!("{address:#x} ({}) is captured, but the program does not write it", name(*address));
                let message = Message::warning(message).at(Location::File(last.name.clone()));
                console.report(
                    &message.help("'ctm info' lists the attributes that it writes; --capture ADDR:COUNT chooses"),
                );
            }
        }
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
