//! Instructions of every form with any bits, in fragments and in blocks of threads: they execute or trap.

use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space};
use ctm_raster::sampler::{Filter, MipFilter, Sampler, Wrap};
use ctm_sm50::codes::TextureDim;
use ctm_sm50::launch::{Environment, Grid, Invocations, Mode, PixelInput, Pixels, Shader, StageLaunch, StageRunner};
use ctm_sm50::reference::Reference;
use ctm_sm50::textures::{COMPUTE_HANDLE_BANK, HANDLE_BANK, Texture, Textures};
use ctm_sm50::{AttributeMap, Code, Control, Header, Instruction, Program, ROWS, Stage, text};

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, count: usize) -> usize {
        (self.bits() >> 11) as usize % count
    }
}

/// A word of some form, most often one that is valid, and that most lanes execute.
fn word(random: &mut Random) -> Instruction {
    let row = &ROWS[random.below(ROWS.len())];
    let pattern = row.patterns[random.below(row.patterns.len())];
    let mut found = Instruction::decode(0);
    for _ in 0..20 {
        let fixed = u64::from(pattern.mask) << 48;
        let mut word = random.bits() & !fixed | u64::from(pattern.base) << 48;
        if random.below(4) > 0 {
            word = word & !(0xf << 16) | 7 << 16;
        }
        // Few registers, so that addresses are sometimes good ones.
        if random.below(2) == 0 {
            word &= !0x0000_0000_00f0_f0f0;
        }
        found = Instruction::decode(word);
        if found.op() == row.op {
            break;
        }
    }
    found
}

fn textures() -> Textures {
    let kinds = [
        (TextureDim::D1, [5, 1, 1], 1),
        (TextureDim::D2, [8, 3, 1], 1),
        (TextureDim::D3, [4, 2, 3], 1),
        (TextureDim::Cube, [4, 4, 1], 1),
        (TextureDim::Array1, [4, 1, 1], 3),
        (TextureDim::Array2, [4, 4, 1], 2),
        (TextureDim::ArrayCube, [2, 2, 1], 2),
    ];
    let mut textures = Textures::default();
    for (number, (dim, size, layers)) in (0..).zip(kinds) {
        let sampler = Sampler { mip: MipFilter::Linear, ..Sampler::new(Filter::Linear, [Wrap::Repeat; 3]) };
        // Levels may be shorter than their sizes say.
        let levels = vec![vec![[1, 2, 3, 4]; 64], vec![[5; 4]; 3]];
        textures.insert(number, Texture::of_levels(dim, (size, layers), sampler, levels));
    }
    textures
}

fn run(random: &mut Random, is_pixel: bool) -> bool {
    let start = text::parse(
        "S2R R0, SR_LANEID; SHL R1, R0, 2; MOV32I R2, 0x10010; IADD R4, R1, R2; MOV32I R6, 0.4; MOV32I R8, -3; MOV32I R10, 1e30; EXIT;",
    );
    let start = start.expect("a text").program.code;
    let start = &start.instructions()[..start.instructions().len() - 1];
    let middle: Vec<Instruction> = (0..1 + random.below(12)).map(|_| word(random)).collect();
    let end = [Instruction::decode(0xe300_0000_0007_000f)];
    let all = start.iter().chain(&middle).chain(&end).map(|&instruction| (instruction, Control::NEUTRAL));
    let code = Code::new(all);
    let header = Header { kills_pixels: true, ..Header::implied(Stage::Pixel, code.instructions()) };
    let program = Program { header: is_pixel.then_some(header), code, constants: Vec::new() };
    let mut memory = Space::default();
    memory.map(Arena::new(0x1_0000, 0x1000).expect("memory")).expect("one arena");
    let mode = if random.below(4) == 0 { Mode::Strict } else { Mode::Lenient };
    let mut environment = Environment { memory: Some(&memory), textures: textures(), mode, ..Environment::default() };
    for bank in [HANDLE_BANK, COMPUTE_HANDLE_BANK] {
        environment.constants.set_bank(bank, (0..512).map(|n| Textures::handle(n % 8)).collect());
    }
    let shader = Shader { shared_memory: 256, local_memory: 64, ..Shader::from(&program) };
    let options = RunOptions { step_limit: 500, ..RunOptions::default() };
    if is_pixel {
        let plane = PixelInput::Plane { origin: 0.2, dx: 0.3, dy: -0.1 };
        let pixels = Pixels::new((5, 3), &header.pixel, [(0x80, plane)]).expect("memory");
        let invocations = Invocations { count: pixels.invocations(), columns: None };
        let launch = StageLaunch::new(shader, &environment, &invocations, AttributeMap::default());
        Reference.run(&StageLaunch { pixels: Some(&pixels), ..launch }, &options).is_ok()
    } else {
        let grid = Grid::new([2, 1, 1], [70, 1, 1]).expect("a grid");
        let invocations = Invocations { count: grid.invocations(), columns: None };
        let launch = StageLaunch::new(shader, &environment, &invocations, AttributeMap::default());
        Reference.run(&StageLaunch { grid: Some(grid), ..launch }, &options).is_ok()
    }
}

#[test]
#[cfg_attr(miri, ignore = "many programs")]
fn any_instructions_execute_or_trap() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let completed = (0..4000).filter(|n| run(&mut random, n % 2 == 0)).count();
    assert!(completed > 400, "{completed}");
}
