//! What the registers hold.

use super::RegisterType;
use crate::Object;

/// What a register of an address holds: an offset in a buffer object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The object.
    pub object: Object,
    /// What was written to the register: for most of them the offset, with flags in the low bits of some.
    pub value: u32,
}

/// The values of all registers, with the objects that those of addresses name.
#[derive(Clone, Debug)]
pub struct RegisterFile {
    values: Vec<u32>,
    objects: Vec<Option<Object>>,
    /// Numbers of the words that name objects, or did; some of them more than once.
    bound: Vec<usize>,
}

impl RegisterFile {
    /// Registers with byte offsets below `end`, which hold 0 but for these.
    pub fn new(end: u32, after_reset: &[(u32, u32)]) -> Self {
        let words = (end / 4) as usize;
        let mut file = RegisterFile { values: vec![0; words], objects: vec![None; words], bound: Vec::new() };
        for &(address, value) in after_reset {
            file.write(address, value);
        }
        file
    }

    /// The value at a byte offset; 0 beyond the registers.
    pub fn value(&self, address: u32) -> u32 {
        self.values.get((address / 4) as usize).copied().unwrap_or_default()
    }

    /// Sets the value at a byte offset, and names no object. Nothing happens beyond the registers.
    pub fn write(&mut self, address: u32, value: u32) {
        self.set(address, value, None);
    }

    /// Sets the value at a byte offset, which belongs to an object.
    pub fn bind(&mut self, address: u32, value: u32, object: Object) {
        self.set(address, value, Some(object));
    }

    fn set(&mut self, address: u32, value: u32, object: Option<Object>) {
        let word = (address / 4) as usize;
        if let (Some(slot), Some(named)) = (self.values.get_mut(word), self.objects.get_mut(word)) {
            if named.is_none() && object.is_some() {
                self.bound.push(word);
            }
            (*slot, *named) = (value, object);
        }
    }

    /// The register's fields.
    pub fn get<R: RegisterType>(&self) -> R {
        self.at(0)
    }

    /// The fields of one of several registers in a row.
    pub fn at<R: RegisterType>(&self, index: u32) -> R {
        R::decode(self.value(R::ADDRESS + index * R::STRIDE))
    }

    /// The whole register as a number.
    pub fn float<R: RegisterType>(&self) -> f32 {
        f32::from_bits(self.value(R::ADDRESS))
    }

    /// What an address register holds, if an object was named for it since the stream began.
    pub fn binding<R: RegisterType>(&self, index: u32) -> Option<Binding> {
        self.binding_at(R::ADDRESS + index * R::STRIDE)
    }

    /// What the address register at a byte offset holds, likewise.
    pub fn binding_at(&self, address: u32) -> Option<Binding> {
        let object = self.objects.get((address / 4) as usize).copied().flatten()?;
        Some(Binding { object, value: self.value(address) })
    }

    /// Forgets all objects: bindings do not outlive the stream that made them.
    pub fn unbind(&mut self) {
        for word in self.bound.drain(..) {
            self.objects[word] = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_end_with_the_stream() {
        let mut file = RegisterFile::new(0x40, &[(8, 7)]);
        let object = Object { address: 0x1000, size: 16 };
        assert_eq!((file.value(8), file.value(0x40)), (7, 0));
        file.bind(8, 1, object);
        file.bind(12, 2, object);
        file.write(12, 3);
        file.bind(12, 4, object);
        file.bind(0x40, 1, object);
        assert_eq!(file.binding_at(12), Some(Binding { object, value: 4 }));
        file.unbind();
        assert_eq!([8, 12, 0x40].map(|address| file.binding_at(address)), [None; 3]);
        assert_eq!((file.value(8), file.value(12)), (1, 4));
    }
}
