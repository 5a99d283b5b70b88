//! The Vulkan side: a device that shares memory and semaphores by file descriptors.

use ash::{khr, vk};
use std::error::Error;
use std::ffi::CStr;
use std::os::fd::{FromRawFd, OwnedFd};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

const OPAQUE_MEMORY: vk::ExternalMemoryHandleTypeFlags =
    vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
const OPAQUE_SEMAPHORE: vk::ExternalSemaphoreHandleTypeFlags =
    vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
/// What the device has to have.
const EXTENSIONS: [&CStr; 2] = [khr::external_memory_fd::NAME, khr::external_semaphore_fd::NAME];
/// How long the host waits at most, in nanoseconds.
const PATIENCE: u64 = 10_000_000_000;

/// A device with one queue. The process ends before it does.
pub(super) struct Vulkan {
    _entry: ash::Entry,
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    queue: vk::Queue,
    commands: vk::CommandPool,
    memory_fd: khr::external_memory_fd::Device,
    semaphore_fd: khr::external_semaphore_fd::Device,
    name: String,
}

/// A buffer with memory of its own.
pub(super) struct Buffer {
    raw: vk::Buffer,
    memory: vk::DeviceMemory,
    bytes: u64,
}

impl Buffer {
    pub(super) fn raw(&self) -> vk::Buffer {
        self.raw
    }

    /// The bytes of the memory, which may be more than those of the buffer.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

// SAFETY, of the calls below: the instance, the device and what is made of them live until the process ends. The structures
// that the calls read live as long as the call, and are chained as Vulkan's specification allows for it. Only one thread calls.

impl Vulkan {
    /// Finds the device with this UUID. The error says why there is none.
    pub(super) fn new(uuid: [u8; 16]) -> Result<Vulkan> {
        // SAFETY: Vulkan's loader may be loaded.
        let entry = unsafe { ash::Entry::load() }
            .map_err(|error| format!("no Vulkan on this machine: {error}"))?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
        let instance = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: as said above.
        let instance = unsafe { entry.create_instance(&instance, None) }
            .map_err(|error| format!("no Vulkan driver on this machine: {error}"))?;
        let mut others = Vec::new();
        // SAFETY: as said above.
        for physical in unsafe { instance.enumerate_physical_devices() }? {
            let mut id = vk::PhysicalDeviceIDProperties::default();
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
            // SAFETY: as said above.
            unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
            let name = properties.properties.device_name_as_c_str()?.to_string_lossy().into_owned();
            if !shares_by_descriptors(&instance, physical)? {
                others.push(format!("{name} cannot share memory by file descriptors"));
            } else if id.device_uuid != uuid {
                others.push(format!("{name} is another device than CUDA's"));
            } else {
                return Vulkan::open(entry, instance, physical, name);
            }
        }
        Err(format!("no Vulkan device can share memory with CUDA's: {}", others.join(", ")).into())
    }

    fn open(
        _entry: ash::Entry,
        instance: ash::Instance,
        physical: vk::PhysicalDevice,
        name: String,
    ) -> Result<Vulkan> {
        // SAFETY: as said above.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let computes = |family: &vk::QueueFamilyProperties| {
            family.queue_flags.contains(vk::QueueFlags::COMPUTE)
        };
        let family = families.iter().position(computes).ok_or("no queue computes")? as u32;
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(&priorities)];
        let extensions = EXTENSIONS.map(CStr::as_ptr);
        let mut features = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
        let device = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions)
            .push_next(&mut features);
        // SAFETY: as said above.
        let device = unsafe { instance.create_device(physical, &device, None) }?;
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        // SAFETY: as said above.
        let commands = unsafe { device.create_command_pool(&pool, None) }?;
        // SAFETY: as said above.
        let queue = unsafe { device.get_device_queue(family, 0) };
        let memory_fd = khr::external_memory_fd::Device::new(&instance, &device);
        let semaphore_fd = khr::external_semaphore_fd::Device::new(&instance, &device);
        Ok(Vulkan {
            _entry,
            instance,
            physical,
            device,
            queue,
            commands,
            memory_fd,
            semaphore_fd,
            name,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// A buffer in memory of the device, which can be exported.
    pub(super) fn exported_buffer(&self, bytes: u64) -> Result<Buffer> {
        let mut exported =
            vk::ExternalMemoryBufferCreateInfo::default().handle_types(OPAQUE_MEMORY);
        let usage = vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::TRANSFER_SRC;
        let buffer = vk::BufferCreateInfo::default().size(bytes).usage(usage);
        // SAFETY: as said above.
        let raw = unsafe { self.device.create_buffer(&buffer.push_next(&mut exported), None) }?;
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(OPAQUE_MEMORY);
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(raw);
        let allocation =
            vk::MemoryAllocateInfo::default().push_next(&mut export).push_next(&mut dedicated);
        self.bind(raw, allocation, vk::MemoryPropertyFlags::DEVICE_LOCAL)
    }

    /// A buffer that the host reads.
    pub(super) fn host_buffer(&self, bytes: u64) -> Result<Buffer> {
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let buffer = vk::BufferCreateInfo::default().size(bytes).usage(usage);
        // SAFETY: as said above.
        let raw = unsafe { self.device.create_buffer(&buffer, None) }?;
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        self.bind(raw, vk::MemoryAllocateInfo::default(), wanted)
    }

    /// Allocates memory for a buffer.
    fn bind(
        &self,
        raw: vk::Buffer,
        allocation: vk::MemoryAllocateInfo<'_>,
        wanted: vk::MemoryPropertyFlags,
    ) -> Result<Buffer> {
        // SAFETY: as said above.
        let needed = unsafe { self.device.get_buffer_memory_requirements(raw) };
        // SAFETY: as said above.
        let all = unsafe { self.instance.get_physical_device_memory_properties(self.physical) };
        let fits = |&kind: &u32| {
            let flags = all.memory_types[kind as usize].property_flags;
            needed.memory_type_bits & (1 << kind) != 0 && flags.contains(wanted)
        };
        let kind = (0..all.memory_type_count).find(fits).ok_or("no memory of the kind")?;
        let allocation = allocation.allocation_size(needed.size).memory_type_index(kind);
        // SAFETY: as said above.
        let memory = unsafe { self.device.allocate_memory(&allocation, None) }?;
        // SAFETY: as said above.
        unsafe { self.device.bind_buffer_memory(raw, memory, 0) }?;
        Ok(Buffer { raw, memory, bytes: needed.size })
    }

    /// A timeline semaphore of the value 0, which can be exported.
    pub(super) fn exported_timeline(&self) -> Result<vk::Semaphore> {
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(OPAQUE_SEMAPHORE);
        let mut timeline =
            vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let semaphore =
            vk::SemaphoreCreateInfo::default().push_next(&mut timeline).push_next(&mut export);
        // SAFETY: as said above.
        Ok(unsafe { self.device.create_semaphore(&semaphore, None) }?)
    }

    pub(super) fn memory_fd(&self, buffer: &Buffer) -> Result<OwnedFd> {
        let exported =
            vk::MemoryGetFdInfoKHR::default().memory(buffer.memory).handle_type(OPAQUE_MEMORY);
        // SAFETY: as said above.
        let descriptor = unsafe { self.memory_fd.get_memory_fd(&exported) }?;
        // SAFETY: new, and the program's.
        Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
    }

    pub(super) fn semaphore_fd(&self, semaphore: vk::Semaphore) -> Result<OwnedFd> {
        let exported =
            vk::SemaphoreGetFdInfoKHR::default().semaphore(semaphore).handle_type(OPAQUE_SEMAPHORE);
        // SAFETY: as said above.
        let descriptor = unsafe { self.semaphore_fd.get_semaphore_fd(&exported) }?;
        // SAFETY: new, and the program's.
        Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
    }

    /// Records commands, and submits them between a wait for a value of the semaphore and a signal of another one.
    pub(super) fn submit(
        &self,
        turns: vk::Semaphore,
        wait: Option<u64>,
        signal: u64,
        record: impl FnOnce(&ash::Device, vk::CommandBuffer),
    ) -> Result {
        let buffers = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.commands)
            .command_buffer_count(1);
        // SAFETY: as said above.
        let commands = unsafe { self.device.allocate_command_buffers(&buffers) }?;
        let once = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: as said above.
        unsafe { self.device.begin_command_buffer(commands[0], &once) }?;
        record(&self.device, commands[0]);
        // SAFETY: as said above.
        unsafe { self.device.end_command_buffer(commands[0]) }?;
        let (semaphores, signals) = ([turns], [signal]);
        let waits: Vec<u64> = wait.into_iter().collect();
        let stages = [vk::PipelineStageFlags::TRANSFER];
        let count = waits.len();
        let mut values = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&waits)
            .signal_semaphore_values(&signals);
        let submitted = vk::SubmitInfo::default()
            .wait_semaphores(&semaphores[..count])
            .wait_dst_stage_mask(&stages[..count])
            .command_buffers(&commands)
            .signal_semaphores(&semaphores)
            .push_next(&mut values);
        // SAFETY: as said above.
        Ok(unsafe { self.device.queue_submit(self.queue, &[submitted], vk::Fence::null()) }?)
    }

    /// Waits on the host for a value of the semaphore.
    pub(super) fn wait(&self, turns: vk::Semaphore, value: u64) -> Result {
        let (semaphores, values) = ([turns], [value]);
        let wait = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: as said above.
        Ok(unsafe { self.device.wait_semaphores(&wait, PATIENCE) }?)
    }

    /// The numbers of a buffer that the host reads, to which no work writes any more.
    pub(super) fn read(&self, buffer: &Buffer, len: usize) -> Result<Vec<f32>> {
        let flags = vk::MemoryMapFlags::empty();
        // SAFETY: as said above. The memory is the host's, and not mapped yet.
        let start = unsafe { self.device.map_memory(buffer.memory, 0, vk::WHOLE_SIZE, flags) }?;
        // SAFETY: the buffer holds so many numbers, and the mapping is aligned.
        let values = unsafe { std::slice::from_raw_parts(start.cast::<f32>(), len) }.to_vec();
        // SAFETY: it is mapped.
        unsafe { self.device.unmap_memory(buffer.memory) };
        Ok(values)
    }
}

fn shares_by_descriptors(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<bool> {
    // SAFETY: as said above.
    let all = unsafe { instance.enumerate_device_extension_properties(physical) }?;
    let has = |wanted: &CStr| all.iter().any(|one| one.extension_name_as_c_str() == Ok(wanted));
    Ok(EXTENSIONS.into_iter().all(has))
}
