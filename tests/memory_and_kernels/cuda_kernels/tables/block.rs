//! Operations that the threads of a block do together through CUDA's libraries.

use super::super::case::{Case, Check, Input};

pub(crate) fn cases() -> Vec<Case> {
    let words = |name, grid: u32, block: u32, input, out, model| {
        Case::new(name, grid, block, 0, Input::Words(input), out, Check::Host(model))
    };
    vec![
        words("neighbours", 8, 64, 512, 512, neighbours),
        words("reversed", 4, 64, 256, 256, reversed),
        words("block_scan", 3, 96, 576, 576, block_scan),
        words("block_reduce", 4, 96, 384, 12, block_reduce),
        words("block_sort", 2, 64, 384, 384, block_sort),
        words("group_sums", 2, 96, 192, 768, group_sums),
        words("references", 4, 64, 256, 18, references),
        words("tensor_half", 2, 32, 1024, 512, tensor_half),
        words("tensor_bytes", 2, 32, 256, 512, tensor_bytes),
    ]
}

fn neighbours(x: &[u32], _: u32) -> Vec<u32> {
    let next = |i: usize| x[i / 256 * 256 + (i + 64) % 256];
    (0..x.len()).map(|i| next(i).wrapping_sub(x[i].wrapping_mul(2))).collect()
}

fn reversed(x: &[u32], _: u32) -> Vec<u32> {
    x.chunks(64).flat_map(|block| block.iter().rev().copied()).collect()
}

fn block_scan(x: &[u32], _: u32) -> Vec<u32> {
    let mut out = Vec::new();
    for block in x.chunks(192) {
        let all = block.iter().fold(0u32, |sum, &one| sum.wrapping_add(one));
        let mut sum = 0u32;
        for (i, &one) in block.iter().enumerate() {
            out.push(if i % 2 == 0 { sum } else { sum ^ all });
            sum = sum.wrapping_add(one);
        }
    }
    out
}

fn block_reduce(x: &[u32], _: u32) -> Vec<u32> {
    let mut out = Vec::new();
    for block in x.chunks(96) {
        let squares = block[..91].iter().map(|&one| u64::from(one) * u64::from(one));
        let sum = squares.fold(0u64, u64::wrapping_add);
        out.extend([block.iter().copied().max().unwrap_or(0), sum as u32, (sum >> 32) as u32]);
    }
    out
}

fn block_sort(x: &[u32], _: u32) -> Vec<u32> {
    let mut out = x.to_vec();
    // Equal keys stay in their order.
    out.chunks_mut(192).for_each(|block| block.sort_by_key(|&one| one >> 4 & 0xff_ffff));
    out
}

fn group_sums(x: &[u32], _: u32) -> Vec<u32> {
    let mut out = Vec::new();
    for (i, &mine) in x.iter().enumerate() {
        let tile = &x[i / 16 * 16..][..16];
        let sum = |list: &[u32]| list.iter().fold(0u32, |sum, &one| sum.wrapping_add(one));
        let warp = &x[i / 32 * 32..][..32];
        let same: Vec<usize> = (0..32).filter(|&lane| warp[lane] % 2 == mine % 2).collect();
        let rank = same.iter().position(|&lane| lane == i % 32).unwrap_or(0);
        let least = same.iter().map(|&lane| warp[lane]).min().unwrap_or(0);
        out.push(sum(tile));
        out.push(tile.iter().fold(0, |bits, one| bits ^ one));
        out.push(sum(&tile[..=i % 16]));
        out.push(least.wrapping_add((rank * 3 + same.len()) as u32));
    }
    out
}

fn references(x: &[u32], _: u32) -> Vec<u32> {
    let mut out = vec![0; 18];
    for &mine in x {
        out[(mine % 16) as usize] += 1;
        out[16] = mine.max(out[16]);
        out[17] ^= mine;
    }
    out
}

fn tensor_half(x: &[u32], _: u32) -> Vec<u32> {
    let eighths: Vec<f32> = x.iter().map(|&word| ((word % 33) as f32 - 16.0) / 8.0).collect();
    let mut out = Vec::new();
    for block in eighths.chunks(512) {
        for (row, column) in (0..16).flat_map(|row| (0..16).map(move |column| (row, column))) {
            let term = |k: usize| block[row * 16 + k] * block[256 + column * 16 + k];
            // All sums are exact.
            out.push((2.0 * (0.5 + (0..16).map(term).sum::<f32>())).to_bits());
        }
    }
    out
}

fn tensor_bytes(x: &[u32], _: u32) -> Vec<u32> {
    let bytes: Vec<i32> = x
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .map(|byte| byte.cast_signed().into())
        .collect();
    let mut out = Vec::new();
    for block in bytes.chunks(512) {
        for (column, row) in (0..16).flat_map(|column| (0..16).map(move |row| (column, row))) {
            let term = |k: usize| block[row * 16 + k] * block[256 + k * 16 + column];
            out.push(((0..16).map(term).sum::<i32>() - 3).cast_unsigned());
        }
    }
    out
}
