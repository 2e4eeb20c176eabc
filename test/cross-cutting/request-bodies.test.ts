import { describe, expect, it } from 'vitest';
import { integrationClient, practiceClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';

const test = await sharedTestApp();
const person = await signedInUser(test);
const { organizationId } = person;
const [app, system] = [await integrationClient(test, { organizationId }), await practiceClient(test, { organizationId })];

describe('a body as some clients send it', () => {
  it('may begin with a byte order mark, also a form', async () => {
    const form = Buffer.from('\ufefffirstname=Ana&lastname=Mark');
    const headers = { authorization: `Bearer ${system.token}`, 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(`${test.address}/v1/${organizationId}/patients`, { method: 'POST', headers, body: form });
    expect([answer.status, answer.headers.get('warning-fields')]).toEqual([200, null]);
    const [{ patientid: id }] = JSON.parse(await answer.text());
    expect((await system.get(`/patients/${id}`)).body[0]).toMatchObject({ firstname: 'Ana', lastname: 'Mark' });
  });

  it.each(['gzip', 'br', 'Deflate', 'gzip, identity'])('is refused in words where it is compressed: %s', async (coding) => {
    for (const [{ token }, path] of [
      [app, '/api/patients'],
      [person, '/contact-tags'],
      [system, `/v1/${organizationId}/patients`],
    ] as const) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-encoding': coding };
      const answer = await fetch(`${test.address}${path}`, { method: 'POST', headers, body: '{"fname":"Ana"}' });
      expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity']);
      expect(await answer.text()).toContain(`Content-Encoding: ${coding}`);
    }
  });

  it('is read where its coding is identity, and a GET without a body may name any', async () => {
    const headers = { authorization: `Bearer ${app.token}`, 'content-type': 'application/json', 'content-encoding': 'identity' };
    const answer = await fetch(`${test.address}/api/patients`, { method: 'POST', headers, body: '{"fname":"Ana","lname":"Plain"}' });
    expect(answer.status).toBe(200);
    expect((await app.get('/appointments').set('content-encoding', 'gzip')).status).toBe(200);
  });
});
