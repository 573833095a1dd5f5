//! One domain of work: the state that a correct client sets, to run a program once.

use crate::command::{Command, FormatCode, LocationCode, TestCode, TilingCode};
use ctm_bits::FieldValue;
use ctm_memory::{Surface, Tiling};
use ctm_x1k::{CondLocation, Conditional, Domain};
use std::collections::BTreeMap;

/// A program in the device's memory: addresses of its image and of its constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadedProgram {
    /// The image.
    pub image: u32,
    /// The float constants: 256 times 16 bytes.
    pub constf: u32,
    /// The integer constants: 32 times 4 bytes.
    pub consti: u32,
    /// The boolean constants: 32 times 4 bytes.
    pub constb: u32,
}

/// One run of a program over a domain.
///
/// ```
/// use ctm_device::{LoadedProgram, Pass, command::encode};
/// use ctm_memory::{Format, Surface, Tiling};
///
/// let program = LoadedProgram { image: 0x8010_0000, constf: 0x8020_0000, consti: 0x8030_0000, constb: 0x8040_0000 };
/// let input = Surface {
///     base: 0x8050_0000,
///     pitch: 64,
///     height: 64,
///     tiling: Tiling::Linear,
///     superfine: false,
///     format: Format::Float32_4,
/// };
/// let output = Surface { base: 0x1000_0000, tiling: Tiling::Tiled, ..input };
/// let words = encode(Pass::new(program, 64, 64).input(0, input).output(0, output).commands());
/// assert!(words.windows(3).any(|words| words == [0xC001_0A00, 0x8010_0000, 0]));
/// ```
#[derive(Clone, Debug)]
pub struct Pass {
    program: LoadedProgram,
    domain: Domain,
    inputs: BTreeMap<u8, Surface>,
    outputs: BTreeMap<u8, Surface>,
    params: Option<u32>,
    out_mask: u8,
    conditional: Conditional,
}

impl Pass {
    /// A run over the `width` by `height` pairs from (0, 0) on, at most 4096 by 4096, without buffers.
    pub fn new(program: LoadedProgram, width: u32, height: u32) -> Self {
        // A domain without pairs is one that ends before it begins.
        let nothing = Domain { i0: 1, j0: 0, i1: 0, j1: 0 };
        Pass {
            program,
            domain: Domain::of_size(width, height).unwrap_or(nothing),
            inputs: BTreeMap::new(),
            outputs: BTreeMap::new(),
            params: None,
            out_mask: 0xF,
            conditional: Conditional::default(),
        }
    }

    /// Runs over these pairs instead.
    pub fn domain(mut self, domain: Domain) -> Self {
        self.domain = domain;
        self
    }

    /// Gives input `n`, 0 to 15, a buffer.
    pub fn input(mut self, n: u8, surface: Surface) -> Self {
        self.inputs.insert(n, surface);
        self
    }

    /// Gives output `n`, 0 to 3, a buffer.
    pub fn output(mut self, n: u8, surface: Surface) -> Self {
        self.outputs.insert(n, surface);
        self
    }

    /// Takes interpolated inputs from the vertices at this address.
    pub fn params(mut self, base: u32) -> Self {
        self.params = Some(base);
        self
    }

    /// Writes only the channels whose bits are set.
    pub fn out_mask(mut self, mask: u8) -> Self {
        self.out_mask = mask;
        self
    }

    /// Sets the conditional unit.
    pub fn conditional(mut self, conditional: Conditional) -> Self {
        self.conditional = conditional;
        self
    }

    /// All commands of the run, with every cache invalidated before and flushed after it, and the wait for its end.
    /// They set all state that the run depends on, and begin where the device is idle.
    pub fn commands(&self) -> Vec<Command> {
        let (format, tiling, pitch) = (FormatCode::default(), TilingCode::default(), 0);
        let LoadedProgram { image, constf, consti, constb } = self.program;
        let mut commands = vec![
            Command::SetInstFmt { base: image, format, tiling, pitch },
            Command::InvInstCache,
            Command::SetConstfFmt { base: constf, format, tiling, pitch },
            Command::InvConstfCache,
            Command::SetConstiFmt { base: consti, format, tiling, pitch },
            Command::InvConstiCache,
            Command::SetConstbFmt { base: constb, format, tiling, pitch },
            Command::InvConstbCache,
        ];
        for (&input, surface) in &self.inputs {
            let Layout { base, format, tiling, pitch, height } = layout(surface);
            commands.push(Command::SetInpFmt { input, base, format, tiling, pitch, height });
        }
        for (&output, surface) in &self.outputs {
            let Layout { base, format, tiling, pitch, height } = layout(surface);
            commands.push(Command::SetOutFmt { output, base, format, tiling, pitch, height });
        }
        let Conditional { test, location, write, surface, pe_value } = self.conditional;
        if let Some(surface) = &surface {
            let Layout { base, format, tiling, pitch, height } = layout(surface);
            commands.push(Command::SetCondOutFmt { base, format, tiling, pitch, height });
        }
        let location = match location {
            CondLocation::Dpp => LocationCode::Dpp,
            CondLocation::Pe => LocationCode::Pe,
        };
        let Domain { i0, j0, i1, j1 } = self.domain;
        let [i0, j0, i1, j1] = [i0, j0, i1, j1].map(|bound| bound as u16);
        commands.extend([
            Command::InvInpCache,
            Command::InvCondOutCache,
            Command::SetOutMask { mask: self.out_mask },
            Command::SetCondVal { value: pe_value },
            Command::SetCondTest { test: TestCode::from_raw(test as u32) },
            Command::SetCondLoc { location },
            Command::SetCondOutMask { mask: write },
            Command::SetDomain { i0, j0, i1, j1 },
        ]);
        commands.extend(self.params.map(|base| Command::SetParams { base }));
        commands.extend([
            Command::StartProgram,
            Command::FlushOutCache,
            Command::FlushCondOutCache,
            Command::WaitForIdle,
        ]);
        commands
    }
}

/// What the `set_*_fmt` commands say of a buffer.
struct Layout {
    base: u32,
    format: FormatCode,
    tiling: TilingCode,
    pitch: u16,
    height: u16,
}

fn layout(surface: &Surface) -> Layout {
    let tiling = match (surface.tiling, surface.superfine) {
        (Tiling::Linear, false) => TilingCode::Linear,
        (Tiling::Tiled, false) => TilingCode::Tiled,
        (Tiling::Linear, true) => TilingCode::LinearInp2x2,
        (Tiling::Tiled, true) => TilingCode::TiledInp2x2,
    };
    let format = FormatCode::from_raw(surface.format.code());
    Layout { base: surface.base, format, tiling, pitch: surface.pitch as u16, height: surface.height as u16 }
}
