import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { waitlistPractice } from '../support/waitlist.ts';

const test = await sharedTestApp();

type Clinic = Awaited<ReturnType<typeof waitlistPractice>>;

async function createLink({ admin }: Clinic, patientId: number, fields: object = {}): Promise<string> {
  const made = await admin.post(`/patients/${patientId}/booking-links`).send(fields);
  expect(made.status, made.text).toBe(201);
  return new URL(made.body.data.url).pathname;
}

async function open(address: string) {
  const response = await fetch(`${test.address}${address}`, { redirect: 'manual' });
  return { status: response.status, text: await response.text() };
}

/** Sends a form of the page. @returns the page that follows */
async function send(address: string, fields: Record<string, string>) {
  const response = await fetch(`${test.address}${address}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
  expect(response.status).toBe(303);
  return open(response.headers.get('location') ?? '');
}

/** The value of a button, by its label. */
const valueUnder = (text: string, label: string): string => new RegExp(`value="([^"]*)"[^>]*>${label}<`).exec(text)?.[1] ?? '';
const heldIn = (text: string): string => /name="hold" value="(\d+)"/.exec(text)?.[1] ?? '';

describe('the page of a booking link', () => {
  it('leads on to its own address where something stuck to the link', async () => {
    const clinic = await waitlistPractice(test);
    const address = await createLink(clinic, (await clinic.patient()).id);
    const { status, text } = await open(`${address}%E2%80%9D?type=${clinic.type.id}&day=2031-03-03&lang=en`);
    expect(status).toBe(200);
    expect(text).toContain(`action="${address}/hold?`);
  });

  it('books a visit by type, day and time, moves it and cancels it, without a script', async () => {
    const clinic = await waitlistPractice(test);
    const { id } = await clinic.patient({ languageCode: 'spa', firstName: 'Eva' });
    const type = String(clinic.type.id);
    const address = await createLink(clinic, id, { appointment_type_ids: [clinic.type.id] });
    expect((await open(`${address}?from=2031-03-01`)).text).toContain('lunes, 3 de marzo');
    const day = await open(`${address}?lang=en&type=${type}&day=2031-03-03`);
    expect(day.text).toContain('Dr. Doe, North');
    // Another choice lets the first one go.
    await send(`${address}/hold`, { type, time: valueUnder(day.text, '9:00 AM') });
    expect(await clinic.times()).toEqual(['10:00', '11:00']);
    const confirm = await send(`${address}/hold`, { type, time: valueUnder(day.text, '10:00 AM') });
    expect(confirm.text).toContain('10:00');
    expect(await clinic.times()).toEqual(['09:00', '11:00']);
    const booked = await send(`${address}/book`, { hold: heldIn(confirm.text) });
    expect(booked.text).toContain('Su cita está reservada');
    const [visit] = await clinic.db.appointment.findMany({ where: { ...clinic.own, patientId: id } });
    expect(visit).toMatchObject({ status: 'scheduled', providerId: clinic.provider.id, typeId: clinic.type.id });

    const other = await open(`${address}?lang=en&move=yes&type=${type}&day=2031-03-03`);
    const again = await send(`${address}/hold`, { type, time: valueUnder(other.text, '11:00 AM') });
    await send(`${address}/book`, { hold: heldIn(again.text) });
    expect(await clinic.times()).toEqual(['09:00', '10:00']);
    expect(await clinic.db.appointment.count({ where: { ...clinic.own, patientId: id } })).toBe(1);

    expect((await send(`${address}/cancel`, {})).text).toContain('Su cita fue cancelada.');
    expect(await clinic.times()).toEqual(['09:00', '10:00', '11:00']);
    expect((await send(`${address}/cancel`, {})).status).toBe(200);
  });

  it('gives a time to one of two who choose it, and shows nothing to others', async () => {
    const clinic = await waitlistPractice(test);
    const [one, two] = [await createLink(clinic, (await clinic.patient()).id), await createLink(clinic, (await clinic.patient()).id)];
    const type = String(clinic.type.id);
    const { text } = await open(`${one}?type=${type}&day=2031-03-03`);
    const time = valueUnder(text, '9:00 AM');
    expect([time, text]).not.toEqual(['', text]);
    const pages = await Promise.all([one, two].map((address) => send(`${address}/hold`, { type, time })));
    expect(pages.map(({ text: page }) => heldIn(page) !== '').sort()).toEqual([false, true]);
    expect(pages.filter(({ text: page }) => page.includes('Somebody else has just taken that time')).length).toBe(1);
    const holder = heldIn(pages[0]?.text ?? '') === '' ? 1 : 0;
    const foreign = await send(`${[two, one][holder]}/book`, { hold: heldIn(pages[holder]?.text ?? '') });
    expect(foreign.text).toContain('ran out');
    for (const wrong of ['?type=x&day=now', '?hold=999999999999', '?day=9999-99-99', '?from=0001-01-01', `?type=${type}&day=2031-03-04`])
      expect([wrong, (await open(`${two}${wrong}`)).status]).toEqual([wrong, 200]);
    for (const [path, fields] of [
      ['hold', { type, time: '1 2 3' }],
      ['hold', { type: '1', time }],
      ['wait', { type: '1' }],
      ['offer', { answer: 'Yes' }],
    ] as const)
      expect([path, (await send(`${two}/${path}`, fields)).status]).toEqual([path, 200]);
    await clinic.db.bookingLink.updateMany({ where: clinic.own, data: { expiresAt: new Date(0) } });
    expect((await open(one)).status).toBe(410);
    expect((await open(`${one.slice(0, -1)}${one.endsWith('A') ? 'B' : 'A'}`)).status).toBe(404);
  });

  it('opens nothing once the practice has revoked the link, and passes on the time that was offered there', async () => {
    const clinic = await waitlistPractice(test);
    const [{ id }, waiting, other] = [await clinic.patient(), await clinic.patient(), await clinic.patient()];
    const [kept, address] = [
      await createLink(clinic, id),
      await createLink(clinic, id, { days: 3, provider_ids: [clinic.provider.id], channel: 'text' }),
    ];
    const listLinks = async (patientId: number) => (await clinic.admin.get(`/patients/${patientId}/booking-links`)).body.data;
    const [newest, oldest] = await listLinks(id);
    expect([newest.provider_ids, newest.appointment_id, newest.url, oldest.provider_ids]).toEqual([
      [clinic.provider.id],
      null,
      undefined,
      [],
    ]);
    const revoke = async (patientId: number, link: number) =>
      (await clinic.admin.delete(`/patients/${patientId}/booking-links/${link}`)).status;
    expect([await revoke(other.id, newest.uuid), await revoke(id, newest.uuid), await revoke(id, newest.uuid)]).toEqual([404, 204, 404]);
    const type = String(clinic.type.id);
    const sent = await fetch(`${test.address}${address}/wait`, { method: 'POST', body: new URLSearchParams({ type }) });
    expect([(await open(address)).status, sent.status, (await open(kept)).status]).toEqual([404, 404, 200]);
    expect((await listLinks(id)).map(({ uuid }: { uuid: number }) => uuid)).toEqual([oldest.uuid]);

    const visit = await clinic.book('10:00');
    await clinic.wait(waiting.id, { priority: 'HIGH' });
    await clinic.wait(other.id);
    await clinic.cancel(visit);
    await clinic.offer();
    const [offered] = await listLinks(waiting.id);
    expect(await revoke(waiting.id, offered.uuid)).toBe(204);
    await clinic.offer();
    expect((await clinic.offers()).map(({ patientId, state }) => [patientId, state])).toEqual([
      [waiting.id, 'withdrawn'],
      [other.id, 'open'],
    ]);
    await clinic.leave();
    expect([await clinic.textsTo(waiting.mobilePhone), await clinic.textsTo(other.mobilePhone)]).toMatchObject([
      [{ state: 'suppressed', reason: 'withdrawn' }],
      [{ state: 'sent' }],
    ]);
  });

  it('shows the time that a mail offered, which a button books or passes on, and lets the patient wait', async () => {
    const clinic = await waitlistPractice(test);
    const [mailed, waiting] = [
      await clinic.patient({ mobilePhone: null, email: 'ann@example.com' }),
      await clinic.patient({ mobilePhone: null, email: 'bo@example.com' }),
    ];
    const id = await clinic.book('10:00');
    await clinic.wait(mailed.id, { priority: 'HIGH' });
    const address = await createLink(clinic, waiting.id);
    const [type] = [String(clinic.type.id)];
    expect((await send(`${address}/wait`, { type })).text).toContain('You are on our waitlist');
    await send(`${address}/wait`, { type });
    expect((await clinic.admin.get('/waitlist')).body.data).toHaveLength(2);
    await clinic.cancel(id);
    const offered = async (): Promise<string> => {
      await clinic.offer();
      return clinic.offerAddress();
    };
    const first = await offered();
    expect((await open(first)).text).toContain('A time became free');
    expect((await send(`${first}/offer`, { answer: 'No' })).text).toContain('You stay on our waitlist');
    expect((await send(`${first}/offer`, { answer: 'Yes' })).text).toContain('no longer free');
    const second = await offered();
    expect((await send(`${second}/offer`, { answer: 'Yes' })).text).toContain('Your visit is booked');
    expect(await clinic.times()).toEqual(['09:00', '11:00']);
  });
});
