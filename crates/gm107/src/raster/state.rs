//! The state of the rasteriser: what the methods say of primitives in the window.

use crate::methods::codes::{CullFace, FrontFace, PolygonMode};
use crate::methods::{
    ClipDistanceEnable, ClipDistanceMode, ClipRectHoriz, ClipRectVert, ClipRectsEn, ClipRectsMode, CullFaceEnable,
    CullFaceMethod, DepthClipNegativeZ, DepthRangeFar, DepthRangeNear, FrontFaceMethod, Layer, LineSmoothEnable,
    LineStippleEnable, LineStipplePattern, LineWidthAliased, LineWidthSmooth, MultisampleEnable, MultisampleMode,
    PixelCenterInteger, PointCoordReplace, PointSize, PointSmoothEnable, PointSpriteEnable, PolygonModeBack,
    PolygonModeFront, PolygonOffsetClamp, PolygonOffsetFactor, PolygonOffsetFillEnable, PolygonOffsetLineEnable,
    PolygonOffsetPointEnable, PolygonOffsetUnits, PolygonStippleEnable, PolygonStipplePattern, RegisterType,
    ScissorEnable, ScissorHoriz, ScissorVert, ScreenScissorHoriz, ScreenScissorVert, VertexTwoSideEnable,
    ViewVolumeClipCtrl, ViewportHoriz, ViewportScaleX, ViewportScaleY, ViewportScaleZ, ViewportTransformEn,
    ViewportTranslateX, ViewportTranslateY, ViewportTranslateZ, ViewportVert, VpPointSize,
};
use crate::state::Methods;
use ctm_raster::grid::Rect;
use ctm_sm50::pipeline::clip::{ClipVolume, NearPlane};
use ctm_sm50::pipeline::inputs::InputRules;
use std::sync::Arc;

/// Viewports that there are.
pub const VIEWPORTS: u32 = 16;
/// Window rectangles that there are.
const RECTANGLES: u32 = 8;

/// A viewport, and where it lets draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// What x/w, y/w and z/w are multiplied with, and what is added then.
    pub scale: [f32; 3],
    pub offset: [f32; 3],
    /// The pixels.
    pub area: Rect,
    /// The least and the greatest depth.
    pub depth_range: [f64; 2],
}

/// How a polygon's depth is moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolygonOffset {
    pub factor: f32,
    pub units: f32,
    pub clamp: f32,
}

/// What is drawn of primitives, and how.
#[derive(Clone, Debug)]
pub struct RasterState {
    /// Positions are in clip space; else in the window.
    pub has_transform: bool,
    pub volume: ClipVolume,
    /// Distances that drop primitives which are negative there: bit n for distance n.
    pub cull_distances: u8,
    viewports: Vec<Viewport>,
    /// Pixel centres have whole coordinates.
    pub has_integer_centres: bool,
    /// Rectangles in which alone, or outside of which alone, is drawn.
    pub rectangles: Option<(Arc<[Rect]>, bool)>,
    /// Samples of a pixel.
    pub samples: u32,
    /// Every sample is covered by itself.
    pub is_multisampled: bool,
    pub front: FrontFace,
    pub cull: Option<CullFace>,
    /// What front and back faces are drawn as.
    pub modes: [PolygonMode; 2],
    /// Depth offsets of polygons drawn as points, as lines, filled.
    pub offsets: [Option<PolygonOffset>; 3],
    /// Rows of polygon stipple.
    pub polygon_stipple: Option<[u32; 32]>,
    pub line_width: f32,
    /// Pattern of lines, and pixels of each of its bits.
    pub line_stipple: Option<(u16, i64)>,
    pub point_size: f32,
    /// Programs say how large points are.
    pub has_point_sizes: bool,
    pub has_sprites: bool,
    pub has_smooth_points: bool,
    pub inputs: InputRules,
    /// The layer; `None` if programs say which.
    pub layer: Option<u32>,
}

impl RasterState {
    /// As the methods say; the first viewport alone, unless `programs_choose` among them.
    pub fn of(methods: &Methods, programs_choose: bool) -> Self {
        let samples = 1 << methods.get::<MultisampleMode>().samples_log2.min(3);
        let viewports = if programs_choose { VIEWPORTS } else { 1 };
        let is_multisampled = samples > 1 && methods.get::<MultisampleEnable>().enable;
        let has_smooth_lines = methods.get::<LineSmoothEnable>().enable;
        let (distances, culls) = distances(methods);
        let clip: ViewVolumeClipCtrl = methods.get();
        let offset = |enabled: bool| {
            enabled.then(|| PolygonOffset {
                factor: methods.float(PolygonOffsetFactor::ADDRESS),
                units: methods.float(PolygonOffsetUnits::ADDRESS),
                clamp: methods.float(PolygonOffsetClamp::ADDRESS),
            })
        };
        let stipple: LineStipplePattern = methods.get();
        let replace: PointCoordReplace = methods.get();
        let layer: Layer = methods.get();
        RasterState {
            has_transform: methods.get::<ViewportTransformEn>().enable,
            volume: ClipVolume {
                near: match (clip.depth_clamp_near, methods.get::<DepthClipNegativeZ>().zero) {
                    (true, _) => NearPlane::None,
                    (false, true) => NearPlane::Zero,
                    (false, false) => NearPlane::MinusW,
                },
                far: !clip.depth_clamp_far,
                distances,
            },
            cull_distances: culls,
            viewports: (0..viewports).map(|number| viewport(methods, number)).collect(),
            has_integer_centres: methods.get::<PixelCenterInteger>().enable,
            rectangles: methods.get::<ClipRectsEn>().enable.then(|| {
                let all = (0..RECTANGLES).map(|n| rectangle(methods, n)).filter(|rectangle| !rectangle.is_empty());
                (all.collect(), methods.get::<ClipRectsMode>().outside_all)
            }),
            samples,
            is_multisampled,
            front: methods.get::<FrontFaceMethod>().face,
            cull: methods.get::<CullFaceEnable>().enable.then(|| methods.get::<CullFaceMethod>().face),
            modes: [methods.get::<PolygonModeFront>().mode, methods.get::<PolygonModeBack>().mode],
            offsets: [
                offset(methods.get::<PolygonOffsetPointEnable>().enable),
                offset(methods.get::<PolygonOffsetLineEnable>().enable),
                offset(methods.get::<PolygonOffsetFillEnable>().enable),
            ],
            polygon_stipple: methods
                .get::<PolygonStippleEnable>()
                .enable
                .then(|| std::array::from_fn(|row| methods.at::<PolygonStipplePattern>(row as u32).bits)),
            line_width: if has_smooth_lines || is_multisampled {
                methods.float(LineWidthSmooth::ADDRESS)
            } else {
                methods.float(LineWidthAliased::ADDRESS).round().max(1.0)
            },
            line_stipple: methods
                .get::<LineStippleEnable>()
                .enable
                .then(|| (stipple.pattern, i64::from(stipple.factor) + 1)),
            point_size: methods.float(PointSize::ADDRESS),
            has_point_sizes: methods.get::<VpPointSize>().enable,
            has_sprites: methods.get::<PointSpriteEnable>().enable,
            has_smooth_points: methods.get::<PointSmoothEnable>().enable,
            inputs: InputRules {
                two_sided: methods.get::<VertexTwoSideEnable>().enable,
                replaced: replace.textures.into(),
                upwards: !replace.upper_left,
            },
            layer: (!layer.use_gp).then_some(layer.layer.into()),
        }
    }

    /// A viewport; the first one, if this is not among them.
    pub fn viewport(&self, number: usize) -> &Viewport {
        self.viewports.get(number).unwrap_or(&self.viewports[0])
    }

    /// Samples whose coverage is found out, and which lie where the machine has them.
    pub fn covered_samples(&self) -> u32 {
        if self.is_multisampled { self.samples } else { 1 }
    }
}

/// The distances that clip, and those that cull.
fn distances(methods: &Methods) -> (u8, u8) {
    let enabled = methods.get::<ClipDistanceEnable>().planes;
    let modes = methods.word(ClipDistanceMode::ADDRESS);
    let culls = (0..8).filter(|n| modes >> (4 * n) & 1 != 0).fold(0, |culls, n| culls | 1 << n);
    (enabled & !culls, enabled & culls)
}

fn viewport(methods: &Methods, number: u32) -> Viewport {
    let of = |first: u32| f32::from_bits(methods.word(first + number * ViewportScaleX::STRIDE));
    let rect = |(x, w): (u16, u16), (y, h): (u16, u16)| Rect {
        left: x.into(),
        top: y.into(),
        right: u32::from(x) + u32::from(w),
        bottom: u32::from(y) + u32::from(h),
    };
    let (columns, rows): (ScreenScissorHoriz, ScreenScissorVert) = (methods.get(), methods.get());
    let screen = rect((columns.x, columns.w), (rows.y, rows.h));
    let (columns, rows): (ViewportHoriz, ViewportVert) = (methods.at(number), methods.at(number));
    let mut area = screen.intersection(rect((columns.x, columns.w), (rows.y, rows.h)));
    if methods.at::<ScissorEnable>(number).enable {
        let (columns, rows): (ScissorHoriz, ScissorVert) = (methods.at(number), methods.at(number));
        area = area.intersection(Rect {
            left: columns.min.into(),
            top: rows.min.into(),
            right: columns.max.into(),
            bottom: rows.max.into(),
        });
    }
    let [near, far] = [DepthRangeNear::ADDRESS, DepthRangeFar::ADDRESS]
        .map(|first| f64::from(f32::from_bits(methods.word(first + number * DepthRangeNear::STRIDE))));
    Viewport {
        scale: [ViewportScaleX::ADDRESS, ViewportScaleY::ADDRESS, ViewportScaleZ::ADDRESS].map(of),
        offset: [ViewportTranslateX::ADDRESS, ViewportTranslateY::ADDRESS, ViewportTranslateZ::ADDRESS].map(of),
        area,
        depth_range: [near.min(far), near.max(far)],
    }
}

fn rectangle(methods: &Methods, number: u32) -> Rect {
    let (columns, rows): (ClipRectHoriz, ClipRectVert) = (methods.at(number), methods.at(number));
    Rect { left: columns.min.into(), top: rows.min.into(), right: columns.max.into(), bottom: rows.max.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn methods(words: &[(u32, u32)]) -> Methods {
        Methods::new(words)
    }

    #[test]
    fn areas_are_inside_of_everything() {
        let words = [
            (ScreenScissorHoriz::ADDRESS, 64 << 16),
            (ScreenScissorVert::ADDRESS, 48 << 16),
            (ViewportHoriz::ADDRESS + 0x20, 40 << 16 | 30),
            (ViewportVert::ADDRESS + 0x20, 10 << 16 | 2),
            (ScissorEnable::ADDRESS + 0x20, 1),
            (ScissorHoriz::ADDRESS + 0x20, 50 << 16 | 20),
            (ScissorVert::ADDRESS + 0x20, 0xFFFF << 16),
        ];
        let state = RasterState::of(&methods(&words), true);
        assert_eq!(state.viewports[2].area, Rect { left: 30, top: 2, right: 50, bottom: 12 });
        assert!(state.viewports[0].area.is_empty());
    }

    #[test]
    fn distances_clip_or_cull() {
        let words = [(ClipDistanceEnable::ADDRESS, 0b1011), (ClipDistanceMode::ADDRESS, 0x0110)];
        let state = RasterState::of(&methods(&words), true);
        assert_eq!((state.volume.distances, state.cull_distances), (0b1001, 0b0010));
    }

    #[test]
    fn widths_are_rounded_unless_lines_are_smooth() {
        let width = |words: &[(u32, u32)]| RasterState::of(&methods(words), false).line_width;
        let aliased = (LineWidthAliased::ADDRESS, 2.6f32.to_bits());
        let smooth = (LineWidthSmooth::ADDRESS, 2.6f32.to_bits());
        assert_eq!(width(&[aliased, smooth]), 3.0);
        assert_eq!(width(&[aliased, smooth, (LineSmoothEnable::ADDRESS, 1)]), 2.6);
        let samples = [(MultisampleMode::ADDRESS, 2), (MultisampleEnable::ADDRESS, 1)];
        assert_eq!(width(&[aliased, smooth, samples[0], samples[1]]), 2.6);
        assert_eq!(width(&[]), 1.0);
    }
}
