//! Operators and functions of the languages, as their specifications say it, in double precision.

use super::evaluate::Mask;
use super::world::{Lanes, QUAD};
use naga::{BinaryOperator, MathFunction, TypeInner};

pub fn binary(op: BinaryOperator, whole: bool, a: f64, b: f64) -> f64 {
    let number = |truth: bool| f64::from(u8::from(truth));
    let bits = |f: fn(i64, i64) -> i64| f(a as i64, b as i64) as f64;
    match op {
        BinaryOperator::Add => a + b,
        BinaryOperator::Subtract => a - b,
        BinaryOperator::Multiply => a * b,
        BinaryOperator::Divide if whole => (a / b).trunc(),
        BinaryOperator::Divide => a / b,
        BinaryOperator::Modulo => a % b,
        BinaryOperator::Equal => number(a == b),
        BinaryOperator::NotEqual => number(a != b),
        BinaryOperator::Less => number(a < b),
        BinaryOperator::LessEqual => number(a <= b),
        BinaryOperator::Greater => number(a > b),
        BinaryOperator::GreaterEqual => number(a >= b),
        BinaryOperator::And | BinaryOperator::LogicalAnd => bits(|a, b| a & b),
        BinaryOperator::InclusiveOr | BinaryOperator::LogicalOr => bits(|a, b| a | b),
        BinaryOperator::ExclusiveOr => bits(|a, b| a ^ b),
        BinaryOperator::ShiftLeft => bits(|a, b| a << (b & 31)),
        BinaryOperator::ShiftRight => bits(|a, b| a >> (b & 31)),
    }
}

pub fn matrix_product(left: &TypeInner, right: &TypeInner, a: &[Lanes], b: &[Lanes]) -> Vec<Lanes> {
    let lanes = |f: &dyn Fn(usize) -> f64| -> Lanes { std::array::from_fn(f) };
    match (left, right) {
        (TypeInner::Matrix { rows, .. }, TypeInner::Matrix { rows: inner, .. }) => {
            let (rows, inner) = (*rows as usize, *inner as usize);
            let mut out = Vec::new();
            for column in 0..b.len() / inner {
                for row in 0..rows {
                    out.push(lanes(&|lane| {
                        (0..inner).map(|k| a[k * rows + row][lane] * b[column * inner + k][lane]).sum()
                    }));
                }
            }
            out
        }
        (TypeInner::Matrix { rows, .. }, TypeInner::Vector { .. }) => {
            let rows = *rows as usize;
            (0..rows)
                .map(|row| lanes(&|lane| (0..b.len()).map(|k| a[k * rows + row][lane] * b[k][lane]).sum()))
                .collect()
        }
        (TypeInner::Vector { .. }, TypeInner::Matrix { rows, .. }) => {
            let rows = *rows as usize;
            b.chunks(rows).map(|column| lanes(&|lane| (0..rows).map(|k| a[k][lane] * column[k][lane]).sum())).collect()
        }
        (TypeInner::Matrix { .. }, _) => a.iter().map(|a| lanes(&|lane| a[lane] * b[0][lane])).collect(),
        _ => b.iter().map(|b| lanes(&|lane| a[0][lane] * b[lane])).collect(),
    }
}

/// Results with the absolute error that an implementation may have; 0 for those whose error is relative.
pub fn math(fun: MathFunction, args: &[Vec<Lanes>], rows: usize, strange: &mut Mask) -> Vec<(Lanes, f64)> {
    let a = &args[0];
    let dot = |a: &[Lanes], b: &[Lanes], lane: usize| -> f64 { a.iter().zip(b).map(|(a, b)| a[lane] * b[lane]).sum() };
    let scalar = |f: &dyn Fn(usize) -> f64, absolute: f64| vec![(std::array::from_fn(f), absolute)];
    // Sums of products cancel: the error is that of the largest term.
    let weight = |values: &[&[Lanes]]| {
        values.iter().flat_map(|values| values.iter().flatten()).fold(0.0f64, |most, value| most.max(value.abs()))
    };
    match fun {
        MathFunction::Dot => scalar(&|lane| dot(a, &args[1], lane), 0.0),
        MathFunction::Length => {
            let result: Lanes = std::array::from_fn(|lane| dot(a, a, lane).sqrt());
            vec![(result, if a.len() == 1 { 0.0 } else { 1e-9 })]
        }
        MathFunction::Distance => scalar(
            &|lane| a.iter().zip(&args[1]).map(|(a, b)| (a[lane] - b[lane]).powi(2)).sum::<f64>().sqrt(),
            weight(&[a, &args[1]]) * 1e-7,
        ),
        MathFunction::Normalize => {
            let length: Lanes = std::array::from_fn(|lane| dot(a, a, lane).sqrt());
            for lane in 0..QUAD {
                strange[lane] |= length[lane] < 1e-12;
            }
            a.iter().map(|a| (std::array::from_fn(|lane| a[lane] / length[lane]), 1e-9)).collect()
        }
        MathFunction::Cross => {
            let b = &args[1];
            let absolute = weight(&[a]) * weight(&[b]) * 1e-7;
            let part = |p: usize, q: usize| {
                (std::array::from_fn(|lane| a[p][lane] * b[q][lane] - a[q][lane] * b[p][lane]), absolute)
            };
            vec![part(1, 2), part(2, 0), part(0, 1)]
        }
        MathFunction::FaceForward => {
            let side: Lanes = std::array::from_fn(|lane| dot(&args[2], &args[1], lane));
            let least = weight(&[&args[1]]) * weight(&[&args[2]]) * 1e-6;
            for lane in 0..QUAD {
                // Terms that cancel leave the sign to their rounding.
                let rounds = |(a, b): (&Lanes, &Lanes)| f64::from((a[lane] * b[lane]) as f32) != a[lane] * b[lane];
                strange[lane] |= side[lane].abs() < least && args[2].iter().zip(&args[1]).any(rounds);
            }
            a.iter()
                .map(|a| (std::array::from_fn(|lane| if side[lane] < 0.0 { a[lane] } else { -a[lane] }), 0.0))
                .collect()
        }
        MathFunction::Reflect => {
            let n = &args[1];
            let along: Lanes = std::array::from_fn(|lane| dot(n, a, lane));
            let absolute = weight(&[a]) * weight(&[n]).powi(2) * 1e-6;
            a.iter()
                .zip(n)
                .map(|(i, n)| (std::array::from_fn(|lane| i[lane] - 2.0 * along[lane] * n[lane]), absolute))
                .collect()
        }
        MathFunction::Refract => {
            let (n, eta) = (&args[1], args[2][0]);
            let along: Lanes = std::array::from_fn(|lane| dot(n, a, lane));
            let k: Lanes = std::array::from_fn(|lane| 1.0 - eta[lane] * eta[lane] * (1.0 - along[lane] * along[lane]));
            for lane in 0..QUAD {
                strange[lane] |= k[lane].abs() < 1e-3;
            }
            let absolute = (weight(&[a]) + weight(&[n])).powi(3) * 1e-5;
            let part = |i: &Lanes, n: &Lanes, lane: usize| {
                if k[lane] < 0.0 {
                    0.0
                } else {
                    eta[lane] * i[lane] - (eta[lane] * along[lane] + k[lane].sqrt()) * n[lane]
                }
            };
            a.iter().zip(n).map(|(i, n)| (std::array::from_fn(|lane| part(i, n, lane)), absolute)).collect()
        }
        MathFunction::Outer => {
            let products =
                args[1].iter().flat_map(|b| a.iter().map(move |a| std::array::from_fn(|lane| a[lane] * b[lane])));
            products.map(|product| (product, 0.0)).collect()
        }
        MathFunction::Transpose => {
            let columns = a.len() / rows;
            (0..rows).flat_map(|row| (0..columns).map(move |column| (a[column * rows + row], 0.0))).collect()
        }
        MathFunction::Determinant => {
            scalar(&|lane| determinant(&square(a, rows, lane)), weight(&[a]).powi(rows as i32) * 1e-6)
        }
        MathFunction::Inverse => {
            let inverses: Vec<Option<Vec<Vec<f64>>>> = (0..QUAD).map(|lane| inverse(&square(a, rows, lane))).collect();
            for (lane, strange) in strange.iter_mut().enumerate() {
                let determinant = determinant(&square(a, rows, lane));
                *strange |= determinant.abs() < 0.05 * weight(&[a]).powi(rows as i32).max(1.0);
            }
            let value =
                |i: usize, lane: usize| inverses[lane].as_ref().map_or(0.0, |inverse| inverse[i / rows][i % rows]);
            (0..rows * rows).map(|i| (std::array::from_fn(|lane| value(i, lane)), 1e-4)).collect()
        }
        _ => {
            let mut out = Vec::new();
            for i in 0..a.len() {
                let mut absolute = 0.0f64;
                let lanes = std::array::from_fn(|lane| {
                    let args: Vec<f64> = args.iter().map(|arg| arg.get(i).unwrap_or(&arg[0])[lane]).collect();
                    match each(fun, &args) {
                        Some((value, error)) => {
                            absolute = absolute.max(error);
                            value
                        }
                        None => {
                            strange[lane] = true;
                            0.0
                        }
                    }
                });
                out.push((lanes, absolute));
            }
            out
        }
    }
}

/// One lane's matrix, by columns.
fn square(a: &[Lanes], rows: usize, lane: usize) -> Vec<Vec<f64>> {
    a.chunks(rows).map(|column| column.iter().map(|value| value[lane]).collect()).collect()
}

fn determinant(matrix: &[Vec<f64>]) -> f64 {
    let mut m = matrix.to_vec();
    let mut product = 1.0;
    for i in 0..m.len() {
        let pivot = (i..m.len()).max_by(|&p, &q| m[p][i].abs().total_cmp(&m[q][i].abs())).expect("there are rows left");
        if m[pivot][i] == 0.0 {
            return 0.0;
        }
        if pivot != i {
            m.swap(pivot, i);
            product = -product;
        }
        product *= m[i][i];
        for k in i + 1..m.len() {
            let factor = m[k][i] / m[i][i];
            let row = m[i].clone();
            m[k].iter_mut().zip(&row).skip(i).for_each(|(value, other)| *value -= factor * other);
        }
    }
    product
}

/// By Gauss and Jordan; works on columns as on rows.
fn inverse(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    let mut m: Vec<Vec<f64>> = matrix
        .iter()
        .enumerate()
        .map(|(i, row)| row.iter().copied().chain((0..n).map(|k| f64::from(u8::from(k == i)))).collect())
        .collect();
    for i in 0..n {
        let pivot = (i..n).max_by(|&p, &q| m[p][i].abs().total_cmp(&m[q][i].abs()))?;
        if m[pivot][i] == 0.0 {
            return None;
        }
        m.swap(pivot, i);
        let scale = m[i][i];
        m[i].iter_mut().for_each(|value| *value /= scale);
        for k in (0..n).filter(|&k| k != i) {
            let factor = m[k][i];
            let row = m[i].clone();
            m[k].iter_mut().zip(&row).for_each(|(value, other)| *value -= factor * other);
        }
    }
    Some(m.into_iter().map(|row| row[n..].to_vec()).collect())
}

/// A function of scalars, with its absolute error; none where nothing is said of it.
fn each(fun: MathFunction, args: &[f64]) -> Option<(f64, f64)> {
    let a = args[0];
    let b = args.get(1).copied().unwrap_or_default();
    let c = args.get(2).copied().unwrap_or_default();
    let exact = |value: f64| Some((value, 0.0));
    Some(match fun {
        MathFunction::Abs => return exact(a.abs()),
        MathFunction::Min => return exact(a.min(b)),
        MathFunction::Max => return exact(a.max(b)),
        MathFunction::Clamp if b > c => return None,
        MathFunction::Clamp => return exact(a.max(b).min(c)),
        MathFunction::Saturate => return exact(a.clamp(0.0, 1.0)),
        MathFunction::Sign => {
            return exact(if a > 0.0 {
                1.0
            } else if a < 0.0 {
                -1.0
            } else {
                0.0
            });
        }
        MathFunction::Ceil => return exact(a.ceil()),
        MathFunction::Floor => return exact(a.floor()),
        MathFunction::Trunc => return exact(a.trunc()),
        MathFunction::Round => return exact(a.round_ties_even()),
        MathFunction::Step => return exact(if b < a { 0.0 } else { 1.0 }),
        MathFunction::Fract => return exact(a - a.floor()),
        MathFunction::Fma => return exact(a * b + c),
        MathFunction::Radians => return exact(a.to_radians()),
        MathFunction::Degrees => return exact(a.to_degrees()),
        MathFunction::Mix => (a * (1.0 - c) + b * c, (a.abs() + b.abs()) * (1.0 + c.abs()) * 1e-7),
        MathFunction::SmoothStep => {
            if b - a < 1e-6 {
                return None;
            }
            let t = ((c - a) / (b - a)).clamp(0.0, 1.0);
            (t * t * (3.0 - 2.0 * t), 1e-6)
        }
        // The argument's error counts, as it is brought to turns.
        MathFunction::Sin => (a.sin(), 1e-6 + a.abs() * 2e-7),
        MathFunction::Cos => (a.cos(), 1e-6 + a.abs() * 2e-7),
        MathFunction::Tan if a.cos().abs() < 0.05 => return None,
        MathFunction::Tan => (a.tan(), (1e-6 + a.abs() * 2e-7) / a.cos().powi(2) * 4.0),
        MathFunction::Asin | MathFunction::Acos if a.abs() > 1.0 => return None,
        MathFunction::Asin => (a.asin(), 2e-6),
        MathFunction::Acos => (a.acos(), 2e-6),
        MathFunction::Atan => (a.atan(), 2e-6),
        // Which side of the half turn a zero is on is that zero's sign.
        MathFunction::Atan2 if a.abs() < 1e-9 && b < 1e-9 => return None,
        MathFunction::Atan2 => (a.atan2(b), 2e-6),
        MathFunction::Sinh | MathFunction::Cosh if a.abs() > 20.0 => return None,
        MathFunction::Sinh => (a.sinh(), a.abs().exp() * (1.0 + a.abs()) * 1e-6),
        MathFunction::Cosh => (a.cosh(), a.abs().exp() * (1.0 + a.abs()) * 1e-6),
        MathFunction::Tanh => (a.tanh(), 2e-6),
        MathFunction::Asinh => (a.asinh(), 2e-6 + a.asinh().abs() * 1e-6),
        MathFunction::Acosh if a < 1.01 => return None,
        MathFunction::Acosh => (a.acosh(), 1e-5),
        MathFunction::Atanh if a.abs() > 0.99 => return None,
        MathFunction::Atanh => (a.atanh(), 2e-5),
        MathFunction::Exp | MathFunction::Exp2 if a.abs() > 40.0 => return None,
        MathFunction::Exp => (a.exp(), a.exp() * (1.0 + a.abs()) * 1e-6),
        MathFunction::Exp2 => (a.exp2(), a.exp2() * 1e-6),
        MathFunction::Log | MathFunction::Log2 if a < 1e-12 => return None,
        MathFunction::Log => (a.ln(), (1.0 + a.ln().abs()) * 1e-6),
        MathFunction::Log2 => (a.log2(), (1.0 + a.log2().abs()) * 1e-6),
        MathFunction::Pow => {
            if a <= 1e-12 || (a.log2() * b).abs() > 40.0 {
                return None;
            }
            (a.powf(b), a.powf(b) * (1.0 + (a.log2() * b).abs()) * (1.0 + b.abs()) * 1e-6)
        }
        MathFunction::Sqrt | MathFunction::InverseSqrt if a < 1e-12 => {
            return if a == 0.0 && fun == MathFunction::Sqrt { exact(0.0) } else { None };
        }
        MathFunction::Sqrt => (a.sqrt(), a.sqrt() * 4e-7),
        MathFunction::InverseSqrt => (1.0 / a.sqrt(), 4e-7 / a.sqrt()),
        MathFunction::Ldexp => return exact(a * b.exp2()),
        other => panic!("the generator does not use {other:?}"),
    })
}
