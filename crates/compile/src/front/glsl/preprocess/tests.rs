use super::*;

fn expanded(text: &str) -> String {
    let tokens = preprocess(text, &[("IJ".into(), "pixel.xy".into())]).expect("the text is right").tokens;
    tokens.iter().map(|token| &*token.text).collect::<Vec<_>>().join(" ")
}

fn error(text: &str) -> PreprocessError {
    preprocess(text, &[]).expect_err("the text is wrong").0
}

#[test]
fn macros_expand() {
    assert_eq!(expanded("#define A 1+B\n#define B A*2\nA B"), "1 + A * 2 1 + B * 2");
    assert_eq!(
        expanded("#define T(x, y) f(IJ+vec2(x,y))\nT((1,2), T(3,4));T"),
        "f ( pixel . xy + vec2 ( ( 1 , 2 ) , f ( pixel . xy + vec2 ( 3 , 4 ) ) ) ) ; T"
    );
    assert_eq!(expanded("#define J(a,b) a##b\nJ(te, xture)2"), "texture 2");
    assert_eq!(expanded("#define F(x) x x\nF(F(F(1)))"), "1 1 1 1 1 1 1 1");
    assert_eq!(expanded("#define F() 1\nF() F\n()"), "1 1");
    assert_eq!(expanded("#define two \\\n  2 // comment\ntwo /* more\n lines */ __LINE__"), "2 3");
}

#[test]
fn conditions_select() {
    assert_eq!(expanded("#version 300 es\n#if __VERSION__ >= 300 && defined(GL_ES)\na\n#else\nb\n#endif"), "a");
    assert_eq!(
        expanded("#ifdef X\n#if 1/0\n#endif\n@\n#elif !defined Y && (3 - 1 - 1 == 1)\nb\n#elif 1\nc\n#else\nd\n#endif"),
        "b"
    );
    assert_eq!(expanded("#if 0\nx\n#else\ny\n#endif\n#undef IJ\nIJ"), "y IJ");
}

#[test]
fn errors_have_causes() {
    assert_eq!(error("a /* b"), PreprocessError::OpenComment);
    assert_eq!(error("a @ b"), PreprocessError::Stray('@'));
    assert_eq!(error("#if 1\n"), PreprocessError::OpenCondition);
    assert_eq!(error("#if 1/0\n#endif"), PreprocessError::Condition("a division by zero"));
    assert_eq!(error("#else\n"), PreprocessError::NoCondition("else"));
    assert_eq!(error("#error no way\n"), PreprocessError::Error("no way".into()));
    assert_eq!(error("#define F(x) x\nF(1"), PreprocessError::OpenCall("F".into()));
    assert_eq!(error("#define F(x) x\nF(1,2)"), PreprocessError::Arguments { name: "F".into(), takes: 1, given: 2 });
    assert_eq!(error("#frob"), PreprocessError::Directive("frob".into()));
}

#[test]
fn bombs_are_refused() {
    let nested = format!("#define F(x) x x\n{}1{}", "F(".repeat(40), ")".repeat(40));
    assert_eq!(error(&nested), PreprocessError::TooMany);
    let mut chain = String::from("#define A0 1\n");
    for i in 0..60 {
        chain += &format!("#define A{} A{i} A{i}\n", i + 1);
    }
    assert_eq!(error(&(chain + "A60")), PreprocessError::TooMany);
    assert_eq!(error(&format!("#define F(x) x\n{}1{}", "F(".repeat(100), ")".repeat(100))), PreprocessError::TooDeep);
    assert_eq!(
        error(&format!("#if {}1{}\n#endif", "(".repeat(10000), ")".repeat(10000))),
        PreprocessError::Condition("it is nested too deep")
    );
}
