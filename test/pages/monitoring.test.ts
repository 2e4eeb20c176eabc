import { describe, expect, it } from 'vitest';
import { createCheckIn, createItem } from '../apis/mobile/monitoring/care.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await sharedTestApp();
const prisma = test.database.prisma;
const { id: organizationId } = await createOrganization(prisma, { name: 'Harbor Clinic', timeZone: 'America/New_York' });
const nurse = await signedInUser(test, { organizationId, type: 'provider', user: { firstName: 'Nora', lastName: 'Nurse' } });
const { http, send, browse } = staffPages(test);
const staff = await browse(nurse);
const pressure = await createItem(prisma, { organizationId, name: 'Systolic blood pressure', dangerMax: 180 });

const readPage = async (path: string, headers = staff) => (await http.get(path).set(headers).expect(200)).text;
/** The words of a page, without its markup. */
const keepWords = (page: string) =>
  page
    .replaceAll(/<(style|script)[^>]*>.*?<\/\1>/gs, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/\s+/g, ' ');

const DAY_MS = 86_400_000;
async function measure(patientId: number, values: readonly number[]) {
  await prisma.reading.createMany({
    data: values.map((value, index) => {
      const measuredAt = new Date(Date.now() - (values.length - index) * DAY_MS);
      return { organizationId, patientId, itemId: pressure.id, value, source: 'staff', measuredAt, measuredOn: measuredAt };
    }),
  });
}

describe('signing in to a page that was asked for', () => {
  it('returns to it, and to no other server', async () => {
    const path = '/monitoring/patients/7/charts/2?days=30';
    const asked = await http.get(path).redirects(0).expect(303);
    const address = String(asked.headers.location);
    expect(address).toBe(`/sign-in?to=${encodeURIComponent(path)}`);
    expect((await http.get(address).expect(200)).text).toContain('name="to" value="/monitoring/patients/7/charts/2?days');
    const { email, password } = nurse;
    const signedIn = async (to: string) => (await send('/sign-in', { email, password, to }).expect(303)).headers.location;
    expect(await signedIn(path)).toBe(path);
    for (const foreign of [
      '//evil.example',
      'https://evil.example/monitoring',
      '/monitoring@evil.example',
      '/monitoring//evil.example',
      '/sign-out',
    ])
      expect(await signedIn(foreign), foreign).toBe('/lobby');
  });
});

describe('the page of a chart', () => {
  it('has the chart, the same in a table, and links to other ranges', async () => {
    const patient = await createPatient(prisma, { organizationId, firstName: 'Rosa', lastName: 'Diaz' });
    await measure(patient.id, [118, 150, 185]);
    const page = await readPage(`/monitoring/patients/${patient.id}/charts/${pressure.id}`);
    expect(page.match(/<svg [^>]*role="img"/g)).toHaveLength(2);
    const words = keepWords(page);
    expect(words).toContain('Rosa Diaz');
    expect(words).toMatch(/3 readings, .* Out of target: 2; in danger: 1\. Target: 90 to 140 mmHg\. Danger: 180 mmHg or more\./);
    expect(words).toMatch(
      /185 mmHg danger 90 to 140 mmHg; danger: 180 mmHg or more .* staff 150 mmHg above 90 to 140 mmHg .* 118 mmHg within 90 to 140/,
    );
    expect(page).toContain('?days=365"');
    expect(await readPage(`/monitoring/patients/${patient.id}/charts/${pressure.id}?days=3`)).toContain('>2 readings, ');
    const refused = await http.get(`/monitoring/patients/${patient.id}/charts/${pressure.id}?start_date=foo`).set(staff).expect(400);
    expect(keepWords(refused.text)).toContain('must be a day such as 2026-11-03');
    expect(refused.text).toContain('href="/monitoring"');
    const missing = (await http.get('/monitoring/patients/999999').set(staff).expect(404)).text;
    expect(keepWords(missing)).toContain('Your practice has nothing at this address');
    expect(missing).not.toContain('call your practice');
  });

  it('is not that of another practice, nor of a restricted chart', async () => {
    const stranger = await browse(await signedInUser(test));
    const patient = await createPatient(prisma, { organizationId, firstName: 'Vera', lastName: 'Hidden' });
    const path = `/monitoring/patients/${patient.id}/charts/${pressure.id}`;
    await http.get(path).set(stranger).expect(404);
    await prisma.privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
    expect((await http.get(path).set(staff).expect(404)).text).not.toContain('Vera');
  });
});

describe('the pages of monitoring', () => {
  it('lead from an open alert and a check-in that waits to the patient, where both are worked off, all of it audited', async () => {
    const patient = await createPatient(prisma, {
      organizationId,
      firstName: 'Ada',
      lastName: 'Alarmed',
      flags: ['RPM'],
      languageCode: 'spa',
      mobilePhone: '+19105550141',
      homePhone: '+19105550141',
      nextOfKinName: 'Bo Alarmed',
      nextOfKinPhone: '+19105550142',
    });
    const other = await createPatient(prisma, { organizationId, flags: ['RPM'] });
    const survey = await prisma.surveyType.create({
      data: {
        organizationId,
        name: 'Blood pressure',
        questions: [{ key: 'systolic', text: 'Upper number', kind: 'number', itemId: pressure.id }],
      },
    });
    const checkIn = await createCheckIn(prisma, {
      organizationId,
      patientId: patient.id,
      sentAgo: 2,
      readings: [{ itemId: pressure.id, value: 210 }],
    });
    const key = { organizationId_id: { organizationId, id: checkIn.id } };
    await prisma.checkIn.update({ where: key, data: { surveyTypeId: survey.id, answers: { systolic: 210 } } });
    const reading = await prisma.reading.findFirstOrThrow({ where: { organizationId, checkInId: checkIn.id } });
    const alert = await prisma.monitoringAlert.create({
      data: {
        ...{
          organizationId,
          patientId: patient.id,
          kind: 'danger_value',
          severity: 'danger',
          gravity: 3,
          itemId: pressure.id,
          value: 210,
          readingId: reading.id,
        },
        checkInId: checkIn.id,
        minTarget: 90,
        maxTarget: 140,
        dangerMax: 180,
        targetSource: 'item',
        occurredAt: new Date(),
      },
    });
    const list = keepWords(await readPage('/monitoring'));
    expect(list).toMatch(
      /Open alerts \(\d+\) .*Danger .*Ada Alarmed Systolic blood pressure 210 mmHg .*Target 90 to 140 mmHg; danger 180 mmHg or more/,
    );
    expect(list).toMatch(/Check-ins to review \(\d+\) .*Ada Alarmed danger Blood pressure · Answered .* Upper number 210 mmHg danger/);
    const path = `/monitoring/patients/${patient.id}`;
    const page = await readPage(path);
    expect(keepWords(page)).toMatch(
      /Alerts Danger Systolic blood pressure 210 mmHg .*to review .*Target 90 to 140 mmHg; danger 180 mmHg or more: the practice’s own for Systolic blood pressure\. Reported by the patient/,
    );
    expect(page).toContain('<svg ');
    expect(page).toContain('href="tel:+19105550141"');
    expect(keepWords(page)).toMatch(/Mobile: \(910\) 555-0141 (?!Home).*Bo Alarmed \(next of kin\): \(910\) 555-0142 .*Speaks Spanish/);
    await send(`/monitoring/patients/${other.id}/alerts/${alert.id}/acknowledge`, {}, staff).expect(404);

    await send(`${path}/alerts/${alert.id}/acknowledge`, { note: 'I call her' }, staff)
      .expect(303)
      .expect('location', `${path}#alert-${alert.id}`);
    const words = keepWords(await readPage(path));
    expect(words).toMatch(/acknowledged .*by Nora Nurse: I call her/);
    expect(keepWords(await readPage('/monitoring'))).toMatch(/Acknowledged alerts \(1\) .*Ada Alarmed .*by Nora Nurse: I call her/);
    await send(`${path}/alerts/${alert.id}/close`, { note: 'She is well' }, staff).expect(303);
    expect(keepWords((await send(`${path}/alerts/${alert.id}/acknowledge`, {}, staff).expect(409)).text)).toContain('The alert is closed.');

    const form = { checkin: checkIn.id, minutes: '0', message: 'Rest <now>', display: 'yes', live_contact: 'yes' };
    const refused = (await send(`${path}/reviews`, form, staff).expect(400)).text;
    expect(keepWords(refused)).toMatch(/See the marked field.*Must be a whole number from 1 to 480\./);
    expect(refused).toMatch(/<input[^>]*name="minutes"[^>]*value="0"[^>]*autofocus/);
    expect(refused).toContain('Rest &#60;now&#62;</textarea>');
    const early = await send(`${path}/reviews`, { ...form, minutes: '5', started_at: '2020-01-01T10:00' }, staff).expect(400);
    expect(early.text).toMatch(/<input[^>]*name="started_at"[^>]*value="2020-01-01T10:00"[^>]*aria-invalid="true"/);
    await send(`${path}/reviews`, { ...form, minutes: '5' }, staff)
      .expect(303)
      .expect('location', `${path}#checkin-${checkIn.id}`);
    const stored = await prisma.checkInReview.findFirstOrThrow({ where: { organizationId, checkInId: checkIn.id } });
    expect(stored).toMatchObject({ minutes: 5, message: 'Rest <now>', display: true, liveContact: true, userId: nurse.user.id });
    const reviewed = keepWords(await readPage(path));
    expect(reviewed).toMatch(
      /Reviews so far Nora Nurse ?, [A-Z][^:]*:\d\d [AP]M(?: E[SD]T)?: 5 minutes, with live contact Rest <now> \(shown to the patient\)/,
    );
    expect(reviewed).toContain('The text that tells the patient what to do has not been sent yet.');
    await prisma.monitoringAlert.update({
      where: { organizationId_id: { organizationId, id: alert.id } },
      data: { patientTextReason: 'texted_recently' },
    });
    expect(keepWords(await readPage(path))).toContain(
      'The patient was not texted what to do. The patient was already texted in the last hour.',
    );
    const after = keepWords(await readPage('/monitoring'));
    expect(after).not.toContain('Ada Alarmed');
    const audited = await prisma.auditEntry.groupBy({
      by: ['resource', 'action'],
      where: { organizationId, actor: `user:${nurse.user.id}` },
    });
    expect(audited.map(({ resource, action }) => `${action} ${resource}`)).toEqual(
      expect.arrayContaining([
        'read patient',
        'search check_in',
        'search monitoring_alert',
        'read reading',
        'update monitoring_alert',
        'create check_in_review',
        'search check_in_review',
      ]),
    );
  });

  it('acknowledge all that is shown of a patient at once, and nothing that was raised since', async () => {
    const patient = await createPatient(prisma, { organizationId, firstName: 'Cy', lastName: 'Cuff', flags: ['RPM'] });
    const path = `/monitoring/patients/${patient.id}`;
    const danger = async (value: number) => {
      const reading = { patient_uuid: patient.id, item_uuid: pressure.id, value, unit: pressure.unit };
      await nurse
        .post('/remote-patient-monitoring/readings')
        .send({ ...reading, measured_at: new Date(Date.now() - value * 10_000).toISOString() })
        .expect(201);
    };
    for (const value of [201, 202]) await danger(value);
    const upTo = /name="up_to" value="(\d+)"/.exec(await readPage(path))?.[1] ?? '';
    await danger(203);
    await send(`${path}/alerts/acknowledge`, { up_to: upTo, note: 'I call' }, staff).expect(303);
    const alerts = await prisma.monitoringAlert.findMany({ where: { organizationId, patientId: patient.id }, orderBy: { id: 'asc' } });
    expect(alerts.map(({ state, acknowledgedNote }) => [state, acknowledgedNote])).toEqual([
      ['acknowledged', 'I call'],
      ['acknowledged', 'I call'],
      ['open', null],
    ]);
    const stranger = await browse(await signedInUser(test));
    await send(`${path}/alerts/acknowledge`, { up_to: String(alerts[2]?.id) }, stranger).expect(404);
  });

  it('show nothing of a restricted chart, and nothing to other practices', async () => {
    const patient = await createPatient(prisma, { organizationId, firstName: 'Vera', lastName: 'Hidden', flags: ['RPM'] });
    const checkIn = await createCheckIn(prisma, {
      organizationId,
      patientId: patient.id,
      sentAgo: 2,
      readings: [{ itemId: pressure.id, value: 100 }],
    });
    expect(await readPage('/monitoring')).toContain('Vera Hidden');
    const stranger = await browse(await signedInUser(test));
    expect(await readPage('/monitoring', stranger)).not.toContain('Vera');
    const path = `/monitoring/patients/${patient.id}`;
    await http.get(path).set(stranger).expect(404);
    await send(`${path}/reviews`, { checkin: checkIn.id, minutes: '5' }, stranger).expect(404);
    await prisma.privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
    expect(await readPage('/monitoring')).not.toContain('Vera');
    await http.get(path).set(staff).expect(404);
    await send(`${path}/reviews`, { checkin: checkIn.id, minutes: '5' }, staff).expect(404);
    await http.get('/monitoring').redirects(0).expect(303).expect('location', '/sign-in?to=%2Fmonitoring');
  });
});
