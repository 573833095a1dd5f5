//! Global variables: uniforms get their constants, textures their units, inputs their slots.

use super::names::Named;
use super::places::{Constant, Place};
use super::{Frame, LowerError, Lowering, Operand, Result, types};
use crate::front::Role;
use crate::front::Warning;
use crate::front::glsl::user_name;
use crate::front::{ColourOutput, Texture, TextureKind, Uniform, UniformKind, UniformPlace, Varying};
use crate::ir::{Axis, Output, Value};
use naga::valid::{FunctionInfo, GlobalUse};
use naga::{
    AddressSpace, Binding, BuiltIn, GlobalVariable, Handle, ImageClass, ImageDimension, ScalarKind, Type, TypeInner,
};

/// What became of a global variable.
#[derive(Clone)]
pub(super) enum Global {
    /// A variable or uniform.
    Place(Place),
    /// A texture: its entry in the interface.
    Texture(usize),
    /// A sampler.
    Sampler,
}

/// Inputs of a program.
const UNITS: usize = 16;
/// Output registers of a program.
const OUTPUTS: u32 = 4;

/// A uniform with a value that is known only when the program runs, or that takes more than the reader calculates.
const NOT_CONSTANT: LowerError = LowerError::Unsupported(
    "a uniform's initial value that is not a constant; write its numbers, or set it from outside",
);

/// Whether a uniform is a member of an element: those keep whole registers, so that an index can choose elements.
fn in_array(name: &str) -> bool {
    name.contains('[')
}

impl<'m> Lowering<'m> {
    /// Gives every global that the entry point uses its place.
    pub(super) fn declare_globals(&mut self, function: &naga::Function, info: &FunctionInfo) -> Result<()> {
        for (handle, variable) in self.module.global_variables.iter() {
            let used = info[handle];
            if used.is_empty() {
                continue;
            }
            self.at(self.module.global_variables.get_span(handle));
            let name = variable.name.clone().unwrap_or_else(|| "unnamed".to_owned());
            let inner = &self.module.types[variable.ty].inner;
            let global = match inner {
                TypeInner::Image { dim, arrayed, class } => {
                    Global::Texture(self.texture(name, *dim, *arrayed, *class)?)
                }
                TypeInner::Sampler { .. } => Global::Sampler,
                TypeInner::BindingArray { .. } => return Err(LowerError::Type("arrays of textures")),
                _ => {
                    let place = self.variable_or_uniform(variable, &name, used)?;
                    self.name_global(function, handle, &place);
                    Global::Place(place)
                }
            };
            self.globals.insert(handle, global);
        }
        Ok(())
    }

    /// Tells debuggers of a global.
    fn name_global(&mut self, function: &naga::Function, handle: Handle<GlobalVariable>, place: &Place) {
        let GlobalVariable { name, ty, .. } = &self.module.global_variables[handle];
        // Uniforms stay where the interface says.
        if place.all().is_empty() {
            return;
        }
        let inner = &self.module.types[*ty].inner;
        let first = self.parts_of(function, Named::Global(handle.index()), name.as_deref(), inner);
        for (&variable, part) in place.all().iter().zip(first.into_iter().flat_map(|first| first..)) {
            self.builder.name(variable, part);
        }
    }

    fn variable_or_uniform(&mut self, variable: &GlobalVariable, name: &str, used: GlobalUse) -> Result<Place> {
        let count = types::slots_of(self.module, variable.ty)?;
        let role = self.source.roles.get(name);
        match (variable.space, role) {
            (AddressSpace::Uniform | AddressSpace::Immediate, _)
            | (AddressSpace::Private, Some(Role::Uniform { .. })) => {
                if used.contains(GlobalUse::WRITE) {
                    return Err(LowerError::UniformWrite(user_name(name)));
                }
                let mut constants = Vec::with_capacity(count);
                let first = self.interface.uniforms.len();
                self.uniform(name, variable.ty, &mut constants)?;
                match variable.init {
                    Some(init) => self.defaults(first, init)?,
                    None if role == Some(Role::Uniform { given: true }) => return Err(NOT_CONSTANT),
                    None => {}
                }
                Ok(Place::uniform(constants, name))
            }
            (AddressSpace::Private, Some(Role::Varying)) => {
                let values = self.varying(name, variable.ty, None)?;
                Ok(self.variable(&values))
            }
            (AddressSpace::Private, Some(Role::Pixel)) => {
                let values = [self.builder.position(Axis::X), self.builder.position(Axis::Y)];
                Ok(self.variable(&values))
            }
            (AddressSpace::Private, Some(Role::Output(_) | Role::Rectangle) | None) => {
                let values = match variable.init {
                    Some(init) => self.global_value(init, 0)?,
                    None => self.zeros(variable.ty)?,
                };
                Ok(self.variable(&values))
            }
            (AddressSpace::Storage { .. }, _) => {
                Err(LowerError::Unsupported("storage buffers; use textures and uniforms"))
            }
            (AddressSpace::WorkGroup, _) => Err(LowerError::Unsupported("memory of work groups")),
            (AddressSpace::Function | AddressSpace::Handle, _) => {
                Err(LowerError::Malformed("a global of a strange kind"))
            }
            (AddressSpace::TaskPayload | AddressSpace::RayPayload | AddressSpace::IncomingRayPayload, _) => {
                Err(LowerError::Unsupported("payloads"))
            }
        }
    }

    /// A global as an operand.
    pub(super) fn global(&mut self, handle: Handle<GlobalVariable>) -> Result<Operand> {
        match self.globals.get(&handle) {
            Some(Global::Place(place)) => Ok(Operand::Place(place.clone())),
            Some(Global::Texture(_) | Global::Sampler) => Ok(Operand::Resource(handle)),
            None => Err(LowerError::Malformed("a global that nobody uses")),
        }
    }

    fn texture(&mut self, name: String, dim: ImageDimension, arrayed: bool, class: ImageClass) -> Result<usize> {
        if arrayed {
            return Err(LowerError::Type("arrays of textures"));
        }
        match class {
            ImageClass::Sampled { multi: false, .. } | ImageClass::Depth { multi: false } => {}
            ImageClass::Sampled { .. } | ImageClass::Depth { .. } => {
                return Err(LowerError::Type("multisampled textures"));
            }
            ImageClass::External => return Err(LowerError::Type("external textures")),
            ImageClass::Storage { .. } => return Err(LowerError::Type("storage images")),
        }
        let index = self.interface.textures.len();
        if index == UNITS {
            return Err(LowerError::Limit { what: "textures", limit: UNITS });
        }
        let rectangle = self.source.roles.get(&name) == Some(Role::Rectangle);
        let kind = match dim {
            ImageDimension::D1 => TextureKind::Line,
            ImageDimension::D2 if rectangle => TextureKind::Rectangle,
            ImageDimension::D2 => TextureKind::Plane,
            ImageDimension::D3 => TextureKind::Volume,
            ImageDimension::Cube => TextureKind::Cube,
        };
        self.interface.textures.push(Texture {
            name: user_name(&name),
            unit: index as u8,
            kind,
            sampled: false,
            size: None,
            levels: None,
        });
        Ok(index)
    }

    /// The entry of a texture in the interface.
    pub(super) fn texture_of(&mut self, operand: Operand) -> Result<usize> {
        match operand {
            Operand::Resource(handle) => match self.globals.get(&handle) {
                Some(Global::Texture(index)) => Ok(*index),
                _ => Err(LowerError::Malformed("a texture that is none")),
            },
            _ => Err(LowerError::Malformed("a texture that is none")),
        }
    }

    /// Constants for a uniform, in the order of its scalars.
    fn uniform(&mut self, name: &str, ty: Handle<Type>, constants: &mut Vec<Constant>) -> Result<()> {
        match &self.module.types[ty].inner {
            TypeInner::Struct { members, .. } => {
                for (i, member) in members.iter().enumerate() {
                    let member_name = member.name.clone().unwrap_or_else(|| i.to_string());
                    self.uniform(&format!("{name}.{member_name}"), member.ty, constants)?;
                }
                Ok(())
            }
            TypeInner::Array { base, size, .. } => {
                let elements = types::elements(*size)?;
                if let TypeInner::Struct { .. } | TypeInner::Array { .. } = self.module.types[*base].inner {
                    for i in 0..elements {
                        self.uniform(&format!("{name}[{i}]"), *base, constants)?;
                    }
                    return Ok(());
                }
                let (columns, rows, kind) = self.shape(&self.module.types[*base].inner)?;
                let register = self.allotment.registers(elements * usize::from(columns))?;
                for column in 0..elements * usize::from(columns) {
                    for channel in 0..rows {
                        let register = (usize::from(register) + column) as u8;
                        constants.push(Constant { register, channel, boolean: kind == UniformKind::Bool });
                    }
                }
                let place = UniformPlace { register, channel: 0 };
                self.push_uniform(name, kind, columns, rows, Some(elements as u32), place);
                Ok(())
            }
            inner => {
                let (columns, rows, kind) = self.shape(inner)?;
                let (register, first) = match columns {
                    1 if in_array(name) => (self.allotment.registers(1)?, 0),
                    1 => self.allotment.channels(rows)?,
                    _ => (self.allotment.registers(usize::from(columns))?, 0),
                };
                for column in 0..columns {
                    for row in 0..rows {
                        let (register, channel) = (register + column, first + row);
                        constants.push(Constant { register, channel, boolean: kind == UniformKind::Bool });
                    }
                }
                self.push_uniform(name, kind, columns, rows, None, UniformPlace { register, channel: first });
                Ok(())
            }
        }
    }

    fn push_uniform(
        &mut self,
        name: &str,
        kind: UniformKind,
        columns: u8,
        rows: u8,
        elements: Option<u32>,
        place: UniformPlace,
    ) {
        self.interface.uniforms.push(Uniform {
            name: user_name(name),
            kind,
            columns,
            rows,
            elements,
            place,
            default: Vec::new(),
        });
    }

    /// Columns, rows and kind of a basic type.
    fn shape(&self, inner: &TypeInner) -> Result<(u8, u8, UniformKind)> {
        let kind = match types::scalar(inner)?.kind {
            ScalarKind::Float | ScalarKind::AbstractFloat => UniformKind::Float,
            ScalarKind::Sint | ScalarKind::AbstractInt => UniformKind::Int,
            ScalarKind::Uint => UniformKind::Uint,
            ScalarKind::Bool => UniformKind::Bool,
        };
        Ok(match inner {
            TypeInner::Vector { size, .. } => (1, *size as u8, kind),
            TypeInner::Matrix { columns, rows, .. } => (*columns as u8, *rows as u8, kind),
            _ => (1, 1, kind),
        })
    }

    /// Notes the values that the source gives to the uniforms from `first` on.
    fn defaults(&mut self, first: usize, init: Handle<naga::Expression>) -> Result<()> {
        let values = self.global_value(init, 0)?;
        let mut numbers = Vec::new();
        for value in values {
            let bits = self.builder.known(value).ok_or(NOT_CONSTANT)?;
            numbers.push(match self.builder.type_of(value) {
                crate::ir::Type::Float => f32::from_bits(bits),
                crate::ir::Type::Bool => bits as f32,
            });
        }
        let mut numbers = numbers.into_iter();
        for uniform in &mut self.interface.uniforms[first..] {
            let count =
                usize::from(uniform.columns) * usize::from(uniform.rows) * uniform.elements.unwrap_or(1) as usize;
            uniform.default = numbers.by_ref().take(count).collect();
        }
        Ok(())
    }

    /// Values of an interpolated input, from a location on or the next free one.
    fn varying(&mut self, name: &str, ty: Handle<Type>, location: Option<u32>) -> Result<Vec<Value>> {
        let inner = &self.module.types[ty].inner;
        match inner {
            TypeInner::Struct { members, .. } => {
                let mut values = Vec::new();
                for (i, member) in members.iter().enumerate() {
                    let name = format!("{name}.{}", member.name.clone().unwrap_or_else(|| i.to_string()));
                    values.extend(self.varying(&name, member.ty, None)?);
                }
                Ok(values)
            }
            TypeInner::Array { base, size, .. }
                if matches!(self.module.types[*base].inner, TypeInner::Struct { .. } | TypeInner::Array { .. }) =>
            {
                let mut values = Vec::new();
                for i in 0..types::elements(*size)? {
                    values.extend(self.varying(&format!("{name}[{i}]"), *base, None)?);
                }
                Ok(values)
            }
            _ => {
                let (element, count) = match inner {
                    TypeInner::Array { base, size, .. } => (&self.module.types[*base].inner, types::elements(*size)?),
                    other => (other, 1),
                };
                let (columns, rows, kind) = self.shape(element)?;
                let slots = usize::from(columns) * count;
                let (slot, first) = self.slots.take(location, slots, rows).ok_or(LowerError::Inputs)?;
                let slots = slots as u8;
                let mut values = Vec::with_capacity(usize::from(slots) * usize::from(rows));
                for slot in slot..slot + slots {
                    for channel in first..first + rows {
                        let value = self.builder.varying(slot, channel);
                        values.push(if kind == UniformKind::Bool { self.is_not_zero(value) } else { value });
                    }
                }
                let name = user_name(name);
                self.interface.varyings.push(Varying { name, slot, slots, channel: first, channels: rows });
                Ok(values)
            }
        }
    }

    /// Values of an argument of the entry point.
    pub(super) fn input(&mut self, name: &str, ty: Handle<Type>, binding: Option<&Binding>) -> Result<Vec<Value>> {
        match binding {
            Some(Binding::Location { location, .. }) => self.varying(name, ty, Some(*location)),
            Some(Binding::BuiltIn(builtin)) => self.builtin(*builtin),
            None => match &self.module.types[ty].inner {
                TypeInner::Struct { members, .. } => {
                    let mut values = Vec::new();
                    for member in members {
                        let name = member.name.as_deref().unwrap_or(name);
                        values.extend(self.input(name, member.ty, member.binding.as_ref())?);
                    }
                    Ok(values)
                }
                _ => Err(LowerError::Malformed("an input without a location")),
            },
        }
    }

    fn builtin(&mut self, builtin: BuiltIn) -> Result<Vec<Value>> {
        let half = self.builder.float(0.5);
        Ok(match builtin {
            BuiltIn::Position { .. } => {
                let (x, y) = (self.builder.position(Axis::X), self.builder.position(Axis::Y));
                vec![self.builder.add(x, half), self.builder.add(y, half), half, self.builder.float(1.0)]
            }
            BuiltIn::FrontFacing => vec![self.builder.boolean(true)],
            BuiltIn::PointCoord => vec![half, half],
            BuiltIn::SampleIndex | BuiltIn::PrimitiveIndex | BuiltIn::ViewIndex => vec![self.builder.float(0.0)],
            BuiltIn::SampleMask => return Err(LowerError::Unsupported("sample masks")),
            BuiltIn::Barycentric { .. } => return Err(LowerError::Unsupported("barycentric coordinates")),
            _ => return Err(LowerError::Unsupported("this built-in value")),
        })
    }

    /// What the program writes: the entry point's result, and globals that are outputs.
    pub(super) fn outputs(&mut self, function: &naga::Function, result: &[Value]) -> Result<Vec<(Output, Value)>> {
        let mut outputs = Vec::new();
        if let Some(declared) = &function.result {
            self.output(&mut outputs, "output", declared.ty, declared.binding.as_ref(), result)?;
        }
        let globals: Vec<_> = self.module.global_variables.iter().collect();
        for (handle, variable) in globals {
            let name = variable.name.as_deref().unwrap_or_default();
            let (Some(Role::Output(location)), Some(Global::Place(place))) =
                (self.source.roles.get(name), self.globals.get(&handle).cloned())
            else {
                continue;
            };
            self.at(self.module.global_variables.get_span(handle));
            let (element, count) = match &self.module.types[variable.ty].inner {
                TypeInner::Array { base, size, .. } => (&self.module.types[*base].inner, types::elements(*size)?),
                other => (other, 1),
            };
            let (columns, rows, _) = self.shape(element)?;
            if columns != 1 {
                return Err(LowerError::Unsupported("matrices as outputs"));
            }
            let name = user_name(name);
            let slots = place.all().to_vec();
            for (i, element) in slots.chunks(usize::from(rows)).take(count).enumerate() {
                let written = element.iter().any(|variable| self.written.contains(variable));
                let values: Vec<_> = element.iter().map(|&variable| self.builder.load(variable)).collect();
                if written {
                    let name = if count > 1 { format!("{name}[{i}]") } else { name.clone() };
                    self.colour(&mut outputs, &name, location.saturating_add(i as u32), &values)?;
                }
            }
        }
        if outputs.is_empty() {
            self.warnings.push(Warning::NoOutput);
            let nothing = [self.builder.float(0.0); 4];
            self.colour(&mut outputs, "output", 0, &nothing)?;
        }
        Ok(outputs)
    }

    fn output(
        &mut self,
        outputs: &mut Vec<(Output, Value)>,
        name: &str,
        ty: Handle<Type>,
        binding: Option<&Binding>,
        values: &[Value],
    ) -> Result<()> {
        match binding {
            Some(Binding::Location { location, blend_src: None | Some(0), .. }) => {
                self.colour(outputs, name, *location, values)
            }
            Some(Binding::Location { .. }) => Err(LowerError::Unsupported("a second source of blending")),
            Some(Binding::BuiltIn(BuiltIn::FragDepth)) => {
                self.interface.depth = true;
                outputs.push((Output::Depth, values[0]));
                Ok(())
            }
            Some(Binding::BuiltIn(_)) => Err(LowerError::Unsupported("this built-in output")),
            None => match &self.module.types[ty].inner {
                TypeInner::Struct { members, .. } => {
                    let mut rest = values;
                    for member in members {
                        let (these, others) = rest.split_at(types::slots_of(self.module, member.ty)?);
                        rest = others;
                        let name = member.name.as_deref().unwrap_or(name);
                        self.output(outputs, name, member.ty, member.binding.as_ref(), these)?;
                    }
                    Ok(())
                }
                _ => Err(LowerError::Malformed("an output without a location")),
            },
        }
    }

    fn colour(
        &mut self,
        outputs: &mut Vec<(Output, Value)>,
        name: &str,
        location: u32,
        values: &[Value],
    ) -> Result<()> {
        if location >= OUTPUTS {
            return Err(LowerError::Limit { what: "colour outputs", limit: OUTPUTS as usize });
        }
        let slot = location as u8;
        if self.interface.outputs.iter().any(|output| output.slot == slot) {
            return Err(LowerError::Unsupported("two outputs of one location"));
        }
        self.interface.outputs.push(ColourOutput { name: name.to_owned(), slot, channels: values.len() as u8 });
        for (channel, &value) in values.iter().enumerate() {
            let value = match self.builder.type_of(value) {
                crate::ir::Type::Float => value,
                crate::ir::Type::Bool => self.builder.number(value),
            };
            outputs.push((Output::Colour { slot, channel: channel as u8 }, value));
        }
        Ok(())
    }

    /// The entry of the texture that an expression names.
    pub(super) fn resource(&mut self, frame: &mut Frame<'m>, image: Handle<naga::Expression>) -> Result<usize> {
        let operand = self.operand(frame, image)?;
        self.texture_of(operand)
    }
}
