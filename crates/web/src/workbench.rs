//! What the page works with: one text, its program, its picture, and the lane that somebody looks at.

use crate::canvas::{Canvas, CanvasError, CanvasPixels, GivenPictures, Pass, bands};
use crate::compute::LaunchSettings;
use crate::language::Language;
use crate::pipeline::{self, DrawSettings, LaunchOf, PipelineError, draw};
use crate::problem::Severity;
use crate::scene::Scene;
use crate::source::{Examination, ReadProgram, ReadText, read, variables};
use crate::trail::{Moment, SourceVariable, Timeline, Trail};
use ctm_array::{Array, ContentError, Data, Shape};
use ctm_debug::{LaneSnapshot, Position, Session, SessionError, Snapshot};
use ctm_engine::Executor;
use ctm_follow::InstructionPlace;
use ctm_gpu::object::probe::Language as Spoken;
use ctm_gpu::{Engine, Limits, Machine, load};
use ctm_lane::counts::InstructionCount;
use ctm_sm50::pipeline::Wireframe;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;
use thiserror::Error;

/// Longest time of a run: the page starts another one at every edit.
const RUN_TIME: Duration = Duration::from_secs(20);
/// Bytes that a run may take: a page has less memory than a machine.
const MEMORY: u64 = 512 << 20;

/// Why the page cannot have what it asks for.
#[derive(Debug, Error)]
pub enum WorkbenchError {
    /// The text is not a program.
    #[error("the text has errors: correct them first")]
    NoProgram,
    /// The program is one of vertices.
    #[error("vertex programs (PVS) do not run on the page: 'ctm run' and 'ctm debug' run them")]
    Vertices,
    /// The text of a buffer is not a program.
    #[error("the text of the buffer {0} has errors: correct them first")]
    NoBufferProgram(String),
    /// The errors of a check.
    #[error("the program is invalid: {0}")]
    Refused(String),
    /// Nothing has run.
    #[error("there is no picture yet: run the program first")]
    NoPicture,
    /// A picture has no such part.
    #[error("part {part} is out of range: the picture has {parts} parts, counted from 0")]
    NoPart {
        /// The part.
        part: u32,
        /// How many there are.
        parts: u32,
    },
    /// No lane is followed.
    #[error("no lane is followed: choose a pixel")]
    NoLane,
    /// A picture was given with the wrong number of bytes.
    #[error("a picture of {width} x {height} has four bytes for each pixel, not {bytes} in all")]
    PictureBytes {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
        /// Bytes that were given.
        bytes: usize,
    },
    /// There is no picture.
    #[error(transparent)]
    Canvas(#[from] CanvasError),
    /// A pipeline draws nothing.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// Threads do not run, or a file is not a program.
    #[error(transparent)]
    Run(#[from] ctm_gpu::Error),
    /// The lanes of a group cannot be looked at.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The threads of a warp cannot be looked at.
    #[error(transparent)]
    Threads(#[from] ctm_sm50::debug::DebugError),
    /// An array is none.
    #[error(transparent)]
    Array(#[from] ContentError),
}

/// How often an instruction executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ExecutionCount {
    /// By groups.
    pub executions: u64,
    /// By lanes.
    pub lanes: u64,
}

/// What a run's counts say.
#[derive(Debug, Serialize)]
pub struct RunCounts {
    /// For each instruction of the listing.
    pub instructions: Vec<ExecutionCount>,
    /// For each lane, row by row: how many instructions it executed.
    #[serde(skip)]
    pub lanes: Vec<u32>,
}

/// The lanes that run together.
#[derive(Debug, Default, Serialize)]
pub struct Group {
    /// The lanes.
    pub lanes: Vec<LaneSnapshot>,
    /// Calls, loops and branches that are open, the outermost first.
    pub stack: Vec<String>,
}

/// What a part of a picture shows.
#[derive(Debug, PartialEq, Eq)]
pub struct PictureBands {
    /// The rows that it has.
    pub rows: Vec<Range<u32>>,
    /// What these show, one after the other.
    pub shown: CanvasPixels,
}

/// A form of the program on its way.
#[derive(Debug, Serialize)]
pub struct Stage {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: String,
}

/// A file as text of a language.
#[derive(Debug, Serialize)]
pub struct OpenedFile {
    /// The language.
    pub language: Language,
    /// The text.
    pub text: String,
}

/// The text of a buffer or of the picture.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PassText {
    /// The name of the buffer; none of the picture.
    pub buffer: Option<String>,
    /// The text.
    pub text: String,
}

/// A text that was read.
struct ReadPass {
    language: Language,
    text: PassText,
    read: ReadText,
    /// The first error of a check.
    refusal: Option<String>,
}

impl ReadPass {
    fn new(language: Language, text: PassText) -> Self {
        let mut read = read(language, &text.text);
        let errors = read.examined.problems.iter().filter(|problem| problem.severity == Severity::Error);
        let refusal = errors.map(|problem| problem.message.clone()).next();
        read.examined.runs &= refusal.is_none();
        ReadPass { language, text, read, refusal }
    }

    fn source(&self) -> Result<&ReadProgram, WorkbenchError> {
        match (&self.read.source, &self.refusal, &self.text.buffer) {
            (Some(source), None, _) => Ok(source),
            (_, _, Some(buffer)) => Err(WorkbenchError::NoBufferProgram(buffer.clone())),
            (Some(_), Some(refusal), None) => Err(WorkbenchError::Refused(refusal.clone())),
            (None, _, None) => Err(WorkbenchError::NoProgram),
        }
    }
}

/// The state after the page.
pub struct Workbench {
    executor: Executor,
    engine: Engine,
    limits: Limits,
    /// In the order in which they run: the buffers, then the picture.
    passes: Vec<ReadPass>,
    pictures: GivenPictures,
    canvas: Option<Canvas>,
    trail: Option<Trail>,
    session: Option<Session>,
}

impl Workbench {
    /// One whose pictures this executes. Threads of SM50 are interpreted.
    pub fn new(executor: Executor) -> Self {
        let limits = Limits { run_time: Some(RUN_TIME), memory: MEMORY, ..Limits::DEFAULT };
        let engine = Engine::named(ctm_gpu::EngineName::Interp).unwrap_or_default();
        let engine = engine.with_limits(limits).with_threads(1);
        let (passes, pictures) = (Vec::new(), GivenPictures::new());
        Workbench { executor, engine, limits, passes, pictures, canvas: None, trail: None, session: None }
    }

    /// Takes another text, and says what it is.
    pub fn examine(&mut self, language: Language, text: &str) -> Examination {
        let mut examined = self.examine_all(language, vec![PassText { buffer: None, text: text.to_owned() }]);
        examined.remove(0)
    }

    /// Takes the texts of buffers and, as the last one, of the picture, and says what each is. Those that have not changed stay.
    pub fn examine_all(&mut self, language: Language, texts: Vec<PassText>) -> Vec<Examination> {
        (self.canvas, self.trail, self.session) = (None, None, None);
        let mut known = std::mem::take(&mut self.passes);
        let pass = |text: PassText| match known.iter().position(|pass| pass.language == language && pass.text == text) {
            Some(same) => known.swap_remove(same),
            None => ReadPass::new(language, text),
        };
        self.passes = texts.into_iter().map(pass).collect();
        self.passes.iter().map(|pass| pass.read.examined.clone()).collect()
    }

    /// The pass that is looked at: the picture, unless a buffer is shown in its place.
    fn shown_pass(&self) -> Result<&ReadPass, WorkbenchError> {
        let shown = self.canvas.as_ref().map(Canvas::shown_pass);
        shown.map_or(self.passes.last(), |shown| self.passes.get(shown)).ok_or(WorkbenchError::NoProgram)
    }

    fn source(&self) -> Result<&ReadProgram, WorkbenchError> {
        self.shown_pass()?.source()
    }

    fn canvas(&self) -> Result<&Canvas, WorkbenchError> {
        self.canvas.as_ref().ok_or(WorkbenchError::NoPicture)
    }

    /// Gives an input of the picture's program, or of that of a buffer, a picture of four bytes for each pixel. Scenes whose pattern for the input
    /// is a picture show it.
    ///
    /// # Errors
    /// The bytes are no such picture.
    pub fn set_picture(
        &mut self,
        buffer: Option<String>,
        input: u8,
        width: u32,
        height: u32,
        bytes: Vec<u8>,
    ) -> Result<(), WorkbenchError> {
        let shape = Shape { width: width as usize, height: height as usize, channels: 4 };
        if shape.values() != Some(bytes.len()) || bytes.is_empty() {
            return Err(WorkbenchError::PictureBytes { width, height, bytes: bytes.len() });
        }
        self.pictures.insert((buffer, input), Array { shape, data: Data::U8(bytes) });
        self.canvas = None;
        Ok(())
    }

    /// Runs the program over the pixels of a scene, and gives what its first output shows.
    ///
    /// # Errors
    /// There is no program, or its run does not complete.
    pub fn paint(&mut self, scene: Scene) -> Result<Vec<u8>, WorkbenchError> {
        Ok(self.paint_part(scene, 0, 1)?.shown.bytes)
    }

    /// Runs the program over the pixels of one of the parts of a scene ([`bands`]), and gives what its first output shows there. The picture
    /// is complete only in these rows.
    ///
    /// Where there are buffers, a picture is the frame after the last one if its scene can follow the other's ([`Scene::follows`]), else
    /// the first one.
    ///
    /// # Errors
    /// As [`paint`](Self::paint), or there is no such part.
    pub fn paint_part(&mut self, scene: Scene, part: u32, parts: u32) -> Result<PictureBands, WorkbenchError> {
        if part >= parts {
            return Err(WorkbenchError::NoPart { part, parts });
        }
        let canvas = self.canvas.take();
        let passes =
            self.passes.iter().map(|pass| Ok(Pass { buffer: pass.text.buffer.as_deref(), source: pass.source()? }));
        let passes = passes.collect::<Result<Vec<_>, WorkbenchError>>()?;
        let rows = bands(scene.height, part, parts);
        let canvas = match canvas.filter(|canvas| canvas.goes_on_with(&scene)) {
            Some(mut canvas) => {
                canvas.go_on_with(scene);
                canvas
            }
            None if passes.is_empty() => return Err(WorkbenchError::NoProgram),
            None => Canvas::new(&passes, scene, &self.pictures)?,
        };
        canvas.run_buffers(&passes, &self.executor, &self.limits)?;
        // A buffer that is shown has run, and nothing reads the picture.
        if let Some(Pass { buffer: None, source }) = passes.get(canvas.shown_pass()) {
            for rows in &rows {
                canvas.run_rows(source, &self.executor, &self.limits, rows.clone())?;
            }
        }
        let shown = canvas.shown(canvas.outputs().next().unwrap_or(0), &rows)?;
        self.canvas = Some(canvas);
        Ok(PictureBands { rows, shown })
    }

    /// A number for all bits of the outputs of the last picture; see [`Canvas::hash`].
    ///
    /// # Errors
    /// There is no picture.
    pub fn hash(&self) -> Result<u64, WorkbenchError> {
        Ok(self.canvas()?.hash()?)
    }

    /// Counts the instructions of the last picture.
    ///
    /// # Errors
    /// There is no picture, or its run does not complete.
    pub fn count(&self) -> Result<RunCounts, WorkbenchError> {
        let (source, canvas) = (self.source()?, self.canvas()?);
        let counts = canvas.counts(&self.limits)?;
        canvas.run(source, &self.executor, &self.limits, Some(&counts))?;
        let lanes = counts.lanes().into_iter().map(|count| u32::try_from(count).unwrap_or(u32::MAX)).collect();
        Ok(RunCounts { instructions: by_listing(source, &counts.instructions()), lanes })
    }

    /// Follows the lane of a pixel of the last picture, together with those of its tile.
    ///
    /// # Errors
    /// There is no picture, or the run does not complete.
    pub fn follow(&mut self, x: u32, y: u32) -> Result<Timeline, WorkbenchError> {
        let (source, canvas) = (self.source()?, self.canvas()?);
        let mut trail = Trail::new(&source.listing, 0);
        canvas.follow(source, (x, y), &self.limits, &mut trail)?;
        let pass = self.shown_pass()?;
        let variables = variables(pass.language, &pass.text.text);
        self.session = Some(canvas.session(source, &variables, (x, y))?);
        Ok(self.trail.insert(trail).timeline())
    }

    /// What the followed lane holds after so many steps.
    ///
    /// # Errors
    /// No lane is followed.
    pub fn moment(&mut self, step: usize) -> Result<Moment, WorkbenchError> {
        let trail = self.trail.as_ref().filter(|trail| trail.has_run()).ok_or(WorkbenchError::NoLane)?;
        let mut moment = trail.moment(step);
        if let Some(session) = self.session.as_mut().filter(|session| session.has_variables()) {
            let position = session.position();
            session.go_to(Position { step: trail.instructions_before(moment.step + 1), ..position })?;
            let variables = session.snapshot().variables;
            moment.variables = Some(variables.into_iter().map(SourceVariable::from).collect());
        }
        Ok(moment)
    }

    /// The followed lane's group in front of its step with this number, from 1: its lanes, which of them execute the step, and the loops,
    /// calls and branches that are open. Empty where lanes are not looked at together.
    ///
    /// # Errors
    /// There is no such step.
    pub fn group(&mut self, step: usize) -> Result<Group, WorkbenchError> {
        let (Some(session), Some(trail)) = (&mut self.session, &self.trail) else { return Ok(Group::default()) };
        session.go_to(Position { step: trail.instructions_before(step), ..session.position() })?;
        let Snapshot { lanes, stack, .. } = session.snapshot();
        Ok(Group { lanes, stack })
    }

    /// Runs threads, and gives the words of global memory.
    ///
    /// # Errors
    /// There is no program, or it does not run so.
    pub fn launch(&self, settings: &LaunchSettings) -> Result<Vec<u32>, WorkbenchError> {
        Ok(settings.run(&self.source()?.program, &self.engine)?)
    }

    /// Counts the instructions of threads.
    ///
    /// # Errors
    /// As [`launch`](Self::launch).
    pub fn count_threads(&self, settings: &LaunchSettings) -> Result<RunCounts, WorkbenchError> {
        let source = self.source()?;
        let counts = settings.count(&source.program, &self.engine)?;
        let places: BTreeMap<InstructionPlace, InstructionCount> =
            counts.instructions.iter().map(|one| (one.place, one.count)).collect();
        let lanes = counts.lanes.iter().map(|&count| u32::try_from(count).unwrap_or(u32::MAX)).collect();
        Ok(RunCounts { instructions: by_listing(source, &places), lanes })
    }

    /// Follows a thread.
    ///
    /// # Errors
    /// As [`launch`](Self::launch).
    pub fn follow_thread(&mut self, settings: &LaunchSettings, thread: u32) -> Result<Timeline, WorkbenchError> {
        let source = self.source()?;
        let mut trail = Trail::new(&source.listing, 0);
        settings.follow(&source.program, &self.engine, thread, &mut trail)?;
        self.session = settings.session(&source.program, thread)?;
        Ok(self.trail.insert(trail).timeline())
    }

    /// Draws with the stages of a pipeline.
    ///
    /// # Errors
    /// There is no program, or it draws nothing.
    pub fn draw(&self, settings: &DrawSettings) -> Result<Wireframe, WorkbenchError> {
        Ok(draw(&self.source()?.stages, settings, &self.executor, &self.limits)?)
    }

    /// The launches of a draw: stages that run for batches.
    ///
    /// # Errors
    /// As [`draw`](Self::draw).
    pub fn launches(&self, settings: &DrawSettings) -> Result<Vec<LaunchOf>, WorkbenchError> {
        Ok(pipeline::launches(&self.source()?.stages, settings, &self.executor, &self.limits)?)
    }

    /// Follows an invocation of a launch of a draw.
    ///
    /// # Errors
    /// As [`draw`](Self::draw), or there is no such invocation.
    pub fn follow_invocation(
        &mut self,
        settings: &DrawSettings,
        launch: usize,
        invocation: u32,
    ) -> Result<Timeline, WorkbenchError> {
        let source = self.source()?;
        let (stages, lines) = (&source.stages, &source.listing);
        let (trail, session) =
            pipeline::follow(stages, settings, &self.executor, &self.limits, (launch, invocation), lines)?;
        self.session = Some(session);
        Ok(self.trail.insert(trail).timeline())
    }

    /// The forms that the program goes through, in order.
    ///
    /// # Errors
    /// There is no program, or no picture of it.
    pub fn stages(&self) -> Result<Vec<Stage>, WorkbenchError> {
        let source = self.source()?;
        let mut stages = Vec::new();
        if let Some(compiled) = &source.compiled {
            stages.push(Stage { name: "Shader, as it was read", text: compiled.read.to_string() });
            stages.push(Stage { name: "Shader, optimised", text: compiled.optimised.to_string() });
        }
        match &source.stages[..] {
            [] | [_] => stages.push(Stage { name: "Machine code", text: source.program.disassemble() }),
            several => stages.extend(several.iter().map(|program| {
                let name = program.header.map_or("Machine code", |header| header.stage.name());
                Stage { name, text: ctm_gpu::Program::from(program.clone()).disassemble() }
            })),
        }
        if let Some(canvas) = &self.canvas {
            match canvas.stages(source) {
                Ok(forms) => {
                    stages.push(Stage { name: "Lane IR, lifted", text: forms.lifted.to_string() });
                    stages.push(Stage { name: "Lane IR, simplified", text: forms.general.to_string() });
                }
                Err(error) => stages.push(Stage { name: "Lane IR", text: error.to_string() }),
            }
        }
        Ok(stages)
    }

    /// The text of a file that holds a program: assembly of the first one, or the file itself if it is text that is not known.
    ///
    /// # Errors
    /// The file has no program.
    pub fn open(name: &str, bytes: &[u8]) -> Result<OpenedFile, WorkbenchError> {
        let ending = name.rsplit('.').next().unwrap_or_default();
        let language = match ending {
            "x1k" => Some(Language::X1k),
            "r700" => Some(Language::R700),
            "sm50" => Some(Language::Sm50),
            "frag" | "glsl" | "fs" | "fsh" => Some(Language::Glsl),
            "wgsl" => Some(Language::Wgsl),
            "psh" | "ps" => Some(Language::Ps),
            _ => None,
        };
        if let (Some(language), Ok(text)) = (language, str::from_utf8(bytes)) {
            return Ok(OpenedFile { language, text: text.to_owned() });
        }
        let mut loaded = load(bytes, None)?;
        loaded.truncate(1);
        let loaded = loaded.pop().ok_or(WorkbenchError::NoProgram)?;
        if let Some(shader) = loaded.shader {
            let language = match shader.language {
                Spoken::Wgsl => Language::Wgsl,
                Spoken::PixelShader => Language::Ps,
                Spoken::Glsl | Spoken::X1k | Spoken::R700 | Spoken::Sm50 | Spoken::Pvs | Spoken::Commands => {
                    Language::Glsl
                }
            };
            return Ok(OpenedFile { language, text: shader.source });
        }
        let language = match loaded.program.machine() {
            Machine::X1k => Language::X1k,
            Machine::R700 => Language::R700,
            Machine::Sm50 => Language::Sm50,
            Machine::Pvs => return Err(WorkbenchError::Vertices),
        };
        Ok(OpenedFile { language, text: loaded.program.disassemble() })
    }
}

fn by_listing(source: &ReadProgram, places: &BTreeMap<InstructionPlace, InstructionCount>) -> Vec<ExecutionCount> {
    let executed = |place| {
        let InstructionCount { executions, lanes } = places.get(place).copied().unwrap_or_default();
        ExecutionCount { executions, lanes }
    };
    source.listing.iter().map(|listed| executed(&listed.place)).collect()
}
