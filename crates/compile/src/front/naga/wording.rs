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
        ErrorKind::EndOfFile => "the text ends where something is missing; is a bracket or a `;` left out?".to_owned(),
        ErrorKind::InvalidToken(_, expected) => {
            let all: Vec<String> = expected.iter().map(spelled).collect();
            let expected = match &all[..] {
                [] => String::new(),
                [one] => format!(": {one} is expected"),
                [first @ .., last] => format!(": {} or {last} is expected", first.join(", ")),
            };
            let word = if word.is_empty() { "what stands here".to_owned() } else { format!("`{word}`") };
            format!("{word} cannot stand here{expected}; is something left out in front of it?")
        }
        ErrorKind::UnknownVariable(_) => format!("there is no variable `{word}`; declare it, or look at its spelling"),
        ErrorKind::UnknownField(name) => format!("there is no member or channel `{name}`"),
        ErrorKind::VariableAlreadyDeclared(name) => format!("`{name}` is declared twice here; give one another name"),
        ErrorKind::NotImplemented(what) => format!("the library that reads GLSL does not know {what}"),
        ErrorKind::InvalidProfile(_)
        | ErrorKind::InvalidVersion(_)
        | ErrorKind::UnknownType(_)
        | ErrorKind::UnknownLayoutQualifier(_)
        | ErrorKind::UnsupportedMatrixWithTwoRowsInStd140 { .. }
        | ErrorKind::UnsupportedF16MatrixInStd140 { .. }
        | ErrorKind::SemanticError(_)
        | ErrorKind::PreprocessorError(_)
        | ErrorKind::InternalError(_) => kind.to_string(),
    }
}

/// How a token is written.
fn spelled(expected: &ExpectedToken) -> String {
    let mark = match expected {
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
        ExpectedToken::TypeName | ExpectedToken::Eof | ExpectedToken::Token(_) => {
            return expected.to_string().to_lowercase();
        }
    };
    mark.to_owned()
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
        let mut message = error.to_string();
        let mut cause = std::error::Error::source(error);
        while let Some(error) = cause {
            message += &format!(": {error}");
            cause = error.source();
        }
        message
    })
}

fn in_function(module: &Module, function: &Function, error: &FunctionError) -> Option<String> {
    let typed = |expression: Handle<Expression>| type_of(module, function, expression);
    Some(match error {
        FunctionError::InvalidStoreTypes { pointer, value } => {
            let (value, place) = (typed(*value)?, typed(*pointer)?);
            format!("{} is no {place}; {}", a(&value), conversion(&value, &place))
        }
        FunctionError::InvalidReturnType { expression: Some(value), expected_ty: Some(expected) } => {
            let (value, expected) = (typed(*value)?, name_of(module, &module.types[*expected].inner));
            format!("the function returns {}, and no {value}; {}", a(&expected), conversion(&value, &expected))
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
            format!("a condition is a bool, and no {}; compare it, as in `x != 0`", typed(*value)?)
        }
        FunctionError::LocalVariable { handle, name, source: LocalVariableError::InitializerType } => {
            let variable = &module_local(function, *handle);
            let (value, place) = (typed(variable.init?)?, name_of(module, &module.types[variable.ty].inner));
            format!("`{name}` is {}, and its value {}; {}", a(&place), a(&value), conversion(&value, &place))
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
