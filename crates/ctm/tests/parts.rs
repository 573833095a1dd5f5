//! Runs over parts of larger domains, and arrays that are not copied.

use ctm_gpu::{Array, Engine, EngineName, Format, Machine, Mapped, Pixels, Program, Shape};
use std::path::Path;

const COPY: &str = "
    TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
    OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1] :
      out[0].rgb = 2.0 * MAX src0.rgb src0.rgb, out[0].a = 2.0 * MAX src0.a src0.a ;";

fn example(name: &str) -> Program {
    Program::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples")).join(name)).unwrap()
}

fn engines() -> impl Iterator<Item = Engine> {
    EngineName::available().map(|name| Engine::named(name).unwrap())
}

#[test]
fn parts_are_those_of_the_whole() {
    for name in ["mandelbrot.x1k", "newton.r700"] {
        for engine in engines() {
            let run = |width, height, [x, y]: [u32; 2]| {
                let mut kernel = Pixels::new(example(name), width, height).origin(x, y).compile(&engine).unwrap();
                kernel.run().unwrap();
                kernel.output(0).unwrap()
            };
            let whole = run(64, 48, [0; 2]).to_floats();
            let (width, height) = (21, 10);
            for origin in [[0, 0], [1, 0], [0, 7], [43, 38]] {
                let part = run(width, height, origin).to_floats();
                for (row, y) in part.chunks_exact(4 * width as usize).zip(origin[1] as usize..) {
                    let first = 4 * (64 * y + origin[0] as usize);
                    let message = format!("{name}, {}, {origin:?}, row {y}", engine.name());
                    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(row), bits(&whole[first..first + row.len()]), "{message}");
                }
            }
            let far = run(3, 2, [40_000, 70_000]);
            assert_ne!(far.to_floats(), run(3, 2, [0; 2]).to_floats(), "{name}: positions have more than 16 bits");
        }
    }
}

#[test]
fn lanes_are_followed_at_their_place_in_the_part() {
    let text = "OUT TEX_SEM_WAIT src0.rgb = temp[0] : out[0].rgb = MAX src0.rgb src0.rgb ;";
    let program = Program::assemble(Machine::X1k, text).unwrap();
    let mut kernel = Pixels::new(program, 8, 8).origin(100, 60).compile(&Engine::fastest()).unwrap();
    let mut trail = ctm_gpu::Trail::new(1);
    kernel.follow((3, 2), &mut trail).unwrap();
    let seen = trail.end.unwrap().view.nonzero();
    let value = |name: &str, channel| {
        let cell = seen.iter().find(|change| change.cell.register() == name && change.cell.channel == Some(channel));
        cell.map(|change| f32::from_bits(change.bits))
    };
    assert_eq!((value("temp[0]", 'r'), value("temp[0]", 'g')), (Some(103.0), Some(62.0)));
}

#[test]
fn outputs_become_inputs_without_a_copy() {
    let program = Program::assemble(Machine::X1k, COPY).unwrap();
    for engine in engines() {
        let shape = Shape { width: 8, height: 4, channels: 4 };
        let ones = Array::from_floats(shape, &[1.0; 8 * 4 * 4]).unwrap();
        let mut first = Pixels::new(program.clone(), 8, 4).input(0, ones).compile(&engine).unwrap();
        first.run().unwrap();
        let between = first.output_mapped(0).unwrap();
        assert_eq!((between.shape(), between.pitch(), between.format()), (shape, 8, Format::Float32_4));
        let mut second = Pixels::new(program.clone(), 8, 4).mapped(0, between.clone()).compile(&engine).unwrap();
        drop(first);
        second.run().unwrap();
        assert_eq!(second.output(0).unwrap().to_floats(), [4.0; 8 * 4 * 4]);
        // What the first kernel's successor writes into the shared memory, the second reads.
        second.set_input(0, &Array::from_floats(shape, &[3.0; 8 * 4 * 4]).unwrap()).unwrap();
        assert_eq!(between.to_array().unwrap().to_floats(), [3.0; 8 * 4 * 4]);
    }
}

#[test]
fn rows_with_padding_are_copied_with_their_edge() {
    let right = COPY.replace("temp[0].rgrg", "temp[2].rgrg");
    let text = format!("src0.rgb = temp[0] : temp[2].rg = MAD src0.rg0 src0.11_ src0.110 ; {right}");
    let program = Program::assemble(Machine::X1k, &text).unwrap();
    let array = Mapped::zeros(5, 3, Format::Float32_4).unwrap();
    assert_eq!((array.shape().width, array.pitch()), (5, 8));
    let filled = Array::from_floats(array.shape(), &[1.0; 5 * 3 * 4]).unwrap();
    let result = |pixels: Pixels| {
        let mut kernel = pixels.compile(&Engine::fastest()).unwrap();
        kernel.run().unwrap();
        kernel.output(0).unwrap().to_floats()
    };
    let zeros = Array::from_floats(array.shape(), &[0.0; 5 * 3 * 4]).unwrap();
    let pixels = || Pixels::new(program.clone(), 7, 3);
    assert_eq!(result(pixels().mapped(0, array)), result(pixels().input(0, zeros)));
    assert_eq!(result(pixels().input(0, filled)), [2.0; 7 * 3 * 4]);
}
