//! Kernels for tests: functions of real programs with their surfaces and tables, from `tests/kernels`.

use ctm_engine::{Bindings, Grouping, Kernel, Launch, Runtime, SurfaceLayout};
use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_lane::{Function, Op};
use ctm_memory::{Arena, Bounds, Format, Space, Surface, Tiling, View};
use std::path::{Path, PathBuf};

const BASE: u32 = 0x1000_0000;
/// Bytes after each surface that nothing may write.
const GAP: u32 = 0x8000;

/// A function with memory and tables to run on.
pub(super) struct TestKernel {
    pub name: String,
    pub function: Function,
    space: Space,
    surfaces: Vec<(Surface, Bounds)>,
    tables: Vec<Vec<u32>>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels")
}

impl TestKernel {
    /// Every kernel, in the order of the names.
    pub fn all() -> Vec<Self> {
        let names = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
        let mut names: Vec<String> = names.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
        names.sort();
        names.iter().map(|name| Self::load(name)).collect()
    }

    pub fn load(name: &str) -> Self {
        let text = std::fs::read_to_string(folder().join(format!("{name}.lane"))).unwrap();
        let (notes, code): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with(';'));
        let function: Function = code.join("\n").parse().unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let (mut surfaces, mut tables, mut base) = (Vec::new(), Vec::new(), BASE);
        for note in notes {
            let mut words = note.split_whitespace().skip(1);
            match words.next() {
                Some("surface") => {
                    let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap();
                    let (pitch, height) = (number(), number());
                    let bounds = if words.next() == Some("Clamp") { Bounds::Clamp } else { Bounds::Drop };
                    let (format, tiling) = (Format::Float32_4, Tiling::Linear);
                    let surface = Surface { base, pitch, height, tiling, superfine: false, format };
                    base += (surface.bytes() as u32 + GAP).next_multiple_of(ctm_memory::BASE_ALIGNMENT);
                    surfaces.push((surface, bounds));
                }
                Some("table") => tables.push(words.map(|word| u32::from_str_radix(word, 16).unwrap()).collect()),
                _ => {}
            }
        }
        for (words, table) in tables.iter_mut().zip(&function.tables) {
            let words: &mut Vec<u32> = words;
            words.resize(table.entries as usize, 0);
        }
        let mut space = Space::default();
        space.map(Arena::new(BASE, base - BASE).unwrap()).unwrap();
        TestKernel { name: name.to_owned(), function, space, surfaces, tables }
    }

    pub fn layouts(&self) -> Vec<SurfaceLayout> {
        self.surfaces.iter().map(|(surface, bounds)| SurfaceLayout::of(&self.space, surface, *bounds)).collect()
    }

    /// The kernel, which a group always comes to the end of.
    pub fn compile(&self, runtime: &Runtime) -> Kernel {
        Kernel::new(self.function.clone(), Grouping::Independent, &self.layouts(), Some(1), runtime)
    }

    /// The surfaces that the function stores to, with their numbers.
    pub fn outputs(&self) -> impl Iterator<Item = (usize, &Surface)> {
        let insts = self.function.blocks().flat_map(|block| self.function.insts(block));
        let stored = insts.filter_map(|&inst| match self.function.op(inst) {
            Op::SurfaceStore { surface, .. } => Some(surface.index()),
            _ => None,
        });
        let mut stored: Vec<usize> = stored.collect();
        stored.sort_unstable();
        stored.dedup();
        stored.into_iter().map(|number| (number, &self.surfaces[number].0))
    }

    /// Runs the kernel over this domain, and gives what each surface holds then, and what comes after it. Before, outputs
    /// hold bytes AA as far as the domain goes, and inputs numbers that differ from place to place.
    pub fn run(&self, kernel: &Kernel, domain: Domain) -> Vec<Vec<u8>> {
        let outputs: Vec<usize> = self.outputs().map(|(number, _)| number).collect();
        for (number, (surface, _)) in self.surfaces.iter().enumerate() {
            let bytes = if outputs.contains(&number) {
                vec![0xAA; ((domain.j1 + 1) * surface.pitch * surface.format.bytes_per_element()) as usize]
            } else {
                let count = surface.pitch * surface.height * 4;
                (0..count).flat_map(|at| ((at % 8191) as f32 * 0.125).to_bits().to_le_bytes()).collect()
            };
            self.space.write_bytes(surface.base, &bytes).unwrap();
        }
        let view = |(surface, bounds): &(Surface, Bounds)| View::new(&self.space, *surface, *bounds);
        let bindings = Bindings {
            surfaces: self.surfaces.iter().map(view).collect(),
            tables: self.tables.clone(),
            buffers: Vec::new(),
        };
        let launch = Launch { lanes: domain.into(), bindings, max_steps: Some(1) };
        kernel.run(&launch, &RunOptions::default()).unwrap();
        let contents = self.surfaces.iter().map(|(surface, _)| {
            let mut bytes = vec![0; surface.bytes() as usize + GAP as usize];
            self.space.read_bytes(surface.base, &mut bytes).unwrap();
            bytes
        });
        contents.collect()
    }
}
