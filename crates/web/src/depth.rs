//! Depth buffers as pictures.

use ctm_array::{Array, Data, Shape};
use ctm_card::DepthPicture;

/// A depth buffer as an array whose channels are depth and, if it has some, stencil values: their names, and the least and the greatest depth.
pub fn surface(picture: DepthPicture) -> (Array, Vec<&'static str>, [f32; 2]) {
    let DepthPicture { width, height, depths, stencils } = picture;
    let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
    for depth in depths.iter().map(|&bits| f32::from_bits(bits)).filter(|depth| depth.is_finite()) {
        (least, most) = (least.min(depth), most.max(depth));
    }
    let range = if least <= most { [least, most] } else { [0.0, 1.0] };
    let (channels, values) = match stencils {
        None => (vec!["depth"], depths),
        Some(stencils) => {
            let both = depths.into_iter().zip(stencils);
            let values = both.flat_map(|(depth, stencil)| [depth, f32::from(stencil).to_bits()]).collect();
            (vec!["depth", "stencil"], values)
        }
    };
    let shape = Shape { width: width as usize, height: height as usize, channels: channels.len() };
    (Array { shape, data: Data::F32(values) }, channels, range)
}

/// Grays of the depths of such a surface: four bytes for each element, black for the least, white for the greatest. If there is one depth only, it is
/// white.
pub fn gray(array: &Array, [least, most]: [f32; 2]) -> Vec<u8> {
    let values = array.data.to_f32();
    let shade = |pixel: &[u32]| {
        let depth = f32::from_bits(pixel[0]);
        let part = if most > least { (depth - least) / (most - least) } else { 1.0 };
        let gray = (part * 255.0).round() as u8;
        [gray, gray, gray, u8::MAX]
    };
    values.chunks_exact(array.shape.channels).flat_map(shade).collect()
}
