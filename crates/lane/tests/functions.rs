//! Making functions, looking at them, and what is simplified only where it is asked for.

use ctm_lane::effort::Effort;
use ctm_lane::{
    ArrayDecl, Block, Builder, Denorm, Function, Graph, IntTest, Op, TableDecl, Type, Zero, assume_constants,
    assume_covered, simplify, simplify_once, simplify_once_within, verify,
};
use std::collections::HashSet;

fn read(text: &str) -> Function {
    let function: Function = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&function).unwrap_or_else(|error| panic!("{error}\n{text}"));
    function
}

#[test]
fn builders_keep_to_an_effort() {
    let effort = Effort::of_steps(1000);
    let mut b = Builder::new();
    assert!(b.keeps_to(&effort));
    let before = effort.steps();
    let one = b.constant(0x3F80_0000);
    let x = b.pos_x();
    b.fadd(Denorm::Keep, one, x);
    // Three instructions with a result each.
    assert!(b.keeps_to(&effort));
    assert_eq!(effort.steps() - before, 6);
    assert!(b.keeps_to(&effort));
    assert_eq!(effort.steps() - before, 6, "what was noted is not noted again");
    let next = b.new_block();
    assert!(!b.is_ended());
    b.jump(next, &[]);
    assert!(b.is_ended());
    b.switch_to(next);
    assert!(!b.is_ended() && b.keeps_to(&effort));
    assert_eq!(effort.steps() - before, 7);
    (0..600).for_each(|_| _ = b.fadd(Denorm::Keep, one, x));
    assert!(!b.keeps_to(&effort));
}

/// Variables that are read before their blocks are sealed get arguments when all are.
#[test]
fn blocks_are_sealed_together() {
    let make = |steps: u64| {
        let effort = Effort::of_steps(steps);
        let mut b = Builder::new();
        let variables: Vec<_> = (0..20).map(|_| b.variable(Type::Uniform)).collect();
        let zero = b.uniform_constant(0);
        variables.iter().for_each(|&variable| b.set(variable, zero));
        let (head, after) = (b.new_block(), b.new_block());
        b.jump(head, &[]);
        b.switch_to(head);
        let one = b.uniform_constant(1);
        for &variable in &variables {
            let value = b.get(variable);
            let next = b.uniform_add(value, one);
            b.set(variable, next);
        }
        let (count, limit) = (b.get(variables[0]), b.uniform_constant(9));
        b.branch_if(IntTest::Slt, count, limit, (head, &[]), (after, &[]));
        b.switch_to(after);
        b.ret();
        (b.seal_all(&effort), b)
    };
    let (all, b) = make(1000);
    assert!(all);
    let function = b.finish();
    verify(&function).unwrap();
    assert_eq!(function.params(Block(1)).len(), 20);
    assert!(!make(10).0);
}

#[test]
fn masks_without_a_gap() {
    let mut b = Builder::new();
    let (covered, full, other) = (b.covered(), b.new_block(), b.new_block());
    b.branch_all(covered, (full, &[]), (other, &[]));
    for block in [full, other] {
        b.seal(block);
        b.switch_to(block);
        b.ret();
    }
    let function = b.finish();
    assert_eq!(
        function.to_string(),
        "b0:\n    %0 = covered\n    %1 = mask_not %0\n    any %1, b2, b1\nb1:\n    return\nb2:\n    return\n"
    );
}

#[test]
fn scales_are_powers_of_two() {
    for (exponent, factor) in [(0, 1.0f32), (1, 2.0), (-1, 0.5), (127, 2f32.powi(127)), (-126, f32::MIN_POSITIVE)] {
        let mut b = Builder::new();
        let x = b.pos_x();
        b.scale(exponent, x);
        b.ret();
        let function = b.finish();
        let inst = *function.insts(Function::ENTRY).last().unwrap();
        assert_eq!(*function.op(inst), Op::Fmul { denorm: Denorm::Flush, zero: Zero::Ieee });
        assert_eq!(function.lane_constant(function.args(inst)[1]), Some(factor.to_bits()), "{exponent}");
    }
}

#[test]
fn operations_name_what_they_access() {
    let mut b = Builder::new();
    let table = b.function.add_table(TableDecl { entries: 4, finite: false });
    let array = |b: &mut Builder, ty| b.function.add_array(ArrayDecl { entries: 4, ty });
    let [lanes, masks, uniforms] = [Type::Lane, Type::Mask, Type::Uniform].map(|ty| array(&mut b, ty));
    for (op, entry) in [
        (Op::TableSplat { table, index: 3 }, Some(3)),
        (Op::TableUniform { table, index: 3 }, Some(3)),
        (Op::TableAt { table }, None),
        (Op::TableGather { table }, None),
    ] {
        assert_eq!((op.table_entry(), op.array()), (Some((table, entry)), None));
    }
    for (op, expected) in [
        (Op::ArrayRead { array: lanes }, (lanes, Type::Lane)),
        (Op::ArrayScatter { array: lanes }, (lanes, Type::Lane)),
        (Op::MaskArrayRead { array: masks }, (masks, Type::Mask)),
        (Op::MaskArrayWrite { array: masks }, (masks, Type::Mask)),
        (Op::UniformArrayRead { array: uniforms }, (uniforms, Type::Uniform)),
        (Op::UniformArrayWrite { array: uniforms }, (uniforms, Type::Uniform)),
    ] {
        assert_eq!((op.array(), op.table_entry()), (Some(expected), None));
    }
    assert_eq!((Op::PosX {}.array(), Op::PosX {}.table_entry()), (None, None));
}

/// Two loops, one in the other, and a block that nothing leads to.
const LOOPS: &str =
    "b0:\n%0 = covered\njump b1\nb1:\njump b2\nb2:\nany %0, b2, b3\nb3:\nany %0, b1, b4\nb4:\nreturn\nb5:\njump b4";

#[test]
fn shapes_of_functions() {
    let function: Function = LOOPS.parse().unwrap();
    let graph = Graph::new(&function);
    let blocks = |numbers: &[u32]| numbers.iter().map(|&number| Block(number)).collect::<Vec<_>>();
    assert_eq!(graph.looping_blocks(), blocks(&[1, 2, 3]).into_iter().collect::<HashSet<_>>());
    assert_eq!(graph.natural_loop(Block(1)), Some(blocks(&[1, 2, 3])));
    let dominators = [0, 1, 2, 3, 4].map(|number| graph.immediate_dominator(Block(number)));
    assert_eq!(dominators, [None, Some(Block(0)), Some(Block(1)), Some(Block(2)), Some(Block(3))]);
    let reached = [0, 1, 2, 3, 4, 5].map(|number| graph.is_reachable(Block(number)));
    assert_eq!(reached, [true, true, true, true, true, false]);
    for a in 0..5 {
        for b in 0..5 {
            assert_eq!(graph.dominates(Block(a), Block(b)), a <= b, "{a} {b}");
        }
    }
    // Sides of a branch do not dominate where they meet.
    let meeting = read("b0:\n%0 = covered\nany %0, b1, b2\nb1:\njump b3\nb2:\njump b3\nb3:\nreturn");
    let graph = Graph::new(&meeting);
    assert_eq!([1, 2, 3].map(|number| graph.immediate_dominator(Block(number))), [Some(Block(0)); 3]);
    assert!(!graph.dominates(Block(1), Block(3)) && !graph.dominates(Block(1), Block(2)));
}

#[test]
fn sizes_of_functions() {
    // A block, its parameters, four for each instruction, arguments.
    assert_eq!(read("b0:\nreturn").size(), 1);
    assert_eq!(read("b0:\n%0 = covered\n%1 = pos_x\nreturn").size(), 9);
    assert_eq!(read("b0:\n%0 = covered\njump b1(%0, %0)\nb1(%1: mask, %2: mask):\nreturn").size(), 5 + 2 + 3);
}

/// Entries that the run knows become part of the function.
#[test]
fn constants_are_assumed_where_they_are_known() {
    let text = "surface s0\ntable t0 16\nb0:\n%0 = pos_x\n%1 = covered\n%2 = table_splat t0, 3\n%3 = table_splat t0, 4\n\
                surface_store.rg s0, %0, %0, %2, %3, %2, %3, %1\nreturn";
    let mut function = read(text);
    assume_constants(&mut function, |table, index| (table.0 == 0 && index == 3).then_some(0x4000_0000));
    let text = function.to_string();
    assert!(text.contains("%2 = lane 0x40000000") && text.contains("%3 = table_splat t0, 4"), "{text}");
}

/// It is worth looking again where somebody asks which lanes are covered, other than to access memory.
#[test]
fn cover_that_is_asked_for() {
    let access = "surface s0\nb0:\n%0 = covered\n%1 = pos_x\nsurface_store.r s0, %1, %1, %1, %1, %1, %1, %0\nreturn";
    let computed = "surface s0\nb0:\n%0 = covered\n%1 = pos_x\n%2 = select %0, %1, %1\nsurface_store.r s0, %1, %1, %2, %1, %1, %1, %0\nreturn";
    let branch = "b0:\n%0 = covered\nany %0, b1, b2\nb1:\njump b2\nb2:\nreturn";
    let other = "b0:\n%0 = covered\n%1 = pos_x\n%2 = fcmp.oeq %1, %1\nany %2, b1, b2\nb1:\njump b2\nb2:\nreturn";
    assert_eq!(
        [access, computed, branch, other].map(|text| assume_covered(&mut read(text))),
        [false, true, true, false]
    );
}

/// One round is enough where nothing waits for another, and leaves nothing that nobody wants.
#[test]
fn one_round_simplifies() {
    let text = "surface s0\nb0:\n%0 = pos_x\n%1 = covered\n%2 = itof %0\n%3 = lane 0\n%4 = lane 0x3f800000\n%5 = fadd %4, %4\n%6 = fmul %2, %4\n\
                surface_store.r s0, %0, %0, %6, %6, %6, %6, %1\nreturn";
    let (mut once, mut whole) = (read(text), read(text));
    simplify_once(&mut once);
    simplify(&mut whole);
    assert_eq!(once.to_string(), whole.to_string());
    assert!(!once.to_string().contains("fmul") && !once.to_string().contains("fadd"), "{once}");
    let mut kept = read(text);
    simplify_once_within(&mut kept, &Effort::of_steps(0));
    assert!(kept.to_string().contains("fmul"), "there was no effort for it\n{kept}");
    let mut kept = read(text);
    ctm_lane::simplify_within(&mut kept, &Effort::of_steps(0));
    assert!(kept.to_string().contains("fmul"), "{kept}");
}

/// Parameters that are computed alike on all ways are one, whatever other parameters there are.
#[test]
fn parameters_that_are_always_equal_are_one() {
    let text = |second: &str| {
        format!(
            "surface s0\nb0:\n%0 = covered\n%1 = pos_x\n%2 = pos_y\n%3 = lane 1\n%4 = lane 5\njump b1(%2, %1, %1, %0)\n\
             b1(%5: lane, %6: lane, %7: lane, %8: mask):\n%9 = imul %5, %6\n%10 = iadd %6, %3\n%11 = imul %10, %4\n%12 = iadd %7, {second}\n\
             %13 = imul %12, %4\n%14 = icmp.ult %9, %4\nany %14, b1(%9, %11, %13, %14), b2\n\
             b2:\nsurface_store.rgb s0, %1, %1, %5, %6, %7, %7, %0\nreturn"
        )
    };
    let params = |second: &str| {
        let mut function = read(&text(second));
        simplify(&mut function);
        let lanes = |block: Block| {
            function.params(block).iter().filter(|&&param| function.value_type(param) == Type::Lane).count()
        };
        function.blocks().map(lanes).max().unwrap()
    };
    assert_eq!((params("%3"), params("%4")), (2, 3));
}
