//! What the registers hold.

use super::{Rb3dColorChannelMask, RegisterType, ScClipRule, ScEdgerule, SuDepthScale, VapVteCntl};
use ctm_card::Object;

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
}

impl Default for RegisterFile {
    /// The values after reset.
    fn default() -> Self {
        let words = (Self::END / 4) as usize;
        let mut file = RegisterFile { values: vec![0; words], objects: vec![None; words] };
        for (address, value) in [
            (VapVteCntl::ADDRESS, 0x300),
            (ScClipRule::ADDRESS, 0xFFFF),
            (ScEdgerule::ADDRESS, 0x2DA4_9525),
            (Rb3dColorChannelMask::ADDRESS, 0xF),
            (SuDepthScale::ADDRESS, 0x4B7F_FFFF),
        ] {
            file.write(address, value);
        }
        file
    }
}

impl RegisterFile {
    /// Registers have byte offsets below this.
    pub const END: u32 = 0x8000;

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
        let address = R::ADDRESS + index * R::STRIDE;
        let object = self.objects.get((address / 4) as usize).copied().flatten()?;
        Some(Binding { object, value: self.value(address) })
    }

    /// Forgets all objects: bindings do not outlive the stream that made them.
    pub fn unbind(&mut self) {
        self.objects.fill(None);
    }
}
