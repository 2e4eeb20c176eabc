import { createPublicKey, verify } from 'node:crypto';

export interface Claims {
  org: number;
  sub: number;
}

/** Checks the signed bearer token of a request, each time. */
export function tokenCheck(publicPem: string): (authorization: string | undefined) => Claims | null {
  const key = createPublicKey(publicPem);
  return (authorization) => {
    if (!authorization?.startsWith('Bearer ')) return null;
    const [header, payload, signature] = authorization.slice(7).split('.');
    if (!header || !payload || !signature) return null;
    if (!verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))) return null;
    const claims: Claims & { exp: number } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return claims.exp * 1000 > Date.now() ? claims : null;
  };
}
