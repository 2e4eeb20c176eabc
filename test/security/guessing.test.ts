import { randomBytes } from 'node:crypto';
import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { personWithApp } from '../support/authenticator-app.ts';

const test = await sharedTestApp();
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

type Person = Awaited<ReturnType<typeof personWithApp>>;

async function readChallenge({ email, password }: Person): Promise<string> {
  const { body } = await supertest(test.address).post('/login').send({ email, password }).expect(401);
  return body.challenge;
}

const show = (body: object) => supertest(test.address).post('/login/second-factor').send(body);
const statuses = async (asked: Iterable<PromiseLike<{ status: number }>>) => (await Promise.all(asked)).map(({ status }) => status).sort();

describe('guesses at once', () => {
  it.each([
    ['codes of an app', (index: number) => ({ code: String(index).padStart(6, '0') })],
    ['recovery codes', (index: number) => ({ recovery_code: `${index}aaaa-aaaaa`.slice(-11) })],
  ])('at %s are five, whichever challenges they name; then the right one is refused too', async (_, guess) => {
    const una = await personWithApp(test);
    const challenges = await Promise.all(times(4).map(() => readChallenge(una)));
    const answers = await statuses(times(40).map((index) => show({ challenge: challenges[index % 4], ...guess(index) })));
    expect(answers.filter((status) => status !== 429).length).toBeLessThanOrEqual(5);
    expect(answers).not.toContain(200);
    await show({ challenge: challenges[0], code: await una.codeAt(0) }).expect(429);
  });

  it('at a challenge are refused alike: garbage, another person’s, and one that was changed', async () => {
    const [una, ben] = [await personWithApp(test), await personWithApp(test)];
    const [own, others] = [await readChallenge(una), await readChallenge(ben)];
    const changed = `${own.slice(0, -4)}AAAA`;
    for (const challenge of ['x', randomBytes(64).toString('base64url'), changed, others, una.token])
      await show({ challenge, code: await una.codeAt(0) }).expect((answer) => expect(answer.status).toBeOneOf([400, 401]));
  });

  it('at the password of somebody who is signed in are limited', async () => {
    const una = await signedInUser(test);
    const answers = await statuses(times(30).map((index) => una.post('/user/step-up').send({ password: `guess ${index}` })));
    expect(answers).not.toContain(200);
    expect(answers.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(answers).toContain(429);
  });

  it.each(['/reset-password/', '/invitation/', '/m/', '/c/'])('at links %s… find nothing, in the same words', async (path) => {
    const answers = await Promise.all(times(20).map(() => test.http.get(`${path}${randomBytes(32).toString('base64url')}`).redirects(0)));
    for (const { status } of answers) expect(status).toBe(404);
  });

  it('at codes of apps get no token', async () => {
    const form = {
      grant_type: 'authorization_code',
      client_id: 'nobody',
      redirect_uri: 'https://a.example/',
      code_verifier: 'v'.repeat(43),
    };
    const ask = () =>
      supertest(test.address)
        .post('/oauth2/v1/token')
        .type('form')
        .send({ ...form, code: randomBytes(32).toString('base64url') });
    for (const status of await statuses(times(20).map(ask))) expect(status).toBeOneOf([400, 401, 429]);
  });
});

describe('one proof used many times at once', () => {
  it.each([
    ['a code of an app', async (una: Person) => ({ code: await una.codeAt(0) })],
    ['a recovery code', async (una: Person) => ({ recovery_code: una.codes[0] })],
  ])('signs in once: %s', async (_, proof) => {
    const una = await personWithApp(test);
    const shown = await proof(una);
    const challenges = await Promise.all(times(5).map(() => readChallenge(una)));
    const answers = await statuses(challenges.map((challenge) => show({ challenge, ...shown })));
    expect(answers.filter((status) => status === 200)).toHaveLength(1);
  });

  it('is one session: a challenge', async () => {
    const una = await personWithApp(test);
    const challenge = await readChallenge(una);
    const answers = await statuses(una.codes.slice(0, 4).map((recovery_code) => show({ challenge, recovery_code })));
    expect(answers.filter((status) => status === 200)).toHaveLength(1);
  });
});
