//! The small runtime: what it computes, that it makes the driver calls of C, and that it runs on ordered streams too, and with
//! guarded kernels there.
#![allow(unsafe_code, reason = "vouches for kernels")]

use cuscope::{Device, Error, driver_kind};
use cuscope_examples::runtime::kernels::Source;
use cuscope_examples::runtime::{Argument, Client, Handle, guarded, ordered};
use cuscope_softdriver::control::record;

const LEN: usize = 1000;
const LAUNCH: (u32, u32) = (4, 256);

fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    let (all, rest) = bytes.as_chunks::<4>();
    assert!(rest.is_empty());
    all.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

fn arguments(all: [&Handle; 3]) -> Vec<Argument> {
    let memory = all.map(|handle| Argument::Memory(handle.clone()));
    memory.into_iter().chain([Argument::U32(LEN as u32)]).collect()
}

fn launch(client: &Client, device: usize, op: &str, all: [&Handle; 3]) {
    // SAFETY: 1. Such a kernel has three arrays of so many numbers, and their number.
    unsafe { client.launch(device, &Source::binary(op), LAUNCH, arguments(all)) };
}

/// Two devices; the first one twice if the machine has no other.
fn two() -> Vec<Device> {
    let all = Device::all().unwrap();
    vec![all[0], *all.get(1).unwrap_or(&all[0])]
}

#[test]
fn many_clients_work_at_once_and_each_gets_its_results() {
    let client = Client::start(&two()).unwrap();
    std::thread::scope(|s| {
        for number in 0..6_usize {
            let client = client.clone();
            s.spawn(move || {
                let device = number % 2;
                let mut expected = vec![number as f32; LEN];
                let mut x = client.create(device, bytes(&expected)).unwrap();
                let one = client.create(device, bytes(&[1.0; LEN])).unwrap();
                for step in 0..20 {
                    let out = client.empty(device, 4 * LEN).unwrap();
                    let op = ["add", "sub", "max"][step % 3];
                    launch(&client, device, op, [&out, &x, &one]);
                    for value in &mut expected {
                        *value = match op {
                            "add" => *value + 1.0,
                            "sub" => *value - 1.0,
                            _ => value.max(1.0),
                        };
                    }
                    x = out; // the old memory goes back behind the launch
                }
                assert_eq!(numbers(&client.read(&x).unwrap()), expected);
            });
        }
    });
    // One page of each device was enough, and everything came back.
    for device in 0..2 {
        assert_eq!(client.call(move |server| server.usage(device)), (1, 1));
        assert_eq!(client.call(move |server| server.compiled(device)), 3);
    }
}

#[test]
fn a_graph_is_captured_over_messages_of_several_clients() {
    let client = Client::start(&two()).unwrap();
    let x = client.create(0, bytes(&[3.0; LEN])).unwrap();
    client.begin_capture(0);
    launch(&client, 0, "add", [&x, &x, &x]);
    let other = client.clone();
    std::thread::scope(|s| {
        s.spawn(|| launch(&other, 0, "add", [&x, &x, &x]));
    });
    // Other work goes on meanwhile, also on the other device.
    let y = client.create(1, bytes(&[5.0; LEN])).unwrap();
    launch(&client, 1, "mul", [&y, &y, &y]);
    assert_eq!(numbers(&client.read(&y).unwrap()), [25.0; LEN]);
    assert_eq!(numbers(&client.read(&x).unwrap()), [3.0; LEN], "nothing of it ran");
    let graph = client.end_capture(0).unwrap();
    client.replay(graph);
    client.replay(graph);
    client.fence(0).unwrap().wait().unwrap();
    assert_eq!(numbers(&client.read(&x).unwrap()), [48.0; LEN]);
    // The graph keeps the memory that it uses.
    drop(x);
    let (pages, free) = client.call(|server| server.usage(0));
    assert_eq!((pages, free), (1, 1));
    client.replay(graph);
    client.fence(0).unwrap().wait().unwrap();
    assert!(client.end_capture(0).unwrap_err().to_string().contains("no capture is open"));
}

#[test]
fn memory_goes_from_one_device_to_another_behind_the_work_of_both() {
    let client = Client::start(&two()).unwrap();
    let x = client.create(0, bytes(&[2.0; LEN])).unwrap();
    for _ in 0..4 {
        launch(&client, 0, "mul", [&x, &x, &x]);
    }
    let there = client.copy_to(&x, 1).unwrap();
    let fence = client.fence(0).unwrap();
    client.wait_for(1, &fence);
    launch(&client, 1, "add", [&there, &there, &there]);
    let back = client.copy_to(&there, 0).unwrap();
    let again = client.copy_to(&back, 0).unwrap();
    assert_eq!((there.device(), back.device(), again.len()), (1, 0, 4 * LEN));
    assert_eq!(numbers(&client.read(&again).unwrap()), [131_072.0; LEN]);
    assert!(fence.is_complete().unwrap());
}

/// A launch that fails has no answer: the next one tells.
#[test]
fn the_error_of_a_launch_is_that_of_the_next_answer() {
    let client = Client::start(&two()).unwrap();
    let x = client.create(0, bytes(&[1.0; LEN])).unwrap();
    // SAFETY: 1. It is refused: the kernel has one parameter more.
    unsafe {
        let memory = Argument::Memory(x.clone());
        client.launch(
            0,
            &Source::binary("add"),
            LAUNCH,
            vec![memory.clone(), memory.clone(), memory],
        );
    }
    let error = client.read(&x).unwrap_err();
    assert!(error.to_string().contains("binary_add"), "{error}");
    assert_eq!(numbers(&client.read(&x).unwrap()), [1.0; LEN], "and then it is forgotten");
}

/// What C makes for the same: `cuLaunchKernel` for a launch, `cuEventCreate` and `cuEventRecord` for a fence, no call for
/// memory of the pool. Behind another device, the context is changed.
#[test]
fn its_calls_are_those_of_c() {
    if driver_kind() != "software" {
        return;
    }
    let client = Client::start(&two()).unwrap();
    let x = client.create(0, bytes(&[1.0; LEN])).unwrap();
    let y = client.create(1, bytes(&[1.0; LEN])).unwrap();
    let counted = |device: usize, handle: &Handle| {
        let handle = handle.clone();
        client.call(move |server| {
            let all = arguments([&handle, &handle, &handle]);
            // SAFETY: 1. Such a kernel has three arrays of so many numbers, and their number.
            record(|| unsafe { server.launch(device, &Source::binary("add"), LAUNCH, all) }).1
        })
    };
    counted(0, &x); // compiles
    assert_eq!(counted(0, &x), ["cuLaunchKernel"]);
    assert_eq!(counted(0, &x), ["cuLaunchKernel"]);
    counted(1, &y);
    let change = ["cuCtxPopCurrent_v2", "cuCtxGetCurrent", "cuCtxPushCurrent_v2"];
    assert_eq!(counted(0, &x), [&change[..], &["cuLaunchKernel"]].concat());

    let (_, fence) = client.call(|server| record(|| server.fence(0).map(drop)));
    assert_eq!(fence[..3], ["cuCtxGetCurrent", "cuEventCreate", "cuEventRecord"]);
    let (_, empty) = client.call(|server| record(|| server.empty(0, 4096).map(drop)));
    assert_eq!(empty, [""; 0], "the pool has it");
    let (_, create) = client.call(|server| record(|| server.create(0, &[1; 64]).map(drop)));
    let copied = ["cuMemcpyHtoDAsync_v2", "cuCtxGetCurrent", "cuEventCreate", "cuEventRecord"];
    // Earlier uploads are asked whether they are over, and their events end.
    let rest: Vec<_> = create
        .into_iter()
        .filter(|call| !["cuEventQuery", "cuEventDestroy_v2"].contains(call))
        .collect();
    assert_eq!(rest, copied);
}

#[test]
fn the_same_runtime_on_ordered_streams() {
    let devices = two();
    let mut runtime = ordered::Runtime::new(devices[0]).unwrap();
    let memory = |handle: &ordered::Handle| ordered::Argument::Memory(handle.clone());
    let all = move |handle: &ordered::Handle| {
        [memory(handle), memory(handle), memory(handle), ordered::Argument::U32(LEN as u32)]
    };
    let x = runtime.create(&bytes(&[3.0; LEN])).unwrap();
    // SAFETY: 1. Such a kernel has three arrays of so many numbers, and their number.
    unsafe { runtime.launch(&Source::binary("add"), LAUNCH, &all(&x)) }.unwrap();
    assert_eq!(numbers(&runtime.read(&x).unwrap().wait().unwrap()), [6.0; LEN]);

    runtime.begin_capture().unwrap();
    for _ in 0..2 {
        // SAFETY: 1. As above.
        unsafe { runtime.launch(&Source::binary("add"), LAUNCH, &all(&x)) }.unwrap();
    }
    let captured = runtime.end_capture().unwrap();
    runtime.replay(&captured).unwrap();
    assert_eq!(numbers(&runtime.read(&x).unwrap().wait().unwrap()), [24.0; LEN]);
    assert!(runtime.end_capture().unwrap_err().to_string().contains("no capture is open"));

    // On a thread without a guard, and to another device.
    std::thread::spawn(move || {
        let other = ordered::Runtime::new(devices[1]).unwrap();
        let fence = runtime.fence().unwrap();
        other.wait_for(&fence).unwrap();
        let there = other.copy_from(&runtime, &x).unwrap();
        drop(x);
        assert_eq!(numbers(&other.read(&there).unwrap().wait().unwrap()), [24.0; LEN]);
        if driver_kind() == "software" {
            let y = runtime.create(&bytes(&[1.0; LEN])).unwrap();
            let arguments = all(&y);
            // SAFETY: 1. As above.
            let launch = || unsafe { runtime.launch(&Source::binary("add"), LAUNCH, &arguments) };
            assert_eq!(record(launch).1, ["cuLaunchKernel"]);
        }
    })
    .join()
    .unwrap();
}

/// Nobody vouches for a kernel: what it does outside of its arguments is not done, and told.
#[test]
fn the_same_runtime_with_guarded_kernels() {
    use guarded::Argument::{F32, In, Out, U32};
    let devices = two();
    let mut runtime = guarded::Runtime::new(devices[0]).unwrap();
    let x = runtime.create(&bytes(&[3.0; LEN])).unwrap();
    let y = runtime.create(&bytes(&[1.0; LEN])).unwrap();
    let add = Source::binary("add");
    let all = |out: &guarded::Handle, x: &guarded::Handle, y: &guarded::Handle| {
        [Out(out.clone()), In(x.clone()), In(y.clone()), U32(LEN as u32)]
    };
    let read = |runtime: &guarded::Runtime, memory: &guarded::Handle| {
        numbers(&runtime.read(memory).unwrap().wait().unwrap())
    };
    let sum = runtime.create(&bytes(&[0.0; LEN])).unwrap();
    runtime.launch(&add, LAUNCH, &all(&sum, &x, &x)).unwrap();
    assert_eq!(read(&runtime, &sum), [6.0; LEN]);

    // What the compiler refuses for borrows, the locks refuse when it runs.
    let error = runtime.launch(&add, LAUNCH, &all(&x, &x, &y)).unwrap_err();
    assert!(error.to_string().contains("used twice"), "{error}");
    // Arguments that are none of the kernel.
    let number = [Out(sum.clone()), In(x.clone()), F32(1.0), U32(LEN as u32)];
    let error = runtime.launch(&add, LAUNCH, &number).unwrap_err();
    assert!(matches!(error, Error::Signature(_)), "{error}");
    let only_read = [In(sum.clone()), In(x.clone()), In(y.clone()), U32(LEN as u32)];
    let error = runtime.launch(&add, LAUNCH, &only_read).unwrap_err();
    assert!(error.to_string().contains("memory that the kernel writes"), "{error}");
    // Memory that is too short: the next wait tells, and everything else was done.
    let short = runtime.create(&bytes(&[0.0; LEN - 1])).unwrap();
    runtime.launch(&add, LAUNCH, &all(&short, &x, &y)).unwrap();
    let error = runtime.read(&short).unwrap().wait().unwrap_err();
    assert!(matches!(error, Error::OutOfBounds(_)), "{error}");
    assert_eq!(read(&runtime, &short), [4.0; LEN - 1]);

    runtime.begin_capture();
    runtime.launch(&add, LAUNCH, &all(&sum, &x, &y)).unwrap();
    runtime.launch(&add, LAUNCH, &all(&x, &sum, &y)).unwrap();
    let captured = runtime.end_capture().unwrap();
    assert_eq!(read(&runtime, &x), [3.0; LEN], "nothing of it ran");
    runtime.replay(&captured).unwrap();
    runtime.replay(&captured).unwrap();
    assert_eq!((read(&runtime, &x), read(&runtime, &sum)), (vec![7.0; LEN], vec![6.0; LEN]));
    assert!(runtime.end_capture().unwrap_err().to_string().contains("no capture is open"));

    // On a thread without a guard, and to another device.
    std::thread::spawn(move || {
        let other = guarded::Runtime::new(devices[1]).unwrap();
        other.wait_for(&runtime.fence().unwrap()).unwrap();
        let there = other.copy_from(&x).unwrap();
        assert_eq!(read(&other, &there), [7.0; LEN]);
        if driver_kind() == "software" {
            let arguments = all(&sum, &x, &y);
            let launch = || runtime.launch(&add, LAUNCH, &arguments);
            assert_eq!(record(launch).1, ["cuLaunchKernel"]);
            assert_eq!(record(|| runtime.replay(&captured)).1, ["cuGraphLaunch"]);
        }
    })
    .join()
    .unwrap();
}
