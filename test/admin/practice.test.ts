import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PNG } from '../apis/mobile/messaging/attachments/uploading.ts';
import { connect, join, meet, openMeeting } from '../realtime/room.ts';
import { actorWith } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createPatient, createUser } from '../support/factories.ts';
import { createOperator, foundPractice, MadeClient, MadeUser } from './command-line.ts';

/** Longer than any process caches the validity of a token. */
const A_SECOND = 1_000;

const test = await sharedTestApp();
const operator = createOperator(test);

const signIn = (email: string, password: string) => test.http.post('/login').send({ email, password });
const tokenFor = ({ client_id, client_secret }: z.output<typeof MadeClient>) =>
  test.http.post('/oauth2/v1/token').type('form').auth(client_id, client_secret).send({ grant_type: 'client_credentials' });

/** Closes a practice, or opens it again. */
async function setActive(id: number, active: boolean): Promise<void> {
  expect(await operator.apply(id, { active })).toMatchObject({ code: 0 });
}

async function createActor(client: z.output<typeof MadeClient>, organizationId: number) {
  const answer = await tokenFor(client);
  expect(answer.status).toBe(200);
  return actorWith(test, String(answer.body.access_token), organizationId, '/api');
}

describe('a practice made at the command line', () => {
  it('lets its user sign in and its client work through the API', async () => {
    const { id, email, user, client } = await foundPractice(operator);
    await operator.apply(id, { offices: [{ name: 'North office' }] });
    const office = await test.database.prisma.office.findFirstOrThrow({ where: { organizationId: id } });
    const signedIn = await signIn(email, user.password);
    expect(signedIn.body.data.user).toEqual({ uuid: user.id, org_uuid: id, user_type: 'admin' });
    const clinic = await createActor(client, id);
    const created = await clinic.post('/appointments').send({ office_id: office.id, appointment_date: '2031-03-03T09:30:00' });
    expect(created.status).toBe(200);
    expect(created.body.data.appointment_timezone).toBe('America/Chicago');
  });

  it('takes a password from standard input, shows none, and accepts it at sign-in', async () => {
    const { id } = await foundPractice(operator);
    const line = `users create --practice ${id} --type staff --first-name Bo --last-name Ek --email bo.${id}@clinic.example --password-stdin`;
    const { admin } = await import('./command-line.ts');
    const said = await admin(operator.env, [...line.split(' '), '--json'], 'a long enough pass phrase\n');
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(said.out)).not.toHaveProperty('password');
    expect((await signIn(`bo.${id}@clinic.example`, 'a long enough pass phrase')).status).toBe(200);
  });

  it('refuses an address that somebody signs in with already, in whichever practice and spelling', async () => {
    const { email } = await foundPractice(operator);
    const other = await foundPractice(operator);
    const said = await operator.say(
      `users create --practice ${other.id} --type staff --first-name A --last-name B --email ${email.toUpperCase()}`,
    );
    expect(said).toEqual({ code: 1, out: '', err: 'This email is already in use for sign-in.\n' });
  });
});

describe('a practice that is closed', () => {
  it('refuses its users and its clients within a second, and lets them in again when it is opened', async () => {
    const { id, email, user, client } = await foundPractice(operator);
    const other = await foundPractice(operator);
    const signedIn = await signIn(email, user.password);
    const clinic = await createActor(client, id);
    const person = actorWith(test, signedIn.body.data.access_token, id, '/api');
    for (const actor of [clinic, person]) expect((await actor.get('/appointments/types')).status).toBe(200);
    await setActive(id, false);
    await sleep(A_SECOND);
    for (const actor of [clinic, person]) expect((await actor.get('/appointments/types')).status).toBeOneOf([401, 403]);
    expect((await test.http.post('/refresh').send({ token: signedIn.body.data.refresh_token })).status).toBe(401);
    expect((await signIn(email, user.password)).status).toBe(401);
    expect((await signIn(other.email, other.user.password)).status).toBe(200);
    await setActive(id, true);
    expect((await signIn(email, user.password)).status).toBe(200);
    await sleep(A_SECOND);
    for (const actor of [clinic, person]) expect((await actor.get('/appointments/types')).status).toBe(200);
  });
});

describe('a user', () => {
  it('is out within a second of being signed out, and can sign in again', async () => {
    const { id, email, user } = await foundPractice(operator);
    const signedIn = await signIn(email, user.password);
    const actor = actorWith(test, signedIn.body.data.access_token, id, '/api');
    expect((await actor.get('/appointments/types')).status).toBe(200);
    expect(await operator.ask(z.object({ sessions_ended: z.int() }), `users sign-out ${email}`)).toEqual({ sessions_ended: 1 });
    await sleep(A_SECOND);
    expect((await actor.get('/appointments/types')).status).toBe(401);
    expect((await test.http.post('/refresh').send({ token: signedIn.body.data.refresh_token })).status).toBe(401);
    expect((await signIn(email, user.password)).status).toBe(200);
  });

  it('is a privacy officer or not, is shut out when deactivated, and the old sessions stay ended when activated again', async () => {
    const { id, email, user } = await foundPractice(operator);
    const signedIn = await signIn(email, user.password);
    await createUser(test.database.prisma, { organizationId: id, type: 'admin' });
    const set = (settings: object) => operator.apply(id, { users: [{ email, ...settings }] });
    expect(await set({ privacy_officer: true })).toMatchObject({ code: 0 });
    expect(await test.database.prisma.user.count({ where: { organizationId: id, privacyOfficer: true } })).toBe(1);
    expect(await set({ privacy_officer: false, active: false })).toMatchObject({ code: 0 });
    expect((await signIn(email, user.password)).status).toBe(401);
    expect(await set({ active: true })).toMatchObject({ code: 0 });
    const actor = actorWith(test, signedIn.body.data.access_token, id, '/api');
    expect((await actor.get('/appointments/types')).status).toBe(401);
    expect((await signIn(email, user.password)).status).toBe(200);
  });

  it('is out of the visits that they lead when deactivated or when the practice is closed, and no room token brings them back', async () => {
    const { id, email, user } = await foundPractice(operator);
    const session = await openMeeting(actorWith(test, (await signIn(email, user.password)).body.data.access_token, id));
    const { leader, visitor } = await meet(test, session);
    const spare = await join(test, session.host);
    const resumed = await join(test, session.host, { resume: leader.answer.resume });
    await createUser(test.database.prisma, { organizationId: id, type: 'admin' });
    expect(await operator.apply(id, { users: [{ email, active: false }] })).toMatchObject({ code: 0 });
    expect(await leader.next('closing')).toMatchObject({ code: 'removed' });
    await visitor.next('room', ({ people }) => Array.isArray(people) && people.length === 1);
    for (const { token } of [spare, resumed]) expect(await (await connect(test, token)).next('closing')).toMatchObject({ code: 'removed' });
    const picture = test.http.post(`${session.host}/images`).set('authorization', `Bearer ${leader.answer.token}`);
    expect((await picture.attach('file', PNG, 'x.png')).status).toBe(403);
    expect((await test.http.post(`${session.host}/join`).send({ resume: leader.answer.resume })).status).toBe(410);

    const late = await join(test, session.guest, { name: 'Lou' });
    await setActive(id, false);
    expect(await visitor.next('closing')).toMatchObject({ code: 'ended' });
    expect(await (await connect(test, late.token)).next('closing')).toMatchObject({ code: 'ended' });
  });

  it('signs in with the new password only, once it was reset', async () => {
    const { email, user } = await foundPractice(operator);
    const before = await signIn(email, user.password);
    const { password } = await operator.ask(MadeUser, `users reset-password ${email}`);
    expect((await signIn(email, user.password)).status).toBe(401);
    expect((await test.http.post('/refresh').send({ token: before.body.data.refresh_token })).status).toBe(401);
    expect((await signIn(email, password)).status).toBe(200);
  });
});

describe('a client', () => {
  it('gets a token with its new secret only, once it was rotated', async () => {
    const { client } = await foundPractice(operator);
    const rotated = await operator.ask(MadeClient, `clients rotate-secret ${client.client_id}`);
    expect((await tokenFor(client)).status).toBe(401);
    expect((await tokenFor(rotated)).status).toBe(200);
  });

  it('has its tokens refused within a second of being disabled, and works again once enabled', async () => {
    const { id, client } = await foundPractice(operator);
    const clinic = await createActor(client, id);
    expect((await clinic.get('/appointments/types')).status).toBe(200);
    await operator.ask(z.object({ active: z.literal(false) }), `clients disable ${client.client_id}`);
    await sleep(A_SECOND);
    expect((await clinic.get('/appointments/types')).status).toBe(401);
    expect((await tokenFor(client)).status).toBe(401);
    await operator.ask(z.object({ active: z.literal(true) }), `clients enable ${client.client_id}`);
    expect((await tokenFor(client)).status).toBe(200);
  });

  it('acts for the practices that it is granted, and no more once one is withdrawn', async () => {
    const [one, two] = [await foundPractice(operator), await foundPractice(operator)];
    const Granted = z.object({ practice_ids: z.array(z.int()) });
    const client = await operator.ask(
      MadeClient,
      `clients create --practice ${one.id} --scope practice.read --scope practice.write --name`,
      'Both sides',
    );
    expect(await operator.ask(Granted, `clients grant ${client.client_id} --practice ${two.id}`)).toEqual({
      practice_ids: [one.id, two.id],
    });
    expect(await operator.ask(Granted, `clients withdraw ${client.client_id} --practice ${one.id}`)).toEqual({
      practice_ids: [two.id],
    });
    const again = await operator.say(`clients withdraw ${client.client_id} --practice ${one.id}`);
    expect(again).toEqual({ code: 1, out: '', err: 'There is no such grant.\n' });
  });

  it('gets and loses scopes, of which its tokens know within a second, and every change is audited', async () => {
    const { id, client } = await foundPractice(operator);
    const Scopes = z.object({ scopes: z.array(z.string()) });
    const change = (words: string) => operator.ask(Scopes, `clients scopes ${client.client_id} ${words}`);
    const earlier = await createActor(client, id);
    const patient = await createPatient(test.database.prisma, { organizationId: id });
    const restriction = { organizationId: id, patientId: patient.id, kind: 'record', reason: 'Member of staff' } as const;
    await test.database.prisma.privacyRestriction.create({ data: restriction });
    const look = async (actor: typeof earlier) => (await actor.get(`/patients/${patient.id}`)).status;
    expect((await change('--add restricted.read')).scopes).toEqual(['integration.read', 'integration.write', 'restricted.read']);
    await change('--add restricted.read --remove ssn.read');
    const later = await createActor(client, id);
    expect([await look(earlier), await look(later)]).toEqual([404, 200]);
    expect((await change('--remove restricted.read,integration.write')).scopes).toEqual(['integration.read']);
    await sleep(A_SECOND);
    expect(await look(later)).toBe(404);
    expect((await later.post('/appointments').send({})).status).toBe(403);
    expect((await later.get('/appointments/types')).status).toBe(200);
    const audits = await test.database.prisma.auditEntry.findMany({
      where: { organizationId: id, detail: { startsWith: 'api_client.scopes_changed' } },
      orderBy: { id: 'asc' },
    });
    expect(audits.map(({ actor, detail }) => [actor, detail?.split(' ').slice(2).join(' ')])).toEqual([
      ['operator:tester', '+restricted.read'],
      ['operator:tester', '-restricted.read -integration.write'],
    ]);
  });

  it('needs a scope of an API, and is changed by no command that says nothing or two things', async () => {
    const { id, client } = await foundPractice(operator);
    const alone = await operator.say(`clients create --practice ${id} --scope restricted.read --name Alone`);
    const last = await operator.say(`clients scopes ${client.client_id} --remove integration.read,integration.write`);
    for (const said of [alone, last]) {
      expect(said.code).toBe(1);
      expect(said.err).toMatch(/^scope: needs at least one of integration.read, integration.write, practice.read, practice.write/);
    }
    const saysNothing = await operator.say(`clients scopes ${client.client_id}`);
    const saysTwo = await operator.say(`clients scopes ${client.client_id} --add ssn.read --remove ssn.read`);
    expect([saysNothing.code, saysTwo.code]).toEqual([2, 2]);
    expect((await operator.say('clients scopes nobody --add ssn.read')).err).toBe('There is no such client.\n');
  });

  it('of the integration API belongs to one practice', async () => {
    const [one, two] = [await foundPractice(operator), await foundPractice(operator)];
    const said = await operator.say(`clients create --practice ${one.id},${two.id} --scope integration.read --name Wide`);
    expect(said.code).toBe(1);
    expect(said.err).toContain('belongs to one organization');
    const granted = await operator.say(`clients grant ${one.client.client_id} --practice ${two.id}`);
    expect(granted.code).toBe(1);
  });
});

describe('signing keys', () => {
  it('rotate without signing anybody out', async () => {
    const { id, client } = await foundPractice(operator);
    const clinic = await createActor(client, id);
    const keys = await operator.ask(z.array(z.object({ id: z.string(), state: z.string() })), 'keys rotate');
    expect(keys.filter(({ state }) => state === 'signs')).toHaveLength(1);
    expect(keys.some(({ state }) => state === 'verifies')).toBe(true);
    expect((await clinic.get('/appointments/types')).status).toBe(200);
    expect((await tokenFor(client)).status).toBe(200);
  });
});
