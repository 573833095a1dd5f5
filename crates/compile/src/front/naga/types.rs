//! Types of a module as rows of scalars.

use super::error::LowerError;
use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, Type, TypeInner};

/// Most scalars that one variable may have.
pub(super) const MAX_SLOTS: usize = 4096;

/// How many scalars a type has.
pub(super) fn slots(module: &Module, inner: &TypeInner) -> Result<usize, LowerError> {
    let count = match inner {
        TypeInner::Scalar(_) => 1,
        TypeInner::Vector { size, .. } => *size as usize,
        TypeInner::Matrix { columns, rows, .. } => *columns as usize * *rows as usize,
        TypeInner::Array { base, size, .. } => elements(*size)?.saturating_mul(slots_of(module, *base)?),
        TypeInner::Struct { members, .. } => {
            let mut sum = 0usize;
            for member in members {
                sum = sum.saturating_add(slots_of(module, member.ty)?);
            }
            sum
        }
        TypeInner::Atomic(_) => return Err(LowerError::Type("atomics")),
        TypeInner::CooperativeMatrix { .. } => return Err(LowerError::Type("cooperative matrices")),
        TypeInner::AccelerationStructure { .. } | TypeInner::RayQuery { .. } => {
            return Err(LowerError::Type("ray queries"));
        }
        TypeInner::BindingArray { .. } => return Err(LowerError::Type("arrays of textures")),
        TypeInner::Pointer { .. }
        | TypeInner::ValuePointer { .. }
        | TypeInner::Image { .. }
        | TypeInner::Sampler { .. } => {
            return Err(LowerError::Malformed("a pointer or texture among values"));
        }
    };
    if count > MAX_SLOTS {
        return Err(LowerError::Limit { what: "numbers in one variable", limit: MAX_SLOTS });
    }
    Ok(count)
}

/// How many scalars a type of the module has.
pub(super) fn slots_of(module: &Module, ty: Handle<Type>) -> Result<usize, LowerError> {
    slots(module, &module.types[ty].inner)
}

/// How many elements an array has.
pub(super) fn elements(size: ArraySize) -> Result<usize, LowerError> {
    match size {
        ArraySize::Constant(count) => Ok(count.get() as usize),
        ArraySize::Pending(_) => Err(LowerError::Type("arrays whose size is an override")),
        ArraySize::Dynamic => Err(LowerError::Type("arrays without a size")),
    }
}

/// A part of a type: what it is, where its scalars begin, how many parts there are and how far apart they are.
pub(super) struct Part {
    pub(super) inner: TypeInner,
    pub(super) offset: usize,
}

/// A constituent of a composite type.
pub(super) fn part(module: &Module, inner: &TypeInner, index: usize) -> Result<Part, LowerError> {
    let part = match inner {
        TypeInner::Vector { scalar, .. } => Part { inner: TypeInner::Scalar(*scalar), offset: index },
        TypeInner::Matrix { rows, scalar, .. } => {
            Part { inner: TypeInner::Vector { size: *rows, scalar: *scalar }, offset: index * *rows as usize }
        }
        TypeInner::Array { base, .. } => {
            Part { inner: module.types[*base].inner.clone(), offset: index * slots_of(module, *base)? }
        }
        TypeInner::Struct { members, .. } => {
            let member = members.get(index).ok_or(LowerError::Malformed("a member that there is not"))?;
            let mut offset = 0;
            for before in &members[..index] {
                offset += slots_of(module, before.ty)?;
            }
            Part { inner: module.types[member.ty].inner.clone(), offset }
        }
        _ => return Err(LowerError::Malformed("a part of what has no parts")),
    };
    let end = part.offset + slots(module, &part.inner)?;
    if end > slots(module, inner)? {
        return Err(LowerError::Malformed("an index out of bounds"));
    }
    Ok(part)
}

/// How many constituents a type has that can be chosen by a number.
pub(super) fn parts(inner: &TypeInner) -> Result<usize, LowerError> {
    match inner {
        TypeInner::Vector { size, .. } => Ok(*size as usize),
        TypeInner::Matrix { columns, .. } => Ok(*columns as usize),
        TypeInner::Array { size, .. } => elements(*size),
        _ => Err(LowerError::Malformed("an index into what has no elements")),
    }
}

/// The type that a pointer points to.
pub(super) fn pointee(module: &Module, inner: &TypeInner) -> Result<TypeInner, LowerError> {
    match inner {
        TypeInner::Pointer { base, .. } => Ok(module.types[*base].inner.clone()),
        TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
            Ok(TypeInner::Vector { size: *size, scalar: *scalar })
        }
        TypeInner::ValuePointer { size: None, scalar, .. } => Ok(TypeInner::Scalar(*scalar)),
        _ => Err(LowerError::Malformed("a pointer that is none")),
    }
}

/// The scalar type of a scalar, vector or matrix, if it is one that the compiler has.
pub(super) fn scalar(inner: &TypeInner) -> Result<Scalar, LowerError> {
    let scalar = match inner {
        TypeInner::Scalar(scalar) | TypeInner::Vector { scalar, .. } | TypeInner::Matrix { scalar, .. } => *scalar,
        _ => return Err(LowerError::Malformed("arithmetic on composites")),
    };
    checked(scalar)
}

/// Refuses scalars of other widths than the machine's.
pub(super) fn checked(scalar: Scalar) -> Result<Scalar, LowerError> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) | (_, 4) => Ok(scalar),
        (ScalarKind::Float, 8) => Err(LowerError::Type("double precision")),
        (ScalarKind::Float, _) => Err(LowerError::Type("half precision")),
        _ => Err(LowerError::Type("whole numbers of that width")),
    }
}

/// Whether all scalars of a type are booleans, or none, in order.
pub(super) fn kinds(module: &Module, inner: &TypeInner, into: &mut Vec<ScalarKind>) -> Result<(), LowerError> {
    match inner {
        TypeInner::Array { base, size, .. } => {
            for _ in 0..elements(*size)? {
                kinds(module, &module.types[*base].inner, into)?;
            }
        }
        TypeInner::Struct { members, .. } => {
            for member in members {
                kinds(module, &module.types[member.ty].inner, into)?;
            }
        }
        _ => {
            let kind = scalar(inner)?.kind;
            into.extend(std::iter::repeat_n(kind, slots(module, inner)?));
        }
    }
    Ok(())
}
