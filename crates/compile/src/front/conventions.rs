//! Uniforms that have a meaning by their names: those that Shadertoy, GLSL Sandbox, glslViewer and The Book of Shaders give to every shader.
//! Programs that run shaders fill them in from a [`Moment`].

use super::interface::{Interface, Uniform, UniformKind};

/// Channels of Shadertoy: `iChannel0` to `iChannel3`.
pub const CHANNELS: usize = 4;

/// Samples of sound in a second, which a shader without sound gets too.
const SAMPLE_RATE: f32 = 44_100.0;

/// What a uniform holds by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Convention {
    /// Width and height of the picture in pixels, and the aspect of a pixel, which is 1.
    Resolution,
    /// Seconds since the first frame.
    Time,
    /// Seconds since the frame before.
    TimeStep,
    /// The number of the frame, from 0.
    Frame,
    /// Frames in a second.
    FrameRate,
    /// Where the mouse is, and where a button was pressed, in pixels.
    Mouse,
    /// Where the mouse is, from 0 to 1 over the picture.
    MousePart,
    /// Year, month and day, which are 0 so that results do not depend on them, and the seconds of the day: those since the first frame.
    Date,
    /// Seconds that each channel has played.
    ChannelTime,
    /// Width, height and depth of each channel's texture.
    ChannelResolution,
    /// Samples of sound in a second.
    SampleRate,
}

/// A name with its meaning, and the declaration that it has where a text of GLSL has none.
pub(super) struct Known {
    pub(super) name: &'static str,
    convention: Convention,
    pub(super) declaration: &'static str,
}

const fn known(name: &'static str, convention: Convention, declaration: &'static str) -> Known {
    Known { name, convention, declaration }
}

/// All names.
pub(super) const NAMES: [Known; 22] = [
    known("iResolution", Convention::Resolution, "vec3 iResolution;"),
    known("resolution", Convention::Resolution, "vec2 resolution;"),
    known("u_resolution", Convention::Resolution, "vec2 u_resolution;"),
    known("uResolution", Convention::Resolution, "vec2 uResolution;"),
    known("iTime", Convention::Time, "float iTime;"),
    known("iGlobalTime", Convention::Time, "float iGlobalTime;"),
    known("time", Convention::Time, "float time;"),
    known("u_time", Convention::Time, "float u_time;"),
    known("uTime", Convention::Time, "float uTime;"),
    known("iTimeDelta", Convention::TimeStep, "float iTimeDelta;"),
    known("u_delta", Convention::TimeStep, "float u_delta;"),
    known("iFrame", Convention::Frame, "int iFrame;"),
    known("u_frame", Convention::Frame, "int u_frame;"),
    known("iFrameRate", Convention::FrameRate, "float iFrameRate;"),
    known("iMouse", Convention::Mouse, "vec4 iMouse;"),
    known("u_mouse", Convention::Mouse, "vec2 u_mouse;"),
    known("mouse", Convention::MousePart, "vec2 mouse;"),
    known("iDate", Convention::Date, "vec4 iDate;"),
    known("u_date", Convention::Date, "vec4 u_date;"),
    known("iChannelTime", Convention::ChannelTime, "float iChannelTime[4];"),
    known("iChannelResolution", Convention::ChannelResolution, "vec3 iChannelResolution[4];"),
    known("iSampleRate", Convention::SampleRate, "float iSampleRate;"),
];

impl Convention {
    /// What a uniform holds by its name, if its type fits; that of a member, such as `view.time`, is what the last part of its name says.
    pub fn of(uniform: &Uniform) -> Option<Convention> {
        let name = uniform.name.rsplit('.').next()?;
        let convention = NAMES.iter().find(|known| known.name == name)?.convention;
        let (rows, elements) = convention.shape();
        // Vectors may be shorter than the meaning, but one number for two is another meaning.
        let fits = uniform.rows == rows || (2..rows).contains(&uniform.rows);
        let is_number = uniform.columns == 1 && uniform.kind != UniformKind::Bool;
        (fits && is_number && uniform.elements.unwrap_or(1) as usize <= elements).then_some(convention)
    }

    /// Channels of the value, and elements.
    const fn shape(self) -> (u8, usize) {
        match self {
            Convention::Time
            | Convention::TimeStep
            | Convention::Frame
            | Convention::FrameRate
            | Convention::SampleRate => (1, 1),
            Convention::MousePart => (2, 1),
            Convention::Resolution => (3, 1),
            Convention::Mouse | Convention::Date => (4, 1),
            Convention::ChannelTime => (1, CHANNELS),
            Convention::ChannelResolution => (3, CHANNELS),
        }
    }

    /// Whether it differs from frame to frame.
    pub const fn moves(self) -> bool {
        match self {
            Convention::Time | Convention::Frame | Convention::Date | Convention::ChannelTime => true,
            Convention::Resolution
            | Convention::TimeStep
            | Convention::FrameRate
            | Convention::Mouse
            | Convention::MousePart
            | Convention::ChannelResolution
            | Convention::SampleRate => false,
        }
    }
}

/// What a picture is made at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Columns and rows of the picture.
    pub size: [u32; 2],
    /// The number of the frame, from 0.
    pub frame: u32,
    /// Seconds since the first frame.
    pub seconds: f32,
    /// Frames in a second.
    pub rate: f32,
    /// Column and row of the mouse, and of the last press of its button.
    pub mouse: [f32; 4],
    /// Width, height and depth of the textures `iChannel0` to `iChannel3`; zeros for those that there are not.
    pub channels: [[u32; 3]; CHANNELS],
}

impl Moment {
    /// What a uniform holds by its name: a number for each channel, column and element. `None` if its name means nothing, or its type
    /// does not fit the meaning.
    pub fn value(&self, uniform: &Uniform) -> Option<Vec<f32>> {
        let [width, height] = self.size.map(|side| side as f32);
        let convention = Convention::of(uniform)?;
        let values: Vec<f32> = match convention {
            Convention::Resolution => vec![width, height, 1.0],
            Convention::Time => vec![self.seconds],
            Convention::TimeStep => vec![self.rate.recip()],
            Convention::Frame => vec![self.frame as f32],
            Convention::FrameRate => vec![self.rate],
            Convention::Mouse => self.mouse.to_vec(),
            Convention::MousePart => vec![self.mouse[0] / width, self.mouse[1] / height],
            Convention::Date => vec![0.0, 0.0, 0.0, self.seconds],
            Convention::ChannelTime => vec![self.seconds; CHANNELS],
            Convention::ChannelResolution => self.channels.iter().flatten().map(|&side| side as f32).collect(),
            Convention::SampleRate => vec![SAMPLE_RATE],
        };
        let (rows, elements) = (usize::from(uniform.rows), uniform.elements.unwrap_or(1) as usize);
        let elements = values.chunks(convention.shape().0.into()).take(elements);
        Some(elements.flat_map(|channels| channels[..rows].iter().copied()).collect())
    }

    /// Notes the sizes of a shader's channels: `size` gives that of the input with a number, if it is known.
    pub fn set_channels(&mut self, interface: &Interface, size: impl Fn(u8) -> Option<[u32; 3]>) {
        for (number, channel) in self.channels.iter_mut().enumerate() {
            let name = format!("iChannel{number}");
            let texture = interface.textures.iter().find(|texture| texture.name == name);
            *channel = texture.and_then(|texture| size(texture.unit)).unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::UniformPlace;

    const MOMENT: Moment = Moment {
        size: [640, 480],
        frame: 6,
        seconds: 0.25,
        rate: 24.0,
        mouse: [320.0, 120.0, 1.0, 2.0],
        channels: [[8, 4, 1], [0; 3], [2, 2, 2], [0; 3]],
    };

    fn value(name: &str, kind: UniformKind, rows: u8, elements: Option<u32>) -> Option<Vec<f32>> {
        let place = UniformPlace { register: 0, channel: 0 };
        let default = Vec::new();
        MOMENT.value(&Uniform { name: name.into(), kind, columns: 1, rows, elements, place, default })
    }

    #[test]
    fn names_have_their_values() {
        use UniformKind::{Bool, Float, Int};
        for (name, kind, rows, elements, expected) in [
            ("iResolution", Float, 3, None, Some(vec![640.0, 480.0, 1.0])),
            ("u_resolution", Float, 2, None, Some(vec![640.0, 480.0])),
            ("view.resolution", Float, 2, None, Some(vec![640.0, 480.0])),
            ("resolution", Float, 1, None, None),
            ("resolution", Float, 4, None, None),
            ("iTime", Float, 1, None, Some(vec![0.25])),
            ("time", Bool, 1, None, None),
            ("time", Float, 3, None, None),
            ("times", Float, 1, None, None),
            ("iTimeDelta", Float, 1, None, Some(vec![1.0 / 24.0])),
            ("iFrame", Int, 1, None, Some(vec![6.0])),
            ("iFrameRate", Float, 1, None, Some(vec![24.0])),
            ("iMouse", Float, 4, None, Some(vec![320.0, 120.0, 1.0, 2.0])),
            ("u_mouse", Float, 2, None, Some(vec![320.0, 120.0])),
            ("mouse", Float, 2, None, Some(vec![0.5, 0.25])),
            ("iDate", Float, 4, None, Some(vec![0.0, 0.0, 0.0, 0.25])),
            ("iChannelTime", Float, 1, Some(4), Some(vec![0.25; 4])),
            ("iChannelTime", Float, 1, Some(5), None),
            ("iChannelResolution", Float, 3, Some(2), Some(vec![8.0, 4.0, 1.0, 0.0, 0.0, 0.0])),
            ("iSampleRate", Float, 1, None, Some(vec![44_100.0])),
        ] {
            assert_eq!(value(name, kind, rows, elements), expected, "{name}");
        }
    }
}
