import { request } from 'node:http';
import { stringify } from 'node:querystring';
import { describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice } from '../../support/factories.ts';

// Requests of public clients of APIs of this style, to the letter: where they get their token, which headers they set, and
// how they write parameters and forms. Such a client moves over by another address and other credentials.

const test = await sharedTestApp();
const system = await practiceClient(test);
const departmentId = (await createOffice(test.database.prisma, { organizationId: system.organizationId, name: 'MAIN ST (HUB)' })).id;

interface Sent {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

/** One request with exactly these headers. */
function send(method: string, path: string, headers: Record<string, string | number>, body: string): Promise<Sent> {
  const { hostname, port } = new URL(test.address);
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) }));
    });
    call.on('error', reject);
    call.write(body);
    call.end();
  });
}

const FORM = 'application/x-www-form-urlencoded';
const TOKEN_AT = { v1: '/oauth/token', preview1: '/oauthpreview/token', openpreview1: '/oauthopenpreview/token' } as const;
type Variant = keyof typeof TOKEN_AT;

/** The older clients: each variant has its own token endpoint, and a GET has a body of no bytes. */
async function olderClient(variant: Variant) {
  const credentials = Buffer.from(`${system.clientId}:${system.clientSecret}`).toString('base64');
  const grant = stringify({ grant_type: 'client_credentials' });
  const headers = { authorization: `Basic ${credentials}`, 'content-type': FORM, 'content-length': grant.length };
  const answer = await send('POST', TOKEN_AT[variant], headers, grant);
  expect(answer).toMatchObject({ status: 200, body: { access_token: expect.any(String), expires_in: 3600 } });
  const token = `Bearer ${textIn(answer.body, 'access_token')}`;
  const at = (path: string) => `/${variant}/${system.organizationId}${path}`;
  return {
    get: (path: string, parameters: Record<string, string | number | boolean> = {}) => {
      const query = stringify(parameters);
      return send('GET', at(query ? `${path}?${query}` : path), { authorization: token, 'content-length': 0 }, '');
    },
    post: (path: string, parameters: Record<string, string | number>) => {
      const form = stringify(parameters);
      return send('POST', at(path), { authorization: token, 'content-length': form.length, 'content-type': FORM }, form);
    },
  };
}

function textIn(body: unknown, field: string): string {
  return typeof body === 'object' && body !== null ? String(Object.entries(body).find(([name]) => name === field)?.[1]) : '';
}

/** A whole registration form as samples of such clients have it, with fields that the document does not know. */
const registration = (lastname: string) => ({
  lastname,
  firstname: 'Jason',
  address1: '123 Any Street',
  city: 'Cambridge',
  countrycode3166: 'US',
  departmentid: departmentId,
  dob: '06/18/1987',
  language6392code: 'declined',
  maritalstatus: 'S',
  race: 'declined',
  sex: 'M',
  ssn: '*****1234',
  zip: '02139',
});

describe('an older client', () => {
  it.each<Variant>(['v1', 'preview1', 'openpreview1'])(
    'of %s gets a token, lists departments, registers, reads and finds a patient',
    async (variant) => {
      const client = await olderClient(variant);
      const listed = await client.get('/departments', { limit: 1, providerlist: true });
      expect(listed).toMatchObject({
        status: 200,
        body: { totalcount: 1, departments: [{ departmentid: String(departmentId), providerlist: [] }] },
      });

      const lastname = `Foo-${variant}`;
      const made = await client.post('/patients', registration(lastname));
      expect(made).toMatchObject({ status: 200, body: [{ patientid: expect.any(Number) }] });
      const patientid = textIn(Array.isArray(made.body) ? made.body[0] : null, 'patientid');

      const patient = {
        patientid,
        firstname: 'Jason',
        lastname,
        dob: '06/18/1987',
        sex: 'M',
        zip: '02139',
        departmentid: String(departmentId),
      };
      expect(await client.get(`/patients/${patientid}`)).toMatchObject({ status: 200, body: [patient] });
      expect(await client.get('/patients', { lastname: lastname.toLowerCase(), departmentid: departmentId })).toMatchObject({
        status: 200,
        body: { totalcount: 1, patients: [patient] },
      });
    },
  );

  it('is told by the word error what is wrong, and what is missing', async () => {
    const client = await olderClient('v1');
    expect(await client.get('/nothing/at/this/path')).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    expect(await client.post('/patients', {})).toMatchObject({
      status: 400,
      body: { error: expect.any(String), missingfields: expect.any(Array), invalidfields: expect.any(Array) },
    });
  });

  it('knows by 401 that it has to get another token', async () => {
    const old = { authorization: 'Bearer of-an-hour-ago', 'content-length': 0 };
    const refused = await send('GET', `/v1/${system.organizationId}/departments`, old, '');
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toContain('error="invalid_token"');
    expect((await (await olderClient('v1')).get('/departments')).status).toBe(200);
  });
});

describe('a newer client', () => {
  const headers = (token: string) => ({
    Authorization: `Bearer ${token}`,
    'User-Agent': 'client/1.0',
    'X-Request-Id': '6a1f0b1e-3a53-4b0e-9d0c-2f9f5b7a1c11',
    'Accept-Encoding': 'gzip',
  });

  it('writes flags as 1, and finds its request id in the answer', async () => {
    const path = `/v1/${system.organizationId}/departments?hospitalonly=1&limit=2&offset=1&providerlist=1&showalldepartments=1`;
    const answer = await send('GET', path, headers(system.token), '');
    expect(answer).toMatchObject({ status: 200, body: { totalcount: 0, departments: [] } });
    expect(answer.headers['x-request-id']).toBe('6a1f0b1e-3a53-4b0e-9d0c-2f9f5b7a1c11');
  });

  it('sends every field of its form, empty ones too, in order of their names', async () => {
    const form =
      'address1=123+Any+Street&address2=&city=Cambridge' +
      `&departmentid=${departmentId}&dob=06%2F18%2F1987&email=gopher%40example.com&firstname=Gopher&homephone=&lastname=Newer` +
      '&middlename=&mobilephone=6175550123&notes=&sex=F&ssn=&state=MA&status=&zip=02139';
    const sent = { ...headers(system.token), 'Content-Type': FORM, 'Content-Length': form.length };
    const made = await send('POST', `/v1/${system.organizationId}/patients`, sent, form);
    expect(made).toMatchObject({ status: 200, body: [{ patientid: expect.any(Number) }] });
    const found = await send('GET', `/v1/${system.organizationId}/patients?firstname=Gopher&lastname=Newer`, headers(system.token), '');
    expect(found).toMatchObject({ status: 200, body: { totalcount: 1, patients: [{ email: 'gopher@example.com', state: 'MA' }] } });
  });
});
