//! Names in bodies and initial values as naga knows them: texture functions by one name for all samplers, samplers as
//! pairs, and the old outputs and varyings as globals.

use super::declarations::{Declared, SamplerType, sampler_of};
use super::lex::{Kind, Token};
use super::reader::{Reader, split};
use super::{GlslError, LocatedResult, keywords, sampler_arrays, sampler_members};
use crate::front::Role;
use std::collections::{BTreeSet, HashMap};

/// What a text needs that it does not declare itself.
#[derive(Debug, Default)]
pub(super) struct Needs {
    /// Functions of the language that naga's reader lacks, by the names of [`super::supplement`].
    pub(super) functions: BTreeSet<&'static str>,
    /// Globals of the language: their declarations.
    pub(super) globals: BTreeSet<&'static str>,
}

/// A variable that the language declares: how it is called here, how it is declared, what it stands for.
struct Given {
    name: &'static str,
    here: &'static str,
    declaration: &'static str,
    role: Role,
}

const TEX_COORD: &str = "gl_TexCoord";
/// Declarations of the array by its size, from 1.
const TEX_COORDS: [&str; 8] = [
    "vec4 gl_TexCoord[1];",
    "vec4 gl_TexCoord[2];",
    "vec4 gl_TexCoord[3];",
    "vec4 gl_TexCoord[4];",
    "vec4 gl_TexCoord[5];",
    "vec4 gl_TexCoord[6];",
    "vec4 gl_TexCoord[7];",
    "vec4 gl_TexCoord[8];",
];

/// A whole number that the machine, or a picture of one layer and one sample, has.
macro_rules! constant {
    ($name:literal, $value:literal) => {
        Given {
            name: $name,
            here: $name,
            declaration: concat!("const int ", $name, " = ", $value, ";"),
            role: Role::Uniform { given: false },
        }
    };
}

const GIVEN: &[Given] = &[
    Given { name: "gl_FragColor", here: "ctm_FragColor", declaration: "vec4 ctm_FragColor;", role: Role::Output(0) },
    Given { name: "gl_FragData", here: "ctm_FragData", declaration: "vec4 ctm_FragData[4];", role: Role::Output(0) },
    Given { name: "ctm_Pixel", here: "ctm_Pixel", declaration: "vec2 ctm_Pixel;", role: Role::Pixel },
    Given { name: TEX_COORD, here: TEX_COORD, declaration: TEX_COORDS[7], role: Role::Varying },
    Given { name: "gl_Color", here: "gl_Color", declaration: "vec4 gl_Color;", role: Role::Varying },
    Given {
        name: "gl_SecondaryColor",
        here: "gl_SecondaryColor",
        declaration: "vec4 gl_SecondaryColor;",
        role: Role::Varying,
    },
    Given {
        name: "gl_FogFragCoord",
        here: "gl_FogFragCoord",
        declaration: "float gl_FogFragCoord;",
        role: Role::Varying,
    },
    Given { name: "gl_LastFragData", here: "gl_LastFragData", declaration: "", role: Role::Uniform { given: false } },
    Given { name: "gl_FragDepthEXT", here: "gl_FragDepth", declaration: "", role: Role::Uniform { given: false } },
    Given {
        name: "gl_DepthRange",
        here: "ctm_DepthRange",
        declaration: "struct ctm_DepthRangeParameters { float near; float far; float diff; }; \
                      const ctm_DepthRangeParameters ctm_DepthRange = ctm_DepthRangeParameters(0.0, 1.0, 1.0);",
        role: Role::Uniform { given: false },
    },
    Given {
        name: "gl_SamplePosition",
        here: "gl_SamplePosition",
        declaration: "const vec2 gl_SamplePosition = vec2(0.5, 0.5);",
        role: Role::Uniform { given: false },
    },
    Given {
        name: "gl_HelperInvocation",
        here: "gl_HelperInvocation",
        declaration: "const bool gl_HelperInvocation = false;",
        role: Role::Uniform { given: false },
    },
    constant!("gl_MaxDrawBuffers", 4),
    constant!("gl_MaxTextureImageUnits", 16),
    constant!("gl_MaxCombinedTextureImageUnits", 16),
    constant!("gl_MaxVertexTextureImageUnits", 16),
    constant!("gl_MaxTextureUnits", 16),
    constant!("gl_MaxTextureCoords", 8),
    constant!("gl_MaxVaryingVectors", 8),
    constant!("gl_MaxVaryingFloats", 32),
    constant!("gl_MaxVaryingComponents", 32),
    constant!("gl_MaxFragmentInputVectors", 8),
    constant!("gl_MaxFragmentInputComponents", 32),
    constant!("gl_MaxVertexOutputVectors", 8),
    constant!("gl_MaxVertexOutputComponents", 32),
    constant!("gl_MaxFragmentUniformVectors", 256),
    constant!("gl_MaxFragmentUniformComponents", 1024),
    constant!("gl_MaxVertexUniformVectors", 256),
    constant!("gl_MaxVertexUniformComponents", 1024),
    constant!("gl_MaxVertexAttribs", 16),
    constant!("gl_MaxClipPlanes", 6),
    constant!("gl_MaxClipDistances", 8),
    constant!("gl_MaxCullDistances", 8),
    constant!("gl_MaxLights", 8),
    constant!("gl_MinProgramTexelOffset", -8),
    constant!("gl_MaxProgramTexelOffset", 7),
    constant!("gl_MaxSamples", 1),
    constant!("gl_NumSamples", 1),
    constant!("gl_Layer", 0),
    constant!("gl_ViewportIndex", 0),
];

/// What the user calls a variable of naga's text.
pub(crate) fn user_name(here: &str) -> String {
    let (root, rest) = here.split_at(here.find(['.', '[']).unwrap_or(here.len()));
    let root = GIVEN.iter().find(|given| given.here == root).map_or_else(
        || {
            sampler_members::original(root)
                .or_else(|| sampler_arrays::original(root))
                .unwrap_or_else(|| root.to_owned())
        },
        |given| given.name.to_owned(),
    );
    keywords::original(&(root + rest))
}

/// Names that the language gives to other stages.
const OTHER_STAGES: [(&str, &str); 19] = [
    ("gl_Position", "vertex"),
    ("gl_PointSize", "vertex"),
    ("gl_Vertex", "vertex"),
    ("gl_Normal", "vertex"),
    ("gl_VertexID", "vertex"),
    ("gl_VertexIndex", "vertex"),
    ("gl_InstanceID", "vertex"),
    ("gl_MultiTexCoord0", "vertex"),
    ("ftransform", "vertex"),
    ("gl_InvocationID", "geometry and tessellation"),
    ("gl_PrimitiveIDIn", "geometry"),
    ("EmitVertex", "geometry"),
    ("gl_TessCoord", "tessellation"),
    ("gl_TessLevelOuter", "tessellation"),
    ("gl_GlobalInvocationID", "compute"),
    ("gl_LocalInvocationID", "compute"),
    ("gl_LocalInvocationIndex", "compute"),
    ("gl_WorkGroupID", "compute"),
    ("gl_NumWorkGroups", "compute"),
];

/// The error that a name is which this machine has nothing for.
fn foreign(declared: &Declared<'_>, token: &Token<'_>, next: Option<&Token<'_>>) -> Option<GlslError> {
    let name = &*token.text;
    let is_known = declared.globals.contains(name) || declared.functions.contains(name);
    let is_double = name == "double" || name.starts_with("dvec") || name.starts_with("dmat");
    let is_type = next.is_some_and(|next| next.kind == Kind::Word || next.is("(") && name != "double");
    if is_double && is_type && !is_known {
        return Some(GlslError::Double(name.to_owned()));
    }
    let &(_, stage) = OTHER_STAGES.iter().find(|(other, _)| *other == name && !is_known)?;
    Some(GlslError::Stage { name: name.to_owned(), stage })
}

/// The name that a texture function of any version has in naga.
fn texture_function(name: &str) -> Option<&'static str> {
    let base = name.strip_suffix("EXT").or(name.strip_suffix("ARB")).or(name.strip_suffix("NV")).unwrap_or(name);
    Some(match base {
        "texture" | "texture1D" | "texture2D" | "texture3D" | "textureCube" | "texture2DRect" | "shadow2D"
        | "shadow2DRect" => "texture",
        "textureProj" | "texture1DProj" | "texture2DProj" | "texture3DProj" | "texture2DRectProj" => "textureProj",
        "textureLod" | "texture1DLod" | "texture2DLod" | "texture3DLod" | "textureCubeLod" => "textureLod",
        "textureProjLod" | "texture1DProjLod" | "texture2DProjLod" | "texture3DProjLod" => "textureProjLod",
        "textureGrad" | "texture2DGrad" | "texture3DGrad" | "textureCubeGrad" => "textureGrad",
        "textureProjGrad" | "texture2DProjGrad" => "textureProjGrad",
        "textureOffset" => "textureOffset",
        "textureLodOffset" => "textureLodOffset",
        "textureProjOffset" => "textureProjOffset",
        "textureProjLodOffset" => "textureProjLodOffset",
        "textureGradOffset" => "textureGradOffset",
        "texelFetch" | "texelFetch2D" => "texelFetch",
        "texelFetchOffset" => "texelFetchOffset",
        "textureSize" => "textureSize",
        "textureQueryLevels" => "textureQueryLevels",
        "textureGather" => "textureGather",
        _ => return None,
    })
}

/// Whether it is one of the old functions that give the result of a comparison as a colour.
fn is_shadow(declared: &Declared<'_>, name: &str) -> bool {
    matches!(name, "shadow2D" | "shadow2DRect" | "shadow2DEXT") && !declared.functions.contains(name)
}

/// A bracket that is open.
struct Open {
    /// The function that is called, for the parenthesis of a call.
    callee: Option<String>,
    /// Whether it takes a sampler's two parts one by one.
    takes_parts: bool,
    /// What stands in front of the closing parenthesis: the level that fetches from rectangles leave out.
    before_end: &'static str,
    /// What follows it.
    after_end: &'static str,
}

/// Rewrites the names of a text.
///
/// # Errors
///
/// What naga's dialect cannot say, with its place.
pub(super) fn names<'a>(declared: &mut Declared<'a>, needs: &mut Needs) -> LocatedResult<Vec<Token<'a>>> {
    let tokens = std::mem::take(&mut declared.tokens);
    let mut out: Vec<Token<'a>> = Vec::with_capacity(tokens.len());
    let mut open: Vec<Open> = Vec::new();
    let mut braces = 0;
    let mut local: HashMap<String, Option<SamplerType>> = HashMap::new();
    let mut skipped = 0;
    for (i, token) in tokens.iter().enumerate() {
        if skipped > 0 {
            skipped -= 1;
            continue;
        }
        let next = tokens.get(i + 1);
        let field = i > 0 && tokens[i - 1].is(".");
        match &*token.text {
            "(" | "[" => {
                let callee = (token.is("(") && i > 0 && tokens[i - 1].kind == Kind::Word)
                    .then(|| tokens[i - 1].text.to_string());
                let shadow = callee.as_deref().is_some_and(|name| is_shadow(declared, name));
                let is_users = callee.as_deref().is_some_and(|name| declared.functions.contains(name));
                let takes_parts = is_users || callee.is_some() && is_biased_line(declared, &local, &tokens[i - 1..]);
                open.push(Open { callee, takes_parts, before_end: "", after_end: if shadow { "), 1.0)" } else { "" } });
            }
            ")" | "]" => {
                let entry = open.pop();
                let (before, after) = entry.map_or(("", ""), |entry| (entry.before_end, entry.after_end));
                if !before.is_empty() {
                    out.push(Token::mark(before, token.at));
                }
                out.push(token.clone());
                if !after.is_empty() {
                    out.push(Token::mark(after, token.at));
                }
                continue;
            }
            "{" => {
                braces += 1;
                if let Some(parameters) = declared.parameters.remove(&i) {
                    local = parameters.into_iter().collect();
                }
            }
            "}" => {
                braces -= 1;
                if braces == 0 {
                    local.clear();
                }
            }
            _ => {}
        }
        if token.kind != Kind::Word {
            out.push(token.clone());
            continue;
        }
        if field {
            match component(declared, &tokens, i) {
                Some(index) => {
                    out.pop();
                    out.push(index);
                }
                None => out.push(token.clone()),
            }
            continue;
        }
        if let Some(text) = declared.equality(&tokens[i..]) {
            out.push(Token::word(text, token.at));
            skipped = 2;
            continue;
        }
        if let Some(error) = foreign(declared, token, next) {
            return Err((error, token.at));
        }
        let called = next.is_some_and(|next| next.is("("));
        if called && is_biased_line(declared, &local, &tokens[i..]) {
            needs.functions.insert(BIAS);
            out.push(Token { text: BIAS.into(), ..token.clone() });
            continue;
        }
        if called {
            out.push(function(declared, needs, &tokens, i, braces));
            continue;
        }
        // A declaration of a local variable hides what has the same name outside.
        let declares = i > 0 && tokens[i - 1].kind == Kind::Word && !tokens[i - 1].is("return");
        if declares && braces > 0 {
            local.insert(token.text.to_string(), None);
        }
        let pair = match local.get(&*token.text) {
            _ if declares => None,
            Some(pair) => *pair,
            None => declared.samplers.get(&*token.text).copied(),
        };
        if let Some(pair) = pair {
            out.push(sampler(&mut open, token, pair)?);
            continue;
        }
        let given = GIVEN.iter().find(|given| given.name == token.text);
        if let Some(given) = given.filter(|given| !declared.globals.contains(given.name)) {
            if !given.declaration.is_empty() {
                let is_tex_coord = given.name == TEX_COORD;
                needs.globals.insert(if is_tex_coord { tex_coords(&tokens) } else { given.declaration });
                declared.roles.set(given.here, given.role);
            }
            out.push(Token::word(given.here, token.at));
            continue;
        }
        out.push(token.clone());
    }
    Ok(out)
}

/// The function for lookups in textures of one direction with a bias, which naga does not take.
const BIAS: &str = "ctm_bias";

/// Whether tokens begin with such a lookup: `texture(line, x, bias`.
fn is_biased_line(declared: &Declared<'_>, local: &HashMap<String, Option<SamplerType>>, tokens: &[Token<'_>]) -> bool {
    let [callee, open, name, comma, ..] = tokens else { return false };
    let sampler = || local.get(&*name.text).copied().unwrap_or_else(|| declared.samplers.get(&*name.text).copied());
    let is_lookup = matches!(&*callee.text, "texture" | "texture1D") && !declared.functions.contains(&*callee.text);
    let arguments = || Reader { tokens, next: 1 }.group().map_or(0, |group| split(&group[1..group.len() - 1]).len());
    is_lookup
        && open.is("(")
        && comma.is(",")
        && sampler().is_some_and(|pair| pair.texture == "texture1D")
        && arguments() == 3
}

/// The declaration of `gl_TexCoord` with as many elements as the text needs, which is all of them if it calculates indices.
fn tex_coords(tokens: &[Token<'_>]) -> &'static str {
    let uses = tokens.iter().enumerate().filter(|(_, token)| token.is(TEX_COORD));
    let last = uses.map(|(at, _)| match tokens.get(at + 1..at + 4) {
        Some([open, index, close]) if open.is("[") && close.is("]") => index.text.parse().unwrap_or(usize::MAX),
        _ => usize::MAX,
    });
    TEX_COORDS[last.max().unwrap_or(0).min(TEX_COORDS.len() - 1)]
}

/// `[n]` for one channel of an element, `m[i].x`, which naga does not write to in a matrix.
fn component<'a>(declared: &Declared<'a>, tokens: &[Token<'a>], i: usize) -> Option<Token<'a>> {
    let token = &tokens[i];
    if i < 2 || !tokens[i - 2].is("]") || token.text.len() != 1 || declared.members.contains(&*token.text) {
        return None;
    }
    let index = ["xyzw", "rgba", "stpq"].iter().find_map(|set| set.find(&*token.text))?;
    Some(Token::word(["[0]", "[1]", "[2]", "[3]"][index], token.at))
}

/// The name of a function that is called.
fn function<'a>(declared: &Declared<'a>, needs: &mut Needs, tokens: &[Token<'a>], i: usize, braces: i32) -> Token<'a> {
    let token = &tokens[i];
    let name = &*token.text;
    if declared.functions.contains(name) {
        return token.clone();
    }
    if is_shadow(declared, name) {
        return Token { text: "vec4(vec3(texture".into(), ..token.clone() };
    }
    if let Some(function) = texture_function(name) {
        return Token { text: function.into(), ..token.clone() };
    }
    let supplement = super::supplement::NAMES.iter().find(|supplement| **supplement == name);
    if let Some(supplement) = supplement {
        needs.functions.insert(supplement);
        return token.clone();
    }
    if let Some(matrix) = super::supplement::MATRICES.iter().find(|(matrix, _)| *matrix == name)
        && braces > 0
        && is_single_argument(&tokens[i + 1..])
    {
        needs.functions.insert(matrix.1);
        return Token { text: matrix.1.into(), ..token.clone() };
    }
    token.clone()
}

/// Whether a call, from its parenthesis on, has one argument that is more than a number.
fn is_single_argument(tokens: &[Token<'_>]) -> bool {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate() {
        match &*token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth -= 1;
                if depth == 0 {
                    return !(i == 2 && tokens[1].kind == Kind::Number);
                }
            }
            "," if depth == 1 => return false,
            _ => {}
        }
    }
    false
}

/// A sampler as what stands for it where it is used.
fn sampler<'a>(open: &mut [Open], token: &Token<'a>, pair: SamplerType) -> LocatedResult<Token<'a>> {
    let name = &*token.text;
    let beside = sampler_of(name);
    let Some(call) = open.iter_mut().rev().find(|open| open.callee.is_some()) else {
        return Err((GlslError::SamplerUse(name.to_owned()), token.at));
    };
    let callee = call.callee.as_deref().unwrap_or_default();
    if call.takes_parts {
        return Ok(Token::word(format!("{name}, {beside}"), token.at));
    }
    let Some(function) = texture_function(callee) else {
        return Err((GlslError::SamplerUse(name.to_owned()), token.at));
    };
    if pair.rectangle && matches!(function, "texelFetch" | "textureSize") {
        call.before_end = ", 0";
    }
    Ok(Token::word(format!("{}({name}, {beside})", pair.combine), token.at))
}
