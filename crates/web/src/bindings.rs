//! The functions that JavaScript calls.

use crate::compute::LaunchSettings;
use crate::examples::EXAMPLES;
use crate::language::Language;
use crate::pipeline::DrawSettings;
use crate::scene::Scene;
use crate::trace::{TraceView, ViewError};
use crate::words;
use crate::workbench::{self, Workbench, WorkbenchError};
use ctm_engine::{Engine, Executor};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

fn json(value: &impl Serialize) -> Result<String, JsError> {
    Ok(serde_json::to_string(value)?)
}

fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, JsError> {
    Ok(serde_json::from_str(text)?)
}

fn language(name: &str) -> Result<Language, JsError> {
    parsed(&format!("\"{name}\""))
}

fn failed(error: WorkbenchError) -> JsError {
    JsError::new(&error.to_string())
}

/// The languages, as JSON.
#[wasm_bindgen]
pub fn languages() -> Result<String, JsError> {
    json(&Language::ALL.map(Language::described))
}

/// The examples, as JSON.
#[wasm_bindgen]
pub fn examples() -> Result<String, JsError> {
    json(&EXAMPLES)
}

/// The colours of heat maps, from the least to the most: red, green and blue of each.
#[wasm_bindgen(js_name = heatColours)]
pub fn heat_colours() -> Vec<u8> {
    ctm_array::HEAT.as_flattened().to_vec()
}

/// The names of a language, as JSON.
#[wasm_bindgen]
pub fn completions(of: &str) -> Result<String, JsError> {
    json(&words::words(language(of)?))
}

/// What the reference says of a name, as Markdown.
#[wasm_bindgen]
pub fn explain(of: &str, word: &str) -> Result<Option<String>, JsError> {
    Ok(words::explain(language(of)?, word))
}

/// The text of a file that holds a program, as JSON.
#[wasm_bindgen]
pub fn open(name: &str, bytes: &[u8]) -> Result<String, JsError> {
    json(&Workbench::open(name, bytes).map_err(failed)?)
}

/// A [`Workbench`] of the interpreter.
#[wasm_bindgen]
pub struct Bench {
    workbench: Workbench,
    lanes: Vec<u32>,
}

/// A wireframe for JavaScript.
#[wasm_bindgen]
pub struct Frame {
    points: Vec<f64>,
    edges: Vec<u32>,
    primitives: usize,
}

#[wasm_bindgen]
impl Frame {
    /// x, y, z of each point.
    #[wasm_bindgen(getter)]
    pub fn points(&self) -> Vec<f64> {
        self.points.clone()
    }

    /// Two points for each edge.
    #[wasm_bindgen(getter)]
    pub fn edges(&self) -> Vec<u32> {
        self.edges.clone()
    }

    /// How many primitives there are.
    #[wasm_bindgen(getter)]
    pub fn primitives(&self) -> usize {
        self.primitives
    }
}

/// A part of a picture for JavaScript.
#[wasm_bindgen]
pub struct PictureBands {
    part: workbench::PictureBands,
}

#[wasm_bindgen]
impl PictureBands {
    /// The first row of each band, and the one after it.
    #[wasm_bindgen(getter)]
    pub fn rows(&self) -> Vec<u32> {
        self.part.rows.iter().flat_map(|rows| [rows.start, rows.end]).collect()
    }

    /// Four bytes for each pixel of the bands.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> Vec<u8> {
        self.part.shown.bytes.clone()
    }

    /// [`CanvasPixels::is_opaque`](crate::canvas::CanvasPixels::is_opaque).
    #[wasm_bindgen(getter, js_name = isOpaque)]
    pub fn is_opaque(&self) -> bool {
        self.part.shown.is_opaque
    }
}

#[wasm_bindgen]
#[expect(clippy::new_without_default, reason = "JavaScript knows constructors only")]
impl Bench {
    /// An empty one.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Bench { workbench: Workbench::new(Executor::Engine(Engine::interpreter())), lanes: Vec::new() }
    }

    /// [`Workbench::examine`].
    pub fn examine(&mut self, of: &str, text: &str) -> Result<String, JsError> {
        json(&self.workbench.examine(language(of)?, text))
    }

    /// [`Workbench::examine_all`].
    #[wasm_bindgen(js_name = examineAll)]
    pub fn examine_all(&mut self, of: &str, texts: &str) -> Result<String, JsError> {
        json(&self.workbench.examine_all(language(of)?, parsed(texts)?))
    }

    /// [`Workbench::set_picture`].
    #[wasm_bindgen(js_name = setPicture)]
    pub fn set_picture(
        &mut self,
        buffer: Option<String>,
        input: u8,
        width: u32,
        height: u32,
        bytes: Vec<u8>,
    ) -> Result<(), JsError> {
        self.workbench.set_picture(buffer, input, width, height, bytes).map_err(failed)
    }

    /// [`Workbench::paint`].
    pub fn paint(&mut self, scene: &str) -> Result<Vec<u8>, JsError> {
        let scene: Scene = parsed(scene)?;
        self.workbench.paint(scene).map_err(failed)
    }

    /// [`Workbench::paint_part`].
    #[wasm_bindgen(js_name = paintPart)]
    pub fn paint_part(&mut self, scene: &str, part: u32, parts: u32) -> Result<PictureBands, JsError> {
        Ok(PictureBands { part: self.workbench.paint_part(parsed(scene)?, part, parts).map_err(failed)? })
    }

    /// [`Workbench::hash`], in hexadecimal.
    pub fn hash(&self) -> Result<String, JsError> {
        Ok(format!("{:016x}", self.workbench.hash().map_err(failed)?))
    }

    /// [`Workbench::count`].
    pub fn count(&mut self) -> Result<String, JsError> {
        let mut counted = self.workbench.count().map_err(failed)?;
        self.lanes = std::mem::take(&mut counted.lanes);
        json(&counted)
    }

    /// [`Workbench::count_threads`].
    #[wasm_bindgen(js_name = countThreads)]
    pub fn count_threads(&mut self, settings: &str) -> Result<String, JsError> {
        let settings: LaunchSettings = parsed(settings)?;
        let mut counted = self.workbench.count_threads(&settings).map_err(failed)?;
        self.lanes = std::mem::take(&mut counted.lanes);
        json(&counted)
    }

    /// How many instructions each lane executed, as the last count found.
    #[wasm_bindgen(js_name = laneCounts)]
    pub fn lane_counts(&self) -> Vec<u32> {
        self.lanes.clone()
    }

    /// [`Workbench::follow`].
    pub fn follow(&mut self, x: u32, y: u32) -> Result<String, JsError> {
        json(&self.workbench.follow(x, y).map_err(failed)?)
    }

    /// [`Workbench::follow_thread`].
    #[wasm_bindgen(js_name = followThread)]
    pub fn follow_thread(&mut self, settings: &str, thread: u32) -> Result<String, JsError> {
        let settings: LaunchSettings = parsed(settings)?;
        json(&self.workbench.follow_thread(&settings, thread).map_err(failed)?)
    }

    /// [`Workbench::moment`].
    pub fn moment(&mut self, step: usize) -> Result<String, JsError> {
        json(&self.workbench.moment(step).map_err(failed)?)
    }

    /// [`Workbench::group`].
    pub fn group(&mut self, step: usize) -> Result<String, JsError> {
        json(&self.workbench.group(step).map_err(failed)?)
    }

    /// [`Workbench::launch`].
    pub fn launch(&self, settings: &str) -> Result<Vec<u32>, JsError> {
        let settings: LaunchSettings = parsed(settings)?;
        self.workbench.launch(&settings).map_err(failed)
    }

    /// [`Workbench::draw`].
    pub fn draw(&self, settings: &str) -> Result<Frame, JsError> {
        let settings: DrawSettings = parsed(settings)?;
        let frame = self.workbench.draw(&settings).map_err(failed)?;
        let edges = frame.edges().into_iter().flat_map(|(a, b)| [a, b]).collect();
        let primitives = frame.indices.len() / frame.shape.vertices() as usize;
        Ok(Frame { points: frame.points.into_flattened(), edges, primitives })
    }

    /// [`Workbench::launches`].
    pub fn launches(&self, settings: &str) -> Result<String, JsError> {
        let settings: DrawSettings = parsed(settings)?;
        json(&self.workbench.launches(&settings).map_err(failed)?)
    }

    /// [`Workbench::follow_invocation`].
    #[wasm_bindgen(js_name = followInvocation)]
    pub fn follow_invocation(&mut self, settings: &str, launch: usize, invocation: u32) -> Result<String, JsError> {
        let settings: DrawSettings = parsed(settings)?;
        json(&self.workbench.follow_invocation(&settings, launch, invocation).map_err(failed)?)
    }

    /// [`Workbench::stages`].
    pub fn stages(&self) -> Result<String, JsError> {
        json(&self.workbench.stages().map_err(failed)?)
    }
}

fn not_shown(error: ViewError) -> JsError {
    JsError::new(&error.to_string())
}

/// Whether a file is a trace of the device or of a card.
#[wasm_bindgen(js_name = isTrace)]
pub fn is_trace(bytes: &[u8]) -> bool {
    TraceView::is_trace(bytes)
}

/// A [`TraceView`].
#[wasm_bindgen]
pub struct Viewer {
    view: TraceView,
}

#[wasm_bindgen]
impl Viewer {
    /// [`TraceView::open`].
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: Vec<u8>) -> Result<Self, JsError> {
        Ok(Viewer { view: TraceView::open(bytes).map_err(not_shown)? })
    }

    /// [`TraceView::describe`].
    pub fn describe(&self) -> Result<String, JsError> {
        json(&self.view.describe())
    }

    /// [`TraceView::lines`].
    pub fn lines(&mut self, submission: usize, dword: usize) -> Result<String, JsError> {
        json(&self.view.lines(submission, dword).map_err(not_shown)?)
    }

    /// [`TraceView::go`].
    pub fn go(&mut self, stop: usize) -> Result<String, JsError> {
        json(&self.view.go(stop).map_err(not_shown)?)
    }

    /// [`TraceView::picture`].
    pub fn picture(&self, surface: usize) -> Result<Vec<u8>, JsError> {
        self.view.picture(surface).map_err(not_shown)
    }

    /// [`TraceView::pixel`].
    pub fn pixel(&self, surface: usize, x: u32, y: u32) -> Result<Vec<u32>, JsError> {
        self.view.pixel(surface, x, y).map_err(not_shown)
    }

    /// [`TraceView::history`].
    pub fn history(&mut self, stop: usize, x: u32, y: u32) -> Result<String, JsError> {
        json(&self.view.history(stop, x, y).map_err(not_shown)?)
    }
}
