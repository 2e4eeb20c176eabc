import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { waitlistPractice } from '../support/waitlist.ts';

const test = await sharedTestApp();

const listStates = (offers: { state: string }[]): string[] => offers.map(({ state }) => state);

describe('a time that became free', () => {
  it('is offered by rank to one patient at a time, held meanwhile, and booked by a Yes', async () => {
    const clinic = await waitlistPractice(test);
    const [first, second, urgent] = [await clinic.patient(), await clinic.patient(), await clinic.patient({ languageCode: 'spa' })];
    const id = await clinic.book('10:00');
    await clinic.wait(first.id);
    await clinic.wait(second.id);
    await clinic.wait(urgent.id, { priority: 'HIGH' });
    expect((await clinic.admin.get('/waitlist')).body.data.map((one: { patient_id: number }) => one.patient_id)).toEqual([
      urgent.id,
      first.id,
      second.id,
    ]);
    await clinic.offer();
    expect(await clinic.offers()).toEqual([]);

    await clinic.cancel(id);
    expect(await clinic.times()).toEqual(['09:00', '10:00', '11:00']);
    await clinic.offer();
    await clinic.leave();
    expect(await clinic.lastTextTo(urgent.mobilePhone)).toMatch(
      /^Hudson: hay una hora libre para Ann: lun, 3 de mar, 10:00 a\.m\. con Dr\. Doe\. Responda SI hasta las .* o NO\. \{\{url\}\}$/,
    );
    expect(await clinic.times()).toEqual(['09:00', '11:00']);
    await Promise.all([clinic.offer(), clinic.offer()]);
    expect(listStates(await clinic.offers())).toEqual(['open']);

    await clinic.write(urgent.mobilePhone, 'No, gracias');
    await clinic.leave();
    expect(await clinic.lastTextTo(urgent.mobilePhone)).toContain('Usted sigue en nuestra lista');
    await clinic.offer();
    await clinic.leave();
    expect(await clinic.lastTextTo(first.mobilePhone)).toContain(
      'a time became free for Ann: Mon, Mar 3, 10:00 AM with Dr. Doe. Reply YES',
    );
    await clinic.pass();
    await clinic.offer();
    await clinic.leave();
    expect(listStates(await clinic.offers())).toEqual(['declined', 'expired', 'open']);
    await clinic.write(second.mobilePhone, 'YES please');
    await clinic.write(first.mobilePhone, 'yes');
    await clinic.leave();
    expect(await clinic.lastTextTo(second.mobilePhone)).toBe(
      'Thank you. We expect you on Mon, Mar 3, 10:00 AM with Dr. Doe. Reply N if you cannot come.',
    );
    expect(await clinic.lastTextTo(first.mobilePhone)).toContain('no longer free');
    const [booked] = await clinic.db.appointment.findMany({ where: { ...clinic.own, patientId: second.id } });
    expect(booked).toMatchObject({ status: 'scheduled', confirmation: 'Yes', confirmedBy: 'patient', providerId: clinic.provider.id });
    await clinic.offer();
    expect(await clinic.left()).toBe(0);
    const report = await clinic.admin.get('/waitlist/report');
    expect(report.body.data).toMatchObject({
      offered: 3,
      accepted: 1,
      declined: 1,
      expired: 1,
      recovered_visits: 1,
      recovered_minutes: 60,
      waiting: 2,
    });
    // A change of mind is one about the visit, whose time is offered again, and not to her.
    await clinic.write(second.mobilePhone, 'N');
    expect((await clinic.db.appointment.findFirst({ where: { ...clinic.own, patientId: second.id } }))?.confirmation).toBe('No');
  });

  it('waits for the morning of the patient, and is lost to nobody who cannot be reached', async () => {
    const clinic = await waitlistPractice(test, { quietHoursStart: '21:00', quietHoursEnd: '08:00' });
    const [silent, later] = [await clinic.patient({ doNotSms: true }), await clinic.patient({ timeZone: 'America/Denver' })];
    const id = await clinic.book('09:00');
    await clinic.wait(silent.id);
    await clinic.wait(later.id);
    await clinic.cancel(id);
    await clinic.offer(() => new Date('2031-02-25T05:00:00Z'));
    expect(await clinic.offers()).toEqual([]);
    const [freed] = await clinic.db.freedTime.findMany({ where: clinic.own });
    expect(freed?.dueAt).toEqual(new Date('2031-02-25T15:00:00Z'));
    await clinic.offer(() => new Date('2031-02-25T15:00:00Z'));
    expect((await clinic.offers()).map(({ patientId }) => patientId)).toEqual([later.id]);
  });

  it('is offered for what each one wants: days, hours, type and provider, and never to who left it', async () => {
    const clinic = await waitlistPractice(test);
    const leaves = await clinic.patient();
    const wants = async (fields: object) => clinic.wait((await clinic.patient()).id, fields);
    const id = await clinic.book('11:00', leaves.id);
    await clinic.wait(leaves.id, { priority: 'HIGH' });
    await wants({ weekdays: ['Tuesday'] });
    await wants({ until: '11:00' });
    await wants({ latest: '2031-03-02' });
    await wants({ waits_until: '2026-01-01' });
    const fits = await wants({
      from: '11:00',
      weekdays: [1],
      earliest: '2031-03-03',
      provider_id: clinic.provider.id,
      office_id: clinic.office.id,
    });
    await clinic.cancel(id);
    await clinic.offer();
    expect((await clinic.offers()).map(({ entryId }) => entryId)).toEqual([fits]);
    // What they want changes: the time is passed on, and nobody is left.
    expect((await clinic.admin.put(`/waitlist/${fits}`).send({ until: '10:00', from: null })).status).toBe(200);
    await clinic.offer();
    expect([listStates(await clinic.offers()), await clinic.left(), (await clinic.times()).length]).toEqual([['withdrawn'], 0, 3]);
  });

  it('moves the visit that the patient has, whose former time is offered to the next one', async () => {
    const clinic = await waitlistPractice(test);
    const [early, next] = [await clinic.patient(), await clinic.patient()];
    const [nine, eleven] = [await clinic.book('09:00'), await clinic.book('11:00', early.id)];
    await clinic.wait(early.id, { appointment_id: eleven });
    await clinic.wait(next.id, { from: '11:00' });
    await clinic.cancel(nine);
    await clinic.offer();
    await clinic.leave();
    await clinic.write(early.mobilePhone, 'Y');
    await clinic.offer();
    await clinic.leave();
    expect((await clinic.admin.get(`/appointments/${eleven}`)).body.data.appointment_date).toBe('2031-03-03T16:00:00Z');
    expect(await clinic.lastTextTo(next.mobilePhone)).toContain('11:00 AM');
  });

  it('is offered once somebody who held it lets it go, also where only its buffers were in the way', async () => {
    const clinic = await waitlistPractice(test);
    await clinic.db.appointmentType.updateMany({ where: clinic.own, data: { bufferAfter: 30 } });
    const id = await clinic.book('10:00');
    await clinic.wait((await clinic.patient()).id, { from: '11:00' });
    await clinic.cancel(id);
    const slot = (await clinic.freeTimes()).find((one) => one.starts_at_local.endsWith('T11:00:00'))?.uuid;
    const held = await clinic.admin.post('/slots/hold').send({ slot });
    expect(held.status, held.text).toBe(201);
    await clinic.offer();
    const [claim] = await clinic.db.slotClaim.findMany({ where: { ...clinic.own, appointmentId: null } });
    const [freed] = await clinic.db.freedTime.findMany({ where: clinic.own });
    expect([await clinic.offers(), freed?.dueAt]).toEqual([[], claim?.expiresAt]);
    const past = new Date(Date.now() - 1_000);
    await clinic.db.slotClaim.updateMany({ where: clinic.own, data: { expiresAt: past } });
    await clinic.db.freedTime.updateMany({ where: clinic.own, data: { dueAt: past } });
    await clinic.offer();
    expect((await clinic.offers()).map(({ startsAt, state }) => [startsAt, state])).toEqual([[new Date('2031-03-03T18:00:00Z'), 'open']]);
  });
});

it('a patient who says No gets a link to free times where the practice wants it, and moves the visit there', async () => {
  const clinic = await waitlistPractice(test, { declineSendsLink: true });
  const { id: patientId, mobilePhone } = await clinic.patient();
  const id = await clinic.book('09:00', patientId);
  await clinic.admin.post(`/appointments/${id}/send-sms`).send({ template_id: await clinic.question() });
  await clinic.leave();
  await clinic.write(mobilePhone, 'No');
  await clinic.sendLinks();
  await clinic.sendLinks();
  const texts = (await clinic.textsTo(mobilePhone)).filter(({ body }) => body.includes('choose a time for your visit'));
  expect(texts).toHaveLength(1);
  const address = clinic.addressIn(texts[0]);
  const page = await fetch(`${test.address}${address}?day=2031-03-03`);
  expect(await page.text()).toContain('11:00 AM');
});

it('a type that patients may not book is named as never offered, and stays while hours, the waitlist or messages name it', async () => {
  const { admin, db, own, type, wait, patient } = await waitlistPractice(test);
  const { uuid } = (await admin.post('/appointments/types').send({ name: 'Surgery', bookable_by: ['staff'] })).body.data;
  const added = await admin.post('/waitlist').send({ patient_id: (await patient()).id, appointment_type_id: uuid });
  expect([added.status, added.headers['warning-codes']]).toEqual([201, 'not_bookable_by_patients']);
  const id = added.body.data.uuid;
  const { patient_id, appointment_type_id } = added.body.data;
  expect((await admin.post('/waitlist').send({ patient_id, appointment_type_id })).body.data.uuid).toBe(id);
  expect((await admin.put(`/waitlist/${id}`).send({ appointment_type_id: type.id })).headers['warning-codes']).toBeUndefined();

  const { id: hours } = await db.availability.findFirstOrThrow({ where: own });
  const names = (typeIds: number[]) => admin.put(`/availability/${hours}`).send({ appointment_type_ids: typeIds }).expect(200);
  await names([type.id, uuid]);
  expect((await admin.delete(`/appointments/types/${uuid}`)).body).toMatchObject({
    status: 409,
    code: 'appointment_type_in_use',
    detail: 'The type is used in hours of providers. Remove it there first, or set it inactive instead.',
  });
  await names([type.id]);
  const waiting = await wait((await patient()).id, { appointment_type_id: uuid });
  await admin.delete(`/appointments/types/${uuid}`).expect(409);
  await admin.delete(`/waitlist/${waiting}`).expect(204);
  await admin.delete(`/appointments/types/${uuid}`).expect(204);
});
