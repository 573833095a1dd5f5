//! Prints, as JSON, what the fastest engine of this host makes of all examples: numbers for the bits of pictures, the words of threads,
//! the counts of instructions. The page's tests compare WebAssembly's with it.

use ctm_codegen::EngineName;
use ctm_web::Workbench;
use ctm_web::examples::EXAMPLES;
use ctm_web::scene::Scene;
use ctm_web::source::ProgramKind;
use serde_json::{Map, Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut results = Map::new();
    for example in EXAMPLES {
        let mut workbench = Workbench::new(EngineName::fastest().executor()?);
        let examined = workbench.examine(example.language, example.text);
        let result = match examined.kind {
            ProgramKind::Picture => {
                let scene = |side| Scene { width: side, height: side, ..Scene::default() };
                workbench.paint(scene(64))?;
                let counted = workbench.count()?;
                let executed: u64 = counted.instructions.iter().map(|executed| executed.lanes).sum();
                let instructions: Vec<_> = counted.instructions.iter().map(|executed| executed.lanes).collect();
                json!({ "hash": format!("{:016x}", workbench.hash()?), "executed": executed, "instructions": instructions })
            }
            ProgramKind::Compute => json!({ "words": workbench.launch(&serde_json::from_str(example.settings)?)? }),
            ProgramKind::Pipeline => {
                let frame = workbench.draw(&serde_json::from_str(example.settings)?)?;
                json!({ "points": frame.points.as_flattened() })
            }
        };
        results.insert(example.name.to_owned(), result);
    }
    println!("{}", Value::from(results));
    Ok(())
}
