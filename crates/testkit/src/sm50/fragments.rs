//! Random fragment programs: inputs of all kinds, killed lanes, divergence, derivatives, and what quads have in common.

use crate::random::Random;
use crate::sm50::images;
use crate::sm50::textures::look_up;
use ctm_sm50::PixelMaps;
use ctm_sm50::launch::{PixelInput, PixelQuad, Pixels, PrimitiveValues};
use std::fmt::Write;

/// Addresses of inputs.
const INPUTS: [u32; 6] = [0x70, 0x74, 0x7c, 0x80, 0x84, 0x90];

/// A number, rarely one that is not.
fn number(random: &mut Random) -> f32 {
    match random.below(12) {
        0 => f32::from_bits(random.float()),
        1 => f32::from_bits(random.bits()),
        _ => random.below(64) as f32 / 8.0 - 4.0,
    }
}

/// The pixels of a small window, or of a few quads of primitives, with inputs of all kinds.
///
/// # Panics
/// The host has no memory for them.
pub fn pixels(random: &mut Random, maps: &PixelMaps) -> Pixels {
    if random.one_in(3) {
        return of_primitives(random, maps);
    }
    let (width, height) = (1 + random.below(19) as u32, 1 + random.below(9) as u32);
    let mut inputs = Vec::new();
    for address in [0x7c, 0x80, 0x84, 0x90] {
        let input = match random.below(4) {
            0 => continue,
            1 => PixelInput::Constant(number(random).to_bits()),
            2 => PixelInput::Plane { origin: number(random), dx: number(random), dy: number(random) },
            _ => {
                // As many as the window has pixels, mostly.
                let count = (width * height).saturating_sub(random.pick(&[0, 0, 0, 1]));
                PixelInput::Values((0..count).map(|_| number(random).to_bits()).collect())
            }
        };
        inputs.push((address, input));
    }
    Pixels::new((width, height), maps, inputs).expect("memory")
}

fn of_primitives(random: &mut Random, maps: &PixelMaps) -> Pixels {
    let samples = random.pick(&[1, 1, 2, 4, 8]);
    let mut quad = || {
        let covered = 1 + random.below(15) as u8;
        let of_lane = |random: &mut Random, lane: u8| match covered >> lane & 1 {
            0 => 0,
            _ => 1 + random.below((1 << samples) - 1) as u8,
        };
        PixelQuad {
            x: 2 * random.below(100) as u32,
            y: 2 * random.below(100) as u32,
            covered,
            primitive: random.below(4) as u32,
            samples: [0, 1, 2, 3].map(|lane| of_lane(random, lane)),
            sample: random.below(samples) as u8,
        }
    };
    let quads: Vec<PixelQuad> = (0..1 + quad().x / 4).map(|_| quad()).collect();
    let mut inputs = Vec::new();
    for address in [0x7c, 0x80, 0x84, 0x90] {
        let has_centroids = random.one_in(2);
        let mut values = |count: usize| (0..count).map(|_| number(random).to_bits()).collect::<Vec<u32>>();
        let centroids = if has_centroids { values(4 * quads.len()) } else { Vec::new() };
        let values = PrimitiveValues {
            centroids,
            centres: quads.iter().flat_map(|_| [(); 4]).map(|()| number(random).to_bits()).collect(),
            slopes: (0..4).map(|_| [number(random), number(random)]).collect(),
            provoking: (0..4).map(|_| number(random).to_bits()).collect(),
        };
        inputs.push((address, if random.one_in(4) { PixelInput::Constant(7) } else { PixelInput::Primitives(values) }));
    }
    let pixels = Pixels::of_quads(quads, maps, inputs).expect("memory");
    pixels.with_samples(samples as u32).with_flat_colours(random.one_in(4))
}

/// A register of those that programs calculate with.
fn register(random: &mut Random) -> u32 {
    4 + random.below(8) as u32
}

/// What programs look at beside their inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// Nothing.
    AtNothing,
    /// Textures.
    AtTextures,
    /// Images, and what else functions call for.
    AtImages,
}

/// A program under construction.
struct Draft<'r> {
    random: &'r mut Random,
    code: String,
    labels: u32,
    looks: Looks,
}

impl Draft<'_> {
    fn guard(&mut self) -> &'static str {
        self.random.pick(&["", "", "", "", "@P0 ", "@!P0 ", "@P1 "])
    }

    fn input(&mut self) -> String {
        let (to, other, address) = (register(self.random), register(self.random), self.random.pick(&INPUTS));
        let guard = self.guard();
        let sat = self.random.pick(&["", "", "", ".SAT"]);
        match self.random.below(6) {
            0 => format!("{guard}IPA.CONSTANT R{to}, a[{address:#x}], RZ;"),
            1 => format!("{guard}IPA{sat} R{to}, a[{address:#x}], R{other};"),
            2 => format!("{guard}IPA.OFFSET{sat} R{to}, a[{address:#x}], R{other}, R{};", register(self.random)),
            3 if self.random.one_in(2) => {
                format!("{guard}IPA.CENTROID{sat} R{to}, a[{address:#x}], R{other};")
            }
            3 => format!("{guard}IPA.SC{sat} R{to}, a[{address:#x}], {};", self.random.pick(&["RZ", "R5"])),
            _ => format!("{guard}IPA.PASS{sat} R{to}, a[{address:#x}], RZ;"),
        }
    }

    fn condition(&mut self) -> String {
        let (a, predicate) = (register(self.random), self.random.below(2));
        let limit = self.random.below(32) as f32 / 4.0 - 3.0;
        let test = self.random.pick(&["LT", "GT", "LEU", "NE"]);
        format!("FSETP.{test}.AND P{predicate}, PT, R{a}, {limit:?}, PT;")
    }

    fn arithmetic(&mut self) -> String {
        let [to, a, b, c] = [(); 4].map(|()| register(self.random));
        let guard = self.guard();
        match self.random.below(7) {
            0 => format!("{guard}FADD R{to}, R{a}, R{b};"),
            1 => format!("{guard}FMUL.FTZ R{to}, R{a}, R{b};"),
            2 => format!("{guard}FFMA R{to}, R{a}, R{b}, R{c};"),
            3 => format!("{guard}MUFU.RCP R{to}, R{a};"),
            4 => format!("{guard}S2R R{to}, {};", self.random.pick(&["SR_THREAD_KILL", "SR_LANEID"])),
            5 => format!(
                "{guard}PIXLD{} R{to}, [{}];",
                self.random.pick(&["", ".COVMASK", ".COVERED", ".MY_INDEX"]),
                self.random.pick(&["RZ", "RZ", "R4"])
            ),
            _ => self.input(),
        }
    }

    /// As compilers write derivatives, or something like it.
    fn exchange(&mut self) -> String {
        let [to, a] = [(); 2].map(|()| register(self.random));
        let guard = self.guard();
        let (mode, lane) = self.random.pick(&[
            ("BFLY", "0x1"),
            ("BFLY", "0x2"),
            ("BFLY", "0x3"),
            ("IDX", "0x0"),
            ("IDX", "0x3"),
            ("DOWN", "0x1"),
            ("UP", "0x1"),
        ]);
        let segments = if mode == "UP" { "0x1c00" } else { "0x1c03" };
        // Now and then beyond the quad.
        let segments = if self.random.one_in(40) { "0x1f" } else { segments };
        let swizzle = self.random.pick(&["PNNPPNNP", "PNPNNPNP", "PPNPPNZP", "ZPZPPPNP"]);
        let ftz = self.random.pick(&["", ".FTZ"]);
        match self.random.below(3) {
            0 => format!("{guard}SHFL.{mode} P2, R{to}, R{a}, {lane}, {segments};"),
            _ => format!(
                "{guard}SHFL.{mode} PT, R12, R{a}, {lane}, {segments}; {guard}FSWZADD{ftz} R{to}, R12, R{a}, {swizzle};"
            ),
        }
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(4) {
            let statement = match self.random.below(14) {
                0 | 2 | 3 => self.arithmetic(),
                1 if self.looks != Looks::AtImages => self.arithmetic(),
                4 | 5 => self.exchange(),
                6 | 7 => self.condition(),
                8 => format!("{}KIL;", self.random.pick(&["@P0 ", "@P1 ", "@!P0 "])),
                9 if self.random.one_in(3) => format!("{}EXIT;", self.random.pick(&["@P0 ", "@P1 "])),
                10 if depth == 0 || self.random.one_in(6) => "SAM; MOV R12, R4; FADD R6, R12, R5; RAM;".into(),
                9 | 1 if self.looks == Looks::AtImages => {
                    let (guard, to) = (self.guard(), register(self.random));
                    let access = if self.random.one_in(3) {
                        images::other(self.random, guard, true)
                    } else {
                        images::access(self.random, guard)
                    };
                    format!("F2I.S32.F32.FLOOR R13, R4; LOP.AND R13, R13, 0x3ff; {access} MOV R{to}, R24;")
                }
                11 | 12 if depth < 3 => {
                    self.choice(depth);
                    continue;
                }
                9 if self.looks == Looks::AtTextures => {
                    let to = register(self.random);
                    format!("{} MOV R{to}, R24; FADD R10, R10, R25;", look_up(self.random))
                }
                13 if depth < 2 => {
                    self.repetition(depth);
                    continue;
                }
                _ => self.input(),
            };
            self.code += &statement;
            self.code.push('\n');
        }
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    fn condition_statement(&mut self) -> &'static str {
        let condition = self.condition();
        self.code += &condition;
        self.random.pick(&["@P0 ", "@P1 ", "@!P1 "])
    }

    /// Lanes go two ways, and meet again; now and then they do not wait for each other.
    fn choice(&mut self, depth: u32) {
        let (other, end) = (self.label(), self.label());
        let guard = self.condition_statement();
        let waits = !self.random.one_in(12);
        if waits {
            _ = writeln!(self.code, "SSY {end};");
        }
        let leave = if waits { "SYNC".to_owned() } else { format!("BRA {end}") };
        _ = writeln!(self.code, "{guard}BRA {other};");
        self.statements(depth + 1);
        _ = writeln!(self.code, "{leave};\n{other}:");
        if self.random.one_in(2) {
            self.statements(depth + 1);
        }
        _ = writeln!(self.code, "{leave};\n{end}:");
    }

    /// Lanes go round a few times, each as often as it wants.
    fn repetition(&mut self, depth: u32) {
        let (again, end) = (self.label(), self.label());
        let counter = 13 + depth;
        let (enter, leave) = self.random.pick(&[("PBK", "BRK"), ("SSY", "SYNC")]);
        _ = writeln!(self.code, "MOV32I R{counter}, 0x0;\n{enter} {end};\n{again}:");
        if self.random.one_in(2) {
            let guard = self.condition_statement();
            _ = writeln!(self.code, "{guard}{leave};");
        }
        self.statements(depth + 1);
        _ = writeln!(self.code, "IADD R{counter}, R{counter}, 0x1; ISETP.GE.AND P3, PT, R{counter}, 0x3, PT;");
        if self.random.one_in(3) {
            _ = writeln!(
                self.code,
                "S2R R12, SR_LANEID; LOP.AND R12, R12, 0x3; ISETP.GE.AND P3, PT, R{counter}, R12, PT;"
            );
        }
        _ = writeln!(self.code, "@P3 {leave}; BRA {again};\n{end}:");
    }
}

/// A program whose lanes look at each other, and perhaps at something else.
pub fn program(random: &mut Random, looks: Looks) -> String {
    let outputs = random.pick(&[".omap_targets 0xf", ".omap_targets 0xf00f", ".omap_targets 0xf\n.omap_depth yes"]);
    let start = format!(
        ".stage pixel\n{outputs}\nIPA.PASS R4, a[0x70], RZ; IPA.PASS R5, a[0x74], RZ; IPA.PASS R6, a[0x80], RZ;\n"
    );
    let mut draft = Draft { random, code: start, labels: 0, looks };
    for _ in 0..2 {
        draft.statements(0);
    }
    draft.code + "MOV R0, R4; MOV R1, R5; MOV R2, R6; MOV R3, R7; MOV R4, R8; MOV R5, R9; EXIT;"
}
