//! Many pixels together against each by itself, over formats, orders in memory, blending, depth and stencil tests.

use crate::pipeline::depth::{DepthBuffer, Incoming};
use crate::pipeline::targets::{ColourTarget, SamplePlace};
use crate::registers::{
    CbBlendControl, CbBlendRed, CbColorBase, CbColorControl, CbColorInfo, CbColorSize, CbColorView, CbShaderMask,
    CbTargetMask, DbDepthBase, DbDepthControl, DbDepthInfo, DbDepthSize, DbDepthView, DbStencilrefmask,
    DbStencilrefmaskBf, RegisterFile, RegisterType, after_reset,
};
use ctm_card::Object;
use ctm_cases::{Result, Unstructured};
use ctm_memory::Arena;
use ctm_pipeline::{Colours, IncomingQuads, write_quads};
use ctm_raster::depth::Facing;

/// Surfaces of 32x16 pixels and two layers; the object may end before them.
const PLACE: u32 = 0x1000;
const SIZE: [u32; 2] = [32, 16];
const SIZES: u32 = 7 << 10 | 3;
const TWO_LAYERS: u32 = 1 << 13;
/// Orders in memory: rows, tiles, tiles over banks.
const ORDERS: [u32; 3] = [1, 2, 4];

/// Two memories with the same bytes, and the object in them.
fn memories(u: &mut Unstructured) -> Result<([Arena; 2], Object)> {
    let memories = [(); 2].map(|()| Arena::new(PLACE, 0x8000).expect("memory"));
    let (first, step) = (u.arbitrary::<u32>()?, u.arbitrary::<u32>()? | 1);
    let words: Vec<u32> =
        (0..0x2000).map(|n: u32| first.wrapping_add(n.wrapping_mul(step)).rotate_left(n % 3)).collect();
    memories.iter().for_each(|memory| assert!(memory.write_words(PLACE, &words)));
    let size = if u.ratio(1, 4)? { 4 * u.int_in_range(1..=0x800)? } else { 0x8000 };
    Ok((memories, Object { address: PLACE, size }))
}

fn bytes(memory: &Arena) -> Vec<u32> {
    let mut words = vec![0; 0x2000];
    assert!(memory.read_words(PLACE, &mut words));
    words
}

/// A place of a quad, a layer, and which of its pixels are drawn.
fn quad(u: &mut Unstructured) -> Result<((u32, u32), u32, u8)> {
    let corner = (2 * u.int_in_range(0..=SIZE[0] / 2 - 1)?, 2 * u.int_in_range(0..=SIZE[1] / 2 - 1)?);
    Ok((corner, u.int_in_range(0..=2)?, u.int_in_range(0..=15)?))
}

fn pixel((x, y): (u32, u32), layer: u32, n: usize) -> SamplePlace {
    SamplePlace { x: x + n as u32 % 2, y: y + n as u32 / 2, layer, sample: 0 }
}

fn number(u: &mut Unstructured) -> Result<f32> {
    Ok(match u.int_in_range(0..=9)? {
        0 => f32::from_bits(u.arbitrary()?),
        1 => 0.0,
        2 => 1.0,
        _ => u.int_in_range(-20..=300)? as f32 / 255.0,
    })
}

fn colours(u: &mut Unstructured) -> Result<Colours<8>> {
    let mut colours = [[0; 8]; 4];
    for value in colours.as_flattened_mut() {
        *value = number(u)?.to_bits();
    }
    Ok(colours)
}

fn targets(u: &mut Unstructured) -> Result<RegisterFile> {
    let formats =
        [0x01, 0x02, 0x05, 0x06, 0x07, 0x08, 0x0A, 0x0B, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x16, 0x19, 0x1A, 0x1B]
            .into_iter()
            .chain([0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x22, 0x23]);
    let format = if u.ratio(1, 3)? { 0x1A } else { *u.choose(&formats.collect::<Vec<u32>>())? };
    let (order, numbers, swap): (_, _, u32) = (*u.choose(&ORDERS)?, u.int_in_range(0..=7)?, u.int_in_range(0..=3)?);
    let numbers = if u.arbitrary()? { 0 } else { numbers };
    let clamp: u32 = u.int_in_range(0..=1)?;
    let mut registers = after_reset();
    registers.write(CbColorInfo::ADDRESS, format << 2 | order << 8 | numbers << 12 | swap << 16 | clamp << 20);
    registers.write(CbColorSize::ADDRESS, SIZES);
    registers.write(CbColorView::ADDRESS, TWO_LAYERS);
    let mask: u32 = if u.arbitrary()? { 0xF } else { u.int_in_range(1..=15)? };
    registers.write(CbTargetMask::ADDRESS, mask);
    registers.write(CbShaderMask::ADDRESS, 0xF);
    let control = match u.int_in_range(0..=3)? {
        0 => 0xCC << 16,
        1 => (u.int_in_range(0..=15)? * 0x11) << 16,
        _ => 0xCC << 16 | 1 << 8,
    };
    registers.write(CbColorControl::ADDRESS, control);
    let equation = |u: &mut Unstructured| -> Result<u32> {
        Ok(u.int_in_range(0..=20)? | u.int_in_range(0..=4)? << 5 | u.int_in_range(0..=20)? << 8)
    };
    let separate: u32 = u.int_in_range(0..=1)?;
    registers.write(CbBlendControl::ADDRESS, equation(u)? | equation(u)? << 16 | separate << 29);
    for component in 0..4 {
        registers.write(CbBlendRed::ADDRESS + 4 * component, number(u)?.to_bits());
    }
    Ok(registers)
}

#[test]
fn colours_of_squares_are_those_of_pixels() {
    let mut drawn = 0;
    ctm_cases::check(8000, |u| {
        let (memories, object) = memories(u)?;
        let mut registers = targets(u)?;
        registers.bind(CbColorBase::ADDRESS, 0, object);
        let of = |memory| ColourTarget::of(&registers, memory, 0).ok().flatten();
        let (Some(together), Some(alone)) = (of(&memories[0]), of(&memories[1])) else { return Ok(()) };
        let surface_quads = together.surface.surface_quads();
        for _ in 0..3 {
            let (colour, second) = (colours(u)?, colours(u)?);
            let both = [quad(u)?, quad(u)?];
            let written = both.map(|(corner, layer, mask)| (surface_quads.place(corner, layer), mask));
            let count = if written[0].0 == written[1].0 { 1 } else { 2 };
            write_quads(&together, &surface_quads, &written[..count], &colour, Some(&second));
            for (n, &(corner, layer, mask)) in both[..count].iter().enumerate() {
                for at in (0..4).filter(|at| mask >> at & 1 != 0) {
                    let of = |colours: Colours<8>| colours.map(|component| component[4 * n + at]);
                    alone.write(pixel(corner, layer, at), 0..1, of(colour), of(second));
                }
            }
        }
        drawn += 1;
        assert_eq!(bytes(&memories[0]), bytes(&memories[1]), "{:?}", registers.get::<CbColorInfo>());
        Ok(())
    });
    assert!(drawn > 200, "{drawn}");
}

#[test]
fn tests_of_squares_are_those_of_pixels() {
    ctm_cases::check(8000, |u| {
        let (memories, object) = memories(u)?;
        let mut registers = after_reset();
        let (format, order): (u32, u32) = (*u.choose(&[1, 2, 3, 6, 7])?, *u.choose(&ORDERS)?);
        registers.write(DbDepthInfo::ADDRESS, format | order << 15);
        registers.write(DbDepthSize::ADDRESS, SIZES);
        registers.write(DbDepthView::ADDRESS, TWO_LAYERS);
        let control = u.arbitrary::<u32>()?;
        registers.write(DbDepthControl::ADDRESS, if u.arbitrary()? { control & !1 | 6 } else { control });
        registers.write(DbStencilrefmask::ADDRESS, u.arbitrary()?);
        registers.write(DbStencilrefmaskBf::ADDRESS, u.arbitrary()?);
        registers.bind(DbDepthBase::ADDRESS, 0, object);
        let of = |memory| DepthBuffer::of(&registers, memory).expect("a format that is tested");
        let (Some(together), Some(alone)) = (of(&memories[0]), of(&memories[1])) else { return Ok(()) };
        let tests = together.tests(together.surface.sample_quads(|quads| quads));
        for _ in 0..3 {
            let both = [quad(u)?, quad(u)?];
            let mut tested = both.map(|(corner, layer, mask)| (tests.quads[0].place(corner, layer), mask));
            let count = if tested[0].0 == tested[1].0 { 1 } else { 2 };
            let mut depths = [0.0; 8];
            for (n, depth) in depths.iter_mut().enumerate() {
                // Often what is stored.
                let (corner, layer, _) = both[n / 4];
                let stored = together.surface.format.depth(together.stored(pixel(corner, layer, n % 4)));
                *depth = if u.arbitrary()? { f32::from_bits(stored) } else { number(u)? };
            }
            let references = if u.ratio(1, 4)? { Some(u.arbitrary()?) } else { None };
            let range = *u.choose(&[[0.0, 1.0], [0.25, 0.5], [f32::MIN, f32::MAX]])?;
            let facing = *u.choose(&[Facing::Front, Facing::Back])?;
            let keys = tests.keys_of(&depths.map(f32::to_bits), range);
            tests.test_quads(0, &IncomingQuads { keys, references, facing }, &mut tested[..count]);
            for (n, &(corner, layer, mask)) in both[..count].iter().enumerate() {
                let expected = (0..4).filter(|at| mask >> at & 1 != 0).fold(0, |bits, at| {
                    let (depth, reference) = (depths[4 * n + at], references.map(|all: [u8; 8]| all[4 * n + at]));
                    let incoming = Incoming { depth, range, reference, front: facing == Facing::Front };
                    bits | u8::from(alone.test(pixel(corner, layer, at), &incoming)) << at
                });
                assert_eq!(tested[n].1, expected, "{:?}", registers.get::<DbDepthControl>());
            }
        }
        assert_eq!(bytes(&memories[0]), bytes(&memories[1]), "{:?}", registers.get::<DbDepthControl>());
        Ok(())
    });
}
