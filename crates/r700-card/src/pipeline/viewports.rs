//! Viewports: where clip space lies in the window, how deep it is, and which of its pixels can be drawn.

use crate::registers::{
    PaClVportXoffset, PaClVportXscale, PaClVportYoffset, PaClVportYscale, PaClVportZoffset, PaClVportZscale,
    PaClVsOutCntl, PaClVteCntl, PaScGenericScissorBr, PaScGenericScissorTl, PaScModeCntl, PaScScreenScissorBr,
    PaScScreenScissorTl, PaScVportScissorBr, PaScVportScissorTl, PaScVportZmax, PaScVportZmin, PaScWindowScissorBr,
    PaScWindowScissorTl, RegisterFile, RegisterType,
};
use ctm_raster::grid::Rect;

/// A viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Factors of x, y and z.
    pub scale: [f32; 3],
    /// What is added to their products.
    pub offset: [f32; 3],
    /// The least and the greatest depth.
    pub depths: [f32; 2],
    /// The pixels that can be drawn.
    pub scissor: Rect,
}

/// The viewports of a draw.
pub struct Viewports(Vec<Viewport>);

impl Viewports {
    /// As the registers say: the first one alone, unless programs choose.
    pub fn of(registers: &RegisterFile) -> Self {
        let count = match registers.get::<PaClVsOutCntl>().use_vtx_viewport_indx {
            true => PaClVportXscale::COUNT,
            false => 1,
        };
        Viewports((0..count).map(|number| viewport(registers, number)).collect())
    }

    /// Whether there are others than the first one.
    pub fn are_several(&self) -> bool {
        self.0.len() > 1
    }

    /// The viewport with this number; the first one where there is none.
    pub fn get(&self, number: u32) -> &Viewport {
        self.0.get(number as usize).unwrap_or(&self.0[0])
    }
}

fn viewport(registers: &RegisterFile, number: u32) -> Viewport {
    let control = registers.get::<PaClVteCntl>();
    let part = |used: bool, value: f32, unused: f32| if used { value } else { unused };
    let float = |first: u32, stride: u32| f32::from_bits(registers.value(first + number * stride));
    let scale = |used: bool, first: u32| part(used, float(first, PaClVportXscale::STRIDE), 1.0);
    let offset = |used: bool, first: u32| part(used, float(first, PaClVportXscale::STRIDE), 0.0);
    Viewport {
        scale: [
            scale(control.vport_x_scale_ena, PaClVportXscale::ADDRESS),
            scale(control.vport_y_scale_ena, PaClVportYscale::ADDRESS),
            scale(control.vport_z_scale_ena, PaClVportZscale::ADDRESS),
        ],
        offset: [
            offset(control.vport_x_offset_ena, PaClVportXoffset::ADDRESS),
            offset(control.vport_y_offset_ena, PaClVportYoffset::ADDRESS),
            offset(control.vport_z_offset_ena, PaClVportZoffset::ADDRESS),
        ],
        depths: [PaScVportZmin::ADDRESS, PaScVportZmax::ADDRESS].map(|first| float(first, PaScVportZmin::STRIDE)),
        scissor: scissor(registers, number),
    }
}

fn scissor(registers: &RegisterFile, number: u32) -> Rect {
    let rect = |left: u16, top: u16, right: u16, bottom: u16| Rect {
        left: left.into(),
        top: top.into(),
        right: right.into(),
        bottom: bottom.into(),
    };
    let (tl, br) = (registers.get::<PaScScreenScissorTl>(), registers.get::<PaScScreenScissorBr>());
    let screen = rect(tl.tl_x, tl.tl_y, br.br_x, br.br_y);
    let (tl, br) = (registers.get::<PaScWindowScissorTl>(), registers.get::<PaScWindowScissorBr>());
    let window = rect(tl.tl_x, tl.tl_y, br.br_x, br.br_y);
    let (tl, br) = (registers.get::<PaScGenericScissorTl>(), registers.get::<PaScGenericScissorBr>());
    let all = screen.intersection(window).intersection(rect(tl.tl_x, tl.tl_y, br.br_x, br.br_y));
    if !registers.get::<PaScModeCntl>().r700_vport_scissor_enable {
        return all;
    }
    let (tl, br) = (registers.at::<PaScVportScissorTl>(number), registers.at::<PaScVportScissorBr>(number));
    all.intersection(rect(tl.tl_x, tl.tl_y, br.br_x, br.br_y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::after_reset;

    #[test]
    fn programs_choose_among_sixteen() {
        let mut registers = after_reset();
        registers.write(PaClVteCntl::ADDRESS, 0x43E);
        for number in [0, 3] {
            registers.write(PaClVportXscale::ADDRESS + 24 * number, 2.0f32.to_bits());
            registers.write(PaClVportZoffset::ADDRESS + 24 * number, (number as f32).to_bits());
            registers.write(PaScVportZmax::ADDRESS + 8 * number, (0.5 * number as f32).to_bits());
            registers.write(PaScVportScissorBr::ADDRESS + 8 * number, 0x0040_0010 * (number + 1));
        }
        for address in [PaScScreenScissorBr::ADDRESS, PaScWindowScissorBr::ADDRESS, PaScGenericScissorBr::ADDRESS] {
            registers.write(address, 0x0060_0030);
        }
        registers.write(PaScModeCntl::ADDRESS, 1 << 22);
        let only = Viewports::of(&registers);
        assert_eq!(only.get(3), only.get(0), "programs do not choose");
        registers.write(PaClVsOutCntl::ADDRESS, 1 << 19);
        let viewports = Viewports::of(&registers);
        let viewport = viewports.get(3);
        assert_eq!((viewport.scale[0], viewport.offset[2], viewport.depths), (1.0, 3.0, [0.0, 1.5]));
        assert_eq!((viewport.scissor.right, viewport.scissor.bottom), (0x30, 0x60));
        let first = viewports.get(0);
        assert_eq!((first.scissor.right, first.scissor.bottom, first.depths[1]), (0x10, 0x40, 0.0));
        assert_eq!(viewports.get(16), first);
    }
}
