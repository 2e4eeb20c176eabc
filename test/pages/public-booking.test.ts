import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { getPage, postForm, written } from '../support/external-messages.ts';
import { createAppointmentType, createProvider } from '../support/factories.ts';
import { waitlistPractice } from '../support/waitlist.ts';

const test = await sharedTestApp();
const NUMBER = '+19105550177';
const ANA = { first_name: 'Ana', last_name: 'Núñez', birth_date: '1980-02-29', contact: '(910) 555-0177' };
const CHART = { firstName: 'ANA', lastName: 'Nuñez', birthDate: new Date('1980-02-29'), mobilePhone: NUMBER };
const RESTRICTED = { ...CHART };

async function publicPractice(organization: object = {}) {
  const clinic = await waitlistPractice(test, { publicBooking: true, quietHoursStart: '00:00', quietHoursEnd: '00:00', ...organization });
  // All clients of the tests have one network address, whose codes are limited.
  await clinic.db.signInFailure.deleteMany({ where: { key: { startsWith: 'booking-from' } } });
  const { own, type } = clinic;
  const address = `/book/${own.organizationId}`;
  const messages = async () => (await written(test, own)).map(({ to, words }) => `${to}: ${words}`);
  return {
    ...clinic,
    address,
    messages,
    /** A time of the first Monday, as the page has it. */
    async timeAt(label: string): Promise<string> {
      const { text } = await getPage(test, `${address}?lang=en&type=${type.id}&day=2031-03-03`);
      const query = new RegExp(`href="[^"?]*\\?([^"]*)"[^>]*>${label}<`).exec(text)?.[1] ?? '';
      return new URLSearchParams(query.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))).get('time') ?? '';
    },
    identify: (time: string, fields: object = {}, lang = 'en') =>
      postForm(test, `${address}?lang=${lang}`, { type: String(type.id), time, ...ANA, ...fields }),
    /** The newest code. */
    code: async () => (await messages()).flatMap((one) => /: (\d{6}) (?:is your code|es su código)/.exec(one)?.[1] ?? []).at(-1) ?? 'none',
    charts: () => clinic.db.patient.findMany({ where: own, orderBy: { id: 'asc' } }),
  };
}

type Clinic = Awaited<ReturnType<typeof publicPractice>>;

/** Goes on to the booking link. @returns its address */
async function prove(clinic: Clinic, page: string | null): Promise<string> {
  await postForm(test, page ?? '', { code: await clinic.code() });
  const { location } = await getPage(test, page ?? '');
  return location ?? '';
}

const heldIn = (text: string): string => /name="hold" value="(\d+)"/.exec(text)?.[1] ?? '';

describe('the public booking page', () => {
  it('books for somebody new once a code proved their phone, and for the same chart the next time', async () => {
    const clinic = await publicPractice();
    expect((await getPage(test, `${clinic.address}?lang=es&type=${clinic.type.id}&from=2031-03-01`)).text).toContain('lunes, 3 de marzo');
    const time = await clinic.timeAt('10:00 AM');
    const asked = await getPage(test, `${clinic.address}?lang=es&type=${clinic.type.id}&time=${time}`);
    for (const words of ['¿Para quién es la cita?', 'lunes, 3 de marzo, 10:00', 'Dr. Doe', 'type="date"'])
      expect(asked.text).toContain(words);
    const wrong = await clinic.identify(time, { first_name: ' ', birth_date: '2999-02-30', contact: '12' });
    expect(wrong.status).toBe(422);
    expect(wrong.text.match(/field-error/g)?.length).toBe(3);
    expect(wrong.text).toContain('value="Núñez"');
    expect((await clinic.identify(time, { birth_date: '2099-01-01' })).text).toContain('the person’s date of birth');

    const sent = await clinic.identify(time, {}, 'es');
    const codePage = await getPage(test, sent.location ?? '');
    expect([sent.status, codePage.status]).toEqual([303, 200]);
    expect(codePage.text).toContain('Escriba su código');
    expect(`${sent.location} ${codePage.text}`).not.toMatch(/Ana|Núñez|555-?0177/);
    expect([await clinic.times(), await clinic.charts()]).toEqual([['09:00', '10:00', '11:00'], []]);
    const link = await prove(clinic, sent.location);
    expect(await clinic.times()).toEqual(['09:00', '11:00']);
    // Sent twice, as by a double click, it is the same link and the same chart.
    expect(await prove(clinic, sent.location)).toBe(link);
    const [path = ''] = link.split('?');
    await postForm(test, `${path}/book`, { hold: heldIn((await getPage(test, link)).text) });
    expect((await getPage(test, `${path}?lang=en`)).text).toContain('Your visit is booked');
    const [chart] = await clinic.charts();
    expect(chart).toMatchObject({
      firstName: 'Ana',
      lastName: 'Núñez',
      mobilePhone: NUMBER,
      languageCode: 'spa',
      primaryOfficeId: clinic.office.id,
    });
    expect((await clinic.messages()).at(-1)).toMatch(new RegExp(`^\\${NUMBER}: Hudson: elija aquí una hora para su cita: http.*${path} `));

    const again = await clinic.identify(await clinic.timeAt('9:00 AM'), { first_name: 'ana', last_name: 'NUNEZ' });
    await prove(clinic, again.location);
    expect((await clinic.charts()).length).toBe(1);
    await postForm(test, `${path}/cancel`);
    expect(await clinic.times()).toEqual(['10:00', '11:00']);
  });

  it('says of known, restricted, deceased and doubled charts what it says of none, and books for the one living chart alone', async () => {
    const clinic = await publicPractice();
    const time = await clinic.timeAt('11:00 AM');
    const outcomes: { page: string; status: number; held: boolean; own: boolean }[] = [];
    const cases: object[][] = [
      [],
      [CHART],
      [{ ...CHART, deceasedDate: new Date('2026-01-01') }],
      [RESTRICTED],
      [CHART, CHART],
      [{ ...CHART, mobilePhone: '+19105550178' }],
    ];
    for (const charts of cases) {
      await clinic.db.slotClaim.deleteMany({ where: clinic.own });
      await clinic.db.patient.updateMany({ where: clinic.own, data: { lastName: 'Other' } });
      const known: number[] = [];
      for (const data of charts) known.push((await clinic.patient(data)).id);
      if (charts.includes(RESTRICTED))
        await clinic.db.privacyRestriction.create({ data: { ...clinic.own, patientId: known[0] ?? 0, kind: 'record' } });
      const { location } = await clinic.identify(time);
      const page = (await getPage(test, location ?? '')).text.replaceAll(/[\w-]{32}/g, '');
      const confirm = await getPage(test, await prove(clinic, location));
      const { patientId } = await clinic.db.bookingLink.findFirstOrThrow({ where: clinic.own, orderBy: { id: 'desc' } });
      outcomes.push({ page, status: confirm.status, held: heldIn(confirm.text) !== '', own: known.includes(patientId) });
    }
    expect(new Set(outcomes.map(({ page, status, held }) => `${status} ${held} ${page}`)).size).toBe(1);
    expect(outcomes.map(({ own, status }) => [own, status])).toEqual([false, true, false, false, false, false].map((own) => [own, 200]));
  });

  it('is one page with an unknown one where the practice has none, also between the steps', async () => {
    const clinic = await publicPractice();
    const hidden = await createAppointmentType(clinic.db, { ...clinic.own, name: 'Staff only', bookableBy: ['staff'] });
    expect((await getPage(test, clinic.address)).text).not.toContain('Staff only');
    expect((await getPage(test, `${clinic.address}?type=${hidden.id}`)).status).toBe(200);
    const time = await clinic.timeAt('9:00 AM');
    const { location } = await clinic.identify(time);
    for (const publicBooking of [false, true]) {
      await clinic.db.organization.update({ where: { id: clinic.own.organizationId }, data: { publicBooking, active: !publicBooking } });
      const closed = [await getPage(test, clinic.address), await getPage(test, location ?? ''), await clinic.identify(time)];
      const unknown = await getPage(test, '/book/2147483647');
      expect(closed.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect([closed[0]?.text, unknown.status]).toEqual([unknown.text, 404]);
    }
    for (const path of ['/book/x', '/book/0', `/book/99999999999`, `${clinic.address}/${'A'.repeat(32)}`])
      expect([path, (await getPage(test, path)).status]).toEqual([path, 404]);
  });

  it('counts wrong codes, sends none to a number that sent STOP, and takes an email address instead', async () => {
    const clinic = await publicPractice();
    const time = await clinic.timeAt('9:00 AM');
    await clinic.write(NUMBER, 'STOP');
    const before = (await clinic.messages()).length;
    const stopped = await clinic.identify(time);
    expect((await getPage(test, stopped.location ?? '')).text).toContain('if you have replied STOP');
    expect((await clinic.messages()).length).toBe(before);

    const { location } = await clinic.identify(time, { contact: 'Ana@Example.com' });
    const page = location ?? '';
    const right = await clinic.code();
    const guess = (code: string) => postForm(test, page, { code });
    expect((await guess('12')).status).toBe(400);
    for (let round = 0; round < 5; round += 1) await guess(right === '111111' ? '222222' : '111111');
    await guess(right);
    expect((await getPage(test, page)).text).toContain('Too many wrong codes');
    await postForm(test, `${page}/code`);
    await clinic.db.publicBooking.updateMany({ where: clinic.own, data: { codeExpiresAt: new Date() } });
    await guess(await clinic.code());
    expect((await getPage(test, page)).text).toContain('too old');
    await postForm(test, `${page}/code`);
    // Somebody else was faster.
    await clinic.book('09:00');
    const late = await getPage(test, await prove(clinic, page));
    expect(late.text).toContain('Somebody else has just taken that time');
    expect((await clinic.charts()).at(-1)).toMatchObject({ email: 'Ana@Example.com', mobilePhone: null });
    expect(await clinic.identify(time)).toMatchObject({ status: 303, location: `${clinic.address}?type=${clinic.type.id}&news=taken` });
  });

  it('sends at most ten codes a day to one number', async () => {
    const clinic = await publicPractice();
    const time = await clinic.timeAt('9:00 AM');
    const statuses: number[] = [];
    for (let round = 0; round < 11; round += 1) statuses.push((await clinic.identify(time)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 303), 429]);
    expect((await clinic.identify(time, { contact: '9105550179' })).status).toBe(303);
  });

  it('shows fewer days at once where a month has more times than one search takes', async () => {
    const { db, own, address, provider, office, type } = await publicPractice();
    const { id: providerId } = await createProvider(db, { ...own, firstName: 'Eve', lastName: 'Roe' });
    await db.appointmentType.updateMany({ where: own, data: { durationMinutes: 1 } });
    const days = [provider.id, providerId].flatMap((one) => [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ providerId: one, weekday })));
    const hours = { ...own, officeId: office.id, fromMinute: 0, untilMinute: 1_440 };
    await db.availability.createMany({ data: days.map((day) => ({ ...hours, ...day })) });
    const { status, text } = await getPage(test, `${address}?lang=en&type=${type.id}&from=2031-03-03`);
    expect(status).toBe(200);
    expect(text.match(/2880 free times/g)?.length).toBe(5);
    expect((await getPage(test, `${address}?type=${type.id}&day=2031-03-08`)).status).toBe(200);
  });
});
