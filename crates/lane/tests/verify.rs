//! The verifier names the place and the cause of what is wrong.

use ctm_lane::{Function, Type, Value, VerifyCause, verify};

fn fails_with(body: &str) -> (String, VerifyCause) {
    let function: Function = body.parse().unwrap_or_else(|error| panic!("{error}\n{body}"));
    let error = verify(&function).expect_err(body);
    (error.place.to_string(), error.cause)
}

fn check(body: &str, place: &str, cause: VerifyCause) {
    assert_eq!(fails_with(body), (place.to_owned(), cause), "{body}");
}

#[test]
fn declarations() {
    check("array a0 3 lane\nb0:\n return", "declarations", VerifyCause::EntryCount(3));
    check("table t0 0\nb0:\n return", "declarations", VerifyCause::EntryCount(0));
    let undeclared = |name: &str| VerifyCause::Undeclared(name.to_owned());
    check("b0:\n%0 = table_splat t0, 0\nreturn", "b0, instruction 0", undeclared("t0"));
    check("table t0 4\nb0:\n%0 = table_splat t0, 4\nreturn", "b0, instruction 0", undeclared("entry 4 of t0"));
    let surface = "surface s0\nb0:\n%0 = pos_x\n%1 = covered\n%2, %3, %4, %5 = surface_load s1, %0, %0, %1\nreturn";
    check(surface, "b0, instruction 2", undeclared("s1"));
    let buffer = "buffers 1\nb0:\n%0 = pos_x\n%1 = covered\n%2 = buffer_load m1, %0, %1\nreturn";
    check(buffer, "b0, instruction 2", undeclared("m1"));
    let array = "array a0 4 mask\nb0:\n%0 = uniform 1\n%1 = array_read a0, %0\nreturn";
    check(array, "b0, instruction 1", VerifyCause::ArrayType { has: Type::Mask, wants: Type::Lane });
}

#[test]
fn types() {
    let operand = VerifyCause::Type { value: Value(0), has: Type::Mask, wants: Type::Lane };
    check("b0:\n%0 = covered\n%1 = neg %0\nreturn", "b0, instruction 1", operand);
    let condition = VerifyCause::Type { value: Value(0), has: Type::Lane, wants: Type::Mask };
    check("b0:\n%0 = pos_x\nany %0, b1, b1\nb1:\nreturn", "end of b0", condition);
    let argument = VerifyCause::Type { value: Value(0), has: Type::Lane, wants: Type::Uniform };
    check("b0:\n%0 = pos_x\njump b1(%0)\nb1(%1: uniform):\nreturn", "end of b0", argument);
}

#[test]
fn targets() {
    let count = VerifyCause::ArgumentCount { block: ctm_lane::Block(1), takes: 1, given: 0 };
    check("b0:\njump b1\nb1(%0: lane):\nreturn", "end of b0", count);
    check("b0:\njump b1\nb1:\njump b0", "end of b1", VerifyCause::BadEntry);
    check("b0(%0: lane):\nreturn", "head of b0", VerifyCause::BadEntry);
}

#[test]
fn dominance() {
    let early = VerifyCause::NotDominated(Value(1));
    check("b0:\n%0 = neg %1\n%1 = pos_x\nreturn", "b0, instruction 0", early.clone());
    let one_side = "b0:\n%0 = covered\nany %0, b1, b2\nb1:\n%1 = pos_x\njump b2\nb2:\n%2 = neg %1\nreturn";
    check(one_side, "b2, instruction 0", early.clone());
    let argument = "b0:\n%0 = covered\nany %0, b1, b2(%1)\nb1:\n%1 = pos_x\njump b2(%1)\nb2(%2: lane):\nreturn";
    check(argument, "end of b0", early);
    let unreachable = "b0:\nreturn\nb1:\n%0 = neg %1\njump b1\nb2:\n%1 = pos_x\nreturn";
    verify(&unreachable.parse().unwrap()).unwrap();
}

#[test]
fn open_bits_of_nans_may_not_be_observed() {
    let head = "surface s0\ntable t0 4\narray a0 4 lane\nb0:\n%0 = pos_x\n%1 = covered\n%2 = table_splat t0, 0\n";
    let store = "surface_store.r s0, %0, %0, {}, %0, %0, %0, %1\nreturn";
    let store = |value: &str| store.replace("{}", value);
    let open = VerifyCause::OpenNan(Value(3));
    check(&format!("{head}%3 = fadd.ftz %2, %2\n{}", store("%3")), "b0, instruction 3", open.clone());
    let passed = "%3 = sin %2\n%4 = select %1, %3, %2\n%5 = neg %4\njump b1(%5)\nb1(%6: lane):\n";
    check(&format!("{head}{passed}{}", store("%6")), "b0, instruction 3", open.clone());
    let array = "%3 = fadd %2, %2\n%4 = uniform 1\narray_write a0, %4, %3, %1\n%5 = array_read a0, %4\n";
    check(&format!("{head}{array}{}", store("%5")), "b0, instruction 3", open.clone());
    check(&format!("{head}%3 = fadd %2, %2\n%4 = iadd %3, %3\nreturn"), "b0, instruction 3", open);
    // A normalized surface does not see the bits, but coordinates are integers.
    let unit = head.replace("surface s0", "surface s0 unit");
    let placed = "%3 = fadd %2, %2\nsurface_store.r s0, %3, %0, %0, %0, %0, %0, %1\nreturn";
    check(&format!("{unit}{placed}"), "b0, instruction 3", VerifyCause::OpenNan(Value(3)));
    verify(&format!("{unit}%3 = fadd.ftz %2, %2\n{}", store("%3")).parse().unwrap()).unwrap();
    let fine = ["%3 = sin %2\n%4 = canon_nan 0x7fffffff, %3\n", "%3 = itof %0\n%4 = fadd.ftz %3, %3\n"];
    for fine in fine {
        verify(&format!("{head}{fine}{}", store("%4")).parse().unwrap()).unwrap();
    }
}

#[test]
fn stores_write_something() {
    let mut b = ctm_lane::Builder::new();
    let surface = b.function.add_surface(ctm_lane::SurfaceDecl::default());
    let (x, m) = (b.pos_x(), b.covered());
    b.surface_store(surface, ctm_lane::Channels(0), x, x, x, x, x, x, m);
    b.ret();
    assert_eq!(verify(&b.finish()).unwrap_err().cause, VerifyCause::NoChannels);
}
