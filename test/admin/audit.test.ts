import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { actorWith } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { runWithoutTriggers } from '../support/database-roles.ts';
import { admin, createOperator, foundPractice, withForeignKey } from './command-line.ts';

const Reports = z.array(
  z.object({ practice_id: z.int(), holds: z.boolean(), links: z.int(), unsealed: z.int(), head: z.string().nullable() }),
);
const Entries = z.object({
  entries: z.array(z.object({ id: z.int(), actor: z.string(), action: z.string(), resource: z.string() })),
  next: z.int().nullable(),
});
const Named = z.object({ events: z.array(z.object({ actor: z.string() })) });
const Events = z.object({ events: z.array(z.object({ id: z.int(), name: z.string() })), cursor: z.string() });

const test = await ownTestApp();
const operator = createOperator(test);

/** A practice with three sealed entries. */
async function sealedPractice(): Promise<number> {
  const { id } = await foundPractice(operator);
  await seal(id);
  return id;
}

/** Seals until nothing is left; another test's transaction may hold the newest entries back for a moment. */
async function seal(id: number) {
  for (;;) {
    expect((await operator.say('audit seal')).code).toBe(0);
    const [report] = await operator.ask(Reports, `audit verify --practice ${id}`);
    if (report?.unsealed === 0) return report;
  }
}

/** Changes the audit as the superuser of the database server can. */
const tamper = (sql: string): Promise<void> => runWithoutTriggers(test.databaseUrl, sql);

describe('audit verify', () => {
  it('says that an untouched chain holds', async () => {
    const id = await sealedPractice();
    const said = await operator.say(`audit verify --practice ${id}`);
    expect(said).toMatchObject({ code: 0, err: '' });
    const [report] = await operator.ask(Reports, `audit verify --practice ${id}`);
    expect(report).toMatchObject({ practice_id: id, holds: true, links: 3, unsealed: 0 });
  });

  it('names the first link whose entry was edited, and exits with 1', async () => {
    const id = await sealedPractice();
    const [, second] = await test.database.prisma.auditEntry.findMany({ where: { organizationId: id }, orderBy: { id: 'asc' } });
    await tamper(`UPDATE audit_entry SET actor = 'nobody' WHERE id = ${second?.id}`);
    const said = await operator.say(`audit verify --practice ${id}`);
    expect(said.code).toBe(1);
    expect(said.err).toBe(`The audit of practice ${id} is broken at link 2: audit entry ${second?.id} or its link was edited or moved.\n`);
    const json = await operator.say(`audit verify --practice ${id} --json`);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject([{ holds: false, links: 1, broken: { position: 2, audit_entry_id: Number(second?.id) } }]);
    const all = await operator.say('audit verify');
    expect(all.code).toBe(1);
  });

  it('notices that a chain was cut off, by itself and from a head that the chain had', async () => {
    const { id } = await foundPractice(operator);
    const { head } = await seal(id);
    await tamper(`DELETE FROM audit_link WHERE organization_id = ${id}; DELETE FROM audit_entry WHERE organization_id = ${id}`);
    for (const known of ['', ` --head ${head}`]) {
      const said = await operator.say(`audit verify --practice ${id}${known}`);
      expect(said.code).toBe(1);
      expect(said.err).toContain('cut off');
    }
  });

  it('neither judges nor seals with master keys other than those of the server', async () => {
    const id = await sealedPractice();
    await test.http.get('/.well-known/jwks.json').expect(200);
    const env = withForeignKey(operator.env, 'test');
    for (const line of [`audit verify --practice ${id}`, 'audit seal', 'keys rotate']) {
      const said = await admin(env, line.split(' '));
      expect(said).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^MASTER_KEYS are not those of this database/) });
    }
    expect((await operator.say(`audit verify --practice ${id}`)).code).toBe(0);
  });
});

describe('audit list', () => {
  it('pages from the newest entry to the oldest, each once', async () => {
    const id = await sealedPractice();
    const whole = await operator.ask(Entries, `audit list --practice ${id}`);
    expect(whole.entries.map((entry) => entry.resource)).toEqual(['api_client', 'user', 'organization']);
    const [newest] = whole.entries;
    const first = await operator.ask(Entries, `audit list --practice ${id} --limit 2 --before ${Number(newest?.id) + 1}`);
    const second = await operator.ask(Entries, `audit list --practice ${id} --limit 2 --before ${first.next}`);
    expect([...first.entries, ...second.entries]).toEqual(whole.entries);
    expect(second.next).toBeNull();
  });

  it('shows who looked at one chart, and nobody else', async () => {
    const { id, client } = await foundPractice(operator);
    const answer = await test.http
      .post('/oauth2/v1/token')
      .type('form')
      .auth(client.client_id, client.client_secret)
      .send({ grant_type: 'client_credentials' });
    const clinic = actorWith(test, String(answer.body.access_token), id, '/api');
    const seen = await clinic.post('/patients').send({ fname: 'Zoë', lname: 'Núñez', med_rec_no: `seen-${id}` });
    await clinic.post('/patients').send({ fname: 'Other', lname: 'Person' });
    await clinic.get(`/patients/mrn/seen-${id}`).expect(200);
    const { entries } = await operator.ask(Entries, `audit list --practice ${id} --patient ${seen.body.data.uuid}`);
    expect(entries.map(({ action, actor }) => ({ action, actor }))).toEqual([
      { action: 'read', actor: `client:${client.client_id}` },
      { action: 'create', actor: `client:${client.client_id}` },
    ]);
    const again = await operator.ask(Entries, `audit list --practice ${id} --actor operator --patient ${seen.body.data.uuid}`);
    expect(again.entries).toMatchObject([{ action: 'search', actor: 'operator:tester', resource: 'audit_entry' }]);
    const done = (await operator.ask(Entries, `audit list --practice ${id} --actor operator`)).entries;
    expect(done.filter(({ action }) => action !== 'search')).toHaveLength(3);
    expect((await operator.ask(Entries, `audit list --practice ${id} --since 2199-01-01`)).entries).toEqual([]);
  });
});

describe('the audit of a person', () => {
  it('has who made, moved, handed over and cancelled an appointment, for the patient before and the one after', async () => {
    const { id, client } = await foundPractice(operator);
    const answer = await test.http
      .post('/oauth2/v1/token')
      .type('form')
      .auth(client.client_id, client.client_secret)
      .send({ grant_type: 'client_credentials' });
    const clinic = actorWith(test, String(answer.body.access_token), id, '/api');
    const register = async (lname: string): Promise<number> =>
      (await clinic.post('/patients').send({ fname: 'Zoë', lname })).body.data.uuid;
    const [first, second] = [await register('First'), await register('Second')];
    const made = await clinic.post('/appointments').send({ patient_id: first, appointment_date: '2031-03-13T09:30:00' }).expect(200);
    const path = `/appointments/${made.body.data.uuid}`;
    await clinic.put(path).send({ appointment_date: '2031-03-14T09:30:00' }).expect(200);
    await clinic.put(path).send({ patient_id: second }).expect(200);
    await clinic.delete(path).expect((said) => expect(said.status).toBeLessThan(300));
    const changes = async (patient: number) => {
      const { entries } = await operator.ask(Entries, `audit list --practice ${id} --patient ${patient}`);
      return entries.filter(({ resource }) => resource === 'appointment').map(({ action, actor }) => `${action} ${actor}`);
    };
    const by = `client:${client.client_id}`;
    expect(await changes(first)).toEqual([`update ${by}`, `update ${by}`, `create ${by}`]);
    expect(await changes(second)).toEqual([`cancel ${by}`, `update ${by}`]);
  });
});

describe('an operator', () => {
  it('acts under the name that is given, which the audit and the events keep', async () => {
    const { id } = await foundPractice(operator);
    expect((await operator.apply(id, { go_live_date: '2026-12-01' }, '--as', 'ada@clinic.example')).code).toBe(0);
    expect((await operator.apply(id, { go_live_date: '2026-12-02' }, '--as=grace.h')).code).toBe(0);
    const named = (entries: { actor: string }[]) => entries.map(({ actor }) => actor);
    // Below the oldest running transaction alone, of other tests too: the newest may come a moment later.
    await vi.waitFor(async () => {
      const events = await operator.ask(Named, `events list --practice ${id} --limit 100`);
      expect(named(events.events)).toEqual(expect.arrayContaining(['operator:tester', 'operator:ada@clinic.example', 'operator:grace.h']));
    }, 60_000);
    const ada = await operator.ask(Entries, `audit list --practice ${id} --actor operator:ada@clinic.example`);
    expect(named(ada.entries)).toEqual(['operator:ada@clinic.example']);
    const all = await operator.ask(Entries, `audit list --practice ${id} --actor operator`);
    expect(named(all.entries)).toEqual(expect.arrayContaining(['operator:tester', 'operator:grace.h']));
  });

  it('has to give it in production, and in these characters', async () => {
    const { TRIPTYCH_OPERATOR: _, ...nameless } = operator.env;
    const production = { ...nameless, NODE_ENV: 'production', PUBLIC_URL: 'https://clinic.example', TRIPTYCH_MAIL: 'local' };
    const said = await admin(production, ['export-practice'], '', test.database);
    expect(said).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^Give your name for the audit: --as <name>/) });
    expect(await admin(production, ['export-practice', '--as', 'ada'], '', test.database)).toMatchObject({ code: 0 });
    expect(await admin(nameless, ['export-practice'], '', test.database)).toMatchObject({ code: 0 });
    for (const name of ['Ada Quinn', 'a:b', 'x'.repeat(65), ''])
      expect(await operator.say('export-practice', '--as', name)).toMatchObject({
        code: 2,
        err: expect.stringContaining('--as: must be'),
      });
  });
});

describe('events list', () => {
  it('reads on from its cursor without repeating or skipping', async () => {
    const { id } = await foundPractice(operator);
    const first = await waitForEvents(id, 2);
    expect(first.events.map(({ name }) => name)).toEqual(['organization.created', 'user.created']);
    const second = await operator.ask(Events, `events list --practice ${id} --after ${first.cursor}`);
    expect(second.events.map(({ name }) => name)).toEqual(['api_client.created']);
    const third = await operator.ask(Events, `events list --practice ${id} --after ${second.cursor}`);
    expect(third).toEqual({ events: [], cursor: expect.any(String) });
    expect((await operator.say(`events list --practice ${id} --after nonsense`)).code).toBe(1);
  });
});

/** The log is shown up to the oldest running transaction, so the newest events may come a moment later. */
async function waitForEvents(id: number, limit: number): Promise<z.output<typeof Events>> {
  for (;;) {
    const all = await operator.ask(Events, `events list --practice ${id}`);
    if (all.events.length === 3) return operator.ask(Events, `events list --practice ${id} --limit ${limit}`);
  }
}
