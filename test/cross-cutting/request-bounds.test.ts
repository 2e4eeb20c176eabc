import { describe, expect, it } from 'vitest';
import { integrationClient, practiceClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { declaredRoutes } from '../support/declared-routes.ts';

const test = await sharedTestApp();
const person = await signedInUser(test, { type: 'admin' });
const { organizationId } = person;
const clinic = await integrationClient(test, { organizationId });
const system = await practiceClient(test, { organizationId });

const KIBIBYTE = 1024;
const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
/** Files are bounded by their forms. */
const UPLOADS = /\/(images|videos)$/;
/** Where the sender shows a signature, or the body holds a token with one. */
const SIGNED = /^\/webhooks\/|back-channel-logout/;

/** The statuses of a body of some size, as JSON and as a form. */
const statuses = async (url: string, bytes: number) => {
  const answers = await Promise.all(
    [JSON_TYPE, FORM].map((type) =>
      test.app.inject({
        method: 'POST',
        url,
        headers: { 'content-type': type, origin: test.address, host: new URL(test.address).host },
        payload: type === FORM ? `a=${'x'.repeat(bytes - 2)}` : `{"a":"${'x'.repeat(bytes - 8)}"}`,
      }),
    ),
  );
  return answers.map(({ statusCode }) => statusCode);
};

describe('a body without a token', () => {
  it('has at most 16 KiB, wherever it is sent; where the sender signs, the signature comes first', async () => {
    const open = declaredRoutes(test.app).filter(({ method, config }) => method === 'POST' && !config.protected);
    const urls = open.map(({ url }) => url.replaceAll(/:\w+/g, '7')).filter((url) => !UPLOADS.test(url));
    const wrong: string[] = [];
    for (const url of [...urls, '/nowhere', '/api/nowhere']) {
      const [small, large, huge] = [
        await statuses(url, 15 * KIBIBYTE),
        await statuses(url, 16 * KIBIBYTE + 1),
        await statuses(url, 64 * KIBIBYTE + 1),
      ];
      // Refused before the body is read: nobody is signed in, or the signature is missing.
      const isUnread = [303, 401, 403].includes(huge[1] ?? 0) && !huge.includes(413);
      const isBounded = huge.includes(413) && (SIGNED.test(url) || large.includes(413));
      if (small.includes(413) || !(isUnread || isBounded)) wrong.push(`${url}: ${small} ${large} ${huge}`);
    }
    expect(wrong).toEqual([]);
    expect(urls).toEqual(expect.arrayContaining(['/login', '/login/passkey', '/refresh', '/oauth2/v1/token', '/c/7', '/sign-in']));
  });
});

describe('what a body holds', () => {
  const list = (length: number, one: unknown) => Array.from({ length }, () => one);
  const refused = (field: string, what: string) =>
    expect.objectContaining({ message: expect.stringContaining(`${field}: has more than ${what}`) });

  it('is at most 10,000 values, and as many lists and objects; their names do not count', async () => {
    const register = (unheard: unknown) => clinic.post('/patients').send({ firstname: 'Ana', lastname: 'Bell', unheard });
    expect((await register(list(9_998, 1))).status).toBe(200);
    expect((await register(list(9_999, 1))).body).toEqual(refused('body', '10,000 values'));
    expect((await register(list(4_999, { a: 1, b: 2 }))).status).toBe(200);
    expect((await register(list(9_999, {}))).body).toEqual(refused('body', '10,000 lists and objects'));
    const answer = await person.post('/login').send(list(5_000, [1, 2, 3]));
    expect([answer.status, answer.body.errors]).toEqual([413, []]);
  });

  it('is at most 1,000 parameters, in a form and in a query', async () => {
    const races = list(997, 0).map((_, index) => `race[${index}]=2106-3`);
    const register = (form: string) => system.post('/patients').type('form').send(form);
    const ana = 'firstname=Ana&lastname=Bell&dob=01/15/1990';
    const taken = await register(`${ana}&${races.join('&')}`);
    expect([taken.status, taken.body.invalidfields]).toEqual([400, ['race[0]']]);
    const many = await register(`${ana}&${races.join('&')}&a=1`);
    expect([many.status, many.body]).toEqual([400, expect.objectContaining({ detailedmessage: 'body: has more than 1,000 parameters' })]);
    const query = (length: number) =>
      list(length, 0)
        .map((_, index) => `a${index}`)
        .join('&');
    expect((await test.http.get(`/sign-in?${query(1_000)}`)).status).toBe(200);
    expect((await clinic.get(`/appointments/types?${query(1_001)}`)).body).toEqual(refused('query', '1,000 parameters'));
    expect((await test.http.get(`/sign-in?${query(1_001)}`)).status).toBe(400);
  });
});
