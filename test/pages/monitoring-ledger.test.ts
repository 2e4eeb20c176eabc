import { describe, expect, it } from 'vitest';
import { createConsent, createReading, createReview, openMeasuring } from '../apis/mobile/monitoring/readings/reported.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await sharedTestApp();
const prisma = test.database.prisma;
const { id: organizationId } = await createOrganization(prisma, { name: 'Harbor Clinic', timeZone: 'America/New_York' });
const { http, send, browse } = staffPages(test);
const owner = await signedInUser(test, { organizationId, type: 'admin' });
const [admin, staff] = [await browse(owner), await browse(await signedInUser(test, { organizationId, type: 'staff' }))];

const MONTH = '2026-10';
const LEDGER = `/monitoring/ledger/${MONTH}`;
const readPage = async (path: string, headers = admin) =>
  (await http.get(path).set(headers).expect(200)).text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

describe('the ledger of a month', () => {
  it('leads an admin from a hold over its release and the closing to a correction; staff read it, and decide nothing', async () => {
    const measuring = await openMeasuring(prisma, organizationId);
    const patient = await createPatient(prisma, {
      organizationId,
      firstName: 'Lena',
      lastName: 'Ledger',
      birthDate: new Date('1950-02-03'),
    });
    await createConsent(prisma, { organizationId, patientId: patient.id });
    const checkIn = await createReading(prisma, measuring, { organizationId, patientId: patient.id, on: `${MONTH}-05` });
    const work = { userId: owner.user.id, liveContact: true };
    const long = await createReview(prisma, checkIn, { ...work, minutes: 70, startedAt: new Date(`${MONTH}-06T15:00:00Z`) });
    const evidence = `${LEDGER}/patients/${patient.id}`;
    const release = { kind: 'long_review', review: long.id, reason: 'In the call log' };

    expect(await readPage(LEDGER, staff)).toContain('Ledger of October 2026');
    const list = await http.get(LEDGER).set(staff).expect(200);
    expect(list.text).toMatch(new RegExp(`href="${evidence}"[^>]*aria-label="Evidence of Lena Ledger"`));
    expect(list.text).toContain('1 hold');
    expect(await readPage(evidence, staff)).not.toContain('Held, not billed');
    expect(await readPage(evidence)).toMatch(/Held, not billed .*70 minutes, more than 60/);
    expect(await readPage(evidence)).toMatch(/Born Feb 3, 1950\. .*Systolic blood pressure physiologic 130 mmHg device/);
    for (const [path, fields] of [
      [`${evidence}/releases`, release],
      [`${evidence}/corrections`, { reason: 'x' }],
      [`${LEDGER}/close`, {}],
    ] as const)
      expect((await send(path, fields, staff).expect(403)).text).toContain('Only an administrator can close a month.');

    expect((await send(`${LEDGER}/close`, {}, admin).expect(409)).text).toContain('1 hold is open');
    expect((await send(`${evidence}/releases`, { ...release, reason: ' ' }, admin).expect(400)).text).toContain('Must be given.');
    await send(`${evidence}/releases`, release, admin).expect(303).expect('location', evidence);
    expect(await readPage(evidence)).toContain('In the call log');
    expect((await send(`${evidence}/releases`, release, admin).expect(409)).text).toContain('An admin has already released it.');

    expect((await send(`${evidence}/corrections`, { reason: 'Early' }, admin).expect(409)).text).toContain('role="alert"');
    await send(`${LEDGER}/close`, {}, admin).expect(303);
    await createReview(prisma, checkIn, { ...work, minutes: 25, startedAt: new Date(`${MONTH}-08T15:00:00Z`) });
    expect(await readPage(evidence)).toMatch(/Changed since the closing .*minutes/);
    await send(`${evidence}/corrections`, { reason: 'Noted on paper' }, admin).expect(303);
    const corrected = await readPage(evidence);
    expect(corrected).toMatch(/Version 2, .*: Noted on paper\. SHA-256/);
    expect(corrected).not.toContain('Changed since the closing');
    expect(corrected).toContain('Systolic blood pressure physiologic');
    expect((await send(`${evidence}/corrections`, { reason: 'Again' }, admin).expect(409)).text).toContain('already matches the month');
  });

  it('says how far a closing is, on a page that loads itself again', async () => {
    const closing = {
      organizationId,
      timeZone: 'America/New_York',
      readings: 'device',
      supplyPeriod: 'calendar_month',
      leaveHeld: false,
    } as const;
    const period = '2026-08';
    const { id } = await prisma.monthClosing.create({
      data: { ...closing, month: period, patientIds: [1, 2, 3, 4], done: 1, requestedById: owner.user.id },
    });
    const page = await http.get(`/monitoring/ledger/${period}`).set(admin).expect(200).expect('refresh', '3');
    expect(page.text).toMatch(/<progress id="closing" max="4" value="1">/);
    expect(page.text).toContain('1 of 4 patients');
    const key = { organizationId_id: { organizationId, id } };
    await prisma.monthClosing.update({ where: key, data: { finishedAt: new Date(), isRefused: true } });
    const done = await http.get(`/monitoring/ledger/${period}`).set(admin).expect(200);
    expect(done.headers).not.toHaveProperty('refresh');
  });
});
