//! What the tests of the device share: programs, and a small device whose buffers they run.
#![allow(dead_code, reason = "each test binary uses a part")]

use ctm_codegen::EngineName;
use ctm_device::command::{Command, FormatCode, TilingCode, encode};
use ctm_device::{Fault, HOST_BASE, LOCAL_BASE, Options, Processor, Report};
use ctm_lane::budget::Limits;
use ctm_memory::{Arena, Space};
use ctm_object::elf;
use ctm_x1k::{Program, text};

/// A small deterministic generator of random numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = self.0 ^ self.0 >> 29;
        (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.bits() as usize % n
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// Bytes of each of the two arenas.
pub const ARENA_BYTES: u32 = 0x8_0000;

pub const IMAGE: u32 = HOST_BASE + 0x1_0000;
pub const CONSTF: u32 = HOST_BASE + 0x2_0000;
pub const CONSTI: u32 = HOST_BASE + 0x2_1000;
pub const CONSTB: u32 = HOST_BASE + 0x2_1800;
pub const INPUT: u32 = HOST_BASE + 0x4_0000;
pub const OUTPUT: u32 = LOCAL_BASE;
pub const COND: u32 = LOCAL_BASE + 0x4_0000;

/// Output 0 = input 0, element by element.
pub const COPY: &str = "
    TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
    OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1] :
      out[0].rgb = MAX src0.rgb src0.rgb, out[0].a = MAX src0.a src0.a ;";

/// Output 0 = (i, j, 0, 0).
pub const POSITION: &str = "
    OUT TEX_SEM_WAIT src0.rgb = temp[0], src0.a = temp[0] :
      out[0].rgb = MAX src0.rgb src0.rgb, out[0].a = MAX src0.a src0.a ;";

/// As [`POSITION`], and the conditional value is i.
pub const POSITION_AND_VALUE: &str = "
    OUT TEX_SEM_WAIT src0.rgb = temp[0], src0.a = temp[0] :
      out[0].rgb = MAX src0.rgb src0.rgb, out[0].a = MAX src0.a src0.a ;
    OUT TEX_SEM_WAIT src0.rgb = temp[0] : w = MAX src0.r src0.r ;";

/// Output 0 = input 0 + constant 0.
pub const ADD: &str = "
    TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
    OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1], src1.rgb = const[0], src1.a = const[0] :
      out[0].rgb = MAD src0.rgb src0.111 src1.rgb, out[0].a = MAD src0.a src0.1 src1.a ;";

/// Output 0 = the number of passes that integer constant 0 says.
pub const COUNT: &str = "
    REP i[0] ;
      src0.rgb = temp[1] : temp[1].r = MAD src0.r__ src0.1__ src0.1__ ;
    ENDREP ;
    OUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].r = MAX src0.r00 src0.r00 ;";

/// Output 0 = 1 if boolean constant 0 is true, else 0.
pub const CHOOSE: &str = "
    IF b[0] ;
      : temp[1].r = MAX src0.1__ src0.1__ ;
    ENDIF ;
    OUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].r = MAX src0.r00 src0.r00 ;";

/// Writes i + 64 j at (j, i) of output 0, uncached.
pub const SCATTER: &str = "
    src0.rgb = temp[0], src1.a = 64.0 : temp[1].r = MAD src0.g__ src1.a__ src0.r__ ;
    src0.rgb = temp[0] : temp[1].gb = MAX src0._gr src0._gr ;
    OUT TEX_SEM_WAIT src0.rgb = temp[1] :
      umrt[per_processor_idx].rgb = MAX src0.rgb src0.rgb, umrt[per_processor_idx].a = MAX src0.0 src0.0 ;";

/// Runs until the step limit.
pub const ENDLESS: &str = "
    again: src0.rgb = temp[0] : temp[1].r = MAX src0.r__ src0.r__ ;
    FC JUMP again, when = always ;
    OUT TEX_SEM_WAIT : out[0].r = MAX src0.100 src0.100 ;";

/// Runs until input 0 at (0, 0) is not 0, which is output 0 then. It counts, so that no state comes again and no engine can
/// tell that only the host can end it.
pub const WAIT_FOR_HOST: &str = "
    again: TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[2].rgrg ;
    src0.rgb = temp[3] : temp[3].r = MAD src0.r__ src0.1__ src0.1__ ;
    TEX_SEM_WAIT src0.rgb = temp[1] : result[eq] = MAX src0.r__ src0.r__ ;
    FC JUMP again, when = alu ;
    OUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].r = MAX src0.r00 src0.r00 ;";

pub fn program(source: &str) -> Program {
    text::parse(source).unwrap_or_else(|problems| panic!("{problems:#?}\n{source}")).program
}

/// A small device without connection: one for each engine of the host, and all of them have to do the same.
pub struct Rig {
    /// Runs on the reference. Its memory is that of the test.
    pub processor: Processor,
    /// Run on the other engines.
    others: Vec<Processor>,
    options: Options,
    buffers: u32,
}

/// Options of a small device.
const SMALL: Options = Options {
    local_bytes: ARENA_BYTES,
    host_bytes: ARENA_BYTES,
    engine: EngineName::Reference,
    group_width: 64,
    threads: 1,
    step_limit: 10_000,
    limits: Limits::DEFAULT,
    unfused: false,
    deterministic_clock: true,
    strict: false,
};

fn memory() -> Space {
    let mut memory = Space::default();
    for base in [LOCAL_BASE, HOST_BASE] {
        memory.map(Arena::new(base, ARENA_BYTES).unwrap()).unwrap();
    }
    memory
}

fn contents(memory: &Space) -> [Vec<u8>; 2] {
    [LOCAL_BASE, HOST_BASE].map(|base| {
        let mut bytes = vec![0; ARENA_BYTES as usize];
        memory.read_bytes(base, &mut bytes).unwrap();
        bytes
    })
}

impl Rig {
    pub fn new() -> Self {
        Rig::with(SMALL)
    }

    pub fn strict() -> Self {
        Rig::with(Options { strict: true, ..SMALL })
    }

    pub fn with(options: Options) -> Self {
        let mut processors: Vec<Processor> = EngineName::available()
            .map(|engine| Processor::new(memory(), Options { engine, ..options }).unwrap())
            .collect();
        Rig { processor: processors.remove(0), others: processors, options, buffers: 0 }
    }

    pub fn run(&mut self, commands: &[Command]) -> Result<(), Fault> {
        self.buffers += 1;
        self.execute(self.buffers, &encode(commands.iter().copied()))
    }

    /// Executes a buffer on every engine.
    pub fn execute(&mut self, buffer: u32, words: &[u32]) -> Result<(), Fault> {
        let before = contents(self.processor.memory());
        let result = self.processor.execute(buffer, words);
        let after = contents(self.processor.memory());
        // Time passes as it likes, and after a trap it is open which groups of other threads ran.
        let defined = self.options.deterministic_clock && (result.is_ok() || self.options.threads == 1);
        for (engine, processor) in EngineName::available().skip(1).zip(&mut self.others) {
            for (base, bytes) in [LOCAL_BASE, HOST_BASE].into_iter().zip(&before) {
                processor.memory().write_bytes(base, bytes).unwrap();
            }
            assert_eq!(processor.execute(buffer, words), result, "{engine:?}");
            assert!(!defined || contents(processor.memory()) == after, "{engine:?}: memory differs");
        }
        result
    }

    pub fn take_reports(&mut self) -> Vec<Report> {
        let reports = self.processor.take_reports();
        assert!(self.others.iter_mut().all(|processor| processor.take_reports() == reports));
        reports
    }

    /// Puts a program's image at [`IMAGE`].
    pub fn load(&self, source: &str) {
        self.load_at(IMAGE, source);
    }

    pub fn load_at(&self, address: u32, source: &str) {
        self.processor.memory().write_bytes(address, &elf::write(&program(source))).unwrap();
    }

    pub fn write(&self, address: u32, floats: &[f32]) {
        let bytes: Vec<u8> = floats.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.processor.memory().write_bytes(address, &bytes).unwrap();
    }

    pub fn words(&self, address: u32, count: usize) -> Vec<u32> {
        let mut bytes = vec![0; 4 * count];
        self.processor.memory().read_bytes(address, &mut bytes).unwrap();
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }

    pub fn floats(&self, address: u32, count: usize) -> Vec<f32> {
        self.words(address, count).into_iter().map(f32::from_bits).collect()
    }
}

/// Sets the program at [`IMAGE`].
pub const SET_IMAGE: Command = set_image(IMAGE);

pub const fn set_image(base: u32) -> Command {
    Command::SetInstFmt { base, format: FormatCode::Uint16_1, tiling: TilingCode::Linear, pitch: 0 }
}

pub const fn set_constf(base: u32) -> Command {
    Command::SetConstfFmt { base, format: FormatCode::Uint16_1, tiling: TilingCode::Linear, pitch: 0 }
}

pub const fn set_consti(base: u32) -> Command {
    Command::SetConstiFmt { base, format: FormatCode::Uint16_1, tiling: TilingCode::Linear, pitch: 0 }
}

pub const fn set_constb(base: u32) -> Command {
    Command::SetConstbFmt { base, format: FormatCode::Uint16_1, tiling: TilingCode::Linear, pitch: 0 }
}

/// A linear buffer, 16 elements wide.
pub const fn input(n: u8, base: u32, format: FormatCode) -> Command {
    Command::SetInpFmt { input: n, base, format, tiling: TilingCode::Linear, pitch: 16, height: 8 }
}

/// A linear buffer, 16 elements wide.
pub const fn output(n: u8, base: u32, format: FormatCode) -> Command {
    Command::SetOutFmt { output: n, base, format, tiling: TilingCode::Linear, pitch: 16, height: 8 }
}

/// A linear buffer, 16 elements wide.
pub const fn cond_out(base: u32, format: FormatCode) -> Command {
    Command::SetCondOutFmt { base, format, tiling: TilingCode::Linear, pitch: 16, height: 8 }
}

/// The pairs from (0, 0) on.
pub const fn domain(width: u16, height: u16) -> Command {
    Command::SetDomain { i0: 0, j0: 0, i1: width - 1, j1: height - 1 }
}
