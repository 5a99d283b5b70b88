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

/// Code as one long literal, which is LZ4.
pub(crate) fn literal(code: &[u8]) -> Vec<u8> {
    let mut packed = vec![0xf0];
    packed.extend(vec![255; (code.len() - 15) / 255]);
    packed.push(((code.len() - 15) % 255) as u8);
    packed.extend(code);
    packed
}

/// An entry of compressed code, with the flag of the compression and what is said of its size.
pub(crate) fn compressed_entry(
    kind: u16,
    header: u32,
    flag: u64,
    packed: &[u8],
    size: u64,
) -> Vec<u8> {
    let mut entry = entry(kind, 75, header, packed);
    entry[16..20].copy_from_slice(&(packed.len() as u32).to_le_bytes());
    entry[40..48].copy_from_slice(&(flag | 0x11).to_le_bytes());
    entry[56..64].copy_from_slice(&size.to_le_bytes());
    entry
}
