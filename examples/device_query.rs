//! Every device as an aligned table. `cargo run --example device_query`

use cuscope::{Device, Result, driver_kind, driver_version, ffi};

const GIB: f64 = (1_u64 << 30) as f64;

fn main() -> Result {
    println!("driver: {} (CUDA {})", driver_kind(), driver_version()?);
    let devices = Device::all()?;
    let mut rows: Vec<Vec<String>> = [
        "ordinal",
        "name",
        "uuid",
        "PCI address",
        "compute capability",
        "memory (GiB)",
        "multiprocessors",
        "warp size",
        "threads per block, at most",
        "shared memory per block (KiB)",
        "... for kernels that opt in (KiB)",
        "registers per block",
        "L2 cache (MiB)",
        "clock (MHz)",
    ]
    .map(|label| vec![label.to_owned()])
    .into();

    for device in &devices {
        let attribute = |a| device.attribute(a);
        let (major, minor) = device.compute_capability()?;
        let values = [
            device.ordinal().to_string(),
            device.name()?,
            device.uuid()?.to_string(),
            device.pci_bus_id()?,
            format!("{major}.{minor}"),
            format!("{:.1}", device.total_memory()? as f64 / GIB),
            attribute(ffi::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?.to_string(),
            attribute(ffi::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?.to_string(),
            attribute(ffi::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?.to_string(),
            (attribute(ffi::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)? >> 10).to_string(),
            (attribute(ffi::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)? >> 10)
                .to_string(),
            attribute(ffi::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?.to_string(),
            (attribute(ffi::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)? >> 20).to_string(),
            (attribute(ffi::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)? / 1000).to_string(),
        ];
        for (row, value) in rows.iter_mut().zip(values) {
            row.push(value);
        }
    }

    let widths: Vec<usize> = (0..=devices.len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        println!("{}", cells.join("  ").trim_end());
    }

    let right = devices.len() == Device::count()? as usize
        && devices.iter().enumerate().all(|(i, d)| d.ordinal() as usize == i);
    println!("{} device(s): {}", devices.len(), if right { "right" } else { "WRONG" });
    assert!(right, "the devices are not numbered 0 to {}", devices.len());
    Ok(())
}
