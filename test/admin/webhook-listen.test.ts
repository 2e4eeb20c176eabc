import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { findSubject } from '../../src/admin/events/event-trigger.ts';
import { run } from '../../src/admin/program.ts';
import { EVENTS } from '../../src/domain/events/catalogue.ts';
import { inPractice } from '../../src/domain/tx.ts';
import { sharedTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { scratchFolder } from '../support/scratch.ts';
import { eventually } from '../support/server-process.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { admin, createOperator, foundPractice } from './command-line.ts';

const test = await sharedTestApp();
const operator = createOperator(test);
const DATA_DIR = await scratchFolder();
afterAll(() => rm(DATA_DIR, { recursive: true, force: true }));

/** The folder of a server whose demo is this one practice. */
async function demoPractice() {
  const { id, client } = await foundPractice(operator);
  const folder = join(DATA_DIR, randomBytes(6).toString('hex'));
  await mkdir(folder);
  const clients = [{ api: 'integration', scope: '', ...client }];
  const demo = { baseUrl: '', practices: [{ practiceid: id, name: 'Demo', users: [], clients }] };
  await writeFile(join(folder, 'demo.json'), JSON.stringify(demo));
  const patient = await createPatient(test.database.prisma, { organizationId: id });
  return { id, patient, env: { ...operator.env, DATA_DIR: folder } };
}

const say = (env: Record<string, string>, line: string) => admin(env, line.split(' '), '', test.database);

/** Starts to listen; `end` interrupts it. */
function listen(env: Record<string, string>, line: string) {
  const stopping = new AbortController();
  const said = { out: '', err: '' };
  const code = run(line.split(' '), {
    env,
    stdin: (async function* () {})(),
    stdout(text) {
      said.out += text;
    },
    stderr(text) {
      said.err += text;
    },
    database: test.database,
    stopping: stopping.signal,
  });
  const end = () => {
    stopping.abort();
    return code;
  };
  onTestFinished(async () => void (await end()));
  return { said, end, hears: () => eventually('that it listens', async () => said.err.includes('Listening')) };
}

describe('webhooks listen', () => {
  it('forwards the events of the demo, signed as deliveries are, and ends with 0 when it is interrupted', async () => {
    const { id, patient, env } = await demoPractice();
    const at = await startReceiver();
    onTestFinished(() => at.close());
    // Of these kinds alone: while a transaction of another test is open, what founded the practice is not read yet either.
    const listening = listen(env, `webhooks listen --types patient.* --forward-to ${at.url}`);
    await listening.hears();
    expect((await say(env, `events trigger patient.updated --subject patient:${patient.id}`)).code).toBe(0);
    expect((await say(env, 'events trigger patient.registered')).code).toBe(0);
    await eventually('two posts', async () => at.posts.length === 2);
    const secret = /Secret: (whsec_\S+)/.exec(listening.said.err)?.[1] ?? '';
    for (const [index, { headers, body, event, sequence }] of at.posts.entries()) {
      expect(new Webhook(secret).verify(body, z.record(z.string(), z.string()).parse({ ...headers }))).toEqual(event);
      expect(sequence).toBe(index + 1);
    }
    expect(at.posts[0]?.event).toMatchObject({ type: 'patient.updated', subject: { type: 'patient', id: patient.id } });
    await eventually('the line', async () => listening.said.out.includes('patient.registered'));
    expect(await listening.end()).toBe(0);
    expect(listening.said.out).toMatch(
      new RegExp(String.raw`^\S+Z {2}evt_\d+ {2}patient\.updated {2}patient:${patient.id} {2}first_name, middle_name {2}-> 204\n`),
    );
    expect(listening.said.out).toMatch(new RegExp(String.raw`practice id +${id}\nevents +2\ndelivered +2\n$`));
  });

  it('says that the receiver is down, and goes on', async () => {
    const { env } = await demoPractice();
    const at = await startReceiver();
    await at.close();
    const listening = listen(env, `webhooks listen --json --types patient.registered --forward-to ${at.url}`);
    await listening.hears();
    for (const name of ['patient.registered', 'patient.updated', 'patient.registered']) await say(env, `events trigger ${name}`);
    await eventually('two events', async () => listening.said.out.trim().split('\n').length === 2);
    const shown = listening.said.out.trim().split('\n');
    expect(await listening.end()).toBe(0);
    expect(shown.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'patient.registered', response_status: null, failure: 'unreachable' },
      { type: 'patient.registered', response_status: null, failure: 'unreachable' },
    ]);
  });

  it('shows events alone without an address, and asks for a practice where there is no demo', async () => {
    const { id, env } = await demoPractice();
    const alone = listen(env, `webhooks listen --practice ${id}`);
    await alone.hears();
    await say(env, 'events trigger patient.registered');
    await eventually('the event', async () => alone.said.out.includes('patient.registered'));
    expect(await alone.end()).toBe(0);
    expect(alone.said.out).not.toContain('->');
    expect(alone.said.err).not.toContain('whsec_');

    expect(await say({ ...env, DATA_DIR }, 'webhooks listen')).toMatchObject({ code: 2, err: expect.stringContaining('--practice') });
    expect(await say(env, 'webhooks listen --forward-to localhost')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^--forward-to: must be an address/),
    });
  });
});

describe('events trigger', () => {
  it('writes an event about the oldest record of its kind, and its audit', async () => {
    const { id, patient, env } = await demoPractice();
    const said = await say(env, `events trigger patient.updated --practice ${id}`);
    expect(said).toMatchObject({ code: 0, err: '' });
    const [event] = await test.database.prisma.event.findMany({ where: { organizationId: id, name: 'patient.updated' } });
    expect(event).toMatchObject({ subjectType: 'patient', subjectId: patient.id, actor: 'operator:tester' });
    const audited = await test.database.prisma.auditEntry.findMany({ where: { organizationId: id, operation: 'admin events trigger' } });
    expect(audited).toMatchObject([{ action: 'administer', resource: 'patient', detail: 'patient.updated firstName middleName' }]);
  });

  it('refuses other practices, unknown kinds and records that are not there', async () => {
    const { env, patient } = await demoPractice();
    const other = (await foundPractice(operator)).id;
    const refused: [line: string, code: number, sentence: RegExp][] = [
      [`events trigger patient.registered --practice ${other}`, 1, /only in demo practices, and \d+ is not one/],
      ['events trigger patient.exploded', 2, /there is no event "patient\.exploded"; docs\/events\.md/],
      ['events trigger patient.registered --subject patient:2147483000', 2, /has no patient:2147483000/],
      [`events trigger appointment.scheduled --subject patient:${patient.id}`, 2, /is about a record of the kind appointment/],
      ['events trigger appointment.scheduled', 2, /has no record of the kind appointment yet/],
      ['events trigger patient.registered --subject 12', 2, /^--subject: must be the kind/],
    ];
    for (const [line, code, sentence] of refused) {
      const said = await say(env, line);
      expect(said, line).toMatchObject({ code, out: '' });
      expect(said.err, line).toMatch(sentence);
    }
  });

  it('can look for records of every kind of the catalogue', async () => {
    const { id } = await foundPractice(operator);
    const kinds = [...new Set(Object.values(EVENTS).map(({ subject }) => subject))];
    for (const type of kinds) {
      const found = await findSubject(inPractice(test.database.prisma, id), { type, id: null });
      expect(found === null || found > 0, type).toBe(true);
      expect(await findSubject(inPractice(test.database.prisma, id), { type, id: 2_147_483_000 }), type).toBeNull();
    }
    expect(await findSubject(inPractice(test.database.prisma, id), { type: 'organization', id: null })).toBe(id);
    expect(await findSubject(inPractice(test.database.prisma, id), { type: 'api_client', id: null })).not.toBeNull();
  });
});
