//! A guest machine of three instructions, written from nothing: what a new guest needs, and that the engine knows none. It
//! runs on its reference, the interpreter and machine code.

use ctm_codegen::EngineName;
use ctm_engine::{Bindings, Executor, Grouping, GuestJob, Kernel, Launch, Runtime, Stop};
use ctm_lane::domain::{Domain, Lanes};
use ctm_lane::effort::Effort;
use ctm_lane::run::{RunOptions, RunStats};
use ctm_lane::{Builder, IntTest, Type};
use ctm_memory::{Aliasing, Arena, Buffer, Space};

const BASE: u32 = 0x1000_0000;

/// The instructions. A lane has a sum, which begins with its column, and a count, which begins with its row. At the end of
/// the program it stores the sum at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Instruction {
    /// Adds a number to the sum.
    Add(u32),
    /// Multiplies the sum by 2.
    Double,
    /// Takes 1 from the count and goes back to the start of the program, if the count is not 0.
    Loop,
}

/// A run: the program, its domain, and 4 bytes for each lane, row by row.
struct Job<'a> {
    program: &'a [Instruction],
    domain: Domain,
    memory: &'a Space,
}

impl<'a> Job<'a> {
    fn output(&self) -> Buffer<'a> {
        Buffer::new(self.memory, BASE, 4 * self.domain.lanes() as u32).expect("the memory is mapped")
    }
}

impl GuestJob for Job<'_> {
    type Key = (Vec<Instruction>, u32);
    type KeyRef<'k>
        = (&'k [Instruction], u32)
    where
        Self: 'k;
    type Kernels = Kernel;
    type Output = RunStats;
    type Error = Stop;
    type NotCompiled = ();

    const GROUP_WIDTH: usize = 4;

    /// Each lane has a place of its own.
    fn order(&self) -> Option<Aliasing> {
        None
    }

    fn key(&self) -> Result<(&[Instruction], u32), ()> {
        Ok((self.program, self.domain.i1 + 1))
    }

    fn to_owned((program, columns): (&[Instruction], u32)) -> Self::Key {
        (program.to_vec(), columns)
    }

    fn matches(key: &(&[Instruction], u32), kept: &Self::Key) -> bool {
        *key == (&kept.0, kept.1)
    }

    fn compile((program, columns): &Self::Key, runtime: &Runtime, effort: &Effort) -> Kernel {
        let mut b = Builder::new();
        let output = b.function.add_buffer();
        let (covered, x, y) = (b.covered(), b.pos_x(), b.pos_y());
        let (sum, count, running) = (b.variable(Type::Lane), b.variable(Type::Lane), b.variable(Type::Mask));
        b.set(sum, x);
        b.set(count, y);
        b.set(running, covered);
        let (start, end) = (b.new_block(), b.new_block());
        b.jump(start, &[]);
        b.switch_to(start);
        let (zero, one) = (b.constant(0), b.constant(1));
        for (pc, instruction) in (0..).zip(program) {
            let lanes = b.get(running);
            b.steps(1, pc, lanes);
            let old = b.get(sum);
            let new = match *instruction {
                Instruction::Add(number) => {
                    let number = b.constant(number);
                    b.iadd(old, number)
                }
                Instruction::Double => b.iadd(old, old),
                Instruction::Loop => {
                    let old = b.get(count);
                    let left = b.icmp(IntTest::Ne, old, zero);
                    let (left, new) = (b.mask_and(lanes, left), b.isub(old, one));
                    b.set(running, left);
                    b.set(count, new);
                    b.branch_any(left, (start, &[]), (end, &[]));
                    break;
                }
            };
            let new = b.select(lanes, new, old);
            b.set(sum, new);
        }
        if !b.is_ended() {
            b.jump(end, &[]);
        }
        b.seal(start);
        b.seal(end);
        b.switch_to(end);
        let (columns, four, sum) = (b.constant(*columns), b.constant(4), b.get(sum));
        let row = b.imul(y, columns);
        let number = b.iadd(row, x);
        let address = b.imul(number, four);
        b.buffer_store(output, address, sum, covered);
        b.ret();
        Kernel::within(b.finish(), (Grouping::Independent, &[], None), runtime, effort)
    }

    fn bytes(kernel: &Kernel) -> usize {
        kernel.bytes()
    }

    fn is_compiled(&self, kernel: &Kernel, _: &RunOptions, _: &Runtime) -> Result<(), ()> {
        kernel.is_compiled().then_some(()).ok_or(())
    }

    fn run(&self, kernel: &Kernel, _: Option<Aliasing>, options: &RunOptions, _: &Runtime) -> Result<RunStats, Stop> {
        let bindings = Bindings { surfaces: Vec::new(), tables: Vec::new(), buffers: vec![self.output()] };
        let launch = Launch { lanes: Lanes::Area(self.domain), bindings, max_steps: None };
        kernel.run(&launch, options)
    }

    fn reference(&self, options: &RunOptions) -> Result<RunStats, Stop> {
        let (mut instructions, output) = (0, self.output());
        for (number, (x, y)) in (0..).zip((0..=self.domain.j1).flat_map(|y| (0..=self.domain.i1).map(move |x| (x, y))))
        {
            let (mut sum, mut count, mut pc, mut steps) = (x, y, 0, 0);
            while let Some(instruction) = self.program.get(pc) {
                if steps == options.step_limit {
                    return Err(Stop::StepLimit { pc: pc as u32, x, y });
                }
                (steps, pc) = (steps + 1, pc + 1);
                match *instruction {
                    Instruction::Add(number) => sum = sum.wrapping_add(number),
                    Instruction::Double => sum = sum.wrapping_mul(2),
                    Instruction::Loop if count != 0 => (count, pc) = (count - 1, 0),
                    Instruction::Loop => break,
                }
            }
            instructions += steps;
            output.store(4 * number, sum);
        }
        let groups = self.domain.lanes().div_ceil(options.group_width as u64);
        Ok(RunStats { lanes: self.domain.lanes(), instructions, groups, out_of_range: false })
    }
}

/// A run's results and its picture.
fn run(name: EngineName, program: &[Instruction]) -> (Result<RunStats, Stop>, Vec<u32>) {
    let mut memory = Space::default();
    memory.map(Arena::new(BASE, 4096).unwrap()).unwrap();
    let job = Job { program, domain: Domain { i0: 0, j0: 0, i1: 31, j1: 9 }, memory: &memory };
    let executor = name.executor().unwrap();
    let result = executor.compile(&job).unwrap().run(&job, &RunOptions::default());
    if let Executor::Engine(engine) = &executor {
        assert_eq!(engine.compiles(&job, &RunOptions::default()).is_ok(), name != EngineName::Interp);
        assert_eq!(engine.run(&job, &RunOptions::default()), result);
    }
    (result, (0..320).map(|number| job.output().load(4 * number)).collect())
}

#[test]
fn a_toy_guest_runs_everywhere() {
    let programs: [&[Instruction]; 3] = [
        &[],
        &[Instruction::Add(7), Instruction::Double],
        &[Instruction::Add(3), Instruction::Double, Instruction::Loop],
    ];
    for program in programs {
        let expected = run(EngineName::Reference, program);
        assert!(expected.0.is_ok());
        for name in EngineName::available() {
            assert_eq!(run(name, program), expected, "{} {program:?}", name.name());
        }
    }
}
