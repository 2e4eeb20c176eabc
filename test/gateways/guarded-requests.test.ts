import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createGuardedFetch, createGuardedRequests, RefusedAddress } from '../../src/gateways/requests/guarded-requests.ts';

const guarded = createGuardedRequests({ allowPrivate: false });

/** The first and last addresses of the blocks that no machine of the internet has, as numbers. */
const PRIVATE_BLOCKS = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['224.0.0.0', '255.255.255.255'],
] as const;

const toNumber = (dotted: string): number => dotted.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
const toOctets = (ip: number): [number, number, number, number] => [
  Math.floor(ip / 0x1000000) % 256,
  Math.floor(ip / 0x10000) % 256,
  Math.floor(ip / 0x100) % 256,
  ip % 256,
];
const hex = (number: number): string => number.toString(16);

/** All ways to write an IPv4 address in the host of a URL. */
function spellings(ip: number): string[] {
  const octets = toOctets(ip);
  const [a, b, c, d] = octets;
  const [high, low] = [a * 256 + b, c * 256 + d].map(hex);
  const dotted = octets.join('.');
  return [
    dotted,
    `${dotted}.`,
    String(ip),
    `0x${hex(ip)}`,
    `0${ip.toString(8)}`,
    octets.map((octet) => `0x${hex(octet)}`).join('.'),
    octets.map((octet) => `0${octet.toString(8)}`).join('.'),
    `${a}.${ip % 0x1000000}`,
    `${a}.${b}.${c * 256 + d}`,
    octets.join('。'),
    octets.join('%2e'),
    `[::${dotted}]`,
    `[::ffff:${dotted}]`,
    `[::ffff:0:${dotted}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[64:ff9b::${dotted}]`,
    `[64:ff9b:1::${dotted}]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:${high}:${low}::]`,
  ];
}

describe('an address that somebody gives the server', () => {
  const somePrivate = fc
    .constantFrom(...PRIVATE_BLOCKS)
    .chain(([first, last]) => fc.integer({ min: toNumber(first), max: toNumber(last) }));
  const port = fc.constantFrom('', ':443', ':8443');

  it('is refused where it is of a private machine, in every spelling', () => {
    fc.assert(
      fc.property(somePrivate, port, (ip, at) => {
        for (const host of spellings(ip)) expect([host, guarded.accepts(`https://${host}${at}/a`)]).toEqual([host, false]);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    '[::]',
    '[::1]',
    '[fe80::1]',
    '[fec0::1]',
    '[fd12:3456::1]',
    '[ff02::1]',
    '[100::1]',
    '[2001:db8::1]',
    '[2001:10::1]',
    '[5f00::1]',
    'localhost',
    'localhost.',
    'LOCALHOST..',
    'a.localhost',
    'printer',
    'printer.local.',
    'db.internal',
    'router.home.arpa',
    'ｌｏｃａｌｈｏｓｔ',
  ])('is refused at %s', (host) => {
    expect(guarded.accepts(`https://${host}/a`)).toBe(false);
  });

  it.each(['http://example.com/', 'https://a@example.com/', 'https://a:b@example.com/', 'file:///etc/passwd', 'example.com', ''])(
    'is refused as %j',
    async (address) => {
      expect(guarded.accepts(address)).toBe(false);
      await expect(guarded.fetch(address)).rejects.toThrow(RefusedAddress);
    },
  );

  it.each(['example.com', 'example.com.', 'example.com:8443', '8.8.8.8', '[2606:4700::1111]', 'bücher.example'])(
    'is taken at %s',
    (host) => {
      expect(guarded.accepts(`https://${host}/a`)).toBe(true);
    },
  );
});

describe('a guarded request', () => {
  const seen: { method: string | undefined; headers: NodeJS.Dict<string | string[]>; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() });
      if (request.url === '/elsewhere') response.writeHead(302, { location: '/' }).end();
      else if (request.url === '/nothing') response.writeHead(204).end();
      else if (request.url === '/endless') response.end(Buffer.alloc(1024 * 1024 + 1));
      else response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] }).end('{"keys":[]}');
    });
  });
  const listening = new Promise<string>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address: AddressInfo | string | null = server.address();
      resolve(`http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`);
    });
  });
  afterAll(() => server.close());
  const own = createGuardedFetch({ allowPrivate: true });

  it('brings the response as fetch does, follows no redirect, and reads no more than 1 MiB', async () => {
    const origin = await listening;
    const answer = await own(`${origin}/`, { method: 'POST', body: new URLSearchParams({ a: 'b c' }), headers: { 'x-a': '1' } });
    expect([answer.status, await answer.json(), answer.headers.getSetCookie()]).toEqual([200, { keys: [] }, ['a=1', 'b=2']]);
    expect(seen.at(-1)).toMatchObject({ method: 'POST', body: 'a=b+c', headers: { 'x-a': '1', 'content-length': '5' } });
    expect(seen.at(-1)?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
    expect((await own(`${origin}/elsewhere`)).headers.get('location')).toBe('/');
    expect((await own(new URL(`${origin}/nothing`))).status).toBe(204);
    await expect(own(`${origin}/endless`)).rejects.toThrow('1 MiB');
    await expect(own(`${origin}/`, { signal: AbortSignal.abort() })).rejects.toThrow('abort');
  });

  it('ends where the response changes to another protocol, or never comes', async () => {
    for (const answer of [
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\n\r\n',
      '',
    ]) {
      const other = createTcpServer((socket) => socket.end(answer));
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const bound = other.address();
      await expect(own(`http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}/`), answer).rejects.toThrow();
      other.close();
    }
  });

  it('goes nowhere near this machine unless the operator allows it', async () => {
    const before = seen.length;
    const port = new URL(await listening).port;
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost'])
      await expect(guarded.fetch(`https://${host}:${port}/`)).rejects.toThrow(RefusedAddress);
    expect(seen).toHaveLength(before);
  });
});
