//! Fatbins, written as the compiler writes them.
#![allow(dead_code, reason = "each test file uses a part")]

/// An entry of a fatbin: 1 is PTX, 2 a cubin. Its header has options of the compiler after its first 64 bytes,
/// if it is longer.
pub(crate) fn entry(kind: u16, arch: u32, header: u32, code: &[u8]) -> Vec<u8> {
    let padded = code.len().next_multiple_of(8);
    let options = if header > 64 { 64 } else { 0 };
    let mut entry = Vec::new();
    entry.extend([kind, 0x101].into_iter().flat_map(u16::to_le_bytes));
    entry.extend(header.to_le_bytes());
    entry.extend((padded as u64).to_le_bytes());
    // Not compressed; options of the compiler; a version; the architecture; no name.
    entry.extend([0, options, 0x0001_0007, arch, 0, 0].into_iter().flat_map(u32::to_le_bytes));
    entry.extend([0x11, 0, 0].into_iter().flat_map(u64::to_le_bytes));
    entry.resize(header as usize, 0);
    entry.extend(code);
    entry.resize(header as usize + padded, 0);
    entry
}

/// A fatbin of these entries.
pub(crate) fn fatbin(entries: &[Vec<u8>]) -> Vec<u8> {
    let entries = entries.concat();
    let mut fatbin = Vec::from(0xba55_ed50_u32.to_le_bytes());
    fatbin.extend([1_u16, 16].into_iter().flat_map(u16::to_le_bytes));
    fatbin.extend((entries.len() as u64).to_le_bytes());
    fatbin.extend(entries);
    fatbin
}
