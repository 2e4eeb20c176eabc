import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';

const test = await sharedTestApp();

/** The three forms, each exactly as its document has it. */
const exception = (name: string, file: string) => ({ exception: name, file, line: 0, message: expect.any(String) });
const practiceError = () => ({ error: expect.any(String) });
const problem = (status: number, code: string, instance: string) => ({
  type: `/docs/errors/${code}`,
  title: expect.any(String),
  status,
  detail: expect.any(String),
  instance,
  code,
  request_id: expect.any(String),
  errors: expect.any(Array),
});

describe('an unknown path', () => {
  it.each([
    ['GET', '/api/nothing', exception('NotFoundException', 'GET (no such path)'), 'application/json'],
    ['GET', '/api', exception('NotFoundException', 'GET (no such path)'), 'application/json'],
    ['PATCH', '/api/patients/1/nothing?name=x', exception('NotFoundException', 'PATCH (no such path)'), 'application/json'],
    ['GET', '/v1/1/nothing', practiceError(), 'application/json'],
    ['POST', '/preview1/1/nothing/at/all', practiceError(), 'application/json'],
    ['GET', '/v7/1', practiceError(), 'application/json'],
    ['GET', '/index.html', problem(404, 'unknown_path', ''), 'application/problem+json'],
    ['GET', '/nothing', problem(404, 'unknown_path', ''), 'application/problem+json'],
    ['GET', '/v1/x', practiceError(), 'application/json'],
    ['GET', '/v1', practiceError(), 'application/json'],
    ['GET', '/appointments/1/nothing', problem(404, 'unknown_path', ''), 'application/problem+json'],
    ['GET', '/appointments/1/patients', problem(404, 'unknown_path', ''), 'application/problem+json'],
    ['GET', '/waiting-rooms/1', problem(404, 'unknown_path', ''), 'application/problem+json'],
    ['OPTIONS', '/nothing', problem(404, 'unknown_path', ''), 'application/problem+json'],
  ])('is 404 in the form of the API that it looks like: %s %s', async (method, path, body, type) => {
    const answer = await fetch(`${test.address}${path}`, { method });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
    expect(await answer.json()).toEqual(body);
  });

  it('is a page for a person who opens it in a browser, but where it looks like the address of another API', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
    const page = await fetch(`${test.address}/nothing`, { headers });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain('This link does not work');
    for (const [path, method] of [
      ['/api/nothing', 'GET'],
      ['/v1/1/nothing', 'GET'],
      ['/nothing', 'POST'],
    ] as const) {
      const answer = await fetch(`${test.address}${path}`, { method, headers });
      expect([answer.status, answer.headers.get('content-type')?.includes('json')], path).toEqual([404, true]);
    }
  });

  it('repeats nothing of the address', async () => {
    for (const path of ['/api/patients/Quimby/nothing', '/v1/1/Quimby', '/Quimby?name=Quimby', '/api/%E0%A4%A/Quimby']) {
      expect((await test.http.get(path)).text).not.toContain('Quimby');
    }
  });
});

describe('an address that cannot be decoded', () => {
  it.each([
    ['/api/patients/mrn/%E0%A4%A', exception('ValidationException', 'GET (no such path)')],
    ['/v1/1/%zz', practiceErrorOfInput()],
    ['/openpreview1/%zz/patients?lastname=%zz', practiceErrorOfInput()],
    ['/%E0%A4%A', problem(400, 'malformed_request', '')],
  ])('is 400 in the form of the API that it looks like: %s', async (path, body) => {
    const answer = await test.http.get(path).set('x-request-id', 'mine');
    expect([answer.status, answer.headers['x-request-id'], answer.headers['x-content-type-options']]).toEqual([400, 'mine', 'nosniff']);
    expect(answer.body).toEqual(body);
  });
});

describe('a link of a page that cannot be decoded', () => {
  it.each(['/v/%zz', '/w/%', '/c/a%E0%A4%A', '/m/%2'])('is a page, as for an unknown link: %s', async (path) => {
    const answer = await test.http.get(path);
    expect([answer.status, answer.type, answer.headers['content-security-policy']]).toEqual([404, 'text/html', expect.any(String)]);
    expect(answer.text).toContain('This link does not work');
  });
});

describe('percent signs in a query that encode nothing', () => {
  it('are characters like others, and the answer has the form of the API', async () => {
    const clinic = await integrationClient(test);
    const wrong = await clinic.get('/appointments?from=%zz');
    expect([wrong.status, wrong.body]).toEqual([400, exception('ValidationException', 'GET /api/appointments')]);
    expect((await clinic.get('/appointments/types?%zz=1')).body.message).toMatch(/^%zz: is unknown; known are updated_since, page, limit/);
    const user = await signedInUser(test);
    expect((await user.get('/users?page=%')).body).toMatchObject(problem(400, 'invalid_input', '/users'));
  });
});

describe('what is not HTTP', () => {
  it.each([
    ['a bad header', 'GET /api/patients/mrn/1 HTTP/1.1\r\nHost: a\r\nBad Header\r\n\r\n', /"exception":"ValidationException"/],
    ['a bad first line', 'GET /v1/1/patients HTTP/9.9\r\n\r\n', /^\{"error":"[^"]+".*\}$/],
    ['headers of 20,000 characters', `GET /api/x HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, /headers are too large/],
    ['two lengths', 'POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc', /"code":"malformed_request"/],
    ['noise', '\u0016\u0003\u0001\u0002\u0000', /"code":"malformed_request"/],
  ])('is 400 in the form that it looks like, and ends the connection: %s', async (_what, sent, body) => {
    const received = await exchange(sent);
    const [head = '', text = ''] = received.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
    expect(head).toMatch(/\r\nconnection: close$/i);
    expect(Number(/content-length: (\d+)/.exec(head)?.[1])).toBe(Buffer.byteLength(text));
    expect(text).toMatch(body);
  });

  it('leaves the server as it was', async () => {
    await exchange('nonsense\r\n\r\n');
    expect((await test.http.get('/healthz')).status).toBe(200);
  });
});

describe('a body', () => {
  it.each([
    ['cut short', '{"fname":', 'ValidationException', 400],
    ['empty where one is needed', '', 'ValidationException', 400],
    ['nested 10,000 deep', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 'ValidationException', 400],
    ['nested 200,000 deep', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'ValidationException', 400],
    ['larger than 1 MiB', `{"fname":"${'x'.repeat(1024 * 1024)}"}`, 'PayloadTooLargeException', 413],
  ])('%s is refused in the form of the API', async (_what, body, name, status) => {
    const clinic = await integrationClient(test);
    const send = (key?: string) => {
      const request = clinic.post('/patients').set('content-type', 'application/json');
      return (key === undefined ? request : request.set('idempotency-key', key)).send(body);
    };
    for (const answer of [await send(), await send('k')]) {
      expect(answer.body).toEqual(exception(name, 'POST /api/patients'));
      expect(answer.status).toBe(status);
    }
    expect(await test.database.prisma.patient.count({ where: { organizationId: clinic.organizationId } })).toBe(0);
  });

  it.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'nonsense'])('of type %s is 415', async (type) => {
    const clinic = await integrationClient(test);
    const answer = await clinic.post('/patients').set('content-type', type).send('<a/>');
    expect(answer.body).toEqual(exception('UnsupportedMediaTypeException', 'POST /api/patients'));
    expect(answer.status).toBe(415);
    const user = await signedInUser(test);
    const mobile = await user.post('/logout').set('content-type', type).send('<a/>');
    expect(mobile.body).toEqual(problem(415, 'unsupported_media_type', '/logout'));
  });

  it('of a stranger is not read', async () => {
    const answer = await test.http.post('/api/patients').set('content-type', 'application/json').send('{"fname":');
    expect(answer.body).toEqual(exception('AuthenticationException', 'POST /api/patients'));
  });
});

function practiceErrorOfInput() {
  return { error: expect.any(String), missingfields: [], invalidfields: [] };
}

/** All that a server says to a few bytes, until it ends the connection. */
function exchange(sent: string): Promise<string> {
  const { hostname, port } = new URL(test.address);
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = net.connect(Number(port), hostname, () => socket.write(Buffer.from(sent, 'latin1')));
    socket.on('data', (part) => parts.push(part));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(parts).toString('latin1')));
  });
}
