//! What runs for a quad: the fragment program, or a short cut for programs that only pass on what they get. Drivers clear, copy, upload
//! and read back with such programs: nearly all draws are theirs.

use super::attributes::{Component, Inputs};
use crate::tx::Textures;
use ctm_num::x1k;
use ctm_x1k::fragments::{Fetch, Quad, QuadVector, Shaded, TextureUnit};
use ctm_x1k::reference::Shader;
use ctm_x1k::{
    AlphaOp, Alu, Arg, Body, Common, Constants, InputModifier, Instruction, Operand, OutputModifier, PredicateSelect,
    Program, RgbOp, RunError, Select, Swizzle, Tex, TexOp, TexRegister, UnitControl,
};

/// The bits of 1.0.
const ONE: u32 = 0x3F80_0000;

/// What runs for quads.
pub enum Shading<'s, 'x> {
    /// A short cut.
    PassThrough(&'s PassThrough, &'s Textures<'x>),
    /// The program.
    Program(&'s mut Shader<'x>),
}

impl Shading<'_, '_> {
    /// How many quads can run together.
    pub fn width(&self) -> usize {
        match self {
            Shading::PassThrough(..) => 1,
            Shading::Program(shader) => shader.width(),
        }
    }

    /// Replaces `shaded` by what the program makes of quads, at most as many as can run together.
    ///
    /// # Errors
    /// If the program does what the machine cannot do.
    pub fn shade(&mut self, quads: &[Quad], shaded: &mut Vec<Shaded>) -> Result<(), RunError> {
        match self {
            Shading::PassThrough(pass_through, textures) => {
                shaded.clear();
                shaded.extend(quads.iter().map(|quad| pass_through.shade(quad, textures)));
                Ok(())
            }
            Shading::Program(shader) => shader.shade(quads, shaded),
        }
    }

    /// Whether it matters what quads bring.
    pub fn needs_inputs(&self) -> bool {
        !matches!(self, Shading::PassThrough(PassThrough { from: PassSource::Constant(_), .. }, ..))
    }
}

/// A program that gives output A a constant, an input, or a texel, in some order of the channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassThrough {
    from: PassSource,
    selects: [ChannelSelect; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PassSource {
    Constant([u32; 4]),
    /// The input of this number; `None`: a temporary that nothing fills.
    Input(Option<usize>),
    /// A texel, with the channel that goes to each channel of the temporary.
    Texel {
        fetch: TexelFetch,
        order: [usize; 4],
    },
}

/// A texture instruction whose coordinates are an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelFetch {
    /// Number of the texture.
    pub unit: u8,
    /// The operation.
    pub op: TexOp,
    /// Coordinates are in texels.
    pub unscaled: bool,
    /// The input of this number; `None`: zeros.
    pub input: Option<usize>,
    /// Which of its channels the coordinates are.
    pub order: [usize; 4],
}

/// What a channel of an output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputChannel {
    /// A channel of a texel.
    Channel(usize),
    /// 0.
    Zero,
    /// 1.
    One,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChannelSelect {
    Channel(usize),
    Bits(u32),
}

impl PassThrough {
    /// The short cut for a program that finds these temporaries filled, if it is one of this kind.
    pub fn of(program: &Program, constants: &Constants, presets: &[u8]) -> Option<PassThrough> {
        let (start, end) = (usize::from(program.info.start), usize::from(program.info.end));
        // Of several values of one temporary the last one stays.
        let input = |temporary: u8| presets.iter().rposition(|&preset| preset == temporary);
        let (tex, out) = match program.code.get(start..=end)? {
            [out] => (None, out),
            [tex, out] => (Some(tex), out),
            _ => return None,
        };
        let (operand, selects) = moved(out)?;
        let from = match (operand, tex) {
            (Operand::Const { index, relative: false }, None) => {
                PassSource::Constant(constants.floats[usize::from(index)])
            }
            (Operand::Temp { index, relative: false }, None) => PassSource::Input(input(index)),
            (Operand::Temp { index, relative: false }, Some(tex)) => {
                let (tex, order) = fetched(tex, index)?;
                let order_of = |register: &TexRegister| register.swizzle.map(|channel| usize::from(channel as u8));
                let (unit, op, unscaled) = (tex.id, tex.op, tex.unscaled);
                let fetch = TexelFetch { unit, op, unscaled, input: input(tex.src.addr), order: order_of(&tex.src) };
                PassSource::Texel { fetch, order }
            }
            _ => return None,
        };
        Some(PassThrough { from, selects })
    }

    /// Output A, if it is the same everywhere in a primitive.
    pub fn constant(&self, inputs: &Inputs) -> Option<[u32; 4]> {
        let constant = |input: usize, channel: usize| match inputs.component(input, channel) {
            Component::Constant(bits) => Some(bits),
            Component::Varying(_) | Component::Other => None,
        };
        let values = match self.from {
            PassSource::Constant(values) => values,
            PassSource::Input(None) => [0; 4],
            PassSource::Input(Some(input)) => {
                [constant(input, 0)?, constant(input, 1)?, constant(input, 2)?, constant(input, 3)?]
            }
            PassSource::Texel { .. } => return None,
        };
        Some(self.output(values))
    }

    /// Where the channels of output A come from, if that is a texel.
    pub fn texel(&self) -> Option<(&TexelFetch, [OutputChannel; 4])> {
        match &self.from {
            PassSource::Constant(_) | PassSource::Input(_) => None,
            PassSource::Texel { fetch, order } => Some((
                fetch,
                self.selects.map(|pick| match pick {
                    ChannelSelect::Channel(channel) => OutputChannel::Channel(order[channel]),
                    ChannelSelect::Bits(0) => OutputChannel::Zero,
                    ChannelSelect::Bits(_) => OutputChannel::One,
                }),
            )),
        }
    }

    /// Output A for what a quad's pixel gets.
    #[inline]
    fn output(&self, values: [u32; 4]) -> [u32; 4] {
        self.selects.map(|pick| {
            let value = match pick {
                ChannelSelect::Channel(channel) => values[channel],
                ChannelSelect::Bits(bits) => bits,
            };
            // value * 1 + 0: no denormals, no -0, one NaN.
            x1k::add(value, 0)
        })
    }

    fn shade(&self, quad: &Quad, textures: &Textures) -> Shaded {
        let input = |number: Option<usize>| number.map_or([[0; 4]; 4], |number| quad.inputs[number]);
        let vector: QuadVector = match self.from {
            PassSource::Constant(constant) => [constant; 4],
            PassSource::Input(number) => input(number),
            PassSource::Texel { fetch, order } => {
                let coordinates = input(fetch.input).map(|values| fetch.order.map(|channel| values[channel]));
                let (dx, dy) = ([[0; 4]; 4], [[0; 4]; 4]);
                let TexelFetch { unit, op, unscaled, .. } = fetch;
                let texels = textures.fetch(&Fetch { unit, op, unscaled, coordinates, dx, dy });
                texels.map(|texel| order.map(|channel| texel[channel]))
            }
        };
        let mut shaded = Shaded { live: quad.covered, ..Shaded::default() };
        shaded.outputs[0] = vector.map(|values| self.output(values));
        shaded
    }
}

/// Whether a unit writes all of its channels whatever predicates are.
fn is_plain(control: &UnitControl) -> bool {
    control.pred_sel == PredicateSelect::None && !control.clamp
}

/// What an instruction moves to output A as it is.
fn moved(instruction: &Instruction) -> Option<(Operand, [ChannelSelect; 4])> {
    let Instruction { common: Common { rgb, alpha, .. }, body: Body::Out(alu), .. } = instruction else { return None };
    let Alu { rgb: colour, alpha: transparency, w_omask, .. } = alu;
    let writes = is_plain(rgb) && is_plain(alpha) && rgb.omask == 7 && alpha.omask == 1 && !w_omask;
    let multiplies = colour.op == RgbOp::Mad && transparency.op == AlphaOp::Mad;
    let as_it_is = colour.omod == OutputModifier::X1 && transparency.omod == OutputModifier::X1;
    let to_a = colour.target == 0 && transparency.target == 0;
    let operand = colour.src[0].operand();
    if !(writes && multiplies && as_it_is && to_a && operand == transparency.src[0].operand()) {
        return None;
    }
    let [red, green, blue] = times_one(&colour.arg)?;
    let [alpha] = times_one(&transparency.arg)?;
    Some((operand, [red, green, blue, alpha]))
}

/// The channels of source 0 that a multiply-add multiplies with 1, and adds 0 to.
fn times_one<const N: usize>([factor, one, zero]: &[Arg<N>; 3]) -> Option<[ChannelSelect; N]> {
    let is = |arg: &Arg<N>, value| arg.swizzle == [value; N] && arg.modifier == InputModifier::None;
    let plain = factor.sel == Select::Src0 && factor.modifier == InputModifier::None;
    if !(plain && is(one, Swizzle::One) && is(zero, Swizzle::Zero)) {
        return None;
    }
    let mut selects = [ChannelSelect::Bits(0); N];
    for (pick, swizzle) in selects.iter_mut().zip(factor.swizzle) {
        *pick = match swizzle {
            Swizzle::R => ChannelSelect::Channel(0),
            Swizzle::G => ChannelSelect::Channel(1),
            Swizzle::B => ChannelSelect::Channel(2),
            Swizzle::A => ChannelSelect::Channel(3),
            Swizzle::Zero => ChannelSelect::Bits(0),
            Swizzle::One => ChannelSelect::Bits(ONE),
            Swizzle::Half | Swizzle::Unused => return None,
        };
    }
    Some(selects)
}

/// What an instruction fetches to all channels of this temporary, and the texel's channel for each.
fn fetched(instruction: &Instruction, temporary: u8) -> Option<(&Tex, [usize; 4])> {
    let Instruction { common: Common { rgb, alpha, .. }, body: Body::Tex(tex), .. } = instruction else { return None };
    let writes = is_plain(rgb) && is_plain(alpha) && rgb.wmask == 7 && alpha.wmask == 1;
    let fetches = matches!(tex.op, TexOp::Ld | TexOp::Proj | TexOp::Lodbias | TexOp::Lod);
    let fixed = !tex.src.relative && !tex.dst.relative && tex.dst.addr == temporary;
    (writes && fetches && fixed).then(|| (tex, tex.dst.swizzle.map(|channel| usize::from(channel as u8))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::RegisterFile;
    use ctm_card::Object;
    use ctm_cases::{Result, Unstructured};
    use ctm_memory::Arena;
    use ctm_x1k::RunOptions;
    use ctm_x1k::fragments::FragmentJob;
    use ctm_x1k::reference::with_shader;

    const COLOUR: &str = "out[0].rgb = MAD src0.rgb src0.111 src0.000 , out[0].a = MAD src0.a src0.1 src0.0 ;";

    fn program(text: &str) -> Program {
        ctm_x1k::text::parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}")).program
    }

    fn out(source: &str, moves: &str) -> String {
        format!("OUT TEX_SEM_WAIT src0.a = {source} , src0.rgb = {source} : {moves}\n")
    }

    /// Texture 1: 8 x 8 texels of 8 bits and four channels, linear filters.
    fn textures() -> (RegisterFile, Arena) {
        let memory = Arena::new(0x1_0000, 0x1_0000).unwrap();
        (0..64).for_each(|n| _ = memory.write_u32(0x1_0000 + 4 * n, n.wrapping_mul(0x9E37_79B9)));
        let mut registers = crate::registers::after_reset();
        registers.write(0x4404, 2 << 9 | 2 << 11);
        registers.write(0x4484, 7 | 7 << 11);
        registers.write(0x44C4, 0x0008_860C);
        registers.bind(0x4544, 0, Object { address: 0x1_0000, size: 256 });
        registers.write(0x4104, 2);
        (registers, memory)
    }

    fn number(u: &mut Unstructured) -> Result<u32> {
        Ok(match u.int_in_range(0..=3)? {
            0 => u.arbitrary()?,
            1 => *u.choose(&[0, 0x8000_0000, 1, 0x8000_0001, 0x7FC1_2345, 0xFF80_0000, 0x7F80_0000, ONE])?,
            _ => (u.int_in_range(-64..=64)? as f32 / 32.0).to_bits(),
        })
    }

    fn quad(u: &mut Unstructured) -> Result<Quad> {
        let mut inputs = vec![[[0; 4]; 4]; 2];
        for value in inputs.iter_mut().flatten().flatten() {
            *value = number(u)?;
        }
        Ok(Quad { position: (4, 8), covered: u.int_in_range(1..=15)?, inputs })
    }

    /// The program and the short cut give the same.
    fn check(text: &str) {
        let program = program(text);
        let (registers, memory) = textures();
        let textures = Textures::of(&registers, &memory);
        let mut constants = Constants::default();
        constants.floats[3] = [1, 0x8000_0000, 0xFFC0_0000, 0x3F00_0000];
        // The second value of temporary 5 hides the first one.
        for presets in [[5, 5], [5, 6], [7, 5]] {
            let pass_through = PassThrough::of(&program, &constants, &presets).unwrap_or_else(|| panic!("{text}"));
            let job = FragmentJob { program: &program, constants: &constants, presets: &presets, textures: &textures };
            with_shader(&job, &RunOptions::default(), |shader| {
                ctm_cases::check(500, |u| {
                    let quads: Vec<Quad> = (0..u.int_in_range(1..=16)?).map(|_| quad(u)).collect::<Result<_>>()?;
                    let (mut exact, mut short) = (Vec::new(), Vec::new());
                    Shading::Program(shader).shade(&quads, &mut exact).unwrap();
                    Shading::PassThrough(&pass_through, &textures).shade(&quads, &mut short).unwrap();
                    assert_eq!((exact.len(), short.len()), (quads.len(), quads.len()));
                    for (quad, (short, exact)) in quads.iter().zip(short.iter().zip(&exact)) {
                        assert_eq!(short.live, exact.live);
                        for lane in (0..4).filter(|lane| quad.covered >> lane & 1 != 0) {
                            assert_eq!(short.outputs[0][lane], exact.outputs[0][lane], "{text}");
                        }
                    }
                    Ok(())
                });
            });
        }
    }

    #[test]
    fn short_cuts_give_what_the_programs_give() {
        check(&out("const[3]", COLOUR));
        check(&out("temp[5]", COLOUR));
        check(&out("temp[6]", &COLOUR.replace("src0.rgb", "src0.b1a").replace("src0.a ", "src0.r ")));
        for (op, swizzles) in [("LD", ("rgba", "rgrg")), ("PROJ", ("bgra", "rgba")), ("LOD", ("aaar", "grba"))] {
            let (texel, coordinates) = swizzles;
            let fetch = |unscaled| {
                format!(
                    "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE {unscaled} temp[5].rgba = {op} tex[1].{texel} temp[5].{coordinates} ;\n"
                )
            };
            check(&(fetch("") + &out("temp[5]", COLOUR)));
            check(&(fetch("UNSCALED") + &out("temp[5]", COLOUR)));
        }
    }

    #[test]
    fn other_programs_have_none() {
        let fetch = "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[5].rgba = LD tex[1].rgba temp[5].rgrg ;\n";
        let others = [
            out("temp[5]", &COLOUR.replace("src0.111", "src0.11h")),
            out("temp[5]", &COLOUR.replace("src0.000", "src0.001")),
            out("temp[5]", &COLOUR.replace("src0.rgb", "-src0.rgb")),
            out("temp[5]", &COLOUR.replace("out[0]", "out[1]")),
            out("temp[5]", &COLOUR.replace("out[0].rgb", "out[0].rg")),
            out("temp[5]", &COLOUR.replace("MAD src0.a", "MAX src0.a")),
            fetch.to_owned() + &out("temp[6]", COLOUR),
            fetch.replace("temp[5].rgba", "temp[5].rgb") + &out("temp[5]", COLOUR),
            fetch.to_owned() + fetch + &out("temp[5]", COLOUR),
        ];
        for text in others {
            assert_eq!(PassThrough::of(&program(&text), &Constants::default(), &[5]), None, "{text}");
        }
    }
}
