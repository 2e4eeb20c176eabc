import { describe, expect, it } from 'vitest';
import { jobCaller } from '../../../../../src/domain/caller.ts';
import { recordVoiceMessage } from '../../../../../src/domain/messaging/calls/voice-messages.ts';
import type { Prisma } from '../../../../../src/generated/prisma/client.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import { createChat, createNumber } from '../numbers.ts';

const test = await sharedTestApp();

let messages = 0;
function createMessage(
  line: { organizationId: number; id: number; chatId: number | null },
  data: Partial<Prisma.VoicePagerMessageUncheckedCreateInput> = {},
) {
  messages += 1;
  const { organizationId, id: phoneNumberId, chatId } = line;
  return test.database.prisma.voicePagerMessage.create({
    data: {
      organizationId,
      phoneNumberId,
      chatId,
      carrierId: `VM-${messages}`,
      fromNumber: '+13365550140',
      transcript: 'Please call back',
      durationSeconds: 12,
      receivedAt: new Date('2031-03-08T15:00:00Z'),
      ...data,
    },
  });
}

/** A user whose practice has a voice pager. */
async function withPager() {
  const who = await signedInUser(test);
  const chat = await createChat(test, who.organizationId);
  return { who, chat, line: await createNumber(test, who.organizationId, { kind: 'voice_pager', chatId: chat.id }) };
}

const LIST = '/voice-pager-number-messages';
const ids = ({ body }: { body: { data: { uuid: number }[] } }) => body.data.map(({ uuid }) => uuid);

describe('voice-pager messages', () => {
  it('show who left what on which number, with the way to the recording, and are audited', async () => {
    const { who, chat, line } = await withPager();
    const { organizationId } = who;
    const attachment = await test.database.prisma.attachment.create({
      data: {
        organizationId,
        fileName: 'a b.mp3',
        mediaType: 'audio/mpeg',
        byteLength: 5,
        sha256: Buffer.alloc(32),
        storageKey: `${organizationId}/x`,
      },
    });
    const { id } = await createMessage(line, { attachmentId: attachment.id });
    const { status, body } = await who.get(LIST);
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        uuid: id,
        from: '3365550140',
        number: line.number.slice(2),
        number_id: line.id,
        chat_id: chat.id,
        transcript: 'Please call back',
        duration_seconds: 12,
        attachment: {
          uuid: attachment.id,
          file_name: 'a b.mp3',
          media_type: 'audio/mpeg',
          byte_length: 5,
          url: `${test.address}/attachment/${attachment.id}/body/${attachment.id}.mp3`,
        },
        contact_uuid: null,
        patient_uuid: null,
        caller_name: null,
        received_at: '2031-03-08T15:00:00Z',
      },
    ]);
    const where = { organizationId, resource: 'voice_pager_message' };
    expect(await test.database.prisma.auditEntry.findMany({ where, orderBy: { id: 'asc' } })).toMatchObject([
      { action: 'search', resourceIds: [id] },
    ]);
  });

  it('are listed the newest first, by page', async () => {
    const { who, line } = await withPager();
    const one = await createMessage(line, { receivedAt: new Date('2031-03-08T15:00:00Z') });
    const two = await createMessage(line, { receivedAt: new Date('2031-03-08T16:00:00Z') });
    const three = await createMessage(line, { receivedAt: new Date('2031-03-08T16:00:00Z') });
    expect(ids(await who.get(LIST))).toEqual([three.id, two.id, one.id]);
    const second = await who.get(`${LIST}?limit=2&page=2`);
    expect(ids(second)).toEqual([one.id]);
    expect(second.body.meta).toMatchObject({ total: 3, last_page: 2 });
  });

  it('of a call group are listed alone', async () => {
    const { who, chat, line } = await withPager();
    const elsewhere = await createNumber(test, who.organizationId, { kind: 'voice_pager' });
    const { id } = await createMessage(line);
    await createMessage(elsewhere);
    const path = '/voice-pager-numbers-messages/chat';
    expect(ids(await who.get(`${path}/${chat.id}`))).toEqual([id]);
    expect((await who.get(`${path}/x`)).status).toBe(400);
  });

  it.each([
    ['', [0, 1, 2, 3]],
    ['from=3365550150', [0]],
    ['from=%28336%29%20555-0150', [0]],
    ['from=5550', [0, 1, 2]],
    ['keyword=fever', [0, 1]],
    ['search=FEVER', [0, 1]],
    ['keyword=fever%20daughter', [1]],
    ['keyword=fever&search=daughter', [1]],
    ['keyword=%25', [2]],
    ['keyword=1_0', []],
    ['keyword=%5C', []],
    ['start_date=2031-03-09', [2, 3]],
    ['end_date=2031-03-08', [0, 1]],
    ['start_date=2031-03-08T15:00:00Z&end_date=2031-03-08T15:00:00Z', [0]],
    ['keyword=fever&from=0151', [1]],
    ['keyword=nothing', []],
  ])('are found by %j', async (query, expected) => {
    const { who, line } = await withPager();
    const rows = [
      { fromNumber: '+13365550150', transcript: 'A fever.', receivedAt: new Date('2031-03-08T15:00:00Z') },
      { fromNumber: '+13365550151', transcript: 'My Daughter has a Fever', receivedAt: new Date('2031-03-08T16:00:00Z') },
      { fromNumber: '+13365550152', transcript: '100% better', receivedAt: new Date('2031-03-09T16:00:00Z') },
      { fromNumber: 'anonymous', transcript: null, receivedAt: new Date('2031-03-10T16:00:00Z') },
    ];
    const made: number[] = [];
    for (const row of rows) made.push((await createMessage(line, row)).id);
    expect(ids(await who.get(`${LIST}/Search?${query}`)).toReversed()).toEqual(expected.map((index) => made[index]));
  });

  it('are found in one call group', async () => {
    const { who, chat, line } = await withPager();
    const elsewhere = await createNumber(test, who.organizationId, { kind: 'voice_pager' });
    const { id } = await createMessage(line);
    await createMessage(elsewhere);
    expect(ids(await who.get(`${LIST}/Search?keyword=call&chat=${chat.id}`))).toEqual([id]);
    expect((await who.get(`${LIST}/Search?chat=2147483647`)).status).toBe(404);
  });

  it.each([
    ['from=12', 'from'],
    ['from=abc', 'from'],
    ['chat=x', 'chat'],
    ['start_date=soon', 'start_date'],
    ['start_date=2031-03-09&end_date=2031-03-08', 'start_date'],
    ['keyword=%00', 'keyword'],
    [`keyword=${'x'.repeat(201)}`, 'keyword'],
  ])('searched with %s are refused and name %s', async (query, field) => {
    const { status, body } = await (await signedInUser(test)).get(`${LIST}/Search?${query}`);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer: `/${field}` }]);
  });
});

describe('a message that comes in', () => {
  const left = (to: string) => ({
    kind: 'voice_message' as const,
    id: `RE-${to}`,
    from: '+13365550160',
    to,
    transcript: null,
    durationSeconds: 9,
    recordingUrl: 'https://carrier.example/RE',
    at: new Date('2031-03-08T15:00:00Z'),
  });
  const record = (organizationId: number, event: Parameters<typeof recordVoiceMessage>[1]) =>
    test.services.unitOfWork.write(jobCaller(organizationId, 'carrier'), (tx) => recordVoiceMessage(tx, event));

  it('is stored once though it is told ten times at once, and its caller is a contact', async () => {
    const { who, line } = await withPager();
    const told = await Promise.all(Array.from({ length: 10 }, () => record(who.organizationId, left(line.number))));
    expect(told.toSorted()).toEqual([...Array.from({ length: 9 }, () => 'known'), 'stored']);
    expect((await who.get(LIST)).body.data).toMatchObject([
      { from: '3365550160', transcript: null, duration_seconds: 9, attachment: null },
    ]);
    expect(await test.database.prisma.contact.count({ where: { organizationId: who.organizationId, phone: '+13365550160' } })).toBe(1);
  });

  it('stays with the call group that it came to, whatever the number rings or does later', async () => {
    const { who, chat, line } = await withPager();
    const admin = await signedInUser(test, { type: 'admin', organizationId: who.organizationId });
    const other = await createChat(test, who.organizationId);
    await record(who.organizationId, left(line.number));
    expect((await admin.post('/voice-pager-numbers').send({ number: line.number, chat_id: other.id })).status).toBe(201);
    await record(who.organizationId, { ...left(line.number), id: `RE2-${line.number}` });
    expect((await admin.post('/available-numbers').send({ number: line.number, chat_id: null })).status).toBe(201);
    const [first] = (await who.get(`/voice-pager-numbers-messages/chat/${chat.id}`)).body.data;
    const [second] = (await who.get(`/voice-pager-numbers-messages/chat/${other.id}`)).body.data;
    expect([first.chat_id, second.chat_id]).toEqual([chat.id, other.id]);
    expect((await who.get(`${LIST}/Search?chat=${chat.id}`)).body.meta.total).toBe(1);
    expect((await who.get(LIST)).body.meta.total).toBe(2);
  });

  it('takes its transcript when that comes, and keeps what is known', async () => {
    const { who, line } = await withPager();
    await record(who.organizationId, left(line.number));
    const later = { ...left(line.number), transcript: 'Call \0me', durationSeconds: null, recordingUrl: null };
    await record(who.organizationId, later);
    await record(who.organizationId, { ...later, transcript: 'Something else' });
    expect((await who.get(LIST)).body.data).toMatchObject([{ transcript: 'Call me', duration_seconds: 9 }]);
    const [row] = await test.database.prisma.voicePagerMessage.findMany({
      where: { organizationId: who.organizationId },
      orderBy: { id: 'asc' },
    });
    expect(row?.recordingUrl).toBe('https://carrier.example/RE');
  });

  it('stays with the patient whose it was when it came in, whoever is restricted or has the number later', async () => {
    const { who, line } = await withPager();
    const { organizationId } = who;
    const phone = { organizationId, mobilePhone: '+13365550160' };
    const { id: patientId } = await createPatient(test.database.prisma, phone);
    await createPatient(test.database.prisma, phone);
    await record(organizationId, left(line.number));
    expect((await who.get(LIST)).body.meta.total).toBe(1);
    await test.database.prisma.privacyRestriction.create({ data: { organizationId, patientId, kind: 'record' } });
    await record(organizationId, { ...left(line.number), transcript: 'Please call me' });
    await record(organizationId, { ...left(line.number), id: `VM-${line.number}-later` });
    // Came in before anybody had the number.
    await createMessage(line, { fromNumber: '+13365550160' });
    const none = { data: [], meta: { total: 0 } };
    expect((await who.get(LIST)).body).toMatchObject(none);
    await createPatient(test.database.prisma, phone);
    expect((await who.get(LIST)).body).toMatchObject(none);
  });

  it('on a number that the practice does not have is ignored, and says so', async () => {
    const { who } = await withPager();
    const gone = await createNumber(test, who.organizationId, { kind: 'voice_pager', state: 'released', releasedAt: new Date() });
    for (const number of [gone.number, (await withPager()).line.number, '+12125551234'])
      expect(await record(who.organizationId, left(number))).toBe('ignored');
    expect((await who.get(LIST)).body.meta.total).toBe(0);
  });
});
