import { describe, expect, it } from 'vitest';
import { integrationClient } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { anyNumber } from '../support/phone-numbers.ts';
import { openConversation, TUESDAY, WEDNESDAY } from './conversation.ts';

const test = await sharedTestApp();
const { its, patient, book, change, move, cancel, queue, leave, ask, say, confirmation, readState, write, replies, textsToNumber } =
  openConversation(test);
const rows = () => test.database.prisma;

describe('what waits to be said about an appointment', () => {
  it.each([
    ['moves', () => ({ appointment_date: WEDNESDAY }), 'appointment_moved'],
    ['gets another provider', () => ({ provider_id: its.ito }), 'appointment_changed'],
  ])('is withdrawn in the moment in which it %s', async (_, fields, reason) => {
    const id = await book(TUESDAY);
    const text = await queue(id);
    await change(id, fields());
    expect(await readState(text)).toEqual(['suppressed', reason]);
    const event = { organizationId: its.organizationId, subjectType: 'text', subjectId: text, name: 'text.suppressed' };
    expect(await rows().event.count({ where: event })).toBe(1);
  });

  it('is withdrawn where it is cancelled or moved by another system, and where it gets another patient', async () => {
    const [cancelled, moved, another] = [await book(TUESDAY), await book(TUESDAY), await book(TUESDAY)];
    const texts = [await queue(cancelled), await queue(moved), await queue(another)];
    const systems = await integrationClient(test, { organizationId: its.organizationId });
    await systems.delete(`/appointments/${cancelled}`);
    await systems.put(`/appointments/${moved}`).send({ appointment_date: WEDNESDAY });
    await change(another, { patient_id: await patient() });
    expect(await Promise.all(texts.map(readState))).toEqual([
      ['suppressed', 'appointment_cancelled'],
      ['suppressed', 'appointment_moved'],
      ['suppressed', 'patient_changed'],
    ]);
  });

  it('stays where nothing that it says has changed', async () => {
    const id = await book(TUESDAY);
    const text = await queue(id);
    await change(id, { show_on_tasks: false });
    expect(await readState(text)).toEqual(['queued', null]);
  });

  it('is not tried again after a move, where the first attempt may have arrived', async () => {
    const id = await book(TUESDAY);
    const text = await queue(id);
    await rows().smsMessage.update({
      where: { organizationId_id: { organizationId: its.organizationId, id: text } },
      data: { attempts: 1, attemptedAt: new Date() },
    });
    await move(id, WEDNESDAY);
    expect(await readState(text)).toEqual(['queued', null]);
    await leave();
    expect(await readState(text)).toEqual(['suppressed', 'appointment_moved']);
    expect(await say('Y')).toEqual([
      'That visit was moved to Wed, Mar 5, 3:30 PM with Dr. Chen. Reply Y if you can come, N if you cannot.',
    ]);
  });
});

describe('a question', () => {
  it('is acknowledged once, naming the visit, and the last answer counts for it', async () => {
    const id = await book(TUESDAY);
    await ask(id);
    expect(await say('Yes!')).toEqual(['Thank you. We expect you on Tue, Mar 4, 10:00 AM with Dr. Chen. Reply N if you cannot come.']);
    expect([await confirmation(id), await say('yes'), await say('👍')]).toEqual(['Yes', [], []]);
    expect(await say('N')).toEqual([
      'Thank you for telling us that you cannot come on Tue, Mar 4, 10:00 AM with Dr. Chen. Reply Y if you can come after all.',
    ]);
    expect(await confirmation(id)).toBe('No');
    await say('sí');
    expect(await confirmation(id)).toBe('Yes');
  });

  it('is in the patient’s language', async () => {
    await rows().patient.update({
      where: { organizationId_id: { organizationId: its.organizationId, id: its.patientId } },
      data: { languageCode: 'spa' },
    });
    const id = await book(TUESDAY);
    await ask(id);
    expect(await say('Sí, ahí estaré')).toEqual([
      'Gracias. Le esperamos el mar, 4 de mar, 10:00 a.m. con Dr. Chen. Responda N si no puede venir.',
    ]);
    await move(id, WEDNESDAY);
    expect(await say('no puedo')).toEqual([expect.stringMatching(/^Esa cita se cambió al mié, 5 de mar, 3:30 p\.m\. con Dr\. Chen\./)]);
    expect(await confirmation(id)).toBe('Pending');
  });

  it('is void once its visit has moved: an answer changes nothing, is told the new time, and confirms that one the next time', async () => {
    const id = await book(TUESDAY);
    await ask(id);
    await move(id, WEDNESDAY);
    expect(await say('Y')).toEqual([
      'That visit was moved to Wed, Mar 5, 3:30 PM with Dr. Chen. Reply Y if you can come, N if you cannot.',
    ]);
    expect(await confirmation(id)).toBe('Pending');
    await say('Y');
    expect(await confirmation(id)).toBe('Yes');
  });

  it('stays where the visit keeps its time, and comes back with it', async () => {
    const id = await book(TUESDAY);
    await ask(id);
    await change(id, { provider_id: its.ito });
    expect(await say('Y')).toEqual(['Thank you. We expect you on Tue, Mar 4, 10:00 AM with Dr. Ito. Reply N if you cannot come.']);
    await move(id, WEDNESDAY);
    await move(id, TUESDAY);
    await say('Y');
    expect(await confirmation(id)).toBe('Yes');
  });

  it('about a cancelled visit is answered once, and then left to a person', async () => {
    const id = await book(TUESDAY);
    await ask(id);
    await cancel(id);
    expect(await say('N')).toEqual(['The visit on Tue, Mar 4, 10:00 AM was cancelled. Call (910) 555-0177 with any questions.']);
    expect((await textsToNumber()).at(-1)).toMatchObject({ isReply: true, patientId: its.patientId, appointmentId: id });
    expect(await say('N')).toEqual([]);
  });

  it('about a visit that is another patient’s now names neither', async () => {
    const id = await book(TUESDAY);
    await ask(id);
    await change(id, { patient_id: await patient({ firstName: 'Secret', mobilePhone: anyNumber() }) });
    expect(await say('Y')).toEqual(['There is no visit on Tue, Mar 4, 10:00 AM any more. Call (910) 555-0177 with any questions.']);
    expect(await confirmation(id)).toBe('Pending');
  });

  it('is put again about a visit that was the patient’s before, and is again', async () => {
    const id = await book(TUESDAY);
    await ask(id);
    await change(id, { patient_id: await patient({ mobilePhone: anyNumber() }) });
    await say('Y');
    await change(id, { patient_id: its.patientId });
    expect(await say('Y')).toEqual(['Can you come on Tue, Mar 4, 10:00 AM with Dr. Chen? Reply Y or N.']);
    expect(await confirmation(id)).toBe('Pending');
    await say('Y');
    expect(await confirmation(id)).toBe('Yes');
  });

  it('names the zone where the visit is on another clock than the practice of a patient without a zone and an office', async () => {
    const id = await book(TUESDAY);
    await change(id, { appointment_timezone: 'America/Phoenix', appointment_date: TUESDAY });
    await ask(id);
    expect((await textsToNumber())[0]?.body).toContain('10:00 AM MST');
    expect(await say('Y')).toEqual([expect.stringContaining('Tue, Mar 4, 10:00 AM MST with Dr. Chen')]);
  });

  it('is not answered by what was written before it was put, however late it comes', async () => {
    const id = await book(TUESDAY);
    await ask(id);
    const early = new Date();
    await move(id, WEDNESDAY);
    await say('Y');
    expect(await say('Y', early)).toEqual([expect.stringContaining('That visit was moved to')]);
    expect(await confirmation(id)).toBe('Pending');
  });

  it('whose arrival is not certain is put again before it is answered', async () => {
    const id = await book(TUESDAY);
    const text = await queue(id);
    const key = { organizationId_id: { organizationId: its.organizationId, id: text } };
    await rows().smsMessage.update({ where: key, data: { attempts: 1, attemptedAt: new Date() } });
    await write('Y');
    expect([await confirmation(id), await replies()]).toEqual([
      'Pending',
      ['Can you come on Tue, Mar 4, 10:00 AM with Dr. Chen? Reply Y or N.'],
    ]);
    await leave();
    await say('Y');
    expect(await confirmation(id)).toBe('Yes');
  });

  it('has one reply on its way, the newest', async () => {
    const id = await book(TUESDAY);
    await ask(id);
    await write('Y');
    expect(await say('N')).toEqual([expect.stringContaining('you cannot come')]);
    const sent = (await textsToNumber()).filter(({ isReply }) => isReply).map(({ state, reason }) => [state, reason]);
    expect(sent).toEqual([
      ['suppressed', 'superseded'],
      ['sent', null],
    ]);
  });

  it('has the last word of practice and patient', async () => {
    const id = await book(TUESDAY);
    await ask(id);
    const early = new Date();
    await change(id, { confirmation: 'No' });
    await say('Y', early);
    expect(await confirmation(id)).toBe('No');
    await say('Y');
    expect(await confirmation(id)).toBe('Yes');
    await change(id, { confirmation: 'No' });
    await say('Y');
    expect(await confirmation(id)).toBe('Yes');
  });
});
