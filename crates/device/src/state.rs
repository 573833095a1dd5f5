//! The registers of the device: what commands set and `start_program` reads.

use crate::command::{Command, FormatCode, LocationCode, TilingCode};
use crate::fault::{MemoryClient, StateError};
use ctm_memory::{Format, Surface, Tiling};
use ctm_x1k::{CondLocation, CondTest, Conditional, Domain, INPUTS, OUTPUTS, References};

/// What a client of the memory controller knows of its buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// Nothing.
    #[default]
    Unset,
    /// A format code that the guide reserves.
    Reserved(FormatCode),
    /// A buffer.
    Surface(Surface),
}

impl Binding {
    fn new(base: u32, format: FormatCode, tiling: TilingCode, pitch: u16, height: u16) -> Self {
        let Some(element) = Format::from_code(format as u32) else { return Binding::Reserved(format) };
        let (tiling, superfine) = match tiling {
            TilingCode::Linear => (Tiling::Linear, false),
            TilingCode::Tiled => (Tiling::Tiled, false),
            TilingCode::LinearInp2x2 => (Tiling::Linear, true),
            TilingCode::TiledInp2x2 => (Tiling::Tiled, true),
        };
        Binding::Surface(Surface {
            base,
            pitch: pitch.into(),
            height: height.into(),
            tiling,
            superfine,
            format: element,
        })
    }

    /// The buffer, if there is one.
    pub const fn surface(&self) -> Option<Surface> {
        match self {
            Binding::Surface(surface) => Some(*surface),
            _ => None,
        }
    }

    fn check(&self, client: MemoryClient) -> Result<(), StateError> {
        match *self {
            Binding::Reserved(format) => Err(StateError::ReservedFormat { client, format }),
            _ => Ok(()),
        }
    }
}

/// The device's registers.
///
/// After reset the domain is the one pair (0, 0), conditional operation passes everything, all output channels are
/// written, and no client has a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Where programs run.
    pub domain: Domain,
    /// Bit k: channel k of every output is written.
    pub out_mask: u8,
    /// The conditional unit, without its buffer.
    pub conditional: Conditional,
    /// The conditional output buffer.
    pub cond_out: Binding,
    /// The inputs.
    pub inputs: [Binding; INPUTS],
    /// The outputs.
    pub outputs: [Binding; OUTPUTS],
    /// Address of the program image.
    pub inst: Option<u32>,
    /// Address of the float constants.
    pub constf: Option<u32>,
    /// Address of the integer constants.
    pub consti: Option<u32>,
    /// Address of the boolean constants.
    pub constb: Option<u32>,
    /// Address of the vertices that interpolated inputs come from.
    pub params: Option<u32>,
}

impl Default for State {
    fn default() -> Self {
        State {
            domain: Domain { i0: 0, j0: 0, i1: 0, j1: 0 },
            out_mask: 0xF,
            conditional: Conditional::default(),
            cond_out: Binding::Unset,
            inputs: [Binding::Unset; INPUTS],
            outputs: [Binding::Unset; OUTPUTS],
            inst: None,
            constf: None,
            consti: None,
            constb: None,
            params: None,
        }
    }
}

impl State {
    /// Does what a command says, if it only sets registers. Others change nothing.
    ///
    /// The format words of the program image and the constants are not used: their elements are always instructions,
    /// four floats, one dword and one dword.
    pub fn set(&mut self, command: &Command) {
        match *command {
            Command::SetCondVal { value } => self.conditional.pe_value = value,
            Command::SetDomain { i0, j0, i1, j1 } => {
                self.domain = Domain { i0: i0.into(), j0: j0.into(), i1: i1.into(), j1: j1.into() };
            }
            Command::SetInstFmt { base, .. } => self.inst = Some(base),
            Command::SetInpFmt { input, base, format, tiling, pitch, height } => {
                self.inputs[usize::from(input) % INPUTS] = Binding::new(base, format, tiling, pitch, height);
            }
            Command::SetOutFmt { output, base, format, tiling, pitch, height } => {
                self.outputs[usize::from(output) % OUTPUTS] = Binding::new(base, format, tiling, pitch, height);
            }
            Command::SetCondOutFmt { base, format, tiling, pitch, height } => {
                self.cond_out = Binding::new(base, format, tiling, pitch, height);
            }
            Command::SetConstfFmt { base, .. } => self.constf = Some(base),
            Command::SetConstiFmt { base, .. } => self.consti = Some(base),
            Command::SetConstbFmt { base, .. } => self.constb = Some(base),
            Command::SetParams { base } => self.params = Some(base),
            Command::SetOutMask { mask } => self.out_mask = mask,
            Command::SetCondOutMask { mask } => self.conditional.write = mask,
            Command::SetCondTest { test } => self.conditional.test = CondTest::ALL[test as usize],
            Command::SetCondLoc { location: LocationCode::Dpp } => self.conditional.location = CondLocation::Dpp,
            Command::SetCondLoc { location: LocationCode::Pe } => self.conditional.location = CondLocation::Pe,
            _ => {}
        }
    }

    /// The conditional unit with its buffer.
    pub fn conditional(&self) -> Conditional {
        Conditional { surface: self.cond_out.surface(), ..self.conditional }
    }

    /// Checks what a [`ctm_x1k::Job`] cannot know: reserved formats, and addresses of constants.
    pub fn check(&self, references: &References) -> Result<(), StateError> {
        for &input in &references.inputs {
            self.inputs[usize::from(input) % INPUTS].check(MemoryClient::Input(input))?;
        }
        for &output in &references.outputs {
            self.outputs[usize::from(output) % OUTPUTS].check(MemoryClient::Output(output))?;
        }
        if self.conditional.needs_buffer() {
            self.cond_out.check(MemoryClient::CondOut)?;
        }
        let constants = [
            (MemoryClient::ConstF, self.constf, references.float_constants.is_empty()),
            (MemoryClient::ConstI, self.consti, references.int_constants.is_empty()),
            (MemoryClient::ConstB, self.constb, references.bool_constants.is_empty()),
        ];
        match constants.into_iter().find(|(_, base, unused)| base.is_none() && !unused) {
            Some((client, ..)) => Err(StateError::NoConstants(client)),
            None => Ok(()),
        }
    }
}
