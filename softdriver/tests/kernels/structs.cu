// A structure by value among the parameters, an array in local memory, and
// vector loads and stores.
struct Inner {
    short a;
    char b[3];
};

struct Record {
    double scale;
    Inner inner;
    float weights[5];
    unsigned char flag;
    long long offset;
};

extern "C" __global__ void structs(char first, Record record, unsigned short index, double *out) {
    unsigned i = threadIdx.x;
    double v = record.scale * (double)record.weights[(index + i) % 5];
    v += record.inner.a + record.inner.b[i % 3] + (double)record.offset;
    out[i] = record.flag ? v : -v + first;
}

extern "C" __global__ void vectors(const float4 *x, const uint2 *k, float4 *out, unsigned n) {
    unsigned i = threadIdx.x;
    float4 v = x[i];
    uint2 pick = k[i];
    float table[8];
    for (unsigned j = 0; j < 8; ++j) {
        table[(j * pick.y + n) & 7] = v.x * j + v.w;
    }
    v.y += table[pick.x & 7];
    v.z = table[pick.y & 7];
    out[i] = v;
}
