//! Samplers that are members of structures, which naga's reader refuses: each is a uniform of its own, and the structure goes without it.
//! `material.map` becomes `ctm_member_..._materialmap`, and the elements of an array of structures an array of samplers.

use super::brackets::partner;
use super::composites::Shape;
use super::declarations::{Declared, SamplerType};
use super::lex::{Kind, Token};
use super::sampler_arrays;
use super::{GlslError, LocatedResult};
use std::fmt;

/// The member of a structure that has only samplers.
pub(super) const NOTHING: &str = "ctm_no_member";

/// How deep structures are looked into.
const MAX_DEPTH: usize = 16;

/// What the names of such uniforms begin with.
const PREFIX: &str = "ctm_member_";

/// A sampler of a structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SamplerMember {
    pub(super) name: String,
    pub(super) pair: SamplerType,
    /// Elements, if it is an array.
    pub(super) count: Option<usize>,
}

/// A sampler that a uniform holds. Its text is a name from which [`original`] takes the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Held {
    /// The names on the way to it, the uniform's first.
    path: Vec<String>,
    /// The part of the path that is an array, if one is.
    array: Option<usize>,
    pub(super) pair: SamplerType,
    /// Elements, if one part is an array.
    pub(super) count: Option<usize>,
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.array.map_or(self.path.len(), |array| array))?;
        self.path.iter().try_for_each(|part| write!(f, "_{}", part.len()))?;
        write!(f, "_{}", self.path.concat())
    }
}

/// The user's name for such a sampler, or an element of an array of them: `lights[2].map`.
pub(super) fn original(name: &str) -> Option<String> {
    let (index, name) = sampler_arrays::parts(name).map_or((None, name), |(index, name)| (Some(index), name));
    let mut rest = name.strip_prefix(PREFIX)?;
    let mut numbers = Vec::new();
    while let Some((number, after)) = rest.split_once('_').and_then(|(first, after)| Some((first.parse().ok()?, after)))
    {
        numbers.push(number);
        rest = after;
    }
    let (&array, lengths) = numbers.split_first()?;
    let mut parts = Vec::new();
    for (number, &length) in lengths.iter().enumerate() {
        let (part, after) = rest.split_at_checked(length)?;
        rest = after;
        let index = index.filter(|_| number == array);
        parts.push(index.map_or_else(|| part.to_owned(), |index| format!("{part}[{index}]")));
    }
    Some(parts.join("."))
}

/// The samplers that a uniform of a type holds.
///
/// # Errors
/// One is in more than one array.
pub(super) fn of(declared: &Declared<'_>, name: &str, shape: &Shape) -> Result<Vec<Held>, GlslError> {
    let mut found = Vec::new();
    // Most texts have none.
    if !declared.sampler_members.is_empty() {
        collect(declared, &mut vec![(name.to_owned(), shape.elements())], shape.name(), &mut found)?;
    }
    Ok(found)
}

/// The samplers of a structure to which a path leads, whose parts have their numbers of elements.
fn collect(
    declared: &Declared<'_>,
    path: &mut Vec<(String, Vec<Option<usize>>)>,
    structure: &str,
    found: &mut Vec<Held>,
) -> Result<(), GlslError> {
    if path.len() > MAX_DEPTH {
        return Ok(());
    }
    for member in declared.sampler_members.get(structure).into_iter().flatten() {
        let last = (member.name.clone(), member.count.map(Some).into_iter().collect::<Vec<_>>());
        let parts: Vec<&(String, Vec<Option<usize>>)> = path.iter().chain([&last]).collect();
        let names: Vec<String> = parts.iter().map(|(name, _)| name.clone()).collect();
        let arrays =
            parts.iter().enumerate().flat_map(|(number, (_, sizes))| sizes.iter().map(move |size| (number, *size)));
        let (array, count) = match *arrays.collect::<Vec<_>>() {
            [] => (None, None),
            [(number, Some(count))] => (Some(number), Some(count)),
            _ => return Err(GlslError::SamplerDepth(names.join("."))),
        };
        found.push(Held { path: names, array, pair: member.pair, count });
    }
    for (member, shape) in declared.layouts.get(structure).into_iter().flatten() {
        path.push((member.clone(), shape.elements()));
        collect(declared, path, shape.name(), found)?;
        path.pop();
    }
    Ok(())
}

/// Writes uniforms of their own in the place of members.
///
/// # Errors
/// A sampler of a structure is used, and the uniform that holds it does not stand there.
pub(super) fn expand(declared: &mut Declared<'_>) -> LocatedResult<()> {
    if declared.sampler_members.is_empty() {
        return Ok(());
    }
    let only: Vec<String> = {
        let all = declared.sampler_members.values().flatten();
        all.filter(|member| !declared.members.contains(&member.name)).map(|member| member.name.clone()).collect()
    };
    declared.each_piece(|declared, mut tokens| {
        for at in (0..tokens.len()).rev() {
            let is_member = at > 0 && tokens[at - 1].is(".");
            if tokens[at].kind == Kind::Word && !is_member && declared.sampler_holders.contains_key(&*tokens[at].text) {
                member(declared, &mut tokens, at);
            }
        }
        let lost = tokens.windows(2).find(|pair| pair[0].is(".") && only.iter().any(|name| pair[1].is(name)));
        match lost {
            Some(pair) => Err((GlslError::SamplerMember(pair[1].text.to_string()), pair[1].at)),
            None => Ok(tokens),
        }
    })
}

/// Rewrites what begins with a uniform that holds samplers, if it leads to one.
fn member(declared: &Declared<'_>, tokens: &mut Vec<Token<'_>>, start: usize) {
    let (mut path, mut index) = (vec![tokens[start].text.to_string()], None);
    let mut at = start + 1;
    while let Some(token) = tokens.get(at) {
        if token.is("[") {
            let Some(close) = partner(tokens, at) else { return };
            index = Some((at, close));
            at = close + 1;
        } else if token.is(".") && tokens.get(at + 1).is_some_and(|name| name.kind == Kind::Word) {
            path.push(tokens[at + 1].text.to_string());
            at += 2;
        } else {
            break;
        }
    }
    let structure = &declared.sampler_holders[&path[0]];
    let Some(shape) = declared.variables.get(&path[0]).filter(|shape| shape.name() == structure) else { return };
    let held = of(declared, &path[0], shape).unwrap_or_default();
    let Some(found) = held.into_iter().find(|held| held.path == path) else { return };
    let mut out = vec![Token::word(found.to_string(), tokens[start].at)];
    if let Some((open, close)) = index {
        out.extend_from_slice(&tokens[open..=close]);
    }
    tokens.splice(start..at, out);
}
