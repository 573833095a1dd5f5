//! Samplers, as `ctm_raster` knows them.

use super::format::Format;
use super::header::{
    ANISOTROPY, ComponentSource, DepthComparison, HeaderType, LevelFilter, SamplerHeader, TexelFilter, TextureHeader,
    WrapCode,
};
use ctm_raster::depth::CompareFunction;
use ctm_raster::sampler::{DetailRange, Filter, MipFilter, Sampler, Scale, Wrap};
use ctm_sm50::textures::{Comparison, LookUp};

/// Steps of biases and bounds of levels of detail.
const STEPS: u32 = 256;
const ONE: u32 = 0x3F80_0000;

impl SamplerHeader {
    /// How it samples texels of this format.
    pub fn sampler(&self, texture: &TextureHeader, format: &Format) -> Sampler {
        let filter = |code: TexelFilter| match code {
            // Nothing lies between integers.
            _ if format.is_integer() => Filter::Point,
            TexelFilter::Linear => Filter::Linear,
            TexelFilter::Invalid0 | TexelFilter::Nearest | TexelFilter::Invalid3 => Filter::Point,
        };
        let is_cube = matches!(texture.kind, HeaderType::Cube | HeaderType::CubeArray);
        let fraction = |units: u16| (f32::from(units) / STEPS as f32).to_bits();
        // Thirteen bits with a sign.
        let bias = (self.bias << 3).cast_signed() >> 3;
        Sampler {
            // The edges of faces are those of their neighbours, or their own (decision D330).
            wrap: if is_cube { [Wrap::ClampToEdge; 3] } else { self.wraps.map(wrap) },
            magnification: filter(self.magnification),
            minification: filter(self.minification),
            mip: match self.mip {
                LevelFilter::Nearest => MipFilter::Point,
                // Between levels of integers there is nothing either.
                LevelFilter::Linear if format.is_integer() => MipFilter::Point,
                LevelFilter::Linear => MipFilter::Linear,
                LevelFilter::Invalid0 | LevelFilter::None => MipFilter::None,
            },
            finest: 0,
            bias: (f32::from(bias) / STEPS as f32).to_bits(),
            border: self.border,
            detail: DetailRange {
                steps: STEPS,
                least: fraction(self.least),
                greatest: fraction(self.greatest),
                halves_down: true,
            },
            seamless: is_cube && self.seamless,
        }
    }

    /// What else there is to looking a texture up with it.
    pub fn look_up(&self, texture: &TextureHeader, format: &Format) -> LookUp {
        let code = if texture.own_anisotropy { texture.anisotropy } else { self.anisotropy };
        let (depth, is_fraction) = format.depth();
        let results = texture.sources.map(|source| match source {
            ComponentSource::Zero | ComponentSource::Invalid1 => Some(0),
            ComponentSource::IntegerOne => Some(1),
            ComponentSource::FloatOne => Some(ONE),
            ComponentSource::R | ComponentSource::G | ComponentSource::B | ComponentSource::A => None,
        });
        LookUp {
            scale: if texture.normalised && !self.unnormalised { Scale::Texture } else { Scale::Texels },
            comparison: Comparison {
                function: function(self.comparison),
                component: depth.unwrap_or(0) as u8,
                results,
                clamps: is_fraction,
            },
            anisotropy: ANISOTROPY[usize::from(code & 7)],
            samples: texture.samples(),
        }
    }
}

const fn wrap(code: WrapCode) -> Wrap {
    match code {
        WrapCode::Repeat => Wrap::Repeat,
        WrapCode::Mirror => Wrap::Mirror,
        WrapCode::ClampToEdge => Wrap::ClampToEdge,
        WrapCode::Border => Wrap::ClampToBorder,
        WrapCode::Clamp => Wrap::Clamp,
        WrapCode::MirrorOnceToEdge => Wrap::MirrorOnceToEdge,
        WrapCode::MirrorOnceBorder => Wrap::MirrorOnceToBorder,
        WrapCode::MirrorOnceClamp => Wrap::MirrorOnceClamp,
    }
}

const fn function(code: DepthComparison) -> CompareFunction {
    match code {
        DepthComparison::Never => CompareFunction::Never,
        DepthComparison::Less => CompareFunction::Less,
        DepthComparison::Equal => CompareFunction::Equal,
        DepthComparison::LessOrEqual => CompareFunction::LessOrEqual,
        DepthComparison::Greater => CompareFunction::Greater,
        DepthComparison::NotEqual => CompareFunction::NotEqual,
        DepthComparison::GreaterOrEqual => CompareFunction::GreaterOrEqual,
        DepthComparison::Always => CompareFunction::Always,
    }
}
