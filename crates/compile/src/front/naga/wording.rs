//! Errors of naga in the words of the languages: what of the text is wrong, and what to do.

use crate::front::glsl::user_name;
use naga::front::Typifier;
use naga::front::glsl::{ErrorKind, ExpectedToken, TokenValue};
use naga::proc::ResolveContext;
use naga::valid::{EntryPointError, ExpressionError, FunctionError, LocalVariableError, ValidationError};
use naga::{ArraySize, Expression, Function, Handle, Module, ScalarKind, TypeInner, VectorSize};

/// An error of the GLSL reader; `word` is what stands at its place in the user's text.
pub(super) fn reading(kind: &ErrorKind, word: &str) -> String {
    match kind {
        ErrorKind::EndOfFile => "unexpected end of the text; is a bracket or a `;` missing?".to_owned(),
        ErrorKind::InvalidToken(_, expected) => {
            let all: Vec<&str> = expected.iter().filter_map(spelled).collect();
            let expected = match &all[..] {
                [] => String::new(),
                [one] => format!("expected {one}, "),
                [first @ .., last] => format!("expected {} or {last}, ", first.join(", ")),
            };
            let verb = if all.is_empty() { "unexpected" } else { "found" };
            let word = if word.is_empty() { "text".to_owned() } else { format!("`{word}`") };
            format!("{expected}{verb} {word}; is something missing before it?")
        }
        ErrorKind::UnknownVariable(_) => format!("unknown variable `{word}`; declare it, or check its spelling"),
        ErrorKind::UnknownField(name) => format!("unknown member or channel `{}`", user_name(name)),
        ErrorKind::VariableAlreadyDeclared(name) => {
            format!("`{}` is declared twice here; give one another name", user_name(name))
        }
        ErrorKind::NotImplemented(_) => format!("`{word}` is not supported here; leave it out"),
        ErrorKind::UnknownType(_) => format!("unknown type `{word}`; declare it, or check its spelling"),
        ErrorKind::UnknownLayoutQualifier(_) => format!("the layout `{word}` is not supported here; leave it out"),
        ErrorKind::UnsupportedMatrixWithTwoRowsInStd140 { columns } => format!(
            "a structure cannot hold a matrix of {columns} columns and two rows here; use `vec2` for each column"
        ),
        ErrorKind::UnsupportedF16MatrixInStd140 { .. } => "the hardware has no half precision".to_owned(),
        ErrorKind::SemanticError(text) => semantic(text, word),
        ErrorKind::InvalidProfile(_)
        | ErrorKind::InvalidVersion(_)
        | ErrorKind::PreprocessorError(_)
        | ErrorKind::InternalError(_) => {
            "the library that reads GLSL failed here; write this part in another way, and please report it".to_owned()
        }
    }
}

/// What the reader means, by the beginnings of its errors, which speak of its own data.
const SEMANTIC: &[(&str, &str)] = &[
    ("Cannot apply operation to", "this operator does not take the types of its two sides; convert one of them"),
    ("Cannot apply operator", "this operator does not take the type of its value"),
    ("Function already defined", "this function is defined twice with the same parameters; remove one of them"),
    ("Prototype already defined", "this function is declared twice with the same parameters; remove one declaration"),
    (
        "Ambiguous best function",
        "several functions of this name take the arguments equally well; convert the arguments",
    ),
    ("unknown method", "there is no such method; arrays, vectors and matrices have `length()`"),
    (".length() doesn't take", "`length()` takes no arguments"),
    ("swizzle cannot have duplicate", "a channel occurs twice on the left side of this assignment"),
    ("Invalid swizzle", "the vector has no such channels"),
    ("Bad swizzle size", "at most four channels can be chosen"),
    ("last case/default label", "the last `case` of a `switch` needs a statement after it"),
    ("Case values can only be", "a `case` needs a whole number that is constant"),
    ("int constant overflows", "this whole number does not fit 32 bits"),
    ("const values must have", "a constant needs a value; leave `const` out, or add one"),
    ("Expression is not const", "a constant needs a value that is known before the shader runs; leave `const` out"),
    ("Array size must be", "an array has at least one element"),
    ("Constructor: Too many", "this constructor has too many arguments"),
    ("There must be at least one", "this constructor needs an argument"),
    ("Bad type constructor", "a value of this type cannot be made of these arguments"),
    ("Variable cannot be used in LHS", "this variable cannot be written"),
    ("Can't lookup field", "this value has no members or channels"),
    ("Declaration cannot have void", "a variable cannot be `void`"),
    ("Type can't be void", "a variable cannot be `void`"),
    ("Expression returns void", "this function returns nothing, so it has no value here"),
    ("Bad call", "this call has no value here"),
    ("Increment/decrement", "only numbers, vectors and matrices are counted up and down"),
    ("Not a texture", "this is not a texture"),
    ("Not a valid texture expression", "a sampler can only be an argument of texture functions here"),
    ("Missing entry point", "the text has no `main`"),
    ("Locals cannot have a storage", "a variable of a function cannot have this qualifier"),
    ("Invalid struct member type", "a structure cannot hold this type"),
    ("Expected a uint constant", "a whole number that is constant is expected here"),
];

fn semantic(text: &str, word: &str) -> String {
    let known = SEMANTIC.iter().find(|(begin, _)| text.starts_with(begin)).map(|&(_, meaning)| meaning);
    let known = known.or_else(|| text.ends_with("left hand side").then_some("this cannot be assigned to"));
    match known {
        Some(meaning) => meaning.to_owned(),
        None => {
            format!("`{word}` cannot be used like this: the types of the values here, or their order, do not fit")
        }
    }
}

/// How a token is written, if it is one that people leave out.
fn spelled(expected: &ExpectedToken) -> Option<&'static str> {
    Some(match expected {
        ExpectedToken::Token(TokenValue::Semicolon) => "`;`",
        ExpectedToken::Token(TokenValue::Comma) => "`,`",
        ExpectedToken::Token(TokenValue::Colon) => "`:`",
        ExpectedToken::Token(TokenValue::Assign) => "`=`",
        ExpectedToken::Token(TokenValue::LeftParen) => "`(`",
        ExpectedToken::Token(TokenValue::RightParen) => "`)`",
        ExpectedToken::Token(TokenValue::LeftBrace) => "`{`",
        ExpectedToken::Token(TokenValue::RightBrace) => "`}`",
        ExpectedToken::Token(TokenValue::LeftBracket) => "`[`",
        ExpectedToken::Token(TokenValue::RightBracket) => "`]`",
        ExpectedToken::Identifier => "a name",
        ExpectedToken::IntLiteral => "a whole number",
        ExpectedToken::FloatLiteral => "a number",
        ExpectedToken::BoolLiteral => "`true` or `false`",
        ExpectedToken::TypeName => "a type",
        ExpectedToken::Eof => "the end of the text",
        ExpectedToken::Token(_) => return None,
    })
}

/// The function whose name the GLSL reader does not know, or not with such arguments.
pub(super) fn unknown_function(kind: &ErrorKind) -> Option<&str> {
    let ErrorKind::SemanticError(text) = kind else { return None };
    text.strip_prefix("Unknown function '")?.strip_suffix('\'')
}

/// Functions of GLSL, whose names are right where the arguments are not.
pub(super) fn is_of_glsl(name: &str) -> bool {
    const NAMES: &str = " radians degrees sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh pow exp log exp2 log2 sqrt \
        inversesqrt abs sign floor trunc round roundEven ceil fract mod modf min max clamp mix step smoothstep isnan isinf length distance \
        dot cross normalize faceforward reflect refract matrixCompMult outerProduct transpose determinant inverse lessThan lessThanEqual \
        greaterThan greaterThanEqual equal notEqual any all not dFdx dFdy fwidth fma ldexp ";
    name.starts_with("texture") || name.starts_with("texel") || NAMES.contains(&format!(" {name} "))
}

/// An error of validation.
pub(super) fn validation(module: &Module, error: &ValidationError) -> String {
    let found = match error {
        ValidationError::Function { handle, source, .. } => in_function(module, &module.functions[*handle], source),
        ValidationError::EntryPoint { name, source: EntryPointError::Function(source), .. } => {
            let point = module.entry_points.iter().find(|point| point.name == *name);
            point.and_then(|point| in_function(module, &point.function, source))
        }
        _ => None,
    };
    found.unwrap_or_else(|| {
        let mut cause: &dyn std::error::Error = error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        plain(&cause.to_string())
    })
}

/// An error of the library in words of the language, if it has such; its own speak of its data.
pub(super) fn plain(message: &str) -> String {
    const KNOWN: [(&str, &str); 3] = [
        ("Swizzle component", "the vector has no such channels"),
        ("Composing", "a constructor has too few or too many values, or values of the wrong types"),
        ("Bias can't be done", "this texture is not sampled with a bias"),
    ];
    let known = KNOWN.iter().find(|(begin, _)| message.starts_with(begin)).map(|&(_, meaning)| meaning);
    known
        .unwrap_or(
            "the types of the values here do not fit together, or something is used in a way that the language does not have",
        )
        .to_owned()
}

fn in_function(module: &Module, function: &Function, error: &FunctionError) -> Option<String> {
    let typed = |expression: Handle<Expression>| type_of(module, function, expression);
    Some(match error {
        FunctionError::InvalidStoreTypes { pointer, value } => {
            let (value, place) = (typed(*value)?, typed(*pointer)?);
            format!("{} is not {}; {}", a(&value), a(&place), conversion(&value, &place))
        }
        FunctionError::InvalidReturnType { expression: Some(value), expected_ty: Some(expected) } => {
            let (value, expected) = (typed(*value)?, name_of(module, &module.types[*expected].inner));
            format!("the function returns {}, not {}; {}", a(&expected), a(&value), conversion(&value, &expected))
        }
        FunctionError::InvalidReturnType { expression: None, expected_ty: Some(expected) } => {
            format!(
                "the function ends here without the {} that it returns",
                name_of(module, &module.types[*expected].inner)
            )
        }
        FunctionError::InvalidReturnType { expected_ty: None, .. } => {
            "the function returns nothing, being `void`; leave the value out".to_owned()
        }
        FunctionError::InvalidIfType(value) => {
            format!("expected a bool, found {}; compare it, as in `x != 0`", a(&typed(*value)?))
        }
        FunctionError::LocalVariable { handle, name, source: LocalVariableError::InitializerType } => {
            let variable = &module_local(function, *handle);
            let (value, place) = (typed(variable.init?)?, name_of(module, &module.types[variable.ty].inner));
            format!("`{name}` is {}, but its value is {}; {}", a(&place), a(&value), conversion(&value, &place))
        }
        FunctionError::Expression { source: ExpressionError::IndexOutOfBounds(base, index), .. } => {
            let name = match &function.expressions[*base] {
                Expression::GlobalVariable(global) => module.global_variables[*global].name.clone(),
                Expression::LocalVariable(local) => module_local(function, *local).name.clone(),
                _ => None,
            };
            let name = name.map_or_else(|| "this".to_owned(), |name| format!("`{}`", user_name(&name)));
            format!(
                "the index {index} is out of bounds: {name} is a {}, and its elements are counted from 0",
                typed(*base)?
            )
        }
        FunctionError::Expression {
            source: ExpressionError::InvalidBinaryOperandTypes { lhs_type, rhs_type, .. },
            ..
        } => {
            let (left, right) = (name_of(module, lhs_type), name_of(module, rhs_type));
            format!("this operator does not take {} and {}; {}", a(&left), a(&right), conversion(&right, &left))
        }
        _ => return None,
    })
}

fn module_local(function: &Function, handle: Handle<naga::LocalVariable>) -> &naga::LocalVariable {
    &function.local_variables[handle]
}

/// The name of a type with its article.
fn a(name: &str) -> String {
    format!("{} {name}", if name.starts_with('i') { "an" } else { "a" })
}

/// What to do about a value of the wrong type.
fn conversion(value: &str, wanted: &str) -> String {
    let channels = |name: &str| name.strip_prefix("vec").and_then(|rest| rest.parse::<usize>().ok());
    match (channels(value), channels(wanted)) {
        (Some(have), Some(want)) if have > want => {
            format!("choose channels, as in `.{}`", &"xyzw"[..want])
        }
        _ => format!("convert it, as in `{wanted}(...)`"),
    }
}

/// The name of an expression's type; of a pointer, that of what it points to.
fn type_of(module: &Module, function: &Function, expression: Handle<Expression>) -> Option<String> {
    let context = ResolveContext::with_locals(module, &function.local_variables, &function.arguments);
    let mut typifier = Typifier::new();
    typifier.grow(expression, &function.expressions, &context).ok()?;
    Some(name_of(module, typifier.get(expression, &module.types)))
}

/// The name of a type in GLSL.
fn name_of(module: &Module, inner: &TypeInner) -> String {
    let prefix = |kind: ScalarKind| match kind {
        ScalarKind::Sint | ScalarKind::AbstractInt => ("int", "i"),
        ScalarKind::Uint => ("uint", "u"),
        ScalarKind::Float | ScalarKind::AbstractFloat => ("float", ""),
        ScalarKind::Bool => ("bool", "b"),
    };
    let side = |size: VectorSize| size as u8;
    match inner {
        TypeInner::Scalar(scalar) => prefix(scalar.kind).0.to_owned(),
        TypeInner::Vector { size, scalar } => format!("{}vec{}", prefix(scalar.kind).1, side(*size)),
        TypeInner::Matrix { columns, rows, .. } if columns == rows => format!("mat{}", side(*columns)),
        TypeInner::Matrix { columns, rows, .. } => format!("mat{}x{}", side(*columns), side(*rows)),
        TypeInner::Pointer { base, .. } => name_of(module, &module.types[*base].inner),
        TypeInner::ValuePointer { size: None, scalar, .. } => name_of(module, &TypeInner::Scalar(*scalar)),
        TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
            name_of(module, &TypeInner::Vector { size: *size, scalar: *scalar })
        }
        TypeInner::Array { base, size, .. } => {
            let element = name_of(module, &module.types[*base].inner);
            match size {
                ArraySize::Constant(count) => format!("{element}[{count}]"),
                ArraySize::Pending(_) | ArraySize::Dynamic => format!("{element}[]"),
            }
        }
        _ => module
            .types
            .iter()
            .find(|(_, ty)| ty.inner == *inner)
            .and_then(|(_, ty)| ty.name.clone())
            .unwrap_or_else(|| "type that has no name".to_owned()),
    }
}
