//! The registers of a warp.

use super::super::ops::Row;
use super::super::ops::wide::{Shape, shape};
use std::ops::{Index, IndexMut};

/// Registers of all lanes, and of those that served as addresses how their values lie.
pub(super) struct Registers {
    rows: Vec<Row>,
    /// The known shape of each register; a write to the register forgets it.
    shapes: Vec<Option<Shape>>,
}

impl Registers {
    pub(super) fn new(rows: Vec<Row>) -> Self {
        let shapes = vec![None; rows.len()];
        Self { rows, shapes }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Has so many registers; new ones are zero.
    pub(super) fn resize(&mut self, len: usize) {
        self.rows.resize(len, [0; 32]);
        self.shapes.resize(len, None);
    }

    /// Sets the registers from one on to zero.
    pub(super) fn clear_from(&mut self, first: usize) {
        self.rows[first..].fill([0; 32]);
        self.shapes[first..].fill(None);
    }

    /// All of them, one of which is about to be written.
    #[inline]
    pub(super) fn with_written(&mut self, index: usize) -> &mut [Row] {
        self.shapes[index] = None;
        &mut self.rows
    }

    /// How the values of a register lie.
    #[inline]
    pub(super) fn shape(&mut self, index: usize) -> Shape {
        match self.shapes[index] {
            Some(known) => known,
            None => *self.shapes[index].insert(shape(&self.rows[index])),
        }
    }
}

impl Index<usize> for Registers {
    type Output = Row;

    #[inline]
    fn index(&self, index: usize) -> &Row {
        &self.rows[index]
    }
}

impl IndexMut<usize> for Registers {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut Row {
        self.shapes[index] = None;
        &mut self.rows[index]
    }
}
