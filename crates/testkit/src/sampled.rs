//! Inputs that are sampled as textures: as filetests write them, and at random.

use crate::filetest::directive::SurfaceSpec;
use crate::random::Random;
use ctm_memory::{Format, Surface, Tiling};
use ctm_raster::sampler::{DetailRange, Filter, MipFilter, Sampler, TextureKind, TextureShape, Wrap};
use std::fmt;

/// The words of kinds, filters and wraps.
const KINDS: [(&str, TextureKind); 3] =
    [("flat", TextureKind::Flat), ("volume", TextureKind::Volume), ("cube", TextureKind::Cube)];
const FILTERS: [(&str, Filter); 2] = [("point", Filter::Point), ("linear", Filter::Linear)];
const MIPS: [(&str, MipFilter); 3] =
    [("none", MipFilter::None), ("point", MipFilter::Point), ("linear", MipFilter::Linear)];
const WRAPS: [(&str, Wrap); 8] = [
    ("repeat", Wrap::Repeat),
    ("mirror", Wrap::Mirror),
    ("edge", Wrap::ClampToEdge),
    ("mirror_edge", Wrap::MirrorOnceToEdge),
    ("clamp", Wrap::Clamp),
    ("mirror_clamp", Wrap::MirrorOnceClamp),
    ("border", Wrap::ClampToBorder),
    ("mirror_border", Wrap::MirrorOnceToBorder),
];

/// `KIND:WxHxD:LAST_LEVEL:MAG,MIN,MIP:FINEST:BIAS:WRAP,WRAP,WRAP:BORDER`; bias and border are hexadecimal bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampled {
    /// Sizes.
    pub shape: TextureShape,
    /// Filters and wraps.
    pub sampler: Sampler,
}

fn name<T: PartialEq>(names: &[(&'static str, T)], value: &T) -> &'static str {
    names.iter().find(|(_, other)| other == value).map_or("", |(name, _)| name)
}

fn value<T: Copy>(names: &[(&str, T)], word: &str) -> Result<T, String> {
    let names_it = |(name, _): &&(&str, T)| *name == word;
    names.iter().find(names_it).map(|(_, value)| *value).ok_or_else(|| format!("`{word}` is unknown"))
}

fn hexadecimal(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix("0x").ok_or_else(|| format!("`{text}` does not begin with 0x"))?;
    u32::from_str_radix(digits, 16).map_err(|_| format!("`{text}` is not a dword"))
}

fn numbers<const N: usize>(
    text: &str,
    between: char,
    read: impl Fn(&str) -> Result<u32, String>,
) -> Result<[u32; N], String> {
    let numbers: Vec<u32> = text.split(between).map(read).collect::<Result<_, _>>()?;
    numbers.try_into().map_err(|_| format!("`{text}` is not {N} numbers"))
}

impl Sampled {
    /// Reads the words of a directive.
    ///
    /// # Errors
    /// With what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(':').collect();
        let [kind, size, last_level, filters, finest, bias, wraps, border] = parts[..] else {
            return Err(format!("`{text}` does not have eight parts"));
        };
        let decimal = |text: &str| text.parse().map_err(|_| format!("`{text}` is not a number"));
        let filters: Vec<&str> = filters.split(',').collect();
        let [magnification, minification, mip] = filters[..] else { return Err("there are three filters".into()) };
        let wraps = wraps.split(',').map(|word| value(&WRAPS, word)).collect::<Result<Vec<_>, _>>()?;
        Ok(Sampled {
            shape: TextureShape {
                kind: value(&KINDS, kind)?,
                size: numbers(size, 'x', decimal)?,
                last_level: decimal(last_level)?,
            },
            sampler: Sampler {
                wrap: wraps.try_into().map_err(|_| "there are three wraps".to_owned())?,
                magnification: value(&FILTERS, magnification)?,
                minification: value(&FILTERS, minification)?,
                mip: value(&MIPS, mip)?,
                finest: decimal(finest)?,
                bias: hexadecimal(bias)?,
                border: numbers(border, ',', hexadecimal)?,
                detail: DetailRange::UNBOUNDED,
                seamless: false,
            },
        })
    }

    /// Any small texture with any sampler.
    pub fn random(random: &mut Random) -> Self {
        let side = |random: &mut Random| 1 + random.below(12) as u32;
        let (kind, width) = (random.pick(&KINDS).1, side(random));
        let size = match kind {
            TextureKind::Flat => [width, side(random), 1],
            TextureKind::Volume => [width, side(random), 1 + random.below(5) as u32],
            TextureKind::Cube => [width, width, 1],
        };
        let border = match random.below(3) {
            0 => [0; 4],
            1 => std::array::from_fn(|_| random.number()),
            _ => std::array::from_fn(|_| random.float()),
        };
        let filter = random.pick(&FILTERS).1;
        Sampled {
            shape: TextureShape { kind, size, last_level: if random.one_in(2) { 0 } else { random.below(4) as u32 } },
            sampler: Sampler {
                wrap: std::array::from_fn(|_| random.pick(&WRAPS).1),
                magnification: filter,
                minification: if random.one_in(4) { random.pick(&FILTERS).1 } else { filter },
                mip: random.pick(&MIPS).1,
                finest: if random.one_in(4) { random.below(3) as u32 } else { 0 },
                bias: if random.one_in(3) { random.number() } else { 0 },
                border,
                detail: DetailRange::UNBOUNDED,
                seamless: false,
            },
        }
    }

    /// The surface of a level, in this format.
    pub fn surface(&self, level: u32, format: Format, tiling: Tiling) -> SurfaceSpec {
        let [width, height, _] = self.shape.level_size(level);
        SurfaceSpec {
            width: width.next_multiple_of(Surface::pitch_granule(tiling, format).max(4)),
            height: height * self.shape.layers(level),
            format,
            tiling,
            superfine: false,
        }
    }
}

impl fmt::Display for Sampled {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let TextureShape { kind, size: [width, height, depth], last_level } = &self.shape;
        let Sampler { wrap, magnification, minification, mip, finest, bias, border, .. } = &self.sampler;
        write!(f, "{}:{width}x{height}x{depth}:{last_level}:", name(&KINDS, kind))?;
        write!(f, "{},{},", name(&FILTERS, magnification), name(&FILTERS, minification))?;
        write!(f, "{}:{finest}:{bias:#x}:", name(&MIPS, mip))?;
        let [s, t, r] = wrap.map(|wrap| name(&WRAPS, &wrap));
        let [red, green, blue, alpha] = border;
        write!(f, "{s},{t},{r}:{red:#x},{green:#x},{blue:#x},{alpha:#x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_again() {
        for seed in 0..50 {
            let sampled = Sampled::random(&mut Random::new(seed));
            assert_eq!(Sampled::parse(&sampled.to_string()), Ok(sampled), "seed {seed}");
        }
    }
}
