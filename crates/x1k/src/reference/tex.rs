//! Texture instructions: fetches and TEXKILL (CTM Guide p.32-33).

use super::alu::{gate, write_row};
use super::flow::Control;
use super::group::{Input, Textures};
use super::prepare::TexStep;
use super::registers::{Registers, temp_index};
use crate::codes::{TexOp, TexSwizzle};
use crate::fragments::{Fetch, QuadVector, TextureUnit};
use crate::instruction::{Tex, TexRegister};
use crate::job::MAX_GROUP_WIDTH;
use ctm_follow::{Follow, MemoryAccess, ValueKind, note};
use ctm_lane::domain::QUAD;
use ctm_memory::View;
use ctm_num::{convert, x1k};
use ctm_raster::sampler::Texels;

/// Executes the instruction for the lanes that `executing` names; TEXKILL kills active lanes only.
pub(super) fn execute(
    step: &TexStep,
    textures: &Textures,
    executing: &[bool],
    control: &mut Control,
    registers: &mut Registers,
    follow: &mut Option<Follow>,
) {
    let width = registers.width();
    let tex = &step.tex;
    let mut writes = [[false; MAX_GROUP_WIDTH]; 4];
    for (writes, &channel_gate) in writes.iter_mut().zip(&step.gates) {
        gate(channel_gate, executing, registers, &mut writes[..width]);
    }
    match tex.op {
        TexOp::Nop | TexOp::Reserved7 => {}
        TexOp::Texkill => {
            for lane in (0..width).filter(|&lane| executing[lane]) {
                let coordinates = coordinates(&tex.src, control.al(), registers, lane);
                let negative = (0..4).any(|c| writes[c][lane] && x1k::is_less_zero(coordinates[c]));
                if negative && control.is_active(lane) {
                    control.kill(lane);
                }
            }
        }
        TexOp::Ld | TexOp::Proj | TexOp::Lodbias | TexOp::Lod | TexOp::Dxdy => {
            let mut fetched = [[0; MAX_GROUP_WIDTH]; 4];
            let (unit, input): (Option<&dyn TextureUnit>, _) = match textures {
                Textures::Unit(unit) => (Some(*unit), None),
                Textures::Inputs(inputs) => match inputs.get(usize::from(tex.id)).and_then(Option::as_ref) {
                    Some(input @ Input { sampler: Some(_), .. }) => (Some(input), None),
                    input => (None, input.map(|input| &input.view)),
                },
            };
            match unit {
                None => {
                    for lane in (0..width).filter(|&lane| executing[lane]) {
                        let element = element(tex, input, control.al(), registers, lane, follow);
                        put(&mut fetched, tex, lane, element);
                    }
                }
                Some(unit) => {
                    for first in (0..width).step_by(QUAD) {
                        let fetch = fetch(tex, control.al(), registers, first);
                        for (lane, texel) in unit.fetch(&fetch).into_iter().enumerate() {
                            put(&mut fetched, tex, first + lane, texel);
                            note(follow, first + lane, || {
                                MemoryAccess::read(format!("tex[{}]", tex.id), ValueKind::Float, texel)
                                    .at(fetch.coordinates[lane])
                            });
                        }
                    }
                }
            }
            let dest = temp_index(tex.dst.addr, tex.dst.relative, control.al());
            for channel in (0..4).filter(|&channel| step.wmask[channel]) {
                write_row(registers.temp_mut(dest, channel), &fetched[channel], &writes[channel]);
            }
        }
    }
}

impl TextureUnit for Input<'_> {
    fn fetch(&self, fetch: &Fetch) -> QuadVector {
        self.sampler.map_or_else(QuadVector::default, |input| fetch.sample(&input.sampler, &input.shape, self))
    }
}

impl Texels for Input<'_> {
    fn texel(&self, level: u32, layer: u32, x: u32, y: u32) -> [u32; 4] {
        let (view, rows) = match (self.sampler, level.checked_sub(1)) {
            (Some(input), Some(further)) => (&self.levels[further as usize], input.shape.level_size(level)[1]),
            (Some(input), None) => (&self.view, input.shape.size[1]),
            (None, _) => (&self.view, 0),
        };
        view.fetch(x.into(), (layer * rows + y).into())
    }
}

/// Sets a lane's part of what is fetched.
fn put(fetched: &mut [[u32; MAX_GROUP_WIDTH]; 4], tex: &Tex, lane: usize, element: [u32; 4]) {
    for (row, &channel) in fetched.iter_mut().zip(&tex.dst.swizzle) {
        row[lane] = element[channel_index(channel)];
    }
}

/// The element of an input that a lane fetches: nearest, clamped to the edges.
fn element(
    tex: &Tex,
    input: Option<&View>,
    al: i32,
    registers: &Registers,
    lane: usize,
    follow: &mut Option<Follow>,
) -> [u32; 4] {
    let [s, t, _, q] = coordinates(&tex.src, al, registers, lane);
    let (s, t) = if tex.op == TexOp::Proj { (x1k::div(s, q), x1k::div(t, q)) } else { (s, t) };
    input.map_or([0; 4], |input| {
        let (x, y) = place(input, tex.unscaled, s, t);
        let element = input.fetch(x.into(), y.into());
        note(follow, lane, || MemoryAccess::read(format!("tex[{}] ({x}, {y})", tex.id), ValueKind::Float, element));
        element
    })
}

/// What the quad that begins at lane `first` asks of a texture unit. Groups that are not made of quads end in parts of one, which ask for their
/// last lane again.
fn fetch(tex: &Tex, al: i32, registers: &Registers, first: usize) -> Fetch {
    let last = registers.width() - 1;
    let vectors =
        |source: &TexRegister| std::array::from_fn(|lane| coordinates(source, al, registers, (first + lane).min(last)));
    // The registers of derivatives need not exist where no derivatives are read.
    let derivatives = |source| if tex.op == TexOp::Dxdy { vectors(source) } else { [[0; 4]; QUAD] };
    Fetch {
        unit: tex.id,
        op: tex.op,
        unscaled: tex.unscaled,
        coordinates: vectors(&tex.src),
        dx: derivatives(&tex.dx),
        dy: derivatives(&tex.dy),
    }
}

fn channel_index(channel: TexSwizzle) -> usize {
    channel as usize
}

/// S, T, R, Q of a lane.
fn coordinates(source: &TexRegister, al: i32, registers: &Registers, lane: usize) -> [u32; 4] {
    let index = temp_index(source.addr, source.relative, al);
    source.swizzle.map(|channel| registers.temp(index, channel_index(channel))[lane])
}

/// The place of the element at (s, t): the nearest one below or at the coordinates, clamped to the edges.
fn place(input: &View, unscaled: bool, s: u32, t: u32) -> (u32, u32) {
    let (width, height) = (input.surface().pitch, input.surface().height);
    let scaled = |coordinate: u32, size: u32| match unscaled {
        true => coordinate,
        false => x1k::mul(coordinate, (size as f32).to_bits()),
    };
    (convert::float_to_index(scaled(s, width), width), convert::float_to_index(scaled(t, height), height))
}
