import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { END, END_DAY, NUMBER, newestLink, type Sender, send, sender, written } from '../../../../support/external-messages.ts';
import { createPatient } from '../../../../support/factories.ts';
import { uuids } from '../../people/people.ts';
import { upload } from '../attachments/uploading.ts';

const test = await sharedTestApp();
const who: Sender = await sender(test);

const rows = () => test.database.prisma;
const DAY_MS = 86_400_000;
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

describe('sending a message', () => {
  it('answers the record, without the link', async () => {
    const { uuid: attachment } = (await upload(test, who, 'hello', 'note.txt')).body.data;
    const before = Date.now();
    const answer = await send(who, {
      subject: 'Your results',
      receiver_first_name: 'Ada',
      receiver_last_name: 'Quinn',
      attachments: [attachment],
    });
    expect(answer.body.data).toEqual({
      uuid: expect.any(Number),
      subject: 'Your results',
      message: 'All is well.',
      channel: 'sms',
      sent_to: NUMBER,
      receiver_first_name: 'Ada',
      receiver_last_name: 'Quinn',
      contact: null,
      attachments: [
        {
          uuid: attachment,
          file_name: 'note.txt',
          media_type: 'text/plain',
          byte_length: 5,
          url: `${test.address}/attachment/${attachment}/body/${attachment}.txt`,
        },
      ],
      expires: INSTANT,
      extra_auth: 0,
      display_credentials: 0,
      total_views: 0,
      total_downloads: 0,
      last_viewed_at: null,
      delivery: { state: 'queued', reason: null, reason_code: null, not_before: null },
      withdrawn_at: null,
      user: { uuid: who.user.id, firstname: who.user.firstName, lastname: who.user.lastName },
      created_at: INSTANT,
    });
    expect(Date.parse(answer.body.data.expires) - before).toBeGreaterThan(6.9 * DAY_MS);
    expect(Date.parse(answer.body.data.expires) - before).toBeLessThan(7.1 * DAY_MS);
    const token = (await newestLink(test, who)).slice(3);
    expect(token).toMatch(/^[\w-]{32}$/);
    expect(answer.text).not.toContain(token);
    const read = await who.get(`/external-messages/${answer.body.data.uuid}`).expect(200);
    expect(read.body).toEqual(answer.body);
    expect(read.headers.etag).toBe(answer.headers.etag);
  });

  it('writes to the number that a message waits, where, and until when; nothing of what it says', async () => {
    const own = await sender(test);
    await send(own, { subject: 'HIV result', message: 'Negative.', expires: END.toISOString() });
    const [notice] = await written(test, own);
    expect(notice?.to).toBe('+19195550123');
    const [, until] =
      /^Elm Street Clinic has a message for you: http:\S+\/m\/\S{32} It can be opened until (.*)\.$/.exec(notice?.words ?? '') ?? [];
    expect(until).toMatch(new RegExp(`^${END_DAY} at 1[01]:00 AM E[SD]T$`));
    const stored = await rows().smsMessage.findFirstOrThrow({ where: { organizationId: own.organizationId } });
    expect(stored.body).toContain('{{url}}');
    expect(stored.isReply, 'quiet hours hold it').toBe(false);
    const list = await own.get('/sms-messages').expect(200);
    expect(list.text).not.toContain((await newestLink(test, own)).slice(3));
  });

  it('writes a mail to a mail address, and says when a code will be asked for', async () => {
    const own = await sender(test);
    const answer = await send(own, { sent_to: 'ada@example.com', subject: 'Secret', extra_auth: 1 });
    expect(answer.body.data).toMatchObject({ channel: 'email', sent_to: 'ada@example.com', extra_auth: 1 });
    const [notice] = await written(test, own);
    expect(notice).toMatchObject({ to: 'ada@example.com', subject: 'A message from Elm Street Clinic' });
    expect(notice?.words).toMatch(/\/m\/[\w-]{32}\n/);
    expect(notice?.words).toContain('You will be asked for a code');
    expect(notice?.words).not.toContain('Secret');
  });

  it('calls what has no subject a message from the practice', async () => {
    expect((await send(who, { subject: ' ' })).body.data.subject).toBe('A message from Elm Street Clinic');
  });

  it('leaves an event and an audit row', async () => {
    const own = await sender(test);
    const { organizationId } = own;
    const { uuid } = (await send(own)).body.data;
    const events = await rows().event.findMany({ where: { organizationId, subjectType: 'external_message' }, orderBy: { id: 'asc' } });
    expect(events.map(({ name, subjectId }) => [name, subjectId])).toEqual([['external_message.created', uuid]]);
    const audits = await rows().auditEntry.findMany({ where: { organizationId, resource: 'external_message' }, orderBy: { id: 'asc' } });
    expect(audits.map(({ action, resourceIds }) => [action, resourceIds])).toEqual([['create', [uuid]]]);
  });

  it('names the counts that somebody sends, and goes on counting by itself', async () => {
    const answer = await send(who, { total_views: 7, total_downloads: 0, color: 'red' });
    expect(answer.headers['warning-fields']).toBe('total_views, total_downloads, color');
    expect(answer.body.data).toMatchObject({ total_views: 0, total_downloads: 0 });
  });

  it('under an Idempotency-Key sends one', async () => {
    const own = await sender(test);
    const once = () => own.post('/external-messages').set('idempotency-key', 'k').send({ message: 'Hi', sent_to: NUMBER });
    const [first, second] = [await once(), await once()];
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(await written(test, own)).toHaveLength(1);
  });

  it('needs a number to send texts from', async () => {
    const numberless = await signedInUser(test);
    const answer = await numberless.post('/external-messages').send({ message: 'Hi', sent_to: NUMBER });
    expect([answer.status, answer.body.code]).toEqual([409, 'no_number']);
    await numberless.post('/external-messages').send({ message: 'Hi', sent_to: 'ada@example.com' }).expect(201);
  });

  it.each([
    ['no message', { message: undefined }, '/message'],
    ['an empty message', { message: ' \n ' }, '/message'],
    ['50 kB of message', { message: 'x'.repeat(50_000) }, '/message'],
    ['a NUL', { message: 'a\0b' }, '/message'],
    ['a long subject', { subject: 'x'.repeat(201) }, '/subject'],
    ['nobody', { sent_to: undefined }, '/sent_to'],
    ['a number that is none', { sent_to: '12345' }, '/sent_to'],
    ['words', { sent_to: 'Ada Quinn' }, '/sent_to'],
    ['a broken mail address', { sent_to: 'ada@' }, '/sent_to'],
    ['two mail addresses', { sent_to: 'a@example.com,b@example.com' }, '/sent_to'],
    ['a number as a number', { sent_to: 9_195_550_123 }, '/sent_to'],
    ['a contact that is no id', { Contact: 'abc' }, '/Contact'],
    ['a code or none', { extra_auth: 2 }, '/extra_auth'],
    ['credentials in words', { display_credentials: 'yes' }, '/display_credentials'],
    ['a count that is none', { total_views: 'many' }, '/total_views'],
    ['an attachment that is no id', { attachments: ['abc'] }, '/attachments/0'],
    ['attachments that are no list', { attachments: 7 }, '/attachments'],
    ['eleven attachments', { attachments: Array.from({ length: 11 }, (_, at) => at + 1) }, '/attachments'],
    ['an end that is past', { expires: '2020-01-01T00:00:00Z' }, '/expires'],
    ['a day that is past', { expires: '2020-01-01' }, '/expires'],
    ['an end too far away', { expires: new Date(Date.now() + 91 * DAY_MS).toISOString() }, '/expires'],
    ['a day that does not exist', { expires: '2027-02-30' }, '/expires'],
    ['an end in words', { expires: 'tomorrow' }, '/expires'],
  ])('refuses %s, naming the field', async (_, body, pointer) => {
    const answer = await who.post('/external-messages').send({ message: 'Hi', sent_to: NUMBER, ...body });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual([pointer]);
  });
});

describe('the end', () => {
  it('of a day is that of the practice’s clocks', async () => {
    const west = await sender(test, { organization: { timeZone: 'America/Los_Angeles' } });
    const day = new Date(Date.now() + 20 * DAY_MS).toISOString().slice(0, 10);
    const { expires } = (await send(west, { expires: day })).body.data;
    const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Los_Angeles', dateStyle: 'short', timeStyle: 'medium' });
    expect(shown.format(new Date(expires))).toBe(`${day} 23:59:59`);
  });
});

describe('the messages of a practice', () => {
  it('are listed newest first, page by page, with an audit row', async () => {
    const own = await sender(test);
    const { id } = await createPatient(rows(), { organizationId: own.organizationId, mobilePhone: '+19195550128' });
    const sent = [(await send(own)).body.data.uuid, (await send(own, { sent_to: undefined, Contact: id })).body.data.uuid];
    const first = await own.get('/external-messages?limit=1').expect(200);
    expect(first.body.meta).toMatchObject({ total: 2, last_page: 2 });
    const second = await own.get(new URL(first.body.links.next).href.slice(test.address.length)).expect(200);
    expect([...uuids(first), ...uuids(second)]).toEqual([...sent].reverse());
    const where = { organizationId: own.organizationId, resource: 'external_message', action: 'search' } as const;
    const audits = await rows().auditEntry.findMany({ where, orderBy: { id: 'asc' } });
    expect(audits.map(({ resourceIds, patientIds }) => [resourceIds, patientIds])).toEqual([
      [[sent[1]], [id]],
      [[sent[0]], []],
    ]);
    expect(uuids(await (await sender(test)).get('/external-messages').expect(200))).toEqual([]);
  });

  it('are read and withdrawn by the practice alone', async () => {
    const { uuid } = (await send(who)).body.data;
    const stranger = await sender(test);
    for (const id of [uuid, 1_888_888]) {
      expect((await stranger.get(`/external-messages/${id}`)).body).toMatchObject({ status: 404, code: 'external_message_not_found' });
      expect((await stranger.delete(`/external-messages/${id}`)).body).toMatchObject({ status: 404, code: 'external_message_not_found' });
    }
  });

  it('stay when they are withdrawn, and what has not left never does', async () => {
    const own = await sender(test);
    const messages = [(await send(own)).body.data.uuid, (await send(own, { sent_to: 'ada@example.com' })).body.data.uuid];
    for (const uuid of messages) {
      await own.delete(`/external-messages/${uuid}`).expect(204);
      await own.delete(`/external-messages/${uuid}`).expect(204);
      const { withdrawn_at, delivery } = (await own.get(`/external-messages/${uuid}`).expect(200)).body.data;
      expect(withdrawn_at).toEqual(INSTANT);
      expect(delivery).toMatchObject({ state: 'suppressed', reason_code: 'withdrawn' });
    }
    const where = { organizationId: own.organizationId };
    expect(await rows().event.count({ where: { ...where, name: 'external_message.withdrawn' } })).toBe(2);
    const sealed = [
      ...(await rows().smsMessage.findMany({ where, orderBy: { id: 'asc' } })),
      ...(await rows().mailMessage.findMany({ where, orderBy: { id: 'asc' } })),
    ];
    expect(sealed.map(({ sealed: secret }) => secret)).toEqual([null, null]);
  });
});
