/** The field of Curve25519, and the constant of its twisted Edwards form (RFC 8032, 5.1). */
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

const mod = (value: bigint): bigint => ((value % P) + P) % P;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [square, left] = [mod(base), exponent]; left > 0n; square = mod(square * square), left >>= 1n)
    if (left & 1n) result = mod(result * square);
  return result;
}

const inverse = (value: bigint): bigint => power(value, P - 2n);
const isSquare = (value: bigint): boolean => value === 0n || power(value, (P - 1n) / 2n) === 1n;

/** y of twice a point: it depends on y alone, since x² follows from it. */
function double(y: bigint): bigint {
  const yy = mod(y * y);
  const xx = mod((yy - 1n) * inverse(D * yy + 1n));
  return mod((yy + xx) * inverse(2n + xx - yy));
}

/**
 * Whether a public key is a point of the curve beyond its eight points of small order, for which anybody can make signatures.
 * Node takes any 32 bytes.
 * @param x in base64url
 */
export function isStrongEd25519(x: string): boolean {
  const bytes = Buffer.from(x, 'base64url');
  if (bytes.length !== 32) return false;
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & (2n ** 255n - 1n);
  if (y >= P) return false;
  const yy = mod(y * y);
  if (!isSquare(mod((yy - 1n) * inverse(D * yy + 1n)))) return false;
  return double(double(double(y))) !== 1n;
}
