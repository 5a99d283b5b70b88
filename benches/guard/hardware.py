"""On a GPU: what the hardware does outside of memory, at misaligned addresses and at the edges of textures and surfaces. Each\nprobe is a kernel of hardware.ptx in a process of its own, as faults stay. Prints what the wait returned, and four words."""
import ctypes as c, sys, subprocess, os, struct
from concurrent.futures import ThreadPoolExecutor
here = os.path.dirname(os.path.abspath(__file__))

def child(kernel, *args):
    d = c.CDLL("libcuda.so.1")
    def ck(r, what=""):
        if r:
            n = c.c_char_p(); d.cuGetErrorName(r, c.byref(n)); print(what, n.value.decode() if n.value else r); sys.exit(0)
    ck(d.cuInit(0)); dev = c.c_int(); ck(d.cuDeviceGet(c.byref(dev), 0))
    ctx = c.c_void_p(); ck(d.cuDevicePrimaryCtxRetain(c.byref(ctx), dev)); ck(d.cuCtxSetCurrent(ctx))
    mod = c.c_void_p(); ck(d.cuModuleLoadData(c.byref(mod), open(here + "/hardware.ptx", "rb").read() + b"\0"), "load")
    P = c.c_uint64
    def alloc(n):
        p = P(); ck(d.cuMemAlloc_v2(c.byref(p), c.c_size_t(n))); return p.value
    out = alloc(4096); ck(d.cuMemsetD8_v2(P(out), 0, c.c_size_t(4096)))
    fn = c.c_void_p(); ck(d.cuModuleGetFunction(c.byref(fn), mod, kernel.encode()), "function")
    grid, block, dyn, vals = 1, 1, 0, []
    keep = []
    cluster = coop = False
    for a in args:
        k, _, v = a.partition("=")
        if k == "grid": grid = int(v)
        elif k == "block": block = int(v)
        elif k == "coop": coop = True
        elif k == "dyn":
            dyn = int(v)
            if dyn > 48 * 1024: ck(d.cuFuncSetAttribute(fn, 8, dyn), "attr")
        elif k == "mem":      # kind:size:offset -> address
            kind, size, off = v.split(":"); size = int(size, 0); off = int(off, 0)
            if kind == "device": p = alloc(size)
            elif kind == "pool":
                s = P(); ck(d.cuMemAllocAsync(c.byref(s), c.c_size_t(size), None), "pool"); ck(d.cuStreamSynchronize(None)); p = s.value
            elif kind == "pinned":
                h = c.c_void_p(); ck(d.cuMemHostAlloc(c.byref(h), c.c_size_t(size), 2)); g = P(); ck(d.cuMemHostGetDevicePointer_v2(c.byref(g), h, 0)); p = g.value
            elif kind == "registered":
                import mmap
                m = mmap.mmap(-1, 1 << 16); keep.append(m); addr = c.addressof(c.c_char.from_buffer(m))
                ck(d.cuMemHostRegister_v2(c.c_void_p(addr), c.c_size_t(size), 2), "register"); g = P(); ck(d.cuMemHostGetDevicePointer_v2(c.byref(g), c.c_void_p(addr), 0)); p = g.value
            elif kind == "managed":
                s = P(); ck(d.cuMemAllocManaged(c.byref(s), c.c_size_t(size), 1)); p = s.value
            vals.append(p + off)
        elif k in ("tex", "surf"):
            class A(c.Structure): _fields_ = [("w", c.c_size_t), ("h", c.c_size_t), ("f", c.c_int), ("n", c.c_uint)]
            class A3(c.Structure): _fields_ = [("w", c.c_size_t), ("h", c.c_size_t), ("dd", c.c_size_t), ("f", c.c_int), ("n", c.c_uint), ("fl", c.c_uint)]
            arr = c.c_void_p(); ck(d.cuArray3DCreate_v2(c.byref(arr), c.byref(A3(16, 16, 0, 3, 1, 2))), "array")
            buf = (c.c_uint32 * 256)(*range(1000, 1256))
            class Cp(c.Structure): _fields_ = [("sx", c.c_size_t), ("sy", c.c_size_t), ("st", c.c_int), ("sh", c.c_void_p), ("sd", P), ("sa", c.c_void_p), ("sp", c.c_size_t), ("dx", c.c_size_t), ("dy", c.c_size_t), ("dt", c.c_int), ("dh", c.c_void_p), ("ddv", P), ("da", c.c_void_p), ("dp", c.c_size_t), ("w", c.c_size_t), ("h", c.c_size_t)]
            cp = Cp(0, 0, 1, c.addressof(buf), 0, None, 64, 0, 0, 3, None, 0, arr, 0, 64, 16); ck(d.cuMemcpy2D_v2(c.byref(cp)), "copy")
            res = (c.c_char * 256)(); struct.pack_into("<iiQ", res, 0, 0, 0, arr.value)
            if v == "linear":
                lin = alloc(256); ck(d.cuMemsetD32_v2(P(lin), 5, c.c_size_t(64))); res = (c.c_char * 256)(); struct.pack_into("<iiQiiQ", res, 0, 2, 0, lin, 3, 1, 256)
            h = P()
            if k == "surf": ck(d.cuSurfObjectCreate(c.byref(h), res), "surf")
            else:
                td = (c.c_char * 256)(); struct.pack_into("<iiiiI", td, 0, 1, 1, 1, 0, 1)
                ck(d.cuTexObjectCreate(c.byref(h), res, td, None), "tex")
            vals.append(h.value)
        else: vals.append(int(v, 0) & (2**64 - 1))
    while len(vals) < 3: vals.append(0)
    a = [c.c_uint64(out)] + [c.c_uint64(v) for v in vals]
    if kernel == "param_ld": a[2] = (c.c_char * 64)(*([1] * 64))
    arr = (c.c_void_p * len(a))(*[c.addressof(x) for x in a])
    if coop: r = d.cuLaunchCooperativeKernel(fn, grid, 1, 1, block, 1, 1, dyn, None, arr)
    elif kernel == "cluster_ld":
        cfg = (c.c_char * 256)(); attr = (c.c_char * 128)(); struct.pack_into("<iiIII", attr, 0, 4, 0, 2, 1, 1)
        struct.pack_into("<IIIIIIIIQQI", cfg, 0, 2, 1, 1, 1, 1, 1, dyn, 0, 0, c.addressof(attr), 1)
        r = d.cuLaunchKernelEx(cfg, fn, arr, None)
    else: r = d.cuLaunchKernel(fn, grid, 1, 1, block, 1, 1, dyn, None, arr, None)
    def name(r):
        n = c.c_char_p(); d.cuGetErrorName(r, c.byref(n)); return n.value.decode()
    if r: print("launch", name(r)); return
    r = d.cuCtxSynchronize()
    if r: print("wait", name(r)); return
    o = (c.c_uint32 * 4)(); ck(d.cuMemcpyDtoH_v2(o, P(out), c.c_size_t(16)), "out")
    # The context still works.
    r = d.cuMemsetD32_v2(P(out), 1, c.c_size_t(4)) or d.cuCtxSynchronize()
    print("ok", *[hex(x) for x in o], "" if not r else "then " + name(r))

PROBES = """
special
special dyn=1024
special dyn=232384
shared_ld off=0
shared_ld off=64
shared_ld off=960
shared_ld off=1024
shared_ld off=4096
shared_ld off=0x8000
shared_ld off=0x38c00
shared_ld off=0x39000
shared_ld off=0x40000
shared_ld off=0x100000
shared_ld off=0x1000000
shared_ld off=-0x400
shared_ld off=-0x404
shared_ld off=-8
shared_st off=64
shared_st off=960
shared_st off=1024
shared_st off=0x8000
shared_st off=0x39000
shared_st off=0x1000000
shared_abs_st off=0
shared_abs_st off=512
shared_abs_st off=1020
shared_abs_st off=0xfffffffc
shared_abs_all off=1024
shared_neighbour off=1024 grid=528 dyn=16384
shared_neighbour off=16384 grid=528 dyn=16384
shared_neighbour off=65536 grid=528 dyn=16384
shared_neighbour off=64 grid=528 dyn=16320
shared_odd off=1
shared_odd off=2
local_ld off=0
local_ld off=64
local_ld off=512
local_ld off=4096
local_ld off=0x10000
local_ld off=0x80000
local_ld off=0x1000000
local_ld off=0x100000000
local_ld off=-16
local_ld off=-4096
local_ld off=-0x1000000
local_ld off=1
local_st off=64
local_st off=512
local_st off=4096
local_st off=0x10000
local_st off=0x80000
local_st off=0x1000000
local_st off=-4096
local_neighbour off=64 block=128
local_neighbour off=448 block=128
local_neighbour off=1024 block=128
local_neighbour off=4096 block=128 grid=64
const_ld off=0
const_ld off=64
const_ld off=4096
const_ld off=0xfff0
const_ld off=0x10000
const_ld off=0x100000
const_ld off=0x100000000
const_ld off=-64
const_ld off=-0x10000
const_ld off=2
param_ld off=0
param_ld off=64
param_ld off=4096
param_ld off=0xffc
param_ld off=0x7000
param_ld off=0x10000
param_ld off=0x1000000
param_ld off=-16
param_ld off=-0x210
param_ld off=-0x10000
param_ld off=2
global_ld mem=device:64:0
global_ld mem=device:64:1
global_ld mem=device:64:2
global_st mem=device:64:1
global_atom mem=device:64:2
global_v4 mem=device:64:0
global_v4 mem=device:64:4
global_v4 mem=device:64:8
global_v4 mem=device:20:16
global_v4 mem=device:2097156:2097152
global_v4 mem=pool:20:16
global_v4 mem=pool:2097156:2097152
global_v4 mem=pool:33554436:33554432
global_v4 mem=pinned:20:16
global_v4 mem=pinned:4100:4096
global_v4 mem=pinned:2097156:2097152
global_v4 mem=registered:20:16
global_v4 mem=registered:4100:4096
global_v4 mem=registered:8196:8192
global_v4 mem=managed:20:16
global_v4 mem=managed:4100:4096
global_v4 mem=managed:2097156:2097152
global_v4 mem=device:2097152:2097140
global_ld off=0
global_ld off=0x10
global_ld off=0x100000000000
generic_ld off=0
generic_ld off=64
generic_ld off=1024
generic_ld off=0x39000
generic_ld off=0x1000000
generic_ld off=-0x10000000
window_ld
cluster_ld off=0
cluster_ld off=1
cluster_ld off=2
cluster_ld off=7
cluster_ld off=16
cluster_ld off=1 n=1024
cluster_ld off=1 n=0x39000
cluster_ld off=1 n=0x1000000
prefetches off=0
prefetches off=0x100000000000
prefetches off=0xfffffffffffffff0
prefetchus off=0x100000000000
priority off=0x100000000000
priority mem=device:1024:64
copy0 off=0x100000000000 n=0
copy0 off=0 n=0
copy0 mem=device:64:0 n=4
copy0 mem=device:64:8 n=0
copy0 mem=device:20:16 n=4
copy0 mem=device:64:0 n=20
copy0 off=0x100000000000 n=4
policy off=0
policy off=0x1234567812345678
policy off=0xffffffffffffffff
envreg off=0
envreg off=0 coop=1
envreg off=4 coop=1
barrier off=15
barrier off=16
barrier off=0xffffffff
mbar off=0x800
mbar off=0x39000
mbar off=4
tex2 tex=a x=0x3f000000 y=0x3f000000
tex2 tex=a x=0x501502f9 y=0xd01502f9
tex2 tex=a x=0x7fc00000 y=0x7f800000
tex2 off=0 x=0 y=0
tex2 off=0xdeadbeef x=0 y=0
tex2 off=0x100000 x=0 y=0
tex3 tex=a
tex1i tex=linear x=3
tex1i tex=linear x=64
tex1i tex=linear x=0x7fffffff
tex1i tex=linear x=-1
tex2 surf=a x=0 y=0
su_trap surf=a x=4 y=1
su_trap surf=a x=64 y=0
su_zero surf=a x=64 y=0
su_zero surf=a x=-4 y=0
su_zero surf=a x=0 y=16
su_zero surf=a x=2 y=0
su_zero surf=a x=1 y=0
su_clamp surf=a x=64 y=0
su_clamp surf=a x=2 y=0
su_clamp surf=a x=0x7fffffff y=0x7fffffff
sust_zero surf=a x=64 y=0
sust_zero surf=a x=2 y=0
sust_zero surf=a x=0x7ffffffc y=0x7fffffff
sured_zero surf=a x=64 y=0
sured_zero surf=a x=2 y=0
su_zero off=0 x=0 y=0
su_zero off=0xdeadbeef x=0 y=0
su_zero tex=a x=0 y=0
""".strip().splitlines()

def one(line):
    try:
        r = subprocess.run([sys.executable, __file__, *line.split()], capture_output=True, text=True, timeout=20)
        return line, (r.stdout.strip() or "?") + (" | " + r.stderr.strip().splitlines()[-1] if r.stderr.strip() else "")
    except subprocess.TimeoutExpired:
        return line, "timeout"

if len(sys.argv) > 1: child(*sys.argv[1:])
else:
    with ThreadPoolExecutor(8) as pool:
        for line, answer in pool.map(one, PROBES): print(f"{line:50} {answer}", flush=True)
