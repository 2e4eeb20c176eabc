import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createPatient, createUser } from '../support/factories.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await sharedTestApp();
const { http, send, browse } = staffPages(test);
const rows = () => test.database.prisma;
const { id: organizationId } = await createOrganization(test.database.prisma);
const REASON = 'Unconscious in the emergency room, allergies unknown';
const FORM = { patient: '', record_number: '', first_name: '', last_name: '', birth_date: '', reason: REASON };

const person = async (type: 'admin' | 'provider' | 'staff', privacyOfficer = false) => {
  const account = await createUser(rows(), { organizationId, type, privacyOfficer });
  return { userId: account.user.id, browser: await browse(account) };
};
const readPage = async (browser: Record<string, string>) => (await http.get('/break-glass').set(browser).expect(200)).text;

async function restrictedPatient() {
  const birthDate = new Date('1970-01-02');
  const patient = await createPatient(rows(), { organizationId, firstName: 'Ina', lastName: `Sealed${Date.now()}`, birthDate });
  await rows().privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
  return patient;
}

describe('the page of break-glass', () => {
  it('opens a chart by its names and day of birth, shows it on the pages until it is closed, and names it to nobody else', async () => {
    const patient = await restrictedPatient();
    const [provider, officer, colleague] = [await person('provider'), await person('staff', true), await person('provider')];
    const chart = () => http.get(`/monitoring/patients/${patient.id}`).set(provider.browser);
    await chart().expect(404);
    const names = { ...FORM, first_name: 'ina', last_name: patient.lastName, birth_date: '1970-01-02' };
    await send('/break-glass', names, provider.browser).expect(303);
    await chart().expect(200);
    const own = await readPage(provider.browser);
    expect(own).toContain(`Ina ${patient.lastName}`);
    const [, opening] = /break-glass\/(\d+)\/close/.exec(own) ?? [];
    const theirs = await readPage(officer.browser);
    expect(theirs).toContain(REASON);
    expect(theirs).not.toContain(patient.lastName);
    expect(theirs).not.toContain('name="reason"');
    expect(await readPage(colleague.browser)).toContain('No chart was opened');
    await send(`/break-glass/${opening}/close`, {}, colleague.browser).expect(404);
    await send(`/break-glass/${opening}/close`, {}, officer.browser).expect(303);
    await chart().expect(404);
    expect(await readPage(provider.browser)).not.toContain(patient.lastName);
    const actor = `user:${provider.userId}`;
    expect(
      await rows().auditEntry.count({ where: { organizationId, actor, action: 'break_glass', patientIds: { has: patient.id } } }),
    ).toBe(1);
  });

  it('says why a form is refused and keeps what was typed, and opens nothing for staff', async () => {
    const patient = await restrictedPatient();
    const [provider, staff] = [await person('provider'), await person('staff')];
    const missed = await send('/break-glass', { ...FORM, record_number: 'nobody has this' }, provider.browser).expect(404);
    expect(missed.text).toContain('No patient, or more than one, matches');
    expect(missed.text).toContain('value="nobody has this"');
    expect(missed.text).toContain(REASON);
    const short = await send('/break-glass', { ...FORM, patient: patient.id, reason: 'Emergency' }, provider.browser).expect(400);
    expect(short.text).toContain('10 to 500 characters');
    const unnamed = await send('/break-glass', { ...FORM, first_name: 'Ina' }, provider.browser).expect(400);
    expect(unnamed.text).toContain('Name the patient');
    await send('/break-glass', { ...FORM, patient: patient.id }, staff.browser).expect(403);
    await http.get('/break-glass').redirects(0).expect(303).expect('location', '/sign-in?to=%2Fbreak-glass');
    expect(await rows().chartOpening.count({ where: { organizationId, patientId: patient.id } })).toBe(0);
  });

  it('is in the bar of those whom it is for, and marks itself there', async () => {
    const LINK = '<a href="/break-glass"';
    const barOn = async (path: string, browser: Record<string, string>) => (await http.get(path).set(browser).expect(200)).text;
    const staff = await person('staff');
    for (const path of ['/lobby', '/monitoring', '/account']) {
      expect(await barOn(path, staff.browser)).not.toContain(LINK);
      expect(await barOn(path, staff.browser)).not.toContain('<a href="/administration"');
      for (const type of ['admin', 'provider'] as const) expect(await barOn(path, (await person(type)).browser)).toContain(LINK);
      expect(await barOn(path, (await person('staff', true)).browser)).toContain(LINK);
    }
    expect(await readPage((await person('provider')).browser)).toContain(`${LINK} aria-current="true"`);
  });

  it('asks to prove again who one is before the form, and when it is sent', async () => {
    const patient = await restrictedPatient();
    const { userId, browser } = await person('admin');
    await rows().session.updateMany({ where: { organizationId, userId }, data: { verifiedAt: new Date(Date.now() - 901_000) } });
    const page = await readPage(browser);
    expect(page).toContain('First confirm that it is you');
    expect(page).not.toContain('name="reason"');
    const sent = await send('/break-glass', { ...FORM, patient: patient.id }, browser).expect(401);
    expect(sent.text).toContain('/sign-in/confirm?to=%2Faccount%2Fconfirmed');
    expect(sent.text).toContain(REASON);
    expect(await rows().chartOpening.count({ where: { organizationId, patientId: patient.id } })).toBe(0);
    await http.get('/account/confirmed').set(browser).expect(200);
  });
});
