//! Statements of the builder: what variables have after them, whatever way was taken.

use ctm_compile::ir::{Axis, Builder, Environment, Fetch, Function, Output, Passes, QUAD, Value, eval, verify};

/// No constants; invocations lie at (4, 6) and on.
struct Nothing;

impl Environment for Nothing {
    fn uniform(&self, _: u8, _: u8) -> u32 {
        0
    }
    fn boolean(&self, _: u8) -> bool {
        false
    }
    fn passes(&self, _: u8) -> u32 {
        3
    }
    fn position(&self) -> [u32; 2] {
        [4, 6]
    }
    fn varying(&self, _: u8, _: u8) -> [u32; QUAD] {
        [0; QUAD]
    }
    fn fetch(&self, _: &Fetch, _: &[[u32; QUAD]]) -> [[u32; QUAD]; 4] {
        [[0; QUAD]; 4]
    }
}

fn function(b: Builder, result: Value) -> Function {
    let function = b.finish(vec![(Output::Colour { slot: 0, channel: 0 }, result)]);
    assert_eq!(verify(&function), Ok(()), "{function}");
    function
}

fn results(function: &Function) -> [f32; QUAD] {
    eval(function, &Nothing, 10_000).expect("it ends").outputs[0].map(f32::from_bits)
}

/// x is 4 in two invocations and 5 in the others, y is 6 and 7.
fn is_left(b: &mut Builder) -> Value {
    let (x, five) = (b.position(Axis::X), b.float(5.0));
    b.less(x, five)
}

#[test]
fn both_sides_of_an_if_change_a_variable() {
    let mut b = Builder::new();
    let zero = b.float(0.0);
    let v = b.variable(zero);
    let left = is_left(&mut b);
    b.begin_if(left);
    let one = b.float(1.0);
    b.store(v, one);
    b.begin_else();
    let y = b.position(Axis::Y);
    b.store(v, y);
    b.end_if();
    let v = b.load(v);
    assert_eq!(results(&function(b, v)), [1.0, 6.0, 1.0, 7.0]);
}

#[test]
fn a_loop_is_broken_by_some() {
    let mut b = Builder::new();
    let (zero, one) = (b.float(0.0), b.float(1.0));
    let n = b.variable(zero);
    b.begin_loop(Passes::Endless);
    let (old, x) = (b.load(n), b.position(Axis::X));
    let done = b.at_least(old, x);
    b.begin_if(done);
    b.break_loop();
    b.end_if();
    let new = b.add(old, one);
    b.store(n, new);
    b.end_loop();
    let n = b.load(n);
    assert_eq!(results(&function(b, n)), [4.0, 5.0, 4.0, 5.0]);
}

#[test]
fn loops_end_after_their_passes_and_continue_skips_the_rest() {
    let mut b = Builder::new();
    let (zero, one, ten) = (b.float(0.0), b.float(1.0), b.float(10.0));
    let n = b.variable(zero);
    b.begin_loop(Passes::Times(3));
    let old = b.load(n);
    let new = b.add(old, one);
    b.store(n, new);
    let left = is_left(&mut b);
    b.begin_if(left);
    b.continue_loop();
    b.end_if();
    let more = b.add(new, ten);
    b.store(n, more);
    b.end_loop();
    let n = b.load(n);
    assert_eq!(results(&function(b, n)), [3.0, 33.0, 3.0, 33.0]);
}

/// A function that returns from inside of two loops, and code after it.
#[test]
fn blocks_are_left_through_loops_and_ifs() {
    let mut b = Builder::new();
    let (zero, one) = (b.float(0.0), b.float(1.0));
    let (count, result) = (b.variable(zero), b.variable(zero));
    let block = b.begin_block();
    b.begin_loop(Passes::Times(5));
    b.begin_loop(Passes::Times(5));
    let old = b.load(count);
    let new = b.add(old, one);
    b.store(count, new);
    let limit = b.position(Axis::Y);
    let done = b.at_least(new, limit);
    b.begin_if(done);
    let left = is_left(&mut b);
    b.begin_if(left);
    b.store(result, one);
    b.leave(block);
    b.end_if();
    let two = b.float(2.0);
    b.store(result, two);
    b.end_if();
    b.end_loop();
    b.end_loop();
    let hundred = b.float(100.0);
    b.store(count, hundred);
    b.end_block();
    let (count, result) = (b.load(count), b.load(result));
    let (sum, thousand) = (b.add(count, one), b.float(1000.0));
    let all = b.mad(result, thousand, sum);
    assert_eq!(results(&function(b, all)), [1007.0, 2101.0, 1008.0, 2101.0]);
}

#[test]
fn a_block_that_everybody_leaves_drops_the_rest() {
    let mut b = Builder::new();
    let (zero, one, two) = (b.float(0.0), b.float(1.0), b.float(2.0));
    let v = b.variable(zero);
    let outer = b.begin_block();
    let inner = b.begin_block();
    let left = is_left(&mut b);
    b.begin_if(left);
    b.store(v, one);
    b.leave(outer);
    b.begin_else();
    b.leave(inner);
    b.end_if();
    b.store(v, two);
    b.end_block();
    let (old, ten) = (b.load(v), b.float(10.0));
    let more = b.add(old, ten);
    b.store(v, more);
    b.end_block();
    let v = b.load(v);
    assert_eq!(results(&function(b, v)), [1.0, 10.0, 1.0, 10.0]);
}

#[test]
fn both_sides_of_an_if_end_a_loop() {
    let mut b = Builder::new();
    let (zero, one) = (b.float(0.0), b.float(1.0));
    let n = b.variable(zero);
    b.begin_loop(Passes::Endless);
    let (old, x) = (b.load(n), b.position(Axis::X));
    let new = b.add(old, one);
    b.store(n, new);
    let done = b.at_least(new, x);
    b.begin_if(done);
    b.break_loop();
    b.begin_else();
    b.continue_loop();
    b.end_if();
    b.store(n, zero);
    b.end_loop();
    let n = b.load(n);
    assert_eq!(results(&function(b, n)), [4.0, 5.0, 4.0, 5.0]);
}
