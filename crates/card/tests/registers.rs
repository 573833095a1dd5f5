//! Registers: found by address, as text, and with what was written to them.

use ctm_card::listing::{dwords, fields_text, numbers};
use ctm_card::register::{Binding, RegisterFile, RegisterMap, RegisterType};
use ctm_card::{Card, CardProperty, DrawCounts, Identity, Kernel, Object, Submission, SubmissionError};
use ctm_memory::Arena;
use std::sync::Arc;
use unit::{Base, Scale, Size};

mod unit {
    ctm_bits::codes! {
        /// A way to compare.
        pub enum Test: 1 {
            /// Never.
            0 Never "never",
            /// Always.
            1 Always "always",
        }
    }
    ctm_card::registers! { "UNIT", UNIT;
        Scale "SCALE" 0x40, Float, "what is multiplied" { VALUE [31:0] value: u32, "binary32"; }
        Base "BASE_*_LOW" 0x20 [3, 8], Address, "where things lie" {
            ADDRESS [31:0] address: u32, "bytes";
        }
        Size "SIZE" 0x24 [2, 8], Fields ignored, "size of a thing" {
            WIDTH [7:0] width: u8, "in steps";
            TEST [8:8] test: Test, "how it is compared";
            HIGH [31:16] high: u16, "more";
        }
        Mask "MASK" 0x80, Bits, "which pixels" { BITS [31:0] bits: u32, "a bit for each"; }
    }
    pub fn units() -> [&'static [ctm_card::register::Register]; 1] {
        [UNIT]
    }
}

fn map() -> RegisterMap {
    RegisterMap::new(&unit::units(), 0x48)
}

#[test]
fn registers_are_found_by_their_addresses() {
    let map = map();
    let addresses: Vec<_> = map.all().iter().map(|register| register.address).collect();
    assert_eq!(addresses, [0x20, 0x24, 0x40, 0x80], "ascending");
    let at = |address| map.at(address).map(|(register, index)| (register.name, index));
    assert_eq!([0x20, 0x28, 0x30].map(at), [0, 1, 2].map(|index| Some(("BASE_*_LOW", index))));
    assert_eq!([0x24, 0x2C].map(at), [0, 1].map(|index| Some(("SIZE", index))));
    // Beside the rows, in the middle of a register, and beyond what the card has.
    assert_eq!([0x1C, 0x34, 0x38, 0x44, 0x22, 0x41, 0x80, 0xFFFF_FFFC].map(at), [None; 8]);
    assert_eq!((map.doc(0x40), map.doc(0x44)), ("what is multiplied", ""));
    let names = [0x20, 0x30, 0x2C, 0x40, 0x44].map(|address| map.name(address));
    assert_eq!(names, ["BASE_0_LOW", "BASE_2_LOW", "SIZE_1", "SCALE", "0x0044"]);
    let ignored: Vec<_> = map.all().iter().map(|register| register.ignored).collect();
    assert_eq!(ignored, [false, true, false, false]);
}

#[test]
fn values_are_shown_as_their_registers_say() {
    let whole = RegisterMap::new(&unit::units(), 0x84);
    for (address, value, text) in [
        (0x40, 0x3FC0_0000, "SCALE = 0x3fc00000 (1.5)"),
        (0x20, 0x1234, "BASE_0_LOW = 0x00001234 (ADDRESS 4660)"),
        (0x28, 0x12345, "BASE_1_LOW = 0x00012345 (ADDRESS 0x12345)"),
        (0x28, 0xFFFF, "BASE_1_LOW = 0x0000ffff (ADDRESS 65535)"),
        (0x24, 0, "SIZE_0 = 0x00000000 (TEST never)"),
        (0x2C, 0xFFFF_0105, "SIZE_1 = 0xffff0105 (WIDTH 5, TEST always, HIGH 65535)"),
        (0x80, 5, "MASK = 0x00000005"),
        (0x44, 5, "0x0044 = 0x00000005 (not known)"),
    ] {
        assert_eq!(whole.text(address, value), text);
    }
    assert_eq!(fields_text(Base::FIELDS, &[0]), "", "zeros are left out");
    assert_eq!(fields_text(Size::FIELDS, &[]), "", "so are words that are missing");
    assert_eq!(dwords(&[1, 0xABCD_EF01]), " 00000001 abcdef01");
    assert_eq!(numbers(&[0x3F80_0000, 0xBF00_0000]), "(1, -0.5)");
}

#[test]
fn registers_hold_what_was_written() {
    let mut file = RegisterFile::new(0x48, &[(0x40, 2f32.to_bits())]);
    assert_eq!((file.float::<Scale>(), file.get::<Scale>()), (2.0, Scale { value: 0x4000_0000 }));
    let object = Object { address: 0x1000, size: 16 };
    assert_eq!((Size::COUNT, Size::STRIDE, Scale::COUNT, Scale::STRIDE), (2, 8, 1, 4));
    file.write(0x24, 3);
    file.write(0x2C, 4);
    file.bind(0x28, 7, object);
    assert_eq!((file.get::<Size>().width, file.at::<Size>(1).width), (3, 4));
    assert_eq!((file.at::<Base>(1).address, file.value(0x28)), (7, 7));
    assert_eq!(file.binding::<Base>(1), Some(Binding { object, value: 7 }));
    assert_eq!([0, 2].map(|index| file.binding::<Base>(index)), [None; 2]);
    // Beyond the registers there is nothing.
    file.write(0x48, 1);
    assert_eq!((file.value(0x44), file.value(0x48), file.value(u32::MAX)), (0, 0, 0));
    file.unbind();
    assert_eq!((file.binding::<Base>(1), file.value(0x28)), (None, 7));
    file.bind(0x28, 8, object);
    file.unbind();
    assert_eq!(file.binding::<Base>(1), None, "what was bound again is forgotten again");
}

const CARD: Identity = Identity {
    name: "card",
    vendor: 2,
    device: 1,
    kernel: Kernel::Radeon,
    driver: "driver",
    properties: &[(CardProperty::PixelPipes, 4), (CardProperty::Backends, 0), (CardProperty::ShaderClock, 650_000)],
};

/// A card that says as little as a card can.
struct Plain;

impl Card for Plain {
    fn identity(&self) -> Identity {
        CARD
    }
    fn submit(&mut self, _: &Arc<Arena>, _: &Submission) -> Result<(), SubmissionError> {
        Ok(())
    }
}

#[test]
fn what_drivers_learn_of_a_card() {
    let properties =
        [CardProperty::PixelPipes, CardProperty::Backends, CardProperty::ShaderClock, CardProperty::TilePipes]
            .map(|property| CARD.property(property));
    assert_eq!(properties, [Some(4), Some(0), Some(650_000), None]);
    assert_eq!((Plain.take_warnings(), Plain.time_stamp()), (Vec::new(), None));
    let rejected = SubmissionError { at: 7, message: "no".into() };
    assert_eq!(rejected.to_string(), "command word 7: no");
}

#[test]
fn pixels_of_parts_of_a_draw_add_up() {
    let part = |n: u64| DrawCounts {
        vertices: n,
        primitives: n,
        drawn: n,
        pixels: 10 * n,
        fragments: 100 * n,
        instructions: Some(n),
        passed: 1000 * n,
    };
    let mut counts = part(1);
    counts.add_pixels(part(2));
    // Vertices and primitives are those of the draw, whoever draws the pixels.
    assert_eq!(counts, DrawCounts { pixels: 30, fragments: 300, passed: 3000, ..part(1) });
}
