import { beforeEach, describe, expect, it } from 'vitest';
import { jobCaller } from '../../../../../src/domain/caller.ts';
import { prepareText, recordTextFailed } from '../../../../../src/domain/messaging/sending/outgoing-texts.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { anyNumber } from '../../../../support/phone-numbers.ts';
import { type OnDuty, onDuty } from './on-duty.ts';

const test = await sharedTestApp();
const rows = () => test.database.prisma;
let duty: OnDuty;
beforeEach(async () => {
  duty = await onDuty(test);
});

describe('the inbox', () => {
  it('has what is urgent first while it is open, and lists by kind, urgency and patient', async () => {
    const [calm, worried, spanish] = [anyNumber('1704'), anyNumber('1704'), anyNumber('1704')];
    await duty.text('I cant breathe well since noon');
    await duty.text('no puedo respirar', { from: spanish });
    await duty.page('Please call me', { from: worried });
    await duty.text('What are your hours?', { from: calm });
    const found = async (query: string) => (await duty.inbox(query)).map(({ number }: { number: string }) => `+1${number}`);
    expect(await found('')).toEqual([spanish, duty.phone, calm, worried]);
    expect(await found('?urgency=urgent')).toEqual([spanish, duty.phone]);
    expect(await found('?urgency=normal&kind=text')).toEqual([calm]);
    expect(await found('?kind=voice_message&open=1')).toEqual([worried]);
    expect(await found(`?patient_uuid=${duty.patient.id}`)).toEqual([duty.phone]);
    const [urgent] = await duty.inbox('?urgency=urgent&limit=1');
    await duty.first.post(`/inbox/${urgent.uuid}/close`).send({}).expect(200);
    expect(await found('')).toEqual([duty.phone, calm, worried, spanish]);
    expect(await found('?limit=2&page=2')).toEqual([worried, spanish]);
    for (const query of ['?kind=fax', '?urgency=high', '?patient=x']) expect((await duty.first.get(`/inbox${query}`)).status).toBe(400);
  });

  it('has a voice message first once its transcript says that it is urgent', async () => {
    const message = { from: anyNumber('1704'), id: 'VM-late' };
    await duty.page(null, message);
    await duty.text('What are your hours?');
    const urgencies = async () => (await duty.inbox()).map(({ urgency }: { urgency: string }) => urgency);
    expect(await urgencies()).toEqual(['normal', 'normal']);
    await duty.page('I have chest pain', message);
    expect([await urgencies(), (await duty.inbox())[0].kinds]).toEqual([['urgent', 'normal'], ['voice_message']]);
  });

  it('has words that a survey of the practice marks as urgent, and no quote of the practice’s own', async () => {
    const questions = [{ key: 'note', text: 'Anything else?', kind: 'text', urgentWords: ['numbness'] }];
    await rows().surveyType.create({ data: { organizationId: duty.organizationId, name: 'Daily', questions } });
    await duty.text('Liked “Call 911 for chest pain”', { from: anyNumber('1704') });
    await duty.text('Numbness in my left arm');
    expect((await duty.inbox()).map(({ urgency }: { urgency: string }) => urgency)).toEqual(['urgent', 'normal']);
  });

  it('has a text that failed, and one that somebody sent and that was withdrawn, but none that was taken back', async () => {
    const { organizationId, patient, first } = duty;
    await rows().organization.update({ where: { id: organizationId }, data: { quietHoursStart: '00:00', quietHoursEnd: '00:00' } });
    await duty.text('Hello?');
    const send = async (body: object) =>
      (
        await first
          .post(`/conversations/${duty.phone}/messages`)
          .send({ message: 'Hi', ...body })
          .expect(201)
      ).body.data.uuid;
    const caller = jobCaller(organizationId, 'test');
    const [failing, waiting, taken] = [
      await send({}),
      await send({}),
      await send({ send_at: new Date(Date.now() + 86_400_000).toISOString().slice(0, 19).concat('Z') }),
    ];
    await first.delete(`/sms-messages/${taken}`).expect(204);
    await test.services.unitOfWork.write(caller, (tx) => recordTextFailed(tx, failing, 'unreachable'));
    await rows().patient.update({ where: { organizationId_id: { organizationId, id: patient.id } }, data: { doNotSms: true } });
    const options = { keyring: test.keyring, now: new Date() };
    await test.services.unitOfWork.write(caller, (tx) => prepareText(tx, waiting, options));
    const [item] = await duty.inbox();
    expect(item.kinds).toEqual(['text', 'text_failed', 'text_withdrawn']);
    expect(item.entry_count).toBe(3);
  });
});
