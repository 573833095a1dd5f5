//! Times of kernels as machine code: `jit_kernels <folder of kernels> <folder of textures> [name...]`.
//!
//! Prints milliseconds for the whole domain on one thread and on all, the time of making the code, and the machine's own
//! limits: fused multiply-adds of one thread, and copied bytes.

#[path = "../../testkit/src/buffers.rs"]
#[allow(dead_code, reason = "the example uses a part")]
mod buffers;
#[path = "../../testkit/src/case.rs"]
#[allow(dead_code, reason = "the example uses a part")]
mod case;
#[path = "../../testkit/src/expected.rs"]
#[allow(dead_code, reason = "the example uses a part")]
mod expected;

#[cfg(not(target_arch = "x86_64"))]
fn main() {
    eprintln!("there is no machine code for this host");
}

#[cfg(target_arch = "x86_64")]
fn main() {
    use case::Case;
    use ctm_engine::{Backend, Code, Engine, Source, jit::Jit};
    use ctm_memory::Tiling;
    use ctm_x1k::RunOptions;
    use expected::floats;
    use std::path::Path;
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    /// Notes how long compiling takes, and whether it was refused.
    struct Timed(Jit, Arc<Mutex<(Duration, bool)>>);
    impl Backend for Timed {
        fn name(&self) -> &'static str {
            "timed"
        }
        fn compile(&self, source: &Source) -> Option<Box<dyn Code>> {
            if std::env::args().any(|argument| argument == "--lane") {
                println!("{}", source.interior);
            }
            if std::env::args().any(|argument| argument == "--asm") {
                println!("{}", self.0.disassemble(source).unwrap_or_default());
            }
            let start = Instant::now();
            let code = self.0.compile(source);
            *self.1.lock().unwrap() = (start.elapsed(), code.is_some());
            code
        }
    }

    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let (kernels, textures, names) = (Path::new(&arguments[0]), Path::new(&arguments[1]), &arguments[2..]);
    let mut folders: Vec<_> = std::fs::read_dir(kernels).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders {
        let case = Case::load(&folder);
        if !names.is_empty() && !names.contains(&case.name) {
            continue;
        }
        let wants_avx2 = std::env::args().any(|argument| argument == "--avx2");
        let Some(jit) = (if wants_avx2 { Jit::avx2() } else { Jit::new() }) else {
            eprintln!("this host cannot run machine code");
            return;
        };
        let note = Arc::new(Mutex::new((Duration::ZERO, false)));
        let engine = Engine::with_backend(Box::new(Timed(jit, note.clone())));
        let environment = case.environment(Tiling::Linear, |texture| floats(&textures.join(&texture.file)));
        let job = environment.job(&case);
        let mut times = [f64::INFINITY; 2];
        let start = Instant::now();
        let stats = engine.run(&job, &RunOptions { threads: 1, ..RunOptions::default() }).unwrap();
        let first = start.elapsed().as_secs_f64();
        for (threads, time) in [1, 2].into_iter().zip(&mut times) {
            let repetitions = if first > 1.0 { 1 } else { 7 };
            for _ in 0..repetitions {
                let start = Instant::now();
                engine.run(&job, &RunOptions { threads, ..RunOptions::default() }).unwrap();
                *time = time.min(start.elapsed().as_secs_f64());
            }
        }
        let other = case.environment(Tiling::Linear, |texture| floats(&textures.join(&texture.file)));
        let other_job = other.job(&case);
        let expected =
            Engine::interpreter().run(&other_job, &RunOptions { threads: 1, ..RunOptions::default() }).unwrap();
        assert_eq!(expected.instructions, stats.instructions, "{}", case.name);
        for output in job.outputs.iter().flatten() {
            let mut pictures = [vec![0; output.bytes() as usize], vec![0; output.bytes() as usize]];
            job.memory.read_bytes(output.base, &mut pictures[0]).unwrap();
            other_job.memory.read_bytes(output.base, &mut pictures[1]).unwrap();
            assert!(pictures[0] == pictures[1], "{}: the pictures differ", case.name);
        }
        let (compile, compiled) = *note.lock().unwrap();
        println!(
            "{:12} {} {:8.2} ms on one thread, {:8.2} ms on two, compiled in {:6.2} ms, {} instructions",
            case.name,
            if compiled { "jit   " } else { "interp" },
            times[0] * 1e3,
            times[1] * 1e3,
            compile.as_secs_f64() * 1e3,
            stats.instructions,
        );
    }
}
