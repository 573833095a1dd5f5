//! What the registers hold.

use super::RegisterType;
use crate::Object;
use std::ops::Range;

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
    groups: &'static [RegisterGroup],
    /// How often registers of each group changed, and those of none.
    changes: Vec<u64>,
}

/// Byte offsets of registers whose changes are counted together.
pub type RegisterGroup = &'static [Range<u32>];

impl RegisterFile {
    /// Registers with byte offsets below `end`, which hold 0 but for these.
    pub fn new(end: u32, after_reset: &[(u32, u32)]) -> Self {
        let words = (end / 4) as usize;
        let mut file = RegisterFile {
            values: vec![0; words],
            objects: vec![None; words],
            bound: Vec::new(),
            groups: &[],
            changes: vec![0],
        };
        for &(address, value) in after_reset {
            file.write(address, value);
        }
        file
    }

    /// The same, with the changes of these groups counted by themselves.
    pub fn with_groups(self, groups: &'static [RegisterGroup]) -> Self {
        RegisterFile { groups, changes: vec![0; groups.len() + 1], ..self }
    }

    /// How often registers of a group changed; beyond the groups, those of none. While it is the same number, they hold the same.
    pub fn changes(&self, group: usize) -> u64 {
        self.changes[group.min(self.groups.len())]
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
            if (*slot, *named) == (value, object) {
                return;
            }
            if named.is_none() && object.is_some() {
                self.bound.push(word);
            }
            (*slot, *named) = (value, object);
            self.note_change(address);
        }
    }

    /// Whether a register holds this, and belongs to this object: to write it again changes nothing.
    pub fn holds(&self, address: u32, value: u32, object: Option<Object>) -> bool {
        let word = (address / 4) as usize;
        self.values.get(word) == Some(&value) && self.objects[word] == object
    }

    fn note_change(&mut self, address: u32) {
        let has = |group: &RegisterGroup| group.iter().any(|range| range.contains(&address));
        let group = self.groups.iter().position(has).unwrap_or(self.groups.len());
        self.changes[group] += 1;
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
        for word in std::mem::take(&mut self.bound) {
            self.objects[word] = None;
            self.note_change(4 * word as u32);
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

    #[test]
    fn changes_are_counted_by_groups() {
        let mut file = RegisterFile::new(0x40, &[]).with_groups(&[&[8..16, 0x20..0x24], &[16..18, 18..20]]);
        let object = Object { address: 0x1000, size: 16 };
        let mut after = |change: fn(&mut RegisterFile, Object)| {
            change(&mut file, object);
            [0, 1, 2].map(|group| file.changes(group))
        };
        assert_eq!(after(|file, _| file.write(8, 1)), [1, 0, 0]);
        assert_eq!(after(|file, _| file.write(8, 1)), [1, 0, 0], "it held that");
        assert_eq!(after(|file, object| file.bind(8, 1, object)), [2, 0, 0]);
        assert_eq!(after(|file, _| file.write(0x20, 1)), [3, 0, 0]);
        assert_eq!(after(|file, object| file.bind(16, 0, object)), [3, 1, 0]);
        assert_eq!(after(|file, _| file.write(20, 1)), [3, 1, 1]);
        assert_eq!(after(|file, _| file.unbind()), [4, 2, 1]);
        file.bind(16, 5, object);
        let holds =
            [(5, Some(object)), (5, None), (6, Some(object))].map(|(value, object)| file.holds(16, value, object));
        assert_eq!((holds, file.holds(0x40, 0, None)), ([true, false, false], false));
    }
}
