import { describe, expect, it } from 'vitest';
import { holdPort } from '../../src/startup/hold-port.ts';

const TRIPTYCH_HOST = '127.0.0.1';

describe('a port that is held while a server starts', () => {
  it('answers that the process lives and is starting', async () => {
    const held = await holdPort({ TRIPTYCH_HOST, PORT: 0 });
    const at = async (path: string) => {
      const answer = await fetch(`http://${TRIPTYCH_HOST}:${held.port}${path}`);
      return [answer.status, await answer.json(), answer.headers.get('retry-after')];
    };
    expect(await at('/healthz')).toEqual([200, { status: 'alive' }, null]);
    expect(await at('/readyz')).toEqual([503, { status: 'starting' }, '2']);
    expect(await at('/api/patients/1')).toEqual([503, { status: 'starting' }, '2']);
    await held.release();
    await expect(fetch(`http://${TRIPTYCH_HOST}:${held.port}/healthz`)).rejects.toThrow('fetch failed');
  });

  it('is nobody else’s, in one sentence, and free again when it is released', async () => {
    const held = await holdPort({ TRIPTYCH_HOST, PORT: 0 });
    await expect(holdPort({ TRIPTYCH_HOST, PORT: held.port })).rejects.toThrow(
      `PORT: ${held.port} is used by another program. Stop it, or set PORT to another number (0 for any free port).`,
    );
    await held.release();
    const again = await holdPort({ TRIPTYCH_HOST, PORT: held.port });
    expect(again.port).toBe(held.port);
    await again.release();
  });

  it('of an address that is none of this machine is one sentence, too', async () => {
    await expect(holdPort({ TRIPTYCH_HOST: '192.0.2.1', PORT: 0 })).rejects.toThrow(
      /^TRIPTYCH_HOST: cannot listen on 192\.0\.2\.1 \(E\w+\)\.$/,
    );
  });
});
