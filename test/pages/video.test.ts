import { transformSync } from 'amaro';
import { describe, expect, it } from 'vitest';
import { practiceWithNumber } from '../jobs/outgoing.ts';
import { findLink, openMeeting } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';

const test = await sharedTestApp();
const organizationId = await practiceWithNumber(test, { name: 'Harbor Clinic' });
const provider = await signedInUser(test, { organizationId, type: 'provider' });

/** A session, and a patient's own link to it. */
async function invited() {
  const session = await openMeeting(provider);
  const patient = await createPatient(test.database.prisma, { organizationId, firstName: 'Pia', mobilePhone: '+12125550123' });
  const { uuid } = (await provider.post(`/video-session/${session.guid}/invite`).send({ patient_id: patient.id }).expect(201)).body.data;
  return { session, patient, uuid: Number(uuid), link: await findLink(test, organizationId, Number(uuid)) };
}

const get = (path: string) => test.http.get(path);
/** The parts of the page that a person can use. */
const controls = (page: string) => [...page.matchAll(/<(?:button|input) id="([\w-]+)"/g)].map(([, id]) => id);

describe('the page of a visit', () => {
  it('has for a host what hosts do, and asks for no name', async () => {
    const { host } = await openMeeting(provider);
    const page = await get(host).expect(200);
    const forHosts = ['share', 'picture', 'request', 'record', 'lock'];
    expect(controls(page.text)).toEqual(
      expect.arrayContaining(['microphone', 'camera', 'chat', 'people-button', 'leave', 'end', ...forHosts]),
    );
    expect(controls(page.text)).not.toContain('name');
  });

  it('has nothing of that for a guest, and asks only those for a name whom no invite names', async () => {
    const { session, link } = await invited();
    const [guest, patient] = [await get(session.guest).expect(200), await get(link).expect(200)];
    expect(controls(guest.text)).toContain('name');
    expect(controls(patient.text)).not.toContain('name');
    for (const { text } of [guest, patient]) {
      expect(text).toContain('Harbor Clinic knows that you are here');
      expect(text).not.toContain('Pia');
      for (const id of ['share', 'picture', 'request', 'record', 'lock', 'end']) expect(controls(text)).not.toContain(id);
    }
  });

  it('of a waiting room is one too', async () => {
    const patient = await createPatient(test.database.prisma, { organizationId, mobilePhone: '+12125550123' });
    const room = await test.database.prisma.waitingRoom.create({ data: { organizationId, name: 'Lobby' } });
    const { uuid } = (await provider.post(`/waiting-rooms/${room.id}/invite/${patient.id}`).send({}).expect(201)).body.data;
    const page = await get(await findLink(test, organizationId, uuid)).expect(200);
    expect(page.text).toContain('Enter the waiting room');
    expect(controls(page.text)).not.toContain('name');
  });

  it('runs scripts of this server and talks to this server, alone; nobody keeps it or frames it', async () => {
    const { host } = await openMeeting(provider);
    const { headers, text } = await get(host).expect(200);
    const policy = Object.fromEntries(
      String(headers['content-security-policy'])
        .split('; ')
        .map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1).join(' ')]),
    );
    expect(policy).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'connect-src': "'self'",
      'media-src': "'self' blob:",
      'frame-ancestors': "'none'",
    });
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    const scripts = [...text.matchAll(/<script([^>]*)>([^<]*)/g)];
    expect(scripts.map(([, , inline]) => inline)).toEqual(['']);
    expect(text).not.toMatch(/ on\w+=|style=/);
  });
});

describe('a link that opens no visit', () => {
  const closed = async (path: string, words: string) => {
    const page = await get(path).expect(410);
    expect(page.text).toContain(words);
    expect(page.text).not.toContain('<script');
    expect(page.headers['content-security-policy']).not.toContain('script-src');
  };

  it('says that it has expired, was withdrawn, or that the visit has ended', async () => {
    const { session, link, uuid } = await invited();
    const key = { organizationId_id: { organizationId, id: uuid } };
    await test.database.prisma.sessionInvite.update({ where: key, data: { expiresAt: new Date() } });
    await closed(link, 'This link has expired.');
    await provider.delete(`/video-session/${session.guid}/invite/${uuid}`).expect(204);
    await closed(link, 'This link was withdrawn by your practice.');
    for (const path of [session.host, session.guest]) await get(path).expect(200);
    await test.database.prisma.videoSession.updateMany({ where: { guid: session.guid }, data: { expiresAt: new Date() } });
    for (const path of [session.host, session.guest]) await closed(path, 'This link has expired.');
    await test.database.prisma.videoSession.updateMany({ where: { guid: session.guid }, data: { endedAt: new Date() } });
    for (const path of [session.host, session.guest]) await closed(path, 'This visit has ended.');
  });

  it('is as unknown as any other, whatever it was meant to open', async () => {
    const { host } = await openMeeting(provider);
    const changed = `${host.slice(0, -1)}${host.endsWith('A') ? 'B' : 'A'}`;
    for (const path of [changed, '/v/x', host.replace('/v/', '/w/'), '/w/x']) {
      const page = await get(path).expect(404);
      expect(page.text).toContain('This link does not work');
      expect(page.text).not.toContain('<script');
    }
  });
});

describe('the script of the page', () => {
  it('is JavaScript, in all its parts, and loads nothing of anybody else', async () => {
    const seen = new Set<string>();
    const follow = async (address: string): Promise<void> => {
      const path = address.replace(/^\/assets\/[\da-f]{12}\//, '/assets/');
      if (seen.has(path)) return;
      seen.add(path);
      const { headers, text } = await get(path).expect(200);
      expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
      if (path.startsWith('/assets/livekit')) return;
      // There is nothing left to take away of what is no JavaScript.
      expect(transformSync(text, { mode: 'strip-only' }).code).toBe(text);
      const named = [...text.matchAll(/(?:from|import\(|new URL\() ?'([^']+)'/g)].flatMap(([, name = '']) => name);
      for (const name of named) await follow(new URL(name, `http://here${path}`).pathname);
    };
    await follow('/assets/client/visit.ts');
    expect([...seen]).toEqual(
      expect.arrayContaining(['/assets/client/media/mesh.ts', '/assets/client/ping-timer.ts', '/assets/livekit-client.mjs']),
    );
  });
});
