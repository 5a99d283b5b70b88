// The spaces of memory, and how values lie in them.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__constant__ int constants[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__constant__ struct { char letter; short small; int word; double real; unsigned long long wide; } mixed =
    {'q', -7, 123456789, 2.718281828459045, 0xfedcba9876543210ull};
extern "C" __global__ void constant_memory(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned at = in[index()] % 8;
    unsigned long long real = __double_as_longlong(mixed.real);
    out[index()] = constants[at] * 1000 + constants[(at + index()) % 8] + mixed.letter + mixed.small
        + mixed.word + unsigned(real >> 32) + unsigned(mixed.wide >> (at * 4));
}

__device__ unsigned table[4] = {10, 20, 30, 40};
__device__ unsigned *second = &table[2];
__device__ float pi = 3.14159265f;
__device__ unsigned counter;
__device__ const char *words[3] = {"alpha", "beta", "gamma"};
struct Node { int value; const Node *next; };
__device__ const Node last = {7, nullptr};
__device__ const Node middle = {5, &last};
__device__ const Node first = {3, &middle};

/// Globals with values, addresses and texts; a variable that the launch changes.
extern "C" __global__ void globals(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned sum = 0;
    for (const Node *node = &first; node; node = node->next) sum = sum * 10 + node->value;
    const char *word = words[in[index()] % 3];
    for (; *word; word++) sum = sum * 31 + *word;
    out[index()] = sum + second[int(in[index()] >> 30) - 2] + unsigned(pi * 100.0f);
    atomicAdd(&counter, 1u);
    __threadfence();
    __syncthreads();
    if (gridDim.x == 1 && threadIdx.x == 0) out[blockDim.x] = counter;
}

struct __align__(16) Settings { float scale; unsigned mask; short3 offsets; char tag; double bias; int steps[3]; };
/// A struct by value, through functions that take and return it.
__device__ __noinline__ Settings stepped(Settings s, int by)
{
    s.scale *= 2.0f;
    s.steps[by % 3] += by;
    s.offsets.y += by;
    return s;
}
extern "C" __global__ void struct_by_value(const unsigned *in, unsigned *out, unsigned n, Settings s)
{
    s = stepped(stepped(s, in[index()] % 5), index());
    out[index()] = unsigned(s.scale * 8.0f) + (in[index()] & s.mask) + s.offsets.x * 3 + s.offsets.y * 5
        + s.offsets.z * 7 + s.tag + unsigned(int(s.bias * 16.0)) + s.steps[index() % 3];
}

/// Loads and stores of two and four words, and of narrow vectors.
extern "C" __global__ void vectors(const uint4 *in, uint4 *out, unsigned n)
{
    uint4 a = in[index()];
    const unsigned char *bytes = reinterpret_cast<const unsigned char *>(in + index());
    uchar4 four = *reinterpret_cast<const uchar4 *>(bytes + 4);
    short2 two = *reinterpret_cast<const short2 *>(bytes + 8);
    char2 pair = *reinterpret_cast<const char2 *>(bytes + 14);
    double2 reals = {double(a.x), double(a.y) * 0.5};
    uint4 *to = out + index() * 4;
    to[0] = make_uint4(a.w, a.z, a.y, a.x);
    to[1] = make_uint4(four.x + four.w, unsigned(two.x * two.y), pair.x - pair.y, bytes[3] << 8 | bytes[13]);
    *reinterpret_cast<double2 *>(to + 2) = reals;
    *reinterpret_cast<float2 *>(to + 3) = make_float2(float(a.z), float(int(a.w)));
    reinterpret_cast<ushort4 *>(to + 3)[1] = make_ushort4(a.x, a.x >> 16, a.y, a.y >> 16);
}

/// Loads and stores with hints for the caches, and through the read-only path.
extern "C" __global__ void cache_hints(const unsigned *__restrict__ in, unsigned *__restrict__ out, unsigned n)
{
    unsigned i = index();
    unsigned sum = __ldg(&in[i]) + __ldcg(&in[n - 1 - i]) * 3 + __ldca(&in[i ^ 1]) * 5 + __ldcs(&in[i ^ 2]) * 7
        + __ldlu(&in[i ^ 4]) * 11 + __ldcv(&in[i ^ 8]) * 13;
    uint2 both = __ldg(reinterpret_cast<const uint2 *>(in) + i / 2);
    __stwb(&out[i], sum);
    __stcg(&out[n + i], both.x ^ both.y);
    __stcs(&out[2 * n + i], sum ^ both.x);
    __stwt(&out[3 * n + i], sum + both.y);
    asm volatile("prefetch.global.L2 [%0];" :: "l"(in + i));
}

/// Addresses of every space, used without telling which; and asked which they are.
__device__ __noinline__ unsigned total(const unsigned *from, unsigned count)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < count; i++) sum = sum * 7 + from[i];
    return sum;
}
__device__ unsigned here[4] = {2, 3, 5, 7};
__constant__ unsigned there[4] = {11, 13, 17, 19};
extern "C" __global__ void generic(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned shared[64];
    unsigned local[6];
    shared[threadIdx.x] = in[index()];
    for (unsigned i = 0; i < 6; i++) local[(i + in[index()]) % 6] = in[index()] >> i;
    __syncthreads();
    const unsigned *choices[5] = {in + index() % 32, shared + threadIdx.x % 32, local, here, there};
    const unsigned *chosen = choices[in[index()] % 5];
    unsigned kind = __isGlobal(chosen) | __isShared(chosen) << 1 | __isLocal(chosen) << 2 | __isConstant(chosen) << 3;
    out[2 * index()] = total(chosen, 4);
    out[2 * index() + 1] = kind;
}

/// Arrays of several types in one piece of dynamic shared memory.
extern "C" __global__ void dynamic_shared(const unsigned *in, unsigned *out, unsigned n)
{
    extern __shared__ __align__(16) unsigned char raw[];
    double *reals = reinterpret_cast<double *>(raw);
    unsigned *numbers = reinterpret_cast<unsigned *>(reals + blockDim.x);
    unsigned short *halves = reinterpret_cast<unsigned short *>(numbers + blockDim.x);
    unsigned char *bytes = reinterpret_cast<unsigned char *>(halves + blockDim.x);
    unsigned t = threadIdx.x, next = (t + 1) % blockDim.x;
    reals[t] = in[index()] * 0.25;
    numbers[t] = in[index()];
    halves[t] = in[index()] >> 3;
    bytes[t] = in[index()] >> 11;
    __syncthreads();
    out[index()] = unsigned((long long)reals[next]) + numbers[next] + halves[next] * 3 + bytes[next] * 5;
}

/// A ring in local memory with an index that is not known before.
extern "C" __global__ void local_array(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned ring[16] = {}, at = index() % 16;
    for (unsigned i = 0; i < n; i++) {
        at = (at + in[index()] % 13 + i) % 16;
        ring[at] = ring[(at + 5) % 16] * 3 + i;
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < 16; i++) sum = sum * 5 + ring[i];
    out[index()] = sum;
}

/// Parts of a value by a union, memcpy and memset.
union Parts { double real; unsigned words[2]; unsigned short halves[4]; unsigned char bytes[8]; };
extern "C" __global__ void unions(const double *in, unsigned *out, unsigned n)
{
    Parts p;
    p.real = in[index()];
    p.bytes[in[index()] > 0.0] ^= 0x5a;
    unsigned char copy[16];
    memset(copy, 0x11, sizeof copy);
    memcpy(copy + 3, &p, 8);
    unsigned sum = p.words[1] ^ p.halves[0];
    for (int i = 0; i < 16; i++) sum = sum * 17 + copy[i];
    out[index()] = sum;
}

/// Grids and blocks of three dimensions.
extern "C" __global__ void dimensions(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned i = block * blockDim.x * blockDim.y * blockDim.z + thread;
    out[i] = blockIdx.x | blockIdx.y << 4 | blockIdx.z << 8 | threadIdx.x << 12 | threadIdx.y << 16
        | threadIdx.z << 20 | (gridDim.z * blockDim.z) << 24;
}

/// Barriers by name, for parts of a block: producers and consumers.
extern "C" __global__ void named_barriers(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned a[32];
    for (unsigned turn = 0; turn < n; turn++) {
        if (threadIdx.x < 32) {
            a[threadIdx.x] = in[turn * 32 + threadIdx.x];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[turn * 32 + threadIdx.x - 32] = a[63 - threadIdx.x] * 3;
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
}
