//! Collections of handles, and structs of users' own, detach, move, attach and are bound as one: in a
//! program without `unsafe`.
#![forbid(unsafe_code)]

mod without_unsafe {
    use cuscope::{
        Context, ContextFlags, ContextStack, Detached, Device, DeviceBuffer, Dim3, Element, Error,
        Event, PushContext, PushedGuard, Result, Stream,
        detached::{Branded, NotAttached, Plain},
        handles,
    };
    use std::collections::{BTreeMap, HashMap};
    use std::fmt;
    use std::sync::Arc;
    use std::thread;

    handles! {
        /// Documented, generic, with private and public fields.
        #[derive(Debug)]
        pub struct Layer<'ctx, T: Element> {
            /// Documented.
            pub weights: DeviceBuffer<'ctx, T>,
            bias: Option<DeviceBuffer<'ctx, T>>,
            grid: Dim3,
        }
    }

    handles! {
        struct Model<'ctx> {
            layers: Vec<Layer<'ctx, f32>>,
            streams: [Stream<'ctx>; 2],
            marks: (Event<'ctx>, (Event<'ctx>, u64)),
            name: String,
            of_another_context: Plain<Option<Detached<Stream<'static>>>>,
        }
    }

    handles! {
        struct Nothing<'ctx> {
            stream: Option<Stream<'ctx>>
        }
    }

    fn create() -> Result<Context> {
        Context::create(Device::get(0)?, ContextFlags::default())
    }

    fn model<'ctx>(gpu: &PushedGuard<'ctx>, name: &str) -> Result<Model<'ctx>> {
        let layer = |bias| {
            let bias = if bias { Some(gpu.alloc(2)?) } else { None };
            Ok::<_, Error>(Layer { weights: gpu.alloc(4)?, bias, grid: Dim3::from(3) })
        };
        Ok(Model {
            layers: vec![layer(true)?, layer(false)?],
            streams: [gpu.stream()?, gpu.stream()?],
            marks: (gpu.event()?, (gpu.event()?, 7)),
            name: name.to_owned(),
            of_another_context: Plain(None),
        })
    }

    /// One step of a service with a model that it keeps.
    fn step(
        stack: &mut impl PushContext,
        context: &Context,
        kept: &mut Detached<Model<'static>>,
    ) -> Result<f32> {
        let gpu = stack.push(context)?;
        let Model { layers, streams, .. } = gpu.bind_mut(kept)?;
        let mut values = [0.0; 4];
        gpu.on(&streams[0]).download(&layers[0].weights, &mut values)?;
        values.iter_mut().for_each(|value| *value += 1.0);
        gpu.on(&streams[1]).upload(&values, &mut layers[0].weights)?;
        gpu.pop()?;
        Ok(values[0])
    }

    #[test]
    fn a_model_is_kept_and_sent_between_threads() {
        let context = create().unwrap();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let mut model = model(&gpu, "first").unwrap();
        gpu.on(&model.streams[0]).zero(&mut model.layers[0].weights).unwrap();
        let mut kept = model.detach();
        gpu.pop().unwrap();
        assert_eq!(step(&mut stack, &context, &mut kept).unwrap(), 1.0);
        let there = context.clone();
        let mut kept = thread::spawn(move || {
            let mut stack = ContextStack::current_thread().unwrap();
            assert_eq!(step(&mut stack, &there, &mut kept).unwrap(), 2.0);
            kept
        })
        .join()
        .unwrap();
        let its = kept.context().unwrap();
        assert_eq!(its, context);
        // Handed on by a caller that does not know its type.
        let handed: &mut dyn PushContext = &mut stack;
        let mut handed = handed;
        assert_eq!(step(&mut handed, &its, &mut kept).unwrap(), 3.0);
        drop(its);

        let gpu = stack.push(&context).unwrap();
        let model = gpu.attach(kept).unwrap();
        assert_eq!((model.name.as_str(), model.marks.1.1), ("first", 7));
        assert_eq!(model.layers[0].bias.as_ref().unwrap().len(), 2);
        assert!(model.layers[1].bias.is_none());
        assert_eq!(model.layers[1].grid, Dim3::from(3));
        drop(model);
        gpu.pop().unwrap();
        context.try_destroy().expect("the model is gone").unwrap();
    }

    #[test]
    fn one_handle_of_another_context_refuses_the_whole() {
        let (a, b) = (create().unwrap(), create().unwrap());
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&b).unwrap();
        let foreign = gpu.stream().unwrap().detach();
        gpu.pop().unwrap();

        let gpu = stack.push(&a).unwrap();
        let mut model = model(&gpu, "plain").unwrap();
        // Beside the handles, still detached, one of another context is no handle of the whole.
        model.of_another_context = Plain(Some(foreign));
        let kept = model.detach();
        assert_eq!(gpu.bind(&kept).unwrap().name, "plain");
        gpu.pop().unwrap();

        let gpu = stack.push(&b).unwrap();
        assert!(matches!(gpu.bind(&kept), Err(Error::OtherContext { .. })));
        let Err(NotAttached(kept)) = gpu.attach(kept) else {
            panic!("attached under another context")
        };
        gpu.pop().unwrap();
        let gpu = stack.push(&a).unwrap();
        let model = gpu.attach(kept).unwrap();
        let foreign = model.of_another_context.0.unwrap();
        assert!(matches!(gpu.bind(&foreign), Err(Error::OtherContext { .. })));
    }

    #[test]
    fn a_struct_without_handles_attaches_anywhere() {
        let (a, b) = (create().unwrap(), create().unwrap());
        let mut stack = ContextStack::current_thread().unwrap();
        let empty =
            (Vec::<Stream<'_>>::new(), None::<Event<'_>>, Nothing { stream: None }, 5_u8).detach();
        let gpu = stack.push(&a).unwrap();
        assert!(empty.context().is_none());
        let mut empty = gpu.attach(empty).unwrap();
        empty.2.stream = Some(gpu.stream().unwrap());
        let full = empty.detach();
        gpu.pop().unwrap();
        assert!(stack.push(&b).unwrap().attach(full).is_err());
    }

    #[test]
    fn collections_of_every_shape_detach() {
        let context = create().unwrap();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let stream = || gpu.stream().unwrap();
        let one = (stream(),).detach();
        let eight = (
            stream(),
            stream(),
            stream(),
            stream(),
            stream(),
            stream(),
            stream(),
            [stream(), stream()],
        );
        let (one, eight) = (gpu.attach(one).unwrap(), gpu.attach(eight.detach()).unwrap());
        assert!(one.0.query().unwrap() && eight.7[1].query().unwrap());
        let nested = vec![Some((stream(), vec![stream()])), None].detach();
        let nested = gpu.bind(&nested).unwrap();
        assert!(nested[0].as_ref().unwrap().1[0].query().unwrap());
    }

    #[test]
    fn maps_boxes_and_shared_handles_detach() {
        let context = create().unwrap();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let stream = || gpu.stream().unwrap();
        let by_name = HashMap::from([("a".to_owned(), stream()), ("b".to_owned(), stream())]);
        let by_number = BTreeMap::from([(1, Box::new(stream()))]);
        let shared = Arc::new(stream());
        let id = shared.id().unwrap();
        let kept = Detached::new((by_name, by_number, Arc::clone(&shared)));
        let bound = gpu.bind(&kept).unwrap();
        assert!(bound.0["a"].query().unwrap() && bound.1[&1].query().unwrap());
        let (by_name, by_number, again) = gpu.attach(kept).unwrap();
        assert_eq!((by_name.len(), by_number.len(), again.id().unwrap()), (2, 1, id));
        // One handle, whose owners have different brands.
        assert_eq!(Arc::strong_count(&shared), 2);
        let elsewhere = again.detach();
        drop(shared);
        let last = Arc::into_inner(gpu.attach(elsewhere).unwrap()).expect("the last owner");
        assert!(last.query().unwrap());
    }

    #[test]
    fn keys_of_maps_may_call_everything_and_panic() {
        use crate::common::UNWINDS;
        use std::hash::{Hash, Hasher};
        use std::panic::{AssertUnwindSafe, catch_unwind};
        use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
        static PANICS: AtomicBool = AtomicBool::new(false);

        /// Pushes its context whenever it is hashed.
        #[derive(PartialEq, Eq)]
        struct Key(u32, Context);
        impl Hash for Key {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.1.with(|gpu| gpu.synchronize()).unwrap();
                assert!(!PANICS.load(Relaxed), "the panic that is meant");
                self.0.hash(state);
            }
        }

        let (context, other) = (create().unwrap(), create().unwrap());
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let streams = (0..3).map(|i| (Key(i, other.clone()), gpu.stream().unwrap()));
        let kept = Detached::new(HashMap::<_, _>::from_iter(streams));
        let map = gpu.attach(kept).unwrap();
        assert_eq!(map.len(), 3);
        PANICS.store(UNWINDS, Relaxed);
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(Detached::new(map))));
        assert_eq!(dropped.is_err(), UNWINDS);
        assert!(context.is_current().unwrap());
        gpu.pop().unwrap();
        context.try_destroy().expect("no handle is left").unwrap();
    }

    handles! {
        struct Shown<'ctx> {
            stream: Stream<'ctx>,
        }
    }

    impl fmt::Debug for Shown<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{:?}", self.stream.query())
        }
    }

    /// Its own `Debug` would use the handles with no guard that has compared the contexts.
    #[test]
    fn a_detached_struct_is_shown_without_its_handles() {
        let context = create().unwrap();
        let shown = context.with(|gpu| {
            let shown = Shown { stream: gpu.stream()? };
            assert_eq!(format!("{shown:?}"), "Ok(true)");
            Ok(shown.detach())
        });
        let text = format!("{:?}", shown.unwrap());
        assert!(text.starts_with("Detached<") && text.contains("Shown"), "{text}");
        assert!(text.ends_with(&format!("({context:?})")) && !text.contains("Ok"), "{text}");
        let nothing = context.with(|_| Ok(Nothing { stream: None }.detach())).unwrap();
        assert!(format!("{nothing:?}").ends_with("(no handle)"), "{nothing:?}");
    }
}
