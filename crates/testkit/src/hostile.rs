//! Programs that take long to become code: shapes of any size, for all guests and for the lane IR itself.
//!
//! Whoever chooses a program chooses what lifts, simplifications and machine code are made of. Each shape here is a way to make much of it: code of
//! as many instructions as one likes, in which one thing is exaggerated.

use crate::random::Random;
use ctm_engine::{Executor, Grouping, Kernel, Runtime};
use ctm_lane::effort::Effort;
use ctm_lane::{Block, Builder, Denorm, Function, IntTest, Type, Value, Variable};
use ctm_memory::{Arena, Format, Space, Surface, Tiling};
use ctm_sm50::launch::{Environment, Grid, Invocations, Shader, StageLaunch};
use std::fmt::Write as _;

const BASE: u32 = 0x1_0000;
const SIDE: u32 = 16;

/// A shape of programs.
#[derive(Clone, Copy)]
pub struct Shape {
    /// The guest, or `lane`.
    pub guest: &'static str,
    /// What is exaggerated.
    pub name: &'static str,
    /// About how many instructions a program may have.
    pub most: usize,
    make: fn(usize) -> Hostile,
}

/// A program of some shape.
pub enum Hostile {
    /// For X1K.
    X1k(Box<ctm_x1k::Program>),
    /// For R700.
    R700(Box<ctm_r700::Program>),
    /// For SM50: compute code.
    Sm50(Box<ctm_sm50::Program>),
    /// For the vertex processors of older cards.
    Pvs(Box<ctm_pvs::Program>),
    /// A function.
    Lane(Function),
}

impl Shape {
    /// The program of about so many instructions.
    pub fn of(&self, size: usize) -> Hostile {
        (self.make)(size.min(self.most))
    }
}

/// All shapes.
pub const SHAPES: &[Shape] = &[
    Shape { guest: "X1K", name: "straight", most: 500, make: |size| x1k(&x1k_lines(size), "") },
    Shape { guest: "X1K", name: "loops", most: 500, make: x1k_loops },
    Shape { guest: "X1K", name: "branches", most: 480, make: x1k_branches },
    Shape { guest: "R700", name: "straight", most: 1 << 15, make: r700_straight },
    Shape { guest: "R700", name: "branches", most: 1 << 14, make: r700_branches },
    Shape { guest: "R700", name: "nested branches", most: 1 << 14, make: r700_nested_branches },
    Shape { guest: "R700", name: "loops", most: 1 << 17, make: r700_loops },
    Shape { guest: "R700", name: "loops in a row", most: 1 << 14, make: r700_loops_in_a_row },
    Shape { guest: "R700", name: "one clause", most: 1 << 14, make: r700_one_clause },
    Shape { guest: "SM50", name: "straight", most: 1 << 16, make: sm50_straight },
    Shape { guest: "SM50", name: "branches", most: 1 << 14, make: sm50_branches },
    Shape { guest: "SM50", name: "branches back", most: 1 << 14, make: sm50_branches_back },
    Shape { guest: "SM50", name: "loops", most: 1 << 14, make: sm50_loops },
    Shape { guest: "SM50", name: "calls", most: 1 << 14, make: sm50_calls },
    Shape { guest: "SM50", name: "stores", most: 1 << 14, make: sm50_stores },
    Shape { guest: "PVS", name: "straight", most: 1000, make: pvs_straight },
    Shape { guest: "lane", name: "straight", most: 1 << 20, make: |size| function(size, straight) },
    Shape { guest: "lane", name: "values alive", most: 1 << 20, make: |size| function(size, values_alive) },
    Shape { guest: "lane", name: "chain", most: 1 << 20, make: |size| function(size, chain) },
    Shape { guest: "lane", name: "constants", most: 1 << 20, make: |size| function(size, constants) },
    Shape { guest: "lane", name: "stores", most: 1 << 20, make: |size| function(size, stores) },
    Shape { guest: "lane", name: "masks", most: 1 << 20, make: |size| function(size, masks) },
    Shape { guest: "lane", name: "branches", most: 1 << 20, make: |size| function(size, branches) },
    Shape { guest: "lane", name: "joins", most: 1 << 20, make: |size| function(size, joins) },
    Shape { guest: "lane", name: "parameters", most: 1 << 20, make: |size| function(size, parameters) },
    Shape { guest: "lane", name: "nested loops", most: 1 << 20, make: |size| function(size, nested_loops) },
    Shape { guest: "lane", name: "loops in a row", most: 1 << 20, make: |size| function(size, loops_in_a_row) },
];

impl Hostile {
    /// Makes code of it, as far as the effort goes.
    ///
    /// # Panics
    /// The program does not fit its environment.
    pub fn compile(&self, executor: &Executor, effort: &Effort) {
        let mut space = Space::default();
        space.map(Arena::new(BASE, 0x10_0000).expect("a megabyte")).expect("nothing else is there");
        let target =
            |format| Surface { base: BASE, pitch: 64, height: SIDE, tiling: Tiling::Linear, superfine: false, format };
        let domain = ctm_lane::domain::Domain::of_size(SIDE, SIDE).expect("a small domain");
        match self {
            Hostile::X1k(program) => {
                let mut job = ctm_x1k::Job::new(program, domain, &space);
                job.outputs[0] = Some(target(Format::Float32_4));
                executor.compile_within(&job, effort).map(|_| ()).expect("it fits");
            }
            Hostile::R700(program) => {
                let mut job = ctm_r700::Job::new(program, domain, &space);
                job.targets.colours[0] = Some(target(Format::Float32_4));
                executor.compile_within(&job, effort).map(|_| ()).expect("it fits");
            }
            Hostile::Sm50(program) => {
                let environment = Environment { memory: Some(&space), ..Environment::default() };
                let grid = Grid::new([1; 3], [32, 1, 1]).expect("a warp");
                let invocations = Invocations { count: grid.invocations(), columns: None };
                let launch = StageLaunch::new(Shader::from(&**program), &environment, &invocations, Default::default());
                let launch = StageLaunch { grid: Some(grid), ..launch };
                executor.compile_within(&launch, effort).map(|_| ()).expect("it fits");
            }
            Hostile::Pvs(program) => {
                let layout = ctm_pvs::lift::Layout::of(program);
                let buffer = ctm_memory::Buffer::new(&space, BASE, 0x1_0000).expect("it lies in the arena");
                let memory = [[0; 4]; ctm_pvs::CONSTANTS];
                let job = ctm_pvs::Job {
                    program,
                    constants: ctm_pvs::reference::Constants { memory: &memory, base: 0 },
                    layout: &layout,
                    vertices: 64,
                    inputs: buffer,
                    outputs: buffer,
                    memory: &space,
                };
                executor.compile_within(&job, effort).map(|_| ()).expect("it fits");
            }
            Hostile::Lane(function) => {
                let interpreter = Runtime::interpreter();
                let runtime = match executor {
                    Executor::Reference => &interpreter,
                    Executor::Engine(engine) => engine.runtime(),
                };
                Kernel::within(function.clone(), (Grouping::Independent, &[], Some(1)), runtime, effort);
            }
        }
    }
}

fn x1k(lines: &str, end: &str) -> Hostile {
    let out = "OUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].rgb = MAX src0.rgb src0.rgb ;";
    let text = format!(".flow full\n{lines}{end}{out}\n");
    Hostile::X1k(Box::new(ctm_x1k::text::parse(&text).unwrap_or_else(|errors| panic!("{}", errors[0].message)).program))
}

fn x1k_lines(count: usize) -> String {
    let mut random = Random::new(1);
    let mut line = |_| {
        let [a, b, to] = [(); 3].map(|()| random.below(60));
        format!("src0.rgb = temp[{a}], src1.rgb = temp[{b}] : temp[{to}].rgb = MAD src0.rgb src1.gbr src0.brg ;\n")
    };
    (0..count).map(&mut line).collect()
}

fn x1k_loops(size: usize) -> Hostile {
    let body = x1k_lines(size.saturating_sub(8));
    x1k(&format!("REP i[0];\nREP i[1];\nREP i[2];\nREP i[3];\n{body}"), "ENDREP;\nENDREP;\nENDREP;\nENDREP;\n")
}

fn x1k_branches(size: usize) -> Hostile {
    let one = format!("IF b[0];\n{}ENDIF;\n", x1k_lines(1));
    x1k(&one.repeat(size / 3), "")
}

fn r700(text: &str) -> Hostile {
    let text = format!(".gprs 120\n.stack 255\n{text}EXP_DONE: PIX0, R1.xyzw\nEND_OF_PROGRAM\n");
    Hostile::R700(Box::new(
        ctm_r700::text::parse(&text).unwrap_or_else(|errors| panic!("{}", errors[0].message)).program,
    ))
}

/// A clause of so many groups.
fn clause(count: usize, random: &mut Random) -> String {
    let mut text = "ALU:\n".to_owned();
    for group in 0..count {
        let [a, b, to] = [(); 3].map(|()| 1 + random.below(110));
        writeln!(text, "{group} x: MUL R{to}.x, R{a}.x, R{b}.y\n  y: ADD R{to}.y, R{b}.x, R{a}.y").expect("a string");
    }
    text
}

fn r700_straight(size: usize) -> Hostile {
    let mut random = Random::new(1);
    r700(&(0..size / 64).map(|_| clause(32, &mut random)).collect::<String>())
}

fn r700_branches(size: usize) -> Hostile {
    let mut random = Random::new(1);
    let branch = |at: usize| {
        let (register, inside) = (1 + random.below(110), clause(1, &mut random));
        format!(
            "ALU_PUSH_BEFORE:\n  x: PRED_SETGT ____, R{register}.x, 0.0f UPDATE_EXEC_MASK UPDATE_PRED\n\
             JUMP POP_CNT(1) ADDR(l{at})\n{inside}POP POP_CNT(1) ADDR(l{at})\nl{at}:\n"
        )
    };
    r700(&(0..size / 8).map(branch).collect::<String>())
}

fn r700_nested_branches(size: usize) -> Hostile {
    let depth = (size / 4).min(200);
    let mut text = String::new();
    for at in 0..depth {
        writeln!(
            text,
            "ALU_PUSH_BEFORE:\n  x: PRED_SETGT ____, R{}.x, 0.0f UPDATE_EXEC_MASK UPDATE_PRED\n\
             JUMP POP_CNT(1) ADDR(l{at})",
            1 + at % 100
        )
        .expect("a string");
    }
    for at in (0..depth).rev() {
        writeln!(text, "POP POP_CNT(1) ADDR(l{at})\nl{at}:").expect("a string");
    }
    r700(&text)
}

/// Loops in each other, deeper than the stack is.
fn r700_loops(size: usize) -> Hostile {
    let depth = size / 2;
    let mut text = String::new();
    (0..depth).for_each(|at| writeln!(text, "LOOP_START_DX10 FAIL_JUMP_ADDR(o{at})\ni{at}:").expect("a string"));
    (0..depth).rev().for_each(|at| writeln!(text, "LOOP_END PASS_JUMP_ADDR(i{at})\no{at}:").expect("a string"));
    r700(&text)
}

fn r700_loops_in_a_row(size: usize) -> Hostile {
    let mut random = Random::new(1);
    let one = |at: usize| {
        let body = clause(4, &mut random);
        format!(
            "LOOP_START CF_CONST(0) FAIL_JUMP_ADDR(o{at})\ni{at}:\n{body}LOOP_END CF_CONST(0) PASS_JUMP_ADDR(i{at})\no{at}:\n"
        )
    };
    r700(&(0..size / 10).map(one).collect::<String>())
}

/// Control-flow instructions that all name the same long clause.
fn r700_one_clause(size: usize) -> Hostile {
    let Hostile::R700(program) = r700(&clause(60, &mut Random::new(1))) else { unreachable!("made for R700") };
    let mut program = *program;
    let count = size / 120;
    // The clause comes after the control-flow program, which becomes longer.
    let mut alu = program.code[0];
    alu[0] += count as u32;
    let mut end = program.code[1];
    if program.code.len() > 2 {
        end = program.code[1];
    }
    let rest = program.code.split_off(2);
    program.code = vec![alu; count + 1];
    program.code.push(end);
    program.code.extend(rest);
    Hostile::R700(Box::new(program))
}

fn sm50(text: &str) -> Hostile {
    let text = format!("{text}STG [R2+0x10000], R1;\nEXIT;\n");
    Hostile::Sm50(Box::new(
        ctm_sm50::text::parse(&text).unwrap_or_else(|errors| panic!("{}", errors[0].message)).program,
    ))
}

fn sm50_sum(random: &mut Random) -> String {
    let [to, a, b] = [(); 3].map(|()| random.below(200));
    format!("IADD R{to}, R{a}, R{b};\n")
}

fn sm50_test(random: &mut Random) -> String {
    let [a, b] = [(); 2].map(|()| random.below(200));
    format!("ISETP.NE.AND P0, PT, R{a}, R{b}, PT;\n")
}

fn sm50_straight(size: usize) -> Hostile {
    let mut random = Random::new(1);
    sm50(&(0..size).map(|_| sm50_sum(&mut random)).collect::<String>())
}

/// Branches on, half of them to anywhere.
fn sm50_branches(size: usize) -> Hostile {
    let (mut random, count) = (Random::new(1), size / 3);
    let one = |at: usize| {
        let to = if random.one_in(2) { at + random.below(count - at) } else { at };
        format!("{}@P0 BRA l{to};\n{}l{at}:\n", sm50_test(&mut random), sm50_sum(&mut random))
    };
    sm50(&(0..count).map(one).collect::<String>())
}

/// The same, but some go back a little.
fn sm50_branches_back(size: usize) -> Hostile {
    let (mut random, count) = (Random::new(1), size / 3);
    let one = |at: usize| {
        let from = at.saturating_sub(50);
        let to = if random.one_in(2) { from + random.below(count - from) } else { at };
        format!("{}@P0 BRA l{to};\n{}l{at}:\n", sm50_test(&mut random), sm50_sum(&mut random))
    };
    sm50(&(0..count).map(one).collect::<String>())
}

/// Loops in each other.
fn sm50_loops(size: usize) -> Hostile {
    let (mut random, count) = (Random::new(1), size / 3);
    let mut text = String::new();
    (0..count).for_each(|at| writeln!(text, "l{at}:\n{}", sm50_sum(&mut random)).expect("a string"));
    for at in (0..count).rev() {
        writeln!(text, "{}@P0 BRA l{at};", sm50_test(&mut random)).expect("a string");
    }
    sm50(&text)
}

/// Each subroutine calls the next one twice.
fn sm50_calls(size: usize) -> Hostile {
    let (mut random, count) = (Random::new(1), size / 4);
    let mut text = "CAL f0;\nBRA end;\n".to_owned();
    for at in 0..count {
        let calls = if at + 1 < count { format!("CAL f{};\n", at + 1).repeat(2) } else { String::new() };
        writeln!(text, "f{at}:\n{calls}{}RET;", sm50_sum(&mut random)).expect("a string");
    }
    sm50(&format!("{text}end:\n"))
}

fn sm50_stores(size: usize) -> Hostile {
    let mut random = Random::new(1);
    let mut store =
        |at: usize| format!("STG [R{}+{:#x}], R{};\n", random.below(200), 0x1_0000 + 4 * at, random.below(200));
    sm50(&(0..size).map(&mut store).collect::<String>())
}

fn pvs_straight(size: usize) -> Hostile {
    let mut random = Random::new(1);
    let mut text = String::new();
    for _ in 0..size {
        let [to, a, b] = [(); 3].map(|()| random.below(100));
        writeln!(text, "temp[{to}].xyzw = VE_MAD temp[{a}].xyzw temp[{b}].wzyx temp[{a}].yxwz ;").expect("a string");
    }
    text.push_str("out[0].xyzw = VE_ADD temp[1].xyzw temp[2].xyzw ;\n");
    Hostile::Pvs(Box::new(ctm_pvs::text::parse(&text).unwrap_or_else(|errors| panic!("{}", errors[0].message)).program))
}

/// What functions are built of.
struct Parts {
    b: Builder,
    random: Random,
    buffer: ctm_lane::Buffer,
    x: Value,
    covered: Value,
}

/// The function that `body` makes, of about so many instructions, which stores what that gives.
fn function(size: usize, body: fn(&mut Parts, usize) -> Value) -> Hostile {
    let mut b = Builder::new();
    let buffer = b.function.add_buffer();
    let (x, covered) = (b.pos_x(), b.covered());
    let mut parts = Parts { b, random: Random::new(1), buffer, x, covered };
    let value = body(&mut parts, size);
    let Parts { mut b, .. } = parts;
    b.buffer_store(buffer, x, value, covered);
    b.ret();
    Hostile::Lane(b.finish())
}

impl Parts {
    fn load(&mut self, at: usize) -> Value {
        let offset = self.b.constant(4 * at as u32);
        let address = self.b.iadd(self.x, offset);
        self.b.buffer_load(self.buffer, address, self.covered)
    }

    /// So many variables with something in them.
    fn variables(&mut self, count: usize) -> Vec<Variable> {
        let one = |at| {
            let (variable, value) = (self.b.variable(Type::Lane), self.load(at));
            self.b.set(variable, value);
            variable
        };
        (0..count).map(one).collect()
    }

    /// Changes one of the variables.
    fn change(&mut self, variables: &[Variable]) {
        let [a, b, to] = [(); 3].map(|()| self.random.pick(variables));
        let (a, b) = (self.b.get(a), self.b.get(b));
        let sum = self.b.fadd(Denorm::Flush, a, b);
        self.b.set(to, sum);
    }

    /// The lanes in which one of the variables is less than another.
    fn test(&mut self, variables: &[Variable]) -> Value {
        let [a, b] = [(); 2].map(|()| self.random.pick(variables));
        let (a, b) = (self.b.get(a), self.b.get(b));
        self.b.icmp(IntTest::Slt, a, b)
    }

    /// Goes back to a loop's head, or on in a new block.
    fn close_loop(&mut self, head: Block, variables: &[Variable]) {
        let (mask, next) = (self.test(variables), self.b.new_block());
        self.b.branch_any(mask, (head, &[]), (next, &[]));
        self.b.seal(head);
        self.b.seal(next);
        self.b.switch_to(next);
    }

    fn sum(&mut self, variables: &[Variable]) -> Value {
        let mut sum = self.b.constant(0);
        for &variable in variables {
            let value = self.b.get(variable);
            sum = self.b.iadd(sum, value);
        }
        sum
    }

    fn blocks(&mut self, count: usize) -> Vec<Block> {
        (0..count).map(|_| self.b.new_block()).collect()
    }
}

fn straight(parts: &mut Parts, size: usize) -> Value {
    let variables = parts.variables(200);
    (0..size).for_each(|_| parts.change(&variables));
    parts.sum(&variables)
}

fn values_alive(parts: &mut Parts, size: usize) -> Value {
    let values: Vec<Value> = (0..size / 2).map(|at| parts.load(at)).collect();
    values.into_iter().rev().reduce(|sum, value| parts.b.fadd(Denorm::Flush, sum, value)).unwrap_or(parts.x)
}

fn chain(parts: &mut Parts, size: usize) -> Value {
    let mut value = parts.load(0);
    for _ in 0..size {
        value = parts.b.fadd(Denorm::Flush, value, value);
    }
    value
}

fn constants(parts: &mut Parts, size: usize) -> Value {
    let mut value = parts.load(0);
    for at in 0..size / 2 {
        let constant = parts.b.constant(0x3F80_0001 + at as u32);
        value = parts.b.fadd(Denorm::Flush, value, constant);
    }
    value
}

fn stores(parts: &mut Parts, size: usize) -> Value {
    let value = parts.load(0);
    for at in 0..size / 2 {
        let offset = parts.b.constant(4 * at as u32);
        let address = parts.b.iadd(parts.x, offset);
        parts.b.buffer_store(parts.buffer, address, value, parts.covered);
    }
    value
}

/// Masks of masks, and choices by them.
fn masks(parts: &mut Parts, size: usize) -> Value {
    let variables = parts.variables(16);
    let mut masks: Vec<Value> = (0..64).map(|_| parts.test(&variables)).collect();
    let mut value = parts.load(0);
    for _ in 0..size / 2 {
        let [a, b, to] = [(); 3].map(|()| parts.random.below(64));
        let (a, b) = (masks[a], masks[b]);
        masks[to] = match parts.random.below(3) {
            0 => parts.b.mask_and(a, b),
            1 => parts.b.mask_or(a, b),
            _ => parts.b.mask_andnot(a, b),
        };
        let other = parts.random.pick(&variables);
        let other = parts.b.get(other);
        value = parts.b.select(masks[to], value, other);
    }
    value
}

/// Branches on, to anywhere.
fn branches(parts: &mut Parts, size: usize) -> Value {
    let variables = parts.variables(100);
    let count = (size / 3).max(1);
    let blocks = parts.blocks(count + 1);
    parts.b.jump(blocks[0], &[]);
    for at in 0..count {
        parts.b.seal(blocks[at]);
        parts.b.switch_to(blocks[at]);
        parts.change(&variables);
        let (mask, to) = (parts.test(&variables), at + 1 + parts.random.below(count - at));
        parts.b.branch_any(mask, (blocks[to], &[]), (blocks[at + 1], &[]));
    }
    parts.b.seal(blocks[count]);
    parts.b.switch_to(blocks[count]);
    parts.sum(&variables)
}

/// A row of blocks, each of which may go to the end.
fn joins(parts: &mut Parts, size: usize) -> Value {
    let variables = parts.variables(100);
    let count = (size / 3).max(1);
    let (blocks, end) = (parts.blocks(count), parts.b.new_block());
    parts.b.jump(blocks[0], &[]);
    for at in 0..count {
        parts.b.seal(blocks[at]);
        parts.b.switch_to(blocks[at]);
        parts.change(&variables);
        let mask = parts.test(&variables);
        let next = blocks.get(at + 1).copied().unwrap_or(end);
        parts.b.branch_any(mask, (end, &[]), (next, &[]));
    }
    parts.b.seal(end);
    parts.b.switch_to(end);
    parts.sum(&variables)
}

/// A loop that hands on so many values, each to the next one.
fn parameters(parts: &mut Parts, size: usize) -> Value {
    let variables = parts.variables(size / 4);
    let head = parts.b.new_block();
    parts.b.jump(head, &[]);
    parts.b.switch_to(head);
    let values: Vec<Value> = variables.iter().map(|&variable| parts.b.get(variable)).collect();
    for (at, &variable) in variables.iter().enumerate() {
        parts.b.set(variable, values[(at + 1) % values.len()]);
    }
    parts.close_loop(head, &variables);
    parts.sum(&variables)
}

fn nested_loops(parts: &mut Parts, size: usize) -> Value {
    let variables = parts.variables(16);
    let count = (size / 3).max(1);
    let heads = parts.blocks(count);
    for &head in &heads {
        parts.b.jump(head, &[]);
        parts.b.switch_to(head);
        parts.change(&variables);
    }
    heads.iter().rev().for_each(|&head| parts.close_loop(head, &variables));
    parts.sum(&variables)
}

fn loops_in_a_row(parts: &mut Parts, size: usize) -> Value {
    let variables = parts.variables(16);
    for _ in 0..size / 4 {
        let head = parts.b.new_block();
        parts.b.jump(head, &[]);
        parts.b.switch_to(head);
        parts.change(&variables);
        parts.close_loop(head, &variables);
    }
    parts.sum(&variables)
}
