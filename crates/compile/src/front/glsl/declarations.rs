//! Declarations in the forms that naga reads: uniforms, varyings and outputs become plain globals with [`Role`]s,
//! combined samplers become pairs, and arrays have their sizes where naga looks for them.

use super::composites::{MAX_NUMBERS, Shape, constructors};
use super::initialisers::LateValue;
use super::lex::{Kind, Token};
use super::loops::do_loops;
use super::matrices;
use super::preprocess::MAX_TOKENS;
use super::preprocess::condition::integer;
use super::reader::{Reader, declarator, elements, sizes, split};
use super::sampler_arrays::{self, MAX_ELEMENTS};
use super::sampler_members::{self, SamplerMember};
use super::{GlslError, LocatedResult, qualifiers};
use crate::front::{Role, Roles};
use std::collections::{HashMap, HashSet};

/// A sampler type of GLSL as the pair of types that naga has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SamplerType {
    /// The type of the texture.
    pub(super) texture: &'static str,
    /// The type of the sampler.
    pub(super) sampler: &'static str,
    /// The function that combines the two.
    pub(super) combine: &'static str,
    /// Whether its coordinates are in texels.
    pub(super) rectangle: bool,
}

/// The pair of types for the name of a sampler type.
pub(super) fn sampler_type(name: &str) -> Option<SamplerType> {
    let pair = |texture, combine| Some(SamplerType { texture, sampler: "sampler", combine, rectangle: false });
    match name {
        "sampler1D" => pair("texture1D", "sampler1D"),
        "sampler2D" | "samplerExternalOES" => pair("texture2D", "sampler2D"),
        "sampler3D" => pair("texture3D", "sampler3D"),
        "samplerCube" => pair("textureCube", "samplerCube"),
        "isampler2D" => pair("itexture2D", "isampler2D"),
        "usampler2D" => pair("utexture2D", "usampler2D"),
        "sampler2DRect" => sampler_type("sampler2D").map(|pair| SamplerType { rectangle: true, ..pair }),
        "isampler2DRect" => sampler_type("isampler2D").map(|pair| SamplerType { rectangle: true, ..pair }),
        "usampler2DRect" => sampler_type("usampler2D").map(|pair| SamplerType { rectangle: true, ..pair }),
        "sampler2DShadow" => Some(SamplerType {
            texture: "texture2D",
            sampler: "samplerShadow",
            combine: "sampler2DShadow",
            rectangle: false,
        }),
        "sampler2DRectShadow" => sampler_type("sampler2DShadow").map(|pair| SamplerType { rectangle: true, ..pair }),
        _ => None,
    }
}

/// The name of the sampler beside a texture.
pub(super) fn sampler_of(name: &str) -> String {
    format!("{name}_ctm_sampler")
}

/// What the declarations of a text are, and the text's tokens with them in naga's form.
#[derive(Debug, Default)]
pub(super) struct Declared<'a> {
    /// The tokens.
    pub(super) tokens: Vec<Token<'a>>,
    /// Roles of globals.
    pub(super) roles: Roles,
    /// Samplers among the globals.
    pub(super) samplers: HashMap<String, SamplerType>,
    /// Names of all globals that are not functions.
    pub(super) globals: HashSet<String>,
    /// Names of functions.
    pub(super) functions: HashSet<String>,
    /// Names of members of structures.
    pub(super) members: HashSet<String>,
    /// For bodies of functions, by the index of their `{` in `tokens`: parameters, with their types if they are samplers.
    pub(super) parameters: HashMap<usize, Vec<(String, Option<SamplerType>)>>,
    /// Constants that became variables.
    initialised: HashSet<String>,
    /// Whether results are `precise`, or outputs `invariant`.
    pub(super) is_exact: bool,
    /// Whether the text has `mainImage` in the place of `main`.
    pub(super) is_image: bool,
    /// Values that globals get at the start of `main`.
    pub(super) late_values: Vec<LateValue<'a>>,
    /// Variables with their types, those declared last in front of others of their name.
    pub(super) variables: HashMap<String, Shape>,
    /// Members of structures, in order.
    pub(super) layouts: HashMap<String, Vec<(String, Shape)>>,
    structures: HashSet<String>,
    /// How many numbers each structure has.
    pub(super) numbers: HashMap<String, usize>,
    /// Whole constants outside of functions, for sizes of arrays.
    pub(super) sizes: HashMap<String, usize>,
    /// Constants of functions by name, for sizes of arrays.
    constants: HashMap<String, String>,
    /// Members of structures that are matrices of two columns and rows, which are vectors there, with how many indices choose one.
    pub(super) halves: HashMap<String, usize>,
    /// Samplers that are members of structures, which are no members in naga's form.
    pub(super) sampler_members: HashMap<String, Vec<SamplerMember>>,
    /// Uniforms that are such structures, with their types, in the places of which samplers of their own stand.
    pub(super) sampler_holders: HashMap<String, String>,
    /// How many elements arrays of samplers have.
    pub(super) sampler_arrays: HashMap<String, usize>,
    /// For names with a number in brackets, one more than the largest such index, or the size of a declaration.
    counts: HashMap<String, usize>,
    /// Arrays whose size was left out and counted, so that they may be declared again.
    counted: HashSet<String>,
    next_output: u32,
    next_binding: u32,
    /// Where further sources of the shader begin.
    starts: Vec<usize>,
    /// What sources have declared outside of functions: the number of the source, the declaration, and the value.
    shared: HashMap<String, (usize, String, String)>,
}

/// Rewrites the declarations of a text.
///
/// # Errors
///
/// What naga's dialect cannot say, with its place.
pub(super) fn declarations<'a>(tokens: Vec<Token<'a>>, starts: &[usize]) -> LocatedResult<Declared<'a>> {
    let is_exact = qualifiers::is_exact(&tokens);
    let tokens = constructors(do_loops(qualifiers::without(tokens)));
    let mut declared = Declared { is_exact, starts: starts.to_vec(), ..Declared::default() };
    for pair in tokens.windows(2) {
        if pair[0].is("struct") {
            declared.structures.insert(pair[1].text.to_string());
        }
    }
    if let Some(size) = tokens.windows(3).find(|group| is_too_large(group)).map(|group| &group[1]) {
        return Err((GlslError::Elements(size.text.to_string()), size.at));
    }
    declared.counts = counts(&tokens);
    let mut reader = Reader { tokens: &tokens, next: 0 };
    while reader.next < tokens.len() {
        declared.external(&mut reader)?;
    }
    Ok(declared)
}

/// Whether it is a number in brackets that is not a size of an array here, nor an index.
fn is_too_large(group: &[Token<'_>]) -> bool {
    let number = || integer(&group[1].text).is_none_or(|number| number > MAX_NUMBERS as i64);
    group[0].is("[") && group[1].kind == Kind::Number && group[2].is("]") && number()
}

/// How many elements arrays have at least by their constant indices, or have by a declaration.
fn counts(tokens: &[Token<'_>]) -> HashMap<String, usize> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (at, group) in tokens.windows(4).enumerate() {
        let [name, open, index, close] = group else { continue };
        if name.kind != Kind::Word || !open.is("[") || !close.is("]") || index.kind != Kind::Number {
            continue;
        }
        let Some(index) = integer(&index.text).and_then(|index| usize::try_from(index).ok()) else { continue };
        let before = at.checked_sub(1).map(|before| &tokens[before]).filter(|before| before.kind == Kind::Word);
        let declares = before.is_some_and(|before| !matches!(&*before.text, "return" | "else" | "do"));
        let count = counts.entry(name.text.to_string()).or_default();
        *count = (*count).max(index + usize::from(!declares));
    }
    counts
}

/// Where a declared variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Storage {
    Plain,
    Const,
    Uniform,
    Input,
    Output,
}

/// Whether a constant's declaration needs nothing but numbers, operators, constructors and such constants; calls, too, if
/// it is a whole number, which sizes of arrays may need.
fn is_simple(tokens: &[Token<'_>], others: &HashSet<String>) -> bool {
    let value = tokens.iter().position(|token| token.is("=")).unwrap_or(tokens.len());
    let whole = tokens.first().is_some_and(|token| token.is("int") || token.is("uint"));
    tokens[value..].windows(2).all(|pair| {
        let is_type = is_basic_type(&pair[0].text);
        let calls = pair[0].kind == Kind::Word && pair[1].is("(") && !is_type && !whole;
        let picks = pair[1].is(".") || pair[1].is("[") && !is_type;
        !calls && !picks && !others.contains(&*pair[0].text)
    })
}

/// Whether a word is the name of a type of the language.
pub(super) fn is_basic_type(word: &str) -> bool {
    matches!(word, "float" | "int" | "uint" | "bool" | "void")
        || ["vec", "ivec", "uvec", "bvec", "mat"].iter().any(|prefix| {
            word.strip_prefix(prefix).is_some_and(|rest| {
                matches!(rest.as_bytes(), [b'2'..=b'4'])
                    || *prefix == "mat" && matches!(rest.as_bytes(), [b'2'..=b'4', b'x', b'2'..=b'4'])
            })
        })
}

impl<'a> Declared<'a> {
    /// Whether the text has this name somewhere, other than for a channel or member.
    pub(super) fn uses(&self, name: &str) -> bool {
        let is_member = |at: usize| at.checked_sub(1).is_some_and(|before| self.tokens[before].is("."));
        let is_name = |token: &Token<'_>| token.kind == Kind::Word && token.is(name);
        self.tokens.iter().enumerate().any(|(at, token)| is_name(token) && !is_member(at))
    }

    pub(super) fn push(&mut self, tokens: &[Token<'a>]) {
        self.tokens.extend_from_slice(tokens);
    }

    /// Puts tokens in front of those at an index.
    pub(super) fn insert(&mut self, index: usize, tokens: Vec<Token<'a>>) {
        let count = tokens.len();
        self.tokens.splice(index..index, tokens);
        let moved = |at: usize| if at >= index { at + count } else { at };
        self.parameters =
            std::mem::take(&mut self.parameters).into_iter().map(|(at, names)| (moved(at), names)).collect();
    }

    /// Rewrites the pieces of a text one by one: what stands between braces and semicolons, and those, so that bodies keep their places.
    pub(super) fn each_piece(
        &mut self,
        rewrite: impl Fn(&Self, Vec<Token<'a>>) -> LocatedResult<Vec<Token<'a>>>,
    ) -> LocatedResult<()> {
        let separates = |token: &Token<'_>| matches!(&*token.text, "{" | "}") || token.text.ends_with(';');
        let tokens = std::mem::take(&mut self.tokens);
        let mut out = Vec::with_capacity(tokens.len());
        let mut moved = HashMap::new();
        let mut at = 0;
        while at < tokens.len() {
            if self.parameters.contains_key(&at) {
                moved.insert(at, out.len());
            }
            let length = tokens[at..].iter().position(separates).unwrap_or(tokens.len() - at).max(1);
            out.append(&mut rewrite(self, tokens[at..at + length].to_vec())?);
            if out.len() > MAX_TOKENS {
                return Err((GlslError::Expanded, tokens[at].at));
            }
            at += length;
        }
        self.tokens = out;
        let parameters = std::mem::take(&mut self.parameters);
        self.parameters = parameters.into_iter().filter_map(|(at, names)| Some((*moved.get(&at)?, names))).collect();
        Ok(())
    }

    pub(super) fn mark(&mut self, mark: &'static str, at: u32) {
        self.tokens.push(Token::mark(mark, at));
    }

    fn is_type(&self, token: &Token<'_>) -> bool {
        token.kind == Kind::Word && (is_basic_type(&token.text) || self.structures.contains(&*token.text))
    }

    /// Whether another source of the shader has declared the same, so that this declaration is of what there is. Values may be left out.
    fn is_shared(&mut self, name: &str, tokens: &[Token<'a>], at: u32) -> LocatedResult<bool> {
        if self.starts.is_empty() {
            return Ok(false);
        }
        let source = self.starts.partition_point(|&start| start <= at as usize);
        let value = tokens.iter().position(|token| token.is("=")).unwrap_or(tokens.len());
        let text = |tokens: &[Token<'a>]| {
            let words: Vec<&str> = tokens.iter().map(|token| &*token.text).filter(|text| *text != ";").collect();
            words.join(" ")
        };
        let (declaration, value) = (text(&tokens[..value]), text(&tokens[value..]));
        match self.shared.get(name) {
            Some((other, known, known_value)) if *other != source => {
                let is_same = *known == declaration && (value.is_empty() || *known_value == value);
                if is_same { Ok(true) } else { Err((GlslError::OtherSource(name.to_owned()), at)) }
            }
            _ => {
                self.shared.insert(name.to_owned(), (source, declaration, value));
                Ok(false)
            }
        }
    }

    /// One declaration outside of functions.
    fn external(&mut self, reader: &mut Reader<'_, 'a>) -> LocatedResult<()> {
        let at = reader.at();
        let mut storage = Storage::Plain;
        let mut location = None;
        while let Some(token) = reader.peek() {
            match &*token.text {
                "layout" => {
                    reader.next += 1;
                    if !reader.is("(") {
                        return Err((GlslError::Missing("(".into()), reader.at()));
                    }
                    let group = reader.group()?;
                    for part in split(&group[1..group.len() - 1]) {
                        if part.first().is_some_and(|name| name.text.starts_with("local_size_")) {
                            let name = part[0].text.to_string();
                            return Err((GlslError::Stage { name, stage: "compute" }, part[0].at));
                        }
                        if let Some(name) = part.first().filter(|name| name.is("pixel_center_integer")) {
                            return Err((GlslError::Layout(name.text.to_string()), name.at));
                        }
                        if let [name, equals, value] = part
                            && name.is("location")
                            && equals.is("=")
                        {
                            location = integer(&value.text).and_then(|value| u32::try_from(value).ok());
                        }
                    }
                    continue;
                }
                "const" => storage = Storage::Const,
                "uniform" => storage = Storage::Uniform,
                "in" | "varying" => storage = Storage::Input,
                "out" => storage = Storage::Output,
                "attribute" => return Err((GlslError::Attribute, token.at)),
                "buffer" | "shared" if !self.structures.contains(&*token.text) => {
                    return Err((GlslError::Storage(token.text.to_string()), token.at));
                }
                "flat" | "smooth" | "noperspective" | "centroid" | "sample" | "readonly" | "writeonly" | "restrict"
                | "coherent" | "volatile" => {}
                _ => break,
            }
            reader.next += 1;
        }
        let Some(first) = reader.peek() else { return Err((GlslError::Missing("a declaration".into()), at)) };
        if first.is(";") {
            reader.next += 1;
            return Ok(());
        }
        if first.is("struct") {
            return self.structure(reader, storage, location);
        }
        let following = |n: usize, text: &str| reader.tokens.get(reader.next + n).is_some_and(|token| token.is(text));
        if following(1, "{") {
            return self.block(reader, storage, location);
        }
        let type_end = {
            let (sizes, rest) = sizes(&reader.tokens[(reader.next + 1).min(reader.tokens.len())..]);
            if sizes.is_empty() { reader.next + 1 } else { reader.tokens.len() - rest.len() }
        };
        if reader.tokens.get(type_end + 1).is_some_and(|token| token.is("(")) {
            return self.function(reader, type_end);
        }
        let statement = reader.until(";")?;
        self.variables(statement, storage, location)
    }

    /// `struct S { ... } names;`
    fn structure(&mut self, reader: &mut Reader<'_, 'a>, storage: Storage, location: Option<u32>) -> LocatedResult<()> {
        let start = reader.next;
        reader.next += 1;
        let mut name = Token::word(format!("ctm_struct{start}"), reader.at());
        if let Some(token) = reader.peek().filter(|token| token.kind == Kind::Word) {
            name = token.clone();
            reader.next += 1;
        }
        if !reader.is("{") {
            return Err((GlslError::Missing("{".into()), reader.at()));
        }
        let members = reader.group()?;
        if !self.is_shared(&name.text, members, name.at)? {
            self.tokens.push(reader.tokens[start].clone());
            self.tokens.push(name.clone());
            self.layouts.remove(&*name.text);
            self.members(&name.text, members)?;
            self.mark(";", name.at);
        }
        let mut rest = reader.until(";")?.to_vec();
        if !rest.is_empty() {
            rest.insert(0, name);
            self.variables(&rest, storage, location)?;
        }
        Ok(())
    }

    /// `{ float a; vec2 b[2]; }`, without qualifiers of layout.
    fn members(&mut self, name: &str, group: &[Token<'a>]) -> LocatedResult<()> {
        self.push(&group[..1]);
        let mut numbers = 0;
        let mut samplers = Vec::new();
        for member in Self::each_member(group)? {
            if let Some(pair) = sampler_type(&member[0].text) {
                samplers.extend(self.sampler_member(&member, pair)?);
                continue;
            }
            let declarators = self.declarators(&member)?;
            for (member, mut tokens) in declarators {
                if matrices::is_half(&tokens[0].text) {
                    let indices = tokens.iter().filter(|token| token.is("[")).count();
                    let is_other = match self.halves.insert(member.clone(), indices) {
                        None => self.members.contains(&member),
                        Some(before) => before != indices,
                    };
                    if is_other {
                        return Err((GlslError::MatrixName(member), tokens[1].at));
                    }
                    tokens[0].text = "vec4".into();
                } else if self.halves.contains_key(&member) {
                    return Err((GlslError::MatrixName(member), tokens[1].at));
                }
                let shape = self.shape(&tokens);
                numbers += self.numbers(&shape).unwrap_or(MAX_NUMBERS);
                if numbers > MAX_NUMBERS {
                    return Err((GlslError::Numbers(name.to_owned()), group[0].at));
                }
                self.layouts.entry(name.to_owned()).or_default().push((member.clone(), shape));
                self.members.insert(member);
                self.push(&tokens);
            }
        }
        if !samplers.is_empty() && numbers == 0 {
            // naga has no structures without members.
            self.push(&[Token::word(format!("float {};", sampler_members::NOTHING), group[0].at)]);
        }
        self.sampler_members.remove(name);
        if !samplers.is_empty() {
            self.sampler_members.insert(name.to_owned(), samplers);
        }
        self.numbers.insert(name.to_owned(), numbers);
        self.push(&group[group.len() - 1..]);
        Ok(())
    }

    /// The samplers of a member's declaration.
    fn sampler_member(&self, member: &[Token<'a>], pair: SamplerType) -> LocatedResult<Vec<SamplerMember>> {
        let (outer, rest) = sizes(&member[1..]);
        let names = split(rest).into_iter().map(|part| {
            let declared = declarator(part, member[0].at)?;
            let (name, at) = (declared.name.text.to_string(), declared.name.at);
            let count = match (outer.iter().chain(&declared.sizes).collect::<Vec<_>>().as_slice(), declared.value) {
                ([], None) => None,
                ([size], None) => Some(self.sampler_count(&name, size).ok_or((GlslError::SamplerArray, at))?),
                _ => return Err((GlslError::SamplerArray, at)),
            };
            Ok(SamplerMember { name, pair, count })
        });
        names.collect()
    }

    /// The members of a group in braces, each without `layout(...)` and its `;`.
    fn each_member(group: &[Token<'a>]) -> LocatedResult<Vec<Vec<Token<'a>>>> {
        let mut inside = Reader { tokens: &group[1..group.len() - 1], next: 0 };
        let mut members = Vec::new();
        while inside.next < inside.tokens.len() {
            if inside.is("layout") {
                inside.next += 1;
                inside.group()?;
            } else if inside.is("const") || inside.is("flat") || inside.is("smooth") || inside.is(";") {
                inside.next += 1;
            } else {
                members.push(inside.until(";")?.to_vec());
            }
        }
        Ok(members)
    }

    /// `uniform Block { ... } name;`
    fn block(&mut self, reader: &mut Reader<'_, 'a>, storage: Storage, location: Option<u32>) -> LocatedResult<()> {
        let name = &reader.tokens[reader.next];
        reader.next += 1;
        // Members may repeat where the block is.
        let is_plain = |token: &&Token<'a>| {
            !matches!(&*token.text, "uniform" | "in" | "out" | "centroid" | "noperspective" | "sample")
        };
        let group: Vec<_> = reader.group()?.iter().filter(is_plain).cloned().collect();
        let group = &group[..];
        let instance = reader.until(";")?;
        if instance.is_empty() {
            for member in Self::each_member(group)? {
                self.variables(&member, storage, None)?;
            }
            return Ok(());
        }
        if !self.is_shared(&name.text, group, name.at)? {
            self.tokens.push(Token::word("struct", name.at));
            self.tokens.push(name.clone());
            self.members(&name.text, group)?;
            self.mark(";", name.at);
        }
        let mut variable = vec![name.clone()];
        variable.extend_from_slice(instance);
        self.variables(&variable, storage, location)
    }

    /// The variables of a declaration outside of functions.
    fn variables(&mut self, statement: &[Token<'a>], storage: Storage, location: Option<u32>) -> LocatedResult<()> {
        let Some(kind) = statement.first() else { return Ok(()) };
        if kind.text.contains("sampler") || kind.text.contains("image") {
            return self.samplers(statement, storage);
        }
        let mut location = location;
        for (name, tokens) in self.declarators(statement)? {
            if self.is_shared(&name, &tokens, tokens[1].at)? {
                continue;
            }
            if matches!(&*name, "gl_FragCoord" | "gl_FragDepth") || self.counted.contains(&name) {
                // What the language declares may be declared again, to give it a layout, and an array without a size to give it one.
                continue;
            }
            if statement.windows(2).any(|pair| pair[0].is("[") && pair[1].is("]")) {
                self.counted.insert(name.clone());
            }
            let value = tokens.iter().position(|token| token.is("="));
            // naga keeps few values of globals, and calculates few constants: the others are given at the start of `main`.
            let mut late = value.is_some();
            match storage {
                Storage::Plain => {}
                Storage::Const if is_simple(&tokens, &self.initialised) => {
                    self.tokens.push(Token::word("const", kind.at));
                    late = false;
                    if let [_, _, _, size, _] = &tokens[..] {
                        self.sizes.extend(size.text.parse().ok().map(|size| (name.clone(), size)));
                    }
                }
                Storage::Const => _ = self.initialised.insert(name.clone()),
                Storage::Uniform => {
                    self.sampler_holder(&name, &tokens)?;
                    self.roles.set(&name, Role::Uniform { given: late });
                    late = false;
                }
                Storage::Input if late => return Err((GlslError::InputValue(name), tokens[1].at)),
                Storage::Input => self.roles.set(&name, Role::Varying),
                Storage::Output => {
                    let place = location.take().unwrap_or(self.next_output);
                    self.next_output = self.next_output.max(place.saturating_add(1));
                    self.roles.set(&name, Role::Output(place));
                }
            }
            let shape = self.shape(&tokens);
            self.variables.insert(name.clone(), shape);
            self.globals.insert(name);
            match value.filter(|_| late) {
                Some(value) => {
                    let (declaration, at) = (&tokens[..value], tokens[value].at);
                    self.push(declaration);
                    self.mark(";", at);
                    self.late_values.push(LateValue::new(&tokens, value));
                }
                None => self.push(&tokens),
            }
        }
        Ok(())
    }

    /// Declares the samplers that a uniform holds.
    fn sampler_holder(&mut self, name: &str, tokens: &[Token<'a>]) -> LocatedResult<()> {
        let shape = self.shape(tokens);
        for found in sampler_members::of(self, name, &shape).map_err(|error| (error, tokens[1].at))? {
            let sampler = found.to_string();
            match found.count {
                None => self.declare_sampler(&sampler, found.pair, tokens[1].at),
                Some(count) => self.declare_samplers(&sampler, found.pair, count, tokens[1].at)?,
            }
            self.sampler_holders.insert(name.to_owned(), shape.name().to_owned());
        }
        Ok(())
    }

    /// Samplers, each as a texture and its sampler.
    fn samplers(&mut self, statement: &[Token<'a>], storage: Storage) -> LocatedResult<()> {
        let kind = &statement[0];
        let Some(pair) = sampler_type(&kind.text) else {
            return Err((GlslError::SamplerType(kind.text.to_string()), kind.at));
        };
        if storage != Storage::Uniform {
            return Err((GlslError::SamplerStorage, kind.at));
        }
        let (outer, rest) = sizes(&statement[1..]);
        for part in split(rest) {
            let declared = declarator(part, kind.at)?;
            let (name, at) = (&*declared.name.text, declared.name.at);
            if self.is_shared(name, &[&statement[..1], part].concat(), at)? {
                continue;
            }
            let mut sizes = outer.clone();
            sizes.extend(declared.sizes);
            let size = match (&sizes[..], declared.value) {
                ([], None) => {
                    self.declare_sampler(name, pair, at);
                    continue;
                }
                ([size], None) => self.sampler_count(name, size),
                _ => None,
            };
            self.declare_samplers(name, pair, size.ok_or((GlslError::SamplerArray, at))?, at)?;
        }
        Ok(())
    }

    /// Declares the elements of an array of samplers.
    fn declare_samplers(&mut self, name: &str, pair: SamplerType, count: usize, at: u32) -> LocatedResult<()> {
        if !(1..=MAX_ELEMENTS).contains(&count) {
            return Err((GlslError::SamplerArray, at));
        }
        for index in 0..count {
            self.declare_sampler(&sampler_arrays::element(name, index), pair, at);
        }
        self.sampler_arrays.insert(name.to_owned(), count);
        Ok(())
    }

    /// The size of an array of samplers, by what stands in the brackets.
    fn sampler_count(&self, name: &str, size: &[Token<'a>]) -> Option<usize> {
        match size {
            [] => self.counts.get(name).copied(),
            [size] => {
                let number = integer(&size.text).and_then(|size| usize::try_from(size).ok());
                number.or_else(|| self.sizes.get(&*size.text).copied())
            }
            _ => None,
        }
    }

    /// Declares a texture and its sampler.
    pub(super) fn declare_sampler(&mut self, name: &str, pair: SamplerType, at: u32) {
        for (kind, name) in [(pair.texture, name.to_owned()), (pair.sampler, sampler_of(name))] {
            let text = format!("layout(binding={}) uniform {kind} {name};", self.next_binding);
            self.tokens.push(Token::word(text, at));
            self.next_binding += 1;
        }
        self.samplers.insert(name.to_owned(), pair);
        self.globals.insert(name.to_owned());
        if pair.rectangle {
            self.roles.set(name, Role::Rectangle);
        }
    }

    /// A function: its head, and its body if it has one.
    fn function(&mut self, reader: &mut Reader<'_, 'a>, type_end: usize) -> LocatedResult<()> {
        let head = &reader.tokens[reader.next..=type_end];
        reader.next = type_end + 1;
        let group = reader.group()?;
        let name = &head[head.len() - 1];
        self.functions.insert(name.text.to_string());
        self.push(head);
        self.push(&group[..1]);
        let mut parameters = Vec::new();
        let list = &group[1..group.len() - 1];
        for (i, part) in split(list).into_iter().enumerate() {
            if i > 0 {
                self.mark(",", name.at);
            }
            let part: Vec<_> = part.iter().filter(|token| !token.is("const")).cloned().collect();
            let kind = part.iter().position(|token| !matches!(&*token.text, "in" | "out" | "inout"));
            let Some(kind) = kind.filter(|kind| kind + 1 < part.len()) else {
                self.push(&part);
                continue;
            };
            if let Some(pair) = sampler_type(&part[kind].text) {
                let (texture, at) = (&part[kind + 1], part[kind].at);
                if part.len() > kind + 2 {
                    return Err((GlslError::SamplerArrayUse(texture.text.to_string()), at));
                }
                let text = format!(
                    "{} {texture}, {} {}",
                    pair.texture,
                    pair.sampler,
                    sampler_of(&texture.text),
                    texture = texture.text
                );
                self.tokens.push(Token::word(text, at));
                parameters.push((texture.text.to_string(), Some(pair)));
                continue;
            }
            let at = part[kind].at;
            self.push(&part[..kind]);
            let mut declarators = self.declarators(&part[kind..])?;
            if declarators.len() != 1 {
                return Err((GlslError::Name, at));
            }
            let (parameter, mut tokens) = declarators.remove(0);
            let shape = self.shape(&tokens);
            self.variables.insert(parameter.clone(), shape);
            tokens.pop();
            self.push(&tokens);
            parameters.push((parameter, None));
        }
        self.push(&group[group.len() - 1..]);
        if !reader.is("{") {
            let rest = reader.until(";")?;
            self.push(rest);
            self.mark(";", name.at);
            return Ok(());
        }
        let body = reader.group()?;
        self.parameters.insert(self.tokens.len(), parameters);
        self.constants.clear();
        self.body(&body[..body.len() - 1])?;
        let end = &body[body.len() - 1];
        let returns = body
            .iter()
            .rev()
            .skip(2)
            .take_while(|token| !matches!(&*token.text, ";" | "{" | "}"))
            .any(|token| token.is("return"));
        if head.len() == 2 && !head[0].is("void") && !returns {
            // naga wants a value on every way to the end, also where nobody comes along.
            self.tokens.push(Token::word(format!("{} ctm_nothing; return ctm_nothing;", head[0].text), end.at));
        }
        self.tokens.push(end.clone());
        Ok(())
    }

    /// A body, with its declarations in naga's form.
    fn body(&mut self, body: &[Token<'a>]) -> LocatedResult<()> {
        let mut reader = Reader { tokens: body, next: 0 };
        let mut parentheses = 0;
        while let Some(token) = reader.peek() {
            match &*token.text {
                "(" => parentheses += 1,
                ")" => parentheses -= 1,
                _ => {}
            }
            let start = reader.next;
            let constant = token.is("const");
            let kind = start + usize::from(constant);
            if token.is("struct") && parentheses == 0 {
                self.structure(&mut reader, Storage::Plain, None)?;
                continue;
            }
            let follows_field = start > 0 && body[start - 1].is(".");
            let is_declaration = !follows_field
                && body.get(kind).is_some_and(|token| self.is_type(token))
                && sizes(&body[(kind + 1).min(body.len())..]).1.first().is_some_and(|next| next.kind == Kind::Word);
            if !is_declaration {
                reader.next += self.bridged(&body[start..], start.checked_sub(1).map(|before| &body[before]));
                continue;
            }
            reader.next = kind;
            let statement = if parentheses == 0 {
                reader.until(";")?
            } else {
                // The head of a loop: one declaration must stay one, so only its first part is looked at.
                self.push(&body[start..=kind]);
                reader.next = kind + 1;
                continue;
            };
            for (name, tokens) in self.declarators(statement)? {
                let shape = self.shape(&tokens);
                self.variables.insert(name.clone(), shape);
                if constant {
                    self.tokens.push(Token::word("const", token.at));
                    if let [_, _, equals, value, _] = &tokens[..]
                        && equals.is("=")
                        && value.kind == Kind::Number
                    {
                        self.constants.insert(name, value.text.to_string());
                    }
                }
                self.push(&tokens);
            }
        }
        Ok(())
    }

    /// Each name of `type a, b[2] = ...` with its tokens up to `;`: sizes are counted where they are left out, and turned
    /// round where there are several, as naga takes the first for the innermost.
    fn declarators(&self, statement: &[Token<'a>]) -> LocatedResult<Vec<(String, Vec<Token<'a>>)>> {
        let kind = &statement[0];
        let (outer, rest) = sizes(&statement[1..]);
        let mut out = Vec::new();
        for part in split(rest) {
            let parsed = declarator(part, kind.at)?;
            let at = parsed.name.at;
            let mut tokens = vec![kind.clone(), parsed.name.clone()];
            let name = &*parsed.name.text;
            let used = || parsed.value.is_none().then(|| self.counts.get(name).copied()).flatten();
            let counted = parsed.value.and_then(elements).or_else(used).filter(|&count| count > 0);
            for (i, size) in parsed.sizes.iter().chain(&outer).enumerate().collect::<Vec<_>>().into_iter().rev() {
                tokens.push(Token::mark("[", at));
                match (size.is_empty(), counted) {
                    (true, Some(count)) if i == 0 => tokens.push(Token::new(Kind::Number, count.to_string(), at)),
                    (true, _) => return Err((GlslError::ArraySize, at)),
                    (false, _) => tokens.extend(size.iter().map(|token| match self.constants.get(&*token.text) {
                        Some(value) => Token::new(Kind::Number, value.clone(), token.at),
                        None => token.clone(),
                    })),
                }
                tokens.push(Token::mark("]", at));
            }
            if self.numbers(&self.shape(&tokens)).is_none() {
                return Err((GlslError::Numbers(parsed.name.text.to_string()), at));
            }
            if let Some(value) = parsed.value {
                tokens.push(Token::mark("=", at));
                tokens.extend_from_slice(value);
            }
            tokens.push(Token::mark(";", at));
            out.push((parsed.name.text.to_string(), tokens));
        }
        Ok(out)
    }
}
