// Digests, check sums, ciphers and strings.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ unsigned left(unsigned x, int by) { return __funnelshift_l(x, x, by); }
__device__ unsigned right(unsigned x, int by) { return __funnelshift_r(x, x, by); }

__constant__ unsigned sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// SHA-256 of the thread's n words, taken as big-endian bytes; n is at most 13.
extern "C" __global__ void sha256(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
        0x1f83d9ab, 0x5be0cd19};
    for (unsigned i = 0; i < 16; i++) w[i] = i < n ? in[index() * n + i] : i == n ? 0x80000000u : 0;
    w[15] = 32 * n;
    for (int i = 16; i < 64; i++) {
        unsigned a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (right(a, 7) ^ right(a, 18) ^ a >> 3)
            + (right(b, 17) ^ right(b, 19) ^ b >> 10);
    }
    unsigned a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
    for (int i = 0; i < 64; i++) {
        unsigned t1 = h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g)) + sha_k[i] + w[i];
        unsigned t2 = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
    }
    unsigned v[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++) out[index() * 8 + i] = s[i] + v[i];
}

__constant__ unsigned md5_k[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
__constant__ unsigned char md5_s[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
/// MD5 of the thread's n words; n is at most 13.
extern "C" __global__ void md5(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned w[16];
    for (unsigned i = 0; i < 16; i++) w[i] = i < n ? in[index() * n + i] : i == n ? 0x80u : 0;
    w[14] = 32 * n;
    unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    for (int i = 0; i < 64; i++) {
        unsigned f, g;
        switch (i / 16) {
        case 0: f = (b & c) | (~b & d); g = i; break;
        case 1: f = (d & b) | (~d & c); g = 5 * i + 1; break;
        case 2: f = b ^ c ^ d; g = 3 * i + 5; break;
        default: f = c ^ (b | ~d); g = 7 * i; break;
        }
        unsigned next = b + left(a + f + md5_k[i] + w[g % 16], md5_s[i / 16][i % 4]);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    out[index() * 4] = a + 0x67452301;
    out[index() * 4 + 1] = b + 0xefcdab89;
    out[index() * 4 + 2] = c + 0x98badcfe;
    out[index() * 4 + 3] = d + 0x10325476;
}

/// CRC-32 of the thread's n bytes, bit by bit.
extern "C" __global__ void crc32(const unsigned char *in, unsigned *out, unsigned n)
{
    unsigned crc = ~0u;
    for (unsigned i = 0; i < n; i++) {
        crc ^= in[index() * n + i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    out[index()] = ~crc;
}

/// The same by a table that the block makes in shared memory first.
extern "C" __global__ void crc32_table(const unsigned char *in, unsigned *out, unsigned n)
{
    __shared__ unsigned table[256];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
        unsigned word = i;
        for (int bit = 0; bit < 8; bit++) word = word & 1 ? word >> 1 ^ 0xedb88320u : word >> 1;
        table[i] = word;
    }
    __syncthreads();
    unsigned crc = ~0u;
    for (unsigned i = 0; i < n; i++) crc = crc >> 8 ^ table[(crc ^ in[index() * n + i]) & 0xff];
    out[index()] = ~crc;
}

extern "C" __global__ void adler32(const unsigned char *in, unsigned *out, unsigned n)
{
    unsigned a = 1, b = 0;
    for (unsigned i = 0; i < n; i++) {
        a = (a + in[index() * n + i]) % 65521;
        b = (b + a) % 65521;
    }
    out[index()] = b << 16 | a;
}

/// MurmurHash3 of the thread's n words.
extern "C" __global__ void murmur3(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned h = 42;
    for (unsigned i = 0; i < n; i++)
        h = left(h ^ left(in[index() * n + i] * 0xcc9e2d51u, 15) * 0x1b873593u, 13) * 5 + 0xe6546b64u;
    h ^= 4 * n;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    out[index()] = h ^ h >> 16;
}

__device__ unsigned long long turn(unsigned long long x, int by) { return x << by | x >> (64 - by); }

/// SipHash-2-4 of one word of 64 bits, with a key of the input.
extern "C" __global__ void siphash(const unsigned long long *in, unsigned long long *out, unsigned n)
{
    unsigned long long k0 = in[0], k1 = in[1];
    unsigned long long v[4] = {k0 ^ 0x736f6d6570736575ull, k1 ^ 0x646f72616e646f6dull,
        k0 ^ 0x6c7967656e657261ull, k1 ^ 0x7465646279746573ull};
    auto round = [&v] {
        v[0] += v[1]; v[1] = turn(v[1], 13) ^ v[0]; v[0] = turn(v[0], 32);
        v[2] += v[3]; v[3] = turn(v[3], 16) ^ v[2];
        v[0] += v[3]; v[3] = turn(v[3], 21) ^ v[0];
        v[2] += v[1]; v[1] = turn(v[1], 17) ^ v[2]; v[2] = turn(v[2], 32);
    };
    unsigned long long words[2] = {in[2 + index()], 8ull << 56};
    for (int i = 0; i < 2; i++) {
        v[3] ^= words[i];
        round();
        round();
        v[0] ^= words[i];
    }
    v[2] ^= 0xff;
    for (int i = 0; i < 4; i++) round();
    out[index()] = v[0] ^ v[1] ^ v[2] ^ v[3];
}

/// The ChaCha20 stream: a block of 16 words a thread, key and nonce from the input.
extern "C" __global__ void chacha20(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, s[16];
    for (int i = 0; i < 8; i++) start[4 + i] = in[i];
    start[12] = index();
    for (int i = 0; i < 3; i++) start[13 + i] = in[8 + i];
    for (int i = 0; i < 16; i++) s[i] = start[i];
    auto quarter = [&s](int a, int b, int c, int d) {
        s[a] += s[b]; s[d] = left(s[d] ^ s[a], 16);
        s[c] += s[d]; s[b] = left(s[b] ^ s[c], 12);
        s[a] += s[b]; s[d] = left(s[d] ^ s[a], 8);
        s[c] += s[d]; s[b] = left(s[b] ^ s[c], 7);
    };
    for (int i = 0; i < 10; i++) {
        quarter(0, 4, 8, 12); quarter(1, 5, 9, 13); quarter(2, 6, 10, 14); quarter(3, 7, 11, 15);
        quarter(0, 5, 10, 15); quarter(1, 6, 11, 12); quarter(2, 7, 8, 13); quarter(3, 4, 9, 14);
    }
    for (int i = 0; i < 16; i++) out[index() * 16 + i] = s[i] + start[i];
}

/// The bytes of AES's S-box, computed: an inverse in GF(2^8) and an affine map.
extern "C" __global__ void aes_sbox(const unsigned *in, unsigned char *out, unsigned n)
{
    auto product = [](unsigned a, unsigned b) {
        unsigned result = 0;
        for (; b; b >>= 1, a = (a << 1) ^ (a & 0x80 ? 0x11b : 0))
            if (b & 1) result ^= a;
        return result;
    };
    unsigned x = index() & 0xff, inverse = 1;
    for (int i = 0; i < 254; i++) inverse = product(inverse, x);
    unsigned s = inverse * 0x1f;
    out[index()] = (s ^ s >> 8 ^ 0x63) & 0xff;
}

/// Base 64: three bytes become four letters.
__device__ const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
extern "C" __global__ void base64(const unsigned char *in, char *out, unsigned n)
{
    const unsigned char *p = in + index() * 3;
    unsigned word = p[0] << 16 | p[1] << 8 | p[2];
    for (int i = 0; i < 4; i++) out[index() * 4 + i] = letters[word >> (18 - 6 * i) & 63];
}

/// Where in a text of letters a to d the word "abad" begins, and how often.
extern "C" __global__ void string_search(const unsigned char *in, unsigned *out, unsigned n)
{
    unsigned i = index();
    const char word[] = "abad";
    bool found = i + 4 <= n;
    for (int k = 0; k < 4 && found; k++) found = char('a' + in[i + k] % 4) == word[k];
    out[1 + i] = found;
    if (__syncthreads_or(found) && threadIdx.x == 0) atomicAdd(out, 1u << 16);
    int count = __syncthreads_count(found);
    if (threadIdx.x == 0) atomicAdd(out, count);
}
