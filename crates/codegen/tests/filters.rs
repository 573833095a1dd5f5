//! Filters: sums over the elements around each, in groups that take several rows at a time, and in those at the edges of surfaces.
#![cfg(target_arch = "x86_64")]

use crate::support::*;
use ctm_lane::{Function, domain::Domain};
use ctm_memory::{Bounds, Format, Tiling};
use std::fmt::Write;

/// How the elements around one are summed up.
#[derive(Clone, Copy, Debug)]
struct Filter {
    columns: [i32; 2],
    rows: [i32; 2],
    /// Coordinates are floats that are clamped to the surface, not integers that the access clamps.
    by_floats: bool,
    /// From the last element to the first.
    backward: bool,
    /// One element of the sum is of another surface, each lane's own; there goes the sum of those before it.
    in_place: bool,
}

/// The function for surfaces of so many columns and rows.
fn function(filter: Filter, (width, height): (u32, u32)) -> Function {
    let Filter { columns, rows, by_floats, backward, in_place } = filter;
    let mut text = "surface s0 whole\nsurface s1 whole\nsurface s2 whole\nb0:\n%x = pos_x\n%y = pos_y\n%c = covered\nsteps 2, 0, %c\n".to_owned();
    text += "%fx = utof %x\n%fy = utof %y\n%k = lane 0x3f000000\n";
    let (mut sums, mut number) = (["%k"; 4].map(str::to_owned), 0);
    let (mut before, mut is_before) = (sums.clone(), in_place);
    let mut elements: Vec<(i32, i32)> =
        (rows[0]..=rows[1]).flat_map(|row| (columns[0]..=columns[1]).map(move |column| (row, column))).collect();
    if backward {
        elements.reverse();
    }
    for (row, column) in elements {
        number += 1;
        for (axis, offset, size) in [("x", column, width), ("y", row, height)] {
            let line = if by_floats {
                let bits = (offset as f32 + 0.5).to_bits();
                format!(
                    "%o{axis}{number} = lane {bits:#010x}\n%s{axis}{number} = fadd.ftz %f{axis}, %o{axis}{number}\n\
                     %i{axis}{number} = float_to_index {size}, %s{axis}{number}\n"
                )
            } else {
                format!("%o{axis}{number} = lane {offset:#010x}\n%i{axis}{number} = iadd %{axis}, %o{axis}{number}\n")
            };
            text += &line;
        }
        let own = in_place && (row, column) == (0, 0);
        is_before &= !own;
        let source = if own { "s0" } else { "s2" };
        writeln!(
            text,
            "%e{number}0, %e{number}1, %e{number}2, %e{number}3 = surface_load {source}, %ix{number}, %iy{number}, %c"
        )
        .unwrap();
        writeln!(text, "%w{number} = lane {:#010x}", (1.0 + number as f32 / 8.0).to_bits()).unwrap();
        for (channel, sum) in sums.iter_mut().enumerate() {
            let next = format!("%t{number}{channel}");
            writeln!(text, "{next} = fma.ftz %e{number}{channel}, %w{number}, {sum}").unwrap();
            *sum = next;
        }
        if is_before {
            for (channel, sum) in before.iter_mut().enumerate() {
                let next = format!("%u{number}{channel}");
                writeln!(text, "{next} = fadd.ftz %e{number}{channel}, {sum}").unwrap();
                *sum = next;
            }
        }
    }
    for (name, sums) in [("b", &before), ("r", &sums)] {
        for (channel, sum) in sums.iter().enumerate() {
            writeln!(text, "%{name}{channel} = canon_nan 0x7fffffff, {sum}").unwrap();
        }
    }
    if in_place {
        text += "surface_store.rgba s0, %x, %y, %b0, %b1, %b2, %b3, %c\n";
    }
    text += "surface_store.rgba s1, %x, %y, %r0, %r1, %r2, %r3, %c\nreturn\n";
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// Compares with the plain evaluator.
fn check(filter: Filter, (width, height): (u32, u32), (format, bounds): (Format, Bounds), data: Data) {
    let function = function(filter, (width, height));
    let output = (Format::Float32_4, Tiling::Linear, width, height, Bounds::Drop);
    let own = if filter.in_place { output } else { (format, Tiling::Linear, width, height, bounds) };
    let kinds = [own, output, (format, Tiling::Linear, width, height, bounds)];
    let surfaces = surfaces(&kinds);
    for backend in backends() {
        for domain in [
            Domain { i0: 0, j0: 0, i1: width - 1, j1: height - 1 },
            Domain { i0: width / 3, j0: height / 4, i1: width - 1 - width / 5, j1: height - 1 - height / 5 },
        ] {
            let (expected, found) = (space(1, data), space(1, data));
            let setup = Setup { function: &function, surfaces: &surfaces, tables: &[], domain, budget: u64::MAX };
            let code = run_code(&backend, setup, &found).expect("machine code");
            assert_eq!(code, run_plain(backend.lanes(), setup, &expected));
            if let Some(difference) = difference(&expected, &found) {
                panic!("{difference}, {filter:?} {kinds:?} {domain:?} on {} lanes", backend.lanes());
            }
        }
    }
}

const SQUARE: Filter = Filter { columns: [-2, 2], rows: [-2, 2], by_floats: true, backward: false, in_place: false };

#[test]
fn filters_of_all_sizes() {
    for size in [(8, 5), (16, 7), (24, 3), (40, 9), (100, 21)] {
        for filter in [
            SQUARE,
            Filter { by_floats: false, ..SQUARE },
            Filter { backward: true, ..SQUARE },
            Filter { columns: [0, 1], rows: [-3, 3], ..SQUARE },
            Filter { columns: [-9, -8], rows: [-1, 1], by_floats: false, ..SQUARE },
            Filter { columns: [-20, -19], rows: [-1, 1], ..SQUARE },
            Filter { columns: [18, 20], rows: [0, 2], ..SQUARE },
        ] {
            check(filter, size, (Format::Float32_4, Bounds::Clamp), Data::Wild);
        }
    }
}

#[test]
fn filters_of_all_formats() {
    for format in [Format::Float32_4, Format::Float32_2, Format::Float32_1, Format::Uint8_4, Format::Uint16_1] {
        for bounds in [Bounds::Clamp, Bounds::Drop] {
            for data in [Data::Wild, Data::Tame] {
                for size in [(16, 8), (48, 23)] {
                    check(SQUARE, size, (format, bounds), data);
                    check(Filter { by_floats: false, ..SQUARE }, size, (format, bounds), data);
                }
            }
        }
    }
}

/// Each element is read where it is written.
#[test]
fn filters_in_place() {
    for size in [(16, 8), (48, 23)] {
        for backward in [false, true] {
            for by_floats in [false, true] {
                let filter = Filter { in_place: true, backward, by_floats, ..SQUARE };
                check(filter, size, (Format::Float32_4, Bounds::Clamp), Data::Wild);
            }
        }
    }
}
