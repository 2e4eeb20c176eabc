import { describe, expect, it } from 'vitest';
import { hashingLoad, hashSecret, verifySecret } from '../../src/domain/identity/secrets.ts';
import { ownTestApp } from '../support/app.ts';
import { askToken, newClient, newUser, oneByOne, signIn } from './support.ts';

const test = await ownTestApp();

/** Keeps the line for hashing as long as it may get while something else happens. */
async function whileCrowded<T>(act: () => Promise<T>): Promise<T> {
  let crowded = true;
  const hashes = new Set<Promise<unknown>>();
  const fill = () => {
    while (crowded && hashingLoad().waiting < 100) {
      const one = hashSecret('x').then(() => {
        hashes.delete(one);
        fill();
      });
      hashes.add(one);
    }
  };
  fill();
  try {
    return await act();
  } finally {
    crowded = false;
    await Promise.all(hashes);
  }
}

describe('hashing', () => {
  it('answers whether a secret is the one, and false where there is none', async () => {
    const stored = await hashSecret('right');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await verifySecret(stored, 'right')).toBe(true);
    expect(await verifySecret(stored, 'wrong')).toBe(false);
    expect(await verifySecret(null, 'right')).toBe(false);
    expect(await verifySecret('not a hash', 'right')).toBe(false);
  });

  it('leaves a core and a thread of the pool to the others', async () => {
    const all = Array.from({ length: 20 }, () => hashSecret('x'));
    expect(hashingLoad().running).toBeLessThanOrEqual(3);
    await Promise.all(all);
    expect(hashingLoad()).toMatchObject({ running: 0, waiting: 0 });
  });

  it('tells who comes when a hundred wait to come again, known or not, and counts that as no failure', async () => {
    const user = await newUser(test);
    const client = await newClient(test);
    const grant = { grant_type: 'client_credentials' };
    await whileCrowded(async () => {
      for (const email of [user.email, 'nobody@example.com']) {
        const answers = await oneByOne(Array.from({ length: 12 }), () => signIn(test, email, user.password));
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
        expect(answers[0]?.body).toMatchObject({ status: 503, code: 'unavailable' });
        expect(Number(answers[0]?.headers['retry-after'])).toBeGreaterThan(0);
      }
      const answers = await oneByOne(Array.from({ length: 12 }), () => askToken(test, grant, client.basic));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      expect(answers[0]?.body).toEqual({ error: 'temporarily_unavailable', error_description: expect.any(String) });
      expect(Number(answers[0]?.headers['retry-after'])).toBeGreaterThan(0);
    });
    expect((await signIn(test, user.email, user.password)).status).toBe(200);
    expect((await askToken(test, grant, client.basic)).status).toBe(200);
  });
});
