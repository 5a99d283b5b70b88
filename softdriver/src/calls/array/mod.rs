//! The driver functions about [`array`](crate::model::array).

pub(crate) mod arrays;
pub(crate) mod copy;
pub(crate) mod mipmap;
pub(crate) mod shape;
pub(crate) mod texture;
