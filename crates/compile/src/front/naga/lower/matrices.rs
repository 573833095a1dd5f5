//! Matrices, column by column.

use super::{LowerError, Lowering, Result};
use crate::ir::Value;
use naga::TypeInner;

impl Lowering<'_> {
    /// A product with a matrix in it.
    pub(super) fn matrix_product(
        &mut self,
        left: &TypeInner,
        right: &TypeInner,
        a: &[Value],
        b: &[Value],
    ) -> Result<Vec<Value>> {
        match (left, right) {
            (TypeInner::Matrix { rows, .. }, TypeInner::Matrix { rows: inner, .. }) => {
                let columns = b.chunks(*inner as usize);
                Ok(columns.flat_map(|column| self.transform(a, *rows as usize, column)).collect())
            }
            (TypeInner::Matrix { rows, .. }, TypeInner::Vector { .. }) => Ok(self.transform(a, *rows as usize, b)),
            (TypeInner::Vector { size, .. }, TypeInner::Matrix { .. }) => {
                Ok(b.chunks(*size as usize).map(|column| self.builder.dot(a, column)).collect())
            }
            (TypeInner::Matrix { .. }, TypeInner::Scalar(_)) => {
                Ok(a.iter().map(|&a| self.builder.mul(a, b[0])).collect())
            }
            (TypeInner::Scalar(_), TypeInner::Matrix { .. }) => {
                Ok(b.iter().map(|&b| self.builder.mul(a[0], b)).collect())
            }
            _ => Err(LowerError::Malformed("a product of a matrix with something else")),
        }
    }

    /// A matrix of so many rows times a vector: the sum of its columns.
    fn transform(&mut self, matrix: &[Value], rows: usize, vector: &[Value]) -> Vec<Value> {
        let mut sum: Vec<Value> = matrix[..rows].iter().map(|&value| self.builder.mul(value, vector[0])).collect();
        for (column, &factor) in matrix.chunks(rows).zip(vector).skip(1) {
            for (sum, &value) in sum.iter_mut().zip(column) {
                let product = self.builder.mul(value, factor);
                *sum = self.builder.add(*sum, product);
            }
        }
        sum
    }

    pub(super) fn transpose(&mut self, matrix: &[Value], rows: usize) -> Vec<Value> {
        let columns = matrix.len() / rows;
        (0..rows).flat_map(|row| (0..columns).map(move |column| matrix[column * rows + row])).collect()
    }

    /// The determinant of a square matrix: the first column times its cofactors.
    pub(super) fn determinant(&mut self, matrix: &[Value], size: usize) -> Value {
        let cofactors: Vec<_> = (0..size).map(|row| self.cofactor(matrix, size, 0, row)).collect();
        self.builder.dot(&matrix[..size], &cofactors)
    }

    /// The determinant of what is left without a column and a row, with its sign.
    fn cofactor(&mut self, matrix: &[Value], size: usize, column: usize, row: usize) -> Value {
        let mut minor = Vec::new();
        for c in (0..size).filter(|&c| c != column) {
            minor.extend((0..size).filter(|&r| r != row).map(|r| matrix[c * size + r]));
        }
        let value = match minor.as_slice() {
            [a] => *a,
            [a, b, c, d] => {
                let product = self.builder.mul(*b, *c);
                let minus = self.builder.neg(product);
                self.builder.mad(*a, *d, minus)
            }
            _ => self.determinant(&minor, size - 1),
        };
        if (column + row).is_multiple_of(2) { value } else { self.builder.neg(value) }
    }

    /// The inverse of a square matrix: its cofactors, transposed, by its determinant.
    pub(super) fn inverse(&mut self, matrix: &[Value], size: usize) -> Vec<Value> {
        let mut cofactors = vec![matrix[0]; size * size];
        for column in 0..size {
            for row in 0..size {
                cofactors[row * size + column] = self.cofactor(matrix, size, column, row);
            }
        }
        let first: Vec<_> = (0..size).map(|row| cofactors[row * size]).collect();
        let determinant = self.builder.dot(&matrix[..size], &first);
        let scale = self.builder.rcp(determinant);
        cofactors.into_iter().map(|cofactor| self.builder.mul(cofactor, scale)).collect()
    }
}
