//! A client of a device: places data in memory, runs passes, reads results.

use crate::command::encode;
use crate::connection::{Connection, SubmitError};
use crate::fault::Fault;
use crate::options::{HOST_BASE, LOCAL_BASE};
use crate::pass::{LoadedProgram, Pass};
use ctm_memory::{BASE_ALIGNMENT, Bounds, Format, RangeError, Surface, Tiling, View};
use ctm_object::elf;
use ctm_x1k::{Constants, Program};
use thiserror::Error;

/// Bytes for command buffers, at the beginning of host-visible memory.
const COMMAND_BYTES: u32 = 0x1_0000;

/// A part of the memory that buffers can be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heap {
    /// In the device's local memory.
    Local,
    /// In host-visible memory.
    Host,
}

/// Why a client cannot do what it was asked to.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClientError {
    /// The memory is full.
    #[error("{bytes} bytes do not fit into the memory that is left: open the device with more")]
    Full {
        /// Bytes that were asked for.
        bytes: u64,
    },
    /// Too many passes at once.
    #[error("the commands of {passes} passes do not fit into {COMMAND_BYTES} bytes: run them in several parts")]
    TooManyPasses {
        /// How many passes.
        passes: usize,
    },
    /// Memory that was allocated is not there.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// The command buffer was not taken.
    #[error(transparent)]
    Submit(#[from] SubmitError),
    /// The device found an error.
    #[error(transparent)]
    Device(#[from] Fault),
}

/// Uses a device alone: all of its memory, and its sticky error.
///
/// A domain of work in ten lines:
///
/// ```
/// use ctm_device::{Client, Connection, Heap, Options, Pass};
/// use ctm_memory::{Format, Tiling};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = "
///     .const c0 = 2.0, 2.0, 2.0, 2.0
///     TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
///     OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1], src1.rgb = const[0], src1.a = const[0] :
///       out[0].rgb = MAD src0.rgb src1.rgb src0.000, out[0].a = MAD src0.a src1.a src0.0 ;";
/// let device = Connection::open(Options::default())?;
/// let mut client = Client::new(&device);
/// let program = client.load(&ctm_x1k::text::parse(text).unwrap().program)?;
/// let input = client.buffer(Heap::Host, Format::Float32_4, Tiling::Linear, 64, 64)?;
/// let output = client.buffer(Heap::Local, Format::Float32_4, Tiling::Tiled, 64, 64)?;
/// client.write(&input, 64, &vec![[1.0, 2.0, 3.0, 4.0]; 64 * 64]);
/// client.run(&[Pass::new(program, 64, 64).input(0, input).output(0, output)])?;
/// assert_eq!(client.read(&output, 64, 64), vec![[2.0, 4.0, 6.0, 8.0]; 64 * 64]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Client<'d> {
    device: &'d Connection,
    /// First free addresses.
    next_local: u64,
    next_host: u64,
}

impl<'d> Client<'d> {
    /// A client that has placed nothing yet.
    pub fn new(device: &'d Connection) -> Self {
        Client { device, next_local: LOCAL_BASE.into(), next_host: (HOST_BASE + COMMAND_BYTES).into() }
    }

    /// Takes memory that nothing else has: an address, a multiple of 2048.
    pub fn allocate(&mut self, heap: Heap, bytes: u64) -> Result<u32, ClientError> {
        let options = self.device.options();
        let (next, end) = match heap {
            Heap::Local => (&mut self.next_local, u64::from(LOCAL_BASE) + u64::from(options.local_bytes)),
            Heap::Host => (&mut self.next_host, u64::from(HOST_BASE) + u64::from(options.host_bytes)),
        };
        let rounded = bytes.next_multiple_of(BASE_ALIGNMENT.into());
        if *next + rounded > end {
            return Err(ClientError::Full { bytes });
        }
        let address = *next as u32;
        *next += rounded;
        Ok(address)
    }

    /// Makes a buffer of at least `width` by `height` elements, at most 4096 by 4096. Its pitch is the width rounded up to
    /// whole tiles or 32 bytes.
    pub fn buffer(
        &mut self,
        heap: Heap,
        format: Format,
        tiling: Tiling,
        width: u32,
        height: u32,
    ) -> Result<Surface, ClientError> {
        let granule = Surface::pitch_granule(tiling, format).max(4);
        let pitch = width.max(1).next_multiple_of(granule);
        let surface = Surface { base: 0, pitch, height: height.max(1), tiling, superfine: false, format };
        Ok(Surface { base: self.allocate(heap, surface.bytes())?, ..surface })
    }

    /// Places a program's image and the constants that travel with it.
    pub fn load(&mut self, program: &Program) -> Result<LoadedProgram, ClientError> {
        let constants = Constants::from(&program.constants);
        let floats = constants.floats.as_flattened().to_vec();
        let ints: Vec<u32> = constants.ints.iter().map(|constant| constant.to_dword()).collect();
        let bools: Vec<u32> = constants.bools.iter().map(|&constant| constant.into()).collect();
        let image = elf::write(program);
        let loaded = LoadedProgram {
            image: self.allocate(Heap::Host, image.len() as u64)?,
            constf: self.allocate(Heap::Host, 4 * floats.len() as u64)?,
            consti: self.allocate(Heap::Host, 4 * ints.len() as u64)?,
            constb: self.allocate(Heap::Host, 4 * bools.len() as u64)?,
        };
        self.device.memory().write_bytes(loaded.image, &image)?;
        for (address, words) in [(loaded.constf, floats), (loaded.consti, ints), (loaded.constb, bools)] {
            self.device.write_words(address, &words)?;
        }
        Ok(loaded)
    }

    /// Writes elements into a buffer, rows of `width` from the top on, converted as its format says. What lies outside of
    /// the buffer is dropped.
    pub fn write(&self, surface: &Surface, width: u32, elements: &[[f32; 4]]) {
        let view = View::new(self.device.memory(), *surface, Bounds::Drop);
        for (y, row) in (0..).zip(elements.chunks(width.max(1) as usize)) {
            for (x, element) in (0..).zip(row) {
                view.store(x, y, element.map(f32::to_bits), 0xF);
            }
        }
    }

    /// Reads the elements left of `width` and above `height`, row after row. Channels that the format lacks are 1.
    pub fn read(&self, surface: &Surface, width: u32, height: u32) -> Vec<[f32; 4]> {
        let view = View::new(self.device.memory(), *surface, Bounds::Drop);
        let rows = 0..i64::from(height);
        rows.flat_map(|y| (0..i64::from(width)).map(move |x| (x, y)))
            .map(|(x, y)| view.load(x, y).map(f32::from_bits))
            .collect()
    }

    /// Runs passes one after the other, in one command buffer, and waits for their end.
    ///
    /// # Errors
    /// The first error of the device, whatever buffer it comes from.
    pub fn run(&self, passes: &[Pass]) -> Result<(), ClientError> {
        let words = encode(passes.iter().flat_map(Pass::commands));
        if words.len() > COMMAND_BYTES as usize / 4 {
            return Err(ClientError::TooManyPasses { passes: passes.len() });
        }
        self.device.write_words(HOST_BASE, &words)?;
        let id = self.device.submit(HOST_BASE, words.len() as u32)?;
        self.device.wait(id);
        match self.device.take_fault() {
            Some(fault) => Err(fault.into()),
            None => Ok(()),
        }
    }
}
