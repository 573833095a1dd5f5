//! What a register is, and the macro that describes registers.

use ctm_bits::Field;

/// How the value of a register is best shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueFormat {
    /// By its fields.
    Fields,
    /// As a binary32 number.
    Float,
    /// As a card address: a relocation names the object.
    Address,
    /// As bits.
    Bits,
}

/// One register, or several of the same meaning in a row.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// The name of the register tables. Several in a row have their number in place of `*`, or else after the name.
    pub name: &'static str,
    /// Byte offset of the first.
    pub address: u32,
    /// How many there are.
    pub count: u32,
    /// Bytes from one to the next.
    pub stride: u32,
    /// The unit that it belongs to.
    pub unit: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// How its value is shown.
    pub shown: ValueFormat,
    /// Whether what is written to it changes nothing here.
    pub ignored: bool,
    /// Its fields.
    pub fields: &'static [Field],
}

/// A register with a decoded form.
pub trait RegisterType {
    /// Byte offset of the first.
    const ADDRESS: u32;
    /// How many there are.
    const COUNT: u32;
    /// Bytes from one to the next.
    const STRIDE: u32;
    /// The fields of a value.
    fn decode(value: u32) -> Self;
}

/// Describes the registers of a unit: a type for each, whose fields are those of the register, and a table of all of them.
///
/// A row is `Type "NAME" address, shown, "what it is" { FIELD [hi:lo] name: type, "what it is"; ... }`; registers of which there are
/// several have `[count, stride]` after the address, those without effect `ignored` after what is shown. Bits that no field
/// has are not looked at.
///
/// ```
/// mod registers {
///     mod unit {
///         ctm_card::registers! { "UNIT", UNIT;
///             Size "SIZE" 0x20 [2, 4], Fields, "size of a thing" { WIDTH [7:0] width: u8, "in steps"; }
///         }
///     }
///     pub static MAP: std::sync::LazyLock<ctm_card::register::RegisterMap> =
///         std::sync::LazyLock::new(|| ctm_card::register::RegisterMap::new(&[unit::UNIT], 0x100));
/// }
/// assert_eq!(registers::MAP.text(0x24, 5), "SIZE_1 = 0x00000005 (WIDTH 5)");
/// ```
#[macro_export]
macro_rules! registers {
    ($unit:literal, $table:ident; $(
        $ty:ident $name:literal $address:literal $([$count:literal, $stride:literal])?, $shown:ident $($ignored:ident)?, $doc:literal {
            $($field_name:ident [$hi:literal : $lo:literal] $field:ident: $field_ty:ty, $field_doc:literal;)+
        }
    )+) => {
        $(
            #[doc = concat!("`", $name, "`: ", $doc, ".")]
            #[derive(Clone, Copy, Debug, Default, PartialEq)]
            pub struct $ty {
                $(#[doc = concat!("`", stringify!($field_name), "`: ", $field_doc, ".")] pub $field: $field_ty,)+
            }
            $crate::field_table! { $ty, words 1;
                $($field_name, 0 [$hi:$lo], {$field}, $field_ty, $field_doc;)+
            }
            impl $crate::register::RegisterType for $ty {
                const ADDRESS: u32 = $address;
                const COUNT: u32 = $crate::registers!(@first $($count)? 1);
                const STRIDE: u32 = $crate::registers!(@first $($stride)? 4);
                fn decode(value: u32) -> Self {
                    Self::read(&[value])
                }
            }
        )+
        /// The registers of this unit, by address.
        pub(super) static $table: &[$crate::register::Register] = &[$($crate::register::Register {
            name: $name,
            address: $address,
            count: $crate::registers!(@first $($count)? 1),
            stride: $crate::registers!(@first $($stride)? 4),
            unit: $unit,
            doc: $doc,
            shown: $crate::register::ValueFormat::$shown,
            ignored: $crate::registers!(@is $($ignored)?),
            fields: $ty::FIELDS,
        }),+];
    };
    (@first $value:literal $($rest:literal)?) => { $value };
    (@is ignored) => { true };
    (@is) => { false };
}
