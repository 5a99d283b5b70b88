//! A device's memory for tests, and launches on it.

use std::sync::Mutex;

use super::super::Module;
use super::super::run::{Accident, Fault, Launch, Memory, Output, Row, lanes, run};

/// Where the memory begins.
pub(crate) const START: u64 = 1 << 40;

/// One piece of memory from [`START`] on.
pub(crate) struct Device {
    bytes: Mutex<Vec<u8>>,
    top: Mutex<u64>,
    printed: Mutex<Vec<u8>>,
    /// Where the last launch faulted.
    pub(crate) accident: Mutex<Option<Accident>>,
    /// The accesses that were left out, and how many may be.
    pub(crate) left_out: Mutex<(Vec<Accident>, usize)>,
    /// The steps of the last launch.
    pub(crate) steps: Mutex<u64>,
}

impl Device {
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            bytes: Mutex::new(vec![0; bytes]),
            top: Mutex::new(START),
            printed: Mutex::default(),
            accident: Mutex::default(),
            left_out: Mutex::default(),
            steps: Mutex::default(),
        }
    }

    fn with<T>(
        &self,
        address: u64,
        length: usize,
        use_it: impl FnOnce(&mut [u8]) -> T,
    ) -> Result<T, Fault> {
        let mut bytes = self.bytes.lock().unwrap();
        let at = address.checked_sub(START).ok_or(Fault::IllegalAddress)? as usize;
        let end = at.checked_add(length).ok_or(Fault::IllegalAddress)?;
        bytes.get_mut(at..end).map(use_it).ok_or(Fault::IllegalAddress)
    }

    /// Room for bytes that are given.
    pub(crate) fn place(&self, bytes: &[u8]) -> u64 {
        let mut top = self.top.lock().unwrap();
        let address = top.next_multiple_of(256);
        *top = address + bytes.len() as u64;
        self.with(address, bytes.len(), |place| place.copy_from_slice(bytes)).unwrap();
        address
    }

    /// Takes the last bytes away.
    pub(crate) fn shorten(&mut self, by: usize) {
        let bytes = self.bytes.get_mut().unwrap();
        bytes.truncate(bytes.len() - by);
    }

    /// The bytes that are left.
    fn left(&self) -> u64 {
        let end = START + self.bytes.lock().unwrap().len() as u64;
        end.saturating_sub(*self.top.lock().unwrap())
    }

    /// Room for values.
    pub(crate) fn put<T: Value>(&self, values: &[T]) -> u64 {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.bytes()).collect();
        self.place(&bytes)
    }

    /// Room for so many zero bytes.
    pub(crate) fn room(&self, bytes: usize) -> u64 {
        self.place(&vec![0; bytes])
    }

    /// Returns the text that kernels have printed.
    pub(crate) fn printed(&self) -> String {
        String::from_utf8(self.printed.lock().unwrap().clone()).unwrap()
    }

    /// The values at an address.
    pub(crate) fn get<T: Value>(&self, address: u64, count: usize) -> Vec<T> {
        let size = size_of::<T>();
        self.with(address, count * size, |bytes| {
            bytes.chunks_exact(size).map(T::from_bytes).collect()
        })
        .unwrap()
    }
}

impl Memory for Device {
    fn load(&self, at: &Row, mask: u32, bytes: usize, out: &mut Row) -> Result<(), Fault> {
        lanes(mask).try_for_each(|lane| {
            let mut word = [0; 8];
            self.with(at[lane], bytes, |place| word[..bytes].copy_from_slice(place))?;
            out[lane] = u64::from_le_bytes(word);
            Ok(())
        })
    }

    fn store(&self, at: &Row, mask: u32, bytes: usize, values: &Row) -> Result<(), Fault> {
        lanes(mask).try_for_each(|lane| {
            let word = values[lane].to_le_bytes();
            self.with(at[lane], bytes, |place| place.copy_from_slice(&word[..bytes]))
        })
    }

    fn atomic(
        &self,
        address: u64,
        bytes: usize,
        update: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Result<u64, Fault> {
        self.with(address, bytes, |place| {
            let mut whole = [0; 8];
            whole[..bytes].copy_from_slice(place);
            let old = u64::from_le_bytes(whole);
            if let Some(new) = update(old) {
                place.copy_from_slice(&new.to_le_bytes()[..bytes]);
            }
            old
        })
    }

    fn room(&self, address: u64) -> u64 {
        let len = self.bytes.lock().unwrap().len() as u64;
        address.checked_sub(START).map_or(0, |offset| len.saturating_sub(offset))
    }

    fn allocate(&self, bytes: u64) -> Option<u64> {
        (bytes < 1 << 10 && self.left() > 1 << 12).then(|| self.room(bytes as usize))
    }

    fn release(&self, _address: u64) -> Result<(), Fault> {
        Ok(())
    }
}

impl Output for Device {
    fn print(&self, text: &[u8]) {
        self.printed.lock().unwrap().extend_from_slice(text);
    }

    fn complain(&self, text: &str) {
        self.print(text.as_bytes());
    }

    fn faulted(&self, accident: &Accident) {
        *self.accident.lock().unwrap() = Some(*accident);
    }

    fn may_leave_out(&self) -> bool {
        self.left_out.lock().unwrap().1 > 0
    }

    fn leaves_out(&self, accident: &Accident) -> bool {
        let (left_out, most) = &mut *self.left_out.lock().unwrap();
        left_out.push(*accident);
        left_out.len() <= *most
    }

    fn ran(&self, steps: u64) {
        *self.steps.lock().unwrap() = steps;
    }
}

/// Values that lie in memory.
pub(crate) trait Value: Copy {
    fn bytes(self) -> Vec<u8>;
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! values {
    ($($t:ty),*) => {$(
        impl Value for $t {
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
            fn from_bytes(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().unwrap())
            }
        }
    )*};
}

values!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

/// A module whose variables are placed on a device.
pub(crate) struct Loaded {
    pub(crate) module: Module,
    pub(crate) device: Device,
    pub(crate) globals: Vec<u64>,
    /// The address of a grid's workspace, for cooperative launches.
    pub(crate) workspace: u64,
    pub(crate) most_steps: u64,
}

impl Loaded {
    pub(crate) fn new(ptx: &str) -> Self {
        let module = Module::parse(ptx).unwrap_or_else(|error| panic!("{error}"));
        let device = Device::new(64 << 20);
        let globals: Vec<u64> = module.globals.iter().map(|g| device.room(g.size)).collect();
        for (index, &address) in globals.iter().enumerate() {
            let bytes = module.initial_bytes(index, &globals);
            device.with(address, bytes.len(), |place| place.copy_from_slice(&bytes)).unwrap();
        }
        Self { module, device, globals, workspace: 0, most_steps: u64::MAX }
    }

    /// Launches a kernel with values as its parameters.
    pub(crate) fn launch(
        &self,
        name: &str,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared: usize,
        values: &[&[u8]],
    ) -> Result<(), Fault> {
        self.start(4, name, grid, block, dynamic_shared, values)
    }

    /// The same on so many threads of the host.
    pub(crate) fn launch_on(
        &self,
        workers: usize,
        name: &str,
        grid: [u32; 3],
        block: [u32; 3],
        values: &[&[u8]],
    ) -> Result<(), Fault> {
        self.start(workers, name, grid, block, 0, values)
    }

    fn start(
        &self,
        workers: usize,
        name: &str,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared: usize,
        values: &[&[u8]],
    ) -> Result<(), Fault> {
        let kernel = self.module.kernels.iter().position(|kernel| kernel.name == name).unwrap();
        let layout = &self.module.kernels[kernel];
        let mut params = vec![0; layout.param_bytes];
        assert_eq!(layout.params.len(), values.len());
        for (param, value) in layout.params.iter().zip(values) {
            assert_eq!(param.size, value.len());
            params[param.offset..param.offset + param.size].copy_from_slice(value);
        }
        run(&Launch {
            module: &self.module,
            kernel,
            grid,
            block,
            cluster: layout.block.cluster,
            dynamic_shared,
            params: &params,
            globals: &self.globals,
            memory: &self.device,
            workspace: self.workspace,
            output: &self.device,
            workers,
            most_steps: self.most_steps,
        })
    }
}

/// The bytes of parameters.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$(&super::device::Value::bytes($value)[..]),*]
    };
}

pub(super) use params;

/// Runs a body of PTX, between the loading of a pointer to 32-bit words and
/// its end, on one warp; the words that it leaves.
pub(crate) fn body(ptx: &str, words: &[u32]) -> Result<Vec<u32>, Fault> {
    let loaded = Loaded::new(&source(ptx));
    let out = loaded.device.put(words);
    loaded.launch("test", [1, 1, 1], [32, 1, 1], 0, params![out])?;
    Ok(loaded.device.get(out, words.len()))
}

/// A kernel of a body: `%out` is the address of its words, `%lane` that of the
/// lane's own word, `%r0` the lane.
pub(crate) fn source(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry test(.param .u64 out)\n{{\n\
         .reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n\
         .reg .f32 %f<9>;\n.reg .f64 %fd<9>;\n.reg .b64 %out, %lane;\n\
         ld.param.u64 %out, [out];\nmov.u32 %r0, %tid.x;\n\
         mad.wide.u32 %lane, %r0, 4, %out;\n{body}\nret;\n}}\n"
    )
}
