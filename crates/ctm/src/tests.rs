//! What runs do, and what is refused.

use crate::memory::Format;
use crate::sampler::{Filter, Sampler, Wrap};
use crate::{Array, Engine, EngineName, Error, Limits, Machine, Pixels, Program, Shape, Texture, Threads, Trail};
use std::time::Duration;

const SHAPE: Shape = Shape { width: 2, height: 2, channels: 4 };

fn x1k(text: &str) -> Program {
    Program::assemble(Machine::X1k, text).unwrap()
}

/// Copies input 0 to output 0, times constant 0.
fn copy() -> Program {
    x1k("TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
         OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1], src1.rgb = const[0], src1.a = const[0] :
           out[0].rgb = MAD src0.rgb src1.rgb src0.000, out[0].a = MAD src0.a src1.a src0.0 ;")
}

fn array(shape: Shape, value: f32) -> Array {
    Array::from_floats(shape, &vec![value; shape.width * shape.height * shape.channels]).unwrap()
}

#[test]
fn kernels_run_again_with_other_data() {
    for name in EngineName::available() {
        let engine = Engine::named(name).unwrap();
        let pixels = Pixels::new(copy(), 2, 2).input(0, array(SHAPE, 3.0)).constant(0, [2.0; 4]);
        let mut kernel = pixels.compile(&engine).unwrap();
        assert_eq!(kernel.output(0).unwrap().to_floats(), [0.0; 16], "nothing has run");
        assert_eq!(kernel.run().unwrap().lanes, 4);
        assert_eq!(kernel.output(0).unwrap(), array(SHAPE, 6.0));
        kernel.set_input(0, &array(SHAPE, 5.0)).unwrap();
        kernel.set_constant(0, [-1.0; 4]);
        kernel.run().unwrap();
        assert_eq!(kernel.output(0).unwrap(), array(SHAPE, -5.0), "{}", engine.name());
    }
}

#[test]
fn outputs_have_the_format_that_is_wanted() {
    let pixels = Pixels::new(copy(), 2, 2).input(0, array(SHAPE, 1.0)).constant(0, [1.0; 4]);
    let mut kernel =
        pixels.output(0, Format::Uint8_4).output(3, Format::Float32_1).compile(&Engine::fastest()).unwrap();
    kernel.run().unwrap();
    assert_eq!(kernel.output(0).unwrap().data, ctm_array::Data::U8(vec![255; 16]));
    assert_eq!(kernel.output(3).unwrap().to_floats(), [0.0; 4], "the program does not write it");
    assert!(matches!(kernel.output(1), Err(Error::Missing { what: "output", number: 1 })));
}

#[test]
fn what_does_not_fit_is_refused() {
    let engine = Engine::fastest();
    let pixels = |program| Pixels::new(program, 2, 2);
    let input = array(SHAPE, 1.0);
    assert!(matches!(pixels(copy()).compile(&engine), Err(Error::X1k(_))), "an input is missing");
    assert!(matches!(pixels(copy()).input(16, input.clone()).compile(&engine), Err(Error::Number { number: 16, .. })));
    let outputs = pixels(copy()).input(0, input.clone()).output(4, Format::Float32_4);
    assert!(matches!(outputs.compile(&engine), Err(Error::Number { what: "output", number: 4, limit: 4 })));
    assert!(matches!(Pixels::new(copy(), 0, 2).input(0, input.clone()).compile(&engine), Err(Error::Array(_))));
    assert!(matches!(Pixels::new(copy(), 5000, 2).input(0, input.clone()).compile(&engine), Err(Error::Array(_))));

    let mut kernel = pixels(copy()).input(0, input).compile(&engine).unwrap();
    let narrow = array(Shape { width: 1, ..SHAPE }, 1.0);
    assert!(matches!(kernel.set_input(0, &narrow), Err(Error::Shape { input: 0, .. })));
    assert!(matches!(kernel.set_input(1, &narrow), Err(Error::Missing { what: "input", number: 1 })));
    let bytes = Array { shape: SHAPE, data: ctm_array::Data::U8(vec![0; 16]) };
    assert!(matches!(kernel.set_input(0, &bytes), Err(Error::Shape { .. })), "values of another type");

    let sm50 = Program::assemble(Machine::Sm50, "EXIT;").unwrap();
    assert!(matches!(pixels(sm50.clone()).compile(&engine), Err(Error::Machine { machine: Machine::Sm50, .. })));
    assert!(matches!(Threads::new(copy(), [1; 3], [1; 3]), Err(Error::Machine { machine: Machine::X1k, .. })));
    assert!(matches!(Threads::new(sm50, [1; 3], [1025, 1, 1]), Err(Error::Grid)));
    assert!(matches!(copy().shader(), Err(Error::Machine { .. })));
    let vertex = Program::assemble(Machine::R700, ".stage vs\nALU:\n x: MOV R1.x, R0.x\nEND_OF_PROGRAM\n").unwrap();
    assert!(matches!(pixels(vertex).compile(&engine), Err(Error::Stage(ctm_r700::Stage::Vertex))));
    let illegal = Program::from(ctm_x1k::Program::from_code(Vec::new()));
    assert!(matches!(pixels(illegal).compile(&engine), Err(Error::Illegal(_))));
    let endless = Program::assemble(Machine::R700, "EXP_DONE: PIX0, R0.xyzw\n").unwrap();
    assert!(matches!(pixels(endless).compile(&engine), Err(Error::Illegal(_))), "it never ends");
    let endless = Program::assemble(Machine::Sm50, ".stage vertex\nNOP;").unwrap();
    assert!(matches!(endless.shader(), Err(Error::Illegal(_))));
    let endless = Program::assemble(Machine::Sm50, "NOP;").unwrap();
    assert!(matches!(Threads::new(endless, [1; 3], [1; 3]), Err(Error::Illegal(_))));
}

#[test]
fn endless_programs_end() {
    let text = "again: BRA again;";
    let limits = Limits { run_time: Some(Duration::from_millis(50)), ..Limits::DEFAULT };
    let engine = Engine::fastest().with_limits(limits);
    let mut threads = Threads::new(Program::assemble(Machine::Sm50, text).unwrap(), [1; 3], [1; 3]).unwrap();
    assert!(matches!(threads.run(&engine), Err(Error::Sm50(ctm_sm50::launch::Stop::Halted(_)))));
}

#[test]
fn memory_of_threads_is_what_is_mapped() {
    let text = "S2R R0, SR_TID.X; SHL R1, R0, 2; LDG R2, [R1+0x10000]; IADD R2, R2, c[0x0][0x140]; STG [R1+0x10000], R2; EXIT;";
    let program = Program::assemble(Machine::Sm50, text).unwrap();
    let threads = || Threads::new(program.clone(), [1; 3], [3, 1, 1]).unwrap();
    let mut bank = vec![0; 0x140 / 4];
    bank.push(7);
    let mut launch = threads().memory(0x10000, &[1, 2, 3, 4]).unwrap().bank(0, &bank);
    launch.run(&Engine::fastest()).unwrap();
    assert_eq!(launch.read(0x10000, 4).unwrap(), [8, 9, 10, 4]);
    assert!(matches!(launch.read(0x10000, 1 << 20), Err(Error::Range(_))));
    assert!(matches!(launch.read(0x10000, usize::MAX), Err(Error::Range(_))));
    assert!(matches!(threads().memory(0x10004, &[1]), Err(Error::Address(_))));
    assert!(matches!(threads().memory(0x800, &[1]).unwrap().memory(0x800, &[1]), Err(Error::Overlap(_))));
    bank[2] = 99;
    assert!(matches!(threads().bank(0, &bank).run(&Engine::fastest()), Err(Error::LaunchConstants(_))));

    let mut trail = Trail::new(2);
    launch.follow(&Engine::fastest(), 1, &mut trail).unwrap();
    assert_eq!(
        trail.steps.iter().map(|step| step.event.at.pc).collect::<Vec<_>>(),
        [0x8, 0x10],
        "no more than asked for"
    );
    assert_eq!(trail.end.unwrap().steps, 6);
    assert_eq!(launch.read(0x10000, 4).unwrap(), [15, 16, 17, 4]);
}

#[test]
fn programs_come_back_from_their_text() {
    for (machine, text) in [
        (Machine::X1k, "OUT src0.rgb = temp[0] : out[0].rgb = MAX src0.rgb src0.rgb ;"),
        (Machine::R700, "ALU:\n x: MOV R1.x, R0.x LAST\nEXP_DONE: PIX0, R1.xyzw\nEND_OF_PROGRAM\n"),
        (Machine::Sm50, "MOV R0, RZ; EXIT;"),
    ] {
        let program = Program::assemble(machine, text).unwrap();
        assert_eq!(Program::assemble(machine, &program.disassemble()).unwrap(), program);
    }
}

#[test]
fn errors_say_how_many() {
    let error = Program::assemble(Machine::Sm50, "MUVE R0, R1;\nMUVE R0, R1;").unwrap_err().to_string();
    assert!(error.starts_with("<text>:1:1: error") && error.ends_with("(and 1 more)"), "{error}");
}

/// The element in the direction, or at the place, of constant 0, with level of detail 1.
fn lookup(declaration: &str) -> Program {
    x1k(&format!(
        "{declaration}
         src0.rgb = const[0] : temp[1].rgb = MAX src0.rgb src0.rgb, temp[1].a = MAX src0.1 src0.1 ;
         TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[2].rgba = LOD tex[0].rgba temp[1].rgba ;
         OUT TEX_SEM_WAIT src0.rgb = temp[2] : out[0].rgb = MAX src0.rgb src0.rgb ;"
    ))
}

#[test]
fn textures_are_sampled() {
    let numbers = |width, height| {
        let values: Vec<f32> = (0..width * height).map(|number| number as f32).collect();
        Array::from_floats(Shape { width, height, channels: 1 }, &values).unwrap()
    };
    let nearest = Sampler::new(Filter::Point, [Wrap::ClampToEdge; 3]);
    let levels = nearest.between_levels();
    let run = |declaration: &str, texture: Texture| {
        let pixels = Pixels::new(lookup(declaration), 1, 1).constant(0, [0.3, 0.9, 0.6, 0.0]).texture(0, texture);
        let mut kernel = pixels.output(0, Format::Float32_1).compile(&Engine::fastest())?;
        kernel.run()?;
        Ok::<f32, Error>(kernel.output(0)?.to_floats()[0])
    };
    // 2x2 elements in two slices: column 0, row 1 of slice 1. Face 2 (+y): across 0.3 / 0.9, down 0.6 / 0.9.
    assert_eq!(run("", Texture::flat(numbers(2, 4), nearest)).unwrap(), 6.0);
    assert_eq!(run(".texture 0 = volume", Texture::volume(numbers(2, 4), 2, nearest)).unwrap(), 6.0);
    assert_eq!(run("", Texture::volume(numbers(2, 4), 2, levels).level(numbers(1, 1))).unwrap(), 0.0);
    assert_eq!(run(".texture 0 = cube", Texture::cube(numbers(2, 12), nearest)).unwrap(), 11.0);
    assert_eq!(run("", Texture::cube(numbers(2, 12), levels).level(numbers(1, 6))).unwrap(), 2.0);

    let refused = |declaration: &str, texture: Texture| run(declaration, texture).unwrap_err().to_string();
    let flat = || Texture::flat(numbers(2, 4), nearest);
    assert!(refused(".texture 0 = cube", flat()).contains("samples input 0 as a cube texture"));
    assert!(refused("", Texture::cube(numbers(2, 10), nearest)).contains("2x10, expected six square faces"));
    assert!(refused("", Texture::volume(numbers(2, 4), 3, nearest)).contains("3 slices"));
    assert!(refused("", flat().level(numbers(1, 1))).contains("level 1 of the texture is 1x1, expected 1x2"));
    let plain = Pixels::new(lookup(".texture 0 = volume"), 1, 1).input(0, numbers(2, 4)).compile(&Engine::fastest());
    assert!(plain.err().unwrap().to_string().contains("samples input 0 as a volume texture"));
    let text = "ALU:\n x: MOV R1.x, R0.x LAST\nEXP_DONE: PIX0, R1.xyzw\nEND_OF_PROGRAM\n";
    let other = Pixels::new(Program::assemble(Machine::R700, text).unwrap(), 1, 1).texture(0, flat());
    assert!(matches!(other.compile(&Engine::fastest()), Err(Error::Machine { .. })));
}

/// Two warps hand words over in shared memory.
#[test]
fn threads_share_memory() {
    let text = "S2R R0, SR_TID.X; SHL R1, R0, 2; STS [R1], R0; BAR.SYNC 0x0; LOP32I.XOR R2, R1, 0xfc; LDS R3, [R2]; STG [R1+0x10000], R3; EXIT;";
    let program = Program::assemble(Machine::Sm50, text).unwrap();
    let launch = Threads::new(program.clone(), [1; 3], [64, 1, 1]).unwrap().shared_memory(256).unwrap();
    let mut launch = launch.memory(0x10000, &[0; 64]).unwrap();
    let too_much = Threads::new(program.clone(), [1; 3], [64, 1, 1]).unwrap().shared_memory(49153);
    assert!(matches!(too_much, Err(Error::SharedMemory(49153))));
    launch.run(&Engine::fastest()).unwrap();
    assert_eq!(launch.read(0x10000, 64).unwrap(), (0..64).rev().collect::<Vec<u32>>());
}
