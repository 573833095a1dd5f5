//! Random R700 programs as compilers leave them that unroll loops: code that repeats but for literals, in line or in branches inside branches.

use crate::r700::jobs::{Image, colour, info, part};
use crate::r700::woven::assemble;
use crate::random::Random;
use ctm_r700::{Cf, CfAluFields, CfAluOp, CfFields, CfOp, Program, Qword};

/// Qwords that a loop has to save so that somebody looks at it, and more.
const ENOUGH: usize = 1300;

/// A clause, or something else, that each trip has with other literals.
struct Piece {
    cf: Cf,
    body: Vec<Qword>,
    /// Where in the body a literal is, and how it goes on.
    literals: Vec<(usize, usize, Step)>,
}

#[derive(Clone, Copy)]
enum Step {
    Float(f32),
    Integer(u32),
    /// Not at all like a loop's.
    Random,
}

impl Piece {
    /// What stands there in a trip.
    fn in_trip(&self, random: &mut Random, trip: usize) -> (Cf, Vec<Qword>) {
        let mut body = self.body.clone();
        for &(qword, half, step) in &self.literals {
            let bits = &mut body[qword][half];
            *bits = match step {
                Step::Float(step) => (f32::from_bits(*bits) + step * trip as f32).to_bits(),
                Step::Integer(step) => bits.wrapping_add(step.wrapping_mul(trip as u32)),
                Step::Random => random.bits(),
            };
        }
        (self.cf, body)
    }
}

/// A random program.
pub(super) fn unrolled(random: &mut Random) -> Program {
    let mut image = Image::default();
    image.clause(
        CfAluOp::Alu,
        CfAluFields::default(),
        assemble("0 x: MULADD_IEEE R10.x, R0.y, 0.61f, R0.x\n 1 x: MUL_IEEE R10.x, PV.x, 0.37f"),
    );
    let in_loop = random.one_in(8);
    let in_branch = random.one_in(4);
    let start = image.cf.len();
    if in_loop {
        image.plain(CfOp::LoopStart, CfFields { cf_const: random.below(8) as u8, ..CfFields::default() });
    }
    let branch = image.cf.len();
    if in_branch {
        let test = test(random);
        image.cf.push(test.in_trip(random, 0));
        image.plain(CfOp::Jump, CfFields { pop_count: 1, ..CfFields::default() });
    }
    for _ in 0..1 + random.below(2) {
        match random.below(3) {
            0 => run(random, &mut image),
            _ => nest(random, &mut image),
        }
    }
    if in_branch {
        image.plain(CfOp::Pop, CfFields { pop_count: 1, ..CfFields::default() });
        aim(&mut image, branch + 1);
    }
    if in_loop {
        image.plain(CfOp::LoopEnd, CfFields { addr: start as u32 + 1, ..CfFields::default() });
        aim(&mut image, start);
    }
    for target in 0..3 {
        let register = if target == 0 { 9 } else { random.below(8) as u8 };
        image.cf.push((Cf::Export(colour(register, target)), Vec::new()));
    }
    image.plain(CfOp::Nop, CfFields { end_of_program: true, ..CfFields::default() });
    let info = info(random);
    Program { code: image.finish(), info }
}

/// Lets the jump at an address go to the end of the image.
fn aim(image: &mut Image, at: usize) {
    let end = image.cf.len() as u32;
    if let Cf::Plain(plain) = &mut image.cf[at].0 {
        plain.fields.addr = end;
    }
}

fn clause(random: &mut Random, op: CfAluOp, mut lines: Vec<String>) -> Piece {
    for _ in 0..1 + random.below(6) {
        lines.push(line(random));
    }
    let at = random.below(lines.len());
    lines.swap(0, at);
    finished(random, op, &lines)
}

fn finished(random: &mut Random, op: CfAluOp, lines: &[String]) -> Piece {
    let text: Vec<String> = lines.iter().enumerate().map(|(number, line)| format!("{number} {line}")).collect();
    let body = assemble(&text.join("\n "));
    // What looks like these literals is one of them.
    let is_marked = |dword: u32| dword >> 8 == 0x0040_1234 >> 8;
    let mut literals = Vec::new();
    let mut image = Image::default();
    let mut changed = body.clone();
    for (qword, dwords) in changed.iter_mut().enumerate() {
        for (half, dword) in dwords.iter_mut().enumerate() {
            if is_marked(*dword) {
                let (first, step) = match random.below(16) {
                    0..7 => (random.below(9) as f32 / 2.0, Step::Float(random.pick(&[1.0, 0.5, 2.0, -1.0, 0.1]))),
                    7..13 => (0.0, Step::Integer(random.pick(&[1, 0, 4, u32::MAX, 1 << 23]))),
                    13 | 14 => (random.below(9) as f32, Step::Integer(0)),
                    _ => (1.0, if random.one_in(4) { Step::Random } else { Step::Float(3.0) }),
                };
                *dword = first.to_bits();
                literals.push((qword, half, step));
            }
        }
    }
    image.clause(op, CfAluFields::default(), changed);
    let (cf, body) = image.cf.remove(0);
    Piece { cf, body, literals }
}

/// An instruction on a few registers.
fn line(random: &mut Random) -> String {
    let mut register = || format!("R{}.x", random.pick(&[1, 2, 3, 9, 10]));
    let (d, a, b) = (register(), register(), register());
    let literal = "(0x00401234, 0.0).x";
    match random.below(14) {
        0 => format!("x: ADD {d}, {a}, {literal}"),
        1 => format!("x: MUL_IEEE {d}, {a}, {literal}"),
        2 => format!("x: MULADD_IEEE {d}, {a}, {b}, {literal}"),
        3 => format!("x: MULADD_IEEE {d}, {a}, -{b}, {a}"),
        4 => format!("x: MOV {d}, {literal}"),
        5 => format!("x: MAX {d}, {a}, -{b}"),
        6 => format!("x: ADD_INT {d}, {a}, {literal}"),
        7 => format!("t: RECIP_IEEE {d}, {a}"),
        8 => format!("x: SETGT {d}, {a}, {b}"),
        9 => format!("x: CNDE {d}, {a}, {b}, {literal}"),
        10 => format!("x: MUL_IEEE {d}, {a}, {a}"),
        11 => format!("x: FLOOR {d}, {a}"),
        12 => format!("x: FRACT {d}, {a}"),
        _ => format!("x: ADD {d}, {a}, {b}"),
    }
}

/// A clause that pushes the mask and narrows it.
fn test(random: &mut Random) -> Piece {
    let test = random.pick(&["PRED_SETGT", "PRED_SETGE", "PRED_SETNE", "PRED_SETE"]);
    let operand = random.pick(&["R10.x", "R9.x", "R2.x"]);
    let bound = random.pick(&["(0x00401234, 0.0).x", "0.5f", "1.0f", "0.0f"]);
    let also = if random.one_in(4) { " UPDATE_PRED" } else { "" };
    let lines = vec![format!("x: {test} ____.x, {operand}, {bound} UPDATE_EXEC_MASK{also}")];
    let mut piece = clause(random, CfAluOp::PushBefore, lines);
    if let Cf::Alu(alu) = &mut piece.cf {
        alu.fields.whole_quad_mode = random.one_in(32);
    }
    piece
}

/// Something that may be anywhere.
fn any_piece(random: &mut Random) -> Piece {
    if random.one_in(6) {
        let mut image = Image::default();
        part(random, &mut image, CfAluOp::Alu);
        let (cf, body) = image.cf.remove(0);
        return Piece { cf, body, literals: Vec::new() };
    }
    clause(random, CfAluOp::Alu, Vec::new())
}

fn trips_of(random: &mut Random, pieces: &[Piece]) -> usize {
    let cost: usize = pieces.iter().map(|piece| piece.body.len() + 1).sum();
    ENOUGH / cost + 2 + random.below(9)
}

/// Clauses in line.
fn run(random: &mut Random, image: &mut Image) {
    let pieces: Vec<Piece> = (0..1 + random.below(4)).map(|_| any_piece(random)).collect();
    for trip in 0..trips_of(random, &pieces).min(200) {
        for piece in &pieces {
            image.cf.push(piece.in_trip(random, trip));
        }
    }
}

/// Branches inside branches.
fn nest(random: &mut Random, image: &mut Image) {
    let period = 1 + random.below(3);
    // Levels that repeat, each with a test and the clauses of those who leave there.
    let levels: Vec<(Piece, Vec<Piece>)> = (0..period)
        .map(|_| {
            let mut others: Vec<Piece> =
                (0..random.below(2)).map(|_| clause(random, CfAluOp::Alu, Vec::new())).collect();
            others.push(clause(random, CfAluOp::PopAfter, Vec::new()));
            (test(random), others)
        })
        .collect();
    let cost = |(test, others): &(Piece, Vec<Piece>)| {
        3 + test.body.len() + others.iter().map(|piece| piece.body.len() + 1).sum::<usize>()
    };
    let trips = (ENOUGH / levels.iter().map(cost).sum::<usize>() + 1 + random.below(4)).min(150 / period);
    let mut jumps = Vec::new();
    for trip in 0..trips {
        for (test, _) in &levels {
            image.cf.push(test.in_trip(random, trip));
            jumps.push(image.cf.len());
            image.plain(CfOp::Jump, CfFields::default());
        }
    }
    for _ in 0..random.below(3) {
        let piece = match random.below(3) {
            0 => any_piece(random),
            _ => clause(random, CfAluOp::Alu, Vec::new()),
        };
        image.cf.push(piece.in_trip(random, 0));
    }
    if random.one_in(3) {
        let test = test(random);
        image.cf.push(test.in_trip(random, 0));
        let jump = image.cf.len();
        image.plain(CfOp::Jump, CfFields { pop_count: u8::from(random.one_in(2)), ..CfFields::default() });
        let inside = clause(random, CfAluOp::Alu, Vec::new());
        image.cf.push(inside.in_trip(random, 0));
        image.plain(CfOp::Pop, CfFields { pop_count: 1, ..CfFields::default() });
        aim(image, jump);
    }
    for trip in (0..trips).rev() {
        for (_, others) in levels.iter().rev() {
            let jump = jumps.pop().expect("a jump for each level");
            aim(image, jump);
            let other = image.cf.len();
            image.plain(CfOp::Else, CfFields { pop_count: 1, ..CfFields::default() });
            for piece in others {
                image.cf.push(piece.in_trip(random, trip));
            }
            aim(image, other);
        }
    }
}
