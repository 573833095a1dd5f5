//! Field tables: one row per field of an instruction word.

/// One field of an instruction word, as a table row describes it.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The guide's name of the field, in capitals.
    pub name: &'static str,
    /// Index of the dword that holds it.
    pub word: usize,
    /// Most significant bit, inclusive.
    pub hi: u32,
    /// Least significant bit.
    pub lo: u32,
    /// What the field means, in a few words.
    pub doc: &'static str,
    /// Spells a raw value, where its codes have names.
    pub spell: fn(u32) -> Option<&'static str>,
    /// Says what a raw value means, where its codes have names.
    pub about: fn(u32) -> Option<&'static str>,
}

impl Field {
    /// Number of bits, 1 to 32.
    pub const fn width(&self) -> u32 {
        self.hi - self.lo + 1
    }

    /// Largest raw value that the field holds.
    pub const fn max(&self) -> u32 {
        mask(self.hi, self.lo)
    }

    /// The bits of the dword that belong to the field.
    pub const fn mask(&self) -> u32 {
        mask(self.hi, self.lo) << self.lo
    }

    /// Reads the raw value out of the words.
    pub fn get(&self, words: &[u32]) -> u32 {
        extract(words[self.word], self.hi, self.lo)
    }

    /// Writes a raw value into the words; bits of `value` beyond the field's width are dropped.
    pub fn set(&self, words: &mut [u32], value: u32) {
        words[self.word] = insert(words[self.word], self.hi, self.lo, value);
    }
}

#[inline]
const fn mask(hi: u32, lo: u32) -> u32 {
    u32::MAX >> (31 - (hi - lo))
}

/// Bits `hi..=lo` of `word`, shifted down to bit 0.
#[inline]
pub const fn extract(word: u32, hi: u32, lo: u32) -> u32 {
    (word >> lo) & mask(hi, lo)
}

/// `word` with bits `hi..=lo` replaced by the low bits of `value`.
#[inline]
pub const fn insert(word: u32, hi: u32, lo: u32, value: u32) -> u32 {
    let field = mask(hi, lo) << lo;
    (word & !field) | ((value << lo) & field)
}

/// A type that a field of an instruction word decodes to.
///
/// For a field of `n` bits, `from_raw` must accept every value below `2^n` and `to_raw` must give it back.
pub trait FieldValue: Copy {
    /// The value that stands for these bits.
    fn from_raw(raw: u32) -> Self;
    /// The bits that stand for this value.
    fn to_raw(self) -> u32;
    /// The spelling of a raw value, for types whose codes have names.
    fn spell_raw(_raw: u32) -> Option<&'static str> {
        None
    }
    /// What a raw value means, for types whose codes have names.
    fn about_raw(_raw: u32) -> Option<&'static str> {
        None
    }
}

impl FieldValue for bool {
    #[inline]
    fn from_raw(raw: u32) -> Self {
        raw != 0
    }
    #[inline]
    fn to_raw(self) -> u32 {
        self.into()
    }
}

impl FieldValue for u8 {
    #[inline]
    fn from_raw(raw: u32) -> Self {
        raw as u8
    }
    #[inline]
    fn to_raw(self) -> u32 {
        self.into()
    }
}

impl FieldValue for u16 {
    #[inline]
    fn from_raw(raw: u32) -> Self {
        raw as u16
    }
    #[inline]
    fn to_raw(self) -> u32 {
        self.into()
    }
}

impl FieldValue for u32 {
    #[inline]
    fn from_raw(raw: u32) -> Self {
        raw
    }
    #[inline]
    fn to_raw(self) -> u32 {
        self
    }
}

/// Describes the fields of one form of instruction words and derives decoding and encoding from the description.
///
/// Each row is `NAME, word [hi:lo], {place}, Type, "meaning";` where `place` is the path of the field inside the
/// structure (`{rgb.src[0].addr}`) and `Type` implements [`FieldValue`]. The structure must implement `Default`. The
/// macro adds to it `FIELDS`, `COVERED` (per dword, the bits that rows describe), `read(&words)` and `write(&mut words)`.
/// Two rows that share a bit do not compile.
///
/// ```
/// #[derive(Default, Debug, PartialEq)]
/// struct Pair { low: u8, high: bool }
/// ctm_bits::field_table! { Pair, words 1;
///     LOW,  0 [3:0], {low}, u8, "a nibble";
///     HIGH, 0 [4:4], {high}, bool, "a flag";
/// }
/// let pair = Pair::read(&[0x1A]);
/// assert_eq!(pair, Pair { low: 10, high: true });
/// let mut words = [0];
/// pair.write(&mut words);
/// assert_eq!(words, [0x1A]);
/// assert_eq!(Pair::COVERED, [0x1F]);
/// ```
#[macro_export]
macro_rules! field_table {
    ($form:ident, words $words:literal;
     $($name:ident, $word:literal [$hi:literal : $lo:literal], {$($place:tt)+}, $ty:ty, $doc:literal;)+) => {
        impl $form {
            /// Every field of this form, in the order of the table.
            pub const FIELDS: &'static [$crate::Field] = &[$($crate::Field {
                name: stringify!($name), word: $word, hi: $hi, lo: $lo, doc: $doc,
                spell: <$ty as $crate::FieldValue>::spell_raw,
                about: <$ty as $crate::FieldValue>::about_raw,
            }),+];

            /// The bits of each dword that some field describes.
            pub const COVERED: [u32; $words] = {
                let mut covered = [0u32; $words];
                $(
                    let field = (u32::MAX >> (31 - ($hi - $lo))) << $lo;
                    assert!(covered[$word] & field == 0, concat!(stringify!($name), " overlaps another field"));
                    covered[$word] |= field;
                )+
                covered
            };

            /// Takes the fields out of the words.
            pub fn read(words: &[u32; $words]) -> Self {
                let mut form = Self::default();
                $(form.$($place)+ = <$ty as $crate::FieldValue>::from_raw($crate::extract(words[$word], $hi, $lo));)+
                form
            }

            /// Puts the fields into the words; other bits stay as they are.
            pub fn write(&self, words: &mut [u32; $words]) {
                $(words[$word] = $crate::insert(
                    words[$word], $hi, $lo, <$ty as $crate::FieldValue>::to_raw(self.$($place)+));)+
            }
        }
    };
}
