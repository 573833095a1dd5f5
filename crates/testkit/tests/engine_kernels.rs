//! The kernels that the engine's own tests compile are those of the benches: `crates/codegen/tests/kernels` holds what the
//! lift makes of them. `CTM_BLESS=1 cargo test -p ctm-testkit --test engine_kernels` writes them anew.

use ctm_engine::{Backend, Bindings, BoundCode, Code, Engine, Incomplete, KernelSource, Refusal};
use ctm_lane::effort::Effort;
use ctm_lane::simplify;
use ctm_memory::{Format, Tiling};
use ctm_testkit::case::Case;
use ctm_x1k::{Domain, RunOptions};
use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// What was compiled, as text, and then what was bound.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Recorded>>);

#[derive(Default)]
struct Recorded {
    function: String,
    surfaces: Vec<String>,
    tables: Vec<String>,
}

impl Backend for Recorder {
    fn name(&self) -> &'static str {
        "recorder"
    }

    fn compile(&self, source: &KernelSource, _: &Effort) -> Result<Box<dyn Code>, Refusal> {
        assert!(!source.may_stop, "the engine's tests run them without limits");
        let mut recorded = self.0.lock().unwrap();
        let mut function = source.function.clone();
        simplify(&mut function);
        recorded.function = function.to_string();
        let surface = |facts: &ctm_engine::SurfaceLayout| {
            let surface = facts.surface;
            assert_eq!((surface.tiling, surface.format, facts.whole), (Tiling::Linear, Format::Float32_4, true));
            format!("; surface {} {} {:?}\n", surface.pitch, surface.height, facts.bounds)
        };
        recorded.surfaces = source.surfaces.iter().map(surface).collect();
        Ok(Box::new(self.clone()))
    }
}

impl Code for Recorder {
    fn bind<'a>(&'a self, bindings: &'a Bindings) -> Result<Box<dyn BoundCode + 'a>, Incomplete> {
        let table = |words: &Vec<u32>| {
            let length = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
            let words = words[..length].iter().fold(String::new(), |text, word| text + &format!(" {word:x}"));
            format!("; table{words}\n")
        };
        self.0.lock().unwrap().tables = bindings.tables.iter().map(table).collect();
        Err(Incomplete::Stopped)
    }

    fn columns(&self) -> u32 {
        u32::MAX
    }

    fn is_sound(&self) -> bool {
        true
    }

    fn complete(&self) -> bool {
        true
    }

    fn bytes(&self) -> usize {
        0
    }
}

#[test]
fn kernels_are_what_the_lift_makes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for entry in std::fs::read_dir(root.join("benches/x1k")).unwrap() {
        let mut case = Case::load(&entry.unwrap().path());
        let environment =
            case.environment(Tiling::Linear, |texture| vec![0.0; (texture.width * texture.height * 4) as usize]);
        case.domain = Domain { i0: 0, j0: 0, i1: 3, j1: 3 };
        let recorder = Recorder::default();
        let engine = Engine::with_backend(Box::new(recorder.clone()));
        engine.run(&environment.job(&case), &RunOptions::default()).unwrap();
        let recorded = recorder.0.lock().unwrap();
        let mut text = format!("; {}: as it is lifted and simplified, with its surfaces and tables\n", case.name);
        for line in recorded.surfaces.iter().chain(&recorded.tables) {
            text += line;
        }
        writeln!(text, "{}", recorded.function.trim_end()).unwrap();
        let path = root.join(format!("crates/codegen/tests/kernels/{}.lane", case.name));
        if std::env::var_os("CTM_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == text, "{} is no longer what the lift makes: see the head of this test", path.display());
    }
}
