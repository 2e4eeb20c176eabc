import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../../../../support/app.ts';
import { createAppointmentType } from '../../../../support/factories.ts';
import { tellingPractice } from './practice.ts';

const test = await sharedTestApp();
const rows = test.database.prisma;
const REMINDERS = { kind: 'reminder', offsets: ['7d', '1d', '2h'] };

describe('messages about a visit', () => {
  it('go when it is booked, before and after it, each once, on the wall clock of the visit over changes of the clocks', async () => {
    const { set, patient, book, listStates, look, texts } = await tellingPractice(test);
    await set({ kind: 'booked' }, REMINDERS, { kind: 'follow-up', offsets: ['1d'] });
    const { id } = await patient();
    const visit = await book(id, '2031-03-09T09:30:00', { confirmation: 'Yes' });
    const [booked, ...planned] = await listStates(visit);
    expect(booked?.slice(0, 4)).toEqual(['booked', null, 'queued', null]);
    expect(planned).toEqual([
      ['reminder', '7d', 'planned', null, '2031-03-02T14:30:00Z'],
      ['reminder', '1d', 'planned', null, '2031-03-08T14:30:00Z'],
      ['reminder', '2h', 'planned', null, '2031-03-09T11:30:00Z'],
      ['follow-up', '1d', 'planned', null, '2031-03-10T14:00:00Z'],
    ]);
    for (const now of [
      '02T14:29:59',
      '02T14:30:00',
      '02T14:31:00',
      '08T14:30:00',
      '09T11:29:00',
      '09T11:31:00',
      '10T14:00:00',
      '10T20:00:00',
    ])
      await look(`2031-03-${now}Z`);
    expect((await texts(visit)).map(({ body }) => body)).toEqual([
      expect.stringMatching(/^Hello Rosa, your appointment with .+ is booked for Sunday, March 9, 2031 at 9:30 AM\.$/),
      ...Array.from({ length: 3 }, () => expect.stringMatching(/^Hello Rosa, .+ expects you on Sunday, March 9, 2031 at 9:30 AM\.$/)),
      expect.stringMatching(/^Hello Rosa, thank you for your visit to /),
    ]);
    expect((await listStates(visit)).map(([, , state]) => state)).toEqual(Array.from({ length: 5 }, () => 'queued'));
    const autumn = await book(id, '2031-11-02T09:30:00');
    expect((await listStates(autumn)).map(([, , , , due]) => due).slice(1, 3)).toEqual(['2031-10-26T13:30:00Z', '2031-11-01T13:30:00Z']);
  });

  it('ask while the visit is not confirmed, in the patient’s language, and the answer counts', async () => {
    const { set, patient, book, look, texts } = await tellingPractice(test);
    await set(REMINDERS);
    const visit = await book((await patient({ languageCode: 'spa' })).id, '2031-03-04T15:30:00');
    await look('2031-03-03T20:30:00Z');
    const [text, ...more] = await texts(visit);
    expect([text?.body, more]).toEqual([
      expect.stringMatching(
        /^Hola Rosa: .+ le espera el martes 4 de marzo de 2031, 3:30 p\.m\. Responda S para confirmar o N si no puede venir\.$/,
      ),
      [],
    ]);
    expect(await rows.textAppointment.findMany({ where: { smsMessageId: text?.id ?? 0 } })).toMatchObject([{ question: 'open' }]);
  });

  it('go by mail where no text goes, not at all to who takes nothing, and say why', async () => {
    const { set, patient, book, look, mails, listStates, organizationId } = await tellingPractice(test);
    await set({ kind: 'reminder', offsets: ['1d'] });
    const email = 'rosa@example.com';
    const [stopped, wishes, nothing, dead, unreachable] = [
      await patient({ email }),
      await patient({ email, contactPreference: 'EMAIL' }),
      await patient({ email, doNotCall: true }),
      await patient({ email }),
      await patient({ mobilePhone: null }),
    ];
    await rows.optOut.create({ data: { organizationId, number: stopped.number, optedOut: true, keyword: 'STOP', source: 'text' } });
    const visits: number[] = [];
    for (const { id } of [stopped, wishes, nothing, dead, unreachable]) visits.push(await book(id, '2031-03-04T15:30:00'));
    await rows.patient.updateMany({ where: { organizationId, id: dead.id }, data: { deceasedDate: new Date('2026-01-01') } });
    const before = await Promise.all(visits.map((visit) => listStates(visit)));
    await look('2031-03-03T20:30:00Z');
    const reasons = [null, null, 'do_not_call', 'deceased', 'no_mobile_number'];
    expect(before.flat().map(([, , , reason]) => reason)).toEqual(reasons);
    expect((await Promise.all(visits.map((visit) => listStates(visit)))).flat().map(([, , state, reason]) => [state, reason])).toEqual(
      reasons.map((reason) => [reason === null ? 'queued' : 'suppressed', reason]),
    );
    for (const { id } of [stopped, wishes])
      expect((await mails(id)).map(({ body }) => body)).toEqual([
        expect.stringMatching(/expects you on Tuesday, March 4, 2031 at 3:30 PM\.$/),
      ]);
    expect((await Promise.all([nothing, dead].map(({ id }) => mails(id)))).flat()).toEqual([]);
  });

  it('do not go to who said No, and go after all to who changes their mind; what waits is withdrawn', async () => {
    const night = { quietHoursStart: '00:00', quietHoursEnd: '23:59' };
    const { set, patient, book, look, texts, listStates, admin } = await tellingPractice(test, night);
    await set({ kind: 'reminder', offsets: ['2d', '1d'] });
    const visit = await book((await patient()).id, '2031-03-04T15:30:00');
    const answer = (confirmation: string) => admin.post(`/appointments/${visit}`).send({ confirmation }).expect(200);
    await look('2031-03-02T20:30:00Z');
    await answer('No');
    expect((await texts(visit)).map(({ state, reason }) => [state, reason])).toEqual([['suppressed', 'declined']]);
    expect((await listStates(visit)).map(([, , state, reason]) => [state, reason])).toEqual([
      ['suppressed', 'declined'],
      ['suppressed', 'declined'],
    ]);
    await answer('Yes');
    await look('2031-03-03T20:30:00Z');
    expect((await texts(visit)).map(({ state }) => state)).toEqual(['suppressed', 'queued']);
  });

  it('do not go late: to a visit that is booked or moved within their time, after their rule was set, or after half a day', async () => {
    const { set, patient, book, look, texts, listStates, admin, organizationId } = await tellingPractice(test);
    await set({ kind: 'reminder', offsets: ['30d', '1h'] });
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString();
    const [booked, moved, forgotten] = [
      await book((await patient()).id, soon),
      await book((await patient()).id, '2031-03-04T15:30:00'),
      await book((await patient()).id, '2031-03-04T15:30:00'),
    ];
    await admin.post(`/appointments/${moved}`).send({ appointment_date: soon }).expect(200);
    for (const visit of [booked, moved])
      expect((await listStates(visit)).map(([, offset, state, reason]) => [offset, state, reason])).toEqual([
        ['30d', 'suppressed', 'too_late'],
        ['1h', 'planned', null],
      ]);
    await look(new Date().toISOString());
    await look('2031-02-03T09:00:00Z');
    expect((await Promise.all([booked, moved, forgotten].map((visit) => texts(visit)))).flat()).toEqual([]);
    await rows.visitMessageRule.updateMany({ where: { organizationId }, data: { since: new Date('2031-03-04T20:00:00Z') } });
    await look('2031-03-04T20:01:00Z');
    expect(await texts(forgotten)).toEqual([]);
  });

  it('are one of a move, with notify and a rule, by the way that was asked for; those before it follow to the new time', async () => {
    const { set, patient, book, look, texts, mails, listStates, admin, client } = await tellingPractice(test);
    await set({ kind: 'moved' }, { kind: 'cancelled' }, { kind: 'reminder', offsets: ['1d'] });
    const { id } = await patient({ email: 'rosa@example.com' });
    const visit = await book(id, '2031-03-04T15:30:00');
    const move = (appointment_date: string, notify?: string) =>
      admin.post(`/appointments/${visit}`).send({ appointment_date, notify }).expect(200);
    await look('2031-03-03T20:30:00Z');
    await move('2031-03-11T15:30:00', 'text');
    await move('2031-03-12T15:30:00');
    await move('2031-03-13T15:30:00', 'email');
    await move('2031-03-04T15:30:00', 'none');
    expect((await texts(visit)).map(({ body, state }) => [body.slice(-95), state])).toEqual([
      [expect.stringContaining('expects you'), 'suppressed'],
      [expect.stringContaining('was moved to Tue, Mar 11, 3:30 PM.'), 'suppressed'],
      [expect.stringContaining('was moved to Wed, Mar 12, 3:30 PM.'), 'suppressed'],
    ]);
    expect(await mails(id)).toHaveLength(1);
    await look('2031-03-03T20:31:00Z');
    expect((await texts(visit)).length, 'the reminder of this start was sent before').toBe(3);
    await client.delete(`/appointments/${visit}?notify=text`).expect(200);
    expect((await texts(visit)).map(({ body }) => body).at(-1)).toMatch(
      /: The visit on Tue, Mar 4, 3:30 PM was cancelled\. Call .+ with any questions\.$/,
    );
    expect((await listStates(visit)).map(([kind, , state]) => [kind, state])).toContainEqual(['cancelled', 'queued']);
  });

  it('name the time that the patient knows, after two moves within a second; back at that time, or restored, there is nothing to say', async () => {
    const { set, patient, book, texts, admin } = await tellingPractice(test);
    await set({ kind: 'moved' }, { kind: 'cancelled' });
    const visit = await book((await patient()).id, '2031-03-04T15:30:00');
    const move = (appointment_date: string) => admin.post(`/appointments/${visit}`).send({ appointment_date }).expect(200);
    const waiting = async () => (await texts(visit)).filter(({ state }) => state === 'queued').map(({ body }) => body);
    await move('2031-03-11T15:30:00');
    await move('2031-03-12T15:30:00');
    expect(await waiting()).toEqual([expect.stringContaining('The visit on Tue, Mar 4, 3:30 PM was moved to Wed, Mar 12, 3:30 PM.')]);
    await move('2031-03-04T15:30:00');
    expect(await waiting()).toEqual([]);
    await move('2031-03-13T15:30:00');
    expect(await waiting()).toEqual([expect.stringContaining('The visit on Tue, Mar 4, 3:30 PM was moved to Thu, Mar 13, 3:30 PM.')]);
    await rows.smsMessage.updateMany({ where: { organizationId: admin.organizationId, state: 'queued' }, data: { state: 'sent' } });
    await move('2031-03-14T15:30:00');
    expect(await waiting()).toEqual([expect.stringContaining('The visit on Thu, Mar 13, 3:30 PM was moved to Fri, Mar 14, 3:30 PM.')]);
    await admin.delete(`/appointments/${visit}`).expect(204);
    expect(await waiting()).toEqual([expect.stringContaining('The visit on Thu, Mar 13, 3:30 PM was cancelled.')]);
    await admin.post(`/appointments/${visit}/status`).send({ status: 'scheduled' }).expect(200);
    expect(await waiting()).toEqual([]);
  });

  it('follow what became of the visit: missed, moved to somebody else, without a date', async () => {
    const { set, patient, book, texts, listStates, look, admin } = await tellingPractice(test);
    await set({ kind: 'booked' }, { kind: 'missed' }, { kind: 'follow-up', offsets: ['1d'] });
    const [rosa, ben] = [await patient(), await patient({ firstName: 'Ben' })];
    const undated = await book(null, '', { appointment_date: null });
    await admin.post(`/appointments/${undated}`).send({ appointment_date: '2031-03-04T15:30:00' }).expect(200);
    expect(await texts(undated)).toEqual([]);
    await admin.post(`/appointments/${undated}`).send({ patient_id: rosa.id }).expect(200);
    await admin.post(`/appointments/${undated}`).send({ patient_id: ben.id }).expect(200);
    expect((await texts(undated)).map(({ toNumber, state }) => [toNumber, state])).toEqual([
      [rosa.number, 'suppressed'],
      [ben.number, 'queued'],
    ]);
    const status = (visit: number, written: string) => admin.post(`/appointments/${visit}`).send({ status: written }).expect(200);
    await status(undated, 'no_show');
    expect(
      (await listStates(undated)).map(([kind]) => kind),
      'nobody has missed what is to come',
    ).not.toContain('missed');
    const missed = await book(rosa.id, new Date(Date.now() - 26 * 3_600_000).toISOString());
    await status(missed, 'no_show');
    await look(new Date().toISOString());
    expect((await listStates(missed)).map(([kind, , state, reason]) => [kind, state, reason])).toEqual([
      ['follow-up', 'suppressed', 'appointment_missed'],
      ['missed', 'queued', null],
    ]);
    await status(missed, 'arrived');
    expect((await texts(missed)).at(-1)).toMatchObject({ state: 'suppressed', reason: 'appointment_changed' });
  });

  it('are those of the visit’s type, where it has a rule, and are taken out one by one', async () => {
    const { set, patient, book, messages, look, texts, listStates, admin, organizationId } = await tellingPractice(test);
    const type = await createAppointmentType(rows, { organizationId });
    const silent = await createAppointmentType(rows, { organizationId });
    await set(
      { kind: 'reminder', offsets: ['1d'] },
      { kind: 'reminder', offsets: ['3d', '2d'], appointment_type_id: type.id },
      { kind: 'reminder', offsets: ['1d'], appointment_type_id: silent.id, enabled: false },
    );
    const { id } = await patient();
    const bookType = (typeId: number) => book(id, '2031-03-04T15:30:00', { appointment_type_id: typeId });
    const [visit, quiet] = [await bookType(type.id), await bookType(silent.id)];
    expect(await messages(quiet)).toEqual([]);
    const [first, second] = await messages(visit);
    expect([first?.offset, second?.offset]).toEqual(['3d', '2d']);
    const skip = (message: string | undefined, on = visit) => admin.delete(`/appointments/${on}/messages/${message}`);
    await skip(first?.id).expect(204);
    await skip(first?.id).expect(204);
    await look('2031-03-01T20:30:00Z');
    await look('2031-03-02T20:30:00Z');
    expect((await texts(visit)).length).toBe(1);
    expect((await messages(visit)).map((message) => message.id)).toEqual([first?.id, second?.id]);
    await skip(second?.id).expect(204);
    expect((await listStates(visit)).map(([, , state]) => state)).toEqual(['skipped', 'skipped']);
    expect((await texts(visit)).map(({ state }) => state)).toEqual(['suppressed']);
    await skip('reminder-1d-20310304T203000Z').expect(404);
    await skip(second?.id, quiet).expect(404);
    await rows.smsMessage.updateMany({ where: { organizationId }, data: { state: 'sent', attempts: 1 } });
    await rows.visitMessage.updateMany({ where: { organizationId, reason: 'skipped', lead: '2d' }, data: { reason: null } });
    expect((await skip(second?.id)).body.code).toBe('message_sent');
  });
});
