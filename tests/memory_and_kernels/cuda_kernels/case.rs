//! A row of the table: a kernel, how it is launched, and what its result is compared with.

use cuscope::{Dim3, LaunchConfig};

/// The words that a kernel is given: the same in every run.
#[derive(Clone, Copy)]
pub(crate) enum Input {
    /// Words of 32 random bits.
    Words(usize),
    /// `f32`s from -1 to 1.
    F32(usize),
    /// `f64`s from -1 to 1.
    F64(usize),
}

impl Input {
    /// The numbers, as words.
    pub(crate) fn words(self) -> Vec<u32> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        match self {
            Input::Words(n) => (0..n).map(|_| random()).collect(),
            Input::F32(n) => {
                (0..n).map(|_| ((random() >> 8) as f32 / 8_388_608.0 - 1.0).to_bits()).collect()
            }
            Input::F64(n) => {
                let number = |_| {
                    let bits = u64::from(random()) << 20 | u64::from(random() >> 12);
                    bits as f64 / f64::from(1 << 26) / f64::from(1 << 25) - 1.0
                };
                let numbers: Vec<f64> = (0..n).map(number).collect();
                bytemuck::cast_slice(&numbers).to_vec()
            }
        }
    }
}

/// The expected value of a result. A function is given the input and the kernel's number.
#[derive(Clone, Copy)]
pub(crate) enum Check {
    /// The result of the H200.
    Digest,
    /// The result of the H200, and these words.
    Words(fn(&[u32], u32) -> Vec<u32>),
    /// The same for numbers of 64 bits.
    Words64(fn(&[u64], u32) -> Vec<u64>),
    /// The same for `f32`, bit by bit.
    F32(fn(&[f32], u32) -> Vec<f32>),
    /// The same for `f64`.
    F64(fn(&[f64], u32) -> Vec<f64>),
    /// These words, for which no GPU has to be asked.
    Host(fn(&[u32], u32) -> Vec<u32>),
    /// `f32`s that differ from these by at most so much, as a part of their size or of 1 if they are smaller.
    Near(f64, fn(&[f32], u32) -> Vec<f64>),
    /// The same for `f64`.
    Near64(f64, fn(&[f64], u32) -> Vec<f64>),
}

impl Check {
    /// Whether the digest of what the H200 gave was recorded.
    pub(crate) fn has_digest(&self) -> bool {
        !matches!(self, Check::Host(_) | Check::Near(..) | Check::Near64(..))
    }

    /// Returns the difference between a result and the expected one.
    pub(crate) fn problem(&self, input: &[u32], n: u32, result: &[u32]) -> Option<String> {
        match self {
            Check::Digest => None,
            Check::Words(f) | Check::Host(f) => first_difference(result, &f(input, n)),
            Check::Words64(f) => first_difference(&wide::<u64>(result), &f(&wide::<u64>(input), n)),
            Check::F32(f) => {
                let expected = f(bytemuck::cast_slice(input), n);
                first_difference(result, bytemuck::cast_slice(&expected))
            }
            Check::F64(f) => {
                let expected = f(&wide::<f64>(input), n);
                first_difference(&wide::<u64>(result), bytemuck::cast_slice(&expected))
            }
            Check::Near(tolerance, f) => {
                let result: &[f32] = bytemuck::cast_slice(result);
                let result: Vec<f64> = result.iter().map(|&x| x.into()).collect();
                far_apart(*tolerance, &result, &f(bytemuck::cast_slice(input), n))
            }
            Check::Near64(tolerance, f) => {
                far_apart(*tolerance, &wide::<f64>(result), &f(&wide::<f64>(input), n))
            }
        }
    }
}

/// Pairs of words as one number each.
fn wide<T: bytemuck::Pod>(words: &[u32]) -> Vec<T> {
    let mut wide = vec![T::zeroed(); words.len() / 2];
    bytemuck::cast_slice_mut(&mut wide).copy_from_slice(&words[..words.len() / 2 * 2]);
    wide
}

/// Small numbers as the words that they lie in.
pub(crate) fn packed<T: bytemuck::Pod>(values: &[T]) -> Vec<u32> {
    let bytes: &[u8] = bytemuck::cast_slice(values);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn first_difference<T: PartialEq + std::fmt::LowerHex>(
    got: &[T],
    expected: &[T],
) -> Option<String> {
    if got.len() != expected.len() {
        return Some(format!("{} results, the host has {}", got.len(), expected.len()));
    }
    let at = got.iter().zip(expected).position(|(got, expected)| got != expected)?;
    Some(format!("result {at} is {:#x}, the host has {:#x}", got[at], expected[at]))
}

fn far_apart(tolerance: f64, got: &[f64], expected: &[f64]) -> Option<String> {
    if got.len() != expected.len() {
        return Some(format!("{} results, the host has {}", got.len(), expected.len()));
    }
    let error = |i: usize| (got[i] - expected[i]).abs() / expected[i].abs().max(1.0);
    let worst = (0..got.len()).max_by(|&a, &b| error(a).total_cmp(&error(b)))?;
    let error = error(worst);
    let good = error <= tolerance;
    (!good).then(|| {
        let (got, expected) = (got[worst], expected[worst]);
        format!("result {worst} is {got:e}, the host has {expected:e}: off by {error:e}, not {tolerance:e}")
    })
}

/// A kernel `(const T *in, U *out, unsigned n)`, and what it is given.
pub(crate) struct Case {
    /// The name of the kernel.
    pub(crate) name: &'static str,
    /// The shape of the launch.
    pub(crate) config: LaunchConfig,
    /// The third parameter.
    pub(crate) n: u32,
    /// The contents of `in`.
    pub(crate) input: Input,
    /// The words of `out`, which are zero before.
    pub(crate) out: usize,
    /// The expected results.
    pub(crate) check: Check,
    /// Whether all blocks run at once.
    pub(crate) cooperative: bool,
    /// Whether a struct follows as the fourth parameter.
    pub(crate) with_struct: bool,
}

impl Case {
    pub(crate) fn new(
        name: &'static str,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        n: u32,
        input: Input,
        out: usize,
        check: Check,
    ) -> Self {
        let config = LaunchConfig::new(grid, block);
        Case { name, config, n, input, out, check, cooperative: false, with_struct: false }
    }

    pub(crate) fn shared(self, bytes: u32) -> Self {
        Case { config: self.config.with_shared_bytes(bytes), ..self }
    }

    pub(crate) fn cooperative(self) -> Self {
        Case { cooperative: true, ..self }
    }

    pub(crate) fn with_struct(self) -> Self {
        Case { with_struct: true, ..self }
    }
}
