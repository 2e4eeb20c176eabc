import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ENDPOINTS, received, receiver, register, webhookClinic, webhookTestApp } from '../apis/platform/webhooks/webhook-clinic.ts';
import { signedInUser } from '../support/actors.ts';
import { eventually } from '../support/server-process.ts';
import { admin, Made, operatorOf } from './command-line.ts';

const test = await webhookTestApp();
const operator = operatorOf(test);
/** As the server: receivers of these tests are on this machine. */
const env = { ...operator.env, ALLOW_PRIVATE_ADDRESSES: 'true' };
const Row = z.looseObject({ id: z.int() });
const Deliveries = z.object({ deliveries: z.array(z.looseObject({ id: z.int(), sequence: z.int() })), next: z.int().nullable() });

async function ask<T extends z.ZodType>(shape: T, line: string, ...rest: string[]): Promise<z.output<T>> {
  const said = await admin(env, [...line.split(' '), ...rest, '--json'], '', test.database);
  expect(said, said.err).toMatchObject({ code: 0 });
  return shape.parse(JSON.parse(said.out));
}

const practice = async () => (await operator.ask(Made, 'organizations create --name Hooked --time-zone America/Denver')).id;

describe('webhook endpoints at the command line', () => {
  it('are made with a secret, changed, rotated and deleted, as administrators see and the audit keeps', async () => {
    const id = await practice();
    const made = await ask(
      Row,
      `webhooks create --organization ${id} --url https://hooks.example.com/in --types appointment.*,patient.updated --ed25519 --description`,
      'Billing',
    );
    expect(made).toMatchObject({ types: ['appointment.*', 'patient.updated'], description: 'Billing', active: true, client_id: null });
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made.public_key).toMatch(/^whpk_/);
    const owner = await signedInUser(test, { organizationId: id, type: 'admin' });
    const { secret, public_key, ...shown } = made;
    expect((await owner.get(`${ENDPOINTS}/${made.id}`).expect(200)).body.data).toMatchObject({ ...shown, public_key });

    const changed = await ask(
      Row,
      `webhooks update ${made.id} --organization ${id} --types all --active no --ed25519 no --description`,
      '',
    );
    expect(changed).toMatchObject({ types: [], active: false, description: null, public_key: null, url: 'https://hooks.example.com/in' });
    const rotated = await ask(Row, `webhooks rotate-secret ${made.id} --organization ${id}`);
    expect(rotated.secret).not.toBe(secret);
    const [listed] = await ask(z.array(Row), `webhooks list --organization ${id}`);
    expect(listed).toMatchObject({ id: made.id, active: false });
    expect(listed).not.toHaveProperty('secret');
    await ask(Row, `webhooks delete ${made.id} --organization ${id}`);
    expect(await ask(z.array(Row), `webhooks list --organization ${id}`)).toEqual([]);

    const audited = await test.database.prisma.auditEntry.findMany({
      where: { organizationId: id, resource: 'webhook_endpoint' },
      orderBy: { id: 'asc' },
    });
    expect(audited.map(({ actor, detail }) => [actor, detail])).toEqual([
      ['operator:tester', 'webhook_endpoint.created'],
      ['operator:tester', 'webhook_endpoint.updated description active types signatures'],
      ['operator:tester', 'webhook_endpoint.secret_rotated'],
      ['operator:tester', 'webhook_endpoint.deleted'],
    ]);
  });

  it('are tested, and what was delivered is listed, retried and replayed', async () => {
    const id = await practice();
    const at = await receiver();
    const begin = new Date(Date.now() - 60_000).toISOString();
    const made = await ask(Row, `webhooks create --organization ${id} --types appointment.* --url ${at.url}`);
    await ask(Row, `webhooks test ${made.id} --organization ${id}`);
    await received(at, 1);
    expect(at.posts[0]?.event).toMatchObject({ type: 'webhook_endpoint.tested', subject: { type: 'webhook_endpoint', id: made.id } });
    const list = (query = '') => ask(Deliveries, `webhooks deliveries ${made.id} --organization ${id} ${query}`.trim());
    await eventually('the delivery', async () => (await list('--status delivered')).deliveries.length === 1);
    const [first] = (await list()).deliveries;
    expect(first).toMatchObject({ sequence: 1, type: 'webhook_endpoint.tested', response_status: 204, attempts: 1, answer: '' });

    expect(await ask(Row, `webhooks retry ${first?.id} --organization ${id}`)).toMatchObject({ id: first?.id, status: 'pending' });
    await received(at, 2);
    expect(at.posts[1]).toMatchObject({ id: at.posts[0]?.id, sequence: 1 });

    const replay = await ask(Row, `webhooks replay ${made.id} --organization ${id} --from ${begin} --types webhook_endpoint.tested`);
    expect(replay).toMatchObject({ endpoint: made.id, types: ['webhook_endpoint.tested'] });
    await received(at, 3);
    expect(at.posts[2]).toMatchObject({ id: at.posts[0]?.id, sequence: 2 });
    expect(await list('--after-sequence 1')).toMatchObject({ deliveries: [{ sequence: 2, replay: replay.id }], next: null });
    expect(await list('--limit 1')).toMatchObject({ deliveries: [{ sequence: 2 }], next: 2 });
    expect(await list('--limit 1 --before-sequence 2')).toMatchObject({ deliveries: [{ sequence: 1 }], next: null });
  });

  it('of an API client rest while it is disabled, go on where they stopped, and go with its grant', async () => {
    const clinic = await webhookClinic(test, { types: ['patient.*'] });
    await operator.say(`clients disable ${clinic.clientId}`);
    await register(clinic.app);
    const other = await webhookClinic(test, { types: ['patient.*'] });
    await register(other.app);
    await received(other.at, 1);
    expect(clinic.at.posts).toEqual([]);
    await operator.say(`clients enable ${clinic.clientId}`);
    await received(clinic.at, 1);
    expect(clinic.at.posts[0]).toMatchObject({ sequence: 1, event: { type: 'patient.registered' } });
    await operator.say(`clients withdraw ${clinic.clientId} --organization ${clinic.organizationId}`);
    expect(await ask(z.array(Row), `webhooks list --organization ${clinic.organizationId}`)).toEqual([]);
  });

  it('refuse what the API refuses, and name the option', async () => {
    const id = await practice();
    const { id: endpoint } = await ask(Row, `webhooks create --organization ${id} --url https://hooks.example.com/in`);
    const of = `--organization ${id}`;
    const refused: [line: string, code: number, sentence: RegExp][] = [
      [`webhooks create ${of} --url http://hooks.example.com/in`, 1, /^url: must be an https address/],
      [`webhooks create ${of} --url https://10.0.0.1/in`, 1, /^url: must be an https address/],
      [`webhooks create ${of} --url https://a.example --types patient.exploded`, 2, /^--types: must be kinds of events/],
      [`webhooks update ${endpoint} ${of}`, 2, /^Say what to change/],
      [`webhooks update 999999 ${of} --active no`, 1, /webhook endpoint/],
      [`webhooks rotate-secret ${endpoint} --organization ${await practice()}`, 1, /webhook endpoint/],
      [`webhooks replay ${endpoint} ${of} --from 2026-11-20 --to 2026-11-19`, 1, /from: must not be after to/],
      [`webhooks retry 999999999 ${of}`, 1, /delivery/],
    ];
    for (const [line, code, sentence] of refused) {
      const said = await operator.say(line);
      expect(said, line).toMatchObject({ code, out: '' });
      expect(said.err, line).toMatch(sentence);
    }
  });
});
