//! A device whose memory is the arguments of a launch and nothing else, and which notes every access that is not in them.

use std::collections::HashMap;
use std::sync::Mutex;

use cuscope_ptx::Module;
use cuscope_ptx::run::{
    Accident, Edge, Fault, Image, Launch, Memory, Output, Place, Row, Texture, lanes, run,
};

use crate::Guarded;

/// Where memory begins, and how far its pieces are apart.
pub(crate) const START: u64 = 1 << 40;
const APART: u64 = 1 << 36;
/// The tag of launches.
const TAG: u32 = 0xabcd;

/// An argument.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    /// Memory that may be read, and written if so said; the address is this much beyond a multiple of 256.
    Memory { bytes: Vec<u8>, writes: bool, skew: u64 },
    /// Memory of so many bytes, most of which are never touched.
    Huge { bytes: u64 },
    /// The bytes of a number.
    Number(Vec<u8>),
    /// A structure: its bytes, and the places in it where the address of an argument is.
    Struct(Vec<u8>, Vec<(usize, usize)>),
}

/// A piece of memory.
struct Piece {
    start: u64,
    reads: u64,
    writes: u64,
    bytes: HashMap<u64, u8>,
}

/// The memory of a launch.
struct World {
    pieces: Mutex<Vec<Piece>>,
    escapes: Mutex<Vec<String>>,
    accident: Mutex<Option<Accident>>,
}

/// What a launch left.
#[derive(Clone, Debug)]
pub(crate) struct Left {
    pub(crate) result: Result<(), Fault>,
    /// Where it faulted, if it did: in global memory or elsewhere.
    pub(crate) place: Option<Place>,
    /// Accesses outside of the arguments.
    pub(crate) escapes: Vec<String>,
    /// The bytes of the arguments and of the variables of the module that the kernel changed. Variables may begin with
    /// the addresses of functions, which are others in another text.
    pub(crate) memory: Vec<Vec<(u64, u8)>>,
    /// What a guarded kernel stored: the site, or 0.
    pub(crate) site: u32,
}

impl World {
    fn access<T>(
        &self,
        address: u64,
        bytes: u64,
        write: bool,
        use_it: impl FnOnce(&mut Piece, u64) -> T,
    ) -> Result<T, Fault> {
        let mut pieces = self.pieces.lock().unwrap();
        let found = pieces.iter_mut().find_map(|piece| {
            let at = address.checked_sub(piece.start)?;
            let most = if write { piece.writes } else { piece.reads };
            (at.checked_add(bytes)? <= most).then_some((piece, at))
        });
        match found {
            Some((piece, at)) => Ok(use_it(piece, at)),
            None => {
                let what = if write { "write" } else { "read" };
                self.escapes.lock().unwrap().push(format!("{what} of {bytes} at {address:#x}"));
                Err(Fault::IllegalAddress)
            }
        }
    }
}

impl Piece {
    fn word(&self, at: u64, bytes: usize) -> u64 {
        (0..bytes).fold(0, |word, byte| {
            let value = self.bytes.get(&(at + byte as u64)).copied().unwrap_or(0);
            word | u64::from(value) << (8 * byte)
        })
    }

    fn set(&mut self, at: u64, bytes: usize, value: u64) {
        for byte in 0..bytes {
            self.bytes.insert(at + byte as u64, (value >> (8 * byte)) as u8);
        }
    }
}

impl Memory for World {
    fn load(&self, at: &Row, mask: u32, bytes: usize, out: &mut Row) -> Result<(), Fault> {
        lanes(mask).try_for_each(|lane| {
            out[lane] =
                self.access(at[lane], bytes as u64, false, |piece, at| piece.word(at, bytes))?;
            Ok(())
        })
    }

    fn store(&self, at: &Row, mask: u32, bytes: usize, values: &Row) -> Result<(), Fault> {
        lanes(mask).try_for_each(|lane| {
            self.access(at[lane], bytes as u64, true, |piece, at| {
                piece.set(at, bytes, values[lane])
            })
        })
    }

    fn atomic(
        &self,
        address: u64,
        bytes: usize,
        update: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Result<u64, Fault> {
        self.access(address, bytes as u64, true, |piece, at| {
            let old = piece.word(at, bytes);
            if let Some(new) = update(old) {
                piece.set(at, bytes, new);
            }
            old
        })
    }

    fn room(&self, address: u64) -> u64 {
        // A vector that is read past the end: what is there counts, and a fault tells its place.
        self.escapes.lock().unwrap().retain(|one| !one.starts_with("read"));
        let pieces = self.pieces.lock().unwrap();
        let room = pieces.iter().find_map(|piece| {
            let at = address.checked_sub(piece.start)?;
            (at < piece.reads).then(|| piece.reads - at)
        });
        room.unwrap_or(0)
    }

    fn allocate(&self, _bytes: u64) -> Option<u64> {
        None
    }

    fn release(&self, _address: u64) -> Result<(), Fault> {
        Err(Fault::IllegalAddress)
    }

    fn texture(&self, handle: u64) -> Option<std::sync::Arc<Texture>> {
        let _none: Option<Edge> = None;
        if handle != 1 {
            self.escapes.lock().unwrap().push(format!("a texture of handle {handle:#x}"));
        }
        None
    }

    fn surface(&self, handle: u64) -> Option<std::sync::Arc<Image>> {
        if handle != 1 {
            self.escapes.lock().unwrap().push(format!("a surface of handle {handle:#x}"));
        }
        None
    }
}

impl Output for World {
    fn print(&self, _text: &[u8]) {}
    fn complain(&self, _text: &str) {}
    fn faulted(&self, accident: &Accident) {
        *self.accident.lock().unwrap() = Some(*accident);
    }
}

/// How a kernel is launched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) most_steps: u64,
}

impl Default for Shape {
    fn default() -> Self {
        Self { grid: [2, 1, 1], block: [32, 1, 1], most_steps: 20_000 }
    }
}

/// Launches a kernel of a text: as it is, or with the parameters of a guarded one behind its own.
pub(crate) fn launch(
    text: &str,
    guarded: Option<&Guarded>,
    kernel: &str,
    arguments: &[Argument],
    shape: Shape,
) -> Result<Left, String> {
    let module = Module::parse(text).map_err(|error| error.to_string())?;
    let index = module.kernels.iter().position(|one| one.name == kernel).ok_or("no kernel")?;
    let layout = &module.kernels[index];
    let mut pieces = Vec::new();
    let mut addresses = Vec::new();
    for (number, argument) in arguments.iter().enumerate() {
        let start = START + (number as u64 + 1) * APART;
        match argument {
            Argument::Memory { bytes, writes, skew } => {
                let len = bytes.len() as u64;
                let bytes = bytes.iter().enumerate().map(|(at, &byte)| (at as u64, byte)).collect();
                let start = start + skew;
                pieces.push(Piece {
                    start,
                    reads: len,
                    writes: if *writes { len } else { 0 },
                    bytes,
                });
                addresses.push(start);
            }
            Argument::Huge { bytes } => {
                pieces.push(Piece { start, reads: *bytes, writes: *bytes, bytes: HashMap::new() });
                addresses.push(start);
            }
            _ => addresses.push(0),
        }
    }
    // Addresses among the bytes of memory: the first eight bytes of `address of argument N` are so marked.
    for piece in &mut pieces {
        let words = piece.reads.min(1 << 16) / 8;
        for at in (0..words).map(|word| word * 8) {
            let word = piece.word(at, 8);
            if word >> 8 == 0x00ad_d4e5_5000_0000 >> 8 {
                let address = addresses.get((word & 0xff) as usize).copied().unwrap_or(0);
                piece.set(at, 8, address);
            }
        }
    }
    let mut params = vec![0; layout.param_bytes];
    let mut values = Vec::new();
    for (number, argument) in arguments.iter().enumerate() {
        values.push(match argument {
            Argument::Memory { .. } | Argument::Huge { .. } => {
                addresses[number].to_le_bytes().to_vec()
            }
            Argument::Number(bytes) => bytes.clone(),
            Argument::Struct(bytes, places) => {
                let mut bytes = bytes.clone();
                for &(at, of) in places {
                    bytes[at..at + 8].copy_from_slice(&addresses[of].to_le_bytes());
                }
                bytes
            }
        });
    }
    let record = START;
    if let Some(guarded) = guarded {
        let kernel = guarded.kernels().iter().find(|one| one.name() == kernel).ok_or("refused")?;
        let mut hidden = Vec::new();
        for (at, (parameter, argument)) in kernel.parameters().iter().zip(arguments).enumerate() {
            if !parameter.extents {
                continue;
            }
            let (reads, writes) = match argument {
                Argument::Memory { bytes, writes, .. } => {
                    let len = bytes.len() as u64;
                    (len, if *writes { len } else { 0 })
                }
                Argument::Huge { bytes } => (*bytes, *bytes),
                _ => (0, 0),
            };
            hidden.extend([reads, writes].map(|bytes| parameter.bounds.of(addresses[at], bytes)));
        }
        hidden.extend([record, TAG.into()]);
        values.push(hidden.iter().flat_map(|word| word.to_le_bytes()).collect());
        pieces.push(Piece { start: record, reads: 0, writes: 8, bytes: HashMap::new() });
    }
    if values.len() != layout.params.len() {
        return Err("other parameters".to_owned());
    }
    for (param, value) in layout.params.iter().zip(&values) {
        if param.size != value.len() {
            return Err("a parameter of another size".to_owned());
        }
        params[param.offset..param.offset + param.size].copy_from_slice(value);
    }
    // Each has a GiB of addresses, below the arguments.
    let places = (0..module.globals.len() as u64).map(|at| START.checked_sub((at + 1) * (1 << 30)));
    let globals = places.collect::<Option<Vec<u64>>>().ok_or("too many variables")?;
    for (at, global) in module.globals.iter().enumerate() {
        let bytes = module.initial_bytes(at, &globals);
        let constant = global.space == cuscope_ptx::GlobalSpace::Const;
        let size = global.size as u64;
        let bytes = bytes.iter().enumerate().map(|(at, &byte)| (at as u64, byte)).collect();
        let writes = if constant { 0 } else { size };
        pieces.push(Piece { start: globals[at], reads: size, writes, bytes });
    }
    let begin: Vec<HashMap<u64, u8>> = pieces.iter().map(|piece| piece.bytes.clone()).collect();
    let world =
        World { pieces: Mutex::new(pieces), escapes: Mutex::default(), accident: Mutex::default() };
    let result = run(&Launch {
        module: &module,
        kernel: index,
        grid: shape.grid,
        block: shape.block,
        cluster: layout.block.cluster,
        dynamic_shared: 64,
        params: &params,
        globals: &globals,
        memory: &world,
        workspace: 0,
        output: &world,
        workers: 1,
        most_steps: shape.most_steps,
    });
    let pieces = world.pieces.into_inner().unwrap();
    let stored = pieces.iter().find(|piece| piece.start == record);
    let stored = stored.map_or(0, |piece| piece.word(0, 8));
    let site = stored as u32;
    let mut escapes = world.escapes.into_inner().unwrap();
    if stored != 0 && (stored >> 32 != u64::from(TAG) || site == 0) {
        escapes.push(format!("the record holds {stored:#x}"));
    }
    let before = |begin: &HashMap<u64, u8>, at| begin.get(&at).copied().unwrap_or(0);
    let both = pieces.iter().zip(&begin).filter(|(piece, _)| piece.start != record);
    let memory = both.map(|(piece, begin)| {
        let mut bytes: Vec<_> = piece.bytes.iter().map(|(&at, &byte)| (at, byte)).collect();
        bytes.retain(|&(at, byte)| byte != before(begin, at));
        bytes.sort_unstable();
        bytes
    });
    let memory = memory.collect();
    let accident = world.accident.into_inner().unwrap();
    let place = accident.and_then(|one| one.access).map(|access| access.place);
    Ok(Left { result, place, escapes, memory, site })
}

/// The mark of the address of an argument, among the bytes of another.
pub(crate) fn address_of(argument: u8) -> [u8; 8] {
    (0x00ad_d4e5_5000_0000 | u64::from(argument)).to_le_bytes()
}

/// Random numbers, the same each time.
#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut all = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            all.next();
        }
        all
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// Below a number.
    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.next() % most.max(1)
    }

    /// One of some.
    pub(crate) fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len() as u64) as usize]
    }

    /// Once in so many times.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}
