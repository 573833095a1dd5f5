//! Prints, as JSON, how many milliseconds the interpreter of this host takes for the pictures of the examples, or of the one that is named, in
//! one thread: the least of some runs. `web/bench/speed.mjs` puts those of WebAssembly beside them.

use ctm_engine::{Engine, Executor};
use ctm_web::Workbench;
use ctm_web::examples::EXAMPLES;
use ctm_web::scene::Scene;
use ctm_web::source::ProgramKind;
use serde_json::{Map, Value};
use std::time::Instant;

/// Columns and rows of the pictures.
const SIDE: u32 = 512;
const RUNS: usize = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut times = Map::new();
    let name = std::env::args().nth(1);
    for example in EXAMPLES.iter().filter(|example| name.as_deref().is_none_or(|name| name == example.name)) {
        let mut workbench = Workbench::new(Executor::Engine(Engine::interpreter()));
        if workbench.examine(example.language, example.text).kind != ProgramKind::Picture {
            continue;
        }
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            let start = Instant::now();
            workbench.paint(Scene { width: SIDE, height: SIDE, ..Scene::default() })?;
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
        times.insert(example.name.to_owned(), best.into());
    }
    println!("{}", Value::from(times));
    Ok(())
}
