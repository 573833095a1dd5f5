//! Compiling keeps to a budget of time and memory, and ends when somebody cancels it.

use ctm_compile::front::ps;
use ctm_compile::{CompileError, Compiled, Language, Options, compile_pixel_shader_within, compile_within};
use ctm_lane::budget::{Budget, Halt, Meter};
use ctm_lane::clock::Instant;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// What a compilation may take beyond its deadline, on a slow and busy machine with debug assertions.
const LATE: Duration = Duration::from_secs(20);

fn compiled(text: &str, meter: &Meter<'_>) -> Result<Compiled, CompileError> {
    compile_within(text, Language::Glsl, &Options::default(), meter)
}

fn shader(body: &str) -> String {
    format!(
        "#version 330\nuniform float a; in vec2 uv; out vec4 o; void main() {{ float x = uv.x; {body} o = vec4(x); }}\n"
    )
}

/// Loops that none of the limits on sizes stops early.
fn loops() -> String {
    let heads: String = (0..12).map(|k| format!("for (int i{k} = 0; i{k} < 16; i{k}++) ")).collect();
    shader(&format!("if (x > 2.0) {{ {heads} x = exp(x) + float(i0 * i11); }}"))
}

fn statements() -> String {
    shader(&"x = sin(x) * x + pow(a, x);\n".repeat(4000))
}

#[test]
fn deadlines_and_cancellation_end_it() {
    for text in [loops(), statements()] {
        let over = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        let error = compiled(&text, &Meter::new(over, None)).expect_err("its time is over");
        assert_eq!(error.halt(), Some(Halt::Deadline), "{error}");

        let cancel = AtomicBool::new(false);
        let meter = Meter::new(Budget::default(), Some(&cancel));
        let start = Instant::now();
        let (result, late) = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                cancel.store(true, Relaxed);
                Instant::now()
            });
            let result = compiled(&text, &meter);
            let ended = Instant::now();
            (result, ended.saturating_duration_since(waiting.join().expect("it only waits")))
        });
        assert!(late < LATE, "{late:?} late, after {:?}", start.elapsed());
        // It may have been quicker.
        let halt = result.err().and_then(|error| error.halt());
        assert!(matches!(halt, None | Some(Halt::Cancelled)), "{halt:?}");
    }
}

#[test]
fn memory_is_bounded() {
    let small = Meter::new(Budget { memory: 4 << 20, ..Budget::default() }, None);
    let error = compiled(&statements(), &small).expect_err("it takes more than that");
    assert!(matches!(error.halt(), Some(Halt::Memory { .. })), "{error}");
    assert!(error.line() > 0, "where it was when memory ran out");
    let enough = Meter::new(Budget { memory: 4 << 20, ..Budget::default() }, None);
    assert!(compiled(&shader("x += 1.0;"), &enough).is_ok());
}

#[test]
fn pixel_shaders_keep_to_it() {
    let text = "ps_3_0\ndcl_texcoord0 v0\nadd r0, v0, v0\nmov oC0, r0\n";
    let over = Budget { deadline: Some(Instant::now()), ..Budget::default() };
    let halted = compile_pixel_shader_within("text", text, ps::Options::default(), &Meter::new(over, None));
    assert_eq!(halted.err(), Some(Halt::Deadline));
}
