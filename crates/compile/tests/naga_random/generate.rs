//! Fragment shaders at random, in GLSL or WGSL, from a grammar of both. Arguments of functions are kept where these are
//! defined, and variables where they stay small, so that most of what comes out can be compared.

use ctm_cases::{Result, Unstructured};

/// A type.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Ty {
    Float,
    Int,
    Bool,
    Vec(usize),
    BVec(usize),
    Mat(usize),
    /// Floats.
    Array(usize),
    /// `struct S { vec3 a; float b; vec2 c; }`
    Struct,
}

#[derive(Clone)]
struct Var {
    name: String,
    ty: Ty,
    written: bool,
}

struct Fun {
    name: String,
    /// The first may be a variable that it changes.
    changes: bool,
    params: Vec<Ty>,
    result: Ty,
}

struct Generator<'a, 'b> {
    u: &'a mut Unstructured<'b>,
    wgsl: bool,
    text: String,
    /// The same, with globals that get their values at the start of the entry point.
    equivalent: String,
    /// The assignments that give them.
    values: Vec<String>,
    vars: Vec<Var>,
    functions: Vec<Fun>,
    names: usize,
    loops: usize,
    /// What a function returns; none in the entry point.
    result: Option<Ty>,
    /// Statements that may still be made.
    left: usize,
    depth: usize,
}

/// A shader; half of them are in WGSL. Second, a counterpart that computes the same: its globals have no initial values, but are assigned them.
pub fn shader(u: &mut Unstructured<'_>) -> Result<(String, String, bool)> {
    let wgsl = u.arbitrary()?;
    let left = u.int_in_range(3..=24)?;
    let mut g = Generator {
        u,
        wgsl,
        text: String::new(),
        equivalent: String::new(),
        values: Vec::new(),
        vars: Vec::new(),
        functions: Vec::new(),
        names: 0,
        loops: 0,
        result: None,
        left,
        depth: 0,
    };
    g.program()?;
    Ok((g.text, g.equivalent, wgsl))
}

impl Generator<'_, '_> {
    fn below(&mut self, n: usize) -> Result<usize> {
        self.u.int_in_range(0..=n - 1)
    }

    fn one_in(&mut self, n: usize) -> Result<bool> {
        Ok(self.below(n)? == 0)
    }

    fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.depth);
        self.text += &format!("{indent}{text}\n");
        self.equivalent += &format!("{indent}{text}\n");
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn name(&self, ty: Ty) -> String {
        match (ty, self.wgsl) {
            (Ty::Float, false) => "float".into(),
            (Ty::Float, true) => "f32".into(),
            (Ty::Int, false) => "int".into(),
            (Ty::Int, true) => "i32".into(),
            (Ty::Bool, _) => "bool".into(),
            (Ty::Vec(n), false) => format!("vec{n}"),
            (Ty::Vec(n), true) => format!("vec{n}f"),
            (Ty::BVec(n), false) => format!("bvec{n}"),
            (Ty::BVec(n), true) => format!("vec{n}<bool>"),
            (Ty::Mat(n), false) => format!("mat{n}"),
            (Ty::Mat(n), true) => format!("mat{n}x{n}f"),
            (Ty::Array(n), false) => format!("float[{n}]"),
            (Ty::Array(n), true) => format!("array<f32, {n}>"),
            (Ty::Struct, _) => "S".into(),
        }
    }

    fn any_type(&mut self) -> Result<Ty> {
        Ok(match self.below(12)? {
            0..=3 => Ty::Float,
            4 | 5 => Ty::Vec(3),
            6 => Ty::Vec(2),
            7 => Ty::Vec(4),
            8 | 9 => Ty::Int,
            10 => Ty::Bool,
            _ => Ty::Mat(2 + self.below(3)?),
        })
    }

    fn small_type(&mut self) -> Result<Ty> {
        Ok(match self.below(5)? {
            0 | 1 => Ty::Float,
            2 => Ty::Int,
            n => Ty::Vec(n - 1),
        })
    }

    fn program(&mut self) -> Result<()> {
        let mut uniforms = vec![];
        for (name, ty) in [
            ("time", Ty::Float),
            ("scale", Ty::Vec(2)),
            ("tint", Ty::Vec(3)),
            ("plane", Ty::Vec(4)),
            ("count", Ty::Int),
            ("turn", Ty::Mat(3)),
            ("weights", Ty::Array(4)),
        ] {
            uniforms.push((name, ty));
        }
        if self.wgsl {
            self.line("struct S { a: vec3f, b: f32, c: vec2f }");
            self.line("struct U { time: f32, scale: vec2f, tint: vec3f, plane: vec4f, count: i32, turn: mat3x3f, weights: array<vec4f, 4> }");
            self.line("@group(0) @binding(0) var<uniform> u: U;");
            self.line("@group(0) @binding(1) var tex: texture_2d<f32>;\n@group(0) @binding(2) var sam: sampler;");
        } else {
            self.line("#version 330\nstruct S { vec3 a; float b; vec2 c; };");
            self.line("uniform float time; uniform vec2 scale; uniform vec3 tint; uniform vec4 plane; uniform int count; uniform bool flag;");
            self.line(
                "uniform mat3 turn; uniform float weights[4]; uniform sampler2D tex; uniform sampler2DRect rect;",
            );
            self.line("in vec2 uv; in vec3 normal; out vec4 color; out vec2 more;");
            self.vars.push(Var { name: "uv".into(), ty: Ty::Vec(2), written: false });
            self.vars.push(Var { name: "normal".into(), ty: Ty::Vec(3), written: false });
            self.vars.push(Var { name: "flag".into(), ty: Ty::Bool, written: false });
        }
        let prefix = if self.wgsl { "u." } else { "" };
        for (name, ty) in uniforms {
            if !(self.wgsl && ty == Ty::Array(4)) {
                self.vars.push(Var { name: format!("{prefix}{name}"), ty, written: false });
            }
        }
        let kept = if self.wgsl { "vec4f(0.5, -1.0, 2.0, 0.25)" } else { "vec4(0.5, -1.0, 2.0, 0.25)" };
        self.declare_global("kept".into(), Ty::Vec(4), kept, true);
        for _ in 0..self.below(4)? {
            self.global()?;
        }
        for _ in 0..self.below(4)? {
            let globals = self.vars.clone();
            self.function()?;
            self.vars = globals;
            if self.one_in(3)? {
                self.global()?;
            }
        }
        self.result = None;
        if self.wgsl {
            self.line("struct I { @builtin(position) at: vec4f, @location(0) uv: vec2f, @location(1) normal: vec3f }");
            self.line("struct O { @location(0) color: vec4f, @location(1) more: vec2f }");
            self.line("@fragment fn main(i: I) -> O {");
            self.vars.push(Var { name: "i.uv".into(), ty: Ty::Vec(2), written: false });
            self.vars.push(Var { name: "i.normal".into(), ty: Ty::Vec(3), written: false });
            self.depth = 1;
            self.line("var o: O;");
            self.line("var p = floor(i.at.xy);");
        } else {
            self.line("void main() {");
            self.depth = 1;
            self.line("vec2 p = floor(gl_FragCoord.xy);");
        }
        for value in std::mem::take(&mut self.values) {
            self.equivalent += &format!("  {value}\n");
        }
        self.vars.push(Var { name: "p".into(), ty: Ty::Vec(2), written: true });
        for _ in 0..2 + self.below(3)? {
            self.declaration()?;
        }
        while self.left > 0 {
            self.statement()?;
        }
        let out = if self.wgsl { "o." } else { "" };
        let (color, more) = (self.expression(Ty::Vec(4), 3)?, self.expression(Ty::Vec(2), 2)?);
        self.line(&format!("{out}color = {color};"));
        self.line(&format!("{out}more = {more};"));
        if self.wgsl {
            self.line("return o;");
        }
        self.depth = 0;
        self.line("}");
        Ok(())
    }

    fn declare_global(&mut self, name: String, ty: Ty, value: &str, written: bool) {
        let kind = self.name(ty);
        let (head, tail) = match (self.wgsl, written) {
            (false, true) => (format!("{kind} {name}"), ""),
            (false, false) => (format!("const {kind} {name}"), ""),
            (true, true) => (format!("var<private> {name}"), ": "),
            (true, false) => (format!("const {name}"), ": "),
        };
        let of_type = if self.wgsl { format!("{tail}{kind}") } else { String::new() };
        self.text += &format!("{head}{of_type} = {value};\n");
        // A constant stays one where others are made of it.
        if written {
            self.equivalent += &format!("{head}{of_type};\n");
            self.values.push(format!("{name} = {value};"));
        } else {
            self.equivalent += &format!("{head}{of_type} = {value};\n");
        }
        self.vars.push(Var { name, ty, written });
    }

    /// A global with a value of any kind: of uniforms, inputs, other globals and functions in GLSL, of constants in WGSL.
    fn global(&mut self) -> Result<()> {
        let written = !self.one_in(4)?;
        let name = self.fresh(if written { "g" } else { "k" });
        let constant = self.wgsl || !written;
        let one = |this: &mut Self, ty: Ty| if constant { this.constant(ty, 1) } else { this.bounded(ty, 2) };
        match self.below(8)? {
            0 => {
                let size = 2 + self.below(4)?;
                let mut values = Vec::new();
                for _ in 0..size {
                    values.push(one(self, Ty::Float)?);
                }
                let value = format!("{}({})", self.name(Ty::Array(size)), values.join(", "));
                self.declare_global(name, Ty::Array(size), &value, written);
            }
            1 => {
                let (a, b, c) = (one(self, Ty::Vec(3))?, one(self, Ty::Float)?, one(self, Ty::Vec(2))?);
                self.declare_global(name, Ty::Struct, &format!("S({a}, {b}, {c})"), written);
            }
            _ => {
                let ty = self.any_type()?;
                let value = one(self, ty)?;
                self.declare_global(name, ty, &value, written);
            }
        }
        Ok(())
    }

    /// An expression of literals and constants.
    fn constant(&mut self, ty: Ty, depth: usize) -> Result<String> {
        let known: Vec<String> = self
            .vars
            .iter()
            .filter(|var| var.name.starts_with('k') && !var.written && var.ty == ty)
            .map(|var| var.name.clone())
            .collect();
        let known: Vec<String> = known.into_iter().filter(|name| name[1..].parse::<usize>().is_ok()).collect();
        if !known.is_empty() && self.one_in(3)? {
            return Ok(known[self.below(known.len())?].clone());
        }
        match ty {
            Ty::Mat(n) => {
                let mut columns = Vec::new();
                for _ in 0..n {
                    columns.push(self.literal(Ty::Vec(n))?);
                }
                Ok(format!("{}({})", self.name(ty), columns.join(", ")))
            }
            Ty::Float | Ty::Int | Ty::Vec(_) if depth > 0 && self.u.arbitrary()? => {
                let (a, b) = (self.constant(ty, depth - 1)?, self.constant(ty, depth - 1)?);
                let form = self.below(4)?;
                Ok(match form {
                    0 => format!("max({a}, {b})"),
                    form => format!("({a} {} {b})", ["+", "-", "*"][form - 1]),
                })
            }
            _ => self.literal(ty),
        }
    }

    fn function(&mut self) -> Result<()> {
        let name = self.fresh("f");
        let changes = self.one_in(3)?;
        let result = self.small_type()?;
        let mut params = Vec::new();
        if changes {
            params.push(Ty::Float);
        }
        for _ in 0..1 + self.below(3)? {
            params.push(self.small_type()?);
        }
        let mut list = Vec::new();
        for (i, &ty) in params.iter().enumerate() {
            let (kind, pointer) = (self.name(ty), changes && i == 0);
            list.push(match (self.wgsl, pointer) {
                (false, true) => format!("inout {kind} a{i}"),
                (false, false) => format!("{kind} a{i}"),
                (true, true) => format!("a{i}: ptr<function, {kind}>"),
                (true, false) => format!("a{i}: {kind}"),
            });
            let name = if self.wgsl && pointer { format!("(*a{i})") } else { format!("a{i}") };
            self.vars.push(Var { name, ty, written: !self.wgsl || pointer });
        }
        let kind = self.name(result);
        let list = list.join(", ");
        self.line(&if self.wgsl {
            format!("fn {name}({list}) -> {kind} {{")
        } else {
            format!("{kind} {name}({list}) {{")
        });
        self.depth = 1;
        self.result = Some(result);
        let outer = std::mem::replace(&mut self.left, 5);
        while self.left > 0 {
            self.statement()?;
        }
        self.left = outer;
        let value = self.bounded(result, 3)?;
        self.line(&format!("return {value};"));
        self.depth = 0;
        self.line("}");
        self.functions.push(Fun { name, changes, params, result });
        Ok(())
    }

    // Statements.

    fn declare(&mut self, ty: Ty, value: &str) -> String {
        let name = self.fresh("v");
        let kind = self.name(ty);
        self.line(&if self.wgsl {
            format!("var {name}: {kind} = {value};")
        } else {
            format!("{kind} {name} = {value};")
        });
        self.vars.push(Var { name: name.clone(), ty, written: true });
        name
    }

    fn declaration(&mut self) -> Result<()> {
        match self.below(8)? {
            0 => {
                let size = 2 + self.below(4)?;
                let mut values = Vec::new();
                for _ in 0..size {
                    values.push(self.bounded(Ty::Float, 1)?);
                }
                let kind = if self.wgsl { format!("array<f32, {size}>") } else { format!("float[{size}]") };
                self.declare(Ty::Array(size), &format!("{kind}({})", values.join(", ")));
            }
            1 => {
                let (a, b, c) =
                    (self.bounded(Ty::Vec(3), 2)?, self.bounded(Ty::Float, 2)?, self.bounded(Ty::Vec(2), 2)?);
                self.declare(Ty::Struct, &format!("S({a}, {b}, {c})"));
            }
            _ => {
                let ty = self.any_type()?;
                let value = self.bounded(ty, 3)?;
                self.declare(ty, &value);
            }
        }
        Ok(())
    }

    fn scoped(&mut self, statements: usize) -> Result<()> {
        let count = self.vars.len();
        self.depth += 1;
        for _ in 0..statements {
            if self.left > 0 {
                self.statement()?;
            }
        }
        self.depth -= 1;
        self.vars.truncate(count);
        Ok(())
    }

    fn statement(&mut self) -> Result<()> {
        self.left = self.left.saturating_sub(1);
        if self.depth > 4 {
            return self.assignment();
        }
        match self.below(16)? {
            0 | 1 => self.declaration(),
            2..=7 => self.assignment(),
            8 | 9 => {
                let condition = self.expression(Ty::Bool, 2)?;
                self.line(&format!("if ({condition}) {{"));
                let count = 1 + self.below(3)?;
                self.scoped(count)?;
                self.way_out()?;
                if self.u.arbitrary()? {
                    self.line("} else {");
                    let count = 1 + self.below(2)?;
                    self.scoped(count)?;
                }
                self.line("}");
                Ok(())
            }
            10 | 11 => self.repetition(),
            12 => self.choice(),
            13 => self.change(),
            14 if self.result.is_none() && self.depth == 1 && self.one_in(3)? => {
                let condition = self.expression(Ty::Bool, 2)?;
                self.line(&format!("if ({condition}) {{ discard; }}"));
                Ok(())
            }
            14 if self.result.is_none() && self.depth == 1 && !self.wgsl => {
                let value = self.expression(Ty::Float, 1)?;
                let name = self.declare(Ty::Float, &value);
                let function = ["dFdx", "dFdy", "fwidth"][self.below(3)?];
                let d = self.declare(Ty::Float, &format!("{function}({name})"));
                self.line(&format!("kept.x += clamp({d}, -4.0, 4.0);"));
                Ok(())
            }
            _ => self.assignment(),
        }
    }

    /// Sometimes leaves a loop or a function.
    fn way_out(&mut self) -> Result<()> {
        let inside = self.loops > 0;
        self.depth += 1;
        match self.below(8)? {
            0 if inside => self.line("break;"),
            1 if inside => self.line("continue;"),
            2 | 3 if self.result.is_some() => {
                let ty = self.result.unwrap_or(Ty::Float);
                let value = self.bounded(ty, 2)?;
                self.line(&format!("return {value};"));
            }
            _ => {}
        }
        self.depth -= 1;
        Ok(())
    }

    fn repetition(&mut self) -> Result<()> {
        let name = self.fresh("i");
        let passes = 1 + self.below(5)?;
        let count = self.vars.len();
        let kind = self.name(Ty::Int);
        self.loops += 1;
        let statements = 1 + self.below(3)?;
        let declare = if self.wgsl { format!("var {name}: {kind} = 0") } else { format!("{kind} {name} = 0") };
        let variable = Var { name: name.clone(), ty: Ty::Int, written: false };
        match self.below(4)? {
            0 => {
                // The counter comes first, so that no `continue` passes it by.
                self.line(&format!("{declare};"));
                self.line(&format!("while ({name} < {passes}) {{"));
                self.depth += 1;
                self.line(&format!("{name} = {name} + 1;"));
                self.depth -= 1;
                self.vars.push(variable);
                self.scoped(statements)?;
                self.line("}");
            }
            1 if self.wgsl => {
                self.line(&format!("{declare};"));
                self.line("loop {");
                self.vars.push(variable);
                self.scoped(statements)?;
                self.depth += 1;
                self.line(&format!("continuing {{ {name} = {name} + 1; break if {name} >= {passes}; }}"));
                self.depth -= 1;
                self.line("}");
            }
            1 => {
                self.line(&format!("{declare};"));
                self.line(&format!("do {{ {name}++;"));
                self.vars.push(variable);
                self.scoped(statements)?;
                self.line(&format!("}} while ({name} < {passes});"));
            }
            _ => {
                self.line(&format!("for ({declare}; {name} < {passes}; {name}++) {{"));
                self.vars.push(variable);
                self.scoped(statements)?;
                self.line("}");
            }
        }
        self.vars.truncate(count);
        self.loops -= 1;
        Ok(())
    }

    fn choice(&mut self) -> Result<()> {
        let selector = self.expression(Ty::Int, 2)?;
        self.line(&format!("switch ({selector}) {{"));
        // `continue` leaves the loop's pass, and `break` the switch, so neither is made inside.
        let loops = std::mem::replace(&mut self.loops, 0);
        for case in 0..1 + self.below(3)? {
            self.line(&if self.wgsl {
                format!("case {case}, {}: {{", case + 10)
            } else {
                format!("case {case}: case {}: {{", case + 10)
            });
            self.scoped(1)?;
            let falls = !self.wgsl && self.one_in(3)?;
            self.line(if falls || self.wgsl { "}" } else { "} break;" });
        }
        self.line("default: {");
        self.scoped(1)?;
        self.line(if self.wgsl { "}" } else { "} break;" });
        self.loops = loops;
        self.line("}");
        Ok(())
    }

    fn written(&mut self, wanted: impl Fn(Ty) -> bool) -> Result<Option<Var>> {
        let found: Vec<_> = self.vars.iter().filter(|var| var.written && wanted(var.ty)).cloned().collect();
        Ok(if found.is_empty() { None } else { Some(found[self.below(found.len())?].clone()) })
    }

    fn assignment(&mut self) -> Result<()> {
        let Some(var) = self.written(|_| true)? else { return self.declaration() };
        let name = &var.name;
        let letter = |i: usize| ["x", "y", "z", "w"][i];
        match var.ty {
            Ty::Vec(n) if !self.one_in(3)? => {
                if !self.wgsl && self.u.arbitrary()? {
                    let first = self.below(n)?;
                    let second = (first + 1 + self.below(n - 1)?) % n;
                    let value = self.bounded(Ty::Vec(2), 2)?;
                    self.line(&format!("{name}.{}{} = {value};", letter(first), letter(second)));
                } else if self.one_in(3)? {
                    let (index, value) = (self.index(n)?, self.bounded(Ty::Float, 2)?);
                    self.line(&format!("{name}[{index}] = {value};"));
                } else {
                    let (i, value) = (self.below(n)?, self.bounded(Ty::Float, 3)?);
                    self.line(&format!("{name}.{} = {value};", letter(i)));
                }
            }
            Ty::Mat(n) if !self.one_in(3)? => {
                let (i, value) = (self.below(n)?, self.bounded(Ty::Vec(n), 2)?);
                self.line(&format!("{name}[{i}] = {value};"));
            }
            Ty::Array(n) => {
                let (index, value) = (self.index(n)?, self.bounded(Ty::Float, 2)?);
                self.line(&format!("{name}[{index}] = {value};"));
            }
            Ty::Struct => {
                let (member, ty) = [("a", Ty::Vec(3)), ("b", Ty::Float), ("c", Ty::Vec(2))][self.below(3)?];
                let value = self.bounded(ty, 3)?;
                self.line(&format!("{name}.{member} = {value};"));
            }
            ty @ (Ty::Float | Ty::Vec(_)) if self.one_in(4)? => {
                let (operator, value) = (["+=", "-=", "*="][self.below(3)?], self.bounded(ty, 2)?);
                self.line(&format!("{name} {operator} {value};"));
                let clamped = self.clamped(ty, name);
                self.line(&format!("{name} = {clamped};"));
            }
            ty => {
                let value = self.bounded(ty, 3)?;
                self.line(&format!("{name} = {value};"));
            }
        }
        Ok(())
    }

    /// A call of a function that changes its first argument.
    fn change(&mut self) -> Result<()> {
        let found: Vec<usize> = (0..self.functions.len()).filter(|&i| self.functions[i].changes).collect();
        let variable = self.written(|ty| ty == Ty::Float)?.filter(|var| !self.wgsl || var.name.starts_with('v'));
        let (Some(var), false) = (variable, found.is_empty()) else { return self.assignment() };
        let index = found[self.below(found.len())?];
        let (name, params, result) =
            (self.functions[index].name.clone(), self.functions[index].params.clone(), self.functions[index].result);
        let mut args = vec![if self.wgsl { format!("&{}", var.name) } else { var.name.clone() }];
        for &ty in &params[1..] {
            args.push(self.expression(ty, 1)?);
        }
        self.declare(result, &format!("{name}({})", args.join(", ")));
        let clamped = self.clamped(Ty::Float, &var.name);
        self.line(&format!("{} = {clamped};", var.name));
        Ok(())
    }

    /// An index that is in range.
    fn index(&mut self, n: usize) -> Result<String> {
        if self.one_in(3)? {
            return Ok(self.below(n)?.to_string());
        }
        let value = self.expression(Ty::Int, 1)?;
        Ok(format!("clamp({value}, 0, {})", n - 1))
    }

    // Expressions.

    fn clamped(&self, ty: Ty, value: &str) -> String {
        match ty {
            Ty::Float => format!("clamp({value}, -9.0, 9.0)"),
            Ty::Int => format!("clamp({value}, -50, 50)"),
            Ty::Vec(_) => format!("clamp({value}, {0}(-9.0), {0}(9.0))", self.name(ty)),
            _ => value.to_owned(),
        }
    }

    /// An expression whose value is small.
    fn bounded(&mut self, ty: Ty, depth: usize) -> Result<String> {
        let value = self.expression(ty, depth)?;
        Ok(self.clamped(ty, &value))
    }

    fn literal(&mut self, ty: Ty) -> Result<String> {
        Ok(match ty {
            // With their types in WGSL: naga does not bring all abstract numbers to one.
            Ty::Float => format!("{:?}{}", (self.below(65)? as f32 - 32.0) / 8.0, if self.wgsl { "f" } else { "" }),
            Ty::Int => format!("{}{}", self.below(13)? as i32 - 3, if self.wgsl { "i" } else { "" }),
            Ty::Bool => if self.u.arbitrary()? { "true" } else { "false" }.into(),
            Ty::Vec(n) => {
                let mut parts = Vec::new();
                for _ in 0..n {
                    parts.push(self.literal(Ty::Float)?);
                }
                format!("{}({})", self.name(ty), parts.join(", "))
            }
            Ty::BVec(n) => {
                let mut parts = Vec::new();
                for _ in 0..n {
                    parts.push(self.expression(Ty::Bool, 0)?);
                }
                format!("{}({})", self.name(ty), parts.join(", "))
            }
            Ty::Mat(n) => {
                let mut parts = Vec::new();
                for _ in 0..n {
                    parts.push(self.expression(Ty::Vec(n), 0)?);
                }
                format!("{}({})", self.name(ty), parts.join(", "))
            }
            Ty::Array(_) | Ty::Struct => unreachable!("these have declarations only"),
        })
    }

    /// A variable, or a part of one.
    fn leaf(&mut self, ty: Ty) -> Result<String> {
        if self.one_in(4)? {
            return self.literal(ty);
        }
        let mut found = Vec::new();
        for var in &self.vars {
            match (var.ty, ty) {
                (have, want) if have == want => found.push(var.name.clone()),
                (Ty::Vec(n), Ty::Float) => {
                    found.extend(["x", "y", "z", "w"][..n].iter().map(|c| format!("{}.{c}", var.name)))
                }
                (Ty::Vec(3 | 4), Ty::Vec(3)) => found.push(format!("{}.zxy", var.name)),
                (Ty::Vec(n), Ty::Vec(2)) if n >= 2 => found.push(format!("{}.yx", var.name)),
                (Ty::Struct, Ty::Vec(3)) => found.push(format!("{}.a", var.name)),
                (Ty::Struct, Ty::Float) => found.push(format!("{}.b", var.name)),
                (Ty::Struct, Ty::Vec(2)) => found.push(format!("{}.c", var.name)),
                _ => {}
            }
        }
        if found.is_empty() { self.literal(ty) } else { Ok(found[self.below(found.len())?].clone()) }
    }

    fn expression(&mut self, ty: Ty, depth: usize) -> Result<String> {
        if depth == 0 || self.u.is_empty() {
            return self.leaf(ty);
        }
        let d = depth - 1;
        if self.one_in(8)? && !matches!(ty, Ty::BVec(_) | Ty::Mat(_)) {
            let found: Vec<usize> = (0..self.functions.len())
                .filter(|&i| !self.functions[i].changes && self.functions[i].result == ty)
                .collect();
            if !found.is_empty() {
                let index = found[self.below(found.len())?];
                let (name, params) = (self.functions[index].name.clone(), self.functions[index].params.clone());
                let mut args = Vec::new();
                for ty in params {
                    args.push(self.expression(ty, d.min(1))?);
                }
                return Ok(format!("{name}({})", args.join(", ")));
            }
        }
        if self.one_in(10)? && !matches!(ty, Ty::BVec(_) | Ty::Mat(_)) {
            let (c, a, b) = (self.expression(Ty::Bool, d)?, self.expression(ty, d)?, self.expression(ty, d)?);
            return Ok(if self.wgsl { format!("select({b}, {a}, {c})") } else { format!("({c} ? {a} : {b})") });
        }
        match ty {
            Ty::Float => self.float(d),
            Ty::Int => self.int(d),
            Ty::Bool => self.boolean(d),
            Ty::Vec(n) => self.vector(n, d),
            Ty::BVec(n) => {
                let (a, b) = (self.expression(Ty::Vec(n), d)?, self.expression(Ty::Vec(n), d)?);
                let which = self.below(2)?;
                Ok(if self.wgsl {
                    format!("({a} {} {b})", ["<", ">="][which])
                } else {
                    format!("{}({a}, {b})", ["lessThan", "greaterThanEqual"][which])
                })
            }
            Ty::Mat(n) => self.matrix(n, d),
            Ty::Array(_) | Ty::Struct => unreachable!("these have declarations only"),
        }
    }

    /// Functions that work channel by channel, of one type.
    fn common(&mut self, ty: Ty, d: usize) -> Result<String> {
        let kind = self.name(ty);
        let a = self.expression(ty, d)?;
        let wgsl = self.wgsl;
        let splat = |value: &str| format!("{kind}({value})");
        Ok(match self.below(24)? {
            0 => format!("sin({a})"),
            1 => format!("cos({a})"),
            2 => format!("abs({a})"),
            3 => format!("floor({a})"),
            4 => format!("fract({a})"),
            5 => format!("sqrt(abs({a}))"),
            6 => format!("exp2(clamp({a}, {}, {}))", splat("-4.0"), splat("4.0")),
            7 => format!("log2(abs({a}) + {})", splat("0.25")),
            8 => format!("{}(abs({a}) + {})", if wgsl { "inverseSqrt" } else { "inversesqrt" }, splat("0.25")),
            9 => format!("atan({a})"),
            10 => format!("sign({a})"),
            11 => format!("{}({a})", ["ceil", "trunc", "round"][self.below(3)?]),
            12 => {
                format!("pow(abs({a}) + {}, {})", splat("0.25"), splat(["0.5", "2.0", "-1.5", "3.0"][self.below(4)?]))
            }
            13 => format!("({a} / (abs({}) + {}))", self.expression(ty, d)?, splat("0.5")),
            14 => format!("{}({a}, {})", ["min", "max", "step"][self.below(3)?], self.expression(ty, d)?),
            15 if wgsl => format!("({a} % {})", splat("1.75")),
            15 => format!("mod({a}, {})", splat("1.75")),
            16 => format!("mix({a}, {}, {})", self.expression(ty, d)?, self.expression(ty, d)?),
            17 => format!("smoothstep({}, {}, {a})", splat("-1.5"), splat("2.0")),
            18 => format!("clamp({a}, {}, {})", splat("-0.5"), splat("1.0")),
            19 => format!("{}({a}, {})", if wgsl { "atan2" } else { "atan" }, self.expression(ty, d)?),
            20 => format!(
                "{}(clamp({a}, {}, {}))",
                ["asin", "acos", "tanh", "exp"][self.below(4)?],
                splat("-1.0"),
                splat("1.0")
            ),
            21 => format!("(-({a}))"),
            22 => format!("fma({a}, {}, {})", self.expression(ty, d)?, self.expression(ty, d)?),
            _ => format!("({a} {} {})", ["+", "-", "*"][self.below(3)?], self.expression(ty, d)?),
        })
    }

    fn float(&mut self, d: usize) -> Result<String> {
        let n = 2 + self.below(3)?;
        Ok(match self.below(14)? {
            0 => format!("dot({}, {})", self.expression(Ty::Vec(n), d)?, self.expression(Ty::Vec(n), d)?),
            1 => format!("length({})", self.expression(Ty::Vec(n), d)?),
            2 => format!("distance({}, {})", self.expression(Ty::Vec(n), d)?, self.expression(Ty::Vec(n), d)?),
            3 => format!("{}({})", self.name(Ty::Float), self.expression(Ty::Int, d)?),
            4 => format!("{}({})", self.name(Ty::Float), self.expression(Ty::Bool, d)?),
            5 => {
                let index = self.index(n)?;
                match self.vars.iter().find(|var| var.ty == Ty::Vec(n)) {
                    Some(var) => format!("{}[{index}]", var.name),
                    None => self.leaf(Ty::Float)?,
                }
            }
            6 => {
                let arrays: Vec<_> = self
                    .vars
                    .iter()
                    .filter_map(|var| if let Ty::Array(n) = var.ty { Some((var.name.clone(), n)) } else { None })
                    .collect();
                if arrays.is_empty() {
                    return self.leaf(Ty::Float);
                }
                let (name, n) = arrays[self.below(arrays.len())?].clone();
                format!("{name}[{}]", self.index(n)?)
            }
            7 => format!("determinant({})", self.expression(Ty::Mat(n), d.min(1))?),
            _ => self.common(Ty::Float, d)?,
        })
    }

    fn vector(&mut self, n: usize, d: usize) -> Result<String> {
        let ty = Ty::Vec(n);
        let kind = self.name(ty);
        Ok(match self.below(16)? {
            0 | 1 => {
                let mut parts = Vec::new();
                for _ in 0..n {
                    parts.push(self.expression(Ty::Float, d)?);
                }
                format!("{kind}({})", parts.join(", "))
            }
            2 => format!("({} * {})", self.expression(ty, d)?, self.expression(Ty::Float, d)?),
            3 => format!("normalize({} + {kind}(4.5))", self.expression(ty, d.min(1))?),
            4 if n == 3 => format!("cross({}, {})", self.expression(ty, d)?, self.expression(ty, d)?),
            5 => format!("({} * {})", self.expression(Ty::Mat(n), d.min(1))?, self.expression(ty, d)?),
            6 => format!("({} * {})", self.expression(ty, d)?, self.expression(Ty::Mat(n), d.min(1))?),
            7 => {
                let condition = self.expression(Ty::BVec(n), d)?;
                let (a, b) = (self.expression(ty, d)?, self.expression(ty, d)?);
                if self.wgsl { format!("select({a}, {b}, {condition})") } else { format!("mix({a}, {b}, {condition})") }
            }
            8 => format!("reflect({}, {})", self.expression(ty, d)?, self.expression(ty, d)?),
            9 => format!(
                "{}({}, {}, {})",
                if self.wgsl { "faceForward" } else { "faceforward" },
                self.expression(ty, d)?,
                self.expression(ty, d)?,
                self.expression(ty, d)?
            ),
            10 | 11 => {
                let at = self.expression(Ty::Vec(2), d)?;
                let swizzle = ["", "", "xy", "bgr", "wxyz"][n];
                match (self.wgsl, self.below(3)?) {
                    (true, 0) => format!("textureLoad(tex, vec2i({at}), 0).{swizzle}"),
                    (true, _) => {
                        format!("textureSampleLevel(tex, sam, {at}, 1.0).{}", swizzle.replace(['b', 'g', 'r'], "x"))
                    }
                    (false, 0) => format!("texture(rect, {at}).{swizzle}"),
                    (false, 1) => format!("textureProj(tex, vec3({at}, 1.5)).{swizzle}"),
                    (false, _) => format!("texture(tex, {at}).{swizzle}"),
                }
            }
            12 => format!(
                "mix({}, {}, {})",
                self.expression(ty, d)?,
                self.expression(ty, d)?,
                self.expression(Ty::Float, d)?
            ),
            _ => self.common(ty, d)?,
        })
    }

    fn matrix(&mut self, n: usize, d: usize) -> Result<String> {
        let ty = Ty::Mat(n);
        Ok(match self.below(8)? {
            0 => format!("({} * {})", self.expression(ty, d.min(1))?, self.expression(ty, d.min(1))?),
            1 => format!("({} {} {})", self.expression(ty, d)?, ["+", "-"][self.below(2)?], self.expression(ty, d)?),
            2 => format!("({} * {})", self.expression(ty, d)?, self.expression(Ty::Float, d)?),
            3 => format!("transpose({})", self.expression(ty, d)?),
            4 if !self.wgsl => {
                format!("outerProduct({}, {})", self.expression(Ty::Vec(n), d)?, self.expression(Ty::Vec(n), d)?)
            }
            5 if !self.wgsl => format!("inverse({} + {}(9.5))", self.leaf(ty)?, self.name(ty)),
            _ => {
                let mut parts = Vec::new();
                for _ in 0..n {
                    parts.push(self.expression(Ty::Vec(n), d)?);
                }
                format!("{}({})", self.name(ty), parts.join(", "))
            }
        })
    }

    fn int(&mut self, d: usize) -> Result<String> {
        let a = self.expression(Ty::Int, d)?;
        let kind = self.name(Ty::Int);
        Ok(match self.below(12)? {
            0 => format!("({a} / {})", 1 + self.below(7)?),
            1 => format!("({a} % {})", 1 + self.below(7)?),
            2 => format!("({a} / (abs({}) + 1))", self.expression(Ty::Int, d)?),
            3 => format!("({a} % (abs({}) + 1))", self.expression(Ty::Int, d)?),
            4 => format!("{}({a}, {})", ["min", "max"][self.below(2)?], self.expression(Ty::Int, d)?),
            5 => format!("abs({a})"),
            6 => format!("{kind}(clamp({}, -20.0, 20.0))", self.expression(Ty::Float, d)?),
            7 => format!("(({a} & {}) >> {}{})", self.below(64)?, self.below(4)?, if self.wgsl { "u" } else { "" }),
            8 => format!("(({a} {} {}) + ~{a})", ["|", "^"][self.below(2)?], self.below(32)?),
            _ => format!("({a} {} {})", ["+", "-", "*"][self.below(3)?], self.expression(Ty::Int, d.min(1))?),
        })
    }

    fn boolean(&mut self, d: usize) -> Result<String> {
        Ok(match self.below(8)? {
            0 => format!("({} && {})", self.expression(Ty::Bool, d)?, self.expression(Ty::Bool, d)?),
            1 => format!("({} || {})", self.expression(Ty::Bool, d)?, self.expression(Ty::Bool, d)?),
            2 => format!("(!{})", self.expression(Ty::Bool, d)?),
            3 => format!(
                "({} {} {})",
                self.expression(Ty::Int, d)?,
                ["<", "==", ">=", "!="][self.below(4)?],
                self.expression(Ty::Int, d)?
            ),
            4 => {
                let n = 2 + self.below(3)?;
                format!("{}({})", ["any", "all"][self.below(2)?], self.expression(Ty::BVec(n), d)?)
            }
            _ => format!(
                "({} {} {})",
                self.expression(Ty::Float, d)?,
                ["<", "<=", ">", ">="][self.below(4)?],
                self.expression(Ty::Float, d)?
            ),
        })
    }
}
